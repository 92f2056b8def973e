"""Estimates of a time from calibrated rates: its seconds, the share of the peak kept, and the startup time."""

from __future__ import annotations

from fractions import Fraction

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.logic import related
from roofproof.derive.roofline.compute_bound import Ceiling, ceilings
from roofproof.derive.roofline.keeping import share_of
from roofproof.derive.roofline.share import Share
from roofproof.hardware import Chip
from roofproof.ops import Operation


def with_start(ceiling: Ceiling) -> Boolean:
    """Return the condition that a share is kept with the startup time included, in total FLOPs F and bytes Q.

    With T as the FLOPs that the compute unit could do in the startup time, it is `F/s >= T + corner(F, R Q)`:

    >>> from roofproof.derive.roofline.keeping import keeping
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
    left = flops - s * start  # s times the FLOPs left for both together
    both = related(">=", left**2, s**2 * (flops**2 + moved**2))
    return sympy.And(related(">=", flops, s * start), both, evaluate=False)


def estimate(op: Operation, chip: Chip, corner: str | None = None) -> sympy.Expr:
    """Return the estimated seconds of an operation: the startup time, and its two times combined by the corner.

    >>> from roofproof.hardware import chip_from_text
    >>> from roofproof.ops import parse_operation
    >>> one = parse_operation("flops bf16 = 6; bytes memory = 4")
    >>> estimate(one, chip_from_text("bf16=2 FLOP/s, hbm=1 B/s"), "root")          # sqrt((6/2)^2 + (4/1)^2)
    5

    Raises RoofproofError as `share_of` does.
    """
    compute, memory, found = parts_of(op, chip, corner)
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
    return parts_of(op, chip, corner)[0] / estimate(op, chip, corner)


def parts_of(op: Operation, chip: Chip, corner: str | None = None) -> tuple[sympy.Expr, sympy.Expr, Share]:
    """Return the parts of an estimate: the compute time, the memory time, and the Share that combines them."""
    found = share_of(op, chip, Fraction(1, 2), corner)
    [one] = ceilings(op, chip)
    peak, bandwidth = (figure.value for figure in one.rests_on)
    compute = one.flops / sympy.Rational(found.compute * peak)
    return compute, one.moved / sympy.Rational(found.memory * bandwidth), found
