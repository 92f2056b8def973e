"""One spec of a chip, with its unit, convention, status and source."""

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from roofproof.errors import RoofproofError, quoted
from roofproof.formula.magnitudes import decimal
from roofproof.hardware.resources import LEVELS

UNITS: Final = {
    "FLOP/s": ("a compute rate", "TFLOP/s", "197 TFLOP/s"),
    "B/s": ("a rate", "GB/s", "819 GB/s"),
    "B": ("a size", "GiB", "16 GiB"),
    "s": ("a time", "us", "1 us"),
    "Hz": ("a frequency", "GHz", "1.4 GHz"),
    "W": ("a power", "W", "350 W"),
    "count": ("a number", "count", "108 count"),
    "J/FLOP": ("an energy per operation", "pJ/FLOP", "0.5 pJ/FLOP"),
    "J/B": ("an energy per byte", "pJ/B", "31 pJ/B"),
}
"""The base units of specs (integer operations count as FLOP): the kind of quantity, the unit in which it is usually
printed, and an example."""

RATES: Final = ("FLOP/s", "B/s")
"""The units of rates, by which demands are divided. A capacity, in which a footprint must fit, is in bytes."""

STATUSES: Final = (
    "vendor docs",  # the maker's own pages or source code
    "datasheet",  # the maker's datasheet or product brief
    "third-party",  # somebody else's table, often a copy of a datasheet
    "textbook",  # a course or book, often rounded
    "measured",  # found by running something
    "derived",  # computed from other specs, as the source explains
    "from memory, unverified",  # commonly quoted, no document at hand
    "given",  # the user's own, or an exercise's
)
"""The kinds of evidence for a spec."""

_ONE_WAY = re.compile(r"per[- ]direction|one[- ]way|one direction")
_BOTH_WAYS = re.compile(r"bidirectional|both[- ]directions|two-way")
_COUNTED = re.compile(r"per (?:[\w-]+ ){0,2}?(link|chip|GPU|host|node|pod)\b")


@dataclass(frozen=True, slots=True)
class Figure:
    """A spec of a chip: a rate by which demands are divided, a capacity in which a footprint must fit, or neither.

    >>> print(Figure("hbm", Fraction(819 * 10**9), "B/s", "total", "vendor docs", "Cloud TPU docs"))
    hbm = 8.19e11 B/s
    >>> print(Figure("l2", Fraction(50 * 2**20), "B", "total on chip", "given", "example"))   # 50 * 2^20
    l2 = 52428800 B

    `value` is exact, in `unit`, one of UNITS. `convention` says what is counted: dense or sparse, per direction or
    both. `status` is one of STATUSES, `source` says where the spec is printed, and `variant` is "" for the default. A
    measured spec may have an interval, from `low` to `high`. Raises RoofproofError for a value that is not a positive
    Fraction, and for one outside its interval.
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

    def __post_init__(self) -> None:
        where = f"spec {quoted(self.resource)}"
        if not isinstance(self.value, Fraction):
            came = type(self.value).__name__
            raise RoofproofError(
                "<where> must be a Fraction, so that no float rounds it; got <came>", where=where, came=came
            )
        if self.value <= 0:
            raise RoofproofError(
                "<where> must be positive; got <value> <unit>", where=where, value=self.value, unit=self.unit
            )
        low, high = self.ends
        if not 0 < low <= self.value <= high:
            form = "<where> must lie in its interval; got <value>, <low> to <high>"
            value, low_end, high_end = map(decimal, (self.value, low, high))
            raise RoofproofError(form, where=where, value=value, low=low_end, high=high_end)
        for what, came, known in (("unit", self.unit, UNITS), ("status", self.status, STATUSES)):
            if came not in known:
                raise RoofproofError(
                    "<where> has the <what> <came>; expected one of <known>",
                    where=where,
                    what=what,
                    came=quoted(came),
                    known="; ".join(known),
                )

    @property
    def is_rate(self) -> bool:
        """Whether the spec is a rate: FLOP/s of a compute unit, B/s of a memory level or a link."""
        return self.unit in RATES

    @property
    def ends(self) -> tuple[Fraction, Fraction]:
        """The measured interval, or the value twice for a spec without one.

        >>> Figure("sms", Fraction(132), "count", "enabled SMs", "given", "example").ends
        (Fraction(132, 1), Fraction(132, 1))
        """
        return (self.value if self.low is None else self.low, self.value if self.high is None else self.high)

    @property
    def label(self) -> str:
        """The name of the spec among all specs of a chip: "bf16", "l2 bandwidth", "l2 capacity", "smem total"."""
        level = self.resource.removesuffix("-total")
        if level not in LEVELS:
            return self.resource
        return f"{level} {'bandwidth' if self.unit == 'B/s' else 'total' if self.resource != level else 'capacity'}"

    @property
    def both_directions(self) -> bool:
        """Whether the spec of a link adds up its two directions.

        >>> Figure("nvlink", Fraction(18 * 10**11), "B/s", "total bidirectional", "given", "example").both_directions
        True
        """
        return bool(_BOTH_WAYS.search(self.convention)) and not _ONE_WAY.search(self.convention)

    @property
    def per(self) -> str:
        """The part that the spec is for: "link", "host", "node", "pod", or "chip" if the convention names none.

        >>> Figure("ici", Fraction(45 * 10**9), "B/s", "per link, one-way", "given", "example").per
        'link'
        """
        found = _COUNTED.search(self.convention)
        return found[1].replace("GPU", "chip") if found else "chip"

    def __str__(self) -> str:
        return f"{self.resource} = {decimal(self.value)} {self.unit}"
