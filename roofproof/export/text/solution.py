"""A derivation as a worked solution in plain text: given, FLOPs, bytes, intensity, limit, ridge, threshold, proof."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import sympy

from roofproof.derive.algebra.text import plain
from roofproof.derive.inequalities.cases import Cases, plain_threshold
from roofproof.derive.roofline.compute_bound import ceilings_joined
from roofproof.export.outline import Outline, Row
from roofproof.export.text.formatting import about, seconds, shortly, table, with_value
from roofproof.export.words.catalogue import Catalogue, clauses
from roofproof.symbols import quantity

if TYPE_CHECKING:
    from fractions import Fraction

    from roofproof.derive.roofline.share import Share
    from roofproof.hardware.calibration import Fitted

LONGEST = 13  # characters of the name of an engine or a channel
Pair = tuple[str, str | None]
"""A formula and what is said of it, in a column of its own; None where it stands alone."""


def rendered(found: Outline, lang: str = "en") -> str:
    """Return an outline as plain text in a language.

    >>> from roofproof import chip, op
    >>> from roofproof.export.outline import outline
    >>> found = outline(op("flops bf16 = 1e12"), chip("h100-sxm@scaling-book"), None, {})
    >>> text = rendered(found)
    >>> next(line.strip() for line in text.splitlines() if "sum" in line)
    'sum   1/989 s ≈ 1.0111 ms    nothing overlaps: the sum'
    """
    words = Catalogue(lang, "text", "steps")
    parts = {"op": words.told(found.op.name), "x": str(found.unknown)}
    if chip := found.chip:
        parts["chip"] = f"{chip.title or chip.name} ({chip.name})"
    key = f"title{'-chip' if chip else ''}{'-solved' if found.unknown is not None else ''}"
    lines = [words.say(key, **parts), ""]
    for heading, pairs in section_lines(found, words):
        lines += [heading, *(f"  {line}".rstrip() for line in table(pairs))]
    return "\n".join(lines)


def section_lines(found: Outline, words: Catalogue) -> Iterator[tuple[str, list[Pair]]]:
    """Yield each section of an outline: its heading, and its lines."""
    for section in found.sections:
        pairs = [pair for row in section.rows for pair in _told(row, found, words)]
        if section.key == "time":
            pairs = _names_aligned(pairs)
        yield words.say(section.key, channel=section.about), pairs


def _names_aligned(pairs: list[Pair]) -> list[Pair]:
    split = [left.split(" ", 1) for left, _ in pairs]
    width = max(len(name) for name, _ in split)
    return [(f"{name:<{width}}  {rest}", why) for (name, rest), (_, why) in zip(split, pairs, strict=True)]


def _counted(compute: str, convention: str, words: Catalogue) -> str:
    """Return the format of some FLOPs, and how they are counted."""
    said = [
        clause.replace("$", "").replace(r"\log_2 N", "log2(N)") for clause in clauses(convention, words.language)
    ] or [words["as-given"]]
    return words["semicolon"].join((compute, *said))


def _told(row: Row, found: Outline, words: Catalogue) -> Iterator[Pair]:
    """Yield the lines that tell one row."""
    what = row.about
    match row.key:
        case "figure":
            yield str(what), words.of_figure(what.convention, what.status)
        case "flops":
            once = what == next(iter(found.op.compute), what)  # the convention is that of all engines
            yield plain(row.value), _counted(what, found.op.convention, words) if once else str(what)
        case "flops-total":
            yield plain(row.value), words["bytes-total"]
        case "no-flops" | "no-bytes":
            yield "0", ""
        case "read" | "write" | "over" | "total" | "footprint":
            yield plain(row.value), words.say(f"bytes-{row.key}", what=str(what))
        case "assumed":
            yield words.told(plain(what)), None
        case "unchecked":
            yield words.told(what), None
        case "intensity":
            yield f"I = {plain(row.value)} FLOP/B", None
        case "limit":
            yield from ((line, None) for line in _limit(what.proved.limit, words))
            if what.by_letter:
                stay = ", ".join(
                    f"{name} ({role.in_language(words.language)})" for name, role in what.by_letter.items()
                )
                yield words.say("by-letter", sizes=stay), None
        case "ridge":
            yield f"{_ridge(row)} FLOP/B", None
        case "estimate":
            yield from ((line, None) for line in estimate_lines(what, words))
        case "estimated":
            yield words.say("estimated", time=seconds(row.value)), None
        case "other":
            ridges = ", ".join(f"{symbol} {about(value)}" for symbol, value in row.ridges.items())
            answer = _other_answer(row, found.unknown, words)
            yield str(what.rate), f"@{what.rate.variant or 'default'}: {ridges}{answer}"
        case "other-time":
            times = [k.statement.shows for k in row.known[1:]]
            named = [(words.get(f"time-name-{name}", str(name)), t) for t, name in times if t.is_number]
            there = ", ".join(f"{name} {seconds(t)}" for name, t in named)
            yield str(what.rate), f"@{what.rate.variant or 'default'}{': ' if there else ''}{there}"
        case "resource" | "lower" | "sequence" | "upper":
            text = f"{words.get(f'time-name-{what}', what)} {plain(row.value)} s"
            yield text + (f" {seconds(row.value)}" if row.value.is_number else ""), words[f"time-{row.key}"]
        case "step" | "untold" | "branch":
            from roofproof.export.text.steps import row_text

            yield from row_text(row, words)
        case "proof":
            yield _statement(row, words), words.say("by", how=words[f"by-{row.trust}"])
        case "limit-proof":
            said = words.say("limit-error", value=str(what.proved.limit.value))
            yield said, words.say("by", how=words[f"by-{row.trust}"])
        case "resting":
            yield words.say("resting-on", what=f"{what} ({what.source})"), None
        case "for-all" if what.searched:
            yield words.say("for-whole", name=what.unknown, last=what.searched), None
        case "for-all":
            first = words.say("for-all", names=", ".join(map(str, what.symbols)))
            yield f" {words['and']} ".join([first, *map(plain, what.assume)]), None
        case "longest":
            for i, line in enumerate(what.cases.lines(words, words.told)):
                yield f"{what.resource if i == 0 else '':<{LONGEST}}{line}", None
        case "moves-only":
            kind = "memory" if set(what) == {"memory"} else "link" if "memory" not in what else "bytes"
            yield words[f"moves-only-{kind}"], None
        case "left-out":
            yield words.say("left-out-demand", amount=plain(what.amount), engine=what.resource), None
            for known, (other, least) in zip(row.known, what.below, strict=True):
                below = words.say("left-out-below", other=other, rate=plain(known.statement.shows[0]))
                yield f"  {below}{f' {about(least)}' if least.is_number and not least.is_Integer else ''}", None
        case _:
            yield from ((line, None) for line in _threshold(row, words))


def _ridge(row: Row) -> str:
    rounded = "" if row.value.is_Integer else f" {about(row.value)}"
    return f"{row.known[0].statement.says}{rounded}"


def estimate_lines(share: Share, words: Catalogue) -> Iterator[str]:
    """Yield what a share is estimated by: the formula of the time, its constants, and where they are from."""
    from roofproof.derive.roofline.share import joined_by

    if (made := share.ceilings) is None:
        yield words.say("estimate-figures", time=joined_by(share.corner, "FLOPs/peak", "bytes/bandwidth"))
        return
    start = _seconds(made.start.value)
    yield words.say(
        "estimate-time", time=f"{start} + {joined_by(share.corner, 'FLOPs/(e*peak)', 'bytes/(d*bandwidth)')}"
    )
    told = {name: _interval(each, words) for name, each in (("compute", made.compute), ("memory", made.memory))}
    yield words.say("estimate-shares", **told, level=made.level)
    yield words.say("estimate-from", points=str(made.points), source=made.source)
    if share.of:
        yield words.say("estimate-borrowed", of=share.of)


def _seconds(value: Fraction) -> str:
    from roofproof.formula.magnitudes import prefixed

    return prefixed(value, "s")


def _interval(found: Fitted, words: Catalogue) -> str:
    from roofproof.formula.magnitudes import decimal

    return words.say("interval", value=decimal(found.value), low=decimal(found.low), high=decimal(found.high))


def kept(share: Share, condition: str, words: Catalogue) -> str:
    """State that a share of the peak is kept where a condition holds."""
    from roofproof.derive.roofline.share import percent

    key = "kept-when" if share.ceilings else "kept-of-figures-when"
    return words.say(key, share=percent(share.value), condition=condition)


def _statement(row: Row, words: Catalogue) -> str:
    """Return a statement in words: a threshold, or what its kind says."""
    [known] = row.known
    statement = known.statement
    if isinstance(statement.about, str):
        return words.get(f"says-{statement.kind}", statement.says)
    unknown, case = statement.about
    return plain_threshold(unknown, case.threshold, words)


def _other_answer(row: Row, unknown: sympy.Symbol | None, words: Catalogue) -> str:
    if not any(k.statement.kind == "at-point" for k in row.known):
        return ""
    if row.integer is not None:
        return f"; {unknown} = {row.integer}"
    return words.say("no-integer", answer=str(unknown)) if row.unmet else f"; {words['never']}"


def _limit(found: Any, words: Catalogue) -> Iterator[str]:
    value = words["infinity"] if found.value.is_infinite else plain(found.value)
    yield words.say("tends", value=value, regime=found.regime.text)
    if found.relative_error is not None:
        yield words.say("replacing", value=value, error=plain(found.relative_error))
    elif found.growth is not None:
        exact = found.growth_error not in (None, 0)
        error = words.say("growth-error", error=plain(found.growth_error)) if exact else ""
        yield words.say("grows-like", value=plain(found.growth)) + error
    if found.where != sympy.true:
        yield words.say("where", condition=words.told(plain(found.where)))
    if found.warning:
        yield words.say("warning", what=found.warning)


def _threshold(row: Row, words: Catalogue) -> Iterator[str]:
    what = row.about
    match row.key:
        case "compute-bound":
            if share := what[0].share:
                yield kept(share, f"I >= {what[0].symbol}", words)
                if what[0].ridge is None:
                    yield words.say(
                        "kept-factor", symbol=str(what[0].symbol), value=plain(share.factor * quantity("R"))
                    )
                return
            name = "I_{}" if len(what) > 1 else "I"
            above = ceilings_joined(
                [(c, f"{name.format(c.label)} > {c.symbol}") for c in what], words["and"], words["or"]
            )
            yield words.say("compute-bound-when", condition=above)
        case "sizes":
            yield words.say("only-at", sizes=", ".join(f"{name} = {size}" for name, size in what.items()))
        case "cases":
            yield from (f"  {line}" for line in what.lines(words, words.told))
        case "with":
            yield words.say("with", values=", ".join(f"{name} = {ridge}" for name, ridge in row.ridges.items()))
        case "bounded":
            yield words.say("stays-below", bound=row.known[0].statement.says)
        case "free":
            yield words.say("free-of", names=f" {words['and']} ".join(map(str, what)))
        case "rule":
            said = rule_text(what.threshold, words)
            yield words.say("rule-of-thumb-in", regime=what.proved.limit.regime.text, rule=said)
        case "started":
            where = ", ".join(f"{name} = {size}" for name, size in what.point.items())
            text = shortly(what.unknown, row.threshold, words) + _integer(row, words)
            answer = words.say("at", sizes=where, answer=text) if where else text
            yield words.say("started", start=_seconds(what.share.start), answer=answer)
        case "point":
            where = ", ".join(f"{name} = {size}" for name, size in what.point.items())
            text = with_value(what.unknown, row.threshold, words)
            text += _integer(row, words)
            if row.integer is None and not where:
                return
            yield words.say("at", sizes=where, answer=text) if where else text


def _integer(row: Row, words: Catalogue) -> str:
    """Return the integer answer, and what the operation asks of it beyond the threshold."""
    found, allowed = row.about, row.about.allowed
    if row.integer is None and row.threshold.kind == "never":
        return ""
    step = {"step": str(allowed.multiple_of)}
    which = "no" if row.integer is None else "largest" if row.threshold.kind == "below" else "smallest"
    key = f"{which}-integer" if allowed.multiple_of == 1 else f"{which}-multiple"
    answer = str(found.unknown) if row.integer is None else f"{found.unknown} = {row.integer}"
    said = f" {words['and']} ".join(words.told(plain(c)) for c in allowed.conditions)
    return words.say(key, answer=answer, **step) + (words.say("such-that", conditions=said) if said else "")


def rule_text(cases: Cases, words: Catalogue) -> str:
    """Return cases on one line, each with its condition where it has one; nothing is said of those that are never.

    >>> from roofproof import op
    >>> from roofproof.derive.roofline.critical_size import threshold
    >>> rule_text(threshold(op("matmul"), None, "B", {}).symbolic, Catalogue("en"))
    'B > R*D*F/(D*F - R*(D + F)) when 1/D + 1/F < 1/R'
    """
    some = [c for c in cases if c.threshold.kind != "never"]
    said = [
        with_value(cases.unknown, c.threshold, words)
        + ("" if c.when == sympy.true else f" {words['when']} {words.told(plain(c.when))}")
        for c in some
    ]
    return f" {words['or']} ".join(said) or words["never"]
