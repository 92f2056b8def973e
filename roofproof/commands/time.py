"""`roofproof time`: computes the minimum time of each problem, and compares measured times with it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from roofproof.commands.calibrate import selected_times
from roofproof.commands.shared import caches_asked, one_chip, report, show, with_progress
from roofproof.errors import RoofproofError, quoted, unknown
from roofproof.ops.notation.code import is_code
from roofproof.ops.notation.sizes import sizes_from
from roofproof.parallel import parallel_map, workers_from
from roofproof.say import checked_language, translated
from roofproof.sentences import Sentence

if TYPE_CHECKING:
    from roofproof.export.doc import Section
    from roofproof.hardware import Chip
    from roofproof.times.estimates import Demands
    from roofproof.times.problems import ProblemSpec
    from roofproof.times.records import Record
    from roofproof.times.tables import Times
    from roofproof.times.validation import Rates, Validation

MOST_TOLD = 20  # limit of skipped rows that are reported individually
TOGETHER = 8  # problems in one batch: one process traces their code, and it takes seconds to start


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status: 1 if a time is impossible, 2 if no problem can be used."""
    from roofproof.times.problems import parse_problems
    from roofproof.times.tables import own_time

    workers, lang = workers_from(arguments.workers or 1), checked_language(arguments.lang or "en")
    chip = one_chip(arguments)
    assert chip is not None
    if arguments.summary and arguments.measured is None:  # the old order of `validate`
        arguments.measured, *arguments.path = [*arguments.path, *([arguments.op] if arguments.op else [])] or [None]
    if arguments.plot is not None:
        from roofproof.export.plots.figure import checked_output

        checked_output(arguments.plot)
    measured = arguments.measured
    if not arguments.path and measured is None:
        due = "expected problems, such as matmul or FILE.py, or --measured FILE that names the operation"
        raise RoofproofError(due)
    if arguments.shapes and not any(map(is_code, arguments.path)):
        raise RoofproofError("--shapes requires FILE.py:NAME")
    every = parse_problems(arguments.path, arguments.shapes or "", arguments.where or "")
    times = None if measured is None else own_time(measured)
    alone = times is not None
    if measured is not None and times is None:
        times = selected_times(measured, arguments.only, arguments.column, chip, lenient=True)
    _refuse_without_table(arguments, table=times is not None and not alone)
    held = None if times is None or alone else _compared(arguments, chip, times, every)
    if held is not None and (arguments.summary or not arguments.json):
        return _show_compared(arguments, held, lang)
    return _each(arguments, chip, times, every, workers, lang, None if held is None else held.to_dict())


def _refuse_without_table(arguments: argparse.Namespace, table: bool) -> None:
    for option in ("only", "column", "plot", "ceilings", "corner", "summary"):
        if getattr(arguments, option) and not table:
            raise RoofproofError("<option> requires --measured FILE, a table of times", option=f"--{option}")


def _compared(
    arguments: argparse.Namespace, chip: Chip, table: Times, every: Sequence[ProblemSpec]
) -> Validation | None:
    """Compare the times of one operation with its minimum and its estimate. Return None for other problems."""
    from roofproof.times.estimates import demands
    from roofproof.times.problems import one_problem
    from roofproof.times.records import LABELS
    from roofproof.times.validation import validate

    asked = arguments.summary or arguments.plot or arguments.ceilings or arguments.corner
    by_name = any(name in (*table.labels, *table.sizes) for name in LABELS)
    if len(every) > 1 or (not asked and (by_name or arguments.at or any(map(is_code, arguments.path)))):
        if asked:
            raise RoofproofError("<option> requires one operation", option="--summary, --plot, --ceilings, --corner")
        return None
    try:
        op, with_all_experts = (None, None) if not every else one_problem(arguments.path[0], chip)
        rates, lender = _rates(arguments, demands(table, chip, op))
        return validate(table, chip, op, caches_asked(arguments), rates, lender, with_all_experts)
    except RoofproofError:
        if asked:
            raise
        return None  # the record of each problem has the reason


def _show_compared(arguments: argparse.Namespace, held: Validation, lang: str) -> int:
    from roofproof.export.explain.times import explain_validation
    from roofproof.export.to_text import aligned_text

    if arguments.plot is not None:
        from roofproof.export.plots.measured import measured_points

        measured_points(held, lang).save(arguments.plot)
    show(held.to_dict() if arguments.json else aligned_text(explain_validation(held), lang))
    _tell_unread(held.table.unread, lang)
    return 1 if held.below else 0


