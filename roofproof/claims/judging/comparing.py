"""Comparisons: equal values, printed digits, and formulas that agree only in a regime."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.claims.judging.decide_condition import decide_condition
from roofproof.claims.judging.domain import Domain
from roofproof.claims.judging.formulas import formula_of
from roofproof.claims.judging.in_regime import approximates
from roofproof.claims.judging.verdict import Verdict
from roofproof.claims.language.nodes import Comparison, Name, Product, Quotient
from roofproof.claims.numbers.claimed_side import both_worked_out, stated_last
from roofproof.claims.numbers.exact_text import shown
from roofproof.claims.numbers.printed import as_fraction, literal, printed_agreement
from roofproof.claims.numbers.significant_digits import agreement
from roofproof.derive.algebra.text import plain
from roofproof.errors import RoofproofError, Undecided

if TYPE_CHECKING:
    from roofproof.claims.judging.judge import Case


def compare_values(case: Case, node: Comparison) -> Verdict | None:
    """Judge `a == b`, `a ~= b` and comparisons of numbers; None for what is a statement about all values."""
    (relation,) = node.relations
    if relation not in ("==", "~="):
        return None
    node = stated_last(_with_numbers(node, case), case.env.let)
    left, right = (case.env.to_sympy(o) for o in node.operands)
    infinite = [side for side in (left, right) if side.is_infinite]
    if len(infinite) == 2 or (infinite and left.is_number and right.is_number):
        return Verdict("verified" if left == right else "refuted", "kernel", None if left == right else shown(left))
    if left.is_number and right.is_number:
        return _numbers(left, right, node, both_worked_out(node, case.env.let))
    if infinite:
        raise RoofproofError("infinity is compared with '->' only")
    equation = sympy.Eq(left, right, evaluate=False)
    found = decide_condition(equation, case.domain, case.oracle, case.steps)
    if found.status == "proved":
        return Verdict("verified", found.trust, note=_where(equation))
    if case.claim.regime is not None:
        near = approximates(case, left, right, case.claim.regime, node.operands[1], relation)
        if near is not None:
            return near
    if relation == "~=" and case.claim.regime is None:
        near = _rounded_formula(left, right, node)
        if near is not None:
            return near
    if relation == "==":
        return None
    if found.status == "refuted":
        return Verdict("refuted", found.trust, shown(left), counterexample=found.counterexample)
    return Verdict("undecided", "undecided", note=found.reason)


def _with_numbers(node: Comparison, case: Case) -> Comparison:
    """Return the comparison with a name that stands for a printed number replaced by that number."""
    let = case.env.let
    printed = (let[o.name] if isinstance(o, Name) and o.name in let else o for o in node.operands)
    return replace(node, operands=tuple(p if literal(p) else o for p, o in zip(printed, node.operands, strict=True)))


def _where(equation: Boolean) -> str:
    """Say so where a side of the equation is not defined everywhere."""
    try:
        defined = formula_of(equation)[1]
    except Undecided:
        return ""
    return "wherever both sides are defined" if defined else ""


def _numbers(left: sympy.Expr, right: sympy.Expr, node: Comparison, both: bool) -> Verdict:
    """Judge two numbers: equal, or equal to the digits printed."""
    if left == right:
        return Verdict("verified", "kernel")
    if not (left - right).is_Rational:
        found = decide_condition(sympy.Eq(left, right, evaluate=False), Domain())
        if found.status == "proved":
            return Verdict("verified", found.trust)
        if found.status == "open":
            raise Undecided(f"whether {plain(left)} is {plain(right)}: {found.reason}")
    for value, printed in ((left, node.operands[1]), (right, node.operands[0])):
        agreed = printed_agreement(value, printed, node.relations[0])
        if agreed is not None:
            return Verdict("rounded", "kernel", shown(value), note=str(agreed))
    right_value = f"{shown(left)} against {shown(right)}" if both else shown(left)
    return Verdict("refuted", "kernel", right_value, counterexample={})


def _rounded_formula(left: sympy.Expr, right: sympy.Expr, node: Comparison) -> Verdict | None:
    """Judge `a ~= 2.4 b`, where the formulas differ by a number only, by the digits of the number printed."""
    from roofproof.derive.roofline.intensities import lowest_terms

    try:
        ratio = lowest_terms(left / right)
    except RoofproofError:
        return None
    if not ratio.is_Rational or ratio <= 0:
        return None
    for printed, factor in ((node.operands[1], ratio), (node.operands[0], 1 / ratio)):
        for part in (printed.above, printed) if isinstance(printed, Quotient) else (printed,):
            for number in part.factors if isinstance(part, Product) else (part,):
                if (found := literal(number)) is None:
                    continue
                agreed = agreement(Fraction(found[0]) * as_fraction(factor), found[0])
                if agreed is not None and agreed.reading != "order of magnitude":
                    return Verdict("rounded", "kernel", shown(left), note=str(agreed))
    return None
