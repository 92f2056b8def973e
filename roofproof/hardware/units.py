"""Figures read from text: exact numbers with a unit, never a float on the way."""

from __future__ import annotations

import os
import re
from fractions import Fraction
from functools import cache

from roofproof.errors import RoofproofError, quoted
from roofproof.sentences import Sentence, joined

TYPE_CHECKING = False  # typing takes long to import, measured by the start of a short command
if TYPE_CHECKING:
    from typing import Any, Final

BASE_UNITS: Final = ("FLOP/s", "B/s", "B", "s", "Hz", "W", "count", "J/FLOP", "J/B")
"""The units a figure may have once it is read; integer operations count as FLOP."""

# unit: what it measures, the unit people usually print it in, and such a figure
_KINDS: Final = {
    "FLOP/s": ("a compute rate", "TFLOP/s", "197 TFLOP/s"),
    "B/s": ("a rate", "GB/s", "819 GB/s"),
    "B": ("a size", "GiB", "16 GiB"),
    "s": ("a time", "us", "1 us"),
    "Hz": ("a frequency", "GHz", "1.4 GHz"),
    "W": ("a power", "W", "350 W"),
    "count": ("a number", "count", "108 count"),
    "J/FLOP": ("an energy per operation", "pJ/FLOP", "0.5 pJ/FLOP"),
    "J/B": ("an energy per byte", "pJ/B", "31 pJ/B"),
}
_COUNT: Final = "a count of operations"
_PREFIXES: Final = {name: 1000**k for k, name in enumerate("kMGTPE", 1)} | {
    f"{name}i": 1024**k for k, name in enumerate("KMGTP", 1)
}
_PREFIXED: Final = {"B": "B", "B/s": "B/s", "FLOP/s": "FLOP/s", "OP/s": "FLOP/s"}
# What figures are usually printed in needs no library: a test holds it against pint.
_SPELLED: Final = (
    {unit: (1, unit) for unit in BASE_UNITS}
    | {"OP/s": (1, "FLOP/s")}
    | {name + unit: (factor, base) for name, factor in _PREFIXES.items() for unit, base in _PREFIXED.items()}
)

_MAX_LENGTH: Final = 60
_MAX_EXPONENT: Final = 40
_FIGURE: Final = r"(?s)([+-]?)((?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE]([+-]?[0-9]+))?)(.*)"
_UNIT: Final = r"[A-Za-zµμ]{1,16}(?: ?/ ?[A-Za-zµμ]{1,16})?"


@cache
def _registry() -> Any:
    """Return pint's registry with the definitions of units.txt and nothing else; built on first use."""
    from pint import UnitRegistry

    registry = UnitRegistry(None, non_int_type=Fraction, case_sensitive=True)
    with open(os.path.join(os.path.dirname(__file__), "units.txt"), encoding="utf-8") as lines:
        registry.load_definitions(lines.read().splitlines())
    return registry


def _by_pint(unit: str, figure: str) -> tuple[Fraction, str]:
    """Return one `unit` in base units, and the base unit (or "FLOP", which no figure may have)."""
    from pint.errors import PintError

    registry = _registry()
    unknown = RoofproofError(
        "figure <figure> has the unknown unit <unit>; expected bytes (B, GB, GiB), bits (Gbit), operations (FLOP, "
        "TOP), seconds (us), or a rate of them such as 'GB/s' (case matters)",
        figure=quoted(figure),
        unit=quoted(unit),
    )
    if not re.fullmatch(_UNIT, unit):
        raise unknown
    try:
        parsed = registry.Quantity(Fraction(1), registry.parse_units(unit))
        for base in (*BASE_UNITS, "FLOP"):
            if parsed.is_compatible_with(base):
                factor = Fraction(parsed.to(base).magnitude)
                break
        else:
            raise unknown
    except (PintError, ValueError):  # pint reads "nan" as a number
        raise unknown from None
    if base in ("B", "B/s", "FLOP", "FLOP/s") and factor < Fraction(1, 8):
        said = "figure <figure> is in thousandths or less of <base>; case matters: 'M' is 10^6, 'm' is 1/1000"
        raise RoofproofError(said, figure=quoted(figure), base=base)
    return factor, base


