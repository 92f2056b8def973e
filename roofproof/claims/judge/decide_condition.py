"""Deciding a formula: roots of names and powers with symbolic exponents taken out first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain, product

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.claims.judge.by_logarithm import by_logarithm
from roofproof.claims.judge.decide_formula import Finding, decide, refutation
from roofproof.claims.judge.domain import UNKNOWN, Domain, formula_where_defined, is_rational, stated, with_unknowns
from roofproof.claims.judge.monotone_logarithms import by_monotonicity
from roofproof.claims.judge.transfer import carry_over
from roofproof.derive.algebra.budget import MILLION
from roofproof.errors import Undecided
from roofproof.formula.logarithm import log2
from roofproof.proofs.assumptions import NUMBERS
from roofproof.proofs.kernel.terms import Formula, KernelError, Term, substitute, variables
from roofproof.proofs.known import ByExactValue, holds, warranted
from roofproof.proofs.search.logarithms import comparison_lemmas, exponents_apart, logarithms_apart, logarithms_compared
from roofproof.proofs.search.points import irrational_points
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import to_condition, with_functions

MAX_POINTS = 125
NOWHERE = "it is defined nowhere under the assumptions"


def decide_condition(said: Formula, domain: Domain, oracle: str = "z3", steps: int = 3 * MILLION) -> Finding:
    """Return whether a formula holds at every point of the domain at which it is defined.

    >>> a, b = Term("v", "a"), Term("v", "b")
    >>> mean = Term("/", Term("+", a, b), Term("q", 2, 1))
    >>> found = decide_condition(Formula(">=", mean, Term("sqrt", Term("*", a, b))), Domain())
    >>> found.status, found.trust                           # (p^2 + q^2)/2 - p q = (p - q)^2/2
    ('proved', 'kernel')

    A positive name under an n-th root is written as the n-th power of another, which loses and adds nothing; what
    SymPy makes of roots, powers and logarithms on the way is carried back to the formula by the proof kernel.

    Raises KernelError for polynomials too large to be worked out, where no small point is a counterexample.
    """
    meaning: dict[str, Term] = {}
    rational = is_rational(said)
    exact = None if variables(said) - NUMBERS else _in_numbers(said)
    if exact and (exact.status == "proved" or not (rational and domain.assumptions)):
        return exact  # else it fails at a point of the domain, if there is one
    try:
        if rational:
            return _rational(said, domain, oracle, steps)
        try:
            condition = to_condition(said, domain.symbol)
        except Undecided:  # 1/(x - x), log(0)
            return Finding("open", reason=NOWHERE)
        found = by_logarithm(condition, domain, said) if condition.has(log2) else None
        if found is None:
            found, meaning = _decided(said, condition, domain, oracle, steps)
        if found.status == "open" and condition.has(log2, sympy.log, sympy.Pow):
            found = by_monotonicity(condition, domain, said) or found
    except KernelError:
        if (refuted := _at_points(said, domain, (1, 2, 3))) is None:
            raise
        return refuted
    lemmas = comparison_lemmas(condition, domain.assumptions) if condition.has(log2, sympy.log) else ()
    return carry_over(said, found, domain, meaning, lemmas)


def _rational(said: Formula, domain: Domain, oracle: str, steps: int) -> Finding:
    _, defined = stated(said, domain)
    inside = domain.where(*defined)
    if defined and not inside.can_hold():
        return Finding("open", reason=NOWHERE)
    found = decide(said, inside, oracle, steps)
    if defined and found.counterexample is not None:
        known = refutation(said, domain, found.counterexample)
        return found if known is None else replace(found, known=(known,))
    return found


def _decided(
    said: Formula, condition: Boolean, domain: Domain, oracle: str, steps: int
) -> tuple[Finding, dict[str, Term]]:
    """Return the finding, and the meaning of names in its theorems that the formula does not have."""
    means: dict[str, Term] = {}
    condition = logarithms_compared(condition, domain.assumptions) if condition.has(log2, sympy.log) else condition
    # Unknowns are named before roots are moved: the name then means the same as in the assumptions.
    apart = with_unknowns(with_exponents_apart(_with_given_numbers(condition, domain), means), means)
    roots = names_under_roots(apart, domain)
    inner = apart.xreplace({s: root**n for s, (root, n) in roots.items()}) if roots else apart
    named, defining = _number_roots(inner)
    goal, defined = formula_where_defined(inner.xreplace(named), said)
    moved: dict[str, Term] = {s.name: Term("^", Term("v", root.name), n) for s, (root, n) in roots.items()}
    assumptions = tuple(substitute(f, moved) for f in domain.assumptions)
    inside = replace(domain, assumptions=(*assumptions, *defined, *defining))
    if defined and not inside.can_hold():
        return Finding("open", reason=NOWHERE), {}
    found = _at_points(said, domain, (1, 2, 3)) if named and said[0] in (">", ">=", "=") else None
    if found is None:
        meaning = tuple((root.name, with_functions(s ** sympy.Rational(1, n))) for s, (root, n) in roots.items())
        means |= dict(meaning) | {r.as_base_exp()[0].name: _root_of(p) for p, r in named.items()}
        found = decide(goal, inside, oracle, steps, meaning)
    if found.status == "open" and (apart != condition or named):
        found = _at_points(said, domain, (1, 2, 4, 8, 64)) or found  # logarithms have exact values there
    if not roots or found.counterexample is None:
        return found, means
    back = {root.name: (s.name, n) for s, (root, n) in roots.items()}
    point = {}
    for name, value in found.counterexample.items():
        name, n = back.get(name, (name, 1))
        point[name] = value**n
    return replace(found, counterexample=point), means


def _root_of(power: sympy.Expr) -> Term:
    base, exponent = power.as_base_exp()
    return Term("power", with_functions(base), Term("q", 1, int(exponent.q)))


def _in_numbers(said: Formula) -> Finding | None:
    """Return whether a statement about numbers alone holds; None where their values are not told apart."""
    if (known := warranted(Statement("", (), said), ByExactValue({}))) is not None:
        return Finding("proved", (known,))
    known = warranted(Statement("", (), Formula("not", said)), ByExactValue({}))
    return None if known is None else Finding("refuted", (known,), {})


def _with_given_numbers(condition: Boolean, domain: Domain) -> Boolean:
    """Return the condition with the number for a name that is given as one, where logarithms or powers hold it."""
    held = condition.atoms(log2) | {p for p in condition.atoms(sympy.Pow) if p.exp.free_symbols}
    names = {s.name: s for f in held for s in f.free_symbols}
    given = [(f[1][1], f[2]) for f in domain.assumptions if f[0] == "=" and f[1][0] == "v" and f[2][0] == "q"]
    return condition.subs({names[n]: sympy.Rational(*value[1:]) for n, value in given if n in names})


def _at_points(said: Formula, domain: Domain, numbers: Sequence[int]) -> Finding | None:
    """Return a point with such coordinates at which a formula fails, irrational values enclosed by rationals."""
    names, denied = sorted(variables(said) - NUMBERS), Formula("not", said)
    if len(numbers) ** len(names) > MAX_POINTS:
        return None
    tried = (dict(zip(names, v, strict=True)) for v in product(map(Fraction, numbers), repeat=len(names)))
    loose = sorted(set(names) - domain.integers)
    for point in chain((p for p in tried if holds(denied, p)), irrational_points([denied], loose)):
        if (known := refutation(said, domain, point)) is not None:
            return Finding("refuted", (known,), point)
    return None


def _number_roots(condition: Boolean) -> tuple[dict[sympy.Expr, sympy.Expr], tuple[Formula, ...]]:
    """Return powers of names for the cube roots and higher of numbers, and what the names are: r^3 = 2."""
    found: dict[sympy.Expr, sympy.Expr] = {}
    defining: dict[Formula, None] = {}
    for power in sorted(condition.atoms(sympy.Pow), key=sympy.default_sort_key):
        base, exponent = power.base, power.exp
        if base.is_Rational and base.is_positive and exponent.is_Rational and exponent.q > 2:
            name = f"{base}^(1/{exponent.q})"
            found[power] = sympy.Symbol(name, positive=True) ** exponent.p
            root = Term("^", Term("v", name), int(exponent.q))
            defining[Formula("=", root, Term("q", int(base.p), int(base.q)))] = None
    return found, tuple(defining)


def names_under_roots(condition: Boolean, domain: Domain) -> dict[sympy.Symbol, tuple[sympy.Symbol, int]]:
    """Return the positive names that stand under roots, each with a name for its root and the order of that."""
    found: dict[sympy.Symbol, int] = {}
    for power in sorted(condition.atoms(sympy.Pow), key=sympy.default_sort_key):
        base, order = power.base, power.exp.q if power.exp.is_Rational else 1
        if order > 1 and base.is_Symbol and base.is_positive and base.name not in domain.integers:
            found[base] = int(sympy.ilcm(found.get(base, 1), order))
    return {s: (sympy.Symbol(f"{s}^(1/{n})", positive=True), n) for s, n in found.items() if n <= 12}


def with_exponents_apart(condition: Boolean, meaning: dict[str, Term] | None = None) -> Boolean:
    """Return the condition with 2^(n + 1) as 2 * 2^n, and each power of a number to a name as an unknown."""
    apart = exponents_apart(logarithms_apart(logarithms_compared(condition)))
    named: dict[sympy.Pow, sympy.Symbol] = {}
    for p in sorted(apart.atoms(sympy.Pow), key=sympy.default_sort_key):
        if p.exp.free_symbols and p.base.is_positive:
            named[p] = sympy.Symbol(f"{p}{UNKNOWN}", positive=True)
            if meaning is not None:
                meaning[named[p].name] = with_functions(p)
    return apart.xreplace(named)
