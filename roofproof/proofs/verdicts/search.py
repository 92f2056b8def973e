"""Integers found by exact evaluation, where rounding functions keep a condition from being solved."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.errors import RoofproofError
from roofproof.proofs import smt
from roofproof.proofs.terms import Formula
from roofproof.proofs.translate import to_formula

MAX_SCAN = 100_000
MAX_SCAN_OPAQUE = 5_000  # without a solver to say where to stop


def first_integer(condition: Boolean, x: sympy.Symbol) -> int | None:
    """Return the smallest positive integer that fits, by looking at each in turn; None if none up to a limit does.

    >>> n = sympy.Symbol("n", positive=True, integer=True)
    >>> first_integer(sympy.Ge(sympy.ceiling(n / 8), 13, evaluate=False), n)          # 12 * 8 + 1
    97
    """
    last = MAX_SCAN
    try:  # a solver says soon that there is none, or gives one below which to look
        said = smt.refute([(">=", ("v", x.name), ("q", 1, 1)), to_formula(condition)], [x.name])
        if said.said == "unsat":
            return None
        found = (said.point or {}).get(x.name, Fraction(MAX_SCAN))
        last = min(MAX_SCAN, ceil(found))
    except RoofproofError:  # a function that the solver does not know
        last = MAX_SCAN_OPAQUE
    return next((k for k in range(1, last + 1) if fits(condition, x, k)), None)


def last_integer(condition: Boolean, x: sympy.Symbol) -> int | None:
    """Return the largest integer that fits, if z3 shows that none beyond it does; otherwise None.

    >>> n = sympy.Symbol("n", positive=True, integer=True)
    >>> last_integer(sympy.Le(sympy.ceiling(n / 8), 12, evaluate=False), n)
    96
    """
    step, low = 1, 0
    while low + step <= MAX_SCAN and any(fits(condition, x, k) for k in (low + step, low + step + 1)):
        low += step
        step *= 2
    for k in range(min(low + 2 * step, MAX_SCAN), 0, -1):
        if fits(condition, x, k):
            beyond: Formula = (">", ("v", x.name), ("q", k, 1))
            said = smt.refute([beyond, to_formula(condition)], [x.name]).said
            return k if said == "unsat" else None
    return None


def fits(condition: Boolean, x: sympy.Symbol, k: int) -> bool:
    """Tell whether a condition holds at an integer, exactly."""
    return bool(condition.subs(x, k).doit() == sympy.true)
