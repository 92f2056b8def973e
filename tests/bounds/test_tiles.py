"""A tile in closed form of every product: played step by step, held to the bound and to all tiles of whole sides."""

import itertools
import math
import random
from collections import Counter
from fractions import Fraction

import pytest
import sympy
from test_lower_bounds import M, nest, random_nest

from roofproof.bounds import Nest, lower_bounds, regions_of
from roofproof.bounds.leading_tiles import LeadingTile
from roofproof.bounds.tile import Tile
from roofproof.bounds.whole_tiles import best_whole


def played(tile: Tile, sides: dict[int, int], sizes: list[int]) -> tuple[Fraction, Fraction]:
    """The bytes that a run moves and the most that it has in the memory: blocks are sets of elements."""
    made, r = tile.nest, tile.streamed
    outer = sorted((i for i in range(len(sizes)) if i != r), key=lambda i: (i not in made.everywhere, i in made.summed))
    each = [sides.get(i, 1) for i in range(len(sizes))]
    cuts = [[range(k, min(k + side, n)) for k in range(0, n, side)] for side, n in zip(each, sizes, strict=True)]
    moved, most, begun = Fraction(0), Fraction(0), set[tuple[int, ...]]()
    inside: dict[str, frozenset[tuple[int, ...]]] = {}
    for chosen in itertools.product(*(cuts[i] for i in outer)):
        block = dict(zip(outer, chosen, strict=True))
        for a in tile.held:
            wanted = frozenset(itertools.product(*(block[i] for i in sorted(a.loops))))
            if a.result and wanted != inside.get(a.name):
                moved += a.width * len(wanted & begun) + a.width * len(
                    wanted
                )  # what was begun comes back; all goes out
                begun |= wanted
            elif wanted != inside.get(a.name):
                moved += a.width * len(wanted)
            inside[a.name] = wanted
        kept = sum((a.width * len(inside[a.name]) for a in tile.held), Fraction(0))
        for step in range(sizes[r]):
            room = kept
            for a in tile.moving:
                elements = set(itertools.product(*({**block, r: (step,)}[i] for i in sorted(a.loops))))
                back = len(elements & begun) if a.result else 0
                moved += a.width * (len(elements) + back)
                begun |= elements if a.result else set()
                room += a.width * (2 if a.result and made.summed else 1) * len(elements)
            most = max(most, room)
    return moved, most


def test_what_a_tile_moves_and_takes_is_what_a_run_of_it_does() -> None:
    rng = random.Random(11)
    for _ in range(60):
        made = random_nest(rng, 4)
        sizes = [rng.randint(1, 5) for _ in made.lengths]
        for r in range(len(sizes)):
            if r not in made.everywhere:
                tile = Tile(made, r, M)
                sides = {i: rng.randint(1, sizes[i]) for i in tile.loops}
                moved, most = played(tile, sides, sizes)
                assert moved <= tile.moved_by(sides, sizes) and most <= tile.fits(sides), (made, r, sides, sizes)


def test_every_tile_with_whole_sides_is_tried() -> None:
    rng = random.Random(12)
    for _ in range(60):
        made = random_nest(rng, 3)
        sizes = [rng.randint(1, 12) for _ in made.lengths]
        room = sum((a.width for a in made.arrays), Fraction(0)) * rng.choice((1, 3, 8, 15))
        every = [tile.moved_by(sides, sizes)
                 for tile in (Tile(made, r, M) for r in range(len(sizes)) if r not in made.everywhere)
                 for chosen in itertools.product(*(range(1, sizes[i] + 1) for i in tile.loops))
                 if tile.fits(sides := dict(zip(tile.loops, chosen, strict=True))) <= room]  # fmt: skip
        found = best_whole(made, M, room, sizes)
        assert (found.moved if found else None) == min(every, default=None)
        if found is not None:
            put = dict(zip(made.lengths, sizes, strict=True))
            bounds = [made.compulsory, *(b.value for b in lower_bounds(made))]
            assert found.tile.fits(found.sides) <= room
            assert found.moved >= max(e.subs(put).subs(M, sympy.Rational(room)) for e in bounds)


