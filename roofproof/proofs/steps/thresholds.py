"""All steps of a proved threshold: from the intensity above the ridge point to the smallest integer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.polynomial import surely_positive
from roofproof.derive.algebra.text import plain
from roofproof.derive.inequalities.cases import Always, Case, Never, bounds
from roofproof.derive.roofline.critical_size import CriticalSize
from roofproof.errors import RoofproofError
from roofproof.ops.notation.logarithm import log2
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import Formula, KernelError, Term, variables
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
from roofproof.proofs.steps.collecting import Collected, collected, compared
from roofproof.proofs.steps.lines import Both, Bound, Either, Line, Relation, line_of, with_numbers
from roofproof.proofs.steps.logarithms import powers
from roofproof.proofs.steps.reasons import KIND, holding, stepped
from roofproof.proofs.steps.step import Branch, Reason, Step, Steps
from roofproof.proofs.translate import to_formula

PARTS = 8  # parts of a condition joined by `or` that are told one by one


def threshold_steps(proved: ProvedThreshold) -> Steps:
    """Return the steps to a threshold, with the figures of the chip where one is named.

    >>> from roofproof import op, threshold
    >>> found = threshold_steps(threshold(op("matmul"), None, "B"))
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
    if found.at_sizes_only:
        return Steps("threshold", tuple(_isolated(proved)))
    x, assume = found.unknown, found.assume
    given = tuple(map(to_formula, assume))
    also, several = (found.symbolic_condition, *assume, *found.facts), len(found.ceilings) > 1
    if any(c.symbolic.has(log2) for c in found.ceilings):
        return _by_logarithm(proved, given)
    channels = [(c.channel, collected(c, x, also, given, several)) for c in found.ceilings]
    common = tuple(step for _, c in channels for step in c.steps)
    branches = []
    for case, known in zip(found.symbolic, proved.symbolic.of("case"), strict=True):
        branches += [*_branches(channels, found, case, known)]
    branches = [replace(b, steps=(*_applies(proved, b), *b.steps, *_with_figures(proved, b, common))) for b in branches]
    if len(branches) == 1:
        common, branches = (*common, *branches[0].steps), []
    return Steps("threshold", common, tuple(branches))


def _by_logarithm(proved: ProvedThreshold, given: Sequence[Formula]) -> Steps:
    """Return the steps where the intensity is a logarithm of the unknown."""
    found = proved.found
    [ceiling, *others], [case, *cases] = found.ceilings, found.symbolic
    first = Relation(ceiling.intensity, ">", ceiling.symbol)
    if others or cases or ceiling.moved.has(log2) or not surely_positive(ceiling.moved):
        raise RoofproofError("a bound with a power of two in it is told in one line")
    steps = (compared(ceiling, first, given), *powers(first, found.unknown, given))
    branch = Branch(case.when, steps)
    if steps[-1].line.formula != Bound(found.unknown, case.threshold).formula:
        raise RoofproofError("a bound with a power of two in it is told in one line")
    return Steps("threshold", (*_applies(proved, branch), *steps, *_with_figures(proved, branch, ())))


Channels = Sequence[tuple[str, Collected]]
"""The lines of each comparison, with the channel that it is about; of its engines one has to take longer."""


def _branches(channels: Channels, found: CriticalSize, case: Case, known: Known) -> Iterator[Branch]:
    """Yield the lines of a case, part by part where its condition has several; else of all of it by the known case."""
    parts = sorted(case.when.args, key=plain) if isinstance(case.when, sympy.Or) else [case.when]
    try:
        if len(parts) > PARTS:
            raise RoofproofError("too many parts to be told one by one")
        yield from [Branch(part, _steps(channels, found, part, case, known)) for part in parts]
    except RoofproofError:
        lines = {s.line.formula: s.line for _, c in channels for s in c.steps}
        line = _compared(lines, known.statement.goal[1])
        reason = Reason.FORMULA if any(len(c.rows) == 3 for _, c in channels) else Reason.CASE
        yield Branch(case.when, (Step(Bound(found.unknown, case.threshold), reason, (known,), "<=>", line),))


def _compared(lines: Mapping[Formula, Line], wanted: Formula) -> Line:
    """Return the lines without fractions that a formula is made of, in its order."""
    if wanted[0] in ("and", "or"):
        parts = tuple(_compared(lines, part) for part in wanted[1:])
        return (Both if wanted[0] == "and" else Either)(parts)  # type: ignore[arg-type]
    if wanted not in lines:
        raise RoofproofError("this case is about another condition")
    return lines[wanted]


