"""The condition that makes an operation compute-bound, as inequalities between intensities and ridge points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.derive.intensities import lowest_terms
from roofproof.derive.ridges import ridge, supplier
from roofproof.errors import RoofproofError, quoted
from roofproof.symbols import quantity

if TYPE_CHECKING:
    from roofproof.hardware import Chip, Rate
    from roofproof.ops import Operation


@dataclass(frozen=True, slots=True)
class Ceiling:
    """One comparison: the intensity of a compute resource against a channel, and the ridge point there.

    >>> from roofproof.ops import parse_operation
    >>> [c] = ceilings(parse_operation("bf16[N], bf16[N] -> []"))   # 2 N FLOPs, 2 (2 N + 1) bytes
    >>> c.symbolic, c.ridge                                    # no chip was named: the ridge is R
    (N/(2*N + 1) > R, None)
    """

    compute: str
    channel: str
    intensity: sympy.Expr
    symbol: sympy.Symbol
    ridge: sympy.Rational | None  # None where no chip was named: the ridge stays a symbol
    rests_on: tuple[Rate, ...] = ()  # the figures behind the ridge: peak, bandwidth

    @property
    def symbolic(self) -> Boolean:
        return sympy.Gt(self.intensity, self.symbol)

    @property
    def exceeded(self) -> Boolean:
        return sympy.Gt(self.intensity, self.symbol if self.ridge is None else self.ridge)


def ceilings(op: Operation, chip: Chip | None = None) -> tuple[Ceiling, ...]:
    """Return what the operation must exceed to be compute-bound: one ceiling a channel.

    >>> from roofproof.hardware import chip
    >>> from roofproof.ops import parse_operation
    >>> [c] = ceilings(parse_operation("matmul"), chip("tpu-v5e@scaling-book"))
    >>> c.exceeded                                            # I > 1.97e14 / 8.2e11
    B*D*F/(B*D + B*F + D*F) > 9850/41

    Raises RoofproofError for an operation without FLOPs or bytes, with several compute resources, or on a chip
    that lacks a figure.
    """
    compute = [name for name, amount in op.compute.items() if not amount.is_zero]
    channels = [name for name in op.demands if name not in op.compute]
    if len(compute) != 1 or not channels:
        lack = "no FLOPs" if not compute else "no bytes" if not channels else f"FLOPs in {' and '.join(compute)}"
        raise RoofproofError(
            f"operation {quoted(op.name)} has {lack}; a threshold compares one format's FLOPs with the bytes moved"
        )
    taken = {s.name for s in op.dims}
    found = []
    for channel in channels:
        name = "R" if len(channels) == 1 else f"R_{channel.replace('-', '_')}"
        while name in taken:
            name += "_"
        value = None if chip is None else ridge(chip, compute[0], channel)
        rests = () if chip is None else (chip.rate(compute[0]), chip.rate(supplier(chip, channel)))
        flops, moved = op.compute[compute[0]], op.bytes(channel)
        found.append(Ceiling(compute[0], channel, lowest_terms(flops / moved), quantity(name), value, rests))
    return tuple(found)
