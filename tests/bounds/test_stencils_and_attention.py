"""Stencils, attention and relaxed convolutions: published cases, caches and blocks played through, random sets."""

import itertools
import random
from collections import OrderedDict
from fractions import Fraction
from functools import cache

import pytest
import sympy

from roofproof.bounds import bound
from roofproof.bounds.attention import AttentionTraffic
from roofproof.bounds.stencils import STENCILS, N, Stencil, T, b
from roofproof.ops import parse_operation


@cache
def in_32_kib(name: str) -> Stencil:
    return Stencil(name, bytes=Fraction(32768))


@pytest.mark.parametrize(
    ("name", "dims", "says", "misses"),
    [
        # Kerncraft, layer conditions of 2d-5pt.c and 3d-7pt.c in caches of 32 KiB and 256 KiB, elements of 8 bytes
        ("stencil5", 2, "2*N <= 2049", 2),
        ("stencil7", 2, "48*N - 32 <= 32768", 4),
        ("stencil7", 3, "16*N**2 + 16*N*(N - 1) <= 32768", 2),
    ],
)
def test_published_layer_conditions(name: str, dims: int, says: str, misses: int) -> None:
    found = in_32_kib(name)
    expected = sympy.lambdify(N, sympy.parse_expr(says, {"N": N}, evaluate=False), "math")
    condition = found.conditions[dims - 1]
    assert condition.misses == misses and condition.hits == len(STENCILS[name]) + 1 - misses
    largest = sympy.lambdify(N, found.largest(dims), "math")
    for n in range(1, 2000):
        assert largest(n) == expected(n), n
    assert Stencil("stencil7").conditions[0].room == 64
    assert found.derivation.trust in ("kernel", "model") and "kernel" in {k.trust for k in found.derivation}


@pytest.mark.parametrize("name", STENCILS)
def test_a_cache_that_fits_a_layer_misses_as_often_as_is_said(name: str) -> None:
    """A sweep through a cache that drops what was used least recently: misses a point, away from the edges.

    Rows need room for what one point reads and writes besides; layers are kept in just what is said.
    """
    stencil, side = Stencil(name), 12
    for condition in stencil.conditions[:2]:
        room = int(condition.room.subs(N, side) / 8) + (len(stencil.reads) + 1 if condition.dims == 1 else 0)
        held: OrderedDict[tuple[int, ...], None] = OrderedDict()
        inner, misses = 0, 0
        for point in itertools.product(range(1, side - 1), repeat=stencil.dims):
            counted = all(side // 2 <= c < side - 2 for c in point[:-1]) and 3 < point[-1] < side - 3
            inner += counted
            reads = [(0, *(p + o for p, o in zip(point, each, strict=True))) for each in sorted(stencil.reads)[::-1]]
            for at in (*reads, (1, *point)):
                misses += counted and at not in held
                held[at] = None
                held.move_to_end(at)
                if len(held) > room:
                    held.popitem(last=False)
        assert misses == condition.misses * inner


@pytest.mark.parametrize("name", ["stencil5", "stencil27"])
def test_blocks_swept_several_times_are_counted(name: str) -> None:
    stencil = Stencil(name)
    for side, sweeps in ((8, 2), (12, 3), (4, 1)):
        at = {b: side, T: sweeps}
        points = [(side + 2 * (sweeps - t)) ** stencil.dims for t in range(1, sweeps + 1)]
        assert stencil.computed.subs(at) == sympy.Rational(sum(points), sweeps * side**stencil.dims)
        moved = 8 * ((side + 2 * sweeps) ** stencil.dims + side**stencil.dims)
        assert stencil.swept.subs(at) == sympy.Rational(moved, sweeps * side**stencil.dims)
        assert side != 4 * sweeps or stencil.computed.subs(at) <= stencil.in_memory_computes
        room = stencil.footprint.subs(at)
        if side == 4 * sweeps:
            memory = next(iter(stencil.in_memory.free_symbols))
            assert sympy.simplify(stencil.in_memory.subs(memory, room) - stencil.swept.subs(at)) == 0


def test_tiles_of_attention_move_no_more_than_is_said() -> None:
    found = AttentionTraffic.of(parse_operation("flash-attention"))
    names = {s.name: s for s in found.at_most.free_symbols | found.footprint.free_symbols}
    for k, side in itertools.product((16, 64, 128), (1, 8, 32, 256)):
        put = {names["h"]: 2, names["L"]: 1024, names["k"]: k, names["b"]: side}
        room = found.footprint.subs(put)
        assert found.side.subs({names["M"]: room, names["k"]: k}) == side
        moved = 2 * 2 * (2 * 1024 * k + 2 * 1024 * k * (1024 // side))
        assert found.moved.subs(put) == moved
        assert (moved <= found.at_most.subs({**put, names["M"]: room})) or side > 2 * k


def test_a_relaxed_convolution_bounds_what_sets_of_points_use() -> None:
    """Points n, c, k, p, q, r, s drawn at random: squared, no more than R S times what is used of x, w and y."""
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
