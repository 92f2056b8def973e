"""Where a polynomial in the unknown has a given sign: factor by factor, by its roots in closed form."""

from itertools import pairwise

import sympy

from roofproof.derive.algebra.polynomial import Poly, Ring, bounded, sign
from roofproof.derive.algebra.signs import Order, Signs, sign_of
from roofproof.derive.inequalities.intervals import EVERYWHERE, NOWHERE, Interval, Region, intersection, union
from roofproof.errors import Undecided

MAX_DEGREE = 40


class Factors:
    """The regions of the positive axis where num/den has a sign in a given set."""

    def __init__(self, ring: Ring, unknown: sympy.Symbol) -> None:
        self.ring, self.unknown = ring, unknown
        self.quotients: dict[object, sympy.Expr] = {}
        self.roots: dict[object, tuple[sympy.Expr, sympy.Expr]] = {}

    def region(self, num: Poly, den: Poly, allowed: frozenset[int], signs: Signs) -> Region:
        """Return where num/den has a sign in `allowed`; Split when the sign of a coefficient is missing."""
        turn, inner = 1, []
        for poly in (num, den):
            if poly.is_zero():
                return EVERYWHERE if 0 in allowed else NOWHERE
            constant, parts = poly.factor()
            turn *= 1 if constant > 0 else -1
            for factor, power in parts:
                rows = self.ring.coefficients(factor, self.unknown)
                if sign(factor) is not None or len(rows) == 1:
                    s = sign_of(factor, signs)
                    if s == 0 and poly is den:
                        return NOWHERE  # not defined for any value of the unknown
                    turn *= s ** int(power)
                else:
                    inner.append((rows, int(power), poly is den))
        if turn == 0:
            defined = [rows for rows, _, below_line in inner if below_line]
            out = EVERYWHERE if 0 in allowed else NOWHERE
            for rows in defined if out else ():
                nonzero = self.polynomial(rows, frozenset((-1, 1)), signs)
                out = intersection(out, nonzero, Order(self.ring, signs))
            return out
        compare = Order(self.ring, signs)
        # Build up where the product so far is positive and where it is negative; zeros only of the numerator.
        positive, negative, zero = (EVERYWHERE, NOWHERE, NOWHERE) if turn > 0 else (NOWHERE, EVERYWHERE, NOWHERE)
        for rows, power, below_line in inner:
            up = self.polynomial(rows, frozenset((1,)), signs)
            down = self.polynomial(rows, frozenset((-1,)), signs)
            if len(inner) == 1 and power == 1 and not below_line:  # the usual case, kept readable
                wanted = frozenset(turn * a for a in allowed)
                return self.polynomial(rows, wanted, signs)
            if not below_line:
                at = self.polynomial(rows, frozenset((0,)), signs)
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

    def _where_defined(self, zero: Region, inner: list[tuple[list[Poly], int, bool]], signs: Signs) -> Region:
        compare = Order(self.ring, signs)
        for rows, _, below_line in inner:
            if below_line and zero:
                zero = intersection(zero, self.polynomial(rows, frozenset((-1, 1)), signs), compare)
        return zero

    def polynomial(self, rows: list[Poly], allowed: frozenset[int], signs: Signs) -> Region:
        """Return where an irreducible polynomial in the unknown, lowest coefficient first, has such a sign."""
        if allowed == {0, 1, -1}:
            return EVERYWHERE
        while len(rows) > 1 and sign_of(rows[-1], signs) == 0:
            rows = rows[:-1]
        if len(rows) == 1:
            return EVERYWHERE if sign_of(rows[0], signs) in allowed else NOWHERE
        if len(rows) == 2:
            return self.linear(rows[1], rows[0], allowed, signs)
        if len(rows) == 3:
            return self.quadratic(rows[2], rows[1], rows[0], allowed, signs)
        if all(row.is_constant() for row in rows):
            return self.isolated(rows, allowed)
        raise Undecided(
            f"degree {len(rows) - 1} in {self.unknown} with symbolic parameters has no closed form here; "
            "give the other symbols values"
        )

    def linear(self, a: Poly, b: Poly, allowed: frozenset[int], signs: Signs) -> Region:
        """Return where a x + b has a sign in `allowed`, for a not zero."""
        slope = sign_of(a, signs)
        if slope * sign_of(b, signs) >= 0:  # the root is not positive: the sign is that of the slope
            return EVERYWHERE if slope in allowed else NOWHERE
        root = self.quotient(-b, a) if slope > 0 else self.quotient(b, -a)
        return _around([root], [-slope, slope], allowed)

    def quadratic(self, a: Poly, b: Poly, c: Poly, allowed: frozenset[int], signs: Signs) -> Region:
        """Return where a x^2 + b x + c has a sign in `allowed`, for a not zero."""
        bend = sign_of(a, signs)
        if bend < 0:
            return self.quadratic(-a, -b, -c, frozenset(-s for s in allowed), signs)
        start = sign_of(c, signs)
        if start == 0:  # x (a x + b)
            return self.linear(a, b, allowed, signs)
        if start < 0:  # one positive root
            return _around([self.root(a, b, c, 1)], [-1, 1], allowed)
        if sign_of(b, signs) >= 0:
            return EVERYWHERE if 1 in allowed else NOWHERE
        turning = sign_of(bounded(b * b - 4 * a * c), signs)
        if turning < 0:
            return EVERYWHERE if 1 in allowed else NOWHERE
        if turning == 0:
            return _around([self.quotient(-b, 2 * a)], [1, 1], allowed)
        return _around([self.root(a, b, c, -1), self.root(a, b, c, 1)], [1, -1, 1], allowed)

    def isolated(self, rows: list[Poly], allowed: frozenset[int]) -> Region:
        """Return where a polynomial with numeric coefficients has a sign in `allowed`, by exact real roots."""
        if len(rows) - 1 > MAX_DEGREE:
            raise Undecided(f"degree {len(rows) - 1} in {self.unknown}; at most {MAX_DEGREE} is solved")
        poly = sympy.Poly([self.ring.expr(r) for r in reversed(rows)], sympy.Dummy("x"))
        roots = [r for r in sympy.Poly.real_roots(poly, multiple=False) if _positive(r[0])]
        last = 1 if poly.LC() > 0 else -1
        between = [last]
        for _, multiplicity in reversed(roots):
            between.insert(0, between[0] * (-1) ** multiplicity)
        return _around([r for r, _ in roots], between, allowed)

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
        rest = (poly / inner).to_dict()
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


