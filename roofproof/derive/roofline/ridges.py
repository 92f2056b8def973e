"""The ridge point of a chip: peak FLOP/s over bytes/s, the intensity at which the two times are equal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sympy

from roofproof.errors import MissingFigure, quoted

if TYPE_CHECKING:
    from roofproof.hardware import Chip, Figure


def ridge(chip: Chip, compute: str, channel: str = "memory") -> sympy.Rational:
    """Return the exact ridge point of a compute unit and a memory level or link, in FLOP/B.

    >>> from roofproof.hardware import chip
    >>> ridge(chip("tpu-v5e@scaling-book"), "bf16")           # 1.97e14 FLOP/s / 8.2e11 B/s = 240.24...
    9850/41

    `compute` is a number format, with its unit if that is not the matrix unit (`fp32-vector`). `channel` is a memory
    level (`memory` is the main memory) or a link such as `ici`. Raises RoofproofError as `supply` does.

    Source: Williams, Waterman, Patterson, "Roofline", CACM 52(4), 2009.
    """
    peak, bandwidth = chip.peak(compute).value, one_way(chip, chip.bandwidth(supplier(chip, channel))).value
    return sympy.Rational(peak) / sympy.Rational(bandwidth)


def supplier(chip: Chip, channel: str) -> str:
    """Return the chip's name for a level or link: `memory` is its `hbm` or `dram`, `ici` its link to other chips.

    >>> from roofproof.hardware import chip
    >>> supplier(chip("tpu-v5e"), "ici"), supplier(chip("h100-sxm"), "ici"), supplier(chip("mi300x"), "ici")
    ('ici', 'nvlink', 'xgmi')
    """
    return chip.memory if channel == "memory" else chip.link if channel == "ici" else channel


def supply(chip: Chip, resource: str) -> Figure:
    """Return the chip's rate of a compute unit in FLOP/s, or of a memory level or a link in B/s per direction.

    >>> from roofproof.hardware import chip
    >>> supply(chip("tpu-v5e"), "ici").value                  # one of four links, one way
    Fraction(45000000000, 1)
    >>> supply(chip("tpu-v5e@both-directions"), "ici")
    Traceback (most recent call last):
    roofproof.errors.MissingFigure: spec 'ici' of 'tpu-v5e@both-directions' counts both directions \
(per link, bidirectional; axes=2; printed 9.0e10 B/s); expected one direction, half of it

    Bytes over a link are counted per direction. Raises RoofproofError for a spec the chip lacks, for a level with a
    capacity but no bandwidth, and for a link whose spec counts both directions.
    """
    return one_way(chip, chip.rate(supplier(chip, resource)))


def one_way(chip: Chip, rate: Figure) -> Figure:
    """Return a rate unchanged, or raise MissingFigure for a link whose spec counts both directions."""
    if rate.both_directions:
        raise MissingFigure(
            f"spec {quoted(rate.resource)} of {quoted(chip.name)} counts both directions ({rate.convention}); "
            f"expected one direction, half of it",
            chip.name,
            rate.resource,
        )
    return rate
