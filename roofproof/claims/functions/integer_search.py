"""Integers found by exact evaluation, where rounding functions keep a condition from being solved."""

from __future__ import annotations

from fractions import Fraction

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.budget import MILLION, Budget
from roofproof.errors import RoofproofError, Undecided
from roofproof.proofs.kernel.terms import Formula
from roofproof.proofs.oracles import sampling, smt
from roofproof.proofs.translate import to_formula

MAX_SCAN = 10_000  # integers looked at one by one
MAX_SCAN_OPAQUE = 2_000  # where the condition holds a function that the kernel's terms do not have
MAX_INTEGER = 10**60
STEPS = MILLION  # of the solver for one question
ALL_STEPS = 3 * MILLION  # for all questions about one condition


def first_integer(condition: Boolean, x: sympy.Symbol) -> tuple[int, str]:
    """Return the smallest positive integer that fits, and how that is known: each below it looked at, or a solver.

    >>> n = sympy.Symbol("n", positive=True, integer=True)
    >>> first_integer(sympy.Ge(sympy.ceiling(n / 8), 13, evaluate=False), n)          # 12 * 8 + 1
    (97, 'kernel')
    >>> first_integer(sympy.Gt(sympy.floor(n / 7), 10**30, evaluate=False), n)        # 7 (10^30 + 1)
    (7000000000000000000000000000007, 'smt')

    Raises Undecided where there is none, and where none is found.
    """
    try:
        question = _Question(condition, x)
    except _Unknown:
        found = next((k for k in range(1, MAX_SCAN_OPAQUE + 1) if fits(condition, x, k)), None)
        if found is None:
            raise Undecided(f"no such {x} was found up to {MAX_SCAN_OPAQUE}") from None
        return found, "kernel"
    low = MAX_SCAN
    try:
        high = question.point(0, None)
        if high is None:
            raise Undecided(f"there is no such {x}")
    except _Unknown:
        high = low
    found = next((k for k in range(1, min(high, MAX_SCAN) + 1) if question.holds(k)), None)
    if found is not None:
        return found, "kernel"
    try:
        while high - low > 1:
            middle = (low + high) // 2
            point = question.point(low, middle)
            low, high = (middle, high) if point is None else (low, point)
    except _Unknown:
        high = low
    if high == low or not question.holds(high):
        raise Undecided(f"no such {x} was found")
    return high, "smt"


def last_integer(condition: Boolean, x: sympy.Symbol) -> tuple[int, str]:
    """Return the largest integer that fits, where z3 shows that none beyond it does, and how that is known.

    >>> n = sympy.Symbol("n", positive=True, integer=True)
    >>> last_integer(sympy.Le(sympy.ceiling(n / 8), 12, evaluate=False), n)
    (96, 'smt')

    Raises Undecided where there is none, and where none is found.
    """
    try:
        question = _Question(condition, x)
        low = question.point(0, None)
        if low is None:
            raise Undecided(f"there is no such {x}")
        high = 2 * low
        while (more := question.point(high, None)) is not None:
            low, high = more, max(high * high, 2 * more)
            if high > MAX_INTEGER:
                raise Undecided(f"no largest {x} was found")
        while high > low:
            middle = (low + high) // 2
            point = question.point(middle, high)
            low, high = (low, middle) if point is None else (point, high)
    except _Unknown:
        raise Undecided(f"no largest {x} was found") from None
    if not question.holds(low):
        raise Undecided(f"no largest {x} was found")
    return low, "smt"


def fits(condition: Boolean, x: sympy.Symbol, k: int) -> bool:
    """Tell whether a condition holds at an integer, exactly; where it is not defined it does not."""
    try:
        return bool(condition.subs(x, k).doit() == sympy.true)
    except TypeError:  # SymPy compares no complex infinity
        return False


class _Unknown(Exception):
    """The solver has no answer."""


class _Question:
    """Is there an integer in a range at which a condition holds?"""

    def __init__(self, condition: Boolean, x: sympy.Symbol) -> None:
        self.condition, self.x, self.name = condition, x, x.name
        self.budget = Budget(ALL_STEPS)
        try:
            self.formula = to_formula(condition)
        except RoofproofError:  # a function that the solver does not know
            raise _Unknown from None

    def holds(self, k: int) -> bool:
        """Tell whether the condition holds at an integer, exactly."""
        try:
            return sampling.holds(self.formula, {self.name: Fraction(k)})
        except sampling.Inexact:  # an irrational root, or a division by zero
            return fits(self.condition, self.x, k)

    def point(self, low: int, high: int | None) -> int | None:
        """Return such an integer above `low`, and not above `high`; None if there is none."""
        if not self.budget.left:
            raise _Unknown
        x = ("v", self.name)
        bounds: list[Formula] = [(">=", x, ("q", low + 1, 1))]
        bounds += [] if high is None else [(">=", ("q", high, 1), x)]
        said = smt.refute([*bounds, self.formula], [self.name], STEPS)
        if said.said == "unsat":
            return None
        at = (said.point or {}).get(self.name, Fraction(0))
        if said.said != "sat" or at.denominator != 1 or at <= low:
            raise _Unknown
        return int(at)
