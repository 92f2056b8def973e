"""Proving where each resource takes longest."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import sympy

from roofproof.derive.roofline.engines import on_one_engine
from roofproof.derive.roofline.partition import BoundRegion, bound_regions
from roofproof.derive.roofline.ridges import supply
from roofproof.hardware import Chip
from roofproof.ops import Operation
from roofproof.proofs.derivation import Derivation, Row
from roofproof.proofs.kernel.terms import Formula
from roofproof.proofs.known import Unwarranted
from roofproof.proofs.provers.roofline import figure
from roofproof.proofs.provers.statements import prove_statement
from roofproof.proofs.provers.thresholds import cases_of, certify
from roofproof.proofs.provers.times import each_time
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import to_formula, wanted


@dataclass(frozen=True, slots=True)
class Partition:
    """The regions of a plane; what is known of them: figures, times, where each is the longest, that no two meet.

    Raises Unwarranted for a region with other cases than those proved of it.
    """

    regions: tuple[BoundRegion, ...]
    derivation: Derivation

    def __post_init__(self) -> None:
        for region in self.regions:
            here = wanted(region.condition)
            own = (k for k in self.derivation if k.statement.kind != "case" or k.statement.goal[1] == here)
            if cases_of(own) != region.cases:
                raise Unwarranted(f"{region.resource}: {str(region.cases)!r} is not what is proved")

    @property
    def trust(self) -> str:
        return self.derivation.trust


def partition(op: Operation, chip: Chip, across: str, at: Mapping[str, int] | None = None) -> Partition:
    """Return the bound regions of an operation on a chip, proved.

    >>> from roofproof import chip, op
    >>> both = op("flops bf16 = 2 B D^2; bytes memory = 2 D^2; bytes ici = B D")
    >>> found = partition(both, chip("bf16=100 FLOP/s, hbm=10 B/s, ici=1 B/s"), "B")
    >>> found.trust, [r.resource for r in found.regions]           # three times, three regions
    ('kernel', ['bf16', 'memory', 'ici'])
    """
    op, _ = on_one_engine(op, chip)
    regions = bound_regions(op, chip, across, at)
    times = (*map(figure, (supply(chip, r.resource) for r in regions)), *each_time(op, chip, at or {}))
    parts = [Row("times", times, op), *(Row("region", tuple(certify(r.condition, r.cases)), r) for r in regions)]
    for a, b in combinations(regions, 2):
        goal = Formula("not", to_formula(sympy.And(a.condition, b.condition, evaluate=False)))
        apart = prove_statement(Statement(f"{a.resource} and {b.resource} do not both take longest", (), goal))
        parts.append(Row("apart", (apart,), (a, b)))
    return Partition(regions, Derivation.of_rows(parts))
