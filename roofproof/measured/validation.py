"""Floor and estimate held against a table of measured times."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import isfinite
from statistics import median
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from roofproof.hardware.calibration import Calibration, Moving
from roofproof.hardware.catalog import lenders
from roofproof.hardware.chips import Chip
from roofproof.hardware.resources import is_compute
from roofproof.measured.amounts import Demands
from roofproof.measured.knees import first_reached, kept_from, own_times
from roofproof.measured.times import Times

WORST: Final = 5  # rows that are told
NEAR: Final = 1.000001  # where floats are too near a floor to tell, exact numbers do
KNEE: Final = 0.8  # of the calibrated peak
SHORTEST: Final = 8  # times along a size to which two shares are fitted
Numbers = NDArray[Any]

Estimate = Calibration | Moving | str  # the last is a corner of figures as reached in full


@dataclass(frozen=True, slots=True)
class ValidatedTime:
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
class Knees:
    """The size at which the estimate reaches 80 % of the calibrated peak over that at which times do, in the median.

    Times step up and down with the tiles of their kernels, so a share is reached and lost again. `fitted` is over the
    size at which a fit of e and d to the shape's own times reaches it, in `shapes` of which `near` are within 20 %;
    `first` is over the size that first reaches it, `kept` over that from which on no time falls below it again.
    """

    fitted: float
    shapes: int
    near: int
    first: float | None
    kept: float | None


@dataclass(frozen=True, slots=True)
class Validation:
    """How the times of a table lie to the floor and to the estimate.

    `tight` is the median of time over floor, `ratio` that of time over estimate, `falling` the pairs of neighbours
    along one size of which the larger took less time, and `knees` how the sizes lie to each other at which estimate and
    times reach 80 % of the calibrated peak.

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
    below: tuple[ValidatedTime, ...]
    tight: float
    median: float | None
    p90: float | None
    within: float | None
    ratio: float | None
    worst: tuple[ValidatedTime, ...]
    falling: tuple[tuple[ValidatedTime, ValidatedTime], ...]
    pairs: int
    knees: Knees | None
    lender: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return it as `validate --json` prints it."""
        knee = self.knees or Knees(0, 0, 0, None, None)
        return {
            "points": self.points,
            "below_floor": len(self.below),
            "median_error": self.median,
            "p90_error": self.p90,
            "within_20": self.within,
            "time_over_estimate": self.ratio,
            "ceilings_of": self.lender or None,
            "worst": [row.to_dict() for row in self.worst],
            "below": [row.to_dict() for row in self.below[:WORST]],
            "time_over_floor": self.tight if isfinite(self.tight) else None,
            "non_monotone": {"pairs": self.pairs, "falling": len(self.falling)},
            "knee": {
                "estimate_over_measured": knee.fitted or None,
                "shapes": knee.shapes,
                "shapes_within_20": knee.near,
                "estimate_over_first_reached": knee.first,
                "estimate_over_kept_from": knee.kept,
            },
            "caches": "cold" if self.found.cached is None else "warm",
            "operation": self.found.said,
        }


def ceilings_for(chip: Chip, found: Demands, table: Times) -> tuple[Calibration | Moving | None, str]:
    """Return the calibrated ceilings for what a table times, its engine or the one kind of operation, and their lender.

    A table names the kind in its column `operation`; a collective is one by its name. A chip without borrows those of
    its generation. None where there are none.
    """
    names = [name for together in found.engines for name in together]
    kinds = set(table.labels.get("operation", ())) or {found.said.partition(" of ")[0]}
    for of, one in (("", chip), *((each.name, each) for each in lenders(chip))):
        made: list[Calibration | Moving] = [c for c in one.calibrations if names == [c.engine]]
        if not any(map(is_compute, names)):
            made = [m for m in one.movings if kinds == {m.kind}]
        if made:
            return made[0], of
    return None, ""


def validate(table: Times, found: Demands, ceilings: Estimate | None = None, lender: str = "") -> Validation:
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

    def row(i: int) -> ValidatedTime:
        at = {name: column[i] for name, column in (*table.labels.items(), *table.sizes.items())}
        guess = None if estimate is None else float(estimate[i])  # float: an estimate
        return ValidatedTime(table.lines[i], at, table.seconds[i], found.exact_floor(i), guess)

    worst: list[int] = []
    middle = p90 = within = ratio = None
    if estimate is not None:
        off = np.abs(estimate / seconds - 1)
        worst = np.argsort(-off, kind="stable")[:WORST].tolist()
        middle, p90 = (float(np.quantile(off, q)) for q in (0.5, 0.9))  # float: statistics
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
        table, found, ceilings, len(table), tuple(map(row, below)), tight, middle, p90, within, ratio,
        tuple(map(row, worst)), tuple((row(a), row(b)) for a, b in falling), len(pairs),
        _knees(table, found, ceilings, seconds, estimate), lender,
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
    table: Times, found: Demands, ceilings: Estimate | None, seconds: Numbers, estimate: Numbers | None
) -> Knees | None:
    if not isinstance(ceilings, Calibration) or estimate is None or not table.sizes:
        return None
    most = max(table.sizes, key=lambda name: len(set(table.sizes[name])))
    compute, memory = found.compute, found.memory
    e, d, start = (float(share.value) for share in (ceilings.compute, ceilings.memory, ceilings.start))  # float: a fit
    fitted: list[float | None] = []
    first: list[float | None] = []
    kept: list[float | None] = []
    for name, line in along(table):
        at = [table.sizes[name][i] for i in line]
        best = compute[line] / e
        ours = first_reached(at, best / estimate[line], KNEE) if name == most and len(line) >= SHORTEST else None
        if ours is None:
            continue
        smooth, times = own_times(compute[line], memory[line], seconds[line], e, d, start), seconds[line]
        for over, theirs in (
            (fitted, first_reached(at, best / smooth, KNEE)),
            (first, first_reached(at, best / times, KNEE)),
            (kept, kept_from(at, best / times, KNEE)),
        ):
            over.append(ours / theirs if theirs else None)
    there = [ratio for ratio in fitted if ratio is not None]
    if not there:
        return None
    near = sum(abs(ratio - 1) <= 0.2 for ratio in there)
    return Knees(median(there), len(there), near, *(_median(ratios) for ratios in (first, kept)))


def _median(ratios: Sequence[float | None]) -> float | None:
    known = [ratio for ratio in ratios if ratio is not None]
    return median(known) if known else None
