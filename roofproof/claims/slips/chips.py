"""Slips in taking figures from a chip."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction

from roofproof.claims.slips.slip import Slip
from roofproof.errors import RoofproofError
from roofproof.hardware import Chip, Figure


def scaled(chip: Chip, which: Callable[[Figure], bool], factor: Fraction) -> Chip | None:
    """Return the chip with some figures multiplied, or None where that makes no chip."""
    try:
        supplies = tuple(replace(r, value=r.value * factor) if which(r) else r for r in chip.supplies)
        return replace(chip, supplies=supplies) if supplies != chip.supplies else None
    except RoofproofError:
        return None


def sparse_peak(chip: Chip) -> Iterator[Chip]:
    """Yield the chip with every peak doubled, as 2:4 sparsity is advertised."""
    if (changed := scaled(chip, lambda r: r.unit == "FLOP/s", Fraction(2))) is not None:
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
    from roofproof.hardware import chip as load
    from roofproof.hardware import chip_names

    family = chip.name.partition("-")[0]
    for name in chip_names():
        if name.partition("-")[0] == family and name != chip.name:
            yield load(name)
    own = chip.name.partition("@")[0]
    for variant in load(own).variants if own in chip_names() else ():
        yield load(f"{own}@{variant}")


def directions(chip: Chip) -> Iterator[Chip]:
    """Yield the chip with its links doubled, and halved."""
    from roofproof.hardware.resources import LINKS

    for factor in (Fraction(2), Fraction(1, 2)):
        if (changed := scaled(chip, lambda r: r.resource in LINKS, factor)) is not None:
            yield changed


SLIPS = (
    Slip(
        "sparse-peak",
        "the peak with 2:4 sparsity was used; dense work reaches half of it",
        "chip",
        sparse_peak,
        "ridge(h100-sxm, bf16) ~= 590",
    ),
    Slip(
        "wrong-format",
        "the peak of another number format was used",
        "chip",
        other_format,
        "rate(t4, fp16) == 260 TFLOP/s",
    ),
    Slip(
        "sku",
        "the figure of another model of the chip was used",
        "chip",
        other_model,
        "rate(h100-sxm, hbm) == 2.0 TB/s",
    ),
    Slip(
        "directions",
        "one direction of a link was taken for both, or both for one",
        "chip",
        directions,
        "rate(h100-sxm, pcie) == 32 GB/s",
    ),
)
