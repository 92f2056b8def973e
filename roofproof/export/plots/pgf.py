r"""A figure as pgfplots source: vector, in the fonts of the document it stands in.

The axes keep their size in centimetres, so that the labels, placed for that size, keep apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING

from roofproof.export.latex.escaping import escape_spaced, has_chinese
from roofproof.export.latex.templates import environment
from roofproof.export.plots.palette import GUIDE, INK, SHADES, STROKES, stroked
from roofproof.export.plots.scene import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, Point
from roofproof.export.plots.texts import FONT_SIZE, Text, plain_signs

if TYPE_CHECKING:
    from jinja2 import Template

    from roofproof.export.plots.figure import Figure

PREAMBLE = r"\usepackage{pgfplots}\pgfplotsset{compat=1.16}"
"""What a document needs to set a figure; Chinese texts need ctex too."""

_NAMES = {f"rps{i}": colour for i, (colour, _) in enumerate(STROKES)}
_NAMES |= {f"rpf{i}": colour for i, colour in enumerate(SHADES)} | {"rpguide": GUIDE[0], "rpink": INK}


def tikzpicture(figure: Figure, title: bool = True) -> str:
    """Return a figure as a `tikzpicture`, with or without its title."""
    source = _template("picture.tex.j2").render(
        figure=figure, title=title, above=TOP if title else 0.65, colours=_NAMES, size=FONT_SIZE,
        left=LEFT, right=RIGHT, bottom=BOTTOM, width=WIDTH, height=HEIGHT,
    )  # fmt: skip
    return source.rstrip()


def document(figure: Figure) -> str:
    r"""Return a figure as a file that compiles alone, and that a document which loads pgfplots takes by `\input`."""
    chinese = any(has_chinese(plain_signs(text)) for text in texts(figure))
    picture = tikzpicture(figure)
    return _template("figure.tex.j2").render(picture=picture, preamble=PREAMBLE, chinese=chinese)


def texts(figure: Figure) -> Iterator[Text]:
    """Yield every text of a figure."""
    yield from (figure.title, figure.x.title, figure.y.title)
    for axis in (figure.x, figure.y):
        yield from (text for _, text in axis.ticks)
    for label in figure.labels:
        yield from label.lines


def tex(text: Text) -> str:
    """Return a text as TeX: names escaped, mathematics between dollar signs."""
    return "".join(escape_spaced(piece) if isinstance(piece, str) else f"${piece.tex}$" for piece in text)


@cache
def _template(name: str) -> Template:
    filters: dict[str, Callable[..., str]] = {
        "tex": tex,
        "number": _number,
        "points": _points,
        "stroke": _stroke,
        "ink": _ink,
        "shade": _shade,
    }
    return environment("roofproof.export.plots", filters).get_template(name)


def _ink(stroke: int | None) -> str:
    return "rpguide" if stroke is None else f"rps{stroke % len(STROKES)}"


def _shade(shade: int) -> str:
    return f"rpf{shade % len(SHADES)}"


def _stroke(stroke: int | None, thin: bool = False) -> str:
    _, width, dashes = stroked(stroke, thin)
    pattern = " ".join(f"{'off' if i % 2 else 'on'} {length:g}pt" for i, length in enumerate(dashes))
    return f"{_ink(stroke)}, line width={width}pt, line join=round" + (f", dash pattern={pattern}" if dashes else "")


def _points(points: Iterable[Point]) -> str:
    return " ".join(f"({_number(x)},{_number(y)})" for x, y in points)


def _number(value: float) -> str:
    return f"{value:.6g}"
