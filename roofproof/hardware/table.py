"""Chips as text: one line per chip, or every spec of one chip."""

from __future__ import annotations

from fractions import Fraction

from roofproof.errors import RoofproofError
from roofproof.formula.magnitudes import decimal, prefixed
from roofproof.formula.units import unit_of
from roofproof.hardware.catalog import any_chip, chip, chip_names, glance, lenders, search

TYPE_CHECKING = False  # importing typing is slow, measured by the start of a short command
if TYPE_CHECKING:
    from typing import Final

    from roofproof.hardware.calibration import Fitted
    from roofproof.hardware.chips import Chip

_PEAKS: Final = ("bf16", "fp16", "int8")
_MEMORIES: Final = ("hbm", "dram")
_RIDGE_OF: Final = ("bf16", "fp16", "fp32", "fp32-tensor", "fp32-vector", "int8")
_SHOWN: Final = tuple(dict.fromkeys((*_PEAKS, *_RIDGE_OF, *_MEMORIES)))


def seconds(value: Fraction) -> str:
    """Return seconds with four digits and a prefix, cut off so that a printed minimum does not exceed the exact one.

    >>> seconds(Fraction(1, 3000000)), seconds(Fraction(2, 3000000))
    ('333.3 ns', '666.6 ns')
    """
    from decimal import ROUND_FLOOR, Context

    return prefixed(Fraction(Context(4, ROUND_FLOOR).divide(value.numerator, value.denominator)), "s")


def rounded(value: Fraction) -> str:
    """Return a value to four significant digits, three below 1, for display only.

    >>> rounded(Fraction(197_000, 819)), rounded(Fraction(30)), rounded(Fraction(987_654)), rounded(Fraction(1, 2331))
    ('240.5', '30', '987700', '0.000429')
    """
    places = 4 - len(str(int(value)))
    while 0 < value * 10**places < 100:
        places += 1
    return decimal(Fraction(round(value, places)))


def _value(figure: str) -> Fraction:
    """Return a spec of a bundled chip in base units."""
    number, _, text = figure.partition(" ")
    unit = unit_of(text, letters=True)
    assert unit is not None, figure
    return Fraction(number) * unit.factor


def _row(name: str) -> tuple[str, ...]:
    about = glance(name, *_SHOWN)
    figures = {key: _value(about[key]) for key in _SHOWN if key in about}
    peaks = [prefixed(figures[peak], "FLOP/s") if peak in figures else "-" for peak in _PEAKS]
    memory = next((figures[name] for name in _MEMORIES if name in figures), None)
    best = next((peak for peak in _RIDGE_OF if peak in figures), None)
    ridge = f"{rounded(figures[best] / memory)} {best}" if memory and best else "-"
    return (about["vendor"], name, about["title"], *peaks, prefixed(memory, "B/s") if memory else "-", ridge)


