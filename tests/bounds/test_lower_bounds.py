"""No schedule moves less than a lower bound: known results, exhaustive pebble games, tiles of random products."""

import itertools
import math
import random
from fractions import Fraction

import numpy as np
import pytest
import sympy

from roofproof.bounds import Nest, bound, lower_bounds, nest_of, regions_of, vertices
from roofproof.bounds.nests import ArrayReference
from roofproof.bounds.tiles import kinds
from roofproof.hardware import chip
from roofproof.ops import parse_operation
from roofproof.proofs.translate import to_expr
from roofproof.symbols import dimension, quantity

M = quantity("M")
MTTKRP = "x:int8[i,j,k], a:int8[j,r], b:int8[k,r] -> z:int8[i,r]"


def nest(text: str) -> Nest:
    return nest_of(parse_operation(text))


def long_bound(text: str) -> sympy.Expr:
    [found] = [b.value for b in lower_bounds(nest(text)) if not b.short]
    return found


@pytest.mark.parametrize(
    ("text", "value"),
    [
        # for one-byte elements: Smith, Lowery, Langou and van de Geijn 2019
        ("int8[m,k], int8[k,n] -> int8[m,n]", "2*m*n*k/sqrt(M) - 2*M"),
        ("bf16[m,k], bf16[k,n] -> bf16[m,n]", "4*sqrt(2)*m*n*k/sqrt(M) - 2*M"),
        ("bf16[m,k], int8[k,n] -> bf16[m,n]", "4*m*n*k/sqrt(M) - 2*M"),
        # Ballard, Knight and Rouse 2018 have 3 V/S^(2/3) to leading order
        (MTTKRP, "3*i*j*k*r/M**Rational(2, 3) - 3*M/2"),
        # contractions of four and five loops are products of matrices
        ("int8[a,b,k], int8[k,c] -> int8[a,b,c]", "2*a*b*c*k/sqrt(M) - 2*M"),
        ("int8[a,b,k,l], int8[k,l,c] -> int8[a,b,c]", "2*a*b*c*k*l/sqrt(M) - 2*M"),
        ("int8[n,m,k], int8[n,k,l] -> int8[n,m,l]", "2*n*m*k*l/sqrt(M) - 2*M"),
    ],
)
def test_known_bounds(text: str, value: str) -> None:
    names = {s.name: s for s in nest(text).points.free_symbols} | {"M": M}
    expected = sympy.parse_expr(value, local_dict=names)
    assert sympy.simplify(long_bound(text) - expected) == 0


def test_nothing_falls_with_the_memory_where_nothing_is_used_twice() -> None:
    for text in ("dot", "bf16[n], bf16[n] -> bf16[n]", "bf16[m,n] -> bf16[m]"):
        assert not lower_bounds(nest(text)), text
    assert regions_of(nest("matvec")).never_beyond == 1  # 2 FLOPs for the 2 bytes of a weight


def test_weights_are_feasible_and_vertices() -> None:
    for text in ("matmul", MTTKRP, "bf16[a,b], bf16[b,c], bf16[c,d] -> bf16[a,d]"):
        made = nest(text)
        for v in vertices(made):
            for i, t in enumerate(v.loops):
                used = sum(s for s, a in zip(v.arrays, made.arrays, strict=True) if i in a.loops)
                assert used + t >= 1 and (t == 0 or used + t == 1)
    assert len(vertices(nest("matmul"))) == 8
    assert len(vertices(nest(MTTKRP))) == 16


def test_every_bound_is_a_theorem_that_names_what_it_rests_on() -> None:
    for text in ("matmul", "matmul:w=int4", MTTKRP, "matvec", "bf16[a,b], bf16[b,c], bf16[c,d] -> bf16[a,d]"):
        for found in lower_bounds(nest(text)):
            lemma, room, phases, root = found.known.statement.assumptions
            assert found.known.trust == "kernel" and root[0] == "="
            assert "phase" in str(lemma) and "elements of" in str(room) and "moved" in str(phases)
            numbers = {s.name: 2**n for n, s in enumerate(sorted(found.leading.free_symbols, key=str), 3)}
            shown = found.leading.subs({s: numbers[s.name] for s in found.leading.free_symbols})
            sides = [to_expr(side) for side in root[1:]]  # r^k M^(a - k) = ..., with the shown value r
            left, right = (e.subs({s: numbers.get(s.name, shown) for s in e.free_symbols}) for e in sides)
            assert sympy.simplify(left - right) == 0


# --- the game of pebbles ----------------------------------------------------------------------------


