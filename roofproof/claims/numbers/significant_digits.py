"""Numbers as printed: does an exact value agree with the digits somebody wrote?"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from roofproof.proofs.kernel.terms import Formula, Term

MAX_LOOSE = 6  # trailing zeros of an integer that may stand for digits not printed


@dataclass(frozen=True, slots=True)
class Agreement:
    """How a printed number agrees with the exact value: by which reading, to how many significant digits."""

    reading: str  # "exact", "nearest", "truncated", "order of magnitude"
    digits: int
    claimed: Fraction
    unit: Fraction = Fraction(0)  # the place value of the last digit that is told
    in_full: bool = True  # no zero at the end was taken for a digit that is not printed

    def says(self, value: Term) -> Formula:
        """Return what the agreement says of the exact value, in exact numbers.

        >>> from roofproof.proofs.kernel.terms import show
        >>> show(agreement(Fraction(9850, 41), "240").says(("v", "v")))
        'v >= 479/2 and 481/2 >= v'
        """
        c, u = self.claimed, self.unit
        if self.reading == "exact":
            return ("=", value, _number(c))
        if self.reading == "nearest":
            return ("and", (">=", value, _number(c - u / 2)), (">=", _number(c + u / 2), value))
        if self.reading == "order of magnitude":
            square = ("^", ("/", value, _number(c)), 2)
            return ("and", (">", square, ("q", 1, 10)), (">", ("q", 10, 1), square))
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
        return Agreement("exact", len(number.as_tuple().digits), claimed)
    if claimed == 0 or value == 0 or (claimed > 0) != (value > 0):
        return None
    signed, claimed, value = claimed, abs(claimed), abs(value)
    units = _units(printed, number)
    for unit, digits in units:
        if abs(value - claimed) <= unit / 2:
            return Agreement("nearest", digits, signed, unit, unit == units[0][0])
    unit, digits = units[0]  # cut off: only at the last digit that was written
    if 0 <= value - claimed < unit:
        return Agreement("truncated", digits, signed, unit)
    mantissa = "".join(map(str, number.as_tuple().digits)).strip("0")
    if mantissa == "1" and claimed != 1 and Fraction(1, 10) < (value / claimed) ** 2 < 10:
        return Agreement("order of magnitude", 0, signed)
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


def _number(value: Fraction) -> Term:
    return ("q", value.numerator, value.denominator)
