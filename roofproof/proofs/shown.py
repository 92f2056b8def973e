"""What a statement shows is what its goal says: expressions and words beside a formula are held to it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import TYPE_CHECKING

import sympy

from roofproof.derive.algebra.logic import parts_of
from roofproof.derive.inequalities.cases import Case, bounds, with_bounds
from roofproof.errors import Undecided
from roofproof.proofs.assumptions import ROOT
from roofproof.proofs.kernel.terms import ZERO, Formula, Term, variables
from roofproof.proofs.translate import isolating, to_formula, with_functions

if TYPE_CHECKING:
    from roofproof.proofs.statement import Statement

SOLVED = ("case", "at-point", "within", "rule", "region-case")  # kinds of statements about a threshold
BOUND_BY = {"lower": "max", "upper": "+", "sequence": "+"}  # the bounds of a time, and what they are of its parts


def misshown(statement: Statement, unknown: bool = False) -> str:
    """Return the part of a statement's words that its goal does not say; nothing where there is none.

    One of which nothing is known may have no formula: its goal is true or false.

    >>> from roofproof.proofs.statement import Statement
    >>> twice = ("=", ("+", ("q", 1, 1), ("q", 1, 1)), ("q", 2, 1))
    >>> misshown(Statement("1 + 1", (), twice, "total", shows=(sympy.Integer(2),)))
    ''
    >>> misshown(Statement("1 + 1", (), twice, "total", shows=(sympy.Integer(3),)))
    'it shows 3'
    """
    if unknown and statement.goal in (("true",), ("false",)):
        return ""
    if isinstance(statement.about, tuple):
        return "" if _solved(statement) else "it shows another threshold"
    try:
        wrong = next(_wrong(statement), None)
    except (Undecided, IndexError, TypeError, ValueError):  # no term, or a goal of another form
        return "it shows what its goal has no words for"
    return "" if wrong is None else f"it shows {wrong}"


def _wrong(s: Statement) -> Iterator[object]:
    """Yield what is shown, of a statement of each kind, where the goal says something else."""
    head, *sides = s.goal
    match s.kind, s.shows:
        case (_, ()) | ("step", _):  # lines of a proof are held to their formulas by `Step`
            return
        case (("limit" | "order"), (f, sympy.oo)):
            if head != "=>" or not _unbounded(with_functions(f), *sides):
                yield f
        case (("limit" | "order"), (_, value)):
            if head not in ("tends", "=") or with_functions(value) != sides[-1]:
                yield value
        case "error", (f, lead, error):
            off, least = (sides[0], sides[1:]) if head == "and" else (s.goal, [])
            unsigned = error.has(sympy.Abs) or error.is_zero
            if least != ([] if unsigned else [Formula(">=", with_functions(error), ZERO)]):
                yield error
            if off[0] != "=" or off[1] not in (with_functions(lead - f), with_functions(f - lead)):
                yield lead
        case "bound", (most, _):
            if head not in (">", "=") or with_functions(most) != sides[0]:
                yield most
        case "left-out", (least, _):
            if head != "<=>" or sides[1] != (">", with_functions(least), ("v", f"rate of {s.about}")):
                yield least
        case "lowest-terms", (condition,):
            if head != "<=>" or to_formula(condition, with_functions) != sides[1]:
                yield condition
        case "integer", (_, answer, step, *_):
            yield from _integer(s, answer, step)
        case _, (value, *named):
            if head != "=" or with_functions(value) != sides[1]:
                yield value
            if named and sides[0][0] != BOUND_BY.get(named[0].name, sides[0][0]):
                yield named[0]
            if sides[0][0] == "v" and sides[0][1] != s.about and s.kind != "figure":
                yield s.about


def _unbounded(f: Term, where: Formula, above: Formula) -> bool:
    """Tell whether `where => above` says that a term is above any number, which has a name, beyond some place."""
    match where, above:
        case (">", ("v", x), place), (">", left, ("v", most)):
            return left == f and most not in variables(f) and x not in variables(place) and x != most
    return False


def _integer(s: Statement, answer: sympy.Integer, step: sympy.Integer) -> Iterator[object]:
    """Yield the integer, or that it is the largest, where the goal says something else."""
    if not answer.is_Integer:
        if s.goal[0] != "not":
            yield "that there is none"
        return
    head, _, (_, beyond, _) = s.goal
    down = beyond[1][0] == "v"
    at = beyond[2 if down else 1]
    if head != "and" or at != with_functions(answer / step):
        yield answer
    if down != str(s.about).startswith("largest"):
        yield s.about


def _solved(s: Statement) -> bool:
    """Tell whether a threshold, and the condition under which it stands, are those of the goal.

    A root of a polynomial has a name in the goal, and what defines it stands among the assumptions.
    """
    assert isinstance(s.about, tuple)
    unknown, case = s.about
    if s.kind not in SOLVED or s.goal[0] != "<=>":
        return False
    if case.when != sympy.true and to_formula(case.when, with_functions) not in s.assumptions:
        return False
    roots = sorted({r for b in bounds(case.threshold) for r in parts_of(b, sympy.CRootOf)}, key=str)
    names = sorted(n for n in s.names if n.startswith(ROOT)) if roots else []
    return any(
        _says(s, unknown, case, dict(zip(roots, named, strict=True))) for named in permutations(names, len(roots))
    )


def _says(s: Statement, unknown: sympy.Symbol, case: Case, named: dict[sympy.Expr, str]) -> bool:
    put = {root: sympy.Symbol(name, positive=True) for root, name in named.items()}
    said = with_bounds(case.threshold, lambda b: b.xreplace(put)).holds(unknown)
    defined = all(f in s.assumptions for root, name in put.items() for f in isolating(root, name))
    return defined and to_formula(said, with_functions) == s.goal[2]
