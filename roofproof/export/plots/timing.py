"""Time against one size: what each resource takes, and the bounds if all of it overlaps or none of it."""

from math import ceil, floor, inf, log10

import sympy

from roofproof.derive.inequalities.cases import bounds
from roofproof.derive.roofline.engines import on_one_engine
from roofproof.derive.roofline.memory_fit import compared
from roofproof.derive.roofline.times import lower, time, upper
from roofproof.derive.solve import solve
from roofproof.errors import RoofproofError, Undecided
from roofproof.export.plots.figure import Figure
from roofproof.export.plots.inputs import Sizes, chip_name, dimension_of, resized, resolved, tied_title, wrapped
from roofproof.export.plots.intervals import Stretch, ends, existing, stretches, within
from roofproof.export.plots.numeric import value, values
from roofproof.export.plots.placement import ROOM_BESIDE, Canvas
from roofproof.export.plots.scales import around, decades
from roofproof.export.plots.scene import Axis, Point, Polygon
from roofproof.export.plots.texts import Text, in_brackets, named, symbol
from roofproof.hardware import Chip
from roofproof.ops import Operation
from roofproof.proofs import Known, certify
from roofproof.proofs.known import PROVED
from roofproof.say import Words

_POINTS = 64


def times(op: Operation, chip: Chip, unknown: str, at: Sizes | None = None, lang: str = "en") -> Figure:
    """Return the time of an operation against one size, both logarithmic: each resource, lower and upper bound.

    >>> from roofproof import chip, op
    >>> figure = times(op("matmul"), chip("tpu-v5e"), "B", at={"D": 4096, "F": 4096})
    >>> [round(mark.at[0], 2) for mark in figure.marks]            # both take equally long there
    [272.55]

    `at` holds the other sizes, a number each or the name of a dimension it is equal to. Raises RoofproofError
    for a dimension without a size and for a figure that the chip lacks.
    """
    words = Words(lang)
    at = resolved(at)
    sized, _ = on_one_engine(resized(op, at, free=[unknown], on=[chip]), chip)
    x = dimension_of(sized, unknown)
    each = time(sized, chip)
    if not each:
        raise RoofproofError("<op> uses no resource; it takes no time to draw", op=op.name)
    there = stretches(existing(sized, [chip], x).at({}), x, 1.0)
    longest = {k: known for k, known in _kinks(list(each.values()), x).items() if within(k, there)}
    kinks = [*longest]
    below, above = (0 if 0 < end < inf else 5 for end in (there[0][0], there[-1][1]))
    along = around(tied_title(unknown, at, compared(sized, [chip])), [*kinks, *ends(there)], below, above)
    kinks = [k for k in kinks if along.low < k < along.high]
    parts = [_points(along, part, kinks) for part in there if part[0] < along.high and part[1] > along.low]
    points = [at for part in parts for at in part]
    up = _up([lower(sized, chip), upper(sized, chip)], x, points, (words["time (s)"],))
    page = Canvas(along, up)
    least, most = ([_line(e, x, part) for part in parts] for e in (lower(sized, chip), upper(sized, chip)))
    shown = {name: words["memory"] if name == "memory" else name for name in each}
    whole = (
        {words["max: everything overlaps"]: least, words["sum: nothing overlaps"]: most}
        if len(each) > 1
        else {shown[name]: least for name in each}
    )
    lines = {name: [_within(_line(e, x, part), up) for part in parts] for name, e in each.items() if len(each) > 1}
    for guide in (guide for found in lines.values() for guide in found):
        page.curve(guide)
    for n, (name, curves) in enumerate(whole.items()):
        for curve in curves:
            page.curve(curve, n)
        page.ends.append((curves[-1][-1][1], wrapped((name,), ROOM_BESIDE), n))
    for k in kinks:
        page.mark((k, float(values(lower(sized, chip), x, [k])[0])))
    for name, found in lines.items():
        if found[-1]:
            line = found[-1]
            targets = [line[int(share * (len(line) - 1))] for share in (0.06, 0.15, 0.3, 0.75, 0.9)]
            page.near(targets, ((shown[name],),), ("north west", "south east"))
    for mark in page.marks:
        page.near([mark.at], ((symbol(x), f" = {mark.at[0]:.4g}"),), ("north west", "south east"))
    if len(each) > 1:
        page.regions += [Polygon((*low, *reversed(high)), 3) for low, high in zip(least, most, strict=True)]
    subject = words.say("Time: <subject>", subject=f"{named(op.name)}, {chip_name(chip)}")
    return page.figure((subject, *in_brackets(at)), tuple(known for k in kinks for known in longest[k]))


def _points(along: Axis, part: Stretch, kinks: list[float]) -> list[float]:
    first, last = max(part[0], along.low), min(part[1], along.high)
    inner = {at for i in range(_POINTS + 1) if first < (at := along.at(i / _POINTS)) < last}
    return sorted({first, last} | inner | {k for k in kinks if first < k < last})


def _kinks(each: list[sympy.Expr], x: sympy.Symbol) -> dict[float, tuple[Known, ...]]:
    """Return the sizes at which another resource becomes the longest, each with what proves it."""
    found: dict[float, tuple[Known, ...]] = {}
    for i, a in enumerate(each):
        for b in each[:i]:
            try:
                cases = solve(longer := sympy.Gt(a, b), x)
            except Undecided:  # no closed form: the curves are drawn all the same
                continue
            proved = certify(longer, cases)
            if proved.trust not in PROVED:
                continue
            for k in (value(bound) for case in cases for bound in bounds(case.threshold)):
                there = [float(values(e, x, [k])[0]) for e in (a, *each)]
                if k > 0 and max(there) <= there[0] * (1 + 1e-9):
                    found[k] = proved.known
    return dict(sorted(found.items()))


def _up(shown: list[sympy.Expr], x: sympy.Symbol, points: list[float], title: Text) -> Axis:
    some = [float(v) for e in shown for v in values(e, x, points) if v > 0]
    low, high = min(some), max(some)
    return decades(title, 10.0 ** floor(log10(low)), 10.0 ** ceil(log10(high) + 0.05), upright=True)


def _line(expr: sympy.Expr, x: sympy.Symbol, points: list[float]) -> list[Point]:
    return [(at, t) for at, t in zip(points, values(expr, x, points).tolist(), strict=True) if t > 0]


def _within(line: list[Point], up: Axis) -> tuple[Point, ...]:
    return tuple(point for point in line if up.low <= point[1] <= up.high)
