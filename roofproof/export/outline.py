"""The outline of an answer: sections of known statements, which text, JSON, LaTeX, slides and notebooks render."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import sympy

from roofproof.derive.roofline.engines import merge_shared_formats
from roofproof.derive.roofline.memory_fit import kernel_memory, outgrown, requirements, unchecked
from roofproof.derive.roofline.missing_rates import without_missing_rates
from roofproof.derive.roofline.ridges import supply
from roofproof.ops import Operation
from roofproof.proofs import ProvedThreshold
from roofproof.proofs.derivation import Derivation
from roofproof.proofs.derivation import Row as Row
from roofproof.proofs.known import GIVEN, ByKernel, Figure, Known
from roofproof.proofs.provers.roofline import counts, figure, intensity_rows, moves_only, would_bind
from roofproof.proofs.provers.thresholds import cases_of

if TYPE_CHECKING:  # proof steps are imported only where they are used
    from roofproof.hardware import Chip
    from roofproof.hardware import Figure as Figured
    from roofproof.proofs.steps.step import NoSteps, Step, Steps

TIMES = ("resource", "lower", "sequence", "upper")  # keys of the lines about times


@dataclass(frozen=True, slots=True)
class Section:
    """Lines under a heading, given by its key in the catalogue. `about` is the memory level or link in the heading."""

    key: str
    rows: tuple[Row, ...]
    about: str = ""


@dataclass(frozen=True, slots=True)
class Outline:
    """The content of an answer about an operation in order: by itself, on a chip, or with a proved threshold.

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
        """Return the lines of some kinds, from all sections."""
        return tuple(row for section in self.sections for row in section.rows if row.key in keys)

    def section(self, *keys: str) -> tuple[Row, ...]:
        """Return the lines of some sections."""
        return tuple(row for section in self.sections if section.key in keys for row in section.rows)

    @property
    def known(self) -> tuple[Known, ...]:
        """All known statements, each once."""
        return tuple({id(k): k for section in self.sections for row in section.rows for k in row.known}.values())


def outline(
    op: Operation, chip: Chip | None, proved: ProvedThreshold | None, point: Mapping[str, int], steps: bool = False
) -> Outline:
    """Return the outline of an answer. Without a proved threshold it ends with the intensity and the times.

    With `steps` the proof follows the threshold, line by line.
    """
    if proved is not None:
        sections = [*_sections(proved, point)]
        if steps:
            place = 1 + max(k for k, s in enumerate(sections) if s.key == "threshold")
            sections[place:place] = step_sections(proved)
        return Outline(
            merge_shared_formats(op, chip)[0], chip, proved.found.unknown, tuple(s for s in sections if s.rows)
        )
    made = tuple(s for s in _without_threshold(op, chip, point) if s.rows)
    weaker = tuple(_weaker(k for s in made for row in s.rows for k in row.known))
    op, _ = merge_shared_formats(op, chip)
    return Outline(op, chip, None, (*made, Section("proved", weaker)) if weaker else made)


def _without_threshold(op: Operation, chip: Chip | None, point: Mapping[str, int]) -> Iterator[Section]:
    whole, (op, gone) = op, without_missing_rates(op, chip, bytes_alone=True)
    figures = dict.fromkeys(supply(chip, name) for name in op.demands) if chip else ()
    every, (op, _) = op, merge_shared_formats(op, chip)
    known = [*(Row("figure", (figure(r),), r) for r in figures), *counts(op if op.compute else whole)]
    yield from _demands(op, chip, Derivation.of_rows(known))
    channels = [name for name in op.demands if name not in op.compute]
    key = "intensity-over" if len(op.demands) - len(channels) < 2 else "intensity-of"
    yield from (Section(key, (row,), row.about) for row in intensity_rows(op if op.compute else whole))
    if channels and not whole.units:
        yield Section("threshold", (Row("moves-only", tuple(moves_only(op)), tuple(channels)),))
    if chip:
        from roofproof.proofs.provers.times import estimated, otherwise_timed

        yield Section("time", time_rows(op, chip, point))
        yield Section("estimate", tuple(estimated(every, chip, point)))
        yield Section("left-out", tuple(Row("left-out", tuple(would_bind(g)), g) for g in gone))
        yield Section("others", tuple(otherwise_timed(every, chip, point)))


