"""`roofproof floors`: what no run of each of some problems can beat, and which measured times lie below."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from roofproof.commands.fit import chosen
from roofproof.commands.shared import caches_asked, one_chip, show, with_progress
from roofproof.errors import RoofproofError, unknown
from roofproof.ops.notation.code import is_code
from roofproof.ops.notation.sizes import sizes_from
from roofproof.parallel import in_order, workers_from

if TYPE_CHECKING:
    from roofproof.export.doc import Section
    from roofproof.times.problems import ProblemSpec
    from roofproof.times.records import Record

MOST_TOLD = 20  # rows of a table that are left out, each with its line
TOGETHER = 8  # problems handed over at once: code of theirs is traced by one process, which takes seconds to start


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status: 1 where a time is impossible, 2 where no problem can be used."""
    from roofproof.export.explain.times import explain_records
    from roofproof.export.to_text import lines_text
    from roofproof.times.problems import load_problems, parse_problems
    from roofproof.times.records import floors, problems_in_table, refuse_several

    workers = workers_from(arguments.workers or 1)
    chip = one_chip(arguments)
    assert chip is not None
    caches = caches_asked(arguments)
    if not arguments.path and arguments.times is None:
        raise RoofproofError("expected problems, such as matmul or FILE.py, or --times FILE that says what was timed")
    if arguments.shapes and not any(map(is_code, arguments.path)):
        raise RoofproofError("--shapes goes with FILE.py:NAME")
    if arguments.times is None:
        times = None
    else:
        times = chosen(arguments.times, arguments.only, arguments.column, chip, lenient=True)
    at = sizes_from(arguments.at or ())
    every = parse_problems(arguments.path, arguments.shapes or "", arguments.where or "")
    assert times is not None or every
    how = (chip, caches, times, at, not arguments.no_tf32, arguments.as_written)
    if times is not None and every:
        refuse_several(times, [one.name for one in every])
    if times is not None and not every:
        done: Iterator[Done] = map(_done, floors(problems_in_table(times), *how))
    elif workers == 1:
        done = map(_done, floors(load_problems(every), *how))
    else:
        parts = [every[k : k + TOGETHER] for k in range(0, len(every), TOGETHER)]
        done = (one for part in in_order(_part, how, parts, workers) for one in part)
    records = list(with_progress(done, "problems", total=len(every) or None))
    used = [record for record in records if record.text.rows]
    sizes = {name for record in used for name in record.sizes}
    for name in at if used else ():
        if name not in sizes:
            raise unknown("size", name, sizes)
    if arguments.json:
        show(json.dumps([record.data for record in records], indent=2))
    else:
        show("\n".join(lines_text(explain_records(record.text for record in records), "en")))
    unread = [] if times is None else [*times.unread, *dict.fromkeys(line for r in records for line in r.unread)]
    _tell_unread(unread)
    if times is not None and (left := len(times) - sum(record.times for record in records)):
        print(f"roofproof: {left} of {len(times)} times are of none of these problems", file=sys.stderr)
    if not used or (unread and not any(record.data["verdicts"] for record in used)):
        return 2
    return 1 if any(record.impossible for record in records) else 0


@dataclass(frozen=True, slots=True)
class Done:
    """What is shown of a record, as another process may send it: its floor and what proves it stay where they are."""

    text: Section
    data: dict[str, Any]
    sizes: tuple[str, ...]
    times: int
    impossible: bool
    unread: tuple[str, ...]


def _done(record: Record) -> Done:
    from roofproof.export.explain.times import explain_record

    sizes = () if record.floor is None else tuple(s.name for s in record.floor.op.dims)
    rows = len(record.verdicts) + len(record.unread)
    return Done(explain_record(record), record.to_dict(), sizes, rows, bool(record.impossible), record.unread)


def _tell_unread(lines: Sequence[str]) -> None:
    """Say of rows of a table why they are left out, of the first of them."""
    for line in lines[:MOST_TOLD]:
        print(f"roofproof: {line}; left out", file=sys.stderr)
    if len(lines) > MOST_TOLD:
        print(f"roofproof: {len(lines) - MOST_TOLD} more rows are left out", file=sys.stderr)


def _part(how: tuple[Any, ...], part: Sequence[ProblemSpec]) -> list[Done]:
    from roofproof.times.problems import load_problems
    from roofproof.times.records import floors

    return list(map(_done, floors(load_problems(part), *how)))
