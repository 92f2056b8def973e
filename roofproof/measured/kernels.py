"""Kernels whose FLOPs and bytes are known exactly, compiled for this machine by numba."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Final, NamedTuple

from roofproof.errors import MissingExtra

DEPTH: Final = 32  # multiply-adds for each element of the FMA loop
BANDWIDTH_KERNELS: Final = {"read": (1, 1), "copy": (2, 2), "triad": (3, 3)}
"""Arrays that a kernel has, and elements of 8 bytes that it moves for each index."""


class Kernels(NamedTuple):
    """The compiled kernels; each repeats its loop `times`, and lets other threads run meanwhile."""

    fma: Callable[..., Any]
    read: Callable[..., Any]
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

    @compiled
    def fma(values: Any, c: Any, times: int) -> None:
        for _ in range(times):
            for i in range(values.size):
                x = values[i]
                y = x
                for _k in range(DEPTH):
                    y = y * x + c
                values[i] = y

    @compiled
    def read(a: Any, times: int) -> Any:
        total = a[0]
        for _ in range(times):
            for i in range(a.size):
                total += a[i]
        return total

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

    return Kernels(fma, read, copy, triad)
