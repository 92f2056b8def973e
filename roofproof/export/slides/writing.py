"""A deck as text, through a template: Beamer or Markdown; all is escaped that no printer of the engine made."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import ceil
from typing import Any

from roofproof.export.files import write_whole
from roofproof.export.latex.escaping import curly, escape, has_chinese
from roofproof.export.latex.templates import environment
from roofproof.export.slides.images import Image, images
from roofproof.export.slides.model import PARAGRAPH, Code, Deck, Display, Frame, Inline, Math, Picture, Strong, Table
from roofproof.export.slides.terms import SlideWords
from roofproof.export.slides.tex import given
from roofproof.export.slides.widths import length, row_height
from roofproof.say import Words

LARGE = 9.0  # em that a few formulas take below one another
WIDE, NARROW = 33.0, 8.0  # em of a table on a slide, and of a column that is broken
TALL, LINE = 12.0, 1.35  # em of a table, and of a line of it
MANY = 7  # points in one column
_UNBROKEN = re.compile(r"[\u2e80-\uffef]|[^\s\u2e80-\uffef]+")
BUILT = "Every number on these slides was derived when they were built."


class Ready(str):
    """Text that needs no escaping: it is source of the format already."""

    __slots__ = ()


def write(deck: Deck, path: str, part: str = "deck") -> None:
    """Write a deck, or on paper what it shows and what is said of it, or that alone; whole or not at all.

    Raises RoofproofError for a place that cannot be written, and for TeX or matplotlib where they are needed.
    """
    if path.lower().endswith(".md"):
        write_whole(path, markdown("paper.md.j2", deck, inlined, spoken=part == "script"))
        return
    from roofproof.export.latex.compiling import write_document

    write_document(path, beamer(deck, part), images(deck) if part != "script" else {})


def rendered(
    template: str, deck: Deck, escape: Callable[[str], str], filters: Mapping[str, Callable[..., Any]], **given: object
) -> str:
    """Return a deck through one of the templates; `escape` is put to every text that no filter made ready."""

    def finalize(value: object) -> object:
        return value if isinstance(value, Ready) else escape(str(value))

    def pictured(frame: Frame) -> bool:
        return any(isinstance(block, Picture) for block in frame.blocks)

    own: dict[str, Callable[..., Any]] = {
        "kind": lambda block: type(block).__name__,
        "columns": columns,
        "raw": Ready,
        "pictured": pictured,
    }
    found = environment("roofproof.export.slides", {**own, **filters}, finalize=finalize).get_template(template)
    return found.render(deck=deck, built=SlideWords(deck.language)(BUILT), **given)


def beamer(deck: Deck, part: str = "deck") -> str:
    """Return a deck as the source of a Beamer document, or of an article for a handout or a script.

    >>> from roofproof.export.slides.model import Frame, Text
    >>> deck = Deck(("100 %",), (), "en", (Frame(("A & B",), (Text(("\\\\input{x}", Math(given("x^2")))),)),))
    >>> [line for line in beamer(deck).splitlines() if "A " in line or "input" in line]
    ['\\\\begin{frame}{A \\\\& B}', '\\\\par\\\\smallskip \\\\textbackslash{}input\\\\{x\\\\}$x^2$\\\\par\\\\smallskip']
    """
    filters: dict[str, Callable[..., object]] = {
        "words": tex_words, "drawn": drawn, "is_code": is_code, "spoken": partial(paragraphs, tex_words, "\n\\par "),
        "large": large, "columns_of": columns_of, "rows_of": rows_of,
    }  # fmt: skip
    template = "deck.tex.j2" if part == "deck" else "paper.tex.j2"
    text = rendered(template, deck, escape, filters, chinese=deck.language == "zh", spoken=part == "script")
    if deck.language != "zh" and has_chinese(text):  # a name, say
        text = rendered(template, deck, escape, filters, chinese=True, spoken=part == "script")
    return text


def frames(deck: Deck) -> str:
    """Return the slides of a deck as frames that stand in a Beamer document with any preamble."""
    filters: dict[str, Callable[..., object]] = {
        "words": tex_words, "drawn": drawn, "is_code": is_code, "spoken": partial(paragraphs, tex_words, "\n\\par "),
        "large": large, "columns_of": columns_of, "rows_of": rows_of,
    }  # fmt: skip
    pictured = any(isinstance(block, Picture) for frame in deck.frames for block in frame.blocks)
    chinese = deck.language == "zh"
    return rendered("frames.tex.j2", deck, escape, filters, pictured=pictured, chinese=chinese)


def columns(items: Sequence[Inline]) -> list[Sequence[Inline]]:
    """Return points in one column, or in two where there are many.

    >>> [len(each) for each in columns((("a",),) * 11)]
    [6, 5]
    """
    middle = (len(items) + 1) // 2
    return [items] if len(items) <= MANY else [items[:middle], items[middle:]]


def paragraphs(words: Callable[[Inline], str], between: str, note: Inline) -> Ready:
    """Return the spoken text of a slide, its paragraphs with what stands between them.

    >>> paragraphs(tex_words, "|", ("50 %", PARAGRAPH, "B"))
    '50 \\\\%|B'
    """
    parts: list[list[str | Math | Code]] = [[]]
    for piece in note:
        if piece == PARAGRAPH:
            parts.append([])
        else:
            parts[-1].append(piece)
    return Ready(between.join(words(tuple(part)) for part in parts))


_WORD = {"en": (r"\S+", 130), "zh": (r"[\u4e00-\u9fff]|[A-Za-z0-9.]+", 200)}  # what is counted, and how many a minute


def spoken(deck: Deck) -> str:
    """Return the duration of the spoken text of a deck.

    >>> from roofproof.export.slides.model import Frame
    >>> spoken(Deck(("T",), (), "en", (Frame(("A",), (), note=("Count the bytes. " * 130,)),)))
    '1 slides, 390 words: 3 minutes at 130 words a minute'
    """
    word, fast = _WORD[deck.language]
    count = sum(len(re.findall(word, "".join(map(unmarked, frame.note)))) for frame in deck.frames)
    told = {"slides": len(deck.frames), "count": count, "minutes": round(count / fast)}
    return Words(deck.language).say(
        "<slides> slides, <count> words: <minutes> minutes at 130 words a minute",
        **{name: str(number) for name, number in told.items()},
    )


def tex_words(sentence: Inline) -> Ready:
    """Return a sentence in LaTeX, its text escaped.

    >>> tex_words(("50 % of ", Math(given("I")), " of ", Code("a_b")))
    '50 \\\\% of $I$ of \\\\texttt{a\\\\_b}'
    """
    return Ready("".join(_tex(part) for part in sentence))


def _tex(part: str | Math | Code) -> str:
    if isinstance(part, Math):
        return f"${part.tex}$"
    if isinstance(part, Code):
        return f"\\texttt{{{escape(part.text)}}}"
    if isinstance(part, Strong):
        return f"\\textbf{{{escape(curly(part))}}}"
    return " " * part.startswith(" ") + escape(curly(part)) + " " * (part.endswith(" ") and not part.isspace())


def drawn(block: Picture) -> Ready:
    """Return a figure as pgfplots source; the frame has its title."""
    return Ready(block.make().pgfplots(title=False))


def large(block: Display) -> bool:
    """Tell whether formulas stand in large letters: a few do, a derivation does not."""
    return not block.derived and len(block.lines) <= 5 and sum(map(row_height, block.lines)) < LARGE


def columns_of(block: Table) -> Ready:
    r"""Return the columns of a table in LaTeX; where it is too wide, those of words are broken into lines.

    >>> columns_of(Table((("a",), ("b",)), ((("x",), ("one sentence that goes on and on, " * 3,)),), "ll"))
    'lp{31.2em}'
    """
    found = broken_columns(block)
    return Ready("".join(f"p{{{found[n]:.1f}em}}" if n in found else a for n, a in enumerate(block.align)))


def broken_columns(block: Table) -> dict[int, float]:
    """Return the columns of a table that are broken into lines, and how wide each is then, in em.

    Broken lines cost height: what is taken leaves the letters largest.
    """
    columns = list(zip(block.header, *block.rows, strict=True))
    wide = [max(map(length, column)) for column in columns]
    least = [max(NARROW, *(length((piece,)) for cell in column for piece in _pieces(cell))) for column in columns]
    best, kept, most = 0.0, wide, max(wide)
    while best < 1 and most >= NARROW:
        found = [min(w, max(most, n)) if a == "l" else w for w, n, a in zip(wide, least, block.align, strict=True)]
        across = sum(found) + 1.2 * (len(found) - 1)
        lines = (
            max(ceil(length(cell) / w) for cell, w in zip(row, found, strict=True))
            for row in zip(*columns, strict=True)
        )
        if (size := min(1.0, WIDE / across, TALL / (LINE * sum(lines)))) > best + 0.02:
            best, kept = size, found
        most -= 0.5
    return {n: each for n, each in enumerate(kept) if each < wide[n]}


def rows_of(block: Table) -> list[list[Ready]]:
    r"""Return the cells of a table in LaTeX, its head first; those of a column that is broken are not stretched.

    >>> rows_of(Table((("a",), ("b",)), ((("x",), ("one sentence that goes on and on, " * 3,)),), "ll"))[0]
    ['a', '\\raggedright b']
    """
    broken = broken_columns(block)
    return [
        [Ready(r"\raggedright " * (n in broken) + tex_words(cell)) for n, cell in enumerate(row)]
        for row in (block.header, *block.rows)
    ]


def _pieces(words: Inline) -> list[str | Math | Code]:
    """Return the unbreakable pieces of a line: formulas, code and words; Chinese is broken anywhere."""
    return [p for part in words for p in (_UNBROKEN.findall(part) if isinstance(part, str) else [part])] or [""]


def is_code(words: Inline) -> bool:
    """Return whether a text is one piece of code, which is made smaller rather than broken."""
    return len(words) == 1 and isinstance(words[0], Code)


_SIGNS = "\\`*_{}[]<>()#+-.!|~$&^=:/"
_RULES = {"l": ":--", "c": ":-:", "r": "--:"}


def markdown(template: str, deck: Deck, picture: Callable[[Picture], str], **given: object) -> str:
    """Return a deck through one of the templates in Markdown; `picture` gives the line that shows a figure.

    >>> from roofproof.export.slides.model import Frame, Text
    >>> deck = Deck(("T",), (), "en", (Frame(("A|B",), (Text(("<b>", Math(given("x^2")))),)),))
    >>> markdown("paper.md.j2", deck, lambda block: "", spoken=False).splitlines()[-4:-1]
    ['### 1. A\\\\|B', '', '\\\\<b\\\\>$x^2$']
    """
    filters: dict[str, Callable[..., object]] = {
        "words": words, "spoken": partial(paragraphs, words, "\n\n"),
        "cell": cell, "reason": reason, "rule": lambda letter: Ready(_RULES[letter]),
        "meta": lambda title: Ready(json.dumps(words(title), ensure_ascii=False)),  # pandoc reads it as Markdown
        "drawn": lambda block: Ready(picture(block)),
    }  # fmt: skip
    return rendered(template, deck, escaped, filters, **given)


def inlined(block: Picture) -> str:
    """Return a figure as a picture within the page: vector, no file beside it.

    It is an HTML element, since Markdown's `![]()` refuses SVG in a `data:` address. Raises
    RoofproofError where matplotlib, which draws it, is not installed.
    """
    from base64 import b64encode
    from html import escape as escape_html

    made = block.make()
    kind, content = made.typed() if isinstance(made, Image) else ("image/svg+xml", made._repr_svg_().encode())
    coded = b64encode(content).decode("ascii")
    about = escape_html(" ".join("".join(map(unmarked, block.about)).split()))
    return f'<img alt="{about}" width="900" src="data:{kind};base64,{coded}">'


def escaped(text: str) -> str:
    """Return text without the signs that Markdown, HTML or KaTeX would take for their own, on one line.

    >>> escaped("a*b\\n<c>")
    'a\\\\*b \\\\<c\\\\>'
    """
    return "".join(f"\\{c}" if c in _SIGNS else c for c in " ".join(text.splitlines()))


def words(sentence: Inline) -> Ready:
    """Return a sentence in Markdown, its text escaped.

    >>> words((Code("a|b"), " ", Math(given("x"))))
    '`a|b` $x$'
    """
    return Ready("".join(_part(part) for part in sentence))


def cell(sentence: Inline) -> Ready:
    """Return a sentence as a cell of a table, in which a bar would end the cell.

    >>> cell((Math(given("|x|")),))
    '$\\\\vert x\\\\vert $'
    """
    safe = [Math(given(p.tex.replace("|", "\\vert "))) if isinstance(p, Math) else p for p in sentence]
    return Ready(" ".join("".join(_part(p, bar="\\|") for p in safe).split()))


def reason(sentence: Inline) -> Ready:
    r"""Return a sentence as it stands inside `\text{}` of a formula, which ends where a formula of its own begins.

    >>> print(r"\text{%s}" % reason(("multiply by ", Math(given("D")))))
    \text{multiply by }D\text{}
    """
    return Ready("".join(f"}}{p.tex}\\text{{" if isinstance(p, Math) else _in_formula(unmarked(p)) for p in sentence))


def _part(part: str | Math | Code, bar: str = "|") -> str:
    if isinstance(part, Math):
        return f"${part.tex}$"
    if isinstance(part, Code):
        text = " ".join(part.text.split())
        fence = "``" if "`" in text else "`"
        return f"{fence}{text.replace('|', bar)}{fence}"
    return f"**{escaped(part)}**" if isinstance(part, Strong) else escaped(part)


def unmarked(part: str | Math | Code) -> str:
    """Return a part of a sentence without its marks."""
    return part.tex if isinstance(part, Math) else part.text if isinstance(part, Code) else part


def _in_formula(text: str) -> str:
    return "".join(f"\\{c}" if c in "{}%$&_#" else {"\\": "/", "^": "", "~": " "}.get(c, c) for c in text)
