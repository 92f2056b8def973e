"""Proving a line: that it follows from the one before, and what its reason claims."""

from __future__ import annotations

from collections.abc import Sequence

import sympy

from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import ZERO, Formula, Term, substitute, variables
from roofproof.proofs.known import Known, by_kernel
from roofproof.proofs.provers.statements import prove_statement
from roofproof.proofs.search.short_proofs import by_normal_forms, divisors, prove, without_search
from roofproof.proofs.statement import Statement
from roofproof.proofs.steps.lines import Line
from roofproof.proofs.steps.step import Reason, Step, claims

KIND = "step"


def stepped(
    before: Line,
    after: Line,
    reason: Reason,
    by: Sequence[sympy.Basic] = (),
    given: Sequence[Formula] = (),
    put: Sequence[tuple[str, Term]] = (),
    link: str = "<=>",
) -> Step:
    """Return a line that follows from another one by a reason, where `given` holds; everything is proved.

    >>> from roofproof.proofs.steps.lines import Relation
    >>> from roofproof.symbols import quantity
    >>> x, y = quantity("x"), quantity("y")
    >>> step = stepped(Relation(2*x, ">", y), Relation(x, ">", y/2), Reason.DIVIDE, (sympy.Integer(2),))
    >>> step.known[0].trust, step.known[0].statement.says                      # 2 x - y = 2 (x - y/2)
    ('kernel', '2*x > y <=> x > 1/2*y')
    >>> stepped(Relation(2*x, ">", y), Relation(x, ">", y), Reason.DIVIDE, (sympy.Integer(2),))
    Traceback (most recent call last):
    roofproof.proofs.provers.statements.Refuted: y = 2*y: false at y = 1

    Raises Refuted with a point where a line does not follow, or its reason is not true.
    """
    follows = Formula(link, substitute(before.formula, dict(put)), after.formula)
    said, theorems = list[Known](), list[Theorem]()
    for goal in claims(reason, before, after, tuple(by)):  # the sign of what is divided by comes first
        said.append(proved(goal, given, theorems))
        theorems += [said[-1].theorem] if said[-1].theorem else []
    known = proved(follows, given)
    return Step(after, reason, (known, *said), link, before, tuple(by), tuple(put))


def holding(line: Line, reason: Reason, by: Sequence[sympy.Expr] = (), given: Sequence[Formula] = ()) -> Step:
    """Return a line that holds by itself, where `given` holds.

    >>> from roofproof.proofs.steps.lines import Relation
    >>> from roofproof.symbols import quantity
    >>> holding(Relation(quantity("x"), ">", sympy.Integer(0)), Reason.SIGNS).known[0].trust
    'kernel'
    """
    return Step(line, reason, (proved(line.formula, given),), by=tuple(by))


def proved(goal: Formula, given: Sequence[Formula], signs: Sequence[Theorem] = ()) -> Known:
    """Return a statement with its proof: an equation or a sign by the kernel's rule for it, all else by search.

    >>> proved(Formula("=", Term("v", "x"), Term("*", Term("q", 1, 1), Term("v", "x"))), ()).trust
    'kernel'
    """
    statement = Statement("", tuple(given), goal, KIND)
    return by_kernel(statement, _with_little(goal, given, signs)) or prove_statement(statement)


def _with_little(goal: Formula, given: Sequence[Formula], signs: Sequence[Theorem]) -> Theorem | None:
    """Return a theorem for which only parts of a conjunction and signs of divisors are searched for, or None."""
    if (theorem := without_search(goal, given, (), signs)) is not None:
        return theorem
    if goal[0] == "and":
        found = [prove(part, given) for part in goal[1:]]
        return None if None in found else kernel.propositional(goal, found)  # type: ignore[arg-type]
    if goal[0] == "=":
        sides = [Formula(">", d, ZERO) for d in divisors(goal) if variables(d)]
        ways = [prove(side, given) or prove(Formula(">", ZERO, side[1]), given) for side in sides]
        return by_normal_forms(goal, given, [t for t in ways if t is not None]) if ways else None
    return None
