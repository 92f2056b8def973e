"""Deciding a SymPy condition: roots of names and powers with symbolic exponents taken out first."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.proofs.terms import Term, substitute
from roofproof.proofs.verdicts.domain import Domain
from roofproof.proofs.verdicts.formulas import formula_of
from roofproof.proofs.verdicts.statements import Finding, decide


def decide_condition(condition: Boolean, domain: Domain, oracle: str = "z3", milliseconds: int = 3_000) -> Finding:
    """Return whether a condition holds at every point of the domain at which it is defined.

    >>> a, b = sympy.symbols("a b", positive=True)
    >>> found = decide_condition(sympy.Ge((a + b)/2, sympy.sqrt(a*b), evaluate=False), Domain())
    >>> found.status, found.trust                           # (p^2 + q^2)/2 - p q = (p - q)^2/2
    ('proved', 'kernel')

    A positive name under an n-th root is written as the n-th power of another, which loses and adds nothing.
    """
    powers = _roots(condition, domain)
    plain = condition.xreplace({s: s**n for s, n in powers.items()}) if powers else condition
    goal, defined = formula_of(_with_exponents_apart(plain))
    moved: dict[str, Term] = {s.name: ("^", ("v", s.name), n) for s, n in powers.items()}
    assumptions = tuple(substitute(f, moved) for f in domain.assumptions)
    found = decide(goal, replace(domain, assumptions=(*assumptions, *defined)), oracle, milliseconds)
    if not powers or found.counterexample is None:
        return found
    back = {s.name: n for s, n in powers.items()}
    point = {name: value ** back.get(name, 1) for name, value in found.counterexample.items()}
    return replace(found, counterexample={k: Fraction(v) for k, v in point.items()})


def _roots(condition: Boolean, domain: Domain) -> dict[sympy.Symbol, int]:
    """Return the positive names that stand under roots, with the common order of the roots."""
    found: dict[sympy.Symbol, int] = {}
    for power in condition.atoms(sympy.Pow):
        base, order = power.base, power.exp.q if power.exp.is_Rational else 1
        if order > 1 and base.is_Symbol and base.is_positive and base.name not in domain.integers:
            found[base] = int(sympy.ilcm(found.get(base, 1), order))
    return {s: n for s, n in found.items() if n <= 12}


def _with_exponents_apart(condition: Boolean) -> Boolean:
    """Return the condition with 2^(n + 1) as 2 * 2^n, and each power of a number to a name as an unknown."""
    symbolic = [p for p in condition.atoms(sympy.Pow) if p.exp.free_symbols]
    if not symbolic:
        return condition
    apart = condition.xreplace({p: sympy.expand_power_exp(p) for p in symbolic})
    named: dict[sympy.Pow, sympy.Symbol] = {}
    for p in sorted(apart.atoms(sympy.Pow), key=sympy.default_sort_key):
        if p.exp.free_symbols and p.base.is_positive:
            named[p] = sympy.Symbol(f"power{len(named) + 1}!", positive=True)
    return apart.xreplace(named)
