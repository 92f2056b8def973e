"""The lines of traced code: the FLOPs, bytes, time and threshold of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import sympy

from roofproof.derive.algebra.text import plain
from roofproof.derive.inequalities.cases import substitute
from roofproof.derive.roofline.critical_size import threshold
from roofproof.derive.roofline.engines import merge_shared_formats
from roofproof.derive.roofline.missing_rates import without_missing_rates
from roofproof.derive.roofline.times import time
from roofproof.errors import RoofproofError
from roofproof.export.doc import Doc, Inline, Seconds, Section, Table, say
from roofproof.export.explain.threshold import rule_phrase
from roofproof.hardware import Chip
from roofproof.ops import Operation
from roofproof.proofs.steps.lines import Bound
from roofproof.trace.operation import Row, Traced

WIDEST = 60  # characters of a formula


def explain_lines(op: Operation, chip: Chip | None, point: Mapping[str, int], unknown: str | None = None) -> Doc:
    """Return a table of the lines of traced code, sorted by time if a chip and all sizes are given.

    >>> from sympy import Integer
    >>> from roofproof.export.to_text import untitled_text
    >>> from roofproof.trace.program import Place
    >>> row = Row(Place("block.py", 2), ("add",), {"fp32-vector": Integer(8)}, {"memory": Integer(6)})
    >>> op = Traced("add", row.operation.kernels, rows=(row,), model="fused")
    >>> print(untitled_text(explain_lines(op, None, {})))
    lines of the code, traffic fused
      line        does  FLOPs            bytes
      block.py:2  add   8 (fp32-vector)  6
    """
    rows, model = (op.rows, op.model) if isinstance(op, Traced) else ((), "")
    timed = {id(row): found for row in rows if (found := _time(row, chip, point)) is not None}
    head: tuple[Inline, ...] = (say("line"), say("does"), say("FLOPs"), say("bytes"))
    heading = say("lines of the code, traffic <model>", model=model)
    if known := chip is not None and len(timed) == len(rows):
        rows = tuple(sorted(rows, key=lambda row: -max(timed[id(row)].values(), default=sympy.Integer(0))))
        head += (say("time"), say("bound by"))
        form = "lines of the code by their time on <chip>, traffic <model>"
        heading = say(form, chip=chip.name if chip else "", model=model)
    if unknown:
        head += (say("compute-bound for"),)
    cells = []
    for row in rows:
        times = _longest(timed[id(row)]) if known else ()
        solved = (_threshold(row, chip, unknown, point),) if unknown else ()
        cells.append((str(row.place), _does(row), *_amounts(row, point), *times, *solved))
    return Doc((), (Section(heading, (Table(head, tuple(cells), "l" * len(head)),)),))


def _does(row: Row) -> str:
    return ", ".join(row.primitives[:3]) + (", ..." if len(row.primitives) > 3 else "")


def _amounts(row: Row, point: Mapping[str, int]) -> Iterator[str]:
    yield " + ".join(f"{_short(n, point)} ({engine})" for engine, n in row.compute.items()) or "0"
    moved = (f"{_short(n, point)}{'' if to == 'memory' else f' ({to})'}" for to, n in row.moved.items())
    yield " + ".join(moved) or "0"


def _short(amount: sympy.Expr, point: Mapping[str, int]) -> str:
    text = plain(substitute(amount, point))
    return text if len(text) <= WIDEST else text[: WIDEST - 3] + "..."


def _longest(times: Mapping[str, sympy.Expr]) -> tuple[Inline, Inline]:
    longest = max(times, key=lambda name: times[name], default="")
    return (Seconds(times[longest]) if times else "0"), longest


def _time(row: Row, chip: Chip | None, point: Mapping[str, int]) -> dict[str, sympy.Expr] | None:
    """Return the time of each resource, or None if a size or a spec is missing."""
    if chip is None:
        return None
    try:
        times = time(merge_shared_formats(without_missing_rates(row.operation, chip)[0], chip)[0], chip)
    except RoofproofError:
        return None
    found = {name: substitute(t, point) for name, t in times.items()}
    return found if all(t.is_number for t in found.values()) else None


def _threshold(row: Row, chip: Chip | None, unknown: str, point: Mapping[str, int]) -> Inline:
    """Return the threshold of one line, `-` if it does not have the size, or `?` if no threshold was found."""
    op = row.operation
    names = {s.name for s in op.dims}
    if not row.moved:
        return say("always")
    if not row.compute:
        return say("never")
    if unknown not in names:
        return "-"
    try:
        found = threshold(op, chip, unknown, {n: v for n, v in point.items() if n in names})
    except RoofproofError:
        return "?"
    return rule_phrase(found.cases) if found.at_point is None else Bound(found.unknown, found.at_point)
