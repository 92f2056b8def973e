"""The integers in a solution: the smallest or largest one, exactly, strict or not."""

from __future__ import annotations

import sympy

from roofproof.derive.cases import Above, Always, Below, Between, Never, Outside, Several, Threshold, bounds


def smallest_integer(threshold: Threshold) -> int | None:
    """Return the smallest positive integer in a solution with numeric bounds, or None if there is none.

    >>> smallest_integer(Above(sympy.Rational(78800, 9)))                 # 8755.56
    8756
    >>> smallest_integer(Above(sympy.Integer(240))), smallest_integer(Above(sympy.Integer(240), strict=False))
    (241, 240)
    """
    if isinstance(threshold, Never):
        return None
    if isinstance(threshold, Several):
        return _scan(threshold)
    if isinstance(threshold, Always | Outside):
        low = None if isinstance(threshold, Always) else smallest_integer(Below(threshold.low, threshold.strict))
        if isinstance(threshold, Always) or low is not None:
            return 1
        return smallest_integer(Above(threshold.high, threshold.strict))
    if isinstance(threshold, Above | Between):
        bound = threshold.at if isinstance(threshold, Above) else threshold.low
        first = int(sympy.floor(bound)) + 1 if threshold.strict else int(sympy.ceiling(bound))
        first = max(first, 1)
        if isinstance(threshold, Above) or Below(threshold.high, threshold.strict).holds(first) == sympy.true:
            return first
        return None
    return 1 if threshold.holds(sympy.Integer(1)) == sympy.true else None


def largest_integer(threshold: Threshold) -> int | None:
    """Return the largest positive integer in a solution with numeric bounds, or None if there is none or no end.

    >>> largest_integer(Below(sympy.Rational(100, 7)))                    # 14.28...
    14
    """
    if isinstance(threshold, Below | Between):
        bound = threshold.at if isinstance(threshold, Below) else threshold.high
        last = int(sympy.ceiling(bound)) - 1 if threshold.strict else int(sympy.floor(bound))
        return last if last >= 1 and threshold.holds(sympy.Integer(last)) == sympy.true else None
    return None


def _scan(threshold: Several) -> int | None:
    """Return the smallest integer of a union or intersection: 1, or next to one of its bounds."""
    near = {1, *(int(sympy.floor(b)) + k for b in bounds(threshold) for k in (-1, 0, 1, 2))}
    fits = [n for n in near if n >= 1 and threshold.holds(sympy.Integer(n)) == sympy.true]
    return min(fits, default=None)
