"""Knees of measured times along one size: from following bytes to following FLOPs, and to a share of the peak."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from roofproof.hardware.calibration import CORNERS
from roofproof.measured.amounts import joined_times

SIDE: Final = 3  # times on each side of a knee
TOLERANCE: Final = 0.05  # of a logarithm, beyond which a time weighs less in a fit
Numbers = NDArray[Any]


def measured_ridge(a: Numbers, b: Numbers) -> tuple[float, float] | None:
    """Return u/v of the `max(u bytes, v FLOPs)` nearest to times in ratio, in FLOP/B, and the error of its logarithm.

    `a` and `b` are the logarithms of seconds a byte and seconds a FLOP, along a size. None where bytes alone, or FLOPs
    alone, are as near.

    >>> ridge, error = measured_ridge(np.log([4.0, 4, 4, 2, 1, 0.5]), np.log([4.0, 2, 1, 0.5, 0.5, 0.5]))
    >>> round(ridge, 3), round(error, 3)                       # 4 s/B over 0.5 s/FLOP
    (8.0, 0.0)
    """
    best = (np.inf, 0, 0.0)
    for k in range(SIDE, len(a) - SIDE + 1):
        off = float(((a[:k] - a[:k].mean()) ** 2).sum() + ((b[k:] - b[k:].mean()) ** 2).sum())  # float: a fit
        best = min(best, (off, k, float(a[:k].mean() - b[k:].mean())))  # float: a fit
    off, k, ridge = best
    if off >= min(a.var(), b.var()) * len(a):
        return None
    error = (off / (len(a) - 2) * (1 / k + 1 / (len(a) - k))) ** 0.5
    return float(np.exp(ridge)), float(error)  # float: a fit


def own_times(compute: Numbers, memory: Numbers, seconds: Numbers, e: float, d: float, start: float) -> Numbers:
    """Return the `start + corner(compute/e, memory/d)` nearest to the times of one shape, sought around e and d.

    Of the three corners the nearest is taken; the loss is that of a fit to a whole table. It is halved in on by grids,
    which need no library.

    >>> compute, memory = np.array([1.0, 2, 4, 8, 16]), np.full(5, 4.0)
    >>> times = joined_times(compute, memory, "sum", 0.9, 0.5, 0.25)
    >>> np.round(own_times(compute, memory, times, 0.7, 0.7, 0.25) / times, 2)
    array([1., 1., 1., 1., 1.])
    """
    best = (np.inf, seconds)
    for corner in CORNERS:
        middle, width = np.log([e, d]), 1.5
        for _ in range(4):
            grid = np.linspace(-width, width, 25)
            es, ds = np.exp(middle[0] + grid)[:, None, None], np.exp(middle[1] + grid)[None, :, None]
            off = np.log(joined_times(compute, memory, corner, es, ds, start) / seconds) / TOLERANCE
            loss = np.sqrt(1 + off**2).sum(axis=2)
            middle = middle + grid[list(np.unravel_index(np.argmin(loss), loss.shape))]
            width /= 6  # two steps of the grid
        own_e, own_d = np.exp(middle)
        made = joined_times(compute, memory, corner, own_e, own_d, start)
        best = min(best, (float(loss.min()), made), key=lambda each: each[0])  # float: a fit
    return best[1]


def first_reached(sizes: Sequence[int], shares: Numbers, least: float) -> float | None:
    """Return the size at which a share is first reached, between two sizes by their logarithms; None off the table.

    >>> round(first_reached([1, 4, 16], np.array([0.4, 0.8, 0.6]), 0.6), 6)           # half way from 1 to 4
    2.0
    """
    first = next((k for k, share in enumerate(shares) if share >= least), 0)
    return _between(sizes, shares, first, least) if first else None


def kept_from(sizes: Sequence[int], shares: Numbers, least: float) -> float | None:
    """Return the size from which on a share is kept; None off the table.

    >>> round(kept_from([1, 4, 16, 64], np.array([0.4, 0.8, 0.4, 0.8]), 0.6), 6)      # half way from 16 to 64
    32.0
    """
    after = len(shares) - next((k for k, share in enumerate(shares[::-1]) if share < least), len(shares))
    return _between(sizes, shares, after, least) if 0 < after < len(shares) else None


def _between(sizes: Sequence[int], shares: Numbers, above: int, least: float) -> float:
    part = (least - shares[above - 1]) / (shares[above] - shares[above - 1])
    return float(sizes[above - 1] * (sizes[above] / sizes[above - 1]) ** part)  # float: a measurement
