"""Maps of two sizes that show which resource takes longest."""

from collections.abc import Sequence
from itertools import pairwise
from math import log2

import sympy

from roofproof.derive.inequalities.cases import Cases
from roofproof.derive.roofline.memory_fit import compared
from roofproof.derive.roofline.partition import BoundRegion
from roofproof.export.plots.captions import in_brackets, named
from roofproof.export.plots.columns import Parts, edges_of, labelled_areas, names, runs
from roofproof.export.plots.figure import Figure
from roofproof.export.plots.inputs import (
    Sizes,
    bound_by,
    chip_name,
    dimension_of,
    resized,
    resolved,
    shade_by,
    tied_title,
)
from roofproof.export.plots.intervals import allowed_cases, intervals_at
from roofproof.export.plots.model import Axis, Text, around
from roofproof.hardware import Chip
from roofproof.ops import Operation
from roofproof.proofs.provers.times import partition
from roofproof.say import Words

_LAST = 2.0**24  # the largest size tried
_COLUMNS = 96


def regions(op: Operation, chip: Chip, unknown: str, across: str, at: Sizes | None = None, lang: str = "en") -> Figure:
    """Return the plane of two sizes, divided into regions in which one resource takes longer than every other.

    >>> from roofproof import chip, op
    >>> figure = regions(op("matmul"), chip("tpu-v5e"), "B", "D", at={"F": 4096})
    >>> sorted(figure.names)
    [('compute-bound',), ('memory-bound',)]

    `unknown` is on the vertical axis and `across` on the horizontal one, both logarithmic. `at` holds the other sizes,
    each a number or the name of an equal dimension. Raises RoofproofError for a dimension without a size, and for an
    operation that uses a single resource.
    """
    words = Words(lang)
    at = resolved(at)
    sized = resized(op, at, free=[unknown, across], on=[chip])
    x = dimension_of(sized, across)
    proved = partition(sized, chip, unknown)
    found, there = proved.regions, allowed_cases(sized, [chip], dimension_of(sized, unknown))
    along, up = _axes(found, there, x, tied_title(across, at, compared(sized, [chip])), tied_title(unknown, at))

    def parts(at: float) -> Parts:
        return _parts(found, there, x, at, up.low, up.high)

    plane = runs(parts, along, _COLUMNS)
    resources = [region.resource for region in found]
    shades = {name: shade_by(name, op.compute) for name in resources}
    areas = labelled_areas(plane, shades, {name: bound_by(name, op.compute, words) for name in resources})
    subject = words.say("What takes longest: <subject>", subject=f"{named(op.name)}, {chip_name(chip)}")
    curves = edges_of(plane, up)
    title = (subject, *in_brackets(at))
    return Figure(title, along, up, tuple(areas), tuple(curves), known=proved.derivation.known)


def _parts(found: Sequence[BoundRegion], there: Cases, x: sympy.Symbol, at: float, low: float, high: float) -> Parts:
    """Return the intervals in which each resource takes longest, at one size across and within the allowed sizes."""
    parts = []
    for first, last in intervals_at(there, x, at):
        for region in found:
            for begin, end in intervals_at(region.cases, x, at):
                begin, end = max(begin, first, low), min(end, last, high)
                if end > begin * (1 + 1e-9):
                    parts.append((region.resource, begin, end))
    return tuple(sorted(parts, key=lambda part: part[1]))


def _axes(
    found: Sequence[BoundRegion], there: Cases, x: sympy.Symbol, across: Text, upright: Text
) -> tuple[Axis, Axis]:
    """Return axes around the sizes at which the longest resource changes, some doublings wider."""
    columns = [(at := 2.0**i, _parts(found, there, x, at, 1.0, _LAST)) for i in range(int(log2(_LAST)) + 1)]
    changes = [(a[0], b[0]) for a, b in pairwise(columns) if names(a) and names(b) and names(a) != names(b)]
    sizes = [at for pair in changes for at in pair]
    along = around(across, sizes, 3, 3)
    levels = [part[1] for at, parts in columns if along.low <= at <= along.high for part in parts[1:]]
    return along, around(upright, levels, 2, 2)
