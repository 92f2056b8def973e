"""Weights s_j of tensors and t_i of loops with sum of s_j over the users of loop i + t_i >= 1: all vertices, exactly.

The lemma of Hölder, Brascamp and Lieb for projections bounds the points of a nest by the elements that they use,

    points <= product of elements_j^s_j * product of length_i^t_i

for any such weights (Christ, Demmel, Knight, Scanlon and Yelick 2013; Dinh and Demmel 2020 for short loops). Bounds
that are not implied by others come from vertices of this polyhedron.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb, lcm, prod

from flint import fmpq, fmpq_mat

from roofproof.bounds.nests import Nest
from roofproof.errors import RoofproofError

MOST = 50_000  # systems of equations that are solved
FINEST = 4  # parts of weights between vertices; of more parts the powers in a proof are too high


@dataclass(frozen=True, slots=True)
class Weights:
    """A vertex: weights of the tensors and of the loops."""

    arrays: tuple[Fraction, ...]
    loops: tuple[Fraction, ...]

    @property
    def total(self) -> Fraction:
        """The sum of the tensors' weights: what is above 1 is the power of the memory by which traffic falls."""
        return sum(self.arrays, Fraction(0))

    @property
    def denominator(self) -> int:
        """The least number of which all weights are parts."""
        return lcm(*(w.denominator for w in (*self.arrays, *self.loops)))

    def counts(self, scale: int) -> tuple[int, ...]:
        """The weights in parts, `scale` of them to one."""
        return tuple(int(w * scale) for w in self.arrays)

    def factor(self, nest: Nest, scale: int) -> Fraction:
        """The product of (bytes an element / weight)^weight, to a power that makes it a fraction."""
        pairs = zip(nest.arrays, self.arrays, strict=True)
        return prod(((a.width / w) ** int(w * scale) for a, w in pairs if w), start=Fraction(1))

    @property
    def powers(self) -> tuple[Fraction, ...]:
        """What the bound is but for a number: the power of the memory, and what is taken of each length."""
        return (self.total, *self.loops)


def vertices(nest: Nest) -> tuple[Weights, ...]:
    """Return every vertex, in order of its weights.

    >>> from roofproof import op
    >>> from roofproof.bounds.nests import nest_of
    >>> every = vertices(nest_of(op("matmul")))
    >>> len(every), [str(w) for w in next(v for v in every if v.total == Fraction(3, 2)).arrays]
    (8, ['1/2', '1/2', '1/2'])

    Raises RoofproofError for a nest with more tensors and loops than are looked through.
    """
    arrays, loops = len(nest.arrays), len(nest.lengths)
    if comb(arrays + loops, arrays) > MOST:
        said = "<op> has <arrays> tensors and <loops> loops that they tell apart, which are too many to look through"
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
    """Return weights whose bound falls with the memory, but those that others are at least as good as.

    They are vertices, or lie between vertices whose bounds differ by a number alone.

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
    """Return, of vertices that differ by a number alone and of the point between them, the one with the largest."""
    middle = tuple(sum(column, Fraction(0)) / len(face) for column in zip(*(v.arrays for v in face), strict=True))
    between = Weights(middle, face[0].loops)
    best, *others = dict.fromkeys([*([between] if between.denominator <= FINEST else []), *face])
    for v in others:
        scale = lcm(v.denominator, best.denominator)
        best = v if v.factor(nest, scale) > best.factor(nest, scale) else best
    return best
