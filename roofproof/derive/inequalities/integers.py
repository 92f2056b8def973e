"""The integers in a solution: the smallest or largest, exactly, strict or not, a multiple of something or not."""

import sympy

from roofproof.derive.algebra.exact_comparison import floor_of
from roofproof.derive.inequalities.cases import Threshold
from roofproof.derive.regions import region_of


def smallest_integer(threshold: Threshold, multiple_of: int = 1) -> int | None:
    """Return the smallest positive integer in a solution with numeric bounds, or None if there is none.

    >>> from roofproof.derive.inequalities.cases import Above
    >>> smallest_integer(Above(sympy.Rational(78800, 9)))                 # 8755.56
    8756
    >>> smallest_integer(Above(sympy.Integer(240))), smallest_integer(Above(sympy.Integer(240), strict=False))
    (241, 240)
    >>> smallest_integer(Above(sympy.Rational(9850, 41)), multiple_of=128)   # 240.24: 2 * 128
    256
    """
    found = []
    for p in region_of(threshold):
        first = multiple_of if p.low is None else max(multiple_of, _next(p.low, multiple_of, not p.low_closed))
        if p.high is None or first < p.high or (first == p.high and p.high_closed):
            found.append(first)
    return min(found, default=None)


def largest_integer(threshold: Threshold, multiple_of: int = 1) -> int | None:
    """Return the largest positive integer in a solution with numeric bounds; None if there is none or no end.

    >>> from roofproof.derive.inequalities.cases import Below, Between
    >>> largest_integer(Below(sympy.Rational(100, 7)))                    # 14.28...
    14
    >>> largest_integer(Between(sympy.Integer(3), sympy.Integer(16)), multiple_of=8)    # 16 is excluded
    8
    """
    found = []
    for p in region_of(threshold):
        if p.high is None:
            return None
        last = -_next(-p.high, multiple_of, not p.high_closed)
        if last >= multiple_of and (p.low is None or last > p.low or (last == p.low and p.low_closed)):
            found.append(last)
    return max(found, default=None)


def integer_answer(threshold: Threshold, multiple_of: int = 1) -> int | None:
    """Return the integer that a person asks for: the largest below an upper bound, else the smallest.

    >>> from roofproof.derive.inequalities.cases import Above, Below
    >>> integer_answer(Below(sympy.Rational(100, 7))), integer_answer(Above(sympy.Rational(100, 7)))
    (14, 15)
    """
    return (largest_integer if threshold.kind == "below" else smallest_integer)(threshold, multiple_of)


def _next(bound: sympy.Expr, m: int, excluded: bool) -> int:
    """Return the smallest multiple of m above a bound, or at it where the bound is not excluded."""
    scaled = bound / m
    return m * (floor_of(scaled) + 1 if excluded else -floor_of(-scaled))