def _demands(op: Operation, chip: Chip | None, known: Derivation) -> Iterator[Section]:
    """Yield the sections of specs, FLOPs, bytes and assumptions."""

    rows = known.rows
    yield Section("given", rows("figure"))
    yield Section("flops", rows("flops") or (Row("no-flops", ()),))
    total = rows("total")[:1] if len(op.tensors) > 1 else ()
    yield Section("bytes", (*rows("read", "write", "over"), *total) or (Row("no-bytes", ()),))
    yield Section("on-chip", rows("footprint"))
    held = [k for row in rows("footprint") for k in row.known]
    places = {kernel_memory(chip, place) for place in op.footprint} if chip else set()
    held += [figure(c) for c in chip.capacities if c.resource in places] if chip else []
    assumed = tuple(Row("assumed", tuple(held), c) for c in requirements(op, chip))
    yield Section("assuming", (*assumed, *(Row("unchecked", (), said) for said in unchecked(op, chip))))


def _sections(proved: ProvedThreshold, point: Mapping[str, int]) -> Iterator[Section]:
    found, chip, every = proved.found, proved.chip, proved.derivation
    op, ceilings = found.op, found.ceilings
    yield from _demands(op, chip, every)
    plain = len(ceilings) == 1 and ceilings[0].channel == "memory"
    ridges = {p.about: k for p in every.rows("compared") for k in p.known if k.statement.kind == "ridge"}
    for part in every.rows("intensity"):
        c = part.about
        against = "" if plain else "-against" if c.label == c.channel else "-of"
        yield Section(f"intensity{against}", (Row("intensity", part.known, c.label),), c.label)
        yield from (Section("limit", (r,), c.label) for r in every.rows("limit") if r.about.channel == c.label)
        if ridges:
            yield Section(f"ridge{against}", (Row("ridge", (ridges[c],), c),), c.label)
    if found.share is not None:
        yield Section("estimate", (Row("estimate", every.of("share"), found.share),))
    yield Section("threshold", tuple(_threshold(proved, list(ridges.values()))))
    cases = ((p.about, tuple(k for k in p.known if k.statement.kind == "region-case")) for p in every.rows("region"))
    yield Section("longest", tuple(Row("longest", known, region) for region, known in cases))
    yield Section("left-out", every.rows("left-out"))
    yield Section("others", every.rows("other"))
    if chip and all(s.name in point for s in op.dims):
        yield Section("time", tuple(_times(every.of("time", "part-time"))))
    yield Section("proved", tuple(_proofs(proved)))


def _threshold(proved: ProvedThreshold, ridges: list[Known]) -> Iterator[Row]:
    found, every = proved.found, proved.derivation
    yield Row("compute-bound", every.of("lowest-terms"), found.ceilings)
    if found.at_sizes_only and found.point:
        yield Row("sizes", (), found.point)
    yield Row("cases", proved.symbolic.of("case"), cases_of(proved.symbolic))
    if found.cases != found.symbolic:
        yield Row("with", tuple(ridges), found.ceilings)
        yield Row("cases", proved.solved.of("case"), cases_of(proved.solved))
        yield from (Row("bounded", (k,), k.statement.label) for k in every.of("bound"))
    parameters = {s.name for case in found.cases for s in case.symbols}
    free = [s for s in found.op.dims if s != found.unknown and s.name not in parameters]
    if free and len(found.cases) == 1 and not found.at_sizes_only:
        yield Row("free", proved.solved.of("case"), tuple(free))
    for rule in proved.rules:
        if rule.threshold is not None:
            yield Row("rule", rule.known, rule)
    yield from every.rows("point", "started")
    if proved.chip is not None and found.integer is not None:
        at = {**found.point, found.unknown.name: found.integer}
        yield from (Row("unchecked", (), said) for said in outgrown(found.op, proved.chip, at))


