"""Stencils: how many grid points stay in reach of a sweep (layer conditions), and blocks swept several times.

A cache that drops what was used least recently keeps what lies between two accesses to the same part of an array. With
the accesses of a point in the order of memory, parts of d dimensions are kept in

    bytes an element * (sum of the distances within the parts + parts * largest distance)

and each part then misses once a point (Hammer, Hager, Eitzinger and Wellein 2017, Kerncraft), to within what a single
point reads and writes. A block of side b that is
swept T times takes a rim of T on each side along, which is computed again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise, product

import sympy

from roofproof.derive.inequalities.inequality import solve
from roofproof.errors import unknown
from roofproof.formats import bytes_per_element
from roofproof.proofs.derivation import Derivation
from roofproof.proofs.kernel.terms import Formula, Term
from roofproof.proofs.known import ByKernel, Known, Model
from roofproof.proofs.provers.thresholds import certify
from roofproof.proofs.search import tactics
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import to_term
from roofproof.symbols import dimension, quantity

N, M, T, b = dimension("N"), quantity("M"), dimension("T"), dimension("b")
Offset = tuple[int, ...]


def _star(dims: int) -> tuple[Offset, ...]:
    return tuple(tuple(d * (i == k) for i in range(dims)) for k in range(dims) for d in (-1, 1))


STENCILS: Mapping[str, tuple[Offset, ...]] = {  # what a point reads
    "stencil5": _star(2),  # the mean of four neighbours, as Kerncraft's 2d-5pt
    "stencil7": ((0, 0, 0), *_star(3)),
    "stencil27": tuple(product((-1, 0, 1), repeat=3)),
}


@dataclass(frozen=True)
class LayerCondition:
    """What has to fit so that parts of so many dimensions stay in reach, and how many accesses then hit."""

    dims: int
    hits: int
    misses: int
    room: sympy.Expr


@dataclass(frozen=True)
class Stencil:
    """A stencil on a grid whose sides are all N, read from one array and written to another.

    >>> [(c.dims, c.hits, c.misses, c.room) for c in Stencil("stencil5").conditions]       # fp64: 8 bytes
    [(1, 1, 4, 80), (2, 3, 2, 32*N - 16)]
    >>> print(Stencil("stencil5", bytes=Fraction(32768)).largest(2))                        # 2 N <= 2049 in 32 KiB
    N <= 2049/2
    """

    name: str
    format: str = "fp64"
    bytes: Fraction | None = None

    def __post_init__(self) -> None:
        if self.name not in STENCILS:
            raise unknown("stencil", self.name, STENCILS)

    @property
    def reads(self) -> tuple[Offset, ...]:
        """The points that a point reads."""
        return STENCILS[self.name]

    @property
    def dims(self) -> int:
        """The dimensions of the grid."""
        return len(self.reads[0])

    @property
    def width(self) -> sympy.Rational:
        """Bytes an element."""
        return sympy.Rational(Fraction(bytes_per_element(self.format)))

    @cached_property
    def conditions(self) -> tuple[LayerCondition, ...]:
        """The layer conditions, from rows to the whole grid."""
        return tuple(self._condition(dims) for dims in range(1, self.dims + 1))

    def _condition(self, dims: int) -> LayerCondition:
        """As many parts as are told apart by the other coordinates, and one that is written."""
        parts = dict[Offset, list[sympy.Expr]]()
        for offset in sorted(self.reads, reverse=True):
            at = sympy.Add(*(d * N**k for k, d in enumerate(reversed(offset))))
            parts.setdefault(offset[: self.dims - dims], []).append(at)
        distances = [sympy.expand(a - c) for part in parts.values() for a, c in pairwise(part)]
        largest = max(distances, key=lambda d: d.subs(N, 1000), default=sympy.Integer(0))
        count = len(parts) + 1
        room = sympy.expand(self.width * (sympy.Add(*distances) + count * largest))
        return LayerCondition(dims, len(self.reads) + 1 - count, count, room)

    def largest(self, dims: int) -> sympy.Basic | None:
        """Return the sides of the grid for which a condition holds in the memory given; None for any."""
        room = self.conditions[dims - 1].room
        if self.bytes is None or not room.has(N):
            return None
        return solve(sympy.Le(room, sympy.Rational(self.bytes)), N).at({}).holds(N)

    @property
    def swept(self) -> sympy.Expr:
        """The bytes that move a point and sweep where blocks of side b are swept T times."""
        return self.width * ((1 + 2 * T / b) ** self.dims + 1) / T

    @property
    def footprint(self) -> sympy.Expr:
        """The bytes of a block with its rim, twice."""
        return 2 * self.width * (b + 2 * T) ** self.dims

    @property
    def computed(self) -> sympy.Expr:
        """How many points are computed for each that is kept: sweep t of T leaves a side of b + 2 (T - t)."""
        t = sympy.Symbol("t", integer=True, nonnegative=True)
        return sympy.factor(sympy.summation((b + 2 * t) ** self.dims, (t, 0, T - 1)) / (T * b**self.dims))

    @property
    def in_memory(self) -> sympy.Expr:
        """The bytes a point and sweep for T = b/4, in M: with s = b + 2 T = 6 T the block fills it."""
        side = (M / (2 * self.width)) ** sympy.Rational(1, self.dims)
        return sympy.simplify(6 * self.width * (sympy.Rational(3, 2) ** self.dims + 1) / side)

    @property
    def in_memory_computes(self) -> sympy.Expr:
        """How many points are computed for each that is kept, at most, for T = b/4."""
        return sympy.limit(self.computed.subs(b, 4 * T), T, sympy.oo)

    @cached_property
    def derivation(self) -> Derivation:
        """What is stated: the model of the cache, the sides that fit, and what blocks of side 4 T move."""
        every = []
        for c in self.conditions:
            about = f"bytes that keep parts of {c.dims} dimensions in reach"
            goal = Formula("=", Term("v", about), to_term(c.room))
            said = "least recently used goes first; each part of an array misses once a point"
            every.append(Known(Statement(about, (), goal, "bytes", shows=(c.room,)), Model(said)))
            if self.bytes is not None and c.room.has(N):
                inequality = sympy.Le(c.room, sympy.Rational(self.bytes))
                every += certify(inequality, solve(inequality, N))
        block = Formula("=", to_term(b), to_term(4 * T))
        goal = Formula("=", to_term(self.swept), to_term(self.width * (sympy.Rational(3, 2) ** self.dims + 1) / T))
        theorem = tactics.prove(goal, [block])
        if theorem is not None:
            every.append(Known(Statement("", (block,), goal, "swept"), ByKernel(theorem)))
        return Derivation(tuple(every))
