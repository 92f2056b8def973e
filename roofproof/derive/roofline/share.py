"""A share of the peak: from which intensity an engine keeps it, by an estimate of the time.

The estimate is `start + corner(F/(e P), Q/(d W))`, and the share that of the calibrated peak `e P`. Without the start
the share s is kept where the intensity reaches another ridge point: `I >= c R`, R = `e P/(d W)`.
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

DIGITS: Final = 12  # of a share; nobody means more
_FULL_WIDTH = {ord(c) + 0xFEE0: c for c in "0123456789./%"}
_NUMBER = rf"[0-9]{{1,{DIGITS}}}(?:\.[0-9]{{0,{DIGITS}}})?|\.[0-9]{{1,{DIGITS}}}"
_SHARE = re.compile(rf"({_NUMBER})\s*(%?)|([0-9]{{1,{DIGITS}}})\s*/\s*([0-9]{{1,{DIGITS}}})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Share:
    """A share of the peak that an engine is to keep, and what makes a time of its FLOPs and the bytes.

    `ceilings` are the calibrated ones that the estimate rests on, those `of` another engine or chip where the chip has
    none of its own for this one; without any, the specs of the chip are taken as reached, and nothing starts late.

    >>> Share(Fraction(4, 5), "root").factor, Share(Fraction(9, 10), "sum").factor, Share(Fraction(1, 2), "max").factor
    (4/3, 9, 1/2)

    Raises RoofproofError for an unknown corner, for a share that is not above 0 and at most 1, and for all of the peak
    where the corner leaves always less.
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
        """How much of its peak the engine reaches."""
        return self.ceilings.compute.value if self.ceilings else Fraction(1)

    @property
    def memory(self) -> Fraction:
        """How much of its bandwidth the memory reaches."""
        return self.ceilings.memory.value if self.ceilings else Fraction(1)

    @property
    def start(self) -> Fraction:
        """Seconds before anything is computed or moved."""
        return self.ceilings.start.value if self.ceilings else Fraction(0)


def joined_by(corner: str, compute: str, memory: str) -> str:
    """Write how two times make one.

    >>> joined_by("root", "a", "q"), joined_by("sum", "a", "q"), joined_by("max", "a", "q")
    ('sqrt((a)^2 + (q)^2)', 'a + q', 'max(a, q)')
    """
    if corner == "max":
        return f"max({compute}, {memory})"
    return f"{compute} + {memory}" if corner == "sum" else f"sqrt(({compute})^2 + ({memory})^2)"


def share_from(text: str) -> Fraction:
    """Read a share: a decimal, a number of percent, or a fraction; full-width digits and signs, too.

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
    """Write a share as a number of percent.

    >>> percent(Fraction(4, 5)), percent(Fraction(1, 8))
    ('80 %', '12.5 %')
    """
    return f"{decimal(100 * share)} %"
