"""Where a polynomial in the unknown has a given sign: factor by factor, by its roots in closed form."""

from typing import Any

import sympy

from roofproof.derive.algebra.polynomial import Poly, Ring, bounded, sign, terms
from roofproof.derive.algebra.signs import Order, Signs, sign_of
from roofproof.derive.inequalities.intervals import EVERYWHERE, NOWHERE, Interval, Region, intersection, union
from roofproof.errors import Undecided

MAX_DEGREE = 40
Chart = tuple[list[sympy.Expr], list[int]]  # roots in order; the signs before, between and after them


class Factors:
    """The regions of the positive axis where num/den has a sign in a given set."""

    def __init__(self, ring: Ring, unknown: sympy.Symbol) -> None:
        self.ring, self.unknown = ring, unknown
        self.found: dict[str, tuple[Any, list[tuple[Poly, int, list[Poly]]]]] = {}
        self.quotients: dict[object, sympy.Expr] = {}
        self.roots: dict[object, tuple[sympy.Expr, sympy.Expr]] = {}

    def region(self, num: Poly, den: Poly, allowed: frozenset[int], signs: Signs) -> Region:
        """Return where num/den has a sign in `allowed`; Split when the sign of a coefficient is missing."""
        turn, inner = 1, []
        for poly in (num, den):
            if poly.is_zero():
                return EVERYWHERE if 0 in allowed else NOWHERE
            constant, parts = self.parts(poly)
            turn *= 1 if constant > 0 else -1
            for factor, power, rows in parts:
                if not rows:
                    s = sign_of(self.ring, factor, signs)
                    if s == 0 and poly is den:
                        return NOWHERE  # not defined for any value of the unknown
                    turn *= s**power
                else:
                    inner.append((rows, power, poly is den))
        if turn == 0:
            return self._where_defined(EVERYWHERE if 0 in allowed else NOWHERE, inner, signs)
        if len(inner) == 1 and inner[0][1:] == (1, False):  # the usual case, kept readable
            return self.polynomial(inner[0][0], frozenset(turn * a for a in allowed), signs)
        compare = Order(self.ring, signs)
        # Build up where the product so far is positive and where it is negative; zeros only of the numerator.
        positive, negative, zero = (EVERYWHERE, NOWHERE, NOWHERE) if turn > 0 else (NOWHERE, EVERYWHERE, NOWHERE)
        for rows, power, below_line in inner:
            chart = self.chart(rows, signs)
            up, down, at = (_around(*chart, frozenset((s,))) for s in (1, -1, 0))
            if not below_line:
                zero = union(zero, at, compare)
            if power % 2 == 0:
                up, down = union(up, down, compare), NOWHERE
            positive, negative = (
                union(intersection(positive, up, compare), intersection(negative, down, compare), compare),
                union(intersection(positive, down, compare), intersection(negative, up, compare), compare),
            )
        out = NOWHERE
        for part, s in ((positive, 1), (negative, -1), (self._where_defined(zero, inner, signs), 0)):
            if s in allowed:
                out = union(out, part, compare)
        return out

    def parts(self, poly: Poly) -> tuple[Any, list[tuple[Poly, int, list[Poly]]]]:
        """Return a constant and the factors of a polynomial, each with its coefficients where they do not settle it."""
        text = str(poly)
        if text not in self.found:
            constant, factors = poly.factor()
            rows = [self.ring.coefficients(factor, self.unknown) for factor, _ in factors]
            self.found[text] = (
                constant,
                [
                    (factor, int(power), [] if len(row) == 1 or self.settled(factor) else row)
                    for (factor, power), row in zip(factors, rows, strict=True)
                ],
            )
        return self.found[text]

    def settled(self, factor: Poly) -> bool:
        """Tell whether the coefficients of a factor with the unknown in it settle its sign."""
        return sign(factor) is not None

    def _where_defined(self, zero: Region, inner: list[tuple[list[Poly], int, bool]], signs: Signs) -> Region:
        for rows, _, below_line in inner:
            if below_line and zero:
                nonzero = self.polynomial(rows, frozenset((-1, 1)), signs)
                zero = intersection(zero, nonzero, Order(self.ring, signs))
        return zero

    def polynomial(self, rows: list[Poly], allowed: frozenset[int], signs: Signs) -> Region:
        """Return where an irreducible polynomial in the unknown, lowest coefficient first, has such a sign."""
        return _around(*self.chart(rows, signs), allowed)

    def chart(self, rows: list[Poly], signs: Signs) -> Chart:
        """Return the positive roots of an irreducible polynomial, and its signs before, between and after them."""
        while len(rows) > 1 and sign_of(self.ring, rows[-1], signs) == 0:
            rows = rows[:-1]
        if len(rows) == 1:
            return [], [sign_of(self.ring, rows[0], signs)]
        if len(rows) == 2:
            return self.linear(rows[1], rows[0], signs)
        if len(rows) == 3:
            return self.quadratic(rows[2], rows[1], rows[0], signs)
        if all(row.is_constant() for row in rows):
            return self.isolated(rows)
        symbols = sorted({s.name for row in rows for s in self.ring.expr(row).free_symbols})
        raise Undecided(
            "degree <degree> in <unknown> with symbols has no closed form; give values to <names> "
            "(a chip gives ridge points)",
            degree=len(rows) - 1,
            unknown=self.unknown,
            names=", ".join(symbols),
        )

    def linear(self, a: Poly, b: Poly, signs: Signs) -> Chart:
        """Return the chart of a x + b, for a not zero."""
        slope = sign_of(self.ring, a, signs)
        if slope * sign_of(self.ring, b, signs) >= 0:  # the root is not positive: the sign is that of the slope
            return [], [slope]
        return [self.quotient(-b, a) if slope > 0 else self.quotient(b, -a)], [-slope, slope]

    def quadratic(self, a: Poly, b: Poly, c: Poly, signs: Signs) -> Chart:
        """Return the chart of a x^2 + b x + c, for a not zero."""
        if sign_of(self.ring, a, signs) < 0:
            roots, between = self.quadratic(-a, -b, -c, signs)
            return roots, [-s for s in between]
        start = sign_of(self.ring, c, signs)
        if start == 0:  # x (a x + b)
            return self.linear(a, b, signs)
        if start < 0:  # one positive root
            return [self.root(a, b, c, 1)], [-1, 1]
        if sign_of(self.ring, b, signs) >= 0 or (turning := sign_of(self.ring, bounded(b * b - 4 * a * c), signs)) < 0:
            return [], [1]
        if turning == 0:
            return [self.quotient(-b, 2 * a)], [1, 1]
        return [self.root(a, b, c, -1), self.root(a, b, c, 1)], [1, -1, 1]

    def isolated(self, rows: list[Poly]) -> Chart:
        """Return the chart of a polynomial with numeric coefficients, by exact real roots."""
        if len(rows) - 1 > MAX_DEGREE:
            raise Undecided(
                "degree <degree> in <unknown>; at most <most> is solved",
                degree=len(rows) - 1,
                unknown=self.unknown,
                most=MAX_DEGREE,
            )
        poly = sympy.Poly([self.ring.expr(r) for r in reversed(rows)], sympy.Dummy("x"))
        roots = [r for r in sympy.Poly.real_roots(poly, multiple=False) if self.counts(r[0])]
        between = [1 if poly.LC() > 0 else -1]
        for _, multiplicity in reversed(roots):
            between.insert(0, between[0] * (-1) ** multiplicity)
        return [r for r, _ in roots], between

    def counts(self, root: sympy.Expr) -> bool:
        """Tell whether the unknown may lie at a root."""
        from roofproof.derive.algebra.exact_comparison import numbers_compared

        return numbers_compared(root, sympy.Integer(0)) > 0

    def quotient(self, num: Poly, den: Poly) -> sympy.Expr:
        """Return num/den in lowest terms, written as a person would: a difference of two products below."""
        key = _key(num, den)
        if key not in self.quotients:
            common = num.gcd(den)
            self.quotients[key] = self.balanced(num / common) / self.balanced(den / common)
        return self.quotients[key]

    def balanced(self, poly: Poly) -> sympy.Expr:
        """Return a polynomial as a product of its monomial content and (positive part - negative part)."""
        if sign(poly) is not None:
            return self.ring.factored(poly)
        inner = poly.term_content()
        rest = terms(poly / inner)
        parts = [
            self.ring.factored(self.ring.context.from_dict({m: c for m, c in rest.items() if (c > 0) == up}))
            for up in (True, False)
        ]
        return self.ring.expr(inner) * sympy.Add(*parts)

    def root(self, a: Poly, b: Poly, c: Poly, s: int) -> sympy.Expr:
        """Return p + s sqrt(p^2 - c/a) with p = -b/(2 a), the root as a person would write it."""
        key = _key(a, b, c)
        if key not in self.roots:
            middle, inside = self.quotient(-b, 2 * a), bounded(b * b - 4 * a * c)
            whole = len(inside) == 1 and sign(inside) == 1  # one term, as in (x - a)^2 - b
            half = sympy.sqrt(self.quotient(inside, 4 * a * a) if whole else middle**2 - self.quotient(c, a))
            self.roots[key] = (middle, half)
        middle, half = self.roots[key]
        return middle + s * half


