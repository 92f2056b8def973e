"""The best tile in closed form: one tensor stays, a loop goes by, and the blocks of the others stream past it.

Where the tensor that is held has all other loops, a tile with T products a step takes w T + F <= M bytes (tile.py).
For F the weighted mean says F^a >= C T^k, equal where the blocks are as large as their weights; there F/T is least.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from math import lcm

import sympy
from flint import fmpq, fmpq_mat

from roofproof.bounds.lower import memory_symbol
from roofproof.bounds.nests import Nest
from roofproof.bounds.tile import Tile


def best_tile(nest: Nest, memory: sympy.Symbol | None = None) -> Tile | None:
    """Return the tile, of those that are best of their kind, that moves least as the memory grows; None of no kind.

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
    tiles = kinds(nest, memory or memory_symbol(nest))
    return min(tiles, key=_order(tiles), default=None)


def kinds(nest: Nest, memory: sympy.Symbol) -> list[Tile]:
    """Return the best tile of each kind that has one in closed form: a kind streams a loop.

    >>> from roofproof import op
    >>> from roofproof.bounds.nests import nest_of
    >>> [[a.name for a in t.held] for t in kinds(nest_of(op("matmul")), sympy.Symbol("M"))]
    [['w'], ['z'], ['x']]
    """
    return [t for r in range(len(nest.lengths)) if (t := _kind(nest, r, memory)) is not None]


def _kind(nest: Nest, streamed: int, memory: sympy.Symbol) -> Tile | None:
    """Return the tile that streams a loop, where one tensor has all other loops that not every tensor has."""
    if streamed in nest.everywhere:
        return None
    tile = Tile(nest, streamed, memory)
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
        rest = tile.rest * (tile.held[0].width + tile.slope) if tile.loops and tile.linear else Fraction(0)
        return -e, sympy.expand(c ** (n // k)), rest

    return key
