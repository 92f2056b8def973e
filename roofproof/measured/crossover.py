"""The predicted threshold against the measured crossover: along one size, where times begin to grow with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import sympy

from roofproof.derive.algebra.logic import related
from roofproof.derive.inequalities.cases import Above, substitute
from roofproof.derive.inequalities.inequality import solve
from roofproof.derive.sweeps.evaluation import rate_of
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
class Crossover:
    """Along `size`, all else as in `at`: where computing takes longer by the datasheet, by the estimate, and in fact.

    The measured one is the knee of a fit to the times, `max(u bytes, v FLOPs)`; it lies from `low` to `high` when a
    fifth of the times is left out, and within twice its standard error.
    """

    size: str
    at: Mapping[str, object]
    floor: float
    estimate: float | None
    measured: float
    low: float
    high: float

    @property
    def off(self) -> float:
        """The predicted threshold over the measured crossover: that of the estimate where there is one."""
        return (self.floor if self.estimate is None else self.estimate) / self.measured

    @property
    def inside(self) -> bool:
        """Whether the prediction lies in the interval of the measurement."""
        return self.low <= self.off * self.measured <= self.high


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
    >>> round(one.measured, 3), round(one.floor, 3)
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
    knee, first, last = (_from_where(found, size, at, sympy.Rational(ridge)) for ridge in (whole[0], low, high))
    ((engine,),) = found.engines
    datasheet = sympy.Rational(rate_of(found.chip, engine) / rate_of(found.chip, MEMORY))
    floor = _from_where(found, size, at, datasheet)
    ends = table.sizes[size][line[0]], table.sizes[size][line[-1]]
    if knee is None or first is None or last is None or floor is None or not ends[0] < knee < ends[1]:
        return None
    shares = None if ceilings is None else sympy.Rational(ceilings.compute.value / ceilings.memory.value)
    estimate = None if shares is None else _from_where(found, size, at, shares * datasheet)
    return Crossover(size, at, floor, estimate, knee, first, last)


def _from_where(found: Demands, size: str, at: Mapping[str, object], ridge: sympy.Rational) -> float | None:
    """Return from which size computing takes longer at a ridge point, solved exactly; None where it never does."""
    ((engine,),) = found.engines
    sizes = {name: value for name, value in at.items() if isinstance(value, int)}
    flops, moved = (substitute(found.formulas[name], sizes) for name in (engine, MEMORY))
    there = solve(related(">", flops, ridge * moved), dimension(size)).at({})
    return float(there.at) if isinstance(there, Above) else None  # float: for the eye
