"""The derivation of an operation: demands, intensity, limit, ridge point, threshold, times and proofs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import sympy

from roofproof.derive.inequalities.cases import Cases
from roofproof.derive.roofline.compute_bound import by_channel
from roofproof.export.doc import (
    Bounded,
    Convention,
    Decimal,
    Display,
    Doc,
    Duration,
    Estimate,
    FigureNote,
    Formula,
    Inline,
    Line,
    Listed,
    Mark,
    Quotient,
    Regime,
    RelativeError,
    Seconds,
    Section,
    TextOrTypeset,
    between,
    bracketed,
    say,
    sizes,
)
from roofproof.export.doc import Row as DocRow
from roofproof.export.explain import steps
from roofproof.export.outline import TIMES, Outline, Row
from roofproof.proofs.known import PRINTED, Unproved
from roofproof.proofs.steps.lines import Bound
from roofproof.sentences import Resource
from roofproof.symbols import quantity

if TYPE_CHECKING:
    from sympy.logic.boolalg import Boolean

    from roofproof.derive.limits.limits import Limit
    from roofproof.derive.roofline.compute_bound import Ceiling
    from roofproof.derive.roofline.share import Share
    from roofproof.hardware.calibration import Fitted
    from roofproof.ops import Operation

HEADINGS = {
    "given": "given",
    "flops": "FLOPs",
    "bytes": "bytes",
    "on-chip": "on chip",
    "assuming": "assuming",
    "intensity": "intensity",
    "intensity-over": "intensity over <channel>",
    "intensity-against": "intensity against <channel>",
    "intensity-of": "intensity of <channel>",
    "limit": "limit",
    "ridge": "ridge",
    "ridge-of": "ridge of <channel>",
    "ridge-against": "ridge against <channel>",
    "estimate": "estimate, not proved; what follows from it is",
    "threshold": "threshold",
    "longest": "takes longest",
    "left-out": "left out, as the chip has no spec",
    "time": "time",
    "others": "with other published specs",
    "proved": "proofs",
    **steps.HEADINGS,
}
DERIVED = ("flops", "bytes", "on-chip", "assuming", "limit")
"""The sections that form one part of a longer document, together with those of intensities and ridge points."""
TITLES = {
    (False, False): "<op>",
    (True, False): "<op> on <chip>",
    (False, True): "<op>, solved for <x>",
    (True, True): "<op> on <chip>, solved for <x>",
}
TRUST = {
    "kernel": "the proof checker",
    "smt": "z3, an oracle, not the proof checker",
    "algebra": "exact algebra, not the proof checker",
    "sampled": "sampling only, not proved",
    "undecided": "not proved",
}
STATUS = {
    "kernel": "proved by the proof checker",
    "smt": "shown by z3, an oracle, not by the proof checker",
    "algebra": "computed by exact algebra, not proved by the proof checker",
    "sampled": "sampled only, not proved",
    "undecided": "undecided",
}
"""How a statement was proved, as slides and pages of the site print it in full."""
SAYS = {"exhaustive": "the cases are exhaustive", "exclusive": "the cases are mutually exclusive"}
COUNTS = {
    "read": "read <what>",
    "write": "write <what>",
    "over": "over <what>",
    "total": "total",
    "footprint": "bytes of <what>",
}
TIME_NAMES = {"lower": "max", "sequence": "sequence", "upper": "sum"}
TIME_REASONS = {
    "resource": "demand / supply",
    "lower": "everything overlaps, caches cold: the maximum",
    "sequence": "one part after another: the sum of their maxima",
    "upper": "nothing overlaps: the sum",
}
Phrase = Callable[[Row, Outline], Iterable[DocRow]]
PHRASES: dict[str, Phrase] = {}
"""The function that puts each kind of line of an answer into words."""


def explain(found: Outline) -> Doc:
    """Return an answer as a document.

    >>> from roofproof import op
    >>> from roofproof.export.outline import outline
    >>> doc = explain(outline(op("dot"), None, None, {}))
    >>> [section.heading.form for section in doc.sections]
    ['FLOPs', 'bytes', 'intensity over <channel>']
    """
    chip, x = found.chip, found.unknown
    on = (chip.title or chip.name, TextOrTypeset(f" ({chip.name})", "")) if chip else ""
    title = say(TITLES[chip is not None, x is not None], op=found.op.name, chip=on, x=x)
    return Doc(title, tuple(_sections(found)), *notation(found.op))


def notation(op: Operation) -> tuple[tuple[sympy.Expr, ...], frozenset[str]]:
    """Return the terms that come first in the sums of an operation (those of its tensors), and the names it uses."""
    traffic = [t.traffic for t in op.tensors]
    common = sympy.gcd_list([*op.compute.values(), *traffic]) if traffic else sympy.Integer(1)
    order = (*traffic, *((t / common for t in traffic) if common.free_symbols else ()))
    return order, frozenset({s.name for s in op.dims} | {"I", "T", "R"})


def explain_cases(op: Operation, cases: Cases, supposed: Sequence[Boolean]) -> Doc:
    """Return only the cases, in the letters of an operation, with the assumptions about its sizes."""
    more = (assuming(supposed),) if supposed else ()
    return Doc((), (Section((), (Display(cases), *more)),), *notation(op))


def explain_point(found: Outline) -> Doc:
    """Return only the answer at the sizes."""
    return Doc((), (Section((), tuple(line for row in found.rows("point") for line in PHRASES["point"](row, found))),))


def assuming(conditions: Iterable[Boolean]) -> Line:
    """Return the line that states the assumptions about sizes."""
    return Line(say("assuming <conditions>", conditions=between(conditions, say(" and "))))


def _sections(found: Outline) -> Iterator[Section]:
    for section in found.sections:
        heading = say(HEADINGS[section.key], channel=Resource(section.about))
        derived = section.key in DERIVED or section.key.startswith(("intensity", "ridge"))
        rows = tuple(line for row in section.rows for line in PHRASES[row.key](row, found))
        yield Section(heading, rows, say("derivation") if derived else (), section.key == "time")


def counted_from(source: str) -> TextOrTypeset:
    """Return the source of an operation's counts, or roofproof's own counting rule (left out in plain text)."""
    own = source.removeprefix("counted: ")
    if own != source:
        return TextOrTypeset("", (say("; "), say("counted: <convention>", convention=Convention(own))))
    return TextOrTypeset("", (say("; "), say("counted as in <source>", source=source)) if source else ())


def _phrase(*keys: str) -> Callable[[Phrase], Phrase]:
    def registered(phrase: Phrase) -> Phrase:
        PHRASES.update(dict.fromkeys(keys, phrase))
        return phrase

    return registered


def status(trust: str) -> Inline:
    """Return how an answer was proved, in brackets."""
    return say("[<how>]", how=say(PRINTED[trust]))


def known_by(trust: str) -> Inline:
    """Return how a statement was proved."""
    return say("not proved") if trust == Unproved.trust else say("by <how>", how=say(TRUST[trust]))


# --- specs and counts -------------------------------------------------------------------------------


@_phrase("figure")
def _(row: Row, found: Outline) -> Iterator[Line]:
    note = FigureNote(row.about.convention, row.about.status)
    source = () if found.rows("resting") else (say("; "), row.about.source)  # the proof names it
    yield Line(row.about, (note, TextOrTypeset("", source)))


@_phrase("flops")
def _(row: Row, found: Outline) -> Iterator[Line]:
    op, several = found.op, len(found.rows("flops")) > 1
    how: Inline = row.about
    if row.about == next(iter(op.compute), row.about):  # all compute units share the convention
        said = Convention(op.convention) if op.convention else say("as given")
        how = (row.about, say("; "), said, counted_from(op.source))
    yield Line(row.value, how, Formula(Mark("", "FLOPs", row.about if several else ""), "="))


@_phrase("no-flops", "no-bytes")
def _(row: Row, found: Outline) -> Iterator[Line]:
    name = "FLOPs" if row.key == "no-flops" else "bytes"
    yield Line(sympy.Integer(0), (), Formula(Mark("", name), "="))


@_phrase("read", "write", "over", "total", "footprint")
def _(row: Row, found: Outline) -> Iterator[Line]:
    again = row.key == "total" and not any(r.about != "memory" for r in found.rows("over"))
    what = Resource(row.about) if row.key == "over" else row.about
    yield Line(row.value, say(COUNTS[row.key], what=what), _bytes(row, found), text_only=again)


def _bytes(row: Row, found: Outline) -> Formula:
    """Return the label of a byte count: another term of the sum over the tensors, or the start of a separate sum."""
    if row.key in ("read", "write"):
        first, *_ = found.rows("read", "write")
        return Formula(Mark("", "bytes"), "=") if row is first else Formula("+")
    if row.key == "footprint":
        return Formula(Mark("", "bytes", str(row.about)), "=")
    if row.key == "over" and row.about == "memory" and found.op.tensors:
        return Formula("+")
    below = "" if row.about == "memory" else str(row.about)
    return Formula(Mark("", "bytes", below), "=")


@_phrase("assumed", "unchecked")
def _(row: Row, found: Outline) -> Iterator[Line]:
    yield Line(row.about)


# --- intensity, limit, ridge point ------------------------------------------------------------------


def _intensity(label: str, found: Outline) -> Mark:
    return Mark("I", "I", label if len(found.rows("intensity")) > 1 else "")


@_phrase("intensity")
def _(row: Row, found: Outline) -> Iterator[Line]:
    yield Line((Formula(_intensity(row.about, found), "=", row.value), " FLOP/B"))


@_phrase("limit")
def _(row: Row, found: Outline) -> Iterator[Line]:
    rule = row.about
    yield from map(Line, limit_phrases(rule.limit, _intensity(rule.channel, found)))
    if rule.by_letter:
        stay = between(((Formula(name), bracketed(role)) for name, role in rule.by_letter.items()), ", ")
        form = "by their letters these do not grow: <sizes>; declare another role as in '; k: width'"
        yield Line(say(form, sizes=stay))


def limit_phrases(found: Limit, name: Mark) -> Iterator[Inline]:
    """Yield the limit of a function, the error of replacing the function by it, and the condition for the error."""
    yield say("<what> as <regime>", what=Formula(name, "->", found.value), regime=Regime(found.regime.text))
    if found.relative_error is not None:
        error = RelativeError(found.value, found.relative_error, name)
        yield say("replacing $I$ by <value> has relative error exactly <error>", value=found.value, error=error)
    elif found.growth is not None:
        like: Inline = say("like <value>", value=TextOrTypeset(_text(found.growth), Formula(name, "~", found.growth)))
        if found.growth_error not in (None, 0):
            error = RelativeError(found.growth, found.growth_error, name)
            like = (like, say(", with relative error exactly <error>", error=error))
        yield like
    if found.where != sympy.true:
        yield say("where <condition>", condition=found.where)
    if found.warning:
        yield say("warning: <what>", what=found.warning)


def _text(expression: sympy.Basic) -> str:
    from roofproof.derive.algebra.text import plain

    return plain(expression)


@_phrase("ridge")
def _(row: Row, found: Outline) -> Iterator[Line]:
    c: Ceiling = row.about
    peak: Inline
    bandwidth: Inline
    peak, bandwidth = (rate.value for rate in c.rests_on)
    factor: tuple[Inline, ...] = ()
    if share := c.share:
        factor = (share.factor, "*")
        if share.ceilings is not None:
            peak, bandwidth = (share.compute, peak), (share.memory, bandwidth)
    value = () if row.value.is_Integer else ("=", row.value)
    shown = Formula(c.symbol, "=", *factor, Quotient(peak, bandwidth), *value, Decimal(row.value))
    text = row.known[0].statement.says
    text += "" if row.value.is_Integer else f" {_about(row.value)}"
    yield Line((TextOrTypeset(text, shown), " FLOP/B"))


def _about(value: sympy.Expr) -> str:
    from roofproof.export.numbers import about

    return about(value)


# --- estimates and times ----------------------------------------------------------------------------


@_phrase("estimate")
def _(row: Row, found: Outline) -> Iterator[Line]:
    yield from map(Line, estimate_phrases(row.about))


def estimate_phrases(share: Share, brief: bool = False) -> Iterator[Inline]:
    """Yield the estimate behind a share: the formula of the time, its constants and, unless `brief`, their source."""
    time, made = Estimate(share), share.ceilings
    if made is None:
        yield say("not calibrated, at datasheet rates; time = <time>", time=time)
        return
    yield say("time = <time>", time=time)
    form = "$e$ = <compute> of the peak, $d$ = <memory> of the bandwidth of <level>"
    yield say(form, compute=interval(made.compute), memory=interval(made.memory), level=made.level)
    if not brief:
        yield say("fitted to <points> measured times: <source>", points=made.points, source=made.source)
    if share.of:
        yield say("borrowed: they are those of <of>", of=share.of)


def interval(fitted: Fitted) -> Inline:
    """Return a fitted value with its interval."""
    parts = {name: Quotient(getattr(fitted, name), None) for name in ("value", "low", "high")}
    return say("<value> (<low> to <high>)", **parts)


@_phrase("estimated")
def _(row: Row, found: Outline) -> Iterator[Line]:
    yield Line(say("time <time> at these sizes", time=Seconds(row.value)))


@_phrase(*TIMES)
def _(row: Row, found: Outline) -> Iterator[Line]:
    yield Line(Duration(row.value), say(TIME_REASONS[row.key]), time_of(row.about))


def time_of(name: str) -> Mark:
    """Return the symbol of a time: of one resource, or of one way to combine the resources."""
    short = TIME_NAMES.get(name)
    below = {"lower": "max", "upper": "sum"}.get(name, name)
    return Mark(Resource(name) if short is None else say(short), "T", below)


@_phrase("other")
def _(row: Row, found: Outline) -> Iterator[Line]:
    ridges = between((Formula(name, Decimal(value)) for name, value in row.ridges.items()), ", ")
    yield Line(row.about.rate, (f"@{row.about.rate.variant or 'default'}: ", ridges, _other_answer(row, found)))


def _other_answer(row: Row, found: Outline) -> Inline:
    x = found.unknown
    if not any(k.statement.kind == "at-point" for k in row.known):
        return ()
    if row.integer is not None:
        return (say("; "), Formula(x, "=", row.integer))
    return say("; no integer <answer>", answer=x) if row.unmet else (say("; "), say("never"))


@_phrase("other-time")
def _(row: Row, found: Outline) -> Iterator[Line]:
    times = ((s.label, s.value) for s in (k.statement for k in row.known[1:]) if s.value.is_number)
    there = between(((time_of(name), " ", Seconds(t)) for name, t in times), ", ")
    yield Line(row.about.rate, (f"@{row.about.rate.variant or 'default'}", *((": ", there) if there else ())))


@_phrase("longest")
def _(row: Row, found: Outline) -> Iterator[Display]:
    yield Display(row.about.cases, row.about.resource)


@_phrase("left-out")
def _(row: Row, found: Outline) -> Iterator[Line]:
    yield Line(say("<amount> on <engine>", amount=row.about.amount, engine=Resource(row.about.resource)))
    for known, (other, least) in zip(row.known, row.about.below, strict=True):
        rate = known.statement.value
        below = say("longer than <other> if its rate is below <rate> FLOP/s", other=Resource(other), rate=rate)
        yield Line(("  ", below, *((" ", Decimal(least)) if least.is_number and not least.is_Integer else ())))


@_phrase("moves-only")
def _(row: Row, found: Outline) -> Iterator[Line]:
    if set(row.about) == {"memory"}:
        yield Line(say("memory-bound at every size: no FLOPs, only bytes"))
    elif "memory" not in row.about:
        yield Line(say("communication-bound at every size: no FLOPs, only bytes"))
    else:
        yield Line(say("never compute-bound: no FLOPs, only bytes"))


# --- the threshold ----------------------------------------------------------------------------------


@_phrase("compute-bound")
def _(row: Row, found: Outline) -> Iterator[Line]:
    first, *_ = row.about
    yield Line(bound_when(row.about))
    if first.share and first.ridge is None:
        value = first.share.factor * quantity("R")
        yield Line(say("where <symbol>, $R$ the ridge point", symbol=Formula(first.symbol, "=", value)))


def bound_when(ceilings: Iterable[Ceiling], estimate: Share | None = None) -> Inline:
    """Return the condition for an operation to be compute-bound, or to keep a share of the peak, as a sentence."""
    ceilings = tuple(ceilings)
    first = ceilings[0]
    if (share := first.share) is None:
        return say("compute-bound when <condition>:", condition=_exceeds(ceilings, ">"))
    from roofproof.derive.roofline.share import percent

    form = "once started, keeps <share> of the calibrated peak when <condition>:"
    if not (estimate or share).ceilings:
        form = "keeps <share> of the peak when <condition>:"
    return say(form, share=percent(share.value), condition=_exceeds(ceilings, ">="))


def _exceeds(ceilings: tuple[Ceiling, ...], sign: str) -> Inline:
    """Return the condition that, for each memory or link, some compute unit's intensity exceeds its ridge point."""
    several = len(ceilings) > 1
    parts = []
    for c in ceilings:
        name = Mark(f"I_{c.label}", "I", c.label) if several and sign == ">" else Mark("I", "I")
        parts.append((c, Formula(name, sign, c.symbol)))
    channels = [between(each, say(" or ")) for each in by_channel(parts)]
    if len(channels) > 1:
        channels = [("(", each, ")") if len(each) > 1 else each for each in channels]
    return between(channels, say(" and "))


