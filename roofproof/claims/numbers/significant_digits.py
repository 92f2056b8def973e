"""Numbers as printed: does an exact value agree with the digits somebody wrote?"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

MAX_LOOSE = 6  # trailing zeros of an integer that may stand for digits not printed


@dataclass(frozen=True, slots=True)
class Agreement:
    """How a printed number agrees with the exact value: by which reading, to how many significant digits."""

    reading: str  # "exact", "nearest", "truncated", "order of magnitude"
    digits: int
    in_full: bool = True  # no zero at the end was taken for a digit that is not printed

    def __str__(self) -> str:
        if self.reading == "exact":
            return "exact"
        places = f"{self.digits} significant digit{'s' * (self.digits != 1)}"
        return {
            "nearest": f"rounded to {places}",
            "truncated": f"cut off after {places}",
            "order of magnitude": "the order of magnitude only",
        }[self.reading]


def agreement(value: Fraction, printed: str) -> Agreement | None:
    """Return how `printed` agrees with the exact value, the strictest reading first, or None.

    >>> print(agreement(Fraction(9850, 41), "240"))              # 240.24...
    rounded to 3 significant digits
    >>> print(agreement(Fraction(39400, 9), "4377"))             # 4377.78 is 4378 to the nearest
    cut off after 4 significant digits
    >>> print(agreement(Fraction(9890, 335) * 10, "300"))        # 295.2: the zeros need not be digits
    rounded to 2 significant digits
    >>> print(agreement(Fraction(164, 9), "10"))                 # 18.2: a power of ten on its own
    the order of magnitude only
    >>> agreement(Fraction(9850, 41), "241") is None
    True
    """
    number = Decimal(printed)
    claimed = Fraction(number)
    if claimed == value:
        return Agreement("exact", len(number.as_tuple().digits))
    if claimed == 0 or value == 0 or (claimed > 0) != (value > 0):
        return None
    claimed, value = abs(claimed), abs(value)
    units = _units(printed, number)
    for unit, digits in units:
        if abs(value - claimed) <= unit / 2:
            return Agreement("nearest", digits, unit == units[0][0])
    unit, digits = units[0]  # cut off: only at the last digit that was written
    if 0 <= value - claimed < unit:
        return Agreement("truncated", digits)
    mantissa = "".join(map(str, number.as_tuple().digits)).strip("0")
    if mantissa == "1" and claimed != 1 and Fraction(1, 10) < (value / claimed) ** 2 < 10:
        return Agreement("order of magnitude", 0)
    return None


def _units(printed: str, number: Decimal) -> list[tuple[Fraction, int]]:
    """Return the place values the last printed digit may have, with the significant digits each leaves."""
    exponent = int(number.as_tuple().exponent)
    figures = "".join(map(str, number.as_tuple().digits)).lstrip("0") or "0"
    out = [(Fraction(10) ** exponent, len(figures))]
    if "." not in printed and "e" not in printed.lower():  # zeros at the end of an integer may be fillers
        zeros = len(figures) - len(figures.rstrip("0"))
        out += [(Fraction(10) ** k, len(figures) - k) for k in range(1, min(zeros, MAX_LOOSE) + 1)]
    return out
