"""Objects of Python in words: the formula that a notebook shows of each, and its page where that says too little."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import singledispatch

from roofproof.claims.answers.grade import Grade
from roofproof.claims.judge.verdict import Report, Verdict
from roofproof.derive.inequalities.cases import Cases
from roofproof.derive.limits.limits import Limit
from roofproof.derive.roofline.critical_size import CriticalSize
from roofproof.derive.roofline.intensities import Intensity
from roofproof.derive.roofline.memory_fit import assumptions
from roofproof.export.doc import Decimal, Display, Doc, Formula, Inline, Line, Mark, Row, Section, Told, say, sizes
from roofproof.export.explain.grades import GRADES
from roofproof.export.explain.mistakes import mistake_said
from roofproof.export.explain.threshold import COUNTS, TRUST, assuming, explain, limit_said, notation
from roofproof.export.explain.verdicts import KINDS, details
from roofproof.export.outline import outline
from roofproof.hardware.chips import Chip
from roofproof.ops.operation import Operation
from roofproof.proofs.derivation import Derivation
from roofproof.proofs.provers.critical_size import ProvedThreshold
from roofproof.proofs.steps.lines import Bound


def _doc(rows: Iterable[Row], op: Operation | None = None, title: Inline = ()) -> Doc:
    return Doc((), (Section(title, tuple(rows)),), *(() if op is None else notation(op)))


@singledispatch
def formula(thing: object) -> Doc | None:
    """Return what an object says in one formula, None where it is none."""
    return None


@formula.register
def _(thing: Operation) -> Doc:
    channels = [name for name in thing.demands if name not in thing.compute]
    found = outline(thing, None, None, {})
    below = (lambda row: row.about) if len(thing.units) > 1 else (lambda row: "")
    counted = [Line(row.value, of=_of("FLOPs", below(row))) for row in found.rows("flops")]
    rows = counted or [Line(thing.flops, of=_of("FLOPs"))]
    rows += [Line(thing.bytes(c), of=_of("bytes", c if len(channels) > 1 else "")) for c in channels]
    several = len(found.rows("intensity")) > 1
    if thing.units:
        rows += [Line(row.value, of=_of("I", row.about if several else "")) for row in found.rows("intensity")]
    supposed = assumptions(thing)
    return _doc([*rows, *([assuming(supposed)] if supposed else [])], thing)


def _of(name: str, below: str = "") -> Formula:
    return Formula(Mark("", name, below), "=")


@formula.register
def _(thing: Intensity) -> Doc:
    below = "" if thing.channel == "memory" else thing.channel
    return _doc([Line((_of("I", below), " ", thing.value, " FLOP/B"))])


@formula.register
def _(thing: Limit) -> Doc:
    return _doc(map(Line, limit_said(thing, Mark("I", "I"))))


@formula.register
def _(thing: Cases) -> Doc:
    return _doc([Display(thing)])


@formula.register
def _(thing: CriticalSize) -> Doc:
    return _doc(_threshold(thing), thing.op)


def _threshold(found: CriticalSize) -> Iterator[Row]:
    yield Display(found.symbolic)
    for c in found.ceilings:
        if c.ridge is not None:
            value = (c.ridge,) if c.ridge.is_Integer else (c.ridge, Decimal(c.ridge))
            yield Line(say("with <values>", values=Formula(c.symbol, "=", *value)))
    if found.at_point is not None:
        whole: Inline = ("; ", Formula(found.unknown, "=", found.integer))
        if found.integer is None:
            never = found.at_point.kind == "never"
            whole = () if never else say("; no integer <answer>", answer=found.unknown)
        answer = (Bound(found.unknown, found.at_point), whole)
        yield Line(say("at <sizes>: <answer>", sizes=sizes(found.point), answer=answer))
    if found.supposed:
        yield assuming(found.supposed)


@formula.register
def _(thing: ProvedThreshold) -> Doc | None:
    return formula(thing.found)


@singledispatch
def page(thing: object) -> Doc | None:
    """Return all that is to be said of an object, None where its formula says it."""
    return None


@page.register
def _(thing: Operation) -> Doc:
    moved = outline(thing, None, None, {}).rows("read", "write", "over")
    rows = [Line(row.value, say(COUNTS[row.key], what=row.about)) for row in moved]
    said = formula(thing)
    assert said is not None
    return _doc([*rows, *said.sections[0].rows], thing, thing.name)


@page.register
def _(thing: Chip) -> Doc:
    rows = (Line(r, "; ".join(part for part in (r.convention, r.status, r.source) if part)) for r in thing.supplies)
    return _doc(rows, title=thing.title or thing.name)


@page.register
def _(thing: ProvedThreshold) -> Doc:
    found = outline(thing.found.op, thing.chip, thing, thing.found.point, steps=True)
    return explain(found)


@page.register
def _(thing: Derivation) -> Doc:
    return _doc(Line(k.statement.says, say(TRUST[k.trust]) if k.trust in TRUST else k.trust) for k in thing)


@page.register
def _(thing: Verdict | Report) -> Doc:
    return _doc(map(Line, details(thing)), title=say(KINDS[thing.kind]))


@page.register
def _(thing: Grade) -> Doc:
    told: list[Inline] = [say("read as: <answer>", answer=thing.read_as)] if thing.read_as else []
    told += [say("probably: <slip>", slip=mistake_said(thing.slip, thing.about))] if thing.slip else []
    return _doc(map(Line, [*told, *([Told(thing.note)] if thing.note else [])]), title=say(GRADES[thing.grade]))
