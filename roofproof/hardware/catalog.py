"""Chips by name: those that come with the package, a user's own file, or specs given as text."""

from __future__ import annotations

import os
from functools import cache

from roofproof.errors import RoofproofError, quoted, unknown
from roofproof.sentences import Sentence, joined

TYPE_CHECKING = False  # importing typing is slow, measured by the start of a short command
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final

    from roofproof.hardware.chips import Chip

_DATA: Final = os.path.join(os.path.dirname(__file__), "data")
_MEMORIES: Final = ("hbm", "dram")
_MAX_TEXT: Final = 2000


def chip(name: str) -> Chip:
    """Return the chip with a name, for NAME@VARIANT with that variant's specs in place of the defaults.

    >>> chip("tpu-v5e").rate("hbm").value, chip("tpu-v5e@scaling-book").rate("hbm").value   # B/s
    (Fraction(819000000000, 1), Fraction(820000000000, 1))

    Raises RoofproofError with near matches for an unknown chip or variant. Specs carry their own sources.
    """
    base, at, variant = name.strip().partition("@")
    found = _load(_resolve(base))
    return found.variant(variant) if at else found


@cache
def chip_names() -> tuple[str, ...]:
    """Return the names of all chips that come with the package.

    >>> "tpu-v5e" in chip_names()
    True
    """
    return tuple(sorted(file[:-5] for file in os.listdir(_DATA) if file.endswith(".toml")))


def lenders(one: Chip) -> tuple[Chip, ...]:
    """Return the chips of the same generation that have calibrated rates, which this one may borrow.

    >>> [each.name for each in lenders(chip("a40"))], lenders(chip("tpu-v5e"))
    (['a100-80gb-sxm'], ())
    """
    base = one.name.partition("@")[0]
    calibrated = (name for name in chip_names() if name != base and "\n[calibration." in source_text(name))
    found = map(chip, calibrated) if one.generation else ()
    return tuple(each for each in found if each.generation == one.generation)


@cache
def glance(name: str, *figures: str) -> dict[str, str]:
    """Return the title, the vendor, the aliases and some specs of a chip as written in its file, by a text search.

    >>> glance("tpu-v5e", "hbm", "fp64")["hbm"]
    '8.19e11 B/s'

    For a list of all chips, a TOML parser would take fifty times as long. The tests check that both read the same.
    """
    text = "\n" + source_text(name)
    marks = {"title": ('\ntitle = "', '"\n'), "vendor": ('\nvendor = "', '"\n'), "aliases": ("\naliases = [", "]")}
    for figure in figures:
        head = f"{figure}.bandwidth" if figure in _MEMORIES else figure
        marks[figure] = f'\n[{head}]\ndefault = {{ value = "', '"'
    found = {}
    for key, (before, end) in marks.items():
        if (start := text.find(before)) >= 0:
            start += len(before)
            found[key] = text[start : text.index(end, start)].replace('\\"', '"')
    return found


@cache
def aliases() -> dict[str, str]:
    """Return the short names of chips: alias to name.

    >>> aliases()["trillium"]
    'tpu-v6e'
    """
    listed = {name: glance(name).get("aliases", "").split(",") for name in chip_names()}
    return {alias.strip(' "'): name for name, every in listed.items() for alias in every if alias.strip()}


def source_text(name: str) -> str:
    """Return the TOML text of a chip that comes with the package."""
    with open(os.path.join(_DATA, f"{name}.toml"), encoding="utf-8") as file:
        return file.read()


def search(part: str) -> tuple[str, ...]:
    """Return the names of the chips whose name or alias contains a text, in order.

    >>> search("v5")
    ('tpu-v5e', 'tpu-v5p')
    """
    part = part.strip().lower()
    found = {name for name in chip_names() if part in name}
    found |= {name for alias, name in aliases().items() if part in alias}
    return tuple(sorted(found))


def _resolve(name: str) -> str:
    text = name.strip().lower().replace("_", "-").replace(" ", "-")
    if text in chip_names():
        return text
    if text in aliases():
        return aliases()[text]
    plain = text.replace("-", "")
    same = {*(n for n in chip_names() if n.replace("-", "") == plain)}
    same |= {name for alias, name in aliases().items() if alias.replace("-", "") == plain}
    if len(same) == 1:
        return same.pop()
    near = search(text) if len(text) > 1 else ()
    near = near or _with_parts(text)
    if 0 < len(near) <= 8:
        raise RoofproofError(
            "unknown chip <name>; did you mean <meant>?",
            name=quoted(name),
            meant=joined("<first> or <second>", map(repr, near)),
        )
    raise unknown("chip", name, [*chip_names(), *aliases()])


