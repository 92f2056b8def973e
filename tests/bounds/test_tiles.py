"""A tile in closed form, compared with a step-by-step simulation and with the lower bound."""

import itertools
import random
from collections import Counter
from fractions import Fraction

import pytest
from test_lower_bounds import M, random_nest

from roofproof.bounds import Nest, regions_of
from roofproof.bounds.tile import Tile


def played(tile: Tile, sides: dict[int, int], sizes: list[int]) -> tuple[Fraction, Fraction]:
    """Return the bytes that a run moves and its peak memory use, with blocks simulated as sets of elements."""
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
                )  # partial sums come back, and all elements go out
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


def held_to_the_bound(made: Nest) -> str:
    """Return whether a product has a best tile, after checking its proof and its ratio to the bound."""
    regions = regions_of(made)
    tile = regions.tile
    if tile is None:
        return "any order" if len(made.everywhere) == len(made.lengths) else "none"
    assert regions.known.trust == "kernel" and (tile.known is None or tile.known.trust == "kernel")
    if not tile.loops:  # each element once
        assert tile.moved(tile.g) == made.compulsory
        return "best"
    assert regions.limit == 1 and regions.ratio is not None
    assert "ratio" in {k.statement.kind for k in regions.known}
    ratios = [float(regions.ratio.subs(tile.g, 10**n)) for n in (1, 3, 6)]
    assert sorted(ratios, reverse=True) == ratios and 1 - 1e-9 <= ratios[-1] <= 1 + 1e-4
    return "best"


def test_the_tile_of_a_random_product_tends_to_the_bound() -> None:
    rng = random.Random(5)
    found = Counter(held_to_the_bound(random_nest(rng, 4)) for _ in range(40))
    assert found["best"] > 5 and found["none"], found


@pytest.mark.long
def test_the_tiles_of_two_hundred_random_products_tend_to_the_bound() -> None:
    rng = random.Random(5)
    print(Counter(held_to_the_bound(random_nest(rng, 5)) for _ in range(200)))
