"""Figures written as text, TOML or a mapping, turned into a chip; every slip is told in one line."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from roofproof.errors import RoofproofError, quoted, unknown
from roofproof.hardware.chips import Chip
from roofproof.hardware.rate import Rate
from roofproof.hardware.resources import canonical_resource, units_of_resources
from roofproof.hardware.units import check_unit, read_quantity

MAX_BYTES: Final = 64 * 1024
MAX_FIGURES: Final = 400

_ABOUT: Final = ("title", "vendor", "aliases", "source")
_PARTS: Final = ("value", "convention", "status", "source")
_VARIANT = re.compile(r"[a-z0-9][a-z0-9.-]{0,39}")


def figure(resource: str, entry: object, variant: str = "", source: str = "given") -> Rate:
    """Return the figure of a resource, given as "819 GB/s" or as a table with value and source.

    >>> print(figure("f32", "60 TFLOP/s"))
    fp32 = 6e13 FLOP/s

    Raises RoofproofError for an unknown resource, and for a value that cannot be read or has the wrong unit.
    """
    name = canonical_resource(resource)
    parts: Mapping[str, Any] = entry if isinstance(entry, Mapping) else {"value": entry}
    for part in parts:
        if part not in _PARTS:
            raise unknown("part of a figure", str(part), _PARTS)
    if "value" not in parts:
        raise RoofproofError("figure has no value; expected one such as value = '819 GB/s'")
    for part in _PARTS[1:]:
        if not isinstance(parts.get(part, ""), str):
            raise RoofproofError(f"{part} must be text in quotes; got {quoted(parts[part])}")
    allowed = units_of_resources()[name]
    value, unit = read_quantity(parts["value"], allowed[0])
    if unit == "B" and f"capacity-{name}" in units_of_resources():
        raise RoofproofError(
            f"figure {quoted(parts['value'])} is a size (B); {name} is a bandwidth (B/s), "
            f"such as '819 GB/s'; the size of the memory is called capacity-{name}"
        )
    check_unit(parts["value"], unit, *allowed)
    if unit == "B/s" and "B" in allowed:  # a memory on the chip: its bandwidth has a name of its own
        name += "-bw"
    return Rate(
        name,
        value,
        unit,
        parts.get("convention", _usual_convention(name, unit)),
        parts.get("status", "given"),
        parts.get("source", source),
        variant,
    )


def _usual_convention(name: str, unit: str) -> str:
    if unit == "FLOP/s":
        return "sparse" if name.endswith("-sparse") else "dense"
    if unit == "s":
        return "one way"
    return "per direction" if f"{name}-latency" in units_of_resources() else "total"


def _entries(resource: str, entry: object) -> Iterator[tuple[str, object]]:
    """Yield (variant, figure) of one TOML entry: a text, a table with a value, or a table of variants."""
    if not isinstance(entry, Mapping) or any(part in entry for part in _PARTS):
        yield "", entry
        return
    if "default" not in entry:
        raise RoofproofError(
            f"figure {quoted(resource)} has no default; "
            'expected default = { value = "..." } beside its variants'
        )
    for name, value in entry.items():
        if not _VARIANT.fullmatch(name):
            raise RoofproofError(
                f"figure {quoted(resource)}: variant {quoted(name)} is no name; "
                "expected small letters, digits, '-'"
            )
        yield "" if name == "default" else name, value


def chip_from_mapping(name: str, data: Mapping[str, object], where: str, source: str) -> Chip:
    """Return the chip that a TOML file or an exercise describes; `where` begins every message.

    >>> chip_from_mapping("edge", {"dram": "48 GB/s"}, "chip 'edge'", "exercise").memory
    'dram'

    Raises RoofproofError in one line, with `where` and the figure it is about.
    """
    about = {}
    for key in _ABOUT:
        if key in data:
            about[key] = data[key]
            if key != "aliases" and not isinstance(data[key], str):
                raise RoofproofError(f"{where}: {key} must be text in quotes; got {quoted(data[key])}")
    defaults: list[Rate] = []
    others: list[Rate] = []
    seen: set[tuple[str, str]] = set()
    for resource, entry in data.items():
        if resource in _ABOUT:
            continue
        try:
            for variant, value in _entries(resource, entry):
                rate = figure(resource, value, variant, str(about.get("source", source)))
                if (rate.resource, variant) in seen:
                    raise RoofproofError(f"figure {quoted(rate.resource)} is given twice")
                seen.add((rate.resource, variant))
                (others if variant else defaults).append(rate)
        except RoofproofError as error:
            said = str(error)
            if said.startswith("figure ") and said.endswith(
                ("beside its variants", "digits, '-'", "is given twice")
            ):
                raise RoofproofError(f"{where}: {said}") from None
            if said.startswith("unknown resource"):
                raise RoofproofError(f"{where}: {said}") from None
            raise RoofproofError(f"{where}: {resource}: {said}") from None
        if len(seen) > MAX_FIGURES:
            raise RoofproofError(f"{where}: more than {MAX_FIGURES} figures")
    if not defaults:
        raise RoofproofError(f'{where} has no figures; expected some such as hbm = "819 GB/s"')
    title = about.get("title", name)
    vendor = about.get("vendor", "")
    try:
        return Chip(
            name, tuple(defaults), str(title), str(vendor), str(about.get("source", source)), tuple(others)
        )
    except RoofproofError as error:
        raise RoofproofError(str(error).replace(f"chip {quoted(name)}", where, 1)) from None


def chip_from_toml(name: str, content: bytes, file: str) -> Chip:
    """Return the chip that the bytes of a TOML file describe; `file` is the name used in messages.

    >>> chip_from_toml("edge", b'dram = "48 GB/s"', "edge.toml").rate("dram").value
    Fraction(48000000000, 1)

    Raises RoofproofError, with the file and where TOML breaks off the line, for anything that is not a chip.
    """
    import tomllib

    where = f"chip file {quoted(file)}"
    if len(content) > MAX_BYTES:
        raise RoofproofError(f"{where} is larger than {MAX_BYTES // 1024} KiB; expected one chip a file")
    if not content.strip():
        raise RoofproofError(f'{where} is empty; expected figures such as hbm = "819 GB/s"')
    try:
        data = tomllib.loads(content.decode())
    except UnicodeDecodeError:
        raise RoofproofError(f"{where} is not UTF-8 text") from None
    except RecursionError:
        raise RoofproofError(
            f'{where} is nested too deeply; expected figures such as hbm = "819 GB/s"'
        ) from None
    except tomllib.TOMLDecodeError as error:
        said, _, place = str(error).partition(" (at ")
        line = re.match(r"line (\d+)", place)
        spot = f", line {line[1]}" if line else ", end of file"
        if said.startswith(("Cannot overwrite", "Cannot declare", "Duplicate", "Cannot mutate")):
            said = "a name is given twice; each figure stands once, figures of other sources as variants"
        else:
            said = f"not TOML: {said[:1].lower()}{said[1:]}"
        raise RoofproofError(f"{where}{spot}: {said}") from None
    except ValueError:
        raise RoofproofError(f"{where}: not TOML: a number or a date that cannot be read") from None
    return chip_from_mapping(name, data, where, file)
