"""A deck in Markdown, rendered by a template, with everything escaped except roofproof's own output."""

import json
import re
from collections.abc import Callable
from functools import partial

from roofproof.export.slides.images import Image
from roofproof.export.slides.model import Code, Deck, Inline, Math, Picture, Strong, unmarked
from roofproof.export.slides.rendering import Ready, paragraphs, rendered
from roofproof.export.slides.tex import input_tex

_SIGNS = "\\`*_{}[]<>#|~$&^"
_RULES = {"l": ":--", "c": ":-:", "r": "--:"}


def markdown(template: str, deck: Deck, picture: Callable[[Picture], str], **given: object) -> str:
    """Return a deck rendered by a Markdown template, where `picture` returns the line that shows a figure.

    >>> from roofproof.export.slides.model import Frame, Text
    >>> deck = Deck(("T",), (), "en", (Frame(("A|B",), (Text(("<b>", Math(input_tex("x^2")))),)),))
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
    """Return a figure as a picture embedded in the page, as vector graphics if it is a plot.

    It is an HTML element, because Markdown's `![]()` rejects SVG in a `data:` address. Raises RoofproofError if the
    figure cannot be drawn.
    """
    from base64 import b64encode
    from html import escape as escape_html

    made = block.make()
    kind, content = made.typed() if isinstance(made, Image) else ("image/svg+xml", made._repr_svg_().encode())
    coded = b64encode(content).decode("ascii")
    about = escape_html(" ".join("".join(map(unmarked, block.about)).split()))
    return f'<img alt="{about}" width="900" src="data:{kind};base64,{coded}">'


def escaped(text: str) -> str:
    """Return text on one line, with every character escaped that is special in Markdown, HTML or KaTeX.

    >>> escaped("a*b\\n<c>"), escaped("1. of 1.5"), escaped("- so -- then")
    ('a\\\\*b \\\\<c\\\\>', '1\\\\. of 1.5', '\\\\- so -\\\\- then')
    """
    safe = "".join(f"\\{c}" if c in _SIGNS else c for c in " ".join(text.splitlines()))
    safe = re.sub(r"(?<=[-.])([-.])", r"\\\1", safe)  # no dash, no ellipsis
    return re.sub(r"^(\s*)(\d*)([-+=:(.)])", r"\1\2\\\3", safe)


def words(sentence: Inline) -> Ready:
    """Return a sentence in Markdown, with its text escaped.

    >>> words((Code("a|b"), " ", Math(input_tex("x"))))
    '`a|b` $x$'
    """
    return Ready("".join(_part(part) for part in sentence))


def cell(sentence: Inline) -> Ready:
    """Return a sentence as a cell of a table, in which a bar would end the cell.

    >>> cell((Math(input_tex("|x|")),))
    '$\\\\vert x\\\\vert $'
    """
    safe = [Math(input_tex(p.tex.replace("|", "\\vert "))) if isinstance(p, Math) else p for p in sentence]
    return Ready(" ".join("".join(_part(p, bar="\\|") for p in safe).split()))


def reason(sentence: Inline) -> Ready:
    r"""Return a sentence for `\text{}` within a formula, closed and reopened around formulas of its own.

    >>> print(r"\text{%s}" % reason(("multiply by ", Math(input_tex("D")))))
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


def _in_formula(text: str) -> str:
    return "".join(f"\\{c}" if c in "{}%$&_#" else {"\\": "/", "^": "", "~": " "}.get(c, c) for c in text)
