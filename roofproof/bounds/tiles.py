"""The best tile in closed form: one tensor stays, a loop goes by, and the blocks of the others stream past it.

Where the tensor that is held has all other loops, a tile with T products a step takes w T + F <= M bytes (tile.py).
For F the weighted mean says F^a >= C T^k, equal where the blocks are as large as their weights; there F/T is least.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import lcm

import sympy
from flint import fmpq, fmpq_mat

from roofproof.bounds.leading_tiles import leading_tiles
from roofproof.bounds.lower import memory_symbol
from roofproof.bounds.nests import Nest
from roofproof.bounds.tile import Tile
from roofproof.proofs.known import Known


@dataclass(frozen=True)
class BestTile(Tile):
    """A tile that holds one tensor with all its sides: no other sides move less in the same room.

    >>> from roofproof import op
    >>> from roofproof.bounds.nests import nest_of
    >>> tile = best_tile(nest_of(op("matmul")))
    >>> tile.nest.lengths[tile.streamed], tile.held[0].name
    (D, 'z')
    >>> tile.sides                                             # b b + 2 b elements of 2 bytes in M
    {B: sqrt(2*M + 4)/2 - 1, F: sqrt(2*M + 4)/2 - 1}
    >>> tile.footprint(10), tile.known.trust                   # sides g/2 = 5: 2 (5^2 + 2 5)
    (70, 'kernel')
    """

    weights: tuple[Fraction, ...] = ()

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


def best_tile(nest: Nest, memory: sympy.Symbol | None = None) -> Tile | None:
    """Return the tile that moves least as the memory grows, of equals the best of its kind; None where none is of use.

    >>> from roofproof import op
    >>> from roofproof.bounds.nests import nest_of
    >>> tile = best_tile(nest_of(op("bf16[i,j,k], bf16[j,r], bf16[k,r] -> bf16[i,r]")))
    >>> [a.name for a in tile.held], tile.sides                # x1 and x2 come and go: (g^2 + g^2/2)/(g g g^2/2)
    (['x3', 'z'], {i: g, k: g, r: g**2/2})
    """
    symbol = memory or memory_symbol(nest)
    tiles: list[Tile] = [*kinds(nest, symbol), *leading_tiles(nest, symbol)]
    return min(tiles, key=_order(tiles), default=None)


def kinds(nest: Nest, memory: sympy.Symbol) -> list[BestTile]:
    """Return the best tile of each kind that has one in closed form: a kind streams a loop.

    >>> from roofproof import op
    >>> from roofproof.bounds.nests import nest_of
    >>> [[a.name for a in t.held] for t in kinds(nest_of(op("matmul")), sympy.Symbol("M"))]
    [['w'], ['z'], ['x']]
    """
    return [t for r in range(len(nest.lengths)) if (t := _kind(nest, r, memory)) is not None]


def _kind(nest: Nest, streamed: int, memory: sympy.Symbol) -> BestTile | None:
    """Return the tile that streams a loop, where one tensor has all other loops that not every tensor has."""
    if streamed in nest.everywhere:
        return None
    tile = BestTile(nest, streamed, memory)
    if not tile.loops:
        return tile
    if len(tile.held) != 1 or not {*tile.loops} <= tile.held[0].loops:
        return None
    if len(tile.loops) < 2:
        return tile
    if len(tile.moving) != len(tile.loops):
        return None
    try:  # each side is shared among the blocks that have it
        uses = fmpq_mat([[fmpq(i in a.loops) for a in tile.moving] for i in tile.loops])
        solved = uses.solve(fmpq_mat([[fmpq(1)] for _ in tile.loops]))
    except ZeroDivisionError:
        return None
    weights = tuple(Fraction(int(w.p), int(w.q)) for w in solved.entries())
    return replace(tile, weights=weights) if min(weights) > 0 else None


def _order(tiles: Sequence[Tile]) -> Callable[[Tile], tuple[object, ...]]:
    """Return the key that orders tiles by the bytes c M^(-e) that they move a product as the memory grows."""
    grown = {tile: tile.growth for tile in tiles}
    n = lcm(*(k for _, k, _ in grown.values()))
    n *= lcm(*(int(p.exp.q) for _, _, c in grown.values() for p in c.atoms(sympy.Pow) if p.exp.is_Rational))

    def key(tile: Tile) -> tuple[object, ...]:
        e, k, c = grown[tile]
        found = -e, sympy.expand(c ** (n // k))
        if not isinstance(tile, BestTile):
            return *found, 1
        return *found, 0, tile.rest * (tile.held[0].width + tile.slope) if tile.loops and tile.linear else Fraction(0)

    return key
