"""Exact bounds on every value a formula takes, from bounds on its sizes: whether 64 bits hold them is then known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from roofproof.errors import RoofproofError

LARGEST = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Bounds:
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

    def __add__(self, other: Any) -> Bounds:
        low, high = _ends(other)
        return Bounds(self.low + low, self.high + high)

    def __neg__(self) -> Bounds:
        return Bounds(-self.high, -self.low)

    def __sub__(self, other: Any) -> Bounds:
        low, high = _ends(other)
        return Bounds(self.low - high, self.high - low)

    def __rsub__(self, other: Any) -> Bounds:
        low, high = _ends(other)
        return Bounds(low - self.high, high - self.low)

    def __mul__(self, other: Any) -> Bounds:
        corners = [a * b for a in (self.low, self.high) for b in _ends(other)]
        return Bounds(min(corners), max(corners))

    __radd__, __rmul__ = __add__, __mul__

    def larger(self, other: Any) -> Bounds:
        """Return the bounds of the larger of two values."""
        low, high = _ends(other)
        return Bounds(max(self.low, low), max(self.high, high))

    def smaller(self, other: Any) -> Bounds:
        """Return the bounds of the smaller of two values."""
        low, high = _ends(other)
        return Bounds(min(self.low, low), min(self.high, high))


def _ends(value: Any) -> tuple[int, int]:
    return (value.low, value.high) if isinstance(value, Bounds) else (value, value)
