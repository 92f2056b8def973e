"""Specs as text: a number with its unit, such as `819 GB/s`, parsed exactly without floats."""

import re
from fractions import Fraction
from typing import Final

from roofproof.errors import RoofproofError, quoted
from roofproof.formula.units import near_unit, unit_of
from roofproof.hardware.figure import UNITS
from roofproof.sentences import Sentence, joined

_COUNT: Final = "a count of operations"
_BASE_OF: Final = {
    unit.dimension: text for text in (*UNITS, "FLOP") if (unit := unit_of(text, letters=True)) is not None
}
_MAX_LENGTH: Final = 60
_MAX_EXPONENT: Final = 40
_FIGURE: Final = re.compile(r"(?s)([+-]?)((?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE]([+-]?[0-9]+))?)(.*)")


def _base_unit(text: str, figure: str, due: str) -> tuple[Fraction, str]:
    """Return a unit as (factor, base unit), where the base unit may also be "FLOP", which no spec may have.

    A peak in TFLOPs is read as TFLOP/s, because no spec is a count of operations.
    """
    if text == "count":
        return Fraction(1), text
    spelled = re.sub(" ?/ ?", "/", text)
    if due == "FLOP/s" and spelled.endswith(("FLOPs", "OPs")):
        spelled = spelled[:-1] + "/s"
    unit = unit_of({"bps": "b/s", "Bps": "B/s"}.get(spelled, spelled), letters=True)
    base = _BASE_OF.get(unit.dimension) if unit else None
    if unit and base:
        return unit.factor, base
    if near := near_unit(spelled):
        said = "<figure> has the unknown unit <unit>; did you mean <near>?"
        raise RoofproofError(said, figure=quoted(figure), unit=quoted(text), near=near)
    raise RoofproofError(
        "<figure> has the unknown unit <unit>; expected bytes (GB, GiB), bits, FLOP, seconds (us), or a "
        "rate such as 'GB/s' (case matters)",
        figure=quoted(figure),
        unit=quoted(text),
    )


def read_quantity(text: object, due: str = "B/s") -> tuple[Fraction, str]:
    """Parse a spec with its unit exactly, and return (value in the base unit, base unit).

    `due` is the base unit in the examples of messages.

    >>> read_quantity("8.2e11 B/s")
    (Fraction(820000000000, 1), 'B/s')
    >>> read_quantity("16 GiB")   # 16 * 2^30
    (Fraction(17179869184, 1), 'B')

    Raises RoofproofError for anything but a positive decimal number with a known unit.
    """
    kind, usual, shown = UNITS[due]
    example = quoted(shown)
    if isinstance(text, float):
        said = "<figure> is a float, which rounds; write it in quotes with its unit, such as <example>"
        raise RoofproofError(said, figure=repr(text), example=example)
    if not isinstance(text, str):
        said = "<figure> is not text; write it in quotes with its unit, such as <example>"
        raise RoofproofError(said, figure=quoted(text), example=example)
    figure = text.strip()
    if len(figure) > _MAX_LENGTH:
        said = "<figure> has <count> characters; expected at most <most>"
        raise RoofproofError(said, figure=quoted(figure, 20), count=len(figure), most=_MAX_LENGTH)
    match = _FIGURE.fullmatch(figure)
    if match is None:
        said = "<figure> does not begin with a number; expected a value such as <example>"
        raise RoofproofError(said, figure=quoted(figure), example=example)
    sign, digits, exponent, unit = match.groups()
    if exponent is not None and (len(exponent) > 4 or abs(int(exponent)) > _MAX_EXPONENT):
        said = "<figure> has the exponent <exponent>; expected one between -<most> and <most>"
        raise RoofproofError(said, figure=quoted(figure), exponent=exponent, most=_MAX_EXPONENT)
    value = Fraction(digits)
    if sign == "-" or value == 0:
        said = "<figure> is zero; expected a positive value"
        said = said if value == 0 else "<figure> is negative; expected a positive value"
        raise RoofproofError(said, figure=quoted(figure))
    unit = unit.strip()
    if not unit:
        cure = f"{digits} {due if value >= 10**6 else usual}"
        said = "<figure> has no unit; expected <kind> such as <example>"
        raise RoofproofError(said, figure=quoted(figure), kind=Sentence(kind), example=quoted(cure))
    factor, base = _base_unit(unit, figure, due)
    return value * factor, base


def check_unit(text: object, came: str, *expected: str) -> None:
    """Raise RoofproofError if the base unit `came` is not one of those `expected`, with a correct example.

    >>> check_unit("819 GB", "B", "B/s")
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: '819 GB' is a size (B); expected a rate (B/s), such as '819 GB/s'
    """
    if came in expected:
        return
    what = Sentence(UNITS[came][0] if came in UNITS else _COUNT)
    due = joined(
        "<first> or <second>",
        (Sentence("<kind> (<unit>)", kind=Sentence(UNITS[unit][0]), unit=unit) for unit in expected),
    )
    match = _FIGURE.fullmatch(str(text).strip())
    digits = match[2] if match else "1"
    unit = match[4].strip() if match else ""
    cure = {("B", "B/s"): f"{unit}/s", ("FLOP", "FLOP/s"): f"{unit.removesuffix('s')}/s"}.get((came, expected[0]))
    example = f"{digits} {cure or UNITS[expected[0]][1]}"
    said = "<figure> is <what> (<came>); expected <due>, such as <example>"
    raise RoofproofError(said, figure=quoted(text), what=what, came=came, due=due, example=quoted(example))


def parse_quantity(text: object, dimension: str) -> Fraction:
    """Parse a spec of one dimension ("FLOP/s", "B/s", "B" or "s") exactly, and return its value in that base unit.

    >>> parse_quantity("200 Gbit/s", "B/s")   # 200 * 10^9 / 8
    Fraction(25000000000, 1)
    >>> parse_quantity("819 GB", "B/s")
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: '819 GB' is a size (B); expected a rate (B/s), such as '819 GB/s'

    Raises RoofproofError for a spec that cannot be read or has another dimension.
    """
    if dimension not in UNITS:
        raise RoofproofError(
            "unknown dimension <name>; expected one of <names>", name=quoted(dimension), names=", ".join(UNITS)
        )
    value, came = read_quantity(text, dimension)
    check_unit(text, came, dimension)
    return value
