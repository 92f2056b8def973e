"""Chips read from text, TOML or a mapping, with a one-line message for every mistake."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from roofproof.errors import RoofproofError, one_line, quoted, unknown
from roofproof.hardware.chips import Chip
from roofproof.hardware.figure import Figure
from roofproof.hardware.quantities import check_unit, parse_quantity, read_quantity
from roofproof.hardware.resources import LEVELS, MAIN_MEMORIES, PARTS, canonical_resource, named, units_of_resources
from roofproof.sentences import Sentence, joined
from roofproof.toml import checked, read_toml

TYPE_CHECKING = False  # importing typing is slow, measured by the start of a short command
if TYPE_CHECKING:
    from roofproof.hardware.calibration import Calibration

MAX_BYTES: Final = 64 * 1024
MAX_FIGURES: Final = 400

_ABOUT: Final = ("title", "vendor", "aliases", "source", "generation", "base", "calibration")
_PARTS: Final = ("value", "convention", "status", "source")
_ENDS: Final = ("low", "high")  # the interval of a measured spec
_VARIANT = re.compile(r"[a-z0-9][a-z0-9.-]{0,39}")


def figure(resource: str, entry: object, variant: str = "", source: str = "given", part: str = "") -> Figure:
    """Return the spec of a resource, given as "819 GB/s" or as a table with value and source.

    >>> print(figure("f32", "60 TFLOP/s"))
    fp32 = 6e13 FLOP/s
    >>> print(figure("l2", "50 MiB"), figure("l2", "5.5 TB/s"), sep=", ")       # a memory level has both
    l2 = 52428800 B, l2 = 5.5e12 B/s

    `part` says which spec of a memory level is meant: "capacity", "total" or "bandwidth". Without it, the unit decides.
    Raises RoofproofError for an unknown resource, and for a value that cannot be read or has the wrong unit.
    """
    name, allowed = named(resource)
    if part:
        ending, unit = PARTS[part]
        name, allowed = name + ending, (unit,)
    parts: Mapping[str, Any] = entry if isinstance(entry, Mapping) else {"value": entry}
    checked(dict(parts), dict.fromkeys((*_PARTS, *_ENDS), str) | {"value": object}, "part of a spec")
    if "value" not in parts:
        raise RoofproofError("the spec has no value; expected one, such as value = '819 GB/s'")
    value, unit = read_quantity(parts["value"], allowed[0])
    if unit == "B" and name in MAIN_MEMORIES and "B/s" in allowed:  # likely a mistake for a bandwidth
        raise RoofproofError(
            "<figure> is a size (B); expected a bandwidth such as '819 GB/s', or the name capacity-<name> for the size",
            figure=quoted(parts["value"]),
            name=name,
        )
    check_unit(parts["value"], unit, *allowed)
    usual = {"convention": _usual_convention(name, unit), "status": "given", "source": source}
    usual |= {key: one_line(parts[key]) for key in _PARTS[1:] if key in parts}
    ends = {key: parse_quantity(parts[key], unit) for key in _ENDS if key in parts}
    return Figure(name, value, unit, variant=variant, low=ends.get("low"), high=ends.get("high"), **usual)


def _usual_convention(name: str, unit: str) -> str:
    if unit == "FLOP/s":
        return "sparse" if name.endswith("-sparse") else "dense"
    if unit == "s":
        return "one way"
    if unit not in ("B", "B/s"):
        return "as given"
    return "per direction" if f"{name}-latency" in units_of_resources() else "total"


class _Named(RoofproofError):
    """An error whose message already names its spec."""


def _entries(resource: str, entry: object) -> Iterator[tuple[str, str, object]]:
    """Yield (part, variant, spec) of one TOML entry: a text, or a table with a value, variants or a level's parts."""
    if isinstance(entry, Mapping) and any(part in entry for part in PARTS):
        level = canonical_resource(resource)
        if level not in LEVELS:
            said = "spec <figure>: <parts>, but it is not a memory level; expected one value"
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
        said = 'spec <figure> has no default; expected default = { value = "..." } with its variants'
        raise _Named(said, figure=quoted(resource))
    for name, value in entry.items():
        if not _VARIANT.fullmatch(name):
            said = "spec <figure>: variant <name> is not a name; expected small letters, digits, '-'"
            raise _Named(said, figure=quoted(resource), name=quoted(name))
        yield "", "" if name == "default" else name, value


