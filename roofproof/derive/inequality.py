"""Inequalities in one positive unknown with symbolic positive parameters, solved in closed form.

Search, not proof: what is found here is proved by the `proofs` room, which shares none of this code.
"""

from __future__ import annotations

from collections.abc import Iterable

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from roofproof.derive.cases import Above, Always, Below, Between, Case, Cases, Never, Outside, Threshold
from roofproof.derive.polynomial import Poly, Ring, sign
from roofproof.derive.signs import Signs, branches, condition, primitive, sign_of
from roofproof.errors import RoofproofError

ALLOWED = {">": frozenset((1,)), ">=": frozenset((0, 1)), "<": frozenset((-1,)), "<=": frozenset((-1, 0))}


def solve_inequality(
    relation: Relational, unknown: sympy.Symbol, assume: Iterable[Boolean] = (), *, free: bool = False
) -> Cases:
    """Return the exhaustive, disjoint cases in which a rational inequality holds, for a positive unknown.

    >>> from roofproof.symbols import dimension, quantity
    >>> B, D, F = map(dimension, "BDF")
    >>> R = quantity("R")
    >>> print(solve_inequality(B*D*F/(B*D + D*F + B*F) > R, B))      # B (D F - R (D + F)) > R D F
    B > R*D*F/(D*F - R*(D + F))    when 1/D + 1/F < 1/R
    never                          otherwise

    The unknown is of degree one or two once denominators are cleared; `assume` holds relations between the
    parameters that may be taken for granted. Raises RoofproofError outside this fragment.
    """
    if not isinstance(relation, Relational) or relation.rel_op not in ALLOWED:
        raise RoofproofError(f"expected an inequality such as 'I > R', got {relation}")
    difference = relation.lhs - relation.rhs
    ring = Ring.of(difference, unknown, *assume)
    num, den = ring.fraction(difference)
    if not free and unknown.name not in {s.name for s in difference.free_symbols}:
        raise RoofproofError(f"the unknown {unknown} does not occur in {relation}")
    solver = _Solver(ring, unknown)
    found = branches(lambda signs: solver.solve(num, den, ALLOWED[relation.rel_op], signs), _assumed(ring, assume))
    order = sorted(found, key=lambda b: (b.result.kind == "never", len(b.signs)))
    return Cases(unknown, tuple(Case(condition(ring, b.signs), b.result) for b in order))


def solve(condition: Boolean, unknown: sympy.Symbol, assume: Iterable[Boolean] = ()) -> Cases:
    """Return the cases of a condition that may be decided already, or be free of the unknown.

    >>> from roofproof.symbols import quantity
    >>> x, a = quantity("x"), quantity("a")
    >>> print(solve(a > 2, x))
    always    when a > 2
    never     otherwise
    """
    if condition in (sympy.true, sympy.false):
        return Cases(unknown, (Case(sympy.true, Always() if condition == sympy.true else Never()),))
    return solve_inequality(condition, unknown, assume, free=True)


def _assumed(ring: Ring, assume: Iterable[Boolean]) -> Signs:
    signs: Signs = {}
    for relation in assume:
        num, den = ring.fraction(relation.lhs - relation.rhs)
        turn = sign(den)
        key, s = primitive(num)
        if turn is not None:
            signs[key] = frozenset(s * turn * a for a in ALLOWED[relation.rel_op])
    return signs


