"""A number as it is printed: one mantissa, the powers of ten beside it and a unit, in claims, chapters and answers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from roofproof.formula.tree import Number, Op, Quantity, Tree, is_op

_TEN_TO_THE = re.compile(r"10*e[-+]?[0-9]{1,4}", re.IGNORECASE)
_WHOLE = re.compile("[0-9]{1,4}")


class Printed(NamedTuple):
    """The digits of a number, with its powers of ten as an exponent, and the value of the unit they are counted in."""

    digits: str
    unit: Fraction


def printed_number(node: Tree) -> Printed | None:
    """Return the digits and the unit of a number that was printed, None for anything that is worked out.

    >>> from roofproof.formula.reader import read_value
    >>> def read(text):
    ...     found = printed_number(read_value(text))
    ...     return found and (found.digits, str(found.unit))
    >>> read("280 ms"), read("3.79 * 10^25"), read("-8.3e-2"), read("24 / (1 second)")
    (('280', '1/1000'), ('3.79e25', '1'), ('-8.3e-2', '1'), ('24', '1'))
    >>> read("10^9 FLOP/s"), read("38 / 10^3"), read("2 x"), read("2 * 3"), read("1/3"), read("140 GB / (1 TB/s)")
    (('1e9', '1'), ('38e-3', '1'), None, None, None, None)

    A number has one unit: what two of them make is worked out.
    """
    node, sign = (node.args[0], "-") if is_op(node, "-") else (node, "")
    if isinstance(node, Number):
        return Printed(sign + node.text, Fraction(1))
    mantissas: list[str] = []
    power, unit, units = 0, Fraction(1), 0
    for part, side in _factors(node, 1):
        if isinstance(part, Fraction):
            unit, units = unit * part**side, units + 1
        elif isinstance(part, int):
            power += side * part
        elif part and side > 0:
            mantissas.append(part)
        else:
            return None
    if len(mantissas) > 1 or units > 1:
        return None
    digits, _, own = (mantissas or ["1"])[0].lower().partition("e")
    power += int(own or 0)
    return Printed(f"{sign}{digits}e{power}" if power else sign + digits, unit)


def _factors(node: Tree, side: int) -> Iterator[tuple[Fraction | int | str, int]]:
    """Yield the factors of a number, each above or below (1 or -1): units, powers of ten, digits; "" for any other."""
    match node:
        case Quantity(amount=amount, unit=unit):
            yield unit.factor, side
            yield from _factors(amount, side) if not (isinstance(amount, Number) and amount.text == "1") else ()
        case Op("*", factors):
            for factor in factors:
                yield from _factors(factor, side)
        case Op("/", (above, below)):
            yield from _factors(above, side)
            yield from _factors(below, -side)
        case Number(text=text) if _TEN_TO_THE.fullmatch(text):
            ones, _, power = text.lower().partition("e")
            yield len(ones) - 1 + int(power), side
        case Number(text=text):
            yield text, side
        case Op("^", (Number(text="10"), Number(text=text))) if _WHOLE.fullmatch(text):
            yield int(text), side
        case Op("^", (Number(text="10"), Op("-", (Number(text=text),)))) if _WHOLE.fullmatch(text):
            yield -int(text), side
        case _:
            yield "", side
