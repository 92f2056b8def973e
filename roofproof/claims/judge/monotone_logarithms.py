"""Statements with logarithms and powers of names, as written: refuted at points, or proved by monotonicity."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from itertools import chain, islice, product

import sympy

from roofproof.claims.judge.decide_formula import Finding, refutation
from roofproof.claims.judge.domain import Domain
from roofproof.derive.algebra.budget import Budget
from roofproof.derive.optima.stationary import stationary_places
from roofproof.errors import RoofproofError
from roofproof.proofs.assumptions import NUMBERS
from roofproof.proofs.kernel.terms import Formula, Term, minus, variables
from roofproof.proofs.known import by_kernel, holds
from roofproof.proofs.oracles import sampling
from roofproof.proofs.provers.slope_proofs import carried_by_slope, in_logarithms, more_by_slope, without_common_factor
from roofproof.proofs.search import tactics
from roofproof.proofs.search.logarithms import compared_numbers, rising_lemmas
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import to_expr, with_functions
from roofproof.symbols import quantity

STEPS = 500_000
POINTS = 150
DIGITS = 4
PLACES = 4  # at which a difference may be smallest
SMALL = tuple(Fraction(n) for n in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 20, 32, 50, 64, 100, 1000, 2**16, 10**6))
PARTS = tuple(Fraction(1, n) for n in (2, 3, 4, 5, 8, 10, 100, 1000)) + tuple(Fraction(n, 2) for n in (3, 5, 7))


def by_monotonicity(goal: Formula, domain: Domain) -> Finding | None:
    """Return whether a formula with logarithms or powers of names holds, or None if no answer is found.

    >>> n, two = Term("v", "n"), Term("q", 2, 1)
    >>> seven = Domain(assumptions=(Formula(">=", n, Term("q", 7, 1)),))
    >>> by_monotonicity(Formula(">", Term("power", two, n), Term("q", 100, 1)), seven).trust     # 2^7 = 128
    'kernel'
    >>> by_monotonicity(Formula(">=", Term("/", n, two), Term("log2", n)), Domain()).counterexample  # 1.58... > 3/2
    {'n': Fraction(3, 1)}
    """
    if domain.signs:
        return None
    for point in _points(goal, domain):
        if holds(Formula("not", goal), point) and (known := refutation(goal, domain, point)) is not None:
            return Finding("refuted", (known,), point)
    given = domain.assumptions
    for beside_one in (False, True):
        lemmas = rising_lemmas([goal, *given], beside_one)
        search = tactics.Search([goal, *given, *(t.conclusion for t in lemmas)], Budget(STEPS), False)
        found = by_kernel(Statement("", given, goal), search.prove(goal, given, lemmas))
        if found is not None:
            return Finding("proved", (found,))
    return _by_slope(goal, domain)


def _by_slope(goal: Formula, domain: Domain) -> Finding | None:
    """Return whether a comparison of one name holds where its sides differ least, and so everywhere."""
    names = variables(goal) - NUMBERS
    if goal[0] not in (">", ">=") or len(names) != 1:
        return None
    [name] = names
    x = sympy.Symbol(name, positive=True)
    given = [f for f in domain.assumptions if f[0] != "int"]
    given += [Formula(">=", Term("v", name), Term("q", 1, 1))] if name in domain.integers else []
    ends = [sympy.Rational(n) for n in compared_numbers(given)]
    carried = in_logarithms(goal, name) or without_common_factor(goal)
    compared = goal if carried is None else carried.conclusion[1]
    difference = to_expr(minus(*compared[1:])).xreplace({quantity(name): x})
    for place in islice(chain(ends, stationary_places(difference, x)), PLACES):
        with suppress(RoofproofError):
            at = with_functions(place)
            known = (
                more_by_slope(goal, name, at, given) if carried is None else carried_by_slope(carried, name, at, given)
            )
            if known is not None:
                return Finding("proved", (known,))
        point = {name: Fraction(str(sympy.N(place, DIGITS)))}  # float: near the place; decided exactly there
        if name not in domain.integers and (refuted := refutation(goal, domain, point)) is not None:
            return Finding("refuted", (refuted,), point)
    return None


def _points(goal: Formula, domain: Domain) -> Iterator[dict[str, Fraction]]:
    """Yield points of the domain: small and large numbers, and numbers next to those that names are compared with."""
    names = sorted(variables(goal).union(*map(variables, domain.assumptions)) - NUMBERS)
    bounds = compared_numbers([goal, *domain.assumptions])
    near = (Fraction(n + k) for n in bounds for k in (0, Fraction(1, 100), 1, -1))
    numbers = [n for n in dict.fromkeys((*near, *SMALL, *PARTS)) if n > 0]
    if len(names) == 1:
        tried: Iterator[dict[str, Fraction]] = ({names[0]: n} for n in numbers)
    else:
        tried = (dict(zip(names, v, strict=True)) for v in product(numbers[:12], repeat=len(names)))
        tried = (p for pair in zip(tried, islice(sampling.points(names), POINTS), strict=False) for p in pair)
    for point in islice(tried, POINTS):
        if all(point[n].denominator == 1 for n in domain.integers & point.keys()):
            yield point
