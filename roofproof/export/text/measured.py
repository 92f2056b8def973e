"""Measured times beside floor and estimate, as text."""

from __future__ import annotations

from fractions import Fraction

from roofproof.derive.roofline.floors import ONE_ALGORITHM
from roofproof.formula.magnitudes import prefixed
from roofproof.hardware.calibration import CORNERS, Calibration, Moving
from roofproof.hardware.chips import Chip
from roofproof.hardware.table import rounded, seconds
from roofproof.measured.amounts import Demands
from roofproof.measured.validation import WORST, Knees, ValidatedTime, Validation
from roofproof.ops.resources import MEMORY


def calibration_text(chip: Chip, found: Demands, made: Calibration | Moving, out: str | None) -> str:
    """Return calibrated ceilings, each with its interval, and what an estimate comes to."""
    start = " to ".join(prefixed(v, "s") for v in (made.start.low, made.start.high))
    lines = [f"{made.points} times on {chip.name}: {found.said}"]
    if isinstance(made, Moving):
        step = " + step * (n - 1)" * (made.step is not None)
        lines += [
            f"estimate of {made.kind} = start{step} + bytes / (share * rate of {made.channel})",
            f"  share, of {made.channel}  {made.share}",
        ]
    else:
        lines += [
            f"estimate = start + {made.corner}(FLOPs / (e * peak), bytes / (d * bandwidth)), {CORNERS[made.corner]}",
            f"  e, of {made.engine}  {made.compute}",
            f"  d, of {made.level}   {made.memory}",
        ]
    lines.append(f"  start       {prefixed(made.start.value, 's')} ({start})")
    if isinstance(made, Moving) and made.step is not None:
        steps = " to ".join(prefixed(v, "s") for v in (made.step.low, made.step.high))
        lines.append(f"  step        {prefixed(made.step.value, 's')} ({steps})")
    lines += [
        f"median error on the fifth left out: {rounded(100 * made.error)} %",
        *_at_the_whole(made),
        f"fit: {made.fit}; in brackets where a value lies when a fifth of the shapes is left out",
    ]
    return "\n".join([*lines, *([] if out is None else [f"written to {out}: --chip {out} estimates by them"])])


def _at_the_whole(made: Calibration | Moving) -> list[str]:
    """Return the warning for a fit that takes a rate as reached in full, as times from a cache make it."""
    shares = {made.channel: made.share} if isinstance(made, Moving) else {made.level: made.memory}
    return [
        f"note: all of {name} or more: a cache gave bytes; flush it before each run, or leave out what it holds"
        for name, share in shares.items()
        if share.value == 1
    ]


def validation_text(held: Validation) -> str:
    """Report a table of times against the floor and the estimate."""
    found, chip = held.found, held.found.chip
    if MEMORY not in found.formulas:
        warm = "at the datasheet's rates"
    elif found.cached is None:
        warm = "all bytes cross the main memory (cold caches)"
    else:
        warm = f"warm caches: {prefixed(found.cached, 'B')} of the bytes may lie in the last of them"
    own = found.by_measurement
    lines = [f"{held.points} times on {chip.name}: {found.said}", f"{'roof as measured' if own else 'floor'}: {warm}"]
    if not found.bounding and MEMORY not in found.formulas:
        lines[1:] = [f"beyond the model: {ONE_ALGORITHM}"]
    elif held.below:
        why = "of which none is a floor: they beat the measured figures" if own else "which no run can"
        lines.append(f"  {len(held.below)} of {held.points} times lie below it, {why}:")
        lines += [
            f"    line {r.line}: {_at(r)}: {seconds(r.seconds)}, floor {seconds(r.floor)}" for r in held.below[:WORST]
        ]
        lines += [f"    and {len(held.below) - WORST} more"] if len(held.below) > WORST else []
    else:
        lines.append(f"  no time lies below it; the median is {held.tight:.3g} times {'it' if own else 'the floor'}")
    lines += _estimates(held)
    if held.pairs:
        falling = f"in {len(held.falling)} of {held.pairs} pairs of neighbours along a size"
        lines.append(f"not monotone: {falling} the larger takes less time")
        if held.falling:
            a, b = held.falling[0]
            factor = float(a.seconds / b.seconds)  # float: for the eye
            lines.append(
                f"  most: {_at(a)}: {seconds(a.seconds)}, {_at(b)}: {seconds(b.seconds)}, {factor:.3g} times as long"
            )
    return "\n".join(lines)


def _estimates(held: Validation) -> list[str]:
    if held.ceilings is None or held.median is None or held.p90 is None or held.within is None or held.ratio is None:
        chip = held.found.chip.name
        return [f"estimate: none; {chip} has no calibrated ceilings for this; `roofproof fit` finds them from a table"]
    made = held.ceilings
    if isinstance(made, str):
        said = f"(figures as reached in full, not proved): corner {made}, {CORNERS[made]}"
    elif isinstance(made, Moving):
        step = f", step {prefixed(made.step.value, 's')}" if made.step else ""
        said = f"(calibrated ceilings, not proved): of {made.kind}, {made.share} of {made.channel}, start "
        said += f"{prefixed(made.start.value, 's')}{step}"
    else:
        said = f"(calibrated ceilings, not proved): e = {made.compute} of {made.engine}, d = {made.memory} of "
        said += f"{made.level}, start {prefixed(made.start.value, 's')}, corner {made.corner}"
    lines = [
        f"estimate {said}" + f"; borrowed from {held.lender}" * bool(held.lender),
        f"  median error {100 * held.median:.1f} %, 90 % within {100 * held.p90:.1f} %, "
        f"{100 * held.within:.1f} % of the points within 20 %; time over estimate {held.ratio:.3g} in the median",
    ]
    if held.knees is not None:
        lines += _knees_text(held.knees)
    worst = held.worst[0]
    if worst.estimate is not None:
        lines.append(f"  worst: {_at(worst)}: {seconds(worst.seconds)}, estimate {seconds(Fraction(worst.estimate))}")
    return lines


def _knees_text(knees: Knees) -> list[str]:
    steps = [f"{ratio:.3g} of the size {said}" for ratio, said in (
        (knees.first, "that first reaches it"), (knees.kept, "from which no time loses it again"),
    ) if ratio is not None]  # fmt: skip
    return [
        f"  80 % of the calibrated peak: estimated at {knees.fitted:.3g} of the measured size in the median of "
        f"{knees.shapes} shapes, within 20 % in {knees.near}, by a fit to each shape's times",
        *[f"    they step up and down: {', '.join(steps)}"] * bool(steps),
    ]


def _at(row: ValidatedTime) -> str:
    return ", ".join(f"{name} = {value}" for name, value in row.at.items())
