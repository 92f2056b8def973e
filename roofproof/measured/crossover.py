"""The predicted threshold against the measured crossover: along one size, where times begin to grow with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import sympy

from roofproof.derive.algebra.logic import related
from roofproof.derive.inequalities.cases import Above, substitute
from roofproof.derive.roofline.ridges import supply
from roofproof.derive.solve import solve
from roofproof.errors import RoofproofError
from roofproof.hardware.calibration import Calibration
from roofproof.measured.amounts import Demands
from roofproof.measured.knees import SIDE, measured_ridge
from roofproof.measured.times import Times
from roofproof.measured.validation import along
from roofproof.ops.resources import MEMORY
from roofproof.symbols import dimension

LEAST: Final = 8  # times along a size
PARTS: Final = 5  # of a line, each left out once


@dataclass(frozen=True, slots=True)
class Span:
    """A size, and the interval that it lies in.

    >>> print(Span(48.6, 47.25, 50.0), Span(8.0, 8.0, 8.0))
    48.6 (47.25 – 50) 8
    """

    value: float
    low: float
    high: float

    def meets(self, other: Span) -> bool:
        """Whether two intervals have a size in common.

        >>> Span(2.0, 1.0, 3.0).meets(Span(4.0, 3.0, 5.0)), Span(2.0, 2.0, 2.0).meets(Span(4.0, 3.0, 5.0))
        (True, False)
        """
        return self.low <= other.high and other.low <= self.high

    def __str__(self) -> str:
        ends = f" ({self.low:.4g} – {self.high:.4g})" if self.low < self.high else ""
        return f"{self.value:.4g}{ends}"


@dataclass(frozen=True, slots=True)
class Crossover:
    """Along `size`, all else as in `at`: where computing takes longer by the datasheet, by the estimate, and in fact.

    A prediction is as uncertain as its figures: those that were measured, and calibrated ceilings, have intervals. The
    measured crossover is the knee of a fit to the times, `max(u bytes, v FLOPs)`; its interval is where it lies when a
    fifth of the times is left out, and within twice its standard error.
    """

    size: str
    at: Mapping[str, object]
    floor: Span
    estimate: Span | None
    measured: Span

    @property
    def predicted(self) -> Span:
        """The predicted threshold: that of the estimate where there is one."""
        return self.floor if self.estimate is None else self.estimate

    def intensities(self, found: Demands, span: Span) -> Span:
        """The FLOPs a byte at a size of the line, and at the ends of its interval.

        >>> from roofproof.hardware import chip_from_text
        >>> from roofproof.measured.amounts import demands
        >>> from roofproof.measured.times import times_from_text
        >>> table = times_from_text("m,n,k,us\\n64,64,64,10\\n", "t.csv")
        >>> found = demands(table, chip_from_text("fp16=16 FLOP/s, hbm=1 B/s, l2=1 B"))
        >>> size = Span(64.0, 32.0, 128.0)
        >>> print(Crossover("m", {"n": 64, "k": 64}, size, None, size).intensities(found, size))      # 2 64^3/(6 64^2)
        21.33 (16 – 25.6)
        """
        return Span(*(self._intensity(found, size) for size in (span.value, span.low, span.high)))

    def _intensity(self, found: Demands, size: float) -> float:
        ((engine,),) = found.engines
        sizes = {name: value for name, value in self.at.items() if isinstance(value, int)}
        formula = substitute(found.formulas[engine] / found.formulas[MEMORY], sizes)
        return float(formula.subs(dimension(self.size), size))  # float: for the eye

    @property
    def off(self) -> float:
        """The predicted threshold over the measured crossover."""
        return self.predicted.value / self.measured.value

    @property
    def inside(self) -> bool:
        """Whether prediction and measurement agree: their intervals have a size in common."""
        return self.predicted.meets(self.measured)


def crossovers(table: Times, found: Demands, ceilings: Calibration | None = None) -> tuple[Crossover, ...]:
    """Return the crossover of each line of a table along the size that varies most, where both sides were measured.

    >>> from roofproof.hardware import chip_from_text
    >>> from roofproof.measured.amounts import demands
    >>> from roofproof.measured.times import times_from_text
    >>> on = chip_from_text("fp16=16 FLOP/s, hbm=1 B/s, l2=1 B")
    >>> sizes = (1, 2, 4, 8, 16, 64, 128, 256)                # 2 64^2 m/16 s of FLOPs, 2 (2 64 m + 64^2) s of bytes
    >>> rows = [f"{m},64,64,{max(512 * m, 256 * m + 8192)}" for m in sizes]
    >>> text = "\\n".join(["m,n,k,seconds", *rows])
    >>> table = times_from_text(text, "t.csv")
    >>> [one] = crossovers(table, demands(table, on))
    >>> round(one.measured.value, 3), round(one.floor.value, 3)
    (32.0, 32.0)

    Raises RoofproofError where no line has times on both sides.
    """
    if len(found.engines) != 1 or len(found.engines[0]) != 1 or MEMORY not in found.formulas:
        raise RoofproofError(f"{table.file}: a crossover is between one engine and the main memory")
    size = max(table.sizes, key=lambda name: len(set(table.sizes[name])))
    made = tuple(
        c for c in (_crossover(table, found, ceilings, size, line) for name, line in along(table) if name == size) if c
    )
    if not made:
        said = f"{table.file}: no line along {size} has {LEAST} times with {SIDE} on each side of a crossover"
        raise RoofproofError(said)
    return made


def _crossover(
    table: Times, found: Demands, ceilings: Calibration | None, size: str, line: Sequence[int]
) -> Crossover | None:
    at = {n: c[line[0]] for n, c in (*table.labels.items(), *table.sizes.items()) if n != size}
    if len({table.sizes[size][i] for i in line}) < LEAST:
        return None
    seconds = np.array([float(table.seconds[i]) for i in line])  # float: a fit
    a, b = np.log(seconds / found.moved[line]), np.log(seconds / found.flops[line])
    whole = measured_ridge(a, b)
    without = [measured_ridge(*(np.delete(each, np.s_[k::PARTS]) for each in (a, b))) for k in range(PARTS)]
    parts = [one[0] for one in without if one is not None]
    if whole is None or len(parts) < PARTS:
        return None
    error = float(np.exp(2 * whole[1]))  # float: a fit
    low, high = min(*parts, whole[0] / error), max(*parts, whole[0] * error)
    knee = _span(found, size, at, *map(sympy.Rational, (whole[0], low, high)))
    ((engine,),) = found.engines
    compute, memory = supply(found.chip, engine), supply(found.chip, MEMORY)
    (least, most), (slowest, fastest) = compute.ends, memory.ends
    ridges = [compute.value / memory.value, least / fastest, most / slowest]
    floor = _span(found, size, at, *map(sympy.Rational, ridges))
    ends = table.sizes[size][line[0]], table.sizes[size][line[-1]]
    if knee is None or floor is None or not ends[0] < knee.value < ends[1]:
        return None
    if ceilings is None:
        return Crossover(size, at, floor, None, knee)
    e, d = ceilings.compute, ceilings.memory
    shares = e.value / d.value, e.low / d.high, e.high / d.low
    calibrated = [sympy.Rational(ridge * share) for ridge, share in zip(ridges, shares, strict=True)]
    return Crossover(size, at, floor, _span(found, size, at, *calibrated), knee)


def _span(found: Demands, size: str, at: Mapping[str, object], *ridges: sympy.Rational) -> Span | None:
    """Return from which size computing takes longer at a ridge point, and at the ends of its interval."""
    sizes = [_from_where(found, size, at, ridge) for ridge in ridges]
    value, low, high = sizes
    return None if value is None or low is None or high is None else Span(value, low, high)


def _from_where(found: Demands, size: str, at: Mapping[str, object], ridge: sympy.Rational) -> float | None:
    """Return from which size computing takes longer at a ridge point, solved exactly; None where it never does."""
    ((engine,),) = found.engines
    sizes = {name: value for name, value in at.items() if isinstance(value, int)}
    flops, moved = (substitute(found.formulas[name], sizes) for name in (engine, MEMORY))
    there = solve(related(">", flops, ridge * moved), dimension(size)).at({})
    return float(there.at) if isinstance(there, Above) else None  # float: for the eye
