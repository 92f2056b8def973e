"""Exact numbers for the eye: a few digits, marked as rounded where they are."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from typing import NamedTuple

import sympy

from roofproof.derive.algebra.text import is_isolated

_PREFIXES = ((0, "s"), (-3, "ms"), (-6, "us"), (-9, "ns"), (-12, "ps"))


class Rounded(NamedTuple):
    """A number in a few digits, whether they are all there are, and the unit they are in."""

    text: str
    exact: bool
    unit: str = ""

    def __str__(self) -> str:
        return " ".join(part for part in ("=" if self.exact else "≈", self.text, self.unit) if part)


def rounded(value: sympy.Expr, significant: int = 5, rounding: str = ROUND_HALF_EVEN) -> Rounded:
    """Return a number to some significant digits, to the nearest unless told otherwise.

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
    """Return a number to five significant digits, `≈` in front when that is not its exact value.

    >>> digits(sympy.Rational(9850, 41)), digits(sympy.Integer(240)), digits(sympy.Rational(1, 8))
    ('≈ 240.24', '240', '0.125')
    >>> digits(sympy.Integer(197) * 10**12)
    '1.97e14'
    """
    found = rounded(value, rounding=rounding)
    return found.text if found.exact else str(found)


def unsigned(value: sympy.Expr, rounding: str = ROUND_HALF_EVEN) -> str:
    """Return a number that stands without a sign of rounding: where it is rounded, there is a point in it.

    >>> unsigned(sympy.Rational(9850, 41)), unsigned(sympy.Rational(429287040, 185039))    # 2319.98...
    ('240.24', '2319.98')
    """
    tried = (rounded(value, significant, rounding) for significant in range(5, 30))
    return next((short.text for short in tried if short.exact or "." in short.text), about(value))


def equals(value: sympy.Rational) -> str:
    """Return a rational, followed by its decimal value where it is no integer.

    >>> equals(sympy.Rational(9850, 41)), equals(sympy.Integer(240))
    ('9850/41 ≈ 240.24', '240')
    """
    return str(value) if value.is_Integer else f"{value} {rounded(value)}"


def about(value: sympy.Expr, rounding: str = ROUND_HALF_EVEN) -> str:
    """Return the decimal value with its sign of equality: `≈ 240.24` or `= 0.125`."""
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
    """Return an upper bound as `unsigned` does, never below itself.

    >>> at_most(sympy.Rational(100001, 1000)), at_most(sympy.Rational(9850, 41))
    ('100.01', '240.25')
    """
    return unsigned(value, ROUND_CEILING)


def at_least(value: sympy.Expr) -> str:
    """Return a lower bound as `unsigned` does, never above itself.

    >>> at_least(sympy.Rational(9850, 41)), at_least(sympy.Rational(429287040, 185039))    # 2319.98...
    ('240.24', '2319.9')
    """
    return unsigned(value, ROUND_FLOOR)


def in_seconds(value: sympy.Expr) -> Rounded:
    """Return a time in the unit that suits it, cut off: a minimum, which most are, is never above itself.

    >>> print(in_seconds(sympy.Rational(1, 989)), in_seconds(sympy.Rational(20189, 2) / 10**9))      # 10.0945 us
    ≈ 1.0111 ms ≈ 10.094 us
    """
    power, unit = next(((p, u) for p, u in _PREFIXES if value >= sympy.Integer(10) ** p), (0, "s"))
    return rounded(value / sympy.Integer(10) ** power, rounding=ROUND_FLOOR)._replace(unit=unit)


def seconds(value: sympy.Expr) -> str:
    """Return a time with the prefix that suits it.

    >>> seconds(sympy.Rational(1, 989))
    '≈ 1.0111 ms'
    """
    return str(in_seconds(value))


def needs_decimals(at: sympy.Expr | None) -> bool:
    """Tell whether a decimal value is to follow a bound: a whole number and an isolated root show it themselves.

    >>> [needs_decimals(at) for at in (sympy.Rational(1, 3), sympy.Integer(3), sympy.Symbol("D"))]
    [True, False, False]
    """
    return bool(at is not None and at.is_number and not at.is_Integer and not is_isolated(at))
