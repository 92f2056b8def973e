"""All steps of a proved threshold: from the intensity above the ridge point to the smallest integer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.text import plain
from roofproof.derive.inequalities.cases import Above, Always, Below, Case, Never, bounds, case_at
from roofproof.derive.roofline.critical_size import CriticalSize
from roofproof.errors import RoofproofError
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import Formula, KernelError, Term, minus, variables
from roofproof.proofs.kernel.terms import substitute as put_into
from roofproof.proofs.known import Known, by_kernel
from roofproof.proofs.provers.critical_size import ProvedThreshold
from roofproof.proofs.provers.instances import as_terms
from roofproof.proofs.provers.statements import Refuted, possible, prove_statement
from roofproof.proofs.search import tactics
from roofproof.proofs.search.radicals import cut
from roofproof.proofs.statement import Statement
from roofproof.proofs.steps.bounding import Case as SignCase
from roofproof.proofs.steps.bounding import bounded
from roofproof.proofs.steps.collecting import Collected, collected
from roofproof.proofs.steps.lines import Both, Bound, Line, Relation
from roofproof.proofs.steps.reasons import KIND, holding, stepped
from roofproof.proofs.steps.step import Branch, Reason, Step, Steps
from roofproof.proofs.translate import to_formula

PARTS = 8  # parts of a condition joined by `or` that are told one by one


def threshold_steps(proved: ProvedThreshold) -> tuple[Steps, ...]:
    """Return the steps to a threshold, and where sizes are given those from it to the integer answer.

    >>> from roofproof import op, threshold
    >>> [found] = threshold_steps(threshold(op("matmul"), None, "B"))
    >>> for step in found.common:
    ...     print(step.link, step.line)
    <=> B*D*F/(B*D + B*F + D*F) > R
    <=> B*D*F > R*(B*D + B*F + D*F)
    <=> B*(D*F - R*(D + F)) > R*D*F
    >>> for branch in found.branches:                                            # (D F - R (D + F)) > 0, or not
    ...     print(branch.when, branch.last)
    1/F + 1/D < 1/R B > R*D*F/(D*F - R*(D + F))
    1/F + 1/D >= 1/R never

    Raises RoofproofError where no way is known to tell the proof in these steps.
    """
    found = proved.found
    if len({c.compute for c in found.ceilings}) > 1 or found.at_sizes_only:
        what = "several engines" if not found.at_sizes_only else "roots that are isolated"
        raise RoofproofError(f"the proof for {what} is not told line by line; leave out --steps")
    x, assume = found.unknown, found.assume
    given = tuple(map(to_formula, assume))
    channels = [collected(c, x, (found.symbolic_condition, *assume, *found.facts), given) for c in found.ceilings]
    common = tuple(step for c in channels for step in c.steps)
    branches = []
    for case, known in zip(found.symbolic, proved.symbolic.of("case"), strict=True):
        branches += [*_branches(channels, found, case, known)]
    branches = [replace(b, steps=(*b.steps, *_with_figures(proved, b, common))) for b in branches]
    if len(branches) == 1:
        common, branches = (*common, *branches[0].steps), []
    made = Steps("threshold", common, tuple(branches))
    there = tuple(_at_sizes(found, made)) if found.at_point is not None else ()
    return (made, Steps("sizes", there)) if there else (made,)


def _branches(channels: Sequence[Collected], found: CriticalSize, case: Case, known: Known) -> Iterator[Branch]:
    """Yield the lines of a case, part by part where its condition has several; else of all of it by the known case."""
    parts = sorted(case.when.args, key=plain) if isinstance(case.when, sympy.Or) else [case.when]
    try:
        if len(parts) > PARTS:
            raise RoofproofError("too many parts to be told one by one")
        yield from [Branch(part, _steps(channels, found, part, case)) for part in parts]
    except RoofproofError:
        line = _compared(channels, known)
        reason = Reason.FORMULA if any(len(c.rows) == 3 for c in channels) else Reason.CASE
        yield Branch(case.when, (Step(Bound(found.unknown, case.threshold), reason, (known,), "<=>", line),))


def _compared(channels: Sequence[Collected], known: Known) -> Line:
    """Return the lines without fractions, in the order in which the known case has them."""
    lines = {s.line.formula: s.line for c in channels for s in c.steps}
    wanted = known.statement.goal[1]
    parts = [lines.get(f) for f in (wanted[1:] if wanted[0] == "and" else [wanted])]
    relations = tuple(line for line in parts if isinstance(line, Relation))
    if len(relations) != len(parts):
        raise RoofproofError("this case is about another condition")
    return Both(relations) if len(relations) > 1 else relations[0]


def _steps(channels: Sequence[Collected], found: CriticalSize, when: Boolean, case: Case) -> tuple[Step, ...]:
    """Return the lines of one case without `or`: channel by channel, then the bounds together."""
    x = found.unknown
    each = [SignCase.of(when, found.assume, channel, found.facts) for channel in channels]
    if len(channels) == 1:
        return bounded(channels[0], x, each[0], case.threshold)
    told: list[tuple[Step, ...]] = []
    problem = None
    for channel, signs in zip(channels, each, strict=True):
        try:
            told.append(bounded(channel, x, signs, None))
        except RoofproofError as open_:  # what another channel forbids need not be solved
            problem = open_
        else:
            if told[-1] and told[-1][-1].line == Bound(x, Never()):
                return told[-1]
    if problem is not None:
        raise problem
    lasts = [made[-1].line if made else channel.line for made, channel in zip(told, channels, strict=True)]
    for k, channel in enumerate(channels):
        if lasts[k] == Bound(x, Always()):  # which says more with the line that holds in this case
            told[k] = (*told[k][:-1], holding(channel.line, told[k][-1].reason, (), each[k].given))
    # what holds in this case anyway goes first, so that the answer stands last
    told.sort(key=lambda made: not made or made[-1].reason not in (Reason.DECIDED, Reason.CASE))
    steps = tuple(step for made in told for step in made)
    left = [line for line in lasts if isinstance(line, Relation)] or [channel.line for channel in channels]
    answer = Bound(x, case.threshold)
    before: Line = Both(tuple(left)) if len(left) > 1 else left[0]
    if before.formula == answer.formula:
        return steps
    return (*steps, stepped(before, answer, Reason.JOIN, (), each[0].given))


def _with_figures(proved: ProvedThreshold, branch: Branch, common: Sequence[Step]) -> Iterator[Step]:
    """Yield the last line of a case with the figures of the chip, as the answer prints it."""
    found = proved.found
    ridges = {c.symbol.name: c.ridge for c in found.ceilings if c.ridge is not None}
    last = (*common, *branch.steps)[-1].line
    names = sorted({s.name for e in last.shows for s in e.free_symbols} & set(ridges))
    if not names:
        return
    put = as_terms(ridges)
    given = tuple(put_into(to_formula(c), put) for c in (*found.assume, branch.when) if c != sympy.true)
    if not possible(given)[0]:
        return
    by = tuple(e for name in names for e in (sympy.Symbol(name), ridges[name]))
    used = tuple((name, put[name]) for name in names)
    for case, known in zip(found.cases, proved.solved.of("case"), strict=True):
        applies = case.when == sympy.true or tactics.prove(to_formula(case.when), given) is not None
        if not bounds(case.threshold) or not applies:
            continue
        line = Bound(found.unknown, case.threshold)
        follows: Formula = ("<=>", put_into(last.formula, dict(used)), line.formula)
        statement = Statement("", given, follows, KIND, shows=(*line.shows, *by))
        made = by_kernel(statement, _by_cases(proved, follows, known, put))
        with suppress(Refuted):
            made = made or prove_statement(statement)
            yield Step(line, Reason.FIGURE, (made,), "<=>", last, by, used)
            return


def _by_cases(proved: ProvedThreshold, follows: Formula, known: Known, put: dict[str, Term]) -> Theorem | None:
    """Return that two bounds are met by the same sizes, since both say where one condition holds."""
    for symbolic in proved.symbolic.of("case"):
        if symbolic.theorem is None or known.theorem is None:
            continue
        there = kernel.instantiate(symbolic.theorem, put)
        same = tactics.prove(("<=>", there.conclusion[1], known.theorem.conclusion[1]))
        with suppress(KernelError):
            positive = [t for h in there.hypotheses if (t := tactics.prove(h)) is not None and not variables(h)]
            return kernel.propositional(follows, [cut(there, positive), known.theorem, *([same] if same else [])])
    return None


def _at_sizes(found: CriticalSize, made: Steps) -> Iterator[Step]:
    """Yield the threshold at the sizes given, and the integer answer."""
    assert found.at_point is not None
    x, there = found.unknown, Bound(found.unknown, found.at_point)
    sizes = {n: v for n, v in found.point.items()}
    threshold = case_at(found.cases, sizes)
    before: Line = Bound(x, threshold)
    if isinstance(found.at_point, Never | Always):
        if len(found.ceilings) > 1 or found.condition in (sympy.true, sympy.false):
            return
        before = Relation(found.condition.lhs, ">", found.condition.rhs)
    names = sorted({s.name for e in before.shows for s in e.free_symbols} & set(sizes))
    if names:
        put = as_terms({name: sizes[name] for name in names})
        by = tuple(e for name in names for e in (sympy.Symbol(name), sympy.Integer(sizes[name])))
        yield stepped(before, there, Reason.SIZES, by, (), tuple(put.items()))
    if found.integer is not None and bounds(found.at_point) and not (found.allowed.bounds or found.allowed.whole):
        yield _integer(found, there)


def _integer(found: CriticalSize, there: Bound) -> Step:
    """Return that whole numbers within the bound begin (or end) with the integer answer."""
    x, m, answer = found.unknown, found.allowed.multiple_of, found.integer
    assert answer is not None
    below = there.threshold.kind == "below"
    line = Relation(x, "<=" if below else ">=", sympy.Integer(answer))
    link = "<=>" if isinstance(there.threshold, Above | Below) else "=>"
    itself: Term = ("v", x.name)
    step: Term = itself if m == 1 else ("/", itself, ("q", m, 1))
    whole: Formula = ("int", step)
    goal: Formula = (link, there.formula, line.formula)
    statement = Statement("", (whole,), goal, KIND, shows=line.shows)
    theorem = tactics.prove(goal, [whole], [_apart(step, answer // m, below)])
    known = by_kernel(statement, theorem)
    if known is None:
        raise RoofproofError(f"no proof that whole numbers with {there} are those with {line}")
    return Step(line, Reason.INTEGER, (known,), link, there, (x, sympy.Integer(m)))


def _apart(step: Term, answer: int, below: bool) -> Theorem:
    """Return that a whole number beyond the answer lies beyond it by one."""
    k: Term = ("v", "k!")
    beyond: Formula = (">", k, ("q", answer, 1)) if below else (">", ("q", answer, 1), k)
    gap = kernel.gap(kernel.assume(beyond), kernel.integral(minus(beyond[1], beyond[2]), [kernel.assume(("int", k))]))
    return kernel.instantiate(kernel.discharge(gap, beyond), {"k!": step})
