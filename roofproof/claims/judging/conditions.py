"""Statements as conditions: limits and printed digits inside `not`, `or` and implications have a truth of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.claims.language.nodes import (
    Comparison,
    Conjunction,
    Disjunction,
    Equivalence,
    Implication,
    Negation,
    Node,
    walk,
)
from roofproof.claims.language.sympy_form import joined
from roofproof.claims.numbers.printed import known_agreement, printed_agreement
from roofproof.derive.algebra.logic import Iff
from roofproof.derive.limits.limits import limit
from roofproof.errors import RoofproofError, Undecided
from roofproof.proofs.provers.limit_proofs import prove_limit

if TYPE_CHECKING:
    from roofproof.claims.judging.judge import Case

_JOINS = {Conjunction: sympy.And, Disjunction: sympy.Or, Implication: sympy.Implies, Equivalence: Iff}


def condition_of(case: Case, node: Node) -> Boolean:
    """Return the condition that a statement comes to.

    `f -> v` is the condition that the limit of f is v; `~=` between numbers is true or false.
    Raises Undecided for `~=` between formulas, which is about a regime and not about points.
    """
    if not any(isinstance(n, Comparison) and {"->", "~="} & set(n.relations) for n in walk(node)):
        return case.env.to_boolean(node)
    if isinstance(node, Comparison):
        return joined(sympy.And, [_link(case, link) for link in node.links])
    if isinstance(node, Negation):
        return sympy.Not(condition_of(case, node.operand), evaluate=False)
    return joined(_JOINS[type(node)], [condition_of(case, part) for part in node.parts])


def _link(case: Case, link: Comparison) -> Boolean:
    if link.relations == ("->",):
        return _limit(case, link)
    if link.relations != ("~=",):
        return case.env.to_boolean(link)
    left, right = (case.env.to_sympy(o) for o in link.operands)
    if not left.is_number or not right.is_number:
        raise Undecided("'~=' between formulas stands alone, or is joined by 'and'")
    for value, printed in ((left, link.operands[1]), (right, link.operands[0])):
        if (agreed := printed_agreement(value, printed, "~=", case.claim.tolerance)) is None:
            continue
        case.evidence.add([known_agreement(value, printed, agreed)])
        if agreed.reading != "exact":
            case.evidence.rounded = True
            case.evidence.notes.append(str(agreed))
        return sympy.true
    return sympy.true if left == right else sympy.false


def _limit(case: Case, link: Comparison) -> Boolean:
    if case.claim.regime is None:
        raise Undecided("a limit needs a regime, such as regime = 'N -> oo'")
    expr, value = (case.env.to_sympy(o) for o in link.operands)
    try:
        found = limit(expr, case.claim.regime)
    except RoofproofError as problem:
        raise Undecided(str(problem)) from None
    case.evidence.add(prove_limit(found).value_known())
    if found.value.is_infinite or value.is_infinite:
        return sympy.true if found.value == value else sympy.false
    return sympy.Eq(found.value, value, evaluate=False)
