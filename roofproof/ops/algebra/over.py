"""An operation done once for each value of a dimension, such as a decode step in a growing context."""

from dataclasses import replace

from sympy import Expr, Poly, Symbol, summation

from roofproof.errors import RoofproofError, quoted
from roofproof.ops.algebra._common import Size, axis, positive
from roofproof.ops.operation import Operation
from roofproof.ops.tensor import Tensor


def over(operation: Operation, name: str, first: Size, last: Size) -> Operation:
    """Return the operation done for each value of a dimension from `first` to `last`, in closed form.

    >>> from roofproof.ops import einsum
    >>> from roofproof.symbols import dimension
    >>> L, t = dimension("L"), dimension("t")
    >>> scores = einsum("q:bf16[k], keys:bf16[S,k] -> s:bf16[S]")
    >>> over(scores, "S", L + 1, L + t).flops.factor()         # sum of 2 k (L + i) for i = 1 to t
    k*t*(2*L + t + 1)

    A tensor keeps the size it has at the end, and moves as often as that makes the sum of its bytes. The
    parts are the sums of the parts, so the sum of their times is a lower bound on that of the steps. Raises
    RoofproofError for a dimension that is not there, or a demand that is no polynomial in it.
    """
    index = axis(operation, name)
    start, end = positive(first, f"over {name}"), positive(last, f"over {name}")
    return _summed(operation, index, start, end)


def _summed(operation: Operation, index: Symbol, first: Expr, last: Expr) -> Operation:
    def total(amount: Expr) -> Expr:
        if index not in amount.free_symbols:
            return amount * (last - first + 1)
        if not amount.is_polynomial(index):
            raise RoofproofError(f"over {index}: {quoted(amount)} is no polynomial in {index}")
        terms = Poly(amount, index).terms()
        return sum((c * summation(index**power, (index, first, last)) for (power,), c in terms), start=0 * last)

    def ended(tensor: Tensor) -> Tensor:
        at_end = replace(tensor, shape=tuple(s.subs(index, last) for s in tensor.shape))
        return replace(at_end, times=(total(tensor.traffic) / at_end.bytes).factor())  # a sum would not cancel

    return operation.mapped(
        total,
        ended,
        name=f"{operation.name}, {index} from {first} to {last}",
        footprint={place: held.subs(index, last) for place, held in operation.footprint.items()},
        parts=tuple(_summed(part, index, first, last) for part in operation.parts),
        conditions=tuple(c.subs(index, last) for c in operation.conditions),
    )
