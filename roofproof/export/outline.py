"""An answer told once, as sections of known statements: text, JSON, LaTeX, slides and notebooks only render it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import sympy

from roofproof.derive.roofline.engines import on_one_engine
from roofproof.derive.roofline.left_out import with_figures
from roofproof.derive.roofline.memory_fit import kernel_memory, requirements, unchecked
from roofproof.derive.roofline.other_sources import other_figures, other_times
from roofproof.derive.roofline.ridges import supply
from roofproof.hardware import Capacity, Chip, Rate
from roofproof.ops import Operation
from roofproof.proofs import ProvedThreshold
from roofproof.proofs.known import GIVEN, ByKernel, Figure, Known, weakest
from roofproof.proofs.provers.roofline import (
    counted,
    figure,
    intensities,
    moves_only,
    otherwise_timed,
    timed,
    would_bind,
)
from roofproof.proofs.provers.thresholds import cases_of

if TYPE_CHECKING:  # lines of proofs are read in where they are told
    from roofproof.derive.inequalities.cases import Threshold
    from roofproof.proofs.steps.step import Step, Steps, Untold

TIMES = ("resource", "lower", "sequence", "upper")  # the lines of how long it takes


@dataclass(frozen=True, slots=True)
class Row:
    """A line of an answer: `key` says in which words, `known` what it rests on, `about` what it is about.

    What it is about is a figure, a tensor, a channel, a rule of thumb, ...: names and words, no results. A line of a
    proof has a `number` where later lines name it, and the numbers of those that it `follows` from.
    """

    key: str
    known: tuple[Known, ...]
    about: Any = None
    number: int = 0
    follows: tuple[int, ...] = ()

    @property
    def value(self) -> Any:
        """The expression that the first of its statements shows."""
        return self.known[0].statement.shows[0]

    @property
    def threshold(self) -> Threshold:
        """The threshold at the sizes given."""
        [found] = [k.statement.about for k in self.known if k.statement.kind == "at-point"]
        assert isinstance(found, tuple)
        return found[1].threshold

    @property
    def ridges(self) -> dict[str, sympy.Expr]:
        """The ridge points among its statements, by symbol."""
        found = (k.statement for k in self.known if k.statement.kind == "ridge")
        return {str(s.about): s.shows[0] for s in found}

    @property
    def integer(self) -> int | None:
        """The integer answer among its statements; None where there is none, or none is asked for."""
        found = [k.statement.shows[1] for k in self.known if k.statement.kind == "integer"]
        return int(found[0]) if found and found[0].is_Integer else None

    @property
    def unmet(self) -> bool:
        """Whether there is a threshold, but no integer beyond it that the operation allows."""
        return self.integer is None and any(k.statement.kind == "integer" for k in self.known)

    @property
    def trust(self) -> str:
        """How all of it is known."""
        return weakest(self.known)


@dataclass(frozen=True, slots=True)
class Section:
    """Some lines under a heading, which has a key in the catalogue of words; `about` is the channel in it."""

    key: str
    rows: tuple[Row, ...]
    about: str = ""


@dataclass(frozen=True, slots=True)
class Outline:
    """What is said of an operation, alone, on a chip, or with a proved threshold, in the order of the answer.

    >>> from roofproof import op
    >>> dot = outline(op("dot"), None, None, {})
    >>> [(section.key, len(section.rows)) for section in dot.sections]       # bytes of x, y, z and their total
    [('flops', 1), ('bytes', 4), ('intensity-over', 1)]
    >>> [str(row.value) for row in dot.rows("intensity", "total")]           # (N + N - 1) / (4 N + 2)
    ['4*N + 2', '(2*N - 1)/(4*N + 2)']
    """

    op: Operation
    chip: Chip | None
    unknown: sympy.Symbol | None
    sections: tuple[Section, ...]

    def rows(self, *keys: str) -> tuple[Row, ...]:
        """Return the lines of some kinds, wherever they stand."""
        return tuple(row for section in self.sections for row in section.rows if row.key in keys)

    def section(self, *keys: str) -> tuple[Row, ...]:
        """Return the lines of some sections."""
        return tuple(row for section in self.sections if section.key in keys for row in section.rows)

    @property
    def known(self) -> tuple[Known, ...]:
        """All that is said."""
        return tuple({id(k): k for section in self.sections for row in section.rows for k in row.known}.values())


def outline(
    op: Operation, chip: Chip | None, proved: ProvedThreshold | None, point: Mapping[str, int], steps: bool = False
) -> Outline:
    """Return the outline of an answer; without a proved threshold it ends with the intensity and the times.

    With `steps` the proof follows the threshold, line by line.
    """
    if proved is not None:
        sections = [*_sections(proved, point)]
        if steps:
            place = 1 + max(k for k, s in enumerate(sections) if s.key == "threshold")
            sections[place:place] = step_sections(proved)
        return Outline(on_one_engine(op, chip)[0], chip, proved.found.unknown, tuple(s for s in sections if s.rows))
    made = tuple(s for s in _without_threshold(op, chip, point) if s.rows)
    weaker = tuple(_weaker(k for s in made for row in s.rows for k in row.known))
    op, _ = on_one_engine(op, chip)
    return Outline(op, chip, None, (*made, Section("proved", weaker)) if weaker else made)


def _without_threshold(op: Operation, chip: Chip | None, point: Mapping[str, int]) -> Iterator[Section]:
    op, gone = with_figures(op, chip)
    figures = dict.fromkeys(supply(chip, name) for name in op.demands) if chip else ()
    every, (op, _) = op, on_one_engine(op, chip)
    yield from _demands(op, chip, [*map(figure, figures), *counted(op)])
    engines = [name for name in op.demands if name in op.compute]
    channels = [name for name in op.demands if name not in op.compute]
    said = [c if len(engines) < 2 else e if c == "memory" else f"{e}-{c}" for c in channels for e in engines or [""]]
    key = "intensity-over" if len(engines) < 2 else "intensity-of"
    for label, known in zip(said, intensities(op), strict=True):
        yield Section(key, (Row("intensity", (known,), label),), label)
    if channels and op.flops.is_zero:
        yield Section("threshold", (Row("moves-only", tuple(moves_only(op)), tuple(channels)),))
    if chip:
        yield Section("time", time_rows(op, chip, point))
        groups = _groups(tuple(otherwise_timed(every, chip, point)))[1:]
        yield Section("left-out", tuple(Row("left-out", tuple(would_bind(g)), g) for g in gone))
        others = zip(groups, other_times(every, chip, point), strict=True)
        yield Section("others", tuple(Row("other-time", group, other) for group, other in others))


def _demands(op: Operation, chip: Chip | None, known: list[Known]) -> Iterator[Section]:
    """Yield the sections of what is given and counted, from the known statements in this order."""

    def of(*kinds: str) -> list[Known]:
        return [k for k in known if k.statement.kind in kinds]

    yield Section("given", tuple(Row("figure", (k,), rate_of(k)) for k in of("figure")))
    flops = [Row("flops", (k,), name) for name, k in zip(op.compute, of("flops"), strict=True)]
    flops += [Row("flops-total", (k,)) for k in of("flops-total")]
    yield Section("flops", tuple(flops) or (Row("no-flops", ()),))
    about = [("read", t) for t in op.reads] + [("write", t) for t in op.writes] + [("over", c) for c in op.traffic]
    moved = [Row(key, (k,), each) for (key, each), k in zip(about, of("bytes"), strict=True)]
    total = [Row("total", (k,), "memory") for k in of("total")[:1] if len(op.tensors) > 1]
    yield Section("bytes", (*moved, *total) or (Row("no-bytes", ()),))
    held = of("footprint")
    yield Section("on-chip", tuple(Row("footprint", (k,), p) for p, k in zip(op.footprint, held, strict=True)))
    places = {kernel_memory(chip, place) for place in op.footprint} if chip else set()
    held += [figure(c) for c in chip.capacities if c.resource in places] if chip else []
    assumed = tuple(Row("assumed", tuple(held), c) for c in requirements(op, chip))
    yield Section("assuming", (*assumed, *(Row("unchecked", (), said) for said in unchecked(op, chip))))


def _sections(proved: ProvedThreshold, point: Mapping[str, int]) -> Iterator[Section]:
    found, chip, every = proved.found, proved.chip, proved.derivation
    op, ceilings = found.op, found.ceilings
    groups = _groups(every.of("figure", "ridge", "at-point", "within", "integer")[len(proved.figures) :])
    first, others = tuple(k for k in groups[0] if all(k is not s for s in proved.started)), groups[1:]
    told = [k for k in every if k.statement.kind != "figure"]
    yield from _demands(op, chip, [*every.of("figure")[: len(proved.figures)], *told])
    plain = len(ceilings) == 1 and ceilings[0].channel == "memory"
    ridges = [k for k in first if k.statement.kind == "ridge"]
    for i, (c, known) in enumerate(zip(ceilings, every.of("intensity"), strict=True)):
        against = "" if plain else "-against" if c.label == c.channel else "-of"
        yield Section(f"intensity{against}", (Row("intensity", (known,), c.label),), c.label)
        for rule in (r for r in proved.rules if r.channel == c.label):
            yield Section("limit", (Row("limit", tuple(rule.proved.derivation), rule),), c.label)
        if ridges:
            yield Section(f"ridge{against}", (Row("ridge", (ridges[i],), c),), c.label)
    if found.share is not None:
        yield Section("estimate", (Row("estimate", every.of("share"), found.share),))
    yield Section("threshold", tuple(_threshold(proved, ridges, first)))
    if proved.regions is not None:
        yield Section("longest", tuple(_regions(proved)))
    left = iter(every.of("left-out"))
    yield Section("left-out", tuple(Row("left-out", tuple(islice(left, len(g.below))), g) for g in found.left_out))
    if chip:
        pairs = zip(others, other_figures(found, chip), strict=True)
        yield Section("others", tuple(Row("other", group, other) for group, other in pairs))
        if all(s.name in point for s in op.dims):
            yield Section("time", tuple(_times(every.of("time", "part-time"))))
    yield Section("proved", tuple(_proofs(proved)))


def _regions(proved: ProvedThreshold) -> Iterator[Row]:
    """Yield where each engine and channel takes longest."""
    assert proved.regions is not None
    known = iter(proved.derivation.of("region-case"))
    for region in proved.regions.regions:
        yield Row("longest", tuple(islice(known, len(region.cases))), region)


def _threshold(proved: ProvedThreshold, ridges: list[Known], first: tuple[Known, ...]) -> Iterator[Row]:
    found, every = proved.found, proved.derivation
    yield Row("compute-bound", every.of("lowest-terms"), found.ceilings)
    if found.at_sizes_only and found.point:
        yield Row("sizes", (), found.point)
    yield Row("cases", proved.symbolic.of("case"), cases_of(proved.symbolic))
    if found.cases != found.symbolic:
        yield Row("with", tuple(ridges), found.ceilings)
        yield Row("cases", proved.solved.of("case"), cases_of(proved.solved))
        yield from (Row("bounded", (k,), k.statement.shows[1].name) for k in every.of("bound"))
    parameters = {s.name for case in found.cases for s in case.symbols}
    free = [s for s in found.op.dims if s != found.unknown and s.name not in parameters]
    if free and len(found.cases) == 1 and not found.at_sizes_only:
        yield Row("free", proved.solved.of("case"), tuple(free))
    for rule in proved.rules:
        if rule.threshold is not None:
            yield Row("rule", rule.known, rule)
    there = tuple(k for k in first if k.statement.kind in ("at-point", "within", "integer"))
    if there and found.at_point is not None:
        yield Row("point", there, found)
    if proved.started:
        yield Row("started", proved.started, found)


def _proofs(proved: ProvedThreshold) -> Iterator[Row]:
    """Yield how each part is known: the cases, the limits, and whatever else the kernel did not prove."""
    for known in proved.solved:
        yield Row("proof", (known,))
    for rule in proved.rules:
        yield Row("limit-proof", tuple(rule.proved.derivation), rule)
    said = {id(k) for k in (*proved.solved, *(k for rule in proved.rules for k in rule.proved.derivation))}
    yield from _weaker(k for k in proved.derivation if id(k) not in said)
    for known in proved.derivation.of("figure")[: len(proved.figures)]:
        yield Row("resting", (known,), rate_of(known))
    yield Row("for-all", (*proved.solved, *proved.symbolic), proved.found)


def _weaker(known: Iterable[Known]) -> Iterator[Row]:
    """Yield what the kernel did not prove."""
    return (Row("proof", (k,)) for k in known if k.trust not in (ByKernel.trust, *GIVEN))


def rate_of(known: Known) -> Rate | Capacity:
    """Return the figure that is known."""
    assert isinstance(known.warrant, Figure) and isinstance(known.warrant.rate, Rate | Capacity)
    return known.warrant.rate


def time_rows(op: Operation, chip: Chip, point: Mapping[str, int]) -> tuple[Row, ...]:
    """Return the time of each resource and the bounds they make, at the sizes given.

    >>> from roofproof import chip, op
    >>> rows = time_rows(op("flops bf16 = 6; bytes memory = 4"), chip("bf16=2 FLOP/s, hbm=1 B/s"), {})
    >>> [(row.about, row.value) for row in rows]                             # 6/2, 4/1
    [('bf16', 3), ('memory', 4), ('lower', 4), ('upper', 7)]
    """
    return tuple(_times(tuple(timed(op, chip, point))))


def _times(known: tuple[Known, ...]) -> Iterator[Row]:
    parts = tuple(k for k in known if k.statement.kind == "part-time")
    for k in (k for k in known if k.statement.kind == "time"):
        name = k.statement.shows[1].name
        yield Row(name if name in TIMES[1:] else TIMES[0], (k, *parts) if name == "sequence" else (k,), name)


def step_sections(proved: ProvedThreshold) -> Iterator[Section]:
    """Yield the proof line by line: of the limits, of the threshold, and of the integer answer.

    >>> from roofproof import op, threshold
    >>> for section in step_sections(threshold(op("matmul"), None, "B")):
    ...     print(section.key, [row.key for row in section.rows])
    steps-limit ['step', 'step', 'step', 'step', 'step']
    steps-threshold ['step', 'step', 'step', 'branch', 'step', 'branch', 'step', 'step']
    """
    from roofproof.proofs.steps.told import told_steps

    yield from sections_of(told_steps(proved))


def sections_of(told: Iterable[Steps | Untold]) -> Iterator[Section]:
    """Yield proofs as sections of lines, each case after its condition; what is not told as a line that says why.

    >>> from roofproof.proofs.steps.step import Untold
    >>> [section.key for section in sections_of([Untold("limit", "an expansion is told in one line")])]
    ['steps-limit']
    """
    from roofproof.proofs.steps.step import Untold

    for made in told:
        if isinstance(made, Untold):
            yield Section(f"steps-{made.key}", (Row("untold", (), made.why),), made.about)
            continue
        numbers, follows = made.references
        rows = [_step_row(step, numbers, follows) for step in made.common]
        for branch in made.branches:
            rows += [Row("branch", (), branch.when), *(_step_row(step, numbers, follows) for step in branch.steps)]
        yield Section(f"steps-{made.key}", tuple(rows), made.about)


def _step_row(step: Step, numbers: Mapping[int, int], follows: Mapping[int, tuple[int, ...]]) -> Row:
    return Row("step", step.known, step, numbers.get(id(step), 0), follows.get(id(step), ()))


def _groups(known: tuple[Known, ...]) -> list[tuple[Known, ...]]:
    """Return known statements in groups, each of which but the first begins with a figure of another source."""
    made: list[list[Known]] = [[]]
    for k in known:
        if k.statement.kind == "figure":
            made.append([])
        made[-1].append(k)
    return [tuple(group) for group in made]
