"""All steps of a proved threshold, taken from the solver's trace: from intensity above the ridge point to the bound."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.polynomial import Poly, Ring, surely_positive
from roofproof.derive.algebra.text import plain
from roofproof.derive.charts import Factors
from roofproof.derive.inequalities.cases import Above, Always, Case, Never, Threshold, bounds
from roofproof.derive.regions import threshold_of
from roofproof.derive.roofline.compute_bound import Ceiling
from roofproof.derive.roofline.critical_size import CriticalSize
from roofproof.derive.signs import Facts, Space
from roofproof.derive.solve import Solved, solved
from roofproof.derive.trace import TURNED, Collected, collected, line_proved
from roofproof.derive.tree import Leaf
from roofproof.errors import RoofproofError
from roofproof.formula.logarithm import log2
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import Formula, KernelError, Term, show, variables
from roofproof.proofs.kernel.terms import substitute as put_into
from roofproof.proofs.known import Known, by_kernel
from roofproof.proofs.provers.critical_size import ProvedThreshold
from roofproof.proofs.provers.specialize import as_terms
from roofproof.proofs.provers.statements import Refuted, possible, prove_statement
from roofproof.proofs.provers.thresholds import refuted
from roofproof.proofs.search import tactics
from roofproof.proofs.search.lemmas import cut
from roofproof.proofs.search.polynomials import exchanged
from roofproof.proofs.search.short_proofs import prove, without_search
from roofproof.proofs.statement import Statement
from roofproof.proofs.steps.lines import Both, Bound, Either, Line, Relation, line_of, with_numbers
from roofproof.proofs.steps.logarithms import powers
from roofproof.proofs.steps.step import KIND, Branch, Reason, Step, Steps, claims, stepped
from roofproof.proofs.translate import to_formula

Prove = Callable[[Formula], Theorem | None]
PARTS = 8  # largest number of `or` parts of a condition that get a branch each
SIGNS = {
    frozenset((1,)): ">", frozenset((0, 1)): ">=", frozenset((0,)): "=",
    frozenset((-1, 0)): "<=", frozenset((-1,)): "<",
}  # fmt: skip


def threshold_steps(proved: ProvedThreshold) -> Steps:
    """Return the steps to a threshold, with the specs of the chip if there is one.

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

    Raises RoofproofError for a proof that cannot be written in these steps.
    """
    found = proved.found
    if found.at_sizes_only:
        return Steps("threshold", tuple(_isolated(proved)))
    given, several = tuple(map(to_formula, found.assume)), len(found.ceilings) > 1
    if any(c.symbolic.has(log2) for c in found.ceilings):
        return _by_logarithm(proved, given)
    trace = Trace.of(found)
    ways = zip(found.ceilings, trace.sides, strict=True)
    common = tuple(step for c, (_, side) in ways for step in _ceiling_steps(found, c, several, side))
    cases = proved.symbolic.of("case")
    branches = [
        branch
        for case, known in zip(found.symbolic, cases, strict=True)
        for branch in _case_branches(trace, case, known)
    ]
    branches = [replace(b, steps=(*_applies(proved, b), *b.steps, *_with_figures(proved, b, common))) for b in branches]
    if len(branches) == 1:
        common, branches = (*common, *branches[0].steps), []
    return Steps("threshold", common, tuple(branches))


@dataclass(frozen=True)
class Trace:
    """The comparisons of a threshold with the unknown on one side, and the paths of the solver."""

    found: CriticalSize
    solved: Solved
    sides: tuple[tuple[str, Collected], ...]  # each with its memory level or link

    @classmethod
    def of(cls, found: CriticalSize) -> Trace:
        """Return the solver's trace of a threshold.

        >>> from roofproof import op
        >>> from roofproof.derive.roofline.critical_size import threshold
        >>> trace = Trace.of(threshold(op("matmul"), None, "B"))
        >>> [(channel, side.line) for channel, side in trace.sides], len(trace.solved.leaves)
        ([('memory', B*(D*F - R*(D + F)) > D*F*R)], 3)

        Raises RoofproofError if there is nothing to compare.
        """
        made = solved(found.symbolic_condition, found.unknown, (*found.assume, *found.facts))
        parts = made.leaves[0].parts if made.leaves else {}
        return cls(found, made, tuple(
            (c.channel, parts[c.symbolic].collected if c.symbolic in parts else side_of(c.symbolic, found.unknown))
            for c in found.ceilings
        ))  # fmt: skip

    @cached_property
    def facts(self) -> list[Theorem]:
        """The theorems for the facts that the solver used and that follow from the assumptions."""
        given = [to_formula(a) for a in self.found.assume]
        return [t for f in self.found.facts if (t := prove(to_formula(f), given)) is not None]


def side_of(condition: Boolean, x: sympy.Symbol) -> Collected:
    """Return a comparison with the unknown on one side. Raises RoofproofError for any other condition."""
    if not isinstance(condition, Relational):
        raise RoofproofError("nothing to compare")
    return collected(Factors(Ring.of(condition, x), x), condition)


@dataclass(frozen=True)
class CasePaths:
    """One case of a threshold, or a part of it, and the solver paths that lead to it."""

    trace: Trace
    case: Case
    leaves: tuple[Leaf, ...]

    @property
    def x(self) -> sympy.Symbol:
        """The unknown."""
        return self.trace.found.unknown

    @property
    def given(self) -> tuple[Formula, ...]:
        """The assumptions and the condition of the case."""
        said = () if self.case.when == sympy.true else (self.case.when,)
        return tuple(to_formula(each) for each in (*self.trace.found.assume, *said))

    def theorem(self, goal: Formula, about: Sequence[Collected] = ()) -> Theorem | None:
        """Prove a line from the solver's theorems about some comparisons (default: all of them), or return None."""

        def at(leaf: Leaf, named: Formula) -> Theorem:
            whole = [] if about else [leaf.theorem()]
            parts = [leaf.parts[c.whole] for c in about] if about else leaf.parts.values()
            return line_proved(leaf.facts, named, [*whole, *(t for p in parts for t in p.links)])

        theorem = self.trace.solved.theorem(goal, self.case, refuted, at)
        return theorem and cut(theorem, self.trace.facts)

    def step(
        self,
        before: Line,
        after: Line,
        reason: Reason,
        by: tuple[sympy.Basic, ...] = (),
        about: Sequence[Collected] = (),
    ) -> Step:
        """Return a line that is equivalent to another one."""
        return _step(before, after, reason, by, self.given, lambda goal: self.theorem(goal, about))

    def holds(self, line: Line, reason: Reason, about: Sequence[Collected] = ()) -> Step:
        """Return a line that holds by itself."""
        return Step(line, reason, (_known(line.formula, self.given, self.theorem(line.formula, about)),))

    def region(self, side: Collected) -> Threshold:
        """Return the region where a comparison holds on all paths. Raises RoofproofError if the paths differ."""
        found = {threshold_of(leaf.parts[side.whole].region) for leaf in self.leaves if side.whole in leaf.parts}
        if len(found) != 1 or any(side.whole not in leaf.parts for leaf in self.leaves):
            raise RoofproofError("<line> is open where <when>", line=plain(side.line), when=plain(self.case.when))
        return found.pop()

    def signs(self, poly: Poly) -> frozenset[int]:
        """Return the possible signs of a polynomial on the paths."""
        try:
            return frozenset(leaf.facts.sign_of(poly)[0] for leaf in self.leaves)
        except KernelError:
            return frozenset((-1, 0, 1))