def read_quantity(text: object, due: str = "B/s") -> tuple[Fraction, str]:
    """Read a figure with its unit, exactly, and return the value in base units and which base unit.

    `due` is the base unit that the examples in messages show.

    >>> read_quantity("8.2e11 B/s")
    (Fraction(820000000000, 1), 'B/s')
    >>> read_quantity("16 GiB")   # 16 * 2^30
    (Fraction(17179869184, 1), 'B')

    Raises RoofproofError for anything but a positive decimal number with a known unit.
    """
    kind, usual, shown = _KINDS[due]
    example = quoted(shown)
    if isinstance(text, float):
        said = "figure <figure> is a float, which rounds; write it in quotes with its unit, such as <example>"
        raise RoofproofError(said, figure=repr(text), example=example)
    if not isinstance(text, str):
        said = "figure <figure> is not text; write it in quotes with its unit, such as <example>"
        raise RoofproofError(said, figure=quoted(text), example=example)
    figure = text.strip()
    if len(figure) > _MAX_LENGTH:
        said = "figure <figure> has <count> characters; expected at most <most>"
        raise RoofproofError(said, figure=quoted(figure, 20), count=len(figure), most=_MAX_LENGTH)
    match = re.fullmatch(_FIGURE, figure)
    if match is None:
        said = "figure <figure> does not begin with a number; expected a figure such as <example>"
        raise RoofproofError(said, figure=quoted(figure), example=example)
    sign, digits, exponent, unit = match.groups()
    if exponent is not None and (len(exponent) > 4 or abs(int(exponent)) > _MAX_EXPONENT):
        said = "figure <figure> has the exponent <exponent>; expected one between -<most> and <most>"
        raise RoofproofError(said, figure=quoted(figure), exponent=exponent, most=_MAX_EXPONENT)
    value = Fraction(digits)
    if sign == "-" or value == 0:
        said = "figure <figure> is zero; expected a positive figure"
        said = said if value == 0 else "figure <figure> is negative; expected a positive figure"
        raise RoofproofError(said, figure=quoted(figure))
    unit = unit.strip()
    if not unit:
        cure = f"{digits} {due if value >= 10**6 else usual}"
        said = "figure <figure> has no unit; expected <kind> such as <example>"
        raise RoofproofError(said, figure=quoted(figure), kind=Sentence(kind), example=quoted(cure))
    factor, base = _SPELLED[unit] if unit in _SPELLED else _by_pint(unit, figure)
    return value * factor, base


def check_unit(text: object, came: str, *expected: str) -> None:
    """Refuse a figure whose base unit `came` is none of those `expected`, and say how it should be written.

    >>> check_unit("819 GB", "B", "B/s")
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: figure '819 GB' is a size (B); expected a rate (B/s), such as '819 GB/s'
    """
    if came in expected:
        return
    what = Sentence(_KINDS[came][0] if came in _KINDS else _COUNT)
    due = joined(
        "<first> or <second>",
        (Sentence("<kind> (<unit>)", kind=Sentence(_KINDS[unit][0]), unit=unit) for unit in expected),
    )
    match = re.fullmatch(_FIGURE, str(text).strip())
    digits = match[2] if match else "1"
    unit = match[4].strip() if match else ""
    cure = {("B", "B/s"): f"{unit}/s", ("FLOP", "FLOP/s"): f"{unit.removesuffix('s')}/s"}.get((came, expected[0]))
    example = f"{digits} {cure or _KINDS[expected[0]][1]}"
    said = "figure <figure> is <what> (<came>); expected <due>, such as <example>"
    raise RoofproofError(said, figure=quoted(text), what=what, came=came, due=due, example=quoted(example))


def parse_quantity(text: object, dimension: str) -> Fraction:
    """Read a figure that must be of one dimension ("FLOP/s", "B/s", "B" or "s"), in that base unit, exactly.

    >>> parse_quantity("200 Gbit/s", "B/s")   # 200 * 10^9 / 8
    Fraction(25000000000, 1)
    >>> parse_quantity("819 GB", "B/s")
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: figure '819 GB' is a size (B); expected a rate (B/s), such as '819 GB/s'

    Raises RoofproofError for a figure that cannot be read or has another dimension.
    """
    if dimension not in BASE_UNITS:
        raise RoofproofError(
            "unknown dimension <name>; expected one of <names>", name=quoted(dimension), names=", ".join(BASE_UNITS)
        )
    value, came = read_quantity(text, dimension)
    check_unit(text, came, dimension)
    return value


def decimal(value: Fraction) -> str:
    """Return an exact value as a decimal, in powers of ten where that is shorter; a fraction if it has none.

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
