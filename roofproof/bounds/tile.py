"""A tile: one loop goes by a point at a time, tensors without it are held, blocks of the others stream past.

For each block of sides b the held tensors bring theirs once; each step along the streamed loop brings a block of every
other tensor. Sums of a result that is held are finished before its block goes out, as the other loops that are summed
come next to the streamed one. Where the result is among the blocks that go by and its sums are taken up again, its
block goes out, too, and has room twice. With T = product of the sides, H = bytes held, F = bytes that come and go:

    holding and streaming: H + F <= M           moved a product: F/T, and what is held once a block
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm, prod

import sympy
from flint import fmpq, fmpq_mat

from roofproof.bounds.nests import ArrayReference, Nest
from roofproof.derive.limits.dominant_term import fresh
from roofproof.proofs.known import Known
from roofproof.symbols import quantity


@dataclass(frozen=True)
class Tile:
    """A tile that holds one tensor with all its sides, in a scale g: no other sides move less in the same room.

    >>> from roofproof import op
    >>> from roofproof.bounds.nests import nest_of
    >>> tile = Tile(nest_of(op("matmul")), 1, sympy.Symbol("M"))                 # D is streamed, so z is held
    >>> tile.loops, [a.name for a in tile.held], tile.fits({0: 5, 2: 5})                # 2 (5 5 + 5 + 5)
    ((0, 2), ['z'], Fraction(70, 1))
    >>> tile.moved_by({0: 5, 2: 5}, (10, 8, 10))               # x and w twice, z once: 2 (160 + 160 + 100)
    Fraction(840, 1)
    """

    nest: Nest
    streamed: int
    memory: sympy.Symbol
    weights: tuple[Fraction, ...] = ()  # of what comes and goes: blocks as large as these are best

    @cached_property
    def loops(self) -> tuple[int, ...]:
        """The loops that have sides: nothing is used twice along those that every tensor has."""
        others = range(len(self.nest.lengths))
        return tuple(i for i in others if i != self.streamed and i not in self.nest.everywhere)

    @cached_property
    def held(self) -> tuple[ArrayReference, ...]:
        """The tensors whose blocks stay while the streamed loop goes by."""
        return tuple(a for a in self.nest.arrays if self.streamed not in a.loops)

    @cached_property
    def moving(self) -> tuple[ArrayReference, ...]:
        """The tensors whose blocks come and go."""
        return tuple(a for a in self.nest.arrays if self.streamed in a.loops)

    def charge(self, array: ArrayReference) -> Fraction:
        """The bytes of an element of a block that comes and goes: twice its own where sums are taken up again."""
        again = array.result and bool(self.nest.summed - {self.streamed})
        return array.width * (2 if again else 1)

    def along(self, array: ArrayReference) -> tuple[int, ...]:
        """The loops with whose blocks a tensor comes again."""
        if array.result and array in self.held:
            return ()
        return tuple(i for i in self.loops if i not in array.loops)

    @property
    def total(self) -> Fraction:
        """The sum of the weights: F grows as its inverse power of T."""
        return sum(self.weights, Fraction(0))

    @property
    def slope(self) -> Fraction:
        """The bytes that a step brings for each element of the one side."""
        return sum((self.charge(a) for a in self.moving if a.loops & {*self.loops}), Fraction(0))

    @property
    def rest(self) -> Fraction:
        """The bytes that a step brings however long the one side is."""
        return sum((self.charge(a) for a in self.moving if not a.loops & {*self.loops}), Fraction(0))

    @property
    def linear(self) -> bool:
        """Whether there is one side only, or none: then F is linear in it."""
        return len(self.loops) < 2

    @cached_property
    def scale(self) -> int:
        """Into how many parts a block is taken so that sides are monomials in the scale g."""
        return 1 if self.linear else lcm(*(e.denominator for e in self._exponents))

    @cached_property
    def _exponents(self) -> tuple[Fraction, ...]:
        """Powers of phi in the sides: blocks of weight times phi bytes each."""
        solved = self._inverse * fmpq_mat([[fmpq(1)] for _ in self.loops])
        return tuple(Fraction(int(e.p), int(e.q)) for e in solved.entries())

    @property
    def _inverse(self) -> fmpq_mat:
        return fmpq_mat([[fmpq(i in a.loops) for i in self.loops] for a in self.moving]).inv()

    def side(self, i: int, g: sympy.Expr) -> sympy.Expr:
        """A side at a scale."""
        if self.linear:
            return g
        row = [Fraction(int(e.p), int(e.q)) for e in self._inverse.table()[self.loops.index(i)]]
        blocks = [
            sympy.Rational(s / self.charge(a)) * g**self.scale for s, a in zip(self.weights, self.moving, strict=True)
        ]
        return sympy.Mul(*(b ** sympy.Rational(e) for b, e in zip(blocks, row, strict=True)))

    def stream(self, g: sympy.Expr) -> sympy.Expr:
        """F: the bytes that a step brings and takes."""
        if self.linear:
            return sympy.Rational(self.slope) * g + sympy.Rational(self.rest)
        return sympy.Rational(self.total) * g**self.scale

    @cached_property
    def known(self) -> Known | None:
        """That no other sides of this kind of tile move fewer bytes a product; None where none have to be compared."""
        from roofproof.bounds.tile_proofs import optimum

        return optimum(self) if self.loops else None

    @property
    def g(self) -> sympy.Symbol:
        """The scale of the tile."""
        return quantity(fresh("g", {s.name for s in self.nest.points.free_symbols}))

    def block(self, g: sympy.Expr) -> sympy.Expr:
        """T: the products of a step."""
        return sympy.Mul(*(self.side(i, g) for i in self.loops))

    def _block(self, array: ArrayReference, g: sympy.Expr) -> sympy.Expr:
        return sympy.Mul(*(self.side(i, g) for i in self.loops if i in array.loops))

    def kept(self, g: sympy.Expr) -> sympy.Expr:
        """H: the bytes that are held."""
        return sympy.Add(*(sympy.Rational(a.width) * self._block(a, g) for a in self.held))

    def footprint(self, g: sympy.Expr | int) -> sympy.Expr:
        """The bytes that a tile takes."""
        scale = sympy.sympify(g, strict=True)
        return sympy.expand(self.kept(scale) + self.stream(scale))

    def moved(self, g: sympy.Expr | int) -> sympy.Expr:
        """The bytes that move: a step brings F for T products; what is held comes once a block, a result once."""
        nest, g = self.nest, sympy.sympify(g, strict=True)
        once = sympy.Integer(0)
        for a in self.held:
            again = (nest.lengths[i] / self.side(i, g) for i in self.along(a))
            once += sympy.Rational(a.width) * nest.elements(a) * sympy.Mul(*again)
        first = sum(  # no sum is there to be brought at first
            (sympy.Rational(self.charge(a) - a.width) * nest.elements(a) for a in self.moving), sympy.Integer(0)
        )
        return nest.points * sympy.powsimp(self.stream(g) / self.block(g)) + once - first

    def moved_by(self, sides: Mapping[int, int], lengths: Sequence[int]) -> Fraction:
        """The bytes that move with these sides of loops of such lengths; a part of a tile moves what it has."""
        found = Fraction(0)
        for a in self.nest.arrays:
            passes = prod(-(-lengths[i] // sides[i]) for i in self.along(a))
            again = a in self.moving and self.charge(a) != a.width
            found += a.width * prod(lengths[i] for i in a.loops) * (2 * passes - 1 if again else passes)
        return found

    def fits(self, sides: Mapping[int, int]) -> Fraction:
        """The bytes that a tile with these sides takes."""
        blocks = [(a, prod(sides[i] for i in self.loops if i in a.loops)) for a in self.nest.arrays]
        return sum(((self.charge(a) if a in self.moving else a.width) * n for a, n in blocks), Fraction(0))

    @cached_property
    def scale_of_memory(self) -> sympy.Expr | None:
        """The scale of the largest tile in M bytes, where that is a closed form of degree 1 or 2."""
        if not self.loops:
            return sympy.Integer(1)
        g = self.g
        poly = sympy.Poly(self.footprint(g) - self.memory, g)
        if poly.degree() > 2:
            return None
        c, *rest = poly.all_coeffs()[::-1]
        if len(rest) == 1:
            return sympy.factor(-c / rest[0])
        b, a = rest
        return sympy.expand((sympy.sqrt(sympy.factor(b**2 - 4 * a * c)) - b) / (2 * a))

    @property
    def sides(self) -> dict[sympy.Expr, sympy.Expr]:
        """The sides of the tile by loop, in M where that is a closed form, else in its scale g."""
        g = self.scale_of_memory if self.scale_of_memory is not None else self.g
        return {self.nest.lengths[i]: sympy.simplify(self.side(i, g)) for i in self.loops}

    @cached_property
    def growth(self) -> tuple[Fraction, int, sympy.Expr]:
        """As the memory grows a product moves c M^(-e) bytes: e, a number n, and c^n, which is a fraction."""
        g = self.g
        F, T, P = (sympy.Poly(p, g) for p in (self.stream(g), self.block(g), self.footprint(g)))
        falls, room = T.degree() - F.degree(), P.degree()
        e = Fraction(falls, room) if room else Fraction(0)
        return e, max(room, 1), (F.LC() / T.LC()) ** max(room, 1) * P.LC() ** falls