def _step(
    before: Line, after: Line, reason: Reason, by: tuple[sympy.Basic, ...], given: tuple[Formula, ...], prove: Prove
) -> Step:
    """Return a line that is equivalent to another one, after proving this and the claims of the reason by `prove`."""
    goals = Formula("<=>", before.formula, after.formula), *claims(reason, before, after, by)
    return Step(after, reason, tuple(_known(g, given, prove(g)) for g in goals), "<=>", before, by)


def _known(goal: Formula, given: tuple[Formula, ...], theorem: Theorem | None) -> Known:
    known = by_kernel(Statement("", given, goal, KIND), theorem)
    if known is None:
        raise RoofproofError("the proof checker does not prove <line>", line=show(goal))
    return known


def _ceiling_steps(found: CriticalSize, ceiling: Ceiling, several: bool, side: Collected) -> Iterator[Step]:
    """Yield the lines from the intensity above the ridge point to the unknown on one side.

    With `several`, the first line names the compute unit and the memory level or link that are compared.
    """
    given = tuple(map(to_formula, found.assume))
    whole, line = line_of(side.whole), line_of(side.line)
    assert isinstance(whole, Relation)
    first, raw = whole, Relation(ceiling.flops, whole.sign, ceiling.symbol * ceiling.moved)
    if (
        not ceiling.moved.is_zero
        and surely_positive(1 / sympy.denom(ceiling.intensity))
        and surely_positive(ceiling.moved)
    ):
        first = Relation(ceiling.intensity, whole.sign, ceiling.symbol)
    prove = _by_signs_of(found.assume, *raw.shows, *first.shows, *whole.shows)
    named = (sympy.Symbol(ceiling.compute), sympy.Symbol(ceiling.channel)) if several else ()
    reason = Reason.KEPT if ceiling.share else Reason.COMPUTE_BOUND
    yield _step(raw, first, reason, named, given, prove)
    if first != whole and (factor := sympy.cancel(whole.left / first.left)) != 1:
        yield _step(first, whole, Reason.TIMES, (factor,), given, prove)
    if side.line is not side.whole:
        space = side.factors.space
        yield _step(whole, line, Reason.COLLECT, (found.unknown,), given, lambda goal: space.without_letters(
            line_proved(Facts(space, {}), exchanged(goal, space.letters), [side.link])))  # fmt: skip


