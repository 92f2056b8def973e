"""Mistakes in the specs of a chip: each function yields chips, with the object of the mistake if it has one."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

from roofproof.errors import RoofproofError
from roofproof.hardware import Chip, Figure, chip_names
from roofproof.hardware import chip as load
from roofproof.hardware.resources import LINKS, MAIN_MEMORIES

QUOTED = ("h100-sxm", "a100-80gb-sxm", "tpu-v5e", "tpu-v5p", "b200")  # the most quoted chips


def other_figure(chip: Chip) -> Iterator[tuple[Chip, str]]:
    """Yield the chip with a wrong spec.

    It is a sparse peak, the peak of another format, another bandwidth for the memory, or a value from another source.

    >>> [about for _, about in other_figure(load("a100-80gb-sxm"))][:7]                # for 312 TFLOP/s
    ['bf16-sparse', 'fp16-sparse', 'tf32-sparse', 'int8-sparse', 'int4-sparse', 'tf32', 'fp16-vector']
    """
    peaks = [f for f in (*chip.supplies, *chip.others) if f.unit == "FLOP/s"]
    sparse = {f.resource: f.value for f in peaks if f.resource.endswith("-sparse")}
    for figure in (f for f in _dense(chip) if f"{f.resource}-sparse" in sparse):
        yield from _with(chip, {figure: sparse[f"{figure.resource}-sparse"]}, f"{figure.resource}-sparse")
    for value, about in reversed({f.value: f.resource for f in reversed(peaks)}.items()):
        yield from _with(chip, dict.fromkeys(_dense(chip), value), about)
    for memory in _main(chip):
        yield from (
            each for f in chip.channels if f.resource in LINKS for each in _with(chip, {memory: f.value}, f.resource)
        )
    for figure in (*_dense(chip), *chip.channels):
        for other in chip.alternatives(figure):
            if not other.both_directions:
                yield from _with(chip, {figure: other.value}, other.variant)
    yield from ((chip.variant(name), name) for name in chip.variants)


def adds_only_peak(chip: Chip) -> Iterator[Chip]:
    """Yield the chip with half of every peak: one addition per cycle instead of a multiply-add."""
    yield from (made for made, _ in _with(chip, {f: f.value / 2 for f in _dense(chip)}, ""))


def binary_rate(chip: Chip) -> Iterator[Chip]:
    """Yield the chip with one bandwidth in GiB/s or TiB/s instead of GB/s or TB/s.

    >>> [[float(f.value) for f in c.channels if f.resource == "hbm"] for c in binary_rate(load("tpu-v5e"))][0]
    [879394553856.0]
    """
    for f in chip.channels:
        prefix = Fraction(1024, 1000) ** (4 if f.value >= 10**12 else 3)
        yield from (made for made, _ in _with(chip, {f: f.value * prefix}, ""))


def bit_rate(chip: Chip) -> Iterator[Chip]:
    """Yield the chip with one bandwidth read as bits per second: an eighth of it.

    >>> [[float(f.value) for f in c.channels if f.resource == "hbm"] for c in bit_rate(load("tpu-v5e"))][0]
    [102375000000.0]
    """
    yield from (made for f in chip.channels for made, _ in _with(chip, {f: f.value / 8}, ""))


def rounded_input(chip: Chip) -> Iterator[tuple[Chip, str]]:
    """Yield the chip with its specs rounded to one, two and three digits, then with rounded ridge points.

    >>> [[float(f.value) for f in c.channels if f.resource == "hbm"] for c, _ in rounded_input(load("tpu-v5e"))][0]
    [800000000000.0]
    """
    peaks = _dense(chip)
    for digits in (1, 2, 3):
        for figures, about in (
            ((*peaks, *chip.channels), "figures"),
            (peaks, "peak"),
            *(((f,), f.resource) for f in chip.channels),
        ):
            yield from _with(chip, {f: _rounded(f.value, digits) for f in figures}, about)
    for digits in (2, 3, 4):
        for rate in (*_main(chip), *(f for f in chip.channels if f.resource in LINKS)):
            ridges = {f: _rounded(f.value / rate.value, digits) for f in peaks}
            yield from _with(chip, {f: ridge * rate.value for f, ridge in ridges.items()}, f"ridge:{rate.resource}")


def other_chip(chip: Chip) -> Iterator[tuple[Chip, str]]:
    """Yield the other models of the chip, then other chips of its family, then the most quoted chips.

    All other chips are left out: among so many, one fits nearly any number by chance.

    >>> [about for _, about in other_chip(load("h100-sxm"))][:2]
    ['NVIDIA H100 NVL 94GB (per GPU)', 'NVIDIA H100 PCIe 80GB']
    """
    base = chip.name.partition("@")[0]
    family = _letters(base)
    others = [n for n in chip_names() if n != base and (_letters(n) == family or n in QUOTED)]
    for name in sorted(others, key=lambda n: (not is_model(n, base), _letters(n) != family)):
        other = load(name)
        yield other, other.title or other.name


def is_model(name: str, base: str) -> bool:
    """Return whether two chips are models of one chip, by the first word of their names: h100-pcie and h100-sxm."""
    return name.partition("-")[0] == base.partition("-")[0]


def is_rounded(chip: Chip, other: Chip, resource: str) -> bool:
    """Return whether the changed chip only has its own peak of a format, rounded.

    >>> h100 = load("h100-sxm")
    >>> made = [c for c, about in other_figure(h100) if about == "bf16" and is_rounded(h100, c, about)]
    >>> [float(c.peak("bf16").value) for c in made]                                              # of 9.89e14
    [990000000000000.0, 1000000000000000.0]
    """
    peaks = {f.resource: f.value for f in _dense(other)}
    values = [f.value for f in _dense(chip) if f.resource == resource]
    return any(peaks[resource] in {_rounded(v, digits) for digits in (1, 2, 3)} - {v} for v in values)


def is_coarse(chip: Chip, other: Chip, about: str) -> bool:
    """Return whether a spec was rounded to one digit, which nobody does before computing an exact integer.

    >>> v5e = load("tpu-v5e")
    >>> [is_coarse(v5e, *made) for made in rounded_input(v5e)][:4]                # 2e14 and 8e11, then one at a time
    [True, True, True, True]
    >>> sum(not is_coarse(v5e, *made) for made in rounded_input(v5e)) > 4
    True
    """
    pairs = zip(chip.supplies, other.supplies, strict=True)
    changed = [(f, g) for f, g in pairs if f.is_rate and f.value != g.value]
    allowed = (g.value in {_rounded(f.value, digits) for digits in (2, 3)} for f, g in changed)
    return not (about.startswith("ridge") or all(allowed))


def _letters(name: str) -> str:
    """Return the letters at the beginning of a name: h for h100-sxm and h200-sxm, tpu for tpu-v5e."""
    return name[: next((i for i, c in enumerate(name) if not c.isalpha()), len(name))]


def _dense(chip: Chip) -> tuple[Figure, ...]:
    return tuple(f for f in chip.compute if "sparse" not in f.resource)


def _main(chip: Chip) -> tuple[Figure, ...]:
    return tuple(f for f in chip.channels if f.resource in MAIN_MEMORIES)


def _with(chip: Chip, values: Mapping[Figure, Fraction], about: str) -> Iterator[tuple[Chip, str]]:
    """Yield the chip with other values, if they differ and make a valid chip."""
    if any(f.value != value for f, value in values.items()):
        supplies = (replace(f, value=values[f]) if f in values else f for f in chip.supplies)
        with suppress(RoofproofError):
            yield replace(chip, supplies=tuple(supplies)), about


def _rounded(value: Fraction, digits: int) -> Fraction:
    return Fraction(f"{Decimal(value.numerator) / Decimal(value.denominator):.{digits - 1}e}")
