"""Figures written as text, TOML or a mapping, turned into a chip; every slip is told in one line."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

from roofproof.errors import RoofproofError, one_line, quoted, unknown
from roofproof.formula.units import near_unit, unit_of
from roofproof.hardware.chips import Chip
from roofproof.hardware.figure import BASE_UNITS, Figure, typed
from roofproof.hardware.resources import LEVELS, MAIN_MEMORIES, PARTS, canonical_resource, named, units_of_resources
from roofproof.sentences import Sentence, joined
from roofproof.toml import checked, read_toml

MAX_BYTES: Final = 64 * 1024
MAX_FIGURES: Final = 400

_ABOUT: Final = ("title", "vendor", "aliases", "source", "generation", "calibration", "moving")
_PARTS: Final = ("value", "convention", "status", "source")
_ENDS: Final = ("low", "high")  # of the interval of what was measured
_VARIANT = re.compile(r"[a-z0-9][a-z0-9.-]{0,39}")

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
_BASE_OF: Final = {
    unit.dimension: text for text in (*BASE_UNITS, "FLOP") if (unit := unit_of(text, letters=True)) is not None
}
_MAX_LENGTH: Final = 60
_MAX_EXPONENT: Final = 40
_FIGURE: Final = re.compile(r"(?s)([+-]?)((?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE]([+-]?[0-9]+))?)(.*)")


def _base_unit(text: str, figure: str, due: str) -> tuple[Fraction, str]:
    """Return what one of a unit is in a base unit, and which (or "FLOP", which no figure may have).

    A peak in TFLOPs is one in TFLOP/s: no figure is a count of operations.
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
        said = "figure <figure> has the unknown unit <unit>; did you mean <near>?"
        raise RoofproofError(said, figure=quoted(figure), unit=quoted(text), near=near)
    raise RoofproofError(
        "figure <figure> has the unknown unit <unit>; expected bytes (B, GB, GiB), bits (Gbit), operations (FLOP, "
        "TOP), seconds (us), or a rate of them such as 'GB/s' (case matters)",
        figure=quoted(figure),
        unit=quoted(text),
    )


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
    match = _FIGURE.fullmatch(figure)
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
    factor, base = _base_unit(unit, figure, due)
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
    match = _FIGURE.fullmatch(str(text).strip())
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


def figure(resource: str, entry: object, variant: str = "", source: str = "given", part: str = "") -> Figure:
    """Return the figure of a resource, given as "819 GB/s" or as a table with value and source.

    >>> print(figure("f32", "60 TFLOP/s"))
    fp32 = 6e13 FLOP/s
    >>> print(figure("l2", "50 MiB"), figure("l2", "5.5 TB/s"), sep=", ")       # a memory level has both
    l2 = 52428800 B, l2 = 5.5e12 B/s

    `part` says which figure of a memory level is meant: "capacity", "total" or "bandwidth"; without it, the unit
    does. Raises RoofproofError for an unknown resource, and for a value that cannot be read or has the wrong unit.
    """
    name, allowed = named(resource)
    if part:
        ending, unit = PARTS[part]
        name, allowed = name + ending, (unit,)
    parts: Mapping[str, Any] = entry if isinstance(entry, Mapping) else {"value": entry}
    checked(dict(parts), dict.fromkeys((*_PARTS, *_ENDS), str) | {"value": object}, "part of a figure")
    if "value" not in parts:
        raise RoofproofError("figure has no value; expected one such as value = '819 GB/s'")
    value, unit = read_quantity(parts["value"], allowed[0])
    if unit == "B" and name in MAIN_MEMORIES and "B/s" in allowed:  # likely a slip, where both could be meant
        raise RoofproofError(
            "figure <figure> is a size (B); <name> is a bandwidth (B/s), such as '819 GB/s'; the size of the memory is "
            "called capacity-<name>",
            figure=quoted(parts["value"]),
            name=name,
        )
    check_unit(parts["value"], unit, *allowed)
    usual = {"convention": _usual_convention(name, unit), "status": "given", "source": source}
    usual |= {key: one_line(parts[key]) for key in _PARTS[1:] if key in parts}
    ends = {key: parse_quantity(parts[key], unit) for key in _ENDS if key in parts}
    return typed(unit)(name, value, unit, variant=variant, low=ends.get("low"), high=ends.get("high"), **usual)


def _usual_convention(name: str, unit: str) -> str:
    if unit == "FLOP/s":
        return "sparse" if name.endswith("-sparse") else "dense"
    if unit == "s":
        return "one way"
    if unit not in ("B", "B/s"):
        return "as given"
    return "per direction" if f"{name}-latency" in units_of_resources() else "total"


class _Named(RoofproofError):
    """An error that says itself which figure it is about."""


