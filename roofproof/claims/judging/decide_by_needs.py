"""Deciding a condition whose parts stand beside what they need for a value: in each case of what is met."""

from __future__ import annotations

from collections.abc import Iterable

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from roofproof.claims.judging.decide_condition import decide_condition
from roofproof.claims.judging.decide_formula import Finding
from roofproof.claims.judging.domain import Domain, formula_where_defined
from roofproof.errors import Undecided
from roofproof.formula.to_sympy import joined
from roofproof.proofs.kernel.terms import Formula
from roofproof.proofs.known import Known

MAX_NEEDS = 5  # conditions of having a value, each of which is met or not


def decide_by_needs(goal: Boolean, needs: Iterable[Boolean], domain: Domain, oracle: str, steps: int) -> Finding:
    """Decide a statement in which comparisons stand beside what they need for a value, in each case of what is met.

    >>> x = sympy.Symbol("x", positive=True)
    >>> need = sympy.Ne(x - 1, 0)
    >>> goal = sympy.Or(sympy.And(need, 1/(x - 1) > 0), x <= 1)            # true at x = 1, by its second part
    >>> decide_by_needs(goal, [need], Domain(), "z3", 100_000).status
    'proved'
    >>> decide_by_needs(sympy.Or(sympy.And(need, 1/(x - 1) > 0), x < 1), [need], Domain(), "z3", 100_000).status
    'refuted'
    """
    there = goal.atoms(Relational)
    needs = [need for need in needs if need in there]
    if not needs or goal in (sympy.true, sympy.false):
        return decide_condition(Formula.of(goal), domain, oracle, steps)
    if len(needs) > MAX_NEEDS:
        raise Undecided("more than <most> conditions of having a value", most=MAX_NEEDS)
    first, *rest = needs
    known: tuple[Known, ...] = ()
    formulas = formulas_of(first)
    unmet = Formula("not", Formula("and", *formulas))
    for met, part in ((True, domain.where(*formulas)), (False, domain.where(unmet))):
        if not part.can_hold():
            continue
        found = decide_by_needs(_told(goal, first, met), rest, part, oracle, steps)
        if found.status != "proved":
            return found
        known += found.known
    return Finding("proved", known)


def formulas_of(condition: Boolean) -> tuple[Formula, ...]:
    """Return a condition, after what must not be zero for it to be defined."""
    formula, defined = formula_where_defined(condition)
    return (*defined, formula)


def _told(said: Boolean, need: Boolean, met: bool) -> Boolean:
    """Return a statement with a condition in it told, and what then has no bearing left out."""
    if said == need:
        return sympy.true if met else sympy.false
    if isinstance(said, sympy.Not):
        inner = _told(said.args[0], need, met)
        return sympy.Not(inner) if inner in (sympy.true, sympy.false) else sympy.Not(inner, evaluate=False)
    if not isinstance(said, sympy.And | sympy.Or):
        return said
    decides = sympy.false if isinstance(said, sympy.And) else sympy.true
    parts = [_told(part, need, met) for part in said.args]
    if decides in parts:
        return decides
    parts = [part for part in parts if part not in (sympy.true, sympy.false)]
    return joined(said.func, parts) if parts else sympy.Not(decides)
