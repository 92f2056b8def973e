"""Exact bounds on every value a formula takes, from bounds on its sizes: whether 64 bits hold them is then known."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from roofproof.errors import RoofproofError

LARGEST = 2**63 - 1
# What each of these makes of values between bounds is least and greatest at the bounds.
ON_INTEGERS: Mapping[Any, Callable[..., int]] = {
    np.add: operator.add, np.subtract: operator.sub, np.multiply: operator.mul, np.negative: operator.neg,
    np.maximum: max, np.minimum: min,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Bounds(NDArrayOperatorsMixin):
    """Two whole numbers that a value lies between; made anew by every operation, and refused beyond 64 bits.

    >>> B = Bounds(1, 4)
    >>> 2*B*B - B                                              # from 2*1*1 - 4 to 2*4*4 - 1
    Bounds(low=-2, high=31)
    >>> Bounds(1, 2**22) * Bounds(1, 2**22) * Bounds(1, 2**22)
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: a value may reach 73786976294838206464, and 64 bits hold 9223372036854775807; \
leave out exact=True for floating point, or give smaller sizes

    The bounds are those of each step by itself, so a difference may be refused that never gets as large.
    """

    low: int
    high: int

    def __post_init__(self) -> None:
        reach = max(self.high, -self.low)
        if reach > LARGEST:
            raise RoofproofError(
                f"a value may reach {reach}, and 64 bits hold {LARGEST}; "
                f"leave out exact=True for floating point, or give smaller sizes"
            )

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any) -> Bounds:
        ends = [(one.low, one.high) if isinstance(one, Bounds) else (one,) for one in inputs]
        corners = [ON_INTEGERS[ufunc](*corner) for corner in product(*ends)]
        return Bounds(min(corners), max(corners))
