"""Proving a partition: each region is where its resource takes longest, and no two regions meet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import sympy

from roofproof.derive.roofline.partition import BoundRegion, bound_regions
from roofproof.proofs.provers.thresholds import TRUST, Certificate, Obligation, certify, prove_obligation
from roofproof.proofs.translate import to_formula

if TYPE_CHECKING:
    from roofproof.hardware import Chip
    from roofproof.ops import Operation


@dataclass(frozen=True, slots=True)
class Partition:
    """The regions of a plane with the certificate of each, and that of their being disjoint."""

    regions: tuple[BoundRegion, ...]
    certificates: tuple[Certificate, ...]
    disjoint: Certificate

    @property
    def trust(self) -> str:
        return max((c.trust for c in (*self.certificates, self.disjoint)), key=TRUST.index)


def partition(op: Operation, chip: Chip, across: str, at: Mapping[str, int] | None = None) -> Partition:
    """Return the bound regions of an operation on a chip, proved.

    >>> from roofproof import chip, op
    >>> both = op("flops bf16 = 2 B D^2; bytes memory = 2 D^2; bytes ici = B D")
    >>> found = partition(both, chip("bf16=100 FLOP/s, hbm=10 B/s, ici=1 B/s"), "B")
    >>> found.trust, [r.resource for r in found.regions]           # three times, three regions
    ('kernel', ['bf16', 'memory', 'ici'])
    """
    regions = bound_regions(op, chip, across, at)
    certificates = tuple(certify(r.condition, r.cases) for r in regions)
    apart = []
    for a, b in combinations(regions, 2):
        both = sympy.And(a.condition, b.condition, evaluate=False)
        goal = ("not", to_formula(both))
        apart.append(prove_obligation(Obligation(f"{a.resource} and {b.resource} do not both take longest", (), goal)))
    return Partition(regions, certificates, Certificate(tuple(apart)))