@_phrase("sizes")
def _(row: Row, found: Outline) -> Iterator[Line]:
    yield Line(say("at <sizes>, as no short closed form for all sizes was found:", sizes=sizes(row.about)))


@_phrase("cases")
def _(row: Row, found: Outline) -> Iterator[Display]:
    yield Display(row.about)


@_phrase("with")
def _(row: Row, found: Outline) -> Iterator[Line]:
    values = (Formula(name, "=", TextOrTypeset(str(ridge), _with_decimal(ridge))) for name, ridge in row.ridges.items())
    yield Line(say("with <values>:", values=between(values, ", ")))


def _with_decimal(value: sympy.Expr) -> Inline:
    return value if value.is_Integer else (value, " ", Decimal(value))


@_phrase("bounded")
def _(row: Row, found: Outline) -> Iterator[Line]:
    known = row.known[0].statement
    name = _intensity(row.about, found)
    shown = Formula(name, "=" if known.goal[0] == "=" else "<", row.value)
    yield Line(say("since <bound> at every size", bound=TextOrTypeset(known.says, shown)))


@_phrase("free")
def _(row: Row, found: Outline) -> Iterator[Line]:
    yield Line(say("free of <names>", names=between(row.about, say(" and "))))


@_phrase("rule")
def _(row: Row, found: Outline) -> Iterator[Line]:
    regime = Regime(row.about.limit.regime.text)
    yield Line(say("rule of thumb (<regime>): <rule>", regime=regime, rule=rule_phrase(row.about.threshold)))


