"""Limits with rounding, along each residue class: floor(n/2) - n/2 is 0 along 2 m and -1/2 along 2 m + 1."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from math import lcm

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.claims.judge.decide_condition import decide_condition
from roofproof.claims.judge.decide_formula import decide
from roofproof.claims.judge.domain import Domain, at_values
from roofproof.derive.algebra.text import plain
from roofproof.derive.limits.limits import limit
from roofproof.derive.limits.regime import Regime
from roofproof.errors import RoofproofError
from roofproof.proofs.kernel.terms import Formula, KernelError, Term, substitute, variables
from roofproof.proofs.known import Known, by_kernel
from roofproof.proofs.search import tactics
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import to_condition, to_formula, to_term
from roofproof.sentences import Sentence

MOST = 12  # residue classes
FAR = 10**9  # assumptions must hold from here on
SMALL = 6  # largest value tried for a name that does not grow
NEARLY = sympy.Rational(9, 10)  # of the way to the next integer
ROUNDED = (sympy.floor, sympy.ceiling)


def fails_by_residue(condition: Boolean, domain: Domain, regime: Regime) -> tuple[Sentence, list[Known]] | None:
    """Return numbers along which a condition fails however large they are, with proofs, or None if none are found.

    >>> n = sympy.Symbol("n", positive=True)
    >>> said, known = fails_by_residue(sympy.Eq(sympy.floor(n/2), n/2, evaluate=False), Domain(), Regime("n -> oo"))
    >>> print(said)
    it fails along n = 2*m + 1, however large m is

    One name that does not grow may get a small value, because a claim in a regime must hold for each of its values.

    >>> B = sympy.Symbol("B", positive=True, integer=True)
    >>> never_half = sympy.Lt(sympy.ceiling(n/B)*B, n + B/2, evaluate=False)             # at B = 2: 2 m + 2 < 2 m + 2
    >>> print(fails_by_residue(never_half, Domain(integers=frozenset("B")), Regime("n >> B"))[0])
    at B = 2 it fails along n = 2*m + 1, however large m is
    """
    if (found := _residues(condition, regime)) is None or domain.signs:
        return None if found or domain.signs else _at_small_values(condition, domain, regime)
    x, n, period = found
    if any(x.name in variables(f) for f in domain.assumptions):
        return None
    between = () if x.is_integer else (r + NEARLY for r in range(period))
    whole = Domain(integers=(domain.integers | {n.name}) - {x.name}, assumptions=domain.assumptions)
    for along in (period * n + r for r in (*range(period), *between)):
        with suppress(RoofproofError, KernelError):
            goal = Formula("not", substitute(to_formula(condition), {x.name: to_term(along)}))
            if (known := _proved(goal, _values(condition, x, along), whole)) is not None:
                form = "it fails along <x> = <along>, however large <m> is"
                return Sentence(form, x=x, along=plain(along), m=n), [known]
    return None


def _at_small_values(condition: Boolean, domain: Domain, regime: Regime) -> tuple[Sentence, list[Known]] | None:
    """Return the same with a small number for the one rounded name that does not grow, if no assumption is about it."""
    inside = {s for each in condition.atoms(*ROUNDED) for s in each.free_symbols if s.name not in regime.growing}
    if len(inside) != 1 or any(s.name in variables(f) for s in inside for f in domain.assumptions):
        return None
    [stays] = inside
    for number in range(2, SMALL + 1):
        with suppress(RoofproofError, KernelError):
            there = at_values(condition, {stays: sympy.Integer(number)})
            if there in (None, sympy.true, sympy.false) or _residues(there, regime) is None:
                continue
            if (found := fails_by_residue(there, domain, regime)) is not None:
                said = Sentence("at <name> = <number> <what>", name=stays, number=number, what=found[0])
                return said, found[1]
    return None


def _values(condition: Boolean, x: sympy.Symbol, along: sympy.Expr) -> list[Formula]:
    """Return equations for the values of all roundings along a residue class, to be proved."""
    found = []
    for rounded in condition.atoms(*ROUNDED):
        value = rounded.func(sympy.expand(rounded.args[0].xreplace({x: along})))
        found.append(Formula("=", substitute(to_term(rounded), {x.name: to_term(along)}), to_term(value)))
    return found


def _proved(goal: Formula, equations: Sequence[Formula], domain: Domain) -> Known | None:
    """Prove that a formula holds, with the proof checker if it can prove the values of the roundings."""
    found = decide(goal, domain)
    if found.status != "proved":
        return None
    theorems = [t for e in sorted(equations) for k in decide(e, domain).known if (t := k.theorem) is not None]
    names = sorted(variables(goal) & domain.integers)
    given = (
        *domain.assumptions,
        *(f for n in names for f in (Formula("int", Term("v", n)), Formula(">=", Term("v", n), Term("q", 1, 1)))),
    )
    return by_kernel(Statement("", given, goal), tactics.prove(goal, given, theorems)) or found.known[0]


def limits_by_residue(expr: sympy.Expr, domain: Domain, regime: Regime) -> tuple[Sentence, list[Known]] | None:
    """Prove that an expression has no limit, because it tends to different values along two residue classes.

    >>> n = sympy.Symbol("n", positive=True)
    >>> said, known = limits_by_residue(sympy.floor(n/2) - n/2, Domain(), Regime("n -> oo"))
    >>> print(said)
    it has no limit: 0 along n = 2*m, -1/2 along n = 2*m + 1

    Returns None if nothing is rounded, or if no two different limits are found. Only residue classes count for which
    all assumptions are proved from some number on.
    """
    if (residues := _residues(expr, regime)) is None:
        return None
    x, n, period = residues
    first: tuple[sympy.Expr, sympy.Expr] | None = None
    known: list[Known] = []
    for r in range(period):
        along = period * n + r
        if not _allowed(domain, x, along, n):
            continue
        try:
            found, rests = _along(expr, x, along, n)
        except (RoofproofError, KernelError):
            return None
        if first is None or found != first[1]:
            known += rests
        if first is None:
            first = along, found
        elif found != first[1]:
            form = "it has no limit: <first> along <x> = <one>, <second> along <x> = <other>"
            values = {"first": plain(first[1]), "second": plain(found), "one": plain(first[0]), "other": plain(along)}
            return Sentence(form, x=x, **values), known
    return None


def _allowed(domain: Domain, x: sympy.Symbol, along: sympy.Expr, n: sympy.Symbol) -> bool:
    """Return whether all assumptions on a name are proved along a residue class, from some number on."""
    about, others = ([f for f in domain.assumptions if (x.name in variables(f)) == own] for own in (True, False))
    if about and domain.signs:  # proofs assume positive names
        return False
    far = sympy.expand(along.xreplace({n: n + FAR}))
    whole = Domain(integers=(domain.integers | {n.name}) - {x.name}, assumptions=tuple(others))
    with suppress(RoofproofError, KernelError):
        return all(
            _proved(substitute(f, {x.name: to_term(far)}), _values(to_condition(f), x, far), whole) for f in about
        )
    return False


def _residues(expr: sympy.Basic, regime: Regime) -> tuple[sympy.Symbol, sympy.Symbol, int] | None:
    """Return the name that grows, a fresh name for integers, and the period of all roundings, or None."""
    if len(regime.growing) != 1 or regime.shrinking or regime.ties:
        return None
    [name] = regime.growing
    x = next((s for s in expr.free_symbols if s.name == name), None)
    slopes = [a.args[0].coeff(x) for a in expr.atoms(*ROUNDED)] if x is not None else []
    period = lcm(*(int(a.q) for a in slopes if a.is_Rational))
    if x is None or not slopes or not all(a.is_Rational for a in slopes) or not 1 < period <= MOST:
        return None
    taken = {s.name for s in expr.free_symbols}
    letter = next(m for m in ("m", "k", "i", "whole") if m not in taken)
    return x, sympy.Symbol(letter, positive=True, integer=True), period


def _along(expr: sympy.Expr, x: sympy.Symbol, along: sympy.Expr, n: sympy.Symbol) -> tuple[sympy.Expr, list[Known]]:
    """Return the limit of an expression with k n + r for x, and its proofs, which include the roundings."""
    known: list[Known] = []
    for rounded in sorted(expr.atoms(*ROUNDED), key=sympy.default_sort_key):
        inside = sympy.expand(rounded.args[0].xreplace({x: along}))
        written, value = rounded.func(inside, evaluate=False), rounded.func(inside)
        same = decide_condition(Formula("=", Term.of(written), Term.of(value)), Domain(integers=frozenset([n.name])))
        if same.status != "proved":
            raise KernelError("what is rounded is not seen to be whole")
        known += same.known
        expr = expr.xreplace({rounded: value})
    found = limit(sympy.expand(expr.xreplace({x: along})), Regime(f"{n.name} -> oo"))
    return found.value, [*known, *found.value_proofs()]
