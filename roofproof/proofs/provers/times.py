"""The time of an operation on a chip, the sizes at which each resource takes longest, and the faster collective."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations

import sympy

from roofproof.derive.algebra.largest import largest
from roofproof.derive.inequalities.cases import Cases, substitute
from roofproof.derive.roofline.communication import Faster
from roofproof.derive.roofline.engines import merge_shared_formats
from roofproof.derive.roofline.estimates import estimate, parts_of
from roofproof.derive.roofline.other_sources import other_times
from roofproof.derive.roofline.partition import BoundRegion, bound_regions
from roofproof.derive.roofline.ridges import supply
from roofproof.derive.roofline.times import sequential, time
from roofproof.errors import RoofproofError
from roofproof.hardware import Chip, Figure
from roofproof.ops import Operation
from roofproof.proofs.derivation import Derivation, Row
from roofproof.proofs.kernel.terms import Formula, Term
from roofproof.proofs.known import Known, Unwarranted
from roofproof.proofs.provers.roofline import equated, figure, number
from roofproof.proofs.provers.statements import prove_statement
from roofproof.proofs.provers.thresholds import cases_of, certify, drop_infeasible
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import formula_if_defined, to_formula, with_functions


def timed(op: Operation, chip: Chip, point: Mapping[str, int]) -> Iterator[Known]:
    """Yield the times of an operation on a chip at the given sizes: per resource, and combined by their overlap.

    >>> from roofproof import chip, op
    >>> for known in timed(op("flops bf16 = 6; bytes memory = 4"), chip("bf16=2 FLOP/s, hbm=1 B/s"), {}):
    ...     print(known.statement.says)
    time of bf16 = 3
    time of memory = 4
    time, everything overlaps = 4
    time, nothing overlaps = 7
    """
    op, _ = merge_shared_formats(op, chip)
    yield from each_time(op, chip, point)
    times = {name: substitute(t, point) for name, t in time(op, chip).items()}
    terms = [_time(op, supply(chip, name), name, point) for name in times] or [Term("q", 0, 1)]  # 0 if nothing is done
    lower, upper = largest(*times.values()), sympy.Add(*times.values())
    yield equated("time, everything overlaps", Term("max", *terms), lower, "time", "lower")
    if op.parts:
        parts = [_longest(part, chip, point) for part in op.parts if part.demands]
        yield from {k.statement: k for k in parts}.values()
        value = substitute(sequential(op, chip), point)
        each = [k.statement.goal[-1] for k in parts]  # the proved times of the parts, to be summed
        yield equated("time, one part after another", Term("+", *each), value, "time", "sequence")
    yield equated("time, nothing overlaps", Term("+", *terms), upper, "time", "upper")


def estimated(op: Operation, chip: Chip, point: Mapping[str, int]) -> Iterator[Row]:
    """Yield the estimated time at the given sizes, with its calibrated rates, or nothing if the chip has no such rates.

    The estimate itself is not proved. It is proved that its formula gives this number of seconds.

    >>> from roofproof import chip, op
    >>> ceilings, seconds = estimated(op("matmul"), chip("h100-sxm"), {"B": 64, "D": 4096, "F": 4096})
    >>> round(float(seconds.value), 8), seconds.known[0].trust                            # float: shown
    (1.746e-05, 'kernel')
    """
    if not all(s.name in point for s in op.dims):
        return
    try:
        compute, memory, share = parts_of(op, chip)
    except RoofproofError:  # no calibrated rates, or several compute units or links: there is no estimate
        return
    a, q = (with_functions(substitute(each, point)) for each in (compute, memory))
    squares = Term("+", Term("^", a, 2), Term("^", q, 2))
    corners = {"max": Term("max", a, q), "sum": Term("+", a, q), "root": Term("sqrt", squares)}
    seconds = Term("+", number(share.start), corners[share.corner])
    yield Row("estimate", (), share)
    known = equated("time, estimated", seconds, substitute(estimate(op, chip), point), "time", "estimate")
    yield Row("estimated", (known,), "estimate")


def each_time(op: Operation, chip: Chip, point: Mapping[str, int]) -> Iterator[Known]:
    """Yield the time of each resource separately."""
    for name, amount in time(op, chip).items():
        term = _time(op, supply(chip, name), name, point)
        yield equated(f"time of {name}", term, substitute(amount, point), "time", name)


def _longest(part: Operation, chip: Chip, point: Mapping[str, int]) -> Known:
    """Return the time of one part of an operation, with everything in it overlapped."""
    value = sympy.Max(*(substitute(t, point) for t in time(part, chip).values()))
    terms = [_time(part, supply(chip, name), name, point) for name in part.demands]
    return equated(f"time of {part.name}, everything overlaps", Term("max", *terms), value, "part-time")


def otherwise_timed(op: Operation, chip: Chip, point: Mapping[str, int]) -> Iterator[Row]:
    """Yield each other published spec, with the time of its resource and of full overlap if these are numbers."""
    op, _ = merge_shared_formats(op, chip)
    for other in other_times(op, chip, point):
        known = [figure(other.rate)]
        if other.time.is_number:
            term = _time(op, other.rate, other.resource, point)
            known.append(equated(f"time of {other.resource}", term, other.time, "other-time", other.resource))
            rest = [_time(op, supply(chip, name), name, point) for name in op.demands if name != other.resource]
            if other.lower.is_number:
                together = Term("max", term, *rest)
                known.append(equated("time, everything overlaps", together, other.lower, "other-time", "lower"))
        yield Row("other-time", tuple(known), other)


def _time(op: Operation, rate: Figure, name: str, point: Mapping[str, int]) -> Term:
    return Term("/", with_functions(substitute(op.demands[name], point)), number(rate.value))


@dataclass(frozen=True, slots=True)
class Partition:
    """The regions of a plane and their proofs: specs, times, where each time is the longest, and that none overlap.

    Raises Unwarranted if the cases of a region are not the ones that were proved.
    """

    regions: tuple[BoundRegion, ...]
    derivation: Derivation

    def __post_init__(self) -> None:
        for region in self.regions:
            here = formula_if_defined(region.condition)
            own = (k for k in self.derivation if k.statement.kind != "case" or k.statement.goal[1] == here)
            if cases_of(own) != region.cases:
                raise Unwarranted(f"{region.resource}: {str(region.cases)!r} is not what is proved")

    @property
    def trust(self) -> str:
        return self.derivation.trust


def partition(op: Operation, chip: Chip, across: str, at: Mapping[str, int] | None = None) -> Partition:
    """Return the regions in which each resource takes longest for an operation on a chip, proved.

    >>> from roofproof import chip, op
    >>> both = op("flops bf16 = 2 B D^2; bytes memory = 2 D^2; bytes ici = B D")
    >>> found = partition(both, chip("bf16=100 FLOP/s, hbm=10 B/s, ici=1 B/s"), "B")
    >>> found.trust, [r.resource for r in found.regions]           # three times, three regions
    ('kernel', ['bf16', 'memory', 'ici'])
    """
    op, _ = merge_shared_formats(op, chip)
    regions = bound_regions(op, chip, across, at)
    times = (*map(figure, (supply(chip, r.resource) for r in regions)), *each_time(op, chip, at or {}))
    parts = [Row("times", times, op), *(Row("region", tuple(certify(r.condition, r.cases)), r) for r in regions)]
    for a, b in combinations(regions, 2):
        goal = Formula("not", to_formula(sympy.And(a.condition, b.condition, evaluate=False)))
        apart = prove_statement(Statement(f"{a.resource} and {b.resource} do not both take longest", (), goal))
        parts.append(Row("apart", (apart,), (a, b)))
    return Partition(regions, Derivation.of_rows(parts))


def prove_faster(found: Faster, oracle: str = "z3") -> tuple[Cases, Derivation]:
    """Return the feasible cases of a comparison of two collectives, with their proof.

    >>> from roofproof import op
    >>> from roofproof.derive.roofline.communication import faster
    >>> found = faster(op("all-reduce:algorithm=one-shot"), op("all-reduce"), "V")
    >>> cases, proof = prove_faster(found)                     # (n - 1) V/W + t against 2 (n - 1) (V/(n W) + t)
    >>> print(cases, proof.trust, sep="\\n")
    V < W*t*n*(2*n - 3)/(n^2 + 2 - 3*n)    when n > 2
    always                                 otherwise
    kernel
    """
    possible = replace(found, cases=drop_infeasible(found.cases, found.given))
    proof = certify(possible.condition, possible.cases, possible.given, oracle)
    return cases_of(proof), proof
