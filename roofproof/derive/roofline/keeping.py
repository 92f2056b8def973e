"""From which intensity a share of the peak is kept: the estimate of a chip, and the ridge point that it comes to."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.logic import related
from roofproof.derive.roofline.compute_bound import Ceiling, ceilings
from roofproof.derive.roofline.engines import engine
from roofproof.derive.roofline.ridges import supplier
from roofproof.derive.roofline.share import Share
from roofproof.errors import RoofproofError, quoted
from roofproof.hardware import Chip
from roofproof.hardware.calibration import CORNERS
from roofproof.hardware.catalog import lenders
from roofproof.ops import Operation
from roofproof.sentences import joined as listed
from roofproof.symbols import quantity


class Uncalibrated(RoofproofError):
    """A chip has no calibrated ceilings from which a share could be estimated, nor has one of its generation."""


def share_of(op: Operation, chip: Chip | None, value: Fraction, corner: str | None = None) -> Share:
    """Return the share of the peak with what it is estimated by on a chip.

    >>> from roofproof.hardware import chip
    >>> from roofproof.ops import parse_operation
    >>> found = share_of(parse_operation("matmul"), chip("h100-sxm"), Fraction(4, 5))
    >>> found.corner, str(found.compute), found.of                # fitted to products of fp16, on the same engine
    ('root', '727/1000', 'fp16')

    Where a corner is named, the figures of the chip are taken as they are. Raises RoofproofError where none is and
    the chip has no calibrated ceilings, nor one of its generation.
    """
    if corner is not None:
        _alone(op, chip)
        return Share(value, corner)
    if chip is None:
        raise RoofproofError(
            "a share is estimated by the calibrated ceilings of a chip: name one, such as --chip h100-sxm, or a "
            "corner for figures that are reached in full, --corner <corners>",
            corners=listed("<first> or <second>", CORNERS),
        )
    compute, channel = _alone(op, chip)
    level = supplier(chip, channel)
    for of, one in (("", chip), *((each.name, each) for each in lenders(chip))):
        here = [c for c in one.calibrations if channel == "memory" and c.level == one.memory]
        exact = [c for c in here if c.engine == compute]
        for found in (*exact, *(c for c in here if engine(c.engine) == engine(compute) == "matrix")):
            names = [of] * bool(of) + [found.engine] * (found.engine != compute)
            return Share(value, found.corner, found, ", ".join(names))
    raise Uncalibrated(
        "chip <chip> has no calibrated ceilings of <engine> over <level>, nor has one of its generation; `roofproof "
        "fit` finds them from measured times, and --corner <corners> takes its figures as reached in full",
        chip=quoted(chip.name),
        engine=compute,
        level=level,
        corners=listed("<first> or <second>", CORNERS),
    )


def _alone(op: Operation, chip: Chip | None) -> tuple[str, str]:
    """Return the one engine and the one channel of an operation, of which alone there are estimates."""
    found = ceilings(op, chip)
    if len(found) == 1 and found[0].moved != 0:
        return found[0].compute, found[0].channel
    uses = listed("<first> and <second>", dict.fromkeys(n for c in found for n in (c.compute, c.channel)))
    raise RoofproofError(
        "operation <name> uses <uses>; a share is estimated for one engine and one memory level", name=quoted(op.name),
        uses=uses,
    )  # fmt: skip


def keeping(op: Operation, share: Share, chip: Chip | None = None) -> tuple[Ceiling, ...]:
    """Return what the intensity must reach for a share of the peak: the ridge point of the estimate, times a factor.

    >>> from roofproof.ops import parse_operation
    >>> [c] = keeping(parse_operation("flops bf16 = 4 N; bytes memory = N"), Share(Fraction(4, 5), "sum"))
    >>> c.symbolic                                             # R_s = 0.8/(1 - 0.8) R
    4 >= R_s

    Raises RoofproofError for an operation with several engines or channels.
    """
    _alone(op, chip)
    [one] = ceilings(op, chip)
    name = "R_s"
    while name in {s.name for s in op.dims}:
        name += "_"
    return (of_share(one, share, quantity(name)),)


def of_share(ceiling: Ceiling, share: Share, symbol: sympy.Symbol) -> Ceiling:
    """Return the comparison that says that a share is kept, once started."""
    turned = share.factor * sympy.Rational(share.compute / share.memory)
    ridge = None if ceiling.ridge is None else turned * ceiling.ridge
    return replace(ceiling, symbol=symbol, ridge=ridge, share=share)


def with_start(ceiling: Ceiling) -> Boolean:
    """Return that a share is kept with the start in the time, in whole FLOPs F and bytes Q.

    With T as the FLOPs that the engine could do in the start it is `F/s >= T + corner(F, R Q)`:

    >>> from roofproof.hardware import chip_from_text
    >>> from roofproof.hardware.calibration import Calibration, Fitted
    >>> from roofproof.ops import parse_operation
    >>> one = Fitted(*[Fraction(1)] * 3)
    >>> ones = Calibration("bf16", "hbm", one, one, one, "sum", 20, Fraction(1, 20), "a fit", "example")
    >>> small = chip_from_text("bf16=2 FLOP/s, hbm=1 B/s")
    >>> [c] = keeping(parse_operation("flops bf16 = 4 N; bytes memory = N"), Share(Fraction(1, 2), "sum", ones), small)
    >>> with_start(c)                                           # 4 N/2 FLOP/s >= 1 s + N/1 B/s, in FLOPs
    4*N >= 2*N + 2
    """
    share = ceiling.share
    assert share is not None and ceiling.ridge is not None
    s, start = sympy.Rational(share.value), sympy.Rational(share.compute * ceiling.rests_on[0].value * share.start)
    flops, moved = ceiling.flops, ceiling.ridge / share.factor * ceiling.moved
    if share.corner == "sum":
        return related(">=", flops, share.factor * (moved + start))
    if share.corner == "max":
        late = related(">=", flops, s / (1 - s) * start)
        return sympy.And(late, related(">=", flops, s * (moved + start)), evaluate=False)
    left = flops - s * start  # what both together may take, by s
    both = related(">=", left**2, s**2 * (flops**2 + moved**2))
    return sympy.And(related(">=", flops, s * start), both, evaluate=False)


def estimate(op: Operation, chip: Chip, corner: str | None = None) -> sympy.Expr:
    """Return the estimated seconds of an operation: the start, and the corner of its two times.

    >>> from roofproof.hardware import chip_from_text
    >>> from roofproof.ops import parse_operation
    >>> one = parse_operation("flops bf16 = 6; bytes memory = 4")
    >>> estimate(one, chip_from_text("bf16=2 FLOP/s, hbm=1 B/s"), "root")          # sqrt((6/2)^2 + (4/1)^2)
    5

    Raises RoofproofError as `share_of` does.
    """
    compute, memory, found = _times(op, chip, corner)
    start = sympy.Rational(found.start)
    if found.corner == "max":
        return start + sympy.Max(compute, memory)
    return start + (compute + memory if found.corner == "sum" else sympy.sqrt(compute**2 + memory**2))


def kept(op: Operation, chip: Chip, corner: str | None = None) -> sympy.Expr:
    """Return the share of the calibrated peak that an operation keeps, by the estimate of its time.

    >>> from roofproof.hardware import chip_from_text
    >>> from roofproof.ops import parse_operation
    >>> one = parse_operation("flops bf16 = 6; bytes memory = 4")
    >>> kept(one, chip_from_text("bf16=2 FLOP/s, hbm=1 B/s"), "root")              # (6/2)/5
    3/5
    """
    return _times(op, chip, corner)[0] / estimate(op, chip, corner)


def _times(op: Operation, chip: Chip, corner: str | None) -> tuple[sympy.Expr, sympy.Expr, Share]:
    found = share_of(op, chip, Fraction(1, 2), corner)
    [one] = ceilings(op, chip)
    peak, bandwidth = (figure.value for figure in one.rests_on)
    compute = one.flops / sympy.Rational(found.compute * peak)
    return compute, one.moved / sympy.Rational(found.memory * bandwidth), found
