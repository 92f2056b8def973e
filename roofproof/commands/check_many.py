"""`roofproof check --answers`: a file of answers graded, with a progress bar, to be gone on with where it stopped."""

import argparse
import csv
import os
from pathlib import Path

from roofproof.commands.shared import whole, with_progress
from roofproof.errors import RoofproofError, quoted


def run_many(arguments: argparse.Namespace) -> int:
    """Grade a file of answers and return 0; answers that are wrong are no fault of the command."""
    from roofproof.claims.answers.grade import Grade
    from roofproof.commands.bulk import graded_rows, questions_from, record, rows_from
    from roofproof.export.grades import write_summary

    for name, option in (("exercises", "--exercises BOOK.toml"), ("out", "-o FILE.csv")):
        if getattr(arguments, name) is None:
            raise RoofproofError(f"--answers goes with {option}")
    if not arguments.out.endswith(".csv"):
        raise RoofproofError(f"-o {quoted(arguments.out)}: expected a name that ends in .csv")
    jobs = whole("--jobs", arguments.jobs)
    rows = rows_from(arguments.answers, questions_from(arguments.exercises))
    if not rows:
        raise RoofproofError(f"{arguments.answers}: no answers")
    columns = list(record(rows[0], Grade("")))
    part = Path(f"{arguments.out}.part")
    done = _done(part, columns)
    if [(d["question"], d["answer"]) for d in done] != [(r.question, r.answer) for r in rows[: len(done)]]:
        raise RoofproofError(f"{quoted(str(part))} holds grades of other answers; remove it to begin anew")
    try:
        with part.open("a", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, columns)
            if not done:
                writer.writeheader()
            left = rows[len(done) :]
            found = graded_rows(arguments.exercises, left, jobs)
            for row, grade in with_progress(zip(left, found, strict=True), "answers", total=len(left)):
                line: dict[str, str] = {k: str(v) for k, v in record(row, grade).items()}
                writer.writerow(line)
                file.flush()
                done.append(line)
        os.replace(part, arguments.out)
    except OSError as error:
        raise RoofproofError(f"cannot write {quoted(arguments.out)}: {error.strerror or error}") from None
    for said in write_summary(done, arguments.out, arguments.lang or "en"):
        print(said)
    return 0


def _done(part: Path, columns: list[str]) -> list[dict[str, str]]:
    """Return the grades that an earlier run left, without a last line that broke off."""
    if not part.exists():
        return []
    text = part.read_text(encoding="utf-8")
    whole = text[: text.rfind("\r\n") + 2]
    reader = csv.DictReader(whole.splitlines(keepends=True))
    rows = [r for r in reader if None not in r.values() and None not in r]
    if reader.fieldnames is not None and list(reader.fieldnames) != columns:
        raise RoofproofError(f"{quoted(str(part))} has other columns; remove it to begin anew")
    part.write_text(whole, encoding="utf-8", newline="")
    return rows
