"""Comparison of printed digits with a value: True, False, or None if the rule leaves it open."""

from fractions import Fraction

from independent.numbers import Real


def significant(text: str) -> tuple[Fraction, Fraction, int]:
    """Return (number, place value of its last significant digit, count of significant digits).

    >>> significant("240"), significant("2.40"), significant("4e11")
    ((Fraction(240, 1), Fraction(10, 1), 2), (Fraction(12, 5), Fraction(1, 100), 3), (Fraction(400000000000, 1), \
Fraction(100000000000, 1), 1))
    """
    mantissa, _, exponent = text.lower().partition("e")
    whole, point, rest = mantissa.partition(".")
    digits = (whole + rest).lstrip("0")
    place = int(exponent or 0) - len(rest)
    if not point:
        place += len(digits) - len(digits.rstrip("0"))
        digits = digits.rstrip("0")
    return Fraction(text), Fraction(10) ** place, max(1, len(digits))


def agrees(value: Real, text: str) -> bool | None:
    """Return whether `text` is the value rounded or cut off. A single digit must also be within 10 % of the value.

    >>> [agrees(Real(v, v), t) for v, t in ((Fraction(9850, 41), "240"), (Fraction(9850, 41), "200"), (Fraction(1, 2), \
"1"), (Fraction(1476, 5), "300"), (Fraction(375), "400"))]
    [True, False, False, True, True]
    """
    number, unit, count = significant(text)
    low, high = sorted((abs(value.low), abs(value.high)))
    if value.low * number <= 0 or value.high * number <= 0:
        return value.exact and value.low == number
    number = abs(number)
    finer = Fraction(1, 10) if count == 1 and number == unit else Fraction(1)  # 94 is 90, not 100, to one digit
    least = number - finer * unit / 2
    nearest = least <= low and high <= number + unit / 2
    near_edge = any(low <= edge <= high for edge in (least, number + unit / 2, number + unit))
    if count == 1:
        within = abs(high - number) * 10 <= high and abs(low - number) * 10 <= low
        return None if near_edge and not value.exact else nearest and within
    cut = number <= low and high < number + unit
    if cut and not nearest and unit > 1 and len(text) > count:
        return None  # 240 for 249: cut off before zeros that are not significant; the rule is ambiguous
    return None if near_edge and not value.exact else nearest or cut


def equal_in_digits(value: Real, text: str) -> bool | None:
    """Return whether `==` holds to all printed digits. The text must be a decimal with at least two digits.

    >>> third = Fraction(1, 3)
    >>> [equal_in_digits(Real(third, third), t) for t in ("0.33", "0.3", "0.34", "0")]
    [True, False, False, False]
    >>> equal_in_digits(Real(Fraction(4891, 244), Fraction(4891, 244)), "20.0")                # 20.045...
    True
    """
    number = Fraction(text)
    mantissa, _, exponent = text.lower().partition("e")
    if value.exact and value.low == number:
        return True
    if "." not in mantissa and not exponent:
        return False
    unit = Fraction(10) ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
    digits = mantissa.replace(".", "").lstrip("0")  # trailing zeros count if there is a decimal point
    if len(digits if "." in mantissa else digits.rstrip("0")) < 2 or value.low * number <= 0:
        return False
    low, high, size = *sorted((abs(value.low), abs(value.high))), abs(number)
    if size - unit / 2 <= low and high <= size + unit / 2:  # 9.997 rounds to 10.00
        return True
    return None if size <= low and high < size + unit else False  # cut off: the rule leaves it open
