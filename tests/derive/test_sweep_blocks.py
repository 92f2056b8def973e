"""Sweeps in blocks are exact for every length, type and layout, find every bad size, and use bounded memory."""

import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from test_sweeps import MATMUL, said

from roofproof import chip, evaluate
from roofproof.derive import sweeps
from roofproof.symbols import dimension

B, D, F = map(dimension, "BDF")
V5E = chip("bf16=1.97e14 FLOP/s, hbm=8.2e11 B/s")


def test_memory_beyond_the_result_is_bounded_by_blocks() -> None:
    n = 2**24
    every = np.arange(1, n + 1)
    evaluate(MATMUL, {"B": 1, "D": 1, "F": 1}, "attainable", V5E)  # compiled and cached
    tracemalloc.start()
    try:
        found = evaluate(MATMUL, {"B": every, "D": every, "F": every}, "attainable", V5E)
        beyond = tracemalloc.get_traced_memory()[1] - found.nbytes
    finally:
        tracemalloc.stop()
    bound = 8 * sweeps.BLOCK * 16  # three converted sizes, and the values of the steps
    assert 0 < beyond < bound < n * 8 / 4


lengths = st.sampled_from([0, 1, 2, 6, 7, 8, 13, 14, 15, 50])
SIZE_TYPES = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64, np.float32, np.float64]


@given(st.data(), lengths, st.sampled_from(["whole", "backwards", "every second", "fixed", "columns"]))
def test_blocks_of_every_length_type_and_layout_are_exact(data: st.DataObject, n: int, layout: str) -> None:
    random = np.random.default_rng(data.draw(st.integers(0, 2**20)))
    sizes = {}
    for name in "BDF":
        kind = data.draw(st.sampled_from(SIZE_TYPES))
        one = random.integers(1, 100, 2 * n).astype(kind)
        sizes[name] = {
            "whole": one[:n], "backwards": one[n:][::-1], "every second": one[::2], "fixed": one[:n],
            "columns": one.reshape(2, n).T,
        }[layout]  # fmt: skip
        sizes[name].flags.writeable = layout != "fixed"
    if layout == "columns":
        sizes["B"] = sizes["B"][:, :1]  # broadcast
    elif data.draw(st.booleans()):
        sizes["D"] = np.uint8(9)
    formulas: list[tuple[sympy.Expr, Callable[[int, int, int], int]]] = [
        (2 * B * D * F, lambda b, d, f: 2 * b * d * f),
        (B, lambda b, d, f: b),
        (B * D + 3 * sympy.Max(B * F, D) * B, lambda b, d, f: b * d + 3 * max(b * f, d) * b),
        (B**3 - B * D - 5 * F**2, lambda b, d, f: b**3 - b * d - 5 * f**2),
        ((B + D) ** 2 * (D + F) ** 2 + (B + D) * F, lambda b, d, f: (b + d) ** 2 * (d + f) ** 2 + (b + d) * f),
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sweeps, "BLOCK", 7)
        for expr, hand in formulas:
            needed = {s.name: sizes[s.name] for s in expr.free_symbols}
            shape = np.broadcast_shapes(*(np.shape(size) for size in needed.values()))
            points = [np.broadcast_to(sizes[name] if name in needed else 1, shape).ravel().tolist() for name in "BDF"]
            wants = [hand(*map(int, point)) for point in zip(*points, strict=True)]
            found = evaluate(expr, needed)
            assert (found.dtype, found.shape, found.ravel().tolist()) == (np.float64, shape, wants)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("place", [0, 6, 7, 13, 14, 19])
def test_what_is_bad_is_found_in_every_block(place: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweeps, "BLOCK", 7)
    good = {name: np.full(20, 3) for name in "BDF"}
    for name in "BDF":
        for kind in (np.int64, np.int8, np.float64, np.float32):
            for bad in (0, -2):
                sizes = {**good, name: good[name].astype(kind)}
                sizes[name][place] = bad
                told = f"sizes of {name}: expected positive numbers, got {bad}"
                assert said(lambda sizes=sizes: evaluate(MATMUL, sizes, "flops")) == told
                assert said(lambda sizes=sizes: evaluate(MATMUL, sizes, "intensity")) == told
                column = {**sizes, name: sizes[name][:, None]}
                assert said(lambda sizes=column: evaluate(MATMUL, sizes, "flops")) == told
        beyond = "a value is beyond the range of floats (1.8e308), or not defined at these sizes"
        for bad, told in (
            (np.inf, beyond), (1.7e308, beyond), (np.nan, f"sizes of {name}: expected positive numbers, got nan"),
        ):  # fmt: skip
            sizes = {**good, name: np.full(20, 3.0)}
            sizes[name][place] = bad
            assert said(lambda sizes=sizes: evaluate(MATMUL, sizes, "flops")) == told
            assert said(lambda sizes=sizes: evaluate(5 - MATMUL.flops, sizes)) == told
    assert said(lambda: evaluate(MATMUL, {**good, "F": np.inf}, "flops")) == beyond
    for kind in (np.int64, np.float64):
        zero = {"B": np.where(np.arange(20) == place, 0, 3).astype(kind)}
        assert said(lambda zero=zero: evaluate(1 / B, zero)) == "sizes of B: expected positive numbers, got 0"
    assert said(lambda: evaluate(B**60, {"B": np.where(np.arange(20) == place, 10**6, 3)})) == beyond
    assert said(lambda: evaluate(1 / (B - 3), {"B": np.full(20, 3)})) == beyond
