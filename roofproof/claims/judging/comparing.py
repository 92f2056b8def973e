"""Comparisons: equal values, printed digits, and formulas that agree only in a regime."""

from __future__ import annotations

from dataclasses import replace

import sympy

from roofproof.claims.judging.case import Case
from roofproof.claims.judging.decide_condition import decide_condition
from roofproof.claims.judging.domain import Domain, formula_where_defined
from roofproof.claims.judging.in_regime import approximates
from roofproof.claims.judging.rounding import rounded, rounded_everywhere, rounded_formula
from roofproof.claims.judging.verdict import Verdict
from roofproof.claims.kinds import REFUTED, UNDECIDED, VERIFIED
from roofproof.claims.language.environment import Environment
from roofproof.claims.printed import both_worked_out, printed_agreement, printed_number, shown, stated_last
from roofproof.derive.algebra.text import plain
from roofproof.errors import RoofproofError, Undecided
from roofproof.formula.tree import Comparison, Name
from roofproof.proofs.kernel.terms import Formula, Term
from roofproof.proofs.known import ByExactValue, Known, warranted
from roofproof.proofs.oracles.enclosure import coordinate
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import to_term, with_functions


def compare_values(case: Case, node: Comparison) -> Verdict | None:
    """Judge `a == b`, `a ~= b` and comparisons of numbers; None for what is a statement about all values."""
    (relation,) = node.relations
    if (sides := sides_of(case.env, node)) is None:
        return None
    asked, (node, left, right) = node, sides
    infinite = [side for side in (left, right) if side.is_infinite]
    if len(infinite) == 2 or (infinite and left.is_number and right.is_number):
        same = left == right
        known = (_of_infinities(left, right),)
        return Verdict(VERIFIED, known) if same else Verdict(REFUTED, known, exact=shown(left))
    if left.is_number and right.is_number:
        return _numbers(case, left, right, node, asked)
    if infinite:
        raise RoofproofError("infinity is compared with '->' only")
    written = case.written(replace(node, relations=("==",))) if relation == "~=" else case.written(asked)
    said = Formula("=", Term.of(left), Term.of(right)) if written is None else written
    found = case.decided(said)
    if found.status == "proved":
        case.settled.add(asked)
        return Verdict(VERIFIED, found.known, note=_where(left, right), claimed=written)
    if relation == "==":
        return None
    if case.claim.regime is not None:
        return approximates(case, left, right, case.claim.regime, node.operands[1])
    if near := rounded_formula(left, right, node, case.domain, case.claim.tolerance):
        return near
    point = found.counterexample or {}
    there = {s: coordinate(point[s.name]).sympy() for s in left.free_symbols | right.free_symbols if s.name in point}
    apart = found.status == "refuted" and numbers_apart(node, left.subs(there), right.subs(there), case.claim.tolerance)
    if not apart and (near := rounded_everywhere(left, node, case.domain, case.claim.tolerance)):
        return near
    if found.status == "refuted":
        return Verdict(REFUTED, found.known, exact=shown(left), counterexample=point, claimed=written)
    return Verdict(UNDECIDED, found.known, note=found.reason)


Sides = tuple[Comparison, sympy.Expr, sympy.Expr]  # an equation, what is printed last, and what its sides come to


def sides_of(env: Environment, node: Comparison) -> Sides | None:
    """Return both sides of an equation, with a number that is printed on one of them last; None for what is none."""
    if node.relations not in (("==",), ("~=",)):
        return None
    node = stated_last(_with_numbers(stated_last(node, env.let), env), env.let)
    left, right = (env.to_sympy(o) for o in node.operands)
    return node, left, right


