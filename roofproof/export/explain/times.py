"""Minimum times, measured times compared with them, fitted rates, and the rates of a machine."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from math import isfinite

import sympy

from roofproof.export.doc import Convention, Doc, Inline, Line, Message, Row, Seconds, Section, between, bracketed, say
from roofproof.export.explain.shown import latex, text
from roofproof.export.explain.threshold import interval, status
from roofproof.export.latex.escaping import escape
from roofproof.export.latex.expressions import latex as typeset
from roofproof.export.to_text import lines_text
from roofproof.formula.magnitudes import prefixed
from roofproof.hardware.calibration import CORNERS, Calibration, Fitted
from roofproof.hardware.chips import Chip
from roofproof.hardware.table import rounded, seconds
from roofproof.ops.resources import MEMORY
from roofproof.proofs.known import PRINTED
from roofproof.sentences import Resource, Sentence
from roofproof.times.estimates import Demands
from roofproof.times.measure import Machine, MeasuredRate
from roofproof.times.records import Record
from roofproof.times.validation import WORST, ValidatedTime, Validation
from roofproof.times.verdicts import BEYOND, IMPOSSIBLE, POSSIBLE, Verdict, seconds_of

MOST = 5  # times listed one by one
ASSUMED = "assumed"  # marks the lines of a record that state an assumption
VERDICTS = {POSSIBLE: "<count> possible", IMPOSSIBLE: "<count> impossible", BEYOND: "<count> beyond the model"}


@latex.register
def _(record: Record) -> str:
    if record.floor is None or not record.floor.parts:
        return rf"\text{{{escape(record.error or record.outside)}}}"
    times = (seconds_of(part).sympy() for part in record.floor.parts)
    return rf"T \ge {typeset(sympy.Max(*times))}\ \text{{s}}"


@text.register
def _(record: Record) -> str:
    return "\n".join(lines_text(explain_records([explain_record(record)]), "en"))


def explain_record(record: Record, alone: bool = False) -> Section:
    """Return the minimum time of a problem and the verdicts on its times, under its name unless it is `alone`.

    >>> from roofproof.export.to_text import section_text
    >>> print(*section_text(explain_record(Record("a.py", error="no class Model")), "en"))
    a.py: cannot be used: no class Model
    """
    if record.error:
        return Section(say("<problem>: cannot be used: <why>", problem=record.problem, why=record.error), ())
    answer = (_counted(record), _minimum(record), _measured_once(record))
    heading = answer if alone else say("<problem>: <minimum>", problem=record.problem, minimum=answer)
    return Section(heading, tuple(_rows(record)))


def explain_records(records: Iterable[Section]) -> Doc:
    """Return the records in order, then the assumptions that all of them share."""
    records = list(records)
    used = [[row for row in record.rows if _assumed(row)] for record in records if record.rows]
    shared = [row for row in (used[0] if used else ()) if all(row in rows for rows in used)]
    sections = [Section(one.heading, tuple(row for row in one.rows if row not in shared)) for one in records]
    if shared:
        sections.append(Section(say("assumed:") if len(used) == 1 else say("assumed of all:"), tuple(shared)))
    return Doc((), tuple(sections))


def _assumed(row: Row) -> bool:
    return isinstance(row, Line) and row.subject == ASSUMED


def _minimum(record: Record) -> Inline:
    if record.floor is not None and not record.floor.parts:
        said = say("no minimum time")
    elif record.seconds is None:
        return say("minimum <form> s", form=record.form)
    else:
        said = say("minimum <time>", time=seconds(record.seconds))
    by = bracketed(Resource(record.binds)) if record.binds else ""
    return (said, by, say(" at <sizes>", sizes=_sizes(record.at)) if record.at else "", _estimated(record))


def _estimated(record: Record) -> Inline:
    """Return the estimate of the time, if the chip is calibrated for the operation."""
    from roofproof.proofs.provers.times import estimated

    if record.floor is None or record.seconds is None or record.outside:
        return ""
    guess = [row.value for row in estimated(record.floor.op, record.floor.chip, record.at) if row.key == "estimated"]
    return say("; estimate <time>", time=Seconds(guess[0], bare=True)) if guess else ""


def _counted(record: Record) -> Inline:
    """Return the number of measured times with each verdict, or nothing for fewer than two times."""
    verdicts = record.verdicts
    if len(verdicts) < 2:
        return ""
    counts = Counter(verdict.verdict for verdict in verdicts)
    told = [say(form, count=counts[kind]) for kind, form in VERDICTS.items() if counts[kind]]
    return (say("<count> times: ", count=len(verdicts)), *between(told, say(", ")), say("; "))


def _measured_once(record: Record) -> Inline:
    """Return the only measured time, its ratio to the minimum, and the verdict on it."""
    if len(record.verdicts) != 1 or record.verdicts[0].floor == 0:
        return ""
    [verdict] = record.verdicts
    ratio = rounded(verdict.time / verdict.floor)
    form = "; measured <time> = <ratio> x minimum: <verdict>"
    if str(ratio) == "1" and verdict.time != verdict.floor:
        below = "; measured <time>, just below the minimum: <verdict>"
        form = below if verdict.time < verdict.floor else "; measured <time>, just above it: <verdict>"
    return say(form, time=seconds(verdict.time), ratio=ratio, verdict=say(verdict.verdict))


def _rows(record: Record) -> Iterator[Line]:
    if record.outside:
        yield Line(say("beyond the model: <why>", why=record.outside))
    if record.seconds is not None:
        yield Line((record.form, "    ", status(record.trust)))
    for each in record.assumptions:
        yield Line(Message(each) if isinstance(each, Sentence) else Convention(each), subject=ASSUMED)
    verdicts = record.verdicts
    if len(verdicts) == 1:  # the heading has the verdict, this is the reason
        [verdict] = verdicts
        if verdict.why:
            yield Line(say("beyond the model: <why>", why=verdict.why))
        if verdict.verdict != POSSIBLE:
            yield Line((verdict.known.statement.says, "    ", status(verdict.known.trust)))
        return
    impossible = [verdict for verdict in verdicts if verdict.verdict == IMPOSSIBLE]
    yield from (Line(("  ", _impossible(verdict))) for verdict in impossible[:MOST])
    if len(impossible) > MOST:
        yield Line(("  ", say("and <count> more impossible", count=len(impossible) - MOST)))
    yield from (Line(("  ", said)) for said in _beyond(verdicts))


def _beyond(verdicts: Iterable[Verdict]) -> Iterator[Inline]:
    """Yield the reasons why times are beyond the model, with their line numbers."""
    lines: dict[str, list[str]] = {}
    for verdict in verdicts:
        if verdict.verdict == BEYOND:
            lines.setdefault(verdict.why, []).append(str(verdict.line))
    for why, of in lines.items():
        some = ", ".join(of[:MOST])
        if len(of) > MOST:
            yield say(
                "beyond the model, lines <lines> and <count> more: <why>", lines=some, count=len(of) - MOST, why=why
            )
        else:
            yield say("beyond the model, lines <lines>: <why>", lines=some, why=why)


def _impossible(verdict: Verdict) -> Inline:
    at: Inline = say(" at <sizes>", sizes=_sizes(verdict.at)) if verdict.at else ""
    time: Inline = (seconds(verdict.time), at)
    form = "impossible, line <line>: <time>, minimum <least> by <resource>: <theorem>    [<trust>]"
    least, known = seconds(verdict.floor), verdict.known
    return say(
        form, line=verdict.line, time=time, least=least, resource=Resource(verdict.binds), theorem=known.statement.says,
        trust=say(PRINTED[known.trust]),
    )  # fmt: skip


def explain_validation(held: Validation) -> Doc:
    """Return the comparison of measured times with the minimum time and the estimate.

    >>> from roofproof import chip
    >>> from roofproof.export.to_text import aligned_text
    >>> from roofproof.times.tables import times_from_text
    >>> from roofproof.times.validation import validate
    >>> table = times_from_text("m,n,k,us\\n4096,4096,4096,100\\n4096,4096,4096,200\\n", "t.csv")
    >>> print(aligned_text(explain_validation(validate(table, chip("tpu-v5e, fp16=1 TFLOP/s")))))
    2 times on tpu-v5e: 2 below the minimum; median 0.00109 x minimum
      products fp16[m,k], fp16[k,n] -> fp16[m,n], from the columns m, n and k
    minimum time
      cold caches: every byte crosses the main memory
      2 of 2 times are below it, which no run can be:
        line 2: m = 4096, n = 4096, k = 4096: 100 us, minimum 137.4 ms
        line 3: m = 4096, n = 4096, k = 4096: 200 us, minimum 137.4 ms
    estimate
      none: tpu-v5e has no fitted rates for this; `roofproof calibrate` finds them from a table
    """
    counts = {"points": held.points, "chip": held.found.chip.name, "below": len(held.below)}
    title: Inline = say("<points> times on <chip>: <below> below the minimum", **counts)
    if isfinite(held.tight):
        title = (title, say("; median <ratio> x minimum", ratio=f"{held.tight:.3g}"))
    if held.median is not None:
        title = (title, say("; the estimate is off by <share> in the median", share=f"{100 * held.median:.1f} %"))
    sections = [
        Section((), (Line(held.found.said),)),
        Section(say("roof as measured") if held.by_measurement else say("minimum time"), tuple(_against_minimum(held))),
        Section(say("estimate"), tuple(_against_estimate(held))),
    ]
    if held.pairs:
        sections.append(Section(say("larger sizes that took less time"), tuple(_order(held))))
    return Doc(title, tuple(sections))


def _against_minimum(held: Validation) -> Iterator[Line]:
    hidden = next((part.hidden for part in held.floor.parts if part.hidden), 0)
    warm = "warm caches: <size> of the bytes may lie in the last of them"
    cold = "cold caches: every byte crosses the main memory"
    if any(part.name == MEMORY for part in held.floor.parts):
        yield Line(say(warm if hidden else cold, size=prefixed(Fraction(hidden), "B")))
    if held.below:
        form = "<count> of <points> times are below it, which no run can be:"
        if held.by_measurement:
            form = "<count> of <points> times are below it: they beat the measured rates:"
        yield Line(say(form, count=len(held.below), points=held.points))
        for row in held.below[:WORST]:
            of = {"line": row.line, "sizes": _sizes(row.at), "time": seconds(row.seconds), "least": seconds(row.floor)}
            yield Line(("  ", say("line <line>: <sizes>: <time>, minimum <least>", **of)))
        if len(held.below) > WORST:
            yield Line(("  ", say("and <count> more", count=len(held.below) - WORST)))
    yield from map(Line, _beyond(held.beyond))
    if not held.below and not held.beyond:
        yield Line(say("all times are above it; median ratio <ratio>", ratio=f"{held.tight:.3g}"))


def _against_estimate(held: Validation) -> Iterator[Line]:
    rates = held.rates
    if rates is None or held.median is None or held.p90 is None or held.within is None or held.ratio is None:
        form = "none: <chip> has no fitted rates for this; `roofproof calibrate` finds them from a table"
        yield Line(say(form, chip=held.found.chip.name))
        return
    yield Line(_rates(rates) if isinstance(rates, Calibration) else _at_full(rates))
    if held.lender:
        yield Line(say("borrowed from <chip>", chip=held.lender))
    form = "median error <median>, 90 % within <most>, <near> within 20 %; median of time over estimate <ratio>"
    shares = {"median": held.median, "most": held.p90, "near": held.within}
    told = {name: f"{100 * share:.1f} %" for name, share in shares.items()}
    yield Line(say(form, **told, ratio=f"{held.ratio:.3g}"))
    worst = held.worst[0]
    if worst.estimate is not None:
        of = {"sizes": _sizes(worst.at), "time": seconds(worst.seconds), "guess": seconds(Fraction(worst.estimate))}
        yield Line(say("worst: <sizes>: <time>, estimate <guess>", **of))


def _rates(rates: Calibration) -> Inline:
    form = "not proved: e = <compute> of <engine>, d = <memory> of <level>, start <start>, corner <corner>"
    return say(
        form, compute=interval(rates.compute), engine=rates.engine, memory=interval(rates.memory), level=rates.level,
        start=prefixed(rates.start.value, "s"), corner=rates.corner,
    )  # fmt: skip


def _at_full(corner: str) -> Inline:
    form = "not proved: datasheet rates, combined by <corner>: <how>"
    return say(form, corner=corner, how=say(CORNERS[corner]))


def _order(held: Validation) -> Iterator[Line]:
    form = "in <count> of <pairs> pairs of neighbours along a size"
    yield Line(say(form, count=len(held.falling), pairs=held.pairs))
    if held.falling:
        a, b = held.falling[0]
        factor = float(a.seconds / b.seconds)  # float: for the eye
        yield Line(say("most: <one> against <other>, <ratio> times as long", one=_at(a), other=_at(b),
                       ratio=f"{factor:.3g}"))  # fmt: skip


def explain_fit(chip: Chip, found: Demands, made: Calibration, out: str | None) -> Doc:
    """Return fitted rates, each with its interval, and the error of the estimate."""
    answer = say(
        "peak <peak> %, bandwidth <bandwidth> %, start <start>; median error <error> % on times left out",
        peak=rounded(100 * made.compute.value),
        bandwidth=rounded(100 * made.memory.value),
        start=seconds(made.start.value),
        error=rounded(100 * made.error),
    )
    title = say("<points> times on <chip>: <what>", points=made.points, chip=chip.name, what=found.said)
    form = "start + <corner>(FLOPs / (e * peak), bytes / (d * bandwidth)), <how>"
    rows: list[Row] = [
        Line(say(form, corner=made.corner, how=say(CORNERS[made.corner]))),
        Line(say("e, of <name>", name=made.engine), str(made.compute)),
        Line(say("d, of <name>", name=made.level), str(made.memory)),
        Line(say("start"), _lasting(made.start)),
        Line(say("median error on the fifth left out"), f"{rounded(100 * made.error)} %"),
    ]
    if made.memory.value == 1:
        form = "fitted bandwidth is all of <level> or more: data came from a cache; flush it or drop these rows"
        rows.append(Line(say(form, level=made.level)))
    rows.append(
        Line(say("in brackets: where a value lies when a fifth of the shapes is left out; <fit>", fit=made.fit))
    )
    rows += [Line(said) for said in _written(out)]
    return Doc(answer, (Section(title, tuple(rows)),))


def explain_machine(found: Machine, out: str) -> Doc:
    """Return every rate of a machine with its interval.

    >>> from roofproof.export.to_text import aligned_text
    >>> print(aligned_text(explain_machine(Machine("A processor", {}, ("one core",)), "this.toml")))
    A processor
    rates as measured
      note: one core
      written to this.toml: --chip this.toml
    """
    rows = [Line((name, "    ", one.kernel), _measured(one)) for name, one in found.rates.items()]
    rows += [Line(say("note: <note>", note=note)) for note in found.notes]
    return Doc(found.title, (Section(say("rates as measured"), (*rows, *map(Line, _written(out)))),))


def _measured(one: MeasuredRate) -> Inline:
    value, low, high = (prefixed(Fraction(f"{each:.3e}"), one.unit) for each in (one.rate, one.low, one.high))
    return say("<value> (<low> to <high>)", value=value, low=low, high=high)


def _written(out: str | None) -> list[Inline]:
    return [] if out is None else [say("written to <file>: --chip <quoted>", file=out, quoted=shlex.quote(out))]


def _lasting(found: Fitted) -> Inline:
    value, low, high = (prefixed(each, "s") for each in (found.value, found.low, found.high))
    return say("<value> (<low> to <high>)", value=value, low=low, high=high)


def _at(row: ValidatedTime) -> str:
    return f"{_sizes(row.at)}: {seconds(row.seconds)}"


def _sizes(sizes: Mapping[str, object]) -> str:
    return ", ".join(f"{name} = {size}" for name, size in sizes.items())