def chip_from_mapping(name: str, data: Mapping[str, object], where: str, source: str) -> Chip:
    """Return the chip that a TOML file or an exercise describes, with `where` at the start of every message.

    >>> chip_from_mapping("edge", {"dram": "48 GB/s"}, "chip 'edge'", "exercise").memory
    'dram'

    Raises RoofproofError with one line that names `where` and the spec.
    """
    kinds = dict.fromkeys(_ABOUT, str) | {"aliases": object, "calibration": dict}
    about = checked({key: data[key] for key in _ABOUT if key in data}, kinds, "key", f"{where}: ")
    about = {key: one_line(said) if isinstance(said, str) else said for key, said in about.items()}
    entries = ((resource, entry) for resource, entry in data.items() if resource not in _ABOUT)
    chip = chip_from_entries(name, entries, where, about.get("source", source), about)
    fitted: tuple[Calibration, ...] = ()
    if "calibration" in about:
        from roofproof.hardware.calibration import calibration  # few chips have them

        fitted = tuple(calibration(engine, table, where) for engine, table in about["calibration"].items())
    return replace(chip, generation=about.get("generation", ""), base=about.get("base", ""), calibrations=fitted)


def chip_from_entries(
    name: str, entries: Iterable[tuple[str, object]], where: str, source: str, about: Mapping[str, str] | None = None
) -> Chip:
    """Return the chip with some entries `resource, spec`, in which a memory level may occur once for each spec.

    >>> one = chip_from_entries("edge", [("l2", "4 MiB"), ("l2", "200 GB/s")], "chip 'edge'", "exercise")
    >>> [str(figure) for figure in one.supplies]               # 4 * 2^20
    ['l2 = 4194304 B', 'l2 = 2e11 B/s']

    Raises RoofproofError with one line that names `where` and the spec.
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
                    raise _Named("spec <figure> is given twice", figure=quoted(one.resource))
                seen.add((one.resource, one.unit, variant))
                (others if variant else defaults).append(one)
        except RoofproofError as error:
            told = isinstance(error, _Named) or str(error).startswith("unknown resource")
            problem = error.said if told else Sentence("<where>: <problem>", where=place, problem=error)
            raise RoofproofError("<where>: <problem>", where=where, problem=problem) from None
        if len(seen) > MAX_FIGURES:
            raise RoofproofError("<where>: more than <most> specs", where=where, most=MAX_FIGURES)
    if not defaults:
        raise RoofproofError('<where> has no specs; expected some, such as hbm = "819 GB/s"', where=where)
    said = about or {}
    title, vendor = said.get("title", name), said.get("vendor", "")
    try:
        return Chip(name, tuple(defaults), title, vendor, source, tuple(others))
    except RoofproofError as error:
        raise RoofproofError(_placed(error.said, where)) from None


def _placed(said: str, where: str) -> str:
    """Return an error message about a chip with the place that the chip was read from."""
    return Sentence(said.form, **{**said.parts, "where": where}) if isinstance(said, Sentence) else said


def chip_from_toml(name: str, content: bytes, file: str) -> Chip:
    """Return the chip that the bytes of a TOML file describe, with `file` as its name in messages.

    >>> chip_from_toml("edge", b'dram = "48 GB/s"', "edge.toml").rate("dram").value
    Fraction(48000000000, 1)

    Raises RoofproofError with the file for anything that is not a chip, and with the line for invalid TOML.
    """
    where = f"chip file {quoted(file)}"
    twice = "give each spec once, and values of other sources as variants"
    data = read_toml(content, where, MAX_BYTES, "expected one chip a file", twice)
    return chip_from_mapping(name, data, where, file)
