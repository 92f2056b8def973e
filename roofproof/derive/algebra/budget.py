"""A bound on the processor time of an answer, so that hard input ends in words instead of going on."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import process_time_ns

from roofproof.errors import RoofproofError


@dataclass(frozen=True, slots=True)
class Budget:
    """Milliseconds of processor time, counted from when this is made.

    >>> Budget(5_000).left > 4_000, Budget(0).left
    (True, 0)
    >>> Budget(0).check("cases")
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: no cases within 0 s of processor time; give sizes for some parameters
    """

    milliseconds: int
    start: int = field(default_factory=process_time_ns)

    @property
    def left(self) -> int:
        """Milliseconds that are left, at least 0."""
        return max(0, self.milliseconds - (process_time_ns() - self.start) // 10**6)

    def check(self, what: str) -> None:
        """Raise RoofproofError, which names what there was no time for, when nothing is left."""
        if not self.left:
            raise RoofproofError(
                f"no {what} within {self.milliseconds // 1000} s of processor time; give sizes for some parameters"
            )