def _by_signs_of(assume: tuple[Boolean, ...], *shown: sympy.Expr) -> Prove:
    """Return a function that proves lines in some expressions by the signs of coefficients and the assumptions."""
    space = Space(Ring.of(*shown, *assume), assume)
    facts = Facts(space, space.given)

    def prove(goal: Formula) -> Theorem | None:
        with suppress(KernelError):
            return space.without_letters(line_proved(facts, exchanged(goal, space.letters), []))
        return None

    return prove


def _case_branches(trace: Trace, case: Case, known: Known) -> tuple[Branch, ...]:
    """Return the lines of a case, with one branch for each `or` part. Falls back to a single line without steps."""
    parts = sorted(case.when.args, key=plain) if isinstance(case.when, sympy.Or) else [case.when]
    with suppress(RoofproofError):
        if len(parts) <= PARTS:
            cases = [Case(when, case.threshold) for when in parts]
            ways = [CasePaths(trace, each, tuple(trace.solved.leaves_of(each))) for each in cases]
            return tuple(Branch(way.case.when, _steps(way)) for way in ways)
    lines: dict[Formula, Line] = {
        line.formula: line for _, c in trace.sides for line in map(line_of, (c.whole, c.line))
    }
    line = _compared(lines, known.statement.goal[1])
    reason = Reason.FORMULA if any(len(c.rows) == 3 for _, c in trace.sides) else Reason.CASE
    return (Branch(case.when, (Step(Bound(trace.found.unknown, case.threshold), reason, (known,), "<=>", line),)),)


def _steps(way: CasePaths) -> tuple[Step, ...]:
    """Return the lines of one case without `or`: each comparison separately, then the combined bounds."""
    sides, x = way.trace.sides, way.x
    if not way.leaves:
        raise RoofproofError("nothing leads to this case")
    if len(sides) == 1:
        return _bounded(way, sides[0][1], way.case.threshold)
    told: list[tuple[Step, ...]] = []
    whole: list[Line] = []
    left: list[Line] = []
    problem = None
    for name in dict.fromkeys(name for name, _ in sides):
        engines = [c for other, c in sides if other == name]
        try:
            steps, lines = _one_channel(way, engines)
        except RoofproofError as open_:  # another memory level or link may already decide the case
            problem = open_
            continue
        told.append(steps)
        whole.append(_either([line_of(c.line) for c in engines]))
        left += [_either(lines)] if lines else []
        if lines is None:
            return steps
    if problem is not None:
        raise problem
    steps = _in_order(told)
    answer = Bound(x, way.case.threshold)
    before = left[0] if len(left) == 1 else Both(tuple(left or whole)) if len(whole) > 1 else whole[0]  # type: ignore[arg-type]
    if steps and steps[-1].line.formula == answer.formula and not isinstance(before, Both | Either):
        return steps
    return (*steps, way.step(before, answer, Reason.JOIN))


