"""FLOPs and bytes of each row of a table of times, the floor that no run can beat, and the estimate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray

from roofproof.channels import BETWEEN_CHIPS
from roofproof.derive.inequalities.cases import substitute
from roofproof.derive.roofline.floors import last_cache
from roofproof.derive.sweeps import by_engine, evaluate, rate_of
from roofproof.errors import RoofproofError, quoted
from roofproof.hardware.calibration import Calibration, Moving
from roofproof.hardware.chips import Chip
from roofproof.hardware.resources import is_compute, named
from roofproof.measured.times import Times
from roofproof.ops import Operation, parse_operation
from roofproof.ops.operation import one_kernel
from roofproof.ops.resources import MEMORY
from roofproof.sentences import Sentence
from roofproof.symbols import dimension

PRODUCT = "fp16[m,k], fp16[k,n] -> fp16[m,n]"  # what a table with columns m, n and k is read as
Numbers = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Demands:
    """What each row of a table asks of a chip: `amounts` of each resource, of which those of `engines` are FLOPs.

    Formats on one engine stand together, as their times add up. `cached` bytes may lie in the last cache before a run;
    it is None for cold caches. `formulas` give the amounts of one row exactly.

    >>> from roofproof.hardware import chip
    >>> from roofproof.measured.times import read_times
    >>> table = read_times("examples/measured/gemm_fp16.tsv").on(chip("h100-sxm"))
    >>> table.sizes["m"][0], table.sizes["n"][0], table.sizes["k"][0], int(demands(table, chip("h100-sxm")).flops[0])
    (1, 1536, 4096, 12582912)
    """

    chip: Chip
    said: str
    engines: tuple[tuple[str, ...], ...]
    amounts: Mapping[str, Numbers]
    cached: Fraction | None
    formulas: Mapping[str, sympy.Expr]
    sizes: Mapping[str, Sequence[int]]

    @property
    def flops(self) -> Numbers:
        """FLOPs of all engines."""
        return self._sum([self.amounts[name] for together in self.engines for name in together if is_compute(name)])

    @property
    def moved(self) -> Numbers:
        """Bytes of the main memory."""
        return self._sum([self.amounts[MEMORY]] if MEMORY in self.amounts else [])

    @property
    def compute(self) -> Numbers:
        """Seconds of the engine that takes longest, at its peak."""
        return self._longest(self.engines)

    @property
    def bounding(self) -> tuple[tuple[str, ...], ...]:
        """The engines and channels beside the memory that bound a time: bytes between chips do not."""
        return tuple(together for together in self.engines if together[0] not in BETWEEN_CHIPS)

    @property
    def memory(self) -> Numbers:
        """Seconds of all bytes over the main memory, at its bandwidth."""
        return self._sum([self._time(MEMORY)] if MEMORY in self.amounts else [])

    @property
    def by_measurement(self) -> bool:
        """Whether the roof is of figures that were measured, which another run may beat."""
        figures = [self.chip.bandwidth(self.chip.memory)] if MEMORY in self.amounts else []
        figures += [self.chip.rate(name) for together in self.engines for name in together if is_compute(name)]
        return any(figure.status == "measured" for figure in figures)

    @property
    def floor(self) -> Numbers:
        """Seconds that no run of each row can beat."""
        hidden = float((self.cached or 0) / rate_of(self.chip, MEMORY))  # float: numbers
        return np.maximum(self._longest(self.bounding), self.memory - hidden)

    def exact_floor(self, row: int) -> Fraction:
        """Return the floor of one row, in exact seconds."""
        at = {name: column[row] for name, column in self.sizes.items()}

        def seconds(name: str, less: Fraction = Fraction(0)) -> Fraction:
            here = substitute(self.formulas[name], at)
            return max(Fraction(int(here.p), int(here.q)) - less, Fraction(0)) / rate_of(self.chip, name)

        times = [sum(map(seconds, together), Fraction(0)) for together in self.bounding]
        times += [seconds(MEMORY, self.cached or Fraction(0))] if MEMORY in self.formulas else []
        return max(times, default=Fraction(0))

    def estimate(self, found: Calibration | Moving | str) -> Numbers:
        """Return the seconds that calibrated ceilings give each row, or a corner of all figures as reached in full."""
        if isinstance(found, Calibration):
            shares = (float(share.value) for share in (found.compute, found.memory, found.start))  # float: numbers
            return joined_times(self.compute, self.memory, found.corner, *shares)
        if isinstance(found, Moving):
            _, moving = self.carried()
            step = 0.0 if found.step is None else float(found.step.value)  # float: numbers
            share, start = float(found.share.value), float(found.start.value)  # float: numbers
            return moved_times(moving, np.array(self.sizes.get("n", 1)), share, start, step)
        times = np.stack([*(self._sum([self._time(name) for name in group]) for group in self.engines), self.memory])
        joined: Numbers = {"max": times.max(axis=0), "sum": times.sum(axis=0)}.get(
            found, np.sqrt((times**2).sum(axis=0))
        )
        return joined

    def carried(self) -> tuple[str, Numbers]:
        """Return the one channel that all bytes cross, and the seconds that they take at its full rate.

        Raises RoofproofError for an operation with FLOPs, or with several channels.
        """
        channels = [name for together in self.engines for name in together] + [MEMORY] * (MEMORY in self.amounts)
        if len(channels) != 1 or is_compute(channels[0]):
            raise RoofproofError(
                f"{self.said}: expected bytes over one channel and no FLOPs; it uses {', '.join(channels)}"
            )
        [name] = channels
        return (self.chip.memory if name == MEMORY else name), self._time(name)

    def _longest(self, engines: Sequence[Sequence[str]]) -> Numbers:
        times = [self._sum([self._time(name) for name in together]) for together in engines]
        longest: Numbers = np.max([self._sum([]), *times], axis=0)
        return longest

    def _time(self, name: str) -> Numbers:
        times: Numbers = self.amounts[name] / float(rate_of(self.chip, name))  # float: numbers
        return times

    def _sum(self, parts: Sequence[Numbers]) -> Numbers:
        rows = len(next(iter(self.amounts.values())))
        total: Numbers = np.sum([np.zeros(rows), *parts], axis=0)
        return total


def joined_times(
    compute: Numbers, memory: Numbers, corner: str, e: float | Numbers, d: float | Numbers, start: float
) -> Numbers:
    """Return `start + corner(compute/e, memory/d)` in seconds.

    >>> joined_times(np.array([3.0]), np.array([4.0]), "root", 1.0, 1.0, 0.5)        # 0.5 + sqrt(3^2 + 4^2)
    array([5.5])
    """
    a, b = compute / e, memory / d
    return start + (np.maximum(a, b) if corner == "max" else a + b if corner == "sum" else np.hypot(a, b))


def moved_times(moving: Numbers, chips: Numbers, share: float, start: float, step: float = 0.0) -> Numbers:
    """Return `start + step (n - 1) + moving/share` in seconds.

    >>> moved_times(np.array([3.0]), np.array([5]), 0.5, 1.0, 0.25)                  # 1 + 4/4 + 3/0.5
    array([8.])
    """
    return start + step * (chips - 1) + moving / share


def demands(table: Times, chip: Chip, op: Operation | None = None, cold: bool = False) -> Demands:
    """Return the demands of each row of a table on a chip.

    >>> from roofproof.hardware import chip_from_text
    >>> from roofproof.measured.times import times_from_text
    >>> table = times_from_text("m,n,k,ms\\n1,2,3,5\\n", "t.csv")
    >>> found = demands(table, chip_from_text("fp16=24 FLOP/s, hbm=1 B/s, l2=2 B"))
    >>> found.moved, found.floor                                  # 2 (3 + 6 + 2); max(2*1*2*3/24, 22 - 2)
    (array([22.]), array([20.]))

    Without an operation a table with columns m, n and k is one of fp16 products [m,k] x [k,n], and one with a column
    `bytes` (and `flops`) has them counted. Caches are warm: what the last level holds need not be read; with `cold`
    all bytes are. Raises RoofproofError for sizes that the table lacks, and for figures that the chip does.
    """
    op, said = columns_said(table) if op is None else (op, op.name)
    if missing := [s.name for s in op.dims if s.name not in {*table.sizes, *table.labels}]:
        has = ", ".join(table.sizes) or "none"
        raise RoofproofError(f"{table.file}: no column {quoted(missing[0])}, a size of {op.name}; its sizes are {has}")
    sizes = {s.name: np.array(table.whole(s.name), np.int64) for s in op.dims}
    amounts = {
        name: sizes[expr.name]  # as it was counted, which may be nothing
        if expr.is_Symbol
        else np.broadcast_to(evaluate(expr, {s.name: sizes[s.name] for s in expr.free_symbols}), (len(table),))
        for name, expr in op.demands.items()
    }
    together = by_engine(op, [name for name in amounts if name != MEMORY], [chip])
    hidden = None if cold or table.at_memory or MEMORY not in amounts else last_cache(chip).value
    return Demands(chip, said, tuple(map(tuple, together)), amounts, hidden, op.demands, table.sizes)


def columns_said(table: Times) -> tuple[Operation, str]:
    """Return the operation that the columns of a table name, and how they name it.

    >>> from roofproof.measured.times import times_from_text
    >>> columns_said(times_from_text("m,n,k,ms\\n1,2,3,5\\n", "t.csv"))[0].flops
    2*k*m*n

    Raises RoofproofError where they say nothing.
    """
    if {"m", "n", "k"} <= {*table.sizes, *table.labels}:
        for name in "mnk":
            table.whole(name)
        return parse_operation(PRODUCT), Sentence("products <product>, as the columns m, n and k say", product=PRODUCT)
    engines = {name: name.removeprefix("flops_").replace("_", "-") for name in table.sizes if name[:6] == "flops_"}
    engines |= {"flops": "fp16"} if "flops" in table.sizes else {}
    if "bytes" not in table.sizes and not (engines and table.said):
        has = ", ".join(table.sizes) or "no sizes"
        raise RoofproofError(f"{table.file}: which operation was timed? name it by --op; the table has {has}")
    compute = {named(engine)[0]: dimension(name) for name, engine in engines.items()}
    op = one_kernel("counted", compute, links={MEMORY: dimension("bytes")} if "bytes" in table.sizes else {})
    said = "as the columns say: bytes and FLOPs of <engines>" if engines else "as the columns say: bytes"
    return op, table.said or Sentence(said, engines=", ".join(engines.values()))
