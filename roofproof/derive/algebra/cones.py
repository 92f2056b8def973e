"""Open cones of growth rates: is there a point inside, and which of the inequalities bound the cone?

A cone is given by integer vectors v: the rates w with v . w > 0 for each of them. All arithmetic is exact.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import gcd, lcm

Vector = tuple[int, ...]


def feasible(rows: Sequence[Sequence[Fraction | int]], right: Sequence[Fraction | int]) -> list[Fraction] | None:
    """Return x >= 0 with rows . x = right, or None where there is none.

    >>> feasible([[1, 1], [1, -1]], [3, 1])                    # x + y = 3, x - y = 1
    [Fraction(2, 1), Fraction(1, 1)]

    The first phase of the simplex method with Bland's rule, so that it ends.
    Source: Chvatal, Linear Programming, 1983, chapters 3 and 8.
    """
    count, width = len(rows), len(rows[0]) if rows else 0
    table = []
    for i, (row, value) in enumerate(zip(rows, right, strict=True)):
        turn = 1 if value >= 0 else -1
        artificial = [int(i == j) for j in range(count)]
        table.append([Fraction(turn * x) for x in row] + [Fraction(x) for x in artificial] + [Fraction(turn * value)])
    basis = [width + i for i in range(count)]
    cost = [-sum(column, Fraction(0)) for column in zip(*table, strict=True)]  # of the artificial variables' sum
    while table:
        enter = next((j for j in range(width) if cost[j] < 0), None)
        if enter is None:
            break
        ratios = [(row[-1] / row[enter], basis[i], i) for i, row in enumerate(table) if row[enter] > 0]
        _, _, leave = min(ratios)  # never empty: that sum cannot fall without end
        pivot = table[leave]
        scale = pivot[enter]
        pivot[:] = [x / scale for x in pivot]
        for row in (*table, cost):
            if row is not pivot and (factor := row[enter]):
                row[:] = [x - factor * y for x, y in zip(row, pivot, strict=True)]
        basis[leave] = enter
    if table and cost[-1] != 0:
        return None
    values = [Fraction(0)] * (width + count)
    for i, row in enumerate(table):
        values[basis[i]] = row[-1]
    return values[:width]


def interior(vectors: Sequence[Vector], dimension: int) -> Vector | None:
    """Return whole rates w with v . w > 0 for every vector, or None where there are none.

    >>> interior([(1, -1), (0, 1)], 2)                         # w1 > w2 > 0
    (2, 1)
    >>> interior([(1, -1), (-1, 1)], 2) is None
    True
    """
    count = len(vectors)
    rows = [(*v, *(-x for x in v), *(-int(i == j) for j in range(count))) for i, v in enumerate(vectors)]
    values = feasible(rows, [1] * count)  # v . (u - n) - s = 1
    if values is None:
        return None
    found = [values[j] - values[dimension + j] for j in range(dimension)] if vectors else [Fraction(0)] * dimension
    scale = lcm(*(x.denominator for x in found))
    common = gcd(*(int(x * scale) for x in found)) or 1
    return tuple(int(x * scale) // common for x in found)


def mean(point: Vector, vertices: Sequence[Vector], sizes: Sequence[bool]) -> tuple[list[int], list[int]] | None:
    """Return multiplicities of the vertices, k in all, whose sum is k times the point, and the remainder.

    Only where the coordinate is that of a size may something be over.

    >>> mean((1, 1), [(2, 0), (0, 2)], [False, False])         # twice (1, 1) is (2, 0) + (0, 2)
    ([1, 1], [0, 0])
    """
    over = [j for j, size in enumerate(sizes) if size]
    rows = [(*(v[j] for v in vertices), *(-int(j == o) for o in over)) for j in range(len(point))]
    found = feasible([*rows, (*(1 for _ in vertices), *(0 for _ in over))], [*point, 1])
    if found is None:
        return None
    scale = lcm(*(x.denominator for x in found))
    times = [int(x * scale) for x in found]
    rest = dict(zip(over, times[len(vertices) :], strict=True))
    return times[: len(vertices)], [rest.get(j, 0) for j in range(len(point))]


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
