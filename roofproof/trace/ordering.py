"""Which of two sizes is smaller, if that is plain, and the margins that conditions give."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import sympy
from sympy import Expr, Min
from sympy.logic.boolalg import Boolean

from roofproof.ops.tensor import is_positive


@lru_cache(maxsize=4096)  # each step of a program compares the same strides
def smaller(a: Expr, b: Expr) -> Expr | None:
    """Return the smaller of two sizes, or None if neither is plainly smaller for all values.

    >>> from roofproof.symbols import dimension
    >>> B, V = dimension("B"), dimension("V")
    >>> smaller(B, 2 * B), smaller(B + 1, B), smaller(B, V)
    (B, B, None)
    """
    gap = (b - a).expand()
    if gap.is_nonnegative or is_positive(gap + 1):
        return a
    return b if gap.is_nonpositive or is_positive(1 - gap) else None


def at_most(amount: Expr, most: Expr) -> Expr:
    """Return the minimum of two sizes, simplified if possible.

    >>> from roofproof.symbols import dimension
    >>> B, V = dimension("B"), dimension("V")
    >>> at_most(B, 2 * B), at_most(3 * B, B * V)
    (B, B*Min(3, V))
    """
    if (plain := smaller(amount, most)) is not None:
        return plain
    few, many = sympy.cancel(amount / most).as_numer_denom()
    return sympy.cancel(most / many) * Min(few, many) if is_positive(many) else Min(amount, most)


def margins(conditions: Iterable[Boolean]) -> list[Expr]:
    """Return the differences that are not negative by the conditions.

    >>> from roofproof.symbols import dimension
    >>> margins([dimension("E") >= 2, dimension("F") > 2])
    [E - 2, F - 3]
    """
    strict = sympy.StrictGreaterThan | sympy.StrictLessThan
    return [
        c.gts - c.lts - int(isinstance(c, strict))  # sizes are integers
        for c in conditions
        if isinstance(c, sympy.GreaterThan | sympy.LessThan | strict)
    ]