def _proofs(proved: ProvedThreshold) -> Iterator[Row]:
    """Yield the proof of each part: the cases, the limits, and all else that the proof kernel did not prove."""
    for known in proved.solved:
        yield Row("proof", (known,))
    for rule in proved.rules:
        yield Row("limit-proof", tuple(rule.limit.derivation), rule)
    said = {id(k) for k in (*proved.solved, *(k for rule in proved.rules for k in rule.limit.derivation))}
    yield from _weaker(k for k in proved.derivation if id(k) not in said)
    for row in proved.derivation.rows("figure"):
        yield Row("resting", row.known, row.about)
    yield Row("for-all", (*proved.solved, *proved.symbolic), proved.found)


def _weaker(known: Iterable[Known]) -> Iterator[Row]:
    """Yield the statements that the proof kernel did not prove."""
    return (Row("proof", (k,)) for k in known if k.trust not in (ByKernel.trust, *GIVEN))


def rate_of(known: Known) -> Figured:
    """Return the chip spec behind a known statement."""
    from roofproof.hardware import Figure as Figured

    assert isinstance(known.warrant, Figure) and isinstance(known.warrant.rate, Figured)
    return known.warrant.rate


def time_rows(op: Operation, chip: Chip, point: Mapping[str, int]) -> tuple[Row, ...]:
    """Return the time of each resource and the resulting bounds, at the given sizes.

    >>> from roofproof import chip, op
    >>> rows = time_rows(op("flops bf16 = 6; bytes memory = 4"), chip("bf16=2 FLOP/s, hbm=1 B/s"), {})
    >>> [(row.about, row.value) for row in rows]                             # 6/2, 4/1
    [('bf16', 3), ('memory', 4), ('lower', 4), ('upper', 7)]
    """
    from roofproof.proofs.provers.times import timed

    return tuple(_times(tuple(timed(op, chip, point))))


def _times(known: tuple[Known, ...]) -> Iterator[Row]:
    parts = tuple(k for k in known if k.statement.kind == "part-time")
    for k in (k for k in known if k.statement.kind == "time"):
        name = k.statement.label
        yield Row(name if name in TIMES[1:] else TIMES[0], (k, *parts) if name == "sequence" else (k,), name)


def step_sections(proved: ProvedThreshold) -> Iterator[Section]:
    """Yield the proofs of the limits, of the threshold and of the integer answer, line by line.

    >>> from roofproof import op, threshold
    >>> for section in step_sections(threshold(op("matmul"), None, "B")):
    ...     print(section.key, [row.key for row in section.rows])
    steps-limit ['step', 'step', 'step', 'step', 'step']
    steps-threshold ['step', 'step', 'step', 'branch', 'step', 'branch', 'step', 'step']
    """
    from roofproof.proofs.steps.answer import answer_steps

    yield from sections_of(answer_steps(proved))


def sections_of(told: Iterable[Steps | NoSteps]) -> Iterator[Section]:
    """Yield proofs as sections of lines, each case after its condition. A proof without steps is one line: the reason.

    >>> from roofproof.proofs.steps.step import NoSteps
    >>> [section.key for section in sections_of([NoSteps("limit", "an expansion")])]
    ['steps-limit']
    """
    from roofproof.proofs.steps.step import NoSteps

    for made in told:
        if isinstance(made, NoSteps):
            yield Section(f"steps-{made.key}", (Row("untold", (), made.why),), made.about)
            continue
        numbers, follows = made.references
        rows = [_step_row(step, numbers, follows) for step in made.common]
        for branch in made.branches:
            rows += [Row("branch", (), branch.when), *(_step_row(step, numbers, follows) for step in branch.steps)]
        yield Section(f"steps-{made.key}", tuple(rows), made.about)


def _step_row(step: Step, numbers: Mapping[int, int], follows: Mapping[int, tuple[int, ...]]) -> Row:
    return Row("step", step.known, step, numbers.get(id(step), 0), follows.get(id(step), ()))
