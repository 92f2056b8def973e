"""An operation done once for each value of a dimension, such as a decode step in a growing context."""

from dataclasses import replace

import sympy
from sympy import Expr, Le, Mod, Poly, Symbol, degree, summation
from sympy.logic.boolalg import Boolean

from roofproof.errors import RoofproofError, quoted
from roofproof.ops.algebra._common import Size, axis, positive
from roofproof.ops.operation import Operation
from roofproof.ops.tensor import Tensor, is_positive


def over(operation: Operation, name: str, first: Size, last: Size) -> Operation:
    """Return the operation done for each value of a dimension from `first` to `last`, in closed form.

    >>> from roofproof.ops import einsum
    >>> from roofproof.symbols import dimension
    >>> L, t = dimension("L"), dimension("t")
    >>> scores = einsum("q:bf16[k], keys:bf16[S,k] -> s:bf16[S]")
    >>> over(scores, "S", L + 1, L + t).flops.factor()         # sum of 2 k (L + i) for i = 1 to t
    k*t*(2*L + t + 1)
    >>> over(scores, "S", 3, 6).tensors[0].traffic              # 2 k bytes of q in each of the four steps
    8*k

    A tensor keeps the size it has at the end, and moves as often as that makes the sum of its bytes. The
    parts are the sums of the parts, so the sum of their times is a lower bound on that of the steps. What the
    operation assumes is assumed of the first value and of the last, and that the last is no less than the first:

    >>> over(scores, "S", "a", "b").conditions
    (a <= b,)

    Raises RoofproofError for a dimension that is not there, where there is no value, for a demand that is no polynomial
    in the dimension, and for what is not true in between because it is true at both ends, such as divisibility.
    """
    index = axis(operation, name)
    start, end = positive(first, f"over {name}"), positive(last, f"over {name}")
    least = Le(start, end)
    if least == sympy.false:
        raise RoofproofError(f"over {name}: there is no {name} from {start} to {end}")
    found = _summed(operation, index, start, end)
    return found if is_positive(end - start + 1) else replace(found, conditions=(*found.conditions, least))


def _summed(operation: Operation, index: Symbol, first: Expr, last: Expr) -> Operation:
    def total(amount: Expr) -> Expr:
        if index not in amount.free_symbols:
            return amount * (last - first + 1)
        if not amount.is_polynomial(index):
            raise RoofproofError(f"over {index}: {quoted(amount)} is no polynomial in {index}")
        terms = Poly(amount, index).terms()
        return sum((c * summation(index**power, (index, first, last)) for (power,), c in terms), start=0 * last)

    def assumed(condition: Boolean) -> tuple[Boolean, ...]:
        if index not in condition.free_symbols:
            return (condition,)
        apart = condition.lhs - condition.rhs
        if condition.has(Mod) or not apart.is_polynomial(index) or degree(apart, index) > 1:
            said = f"{quoted(operation.name)} assumes {condition}, which is not known of every {index}"
            raise RoofproofError(f"over {index}: {said} in between")
        ends = [condition.subs(index, end) for end in (first, last)]
        if sympy.false in ends:
            where = (first, last)[ends.index(sympy.false)]
            said = f"{quoted(operation.name)} assumes {condition}, which is false at {where}"
            raise RoofproofError(f"over {index}: {said}")
        return tuple(ends)

    def ended(tensor: Tensor) -> Tensor:
        at_end = replace(tensor, shape=tuple(s.subs(index, last) for s in tensor.shape))
        return replace(at_end, times=(total(tensor.traffic) / at_end.bytes).factor())  # a sum would not cancel

    return operation.mapped(
        total,
        ended,
        name=f"{operation.name}, {index} from {first} to {last}",
        footprint={place: held.subs(index, last) for place, held in operation.footprint.items()},
        parts=tuple(_summed(part, index, first, last) for part in operation.parts),
        grid=None,
        loops=tuple(s for s in operation.loops if s != index and s not in first.free_symbols | last.free_symbols),
        conditions=tuple(dict.fromkeys(c for old in operation.conditions for c in assumed(old) if c != sympy.true)),
    )