class _Solver:
    def __init__(self, ring: Ring, unknown: sympy.Symbol) -> None:
        self.ring, self.unknown = ring, unknown

    def solve(self, num: Poly, den: Poly, allowed: frozenset[int], signs: Signs) -> Threshold:
        """Return where num/den has a sign in `allowed`; Split when a sign is missing."""
        turn = 1
        factors = []
        for poly in (num, den):
            if poly.is_zero():
                return Always() if 0 in allowed else Never()
            constant, parts = poly.factor()
            turn *= 1 if constant > 0 else -1
            for factor, power in parts:
                rows = self.ring.coefficients(factor, self.unknown)
                if len(rows) == 1:
                    turn *= sign_of(factor, signs) ** int(power)
                elif sign(factor) is not None:
                    turn *= (sign(factor) or 0) ** int(power)
                else:
                    factors.append((rows, int(power), poly is den))
        if turn == 0:
            return Always() if 0 in allowed else Never()
        allowed = frozenset(turn * a for a in allowed)
        if not factors:
            return Always() if 1 in allowed else Never()
        if len(factors) > 1 or factors[0][1] > 1 or factors[0][2]:
            raise RoofproofError(f"several factors in {self.unknown}: outside the fragment solved in closed form")
        rows = factors[0][0]
        if len(rows) == 2:
            return self.linear(rows[1], rows[0], allowed, signs)
        if len(rows) == 3:
            return self.quadratic(rows[2], rows[1], rows[0], allowed, signs)
        raise RoofproofError(
            f"degree {len(rows) - 1} in {self.unknown} with symbolic parameters has no closed form here"
        )

    def linear(self, a: Poly, b: Poly, allowed: frozenset[int], signs: Signs) -> Threshold:
        """Return where a x + b has a sign in `allowed`."""
        slope = sign_of(a, signs)
        if slope == 0:
            return Always() if sign_of(b, signs) in allowed else Never()
        strict = 0 not in allowed
        if slope * sign_of(b, signs) >= 0:  # the root is not positive: the sign is that of the slope
            return Always() if slope in allowed else Never()
        root = self.quotient(-b, a) if slope > 0 else self.quotient(b, -a)
        return Above(root, strict) if slope in allowed else Below(root, strict)

    def quadratic(self, a: Poly, b: Poly, c: Poly, allowed: frozenset[int], signs: Signs) -> Threshold:
        """Return where a x^2 + b x + c has a sign in `allowed`."""
        bend = sign_of(a, signs)
        if bend == 0:
            return self.linear(b, c, allowed, signs)
        if bend < 0:
            return self.quadratic(-a, -b, -c, frozenset(-s for s in allowed), signs)
        strict = 0 not in allowed
        start = sign_of(c, signs)
        if start == 0:  # x (a x + b)
            return self.linear(a, b, allowed, signs)
        if start < 0:  # one positive root
            root = self.root(a, b, c, 1)
            return Above(root, strict) if 1 in allowed else Below(root, strict)
        if sign_of(b, signs) >= 0:
            return Always() if 1 in allowed else Never()
        turning = sign_of(b * b - 4 * a * c, signs)
        if turning < 0:
            return Always() if 1 in allowed else Never()
        if turning == 0:
            touch = self.quotient(-b, 2 * a)
            if 1 in allowed:
                return Outside(touch, touch) if strict else Always()
            return Never() if strict else Between(touch, touch, False)
        low, high = (self.root(a, b, c, s) for s in (-1, 1))
        return Outside(low, high, strict) if 1 in allowed else Between(low, high, strict)

    def quotient(self, num: Poly, den: Poly) -> sympy.Expr:
        """Return num/den in lowest terms, written as a person would: a difference of two products below."""
        common = num.gcd(den)
        num, den = num / common, den / common
        return self.balanced(num) / self.balanced(den)

    def balanced(self, poly: Poly) -> sympy.Expr:
        """Return a polynomial as a product of its monomial content and (positive part - negative part)."""
        if sign(poly) is not None:
            return self.ring.factored(poly)
        inner = poly.term_content()
        rest = poly / inner
        parts = [
            self.ring.factored(self.ring.context.from_dict({m: c for m, c in rest.to_dict().items() if (c > 0) == up}))
            for up in (True, False)
        ]
        return self.ring.expr(inner) * sympy.Add(*parts)

    def root(self, a: Poly, b: Poly, c: Poly, s: int) -> sympy.Expr:
        """Return p + s sqrt(p^2 - c/a) with p = -b/(2 a), the root as a person would write it."""
        middle = self.quotient(-b, 2 * a)
        return middle + s * sympy.sqrt(middle**2 - self.quotient(c, a))
