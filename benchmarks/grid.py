"""Exact points at which answers are compared with their conditions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import Any

from benchmarks.corpus import Problem
from benchmarks.exact import Number, Point, Real, bounds, holds, value
from roofproof.derive.inequalities.cases import Cases
from roofproof.derive.inequalities.cases import bounds as bounds_of

SMALL = [Fraction(n) for n in (1, 2, 3, 4, 5, 7, 9, 12, 16, 25, 64, 100, 240)] + [Fraction(1, n) for n in (2, 3, 4, 9)]
UNKNOWNS = sorted(
    {Fraction(n) for n in range(1, 13)}
    | {Fraction(2) ** k for k in range(-16, 45, 3)}
    | {Fraction(n, 2) for n in range(1, 12, 2)}
    | {Fraction(n, 7) for n in (1, 5, 17, 40)}
)


def parameter_points(problem: Problem, count: int) -> list[dict[str, Fraction]]:
    """Return parameter points: the practical one and its neighbours, and small and mixed ones."""
    random = Random(problem.name)
    names = problem.parameters
    found: list[dict[str, Fraction]] = []
    if set(names) <= set(problem.at):
        found.append({n: problem.at[n] for n in names})
    tries = 0
    while len(found) < (count if names else 1) and tries < 100 * count:
        tries += 1
        point = {}
        for n in names:
            if n in problem.at and tries % 3 == 0:
                point[n] = problem.at[n] * random.choice((1, 1, Fraction(1, 2), 2, Fraction(1, 16), 16))
            else:
                point[n] = random.choice(SMALL)
            if n in problem.dimensions:
                point[n] = Fraction(max(1, round(point[n])))
        if all(holds(a, point) for a in problem.assume) and point not in found:
            found.append(point)
    return found


def unknown_points(
    condition: Any, name: str, parameters: Point, hints: Sequence[Number] = (), steps: int = 24
) -> Iterator[Fraction]:
    """Yield values of the unknown: a grid, points near the hints, and bisection points where the truth changes.

    The hints may come from the answer under test. The grid and the bisection use only the condition.
    """
    truth = {}

    def seen(x: Fraction) -> Fraction:
        truth[x] = holds(condition, {**parameters, name: x})
        return x

    for x in UNKNOWNS:
        yield seen(x)
    for hint in hints:
        low, high = bounds(hint, 64)
        if not isinstance(hint, Real) and hint > 0:
            yield seen(hint)
        whole = low.__floor__()
        for x in (whole - 1, whole, whole + 1, whole + 2, low * Fraction(999, 1000), high * Fraction(1001, 1000)):
            if x > 0:
                yield seen(Fraction(x))
    grid = sorted(truth)
    for a, b in pairwise(grid):
        if truth[a] != truth[b]:
            for _ in range(steps):
                middle = (a + b) / 2
                yield seen(middle)
                a, b = (middle, b) if truth[middle] == truth[a] else (a, middle)


def disagreements(
    condition: Any, cases: Cases, points: Sequence[dict[str, Fraction]], steps: int = 24
) -> Iterator[tuple[str, dict[str, Fraction]]]:
    """Yield each error of an answer with its point: not exactly one case applies, or the case is wrong there."""
    name = cases.unknown.name
    for point in points:
        apply = [c for c in cases if holds(c.when, point)]
        if len(apply) != 1:
            yield f"{len(apply)} cases apply", point
            continue
        threshold = apply[0].threshold
        says = threshold.holds(cases.unknown)
        hints = [value(b, point) for b in bounds_of(threshold)]
        for x in unknown_points(condition, name, point, hints, steps):
            at = {**point, name: x}
            if holds(says, at) != holds(condition, at):
                yield f"{'in' if holds(says, at) else 'not in'} {threshold}", at
