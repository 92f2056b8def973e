"""Proving what is said of times: where each resource takes longest, and how far the bounds of a time lie apart."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import sympy

from roofproof.derive.roofline.engines import on_one_engine
from roofproof.derive.roofline.partition import BoundRegion, bound_regions
from roofproof.derive.roofline.ridges import supply
from roofproof.errors import RoofproofError
from roofproof.hardware import Chip
from roofproof.ops import Operation
from roofproof.proofs.derivation import Derivation, Row
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import Formula, Term
from roofproof.proofs.known import Unwarranted
from roofproof.proofs.provers.roofline import figure
from roofproof.proofs.provers.statements import prove_statement
from roofproof.proofs.provers.thresholds import cases_of, certify, wanted
from roofproof.proofs.provers.times import each_time
from roofproof.proofs.search.lemmas import lemmas_for
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import to_formula

MAX_RESOURCES = 8


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


def overlap_bounds(k: int) -> tuple[Theorem, Theorem]:
    """Prove that the sum of k positive times is at least their maximum, and at most k times it.

    >>> least, most = overlap_bounds(2)
    >>> least
    T1 > 0, T2 > 0 |- T1 + T2 >= max(T1, T2)
    >>> most                                           # 2 max - T1 - T2 = (max - T1) + (max - T2)
    |- 2*max(T1, T2) >= T1 + T2

    Raises RoofproofError for k below 1 and above 8.
    """
    if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= MAX_RESOURCES:
        raise RoofproofError(f"{k} times: expected a number from 1 to {MAX_RESOURCES}")
    names = [f"T{i}" for i in range(1, k + 1)]
    times: list[Term] = [Term("v", n) for n in names]
    largest = Term("max", *times)
    total = Term("+", *times)
    one = Term("q", 1, 1)
    meaning = kernel.definition(largest)
    above = [kernel.propositional(Formula(">=", largest, t), [meaning]) for t in times]
    most = kernel.arith(
        Formula(">=", Term("*", Term("q", k, 1), largest), total), above, [(one, [i]) for i in range(k)]
    )
    each = [kernel.arith(Formula(">=", total, t), positive=names) for t in times]  # the others are positive
    return kernel.propositional(
        Formula(">=", total, largest), [*lemmas_for([Formula(">", largest, total)]), *each]
    ), most
