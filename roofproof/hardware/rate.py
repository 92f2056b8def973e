"""One figure of a chip, with everything it rests on."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from roofproof.errors import RoofproofError, quoted
from roofproof.hardware.units import BASE_UNITS, decimal

STATUSES: Final = (
    "vendor docs",  # the maker's own pages or source code
    "datasheet",  # the maker's datasheet or product brief
    "third-party",  # somebody else's table, often a copy of a datasheet
    "textbook",  # a course or book, often rounded
    "measured",  # found by running something
    "derived",  # computed from other figures; the source says how
    "from memory, unverified",  # commonly quoted, no document at hand
    "given",  # the user's own, or an exercise's
)
"""How a figure is known."""


@dataclass(frozen=True, slots=True)
class Rate:
    """A figure of a chip: how much of a resource it supplies, and how that is known.

    >>> hbm = Rate("hbm", Fraction(819 * 10**9), "B/s", "total", "vendor docs", "Cloud TPU docs")
    >>> print(hbm)
    hbm = 8.19e11 B/s

    `value` is exact, in `unit`, one of "FLOP/s", "B/s", "B", "s". `convention` says what is counted (dense or
    sparse, per direction or both), `status` is one of STATUSES, `source` says where it is printed, and
    `variant` is "" for the figure used by default.
    Raises RoofproofError for a value that is not a positive Fraction.
    """

    resource: str
    value: Fraction
    unit: str
    convention: str
    status: str
    source: str
    variant: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.value, Fraction):
            raise RoofproofError(
                f"figure {quoted(self.resource)} must be a Fraction, so that no float rounds it; "
                f"got {type(self.value).__name__}"
            )
        if self.unit not in BASE_UNITS:
            raise RoofproofError(
                f"figure {quoted(self.resource)} has the unit {quoted(self.unit)}; expected one of "
                f"{', '.join(BASE_UNITS)}"
            )
        if self.value <= 0:
            raise RoofproofError(
                f"figure {quoted(self.resource)} must be positive; got {self.value} {self.unit}"
            )
        if self.status not in STATUSES:
            raise RoofproofError(
                f"figure {quoted(self.resource)} has the status {quoted(self.status)}; expected one of "
                f"{'; '.join(STATUSES)}"
            )

    def __str__(self) -> str:
        return f"{self.resource} = {decimal(self.value)} {self.unit}"
