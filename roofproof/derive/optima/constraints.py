"""The domain of an optimum: equations, each solved for one unknown, and bounds on the remaining one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.polynomial import Ring
from roofproof.derive.algebra.text import plain
from roofproof.derive.optima.extremum import Approached, Attained, Outcome, Point, Unbounded
from roofproof.derive.optima.sign_chart import End
from roofproof.derive.regions import Region, region_of
from roofproof.derive.signs import Signs, assumed
from roofproof.derive.solve import solve
from roofproof.derive.values import compare, rational_sign
from roofproof.errors import RoofproofError, quoted


@dataclass(frozen=True, slots=True)
class Domain:
    """The free unknowns, those that depend on them, and the bounds: (expression, whether it belongs to the domain).

    >>> from roofproof.symbols import quantity
    >>> x, y, N = map(quantity, "xyN")
    >>> found = domain_of((x, y), [sympy.Eq(x*y, N), x >= 1])
    >>> found.free, found.dependent, found.lows
    ((x,), ((y, N/x),), ((1, True),))
    """

    free: tuple[sympy.Symbol, ...]
    dependent: tuple[tuple[sympy.Symbol, sympy.Expr], ...] = ()
    lows: tuple[tuple[sympy.Expr, bool], ...] = ()
    highs: tuple[tuple[sympy.Expr, bool], ...] = ()
    never: bool = False

    @property
    def expressions(self) -> tuple[sympy.Expr, ...]:
        """Every bound."""
        return tuple(e for e, _ in (*self.lows, *self.highs))

    def without_dependents(self, f: sympy.Expr) -> sympy.Expr:
        for s, value in reversed(self.dependent):
            f = f.xreplace({s: value})
        return f

    def with_dependents(self, outcome: Outcome) -> Outcome:
        """Return an outcome with the values of the dependent unknowns added."""
        if not self.dependent or not isinstance(outcome, Attained | Approached | Unbounded):
            return outcome
        at = dict(outcome.at if isinstance(outcome, Attained) else outcome.towards)
        finite = all(v not in (0, sympy.oo) for v in at.values())
        for s, value in self.dependent:
            if finite:
                at[s] = sympy.factor(sympy.radsimp(value.xreplace(at)))
        point: Point = tuple(at.items())
        return replace(outcome, at=point) if isinstance(outcome, Attained) else replace(outcome, towards=point)

    def changed(self, unknown: sympy.Symbol, change: Callable[[sympy.Expr], sympy.Expr], power: sympy.Expr) -> Domain:
        """Return the domain of `unknown`, which is a root of the old unknown."""
        lows, highs = (tuple((change(e) ** power, c) for e, c in side) for side in (self.lows, self.highs))
        return Domain((unknown,), (), lows, highs, self.never)

    def ends(self, ring: Ring, signs: Signs) -> tuple[End, End] | None:
        """Return the ends under these signs, or None if the domain is empty, or raise Split for a missing sign."""
        if self.never:
            return None
        low, high = End(sympy.Integer(0), False), End(sympy.oo, False)
        for e, closed in self.lows:
            if e.is_positive is True or rational_sign(ring, signs, e) > 0:
                order = 1 if low.at == 0 else compare(ring, signs, e, low.at)
                if order > 0 or (order == 0 and not closed):
                    low = End(e, closed)
        for e, closed in self.highs:
            if e.is_positive is not True and rational_sign(ring, signs, e) <= 0:
                return None
            order = -1 if high.at == sympy.oo else compare(ring, signs, e, high.at)
            if order < 0 or (order == 0 and not closed):
                high = End(e, closed)
        if low.at == 0 or high.at == sympy.oo:
            return low, high
        order = compare(ring, signs, low.at, high.at)
        return None if order > 0 or (order == 0 and not (low.closed and high.closed)) else (low, high)


def domain_of(unknowns: tuple[sympy.Symbol, ...], constraints: Sequence[Boolean]) -> Domain:
    """Return the domain that the constraints leave.

    Raises RoofproofError for a constraint that is neither an equation that can be solved for one unknown nor a bound on
    the remaining one.
    """
    flat = [r for c in constraints for r in sympy.And.make_args(c)]
    domain, bounds = Domain(unknowns, never=sympy.false in flat), []
    for relation in flat:
        if relation in (sympy.true, sympy.false):
            continue
        if not isinstance(relation, Relational) or relation.rel_op == "!=":
            raise RoofproofError(
                "expected a constraint such as x >= 1 or Eq(x*y, N), got <came>", came=quoted(plain(relation))
            )
        if isinstance(relation, sympy.Equality):
            domain, positive = _eliminated(domain, relation)
            bounds.append(positive)
        else:
            bounds.append(relation)
    for relation in bounds:
        relation = related_after(domain, relation)
        if relation in (sympy.true, sympy.false):
            domain = domain if relation == sympy.true else replace(domain, never=True)
            continue
        if not relation.free_symbols & set(domain.free):
            raise RoofproofError(
                "the constraint <relation> contains no unknown; it belongs in assume", relation=plain(relation)
            )
        if len(domain.free) != 1:
            raise RoofproofError(
                f"the bound {plain(relation)} with {len(domain.free)} free unknowns "
                f"({', '.join(s.name for s in domain.free)}): bounds are read for one unknown"
            )
        domain = _bounded(domain, relation)
    return domain


def related_after(domain: Domain, relation: Boolean) -> Boolean:
    """Return a relation with the dependent unknowns substituted, or true for one with a positive difference."""
    sides = [domain.without_dependents(s) for s in relation.args]
    difference = sympy.cancel(sides[0] - sides[1])
    if relation.rel_op == ">" and difference.is_positive:
        return sympy.true
    return relation.func(*sides, evaluate=bool(difference.is_number))


def _eliminated(domain: Domain, relation: sympy.Equality) -> tuple[Domain, Boolean]:
    """Solve an equation for the last unknown in which it is linear after clearing denominators."""
    difference = domain.without_dependents(relation.lhs - relation.rhs)
    ring = Ring.of(difference)
    num, _ = ring.fraction(difference)
    for s in reversed(domain.free):
        if len(domain.free) > 1 and s in difference.free_symbols:
            rows = ring.coefficients(num, s)
            if len(rows) == 2 and rows[1]:
                value = ring.factored(-rows[0]) / ring.factored(rows[1])
                rest = tuple(u for u in domain.free if u != s)
                made = replace(domain, free=rest, dependent=(*domain.dependent, (s, value)))
                return made, sympy.Gt(value, 0, evaluate=False)
    raise RoofproofError(
        f"the equation {plain(relation)} gives none of the unknowns {', '.join(u.name for u in domain.free)} by the "
        "others; expected one such as Eq(x*y, N) in two unknowns"
    )


def _bounded(domain: Domain, relation: Relational) -> Domain:
    [x] = domain.free
    for side, other, turn in ((relation.lhs, relation.rhs, False), (relation.rhs, relation.lhs, True)):
        if side == x and x not in other.free_symbols:
            upper = (relation.rel_op in ("<", "<=")) != turn
            closed = relation.rel_op in ("<=", ">=")
            kind = sympy.Min if upper else sympy.Max
            parts = other.args if isinstance(other, kind) else (other,)
            made = tuple((p, closed) for p in parts)
            return replace(domain, highs=domain.highs + made) if upper else replace(domain, lows=domain.lows + made)
    cases = solve(relation, x)
    if len(cases) != 1:
        said = "; ".join(str(cases).splitlines())
        raise RoofproofError(
            "the constraint <relation> depends on the parameters: <said>", relation=plain(relation), said=said
        )
    return _narrowed(domain, region_of(cases.cases[0].threshold), relation)


def _narrowed(domain: Domain, region: Region, relation: Boolean) -> Domain:
    if len(region) > 1:
        raise RoofproofError("the constraint <relation> leaves more than one interval", relation=plain(relation))
    for p in region:
        lows = () if p.low is None else ((p.low, p.low_closed),)
        highs = () if p.high is None else ((p.high, p.high_closed),)
        domain = replace(domain, lows=domain.lows + lows, highs=domain.highs + highs)
    return domain if region else replace(domain, never=True)


def signs_of(ring: Ring, assume: Sequence[Boolean]) -> Signs:
    """Return the signs of polynomials that follow from the assumptions.

    Raises RoofproofError for assumptions that cannot hold for positive symbols.
    """
    for relation in (r for a in assume for r in sympy.And.make_args(a)):
        if relation == sympy.false:
            raise RoofproofError("an assumption is false for all positive symbols")
        if relation != sympy.true and not isinstance(relation, Relational):
            raise RoofproofError("expected an assumption such as a > b, got <came>", came=quoted(plain(relation)))
    return assumed(ring, assume)
