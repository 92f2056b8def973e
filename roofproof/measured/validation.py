"""Floor and estimate held against a table of measured times."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, Final

import numpy as np

from roofproof.hardware.calibration import Calibration, Moving
from roofproof.hardware.chips import Chip
from roofproof.hardware.resources import is_compute
from roofproof.measured.amounts import Demands
from roofproof.measured.times import Times

WORST: Final = 5  # rows that are told
NEAR: Final = 1.000001  # where floats are too near a floor to tell, exact numbers do
KNEE: Final = 0.8  # of the calibrated peak


Estimate = Calibration | Moving | str  # the last is a corner of figures as reached in full


@dataclass(frozen=True, slots=True)
class Row:
    """A measured time beside the floor and the estimate of its row, all in seconds."""

    line: int
    at: Mapping[str, object]
    seconds: Fraction
    floor: Fraction
    estimate: float | None

    def to_dict(self) -> dict[str, object]:
        """Return it as JSON has it."""
        return {
            "line": self.line,
            "at": dict(self.at),
            "time_s": float(self.seconds),  # float: JSON
            "floor_s": float(self.floor),  # float: JSON
            "estimate_s": self.estimate,
        }


@dataclass(frozen=True, slots=True)
class Validation:
    """How the times of a table lie to the floor and to the estimate.

    `tight` is the median of time over floor, `ratio` that of time over estimate, `falling` the pairs of neighbours
    along one size of which the larger took less time, and `knees` the median, over all shapes, of the size at which the
    estimate reaches 80 % of the calibrated peak over the size at which the times do.

    >>> from roofproof.hardware import chip
    >>> from roofproof.measured.amounts import demands
    >>> from roofproof.measured.times import read_times
    >>> table = read_times("examples/measured/gemm_fp16.tsv").on(chip("h100-sxm"))
    >>> held = validate(table, demands(table, chip("h100-sxm")), chip("h100-sxm").calibration())
    >>> held.to_dict()["points"], len(held.below)
    (1116, 0)
    """

    table: Times
    found: Demands
    ceilings: Estimate | None
    points: int
    below: tuple[Row, ...]
    tight: float
    median: float | None
    p90: float | None
    within: float | None
    ratio: float | None
    worst: tuple[Row, ...]
    falling: tuple[tuple[Row, Row], ...]
    pairs: int
    knees: tuple[float, int] | None

    def to_dict(self) -> dict[str, Any]:
        """Return it as `validate --json` prints it."""
        knee, shapes = self.knees or (None, 0)
        return {
            "points": self.points,
            "below_floor": len(self.below),
            "median_error": self.median,
            "p90_error": self.p90,
            "within_20": self.within,
            "time_over_estimate": self.ratio,
            "worst": [row.to_dict() for row in self.worst],
            "below": [row.to_dict() for row in self.below[:WORST]],
            "time_over_floor": self.tight,
            "non_monotone": {"pairs": self.pairs, "falling": len(self.falling)},
            "knee": {"estimate_over_measured": knee, "shapes": shapes},
            "caches": "cold" if self.found.cached is None else "warm",
            "operation": self.found.said,
        }


def ceilings_for(chip: Chip, found: Demands, table: Times) -> Calibration | Moving | None:
    """Return the calibrated ceilings of a chip for what a table times: its engine, or the one kind of operation.

    A table names the kind in its column `operation`; a collective is one by its name. None where the chip has none.
    """
    names = [name for together in found.engines for name in together]
    if any(map(is_compute, names)):
        return next((c for c in chip.calibrations if names == [c.engine]), None)
    kinds = set(table.labels.get("operation", ())) or {found.said.partition(" of ")[0]}
    return next((m for m in chip.movings if kinds == {m.kind}), None)


def validate(table: Times, found: Demands, ceilings: Estimate | None = None) -> Validation:
    """Hold each time of a table against its floor and, with calibrated ceilings, its estimate.

    >>> from roofproof.hardware import chip_from_text
    >>> from roofproof.measured.amounts import demands
    >>> from roofproof.measured.times import times_from_text
    >>> table = times_from_text("m,n,k,seconds\\n1,2,3,19\\n1,2,4,50\\n", "t.csv")
    >>> held = validate(table, demands(table, chip_from_text("fp16=24 FLOP/s, hbm=1 B/s, l2=2 B")))
    >>> held.points, [(row.line, str(row.floor)) for row in held.below]          # 22 bytes, 2 of them in the cache
    (2, [(2, '20')])
    """
    seconds = np.array([float(t) for t in table.seconds])  # float: numbers
    floor = found.floor
    near = np.flatnonzero(seconds < floor * NEAR)
    below = [i for i in near.tolist() if table.seconds[i] < found.exact_floor(i)]
    estimate = None if ceilings is None else found.estimate(ceilings)

    def row(i: int) -> Row:
        at = {name: column[i] for name, column in (*table.labels.items(), *table.sizes.items())}
        guess = None if estimate is None else float(estimate[i])  # float: an estimate
        return Row(table.lines[i], at, table.seconds[i], found.exact_floor(i), guess)

    worst: list[int] = []
    median = p90 = within = ratio = None
    if estimate is not None:
        off = np.abs(estimate / seconds - 1)
        worst = np.argsort(-off, kind="stable")[:WORST].tolist()
        median, p90 = (float(np.quantile(off, q)) for q in (0.5, 0.9))  # float: statistics
        within = float(np.mean(off <= 0.2))  # float: statistics
        ratio = float(np.median(seconds / estimate))  # float: statistics
    pairs = [] if table.said else list(_neighbours(table))  # counts of a profiler are no sizes
    falling = sorted(
        (p for p in pairs if table.seconds[p[0]] > table.seconds[p[1]]), key=lambda p: seconds[p[1]] / seconds[p[0]]
    )
    tight = (
        float(np.median(seconds[floor > 0] / floor[floor > 0])) if np.any(floor > 0) else float("inf")
    )  # float: statistics
    return Validation(
        table, found, ceilings, len(table), tuple(map(row, below)), tight, median, p90, within, ratio,
        tuple(map(row, worst)), tuple((row(a), row(b)) for a, b in falling), len(pairs),
        _knees(table, found, ceilings, seconds, estimate),
    )  # fmt: skip


def along(table: Times) -> Iterator[tuple[str, list[int]]]:
    """Yield each size and the rows along it, in its order, everything else the same.

    >>> from roofproof.measured.times import times_from_text
    >>> list(along(times_from_text("m,n,s\\n4,1,9\\n2,1,5\\n2,3,7\\n", "t.csv")))
    [('m', [1, 0]), ('n', [1, 2])]
    """
    for name, column in table.sizes.items():
        others = [c for n, c in (*table.sizes.items(), *table.labels.items()) if n != name]
        rows: dict[tuple[object, ...], list[int]] = {}
        for i in range(len(table)):
            rows.setdefault(tuple(c[i] for c in others), []).append(i)
        yield from ((name, sorted(line, key=lambda i: column[i])) for line in rows.values() if len(line) > 1)


def _neighbours(table: Times) -> Iterator[tuple[int, int]]:
    for name, line in along(table):
        yield from ((a, b) for a, b in pairwise(line) if table.sizes[name][a] < table.sizes[name][b])


def _knees(
    table: Times, found: Demands, ceilings: Estimate | None, seconds: Any, estimate: Any
) -> tuple[float, int] | None:
    if not isinstance(ceilings, Calibration) or estimate is None or not table.sizes:
        return None
    most = max(table.sizes, key=lambda name: len(set(table.sizes[name])))
    best = found.compute / float(ceilings.compute.value)  # float: statistics
    ratios = []
    for name, line in along(table):
        if name == most:
            at = [table.sizes[name][i] for i in line]
            ours, theirs = (_reached(at, best[line] / t[line]) for t in (estimate, seconds))
            ratios += [ours / theirs] if ours and theirs else []
    return (float(np.median(ratios)), len(ratios)) if ratios else None  # float: statistics


def _reached(sizes: list[int], share: Any) -> float | None:
    """Return the size from which a share is reached, between two sizes by their logarithms; None off the table."""
    first = next((k for k, s in enumerate(share) if s >= KNEE), 0)
    if not first:
        return None
    part = (KNEE - share[first - 1]) / (share[first] - share[first - 1])
    return float(sizes[first - 1] * (sizes[first] / sizes[first - 1]) ** part)  # float: statistics