def least_traffic(made: Nest, sizes: list[int], room: int) -> float:
    """Return the minimum number of elements moved, over all plays of the pebble game.

    A product needs its elements in memory. Partial sums may be stored and loaded again. A state has a bit for each
    element in memory, each finished product and each stored sum. The search goes level by level, by number of moves.
    """
    points = list(itertools.product(*map(range, sizes)))
    loops = [sorted(a.loops) for a in made.arrays]
    needs = [[(j, *(p[i] for i in own)) for j, own in enumerate(loops)] for p in points]
    elements = sorted({e for n in needs for e in n})
    sums = sorted({n[-1] for n in needs})
    bit = {e: 1 << k for k, e in enumerate(elements)}
    done = [1 << (len(elements) + k) for k in range(len(points))]
    beyond = {e: 1 << (len(elements) + len(points) + k) for k, e in enumerate(sums)}
    seen = np.zeros(1 << (len(elements) + len(points) + len(sums)), bool)
    held = np.array([inside.bit_count() for inside in range(1 << len(elements))])
    end = sum(done) + sum(beyond.values())  # and nothing in memory

    def fresh(states: list[np.ndarray]) -> np.ndarray:
        every = np.concatenate(states)
        every = np.unique(every[~seen[every]])
        seen[every] = True
        return every

    level, moved = fresh([np.array([0])]), 0
    while len(level):
        todo, all_ = level, [level]
        while len(todo):  # products, new sums and dropped operands move nothing
            space, after = held[todo % (1 << len(elements))] < room, []
            for (*operands, result), product in zip(needs, done, strict=True):
                used = sum(bit[e] for e in operands)
                able = (todo & used == used) & (todo & product == 0)
                after.append(todo[able & (todo & bit[result] != 0)] | product)
                after.append(todo[able & space & (todo & (bit[result] | beyond[result]) == 0)] | product | bit[result])
            after += [todo[todo & bit[e] != 0] & ~bit[e] for e in elements if e not in beyond]
            todo = fresh(after)
            all_.append(todo)
        level = np.concatenate(all_)
        if (level == end).any():
            return moved
        space = held[level % (1 << len(elements))] < room
        after = [level[space] | bit[e] for e in elements if e not in beyond]
        for e, far in beyond.items():
            after += [level[space & (level & far != 0)] & ~far | bit[e], level[level & bit[e] != 0] & ~bit[e] | far]
        level, moved = fresh(after), moved + 1
    return math.inf


@pytest.mark.parametrize(
    ("text", "sizes", "rooms"),
    [
        ("int8[m,k], int8[k,n] -> int8[m,n]", (2, 1, 2), (3, 4)),
        ("int8[m,k], int8[k,n] -> int8[m,n]", (2, 2, 1), (3, 4)),
        ("int8[k], int8[k] -> int8[]", (3,), (3,)),
        ("int8[k], int8[k,n] -> int8[n]", (2, 2), (3, 4)),
        ("int8[m,k], int8[k,n] -> int8[m,n]", (2, 2, 2), (3,)),  # 17 moves, bound 12, fewer with more memory
        pytest.param("int8[m,k], int8[k,n] -> int8[m,n]", (2, 2, 2), (4, 5, 6, 12), marks=pytest.mark.slow),
    ],
)
def test_no_play_of_pebbles_beats_the_bound(text: str, sizes: tuple[int, ...], rooms: tuple[int, ...]) -> None:
    made = nest(text)
    put = dict(zip(made.lengths, sizes, strict=True))
    for room in rooms:
        played = least_traffic(made, list(sizes), room)
        every = [made.compulsory, *(b.value for b in lower_bounds(made))]
        assert max(e.subs(put).subs(M, room) for e in every) <= played < math.inf, (text, sizes, room)


# --- random products against tiles ------------------------------------------------------------------


def random_nest(random: random.Random, most: int) -> Nest:
    """Return a random product of one to three tensors over several loops, with a random element width for each."""
    loops, operands = random.randint(2, most), random.choice((1, 2, 2, 2, 3))
    while True:
        uses = [frozenset(i for i in range(loops) if random.random() < 0.55) for _ in range(operands + 1)]
        if frozenset().union(*uses[:-1]) == frozenset(range(loops)):
            break
    arrays = [ArrayReference(f"x{j}", u, Fraction(random.choice((1, 2, 4))), j == operands) for j, u in enumerate(uses)]
    return Nest("random", tuple(dimension(f"n{i}") for i in range(loops)), tuple(arrays))


