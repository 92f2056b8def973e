"""The chart of a function of one positive unknown: the intervals on which it falls, is constant or rises.

Every factor of the derivative, and of the difference of two pieces of a maximum, has one sign between consecutive
exact roots. A sign that depends on the parameters raises Split and becomes a case.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import gcd

import sympy

from roofproof.derive.algebra.polynomial import Poly, Ring, sign
from roofproof.derive.algebra.text import plain
from roofproof.derive.charts import Factors
from roofproof.derive.extrema import Pieces
from roofproof.derive.signs import Signs, sign_of
from roofproof.derive.values import compare
from roofproof.errors import RoofproofError

Product = list[tuple[str, int]]  # factors, by name, with their powers


@dataclass(frozen=True, slots=True)
class End:
    """An end of the domain (an expression, 0 or infinity), and whether it belongs to the domain."""

    at: sympy.Expr
    closed: bool


@dataclass(frozen=True, slots=True)
class Stretch:
    """An open interval on which the function is one piece whose slope has one sign: -1, 0 or 1."""

    low: sympy.Expr
    high: sympy.Expr
    piece: int
    slope: int


class SlopeChart:
    """The factors that matter for a function given by pieces, and their roots under given signs."""

    def __init__(self, ring: Ring, unknown: sympy.Symbol, made_of: Pieces) -> None:
        self.ring, self.unknown = ring, unknown
        self.head, self.functions = made_of[0], [ring.fraction(g) for g in made_of[1]]
        self.factors = Factors(ring, unknown)
        self.known: dict[str, Poly] = {}  # the factors met, by their text: FLINT's polynomials cannot be keys
        x = str(ring.gen(unknown))
        self.slopes = [self._split(n.derivative(x) * d - n * d.derivative(x), d * d) for n, d in self.functions]
        self.poles = [self._split(d, ring.context.constant(1)) for _, d in self.functions]
        self.orders = {
            (i, j): self._split(n * e - m * d, d * e)
            for (i, (n, d)), (j, (m, e)) in combinations(enumerate(self.functions), 2)
        }

    def _split(self, num: Poly, den: Poly) -> Product:
        """Return the factors whose signs multiply to that of num/den (an empty product is positive)."""
        out: list[tuple[Poly, int]] = []
        common = num.gcd(den)
        for poly in (num / common, den / common):
            if poly.is_zero():
                out = [(poly, 1)]
                break
            constant, parts = self.ring.factors(poly)
            if constant < 0:
                out.append((self.ring.context.constant(-1), 1))
            out.extend((factor, int(power)) for factor, power in parts if sign(factor) != 1)
        self.known.update((str(factor), factor) for factor, _ in out)
        return [(str(factor), power) for factor, power in out]

    # --- under signs ----------------------------------------------------------------------------------

    def stretches(self, signs: Signs, low: End, high: End) -> list[Stretch]:
        """Return the intervals between the ends, in order, or raise Split for a missing sign."""
        if low.at != 0 and high.at != sympy.oo and self.compare(low.at, high.at, signs) >= 0:
            return []
        charts: dict[str, tuple[list[sympy.Expr], list[int]]] = {}
        for key in (key for factors in (*self.slopes, *self.poles, *self.orders.values()) for key, _ in factors):
            if key not in charts and len(self.ring.coefficients(self.known[key], self.unknown)) > 1:
                charts[key] = self.roots(self.known[key], signs)
        points: list[sympy.Expr] = []
        for found, _ in charts.values():
            for root in found:
                self._insert(points, root, low, high, signs)
        for factors in self.poles:
            for key, _ in factors:
                for root in charts.get(key, ([], []))[0]:
                    self._refuse_pole(root, low, high, signs)
        nodes = [low.at, *points, high.at]
        out = []
        for a, b in pairwise(nodes):
            here = {f: self._sign_between(found, between, a, signs) for f, (found, between) in charts.items()}
            piece = self._active(here, signs)
            out.append(Stretch(a, b, piece, self._product(self.slopes[piece], here, signs)))
        return out

    def _insert(self, points: list[sympy.Expr], root: sympy.Expr, low: End, high: End, signs: Signs) -> None:
        if low.at != 0 and self.compare(root, low.at, signs) <= 0:
            return
        if high.at != sympy.oo and self.compare(root, high.at, signs) >= 0:
            return
        for k, p in enumerate(points):
            order = self.compare(root, p, signs)
            if order == 0:
                return
            if order < 0:
                points.insert(k, root)
                return
        points.append(root)

    def _refuse_pole(self, root: sympy.Expr, low: End, high: End, signs: Signs) -> None:
        after = low.at == 0 or self.compare(root, low.at, signs) >= (0 if low.closed else 1)
        before = high.at == sympy.oo or self.compare(root, high.at, signs) <= (0 if high.closed else -1)
        if after and before:
            raise RoofproofError(
                f"the function has a pole at {self.unknown} = {plain(root)}; add a constraint that keeps away from it"
            )

    def _sign_between(self, found: Sequence[sympy.Expr], between: Sequence[int], left: sympy.Expr, signs: Signs) -> int:
        """Return the sign to the right of `left`, by the number of roots at or before it."""
        if left == 0:
            return between[0]
        return between[sum(self.compare(r, left, signs) <= 0 for r in found)]

    def _active(self, here: dict[str, int], signs: Signs) -> int:
        best = 0
        for k in range(1, len(self.functions)):
            order = -self._product(self.orders[best, k], here, signs)  # the sign of g_k - g_best
            if order == (1 if self.head == "max" else -1):
                best = k
        return best

    def _product(self, factors: Product, here: dict[str, int], signs: Signs) -> int:
        out = 1
        for key, power in factors:
            out *= (here[key] if key in here else sign_of(self.ring, self.known[key], signs)) ** power
        return out

    def compare(self, a: sympy.Expr, b: sympy.Expr, signs: Signs) -> int:
        return compare(self.ring, signs, a, b)

    def roots(self, factor: Poly, signs: Signs) -> tuple[list[sympy.Expr], list[int]]:
        """Return the positive roots of an irreducible polynomial, and its signs between them."""
        rows = self.ring.coefficients(factor, self.unknown)
        while len(rows) > 1 and sign_of(self.ring, rows[-1], signs) == 0:
            rows = rows[:-1]
        step = gcd(*(k for k, c in enumerate(rows) if not c.is_zero()))
        numeric = all(c.is_constant() for c in rows)
        if len(rows) > 2 and step > 1 and (not numeric or len(rows) == step + 1):  # a polynomial in x^step
            found, between, _ = self.factors.chart(rows[::step], signs)
            return [_root(r, step) for r in found], between
        return self.factors.chart(rows, signs)[:2]

    def at_end(self, piece: int, infinite: bool, signs: Signs) -> tuple[sympy.Expr, int]:
        """Return (limit, its sign) of a piece as the unknown tends to 0 or to infinity, where oo and -oo are limits."""
        num, den = self.functions[piece]
        (top, p), (bottom, q) = (self._leading(poly, infinite, signs) for poly in (num, den))
        step = (p - q) if infinite else (q - p)
        turn = sign_of(self.ring, top, signs) * sign_of(self.ring, bottom, signs)
        if step > 0:
            return sympy.oo * turn, turn
        if step < 0:
            return sympy.Integer(0), 0
        return self.ring.factored(top) / self.ring.factored(bottom), turn

    def _leading(self, poly: Poly, infinite: bool, signs: Signs) -> tuple[Poly, int]:
        rows = self.ring.coefficients(poly, self.unknown)
        order = range(len(rows) - 1, -1, -1) if infinite else range(len(rows))
        for k in order:
            if not rows[k].is_zero() and sign_of(self.ring, rows[k], signs) != 0:
                return rows[k], k
        return rows[0], 0


def _root(value: sympy.Expr, n: int) -> sympy.Expr:
    """Return the n-th root of a positive quotient as a quotient of roots, because its denominator is positive, too."""
    num, den = sympy.fraction(value)
    index = sympy.Rational(1, n)
    return num**index / den**index if not value.is_number else value**index