def test_no_whole_sides_of_a_matrix_product_are_left_out() -> None:
    """In each memory up to where all is held, the least of 3 streamed loops and all sides; often not the longest."""
    made = nest("int8[m,k], bf16[k,n] -> int8[m,n]")
    sizes = [10, 9, 12]
    for room in range(4, 160, 9):
        every = [tile.moved_by(sides, sizes) for tile in (Tile(made, r, M) for r in range(3))
                 for chosen in itertools.product(*(range(1, sizes[i] + 1) for i in tile.loops))
                 if tile.fits(sides := dict(zip(tile.loops, chosen, strict=True))) <= room]  # fmt: skip
        found = best_whole(made, M, Fraction(room), sizes)
        assert found is not None and found.moved == min(every), room


def held_to_the_bound(made: Nest) -> str:
    """What kind of tile a product has, after a look at its ratio to the bound at some scales, and at what says so."""
    regions = regions_of(made)
    tile = regions.tile
    if tile is None:
        assert len(made.everywhere) == len(made.lengths)
        return "any order"
    assert regions.known.trust == "kernel" and (tile.known is None or tile.known.trust == "kernel")
    if not tile.loops:  # each element once
        assert tile.moved(tile.g) == made.compulsory
        return "best"
    assert regions.limit is not None and regions.ratio is not None and regions.limit >= 1
    assert "ratio" in {k.statement.kind for k in regions.known}
    if isinstance(tile, LeadingTile):
        assert "ratio-at-most" in {k.statement.kind for k in regions.known}
        below = float(regions.most)
        for scale in (tile.least_scale, 2 * tile.least_scale, 7 * tile.least_scale, 1000 * tile.least_scale):
            at = float(regions.ratio.subs(tile.g, scale))
            assert 1 - 1e-9 <= at <= below * (1 + 1e-9)
            below = at
        assert all(tile.side(i, sympy.Integer(tile.least_scale)) >= 1 for i in tile.loops)
        sizes = {n: 10**60 for n in made.lengths}  # without end: what moves over the bound is the ratio
        moved, room = tile.moved(tile.least_scale).subs(sizes), tile.footprint(tile.least_scale)
        if regions.bound is not None and not regions.full:
            assert math.isclose(
                moved / regions.bound.value.subs(sizes).subs(M, room), float(regions.most), rel_tol=1e-6
            )
    return {"best": "best", "leading": "leading"}.get(regions.kind, f"near {float(regions.limit):.3f}")


@pytest.mark.parametrize(
    ("text", "sides"),
    [
        ("int8[i,j,k], int8[j,r], int8[k,r] -> int8[i,r]", {"i": "g", "k": "g", "r": "g**2/2"}),
        ("fp32[i,j,k], int8[j,r], int8[k,r] -> int8[i,r]", {"i": "g", "k": "g", "r": "2*g**2"}),
        ("int8[i,j,k], bf16[j,r], fp32[k,r] -> int8[i,r]", {"i": "g", "k": "g/4", "r": "g**2/16"}),
    ],
)
def test_blocks_are_as_large_as_their_weights(text: str, sides: dict[str, str]) -> None:
    """Of x a block of i k, of a one of r, in bytes two to one; of b and z blocks of k r and i r, as many bytes each."""
    regions = regions_of(nest(text))
    assert regions.tile is not None and regions.limit == 1
    assert {str(n): str(side) for n, side in regions.tile.sides.items()} == sides


def test_every_random_product_has_a_tile_near_the_bound() -> None:
    rng = random.Random(5)
    found = Counter(held_to_the_bound(random_nest(rng, 4)) for _ in range(25))
    assert found["leading"] > 10 and found["best"] and sum(n for k, n in found.items() if "near" in k) <= 1, found


@pytest.mark.long
def test_two_hundred_random_products_have_a_tile_near_the_bound() -> None:
    rng = random.Random(5)
    print(Counter(held_to_the_bound(random_nest(rng, 5)) for _ in range(200)))


def test_what_is_asked_of_the_ridge_point_is_enough() -> None:
    """At the scale that `reached_at` has, and beyond it, the tile moves less than R allows; where R is large enough."""
    rng, tried = random.Random(5), 0
    for _ in range(40):
        regions = regions_of(random_nest(rng, 4))
        tile, least = regions.tile, regions.reached_from
        if least is None or tile is None or regions.scales is None:
            continue
        for R in (least, 2 * least + 1, 100 * least + 100):
            scale = regions.scales.at({"R": R})
            if hasattr(scale, "at"):
                tried += 1
                assert scale.at >= tile.least_scale or math.isclose(scale.at, tile.least_scale)
                assert regions.per_product * tile.block(scale.at) >= R * tile.stream(scale.at) * (
                    1 - Fraction(1, 10**9)
                )
    assert tried, "no product of these asks for more than has to be"