def rule_phrase(cases: Cases) -> Inline:
    """Return cases on one line, each with its condition if it has one, without the cases that are `never`."""
    every = []
    for case in (c for c in cases if c.threshold.kind != "never"):
        bound = Bound(cases.unknown, case.threshold)
        every.append(bound if case.when == sympy.true else (bound, say(" when <condition>", condition=case.when)))
    return between(every, say(" or ")) or say("never")


@_phrase("point")
def _(row: Row, found: Outline) -> Iterator[Line]:
    point = row.about.point
    if row.integer is not None or point:
        answer = (Bound(row.about.unknown, row.threshold), integer_phrase(row), _since(row))
        yield Line(say("at <sizes>: <answer>", sizes=sizes(point), answer=answer) if point else answer)


def _since(row: Row) -> Inline:
    """Return the condition that fails if no size works (left out in plain text, which prints it nearby)."""
    failing = [c.when for c in row.about.cases if c.threshold.kind != "never" and c.when != sympy.true]
    if row.threshold.kind != "never" or not failing:
        return ()
    return TextOrTypeset("", say(", since <condition> fails", condition=sympy.Or(*failing)))


@_phrase("started")
def _(row: Row, found: Outline) -> Iterator[Line]:
    what: Any = row.about
    answer: Inline = (Bounded(what.unknown, row.threshold, short=True), integer_phrase(row))
    if what.point:
        answer = say("at <sizes>: <answer>", sizes=sizes(what.point), answer=answer)
    yield Line(say("with the start of <start>, <answer>", start=Seconds(what.share.start, bare=True), answer=answer))


