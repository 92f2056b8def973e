"""Validation: compares a table of times of one operation with the minimum time and the estimate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import isfinite
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from roofproof.derive.roofline.floors import COLD, WARM, Floor
from roofproof.hardware.calibration import Calibration
from roofproof.hardware.chips import Chip
from roofproof.ops import Operation
from roofproof.times.estimates import Demands, demands
from roofproof.times.tables import Times
from roofproof.times.verdicts import BEYOND, IMPOSSIBLE, FloorAtSizes, Verdict, minimum

WORST: Final = 5  # number of rows that are reported
NEAR: Final = 1.000001  # floats this close to a minimum are compared by exact arithmetic
Numbers = NDArray[Any]
Rates = Calibration | str  # a string combines times at full specs: max, sum or root


@dataclass(frozen=True, slots=True)
class ValidatedTime:
    """A measured time with the minimum time and the estimate of its row, all in seconds."""

    line: int
    at: Mapping[str, object]
    seconds: Fraction
    floor: Fraction
    estimate: float | None

    def to_dict(self) -> dict[str, object]:
        """Return the row as JSON data."""
        return {
            "line": self.line,
            "at": dict(self.at),
            "time_s": float(self.seconds),  # float: JSON
            "floor_s": float(self.floor),  # float: JSON
            "estimate_s": self.estimate,
        }


@dataclass(frozen=True, slots=True)
class Validation:
    """The times of a table compared with the minimum time and the estimate.

    `below` are the impossible times, and `beyond` the times beyond the model. `tight` is the median of time over
    minimum, and `ratio` the median of time over estimate. `falling` has the neighboring rows along one size of which
    the larger size took less time.

    >>> from roofproof.hardware import chip
    >>> from roofproof.times.tables import read_times
    >>> table = read_times("examples/measured/gemm_fp16.tsv").on(chip("h100-sxm"))
    >>> held = validate(table, chip("h100-sxm"), rates=chip("h100-sxm").calibration())
    >>> held.to_dict()["points"], len(held.below)
    (1116, 0)
    """

    table: Times
    found: Demands
    floor: Floor
    rates: Rates | None
    points: int
    below: tuple[ValidatedTime, ...]
    beyond: tuple[Verdict, ...]
    tight: float
    median: float | None
    p90: float | None
    within: float | None
    ratio: float | None
    worst: tuple[ValidatedTime, ...]
    falling: tuple[tuple[ValidatedTime, ValidatedTime], ...]
    pairs: int
    lender: str = ""

    @property
    def caches(self) -> str:
        """Whether the minimum time assumes cold or warm caches."""
        return WARM if any(part.hidden for part in self.floor.parts) else COLD

    @property
    def by_measurement(self) -> bool:
        """Whether the minimum time uses measured specs, which another run may exceed."""
        return any(rate.status == "measured" for part in self.floor.parts for _, rate in part.demands)

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as `time --summary --json` prints it."""
        return {
            "points": self.points,
            "below_floor": len(self.below),
            "beyond_the_model": len(self.beyond),
            "median_error": self.median,
            "p90_error": self.p90,
            "within_20": self.within,
            "time_over_estimate": self.ratio,
            "ceilings_of": self.lender or None,
            "worst": [row.to_dict() for row in self.worst],
            "below": [row.to_dict() for row in self.below[:WORST]],
            "time_over_floor": self.tight if isfinite(self.tight) else None,
            "non_monotone": {"pairs": self.pairs, "falling": len(self.falling)},
            "caches": self.caches,
            "operation": self.found.said,
        }


