"""Checks of answers: a right answer is an explicit solution, and equals the condition at exact points."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import sympy
from sympy.core.relational import Relational

from benchmarks.corpus import Problem
from benchmarks.exact import bounds, holds, plus, sign, times, value
from benchmarks.grid import UNKNOWNS, parameter_points, unknown_points
from roofproof.derive.solve import solve

POINTS = 8  # for the parameters


def explicit(answer: Any, unknown: sympy.Symbol) -> bool:
    """Return whether each comparison isolates the unknown on one side, as a solution and not a restatement.

    >>> from sympy.abc import x, a
    >>> explicit(x > a, x), explicit(a*x > 1, x)
    (True, False)
    """
    relations = [r for r in answer.atoms(Relational) if unknown.name in {s.name for s in r.free_symbols}]
    for r in relations:
        sides = [(r.lhs, r.rhs), (r.rhs, r.lhs)]
        if not any(
            a.is_Symbol and a.name == unknown.name and unknown.name not in {s.name for s in b.free_symbols}
            for a, b in sides
        ):
            return False
    return True


def finite(answer: Any) -> Any:
    """Return an answer with comparisons to infinity decided, for positive finite values."""
    decided = {r: sympy.true if r.rel_op in ("<", "<=", "!=") else sympy.false
               for r in answer.atoms(Relational) if r.rhs == sympy.oo}  # fmt: skip
    decided |= {r: sympy.true if r.rel_op in (">", ">=", "!=") else sympy.false
                for r in answer.atoms(Relational) if r.rhs == -sympy.oo or r.lhs == sympy.oo}  # fmt: skip
    decided |= {r: sympy.true if r.rel_op in ("<", "<=", "!=") else sympy.false
                for r in answer.atoms(Relational) if r.lhs == -sympy.oo}  # fmt: skip
    return sympy.to_nnf(answer, simplify=False).xreplace(decided)


def right_solution(problem: Problem, answer: Any) -> bool:
    """Return whether a Boolean over the unknown and the parameters equals the condition at exact points."""
    condition = sympy.to_nnf(problem.condition, simplify=False)
    answer, name = finite(answer), problem.unknown.name
    for point in parameter_points(problem, POINTS):
        for x in unknown_points(condition, name, point, steps=16):
            at = {**point, name: x}
            try:
                if holds(answer, at) != holds(condition, at):
                    return False
            except (ArithmeticError, TypeError, KeyError):  # not a real number, or not a condition
                return False
    return True


def right_existence(problem: Problem, said: Callable[[dict[str, Fraction]], bool]) -> bool:
    """Return whether an answer about the parameters is true exactly if some value of the unknown is a solution.

    A grid of values can show that there is a solution. If it finds none, the cases of roofproof decide, which brute
    force has checked.
    """
    condition = sympy.to_nnf(problem.condition, simplify=False)
    cases = solve(problem.condition, problem.unknown, problem.assume)
    name = problem.unknown.name
    for point in parameter_points(problem, POINTS):
        exists = any(holds(condition, {**point, name: x}) for x in UNKNOWNS)
        exists = exists or any(holds(c.when, point) and c.threshold.kind != "never" for c in cases)
        if said(point) != exists:
            return False
    return True


def right_value(problem: Problem, found: Any, wanted: Any) -> bool:
    """Return whether two expressions in the parameters are equal at exact points."""
    if found == wanted:
        return True
    for point in parameter_points(problem, POINTS):
        try:
            if sign(plus(value(found, point), times(Fraction(-1), value(wanted, point)))) != 0:
                return False
        except (ArithmeticError, TypeError, KeyError):
            return False
    return True


def right_optimum(problem: Problem, found: list[tuple[Any, Any, Any]]) -> bool:
    """Return whether one of the (condition, value, place) triples gives the optimum at each exact point."""
    name, turn = problem.unknown.name, 1 if problem.kind == "minimum" else -1
    for point in parameter_points(problem, POINTS):
        if not any(_optimal(problem, *one, point, name, turn) for one in found if holds(one[0], point)):
            return False
    return True


def _optimal(problem: Problem, when: Any, best: Any, at: Any, point: dict[str, Fraction], name: str, turn: int) -> bool:
    try:
        place, least = value(at, point), times(Fraction(turn), value(best, point))
        if sign(place) <= 0:
            return False
        there = times(Fraction(turn), value(problem.expr, {**point, name: place}))
    except (ArithmeticError, TypeError, KeyError):
        return False
    if sign(plus(there, times(Fraction(-1), least))) != 0:
        return False
    low, high = bounds(place, 64)
    near = {low * Fraction(99, 100), high * Fraction(101, 100)}
    for x in near.union(UNKNOWNS):
        other = times(Fraction(turn), value(problem.expr, {**point, name: x}))
        if sign(plus(other, times(Fraction(-1), least))) < 0:
            return False
    return True
