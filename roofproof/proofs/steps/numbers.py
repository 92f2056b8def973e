"""Steps from a threshold to its value at given sizes: substitute sizes, apply constraints, take the integer answer."""

from __future__ import annotations

from collections.abc import Iterator

import sympy

from roofproof.derive.inequalities.cases import Above, Always, Below, Never, bounds, case_at
from roofproof.derive.roofline.critical_size import CriticalSize
from roofproof.errors import RoofproofError
from roofproof.formula.logarithm import exp2
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import Formula, Term, minus
from roofproof.proofs.known import by_kernel
from roofproof.proofs.provers.critical_size import ProvedThreshold
from roofproof.proofs.provers.specialize import as_terms
from roofproof.proofs.search import tactics
from roofproof.proofs.statement import Statement
from roofproof.proofs.steps.lines import Best, Bound, Line, Relation, line_of
from roofproof.proofs.steps.step import KIND, Reason, Step, Steps, stepped
from roofproof.proofs.translate import to_formula


def number_steps(proved: ProvedThreshold) -> Steps | None:
    """Return the steps from a threshold to its value at the given sizes, or None if there are none.

    >>> from roofproof import chip, op, threshold
    >>> at = {"D": 4096, "F": 4096}
    >>> for step in number_steps(threshold(op("matmul"), chip("tpu-v5e@scaling-book"), "B", at)).common:
    ...     print(step.link, step.line)
    <=> B > 10086400/37059
    <=> B >= 273
    """
    there = tuple(_at_sizes(proved)) if proved.found.at_point is not None else ()
    return Steps("sizes", there) if there else None


def _at_sizes(proved: ProvedThreshold) -> Iterator[Step]:
    """Yield the threshold at the given sizes, and the integer answer."""
    found = proved.found
    assert found.at_point is not None
    x, there = found.unknown, Bound(found.unknown, found.at_point)
    sizes = {n: v for n, v in found.point.items()}
    before: Line = Bound(x, case_at(found.cases, sizes))
    if isinstance(found.at_point, Never | Always):
        if found.condition in (sympy.true, sympy.false):
            return
        before = line_of(found.condition)
    names = sorted({s.name for e in before.shows for s in e.free_symbols} & set(sizes))
    if names:
        put = as_terms({name: sizes[name] for name in names})
        by = tuple(e for name in names for e in (sympy.Symbol(name), sympy.Integer(sizes[name])))
        yield stepped(before, there, Reason.SIZES, by, (), tuple(put.items()))
    yield from _best(proved, there)


def _best(proved: ProvedThreshold, there: Bound) -> Iterator[Step]:
    """Yield the further constraints on the size, and the integer answer."""
    found, allowed = proved.found, proved.found.allowed
    if not bounds(there.threshold):
        return
    isolated = any(bound.has(sympy.CRootOf) for bound in bounds(there.threshold))
    power = any(bound.has(exp2) for bound in bounds(there.threshold))
    if not (allowed.bounds or allowed.whole or isolated or power) and found.integer is not None:
        yield _integer(found, there)
        return
    if allowed.bounds and not isolated:
        within = Bound(found.unknown, allowed.within(there.threshold))
        asked = tuple(map(to_formula, allowed.bounds))
        yield stepped(there, within, Reason.ALLOWED, allowed.bounds, asked)
    known = proved.derivation.of("integer")[0]
    line = Best(found.unknown, found.integer, there.threshold.kind == "below", known.statement.goal)
    yield Step(line, Reason.BEST, (known,), by=(found.unknown, sympy.Integer(allowed.multiple_of), *allowed.whole))


def _integer(found: CriticalSize, there: Bound) -> Step:
    """Return a step stating that the integers within the bound begin (or end) with the integer answer."""
    x, m, answer = found.unknown, found.allowed.multiple_of, found.integer
    assert answer is not None
    below = there.threshold.kind == "below"
    line = Relation(x, "<=" if below else ">=", sympy.Integer(answer))
    link = "<=>" if isinstance(there.threshold, Above | Below) else "=>"
    itself = Term("v", x.name)
    step: Term = itself if m == 1 else Term("/", itself, Term("q", m, 1))
    whole = Formula("int", step)
    goal: Formula = Formula(link, there.formula, line.formula)
    statement = Statement("", (whole,), goal, KIND)
    theorem = tactics.prove(goal, [whole], [_apart(step, answer // m, below)])
    known = by_kernel(statement, theorem)
    if known is None:
        raise RoofproofError("the proof checker does not prove <line>", line=line)
    return Step(line, Reason.INTEGER, (known,), link, there, (x, sympy.Integer(m)))


def _apart(step: Term, answer: int, below: bool) -> Theorem:
    """Prove that an integer beyond the answer is beyond it by at least one."""
    k = Term("v", "k!")
    beyond: Formula = Formula(">", k, Term("q", answer, 1)) if below else Formula(">", Term("q", answer, 1), k)
    gap = kernel.gap(
        kernel.assume(beyond), kernel.integral(minus(beyond[1], beyond[2]), [kernel.assume(Formula("int", k))])
    )
    return kernel.instantiate(kernel.discharge(gap, beyond), {"k!": step})