def validate(
    table: Times, chip: Chip, op: Operation | None = None, caches: str = "", rates: Rates | None = None,
    lender: str = "", with_all_experts: Operation | None = None,
) -> Validation:  # fmt: skip
    """Compare each time of a table with its minimum and, if rates are given, with its estimate.

    >>> from roofproof.hardware import chip_from_text
    >>> from roofproof.times.tables import times_from_text
    >>> table = times_from_text("m,n,k,seconds\\n1,2,3,19\\n1,2,4,50\\n", "t.csv")
    >>> held = validate(table, chip_from_text("fp16=24 FLOP/s, hbm=1 B/s, l2=2 B"), caches="warm")
    >>> held.points, [(row.line, str(row.floor)) for row in held.below]          # 22 bytes, 2 of them in the cache
    (2, [(2, '20')])

    Bytes that a profiler counted at the memory mean cold caches. `with_all_experts` is as in `Problem`. Raises
    RoofproofError for missing sizes in the table and missing specs of the chip.
    """
    found = demands(table, chip, op)
    held = FloorAtSizes(minimum(found.op, chip, caches, with_all_experts=with_all_experts, times=table))
    seconds = np.array([float(t) for t in table.seconds])  # float: numbers
    floor = seconds_at(held.floor, found)
    estimate = None if rates is None else found.estimate(rates)
    in_question = np.flatnonzero(_in_question(held, found, seconds, floor)).tolist()
    verdicts = {i: held.verdict(table.seconds[i], _sizes(table, held, i), table.lines[i]) for i in in_question}

    def row(i: int) -> ValidatedTime:
        at = {name: column[i] for name, column in (*table.labels.items(), *table.sizes.items())}
        guess = None if estimate is None else float(estimate[i])  # float: an estimate
        return ValidatedTime(table.lines[i], at, table.seconds[i], held.seconds(_sizes(table, held, i))[0], guess)

    worst: list[int] = []
    middle = p90 = within = ratio = None
    if estimate is not None:
        off = np.abs(estimate / seconds - 1)
        worst = np.argsort(-off, kind="stable")[:WORST].tolist()
        middle, p90 = (float(np.quantile(off, q)) for q in (0.5, 0.9))  # float: statistics
        within = float(np.mean(off <= 0.2))  # float: statistics
        ratio = float(np.median(seconds / estimate))  # float: statistics
    pairs = [] if table.said else list(_neighbours(table))  # a profiler's counts are not sizes
    falling = sorted(
        (p for p in pairs if table.seconds[p[0]] > table.seconds[p[1]]), key=lambda p: seconds[p[1]] / seconds[p[0]]
    )
    some = floor > 0
    return Validation(
        table, found, held.floor, rates, len(table),
        tuple(row(i) for i, verdict in verdicts.items() if verdict.verdict == IMPOSSIBLE),
        tuple(verdict for verdict in verdicts.values() if verdict.verdict == BEYOND),
        float(np.median(seconds[some] / floor[some])) if np.any(some) else float("inf"),  # float: statistics
        middle, p90, within, ratio, tuple(map(row, worst)), tuple((row(a), row(b)) for a, b in falling), len(pairs),
        lender,
    )  # fmt: skip


def seconds_at(floor: Floor, found: Demands) -> Numbers:
    """Return a minimum time at each row of a table, as floats."""
    longest = np.zeros(found.rows)
    for part in floor.parts:
        times = [(np.maximum(found.at_rows(amount) - part.hidden, 0), rate.value) for amount, rate in part.demands]
        longest = np.maximum(longest, sum(amount / float(rate) for amount, rate in times))  # float: numbers
    return longest


def _in_question(held: FloorAtSizes, found: Demands, seconds: Numbers, floor: Numbers) -> Numbers:
    """Return a mask of the rows that floats cannot show to be possible."""
    stored, room = held.floor.stored, held.floor.room
    if found.op.conditions or found.op.footprint or not held.floor.parts:
        return np.ones(found.rows, bool)
    near: Numbers = seconds < floor * NEAR
    if stored is not None and room is not None:
        near = near | (found.at_rows(stored) * NEAR > float(room.value))  # float: a filter
    return near


def _sizes(table: Times, held: FloorAtSizes, row: int) -> dict[str, int]:
    return {name: table.sizes[name][row] for name in held.names}


def _neighbours(table: Times) -> Iterator[tuple[int, int]]:
    """Yield pairs of rows that are neighbors along one size, with everything else equal."""
    for name, column in table.sizes.items():
        others = [c for n, c in (*table.sizes.items(), *table.labels.items()) if n != name]
        rows: dict[tuple[object, ...], list[int]] = {}
        for i in range(len(table)):
            rows.setdefault(tuple(c[i] for c in others), []).append(i)
        for line in rows.values():
            line.sort(key=lambda i: column[i])
            yield from ((a, b) for a, b in pairwise(line) if column[a] < column[b])
