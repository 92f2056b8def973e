"""Time against one size: the time of each resource, and the bounds with full overlap and with no overlap."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import ceil, floor, inf, log10

import sympy

from roofproof.derive.inequalities.cases import bounds
from roofproof.derive.roofline.engines import merge_shared_formats
from roofproof.derive.roofline.memory_fit import compared
from roofproof.derive.roofline.times import lower, time, upper
from roofproof.derive.solve import solve
from roofproof.errors import RoofproofError, Undecided
from roofproof.export.plots.captions import in_brackets, named
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
from roofproof.export.plots.intervals import Stretch, allowed_cases, ends, stretches, within
from roofproof.export.plots.model import Area, Axis, Curve, Label, Mark, Math, Point, Text, around, guides
from roofproof.export.plots.numeric import value, values
from roofproof.hardware import Chip
from roofproof.ops import Operation
from roofproof.proofs import Known, certify
from roofproof.proofs.known import PROVED
from roofproof.say import Words
from roofproof.sentences import Resource

_POINTS = 64


def times(op: Operation, chip: Chip, unknown: str, at: Sizes | None = None, lang: str = "en") -> Figure:
    """Return a plot of the time of each resource, and of the lower and the upper bound, against one size.

    >>> from roofproof import chip, op
    >>> figure = times(op("matmul"), chip("tpu-v5e"), "B", at={"D": 4096, "F": 4096})
    >>> [round(mark.at[0], 2) for mark in figure.marks]            # both take equally long there
    [272.55]

    Both axes are logarithmic. `at` holds the other sizes, each a number or the name of an equal dimension. Raises
    RoofproofError for a dimension without a size, and for a spec that the chip lacks.
    """
    words = Words(lang)
    at = resolved(at)
    sized, _ = merge_shared_formats(resized(op, at, free=[unknown], on=[chip]), chip)
    x = dimension_of(sized, unknown)
    each = time(sized, chip)
    if not each:
        raise RoofproofError("<op> uses no resource; it takes no time to draw", op=op.name)
    there = stretches(allowed_cases(sized, [chip], x).at({}), x, 1.0)
    found, complete = _kinks(list(each.values()), x)
    longest = {k: known for k, known in found.items() if within(k, there)}
    kinks = [*longest]
    below, above = (0 if 0 < end < inf else 5 for end in (there[0][0], there[-1][1]))
    along = around(tied_title(unknown, at, compared(sized, [chip])), [*kinks, *ends(there)], below, above)
    kinks = [k for k in kinks if along.low < k < along.high]
    parts = [_points(along, part, kinks) for part in there if part[0] < along.high and part[1] > along.low]
    points = [at for part in parts for at in part]
    up = _up([lower(sized, chip), upper(sized, chip)], x, points, (words["time (s)"],))
    least, most = ([_line(e, x, part) for part in parts] for e in (lower(sized, chip), upper(sized, chip)))
    shown = {name: words.translate(Resource(name)) for name in each}
    subject = words.say("Time: <subject>", subject=f"{named(op.name)}, {chip_name(chip)}")
    title = (subject, *in_brackets(at))
    if len(each) == 1:
        name = Label(((*shown.values(),),), (least[-1][-1],), 0, beside=True)
        return Figure(title, along, up, curves=tuple(Curve(tuple(c), 0) for c in least), labels=(name,))
    lines = {name: [_within(_line(e, x, part), up) for part in parts] for name, e in each.items()}
    curves = guides(guide for drawn in lines.values() for guide in drawn)
    curves += [Curve(tuple(curve), n) for n, drawn in enumerate((least, most)) for curve in drawn]
    marks = tuple(Mark((k, float(values(lower(sized, chip), x, [k])[0]))) for k in kinks)
    labels = [Label(((Math(x.name), f" = {mark.at[0]:.4g}"),), (mark.at,)) for mark in marks]
    for n, (form, drawn) in enumerate((("max: everything overlaps", least), ("sum: nothing overlaps", most))):
        labels.append(Label(((words[form],),), (drawn[-1][-1],), n, beside=True))
    lower_bound = {at: spent for part in least for at, spent in part}
    for resource, shorter in lines.items():
        under = [at for part in shorter for at in part if at[1] < 0.7 * lower_bound[at[0]]]
        if under and under[-1][0] == points[-1]:
            labels.append(Label(((shown[resource],),), (under[-1],), beside=True))
        elif under:
            labels.append(Label(((shown[resource],),), tuple(under), below=True, spare=True))
    areas = _longest(parts, each, x, kinks, up, sized, words) if complete else []
    known = tuple(known for k in kinks for known in longest[k])
    return Figure(title, along, up, tuple(areas), tuple(curves), marks, tuple(labels), known)


def _longest(
    parts: Sequence[Sequence[float]], each: Mapping[str, sympy.Expr], x: sympy.Symbol, kinks: Sequence[float],
    up: Axis, op: Operation, words: Words,
) -> list[Area]:  # fmt: skip
    """Return the intervals of the size as areas, each named after the resource that takes longest."""
    out = []
    for part in parts:
        for begin, end in pairwise((part[0], *(k for k in kinks if part[0] < k < part[-1]), part[-1])):
            name = max(each, key=lambda name: float(values(each[name], x, [(begin * end) ** 0.5])[0]))
            corners = ((begin, up.low), (end, up.low), (end, up.high), (begin, up.high))
            out.append(Area(corners, shade_by(name, op.compute), (bound_by(name, op.compute, words),)))
    return out


def _points(along: Axis, part: Stretch, kinks: list[float]) -> list[float]:
    first, last = max(part[0], along.low), min(part[1], along.high)
    inner = {at for i in range(_POINTS + 1) if first < (at := along.at(i / _POINTS)) < last}
    return sorted({first, last} | inner | {k for k in kinks if first < k < last})


def _kinks(each: list[sympy.Expr], x: sympy.Symbol) -> tuple[dict[float, tuple[Known, ...]], bool]:
    """Return the sizes at which the longest resource changes, with proofs, and whether the list is complete."""
    found: dict[float, tuple[Known, ...]] = {}
    complete = True
    for i, a in enumerate(each):
        for b in each[:i]:
            try:
                cases = solve(longer := sympy.Gt(a, b), x)
            except Undecided:  # no closed form, but the curves are drawn anyway
                complete = False
                continue
            proved = certify(longer, cases)
            if proved.trust not in PROVED:
                complete = False
                continue
            for k in (value(bound) for case in cases for bound in bounds(case.threshold)):
                there = [float(values(e, x, [k])[0]) for e in (a, *each)]
                if k > 0 and max(there) <= there[0] * (1 + 1e-9):
                    found[k] = proved.known
    return dict(sorted(found.items())), complete


def _up(shown: list[sympy.Expr], x: sympy.Symbol, points: list[float], title: Text) -> Axis:
    some = [float(v) for e in shown for v in values(e, x, points) if v > 0]
    low, high = min(some), max(some)
    return Axis(title, 10.0 ** floor(log10(low)), 10.0 ** ceil(log10(high) + 0.05))


def _line(expr: sympy.Expr, x: sympy.Symbol, points: list[float]) -> list[Point]:
    return [(at, t) for at, t in zip(points, values(expr, x, points).tolist(), strict=True) if t > 0]


def _within(line: list[Point], up: Axis) -> tuple[Point, ...]:
    return tuple(point for point in line if up.low <= point[1] <= up.high)
