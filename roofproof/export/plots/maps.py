"""Maps of two sizes: which resource takes longest where."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import log2
from typing import TYPE_CHECKING

import sympy

from roofproof.derive.partition import BoundRegion, bound_regions
from roofproof.export.plots.figure import HEIGHT, WIDTH, Axis, Curve, Figure, Label, Point, Region
from roofproof.export.plots.inputs import Sizes, chip_name, dimension_of, put, resolved, tied_title, wrapped
from roofproof.export.plots.intervals import holding
from roofproof.export.plots.placement import End, Page, beside
from roofproof.export.plots.scales import doublings
from roofproof.export.plots.texts import Text, box, in_brackets, named
from roofproof.export.plots.wording import Words

if TYPE_CHECKING:
    from roofproof.hardware import Chip
    from roofproof.ops import Operation

_LAST = 2.0**24  # sizes that are looked at
_COLUMNS = 96

Column = tuple[float, tuple[tuple[str, float, float], ...]]  # a size, and which resource is longest from where to where


def regions(op: Operation, chip: Chip, unknown: str, across: str, at: Sizes | None = None, lang: str = "en") -> Figure:
    """Return the plane of two sizes, cut into the regions in which one resource takes longer than every other.

    >>> from roofproof import chip, op
    >>> figure = regions(op("matmul"), chip("tpu-v5e"), "B", "D", at={"F": 4096})
    >>> [label.lines for label in figure.labels]
    [(('compute-bound',),), (('memory-bound',),)]

    `unknown` goes up, `across` to the right, both logarithmic; `at` holds the other sizes, a number each or the
    name of a dimension it is equal to. Raises RoofproofError for a dimension without a size, and for an
    operation that uses a single resource.
    """
    words = Words(lang)
    at = resolved(at)
    sized = put(op, at, free=[unknown, across])
    x = dimension_of(sized, across)
    found = bound_regions(sized, chip, unknown)
    along, up = _axes(found, x, tied_title(across, at), tied_title(unknown, at))
    runs = _runs(found, x, along, up)
    page = Page(along, up)
    names = [region.resource for region in found]
    shades = _shades(names, op)
    filled, lines = [], []
    for run in runs:
        for k, (resource, _, _) in enumerate(run[0][1]):
            below = [(at, column[k][1]) for at, column in run]
            above = [(at, column[k][2]) for at, column in reversed(run)]
            filled.append(Region((*below, *above), shades[resource]))
            if k:
                lines.append(Curve(tuple(below), 4))
    for line in lines:
        page.avoid(line.points)
    placed = [_label(name, runs, along, up, page, op, words) for name in names]
    labels = [label for label in placed if isinstance(label, Label)]
    labels += beside(along, up, [end for end in placed if isinstance(end, tuple)])
    subject = words.title("longest", f"{named(op.name)}, {chip_name(chip)}")
    title = (subject, *in_brackets(at))
    return Figure(title, along, up, tuple(filled), tuple(lines), (), tuple(labels))


def _shades(names: Sequence[str], op: Operation) -> dict[str, int]:
    """Compute is the lightest, memory the darkest, links lie between."""
    others = iter((1, 3, 4, 1, 3, 4))
    return {n: 2 if n in op.compute else 0 if n == "memory" else next(others, 1) for n in names}


def _column(found: Sequence[BoundRegion], x: sympy.Symbol, at: float, low: float, high: float) -> Column:
    parts = []
    for region in found:
        for begin, end in holding(region.cases, x, at):
            begin, end = max(begin, low), min(end, high)
            if end > begin * (1 + 1e-9):
                parts.append((region.resource, begin, end))
    return at, tuple(sorted(parts, key=lambda part: part[1]))


def _axes(found: Sequence[BoundRegion], x: sympy.Symbol, across: Text, upright: Text) -> tuple[Axis, Axis]:
    """Return axes around where the longest resource changes, three octaves wider than that."""
    columns = [_column(found, x, 2.0**i, 1.0, _LAST) for i in range(int(log2(_LAST)) + 1)]
    changes = [(a[0], b[0]) for a, b in pairwise(columns) if [p[0] for p in a[1]] != [p[0] for p in b[1]]]
    levels = [part[1] for _, parts in columns for part in parts[1:]]
    left, right = _around([at for pair in changes for at in pair])
    bottom, top = _around(levels)
    return doublings(across, left, right), doublings(upright, bottom, top, upright=True)


def _around(at: Sequence[float]) -> tuple[float, float]:
    if not at:
        return 1.0, 2.0**16
    low, high = max(0, round(log2(min(at))) - 3), min(24, round(log2(max(at))) + 3)
    high = min(high, low + 20)
    return 2.0**low, 2.0 ** max(high, low + 8)


def _runs(found: Sequence[BoundRegion], x: sympy.Symbol, along: Axis, up: Axis) -> list[list[Column]]:
    """Return neighbouring columns that show the same resources in the same order, up to where that changes."""

    def column(at: float) -> Column:
        return _column(found, x, at, up.low, up.high)

    runs = [[column(along.low)]]
    for i in range(1, _COLUMNS + 1):
        last, here = runs[-1][-1], column(along.at(i / _COLUMNS))
        while _order(last) != _order(here):
            left, right = last, here
            for _ in range(40):
                middle = column((left[0] * right[0]) ** 0.5)
                left, right = (middle, right) if _order(middle) == _order(last) else (left, middle)
            runs[-1].append(left)
            runs.append([right])
            last = right
        runs[-1].append(here)
    return [run for run in runs if len(run) > 1]


def _order(column: Column) -> tuple[str, ...]:
    return tuple(resource for resource, _, _ in column[1])


def _label(
    resource: str, runs: Sequence[Sequence[Column]], along: Axis, up: Axis, page: Page, op: Operation, words: Words
) -> Label | End | None:
    """Return the name of a region where it lies around the text, or what is to stand beside the axes."""
    if resource in op.compute:
        name = words["compute-bound"] + (f" ({resource})" if len(op.compute) > 1 else "")
    else:
        name = words["memory-bound"] if resource == "memory" else words.bound_by(resource)
    lines = wrapped((name,), 3.4)
    columns = [column for run in runs for column in run]
    for room in (1.9, 1.4, 1.0):  # first with much room around the text, then with less
        found = _widest(resource, columns, along, up, box(lines)[0] / WIDTH / 2 * room)
        if found is not None and found[0] > box(lines)[1]:
            return page.upon(found[1], lines)
    for part in columns[-1][1]:
        if part[0] == resource:  # no room within, but it reaches the right edge
            return up.at((up.share(part[1]) + up.share(part[2])) / 2), lines, None
    found = _widest(resource, columns, along, up, 0.0)
    return page.near([found[1]], lines, away=0.7) if found else None


def _widest(
    resource: str, columns: Sequence[Column], along: Axis, up: Axis, half: float
) -> tuple[float, Point] | None:
    """Return the height and the middle of the widest place for a text, `half` as wide, in a region."""
    best: tuple[float, float, Point] | None = None
    for at, parts in columns:
        for name, begin, end in parts:
            low, high = _clear(resource, (begin, end), along.share(at), half, columns, along)
            if name == resource and low < high:
                height = (up.share(high) - up.share(low)) * HEIGHT
                rank = min(height, 2.0) - abs(along.share(at) - 0.5)
                if best is None or rank > best[0]:
                    best = rank, height, (at, up.at((up.share(low) + up.share(high)) / 2))
    return best[1:] if best else None


def _clear(
    resource: str, part: tuple[float, float], at: float, half: float, columns: Sequence[Column], along: Axis
) -> tuple[float, float]:
    """Return from where to where a resource is the longest in every column that a text covers."""
    low, high = part
    if half and not half <= at <= 1 - half:
        return 1.0, 0.0
    for other, parts in columns:
        if abs(along.share(other) - at) <= half:
            inside = [(max(low, b), min(high, e)) for name, b, e in parts if name == resource and b < high and e > low]
            if not inside:
                return 1.0, 0.0
            low, high = inside[0]
    return low, high
