"""The best tile in closed form: one tensor is held, one loop is streamed, and blocks of the other tensors stream past.

If the held tensor has all other loops, a tile with T products per step needs w T + F <= M bytes (tile.py). By the
weighted mean, F^a >= C T^k, with equality if the block sizes are proportional to the weights. Then F/T is least.
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
    """Return the tile that moves least as the memory grows, among the best of each kind, or None if there are none.

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
    """Return the best tile of each kind (a choice of the streamed loop) that has one in closed form.

    >>> from roofproof import op
    >>> from roofproof.bounds.nests import nest_of
    >>> [[a.name for a in t.held] for t in kinds(nest_of(op("matmul")), sympy.Symbol("M"))]
    [['w'], ['z'], ['x']]
    """
    return [t for r in range(len(nest.lengths)) if (t := _kind(nest, r, memory)) is not None]


def _kind(nest: Nest, streamed: int, memory: sympy.Symbol) -> Tile | None:
    """Return the tile that streams a loop, if one held tensor has all other loops (except those of every tensor)."""
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
    try:  # for each side, the weights of the blocks that have it sum to 1
        uses = fmpq_mat([[fmpq(i in a.loops) for a in tile.moving] for i in tile.loops])
        solved = uses.solve(fmpq_mat([[fmpq(1)] for _ in tile.loops]))
    except ZeroDivisionError:
        return None
    weights = tuple(Fraction(int(w.p), int(w.q)) for w in solved.entries())
    return replace(tile, weights=weights) if min(weights) > 0 else None


def _order(tiles: Sequence[Tile]) -> Callable[[Tile], tuple[object, ...]]:
    """Return a sort key for tiles: the bytes c M^(-e) that they move per product as the memory grows."""
    grown = {tile: tile.growth for tile in tiles}
    n = lcm(*(k for _, k, _ in grown.values()))
    n *= lcm(*(int(p.exp.q) for _, _, c in grown.values() for p in c.atoms(sympy.Pow) if p.exp.is_Rational))

    def key(tile: Tile) -> tuple[object, ...]:
        e, k, c = grown[tile]
        rest = tile.rest * (tile.held[0].width + tile.slope) if tile.loops and tile.linear else Fraction(0)
        return -e, sympy.expand(c ** (n // k)), rest

    return key
