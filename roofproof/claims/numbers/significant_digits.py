"""Numbers as printed: does an exact value agree with the digits somebody wrote?"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from roofproof.errors import RoofproofError, quoted
from roofproof.proofs.kernel.terms import Formula, Term

ORDER = "order of magnitude"
NEAREST = "nearest"  # two digits at least, cut off only at the last one written: how close a slip must come
ONE_DIGIT = Fraction(1, 10)  # of the value: as far as one digit may be off


@dataclass(frozen=True, slots=True)
class Agreement:
    """How a printed number agrees with the exact value: by which reading, to how many significant digits."""

    reading: str  # "exact", "nearest", "truncated", "within", "order of magnitude"
    digits: int
    claimed: Fraction
    unit: Fraction = Fraction(0)  # the place value of the last significant digit; for "within" the share of the value

    def says(self, value: Term) -> Formula:
        """Return what the agreement says of the exact value, in exact numbers.

        >>> from roofproof.proofs.kernel.terms import show
        >>> show(agreement(Fraction(9850, 41), "240.2").says(("v", "v")))
        'v >= 4803/20 and 961/4 >= v'
        """
        c, u = self.claimed, self.unit
        if self.reading == "exact":
            return ("=", value, _number(c))
        if self.reading == "nearest":
            near: Formula = ("and", (">=", value, _number(c - u / 2)), (">=", _number(c + u / 2), value))
            return near if self.digits > 1 else ("and", *near[1:], *_within(value, c, ONE_DIGIT))
        if self.reading == "within":
            return ("and", *_within(value, c, u))
        if self.reading == ORDER:
            square = ("^", ("/", value, _number(c)), 2)
            return ("and", (">=", square, ("q", 1, 10)), (">=", ("q", 10, 1), square))
        if c > 0:
            return ("and", (">=", value, _number(c)), (">", _number(c + u), value))
        return ("and", (">=", _number(c), value), (">", value, _number(c - u)))

    def __str__(self) -> str:
        if self.reading == "exact":
            return "exact"
        places = f"{self.digits} significant digit{'s' * (self.digits != 1)}"
        return {
            "nearest": f"rounded to {places}",
            "truncated": f"cut off after {places}",
            "within": f"within {self.unit * 100} % of the value",
            ORDER: "the order of magnitude only",
        }[self.reading]


def agreement(value: Fraction, printed: str, tolerance: str = "") -> Agreement | None:
    """Return how `printed` agrees with the exact value, the strictest reading first, or None.

    >>> print(agreement(Fraction(9850, 41), "240"))              # 240.24...; the zero is no significant digit
    rounded to 2 significant digits
    >>> print(agreement(Fraction(39400, 9), "4377"))             # 4377.78 is 4378 to the nearest
    cut off after 4 significant digits
    >>> print(agreement(Fraction(9890, 335) * 10, "300"))        # 295.2, 1.6 % away
    rounded to 1 significant digit
    >>> agreement(Fraction(9850, 41), "200") is None             # the nearest, but 17 % away
    True
    >>> print(agreement(Fraction(164, 9), "10", "order of magnitude"))       # 18.2/10 is at most sqrt(10)
    the order of magnitude only

    With two significant digits or more a number agrees when it is the value rounded or cut off to these; with one
    when it is the nearest and at most 10 % of the value away. `tolerance` is a share such as "10 %", or
    "order of magnitude", and widens that. Zeros at the end of a number without a point are no significant digits.
    """
    number = Decimal(printed)
    claimed = Fraction(number)
    if claimed == value:
        return Agreement("exact", len(number.as_tuple().digits), claimed)
    if claimed == 0 or value == 0 or (claimed > 0) != (value > 0):
        return None
    unit, digits = significant(printed)
    off = abs(value) - abs(claimed)
    if digits > 1 and abs(off) <= unit / 2:
        return Agreement("nearest", digits, claimed, unit)
    in_full = unit == Fraction(10) ** int(number.as_tuple().exponent)
    if digits > 1 and 0 <= off < unit and (in_full or tolerance != NEAREST):
        return Agreement("truncated", digits, claimed, unit)
    if tolerance == NEAREST:
        return None
    if digits == 1 and abs(off) <= min(unit / 2, ONE_DIGIT * abs(value)):
        return Agreement("nearest", digits, claimed, unit)
    if tolerance == ORDER:
        return Agreement(ORDER, 0, claimed) if Fraction(1, 10) <= (value / claimed) ** 2 <= 10 else None
    if tolerance and abs(off) <= (share := share_of(tolerance)) * abs(value):
        return Agreement("within", digits, claimed, share)
    return None


def significant(printed: str) -> tuple[Fraction, int]:
    """Return the place value of the last significant digit of a number, and how many there are.

    >>> significant("8.20e11"), significant("400e9")
    ((Fraction(1000000000, 1), 3), (Fraction(100000000000, 1), 1))
    """
    number = Decimal(printed)
    figures = "".join(map(str, number.as_tuple().digits)).lstrip("0") or "0"
    fillers = 0 if "." in printed else len(figures) - len(figures.rstrip("0"))
    return Fraction(10) ** (int(number.as_tuple().exponent) + fillers), max(1, len(figures) - fillers)


def share_of(tolerance: str) -> Fraction:
    """Return a tolerance such as `10 %` as a number.

    >>> share_of("2.5 %")
    Fraction(1, 40)

    Raises RoofproofError for anything else.
    """
    found = re.fullmatch(r"([0-9]{1,3}(?:\.[0-9]{1,6})?) ?%", tolerance)
    if found is None:
        raise RoofproofError(f"tolerance {quoted(tolerance)}: expected a share such as '10 %', or '{ORDER}'")
    return Fraction(found[1]) / 100


def _within(value: Term, claimed: Fraction, share: Fraction) -> tuple[Formula, Formula]:
    """Return that a number is at most so much of the value away from it."""
    low, high = sorted((claimed / (1 + share), claimed / (1 - share)))
    return (">=", value, _number(low)), (">=", _number(high), value)


def _number(value: Fraction) -> Term:
    return ("q", value.numerator, value.denominator)
