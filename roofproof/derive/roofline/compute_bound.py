"""The condition that makes an operation compute-bound, as inequalities between times."""

from dataclasses import dataclass

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.logic import related
from roofproof.derive.algebra.polynomial import Ring, content, sign
from roofproof.derive.roofline.intensities import lowest_terms
from roofproof.derive.roofline.ridges import ridge, supply
from roofproof.errors import RoofproofError, quoted
from roofproof.hardware import Chip, Rate
from roofproof.ops import Operation
from roofproof.symbols import quantity


@dataclass(frozen=True, slots=True)
class Ceiling:
    """One comparison: computing takes longer than a channel, FLOPs/peak > bytes/bandwidth.

    >>> from roofproof.ops import parse_operation
    >>> [c] = ceilings(parse_operation("bf16[N], bf16[N] -> []"))   # 2 N FLOPs, 2 (2 N + 1) bytes
    >>> c.symbolic, c.ridge                                    # R = peak/bandwidth; no chip was named
    (N > R*(2*N + 1), None)
    >>> c.intensity
    N/(2*N + 1)

    That the intensity exceeds the ridge point says the same wherever bytes are moved. Where none are, as over
    the links of a single chip, there is no intensity, and any computing takes longer.
    """

    compute: str
    channel: str
    flops: sympy.Expr
    moved: sympy.Expr
    symbol: sympy.Symbol
    ridge: sympy.Rational | None  # None where no chip was named: the ridge stays a symbol
    rests_on: tuple[Rate, ...] = ()  # the figures behind the ridge: peak, bandwidth

    @property
    def intensity(self) -> sympy.Expr:
        """FLOPs per byte, in lowest terms."""
        return lowest_terms(self.flops / self.moved)

    @property
    def symbolic(self) -> Boolean:
        """The comparison with the ridge point as a symbol."""
        return self._above(self.symbol)

    @property
    def exceeded(self) -> Boolean:
        """The comparison with the chip's ridge point, where one was named."""
        return self._above(self.symbol if self.ridge is None else self.ridge)

    def _above(self, ridge: sympy.Expr) -> Boolean:
        flops, moved = _without_common_factor(self.flops, self.moved)
        return related(">", flops, ridge * moved)


def ceilings(op: Operation, chip: Chip | None = None) -> tuple[Ceiling, ...]:
    """Return what the operation must exceed to be compute-bound: one ceiling a channel.

    >>> from roofproof.hardware import chip
    >>> from roofproof.ops import parse_operation
    >>> [c] = ceilings(parse_operation("matmul"), chip("tpu-v5e@scaling-book"))
    >>> c.ridge                                               # 1.97e14 FLOP/s / 8.2e11 B/s
    9850/41
    >>> c.exceeded                                            # 2BDF > 9850/41 (2BD + 2DF + 2BF), halved
    B*D*F > 9850*B*D/41 + 9850*B*F/41 + 9850*D*F/41

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
        rests = () if chip is None else (chip.peak(compute[0]), supply(chip, channel))
        flops, moved = op.compute[compute[0]], op.bytes(channel)
        found.append(Ceiling(compute[0], channel, flops, moved, quantity(name), value, rests))
    return tuple(found)


def _without_common_factor(flops: sympy.Expr, moved: sympy.Expr) -> tuple[sympy.Expr, sympy.Expr]:
    """Return both over a common factor, as polynomials: one that is positive for all sizes, or none."""
    ring = Ring.of(flops, moved)
    (a, b), (c, d) = ring.fraction(flops), ring.fraction(moved)
    left, right = a * d, c * b
    common = left.gcd(right)
    common *= content(left / common, right / common)
    if not all(atom.is_Symbol for atom in ring.atoms) or {sign(b), sign(d), sign(common)} != {1}:
        return flops, moved
    return ring.factored(left / common), ring.factored(right / common)
