"""Proving a partition: each region is where its resource takes longest, and no two regions meet."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import sympy

from roofproof.derive.roofline.partition import BoundRegion, bound_regions
from roofproof.derive.roofline.ridges import supply
from roofproof.hardware import Chip
from roofproof.ops import Operation
from roofproof.proofs.derivation import Derivation
from roofproof.proofs.provers.roofline import each_time, figure
from roofproof.proofs.provers.statements import prove_statement
from roofproof.proofs.provers.thresholds import certify
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import to_formula


@dataclass(frozen=True, slots=True)
class Partition:
    """The regions of a plane; what is known of them: figures, times, where each is the longest, that no two meet."""

    regions: tuple[BoundRegion, ...]
    derivation: Derivation

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
    regions = bound_regions(op, chip, across, at)
    known = [*map(figure, (supply(chip, r.resource) for r in regions)), *each_time(op, chip, at or {})]
    known += (k for r in regions for k in certify(r.condition, r.cases))
    for a, b in combinations(regions, 2):
        goal = ("not", to_formula(sympy.And(a.condition, b.condition, evaluate=False)))
        known.append(prove_statement(Statement(f"{a.resource} and {b.resource} do not both take longest", (), goal)))
    return Partition(regions, Derivation(tuple(known)))
