"""Many answers to many questions: questions from TOML, answers from CSV, graded in several processes."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from roofproof.claims.answers.grade import Grade, grade
from roofproof.claims.answers.question import Question
from roofproof.commands.shared import sizes_from
from roofproof.errors import RoofproofError, quoted, unknown
from roofproof.hardware import any_chip
from roofproof.ops import parse_operation
from roofproof.toml import checked, read_bytes, read_toml

MOST = 8 * 1024**2  # bytes of a file of answers
_KINDS = {"id": str, "op": str, "chip": str, "for": str, "regime": str, "at": str, "asks": str, "tolerance": str,
          "text": str}  # fmt: skip
COLUMNS = ("question", "answer", "grade", "slip", "read_as", "wrong_link", "note")
CHUNK = 25  # answers handed to a process at once


@dataclass(frozen=True, slots=True)
class Row:
    """One answer of a file: its line, what the file says beside it, the question and the answer."""

    line: int
    about: Mapping[str, str]
    question: str
    answer: str


def questions_from(path: str) -> dict[str, Question]:
    """Return the questions of a TOML file by their id: a `[[question]]` has the options of `roofproof check` as keys.

    Raises RoofproofError with the file and the question for a key that is unknown and for what cannot be asked.
    """
    return questions_of(read_bytes(path, MOST, "questions "), path)


def questions_of(content: bytes | str, where: str) -> dict[str, Question]:
    r"""Return the questions of TOML text.

    >>> asked = questions_of('[[question]]\nid = "q1"\nop = "matmul"\nasks = "bytes"', "book.toml")
    >>> asked["q1"].key.value                                             # 2 bytes for each element of x, w, z
    2*B*D + 2*B*F + 2*D*F
    """
    table = read_toml(content, where, MOST, "split it")
    listed = table.get("question")
    if not isinstance(listed, list) or not listed:
        raise RoofproofError(f"{where}: no [[question]]; each has an id and an op, and what else `check` takes")
    found: dict[str, Question] = {}
    for place, each in enumerate(listed, 1):
        spot = f"{where}, question {place}: "
        given = checked(each, _KINDS, "key of a question", spot)
        for due in ("id", "op"):
            if not given.get(due):
                raise RoofproofError(f"{spot}no {due}")
        if given["id"] in found:
            raise RoofproofError(f"{spot}the id {quoted(given['id'])} is given twice")
        try:
            found[given["id"]] = asked = Question(
                parse_operation(given["op"]),
                any_chip(given["chip"]) if given.get("chip") else None,
                given.get("for") or None,
                given.get("regime") or None,
                sizes_from([given["at"]]) if given.get("at") else {},
                given.get("asks", ""),
                given.get("tolerance") or "digits",
            )
            asked.key  # noqa: B018  (a question without a key is refused before anything is graded)
        except RoofproofError as problem:
            raise RoofproofError(f"{spot}{problem}") from None
    return found


def rows_from(path: str, questions: Mapping[str, Question]) -> list[Row]:
    """Return the answers of a CSV file with the columns `question` and `answer`; other columns are kept.

    Raises RoofproofError with the line for a question that the book does not have.
    """
    content = read_bytes(path, MOST, "answers ")
    if len(content) > MOST:
        raise RoofproofError(f"{path}: larger than {MOST // 1024**2} MiB; split it")
    try:
        reader = csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline=""), strict=True)
        columns = reader.fieldnames or ()
        for due in ("question", "answer"):
            if due not in columns:
                raise RoofproofError(f"{path}: no column {due!r}; it has {', '.join(map(quoted, columns)) or 'none'}")
        rows = []
        for each in reader:
            if each["question"] not in questions:
                raise RoofproofError(
                    f"{path}, line {reader.line_num}: {unknown('question', each['question'] or '', questions)}"
                )
            about = {c: each[c] or "" for c in columns if c not in COLUMNS}
            rows.append(Row(reader.line_num, about, each["question"], each["answer"] or ""))
    except UnicodeDecodeError:
        raise RoofproofError(f"{path}: not UTF-8 text") from None
    except csv.Error as problem:
        raise RoofproofError(f"{path}, line {reader.line_num}: not CSV: {problem}") from None
    return rows


def graded_rows(book: str, rows: Sequence[Row], jobs: int = 1) -> Iterator[Grade]:
    """Yield the grade of each answer in turn, of the questions of a book, in so many processes."""
    chunks = [rows[i : i + CHUNK] for i in range(0, len(rows), CHUNK)]
    if jobs < 2 or len(chunks) < 2:
        yield from _chunk(book, rows)
        return
    from concurrent.futures import ProcessPoolExecutor
    from functools import partial
    from multiprocessing import get_context

    with ProcessPoolExecutor(min(jobs, len(chunks), 64), mp_context=get_context("spawn")) as pool:
        for grades in pool.map(partial(_chunked, book), chunks):
            yield from grades


_BOOKS: dict[str, dict[str, Question]] = {}


def _chunked(book: str, rows: Sequence[Row]) -> list[Grade]:
    return list(_chunk(book, rows))


def _chunk(book: str, rows: Iterable[Row]) -> Iterator[Grade]:
    if book not in _BOOKS:
        _BOOKS[book] = questions_from(book)
    for row in rows:
        yield grade(_BOOKS[book][row.question], row.answer)


def record(row: Row, found: Grade) -> dict[str, Any]:
    """Return the line of a file of grades."""
    return {
        **row.about, "question": row.question, "answer": row.answer, "grade": found.grade, "slip": found.slip,
        "read_as": found.read_as, "wrong_link": found.wrong_link or "", "note": found.note,
    }  # fmt: skip
