"""Compute units for which a chip has no spec: demands left out of an answer, and the rates at which they matter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import sympy

from roofproof.derive.roofline.engines import compute_unit, has_peak, merge_shared_formats
from roofproof.derive.roofline.ridges import supply
from roofproof.ops import Operation
from roofproof.ops.operation import Demand

if TYPE_CHECKING:
    from roofproof.hardware import Chip, Figure


@dataclass(frozen=True, slots=True)
class IgnoredUnit:
    """A demand on a compute unit of unknown rate, and the rates `below` which it takes longer than other resources.

    >>> from roofproof.hardware import chip_from_text
    >>> from roofproof.ops import parse_operation
    >>> softmax = parse_operation("flops bf16 = 4 N k; flops exp = N; bytes memory = N")
    >>> _, [exp] = without_missing_rates(softmax, chip_from_text("bf16=100 FLOP/s, hbm=10 B/s"))
    >>> exp.resource, exp.below                        # N/rate > 4 N k/100 s, N/rate > N/10 s
    ('exp', (('bf16', 25/k), ('memory', 10)))
    """

    resource: str
    amount: sympy.Expr
    below: tuple[tuple[str, sympy.Expr], ...]
    demands: tuple[sympy.Expr, ...]  # of the others, in the same order
    rates: tuple[Figure, ...]


def without_missing_rates(
    op: Operation, chip: Chip | None, bytes_alone: bool = False
) -> tuple[Operation, tuple[IgnoredUnit, ...]]:
    """Return an operation without its demands on compute units for which the chip has no spec, and these demands.

    >>> from roofproof.hardware import chip
    >>> from roofproof.ops import parse_operation
    >>> softmax = parse_operation("flops bf16 = 4 N k; flops exp = N; bytes memory = N")
    >>> without_missing_rates(softmax, chip("h100-sxm"))[0] is softmax
    True
    >>> list(without_missing_rates(softmax, chip("a10"))[0].compute)
    ['bf16']

    The matrix unit is never left out. The only unit is left out only if `bytes_alone` allows an answer from the bytes.
    """
    demands = [name for name, amount in op.compute.items() if not amount.is_zero]
    gone = [] if chip is None else [n for n in demands if compute_unit(n) != "matrix" and not has_peak(chip, n)]
    bytes_alone = bytes_alone and len(op.demands) > len(op.compute)
    if chip is None or not gone or (len(gone) == len(demands) and not bytes_alone):
        return op, ()
    rest = _without(op, gone)
    one, _ = merge_shared_formats(rest, chip)  # formats on one unit are added up
    return rest, tuple(_left_out(name, op.compute[name], one, chip) for name in gone)


def _left_out(name: str, amount: sympy.Expr, rest: Operation, chip: Chip) -> IgnoredUnit:
    others = [(other, demand, supply(chip, other)) for other, demand in rest.demands.items()]
    below = tuple((other, sympy.cancel(amount * sympy.Rational(r.value) / demand)) for other, demand, r in others)
    return IgnoredUnit(name, amount, below, tuple(d for _, d, _ in others), tuple(r for *_, r in others))


def _without(op: Operation, names: list[str]) -> Operation:
    def rest(compute: Demand) -> Demand:
        return {name: amount for name, amount in compute.items() if name not in names}

    return op.map_kernels(lambda k: k.on_units(rest))
