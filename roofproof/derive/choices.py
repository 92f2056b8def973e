"""What an answer would be with the figures of other sources: does it depend on the choice?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

import sympy

from roofproof.derive.integers import largest_integer, smallest_integer
from roofproof.errors import RoofproofError

if TYPE_CHECKING:
    from roofproof.derive.critical_size import CriticalSize
    from roofproof.hardware import Chip, Rate


@dataclass(frozen=True, slots=True)
class OtherFigure:
    """A figure of another source, the ridge points it changes, and the integer answer then (None: never, no point)."""

    rate: Rate
    ridges: Mapping[sympy.Symbol, sympy.Rational]
    integer: int | None


def other_figures(found: CriticalSize, chip: Chip) -> tuple[OtherFigure, ...]:
    """Return the figures that stand beside those in force and give other ridge points, each value once.

    >>> from roofproof.derive import threshold
    >>> from roofproof.hardware import chip
    >>> from roofproof.ops import parse_operation
    >>> v5e = chip("tpu-v5e")
    >>> at = {"D": 1024, "F": 1024}
    >>> found = threshold(parse_operation("matmul"), v5e, "B", at)
    >>> found.integer, [f.integer for f in other_figures(found, v5e) if str(f.rate) == "hbm = 8.2e11 B/s"]
    (454, [453])

    One figure is another at a time. Figures that count something else, such as both directions of a link or the
    links of a whole host, are left out.
    """
    in_force = {c.symbol: c.ridge for c in found.ceilings if c.ridge is not None}
    out: dict[tuple[sympy.Rational, ...], OtherFigure] = {}
    for ours in dict.fromkeys(figure for ceiling in found.ceilings for figure in ceiling.rests_on):
        for other in chip.alternatives(ours.resource):
            if (other.per, other.both_directions) != (ours.per, ours.both_directions):
                continue
            turned = sympy.Rational((ratio := other.value / ours.value).numerator, ratio.denominator)
            ridges = {}
            for c in found.ceilings:
                if ours in c.rests_on and c.ridge is not None:
                    ridges[c.symbol] = c.ridge * turned if ours.unit == "FLOP/s" else c.ridge / turned
            every = in_force | ridges
            if every != in_force and tuple(every.values()) not in out:
                out[tuple(every.values())] = OtherFigure(other, MappingProxyType(ridges), _integer(found, every))
    return tuple(out.values())


def _integer(found: CriticalSize, ridges: Mapping[sympy.Symbol, sympy.Rational]) -> int | None:
    if found.at_point is None:
        return None
    try:
        there = found.symbolic.at({**found.point, **{symbol.name: ridge for symbol, ridge in ridges.items()}})
    except RoofproofError:
        return None
    return (largest_integer if there.kind == "below" else smallest_integer)(there, found.multiple_of)
