"""A deck in TeX: a Beamer document, frames for any preamble, an article for a handout, and separate pieces."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from roofproof.errors import RoofproofError
from roofproof.export.files import checked_ending, write_together
from roofproof.export.latex.escaping import curly, escape, has_chinese
from roofproof.export.slides.images import Image, images
from roofproof.export.slides.model import Code, Deck, Display, Inline, Math, Picture, Strong, Table, unmarked
from roofproof.export.slides.rendering import Ready, paragraphs, rendered
from roofproof.say import Words

SENTENCE = 40  # characters from which a table cell may be broken into lines
LARGE = 3  # up to so many formulas are set in large letters
DRAWN = (".tex", ".svg", ".png", ".pdf")  # file types of figures (all other pieces are .tex)
Piece = TypeVar("Piece", Picture, Display, Table)
_WORD = {"en": (r"\S+", 130), "zh": (r"[\u4e00-\u9fff]|[A-Za-z0-9.]+", 200)}  # a word, and words per minute


def beamer(deck: Deck, part: str = "deck") -> str:
    """Return a deck as the source of a Beamer document, or of an article for a handout or a script.

    >>> from roofproof.export.slides.model import Frame, Text
    >>> from roofproof.export.slides.tex import input_tex
    >>> deck = Deck(("100 %",), (), "en", (Frame(("A & B",), (Text(("\\\\input{x}", Math(input_tex("x^2")))),)),))
    >>> [line for line in beamer(deck).splitlines() if "A " in line or "input" in line]
    ['\\\\begin{frame}{A \\\\& B}', '\\\\par\\\\smallskip \\\\textbackslash{}input\\\\{x\\\\}$x^2$\\\\par\\\\smallskip']
    """
    template = "deck.tex.j2" if part == "deck" else "paper.tex.j2"
    text = _rendered(template, deck, chinese=deck.language == "zh", spoken=part == "script")
    if deck.language != "zh" and has_chinese(text):  # for example in a name
        text = _rendered(template, deck, chinese=True, spoken=part == "script")
    return text


def frames(deck: Deck) -> str:
    """Return the slides of a deck as frames for a Beamer document with any preamble."""
    pictured = any(isinstance(block, Picture) for frame in deck.frames for block in frame.blocks)
    return _rendered("frames.tex.j2", deck, pictured=pictured, chinese=deck.language == "zh")


def _rendered(template: str, deck: Deck, **given: object) -> str:
    filters: Mapping[str, Callable[..., Any]] = {
        "words": tex_words, "drawn": lambda block: Ready(block.make().pgfplots(title=False)), "is_code": is_code,
        "spoken": partial(paragraphs, tex_words, "\n\\par "), "large": large, "line": line,
        "columns_of": columns_of, "plain_columns": lambda block: block.align,
    }  # fmt: skip
    return rendered(template, deck, escape, filters, **given)


def tex_words(sentence: Inline) -> Ready:
    """Return a sentence in LaTeX, with its text escaped.

    >>> from roofproof.export.slides.tex import input_tex
    >>> tex_words(("50 % of ", Math(input_tex("I")), " of ", Code("a_b")))
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


def is_code(words: Inline) -> bool:
    """Return whether a text is one piece of code, which is printed smaller instead of broken."""
    return len(words) == 1 and isinstance(words[0], Code)


def large(block: Display) -> bool:
    """Return whether formulas are set in large letters: a few are, a derivation is not."""
    return not block.derived and len(block.lines) <= LARGE


def line(text: str, beside: bool) -> Ready:
    r"""Return a line of a display with its breakable side marked for TeX, narrower if a reason is `beside` it.

    >>> print(line("I &= 2B + 2D", True))
    I &\side{= 2B + 2D}
    """
    left, sign, right = text.partition("&")
    if not sign or "&" in right or r"\begin" in text:
        return Ready(text)
    return Ready(f"{left}&\\{'side' if beside else 'wide'}{{{right}}}")


