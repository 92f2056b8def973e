"""What an answer would be with the figures of other sources: does it depend on the choice?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import sympy

from roofproof.derive.integers import largest_integer, smallest_integer
from roofproof.errors import RoofproofError

if TYPE_CHECKING:
    from roofproof.derive.critical_size import CriticalSize
    from roofproof.hardware import Chip, Rate


@dataclass(frozen=True, slots=True)
class OtherFigure:
    """A figure of another source, the ridge point it gives, and the integer answer then (None: never, or no point)."""

    rate: Rate
    ridge: sympy.Rational
    integer: int | None


def other_figures(found: CriticalSize, chip: Chip) -> tuple[OtherFigure, ...]:
    """Return the figures that stand beside those in force and give another ridge point, each ridge once.

    >>> from roofproof.derive import threshold
    >>> from roofproof.hardware import chip
    >>> from roofproof.ops import parse_operation
    >>> v5e = chip("tpu-v5e")
    >>> at = {"D": 1024, "F": 1024}
    >>> found = threshold(parse_operation("matmul"), v5e, "B", at)
    >>> found.integer, [f.integer for f in other_figures(found, v5e) if str(f.rate) == "hbm = 8.2e11 B/s"]
    (454, [453])

    Only operations with one ceiling are looked at; the ridge of each figure takes the other figure as in force.
    """
    if len(found.ceilings) != 1 or found.ceilings[0].ridge is None:
        return ()
    [ceiling] = found.ceilings
    peak, bandwidth = ceiling.rests_on
    out: dict[sympy.Rational, OtherFigure] = {}
    for rate in (*chip.alternatives(peak.resource), *chip.alternatives(bandwidth.resource)):
        top, bottom = (rate, bandwidth) if rate.resource == peak.resource else (peak, rate)
        ridge = sympy.Rational(top.value.numerator, top.value.denominator) / sympy.Rational(
            bottom.value.numerator, bottom.value.denominator
        )
        if ridge != ceiling.ridge and ridge not in out:
            out[ridge] = OtherFigure(rate, ridge, _integer(found, ceiling.symbol.name, ridge))
    return tuple(out.values())


def _integer(found: CriticalSize, symbol: str, ridge: sympy.Rational) -> int | None:
    if found.at_point is None:
        return None
    try:
        there = found.symbolic.at({**found.point, symbol: ridge})
    except RoofproofError:
        return None
    return (largest_integer if there.kind == "below" else smallest_integer)(there, found.multiple_of)
