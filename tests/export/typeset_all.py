"""Every operation of the library solved on one chip, for the typesetting tests."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from roofproof import chip, threshold
from roofproof.derive.roofline.ridges import supplier
from roofproof.errors import RoofproofError
from roofproof.hardware import Chip, chip_from_text
from roofproof.ops import Operation, entries
from roofproof.proofs import ProvedThreshold

FIRST = ("B", "N", "L", "V", "P")  # preferred unknowns
OTHER = {"convolution": "K", "depthwise-convolution": "P"}
CHIPS = ("tpu-v5e", "h100-sxm", "a10")
FIGURES = "fp64=9.7e12 FLOP/s, fp32=1.95e13 FLOP/s, bf16=3.12e14 FLOP/s, hbm=2.039e12 B/s, ici=5e10 B/s"


@dataclass(frozen=True)
class Worked:
    name: str
    op: Operation
    chip: Chip
    proved: ProvedThreshold | None


def lent(op: Operation) -> Chip:
    """Return the first chip that has every spec an operation needs."""
    for name in CHIPS:
        found = chip(name)
        try:
            for resource in op.demands:
                found.rate(supplier(found, resource))
        except RoofproofError:
            continue
        return found
    return chip_from_text(FIGURES)


@cache
def worked() -> tuple[Worked, ...]:
    return tuple(_each())


def _each() -> Iterator[Worked]:
    for name, entry in entries().items():
        op = entry()
        names = [s.name for s in op.dims]
        unknown = OTHER.get(name) or next((n for n in FIRST if n in names), names[0])
        try:
            proved = threshold(op, lent(op), unknown)
        except RoofproofError as problem:
            assert "has no FLOPs" in str(problem) or "inside log2" in str(problem), problem
            proved = None
        yield Worked(name, op, lent(op), proved)
