"""Slips in taking figures from a chip."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction

from roofproof.errors import RoofproofError
from roofproof.hardware import Chip, Figure, chip_names
from roofproof.hardware import chip as load
from roofproof.hardware.resources import LINKS


def _scaled(chip: Chip, which: Callable[[Figure], bool], factor: Fraction) -> Chip | None:
    """Return the chip with some figures multiplied, or None where that makes no chip."""
    try:
        supplies = tuple(replace(r, value=r.value * factor) if which(r) else r for r in chip.supplies)
        return replace(chip, supplies=supplies) if supplies != chip.supplies else None
    except RoofproofError:
        return None


def sparse_peak(chip: Chip) -> Iterator[Chip]:
    """Yield the chip with every peak doubled, as 2:4 sparsity is advertised."""
    if (changed := _scaled(chip, lambda r: r.unit == "FLOP/s", Fraction(2))) is not None:
        yield changed


def other_format(chip: Chip) -> Iterator[Chip]:
    """Yield the chip with the peak of each format in turn in place of all others."""
    peaks = {r.resource: r.value for r in chip.supplies if r.unit == "FLOP/s" and "sparse" not in r.resource}
    for value in dict.fromkeys(peaks.values()):
        supplies = tuple(replace(r, value=value) if r.resource in peaks else r for r in chip.supplies)
        try:
            yield replace(chip, supplies=supplies)
        except RoofproofError:
            continue


def other_model(chip: Chip) -> Iterator[Chip]:
    """Yield the other chips of the same family, by the first word of their name, and variants of the chip."""
    family = chip.name.partition("-")[0]
    for name in chip_names():
        if name.partition("-")[0] == family and name != chip.name:
            yield load(name)
    own = chip.name.partition("@")[0]
    for variant in load(own).variants if own in chip_names() else ():
        yield load(f"{own}@{variant}")


def directions(chip: Chip) -> Iterator[Chip]:
    """Yield the chip with its links doubled, and halved."""
    for factor in (Fraction(2), Fraction(1, 2)):
        if (changed := _scaled(chip, lambda r: r.resource in LINKS, factor)) is not None:
            yield changed
