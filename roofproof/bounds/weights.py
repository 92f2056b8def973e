"""Weights s_j of tensors and t_i of loops with (sum of s_j over the users of loop i) + t_i >= 1: all vertices, exactly.

The lemma of Hölder, Brascamp and Lieb for projections bounds the points of a nest by the elements that they use,

    points <= product of elements_j^s_j * product of length_i^t_i

for any such weights (Christ, Demmel, Knight, Scanlon and Yelick 2013; Dinh and Demmel 2020 for short loops). Bounds
that others do not imply come from vertices of this polyhedron.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from math import comb, lcm, prod

from flint import fmpq, fmpq_mat

from roofproof.bounds.nests import Nest
from roofproof.errors import RoofproofError

MOST = 50_000  # most systems of equations that are solved
FINEST = 6  # largest denominator of weights between vertices, since larger ones need too high powers in a proof


@dataclass(frozen=True, slots=True)
class Weights:
    """A vertex, or a point between vertices: weights of the tensors and of the loops."""

    arrays: tuple[Fraction, ...]
    loops: tuple[Fraction, ...]

    @property
    def total(self) -> Fraction:
        """The sum of the tensors' weights, which makes traffic decrease as M^(1 - total)."""
        return sum(self.arrays, Fraction(0))

    @property
    def denominator(self) -> int:
        """The least common denominator of all weights."""
        return lcm(*(w.denominator for w in (*self.arrays, *self.loops)))

    def counts(self, scale: int) -> tuple[int, ...]:
        """Return the tensors' weights times `scale`, as integers."""
        return tuple(int(w * scale) for w in self.arrays)

    def factor(self, nest: Nest, scale: int) -> Fraction:
        """Return the product of (bytes per element / weight)^weight, raised to `scale`, which makes it a fraction."""
        pairs = zip(nest.arrays, self.arrays, strict=True)
        return prod(((a.width / w) ** int(w * scale) for a, w in pairs if w), start=Fraction(1))

    @property
    def powers(self) -> tuple[Fraction, ...]:
        """The exponents of the bound: the total, which gives the power of the memory, and the weight of each loop."""
        return (self.total, *self.loops)


@lru_cache(maxsize=64)  # the bounds and the tile of a nest need the same vertices
def vertices(nest: Nest) -> tuple[Weights, ...]:
    """Return every vertex, in order of its weights.

    >>> from roofproof import op
    >>> from roofproof.bounds.nests import nest_of
    >>> every = vertices(nest_of(op("matmul")))
    >>> len(every), [str(w) for w in next(v for v in every if v.total == Fraction(3, 2)).arrays]
    (8, ['1/2', '1/2', '1/2'])

    Raises RoofproofError for a nest with too many tensors and loops to enumerate.
    """
    arrays, loops = len(nest.arrays), len(nest.lengths)
    if comb(arrays + loops, arrays) > MOST:
        said = "<op> has <arrays> tensors and <loops> distinct loops, too many to search"
        raise RoofproofError(said, op=nest.name, arrays=arrays, loops=loops)
    rows = [([fmpq(j == k) for k in range(arrays)], fmpq(0)) for j in range(arrays)]
    rows += [([fmpq(i in a.loops) for a in nest.arrays], fmpq(1)) for i in range(loops)]
    found = set[tuple[Fraction, ...]]()
    for chosen in combinations(rows, arrays):
        try:
            made = fmpq_mat([row for row, _ in chosen]).solve(fmpq_mat([[right] for _, right in chosen]))
        except ZeroDivisionError:
            continue
        weights = tuple(Fraction(int(w.p), int(w.q)) for w in made.entries())
        if min(weights) >= 0:
            found.add(weights)
    return tuple(Weights(w, _of_loops(nest, w)) for w in sorted(found))


def _of_loops(nest: Nest, weights: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    pairs, loops = list(zip(weights, nest.arrays, strict=True)), range(len(nest.lengths))
    return tuple(max(Fraction(0), 1 - sum((w for w, a in pairs if i in a.loops), Fraction(0))) for i in loops)


def useful(nest: Nest) -> tuple[Weights, ...]:
    """Return the weights whose bounds decrease with the memory, without those dominated by others.

    They are vertices, or lie between vertices whose bounds differ only by a constant factor.

    >>> from roofproof import op
    >>> from roofproof.bounds.nests import nest_of
    >>> [[str(s) for s in v.arrays] for v in useful(nest_of(op("bf16[i,j,k], bf16[j,r], bf16[k,r] -> bf16[i,r]")))]
    [['1/2', '0', '1/2', '1/2'], ['1/2', '1/2', '0', '1/2'], ['1/2', '1/2', '1/2', '0'], ['2/3', '1/3', '1/3', '1/3']]
    """
    faces = dict[tuple[Fraction, ...], list[Weights]]()
    for v in vertices(nest):
        if v.total > 1:
            faces.setdefault(v.powers, []).append(v)
    return tuple(
        _largest(nest, face)
        for powers, face in faces.items()
        if not any(other != powers and all(a <= b for a, b in zip(other, powers, strict=True)) for other in faces)
    )


def _largest(nest: Nest, face: list[Weights]) -> Weights:
    """Return the weights with the largest bound, among vertices that differ by a constant factor and points between."""
    between = (Weights(w, face[0].loops) for w in amid(nest, [v.arrays for v in face]))
    best, *others = dict.fromkeys([*(v for v in between if v.denominator <= FINEST), *face])
    for v in others:
        scale = lcm(v.denominator, best.denominator)
        best = v if v.factor(nest, scale) > best.factor(nest, scale) else best
    return best


def amid(nest: Nest, face: Sequence[tuple[Fraction, ...]]) -> list[tuple[Fraction, ...]]:
    """Return points between vertices: their mean, after the same mean redistributed by bytes within groups of tensors.

    Tensors in a group have the same loops, apart from loops whose tensors' weights sum to more than 1. Along those, the
    best side is 1. The point with the largest bound is first.

    >>> from roofproof import op
    >>> from roofproof.bounds.nests import nest_of
    >>> half = Fraction(1, 2)
    >>> same = nest_of(op("int8[i], bf16[i], int8[j] -> int8[i,j]"))
    >>> [list(map(str, s)) for s in amid(same, [(half, half, Fraction(1), Fraction(0))])]        # 1 and 2 bytes
    [['1/3', '2/3', '1', '0'], ['1/2', '1/2', '1', '0']]
    """
    middle = tuple(sum(column, Fraction(0)) / len(face) for column in zip(*face, strict=True))
    cover = [sum((s for s, a in zip(middle, nest.arrays, strict=True) if i in a.loops), Fraction(0))
             for i in range(len(nest.lengths))]  # fmt: skip
    groups = [frozenset(i for i in a.loops if cover[i] <= 1) for a in nest.arrays]
    whole = dict.fromkeys(groups, (Fraction(0), Fraction(0)))
    for group, s, a in zip(groups, middle, nest.arrays, strict=True):
        total, width = whole[group]
        whole[group] = total + s, width + a.width
    shared = tuple(whole[g][0] * a.width / whole[g][1] for g, a in zip(groups, nest.arrays, strict=True))
    loops = _of_loops(nest, shared)
    return [shared, middle] if all(t <= max(0, 1 - c) for t, c in zip(loops, cover, strict=True)) else [middle]
