"""Proved statements as SMT-LIB 2 scripts that any SMT solver can replay."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from roofproof.proofs.kernel.terms import Formula, KernelError, Term
from roofproof.proofs.known import ByCounterexample, ByEveryInteger, ByExactValue, ByKernel, ByOracle, Known
from roofproof.proofs.oracles.points import coordinate


@dataclass(frozen=True, slots=True)
class SmtScript:
    """A script for a solver, and the answer (`sat` or `unsat`) that proves the statement."""

    says: str
    answer: str
    text: str


def scripts(known: Iterable[Known]) -> list[SmtScript]:
    """Return a script for each proved statement that SMT-LIB can express. Limits, for example, have none.

    >>> from fractions import Fraction
    >>> from roofproof.proofs import Known, Statement
    >>> three = Term("q", 3, 1)
    >>> point = Known(Statement("", (), (">", ("v", "x"), three), somewhere=True), ByCounterexample({"x": Fraction(4)}))
    >>> [made] = scripts([point])
    >>> made.says, made.answer, made.text.splitlines()[0]
    ('x > 3 somewhere', 'sat', '; sat proves the statement')

    A statement about some point is proved by `sat`: its script fixes the point. All others are proved by `unsat`.
    """
    found = []
    for one in known:
        try:
            if (script := _script(one)) is not None:
                found.append(script)
        except KernelError:  # SMT-LIB cannot express it
            continue
    return found


def _script(known: Known) -> SmtScript | None:
    statement, warrant = known.statement, known.warrant
    if isinstance(warrant, ByKernel | ByOracle | ByExactValue | ByEveryInteger):
        return SmtScript(statement.says, "unsat", statement.smtlib())
    if not isinstance(warrant, ByCounterexample):
        return None
    there: list[Formula] = [Formula("=", Term("v", n), coordinate(v)) for n, v in warrant.point.items()]
    return SmtScript(statement.says, "sat", replace(statement, assumptions=(*statement.assumptions, *there)).smtlib())


def as_files(found: Iterable[SmtScript], folder: str = "") -> dict[str, tuple[str, str]]:
    """Return scripts as numbered files, each with its text and a description.

    >>> as_files([SmtScript("1 > 0", "unsat", "(check-sat)")], "a/")
    {'a/01.smt2': ('; 1 > 0\\n(check-sat)\\n', 'unsat proves 1 > 0')}
    """
    return {
        f"{folder}{k:02}.smt2": (f"; {' '.join(s.says.split())}\n{s.text}\n", f"{s.answer} proves {s.says}")
        for k, s in enumerate(found, 1)
    }
