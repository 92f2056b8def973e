"""The intensity that keeps a share of the peak: the estimate of a chip, and its ridge point."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import sympy

from roofproof.derive.roofline.compute_bound import Ceiling, ceilings
from roofproof.derive.roofline.engines import compute_unit
from roofproof.derive.roofline.ridges import supplier
from roofproof.derive.roofline.share import Share
from roofproof.errors import RoofproofError, quoted
from roofproof.hardware import Chip
from roofproof.hardware.calibration import CORNERS, Calibration
from roofproof.hardware.catalog import lenders
from roofproof.ops import Operation
from roofproof.sentences import joined as listed
from roofproof.symbols import quantity


class Uncalibrated(RoofproofError):
    """Raised if neither a chip nor another of its generation has calibrated rates to estimate a share."""


def share_of(op: Operation, chip: Chip | None, value: Fraction, corner: str | None = None) -> Share:
    """Return the share of the peak with the estimate for it on a chip.

    >>> from roofproof.hardware import chip
    >>> from roofproof.ops import parse_operation
    >>> found = share_of(parse_operation("matmul"), chip("h100-sxm"), Fraction(4, 5))
    >>> found.corner, str(found.compute), found.of                # fitted to products of fp16, on the same unit
    ('root', '743/1000', 'fp16')

    With a corner, the specs of the chip are used uncalibrated. Without one, it raises RoofproofError if neither the
    chip nor another of its generation has calibrated rates.
    """
    if corner is not None:
        _alone(op, chip)
        return Share(value, corner)
    if chip is None:
        raise RoofproofError(
            "--share needs the calibrated rates of a chip, such as --chip h100-sxm, or --corner <corners> for "
            "datasheet rates",
            corners=listed("<first> or <second>", CORNERS),
        )
    compute, channel = _alone(op, chip)
    level = supplier(chip, channel)
    if channel == "memory":
        for found, of in calibrated(chip, compute):
            return Share(value, found.corner, found, of)
    raise Uncalibrated(
        "chip <chip> has no calibrated rates of <engine> over <level>; fit them with `roofproof calibrate`, or "
        "assume datasheet rates with --corner <corners>",
        chip=quoted(chip.name),
        engine=compute,
        level=level,
        corners=listed("<first> or <second>", CORNERS),
    )


def calibrated(chip: Chip, compute: str) -> Iterator[tuple[Calibration, str]]:
    """Yield the calibrated rates for a compute unit over the main memory, best first, and their owner if borrowed.

    >>> from roofproof.hardware import chip
    >>> [next(calibrated(chip(name), "bf16"))[1] for name in ("h100-sxm", "h200-sxm")]
    ['fp16', 'h100-sxm, fp16']
    """
    for of, one in (("", chip), *((each.name, each) for each in lenders(chip))):
        here = [c for c in one.calibrations if c.level == one.memory]
        exact = [c for c in here if c.engine == compute]
        for found in (*exact, *(c for c in here if compute_unit(c.engine) == compute_unit(compute) == "matrix")):
            yield found, ", ".join([of] * bool(of) + [found.engine] * (found.engine != compute))


def _alone(op: Operation, chip: Chip | None) -> tuple[str, str]:
    """Return the only compute unit and the only memory level or link of an operation, as estimates require."""
    found = ceilings(op, chip)
    if len(found) == 1 and found[0].moved != 0:
        return found[0].compute, found[0].channel
    uses = ", ".join(dict.fromkeys(n for c in found for n in (c.compute, c.channel)))
    raise RoofproofError(
        "operation <name> uses <uses>; --share needs one compute unit and one memory level", name=quoted(op.name),
        uses=uses,
    )  # fmt: skip


def keeping(op: Operation, share: Share, chip: Chip | None = None) -> tuple[Ceiling, ...]:
    """Return the intensity needed for a share of the peak: the ridge point of the estimate, times a factor.

    >>> from roofproof.ops import parse_operation
    >>> [c] = keeping(parse_operation("flops bf16 = 4 N; bytes memory = N"), Share(Fraction(4, 5), "sum"))
    >>> c.symbolic                                             # R_s = 0.8/(1 - 0.8) R
    4 >= R_s

    Raises RoofproofError for an operation with several compute units, memory levels or links.
    """
    _alone(op, chip)
    [one] = ceilings(op, chip)
    name = "R_s"
    while name in {s.name for s in op.dims}:
        name += "_"
    return (of_share(one, share, quantity(name)),)


def of_share(ceiling: Ceiling, share: Share, symbol: sympy.Symbol) -> Ceiling:
    """Return the comparison that says that a share is kept, without the startup time."""
    turned = share.factor * sympy.Rational(share.compute / share.memory)
    ridge = None if ceiling.ridge is None else turned * ceiling.ridge
    return replace(ceiling, symbol=symbol, ridge=ridge, share=share)
