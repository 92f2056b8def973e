"""A share of the peak, and the intensity that keeps it according to an estimate of the time.

The estimate is `start + corner(F/(e P), Q/(d W))`, and the share is one of the calibrated peak `e P`. Without the
startup time, the share s is kept if the intensity reaches another ridge point: `I >= c R`, R = `e P/(d W)`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import sympy

from roofproof.errors import RoofproofError, quoted, unknown
from roofproof.formula.magnitudes import decimal
from roofproof.hardware.calibration import CORNERS, Calibration

DIGITS: Final = 12  # the most digits of a share
_FULL_WIDTH = {ord(c) + 0xFEE0: c for c in "0123456789./%"}
_NUMBER = rf"[0-9]{{1,{DIGITS}}}(?:\.[0-9]{{0,{DIGITS}}})?|\.[0-9]{{1,{DIGITS}}}"
_SHARE = re.compile(rf"({_NUMBER})\s*(%?)|([0-9]{{1,{DIGITS}}})\s*/\s*([0-9]{{1,{DIGITS}}})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Share:
    """A share of the peak to keep, and the estimate that turns FLOPs and bytes into a time.

    `ceilings` are the calibrated rates of the estimate. `of` names another compute unit or chip if they are borrowed
    from it. Without calibrated rates, the chip is assumed to reach its specs, with no startup time.

    >>> Share(Fraction(4, 5), "root").factor, Share(Fraction(9, 10), "sum").factor, Share(Fraction(1, 2), "max").factor
    (4/3, 9, 1/2)

    Raises RoofproofError for an unknown corner, and for a share that is not above 0 and at most 1. A share of 1 is also
    refused if the corner or the startup time makes it impossible.
    """

    value: Fraction
    corner: str
    ceilings: Calibration | None = None
    of: str = ""

    def __post_init__(self) -> None:
        if self.corner not in CORNERS:
            raise unknown("corner", self.corner, CORNERS)
        if not 0 < self.value <= 1:
            raise RoofproofError(
                "share <share>: expected one above 0 and below 1, such as 0.8, 3/4 or 80 %", share=percent(self.value)
            )
        if self.value == 1 and (self.corner != "max" or self.start):
            raise RoofproofError(
                "share <share>: with the corner <corner> no size keeps all of the peak; expected one below 1",
                share=percent(self.value),
                corner=self.corner,
            )

    @property
    def factor(self) -> sympy.Expr:
        """The intensity that keeps the share, in ridge points: s/(1 - s), s/sqrt(1 - s^2), or s."""
        s = sympy.Rational(self.value)
        return s if self.corner == "max" else s / (1 - s if self.corner == "sum" else sympy.sqrt(1 - s**2))

    @property
    def compute(self) -> Fraction:
        """The fraction of its peak that the compute unit reaches."""
        return self.ceilings.compute.value if self.ceilings else Fraction(1)

    @property
    def memory(self) -> Fraction:
        """The fraction of its bandwidth that the memory reaches."""
        return self.ceilings.memory.value if self.ceilings else Fraction(1)

    @property
    def start(self) -> Fraction:
        """The startup time in seconds, before anything is computed or moved."""
        return self.ceilings.start.value if self.ceilings else Fraction(0)


def joined_by(corner: str, compute: str, memory: str) -> str:
    """Write the formula that combines two times.

    >>> joined_by("root", "a", "q"), joined_by("sum", "a", "q"), joined_by("max", "a", "q")
    ('sqrt((a)^2 + (q)^2)', 'a + q', 'max(a, q)')
    """
    if corner == "max":
        return f"max({compute}, {memory})"
    return f"{compute} + {memory}" if corner == "sum" else f"sqrt(({compute})^2 + ({memory})^2)"


def share_from(text: str) -> Fraction:
    """Parse a share: a decimal, a percentage or a fraction, also in full-width characters.

    >>> share_from("0.8"), share_from("80 %"), share_from("12.5%"), share_from("3/4"), share_from("２５％")
    (Fraction(4, 5), Fraction(4, 5), Fraction(1, 8), Fraction(3, 4), Fraction(1, 4))

    Raises RoofproofError for anything else, and for a share that is not above 0 and at most 1.
    """
    read = _SHARE.fullmatch(text.translate(_FULL_WIDTH).strip())
    value = Fraction(0)
    if read and read[1]:
        value = Fraction(read[1].rstrip(".")) / (100 if read[2] else 1)
    elif read and int(read[4]):
        value = Fraction(int(read[3]), int(read[4]))
    if not 0 < value <= 1:
        raise RoofproofError(
            "share <share>: expected one above 0 and below 1, such as 0.8, 3/4 or 80 %", share=quoted(text.strip())
        )
    return value


def percent(share: Fraction) -> str:
    """Write a share as a percentage.

    >>> percent(Fraction(4, 5)), percent(Fraction(1, 8))
    ('80 %', '12.5 %')
    """
    return f"{decimal(100 * share)} %"
