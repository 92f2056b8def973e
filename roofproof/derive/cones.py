"""Open cones of growth rates: is there a point inside, and which of the inequalities bound the cone?

A cone is given by integer vectors v: the rates w with v . w > 0 for each of them. All arithmetic is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd, lcm

Vector = tuple[int, ...]


def interior(vectors: Sequence[Vector], dimension: int) -> Vector | None:
    """Return whole rates w with v . w > 0 for every vector, or None where there are none.

    >>> interior([(1, -1), (0, 1)], 2)                         # w1 > w2 > 0
    (2, 1)
    >>> interior([(1, -1), (-1, 1)], 2) is None
    True

    The first phase of the simplex method on v . (u - n) - s + r = 1, all variables at least 0, with Bland's rule,
    so that it ends. Source: Chvatal, Linear Programming, 1983, chapters 3 and 8.
    """
    rows, count = [], len(vectors)
    for i, v in enumerate(vectors):
        slack = [-int(i == j) for j in range(count)]
        artificial = [int(i == j) for j in range(count)]
        rows.append([Fraction(x) for x in (*v, *(-x for x in v), *slack, *artificial, 1)])
    first = 2 * dimension + count  # of the artificial variables, whose sum is driven to zero
    basis = [first + i for i in range(count)]
    cost = [-sum(column, Fraction(0)) for column in zip(*rows, strict=True)] if rows else []
    for i in range(count):
        cost[first + i] = Fraction(0)
    while True:
        enter = next((j for j in range(first) if cost[j] < 0), None) if rows else None
        if enter is None:
            break
        ratios = [(row[-1] / row[enter], basis[i], i) for i, row in enumerate(rows) if row[enter] > 0]
        _, _, leave = min(ratios)  # never empty: the sum of the artificial variables cannot fall without end
        pivot = rows[leave]
        scale = pivot[enter]
        pivot[:] = [x / scale for x in pivot]
        for row in (*rows, cost):
            if row is not pivot and (factor := row[enter]):
                row[:] = [x - factor * y for x, y in zip(row, pivot, strict=True)]
        basis[leave] = enter
    if rows and cost[-1] != 0:
        return None
    values = [Fraction(0)] * (first + count)
    for i, row in enumerate(rows):
        values[basis[i]] = row[-1]
    found = [values[j] - values[dimension + j] for j in range(dimension)]
    scale_up = lcm(*(x.denominator for x in found))
    common = gcd(*(int(x * scale_up) for x in found)) or 1
    return tuple(int(x * scale_up) // common for x in found)


def facets(vectors: Sequence[Vector], dimension: int) -> list[Vector]:
    """Return the inequalities that are needed, each divided by its common factor.

    >>> facets([(1, -1), (0, 2), (1, 1)], 2)                   # w1 + w2 > 0 follows
    [(1, -1), (0, 1)]
    """
    kept = list(dict.fromkeys(primitive(v) for v in vectors))
    for v in list(kept):
        others = [u for u in kept if u != v]
        if interior([*others, tuple(-x for x in v)], dimension) is None:
            kept = others
    return kept


def primitive(v: Vector) -> Vector:
    """Return a vector over the greatest common divisor of its entries."""
    common = gcd(*v) or 1
    return tuple(x // common for x in v)


def dot(v: Vector, w: Sequence[Fraction | int]) -> Fraction:
    """Return the scalar product."""
    return sum((x * Fraction(y) for x, y in zip(v, w, strict=True)), Fraction(0))
