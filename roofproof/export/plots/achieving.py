"""Achieved FLOP/s against one size, for several settings of the others: the roofline as a function of the batch."""

from collections.abc import Sequence

import sympy

from roofproof.derive.inequalities.cases import bounds
from roofproof.derive.roofline.compute_bound import ceilings
from roofproof.derive.roofline.engines import merge_shared_formats
from roofproof.derive.roofline.memory_fit import compared
from roofproof.derive.roofline.missing_rates import without_missing_rates
from roofproof.derive.roofline.times import lower
from roofproof.errors import Undecided
from roofproof.export.plots.captions import amount, conditions_text, in_brackets, named, prefixed, sizes_text
from roofproof.export.plots.figure import Figure
from roofproof.export.plots.inputs import (
    Sizes,
    check_curve_count,
    chip_name,
    dimension_of,
    left_out_units,
    resized,
    resolved,
)
from roofproof.export.plots.intervals import Stretch, allowed_cases, ends, stretches, within
from roofproof.export.plots.model import Axis, Curve, Label, Mark, Math, Point, Text
from roofproof.export.plots.numeric import value, values
from roofproof.hardware import Chip
from roofproof.ops import Operation
from roofproof.proofs import Known, threshold
from roofproof.proofs.known import PROVED
from roofproof.proofs.provers.thresholds import cases_of
from roofproof.say import Words

_POINTS = 80


def achieved(
    op: Operation, chips: Chip | Sequence[Chip], unknown: str, at: Sequence[Sizes] = (), lang: str = "en"
) -> Figure:
    """Return a plot of the FLOP/s that an operation can reach (FLOPs over its longest time) against one size.

    >>> from roofproof import chip, op
    >>> figure = achieved(op("matmul"), chip("tpu-v5e"), "B", at=[{"D": 4096, "F": 4096}, {"D": 1024, "F": 1024}])
    >>> [round(mark.at[0], 2) for mark in figure.marks]            # R / (1 - R (1/D + 1/F)), R = 240.54
    [272.55, 453.67]

    `at` holds the other sizes, one set for each curve of a chip. A curve reaches the peak at its threshold. Raises
    RoofproofError for a dimension without a size, and for an operation without a threshold.
    """
    words = Words(lang)
    chips = [chips] if isinstance(chips, Chip) else chips
    settings = [resolved(sizes) for sizes in at or ({},)]
    drawn = [_Drawn(op, chip, unknown, sizes) for chip in chips for sizes in settings]
    check_curve_count(len(drawn), "set of sizes" if len(chips) == 1 else "chip")
    x = dimension_of(op, unknown)
    reached = [*(c for each in drawn for c in each.critical), *(e for each in drawn for e in ends(each.there))]
    high = _end(reached, [each.rate for each in drawn], x)
    peaks = {chip.name: max(each.peak for each in drawn if each.chip is chip) for chip in chips}
    most = max(peaks.values())
    unit, prefix = prefixed(most)
    above = (f"{words['achieved']} ({prefix}FLOP/s)", *left_out_units([op], chips, words))
    up = Axis(above, 0.0, most * 1.45, 0, unit)
    assumed = compared(drawn[0].op if len(settings) == 1 else op, chips)
    along = Axis((Math(x.name), *conditions_text(assumed)), 0.0, high, 0)
    curves = [Curve(((0.0, peak), (high, peak))) for peak in peaks.values()]
    labels, marks = [], []
    for n, chip in enumerate(chips):
        told: tuple[Text, ...] = ((chip_name(chip),), (f"{words['peak']} {amount(peaks[chip.name], 'FLOP/s')}",))
        labels.append(Label(told, ((high, peaks[chip.name]),), None if len(chips) == 1 else n, beside=True))
    for n, each in enumerate(drawn):
        stroke = n if len(chips) == 1 else n // len(settings)
        curves += [Curve(_points(each.rate, x, part, high, each.critical), stroke) for part in each.there]
        marks += [Mark((k, float(values(each.rate, x, [k])[0])), stroke) for k in each.critical]
        text: list[Text] = [sizes_text(each.sizes)] if each.sizes and (len(chips) == 1 or len(settings) > 1) else []
        if each.critical:
            text += [(Math(x.name), f" = {k:.5g}") for k in each.critical]
            labels.append(Label(tuple(text), (marks[-1].at,), stroke))
        else:
            never = {case.threshold.kind for case in each.solved} == {"never"}
            text = [*text, (words["never||never"],)] if never else text or [(named(op.name),)]
            labels.append(Label(tuple(text), (curves[-1].points[-1],), stroke, beside=True))
    subject = named(op.name) if len(chips) > 1 else f"{named(op.name)}, {chip_name(chips[0])}"
    title: Text = (words.say("Achieved FLOP/s: <subject>", subject=subject),)
    if len(chips) > 1 and len(settings) == 1:
        title = (*title, *in_brackets(settings[0]))
    proofs = tuple(k for each in drawn for k in each.known)
    return Figure(title, along, up, (), tuple(curves), tuple(marks), tuple(labels), proofs)


class _Drawn:
    """An operation at sizes on a chip: its rate, the sizes at which it reaches the peak, and the sizes it allows."""

    def __init__(self, op: Operation, chip: Chip, unknown: str, sizes: Sizes) -> None:
        self.chip, self.sizes, x = chip, sizes, dimension_of(op, unknown)
        known = without_missing_rates(op, chip)[0]
        self.op = merge_shared_formats(resized(known, sizes, free=[unknown], on=[chip]), chip)[0]
        fastest = max(ceilings(self.op, chip), key=lambda c: c.rests_on[0].value)
        self.peak = float(fastest.rests_on[0].value)  # the fastest compute unit is shown
        self.known = _known_cases(self.op, chip, unknown)
        self.solved = cases_of(self.known) if self.known else ()
        self.there = stretches(allowed_cases(self.op, [chip], x).at({}), x, 1.0)
        every = (value(b) for case in self.solved for b in bounds(case.threshold))
        self.critical = [k for k in every if within(k, self.there)]
        self.rate = self.op.compute[fastest.compute] / lower(self.op, chip)


def _known_cases(op: Operation, chip: Chip, unknown: str) -> tuple[Known, ...]:
    """Return the proved threshold of the operation, or nothing if it has no closed form or is not proved."""
    try:
        solved = threshold(op, chip, unknown).solved
    except Undecided:
        return ()
    return solved.known if solved.trust in PROVED else ()


def _end(critical: Sequence[float], rates: Sequence[sympy.Expr], x: sympy.Symbol) -> float:
    """Return the end of the axis: well beyond the last threshold or, without one, where the rates stop rising."""
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
