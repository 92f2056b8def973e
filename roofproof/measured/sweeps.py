"""Times along one size, to hold a threshold against: a loop whose traffic is known exactly, and a matrix product."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, NamedTuple

import numpy as np

from roofproof.measured.accelerator import Device
from roofproof.measured.kernels import kernels
from roofproof.measured.machine import SECONDS, Run, Settings, best, processors

DEPTHS: Final = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 96, 128, 160, 192, 256, 384, 512)
ROWS: Final = (1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048)


class Sweep(NamedTuple):
    """Times along a size as CSV, and the operation that `validate --op` is to be given for them."""

    name: str
    op: str
    csv: str


def processor_sweeps(quick: bool = False, told: Callable[[str], object] = lambda _: None) -> tuple[Sweep, Sweep]:
    """Time a loop of fp64 multiply-adds along its depth, and a product of fp64 along its rows, on these processors."""
    compiled, settings = kernels(), Settings(True, processors(), SECONDS / (5 if quick else 1), 3)
    elements = 2 ** (14 if quick else 23)  # of 8 bytes, for each core
    width = 256 if quick else 4096
    factor, weight = np.full((ROWS[-1], width), 0.5), np.full((width, width), 0.5)

    def loop(depth: int) -> list[Run]:
        return [partial(compiled.fma(depth), np.full(elements, 0.5), 0.25) for _ in settings.cores]

    def product(rows: int) -> list[Run]:
        return [lambda times: [np.matmul(factor[:rows], weight) for _ in range(times)]]

    cores = len(settings.cores)
    return (
        _loop("fp64", 8, elements * cores, DEPTHS[:-2], loop, settings, told),
        _product("fp64", width, ROWS[: 10 if quick else 15], product, settings, told),
    )


def device_sweeps(
    device: Device, quick: bool = False, told: Callable[[str], object] = lambda _: None
) -> tuple[Sweep, Sweep]:
    """Time a loop of fp32 multiply-adds along its depth, and a product of fp16 along its rows, on an accelerator."""
    settings = Settings(True, [0], SECONDS / 5, 3, [], device.span)
    elements, width = (2**14, 256) if quick else (2**26, 8192)
    return (
        _loop("fp32-vector", 4, elements, DEPTHS[3:], lambda depth: [device.fma(elements, depth)], settings, told),
        _product("fp16", width, ROWS[3:], lambda rows: [device.product("fp16", width, rows)], settings, told),
    )


Kernel = Callable[[int], Sequence[Run]]


def _loop(
    engine: str, size: int, elements: int, depths: Sequence[int], kernel: Kernel, settings: Settings,
    told: Callable[[str], object],
) -> Sweep:  # fmt: skip
    lines = ["elements,depth,seconds"]
    for depth in depths:
        told(f"loop of depth {depth}")
        lines.append(f"{elements},{depth},{_seconds(kernel(depth), settings):.6e}")
    op = f"flops {engine} = 2 elements depth; bytes memory = {2 * size} elements"
    return Sweep("loop", op, "\n".join(lines) + "\n")


def _product(
    form: str, width: int, sizes: Sequence[int], kernel: Kernel, settings: Settings, told: Callable[[str], object]
) -> Sweep:
    lines = ["m,n,k,seconds"]
    for rows in sizes:
        told(f"product of {rows} rows")
        lines.append(f"{rows},{width},{width},{_seconds(kernel(rows), settings):.6e}")
    return Sweep("product", f"{form}[m,k], {form}[k,n] -> {form}[m,n]", "\n".join(lines) + "\n")


def _seconds(each: Sequence[Run], settings: Settings) -> float:
    """Return the seconds of one run side by side: the best of all."""
    return len(each) / best("one", 1, settings, each).rate
