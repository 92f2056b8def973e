"""Proving a line: that it follows from the one before, and what its reason claims."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import sympy

from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import ZERO, Formula, KernelError, Term, substitute, variables
from roofproof.proofs.known import Known, by_kernel
from roofproof.proofs.provers.statements import prove_statement
from roofproof.proofs.search import tactics
from roofproof.proofs.search.handelman import core
from roofproof.proofs.statement import Statement
from roofproof.proofs.steps.lines import Line
from roofproof.proofs.steps.rules import by_rule
from roofproof.proofs.steps.step import NAMING, Reason, Step, claims
from roofproof.proofs.translate import with_functions

KIND = "step"


def stepped(
    before: Line,
    after: Line,
    reason: Reason,
    by: Sequence[sympy.Basic] = (),
    given: Sequence[Formula] = (),
    put: Sequence[tuple[str, Term]] = (),
    link: str = "<=>",
    lemmas: Sequence[Theorem] = (),
) -> Step:
    """Return a line that follows from another one by a reason, where `given` holds; everything is proved.

    `lemmas` are theorems that may say some of it.

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
    shown = (*after.shows, *(by if reason in NAMING else ()))
    follows = Formula(link, substitute(before.formula, dict(put)), after.formula)
    said: list[Known] = []
    for goal in claims(reason, before, after, tuple(by)):  # the sign of what is divided by comes first
        said.append(proved(goal, given, shown, lemmas, [k.theorem for k in said if k.theorem is not None]))
    terms = [with_functions(e) for e in by] if reason in NAMING else []
    theorems = [k.theorem for k in said if k.theorem is not None]
    if not put and (theorem := by_rule(reason, before, after, terms, theorems)) is not None:
        lemmas = (theorem, *lemmas)
    known = proved(follows, given, shown, lemmas)
    return Step(after, reason, (known, *said), link, before, tuple(by), tuple(put))


def holding(line: Line, reason: Reason, by: Sequence[sympy.Expr] = (), given: Sequence[Formula] = ()) -> Step:
    """Return a line that holds by itself, where `given` holds.

    >>> from roofproof.proofs.steps.lines import Relation
    >>> from roofproof.symbols import quantity
    >>> holding(Relation(quantity("x"), ">", sympy.Integer(0)), Reason.SIGNS).known[0].trust
    'kernel'
    """
    return Step(line, reason, (proved(line.formula, given, line.shows),), by=tuple(by))


def proved(
    goal: Formula,
    given: Sequence[Formula],
    shows: Sequence[sympy.Basic] = (),
    lemmas: Sequence[Theorem] = (),
    signs: Sequence[Theorem] = (),
) -> Known:
    """Return a statement with its proof: an equation by the kernel's rule for it, all else by search.

    >>> proved(Formula("=", Term("v", "x"), Term("*", Term("q", 1, 1), Term("v", "x"))), ()).trust
    'kernel'
    """
    statement = Statement("", tuple(given), goal, KIND, shows=tuple(shows))
    said = (by_kernel(statement, lemma) for lemma in lemmas if lemma.conclusion == goal)
    if (known := next((k for k in said if k), None)) is not None:
        return known
    if goal[0] == "=" and (known := _equation(statement, signs)) is not None:
        return known
    return prove_statement(statement)


def _equation(statement: Statement, signs: Sequence[Theorem]) -> Known | None:
    """Return an equation of equal normal forms as known; what is divided by may need what is given for its sign."""
    names = sorted(statement.names)
    for said in (tuple, lambda: _with_cores(signs, names), lambda: _signs(statement)):
        with suppress(KernelError):
            return by_kernel(statement, kernel.identity(statement.goal[1], statement.goal[2], names, said()))
    return None


def _with_cores(signs: Sequence[Theorem], names: Sequence[str]) -> list[Theorem]:
    """Return signs, and those without factors that are positive anyway."""
    return [t for sign in signs for t in (sign, core(sign, [], names))]


def _signs(statement: Statement) -> list[Theorem]:
    """Return the sign of all that is divided by in a statement, where it is proved of what is given."""
    theorems = []
    for divisor in dict.fromkeys(divisors(statement.goal)):
        sides = (Formula(">", divisor, ZERO), Formula(">", ZERO, divisor)) if variables(divisor) else ()
        found = (tactics.prove(side, statement.assumptions) for side in sides)
        theorems += [t for t in found if t is not None][:1]
    return theorems


def divisors(t: Term | Formula) -> list[Term]:
    """Return what is divided by, anywhere in a term or formula.

    >>> divisors(Formula("=", Term("v", "x"), Term("/", Term("q", 1, 1), Term("v", "y"))))
    [('v', 'y')]
    """
    parts = [p for p in t if isinstance(p, Term | Formula)]
    return [d for p in parts for d in divisors(p)] + ([t[2]] if t[0] == "/" else [])