def _one_channel(way: CasePaths, engines: Sequence[Collected]) -> tuple[tuple[Step, ...], list[Line] | None]:
    """Return the lines of one memory level or link, and its alternative bounds (None if none can be met)."""
    told: list[tuple[Step, ...]] = []
    lines: list[Line] = []
    problem = None
    for side in engines:
        try:
            made = _bounded(way, side, None)
        except RoofproofError as open_:  # another compute unit may already decide the case
            problem = open_
            continue
        last = made[-1].line if made else line_of(side.line)
        if last == Bound(way.x, Always()):  # the line itself is more informative than `always`
            return (*made[:-1], way.holds(line_of(side.line), made[-1].reason, [side])), []
        told.append(made)
        lines += [last] if isinstance(last, Relation) else []
    if problem is not None:
        raise problem
    if lines or len(engines) == 1:
        return _in_order(told), lines or None
    none = way.step(_either([line_of(c.line) for c in engines]), Bound(way.x, Never()), Reason.JOIN, (), engines)
    return (*_in_order(told), none), None


def _bounded(way: CasePaths, side: Collected, wanted: Threshold | None) -> tuple[Step, ...]:
    """Return the lines of one comparison. `wanted` is the printed threshold, if there is only one comparison."""
    line, region, degree = line_of(side.line), way.region(side), len(side.rows) - 1
    assert isinstance(line, Relation)
    if degree == 2 and wanted is not None:
        return tuple(_completed(way, side, line, region))
    if degree == 0:
        return (way.step(line, Bound(way.x, region), Reason.CASE, (), [side]),)
    if degree != 1:
        raise RoofproofError("the bound has roots")
    if isinstance(region, Always | Never):
        return _by_signs(way, side, line, region)
    [slope] = way.signs(side.rows[1])
    after = Relation(way.x, line.sign if slope > 0 else TURNED[line.sign], bounds(region)[0])
    last = after if wanted is None else Bound(way.x, region)
    if (factor := line.left / way.x) == 1 and last.formula == line.formula:
        return () if way.case.when == sympy.true else (way.step(line, last, Reason.STANDS, (), [side]),)
    return (way.step(line, last, Reason.DIVIDE if slope > 0 else Reason.TURN, (factor,), [side]),)


def _by_signs(way: CasePaths, side: Collected, line: Relation, region: Always | Never) -> tuple[Step, ...]:
    """Return a line with the signs of both sides, and the bound that they decide."""
    rest, slope = side.rows
    signs = [(line.left, way.signs(slope)), (line.right, way.signs(-rest))]
    if any(may not in SIGNS for _, may in signs):
        raise RoofproofError(
            "the sign of the factor of <x> is not known where <when>", x=way.x, when=plain(way.case.when)
        )
    parts = tuple(Relation(expr, SIGNS[may], sympy.Integer(0)) for expr, may in signs if expr != 0)
    said = way.holds(Both(parts) if len(parts) > 1 else parts[0], Reason.SIGNS, [side])
    return said, way.step(line, Bound(way.x, region), Reason.DECIDED, (), [side])


def _completed(way: CasePaths, side: Collected, line: Relation, region: Threshold) -> Iterator[Step]:
    """Yield the lines that complete the square, for a positive leading and a negative constant coefficient."""
    rest, middle, top = side.rows
    if way.signs(top) != {1} or way.signs(rest) != {-1} or not isinstance(region, Above) or line.sign != ">":
        raise RoofproofError("the square could not be completed")
    x, a = way.x, side.factors.balanced(top)
    half = side.quotient(-middle, 2 * top) if not middle.is_zero() else sympy.Integer(0)
    root = region.at - half
    alone = Relation(x * (x - 2 * half), ">", side.quotient(-rest, top))
    squared, rooted = Relation((x - half) ** 2, ">", root**2), Relation(x - half, ">", root)
    if a != 1:
        yield way.step(line, alone, Reason.DIVIDE, (a,), [side])
        line = alone
    if half != 0:
        yield way.step(line, squared, Reason.SQUARE, (half**2,), [side])
        yield way.step(squared, rooted, Reason.ROOT, (), [side])
        line = rooted
    yield way.step(
        line, Bound(x, region), Reason.ADD if half != 0 else Reason.ROOT, (half,) if half != 0 else (), [side]
    )


def _in_order(told: Sequence[tuple[Step, ...]]) -> tuple[Step, ...]:
    """Return all lines. Comparisons that this case already decides come first, so that the answer is last."""
    decided = (Reason.DECIDED, Reason.CASE)
    return tuple(s for made in sorted(told, key=lambda m: not m or m[-1].reason not in decided) for s in made)


def _either(lines: Sequence[Line]) -> Line:
    return Either(tuple(lines)) if len(lines) > 1 else lines[0]  # type: ignore[arg-type]