def _with_parts(text: str) -> tuple[str, ...]:
    """Return the names that contain every part of a text, else its first part, such as `h100` of `h100-80gb`."""
    parts = [part for part in text.split("-") if part]
    for some in (parts, parts[:1]):
        if found := [name for name in chip_names() if all(part in name.split("-") for part in some)]:
            return tuple(found) if some else ()
    return ()


@cache
def _load(name: str) -> Chip:
    from roofproof.hardware.reading import chip_from_toml  # late, because a list of chips does not need it

    return chip_from_toml(name, source_text(name).encode(), f"{name}.toml")


def load_chip(path: str | os.PathLike[str]) -> Chip:
    """Return the chip of a user's TOML file, named after the file, in which lines such as hbm = "819 GB/s" are enough.

    >>> load_chip("no-such-chip.toml")
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: cannot read chip file 'no-such-chip.toml': No such file or directory

    Raises RoofproofError for a file that cannot be read or does not describe a chip.
    """
    from roofproof.hardware.reading import MAX_BYTES, chip_from_toml
    from roofproof.toml import read_bytes

    file = os.path.basename(os.fspath(path))
    content = read_bytes(path, MAX_BYTES, "chip file ")
    return chip_from_toml(os.path.splitext(file)[0], content, file)


def chip_from_text(text: str, name: str = "custom", memory: str = "memory") -> Chip:
    """Return a chip from specs in a text, as `--chip` takes them.

    >>> mine = chip_from_text("bf16=1.97e14 FLOP/s, hbm=820 GB/s")
    >>> [str(rate) for rate in mine.supplies]
    ['bf16 = 1.97e14 FLOP/s', 'hbm = 8.2e11 B/s']

    A memory level may be given twice, with its capacity and its bandwidth: "l2=50 MiB, l2=5.5 TB/s". The specs may
    follow the name of a chip that has the rest: "v100-sxm2-16gb, l1=12 TB/s". In the text, "memory" is the main memory,
    and the argument `memory` is its name on that chip.
    Raises RoofproofError for text that is not `resource=value, resource=value`.
    """
    from roofproof.hardware.reading import chip_from_entries
    from roofproof.hardware.resources import MAIN_MEMORIES

    if len(text) > _MAX_TEXT:
        raise RoofproofError(
            "chip <text> has <count> characters; expected at most <most>",
            text=quoted(text, 20),
            count=len(text),
            most=_MAX_TEXT,
        )
    figures: list[tuple[str, str]] = []
    base, _, rest = text.partition(",")
    if rest and "=" not in base and base.strip():
        known = any_chip(base.strip())
        main = next((each for each in MAIN_MEMORIES if each in known.resources), memory)
        return _extended(known, chip_from_text(rest, name, main))
    for part in text.split(","):
        resource, equals, figure = (piece.strip() for piece in part.partition("="))
        if not equals or not resource:
            why = "chip <text>: <part> is not a spec; expected specs such as 'bf16=197 TFLOP/s, hbm=819 GB/s'"
            raise RoofproofError(why, text=quoted(text), part=quoted(part.strip()))
        figures.append((memory if resource.lower() == "memory" else resource, figure))
    return chip_from_entries(name, figures, Sentence("chip <name>", name=quoted(text)), "given")


def _extended(base: Chip, more: Chip) -> Chip:
    """Return a chip with additional specs, each of which replaces one with the same name and unit."""
    from dataclasses import replace

    given = {(f.resource, f.unit): f for f in more.supplies}
    kept = tuple(given.pop((f.resource, f.unit), f) for f in base.supplies)
    return replace(base, supplies=(*kept, *given.values()))


def chip_from_figures(name: str, figures: Mapping[str, object], source: str = "given") -> Chip:
    """Return a chip from specs by resource, such as an exercise gives them.

    >>> q1 = chip_from_figures("q1", {"int8": "3.94e14 FLOP/s", "hbm": "8.1e11 B/s"}, "question 1")
    >>> q1.rate("int8").value / q1.rate("hbm").value / 2   # 3.94e14 / 8.1e11 / 2, a batch
    Fraction(19700, 81)

    Raises RoofproofError for an unknown resource or a spec that cannot be read.
    """
    from roofproof.hardware.reading import chip_from_mapping

    return chip_from_mapping(name, figures, f"chip {quoted(name)}", source)


def any_chip(text: str) -> Chip:
    """Return the chip for NAME or FILE.toml, each with @VARIANT, for specs "bf16=...", or for both "NAME, l1=...".

    >>> any_chip("bf16=1e15 FLOP/s, hbm=3.35 TB/s").memory, any_chip("v5e").name
    ('hbm', 'tpu-v5e')
    """
    if "=" in text:
        return chip_from_text(text)
    file, at, variant = text.rpartition("@")
    if at and file.endswith(".toml"):
        return load_chip(file).variant(variant)
    return load_chip(text) if text.endswith(".toml") else chip(text)
