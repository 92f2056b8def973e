"""Magnitudes: prefixes and words for powers of ten, in one table, and exact numbers with them as text."""

from fractions import Fraction
from functools import cache

LARGE = {"k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
SMALL = {"m": -3, "u": -6, "µ": -6, "μ": -6, "n": -9, "p": -12, "f": -15}  # micro sign, Greek letter
BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}  # powers of two
WORDS = {
    "kilo": "k", "mega": "M", "giga": "G", "tera": "T", "peta": "P", "exa": "E", "milli": "m", "micro": "u",
    "nano": "n", "pico": "p", "kibi": "Ki", "mebi": "Mi", "gibi": "Gi", "tebi": "Ti", "pebi": "Pi", "exbi": "Ei",
}  # fmt: skip
HAN = {"千": "k", "兆": "M", "吉": "G", "毫": "m", "微": "u", "纳": "n"}
ENGLISH = {"thousand": 3, "million": 6, "billion": 9, "trillion": 12}
CHINESE = {"十": 1, "百": 2, "千": 3, "万": 4, "十万": 5, "百万": 6, "千万": 7, "亿": 8, "十亿": 9, "百亿": 10,
           "千亿": 11, "万亿": 12}  # fmt: skip


@cache
def factor_of(prefix: str) -> Fraction:
    """Return the factor of a prefix.

    >>> factor_of("k"), factor_of("Ki"), factor_of("milli"), factor_of("")
    (Fraction(1000, 1), Fraction(1024, 1), Fraction(1, 1000), Fraction(1, 1))
    """
    prefix = (WORDS | HAN).get(prefix, prefix)
    if prefix in BINARY:
        return Fraction(2 ** BINARY[prefix])
    return _ten((LARGE | SMALL | {"": 0})[prefix])


@cache
def _ten(power: int) -> Fraction:
    return Fraction(10) ** power


def decimal(value: Fraction) -> str:
    """Return an exact value as a decimal, with an exponent if that is shorter, or as a fraction if it has none.

    >>> decimal(Fraction(819 * 10**9)), decimal(Fraction(1, 8)), decimal(Fraction(1, 3))
    ('8.19e11', '0.125', '1/3')
    """
    rest, places = value.denominator, 0
    while rest % 10 == 0:
        rest, places = rest // 10, places + 1
    for prime in (2, 5):
        while rest % prime == 0:
            rest, places = rest // prime, places + 1
    if rest != 1:
        return str(value)
    digits = str(value * 10**places)  # an integer by now
    mantissa = digits.rstrip("0") or "0"
    exponent = len(digits) - 1 - places
    if exponent >= 6 and len(mantissa) < len(digits) - 3:
        return f"{mantissa[0]}{'.' if len(mantissa) > 1 else ''}{mantissa[1:]}e{exponent}"
    if not places:
        return digits
    whole = digits.rjust(places + 1, "0")
    return f"{whole[:-places]}.{whole[-places:]}".rstrip("0").rstrip(".")


def prefixed(value: Fraction, unit: str) -> str:
    """Return an exact value with the prefix that leaves one to three digits before the point.

    >>> prefixed(Fraction(819 * 10**9), "B/s"), prefixed(Fraction(1, 10**6), "s")
    ('819 GB/s', '1 us')
    """
    if unit == "count":
        return decimal(value)
    power = min((len(str(int(value))) - 1) // 3 * 3, 15)
    while value < _ten(power) and power > -12:
        power -= 3
    sign = next((sign for sign, each in (LARGE | SMALL).items() if each == power), "")
    return f"{decimal(value / _ten(power))} {sign}{unit}"
