"""Values with roots: compared by the signs of a path, and substituted for a variable."""

from __future__ import annotations

from dataclasses import dataclass
from math import lcm

import sympy

from roofproof.derive.algebra.budget import spend
from roofproof.derive.algebra.exact_comparison import numbers_compared
from roofproof.derive.algebra.polynomial import MAX_ROOT, Poly, Ring, factored_fraction
from roofproof.derive.signs import ANY, Signs, Split, sign_of
from roofproof.errors import Undecided
from roofproof.formula.logarithm import exp2

COMPARISON = 150  # steps


@dataclass(frozen=True, slots=True)
class Order:
    """The order of values under given signs.

    >>> from roofproof.symbols import quantity
    >>> a, b = quantity("a"), quantity("b")
    >>> order = Order(Ring([a, b]), {})
    >>> order(2*a, a), order.plain(a, b)
    (1, None)
    """

    ring: Ring
    signs: Signs

    def __call__(self, a: sympy.Expr, b: sympy.Expr) -> int:
        """Return the sign of a - b, or raise Split."""
        return compared_sign(self.ring, self.signs, a, b)

    def plain(self, a: sympy.Expr, b: sympy.Expr) -> int | None:
        """Return the sign of a - b if it is the same for all values, else None."""
        try:
            return compared_sign(self.ring, {}, a, b)
        except Split:
            return None


def compared_sign(ring: Ring, signs: Signs, a: sympy.Expr, b: sympy.Expr) -> int:
    """Return the sign of a - b under `signs`, or raise Split."""
    if a == b:
        return 0
    if a.is_number and b.is_number:
        return numbers_compared(a, b)
    spend(COMPARISON)
    if (a - b).has(sympy.CRootOf):
        raise Undecided("cannot compare <one> and <other> symbolically; give the other symbols values", one=a, other=b)
    opaque = (a - b).atoms(sympy.Max, sympy.Min, exp2) | {
        p for p in (a - b).atoms(sympy.Pow) if p.exp.is_Rational and not p.exp.is_Integer
    }
    if opaque - set(ring.atoms):
        scale, rest = (a - b).as_coeff_Mul()
        if rest.is_Pow and rest.exp.is_Rational and rest.exp.q == 2:  # such as the gap between a quadratic's roots,
            return 1 if scale > 0 else -1  # which are named only if they differ
        return known_sign(signs, a, b)
    return rational_sign(ring, signs, a - b)


def rational_sign(ring: Ring, signs: Signs, value: sympy.Expr) -> int:
    """Return the sign of a quotient of polynomials under `signs`, or raise Split."""
    num, den = ring.fraction(value)
    return sign_of(ring, num, signs) * sign_of(ring, den, signs)


def known_sign(signs: Signs, a: sympy.Expr, b: sympy.Expr) -> int:
    """Return the sign of a - b that `signs` contains for this exact difference, or raise Split."""
    key, turn = (a - b, 1) if sympy.default_sort_key(a) < sympy.default_sort_key(b) else (b - a, -1)
    allowed = signs.get(key, ANY)
    if len(allowed) > 1:
        raise Split(key)
    return next(iter(allowed)) * turn


def compare(ring: Ring, signs: Signs, a: sympy.Expr, b: sympy.Expr) -> int:
    """Return the sign of a - b for two positive values by clearing radicals, or raise Split.

    >>> from roofproof.symbols import quantity
    >>> x = quantity("x")
    >>> ring = Ring([x])
    >>> compare(ring, {}, sympy.sqrt(x*(x + 1)), x)             # squares: x^2 + x against x^2
    1
    """
    if a == b or (a.is_number and b.is_number):
        return compared_sign(ring, signs, a, b)
    n = lcm(index_of(a, ring), index_of(b, ring))
    if n <= MAX_ROOT:
        left, right = raised(a, n), raised(b, n)
        if is_rational(left, ring) and is_rational(right, ring):
            return rational_sign(ring, signs, left - right)
    for one, other, turn in ((a, b, 1), (b, a, -1)):
        if is_rational(other, ring) and (parts := middle_and_root(one, ring)) is not None:
            middle, side, inside = parts  # middle + side * sqrt(inside) against other
            gap = rational_sign(ring, signs, other - middle)
            if gap * side <= 0:
                return turn * side
            return turn * side * rational_sign(ring, signs, inside - (other - middle) ** 2)
    return compared_sign(ring, signs, a, b)


def compare_values(ring: Ring, signs: Signs, a: sympy.Expr, b: sympy.Expr) -> int:
    """Return the sign of a - b for values of any sign, or raise Split."""
    if a == b or (a.is_number and b.is_number):
        return compared_sign(ring, signs, a, b)
    if is_rational(a, ring) and is_rational(b, ring):
        return rational_sign(ring, signs, a - b)
    difference = sympy.together(a - b)
    if difference == 0:
        return 0
    if difference.is_positive or difference.is_negative:
        return 1 if difference.is_positive else -1
    if a.is_positive and b.is_positive:
        return compare(ring, signs, a, b)
    return known_sign(signs, a, b)


def index_of(expr: sympy.Expr, ring: Ring) -> int:
    """Return the least n for which expr**n is free of radicals outside the ring, for a product of powers."""
    out = 1
    for factor in sympy.Mul.make_args(expr):
        if factor.is_Pow and factor.exp.is_Rational and factor not in ring.atoms:
            out = lcm(out, int(factor.exp.q))
    return out


