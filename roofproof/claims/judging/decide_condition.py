"""Deciding a SymPy condition: roots of names and powers with symbolic exponents taken out first."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from roofproof.claims.judging.decide_formula import Finding, decide
from roofproof.claims.judging.domain import Domain
from roofproof.claims.judging.formulas import UNKNOWN, formula_of, with_unknowns
from roofproof.claims.judging.logarithm_comparisons import logarithms_compared
from roofproof.claims.judging.logarithms import exponents_apart, logarithms_apart
from roofproof.derive.algebra.budget import MILLION
from roofproof.ops.notation.logarithm import log2
from roofproof.proofs.kernel.terms import Formula, Term, substitute
from roofproof.proofs.oracles import sampling

DIGITS = 10**40  # beyond which nothing is told apart
MAX_SYMBOLS = 4


def decide_condition(condition: Boolean, domain: Domain, oracle: str = "z3", steps: int = 3 * MILLION) -> Finding:
    """Return whether a condition holds at every point of the domain at which it is defined.

    >>> a, b = sympy.symbols("a b", positive=True)
    >>> found = decide_condition(sympy.Ge((a + b)/2, sympy.sqrt(a*b), evaluate=False), Domain())
    >>> found.status, found.trust                           # (p^2 + q^2)/2 - p q = (p - q)^2/2
    ('proved', 'kernel')

    A positive name under an n-th root is written as the n-th power of another, which loses and adds nothing.
    """
    # Unknowns are named before roots are moved: the name then means the same as in the assumptions.
    apart = with_unknowns(_with_exponents_apart(_with_given_numbers(condition, domain)))
    powers = _roots(apart, domain)
    inner = apart.xreplace({s: s**n for s, n in powers.items()}) if powers else apart
    named, meaning = _number_roots(inner)
    goal, defined = formula_of(inner.xreplace(named))
    moved: dict[str, Term] = {s.name: ("^", ("v", s.name), n) for s, n in powers.items()}
    assumptions = tuple(substitute(f, moved) for f in domain.assumptions)
    inside = replace(domain, assumptions=(*assumptions, *defined, *meaning))
    if defined and not inside.can_hold():
        return Finding("open", "undecided", reason="it is defined nowhere under the assumptions")
    found = (_at_small_points(condition, domain) if named else None) or decide(goal, inside, oracle, steps)
    if found.status == "open" and apart != condition:
        found = _at_powers_of_two(condition, domain) or found
    if named or not powers or found.counterexample is None:  # with roots of numbers a point is in the names given
        return found
    back = {s.name: n for s, n in powers.items()}
    point = {name: value ** back.get(name, 1) for name, value in found.counterexample.items()}
    return replace(found, counterexample={k: Fraction(v) for k, v in point.items()})


def _with_given_numbers(condition: Boolean, domain: Domain) -> Boolean:
    """Return the condition with the number for a name that is given as one, where logarithms or powers hold it."""
    held = condition.atoms(log2) | {p for p in condition.atoms(sympy.Pow) if p.exp.free_symbols}
    names = {s.name: s for f in held for s in f.free_symbols}
    given = [(f[1][1], f[2]) for f in domain.assumptions if f[0] == "=" and f[1][0] == "v" and f[2][0] == "q"]
    return condition.subs({names[n]: sympy.Rational(*value[1:]) for n, value in given if n in names})


def _at_small_points(condition: Boolean, domain: Domain) -> Finding | None:
    """Return a point at which a comparison fails, where irrational values are told apart by their digits."""
    symbols = sorted(condition.free_symbols, key=str)
    if not isinstance(condition, Relational) or len(symbols) > MAX_SYMBOLS:
        return None
    difference = condition.lhs - condition.rhs
    for values in product((1, 2, 3), repeat=len(symbols)):
        point = {s.name: Fraction(v) for s, v in zip(symbols, values, strict=True)}
        try:
            inside = all(sampling.holds(f, point) for f in domain.assumptions)
        except (sampling.Inexact, KeyError):
            return None
        value = difference.subs(dict(zip(symbols, values, strict=True)))
        if not inside or not value.is_number or not value.is_real or value.is_infinite:
            continue
        digits = int(sympy.floor(value * DIGITS))
        if digits not in (0, -1) and condition.func(sympy.Integer(digits), 0) == sympy.false:
            return Finding("refuted", "kernel", point)
    return None


def _number_roots(condition: Boolean) -> tuple[dict[sympy.Expr, sympy.Expr], tuple[Formula, ...]]:
    """Return powers of names for the cube roots and higher of numbers, and what the names are: r^3 = 2."""
    found: dict[sympy.Expr, sympy.Expr] = {}
    meaning: dict[Formula, None] = {}
    for power in sorted(condition.atoms(sympy.Pow), key=sympy.default_sort_key):
        base, exponent = power.base, power.exp
        if base.is_Rational and base.is_positive and exponent.is_Rational and exponent.q > 2:
            name = f"{base}^(1/{exponent.q})"
            found[power] = sympy.Symbol(name, positive=True) ** exponent.p
            meaning[("=", ("^", ("v", name), int(exponent.q)), ("q", int(base.p), int(base.q)))] = None
    return found, tuple(meaning)


def _roots(condition: Boolean, domain: Domain) -> dict[sympy.Symbol, int]:
    """Return the positive names that stand under roots, with the common order of the roots."""
    found: dict[sympy.Symbol, int] = {}
    for power in sorted(condition.atoms(sympy.Pow), key=sympy.default_sort_key):
        base, order = power.base, power.exp.q if power.exp.is_Rational else 1
        if order > 1 and base.is_Symbol and base.is_positive and base.name not in domain.integers:
            found[base] = int(sympy.ilcm(found.get(base, 1), order))
    return {s: n for s, n in found.items() if n <= 12}


def _with_exponents_apart(condition: Boolean) -> Boolean:
    """Return the condition with 2^(n + 1) as 2 * 2^n, and each power of a number to a name as an unknown."""
    apart = exponents_apart(logarithms_apart(logarithms_compared(condition)))
    named: dict[sympy.Pow, sympy.Symbol] = {}
    for p in sorted(apart.atoms(sympy.Pow), key=sympy.default_sort_key):
        if p.exp.free_symbols and p.base.is_positive:
            named[p] = sympy.Symbol(f"{p}{UNKNOWN}", positive=True)
    return apart.xreplace(named)


def _at_powers_of_two(condition: Boolean, domain: Domain) -> Finding | None:
    """Return a point at which the condition fails, among powers of two: logarithms have exact values there."""
    symbols = sorted(condition.free_symbols, key=str)
    if len(symbols) > 3:
        return None
    for values in product((1, 2, 4, 8, 64), repeat=len(symbols)):
        point = {s.name: Fraction(v) for s, v in zip(symbols, values, strict=True)}
        try:
            inside = all(sampling.holds(f, point) for f in domain.assumptions)
        except (sampling.Inexact, KeyError):
            return None
        said = condition.subs(dict(zip(symbols, values, strict=True))).doit() if inside else None
        if said == sympy.false and not condition.atoms(sympy.log):
            return Finding("refuted", "kernel", point)
    return None
