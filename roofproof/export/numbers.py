"""Exact numbers for display: a few digits, marked if they are rounded."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from typing import NamedTuple

import sympy

from roofproof.derive.algebra.text import is_isolated

_PREFIXES = ((0, "s"), (-3, "ms"), (-6, "us"), (-9, "ns"), (-12, "ps"))


class Rounded(NamedTuple):
    """A number in a few digits, whether these are exact, and their unit."""

    text: str
    exact: bool
    unit: str = ""

    def __str__(self) -> str:
        return " ".join(part for part in ("=" if self.exact else "≈", self.text, self.unit) if part)


def rounded(value: sympy.Expr, significant: int = 5, rounding: str = ROUND_HALF_EVEN) -> Rounded:
    """Return a number rounded to some significant digits, by default to the nearest.

    >>> print(rounded(sympy.Rational(9850, 41)), rounded(sympy.Rational(1, 8)))
    ≈ 240.24 = 0.125
    """
    if value.is_Rational:
        exact = Context(prec=60, rounding=rounding).divide(Decimal(int(value.p)), Decimal(int(value.q)))
    else:
        exact = Decimal(str(sympy.N(value, 30)))
    short = Context(prec=significant, rounding=rounding).plus(exact)
    return Rounded(_short(short), bool(value.is_Rational and sympy.Rational(str(short)) == value))


def digits(value: sympy.Expr, rounding: str = ROUND_HALF_EVEN) -> str:
    """Return a number to five significant digits, with `≈` in front if it is not exact.

    >>> digits(sympy.Rational(9850, 41)), digits(sympy.Integer(240)), digits(sympy.Rational(1, 8))
    ('≈ 240.24', '240', '0.125')
    >>> digits(sympy.Integer(197) * 10**12)
    '1.97e14'
    """
    found = rounded(value, rounding=rounding)
    return found.text if found.exact else str(found)


def unsigned(value: sympy.Expr, rounding: str = ROUND_HALF_EVEN) -> str:
    """Return a number without a sign of rounding. A rounded number always contains a decimal point.

    >>> unsigned(sympy.Rational(9850, 41)), unsigned(sympy.Rational(429287040, 185039))    # 2319.98...
    ('240.24', '2319.98')
    """
    tried = (rounded(value, significant, rounding) for significant in range(5, 30))
    return next((short.text for short in tried if short.exact or "." in short.text), about(value))


def equals(value: sympy.Rational) -> str:
    """Return a rational, followed by its decimal value if it is not an integer.

    >>> equals(sympy.Rational(9850, 41)), equals(sympy.Integer(240))
    ('9850/41 ≈ 240.24', '240')
    """
    return str(value) if value.is_Integer else f"{value} {rounded(value)}"


def about(value: sympy.Expr, rounding: str = ROUND_HALF_EVEN) -> str:
    """Return the decimal value after = or ≈: `≈ 240.24` or `= 0.125`."""
    return str(rounded(value, rounding=rounding))


def _short(value: Decimal) -> str:
    exponent = value.adjusted() if value else 0
    if -4 <= exponent < 7:
        text = f"{value:f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    sign, figures, _ = value.normalize().as_tuple()
    mantissa = "".join(map(str, figures))
    return f"{'-' if sign else ''}{mantissa[0]}{'.' + mantissa[1:] if len(mantissa) > 1 else ''}e{exponent}"


def at_most(value: sympy.Expr) -> str:
    """Return an upper bound as `unsigned` does, rounded up.

    >>> at_most(sympy.Rational(100001, 1000)), at_most(sympy.Rational(9850, 41))
    ('100.01', '240.25')
    """
    return unsigned(value, ROUND_CEILING)


def at_least(value: sympy.Expr) -> str:
    """Return a lower bound as `unsigned` does, rounded down.

    >>> at_least(sympy.Rational(9850, 41)), at_least(sympy.Rational(429287040, 185039))    # 2319.98...
    ('240.24', '2319.9')
    """
    return unsigned(value, ROUND_FLOOR)


def in_seconds(value: sympy.Expr) -> Rounded:
    """Return a time in a suitable unit, rounded down, so that no minimum time exceeds its exact value.

    >>> print(in_seconds(sympy.Rational(1, 989)), in_seconds(sympy.Rational(20189, 2) / 10**9))      # 10.0945 us
    ≈ 1.0111 ms ≈ 10.094 us
    """
    power, unit = next(((p, u) for p, u in _PREFIXES if value >= sympy.Integer(10) ** p), (0, "s"))
    return rounded(value / sympy.Integer(10) ** power, rounding=ROUND_FLOOR)._replace(unit=unit)


def seconds(value: sympy.Expr) -> str:
    """Return a time as text, in a suitable unit.

    >>> seconds(sympy.Rational(1, 989))
    '≈ 1.0111 ms'
    """
    return str(in_seconds(value))


def needs_decimals(at: sympy.Expr | None) -> bool:
    """Return whether a bound needs a decimal value after it. Integers and isolated roots already show theirs.

    >>> [needs_decimals(at) for at in (sympy.Rational(1, 3), sympy.Integer(3), sympy.Symbol("D"))]
    [True, False, False]
    """
    return bool(at is not None and at.is_number and not at.is_Integer and not is_isolated(at))
