"""The compute units of a chip: the unit that runs a compute resource, and several formats on one unit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import sympy

from roofproof.derive.roofline.ridges import supplier
from roofproof.errors import MissingFigure, RoofproofError, quoted
from roofproof.ops import Operation
from roofproof.ops.operation import Demand
from roofproof.ops.resources import SPECIAL
from roofproof.sentences import Sentence, joined

if TYPE_CHECKING:
    from roofproof.hardware import Chip, Figure

TOGETHER = "a FLOP in <name> takes as long as <factor> in <other>, on one compute unit: their times add up"


@dataclass(frozen=True, slots=True)
class ConvertedFormat:
    """A format that shares a compute unit with another: one of its FLOPs takes as long as `factor` in `within`."""

    resource: str
    within: str
    factor: sympy.Rational
    peaks: tuple[Figure, Figure]  # of `within`, and of `resource`

    @property
    def sentence(self) -> Sentence:
        """The relation between the two formats, as a Sentence."""
        return Sentence(TOGETHER, name=self.resource, factor=self.factor, other=self.within)


def compute_unit(compute: str) -> str:
    """Return the compute unit that runs a compute resource.

    >>> compute_unit("bf16"), compute_unit("fp64-tensor"), compute_unit("fp32-vector"), compute_unit("exp")
    ('matrix', 'matrix', 'vector', 'exp')
    >>> compute_unit("bf16-sparse")                                  # zeros are skipped on the same unit
    'matrix'
    """
    number_format, _, where = compute.removesuffix("-sparse").partition("-")
    return number_format if number_format in SPECIAL else "matrix" if where in ("", "tensor") else where


def has_peak(chip: Chip, compute: str) -> bool:
    """Tell whether a chip has a peak for a compute resource.

    >>> from roofproof.hardware import chip_from_text
    >>> plain = chip_from_text("fp32=2 TFLOP/s, hbm=1 TB/s")   # no specs by unit
    >>> has_peak(plain, "fp32-vector"), has_peak(plain, "exp")
    (True, False)
    """
    return chip.peak_if_known(compute) is not None


def unit_used(chip: Chip, compute: str) -> str:
    """Return the compute unit whose peak a chip uses for a compute resource (the only one without specs by unit).

    >>> from roofproof.hardware import chip, chip_from_text
    >>> plain = chip_from_text("fp32=2 TFLOP/s, hbm=1 TB/s")
    >>> unit_used(chip("h100-sxm"), "fp32-vector"), unit_used(plain, "fp32-vector")
    ('vector', 'matrix')
    """
    found = chip.peak_if_known(compute)
    return compute_unit(compute if found is None else found.resource)


def merge_shared_formats(op: Operation, chip: Chip | None) -> tuple[Operation, tuple[ConvertedFormat, ...]]:
    """Return an operation with one format per compute unit, and the formats that were converted to another.

    >>> from roofproof.hardware import chip_from_text
    >>> from roofproof.ops import parse_operation
    >>> both = parse_operation("flops bf16 = 2 N; flops int8 = 6 N; bytes memory = N")
    >>> one, [int8] = merge_shared_formats(both, chip_from_text("bf16=100 FLOP/s, int8=200 FLOP/s, hbm=1 B/s"))
    >>> dict(one.compute), int8.factor                         # 2 N/100 s + 6 N/200 s = 5 N/100 s
    ({'bf16': 5*N}, 1/2)

    The times of formats on one unit add up. On a chip without specs by unit, a format and its vector form share one.
    Without a chip the operation is unchanged. Raises RoofproofError for a spec the chip lacks.
    """
    if chip is None:
        return op, ()
    _check_links(op, chip)
    units = {name: unit_used(chip, name) for name, amount in op.compute.items() if not amount.is_zero}
    first = {unit: name for name, unit in reversed(units.items())}
    more = [name for name, unit in units.items() if first[unit] != name]
    if not more:
        return op, ()
    shared = []
    for name in more:
        peaks = (chip.peak(first[units[name]]), chip.peak(name))
        factor = sympy.Rational(peaks[0].value / peaks[1].value)
        shared.append(ConvertedFormat(name, first[units[name]], factor, peaks))
    return _merged(op, tuple(shared)), tuple(shared)


def _check_links(op: Operation, chip: Chip) -> None:
    """Raise RoofproofError for two names of one link of a chip, because their times would add up."""
    if "ici" not in op.traffic or len(op.traffic) < 2:
        return
    try:
        own = supplier(chip, "ici")
    except MissingFigure:
        return  # the error is raised when its rate is needed
    if own != "ici" and own in op.traffic:
        said = "bytes over <first> and over <second> cross one link of chip <chip>, its <link>; give them one name"
        raise RoofproofError(said, first="ici", second=own, chip=quoted(chip.name), link=own)


def _merged(op: Operation, shared: tuple[ConvertedFormat, ...]) -> Operation:
    def together(compute: Demand) -> Demand:
        made = {name: amount for name, amount in compute.items() if name not in {s.resource for s in shared}}
        for s in shared:
            if s.resource in compute:
                made[s.within] = made.get(s.within, sympy.Integer(0)) + s.factor * compute[s.resource]
        return made

    convention = joined("<first>; <second>", (op.convention, *(s.sentence for s in shared)))
    return op.map_kernels(lambda k: k.on_units(together), convention=convention)
