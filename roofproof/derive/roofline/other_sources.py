"""Answers with the specs of other sources, to see if they depend on the choice."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import sympy

from roofproof.derive.inequalities.cases import substitute
from roofproof.derive.roofline.critical_size import CriticalSize
from roofproof.derive.roofline.engines import merge_shared_formats
from roofproof.derive.roofline.ridges import supply
from roofproof.derive.roofline.times import time
from roofproof.errors import RoofproofError
from roofproof.hardware import Chip, Figure
from roofproof.ops import Operation


@dataclass(frozen=True, slots=True)
class OtherFigure:
    """A spec of another source, the ridge points it changes, and the new integer answer (None: never, or no sizes)."""

    rate: Figure
    ridges: Mapping[sympy.Symbol, sympy.Rational]
    integer: int | None


def other_figures(found: CriticalSize, chip: Chip) -> tuple[OtherFigure, ...]:
    """Return the specs of other sources that give other ridge points, each value once.

    >>> from roofproof.derive import threshold
    >>> from roofproof.hardware import chip
    >>> from roofproof.ops import parse_operation
    >>> v5e = chip("tpu-v5e")
    >>> at = {"D": 1024, "F": 1024}
    >>> found = threshold(parse_operation("matmul"), v5e, "B", at)
    >>> found.integer, [f.integer for f in other_figures(found, v5e) if str(f.rate) == "hbm = 8.2e11 B/s"]
    (454, [453])

    One spec is replaced at a time. Specs that count something else, such as both directions of a link or the links of
    a whole host, are left out. There are none for a share, which was calibrated against the specs in use, and none for
    an answer found by a search with these.
    """
    if found.share is not None or found.searched:
        return ()
    in_force = {c.symbol: c.ridge for c in found.ceilings if c.ridge is not None}
    out: dict[tuple[sympy.Rational, ...], OtherFigure] = {}
    for ours in dict.fromkeys(figure for ceiling in found.ceilings for figure in ceiling.rests_on):
        for other in _beside(chip, ours):
            if ours in {peak for s in found.shared for peak in s.peaks}:
                continue  # the number of FLOPs depends on it, too
            turned = sympy.Rational(other.value / ours.value)
            ridges = {}
            for c in found.ceilings:
                if ours in c.rests_on and c.ridge is not None:
                    ridges[c.symbol] = c.ridge * turned if ours.unit == "FLOP/s" else c.ridge / turned
            every = in_force | ridges
            if every != in_force and tuple(every.values()) not in out:
                out[tuple(every.values())] = OtherFigure(other, MappingProxyType(ridges), _integer(found, every))
    return tuple(out.values())


@dataclass(frozen=True, slots=True)
class OtherTime:
    """A spec of another source, with the time it gives for its resource, and the time with everything overlapped."""

    rate: Figure
    resource: str
    time: sympy.Expr
    lower: sympy.Expr


def other_times(op: Operation, chip: Chip, at: Mapping[str, int]) -> tuple[OtherTime, ...]:
    """Return the specs of other sources for a time, each value once, with the bound that each would give.

    >>> from roofproof.hardware import chip
    >>> from roofproof.ops import parse_operation
    >>> [first, *_] = other_times(parse_operation("flops bf16 = 2e14"), chip("tpu-v5e"), {})
    >>> str(first.rate), first.time, first.lower               # 2e14/1.966e14 s, where it was 2e14/1.97e14 s
    ('bf16 = 1.966e14 FLOP/s', 1000/983, 1000/983)
    """
    op, shared = merge_shared_formats(op, chip)
    times = {name: substitute(t, at) for name, t in time(op, chip).items()}
    out = []
    for resource, amount in times.items():
        ours, seen = supply(chip, resource), set()
        for other in _beside(chip, ours):
            if other.value == ours.value or other.value in seen or any(ours in s.peaks for s in shared):
                continue
            seen.add(other.value)
            then = amount * sympy.Rational(ours.value / other.value)
            out.append(OtherTime(other, resource, then, sympy.Max(*(times | {resource: then}).values())))
    return tuple(out)


def _beside(chip: Chip, ours: Figure) -> Iterator[Figure]:
    """Yield the specs of other sources that count the same."""
    for other in chip.alternatives(ours):
        if (other.per, other.both_directions) == (ours.per, ours.both_directions):
            yield other


def _integer(found: CriticalSize, ridges: Mapping[sympy.Symbol, sympy.Rational]) -> int | None:
    if found.at_point is None:
        return None
    try:
        there = found.threshold_at({**found.point, **{symbol.name: ridge for symbol, ridge in ridges.items()}})
    except RoofproofError:
        return None
    return found.allowed.integer(there)
