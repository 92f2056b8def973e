"""Steps to a limit and its relative error: divide above and below by what leads, and let the rest tend to zero."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import sympy

from roofproof.derive.algebra.polynomial import Ring, factored_fraction
from roofproof.derive.limits.regime import Group
from roofproof.errors import RoofproofError
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.terms import ZERO, Formula, KernelError, normal, term_of, variables
from roofproof.proofs.known import Known, Model, by_kernel
from roofproof.proofs.provers.limit_proofs import ProvedLimit, tends
from roofproof.proofs.search import tactics
from roofproof.proofs.search.equations import by_equations
from roofproof.proofs.statement import Statement
from roofproof.proofs.steps.lines import Relation, Tends
from roofproof.proofs.steps.reasons import KIND, divisors
from roofproof.proofs.steps.step import Reason, Step, Steps
from roofproof.symbols import quantity


def limit_steps(proved: ProvedLimit, name: str = "I", about: str = "") -> Steps | None:
    """Return the steps to a limit, in which the function has a name; None where it is not told in such steps.

    >>> from roofproof import op, threshold
    >>> [rule] = threshold(op("matmul"), None, "B").rules
    >>> for step in limit_steps(rule.proved):
    ...     print(step.line, "by", step.reason.value)
    I = B*D*F/(B*D + B*F + D*F) by function
    I = B/(B/D + B/F + 1) by fraction
    B/D + B/F -> 0 by vanish
    I -> B by limit
    (B - I)/I = B/D + B/F by error

    Told so are limits that are neither zero nor infinite, and leading terms, in one stage.
    """
    found = proved.limit
    stages = [s for s in found.approach.stages if s.groups]
    f, lead = found.settled.expr, found.approach.value if found.approach.growth is None else found.approach.growth
    if len(stages) != 1 or not stages[0].exact or f != found.expr or name in {s.name for s in f.free_symbols}:
        return None
    try:
        made = tuple(_steps(proved, f, lead, stages[0].groups, quantity(name)))
    except (RoofproofError, KernelError):
        return None
    return Steps("limit", made, about=about) if len(made) > 1 else None


def _steps(
    proved: ProvedLimit, f: sympy.Expr, lead: sympy.Expr, groups: Sequence[Group], name: sympy.Symbol
) -> Iterator[Step]:
    regime = proved.limit.regime.text
    first = Relation(name, "=", f)
    yield Step(first, Reason.FUNCTION, (Known(_stated((), first), Model("a name for it")),))
    ring = Ring.of(f, lead)
    num, _ = ring.fraction(f)
    over, below = ring.fraction(lead / f - 1)
    if over.is_zero():
        return
    rest = sympy.expand(ring.expr(over) / ring.expr(below)) if len(below) == 1 else factored_fraction(ring, over, below)
    divided = Relation(name, "=", lead / (1 + rest))
    by = sympy.cancel(ring.expr(num) / lead)
    yield _equal(divided, Reason.FRACTION, (by,), first)
    small = tends(rest, sympy.Integer(0), groups)
    yield Step(Tends(rest, sympy.Integer(0), regime, small.statement.goal), Reason.VANISH, (small,))
    if proved.limit.growth is None:
        known = proved.tends
        yield Step(Tends(name, lead, regime, known.statement.goal), Reason.LIMIT, (known,))
    elif proved.growth:
        known = proved.growth[-1]
        yield Step(Tends(name / lead, sympy.Integer(1), regime, known.statement.goal), Reason.LIMIT, (known,))
    if proved.error is not None:
        error = proved.error.statement.shows[2]
        signed = rest if error.has(sympy.Abs) else error  # of either sign, where that depends on the sizes
        off = lead - name if signed == rest else name - lead
        yield _equal(Relation(off / name, "=", signed), Reason.ERROR, (lead,), first)


def _equal(line: Relation, reason: Reason, by: tuple[sympy.Expr, ...], first: Relation) -> Step:
    """Return an equation that follows from what the name stands for."""
    equation = kernel.assume(first.formula)
    whole = tuple((">=", ("v", s.name), ("q", 1, 1)) for s in sorted(first.right.free_symbols, key=str) if s.is_integer)
    below = dict.fromkeys(term_of(normal(d, [])[0]) for d in (*divisors(line.formula), *divisors(first.formula)))
    for given in ((), whole):
        signs = [t for d in below if variables(d) and (t := tactics.prove((">", d, ZERO), given)) is not None]
        theorem = by_equations(line.formula, [equation], signs=signs)
        if (known := by_kernel(_stated((first.formula, *given), line), theorem)) is not None:
            return Step(line, reason, (known,), by=by)
    raise RoofproofError(f"no proof that {line}")


def _stated(given: tuple[Formula, ...], line: Relation) -> Statement:
    return Statement("", given, line.formula, KIND, shows=line.shows)
