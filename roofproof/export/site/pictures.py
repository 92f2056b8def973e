"""Figures of the engine as SVG within a page: its colours, light or dark, and its fonts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from markupsafe import Markup, escape

from roofproof.errors import RoofproofError
from roofproof.export.plots.figure import Figure
from roofproof.export.plots.palette import SHADES, STROKES, stroked
from roofproof.export.plots.scene import BOTTOM, HEIGHT, LEFT, RIGHT, WIDTH, Label, Point
from roofproof.export.plots.texts import FONT_SIZE, LINE_HEIGHT, Text, plain_signs
from roofproof.export.site.rendering import template
from roofproof.hardware import Chip
from roofproof.ops import Operation
from roofproof.rooms import there

UNIT = 40  # units of the picture a centimetre
ABOVE = 0.65  # centimetres above the axes: the title of the vertical one; that of the figure is its caption
SHOWN = ("h100-sxm", "tpu-v5e", "mi300x", "apple-m2-gpu")  # chips that are drawn where they are among those asked for
MOST = 3  # chips in one picture
POINT = UNIT * 2.54 / 72  # units of the picture a point


def picture(op: Operation, chips: Sequence[Chip], sizes: Mapping[str, int], lang: str = "en") -> Markup:
    """Return the roofline of an operation on a few of the chips, nothing where it has none.

    >>> from roofproof import chip, op
    >>> text = picture(op("matmul"), [chip("h100-sxm")], {"B": 256, "D": 4096, "F": 4096})
    >>> print(text.splitlines()[0][:55], text.count("<polyline"))
    <figure class="plot" tabindex="0"><svg viewBox="0 0 556 3
    """
    from roofproof.export.plots.rooflines import roofline

    named = {one.name: one for one in chips}
    drawn: list[Chip] = []
    for one in dict.fromkeys([*(named[n] for n in SHOWN if n in named), *chips]):
        try:
            roofline([op], [*drawn, one], [sizes], lang)
        except RoofproofError:
            continue  # it lacks a figure
        drawn.append(one)
        if len(drawn) == MOST:
            break
    return svg(roofline([op], drawn, [sizes], lang)) if drawn else Markup("")


def of_memory(op: Operation, chips: Sequence[Chip], sizes: Mapping[str, int], unknown: str, lang: str) -> Markup:
    """Plot the bytes moved against the memory, and a map of them, on the first chip with the figures needed.

    >>> from roofproof import chip, op
    >>> of_memory(op("matmul"), [chip("h100-sxm")], {"B": 256, "D": 4096, "F": 4096}, "B", "en").count("<figure")
    2
    >>> of_memory(op("softmax"), [chip("h100-sxm")], {"M": 256, "N": 4096}, "N", "en")
    Markup('')
    """
    if not there("roofproof.bounds"):
        return Markup("")
    from roofproof.bounds import bound
    from roofproof.export.plots.memories import size_map, slope

    named = {one.name: one for one in chips}
    for one in dict.fromkeys([*(named[n] for n in SHOWN if n in named), *chips]):
        with suppress(RoofproofError):  # no product, no memory on chip, or no figure
            found = bound(op, chip=one, at=sizes)
            return svg(slope(found, lang)) + svg(size_map(found, unknown, lang))
    return Markup("")


def svg(figure: Figure) -> Markup:
    """Return a figure as SVG with its title below, for a page that loads `site.css`.

    >>> from roofproof import chip, op
    >>> from roofproof.export.plots import roofline
    >>> text = svg(roofline([op("matmul")], [chip("tpu-v5e")], at=[{"B": 64, "D": 4096, "F": 4096}]))
    >>> "<figcaption>Roofline: matmul (<i>B</i> = 64, <i>D</i> = <i>F</i> = 4096)</figcaption>" in text
    True
    """
    page = _Page(figure)
    return Markup(template("picture.svg.j2").render(
        width=round((LEFT + WIDTH + RIGHT) * UNIT), height=round((ABOVE + HEIGHT + BOTTOM) * UNIT), figure=figure,
        page=page, about=plain_signs(figure.title), caption=_inline(figure.title, "i", "sup", "sub"),
        size=FONT_SIZE * POINT,
        left=page.x(figure.x.low), right=page.x(figure.x.high), top=page.y(figure.y.high), bottom=page.y(figure.y.low),
        text=lambda some: _inline(some, "tspan", "tspan", "tspan"), line=LINE_HEIGHT * UNIT, shades=len(SHADES),
    ))  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Page:
    """Where things of a figure lie in its picture."""

    figure: Figure

    def x(self, at: float) -> float:
        return round((LEFT + self.figure.x.share(at) * WIDTH) * UNIT, 1)

    def y(self, at: float) -> float:
        return round((ABOVE + (1 - self.figure.y.share(at)) * HEIGHT) * UNIT, 1)

    def points(self, some: Iterable[Point]) -> str:
        return " ".join(f"{self.x(x)},{self.y(y)}" for x, y in some)

    def stroke(self, number: int | None, thin: bool = False) -> Markup:
        """Return the stroke of a line, as attributes."""
        _, width, dashes = stroked(number, thin)
        name = "guide" if number is None else f"stroke-{number % len(STROKES)}"
        pattern = " ".join(f"{length * POINT:.1f}" for length in dashes)
        return Markup('class="{}" stroke-width="{}" stroke-dasharray="{}"').format(
            name, round(width * POINT, 2), pattern or "none"
        )

    def lines(self, label: Label) -> Iterator[tuple[float, float, str, Text]]:
        """Yield each line of a label: where it begins, how it is anchored, and its text."""
        x, y = self.x(label.at[0]), self.y(label.at[1])
        height = LINE_HEIGHT * UNIT
        above = 1.0 if "south" in label.anchor else 0.0 if "north" in label.anchor else 0.5
        anchor = {"left": "start", "right": "end", "center": "middle"}[label.align]
        for place, text in enumerate(label.lines):
            yield x, round(y + height * (place + 0.76 - above * len(label.lines)), 1), anchor, text


def _inline(text: Text, italic: str, raised: str, lowered: str) -> Markup:
    """Return a text with its mathematics slanted, powers raised and indices lowered, in elements of these names."""
    return Markup("").join(
        escape(piece) if isinstance(piece, str) else _math(piece.plain, italic, raised, lowered) for piece in text
    )


def _math(written: str, italic: str, raised: str, lowered: str) -> Markup:
    base, sign, small = re.match(r"([^_^]*)([_^]?)(.*)", written, re.S).groups()  # type: ignore[union-attr]
    slanted = Markup(' class="slanted"') if italic == "tspan" else Markup("")
    shown = escape(base) if base.isdigit() else Markup("<{0}{2}>{1}</{0}>").format(Markup(italic), base, slanted)
    if not sign:
        return shown
    name = raised if sign == "^" else lowered
    if name == "tspan":
        shift = "-0.45em" if sign == "^" else "0.25em"
        return shown + Markup('<tspan class="small" dy="{}">{}</tspan>').format(shift, small)
    return shown + Markup("<{0}>{1}</{0}>").format(Markup(name), small)
