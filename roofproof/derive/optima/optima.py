"""Minima and maxima over positive unknowns in closed form, with exhaustive cases on the parameters."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import sympy

from roofproof.derive.algebra.text import plain
from roofproof.derive.optima.constraints import domain_of
from roofproof.derive.optima.extremum import Conditions, Empty, Extremum, Outcome, with_exprs
from roofproof.derive.optima.optimum_search import univariate
from roofproof.derive.optima.posynomials import several
from roofproof.errors import RoofproofError, quoted
from roofproof.symbols import quantity

Unknowns = Any  # a symbol, or a sequence of symbols


def minimum(expr: sympy.Expr, over: Unknowns, subject_to: Conditions = (), assume: Conditions = ()) -> Extremum:
    """Return the minimum of an expression over one or more positive unknowns, all other symbols positive.

    >>> from roofproof.symbols import quantity
    >>> a, b, c, x, y = map(quantity, "abcxy")
    >>> print(minimum(a*x + b/x, x))                                    # a x = b/x at x^2 = b/a
    2*sqrt(a)*sqrt(b) at x = sqrt(b)/sqrt(a)
    >>> print(minimum(sympy.Max(a/x, b*x), x))                          # falling meets rising
    sqrt(a)*sqrt(b) at x = sqrt(a)/sqrt(b)
    >>> print(minimum(a/x + b/y + c*x*y, (x, y)))                       # each term is a third
    3*a^(1/3)*b^(1/3)*c^(1/3) at x = a^(2/3)/(b^(1/3)*c^(1/3)), y = b^(2/3)/(a^(1/3)*c^(1/3))
    >>> print(minimum(a/x, x))
    0, approached as x -> oo, not attained

    `subject_to` holds constraints on the unknowns (`x >= 1`, `x <= N`, `Eq(x*y, N)`), `assume` relations between
    the parameters. The unknowns range over the positive reals. Raises RoofproofError outside the fragment:
    rational functions, fractional powers, max and min, whose stationary points have a closed form.

    Source: Boyd and Vandenberghe, Convex Optimization, sections 4.2.3 (optimality) and 4.5 (posynomials).
    """
    return _extremum("minimum", expr, over, subject_to, assume)


def maximum(expr: sympy.Expr, over: Unknowns, subject_to: Conditions = (), assume: Conditions = ()) -> Extremum:
    """Return the maximum of an expression over positive unknowns: the negated minimum of its negative.

    >>> from roofproof.symbols import quantity
    >>> N, x, y = map(quantity, "Nxy")
    >>> print(maximum(x*y, (x, y), subject_to=[sympy.Eq(x + y, N)]))    # x (N - x) is largest halfway
    N^2/4 at x = N/2, y = N/2

    Raises RoofproofError as `minimum` does.
    """
    return _extremum("maximum", expr, over, subject_to, assume)


def argmin(expr: sympy.Expr, over: sympy.Symbol, subject_to: Conditions = (), assume: Conditions = ()) -> sympy.Expr:
    """Return the only point where the minimum is attained, in closed form, by cases if there are several.

    >>> from roofproof.symbols import quantity
    >>> A, C, X = map(quantity, "ACX")
    >>> argmin(A*X + C/X, X)                                            # A - C/X^2 = 0
    sqrt(C)/sqrt(A)

    Raises RoofproofError if there is none or more than one, and outside the fragment of `minimum`.
    """
    return minimum(expr, over, subject_to, assume).at(over)


def argmax(expr: sympy.Expr, over: sympy.Symbol, subject_to: Conditions = (), assume: Conditions = ()) -> sympy.Expr:
    """Return the only point where the maximum is attained, in closed form, by cases if there are several.

    >>> from roofproof.symbols import quantity
    >>> a, x = quantity("a"), quantity("x")
    >>> argmax(x/(x + a)**2, x)                                         # (a - x)/(x + a)^3 = 0
    a

    Raises RoofproofError if there is none or more than one, and outside the fragment of `maximum`.
    """
    return maximum(expr, over, subject_to, assume).at(over)


def _extremum(sense: str, expr: sympy.Expr, over: Unknowns, subject_to: Conditions, assume: Conditions) -> Extremum:
    unknowns = (over,) if isinstance(over, sympy.Symbol) else tuple(over)
    subject_to, assume = tuple(subject_to), tuple(assume)
    checked(expr, unknowns)
    back, (f, *rest) = as_quantities(expr, *subject_to, *assume)
    own = tuple(quantity(s.name) for s in unknowns)
    constraints, given = rest[: len(subject_to)], rest[len(subject_to) :]
    domain = domain_of(own, constraints)
    f = -f if sense == "maximum" else f
    f = domain.without_dependents(f)
    found = univariate(f, domain, given) if len(domain.free) == 1 else several(f, domain, given)
    cases = [(when, domain.with_dependents(outcome)) for when, outcome in found]
    if sense == "maximum":
        cases = [(when, negated(outcome)) for when, outcome in cases]
    for s in unknowns:
        back[quantity(s.name)] = s
    named = tuple((_renamed(when, back), with_exprs(o, lambda e: e.xreplace(back), back)) for when, o in cases)
    return Extremum(sense, expr, unknowns, subject_to, assume, named)


def checked(expr: sympy.Expr, unknowns: Sequence[sympy.Symbol]) -> None:
    """Raise RoofproofError unless `expr` is an expression in different unknowns."""
    if not isinstance(expr, sympy.Expr):
        raise RoofproofError("expected an expression such as a*x + b/x, got <came>", came=quoted(expr))
    names = [s.name for s in unknowns]
    if not names or len(set(names)) < len(names):
        raise RoofproofError("expected different unknowns, got <came>", came=quoted(", ".join(names)))
    present = {s.name for s in expr.free_symbols}
    for name in names:
        if len(names) == 1 and name not in present:
            raise RoofproofError("the unknown <name> does not occur in <expr>", name=name, expr=quoted(plain(expr)))


def as_quantities(*exprs: sympy.Basic) -> tuple[dict[sympy.Symbol, sympy.Symbol], list[sympy.Basic]]:
    """Return {positive real symbol: original symbol}, and the expressions in positive real symbols."""
    named = [s for e in exprs for s in e.free_symbols]
    table = {s: quantity(s.name) for s in named}
    return {quantity(s.name): s for s in named}, [_renamed(e, table) for e in exprs]


def outcome_as_quantities(outcome: Outcome, over: Sequence[sympy.Symbol]) -> Outcome:
    """Return an outcome over some unknowns with positive real symbols in place of all symbols."""
    return with_exprs(outcome, lambda e: as_quantities(e)[1][0], {s: quantity(s.name) for s in over})


def _renamed(e: sympy.Basic, table: dict[sympy.Symbol, sympy.Symbol]) -> sympy.Basic:
    changes = {a: b for a, b in table.items() if a != b}
    if not changes:
        return e
    if isinstance(e, sympy.core.relational.Relational):  # without letting integrality decide it
        return type(e)(e.lhs.xreplace(changes), e.rhs.xreplace(changes), evaluate=False)
    if isinstance(e, sympy.And | sympy.Or):
        return type(e)(*(_renamed(a, table) for a in e.args), evaluate=False)
    return e.xreplace(changes)


def negated(outcome: Outcome) -> Outcome:
    """Return the outcome for the negative of a function."""
    return outcome if isinstance(outcome, Empty) else replace(outcome, value=-outcome.value)