def integer_phrase(row: Row) -> Inline:
    """Return the integer answer, and the operation's own conditions on it."""
    found, allowed = row.about, row.about.allowed
    if row.integer is None and row.threshold.kind == "never":
        return ()
    which = "no" if row.integer is None else "largest" if row.threshold.kind == "below" else "smallest"
    answer = found.unknown if row.integer is None else Formula(found.unknown, "=", row.integer)
    if allowed.multiple_of == 1:
        told = say(INTEGERS[which], answer=answer)
    else:
        told = say(MULTIPLES[which], answer=answer, step=sympy.Integer(allowed.multiple_of))
    conditions = joined_conditions(allowed.unimplied_conditions(row.threshold))
    return (told, say(" such that <conditions>", conditions=conditions)) if conditions else told


def joined_conditions(conditions: Sequence[Boolean], beside: bool = False) -> Inline:
    """Return conditions joined by `and`, with an `or` in parentheses if there are several, or others `beside` them."""
    alone = len(conditions) == 1 and not beside
    parts = ((c if alone or not isinstance(c, sympy.Or) else ("(", c, ")")) for c in conditions)
    return between(parts, say(" and "))


INTEGERS = {
    "no": "; no integer <answer>",
    "smallest": "; smallest integer <answer>",
    "largest": "; largest integer <answer>",
}
MULTIPLES = {
    "no": "; no multiple of <step> for <answer>",
    "smallest": "; smallest multiple of <step>: <answer>",
    "largest": "; largest multiple of <step>: <answer>",
}


