"""One figure of a chip, with everything it rests on."""

import re
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

_ONE_WAY = re.compile(r"per[- ]direction|one[- ]way|one direction")
_BOTH_WAYS = re.compile(r"bidirectional|both[- ]directions|two-way")
_COUNTED = re.compile(r"per (?:[\w-]+ ){0,2}?(link|chip|GPU|host|node|pod)\b")


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

    @property
    def both_directions(self) -> bool:
        """Whether the figure of a link adds up its two directions.

        >>> Rate("nvlink", Fraction(18 * 10**11), "B/s", "total bidirectional", "given", "example").both_directions
        True
        """
        return bool(_BOTH_WAYS.search(self.convention)) and not _ONE_WAY.search(self.convention)

    @property
    def per(self) -> str:
        """What a figure is for: "link", "host", "node", "pod", or "chip" where the convention names none.

        >>> Rate("ici", Fraction(45 * 10**9), "B/s", "per link, one-way", "given", "example").per
        'link'
        """
        found = _COUNTED.search(self.convention)
        return found[1].replace("GPU", "chip") if found else "chip"

    def __str__(self) -> str:
        return f"{self.resource} = {decimal(self.value)} {self.unit}"
