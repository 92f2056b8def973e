"""All steps of a proved threshold: from the intensity above the ridge point to the smallest integer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

import sympy

from roofproof.derive.algebra.polynomial import surely_positive
from roofproof.derive.inequalities.cases import Case, bounds
from roofproof.derive.roofline.compute_bound import Ceiling
from roofproof.derive.roofline.critical_size import CriticalSize
from roofproof.errors import RoofproofError
from roofproof.formula.logarithm import log2
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import Formula, KernelError, Term, variables
from roofproof.proofs.kernel.terms import substitute as put_into
from roofproof.proofs.known import Known, by_kernel
from roofproof.proofs.provers.critical_size import ProvedThreshold
from roofproof.proofs.provers.specialize import as_terms
from roofproof.proofs.provers.statements import Refuted, possible, prove_statement
from roofproof.proofs.search import tactics
from roofproof.proofs.search.lemmas import cut
from roofproof.proofs.search.short_proofs import without_search
from roofproof.proofs.statement import Statement
from roofproof.proofs.steps.collecting import Collected, collected, compared, compared_steps
from roofproof.proofs.steps.conversions import Conversions
from roofproof.proofs.steps.lines import Both, Bound, Either, Line, Relation, line_of, with_numbers
from roofproof.proofs.steps.logarithms import powers
from roofproof.proofs.steps.reasons import KIND, stepped
from roofproof.proofs.steps.step import Branch, Reason, Step, Steps
from roofproof.proofs.translate import to_formula


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
    given, several = tuple(map(to_formula, found.assume)), len(found.ceilings) > 1
    if any(c.symbolic.has(log2) for c in found.ceilings):
        return _by_logarithm(proved, given)
    comparisons = [(c.channel, c.symbolic) for c in found.ceilings]
    made = Conversions.of(comparisons, found.symbolic, found.assume, found.facts)
    if not made.sides:
        raise RoofproofError("nothing is compared")
    ways = zip(found.ceilings, made.sides, strict=True)
    common = tuple(step for c, (_, side) in ways for step in _all(c, given, several, side))
    cases = proved.symbolic.of("case")
    branches = [branch for k, known in enumerate(cases) for branch in _told(made, k, found, known)]
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


def _all(ceiling: Ceiling, given: tuple[Formula, ...], several: bool, side: Collected) -> tuple[Step, ...]:
    """Return the lines from the intensity above the ridge point to one side of the unknown."""
    return (*compared_steps(ceiling, given, several), *(each.step() for each in side.steps))


def _told(made: Conversions, k: int, found: CriticalSize, known: Known) -> tuple[Branch, ...]:
    """Return the lines of a case; where conversions do not reach, all of it by the known case."""
    if made.parts[k]:
        return tuple(Branch(when, tuple(each.step() for each in lines)) for when, lines in made.parts[k])
    case = found.symbolic.cases[k]
    lines: dict[Formula, Line] = {line.formula: line for _, c in made.sides for line in (c.whole, c.line)}
    line = _compared(lines, known.statement.goal[1])
    reason = Reason.FORMULA if any(len(c.rows) == 3 for _, c in made.sides) else Reason.CASE
    return (Branch(case.when, (Step(Bound(found.unknown, case.threshold), reason, (known,), "<=>", line),)),)


def _compared(lines: Mapping[Formula, Line], wanted: Formula) -> Line:
    """Return the lines without fractions that a formula is made of, in its order."""
    if wanted[0] in ("and", "or"):
        parts = tuple(_compared(lines, part) for part in wanted[1:])
        return (Both if wanted[0] == "and" else Either)(parts)  # type: ignore[arg-type]
    if wanted not in lines:
        raise RoofproofError("this case is about another condition")
    return lines[wanted]


def _applies(proved: ProvedThreshold, branch: Branch) -> Iterator[Step]:
    """Yield that a case applies with the figures of the chip, where its answer has no place for these."""
    ridges = {c.symbol: c.ridge for c in proved.found.ceilings if c.ridge is not None}
    used = sorted(branch.when.free_symbols & set(ridges), key=str)
    if not used or any(e.free_symbols & set(ridges) for e in branch.last.shows):
        return
    by = tuple(e for symbol in used for e in (symbol, ridges[symbol]))
    with suppress(RoofproofError):
        given, line = tuple(map(to_formula, proved.found.assume)), with_numbers(line_of(branch.when), ridges)
        statement = Statement("", given, line.formula, KIND, shows=line.shows)
        if known := by_kernel(statement, without_search(statement.goal, given)):  # without sizes no search finds more
            yield Step(line, Reason.FIGURE, (known,), by=by)


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
        if not applies and without_search(to_formula(case.when), given) is None:
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
    """Prove that two bounds are met by the same sizes, since both say where one condition holds."""
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
        side = collected(c.symbolic, x)
        yield from _all(c, (), several, side)
        lines.setdefault(c.channel, []).append(side.line)
    sides = tuple(each[0] if len(each) == 1 else Either(tuple(each)) for each in lines.values())
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