def is_rational(expr: sympy.Expr, ring: Ring) -> bool:
    """Tell whether an expression is a quotient of polynomials in the atoms of the ring."""
    if expr in ring.atoms or expr.is_Symbol or expr.is_Rational:
        return True
    if expr.is_Add or expr.is_Mul:
        return all(is_rational(a, ring) for a in expr.args)
    return bool(expr.is_Pow and expr.exp.is_Integer and is_rational(expr.base, ring))


def raised(expr: sympy.Expr, n: int) -> sympy.Expr:
    """Return expr**n for a product of powers, each exponent multiplied by n."""
    return sympy.Mul(*(f.base ** (f.exp * n) if f.is_Pow else f**n for f in sympy.Mul.make_args(expr)))


def middle_and_root(expr: sympy.Expr, ring: Ring) -> tuple[sympy.Expr, int, sympy.Expr] | None:
    """Return (p, s, q) of p + s sqrt(q) with p and q rational and s = 1 or -1, or None."""
    plain: list[sympy.Expr] = []
    rooted: list[sympy.Expr] = []
    for term in sympy.Add.make_args(expr):
        (plain if is_rational(term, ring) else rooted).append(term)
    if len(rooted) != 1 or rooted[0].free_symbols - frozenset(a for a in ring.atoms if a.is_Symbol):
        return None
    minus = rooted[0].could_extract_minus_sign()
    square = (-rooted[0] if minus else rooted[0]) ** 2
    if not is_rational(square, ring):
        return None
    return sympy.Add(*plain), -1 if minus else 1, square


def value_at(ring: Ring, num: Poly, den: Poly, unknown: sympy.Symbol, point: sympy.Expr) -> sympy.Expr:
    """Return num/den with a point substituted for the unknown: rational, a radical, p ± sqrt(q), or a numeric root.

    >>> from roofproof.symbols import quantity
    >>> a, b, x = map(quantity, "abx")
    >>> ring = Ring([a, b, x])
    >>> value_at(ring, *ring.fraction(a*x + b/x), x, sympy.sqrt(b/a))       # a x = b/x there
    2*sqrt(a)*sqrt(b)
    """
    top, bottom = ([ring.expr(c) for c in ring.coefficients(p, unknown)] for p in (num, den))
    if is_rational(point, ring):
        exact = ring.fraction(_horner(top, point) / _horner(bottom, point))
        return factored_fraction(ring, *exact)
    if point.has(sympy.CRootOf):
        return _at_numeric_root(top, bottom, point)
    n = index_of(point, ring)
    if is_rational(raised(point, n), ring):
        return _at_radical(ring, top, bottom, point, n)
    parts = middle_and_root(point, ring)
    if parts is not None:
        return _at_quadratic(top, bottom, *parts)
    return sympy.simplify(_horner(top, point) / _horner(bottom, point))


def _horner(rows: list[sympy.Expr], x: sympy.Expr) -> sympy.Expr:
    out = sympy.Integer(0)
    for c in reversed(rows):
        out = out * x + c
    return out


def _at_radical(ring: Ring, top: list[sympy.Expr], bottom: list[sympy.Expr], s: sympy.Expr, n: int) -> sympy.Expr:
    """Reduce by s^n = q, which leaves fewer than n powers of s, each with a rational coefficient."""
    q = raised(s, n)
    num, den = ({k: sympy.Add(*(c * q ** (i // n) for i, c in enumerate(rows) if i % n == k)) for k in range(n)}
                for rows in (top, bottom))  # fmt: skip
    below = [k for k in range(n) if ring.fraction(den[k])[0] != 0]
    if len(below) != 1:
        return sympy.radsimp(sympy.simplify(_horner(top, s) / _horner(bottom, s)))
    parts = []
    for k in range(n):
        over, under = ring.fraction(num[k] / den[below[0]])
        if over != 0:
            power = sympy.Mul.make_args(raised(s, k - below[0]))  # all factors at once, so that like bases join
            parts.append(sympy.Mul(*_factors(ring, over, 1), *_factors(ring, under, -1), *power))
    return sympy.Add(*parts)


def _factors(ring: Ring, poly: Poly, power: int) -> list[sympy.Expr]:
    constant, parts = ring.factors(poly)
    number = sympy.Rational(int(constant.p), int(constant.q))
    return [number**power, *(ring.expr(f) ** (e * power) for f, e in parts)]


def _at_quadratic(
    top: list[sympy.Expr], bottom: list[sympy.Expr], p: sympy.Expr, side: int, q: sympy.Expr
) -> sympy.Expr:
    """Work with pairs u + v r for r = sqrt(q), and rationalise the denominator."""

    def pair(rows: list[sympy.Expr]) -> tuple[sympy.Expr, sympy.Expr]:
        u = v = sympy.Integer(0)
        for c in reversed(rows):
            u, v = sympy.cancel(u * p + v * side * q + c), sympy.cancel(u * side + v * p)
        return u, v

    (a, b), (c, d) = pair(top), pair(bottom)
    norm = c**2 - d**2 * q
    u, v = (sympy.factor(sympy.cancel(e / norm)) for e in (a * c - b * d * q, b * c - a * d))
    return u + v * sympy.sqrt(q)


def _at_numeric_root(top: list[sympy.Expr], bottom: list[sympy.Expr], root: sympy.Expr) -> sympy.Expr:
    x = sympy.Dummy("x")
    poly = root.poly.as_expr(x)
    inverse = sympy.invert(_horner(bottom, x), poly, x)
    return sympy.rem(sympy.expand(_horner(top, x) * inverse), poly, x).subs(x, root)