class RealFactors(Factors):
    """The same for a logarithm: an unknown that may be any number, with regions that reach to minus infinity.

    Where it is that of a size, which is 1 or more, roots below zero of what is not linear do not count.

    >>> from roofproof.symbols import quantity
    >>> u, R = sympy.Symbol("u", real=True), quantity("R")
    >>> ring = Ring.of(u, R)
    >>> RealFactors(ring, u).region(*ring.fraction(u + R), frozenset((1,)), {})               # u > -R
    (Interval(low=-R, high=None, low_closed=False, high_closed=False),)
    """

    def __init__(self, ring: Ring, unknown: sympy.Symbol, of_size: bool = False) -> None:
        super().__init__(ring, unknown)
        self.of_size = of_size

    def settled(self, factor: Poly) -> bool:
        return self.of_size and super().settled(factor) and bool(factor.coeffs()) and self._at_zero(factor)

    def _at_zero(self, factor: Poly) -> bool:
        return not self.ring.coefficients(factor, self.unknown)[0].is_zero()

    def counts(self, root: sympy.Expr) -> bool:
        return not self.of_size or super().counts(root)

    def linear(self, a: Poly, b: Poly, signs: Signs) -> Chart:
        slope = sign_of(self.ring, a, signs)
        return [self.quotient(-b, a) if slope > 0 else self.quotient(b, -a)], [-slope, slope]

    def quadratic(self, a: Poly, b: Poly, c: Poly, signs: Signs) -> Chart:
        if self.of_size:
            return super().quadratic(a, b, c, signs)
        if sign_of(self.ring, a, signs) < 0:
            roots, between = self.quadratic(-a, -b, -c, signs)
            return roots, [-s for s in between]
        if (turning := sign_of(self.ring, bounded(b * b - 4 * a * c), signs)) <= 0:
            return ([self.quotient(-b, 2 * a)], [1, 1]) if turning == 0 else ([], [1])
        return [self.root(a, b, c, -1), self.root(a, b, c, 1)], [1, -1, 1]


def _key(*polys: Poly) -> object:
    return tuple(map(str, polys))


def _around(roots: list[sympy.Expr], between: list[int], allowed: frozenset[int]) -> Region:
    """Return the region with signs in `allowed`, given the sign between consecutive roots."""
    closed = 0 in allowed
    pieces: list[Interval] = []
    ends = [None, *roots, None]
    for k, s in enumerate(between):
        low, high = ends[k], ends[k + 1]
        if s in allowed:
            if pieces and closed and pieces[-1].high == low and low is not None:
                previous = pieces.pop()
                pieces.append(Interval(previous.low, high, previous.low_closed, high is not None))
            else:
                pieces.append(Interval(low, high, closed and low is not None, closed and high is not None))
        elif closed and k and between[k - 1] not in allowed:  # a root that only touches
            pieces.append(Interval(low, low, True, True))
    return tuple(pieces)
