"""The atlas as plain rows: worked out here or by processes side by side, each part within a limit of time."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from roofproof.atlas.on_chips import OPEN, OnChip, compare
from roofproof.atlas.rows import AtlasRow, Ridge, atlas, library
from roofproof.clock import within
from roofproof.derive.algebra.text import plain
from roofproof.derive.roofline.keeping import Uncalibrated, share_of
from roofproof.derive.roofline.memory_fit import assumptions
from roofproof.derive.roofline.own_format import in_own_formats
from roofproof.derive.roofline.share import percent
from roofproof.errors import RoofproofError, Stopped, Undecided
from roofproof.hardware import Chip, any_chip
from roofproof.ops import Operation, entries, parse_operation
from roofproof.parallel import in_order
from roofproof.proofs.known import Open

UNFIT = "unfit"
NONE_FOUND = "none found among the sizes searched, open beyond"


@dataclass(frozen=True, slots=True)
class AtlasLine:
    """One threshold of the atlas in plain text and numbers; `integer` is None where there is none, or no sizes.

    `at` is the kind of the threshold at the sizes, UNFIT where the blocks do not fit on the chip; `left_out` are the
    engines of which the chip has no figure. Of a share of the peak, `estimate` says by whose calibrated ceilings, and
    `started` is the integer with the start in the time.

    >>> [part] = parts(["matmul:int8"], ["tpu-v5e@scaling-book"], ["B"], {"D": 4096, "F": 4096})
    >>> part.lines[0].ridges, part.lines[0].integer            # 3.94e14/8.2e11 FLOP/B; B > 480.49/2/(1 - ...)
    ({'R': Fraction(19700, 41)}, 273)
    """

    op: str
    compute: str
    chip: str
    unknown: str
    ridges: Mapping[str, Ridge]
    cases: str
    at: str
    integer: int | None
    trust: str
    left_out: tuple[str, ...] = ()
    estimate: str = ""
    started: int | None = None


@dataclass(frozen=True, slots=True)
class AtlasPart:
    """The lines of one operation and one dimension, or the problem that leaves it without any.

    `lacking` are the chips that have the figures of no number format of it, `uncalibrated` those that have figures, and
    no ceilings by which a share could be estimated. `kept` is the share of the peak that is asked for.

    >>> [part] = parts(["sharded-matmul:n=4"], ["tpu-v5e"], ["B"])
    >>> part.assuming
    ('4 divides D',)
    """

    op: str
    unknown: str
    lines: tuple[AtlasLine, ...]
    problem: str = ""
    assuming: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()
    uncalibrated: tuple[str, ...] = ()
    kept: str = ""


Keep = tuple[Fraction | None, str | None]
Shared = tuple[tuple[str, ...], Mapping[str, int], int | None, Keep]


def parts(
    ops: Sequence[str],
    chips: Sequence[str],
    unknowns: Sequence[str] | None = None,
    sizes: Mapping[str, int] | None = None,
    workers: int | str = 1,
    seconds: int | None = None,
    share: Fraction | None = None,
    corner: str | None = None,
) -> Iterator[AtlasPart]:
    """Yield the atlas of operations, written as for `parse_operation`, a dimension at a time.

    >>> [(part.unknown, len(part.lines)) for part in parts(["dot:bf16", "fft"], ["tpu-v5e", "h100-sxm"])]
    [('N', 2), ('N', 15)]

    The name of a library operation stands for all its number formats. Each dimension has a limit of `seconds`,
    where the system has alarms; `workers` are those of `parallel.in_order`. Raises RoofproofError for an operation or
    a chip that cannot be used.
    """
    known = tuple(chips)
    for text in known:
        any_chip(text)
    tasks: list[tuple[str, str]] = []
    for text in ops:
        dims = [s.name for s in parse_operation(text).dims]
        tasks += [(text, x) for x in dims if unknowns is None or x in unknowns]
    yield from in_order(part, (known, dict(sizes or {}), seconds, (share, corner)), tasks, workers)


def part(shared: Shared, task: tuple[str, str]) -> AtlasPart:
    """Work out one part; what leaves it without lines is told in the part."""
    (chips, point, seconds, keep), (text, x) = shared, task
    able = [_chip(c) for c in chips]
    lines: list[AtlasLine] = []
    try:
        with within(seconds):
            named = [(op, able) for op in library(able, [text])] if text in entries() else []
            written = named or in_own_formats(text, able, usual=True) or [(parse_operation(text), able)]
            for op, some in written:
                try:
                    lines += [_line(row, text, point) for row in atlas([op], some, [x], *keep)]
                except Undecided:  # no formula serves all chips: at numbers each has an answer of its own
                    given = {n: size for n, size in point.items() if n in {s.name for s in op.dims} - {x}}
                    rows = compare(op, x, some, given, None, *keep).rows
                    lines += [line for row in rows for line in _alone(row, op, text, x)]
    except (RoofproofError, Stopped) as problem:
        return AtlasPart(text, x, tuple(lines), str(problem))
    assuming = tuple(plain(c) for c in assumptions(parse_operation(text)))
    there = {line.chip for line in lines}
    lacking = [c for c in able if c.name not in there] if lines else []
    share, corner = keep
    bare = [c for c in lacking if share and any(_uncalibrated(op, c, share, corner) for op, _ in written)]
    none = "no chip has the figures it needs" if share is None else "no chip has calibrated ceilings for it"
    kept = "" if share is None else f"{percent(share)} of the {'peak' if corner else 'calibrated peak'}"
    figureless, uncalibrated = (tuple(c.name for c in lacking if (c in bare) == is_bare) for is_bare in (False, True))
    return AtlasPart(text, x, tuple(lines), "" if lines else none, assuming, figureless, uncalibrated, kept)


def _uncalibrated(op: Operation, chip: Chip, share: Fraction, corner: str | None) -> bool:
    """Whether a chip has the figures of an operation, and no ceilings by which a share could be estimated."""
    try:
        share_of(op, chip, share, corner)
    except Uncalibrated:
        return True
    except RoofproofError:  # a figure is missing
        return False
    return False


def _alone(row: OnChip, op: Operation, text: str, x: str) -> Iterator[AtlasLine]:
    """Yield the line of a chip on which a threshold was solved, or searched, at the sizes; none where figures lack."""
    if row.missing == OPEN:
        yield AtlasLine(text, "+".join(op.compute), row.chip.name, x, {}, NONE_FOUND, "", None, Open.trust)
    if row.alone is None:
        return
    found = row.alone.found
    told = [str(found.cases), *(f"for every whole {x} from 1 to {found.searched}" for _ in range(found.searched > 0))]
    estimate = "" if row.share is None else row.share.of or "its own" if row.share.ceilings else "not calibrated"
    yield AtlasLine(
        text, "+".join(dict.fromkeys(c.compute for c in found.ceilings)), row.chip.name, x, row.ridges, "\n".join(told),
        UNFIT if row.unfit else found.at_point.kind if found.at_point else "", row.integer, row.alone.trust,
        tuple(gone.resource for gone in found.left_out), estimate, row.started_integer,
    )  # fmt: skip


def _line(row: AtlasRow, text: str, sizes: Mapping[str, int]) -> AtlasLine:
    needed = {s.name for c in row.cases for s in c.symbols} - set(row.ridges)
    given = {n: s for n, s in sizes.items() if n != row.unknown.name}
    known = needed <= set(given) and bool(sizes)
    kind = "" if not known else row.at(given).kind if row.fits(given) else UNFIT
    integer = row.integer(given) if known else None
    started = row.started(given) if known else None
    share = None if row.kept is None else row.kept.share
    estimate = "" if share is None else share.of or "its own" if share.ceilings else "not calibrated"
    return AtlasLine(
        text, row.compute, row.chip, row.unknown.name, row.ridges, _told(row.cases), kind, integer,
        row.derivation.trust, row.left_out, estimate, started,
    )  # fmt: skip


_chip = lru_cache(maxsize=200)(any_chip)
_told = lru_cache(maxsize=200)(str)
