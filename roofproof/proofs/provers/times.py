"""What is known of how long an operation takes on a chip: each resource by itself, and as they overlap."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import sympy

from roofproof.derive.algebra.largest import largest
from roofproof.derive.inequalities.cases import substitute
from roofproof.derive.roofline.engines import on_one_engine
from roofproof.derive.roofline.estimates import estimate, parts_of
from roofproof.derive.roofline.other_sources import other_times
from roofproof.derive.roofline.ridges import supply
from roofproof.derive.roofline.times import sequential, time
from roofproof.errors import RoofproofError
from roofproof.proofs.derivation import Row
from roofproof.proofs.kernel.terms import Term
from roofproof.proofs.known import Known
from roofproof.proofs.provers.roofline import equated, figure, number
from roofproof.proofs.translate import with_functions

if TYPE_CHECKING:
    from roofproof.hardware import Chip, Figure
    from roofproof.ops import Operation


def timed(op: Operation, chip: Chip, point: Mapping[str, int]) -> Iterator[Known]:
    """Yield the times of an operation on a chip, at the sizes given: of each resource, and as these overlap.

    >>> from roofproof import chip, op
    >>> for known in timed(op("flops bf16 = 6; bytes memory = 4"), chip("bf16=2 FLOP/s, hbm=1 B/s"), {}):
    ...     print(known.statement.says)
    time of bf16 = 3
    time of memory = 4
    time, everything overlaps = 4
    time, nothing overlaps = 7
    """
    op, _ = on_one_engine(op, chip)
    yield from each_time(op, chip, point)
    times = {name: substitute(t, point) for name, t in time(op, chip).items()}
    terms = [_time(op, supply(chip, name), name, point) for name in times] or [Term("q", 0, 1)]  # of one chip nothing
    lower, upper = largest(*times.values()), sympy.Add(*times.values())
    yield equated("time, everything overlaps", Term("max", *terms), lower, "time", "lower")
    if op.parts:
        parts = [_longest(part, chip, point) for part in op.parts if part.demands]
        yield from {k.statement: k for k in parts}.values()
        value = substitute(sequential(op, chip), point)
        each = [k.statement.goal[-1] for k in parts]  # the sum of what is known of each part
        yield equated("time, one part after another", Term("+", *each), value, "time", "sequence")
    yield equated("time, nothing overlaps", Term("+", *terms), upper, "time", "upper")


def estimated(op: Operation, chip: Chip, point: Mapping[str, int]) -> Iterator[Row]:
    """Yield the estimate of a time at sizes, with the ceilings that it rests on; nothing where a chip has none for it.

    The estimate is not proved; that its formula comes to these seconds is.

    >>> from roofproof import chip, op
    >>> ceilings, seconds = estimated(op("matmul"), chip("h100-sxm"), {"B": 64, "D": 4096, "F": 4096})
    >>> round(float(seconds.value), 8), seconds.known[0].trust                            # float: shown
    (1.746e-05, 'kernel')
    """
    if not all(s.name in point for s in op.dims):
        return
    try:
        compute, memory, share = parts_of(op, chip)
    except RoofproofError:  # no calibrated rates, or several engines or channels, which have no estimate
        return
    a, q = (with_functions(substitute(each, point)) for each in (compute, memory))
    squares = Term("+", Term("^", a, 2), Term("^", q, 2))
    corners = {"max": Term("max", a, q), "sum": Term("+", a, q), "root": Term("sqrt", squares)}
    seconds = Term("+", number(share.start), corners[share.corner])
    yield Row("estimate", (), share)
    known = equated("time, estimated", seconds, substitute(estimate(op, chip), point), "time", "estimate")
    yield Row("estimated", (known,), "estimate")


def each_time(op: Operation, chip: Chip, point: Mapping[str, int]) -> Iterator[Known]:
    """Yield the time of each resource by itself."""
    for name, amount in time(op, chip).items():
        term = _time(op, supply(chip, name), name, point)
        yield equated(f"time of {name}", term, substitute(amount, point), "time", name)


def _longest(part: Operation, chip: Chip, point: Mapping[str, int]) -> Known:
    """Return the time of one part of an operation, everything in it overlapped."""
    value = sympy.Max(*(substitute(t, point) for t in time(part, chip).values()))
    terms = [_time(part, supply(chip, name), name, point) for name in part.demands]
    return equated(f"time of {part.name}, everything overlaps", Term("max", *terms), value, "part-time")


def otherwise_timed(op: Operation, chip: Chip, point: Mapping[str, int]) -> Iterator[Row]:
    """Yield other published figures, and with each the time of its resource and of all overlapped, if numbers."""
    op, _ = on_one_engine(op, chip)
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