def numbers_apart(node: Comparison, left: sympy.Expr, right: sympy.Expr, tolerance: str) -> bool:
    """Tell whether two numbers that are said to be equal are not, not even to the digits of one that is printed.

    >>> from roofproof.formula.reader import read_statement
    >>> said = [read_statement(f"1/3 ~= {said}") for said in ("0.33", "0.34", "x")]
    >>> [numbers_apart(*sides_of(Environment(), node), "") for node in said]
    [False, True, False]
    """
    if not (left.is_Rational and right.is_Rational) or left == right:
        return False
    return printed_agreement(left, node.operands[1], node.relations[0], tolerance) is None


def _with_numbers(node: Comparison, env: Environment) -> Comparison:
    """Return the comparison with a name that stands for a printed number replaced by that number."""
    let = env.let
    printed = (let[o.name] if isinstance(o, Name) and o.name in let else o for o in node.operands)
    return replace(
        node, operands=tuple(p if printed_number(p) else o for p, o in zip(printed, node.operands, strict=True))
    )


def _where(left: sympy.Expr, right: sympy.Expr) -> str:
    """Say so where a side of an equation is not defined everywhere."""
    try:
        defined = formula_where_defined(sympy.Eq(left, right, evaluate=False))[1]
    except Undecided:
        return ""
    return "wherever both sides are defined" if defined else ""


def _numbers(case: Case, left: sympy.Expr, right: sympy.Expr, node: Comparison, asked: Comparison) -> Verdict:
    """Judge two numbers: equal, or equal to the digits printed."""
    written = case.written(replace(node, relations=("==",)))
    if left == right and (same := _same(left, written)):
        if written in (None, same.statement.goal):
            case.settled.add(asked)  # else names went in the algebra, and the values are yet to be those written: x/x
        return Verdict(VERIFIED, (same,), claimed=same.statement.goal if written is None else written)
    known = _apart(left, right, written)
    if not known:
        equation = Formula("=", Term.of(left), Term.of(right))
        found = decide_condition(equation if written is None else written, Domain())
        if found.status == "proved":
            case.settled.add(asked)
            return Verdict(VERIFIED, found.known, claimed=written)
        if found.status == "open":
            raise Undecided(
                "whether <left> is <right>: <reason>", left=plain(left), right=plain(right), reason=found.reason
            )
        known = found.known
    if near := rounded(left, node.operands[1], node.relations[0], case.claim.tolerance, shown(left)):
        return near
    both = both_worked_out(node, case.env.let)
    right_value = f"{shown(left)} against {shown(right)}" if both else shown(left)
    return Verdict(REFUTED, known, exact=right_value, counterexample={}, claimed=written)


def _same(value: sympy.Expr, written: Formula | None) -> Known | None:
    """Prove that two numbers are the same, by their values as they are written."""
    if written is not None and (known := warranted(Statement("", (), written), ByExactValue({}))):
        return known
    if not value.is_Rational:
        return None
    same = Formula("=", to_term(value), to_term(value))
    return Known(Statement(f"{plain(value)} = {plain(value)}", (), same), ByExactValue({}))


def _apart(left: sympy.Expr, right: sympy.Expr, written: Formula | None) -> tuple[Known, ...]:
    """Prove that two numbers are not the same, nothing where they may be."""
    try:
        same: Formula = Formula("=", with_functions(left), with_functions(right)) if written is None else written
    except RoofproofError:
        return ()
    found = warranted(Statement(f"{plain(left)} != {plain(right)}", (), Formula("not", same)), ByExactValue({}))
    return () if found is None else (found,)


def _of_infinities(left: sympy.Expr, right: sympy.Expr) -> Known:
    """Return whether two values, one of them infinite, are the same: each by the end of the line at which it lies."""
    ends: list[Term] = [Term("q", 0 if v.is_finite else 1 if v == sympy.oo else -1 if v == -sympy.oo else 2, 1)
                        for v in (left, right)]  # fmt: skip
    same = Formula("=", *ends)
    goal = same if left == right else Formula("not", same)
    says = f"{plain(left)} {'=' if left == right else '!='} {plain(right)}"
    return Known(Statement(says, (), goal), ByExactValue({}))
