"""Kernels whose FLOPs and bytes are known exactly, compiled for this machine by numba."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Final, NamedTuple

from roofproof.errors import MissingExtra

DEPTH: Final = 32  # multiply-adds for each element of the FMA loop
BLOCK: Final = 256  # elements of each of four chains, gone through again where there are more: 8 KiB in a first cache
BANDWIDTH_KERNELS: Final = {"read": (1, 1), "update": (1, 2), "copy": (2, 2), "triad": (3, 3)}
"""Arrays that a kernel has, and elements of 8 bytes that it moves for each index."""


class Kernels(NamedTuple):
    """The compiled kernels; each repeats its loop `times`, and lets other threads run meanwhile.

    `fma` makes one of a depth, up to 32 or a multiple of it: so many multiply-adds for each element of an array, which
    the memory gives and takes once.
    """

    fma: Callable[..., Any]
    read: Callable[..., Any]
    update: Callable[..., Any]
    copy: Callable[..., Any]
    triad: Callable[..., Any]


@cache
def kernels() -> Kernels:
    """Return the kernels, compiled when they first run.

    Raises RoofproofError where numba is not installed.
    """
    try:
        import numba
    except ImportError:
        raise MissingExtra("numba", "measure") from None
    compiled: Callable[[Callable[..., Any]], Callable[..., Any]] = numba.njit(fastmath=True, nogil=True)

    def fma(depth: int) -> Callable[..., Any]:
        inner = min(depth, DEPTH)  # a longer loop is neither unrolled nor vectorized
        passes = depth // inner

        @compiled
        def loop(values: Any, c: Any, times: int) -> None:
            for _ in range(times):
                for first in range(0, values.size, 4 * BLOCK):
                    block = values[first : first + 4 * BLOCK]
                    part = block.size // 4  # four chains at once, or each waits for itself
                    a, b, d, e = block[:part], block[part : 2 * part], block[2 * part : 3 * part], block[3 * part :]
                    for _pass in range(passes):  # over what the first cache holds
                        for i in range(part):
                            w, x, y, z = a[i], b[i], d[i], e[i]
                            w0, x0, y0, z0 = w, x, y, z
                            for _k in range(inner):
                                w, x, y, z = w * w0 + c, x * x0 + c, y * y0 + c, z * z0 + c
                            a[i], b[i], d[i], e[i] = w, x, y, z

        return loop

    @compiled
    def read(a: Any, times: int) -> Any:
        total = a[0]
        for _ in range(times):
            for i in range(a.size):
                total += a[i]
        return total

    @compiled
    def update(a: Any, times: int) -> None:
        for _ in range(times):
            for i in range(a.size):
                a[i] = 0.5 * a[i] + 1.0

    @compiled
    def copy(a: Any, b: Any, times: int) -> None:
        for _ in range(times):
            for i in range(a.size):
                a[i] = b[i]

    @compiled
    def triad(a: Any, b: Any, c: Any, times: int) -> None:
        for _ in range(times):
            for i in range(a.size):
                a[i] = b[i] + 0.5 * c[i]

    return Kernels(cache(fma), read, update, copy, triad)