def _rates(arguments: argparse.Namespace, found: Demands) -> tuple[Rates | None, str]:
    """Return the rates of an estimate and their source: fitted rates, or "max", "sum" or "root" at full specs."""
    from roofproof.hardware import any_chip
    from roofproof.times.estimates import rates_for

    if arguments.corner and arguments.ceilings:
        raise RoofproofError("use only one of <options>", options="--ceilings, --corner")
    if arguments.corner:
        return arguments.corner, ""
    if arguments.ceilings is None:
        return rates_for(found.chip, found)
    lender = any_chip(arguments.ceilings)
    rates, of = rates_for(lender, found)
    if rates is None:
        cure = f"roofproof calibrate TIMES --chip {quoted(lender.name)} -o calibrated.toml"
        said = "--ceilings <chip>: no fitted rates for this; cure: <cure>"
        raise RoofproofError(said, chip=quoted(arguments.ceilings), cure=cure)
    return rates, f"{lender.name}, {of}".removesuffix(", ") if of in ("", rates.engine) else of


def _each(
    arguments: argparse.Namespace, chip: Chip, times: Times | None, every: list[ProblemSpec], workers: int | str,
    lang: str, summary: dict[str, Any] | None,
) -> int:  # fmt: skip
    """Print the minimum time of each problem, with the verdict on each time."""
    from roofproof.export.explain.times import explain_records
    from roofproof.export.to_text import lines_text
    from roofproof.times.problems import load_problems
    from roofproof.times.records import minimum_time_records, problems_in_table, refuse_several

    at, one = sizes_from(arguments.at or ()), len(every) == 1
    how = (chip, caches_asked(arguments), times, at, not arguments.no_tf32, arguments.as_written)
    if times is not None and every:
        refuse_several(times, [each.name for each in every])
    if times is not None and not every:
        done: Iterator[RenderedRecord] = map(_rendered, minimum_time_records(problems_in_table(times), *how))
    elif workers == 1:
        done = (_rendered(each, one) for each in minimum_time_records(load_problems(every), *how))
    else:
        parts = [every[k : k + TOGETHER] for k in range(0, len(every), TOGETHER)]
        done = (each for part in parallel_map(_part, how, parts, workers) for each in part)
    records = list(with_progress(done, "problems", total=len(every) or None))
    if one and not arguments.json and len(records) == 1 and (error := records[0].data.get("error")):
        raise RoofproofError(error)
    used = [record for record in records if record.text.rows]
    sizes = {name for record in used for name in record.sizes}
    for name in at if used else ():
        if name not in sizes:
            raise unknown("size", name, sizes)
    if arguments.json:
        more = {} if summary is None else {"summary": summary}
        show(json.dumps([record.data | more for record in records], indent=2))
    else:
        show("\n".join(lines_text(explain_records(record.text for record in records), lang)))
    unread = [] if times is None else [*times.unread, *dict.fromkeys(line for r in records for line in r.unread)]
    _tell_unread(unread, lang)
    if times is not None and used and (left := len(times) - sum(record.times for record in records)):
        _warn(Sentence("<left> of <count> times match none of these problems", left=left, count=len(times)), lang)
    if not used or (unread and not any(record.data["verdicts"] for record in used)):
        return 2
    return 1 if any(record.impossible for record in records) else 0


@dataclass(frozen=True, slots=True)
class RenderedRecord:
    """The printed parts of a record, which processes can exchange. The minimum time and its proof are not included."""

    text: Section
    data: dict[str, Any]
    sizes: tuple[str, ...]
    times: int
    impossible: bool
    unread: tuple[str, ...]


def _rendered(record: Record, alone: bool = False) -> RenderedRecord:
    from roofproof.export.explain.times import explain_record

    sizes = () if record.floor is None else tuple(s.name for s in record.floor.op.dims)
    rows = len(record.verdicts) + len(record.unread)
    return RenderedRecord(
        explain_record(record, alone), record.to_dict(), sizes, rows, bool(record.impossible), record.unread
    )


def _tell_unread(lines: Sequence[str], lang: str) -> None:
    """Report why rows of a table were skipped, up to a limit."""
    for line in lines[:MOST_TOLD]:
        _warn(Sentence("<row>; left out", row=line), lang)
    if len(lines) > MOST_TOLD:
        _warn(Sentence("<count> more rows are left out", count=len(lines) - MOST_TOLD), lang)


def _warn(said: Sentence, lang: str) -> None:
    report(translated(said, lang))


def _part(how: tuple[Any, ...], part: Sequence[ProblemSpec]) -> list[RenderedRecord]:
    from roofproof.times.problems import load_problems
    from roofproof.times.records import minimum_time_records

    return list(map(_rendered, minimum_time_records(load_problems(part), *how)))