def _key(*polys: Poly) -> object:
    return tuple(tuple(p.to_dict().items()) for p in polys)


def _positive(root: sympy.Expr) -> bool:
    """Tell whether a real root is positive; by counting, as roots may lie closer than numerics soon tell apart."""
    factor, inner = root.as_coeff_Mul()
    if not isinstance(inner, sympy.CRootOf):
        return bool(root.is_positive)
    isolated = inner.poly.intervals()  # real roots come first, in order
    return bool(factor > 0) == bool(inner.index >= len(isolated) - len(inner.poly.intervals(inf=0)))


def _around(roots: list[sympy.Expr], between: list[int], allowed: frozenset[int]) -> Region:
    """Return the region with signs in `allowed`, given the sign between consecutive roots."""
    closed = 0 in allowed
    if allowed == {-1, 1}:
        ends = [None, *roots, None]
        return tuple(Interval(a, b) for a, b in pairwise(ends))
    pieces: list[Interval] = []
    ends = [None, *roots, None]
    for k, s in enumerate(between):
        if s in allowed:
            low, high = ends[k], ends[k + 1]
            if pieces and closed and pieces[-1].high == low and low is not None:
                previous = pieces.pop()
                pieces.append(Interval(previous.low, high, previous.low_closed, closed and high is not None))
            else:
                pieces.append(Interval(low, high, closed and low is not None, closed and high is not None))
        elif closed and k and between[k - 1] not in allowed:  # a root that only touches
            pieces.append(Interval(ends[k], ends[k], True, True))
    return tuple(pieces)
