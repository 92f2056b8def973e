"""An operation on chips, derived once for all its slides: the proved threshold, or the reason why there is none."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import sympy

from roofproof.derive.inequalities.cases import Never, substitute
from roofproof.derive.on_chips import OnChip, on_chip
from roofproof.derive.roofline.allowed_sizes import allowed_sizes
from roofproof.derive.roofline.engines import merge_shared_formats
from roofproof.derive.roofline.memory_fit import check_requirements, fits, requirements
from roofproof.derive.roofline.ridges import supplier
from roofproof.errors import MissingFigure, RoofproofError, unknown
from roofproof.export.slides.sizes import chosen_dimension
from roofproof.hardware import Chip
from roofproof.ops import Operation
from roofproof.ops.roles import usual_sizes
from roofproof.proofs import ProvedThreshold, threshold

LARGEST = 24  # sizes are tried up to this power of two


@dataclass(frozen=True, slots=True)
class Study:
    """An operation with its chips. If there is no threshold, `proved` is None and `obstacle` is the reason.

    `multi_unit_threshold` is the threshold, if any, of an operation that runs on several compute units.
    `threshold_by_chip` has the thresholds for chips on which formats that share a compute unit add up differently from
    the first chip.

    >>> from roofproof import chip, op
    >>> study = studied(op("matmul"), "matmul", [chip("tpu-v5e@scaling-book")])
    >>> study.unknown, study.sizes, study.numbers[0].integer     # 240.24/(1 - 240.24 * 2/4096) = 272.2
    ('B', {'D': 4096, 'F': 4096}, 273)
    >>> studied(op("embedding"), "embedding", [chip("h100-sxm")]).obstacle
    'no-flops'
    """

    op: Operation
    label: str
    chips: tuple[Chip, ...]
    unknown: str
    sizes: Mapping[str, int]
    proved: ProvedThreshold | None
    obstacle: str
    reason: str
    numbers: tuple[OnChip, ...]
    multi_unit_threshold: ProvedThreshold | None = None
    threshold_by_chip: Mapping[Chip, ProvedThreshold] = field(default_factory=dict)

    @property
    def chip(self) -> Chip:
        """The chip that the slides use: the first with all specs for the operation."""
        return next(n.chip for n in self.numbers if not n.missing)

    @property
    def never(self) -> bool:
        """Whether no size makes it compute-bound on that chip."""
        return self.proved is not None and all(isinstance(c.threshold, Never) for c in self.proved.found.cases)

    @property
    def full_sizes(self) -> dict[str, int]:
        """A size for every dimension, with the usual one or an allowed power of two for the unknown."""
        usual = usual_sizes(self.op, self.sizes)
        tried = (usual, *({**usual, self.unknown: 2**k} for k in range(LARGEST)))
        needs = requirements(self.op, self.chip)
        return next((at for at in tried if all(substitute(c, at) != sympy.false for c in needs)), usual)


def studied(
    op: Operation,
    label: str,
    chips: Sequence[Chip],
    unknown_name: str | None = None,
    at: Mapping[str, int] | None = None,
) -> Study:
    """Return the study of an operation on chips, of which the slides show the first in detail.

    Raises RoofproofError for a dimension that the operation does not have, for sizes that break its assumptions or
    whose blocks do not fit on the first chip, and if no chip has the specs.
    """
    dims = [s.name for s in op.dims]
    if unknown_name is not None and unknown_name not in dims:
        raise unknown("dimension", unknown_name, dims, of=label)
    name = unknown_name or chosen_dimension(op) or (dims[0] if dims else "")
    if name in (at or {}):
        raise RoofproofError(
            "<name> is the size that <label> is solved for; leave it out of --at, or name another with --for",
            name=name,
            label=label,
        )
    sizes = {k: v for k, v in usual_sizes(op, at).items() if k != name}
    missing = [lacking(op, chip) for chip in chips]
    if all(missing) and (lack := missing[0]) is not None:
        raise MissingFigure(f"{label} cannot run: {lack}", lack.chip, lack.figure)
    first = next(chip for chip, lack in zip(chips, missing, strict=True) if not lack)
    one, _ = merge_shared_formats(op, first)
    check_requirements(one, first, sizes)
    obstacle = _obstacle(one)
    proved, multi_unit_threshold, reason = None, None, ""
    if not obstacle:
        try:
            proved = threshold(op, first, name, sizes)
        except RoofproofError as problem:
            obstacle, reason = "unsolved", str(problem)
    elif obstacle == "several-engines" and name:
        with suppress(RoofproofError):
            multi_unit_threshold = threshold(op, first, name, sizes)
    told = proved or multi_unit_threshold
    others = [chip for chip, lack in zip(chips, missing, strict=True) if told and not lack]
    threshold_by_chip = {
        c: threshold(op, c, name, sizes)
        for c in others
        if dict(merge_shared_formats(op, c)[0].compute) != dict(one.compute)
    }

    def there(chip: Chip) -> OnChip:
        allowed = allowed_sizes(op, chip, name, sizes) if name else None
        return on_chip(threshold_by_chip.get(chip, told), chip, sizes, allowed, unfit=not fits(op, chip, sizes))

    numbers = tuple(
        OnChip(chip, missing=str(lack)) if lack else there(chip) for chip, lack in zip(chips, missing, strict=True)
    )
    return Study(
        one,
        label,
        tuple(chips),
        name,
        sizes,
        proved,
        obstacle,
        reason,
        numbers,
        multi_unit_threshold,
        threshold_by_chip,
    )


def _obstacle(op: Operation) -> str:
    compute = [name for name, amount in op.compute.items() if not amount.is_zero]
    if not compute:
        return "no-flops"
    if all(name in op.compute for name in op.demands):
        return "no-bytes"
    return "several-engines" if len(compute) > 1 else "" if op.dims else "no-dims"


def lacking(op: Operation, chip: Chip) -> MissingFigure | None:
    """Return the error for a spec that a chip lacks for an operation, or None if it has all.

    >>> from roofproof import chip, op
    >>> lacking(op("split-matmul"), chip("apple-m2")).figure
    'bf16'
    """
    try:
        for resource in op.demands:
            chip.rate(supplier(chip, resource))
    except MissingFigure as lack:
        return lack
    return None
