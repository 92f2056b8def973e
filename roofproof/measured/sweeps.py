"""Times along one size, to hold a threshold against: a loop whose traffic is known exactly, and a matrix product."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from roofproof.measured.accelerator import Device
from roofproof.measured.bursts import PIECE, Run
from roofproof.measured.kernels import kernels
from roofproof.measured.machine import SECONDS, Gauge, Settings, best, in_rounds, in_turn, processors

DEPTHS: Final = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 96, 128, 160, 192, 256, 384, 512)
ON_DEVICE: Final = (20, 24, 28, 32, 36, 40, 44, 48, 56, 64, 80, 96, 128, 192, 256, 384, 512)
"""Depths from which a GPU's loop keeps enough loads on their way to fill the memory."""

PART: Final = 2**15  # elements that a core's loop goes through in one call
ROWS: Final = (1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048)


class TimedSweep(NamedTuple):
    """Times along a size as CSV, and the operation that `validate --op` is to be given for them."""

    name: str
    op: str
    csv: str


def processor_sweeps(
    quick: bool = False, told: Callable[[str], object] = lambda _: None
) -> tuple[TimedSweep, TimedSweep]:
    """Time a loop of fp64 multiply-adds along its depth, and a product of fp64 along its rows, on these processors.

    All depths are run in turn, round after round, so that a clock that changes meanwhile changes all of them.
    """
    compiled, cores = kernels(), processors()
    settings = Settings(True, cores, PIECE, 2 if quick else 3, runs=4 if quick else 8)
    few = Settings(True, cores, PIECE, 2 if quick else 3, runs=3)  # of products, which take long
    elements = 2 ** (14 if quick else 23)  # of 8 bytes, for each core
    width = 256 if quick else 4096
    factor, weight = np.full((ROWS[-1], width), 0.5), np.full((width, width), 0.5)
    arrays, slices = [np.full(elements, 0.5) for _ in cores], max(elements // PART, 1)

    def loop(depth: int) -> Gauge:
        def kernel(values: Any, times: int) -> None:
            compiled.fma(depth)(values, 0.25, times)

        each = [in_turn(kernel, [values], elements // slices, slices) for values in arrays]
        return Gauge("loop", 1, each, settings, len(cores))

    def product(rows: int) -> Gauge:
        return Gauge("product", 1, [lambda times: [np.matmul(factor[:rows], weight) for _ in range(times)]], few, 1)

    def seconds(what: str, made: Mapping[int, Gauge], runs: int) -> dict[int, float]:
        in_rounds({f"{what} {size}": [gauge] for size, gauge in made.items()}, settings, told)
        return {size: runs / gauge.reading.rate for size, gauge in made.items()}

    loops = seconds("loop of depth", {depth: loop(depth) for depth in DEPTHS[:-2]}, slices * len(cores))
    products = seconds("product of rows", {rows: product(rows) for rows in ROWS[: 10 if quick else 15]}, 1)
    return _loop("fp64", 8, elements * len(cores), loops), _product("fp64", width, products)


def device_sweeps(
    device: Device, quick: bool = False, told: Callable[[str], object] = lambda _: None
) -> tuple[TimedSweep, TimedSweep]:
    """Time a loop of fp32 multiply-adds along its depth, and a product of fp16 along its rows, on an accelerator."""
    settings = Settings(True, [0], SECONDS / 5, 3, [], device.span)
    elements, width = (2**14, 256) if quick else (2**26, 8192)

    def seconds(what: str, kernel: Callable[[int], Run], sizes: Sequence[int]) -> dict[int, float]:
        found = {}
        for size in sizes:
            told(f"{what} {size}")
            found[size] = 1 / best("one", 1, settings, [kernel(size)]).rate
        return found

    loops = seconds("loop of depth", lambda depth: device.fma(elements, depth), ON_DEVICE)
    products = seconds("product of rows", lambda rows: device.product("fp16", width, rows), ROWS[3:])
    return _loop("fp32-vector", 4, elements, loops), _product("fp16", width, products)


def _loop(engine: str, size: int, elements: int, seconds: Mapping[int, float]) -> TimedSweep:
    lines = ["elements,depth,seconds", *(f"{elements},{depth},{each:.6e}" for depth, each in seconds.items())]
    op = f"flops {engine} = 2 elements depth; bytes memory = {2 * size} elements"
    return TimedSweep("loop", op, "\n".join(lines) + "\n")


def _product(form: str, width: int, seconds: Mapping[int, float]) -> TimedSweep:
    lines = ["m,n,k,seconds", *(f"{rows},{width},{width},{each:.6e}" for rows, each in seconds.items())]
    return TimedSweep("product", f"{form}[m,k], {form}[k,n] -> {form}[m,n]", "\n".join(lines) + "\n")
