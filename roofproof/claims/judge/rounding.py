"""Agreement to the printed digits only: values, factors of formulas, and thresholds, such as `B > 300` for 295.2."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from roofproof.claims.judge.case import Case
from roofproof.claims.judge.corrections import sides
from roofproof.claims.judge.decide_condition import decide_condition
from roofproof.claims.judge.domain import Domain
from roofproof.claims.judge.verdict import Verdict
from roofproof.claims.kinds import REFUTED, ROUNDED, UNDECIDED
from roofproof.claims.printed import known_agreement, off_by_digits, printed_agreement, printed_number, readings, shown
from roofproof.derive.algebra.logic import Iff
from roofproof.derive.algebra.polynomial import lowest_terms
from roofproof.derive.inequalities.cases import Above, Below
from roofproof.derive.solve import solve
from roofproof.errors import RoofproofError
from roofproof.formula.tree import Comparison, Number, Op, Tree, is_op, walk
from roofproof.proofs.kernel.terms import Formula, Term
from roofproof.proofs.known import Known
from roofproof.proofs.provers.thresholds import certify
from roofproof.symbols import quantity


def rounded(
    value: sympy.Expr, printed: Tree, relation: str, tolerance: str, exact: str, known: Sequence[Known] = ()
) -> Verdict | None:
    """Return `rounded` if a printed number agrees with an exact value to its digits, or None."""
    agreed = printed_agreement(value, printed, relation, tolerance)
    if agreed is None:
        return None
    known = (*known, known_agreement(value, printed, agreed))
    return Verdict(ROUNDED, known, exact=exact, note=str(agreed), coarse=off_by_digits(value, printed, agreed))


def rounded_formula(
    left: sympy.Expr, right: sympy.Expr, node: Comparison, domain: Domain, tolerance: str
) -> Verdict | None:
    """Return the verdict on `a ~= 2.4 b` by the printed digits, if the formulas differ only by a numeric factor."""
    try:
        ratio = lowest_terms(left / right)
    except RoofproofError:
        return None
    if not ratio.is_number or not ratio.is_positive:
        return None
    proportional = decide_condition(Formula("=", Term.of(left), Term.of(ratio * right)), domain)
    if proportional.status != "proved":
        return None
    for printed, factor in ((node.operands[1], ratio), (node.operands[0], 1 / ratio)):
        if (found := printed_number(_coefficient(printed))) is not None:
            alone = Number(Fraction(found.digits), found.digits)
            value = sympy.Rational(alone.value) * factor
            return rounded(value, alone, "~=", tolerance, shown(left), proportional.known)
    return None


def rounded_everywhere(left: sympy.Expr, node: Comparison, domain: Domain, tolerance: str) -> Verdict | None:
    """Return the verdict on `a ~= 2.4` by whether the printed digits agree with every value of the formula."""
    if left.is_number or (found := printed_number(node.operands[1])) is None:
        return None
    said, amount = quantity("value!"), left / sympy.Rational(found.unit)
    agreements = readings(found.digits, tolerance)
    ways = [each.says(Term("v", said.name)).sympy().xreplace({said: amount}) for each in agreements]
    wider = [way for way, each in zip(ways, agreements, strict=True) if each.reading != "exact"]
    for condition in (*wider, sympy.Or(*ways, evaluate=False)):  # a single reading has the simpler proof
        agrees = decide_condition(Formula.of(condition), domain)
        if agrees.status == "proved":
            break
    kind = {"proved": ROUNDED, "refuted": REFUTED}.get(agrees.status, UNDECIDED)
    return Verdict(kind, agrees.known, exact=shown(left), counterexample=agrees.counterexample, note=agrees.reason)


def _coefficient(node: Tree) -> Tree:
    """Return the numeric factors of a formula as one product, or the formula if it has none or divides by one."""
    if is_op(node, "/"):
        above, below = node.args
        divisors = below.args if is_op(below, "*") else (below,)
        return node if any(printed_number(part) is not None for part in divisors) else _coefficient(above)
    if not is_op(node, "*"):
        return node
    numbers = tuple(factor for factor in node.args if printed_number(factor) is not None)
    return Op("*", numbers) if numbers else node


def rounded_threshold(
    case: Case, node: Tree, condition: Boolean, known: Sequence[Known], error_bound: str | None
) -> Verdict | None:
    """Return `rounded` for an equivalence whose printed bound is the exact one to its digits.

    `known` are proofs of the condition, which is a limit with the error `error_bound`.
    """
    if not isinstance(condition, Iff):
        return None
    links = (part for part in walk(node) if isinstance(part, Comparison) and len(part.relations) == 1)
    numbers = [operand for link in links for operand in link.operands]
    for subject, other in sides(condition):
        claimed = next(s for s in condition.args if s is not other)
        if not isinstance(claimed, Relational):
            continue
        try:
            cases = solve(other, subject)
        except RoofproofError:
            continue
        [first, *rest] = cases
        bound = first.threshold
        if rest or not isinstance(bound, Above | Below) or not bound.at.is_number:
            continue
        upward = claimed.rel_op in (">", ">=") if claimed.lhs == subject else claimed.rel_op in ("<", "<=")
        if upward != isinstance(bound, Above):
            continue
        for printed in numbers:
            agreed = printed_agreement(bound.at, printed, claimed.rel_op, case.claim.tolerance)
            if agreed is None or agreed.reading == "exact":  # an exact bound is not a rounded one
                continue
            if case.env.to_sympy(printed) in (claimed.lhs, claimed.rhs):
                exact = f"{subject} {'>' if upward else '<'} {shown(bound.at)}"
                rests = (*known, *certify(other, cases), known_agreement(bound.at, printed, agreed))
                coarse = off_by_digits(bound.at, printed, agreed)
                return Verdict(ROUNDED, rests, exact=exact, error_bound=error_bound, note=str(agreed), coarse=coarse)
    return None
