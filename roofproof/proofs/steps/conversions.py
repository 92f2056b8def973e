"""From a condition to where it holds, case by case: each line is a theorem, and together they are that of the case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.text import plain
from roofproof.derive.inequalities.cases import Always, Case, Cases, Never
from roofproof.errors import RoofproofError
from roofproof.formula.logarithm import log2
from roofproof.proofs.kernel.terms import Formula
from roofproof.proofs.steps.bounding import Case as SignCase
from roofproof.proofs.steps.bounding import bounded
from roofproof.proofs.steps.collecting import Collected, collected
from roofproof.proofs.steps.lines import Both, Bound, Either, Relation
from roofproof.proofs.steps.reasons import Conversion, converted
from roofproof.proofs.steps.step import Reason
from roofproof.proofs.translate import to_formula

if TYPE_CHECKING:
    pass

PARTS = 8  # parts of a condition joined by `or` that are told one by one
Part = tuple[Boolean, tuple[Conversion, ...]]
"""A part of the condition of a case, and the lines where it holds."""
Sides = Sequence[tuple[str, Collected]]
"""The lines of each comparison, with the channel that it is about; of its engines one has to take longer."""


@dataclass(frozen=True, slots=True)
class Conversions:
    """The lines that all cases share, and those of each case; none where these reasons do not reach.

    >>> from roofproof.derive.solve import solve
    >>> from roofproof.symbols import quantity
    >>> x, a = quantity("x"), quantity("a")
    >>> cases = solve(x > a*x + 1, x)                                            # x (1 - a) > 1
    >>> made = Conversions.of([("memory", x > a*x + 1)], cases)
    >>> for when, lines in made.parts[0]:
    ...     print(when, *(each.line for each in lines))
    a < 1 x > 1/(1 - a)
    """

    sides: Sides
    cases: tuple[Case, ...]
    parts: tuple[tuple[Part, ...], ...]

    @classmethod
    def of(
        cls,
        comparisons: Sequence[tuple[str, Boolean]],
        cases: Cases,
        assume: Sequence[Boolean] = (),
        facts: Sequence[Boolean] = (),
    ) -> Conversions:
        """Return the lines from comparisons, each over a channel, to the cases of them together."""
        x, given = cases.unknown, tuple(map(to_formula, assume))
        also = (*(c for _, c in comparisons), *assume, *facts)
        try:
            sides = [(name, collected(c, x, also, given)) for name, c in comparisons if not c.has(log2)]
        except RoofproofError:  # nothing is compared
            sides = []
        reached = sides and len(sides) == len(comparisons)
        return cls(sides, cases.cases, tuple(_branches(sides, x, c, assume, facts) if reached else () for c in cases))


def _branches(
    sides: Sides, x: sympy.Symbol, case: Case, assume: Sequence[Boolean], facts: Sequence[Boolean]
) -> tuple[Part, ...]:
    """Return the lines of a case, part by part where its condition has several; nothing where no reason does."""
    parts = sorted(case.when.args, key=plain) if isinstance(case.when, sympy.Or) else [case.when]
    if len(parts) > PARTS:
        return ()
    try:
        return tuple((part, _steps(sides, x, part, case, tuple(assume), tuple(facts))) for part in parts)
    except RoofproofError:
        return ()


def _steps(
    sides: Sides, x: sympy.Symbol, when: Boolean, case: Case, assume: tuple[Boolean, ...], facts: tuple[Boolean, ...]
) -> tuple[Conversion, ...]:
    """Return the lines of one case without `or`: each comparison by itself, then the bounds together."""
    if len(sides) == 1:
        [(_, only)] = sides
        return bounded(only, x, SignCase.of(when, assume, only, facts), case.threshold)
    given = SignCase.of(when, assume, sides[0][1], facts).given
    told: list[tuple[Conversion, ...]] = []
    whole: list[Relation | Either] = []
    left: list[Relation | Either] = []
    problem = None
    for name in dict.fromkeys(name for name, _ in sides):
        engines = [(c, SignCase.of(when, assume, c, facts)) for other, c in sides if other == name]
        try:
            steps, lines = _one_channel(engines, x, given)
        except RoofproofError as open_:  # what another channel forbids need not be solved
            problem = open_
            continue
        told.append(steps)
        whole.append(_either([c.line for c, _ in engines]))
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
    return (*steps, converted(before, answer, Reason.JOIN, (), given))


def _one_channel(
    engines: Sequence[tuple[Collected, SignCase]], x: sympy.Symbol, given: tuple[Formula, ...]
) -> tuple[tuple[Conversion, ...], list[Relation] | None]:
    """Return the lines of one channel, and the bounds of which one has to be met; None where nothing can meet them."""
    told: list[tuple[Conversion, ...]] = []
    lines: list[Relation] = []
    problem = None
    for engine, case in engines:
        try:
            made = bounded(engine, x, case, None)
        except RoofproofError as open_:  # what another engine decides need not be solved
            problem = open_
            continue
        last = made[-1].line if made else engine.line
        if last == Bound(x, Always()):  # which says more with the line that holds in this case
            return (*made[:-1], converted(None, engine.line, made[-1].reason, (), given)), []
        told.append(made)
        lines += [last] if isinstance(last, Relation) else []
    if problem is not None:
        raise problem
    if lines or len(engines) == 1:
        return _in_order(told), lines or None
    none = converted(_either([c.line for c, _ in engines]), Bound(x, Never()), Reason.JOIN, (), given)
    return (*_in_order(told), none), None


def _in_order(told: Sequence[tuple[Conversion, ...]]) -> tuple[Conversion, ...]:
    """Return all lines, those of what is decided in this case anyway first, so that the answer stands last."""
    decided = (Reason.DECIDED, Reason.CASE)
    return tuple(s for made in sorted(told, key=lambda m: not m or m[-1].reason not in decided) for s in made)


def _either(lines: Sequence[Relation]) -> Relation | Either:
    return Either(tuple(lines)) if len(lines) > 1 else lines[0]
