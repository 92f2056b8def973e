"""A tile: one loop is streamed point by point, tensors without it are held, and blocks of the others stream past.

For each block with sides b, the blocks of the held tensors are loaded once. Each step along the streamed loop loads a
block of every other tensor. The sums of a held result are finished before its block is written, because the other
summed loops come next to the streamed one. If the result is streamed and its sums are resumed later, its block is also
written, and takes twice the memory. With T = product of the sides, H = bytes held, F = bytes streamed per step:

    memory: H + F <= M           moved per product: F/T, plus the held blocks once per block
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
    """A tile that holds one tensor with all its sides, which scale with g and are the best for their memory.

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
    weights: tuple[Fraction, ...] = ()  # of the streamed tensors: block sizes in these proportions are best

    @cached_property
    def loops(self) -> tuple[int, ...]:
        """The loops that have sides, without those that index every tensor, along which no element is reused."""
        others = range(len(self.nest.lengths))
        return tuple(i for i in others if i != self.streamed and i not in self.nest.everywhere)

    @cached_property
    def held(self) -> tuple[ArrayReference, ...]:
        """The tensors whose blocks stay in memory while the streamed loop runs."""
        return tuple(a for a in self.nest.arrays if self.streamed not in a.loops)

    @cached_property
    def moving(self) -> tuple[ArrayReference, ...]:
        """The tensors whose blocks are streamed."""
        return tuple(a for a in self.nest.arrays if self.streamed in a.loops)

    def charge(self, array: ArrayReference) -> Fraction:
        """Return the bytes per element of a streamed block: twice its width if its sums are resumed."""
        again = array.result and bool(self.nest.summed - {self.streamed})
        return array.width * (2 if again else 1)

    def along(self, array: ArrayReference) -> tuple[int, ...]:
        """Return the loops for whose blocks a tensor is loaded again."""
        if array.result and array in self.held:
            return ()
        return tuple(i for i in self.loops if i not in array.loops)

    @property
    def total(self) -> Fraction:
        """The sum of the weights: F grows as T to the power 1/total."""
        return sum(self.weights, Fraction(0))

    @property
    def slope(self) -> Fraction:
        """The bytes loaded per step and per element of the only side."""
        return sum((self.charge(a) for a in self.moving if a.loops & {*self.loops}), Fraction(0))

    @property
    def rest(self) -> Fraction:
        """The bytes loaded per step for any length of the only side."""
        return sum((self.charge(a) for a in self.moving if not a.loops & {*self.loops}), Fraction(0))

    @property
    def linear(self) -> bool:
        """Whether there is at most one side, so that F is linear in it."""
        return len(self.loops) < 2

    @cached_property
    def scale(self) -> int:
        """The power of the scale g in the block sizes, chosen so that the sides are monomials in g."""
        return 1 if self.linear else lcm(*(e.denominator for e in self._exponents))

    @cached_property
    def _exponents(self) -> tuple[Fraction, ...]:
        """The powers of phi in the sides, for blocks of weight times phi bytes each."""
        solved = self._inverse * fmpq_mat([[fmpq(1)] for _ in self.loops])
        return tuple(Fraction(int(e.p), int(e.q)) for e in solved.entries())

    @property
    def _inverse(self) -> fmpq_mat:
        return fmpq_mat([[fmpq(i in a.loops) for i in self.loops] for a in self.moving]).inv()

    def side(self, i: int, g: sympy.Expr) -> sympy.Expr:
        """Return a side at a scale."""
        if self.linear:
            return g
        row = [Fraction(int(e.p), int(e.q)) for e in self._inverse.table()[self.loops.index(i)]]
        blocks = [
            sympy.Rational(s / self.charge(a)) * g**self.scale for s, a in zip(self.weights, self.moving, strict=True)
        ]
        return sympy.Mul(*(b ** sympy.Rational(e) for b, e in zip(blocks, row, strict=True)))

    def stream(self, g: sympy.Expr) -> sympy.Expr:
        """Return F, the bytes streamed per step."""
        if self.linear:
            return sympy.Rational(self.slope) * g + sympy.Rational(self.rest)
        return sympy.Rational(self.total) * g**self.scale

    @cached_property
    def known(self) -> Known | None:
        """The theorem that no other sides of this kind of tile move fewer bytes per product, or None without sides."""
        from roofproof.bounds.tile_proofs import optimum

        return optimum(self) if self.loops else None

    @property
    def g(self) -> sympy.Symbol:
        """The scale of the tile."""
        return quantity(fresh("g", {s.name for s in self.nest.points.free_symbols}))

    def block(self, g: sympy.Expr) -> sympy.Expr:
        """Return T, the products per step."""
        return sympy.Mul(*(self.side(i, g) for i in self.loops))

    def _block(self, array: ArrayReference, g: sympy.Expr) -> sympy.Expr:
        return sympy.Mul(*(self.side(i, g) for i in self.loops if i in array.loops))

    def kept(self, g: sympy.Expr) -> sympy.Expr:
        """Return H, the bytes held."""
        return sympy.Add(*(sympy.Rational(a.width) * self._block(a, g) for a in self.held))

    def footprint(self, g: sympy.Expr | int) -> sympy.Expr:
        """Return the bytes of memory that the tile needs."""
        scale = sympy.sympify(g, strict=True)
        return sympy.expand(self.kept(scale) + self.stream(scale))

    def moved(self, g: sympy.Expr | int) -> sympy.Expr:
        """Return the bytes moved: F per step of T products, held tensors once per block, a held result once."""
        nest, g = self.nest, sympy.sympify(g, strict=True)
        once = sympy.Integer(0)
        for a in self.held:
            again = (nest.lengths[i] / self.side(i, g) for i in self.along(a))
            once += sympy.Rational(a.width) * nest.elements(a) * sympy.Mul(*again)
        first = sum(  # the first pass has no partial sums to load
            (sympy.Rational(self.charge(a) - a.width) * nest.elements(a) for a in self.moving), sympy.Integer(0)
        )
        return nest.points * sympy.powsimp(self.stream(g) / self.block(g)) + once - first

    def moved_by(self, sides: Mapping[int, int], lengths: Sequence[int]) -> Fraction:
        """Return the bytes moved with these sides and loop lengths, counting only the elements of partial tiles."""
        found = Fraction(0)
        for a in self.nest.arrays:
            passes = prod(-(-lengths[i] // sides[i]) for i in self.along(a))
            again = a in self.moving and self.charge(a) != a.width
            found += a.width * prod(lengths[i] for i in a.loops) * (2 * passes - 1 if again else passes)
        return found

    def fits(self, sides: Mapping[int, int]) -> Fraction:
        """Return the bytes of memory that a tile with these sides needs."""
        blocks = [(a, prod(sides[i] for i in self.loops if i in a.loops)) for a in self.nest.arrays]
        return sum(((self.charge(a) if a in self.moving else a.width) * n for a, n in blocks), Fraction(0))

    @cached_property
    def scale_of_memory(self) -> sympy.Expr | None:
        """The scale of the largest tile in M bytes, or None unless it solves an equation of degree 1 or 2."""
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
        """The sides of the tile by loop, in M if they have a closed form, else in its scale g."""
        g = self.scale_of_memory if self.scale_of_memory is not None else self.g
        return {self.nest.lengths[i]: sympy.simplify(self.side(i, g)) for i in self.loops}

    @cached_property
    def growth(self) -> tuple[Fraction, int, sympy.Expr]:
        """(e, n, c^n), if a product moves c M^(-e) bytes as the memory grows and n makes c^n a fraction."""
        g = self.g
        F, T, P = (sympy.Poly(p, g) for p in (self.stream(g), self.block(g), self.footprint(g)))
        falls, room = T.degree() - F.degree(), P.degree()
        e = Fraction(falls, room) if room else Fraction(0)
        return e, max(room, 1), (F.LC() / T.LC()) ** max(room, 1) * P.LC() ** falls