def _steps(channels: Channels, found: CriticalSize, when: Boolean, case: Case, known: Known) -> tuple[Step, ...]:
    """Return the lines of one case without `or`: each comparison by itself, then the bounds together."""
    x = found.unknown
    if len(channels) == 1:
        [(_, only)] = channels
        return bounded(only, x, SignCase.of(when, found.assume, only, found.facts), case.threshold)
    given = SignCase.of(when, found.assume, channels[0][1], found.facts).given
    told: list[tuple[Step, ...]] = []
    whole: list[Relation | Either] = []
    left: list[Relation | Either] = []
    problem = None
    for name in dict.fromkeys(name for name, _ in channels):
        engines = [c for other, c in channels if other == name]
        try:
            steps, lines = _one_channel(engines, found, when, given)
        except RoofproofError as open_:  # what another channel forbids need not be solved
            problem = open_
            continue
        told.append(steps)
        whole.append(_either([c.line for c in engines]))
        left += [_either(lines)] if lines else []
        if lines is None:
            return steps
    if problem is not None:
        raise problem
    steps = _in_order(told)
    answer = Bound(x, case.threshold)
    before = left[0] if len(left) == 1 else Both(tuple(left or whole)) if len(whole) > 1 else whole[0]
    if steps and steps[-1].line.formula == answer.formula and not isinstance(before, Both | Either):
        return steps
    every = [s for _, c in channels for s in c.steps] + list(steps)
    lemma = _joined(Formula("<=>", before.formula, answer.formula), every, known, given)
    return (*steps, stepped(before, answer, Reason.JOIN, (), given, lemmas=[lemma] if lemma else []))


def _joined(goal: Formula, steps: Sequence[Step], known: Known, given: Sequence[Formula]) -> Theorem | None:
    """Return that bounds together are the answer, as the known case says so of the lines that they come from."""
    if known.theorem is None:
        return None
    met = [t for h in known.theorem.hypotheses if h not in given and (t := tactics.prove(h, given)) is not None]
    links = [k.theorem for s in steps for k in s.known[:1] if k.theorem is not None]
    with suppress(KernelError):
        return kernel.propositional(goal, [*links, cut(known.theorem, met)])
    return None


def _one_channel(
    engines: Sequence[Collected], found: CriticalSize, when: Boolean, given: tuple[Formula, ...]
) -> tuple[tuple[Step, ...], list[Relation] | None]:
    """Return the lines of one channel, and the bounds of which one has to be met; None where nothing can meet them."""
    x = found.unknown
    told: list[tuple[Step, ...]] = []
    lines: list[Relation] = []
    problem = None
    for engine in engines:
        try:
            made = bounded(engine, x, SignCase.of(when, found.assume, engine, found.facts), None)
        except RoofproofError as open_:  # what another engine decides need not be solved
            problem = open_
            continue
        last = made[-1].line if made else engine.line
        if last == Bound(x, Always()):  # which says more with the line that holds in this case
            return (*made[:-1], holding(engine.line, made[-1].reason, (), given)), []
        told.append(made)
        lines += [last] if isinstance(last, Relation) else []
    if problem is not None:
        raise problem
    if lines or len(engines) == 1:
        return _in_order(told), lines or None
    none = stepped(_either([c.line for c in engines]), Bound(x, Never()), Reason.JOIN, (), given)
    return (*_in_order(told), none), None


def _in_order(told: Sequence[tuple[Step, ...]]) -> tuple[Step, ...]:
    """Return all lines, those of what is decided in this case anyway first, so that the answer stands last."""
    decided = (Reason.DECIDED, Reason.CASE)
    return tuple(s for made in sorted(told, key=lambda m: not m or m[-1].reason not in decided) for s in made)


def _either(lines: Sequence[Relation]) -> Relation | Either:
    return Either(tuple(lines)) if len(lines) > 1 else lines[0]


def _applies(proved: ProvedThreshold, branch: Branch) -> Iterator[Step]:
    """Yield that a case applies with the figures of the chip, where its answer has no place for these."""
    ridges = {c.symbol: c.ridge for c in proved.found.ceilings if c.ridge is not None}
    used = sorted(branch.when.free_symbols & set(ridges), key=str)
    if not used or any(e.free_symbols & set(ridges) for e in branch.last.shows):
        return
    by = tuple(e for symbol in used for e in (symbol, ridges[symbol]))
    with suppress(RoofproofError):
        given = tuple(map(to_formula, proved.found.assume))
        yield holding(with_numbers(line_of(branch.when), ridges), Reason.FIGURE, by, given)


