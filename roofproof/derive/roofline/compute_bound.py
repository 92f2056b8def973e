"""The condition that makes an operation compute-bound, as inequalities between times.

An operation is compute-bound if some compute unit takes longer than every memory level and link.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.logic import related
from roofproof.derive.algebra.polynomial import Ring, content, lowest_terms, sign
from roofproof.derive.roofline.engines import compute_unit, merge_shared_formats
from roofproof.derive.roofline.ridges import ridge, supply
from roofproof.errors import RoofproofError, quoted
from roofproof.ops import Operation
from roofproof.ops.resources import MEMORY
from roofproof.sentences import Sentence
from roofproof.sentences import joined as listed
from roofproof.symbols import quantity

if TYPE_CHECKING:
    from roofproof.derive.roofline.share import Share
    from roofproof.hardware import Chip, Figure

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Ceiling:
    """One comparison: a compute unit takes longer than a memory level or link, FLOPs/peak > bytes/bandwidth.

    >>> from roofproof.ops import parse_operation
    >>> [c] = ceilings(parse_operation("bf16[N], bf16[N] -> []"))   # 2 N FLOPs, 2 (2 N + 1) bytes
    >>> c.symbolic, c.ridge                                    # R = peak/bandwidth, without a chip
    (N > R*(2*N + 1), None)
    >>> c.intensity
    N/(2*N + 1)

    If bytes are moved, this is equivalent to an intensity above the ridge point. If none are, as over the links of a
    single chip, there is no intensity, and any computation takes longer. `label` distinguishes ceilings: it is the
    memory level or link, and includes the compute unit if there are several.
    """

    compute: str
    channel: str
    flops: sympy.Expr
    moved: sympy.Expr
    symbol: sympy.Symbol
    ridge: sympy.Rational | None  # None without a chip, when the ridge point stays a symbol
    rests_on: tuple[Figure, ...] = ()  # the specs of the ridge point: peak, bandwidth
    label: str = MEMORY
    share: Share | None = None  # the share of the peak to keep, if that is requested instead

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
        """The comparison with the chip's ridge point, or with its symbol without a chip."""
        return self._above(self.symbol if self.ridge is None else self.ridge)

    def _above(self, ridge: sympy.Expr) -> Boolean:
        flops, moved = _without_common_factor(self.flops, self.moved)
        return related(">=" if self.share else ">", flops, ridge * moved)


def ceilings(op: Operation, chip: Chip | None = None) -> tuple[Ceiling, ...]:
    """Return the ceilings that an operation must exceed to be compute-bound, one for each level or link and unit.

    >>> from roofproof.hardware import chip
    >>> from roofproof.ops import parse_operation
    >>> [c] = ceilings(parse_operation("matmul"), chip("tpu-v5e@scaling-book"))
    >>> c.ridge                                               # 1.97e14 FLOP/s / 8.2e11 B/s
    9850/41
    >>> c.exceeded                                            # 2BDF > 9850/41 (2BD + 2DF + 2BF), halved
    B*D*F > 9850*B*D/41 + 9850*B*F/41 + 9850*D*F/41

    Raises RoofproofError for an operation without FLOPs or bytes, and for a spec the chip lacks. Without a chip it is
    also raised for two formats on one compute unit, because their times cannot be added up.
    """
    op, _ = merge_shared_formats(op, chip)
    compute = [name for name, amount in op.compute.items() if not amount.is_zero]
    channels = [name for name in op.demands if name not in op.compute]
    if not compute or not channels:
        lack = Sentence("no FLOPs") if not compute else Sentence("no bytes")
        raise RoofproofError(
            "operation <name> has <lack>; a threshold compares one format's FLOPs with the bytes moved",
            name=quoted(op.name), lack=lack,
        )  # fmt: skip
    units = [compute_unit(name) for name in compute]
    if len(set(units)) < len(units):
        twice = [name for name, unit in zip(compute, units, strict=True) if units.count(unit) > 1]
        raise RoofproofError(
            "operation <name> has FLOPs in <formats> on one compute unit, and their times add up; add --chip, "
            "such as --chip h100-sxm",
            name=quoted(op.name), formats=listed("<first> and <second>", twice),
        )  # fmt: skip
    taken = {s.name for s in op.dims}
    found = []
    for channel in channels:
        for name, unit in zip(compute, units, strict=True):
            said = [unit] * (len(units) > 1) + [channel] * (len(channels) > 1)
            symbol = "_".join(["R", *said]).replace("-", "_")
            while symbol in taken:
                symbol += "_"
            value = None if chip is None else ridge(chip, name, channel)
            rests = () if chip is None else (chip.peak(name), supply(chip, channel))
            flops, moved = op.compute[name], op.bytes(channel)
            label = "-".join(said) if len(units) > 1 else channel
            found.append(Ceiling(name, channel, flops, moved, quantity(symbol), value, rests, label))
    return tuple(found)


def compute_bound(found: Iterable[Ceiling], symbolic: bool = False) -> Boolean:
    """Return the condition that for each memory level and link some compute unit takes longer.

    >>> from roofproof.ops import parse_operation
    >>> both = parse_operation("flops bf16 = 2 N; flops exp = N; bytes memory = 4")
    >>> compute_bound(ceilings(both), symbolic=True)
    (N > 4*R_exp) | (N > 2*R_matrix)
    """
    return together(found, lambda c: c.symbolic if symbolic else c.exceeded)


def together(found: Iterable[Ceiling], part: Callable[[Ceiling], Boolean], **how: bool) -> Boolean:
    """Join a condition on each ceiling: for every memory level and link it must hold for one compute unit."""
    channels = by_channel((c, part(c)) for c in found)
    every = [parts[0] if len(parts) == 1 else sympy.Or(*parts, **how) for parts in channels]
    return every[0] if len(every) == 1 else sympy.And(*every, **how)


def by_channel(parts: Iterable[tuple[Ceiling, T]]) -> list[list[T]]:
    """Group a value for each ceiling by memory level or link.

    >>> from roofproof.ops import parse_operation
    >>> found = ceilings(parse_operation("flops bf16 = N; flops exp = N; bytes memory = 4; bytes ici = 1"))
    >>> by_channel((c, c.compute) for c in found)
    [['bf16', 'exp'], ['bf16', 'exp']]
    """
    channels: dict[str, list[T]] = {}
    for ceiling, part in parts:
        channels.setdefault(ceiling.channel, []).append(part)
    return list(channels.values())


def _without_common_factor(flops: sympy.Expr, moved: sympy.Expr) -> tuple[sympy.Expr, sympy.Expr]:
    """Divide both polynomials by their common factor, if it is positive for all sizes."""
    ring = Ring.of(flops, moved)
    (a, b), (c, d) = ring.fraction(flops), ring.fraction(moved)
    left, right = a * d, c * b
    common = left.gcd(right)
    common *= content(left / common, right / common)
    if not all(atom.is_Symbol for atom in ring.atoms) or {sign(b), sign(d), sign(common)} != {1}:
        return flops, moved
    return ring.factored(left / common), ring.factored(right / common)