def least_tiled(made: Nest, sizes: list[int], room: int) -> int:
    """Return the minimum bytes moved with tiles: changed blocks are reloaded, and partial sums move out and back."""
    arrays = [(int(a.width), a.loops, a.result) for a in made.arrays]
    loops = range(len(sizes))
    best = []
    for sides in itertools.product(*([b for b in (1, 2, 4, 8) if b <= n] for n in sizes)):
        if sum(w * math.prod(sides[i] for i in uses) for w, uses, _ in arrays) > room:
            continue
        counts = [-(-n // b) for n, b in zip(sizes, sides, strict=True)]
        for order in itertools.permutations(loops):
            total = 0
            for w, uses, result in arrays:
                last = max((k for k, i in enumerate(order) if i in uses), default=-1)  # its innermost loop
                passes = math.prod(counts[i] for k, i in enumerate(order) if i not in uses and k < last)
                total += w * math.prod(sizes[i] for i in uses) * (2 * passes - 1 if result else passes)
            best.append(total)
    return min(best)


def ratios(seed: int, count: int, most: int) -> list[float]:
    """Return the bytes moved by the best tile over the largest lower bound, for random products."""
    rng, found = random.Random(seed), []
    for _ in range(count):
        made = random_nest(rng, most)
        sizes = [rng.choice((3, 16, 64, 256)) for _ in made.lengths]
        room = int(sum(a.width for a in made.arrays)) * rng.choice((1, 2, 4, 8))
        put = dict(zip(made.lengths, sizes, strict=True))
        every = [made.compulsory, *(b.value for b in lower_bounds(made))]
        least, best = sympy.Max(*(e.subs(put).subs(M, room) for e in every)), least_tiled(made, sizes, room)
        assert least <= best, (made, sizes, room)
        found.append(float(best / least))  # float: a ratio to report
    return found


def test_no_tile_of_a_random_product_beats_the_bound() -> None:
    assert min(ratios(1, 30, 3)) >= 1


@pytest.mark.long
def test_no_tile_of_two_thousand_random_products_beats_the_bound() -> None:
    found = sorted(ratios(7, 2000, 4))
    print(f"best tile over bound: median {found[1000]:.3f}, nine in ten within {found[1800]:.3f}, most {found[-1]:.3f}")


# --- the tile ---------------------------------------------------------------------------------------


def test_the_tile_against_the_bound_at_256() -> None:
    """With one-byte elements and n = 256, the ratios of the best rectangular tile to the bound match those by hand."""
    made = nest("int8[m,k], int8[k,n] -> int8[m,n]")
    for room, side, ratio in ((64, 7, "1.159"), (256, 15, "1.098"), (1024, 31, "1.097")):
        found = bound(parse_operation("int8[m,k], int8[k,n] -> int8[m,n]"), room, at={"m": 256, "k": 256, "n": 256})
        assert found.integer_sides == {made.lengths[0]: side, made.lengths[2]: side}
        assert found.tile is not None and found.least is not None
        moved = found.tile.moved(2 * side // 2).subs(dict.fromkeys(made.lengths, 256))
        assert f"{sympy.N(moved / found.least):.3f}" == ratio


@pytest.mark.parametrize("text", ["matmul", "matmul:w=int8", "matmul:out=fp32", MTTKRP, "matvec"])
def test_no_sides_of_the_same_kind_move_less(text: str) -> None:
    """No tile with sides up to 12 that fits in the same memory moves fewer bytes per product than the best tile."""
    tile = min(kinds(nest(text), M), key=lambda t: t.rest if t.linear else -t.total)
    assert tile.known is not None and tile.known.trust == "kernel"
    for scale in (3, 8, 12):
        room, least = tile.footprint(scale), tile.stream(sympy.Integer(scale)) / tile.block(sympy.Integer(scale))
        for sides in itertools.product(range(1, 13), repeat=len(tile.loops)):
            chosen = dict(zip(tile.loops, sides, strict=True))
            if tile.fits(chosen) <= room:
                stream = tile.fits(chosen) - tile.held[0].width * math.prod(sides)
                assert sympy.Rational(stream) / math.prod(sides) >= least


def test_the_regions_of_a_matrix_product_on_two_chips() -> None:
    """In bf16, the minimum memory of any schedule, and the memory that a tile needs, at R = 295.2 and 240.5 FLOP/B."""
    for name, kib in (("h100-sxm", (681, 683)), ("tpu-v5e", (452, 454))):
        found = bound(parse_operation("matmul"), 2**17, chip(name))
        assert found.ridge is not None
        never, reached = found.regions.never_below, found.regions.reached_at
        assert never is not None and reached is not None
        never, reached = (e.subs(found.regions.ridge, sympy.Rational(found.ridge)) / 1024 for e in (never, reached))
        assert (round(never), round(reached)) == kib
        assert found.region == "no schedule"
        for size, region in ((kib[0] + 1, "open"), (kib[1] + 1, "this tile")):
            assert bound(parse_operation("matmul"), size * 1024, chip(name)).region == region
    assert regions_of(nest("matmul")).known.trust == "kernel"


def test_a_relaxed_convolution_bounds_what_sets_of_points_use() -> None:
    """For random sets of points, the square of their number is at most R S times the elements used of x, w and y."""
    rng = random.Random(3)
    found = bound(parse_operation("convolution"), relax=True)
    weights = dict(zip(found.nest.lengths, found.lower[-1].weights.loops, strict=True))
    assert [str(n) for n, t in weights.items() if t == Fraction(1, 2)] == ["R*S"]
    for _ in range(300):
        sides = [rng.randint(1, 3) for _ in range(6)]
        R, S = sides[4:]
        every = list(itertools.product(*map(range, sides)))
        points = rng.sample(every, rng.randint(1, len(every)))
        x = {(c, p + r, q + s) for c, _, p, q, r, s in points}
        w = {(c, k, r, s) for c, k, _, _, r, s in points}
        y = {(k, p, q) for _, k, p, q, _, _ in points}
        assert len(points) ** 2 <= R * S * len(x) * len(w) * len(y)
        assert len(points) <= len(w) * len(y)
