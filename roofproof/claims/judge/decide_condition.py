"""The decision whether a formula as written holds where it is defined, also with logarithms and powers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain, product
from math import prod

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.claims.judge.by_logarithm import by_logarithm
from roofproof.claims.judge.decide_formula import Finding, decide, refutation
from roofproof.claims.judge.domain import Domain, defined_where
from roofproof.claims.judge.monotone_logarithms import by_monotonicity
from roofproof.derive.algebra.budget import MILLION
from roofproof.errors import Undecided
from roofproof.formula.logarithm import log2
from roofproof.proofs import Theorem
from roofproof.proofs.assumptions import NUMBERS
from roofproof.proofs.kernel.terms import Formula, KernelError, Term, variables
from roofproof.proofs.known import ByAlgebra, ByExactValue, Known, holds, warranted
from roofproof.proofs.oracles.points import given_numbers
from roofproof.proofs.search.equivalence import logarithm_forms
from roofproof.proofs.search.logarithms import comparison_lemmas
from roofproof.proofs.search.points import irrational_points
from roofproof.proofs.search.polynomials import terms_with
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import to_condition

MAX_POINTS = 125
NOWHERE = "it is defined nowhere under the assumptions"


def decide_condition(said: Formula, domain: Domain, oracle: str = "z3", steps: int = 3 * MILLION) -> Finding:
    """Return whether a formula holds at every point of the domain at which it is defined.

    >>> from roofproof.proofs.kernel.terms import Term
    >>> a, b = Term("v", "a"), Term("v", "b")
    >>> mean = Term("/", Term("+", a, b), Term("q", 2, 1))
    >>> found = decide_condition(Formula(">=", mean, Term("sqrt", Term("*", a, b))), Domain())
    >>> print(*(known.theorem for known in found.known))
    a > 0, b > 0 |- (a + b)/2 >= sqrt(a*b)

    Raises KernelError if polynomials are too large to compute and no small point is a counterexample.
    """
    found = _for_all_values(said, domain, oracle, steps)
    return found if found.status != "open" else _at_each_point(said, domain) or found


def _at_each_point(said: Formula, domain: Domain) -> Finding | None:
    """Return whether a formula holds at every point, if names have only a few values. Return None otherwise.

    >>> n = Term("v", "n")
    >>> said = Formula(">", Term("power", Term("q", 2, 1), n), Term("log2", n))
    >>> some = Formula("or", *(Formula("=", n, Term("q", k, 1)) for k in (3, 5)))
    >>> for known in _at_each_point(said, Domain(assumptions=(some,))).known:
    ...     print(known.statement.says, "by", known.trust)
    power(2, n) > log2(n) where n = 3 by kernel
    power(2, n) > log2(n) where n = 5 by kernel
    """
    names = sorted(variables(said) - NUMBERS)
    values = [_values(name, domain) for name in names]
    given = [f for f in domain.assumptions if variables(f) <= {*names}]
    known: list[Known] = []
    if not names or not all(values) or prod(map(len, values)) > MAX_POINTS:
        return None
    for chosen in product(*values):
        point = dict(zip(names, chosen, strict=True))
        if any(holds(Formula("not", f), point) for f in given):
            continue
        if holds(Formula("not", said), point) and (refuted := refutation(said, domain, point)) is not None:
            return Finding("refuted", (refuted,), point)
        at = tuple(Formula("=", Term("v", name), Term.rational(value)) for name, value in point.items())
        if (here := warranted(Statement("", at, said), ByExactValue(point))) is None:
            return None
        known.append(here)
    return Finding("proved", tuple(known)) if known else None


def _values(name: str, domain: Domain) -> list[Fraction]:
    """Return the values of a name, if the assumptions list them or bound an integer. Return none if there are many.

    >>> n = Term("v", "n")
    >>> print(*_values("n", Domain(integers=frozenset("n"), assumptions=(Formula(">", Term("q", 3, 1), n),))))
    1 2
    """
    said: list[Fraction] = []
    for each in domain.assumptions:
        values = [given_numbers([f]).get(name) for f in (each[1:] if each[0] == "or" else (each,))]
        said = said or [v for v in values if v is not None and None not in values]
    beyond = Formula(">", Term("v", name), Term("q", MAX_POINTS, 1))
    if not said and name in domain.integers - domain.loose and not domain.can_hold(beyond):
        said = [Fraction(k) for k in range(1, MAX_POINTS + 1)]
    own = [Formula("not", f) for f in domain.assumptions if variables(f) == {name}]
    least = {"real": min(said, default=Fraction(0)), "nonnegative": Fraction(0)}.get(domain.signs.get(name, ""))
    return [v for v in said if (v > 0 if least is None else v >= least) and not any(holds(f, {name: v}) for f in own)]


def _for_all_values(said: Formula, domain: Domain, oracle: str, steps: int) -> Finding:
    """Return the same by one proof for all values, or by a point at which the formula fails."""
    exact = None if variables(said) - NUMBERS else _in_numbers(said)
    if exact and (exact.status == "proved" or not domain.assumptions):
        return exact  # else it fails at a point of the domain, if there is one
    try:
        given = [lemma for f in domain.assumptions if terms_with(("log2",), f) for lemma in _compared(f, domain)]
        if not terms_with(("log2", "power"), said):
            return _where_defined(said, domain, oracle, steps, given)
        try:
            condition = to_condition(said, domain.symbol)
        except Undecided:  # log(0)
            return Finding("open", reason=NOWHERE)
        found = by_logarithm(condition, domain, said) if condition.has(log2) else None
        if found is None:
            lemmas = comparison_lemmas(condition, domain.assumptions)
            lemmas += logarithm_forms(lemmas, said, domain.assumptions)
            found = _where_defined(said, domain, oracle, steps, [*lemmas, *given])
        if found.status != "open":
            return found
        return by_monotonicity(said, domain) or _by_algebra(said, condition, domain) or found
    except KernelError:
        if (refuted := _at_points(said, domain, (1, 2, 3))) is None:
            raise
        return refuted


def _by_algebra(said: Formula, condition: Boolean, domain: Domain) -> Finding | None:
    """Return an equation as proved by SymPy only, if SymPy brings both sides to the same form."""
    if said[0] != "=" or (condition != sympy.true and not _alike(*condition.args)):
        return None
    loose = frozenset(domain.loose & variables(said))
    statement = Statement("", tuple(domain.assumptions), said, reals=loose)
    known = warranted(statement, ByAlgebra())
    return None if known is None else Finding("proved", (known,))


def _compared(given: Formula, domain: Domain) -> list[Theorem]:
    """Return theorems that state comparisons of logarithms in a condition as comparisons of products."""
    try:
        return comparison_lemmas(to_condition(given, domain.symbol))
    except Undecided:
        return []


def _alike(a: sympy.Expr, b: sympy.Expr) -> bool:
    """Return whether two values have the same logarithm, expanded as a sum over their factors."""
    if a == b or (a - b).rewrite(sympy.log) == 0:
        return True
    one, other = (sympy.expand_log(sympy.log(side)) for side in (a, b))
    return bool(sympy.expand(one - other) == 0)


def _where_defined(said: Formula, domain: Domain, oracle: str, steps: int, lemmas: Sequence[Theorem] = ()) -> Finding:
    defined = defined_where(said, variables(said) - domain.loose)
    inside = domain.where(*defined)
    if defined and not inside.can_hold():
        return Finding("open", reason=NOWHERE)
    found = decide(said, inside, oracle, steps, lemmas)
    if defined and found.counterexample is not None:
        known = refutation(said, domain, found.counterexample)
        return found if known is None else replace(found, known=(known,))
    return found


def _in_numbers(said: Formula) -> Finding | None:
    """Return whether a statement about numbers only holds, or None if their values cannot be compared."""
    if (known := warranted(Statement("", (), said), ByExactValue({}))) is not None:
        return Finding("proved", (known,))
    known = warranted(Statement("", (), Formula("not", said)), ByExactValue({}))
    return None if known is None else Finding("refuted", (known,), {})


def _at_points(said: Formula, domain: Domain, numbers: Sequence[int]) -> Finding | None:
    """Return a point with such coordinates at which a formula fails, with irrational values enclosed by rationals."""
    names, denied = sorted(variables(said) - NUMBERS), Formula("not", said)
    if len(numbers) ** len(names) > MAX_POINTS:
        return None
    tried = (dict(zip(names, v, strict=True)) for v in product(map(Fraction, numbers), repeat=len(names)))
    loose = sorted(set(names) - domain.integers)
    for point in chain((p for p in tried if holds(denied, p)), irrational_points([denied], loose)):
        if (known := refutation(said, domain, point)) is not None:
            return Finding("refuted", (known,), point)
    return None
