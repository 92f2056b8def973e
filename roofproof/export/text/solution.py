"""A derivation as a worked solution in plain text: given, FLOPs, bytes, intensity, limit, ridge, threshold, proof."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import sympy

from roofproof.derive.algebra.text import plain
from roofproof.derive.inequalities.cases import Cases, plain_threshold, substitute
from roofproof.derive.roofline.memory_fit import requirements
from roofproof.derive.roofline.other_sources import other_figures, other_times
from roofproof.derive.roofline.ridges import supply
from roofproof.derive.roofline.times import sequential, time
from roofproof.export.text.formatting import about, equals, seconds
from roofproof.export.words.catalogue import Catalogue
from roofproof.hardware.units import decimal

if TYPE_CHECKING:
    from roofproof.derive.roofline.compute_bound import Ceiling
    from roofproof.hardware import Chip
    from roofproof.ops import Operation
    from roofproof.proofs import ProvedThreshold
    from roofproof.proofs.provers.critical_size import Rule

WIDEST = 90  # characters of a formula that others are aligned with


def worked_solution(op: Operation, chip: Chip | None, proved: ProvedThreshold | None, point: Mapping[str, int]) -> str:
    """Return the worked solution; without a proved threshold it ends with the intensity and the times.

    >>> from roofproof import chip, op
    >>> one = op("flops bf16 = 1e12")
    >>> text = worked_solution(one, chip("h100-sxm@scaling-book"), None, {})
    >>> next(line.strip() for line in text.splitlines() if "upper" in line)
    'upper  1/989 s ≈ 1.0111 ms    nothing overlaps: the sum'
    """
    lines = [_title(op, chip, proved), ""]
    for heading, body in _sections(op, chip, proved, point):
        lines.append(heading)
        lines.extend(f"  {line}".rstrip() for text in body for line in text.splitlines())
    return "\n".join(lines)


def _title(op: Operation, chip: Chip | None, proved: ProvedThreshold | None) -> str:
    on = f" on {chip.title or chip.name} ({chip.name})" if chip else ""
    return f"{op.name}{on}" + (f", solved for {proved.found.unknown}" if proved else "")


def _sections(
    op: Operation, chip: Chip | None, proved: ProvedThreshold | None, point: Mapping[str, int]
) -> Iterator[tuple[str, list[str]]]:
    figures = proved.figures if proved else tuple(supply(chip, name) for name in op.demands) if chip else ()
    if figures:
        yield "given", _table([(str(r), _how(r.convention, r.status)) for r in figures])
    counted = op.convention or "as given"
    yield (
        "FLOPs",
        _table([(plain(amount), f"{name}; {counted}") for name, amount in op.compute.items()] or [("0", "")]),
    )
    yield "bytes", _bytes(op)
    if op.footprint:
        yield "on chip", _table([(plain(amount), f"bytes of {place}") for place, amount in op.footprint.items()])
    if assumed := requirements(op, chip):
        yield "assuming", [plain(condition) for condition in assumed]
    if proved is None:
        yield from _intensities(op)
        if chip:
            yield "time", _times(op, chip, point)
            if others := _other_times(op, chip, point):
                yield "with the figures of other sources", others
        return
    for c in proved.found.ceilings:
        yield f"intensity{_against(c, proved)}", [f"I = {plain(c.intensity)} FLOP/B"]
        for rule in proved.rules:
            if rule.channel == c.channel:
                yield "limit", _limit(rule)
        if c.ridge is not None:
            peak, bandwidth = (decimal(r.value) for r in c.rests_on)
            text = f"{c.symbol} = {peak} / {bandwidth} = {equals(c.ridge)} FLOP/B"
            yield f"ridge{_against(c, proved)}", [text]
    yield "threshold", _threshold(proved)
    if chip and (others := _others(proved, chip)):
        yield "with the figures of other sources", others
    if chip and all(s.name in point for s in op.dims):
        yield "time", _times(op, chip, point)
    yield "proved", _proof(proved)


def _others(proved: ProvedThreshold, chip: Chip) -> list[str]:
    """Return what the ridge point and the answer would be with figures that stand beside those in force."""
    rows = []
    for other in other_figures(proved.found, chip):
        answer = ""
        if proved.found.at_point is not None:
            answer = f"; {proved.found.unknown} = {other.integer}" if other.integer is not None else "; never"
        ridges = ", ".join(f"{symbol} {about(value)}" for symbol, value in other.ridges.items())
        rows.append((str(other.rate), f"@{other.rate.variant or 'default'}: {ridges}{answer}"))
    return _table(rows) if rows else []


def _other_times(op: Operation, chip: Chip, point: Mapping[str, int]) -> list[str]:
    rows = []
    for other in other_times(op, chip, point):
        told = [(other.resource, other.time), ("lower", other.lower)]
        times = ", ".join(f"{name} {seconds(t)}" for name, t in told if t.is_number)
        rows.append((str(other.rate), f"@{other.rate.variant or 'default'}{': ' if times else ''}{times}"))
    return _table(rows) if rows else []


def _how(*parts: str) -> str:
    return "; ".join(p for p in parts if p)


def _against(c: Ceiling, proved: ProvedThreshold) -> str:
    return f" against {c.channel}" if len(proved.found.ceilings) > 1 or c.channel != "memory" else ""


def _table(rows: list[tuple[str, str]]) -> list[str]:
    width = max((len(left) for left, _ in rows if len(left) <= WIDEST), default=0)
    return [f"{left:<{width}}    {right}".rstrip() for left, right in rows]


def _bytes(op: Operation) -> list[str]:
    rows = [(plain(t.traffic), f"read {t}") for t in op.reads]
    rows += [(plain(t.traffic), f"write {t}") for t in op.writes]
    rows += [(plain(amount), f"over {channel}") for channel, amount in op.traffic.items()]
    if len(op.tensors) > 1:
        rows.append((plain(op.bytes()), "in all"))
    return _table(rows or [("0", "")])


def _intensities(op: Operation) -> Iterator[tuple[str, list[str]]]:
    from roofproof.derive.roofline.intensities import intensity

    for channel in (n for n in op.demands if n not in op.compute):
        yield f"intensity over {channel}", [f"I = {plain(intensity(op, channel).value)} FLOP/B"]


def _limit(rule: Rule) -> list[str]:
    found = rule.proved.limit
    value = "infinity" if found.value.is_infinite else plain(found.value)
    lines = [f"I -> {value} as {found.regime.text}"]
    if found.relative_error is not None:
        lines.append(f"taking {value} for I errs by exactly {plain(found.relative_error)} of I")
    elif found.growth is not None:
        error = found.growth_error
        off = f", which errs by exactly {plain(error)} of I" if error not in (None, 0) else ""
        lines.append(f"like {plain(found.growth)}{off}")
    if found.where != sympy.true:
        lines.append(f"where {plain(found.where)}")
    if found.warning:
        lines.append(f"warning: {found.warning}")
    return lines


def _threshold(proved: ProvedThreshold) -> list[str]:
    found = proved.found
    x = found.unknown
    symbols = " and ".join(
        f"I_{c.channel} > {c.symbol}" if len(found.ceilings) > 1 else f"I > {c.symbol}" for c in found.ceilings
    )
    lines = [f"compute-bound when {symbols}:", _indent(found.symbolic)]
    if found.cases != found.symbolic:
        with_values = ", ".join(f"{c.symbol} = {c.ridge}" for c in found.ceilings)
        lines += [f"with {with_values}:", _indent(found.cases)]
    parameters = {s.name for case in found.cases for s in case.symbols} - {x.name}
    free = [s.name for s in found.op.dims if s != x and s.name not in parameters]
    if free and len(found.cases) == 1:
        lines.append(f"free of {' and '.join(free)}")
    for rule in proved.rules:
        if rule.threshold is not None:
            lines.append(f"rule of thumb ({rule.proved.limit.regime.text}): {_rule(x, rule.threshold)}")
    if found.at_point is not None:
        where = ", ".join(f"{k} = {v}" for k, v in found.point.items())
        text = _approx(x, found.at_point)
        if found.integer is not None:
            which = "largest" if found.at_point.kind == "below" else "smallest"
            text += f"; {which} integer {x} = {found.integer}"
        if where or found.integer is not None:
            lines.append(f"at {where}: {text}" if where else text)
    return lines


def _rule(x: sympy.Symbol, cases: Cases) -> str:
    """Return a rule of thumb on one line, each case with its condition where it has one."""
    some = [c for c in cases if c.threshold.kind != "never"]
    return (
        " or ".join(_approx(x, c.threshold) + ("" if c.when == sympy.true else f" when {plain(c.when)}") for c in some)
        or "never"
    )


def _approx(x: sympy.Symbol, threshold: object) -> str:
    text = plain_threshold(x, threshold)  # type: ignore[arg-type]
    at = getattr(threshold, "at", None)
    return text if at is None or not at.is_number or at.is_Integer else f"{text} {about(at)}"


def _indent(cases: Cases) -> str:
    return "\n".join(f"  {line}" for line in str(cases).splitlines())


def _times(op: Operation, chip: Chip, point: Mapping[str, int]) -> list[str]:
    times = {name: substitute(t, point) for name, t in time(op, chip).items()}
    rows = [(name, t, "demand / supply") for name, t in times.items()]
    rows.append(("lower", sympy.Max(*times.values()), "everything overlaps: the maximum"))
    if op.parts:
        of_parts = substitute(sequential(op, chip), point)
        rows.append(("sequence", of_parts, "one part after another: the sum of their maxima"))
    rows.append(("upper", sympy.Add(*times.values()), "nothing overlaps: the sum"))
    width = max(len(name) for name, _, _ in rows)
    return _table(
        [(f"{name:<{width}}  {plain(t)} s" + (f" {seconds(t)}" if t.is_number else ""), why) for name, t, why in rows]
    )


def _proof(proved: ProvedThreshold) -> list[str]:
    words = Catalogue("en")
    rows = [(p.statement.says, "by " + words[f"by-{p.trust}"]) for p in proved.solved]
    for rule in proved.rules:
        rows.append((f"limit {rule.proved.limit.value} and its error", "by " + words[f"by-{rule.proved.trust}"]))
    lines = _table(rows)
    lines += [f"resting on {r} ({r.source})" for r in proved.figures]
    names = ", ".join(
        s.name for s in (*proved.found.op.dims, *(c.symbol for c in proved.found.ceilings if c.ridge is None))
    )
    lines.append(" and ".join([f"for all {names} > 0", *map(plain, proved.found.assume)]))
    return lines
