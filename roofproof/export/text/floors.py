"""Floors of problems, and verdicts on their times, as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from roofproof.bench.records import Record
from roofproof.bench.verdicts import BEYOND, IMPOSSIBLE, POSSIBLE, Verdict
from roofproof.hardware.table import seconds

MOST = 5  # times that are told


@dataclass(frozen=True, slots=True)
class FloorText:
    """A record in words, which another process may send: what is said before the assumptions, and after them."""

    lines: tuple[str, ...]
    assumptions: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    error: bool = False


def floors_text(records: Iterable[FloorText]) -> str:
    """Return the records in order, and what all of them share once."""
    records = list(records)
    used = [record for record in records if not record.error]
    shared = [line for line in (used[0].assumptions if used else ()) if all(line in r.assumptions for r in used)]
    lines: list[str] = []
    for record in records:
        own = (f"  {line}" for line in record.assumptions if line not in shared)
        lines += [*record.lines, *own, *record.after]
    if shared:
        lines += ["assumed:" if len(used) == 1 else "assumed of all:", *(f"  {line}" for line in shared)]
    return "\n".join(lines)


def record_text(record: Record) -> FloorText:
    """Return a record in words.

    >>> record_text(Record("a.py", error="no class Model")).lines
    ('a.py: cannot be used: no class Model',)
    """
    if record.error:
        return FloorText((f"{record.problem}: cannot be used: {record.error}",), error=True)
    lines = [f"{record.problem}: {_floor(record)}"]
    if record.outside:
        lines.append(f"  {BEYOND}: {record.outside}")
    if record.floor is None or record.floor.parts:
        lines.append(f"  {record.form}    [{record.trust}]")
    return FloorText(tuple(lines), record.assumptions, tuple(_verdicts(record.verdicts)))


def _floor(record: Record) -> str:
    at = f" at {_at(record.at)}" if record.at else ""
    if record.floor is not None and not record.floor.parts:
        return f"no floor{at}"
    if record.seconds is None:
        return f"floor in seconds{at}"
    return f"floor {seconds(record.seconds)}{at}, by {record.binds}"


def _verdicts(verdicts: Sequence[Verdict]) -> list[str]:
    if not verdicts:
        return []
    counts = Counter(verdict.verdict for verdict in verdicts)
    told = ", ".join(f"{counts[kind]} {kind}" for kind in (POSSIBLE, IMPOSSIBLE, BEYOND) if counts[kind])
    lines = [f"  {len(verdicts)} time{'s' * (len(verdicts) > 1)}: {told}"]
    for kind in (IMPOSSIBLE, BEYOND):
        some = [verdict for verdict in verdicts if verdict.verdict == kind]
        lines += [f"    {kind}, {_verdict(verdict)}" for verdict in some[:MOST]]
        lines += [f"    and {len(some) - MOST} more {kind}"] if len(some) > MOST else []
    return lines


def _verdict(verdict: Verdict) -> str:
    sizes = _at(verdict.at)
    said = f"line {verdict.line}: {seconds(verdict.time)}{' at ' * bool(sizes)}{sizes}"
    if verdict.why:
        return f"{said}: {verdict.why}"
    floor = f"floor {seconds(verdict.floor)} by {verdict.binds}"
    return f"{said}, {floor}: {verdict.known.statement.says}    [{verdict.known.trust}]"


def _at(sizes: Mapping[str, int]) -> str:
    return ", ".join(f"{name} = {size}" for name, size in sizes.items())