def columns_of(block: Table) -> str:
    """Return the column types of a table, with columns of sentences marked so that TeX may break them.

    >>> columns_of(Table((("a",), ("b",)), ((("x",), ("one sentence that goes on and on and on " * 2,)),), "ll"))
    'lL'
    """
    every = zip(block.align, zip(block.header, *block.rows, strict=True), strict=True)
    return "".join("L" if a == "l" and any(map(_is_sentence, column)) else a for a, column in every)


def _is_sentence(cell: Inline) -> bool:
    return sum(len(part) for part in cell if isinstance(part, str)) > SENTENCE


def spoken(deck: Deck) -> str:
    """Return a line on the length and duration of the spoken text of a deck.

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


# --- pieces for the user's own document -------------------------------------------------------------


def write_pieces(deck: Deck, path: str, part: str) -> int:
    """Write the frames of a deck, or each of its figures, formulas or tables, and return the number of files.

    If there are several, each file name ends in a number. Raises RoofproofError for any other ending, for a deck
    without such pieces, and if TeX or matplotlib is needed but missing.
    """
    ending = checked_ending(path, DRAWN if part == "figure" else (".tex",))
    if part == "frames":
        from roofproof.export.latex.compiling import write_document

        write_document(path, frames(deck), images(deck))
        return 1
    made: list[str | bytes]
    if part == "figure":
        every = [each for each in (block.make() for block in _of(deck, Picture)) if not isinstance(each, Image)]
        made = [each.pgfplots() + "\n" if ending == ".tex" else each.drawn(ending[1:]) for each in every]
    elif part == "table":
        made = [tabular(block) for block in _of(deck, Table)]
    else:
        made = [displayed(block) + "\n" for block in _of(deck, Display)]
    if not made:
        raise RoofproofError("there is no <part> in this deck", part=part)
    stem = path[: -len(ending)]
    names = [path] if len(made) == 1 else [f"{stem}-{n}{ending}" for n in range(1, len(made) + 1)]
    write_together(dict(zip(names, made, strict=True)))
    return len(made)


def _of(deck: Deck, kind: type[Piece]) -> Iterator[Piece]:
    return (block for frame in deck.frames for block in frame.blocks if isinstance(block, kind))


def displayed(block: Display) -> str:
    r"""Return formulas as one display for any document with amsmath.

    >>> from roofproof.export.slides.tex import Tex
    >>> print(displayed(Display((Tex("I &> R"), Tex("B &> 240")), ((), ("by ", "hand")))))
    \[\begin{aligned}
    I &> R \\
    B &> 240 && \text{by hand}
    \end{aligned}\]
    """
    reasons: Sequence[Inline] = block.reasons or ((),) * len(block.lines)
    rows = (
        f"{line} && \\text{{{tex_words(why)}}}" if why else line for line, why in zip(block.lines, reasons, strict=True)
    )
    return "\\[\\begin{aligned}\n" + " \\\\\n".join(rows) + "\n\\end{aligned}\\]"


def tabular(block: Table) -> str:
    r"""Return a table for a document with booktabs.

    >>> print(tabular(Table((("chip",), ("R",)), ((("v5e",), ("240",)),), "lr")))
    \begin{tabular}{@{}lr@{}}
    \toprule
    chip & R \\
    \midrule
    v5e & 240 \\
    \bottomrule
    \end{tabular}
    <BLANKLINE>
    """
    head, *rows = (" & ".join(map(tex_words, row)) + r" \\" for row in (block.header, *block.rows))
    if block.total:
        rows.insert(-1, r"\midrule")
    lines = [rf"\begin{{tabular}}{{@{{}}{block.align}@{{}}}}", r"\toprule", head, r"\midrule", *rows, r"\bottomrule"]
    return "\n".join([*lines, r"\end{tabular}"]) + "\n"
