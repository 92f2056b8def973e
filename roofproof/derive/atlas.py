"""Thresholds of many operations on many chips, as plain rows, computed in one or several processes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import sympy

from roofproof.derive.algebra.budget import at_most
from roofproof.derive.algebra.text import plain
from roofproof.derive.on_chips import CEILINGS, OPEN, Comparison, OnChip, thresholds
from roofproof.derive.roofline.own_format import forms, in_own_formats
from roofproof.derive.roofline.share import percent
from roofproof.errors import RoofproofError, Stopped
from roofproof.hardware import Chip, any_chip
from roofproof.ops import entries, parse_operation
from roofproof.parallel import parallel_map
from roofproof.proofs.known import Unproved

UNFIT = "unfit"
NONE_FOUND = "none found among the sizes searched, open beyond"


@dataclass(frozen=True, slots=True)
class AtlasLine:
    """One threshold of the atlas, in plain text and numbers.

    `at` is the kind of the threshold at the sizes, or UNFIT if the blocks do not fit on the chip. `assuming` holds the
    assumptions about the sizes. `left_out` names the compute units for which the chip has no spec. For a share of the
    peak, `estimate` says whose calibrated rates were used, and `started` is the integer with the startup time included.
    `integer` is None without sizes, or if no integer answers the threshold.

    >>> [part] = parts(["matmul:int8"], ["tpu-v5e@scaling-book"], ["B"], {"D": 4096, "F": 4096})
    >>> part.lines[0].ridges, part.lines[0].integer            # 3.94e14/8.2e11 FLOP/B; B > 480.49/2/(1 - ...)
    ({'R': 19700/41}, 273)
    """

    op: str
    compute: str
    chip: str
    unknown: str
    ridges: Mapping[str, sympy.Expr]
    cases: str
    at: str
    integer: int | None
    trust: str
    assuming: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    estimate: str = ""
    started: int | None = None


@dataclass(frozen=True, slots=True)
class AtlasPart:
    """The lines for one operation and one dimension, or the problem that prevented them.

    `lacking` names the chips without the specs for any number format of the operation. `uncalibrated` names those with
    the specs but without calibrated rates to estimate a share. `kept` is the requested share of the peak.

    >>> [part] = parts(["sharded-matmul:n=4"], ["tpu-v5e"], ["B"])
    >>> part.lines[0].assuming
    ('4 divides D',)
    """

    op: str
    unknown: str
    lines: tuple[AtlasLine, ...]
    problem: str = ""
    lacking: tuple[str, ...] = ()
    uncalibrated: tuple[str, ...] = ()
    kept: str = ""

    @property
    def lacks(self) -> dict[str, tuple[str, ...]]:
        """The names of the chips that lack specs, and of those that lack calibrated rates."""
        lacking = {"figures": self.lacking, "calibrated ceilings": self.uncalibrated}
        return {what: names for what, names in lacking.items() if names}


Keep = tuple[Fraction | None, str | None]
Shared = tuple[tuple[str, ...], Mapping[str, int], int | None, Keep]


def parts(
    ops: Sequence[str],
    chips: Sequence[str],
    unknowns: Sequence[str] | None = None,
    sizes: Mapping[str, int] | None = None,
    workers: int | str = 1,
    steps: int | None = None,
    share: Fraction | None = None,
    corner: str | None = None,
) -> Iterator[AtlasPart]:
    """Yield the parts of the atlas, one for each operation and dimension.

    >>> [(part.unknown, len(part.lines)) for part in parts(["dot:bf16", "fft"], ["tpu-v5e", "h100-sxm"])]
    [('N', 2), ('N', 15)]

    Operations are written as for `parse_operation`. The name of a library operation stands for all its number formats.
    `steps` limits the work on each dimension, and `workers` is passed to `parallel.parallel_map`. Raises RoofproofError
    for an invalid operation or chip.
    """
    known = tuple(chips)
    for text in known:
        any_chip(text)
    tasks: list[tuple[str, str]] = []
    for text in ops:
        dims = [s.name for s in parse_operation(text).dims]
        tasks += [(text, x) for x in dims if unknowns is None or x in unknowns]
    yield from parallel_map(part, (known, dict(sizes or {}), steps, (share, corner)), tasks, workers)


def part(shared: Shared, task: tuple[str, str]) -> AtlasPart:
    """Compute one part of the atlas, with any error stored in its `problem`."""
    (names, point, steps, (share, corner)), (text, x) = shared, task
    chips = [_chip(c) for c in names]
    lines: list[AtlasLine] = []
    bare: set[Chip] = set()
    try:
        with at_most(steps):
            named = [(op, chips) for op in forms(chips, text).values()] if text in entries() else []
            for op, some in named or in_own_formats(text, chips, usual=True) or [(parse_operation(text), chips)]:
                given = {s.name: point[s.name] for s in op.dims if s.name in point and s.name != x}
                for found in thresholds(op, x, some, given, None, share, corner):
                    lines += [_line(found, row, text, bool(point)) for row in found.rows if row.missing in ("", OPEN)]
                    bare |= {row.chip for row in found.rows if row.missing == CEILINGS}
    except (RoofproofError, Stopped) as problem:
        return AtlasPart(text, x, tuple(lines), str(problem))
    answered = {line.chip for line in lines}
    lacking = [c for c in chips if c.name not in answered] if lines else []
    none = "no chip has the specs it needs" if share is None else "no chip has calibrated rates for it"
    kept = "" if share is None else f"{percent(share)} of the {'peak' if corner else 'calibrated peak'}"
    figureless, uncalibrated = (tuple(c.name for c in lacking if (c in bare) == is_bare) for is_bare in (False, True))
    return AtlasPart(text, x, tuple(lines), "" if lines else none, figureless, uncalibrated, kept)


def _line(found: Comparison, row: OnChip, text: str, sized: bool) -> AtlasLine:
    """Return the line for one chip, with the answer at the given sizes if they decide it."""
    proved = row.alone or found.proved
    cases, decided = str(proved.found.symbolic), sized and (row.exact or not found.by_rule)
    if row.missing == OPEN:
        cases = NONE_FOUND
    elif row.alone:
        searched = proved.found.searched
        told = [f"for every whole {found.unknown} from 1 to {searched}"] if searched else []
        cases, decided = "\n".join([str(proved.found.cases), *told]), True
    at = UNFIT if row.unfit and sized else row.at_sizes.kind if decided and row.at_sizes else ""
    share = row.share
    return AtlasLine(
        text, "+".join(found.units), row.chip.name, str(found.unknown), row.ridges, cases, at,
        row.integer if decided else None, Unproved.trust if row.missing else found.trust_on(row),
        tuple(map(plain, proved.found.supposed)), found.left_out,
        "" if share is None else share.of or "its own" if share.ceilings else "not calibrated",
        row.started_integer if decided else None,
    )  # fmt: skip


_chip = lru_cache(maxsize=200)(any_chip)
