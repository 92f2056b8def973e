"""Conversion of an inequality that is not solved for the unknown to an equivalent bound."""

from __future__ import annotations

from dataclasses import replace

import sympy

from roofproof.claims.answers.question import Question
from roofproof.claims.answers.readings import equivalence, prove_or_refute
from roofproof.derive.algebra.logic import related
from roofproof.derive.algebra.polynomial import Ring
from roofproof.derive.inequalities.cases import Above, Below
from roofproof.derive.roofline.allowed_sizes import Allowed
from roofproof.errors import RoofproofError
from roofproof.proofs.kernel.terms import Formula
from roofproof.proofs.known import PROVED
from roofproof.proofs.translate import to_formula, with_functions


def bound_of(left: sympy.Expr, relation: str, right: sympy.Expr, asked: Question) -> tuple[str, sympy.Expr]:
    """Return the relation and the value of the bound that is equivalent to an inequality, for every allowed size.

    >>> from roofproof import chip, op
    >>> asked = Question(op("matmul"), chip("h100-sxm"), "B", at={"D": 4096, "F": 4096})
    >>> B = asked.allowed.unknown
    >>> bound_of(B**2, ">", 345 * B, asked)
    ('>', 345)

    If the right answer has a condition, the two are equivalent under it. Raises RoofproofError for a bound that is not
    proved to be equivalent, and for an inequality that needs more than one bound.
    """
    x = asked.allowed.unknown
    ring = Ring.of(left - right, x)
    above, _ = ring.fraction(left - right)
    coefficients = ring.coefficients(above, x)
    while coefficients and not coefficients[0]:
        coefficients.pop(0)  # a power of the unknown, which is positive
    if len(coefficients) == 2:
        least, most = map(ring.expr, coefficients)
        end, strict = sympy.cancel(-least / most), "=" not in relation
        theirs = to_formula(related(relation, left, right), with_functions)
        for bound in (Above(end, strict), Below(end, strict)):
            same = equivalence(bound, bound, Allowed(x), asked.key.when)
            said = replace(same, goal=Formula("<=>", theirs, same.goal[1]))
            known = prove_or_refute(said)
            if known.trust in PROVED and known.statement.goal == said.goal:
                return (">" if bound.kind == "above" else "<") + ("" if strict else "="), end
    raise RoofproofError("solve the inequality for <name>", name=x)