def _by_logarithm(proved: ProvedThreshold, given: Sequence[Formula]) -> Steps:
    """Return the steps for an intensity that is a logarithm of the unknown."""
    found = proved.found
    [ceiling, *others], [case, *cases] = found.ceilings, found.symbolic
    first = Relation(ceiling.intensity, ">", ceiling.symbol)
    if others or cases or ceiling.moved.has(log2) or not surely_positive(ceiling.moved):
        raise RoofproofError("the bound contains a power of two")
    raw = Relation(ceiling.flops, ">", ceiling.symbol * ceiling.moved)
    reason = Reason.KEPT if ceiling.share else Reason.COMPUTE_BOUND
    steps = (stepped(raw, first, reason, (), given), *powers(first, found.unknown, given))
    branch = Branch(case.when, steps)
    if steps[-1].line.formula != Bound(found.unknown, case.threshold).formula:
        raise RoofproofError("the bound contains a power of two")
    return Steps("threshold", (*_applies(proved, branch), *steps, *_with_figures(proved, branch, ())))


def _compared(lines: Mapping[Formula, Line], wanted: Formula) -> Line:
    """Return the lines without fractions that make up a formula, in the order of the formula."""
    if wanted[0] in ("and", "or"):
        parts = tuple(_compared(lines, part) for part in wanted[1:])
        return (Both if wanted[0] == "and" else Either)(parts)  # type: ignore[arg-type]
    if wanted not in lines:
        raise RoofproofError("this case is about another condition")
    return lines[wanted]


def _applies(proved: ProvedThreshold, branch: Branch) -> Iterator[Step]:
    """Yield a line stating that a case applies with the specs of the chip, if its answer does not contain them."""
    ridges = {c.symbol: c.ridge for c in proved.found.ceilings if c.ridge is not None}
    used = sorted(branch.when.free_symbols & set(ridges), key=str)
    if not used or any(e.free_symbols & set(ridges) for e in branch.last.shows):
        return
    by = tuple(e for symbol in used for e in (symbol, ridges[symbol]))
    with suppress(RoofproofError):
        given, line = tuple(map(to_formula, proved.found.assume)), with_numbers(line_of(branch.when), ridges)
        statement = Statement("", given, line.formula, KIND)
        if known := by_kernel(statement, without_search(statement.goal, given)):  # without sizes, no search helps
            yield Step(line, Reason.FIGURE, (known,), by=by)


def _with_figures(proved: ProvedThreshold, branch: Branch, common: Sequence[Step]) -> Iterator[Step]:
    """Yield the last line of a case with the specs of the chip, as the answer prints it."""
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
        statement = Statement("", given, follows, KIND)
        made = by_kernel(statement, _by_cases(proved, follows, known, put, given))
        with suppress(Refuted):
            made = made or prove_statement(statement)
            yield Step(line, Reason.FIGURE, (made,), "<=>", last, by, used)
            return


def _alike(last: Line, case: Case, values: Mapping[sympy.Symbol, sympy.Expr]) -> bool:
    """Return whether a line with the specs substituted has the bounds of a case. Nothing is proved yet."""
    if not isinstance(last, Bound) or last.threshold.kind != case.threshold.kind:
        return False
    pairs = zip(bounds(last.threshold), bounds(case.threshold), strict=False)
    return all(_same(a.xreplace(values), b) for a, b in pairs)


def _same(a: sympy.Expr, b: sympy.Expr) -> bool:
    """Return whether two bounds are equal as quotients of polynomials in their roots."""
    return bool(a == b or Ring.of(a, b).fraction(a - b)[0].is_zero())


def _by_cases(
    proved: ProvedThreshold, follows: Formula, known: Known, put: dict[str, Term], given: Sequence[Formula]
) -> Theorem | None:
    """Prove that two bounds are equivalent, because both describe where the same condition holds."""
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
    """Yield the comparisons, the same at the given sizes, and the solution in one line, by roots or by search."""
    found = proved.found
    x, given = found.unknown, tuple(map(to_formula, found.assume))
    several = len(found.ceilings) > 1
    lines: dict[str, list[Line]] = {}
    for c in found.ceilings:
        side = side_of(c.symbolic, x)
        yield from _ceiling_steps(replace(found, assume=()), c, several, side)
        lines.setdefault(c.channel, []).append(line_of(side.line))
    sides = tuple(map(_either, lines.values()))
    before: Line = Both(sides) if len(sides) > 1 else sides[0]  # type: ignore[arg-type]
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
