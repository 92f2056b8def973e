"""Achieved FLOP/s against one size, for several settings of the others: what a roofline looks like from a batch."""

from collections.abc import Sequence

import sympy

from roofproof.derive.inequalities.cases import bounds
from roofproof.derive.roofline.compute_bound import ceilings
from roofproof.derive.roofline.engines import on_one_engine
from roofproof.derive.roofline.memory_fit import compared
from roofproof.derive.roofline.missing_rates import with_figures
from roofproof.derive.roofline.times import lower
from roofproof.errors import Undecided
from roofproof.export.plots.captions import amount, conditions_text, named, prefixed, sizes_text
from roofproof.export.plots.figure import Figure
from roofproof.export.plots.inputs import Sizes, chip_name, dimension_of, few, left_out, resized, resolved
from roofproof.export.plots.intervals import Stretch, ends, existing, stretches, within
from roofproof.export.plots.model import Axis, Curve, Label, Mark, Math, Point, Text
from roofproof.export.plots.numeric import value, values
from roofproof.hardware import Chip
from roofproof.ops import Operation
from roofproof.proofs import Known, threshold
from roofproof.proofs.known import PROVED
from roofproof.proofs.provers.thresholds import cases_of
from roofproof.say import Words

_POINTS = 80


def achieved(op: Operation, chip: Chip, unknown: str, at: Sequence[Sizes] = (), lang: str = "en") -> Figure:
    """Return the FLOP/s that an operation can reach, FLOPs over the longest of its times, against one size.

    >>> from roofproof import chip, op
    >>> figure = achieved(op("matmul"), chip("tpu-v5e"), "B", at=[{"D": 4096, "F": 4096}, {"D": 1024, "F": 1024}])
    >>> [round(mark.at[0], 2) for mark in figure.marks]            # R / (1 - R (1/D + 1/F)), R = 240.54
    [272.55, 453.67]

    `at` holds the other sizes, a set for each curve; a curve reaches the peak at its critical size. Raises
    RoofproofError for a dimension without a size, and for an operation without a threshold.
    """
    words = Words(lang)
    settings = [resolved(sizes) for sizes in at or ({},)]
    few(len(settings), "set of sizes")
    x = dimension_of(op, unknown)
    known = with_figures(op, chip)[0]
    sized = [on_one_engine(resized(known, sizes, free=[unknown], on=[chip]), chip)[0] for sizes in settings]
    fastest = max((c for each in sized for c in ceilings(each, chip)), key=lambda c: c.rests_on[0].value)
    peak, unit_of_peak = float(fastest.rests_on[0].value), fastest.compute  # of several units the fastest is shown
    known_cases = [_known_cases(each, chip, unknown) for each in sized]
    solved = [cases_of(each) if each else () for each in known_cases]
    there = [stretches(existing(each, [chip], x).at({}), x, 1.0) for each in sized]
    critical = [
        [k for case in cases for b in bounds(case.threshold) if within(k := value(b), parts)]
        for cases, parts in zip(solved, there, strict=True)
    ]
    rates = [each.compute[unit_of_peak] / lower(each, chip) for each in sized]
    high = _end([*(c for each in critical for c in each), *(end for parts in there for end in ends(parts))], rates, x)
    unit, prefix = prefixed(peak)
    above = (f"{words['achieved']} ({prefix}FLOP/s)", *left_out([op], [chip], words))
    up = Axis(above, 0.0, peak * 1.45, 0, unit)
    assumed = compared(sized[0] if len(sized) == 1 else op, [chip])
    along = Axis((Math(x.name), *conditions_text(assumed)), 0.0, high, 0)
    curves = [Curve(((0.0, peak), (high, peak)))]
    labels = [Label(((chip_name(chip),), (f"{words['peak']} {amount(peak, 'FLOP/s')}",)), ((high, peak),), beside=True)]
    marks = []
    for n, (sizes, kinks, rate) in enumerate(zip(settings, critical, rates, strict=True)):
        curves += [Curve(_points(rate, x, part, high, kinks), n) for part in there[n]]
        marks += [Mark((k, float(values(rate, x, [k])[0])), n) for k in kinks]
        text: list[Text] = [sizes_text(sizes)] if sizes else []
        if kinks:
            text += [(Math(x.name), f" = {k:.5g}") for k in kinks]
            labels.append(Label(tuple(text), (marks[-1].at,), n))
        else:
            never = {case.threshold.kind for case in solved[n]} == {"never"}
            text = [*text, (words["never||never"],)] if never else text or [(named(op.name),)]
            labels.append(Label(tuple(text), (curves[-1].points[-1],), n, beside=True))
    title = words.say("Achieved FLOP/s: <subject>", subject=f"{named(op.name)}, {chip_name(chip)}")
    proofs = tuple(k for each in known_cases for k in each)
    return Figure((title,), along, up, (), tuple(curves), tuple(marks), tuple(labels), proofs)


def _known_cases(op: Operation, chip: Chip, unknown: str) -> tuple[Known, ...]:
    """Return where the operation is compute-bound; nothing where that has no closed form or is not proved."""
    try:
        solved = threshold(op, chip, unknown).solved
    except Undecided:
        return ()
    return solved.known if solved.trust in PROVED else ()


def _end(critical: Sequence[float], rates: Sequence[sympy.Expr], x: sympy.Symbol) -> float:
    """Return the end of the axis: well beyond the last critical size, or where nothing rises any more."""
    if critical:
        return max(max(critical) * 1.5, 2.0)
    end = 8.0
    while end < 2**40 and any(float(b) > 1.05 * float(a) for a, b in (values(r, x, [end, 2 * end]) for r in rates)):
        end *= 2
    return end


def _points(rate: sympy.Expr, x: sympy.Symbol, part: Stretch, high: float, kinks: Sequence[float]) -> tuple[Point, ...]:
    first, last = max(part[0], min(1.0, high / 100)), min(part[1], high)
    even = {first + (last - first) * i / _POINTS for i in range(_POINTS + 1)}
    at = sorted(even | {k for k in kinks if first < k < last})
    return tuple(zip(at, values(rate, x, at).tolist(), strict=True))
