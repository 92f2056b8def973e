"""A figure as SVG: a separate file, or a part of a site page, whose style sheet has the light or dark colours."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction

from markupsafe import Markup, escape

from roofproof.export.plots.captions import CM_PER_POINT, FONT_SIZE, LINE
from roofproof.export.plots.layout import BOTTOM, LEFT, WIDTH, Page, Placed, layout
from roofproof.export.plots.model import Math, Picture, Point, Text, plain
from roofproof.export.plots.palette import GUIDE, INK, SHADES, STROKES, stroked

UNIT = 40  # units of the picture per centimetre
POINT = UNIT * CM_PER_POINT
NARROWEST = 10.0  # centimetres (a narrower picture is this one scaled down, letters included)
FONTS = "DejaVu Sans, Verdana, Noto Sans CJK SC, Microsoft YaHei, PingFang SC, sans-serif"
_RULES = {
    "text": f"fill:#{INK}", ".title": "font-weight:bold", ".slanted": "font-style:italic", ".small": "font-size:.72em",
    ".axis": f"fill:none;stroke:#{INK}", "polyline": "fill:none;stroke-linejoin:round",
    ".guide": f"stroke:#{GUIDE[0]}", **{f".stroke-{n}": f"stroke:#{colour}" for n, (colour, _) in enumerate(STROKES)},
    **{f".shade-{n}": f"fill:#{colour}" for n, colour in enumerate(SHADES)},
    ".mark": f"stroke:#fff;fill:#{GUIDE[0]}",
    **{f".mark.stroke-{n}": f"stroke:#fff;fill:#{colour}" for n, (colour, _) in enumerate(STROKES)},
    ".mark.hollow": f"fill:#fff;stroke:#{GUIDE[0]};stroke-width:2.2",
    ".backed": "paint-order:stroke;stroke:#fff;stroke-width:3",
}  # fmt: skip
STYLE = "".join(f".roofproof {name}{{{rule}}}" for name, rule in _RULES.items())
"""The style sheet of a file. In a notebook, its rules do not affect other pictures."""


def svg_file(figure: Picture, width: Fraction | None = None, font: str | None = None) -> str:
    """Return a figure as an SVG file in which text stays text and letters keep their size from 10 centimetres on.

    >>> from roofproof import chip, op
    >>> from roofproof.export.plots import roofline
    >>> text = svg_file(roofline([op("matmul")], [chip("tpu-v5e")], at=[{"B": 64, "D": 4096, "F": 4096}]))
    >>> print(text.splitlines()[2])
    <title>Roofline: matmul (B = 64, D = F = 4096)</title>

    Raises RoofproofError if the labels do not fit.
    """
    shown = WIDTH if width is None else float(width)  # float: of a drawing
    page = layout(figure, width=max(shown, NARROWEST))
    head = Markup(
        '<?xml version="1.0" encoding="utf-8"?>\n'
        '<svg xmlns="http://www.w3.org/2000/svg" class="roofproof" role="img" viewBox="0 0 {0} {1}" '
        'width="{2:.3f}pt" height="{3:.3f}pt" font-family="{4}" font-size="{5:.1f}">\n'
        "<title>{6}</title>\n<desc>{7}</desc>\n<style>{8}</style>\n"
        '<rect width="100%" height="100%" fill="#fff"/>\n'
    )
    wide, high = _size(page)
    points = shown / CM_PER_POINT
    fonts = FONTS if font is None else f"'{font}', {FONTS}"
    said = "; ".join(dict.fromkeys(filter(None, map(plain, figure.texts()))))
    begin = head.format(
        wide, high, points, points * high / wide, fonts, FONT_SIZE * POINT, plain(figure.title), said, Markup(STYLE)
    )
    title = Markup("").join(_texts(page, page.title, "title", page.up + page.top - 0.42, 0.47))
    return begin + title + _inside(page) + Markup("</svg>\n")


def svg(figure: Picture) -> Markup:
    """Return a figure as SVG with its title below, for a page that loads `site.css`.

    >>> from roofproof import chip, op
    >>> from roofproof.export.plots import roofline
    >>> text = svg(roofline([op("matmul")], [chip("tpu-v5e")], at=[{"B": 64, "D": 4096, "F": 4096}]))
    >>> "<figcaption>Roofline: matmul (<i>B</i> = 64, <i>D</i> = <i>F</i> = 4096)</figcaption>" in text
    True

    Raises RoofproofError if the labels do not fit.
    """
    page = layout(figure, title=False)
    caption = Markup("").join(_html(piece) for piece in figure.title)
    return Markup(
        '<figure class="plot" tabindex="0"><svg viewBox="0 0 {} {}" role="img" aria-label="{}" font-size="{:.1f}">\n'
        "{}</svg><figcaption>{}</figcaption></figure>"
    ).format(*_size(page), plain(figure.title), FONT_SIZE * POINT, _inside(page), caption)


def _size(page: Page) -> tuple[int, int]:
    return round(page.width * UNIT), round((page.top + page.up + BOTTOM) * UNIT)


def _place(page: Page, at: Point) -> Point:
    return round((LEFT + at[0]) * UNIT, 1), round((page.top + page.up - at[1]) * UNIT, 1)


def _inside(page: Page) -> Markup:
    return Markup("\n").join([*_drawn(page), *_scales(page), *_labels(page), ""])


def _drawn(page: Page) -> Iterator[Markup]:
    """Yield areas, curves and marks, with guides below the other curves."""
    figure = page.figure
    for area in figure.areas:
        yield Markup('<polygon class="shade-{}" points="{}"/>').format(area.shade, _points(page, area.points))
    for curve in sorted(figure.curves, key=lambda curve: curve.stroke is not None):
        yield _polyline(page, [page.point(at) for at in curve.points], curve.stroke)
    for label in page.labels:
        if label.leader:
            yield _polyline(page, label.leader, label.stroke, thin=True)
    for mark in figure.marks:
        x, y = _place(page, page.point(mark.at))
        name = f"{_name(mark.stroke)}{' hollow' if mark.hollow else ''}"
        yield Markup('<circle class="mark {}" cx="{}" cy="{}" r="4.6"/>').format(name, x, y)


def _scales(page: Page) -> Iterator[Markup]:
    (left, bottom), (right, top) = _place(page, (0.0, 0.0)), _place(page, (page.across, page.up))
    yield Markup('<path class="axis" d="M{} {}V{}H{}"/>').format(left, top, bottom, right)
    text = Markup('<path class="axis" d="M{} {}{}"/><text class="tick" x="{}" y="{}" text-anchor="{}">{}</text>')
    across, up = page.ticks()
    figure = page.figure
    for value, label in across:
        x = _place(page, (figure.x.share(value) * page.across, 0.0))[0]
        yield text.format(x, bottom, "v5", x, bottom + 20, "middle", _spans(label))
    for value, label in up:
        y = _place(page, (0.0, figure.y.share(value) * page.up))[1]
        yield text.format(left, y, "h-5", left - 8, y + 4, "end", _spans(label))
    yield from _texts(page, page.above, "", page.up + 0.28 + LINE * (len(page.above) - 1), LINE)
    middle = Markup('<text x="{}" y="{}" text-anchor="middle">{}</text>')
    yield middle.format((left + right) / 2, bottom + 40, _spans(figure.x.title))


def _texts(page: Page, lines: Sequence[Text], name: str, up: float, step: float) -> Iterator[Markup]:
    """Yield lines of text at the left edge of the page, the first at height `up`."""
    for n, line in enumerate(lines):
        y = _place(page, (0.0, up - n * step))[1]
        yield Markup('<text class="{}" x="4" y="{}">{}</text>\n').format(name, y, _spans(line))


def _labels(page: Page) -> Iterator[Markup]:
    for label in page.labels:
        anchor = {"left": "start", "right": "end", "center": "middle"}[label.align]
        for n, line in enumerate(label.lines):
            x, y = _place(page, (label.at[0], _baseline(label, n)))
            backed = Markup(' class="backed"') if label.backed else ""
            yield Markup('<text x="{}" y="{}" text-anchor="{}"{}>{}</text>').format(x, y, anchor, backed, _spans(line))


def _baseline(label: Placed, line: int) -> float:
    return label.at[1] + LINE * (len(label.lines) / 2 - line - 0.76)


def _points(page: Page, points: Sequence[Point]) -> str:
    return " ".join(f"{x},{y}" for x, y in (_place(page, page.point(at)) for at in points))


def _polyline(page: Page, points: Sequence[Point], stroke: int | None, thin: bool = False) -> Markup:
    _, width, dashes = stroked(stroke, thin)
    where = " ".join(f"{x},{y}" for x, y in (_place(page, at) for at in points))
    pattern = " ".join(f"{length * POINT:.1f}" for length in dashes) or "none"
    line = Markup('<polyline class="{}" stroke-width="{}" stroke-dasharray="{}" points="{}"/>')
    return line.format(_name(stroke), round(width * POINT, 2), pattern, where)


def _name(stroke: int | None) -> str:
    return "guide" if stroke is None else f"stroke-{stroke % len(STROKES)}"


def _parts(piece: str) -> tuple[str, str, str]:
    """Return the base of a piece of mathematics, its sign (`^` or `_`), and the exponent or index."""
    found = re.fullmatch(r"([^_^]*)([_^]?)(.*)", piece, re.S)
    assert found is not None
    return found[1], found[2], found[3]


def _spans(text: Text) -> Markup:
    """Return a text with its mathematics in italics, powers raised and indices lowered."""
    return Markup("").join(_span(piece) for piece in text)


def _span(piece: str) -> Markup:
    if not isinstance(piece, Math):
        return escape(piece)
    base, sign, small = _parts(piece)
    shown = escape(base) if base.isdigit() else Markup('<tspan class="slanted">{}</tspan>').format(base)
    if not sign:
        return shown
    shift = -5 if sign == "^" else 3
    back = Markup('<tspan dy="{}">&#8203;</tspan>').format(-shift)  # returns to the baseline
    return shown + Markup('<tspan class="small" dy="{}">{}</tspan>').format(shift, small) + back


def _html(piece: str) -> Markup:
    if not isinstance(piece, Math):
        return escape(plain((piece,)))
    base, sign, small = _parts(piece)
    shown = escape(base) if base.isdigit() else Markup("<i>{}</i>").format(base)
    return shown + (Markup("<{0}>{1}</{0}>").format(Markup("sup" if sign == "^" else "sub"), small) if sign else "")
