"""The knee of measured times along one size: where they turn from following the bytes to following the FLOPs."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

SIDE: Final = 3  # times on each side of a knee
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