def _aligned(rows: list[tuple[str, ...]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def chips_table(part: str = "") -> str:
    """Return the chips whose name or alias contains `part`, by vendor, one line each.

    >>> print(chips_table("v5e"))
    Google
      chip     title           bf16         fp16  int8         memory    ridge FLOP/B
      tpu-v5e  Google TPU v5e  197 TFLOP/s  -     393 TFLOP/s  819 GB/s  240.5 bf16

    Raises RoofproofError with near matches if nothing contains `part`.
    """
    names = (search(part) or _by_words(part)) if part else chip_names()
    if not names:
        chip(part)  # raises an error with near matches
        raise RoofproofError("no chip matches <part>", part=repr(part))
    rows = [_row(name) for name in names]
    head = ("chip", "title", *_PEAKS, "memory", "ridge FLOP/B")
    lines = _aligned([head, *(row[1:] for row in rows)])
    by_vendor: dict[str, list[str]] = {vendor: [lines[0]] for vendor in sorted({row[0] for row in rows})}
    for line, row in zip(lines[1:], rows, strict=True):
        by_vendor[row[0]].append(line)
    return "\n\n".join("\n  ".join([vendor, *listed]) for vendor, listed in by_vendor.items())


def _by_words(text: str) -> tuple[str, ...]:
    """Return the chips whose title and vendor contain all words of a text."""
    said = {name: " ".join(glance(name).values()).lower() for name in chip_names()}
    return tuple(name for name in chip_names() if all(word in said[name] for word in text.lower().split()))


def chip_table(chip: Chip) -> str:
    """Return every spec of a chip with unit, convention, status and source, with those of other sources below it.

    A memory level has a line for each of its specs, one below the other: bandwidth and capacity.

    >>> from roofproof.hardware.catalog import chip_from_figures
    >>> dram = {"bandwidth": "48 GB/s", "capacity": "8 GB"}
    >>> edge = chip_from_figures("edge", {"fp16": "1.2 TFLOP/s", "dram": dram}, "exercise 2.1")
    >>> print(chip_table(edge))
    edge
    spec            value        convention  status  source
    fp16            1.2 TFLOP/s  dense       given   exercise 2.1
    dram bandwidth  48 GB/s      total       given   exercise 2.1
    dram capacity   8 GB         total       given   exercise 2.1
    calibrated: nothing; `roofproof calibrate` fits rates to measured times
    """
    rows: list[tuple[str, ...]] = [("spec", "value", "convention", "status", "source")]
    first = {figure.label.partition(" ")[0]: place for place, figure in reversed([*enumerate(chip.supplies)])}
    for figure in sorted(chip.supplies, key=lambda figure: first[figure.label.partition(" ")[0]]):
        for one in (figure, *chip.alternatives(figure)):
            label = one.label if one is figure else f"  @{one.variant or 'default'}"
            ends = "" if one.low is None else f"; {' to '.join(prefixed(end, one.unit) for end in one.ends)}"
            rows.append((label, prefixed(one.value, one.unit), one.convention + ends, one.status, one.source))
    title = chip.name if chip.title in ("", chip.name) else f"{chip.name}  {chip.title}"
    lines = [title, *_aligned(rows)]
    for found in chip.calibrations:
        from roofproof.hardware.calibration import CORNERS  # late, because a list of chips does not need it

        lines += [
            f"calibrated, {found.engine} with {found.level}, for estimates alone ({found.points} times, "
            f"median error {rounded(100 * found.error)} % on those not fitted; {found.fit}; {found.source})",
            f"  of {found.engine} {found.compute}, of {found.level} {found.memory}, "
            f"start {_lasting(found.start)}, corner {found.corner}: {CORNERS[found.corner]}",
        ]
    if not chip.calibrations:
        lent = ", ".join(each.name for each in lenders(chip))
        lender = f" of its own; an estimate borrows from {lent}, which is {chip.generation} too" if lent else ""
        lines.append(f"calibrated: nothing{lender}; `roofproof calibrate` fits rates to measured times")
    if chip.variants:
        base = chip.name.partition("@")[0]
        lines.append("variants: " + ", ".join(f"{base}@{name}" for name in chip.variants))
    return "\n".join(lines)


def _lasting(found: Fitted) -> str:
    """Return fitted seconds with their interval."""
    value, low, high = (prefixed(each, "s") for each in (found.value, found.low, found.high))
    return f"{value} ({low} to {high})"


def browse(text: str = "") -> str:
    """Return the output of `roofproof show [TEXT]`: all chips, those that match a part of a name, or one chip.

    >>> browse("v5").splitlines()[0]
    'Google'
    >>> browse("tpu-v5e").splitlines()[0]
    'tpu-v5e  Google TPU v5e'
    """
    if not text:
        return chips_table()
    try:
        return chip_table(any_chip(text))
    except RoofproofError:
        if "@" in text or "=" in text or text.endswith(".toml") or not (search(text) or _by_words(text)):
            raise
        return chips_table(text)
