"""The best tile with whole sides at given sizes, by exhaustion: of every streamed loop and all sides that fit."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt, lcm, prod

import sympy

from roofproof.bounds.nests import Nest
from roofproof.bounds.tile import Tile

MOST = 20_000  # sides that are tried, in all; with more, nothing is said


@dataclass(frozen=True)
class WholeTile:
    """Whole sides of the tile that streams a loop, and the bytes that it moves."""

    tile: Tile
    sides: dict[int, int]
    moved: Fraction


def best_whole(nest: Nest, memory: sympy.Symbol, room: Fraction, lengths: Sequence[int]) -> WholeTile | None:
    """Return the tile with whole sides that moves least of all that fit; None where there are too many, or none fits.

    >>> from roofproof import op
    >>> from roofproof.bounds.nests import nest_of
    >>> best = best_whole(nest_of(op("matmul")), sympy.Symbol("M"), Fraction(2048), (256, 256, 256))
    >>> best.sides, best.moved                                 # 2 (32 29 + 32 + 29) bytes; 8 and 9 blocks: 2 256^2 18
    ({0: 32, 2: 29}, Fraction(2359296, 1))
    """
    if max(lengths, default=1) > MOST**2:
        return None
    best: WholeTile | None = None
    left = MOST
    for r in range(len(lengths)):
        if r in nest.everywhere:
            continue
        tile = Tile(nest, r, memory)
        tried = _Search(tile, room, lengths, None if best is None else best.moved, left)
        left -= tried.tries
        if left < 0:
            return None
        if tried.best is not None:
            best = WholeTile(tile, dict(zip(tile.loops, tried.best, strict=True)), tried.moved)
    return best


class _Search:
    """Sides loop by loop: only the least of those that make as many blocks, and no branch that cannot move less."""

    def __init__(self, tile: Tile, room: Fraction, lengths: Sequence[int], below: Fraction | None, most: int) -> None:
        self.tile, self.lengths = tile, lengths
        unit = lcm(*(a.width.denominator for a in tile.nest.arrays))
        self.unit, self.room, self.tries, self.most = unit, int(room * unit), 0, most
        self.best: tuple[int, ...] | None = None
        self.least = None if below is None else int(below * unit)
        order = {i: k for k, i in enumerate(tile.loops)}
        self.blocks = [(int((tile.charge(a) if a in tile.moving else a.width) * unit),
                        [order[i] for i in tile.loops if i in a.loops]) for a in tile.nest.arrays]  # fmt: skip
        self.traffic = [(int(a.width * prod(lengths[i] for i in a.loops) * unit), [order[i] for i in tile.along(a)],
                         a in tile.moving and tile.charge(a) != a.width) for a in tile.nest.arrays]  # fmt: skip
        self.own = [lengths[i] for i in tile.loops]
        self.choices = [_least_sides(n) for n in self.own]
        self._extend(())

    @property
    def moved(self) -> Fraction:
        """The bytes that the best moves."""
        assert self.least is not None
        return Fraction(self.least, self.unit)

    def _extend(self, sides: tuple[int, ...]) -> None:
        self.tries += 1
        if self.tries > self.most or self._takes([*sides, *[1] * (len(self.own) - len(sides))]) > self.room:
            return
        most = [self._longest(sides, k) for k in range(len(sides), len(self.own))]
        moved = self._moves([*sides, *most])  # no less is moved with shorter sides
        if self.least is not None and moved >= self.least:
            return
        if len(most) < 2:
            self.best, self.least = (*sides, *most), moved
            return
        choices = self.choices[len(sides)]
        for side in reversed(choices[: bisect_right(choices, most[0])]):
            self._extend((*sides, side))

    def _longest(self, sides: tuple[int, ...], k: int) -> int:
        """Return the longest side of a loop that fits beside these where all others are 1."""

        def over(side: int) -> bool:
            return self._takes([*sides, *(side if j == k else 1 for j in range(len(sides), len(self.own)))]) > self.room

        choices = self.choices[k]
        return choices[max(bisect_left(choices, True, key=over) - 1, 0)]

    def _takes(self, sides: Sequence[int]) -> int:
        return sum(width * prod(sides[k] for k in loops) for width, loops in self.blocks)

    def _moves(self, sides: Sequence[int]) -> int:
        total = 0
        for size, loops, again in self.traffic:
            passes = prod(-(-self.own[k] // sides[k]) for k in loops)
            total += size * (2 * passes - 1 if again else passes)
        return total


def _least_sides(length: int) -> list[int]:
    """Return the least side for each number of blocks into which a loop can be cut, in order.

    >>> _least_sides(10)                                       # 10, 5, 4, 3, 2 and 1 blocks
    [1, 2, 3, 4, 5, 10]
    """
    root = isqrt(length) + 1
    counts = {*range(1, root + 1), *(-(-length // side) for side in range(1, root + 1))}
    return sorted({-(-length // n) for n in counts if n <= length})
