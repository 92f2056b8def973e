"""Python objects in words: the formula that a notebook shows, and a page if the formula is not enough."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from roofproof.amounts import Amount
from roofproof.claims.answers.grade import Grade
from roofproof.claims.judge.verdict import Report, Verdict
from roofproof.claims.results import Result
from roofproof.derive.inequalities.cases import Cases
from roofproof.derive.limits.limits import Limit
from roofproof.derive.roofline.critical_size import CriticalSize
from roofproof.derive.roofline.intensities import Intensity
from roofproof.derive.roofline.memory_fit import assumptions
from roofproof.export.doc import (
    Decimal,
    Display,
    Doc,
    Formula,
    Inline,
    Line,
    Mark,
    Message,
    Row,
    Section,
    Typed,
    say,
    sizes,
)
from roofproof.export.explain.grades import GRADES
from roofproof.export.explain.mistakes import mistake_phrase
from roofproof.export.explain.shown import formula, latex, page, proved, record, steps, text
from roofproof.export.explain.threshold import COUNTS, TRUST, assuming, explain, explain_point, limit_phrases, notation
from roofproof.export.explain.verdicts import KINDS, details
from roofproof.export.grade_records import grade_record
from roofproof.export.latex.escaping import escape
from roofproof.export.latex.leaves import Style, pieces
from roofproof.export.outline import outline
from roofproof.export.record import record as threshold_record
from roofproof.export.to_text import lines_text
from roofproof.hardware.chips import Chip
from roofproof.ops.operation import Operation
from roofproof.proofs.derivation import Derivation
from roofproof.proofs.provers.critical_size import ProvedThreshold
from roofproof.proofs.steps.answer import answer_steps, limit_steps_or_reason
from roofproof.proofs.steps.lines import Bound
from roofproof.proofs.steps.step import NoSteps, Steps


def _doc(rows: Iterable[Row], op: Operation | None = None, title: Inline = ()) -> Doc:
    return Doc((), (Section(title, tuple(rows)),), *(() if op is None else notation(op)))


@formula.register
def _(thing: Operation) -> Doc:
    channels = [name for name in thing.demands if name not in thing.compute]
    found = outline(thing, None, None, {})
    below = (lambda row: row.about) if len(thing.units) > 1 else (lambda row: "")
    counted = [Line(row.value, subject=_of("FLOPs", below(row))) for row in found.rows("flops")]
    rows = counted or [Line(thing.flops, subject=_of("FLOPs"))]
    rows += [Line(thing.bytes(c), subject=_of("bytes", c if len(channels) > 1 else "")) for c in channels]
    several = len(found.rows("intensity")) > 1
    if thing.units:
        rows += [Line(row.value, subject=_of("I", row.about if several else "")) for row in found.rows("intensity")]
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
    return _doc(map(Line, limit_phrases(thing, Mark("I", "I"))))


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


@formula.register
def _(thing: Amount) -> Doc:
    return _doc([Line((Formula(thing.value),))])


@latex.register
def _(thing: Verdict) -> str:
    return _judged(thing.says, thing.kind)


@latex.register
def _(thing: Result) -> str:
    return _judged(thing.says or thing.id, thing.kind)


@latex.register
def _(thing: Grade) -> str:
    return _judged(thing.read_as or thing.text, thing.grade)


def _judged(says: str, outcome: str) -> str:
    """Return a statement with its verdict or grade."""
    if not says:
        return ""
    [(is_formula, shown), *_] = [*pieces(Typed(says), Style()), (False, "")]
    if not is_formula:
        words = escape(says).replace(r"\textasciitilde{}", r"$\sim$").replace(r"\allowbreak{}", "")
        shown = rf"\text{{{words}}}"
    return rf"{shown}\quad \text{{{outcome}}}"


@text.register
def _(thing: ProvedThreshold) -> str:
    at = thing.found.point
    point = lines_text(explain_point(outline(thing.found.op, thing.chip, thing, at)), "en") if at else ()
    return "\n".join([str(thing.cases), *point, repr(thing).removeprefix(f"{thing.cases}\n")])


@steps.register
def _(thing: ProvedThreshold) -> Iterable[Steps | NoSteps]:
    return answer_steps(thing)


@steps.register
def _(thing: Limit) -> Iterable[Steps | NoSteps]:
    return (limit_steps_or_reason(thing),)


@record.register
def _(thing: ProvedThreshold) -> dict[str, Any]:
    found = threshold_record(thing.found.op, thing.chip, thing, thing.found.point, 0)
    del found["seconds"]
    return found


@record.register
def _(thing: Intensity) -> dict[str, Any]:
    return {"op": thing.op, "channel": thing.channel, "intensity": str(thing.value), "proved": proved(thing)}


@record.register
def _(thing: Limit) -> dict[str, Any]:
    parts = ("value", "relative_error", "growth", "growth_error")
    values = {"of": thing.expr, "regime": thing.regime.text, **{name: getattr(thing, name) for name in parts}}
    return {k: None if v is None else str(v) for k, v in values.items()} | {"proved": proved(thing)}


@record.register
def _(thing: Verdict) -> dict[str, Any]:
    found = {k: v for k, v in thing.record("").items() if k not in ("id", "seconds")}
    return {"says": thing.says, **found, "proved": proved(thing)}


@record.register
def _(thing: Result) -> dict[str, Any]:
    found = {k: v for k, v in thing.record().items() if k != "seconds"}
    return {"says": thing.says, **found, "proved": proved(thing)}


@record.register
def _(thing: Grade) -> dict[str, Any]:
    found = {} if thing.asked is None else grade_record(thing, thing.asked)
    return found | {"proved": proved(thing)}


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
    told: list[Inline] = [say("read as: <answer>", answer=Message(thing.read_as))] if thing.read_as else []
    told += [say("probable mistake: <slip>", slip=mistake_phrase(thing.slip, thing.about))] if thing.slip else []
    return _doc(map(Line, [*told, *([Message(thing.note)] if thing.note else [])]), title=say(GRADES[thing.grade]))
