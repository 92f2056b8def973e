"""Integers found by exact evaluation, for conditions that cannot be solved because of rounding functions."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.claims.judge.decide_condition import decide_condition
from roofproof.claims.judge.decide_formula import decide
from roofproof.claims.judge.domain import Domain
from roofproof.claims.meaning import NoValue
from roofproof.derive.algebra.budget import MILLION, Budget, remembered
from roofproof.derive.inequalities.integers import among_whole_numbers, smallest_integer
from roofproof.errors import RoofproofError, Undecided
from roofproof.proofs.assumptions import NUMBERS
from roofproof.proofs.kernel.terms import Formula, Term, show, variables
from roofproof.proofs.known import ByEveryInteger, ByExactValue, ByOracle, Known, warranted
from roofproof.proofs.oracles import sampling, smt
from roofproof.proofs.oracles.points import irrational
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import false_if_undefined, to_formula, with_functions
from roofproof.sentences import Sentence

MAX_SCAN = 10_000  # integers tried one by one
MAX_SCAN_OPAQUE = 2_000  # the same, if the condition has a function that the proof checker's terms lack
MAX_INTEGER = 10**60
STEPS = MILLION  # of the solver for one question
QUICK = 400_000  # of the search for one proof that there is no other integer
ALL_STEPS = 3 * MILLION  # for all questions about one condition


@remembered(64)  # every mistake that is tried asks again about the parts that it does not change
def first_integer(condition: Boolean, x: sympy.Symbol) -> tuple[int, tuple[Known, ...]]:
    """Return the smallest positive integer that satisfies a condition, with proofs of this for it and all below.

    >>> n = sympy.Symbol("n", positive=True, integer=True)
    >>> found, known = first_integer(sympy.Ge(sympy.ceiling(n / 8), 13, evaluate=False), n)          # 12 * 8 + 1
    >>> for each in known:
    ...     print(each.statement.says, "by", each.trust)
    ceil(1/8*n) >= 13 at n = 97 by kernel
    not(ceil(1/8*n) >= 13) from n = 1 to n = 96 by kernel

    Raises Undecided if there is none, if none is found, or if one of the proofs is missing.
    """
    formula = _formula(condition)

    def with_proofs(k: int, asked: Sequence[Known] = ()) -> tuple[int, tuple[Known, ...]]:
        return k, (*_at(condition, formula, x, k), *_none(formula, x, 1, k - 1, asked))

    try:
        question = _Question(condition, x)
    except _Unknown:
        return with_proofs(_first(condition, x))
    low = high = MAX_SCAN
    with suppress(_Unknown):
        high = question.point(0, None) or 0
    if not high:
        raise NoValue(Sentence("there is no such <x>", x=x), question.none)
    found = next((k for k in range(1, min(high, MAX_SCAN) + 1) if question.holds(k)), None)
    if found is not None:
        return with_proofs(found)
    try:
        while high - low > 1:
            middle = (low + high) // 2
            point = question.point(low, middle)
            low, high = (middle, high) if point is None else (low, point)
    except _Unknown:
        high = low
    if high == low or not question.holds(high):
        raise Undecided("no such <x> was found", x=x)
    return with_proofs(high, question.none)


def _first(condition: Boolean, x: sympy.Symbol) -> int:
    """Return the smallest integer for a condition that the solver cannot express, by blocks or one by one."""
    try:
        there, most = among_whole_numbers(condition, x)
    except Undecided:
        most = MAX_SCAN_OPAQUE
        found = next((k for k in range(1, most + 1) if fits(condition, x, k)), None)
    else:
        found = smallest_integer(there)
    if found is None:
        raise Undecided("no such <x> was found up to <most>", x=x, most=most)
    return found


@remembered(64)
def last_integer(condition: Boolean, x: sympy.Symbol) -> tuple[int, tuple[Known, ...]]:
    """Return the largest integer that satisfies a condition, with proofs of this for it and all above.

    >>> n = sympy.Symbol("n", positive=True, integer=True)
    >>> found, known = last_integer(sympy.Le(sympy.ceiling(n / 8), 12, evaluate=False), n)
    >>> found, [each.statement.says for each in known]
    (96, ['12 >= ceil(1/8*n) at n = 96', 'not(12 >= ceil(1/8*n)) from n = 97'])

    Raises Undecided if there is none, if none is found, or if one of the proofs is missing.
    """
    formula = _formula(condition)
    try:
        question = _Question(condition, x)
    except _Unknown:
        last, none = _end(condition, x)
        return last, (*_at(condition, formula, x, last), *none)
    try:
        low = question.point(0, None)
        if low is None:
            raise NoValue(Sentence("there is no such <x>", x=x), question.none)
        high = 2 * low
        while (more := question.point(high, None)) is not None:
            low, high = more, max(high * high, 2 * more)
            if high > MAX_INTEGER:
                raise Undecided("no largest <x> was found", x=x)
        while high > low:
            middle = (low + high) // 2
            point = question.point(middle, high)
            low, high = (low, middle) if point is None else (point, high)
    except _Unknown:
        raise Undecided("no largest <x> was found", x=x) from None
    if not question.holds(low):
        raise Undecided("no largest <x> was found", x=x)
    return low, (*_at(condition, formula, x, low), *_none(formula, x, low + 1, None, question.none))


def _end(condition: Boolean, x: sympy.Symbol) -> tuple[int, tuple[Known, ...]]:
    """Return the largest integer for a condition that the solver cannot express, with a proof for all above."""
    ends = (k for k in range(1, MAX_SCAN_OPAQUE) if fits(condition, x, k) and not fits(condition, x, k + 1))
    last = next(ends, None)
    if last is None:
        raise Undecided("no largest <x> was found", x=x)
    above = Domain(integers=frozenset([x.name]), assumptions=_between(x, last + 1, None)[1:])
    none = decide_condition(Formula("not", Formula.of(condition)), above)
    if none.status != "proved":
        raise Undecided("whether there is another <x>: <reason>", x=x, reason=none.reason)
    return last, none.known


def fits(condition: Boolean, x: sympy.Symbol, k: int) -> bool:
    """Return whether a condition is defined and holds at an integer, by exact evaluation."""
    try:
        return bool(condition.subs(x, k).doit() == sympy.true)
    except TypeError:  # SymPy cannot compare complex infinity
        return False


def _formula(condition: Boolean) -> Formula:
    try:
        return false_if_undefined(to_formula(condition, with_functions))
    except RoofproofError as problem:
        raise Undecided(problem.said) from None


def _at(condition: Boolean, formula: Formula, x: sympy.Symbol, k: int) -> tuple[Known, ...]:
    """Prove that a condition holds at an integer."""
    says, here = f"{show(formula)} at {x} = {k}", Formula("=", Term("v", x.name), Term("q", k, 1))
    if known := warranted(Statement(says, (here,), formula), ByExactValue({x.name: Fraction(k)})):
        return (known,)
    found = decide_condition(Formula.of(condition.subs(x, k)), Domain())  # the equality of roots needs a proof
    if found.status != "proved":
        raise Undecided("whether it holds at <x> = <k>: <reason>", x=x, k=k, reason=found.reason)
    return found.known


def _none(
    formula: Formula, x: sympy.Symbol, first: int, last: int | None, asked: Sequence[Known] = ()
) -> tuple[Known, ...]:
    """Prove that a condition holds at no integer from `first` to `last`: one by one, for all, or by facts `asked`."""
    if last is not None and last < first:
        return ()
    given = _between(x, first, last)
    says = f"not({show(formula)}) from {x} = {first}{'' if last is None else f' to {x} = {last}'}"
    statement = Statement(says, given, Formula("not", formula))
    if last is not None and (last - first < MAX_SCAN or irrational(formula)):
        known = warranted(statement, ByEveryInteger(x.name, first, last))
        if known is not None:
            return (known,)
    found = decide(Formula("not", formula), Domain(integers=frozenset([x.name]), assumptions=given[1:]), steps=QUICK)
    if found.status == "proved":
        return tuple(replace(k, statement=replace(k.statement, about=says)) for k in found.known)
    if not asked:
        raise Undecided("whether there is another <x>: <reason>", x=x, reason=found.reason)
    scanned = [] if last is None else list(_none(formula, x, first, MAX_SCAN))
    return (*scanned, *asked)


def _between(x: sympy.Symbol, first: int, last: int | None) -> tuple[Formula, ...]:
    v = Term("v", x.name)
    above: tuple[Formula, ...] = () if last is None else (Formula(">=", Term("q", last, 1), v),)
    return (Formula("int", v), Formula(">=", v, Term("q", first, 1)), *above)


class _Unknown(Exception):
    """The solver has no answer."""


class _Question:
    """The question whether a range has an integer at which a condition holds."""

    def __init__(self, condition: Boolean, x: sympy.Symbol) -> None:
        self.condition, self.x, self.name = condition, x, x.name
        self.budget = Budget(ALL_STEPS)
        self.none: list[Known] = []  # the solver's results for ranges without such an integer
        try:
            self.formula = to_formula(condition)
        except RoofproofError:  # a function that the solver does not know
            raise _Unknown from None
        if variables(self.formula) & NUMBERS:  # the solver would treat a number such as pi as a variable
            raise _Unknown

    def holds(self, k: int) -> bool:
        """Return whether the condition holds at an integer, by exact evaluation."""
        try:
            return sampling.holds(self.formula, {self.name: Fraction(k)})
        except sampling.Inexact:  # an irrational root, or a division by zero
            return fits(self.condition, self.x, k)

    def point(self, low: int, high: int | None) -> int | None:
        """Return such an integer above `low` and at most `high`, or None if there is none."""
        if not self.budget.left:
            raise _Unknown
        statement = Statement("", _between(self.x, low + 1, high), Formula("not", self.formula))
        said = smt.refute(*statement.oracle_query(), STEPS)
        if said.said == "unsat":
            self.none.append(Known(statement, ByOracle(statement.smtlib(), "z3", smt.version())))
            return None
        at = (said.point or {}).get(self.name, Fraction(0))
        if said.said != "sat" or at.denominator != 1 or at <= low:
            raise _Unknown
        return int(at)
