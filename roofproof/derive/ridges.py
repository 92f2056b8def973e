"""The ridge point of a chip: peak FLOP/s over bytes/s, the intensity at which the two times are equal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sympy

if TYPE_CHECKING:
    from roofproof.hardware import Chip


def ridge(chip: Chip, compute: str, channel: str = "memory") -> sympy.Rational:
    """Return the critical intensity of a compute resource against a channel, in FLOP/B, exactly.

    >>> from roofproof.hardware import chip
    >>> ridge(chip("tpu-v5e@scaling-book"), "bf16")           # 1.97e14 FLOP/s / 8.2e11 B/s = 240.24...
    9850/41

    `compute` is a number format, with its engine where it is not the matrix unit (`fp32-vector`); `channel` is
    `memory` (the main memory), or a link such as `ici`. Raises RoofproofError for a figure the chip lacks.

    Source: Williams, Waterman, Patterson, "Roofline", CACM 52(4), 2009.
    """
    peak = chip.rate(compute).value
    bandwidth = chip.rate(supplier(chip, channel)).value
    return sympy.Rational(peak.numerator, peak.denominator) / sympy.Rational(bandwidth.numerator, bandwidth.denominator)


def supplier(chip: Chip, channel: str) -> str:
    """Return the chip's name for a channel: `memory` is its `hbm` or `dram`."""
    return chip.memory if channel == "memory" else channel
