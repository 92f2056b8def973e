"""One figure of a chip, with everything it rests on; what it is a figure of is its type."""

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Final

from roofproof.errors import RoofproofError, quoted
from roofproof.formula.magnitudes import decimal
from roofproof.hardware.resources import LEVELS

BASE_UNITS: Final = ("FLOP/s", "B/s", "B", "s", "Hz", "W", "count", "J/FLOP", "J/B")
"""The units a figure may have once it is read; integer operations count as FLOP."""

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
class Figure:
    """A figure of a chip that nothing is divided by: a number of cores, a clock, a power, a latency.

    >>> print(Figure("sms", Fraction(132), "count", "enabled SMs", "third-party", "device-query"))
    sms = 132 count

    `value` is exact, in `unit`, one of BASE_UNITS. `convention` says what is counted (dense or sparse, per
    direction or both), `status` is one of STATUSES, `source` says where it is printed, and `variant` is "" for
    the figure used by default. What was measured may have an interval, from `low` to `high`. What is bound to a
    demand has a type of its own, `Rate` or `Capacity`. Raises RoofproofError for a value that is not a positive
    Fraction, for one outside of its interval, and for a unit that the type does not have.
    """

    resource: str
    value: Fraction
    unit: str
    convention: str
    status: str
    source: str
    variant: str = ""
    low: Fraction | None = None
    high: Fraction | None = None

    units: ClassVar[tuple[str, ...]] = BASE_UNITS

    def __post_init__(self) -> None:
        where = f"figure {quoted(self.resource)}"
        if not isinstance(self.value, Fraction):
            came = type(self.value).__name__
            raise RoofproofError(f"{where} must be a Fraction, so that no float rounds it; got {came}")
        if self.unit not in self.units:
            units = ", ".join(self.units)
            raise RoofproofError(f"{where} has the unit {quoted(self.unit)}; expected one of {units}")
        if self.value <= 0:
            raise RoofproofError(f"{where} must be positive; got {self.value} {self.unit}")
        low, high = self.ends
        if not 0 < low <= self.value <= high:
            said = f"got {decimal(self.value)}, {decimal(low)} to {decimal(high)}"
            raise RoofproofError(f"{where} lies in its interval: expected 0 < low <= value <= high, {said}")
        if self.status not in STATUSES:
            known = "; ".join(STATUSES)
            raise RoofproofError(f"{where} has the status {quoted(self.status)}; expected one of {known}")

    @property
    def ends(self) -> tuple[Fraction, Fraction]:
        """The interval in which it was measured to lie; of a figure without one, the value twice.

        >>> Figure("sms", Fraction(132), "count", "enabled SMs", "given", "example").ends
        (Fraction(132, 1), Fraction(132, 1))
        """
        return (self.value if self.low is None else self.low, self.value if self.high is None else self.high)

    @property
    def label(self) -> str:
        """The name of the figure among all of a chip: "bf16", "l2 bandwidth", "l2 capacity", "smem total"."""
        level = self.resource.removesuffix("-total")
        if level not in LEVELS:
            return self.resource
        return f"{level} {'bandwidth' if self.unit == 'B/s' else 'total' if self.resource != level else 'capacity'}"

    def __str__(self) -> str:
        return f"{self.resource} = {decimal(self.value)} {self.unit}"


@dataclass(frozen=True, slots=True)
class Rate(Figure):
    """What a demand is divided by: FLOP/s of an engine, B/s of a memory level or a link. Never a size.

    >>> print(Rate("hbm", Fraction(819 * 10**9), "B/s", "total", "vendor docs", "Cloud TPU docs"))
    hbm = 8.19e11 B/s
    >>> Rate("l2", Fraction(50 * 2**20), "B", "total", "given", "example")
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: figure 'l2' has the unit 'B'; expected one of FLOP/s, B/s
    """

    units: ClassVar[tuple[str, ...]] = ("FLOP/s", "B/s")

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


@dataclass(frozen=True, slots=True)
class Capacity(Figure):
    """What a footprint must fit in: the bytes of a memory level. Never a rate.

    >>> print(Capacity("l2", Fraction(50 * 2**20), "B", "total on chip", "given", "example"))   # 50 * 2^20
    l2 = 52428800 B
    """

    units: ClassVar[tuple[str, ...]] = ("B",)


def typed(unit: str) -> type[Figure]:
    """Return the type that a figure in a base unit has.

    >>> [typed(unit).__name__ for unit in ("FLOP/s", "B/s", "B", "s")]
    ['Rate', 'Rate', 'Capacity', 'Figure']
    """
    return Rate if unit in Rate.units else Capacity if unit in Capacity.units else Figure
