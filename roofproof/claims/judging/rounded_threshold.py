"""Thresholds that agree with the printed digits only: `B > 300` for 295.2."""

from __future__ import annotations

from collections.abc import Sequence

from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from roofproof.claims.judging.case import Case
from roofproof.claims.judging.corrections import sides
from roofproof.claims.judging.verdict import Verdict
from roofproof.claims.kinds import ROUNDED
from roofproof.claims.language.nodes import Comparison, Node, walk
from roofproof.claims.numbers.exact_text import shown
from roofproof.claims.numbers.printed import known_agreement, printed_agreement
from roofproof.derive.algebra.logic import Iff
from roofproof.derive.inequalities.cases import Above, Below
from roofproof.derive.inequalities.inequality import solve
from roofproof.errors import RoofproofError
from roofproof.proofs.known import Known
from roofproof.proofs.provers.thresholds import certify


def rounded_threshold(
    case: Case, node: Node, condition: Boolean, known: Sequence[Known], error_bound: str | None
) -> Verdict | None:
    """Return `rounded` for an equivalence whose printed bound is the exact one to its digits.

    `known` is what the condition rests on, which limits with that error made.
    """
    if not isinstance(condition, Iff):
        return None
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
        for part in walk(node):
            if isinstance(part, Comparison) and len(part.relations) == 1:
                for printed in part.operands:
                    agreed = printed_agreement(bound.at, printed, claimed.rel_op, case.claim.tolerance)
                    if agreed is None or agreed.reading == "exact":  # an exact bound is right or wrong as it stands
                        continue
                    if case.env.to_sympy(printed) in (claimed.lhs, claimed.rhs):
                        digits = known_agreement(bound.at, printed, agreed)
                        return Verdict(
                            ROUNDED,
                            (*known, *certify(other, cases), digits),
                            exact=f"{subject} {'>' if upward else '<'} {shown(bound.at)}",
                            error_bound=error_bound,
                            note=str(agreed),
                        )
    return None
