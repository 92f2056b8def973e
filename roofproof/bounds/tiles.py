"""The best tile in closed form: one tensor stays, a loop goes by, and the blocks of the others stream past it.

One loop is streamed, a point at a time. The tensor that does not have it is held: a block with the tile's sides. Each
step brings a block of every other tensor. Where the result is among these and its sums are taken up again, its block
goes out, too, and has room twice. With T = product of the sides and F = bytes of the blocks that come and go,

    held and streaming: w T + F <= M             moved a product: F/T, and once what is held

For F the weighted mean says F^a >= C T^k, equal where the blocks are as large as their weights; there F/T is least.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm

import sympy
from flint import fmpq, fmpq_mat

from roofproof.bounds.lower import fresh, memory_symbol
from roofproof.bounds.nests import Array, Nest
from roofproof.bounds.tile_proofs import optimum
from roofproof.proofs.known import Known
from roofproof.symbols import quantity


@dataclass(frozen=True)
class Tile:
    """A kind of tile: which loop is streamed, which tensor is held, and which loops have sides.

    >>> from roofproof import op
    >>> from roofproof.bounds.nests import nest_of
    >>> tile = best_tile(nest_of(op("matmul")))
    >>> tile.nest.lengths[tile.streamed], tile.held.name
    (D, 'z')
    >>> tile.sides                                             # b b + 2 b elements of 2 bytes in M
    {B: sqrt(2*M + 4)/2 - 1, F: sqrt(2*M + 4)/2 - 1}
    >>> tile.footprint(10), tile.known.trust                   # sides g/2 = 5: 2 (5^2 + 2 5)
    (70, 'kernel')
    """

    nest: Nest
    streamed: int
    held: Array
    loops: tuple[int, ...]
    weights: tuple[Fraction, ...]
    memory: sympy.Symbol

    @property
    def moving(self) -> tuple[Array, ...]:
        """The tensors whose blocks come and go."""
        return tuple(a for a in self.nest.arrays if a is not self.held)

    def charge(self, array: Array) -> Fraction:
        """The bytes of an element of a block that comes and goes: twice its own where sums are taken up again."""
        again = array.result and bool(self.nest.summed - {self.streamed})
        return array.width * (2 if again else 1)

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

    @property
    def g(self) -> sympy.Symbol:
        """The scale of the tile: the side itself where there is one, else phi is its power `scale`."""
        return quantity(fresh("g", {s.name for s in self.nest.points.free_symbols}))

    def side(self, i: int, g: sympy.Expr) -> sympy.Expr:
        """A side at a scale."""
        if self.linear:
            return g
        row = [Fraction(int(e.p), int(e.q)) for e in self._inverse.table()[self.loops.index(i)]]
        blocks = [
            sympy.Rational(s / self.charge(a)) * g**self.scale for s, a in zip(self.weights, self.moving, strict=True)
        ]
        return sympy.Mul(*(b ** sympy.Rational(e) for b, e in zip(blocks, row, strict=True)))

    def block(self, g: sympy.Expr) -> sympy.Expr:
        """T: the elements that are held."""
        return sympy.Mul(*(self.side(i, g) for i in self.loops))

    def stream(self, g: sympy.Expr) -> sympy.Expr:
        """F: the bytes that a step brings and takes."""
        if self.linear:
            return sympy.Rational(self.slope) * g + sympy.Rational(self.rest)
        return sympy.Rational(self.total) * g**self.scale

    def footprint(self, g: sympy.Expr | int) -> sympy.Expr:
        """The bytes that a tile takes."""
        return sympy.expand(
            sympy.Rational(self.held.width) * self.block(g) + self.stream(sympy.sympify(g, strict=True))
        )

    def moved(self, g: sympy.Expr | int) -> sympy.Expr:
        """The bytes that move: a step brings F for T products; what is held goes once."""
        nest, g = self.nest, sympy.sympify(g, strict=True)
        once = sympy.Rational(self.held.width) * nest.elements(self.held)
        first = sum(  # no sum is there to be brought at first
            (sympy.Rational(self.charge(a) - a.width) * nest.elements(a) for a in self.moving), sympy.Integer(0)
        )
        return nest.points * sympy.powsimp(self.stream(g) / self.block(g)) + once - first

    def moved_by(self, sides: Mapping[int, int]) -> sympy.Expr:
        """The bytes that move with these sides, whatever their shape; a part of a tile moves what it has."""
        nest = self.nest
        found = sympy.Rational(self.held.width) * nest.elements(self.held)
        for a in self.moving:
            passes = sympy.Mul(
                *(sympy.ceiling(nest.lengths[i] / sympy.Integer(sides[i])) for i in self.loops if i not in a.loops)
            )
            again = self.charge(a) != a.width
            found += sympy.Rational(a.width) * nest.elements(a) * (2 * passes - 1 if again else passes)
        return found

    def fits(self, sides: Mapping[int, int]) -> Fraction:
        """The bytes that a tile with these sides takes."""
        product = Fraction(1)
        for i in self.loops:
            product *= sides[i]
        found = self.held.width * product
        for a in self.moving:
            block = Fraction(1)
            for i in self.loops:
                block *= sides[i] if i in a.loops else 1
            found += self.charge(a) * block
        return found

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
        """The sides of the best tile by loop, in M where that is a closed form, else in its scale g."""
        g = self.scale_of_memory if self.scale_of_memory is not None else self.g
        return {self.nest.lengths[i]: sympy.simplify(self.side(i, g)) for i in self.loops}

    @cached_property
    def known(self) -> Known | None:
        """That no other sides of this kind of tile move fewer bytes a product; None where none have to be compared."""
        return optimum(self) if self.loops else None


def best_tile(nest: Nest, memory: sympy.Symbol | None = None) -> Tile | None:
    """Return the kind of tile that moves least as the memory grows; None where none has a closed form.

    >>> from roofproof import op
    >>> from roofproof.bounds.nests import nest_of
    >>> tile = best_tile(nest_of(op("bf16[i,j,k], bf16[j,r], bf16[k,r] -> bf16[i,r]")))
    >>> tile.held.name, tile.sides                             # i is half as long: its sums come and go
    ('x1', {i: g/4, j: g/2, k: g/2})
    """
    symbol = memory or memory_symbol(nest)
    found = [t for r in range(len(nest.lengths)) if (t := _kind(nest, r, symbol)) is not None]
    return min(found, key=_order(found), default=None)


def _kind(nest: Nest, streamed: int, memory: sympy.Symbol) -> Tile | None:
    """Return the tile that streams a loop, where one tensor has all other loops that not every tensor has."""
    held = [a for a in nest.arrays if streamed not in a.loops]
    loops = tuple(i for i in range(len(nest.lengths)) if i != streamed and i not in nest.everywhere)
    if len(held) != 1 or streamed in nest.everywhere or not {*loops} <= held[0].loops:
        return None
    moving = [a for a in nest.arrays if a is not held[0]]
    if len(loops) < 2:
        return Tile(nest, streamed, held[0], loops, (), memory)
    if len(moving) != len(loops):
        return None
    try:  # each side is shared among the blocks that have it
        uses = fmpq_mat([[fmpq(i in a.loops) for a in moving] for i in loops])
        solved = uses.solve(fmpq_mat([[fmpq(1)] for _ in loops]))
    except ZeroDivisionError:
        return None
    weights = tuple(Fraction(int(w.p), int(w.q)) for w in solved.entries())
    return Tile(nest, streamed, held[0], loops, weights, memory) if min(weights) > 0 else None


def _order(tiles: Sequence[Tile]) -> Callable[[Tile], tuple[Fraction, Fraction]]:
    """Return what orders tiles by the bytes that they move a product as the memory grows."""
    shares = [s / t.total for t in tiles if not t.linear for s in (*t.weights, Fraction(1))]
    n = lcm(*(share.denominator for share in shares))

    def key(tile: Tile) -> tuple[Fraction, Fraction]:
        if tile.linear:  # F/T = slope + rest/T, and T = (M - rest)/(w + slope)
            return tile.slope, tile.rest * (tile.held.width + tile.slope)
        # F/T = total w (w K)^(-1/total) M^(1/total - 1), where T = K phi^total and K = prod (s_j/c_j)^s_j
        found = (tile.total * tile.held.width) ** n / tile.held.width ** int(n / tile.total)
        for s, a in zip(tile.weights, tile.moving, strict=True):
            found *= (tile.charge(a) / s) ** int(n * s / tile.total)
        return 1 / tile.total, found

    return key
