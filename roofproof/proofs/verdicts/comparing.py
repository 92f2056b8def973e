"""Comparisons: equal values, printed digits, and formulas that agree only in a regime."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.derive.text import plain
from roofproof.errors import RoofproofError, Undecided
from roofproof.proofs.language.nodes import Comparison, Negative, Node, Number, Product, Quantity, Quotient
from roofproof.proofs.verdicts.deciding import decide_condition
from roofproof.proofs.verdicts.domain import Domain
from roofproof.proofs.verdicts.exact_text import shown
from roofproof.proofs.verdicts.formulas import formula_of
from roofproof.proofs.verdicts.in_regime import approximates
from roofproof.proofs.verdicts.rounding import Agreement, agreement
from roofproof.proofs.verdicts.verdict import Verdict

if TYPE_CHECKING:
    from roofproof.proofs.verdicts.judge import Case


def compare_values(case: Case, node: Comparison) -> Verdict | None:
    """Judge `a == b`, `a ~= b` and comparisons of numbers; None for what is a statement about all values."""
    (relation,) = node.relations
    if relation not in ("==", "~="):
        return None
    left, right = (case.env.to_sympy(o) for o in node.operands)
    infinite = [side for side in (left, right) if side.is_infinite]
    if len(infinite) == 2 or (infinite and left.is_number and right.is_number):
        return Verdict("verified" if left == right else "refuted", "kernel", None if left == right else shown(left))
    if left.is_number and right.is_number:
        return _numbers(left, right, node)
    if infinite:
        raise RoofproofError("infinity is compared with '->' only")
    equation = sympy.Eq(left, right, evaluate=False)
    found = decide_condition(equation, case.domain, case.oracle, case.milliseconds)
    if found.status == "proved":
        return Verdict("verified", found.trust, note=_where(equation))
    if case.claim.regime is not None:
        near = approximates(case, left, right, case.claim.regime)
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


def _where(equation: Boolean) -> str:
    """Say so where a side of the equation is not defined everywhere."""
    try:
        defined = formula_of(equation)[1]
    except Undecided:
        return ""
    return "wherever both sides are defined" if defined else ""


def _numbers(left: sympy.Expr, right: sympy.Expr, node: Comparison) -> Verdict:
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
        agreed = _agreement(value, printed)
        if agreed is not None:
            return Verdict("rounded", "kernel", shown(value), note=str(agreed))
    value = left if _literal(node.operands[1]) or not _literal(node.operands[0]) else right
    return Verdict("refuted", "kernel", shown(value), counterexample={})


def _agreement(value: sympy.Expr, printed: Node) -> Agreement | None:
    literal = _literal(printed)
    if literal is not None:
        text, factor = literal
        return agreement(_fraction(value) / factor, text)
    return None


def _literal(node: Node) -> tuple[str, Fraction] | None:
    """Return (digits as written, value of the unit) for a number that was printed as it stands."""
    match node:
        case Number(text=text):
            return text, Fraction(1)
        case Negative(operand=Number(text=text)):
            return f"-{text}", Fraction(1)
        case Quantity(amount=Number(text=text), unit=unit):
            return text, unit.factor
    return None


def _fraction(value: sympy.Expr) -> Fraction:
    if value.is_Rational:
        return Fraction(int(value.p), int(value.q))
    scale = 10**40  # an irrational value cut off exactly, far beyond the digits that anybody prints
    return Fraction(int(sympy.floor(value * scale)), scale)


def _rounded_formula(left: sympy.Expr, right: sympy.Expr, node: Comparison) -> Verdict | None:
    """Judge `a ~= 2.4 b`, where the formulas differ by a number only, by the digits of the number printed."""
    from roofproof.derive.intensities import lowest_terms

    try:
        ratio = lowest_terms(left / right)
    except RoofproofError:
        return None
    if not ratio.is_Rational or ratio <= 0:
        return None
    for printed, factor in ((node.operands[1], ratio), (node.operands[0], 1 / ratio)):
        for part in (printed.above, printed) if isinstance(printed, Quotient) else (printed,):
            for literal in part.factors if isinstance(part, Product) else (part,):
                if (found := _literal(literal)) is None:
                    continue
                agreed = agreement(Fraction(found[0]) * _fraction(factor), found[0])
                if agreed is not None and agreed.reading != "order of magnitude":
                    return Verdict("rounded", "kernel", shown(left), note=str(agreed))
    return None