# --- proofs -----------------------------------------------------------------------------------------


@_phrase("proof")
def _(row: Row, found: Outline) -> Iterator[Line]:
    [known] = row.known
    statement = known.statement
    what: Inline = statement.says
    if not isinstance(statement.about, str):
        unknown, case = statement.about
        what = Bounded(unknown, case.threshold)
    elif statement.kind in SAYS:
        what = say(SAYS[statement.kind])
    yield Line(what, known_by(row.trust))


@_phrase("limit-proof")
def _(row: Row, found: Outline) -> Iterator[Line]:
    limit = row.about.limit
    value = TextOrTypeset(str(limit.value), limit.leading_value)
    yield Line(say("limit <value> and its error", value=value), known_by(row.trust))


@_phrase("resting")
def _(row: Row, found: Outline) -> Iterator[Line]:
    yield Line(say("resting on <what>", what=(row.about, bracketed(row.about.source))))


@_phrase("for-all")
def _(row: Row, found: Outline) -> Iterator[Line]:
    what = row.about
    if what.searched:
        yield Line(say("for every whole <name> from 1 to <last>", name=what.unknown, last=what.searched))
    else:
        first = say("for all <names>", names=Listed(what.symbols, "> 0"))
        yield Line(between((first, *what.assume), say(" and ")))


@_phrase("step", "untold", "branch")
def _(row: Row, found: Outline) -> Iterator[Line]:
    yield from steps.step_rows([row])
