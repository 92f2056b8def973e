"""`sympy.Max` and `sympy.Min` of values, without SymPy's search for one that is never less than another."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import prod

import sympy

PLACES = (1, 1 << 20)  # for all names at once: a value with one more factor may start below and end above


def largest(*values: sympy.Expr) -> sympy.Expr:
    """Return `sympy.Max` of values, or 0 without values, because no demand takes no time.

    >>> B, D = sympy.symbols("B D", positive=True)
    >>> largest(2*B*D/50, B + D), largest(B, B + D)                    # at 1: 1/25 < 2, at 2^20: more
    (Max(B*D/25, B + D), B + D)
    """
    return extreme(sympy.Max, *values) if values else sympy.Integer(0)


def extreme(kind: type[sympy.Max | sympy.Min], *values: sympy.Expr) -> sympy.Expr:
    """Return `sympy.Max` or `sympy.Min` of values.

    If the order of every pair changes between two points, no value can be dropped, and SymPy does not compare them.

    >>> B = sympy.Symbol("B", positive=True)
    >>> extreme(sympy.Min, 3*B, sympy.Integer(240)), extreme(sympy.Min, B + 3, sympy.Integer(2))
    (Min(240, 3*B), 2)
    """
    found = [at for value in values if (at := _at_places(value)) is not None]
    apart = [[a - b for a, b in zip(*pair, strict=True)] for pair in combinations(found, 2)]
    changes = len(found) == len(values) > 1 and all(min(each) < 0 < max(each) for each in apart)
    return kind(*values, evaluate=not changes)


def _at_places(value: sympy.Expr) -> list[Fraction] | None:
    """Return a value at each of two points, with one number for all names, or None if it is not a rational function."""
    if not all(s.is_positive for s in value.free_symbols):
        return None
    try:
        return [_put(value, place) for place in PLACES]
    except (ValueError, ZeroDivisionError):
        return None


def _put(value: sympy.Expr, place: int) -> Fraction:
    if value.is_Rational:
        return Fraction(int(value.p), int(value.q))
    if value.is_Symbol:
        return Fraction(place)
    if value.is_Add:
        return sum((_put(part, place) for part in value.args), Fraction(0))
    if value.is_Mul:
        return prod((_put(part, place) for part in value.args), start=Fraction(1))
    if value.is_Pow and value.exp.is_Integer and abs(value.exp) < 100:
        return _put(value.base, place) ** int(value.exp)
    raise ValueError
