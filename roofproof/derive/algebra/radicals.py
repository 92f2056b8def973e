"""Fractional powers made whole, radicals compared, and values at radicals, all in exact polynomial arithmetic."""

from collections.abc import Iterable, Mapping
from math import lcm

import sympy

from roofproof.derive.algebra.exact_comparison import sign_of_ball
from roofproof.derive.algebra.polynomial import Poly, Ring, factored_fraction
from roofproof.derive.algebra.signs import Signs, decided, known_sign, rational_sign
from roofproof.errors import RoofproofError

MAX_ROOT = 24


def whole_powers(exprs: Iterable[sympy.Basic]) -> dict[sympy.Symbol, sympy.Expr]:
    """Return x -> y**q for every symbol with a fractional power, so that only whole powers are left.

    >>> from roofproof.symbols import quantity
    >>> x, a = quantity("x"), quantity("a")
    >>> table = whole_powers([a*sympy.sqrt(x) + 1/x])
    >>> table, (a*sympy.sqrt(x) + 1/x).xreplace(table)
    ({x: x^(1/2)**2}, a*x^(1/2) + x^(1/2)**(-2))

    Raises RoofproofError for roots of an index above 24.
    """
    roots: dict[sympy.Symbol, int] = {}
    for expr in exprs:
        for power in sorted(expr.atoms(sympy.Pow), key=sympy.default_sort_key):
            if power.base.is_Symbol and power.exp.is_Rational and not power.exp.is_Integer:
                roots[power.base] = lcm(roots.get(power.base, 1), int(power.exp.q))
    for s, q in roots.items():
        if q > MAX_ROOT:
            raise RoofproofError(
                "a root of <value> of index <index>; at most <most> is read", value=s, index=q, most=MAX_ROOT
            )
    return {
        s: sympy.Symbol(f"{s.name}^(1/{q})", positive=True) ** q
        for s, q in sorted(roots.items(), key=lambda pair: str(pair[0]))
    }


def undone(table: Mapping[sympy.Symbol, sympy.Expr]) -> dict[sympy.Symbol, sympy.Expr]:
    """Return y -> x**(1/q), the way back from `whole_powers`."""
    return {power.base: s ** (1 / power.exp) for s, power in table.items()}


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


def compare(ring: Ring, signs: Signs, a: sympy.Expr, b: sympy.Expr) -> int:
    """Return the sign of a - b for two positive values, radicals raised to powers; Split where it is open.

    >>> from roofproof.symbols import quantity
    >>> x = quantity("x")
    >>> ring = Ring([x])
    >>> compare(ring, {}, sympy.sqrt(x*(x + 1)), x)             # squares: x^2 + x against x^2
    1
    """
    if a == b:
        return 0
    if a.is_number and b.is_number:
        return sign_of_number(a - b)
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
    return decided(ring, signs, a, b)


def compare_values(ring: Ring, signs: Signs, a: sympy.Expr, b: sympy.Expr) -> int:
    """Return the sign of a - b for values of any sign; Split where it is open."""
    if a == b:
        return 0
    if a.is_number and b.is_number:
        return sign_of_number(a - b)
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


def sign_of_number(x: sympy.Expr) -> int:
    """Return the sign of a real number: zero is told exactly, where numerics alone would go on."""
    if (found := sign_of_ball(x)) is not None:
        return found
    return 0 if not x.is_Rational and x.equals(0) else int(sympy.sign(x))


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
    """Return num/den where the unknown equals a point: rational, a radical, p ± sqrt(q), or a numeric root.

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
    """Reduce by s^n = q: what is left are fewer than n powers of s, each with a rational coefficient."""
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
    constant, parts = poly.factor()
    number = sympy.Rational(int(constant.p), int(constant.q))
    return [number**power, *(ring.expr(f) ** (int(e) * power) for f, e in parts)]


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