def _entries(resource: str, entry: object) -> Iterator[tuple[str, str, object]]:
    """Yield (part, variant, figure) of one TOML entry: a text, a table with a value, of variants, or of a level."""
    if isinstance(entry, Mapping) and any(part in entry for part in PARTS):
        level = canonical_resource(resource)
        if level not in LEVELS:
            said = "figure <figure>: <parts> of what is no memory level; expected one figure"
            raise _Named(said, figure=quoted(resource), parts=joined("<first> and <second>", map(str, entry)))
        for part, value in entry.items():
            if part not in PARTS:
                raise unknown("part of a memory level", str(part), PARTS)
            yield from ((part, variant, one) for _, variant, one in _entries(f"{resource} {part}", value))
        return
    if not isinstance(entry, Mapping) or any(part in entry for part in _PARTS):
        yield "", "", entry
        return
    if "default" not in entry:
        said = 'figure <figure> has no default; expected default = { value = "..." } beside its variants'
        raise _Named(said, figure=quoted(resource))
    for name, value in entry.items():
        if not _VARIANT.fullmatch(name):
            said = "figure <figure>: variant <name> is no name; expected small letters, digits, '-'"
            raise _Named(said, figure=quoted(resource), name=quoted(name))
        yield "", "" if name == "default" else name, value


def chip_from_mapping(name: str, data: Mapping[str, object], where: str, source: str) -> Chip:
    """Return the chip that a TOML file or an exercise describes; `where` begins every message.

    >>> chip_from_mapping("edge", {"dram": "48 GB/s"}, "chip 'edge'", "exercise").memory
    'dram'

    Raises RoofproofError in one line, with `where` and the figure it is about.
    """
    kinds = dict.fromkeys(_ABOUT, str) | {"aliases": object, "calibration": dict, "moving": dict}
    about = checked({key: data[key] for key in _ABOUT if key in data}, kinds, "key", f"{where}: ")
    about = {key: one_line(said) if isinstance(said, str) else said for key, said in about.items()}
    entries = ((resource, entry) for resource, entry in data.items() if resource not in _ABOUT)
    chip = chip_from_entries(name, entries, where, about.get("source", source), about)
    measured: dict[str, Any] = {}
    if "calibration" in about or "moving" in about:
        from roofproof.hardware.calibration import calibration, moving  # few chips have them

        ceilings = tuple(calibration(e, t, where) for e, t in about.get("calibration", {}).items())
        movings = tuple(moving(kind, t, where) for kind, t in about.get("moving", {}).items())
        measured = {"calibrations": ceilings, "movings": movings}
    return replace(chip, generation=about.get("generation", ""), **measured)


def chip_from_entries(
    name: str, entries: Iterable[tuple[str, object]], where: str, source: str, about: Mapping[str, str] | None = None
) -> Chip:
    """Return the chip of entries `resource, figure`, in which a memory level may stand for each of its figures.

    >>> one = chip_from_entries("edge", [("l2", "4 MiB"), ("l2", "200 GB/s")], "chip 'edge'", "exercise")
    >>> [str(figure) for figure in one.supplies]               # 4 * 2^20
    ['l2 = 4194304 B', 'l2 = 2e11 B/s']

    Raises RoofproofError in one line, with `where` and the figure it is about.
    """
    defaults: list[Figure] = []
    others: list[Figure] = []
    seen: set[tuple[str, str, str]] = set()
    for name_of_entry, entry in entries:
        place = resource = MAIN_MEMORIES[0] if name_of_entry.strip().lower() == "memory" else name_of_entry
        try:
            for part, variant, value in _entries(resource, entry):
                place = f"{resource} {part}" if part else resource
                one = figure(resource, value, variant, source, part)
                if (one.resource, one.unit, variant) in seen:
                    raise _Named("figure <figure> is given twice", figure=quoted(one.resource))
                seen.add((one.resource, one.unit, variant))
                (others if variant else defaults).append(one)
        except RoofproofError as error:
            told = isinstance(error, _Named) or str(error).startswith("unknown resource")
            problem = error.said if told else Sentence("<where>: <problem>", where=place, problem=error)
            raise RoofproofError("<where>: <problem>", where=where, problem=problem) from None
        if len(seen) > MAX_FIGURES:
            raise RoofproofError("<where>: more than <most> figures", where=where, most=MAX_FIGURES)
    if not defaults:
        raise RoofproofError('<where> has no figures; expected some such as hbm = "819 GB/s"', where=where)
    said = about or {}
    title, vendor = said.get("title", name), said.get("vendor", "")
    try:
        return Chip(name, tuple(defaults), title, vendor, source, tuple(others))
    except RoofproofError as error:
        raise RoofproofError(_placed(error.said, where)) from None


def _placed(said: str, where: str) -> str:
    """Return an error in a chip with the place that it is read from."""
    return Sentence(said.form, **{**said.parts, "where": where}) if isinstance(said, Sentence) else said


def chip_from_toml(name: str, content: bytes, file: str) -> Chip:
    """Return the chip that the bytes of a TOML file describe; `file` is the name used in messages.

    >>> chip_from_toml("edge", b'dram = "48 GB/s"', "edge.toml").rate("dram").value
    Fraction(48000000000, 1)

    Raises RoofproofError, with the file and where TOML breaks off the line, for anything that is not a chip.
    """
    where = f"chip file {quoted(file)}"
    twice = "each figure stands once, figures of other sources as variants"
    data = read_toml(content, where, MAX_BYTES, "expected one chip a file", twice)
    return chip_from_mapping(name, data, where, file)
