"""Exact values of expressions and conditions at rational points, by code that shares nothing with roofproof.

A value is a Fraction, or a real number given by rational bounds of any precision. Tighter bounds decide the sign of a
difference. Two numbers that agree to 2000 bits count as equal. Different roots of the polynomials in the corpus are
much farther apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import cmp_to_key
from math import ceil, floor, isqrt
from typing import Any

import sympy
from sympy.core.relational import Relational

Point = Mapping[str, Fraction]
Bounds = tuple[Fraction, Fraction]
PRECISIONS = (64, 256, 2000)  # bits


class Undefined(ArithmeticError):
    """The value is not a real number at this point, as for a division by zero or the root of a negative number."""


class Real:
    """A real number given by rational bounds, which are tighter for more bits."""

    def __init__(self, bounds: Callable[[int], Bounds]) -> None:
        self.bounds = bounds


Number = Fraction | Real


def bounds(x: Number, bits: int) -> Bounds:
    return x.bounds(bits) if isinstance(x, Real) else (x, x)


def sign(x: Number) -> int:
    """Return the sign of a number.

    >>> sign(plus(root(Fraction(2)), Fraction(-1)))            # sqrt(2) - 1
    1
    """
    if isinstance(x, Real):
        for bits in PRECISIONS:
            low, high = x.bounds(bits)
            if low > 0 or high < 0:
                return 1 if low > 0 else -1
        return 0
    return (x > 0) - (x < 0)


def plus(a: Number, b: Number) -> Number:
    if not isinstance(a, Real) and not isinstance(b, Real):
        return a + b

    def total(bits: int) -> Bounds:
        (p, q), (r, s) = bounds(a, bits), bounds(b, bits)
        return p + r, q + s

    return Real(total)


def times(a: Number, b: Number) -> Number:
    if not isinstance(a, Real) and not isinstance(b, Real):
        return a * b

    def product(bits: int) -> Bounds:
        corners = [p * q for p in bounds(a, bits) for q in bounds(b, bits)]
        return min(corners), max(corners)

    return Real(product)


def inverse(a: Number) -> Number:
    s = sign(a)
    if s == 0:
        raise Undefined
    if not isinstance(a, Real):
        return 1 / a

    def reciprocal(bits: int) -> Bounds:
        low, high = a.bounds(bits)
        while low * high <= 0:  # its sign is known, so tighter bounds exclude zero
            bits *= 2
            low, high = a.bounds(bits)
        return 1 / high, 1 / low

    return Real(reciprocal)


def root(a: Number) -> Number:
    """Return the square root of a number that is not negative."""
    if sign(a) < 0:
        raise Undefined
    if not isinstance(a, Real):
        top, bottom = isqrt(a.numerator), isqrt(a.denominator)
        if top * top == a.numerator and bottom * bottom == a.denominator:
            return Fraction(top, bottom)

    def estimate(bits: int) -> Bounds:
        low, high = bounds(a, 2 * bits)
        scale = 1 << bits
        below = isqrt(floor(max(low, Fraction(0)) * scale * scale))
        above = isqrt(ceil(high * scale * scale)) + 1
        return Fraction(below, scale), Fraction(above, scale)

    return Real(estimate)


def largest(values: Iterable[Number]) -> Number:
    return max(values, key=cmp_to_key(lambda a, b: sign(plus(a, times(Fraction(-1), b)))))


def value(expr: Any, point: Point) -> Number:
    """Return the value of a SymPy expression at a point.

    >>> from sympy.abc import x, y
    >>> value(x/y - sympy.sqrt(y), {"x": Fraction(1), "y": Fraction(4)})        # 1/4 - 2
    Fraction(-7, 4)

    Raises Undefined, and KeyError for a symbol without a value.
    """
    if expr.is_Symbol:
        return point[expr.name]
    if expr.is_Rational:
        return Fraction(int(expr.p), int(expr.q))
    if expr.is_Add:
        total: Number = Fraction(0)
        for arg in expr.args:
            total = plus(total, value(arg, point))
        return total
    if expr.is_Mul:
        product: Number = Fraction(1)
        for arg in expr.args:
            product = times(product, value(arg, point))
        return product
    if expr.is_Pow and expr.exp.is_Rational and expr.exp.q in (1, 2):
        base = value(expr.base, point)
        if expr.exp.q == 2:
            base = root(base)
        power = abs(int(expr.exp.p))
        if isinstance(base, Real):
            raised: Number = Fraction(1)
            for _ in range(power):
                raised = times(raised, base)
        else:
            raised = base**power
        return inverse(raised) if expr.exp.p < 0 else raised
    if isinstance(expr, sympy.Max):
        return largest(value(a, point) for a in expr.args)
    if isinstance(expr, sympy.Min):
        return times(Fraction(-1), largest(times(Fraction(-1), value(a, point)) for a in expr.args))
    if isinstance(expr, sympy.Abs):
        inside = value(expr.args[0], point)
        return inside if sign(inside) >= 0 else times(Fraction(-1), inside)
    if isinstance(expr, sympy.floor | sympy.ceiling):
        inside = value(expr.args[0], point)
        if isinstance(inside, Real):
            raise ArithmeticError(f"rounding an irrational number: {expr}")
        return Fraction(floor(inside) if isinstance(expr, sympy.floor) else ceil(inside))
    if isinstance(expr, sympy.CRootOf):
        return Real(lambda bits: _isolated(expr, bits))
    raise TypeError(f"no exact value for {expr} of type {type(expr).__name__}")


def _isolated(real_root: Any, bits: int) -> Bounds:
    near = real_root.eval_rational(sympy.Rational(1, 2**bits))
    middle, radius = Fraction(int(near.p), int(near.q)), Fraction(1, 2**bits)
    return middle - radius, middle + radius


HOLDS: dict[str, Callable[[int], bool]] = {
    ">": lambda s: s > 0,
    ">=": lambda s: s >= 0,
    "<": lambda s: s < 0,
    "<=": lambda s: s <= 0,
    "==": lambda s: s == 0,
    "!=": lambda s: s != 0,
}


def holds(condition: Any, point: Point) -> bool:
    """Return whether a condition in negation normal form holds at a point. An undefined comparison is false.

    >>> from sympy.abc import x
    >>> holds(x**2 > 2, {"x": Fraction(3, 2)}), holds(1/(x - 1) < 5, {"x": Fraction(1)})
    (True, False)
    """
    if condition == sympy.true or condition == sympy.false:
        return bool(condition)
    if isinstance(condition, Relational):
        try:
            difference = plus(value(condition.lhs, point), times(Fraction(-1), value(condition.rhs, point)))
        except Undefined:
            return False
        return HOLDS[condition.rel_op](sign(difference))
    if isinstance(condition, sympy.And):
        return all(holds(part, point) for part in condition.args)
    if isinstance(condition, sympy.Or):
        return any(holds(part, point) for part in condition.args)
    if isinstance(condition, sympy.Not):
        return not holds(condition.args[0], point)
    raise TypeError(f"no condition: {condition}")
