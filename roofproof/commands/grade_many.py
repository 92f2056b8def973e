"""`roofproof grade --answers`: grades a file of answers, with a progress bar, and can resume an interrupted run."""

from __future__ import annotations

import argparse
import csv
import io
import json
import os
from collections.abc import Mapping, Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path

from roofproof.commands.shared import with_progress
from roofproof.errors import RoofproofError, quoted
from roofproof.parallel import workers_from
from roofproof.rooms import require_room
from roofproof.sentences import Sentence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from roofproof.commands.bulk import SubmittedAnswer


def run_many(arguments: argparse.Namespace) -> int:
    """Grade a file of answers and return 0, since wrong answers are not a failure of the command."""
    from roofproof.commands.bulk import book_of, graded_rows, rows_from
    from roofproof.export.files import write_together
    from roofproof.say import checked_language, translated

    for name, option in (("exercises", "--exercises FILE.toml"), ("out", "-o FILE.csv")):
        if getattr(arguments, name) is None:
            raise RoofproofError("<option> requires <other>", option="--answers", other=option)
    out, part = arguments.out, Path(f"{arguments.out}.part")
    _check_out(out, arguments.answers, arguments.exercises)
    workers = workers_from(arguments.workers or 1)
    lang = checked_language(arguments.lang or "en")
    book = book_of(arguments.exercises)
    rows = rows_from(arguments.answers, book.questions)
    made_from = _digest(book.text, rows, lang)
    done = _done(part, made_from, rows)
    left = rows[len(done) :]
    try:
        with part.open("a" if done else "w", encoding="utf-8") as file:
            if not done:
                print(json.dumps(made_from), file=file)
            with closing(graded_rows(book, left, workers, lang)) as found:
                pairs = zip(left, found, strict=True)
                for _, line in with_progress(pairs, "answers", total=len(left)):
                    done.append(line)
                    print(json.dumps([len(done), done[-1]]), file=file, flush=True)
    except OSError as error:
        raise RoofproofError(
            "cannot write <file>: <why>", file=quoted(str(part)), why=error.strerror or error
        ) from None
    beside, told = summed_up(done, out, lang)
    write_together({out: _csv(done), **beside})
    part.unlink(missing_ok=True)
    for said in told:
        print(translated(said, lang))
    return 0


def summed_up(
    lines: Sequence[Mapping[str, str]], out: str, lang: str = "en"
) -> tuple[dict[str, str | bytes], list[str]]:
    """Return the contents of FILE.md and FILE.svg for a grades file, by name, and the messages to print."""
    from roofproof.export.explain.grades import explain_grades
    from roofproof.export.to_markdown import to_markdown

    base = Path(out).with_suffix("")
    files: dict[str, str | bytes] = {f"{base}.md": to_markdown(explain_grades(lines), lang, titled=True) + "\n"}
    told: list[str] = [Sentence("<count> answers graded: <file>", count=len(lines), file=out)]
    try:
        require_room("roofproof.export.plots")
        from roofproof.export.plots.grades import picture

        files[f"{base}.svg"] = picture(lines, lang)
    except RoofproofError as problem:
        told.append(Sentence("no picture: <why>", why=problem))
    return files, told


def _check_out(out: str, *inputs: str) -> None:
    """Raise RoofproofError, before any work, for an output file that cannot or must not be written."""
    target = Path(out)
    if not out.endswith(".csv") or "\0" in out:
        raise RoofproofError("-o <file>: expected a name that ends in .csv", file=quoted(out))
    if not os.path.isdir(target.parent):
        raise RoofproofError(
            "cannot write <file>: no folder <folder>", file=quoted(out), folder=quoted(str(target.parent))
        )
    if os.path.exists(target) and not os.path.isfile(target):
        raise RoofproofError("cannot write <file>: it is not a regular file", file=quoted(out))
    if any(os.path.realpath(out) == os.path.realpath(path) for path in inputs):
        raise RoofproofError("-o <file> would overwrite an input; name another file", file=quoted(out))


def _digest(book: bytes, rows: Sequence[SubmittedAnswer], lang: str) -> str:
    """Return a digest that identifies the answers and questions of a run."""
    lines = [[row.about, row.question, row.answer] for row in rows]
    return sha256(book + b"\0" + json.dumps([lang, *lines]).encode()).hexdigest()


def _done(part: Path, made_from: str, rows: Sequence[SubmittedAnswer]) -> list[dict[str, str]]:
    """Return the grades of an earlier run. The first incomplete line and all lines after it are removed."""
    head = json.dumps(made_from).encode()
    try:
        first, *lines = part.read_bytes().split(b"\n")
        if not lines and head.startswith(first):
            return []
        if first != head:
            raise RoofproofError(
                "<file> holds grades of other answers or questions; remove it to start again", file=quoted(str(part))
            )
        done: list[dict[str, str]] = []
        kept = len(head) + 1
        for line, row in zip(lines[:-1], rows, strict=False):
            found = _line(line, len(done) + 1, row)
            if found is None:
                break
            done.append(found)
            kept += len(line) + 1
        os.truncate(part, kept)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise RoofproofError("cannot use <file>: <why>", file=quoted(str(part)), why=error.strerror or error) from None
    return done


def _line(line: bytes, place: int, row: SubmittedAnswer) -> dict[str, str] | None:
    """Return the record in a line of grades if it belongs to the row, or None."""
    from roofproof.commands.bulk import columns_of

    try:
        stands, found = json.loads(line)
    except (ValueError, TypeError, RecursionError):
        return None
    whole = stands == place and isinstance(found, dict) and list(found) == columns_of(row)
    return found if whole and all(isinstance(v, str) for v in found.values()) else None


def _csv(rows: Sequence[dict[str, str]]) -> str:
    from roofproof.export.spreadsheets import escape_csv

    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(map(escape_csv, rows[0]))
    writer.writerows(map(escape_csv, row.values()) for row in rows)
    return text.getvalue()