def _with_figures(proved: ProvedThreshold, branch: Branch, common: Sequence[Step]) -> Iterator[Step]:
    """Yield the last line of a case with the figures of the chip, as the answer prints it."""
    found = proved.found
    ridges = {c.symbol.name: c.ridge for c in found.ceilings if c.ridge is not None}
    last = (*common, *branch.steps)[-1].line
    names = sorted({s.name for e in last.shows for s in e.free_symbols} & set(ridges))
    put = as_terms(ridges)
    if not names:
        return
    given = tuple(put_into(to_formula(c), put) for c in (*found.assume, branch.when) if c != sympy.true)
    if not possible(given)[0]:
        return
    by = tuple(e for name in names for e in (sympy.Symbol(name), ridges[name]))
    used = tuple((name, put[name]) for name in names)
    same: list[tuple[Case, Known]] = []
    other: list[tuple[Case, Known]] = []
    values = {symbol: ridges[symbol.name] for e in last.shows for symbol in e.free_symbols if symbol.name in ridges}
    for case, known in zip(found.cases, proved.solved.of("case"), strict=True):
        (same if _alike(last, case, values) else other).append((case, known))
    for case, known in (*same, *other):
        if not bounds(case.threshold):
            continue
        applies = case.when == sympy.true or (case, known) in same
        if not applies and tactics.prove(to_formula(case.when), given) is None:
            continue
        line = Bound(found.unknown, case.threshold)
        follows = Formula("<=>", put_into(last.formula, dict(used)), line.formula)
        statement = Statement("", given, follows, KIND, shows=(*line.shows, *by))
        made = by_kernel(statement, _by_cases(proved, follows, known, put, given))
        with suppress(Refuted):
            made = made or prove_statement(statement)
            yield Step(line, Reason.FIGURE, (made,), "<=>", last, by, used)
            return


def _alike(last: Line, case: Case, values: Mapping[sympy.Symbol, sympy.Expr]) -> bool:
    """Tell whether a line with the figures put in has the bounds of a case, before anything is proved of it."""
    if not isinstance(last, Bound) or last.threshold.kind != case.threshold.kind:
        return False
    pairs = zip(bounds(last.threshold), bounds(case.threshold), strict=False)
    return all(a.xreplace(values) == b or sympy.cancel(a.xreplace(values) - b) == 0 for a, b in pairs)


def _by_cases(
    proved: ProvedThreshold, follows: Formula, known: Known, put: dict[str, Term], given: Sequence[Formula]
) -> Theorem | None:
    """Return that two bounds are met by the same sizes, since both say where one condition holds."""
    for symbolic in proved.symbolic.of("case"):
        if symbolic.theorem is None or known.theorem is None:
            continue
        there = kernel.instantiate(symbolic.theorem, put)
        same = tactics.prove(Formula("<=>", there.conclusion[1], known.theorem.conclusion[1]))
        with suppress(KernelError):
            positive = [t for h in there.hypotheses if not variables(h) and (t := tactics.prove(h)) is not None]
            open_ = [h for h in known.theorem.hypotheses if h not in given and not (h[0] == ">" and h[1][0] == "v")]
            applies = [t for h in open_ if (t := tactics.prove(h, given)) is not None]
            both = [cut(there, positive), cut(known.theorem, applies)]
            return kernel.propositional(follows, [*both, *([same] if same else [])])
    return None


def _isolated(proved: ProvedThreshold) -> Iterator[Step]:
    """Yield the comparisons, these at the sizes given, and where they hold: in one line, by its roots or by search."""
    found = proved.found
    x, given = found.unknown, tuple(map(to_formula, found.assume))
    several = len(found.ceilings) > 1
    lines: dict[str, list[Relation]] = {}
    for c in found.ceilings:
        steps = collected(c, x, (), (), several).steps
        yield from steps
        lines.setdefault(c.channel, []).append(steps[-1].line)  # type: ignore[arg-type]
    sides = tuple(map(_either, lines.values()))
    before: Line = Both(sides) if len(sides) > 1 else sides[0]
    numbers = {**found.point, **{c.symbol.name: c.ridge for c in found.ceilings if c.ridge is not None}}
    names = sorted({s.name for e in before.shows for s in e.free_symbols} & set(numbers))
    put = as_terms({name: numbers[name] for name in names})
    by = tuple(e for name in names for e in (sympy.Symbol(name), sympy.Rational(numbers[name])))
    there = line_of(found.condition)
    yield stepped(before, there, Reason.SIZES, by, given, tuple(put.items()))
    known = proved.symbolic.of("case")[0]
    if known.statement.goal[1] != there.formula:
        raise RoofproofError("this case is about another condition")
    answer = Bound(x, found.cases.cases[0].threshold, known.statement.goal[2])
    yield Step(answer, Reason.SEARCHED if found.searched else Reason.ISOLATED, (known,), "<=>", there)
