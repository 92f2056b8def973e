"""A deck as Markdown: slides for Marp, formulas for KaTeX, figures as pictures within the page."""

import json
from collections.abc import Callable

from roofproof.export.slides.model import Code, Deck, Inline, Math, Picture
from roofproof.export.slides.rendering import Ready, rendered

_SIGNS = "\\`*_{}[]<>()#+-.!|~$&^=:/"
_RULES = {"l": ":--", "c": ":-:", "r": "--:"}


def marp(deck: Deck, picture: Callable[[Picture], str]) -> str:
    """Return a deck as Markdown; `picture` gives the line that shows a figure.

    >>> from roofproof.export.slides.model import Frame, Text
    >>> deck = Deck(("T",), (), "en", (Frame(("A|B",), (Text(("<b>", Math("x^2"))),)),))
    >>> marp(deck, lambda block: "").splitlines()[-3:]
    ['## A\\\\|B', '', '\\\\<b\\\\>$x^2$']
    """
    filters = {
        "words": words, "cell": cell, "reason": reason, "rule": lambda letter: Ready(_RULES[letter]),
        "front": lambda title: Ready(json.dumps("".join(map(_plain, title)), ensure_ascii=False)),
        "drawn": lambda block: Ready(picture(block)),
    }  # fmt: skip
    return rendered("deck.md.j2", deck, escape, filters)


def inlined(block: Picture) -> str:
    """Return a figure as a picture within the page: vector, no file beside it.

    It is an HTML element, since Markdown's `![]()` refuses SVG in a `data:` address, in Marp too. Raises
    RoofproofError where matplotlib, which draws it, is not installed.
    """
    from base64 import b64encode
    from html import escape as escape_html

    coded = b64encode(block.make()._repr_svg_().encode()).decode("ascii")
    about = escape_html(" ".join("".join(map(_plain, block.about)).split()))
    return f'<img alt="{about}" width="900" src="data:image/svg+xml;base64,{coded}">'


def escape(text: str) -> str:
    """Return text without the signs that Markdown, HTML or KaTeX would take for their own, on one line.

    >>> escape("a*b\\n<c>")
    'a\\\\*b \\\\<c\\\\>'
    """
    return "".join(f"\\{c}" if c in _SIGNS else c for c in " ".join(text.split(" ")).replace("\n", " "))


def words(sentence: Inline) -> Ready:
    """Return a sentence in Markdown, its text escaped.

    >>> words((Code("a|b"), " ", Math("x")))
    '`a|b` $x$'
    """
    return Ready("".join(_part(part) for part in sentence))


def cell(sentence: Inline) -> Ready:
    """Return a sentence as a cell of a table, in which a bar would end the cell.

    >>> cell((Math("|x|"),))
    '$\\\\vert x\\\\vert $'
    """
    safe = [Math(p.tex.replace("|", "\\vert ")) if isinstance(p, Math) else p for p in sentence]
    return Ready(" ".join("".join(_part(p, bar="\\|") for p in safe).split()))


def reason(sentence: Inline) -> Ready:
    """Return a sentence as it stands inside `\\text{}` of a formula."""
    return Ready("".join(f"${p.tex}$" if isinstance(p, Math) else _in_formula(_plain(p)) for p in sentence))


def _part(part: str | Math | Code, bar: str = "|") -> str:
    if isinstance(part, Math):
        return f"${part.tex}$"
    if isinstance(part, Code):
        text = " ".join(part.text.split())
        fence = "``" if "`" in text else "`"
        return f"{fence}{text.replace('|', bar)}{fence}"
    return escape(part)


def _plain(part: str | Math | Code) -> str:
    return part.tex if isinstance(part, Math) else part.text if isinstance(part, Code) else part


def _in_formula(text: str) -> str:
    return "".join(f"\\{c}" if c in "{}%$&_#" else {"\\": "/", "^": "", "~": " "}.get(c, c) for c in text)
