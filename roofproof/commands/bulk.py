"""Grading in bulk: reads questions from TOML and answers from CSV, and grades them with several workers."""

from __future__ import annotations

import csv
import io
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from roofproof.claims.answers.grade import Grade, grade
from roofproof.claims.answers.question import Question
from roofproof.claims.kinds import UNDECIDED
from roofproof.commands.questions import question_of
from roofproof.errors import RoofproofError, quoted, unknown
from roofproof.export.spreadsheets import unescape_csv
from roofproof.parallel import parallel_map
from roofproof.say import translated
from roofproof.sentences import Sentence
from roofproof.toml import checked, read_bytes, read_toml

MOST = 8 * 1024**2  # most bytes of a file of questions or answers
_KINDS = {"id": str, "op": str, "chip": str, "for": str, "regime": str, "at": str, "asks": str, "tolerance": str,
          "of": str, "against": str, "share": str, "corner": str, "text": str}  # fmt: skip
WRITTEN = ("grade", "slip", "read_as", "wrong_link", "note")
CHUNK = 25  # answers sent to a process at once


@dataclass(frozen=True, slots=True)
class SubmittedAnswer:
    """One answer in a file: its line, the other columns, the id of its question, and the answer."""

    line: int
    about: Mapping[str, str]
    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class QuestionFile:
    """The questions of a file by id, and the text of the file, so that other processes can parse it again."""

    path: str
    text: bytes
    questions: Mapping[str, Question]


def book_of(path: str) -> QuestionFile:
    """Return the questions in a TOML file, whose `[[question]]` tables have the options of `roofproof grade` as keys.

    Raises RoofproofError, with the file and the question, for an unknown key or an invalid question.
    """
    text = read_bytes(path, MOST, "questions ")
    return QuestionFile(path, text, _questions(text, path))


def questions_of(content: bytes | str, where: str) -> dict[str, Question]:
    r"""Return the questions in TOML text.

    >>> asked = questions_of('[[question]]\nid = "q1"\nop = "matmul"\nasks = "bytes"', "book.toml")
    >>> asked["q1"].key.value                                             # 2 bytes for each element of x, w, z
    2*B*D + 2*B*F + 2*D*F
    """
    table = read_toml(content, where, MOST, "split it")
    listed = table.get("question")
    if not isinstance(listed, list) or not listed:
        raise RoofproofError(
            "<where>: no [[question]] table; expected one for each question, with an id, an op and the options "
            "of `roofproof grade`",
            where=where,
        )
    found: dict[str, Question] = {}
    for place, each in enumerate(listed, 1):
        spot = Sentence("<path>, question <place>: ", path=where, place=place)
        given = checked(each, _KINDS, "key of a question", spot)
        for due in ("id", "op"):
            if not given.get(due):
                raise RoofproofError("<spot>no <due>", spot=spot, due=due)
        if given["id"] in found:
            raise RoofproofError("<spot>the id <name> is given twice", spot=spot, name=quoted(given["id"]))
        try:
            found[given["id"]] = asked = question_of(given)
            asked.key  # noqa: B018  (a question without a key is refused before anything is graded)
        except RoofproofError as problem:
            raise RoofproofError("<spot><problem>", spot=spot, problem=problem) from None
    return found


def rows_from(path: str, questions: Mapping[str, Question]) -> list[SubmittedAnswer]:
    """Return the answers in a CSV file with the columns `question` and `answer`. Other columns are kept.

    Raises RoofproofError, with the line, for an unknown question, and for a line with more or fewer values than the
    header. For example, `q1,1,024` must not be read as the answer 1.
    """
    content = read_bytes(path, MOST, "answers ")
    if len(content) > MOST:
        raise RoofproofError("<path>: larger than <most> MiB; split it", path=path, most=MOST // 1024**2)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise RoofproofError("<path>: not UTF-8 text; save it as CSV UTF-8", path=path) from None
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows: list[SubmittedAnswer] = []
    try:
        columns = _columns(path, next(reader, []))
        for cells in reader:
            if not any(cells):  # an empty line, or one that a spreadsheet added at the end
                continue
            where = Sentence("<path>, line <line>: ", path=path, line=reader.line_num)
            if len(cells) != len(columns):
                raise RoofproofError(
                    "<where>expected <due> values, got <count>; put an answer with commas in quotes",
                    where=where,
                    due=len(columns),
                    count=len(cells),
                )
            about = dict(zip(columns, map(unescape_csv, cells), strict=True))
            question, answer = about.pop("question"), about.pop("answer")
            if question not in questions:
                raise RoofproofError("<where><problem>", where=where, problem=unknown("question", question, questions))
            rows.append(SubmittedAnswer(reader.line_num, about, question, answer))
    except csv.Error as problem:
        raise RoofproofError(
            "<path>, line <line>: not CSV: <problem>", path=path, line=reader.line_num, problem=problem
        ) from None
    if not rows:
        raise RoofproofError("<path>: no answers; write one on each line below the heading", path=path)
    return rows


def _columns(path: str, columns: list[str]) -> list[str]:
    for due in ("question", "answer"):
        if due not in columns:
            raise RoofproofError(
                "<path>: no column <due>; it has <names>",
                path=path,
                due=repr(due),
                names=", ".join(map(quoted, columns)) or "none",
            )
    for place, name in enumerate(columns):
        if name in columns[:place]:
            raise RoofproofError("<path>: the column <name> appears twice; rename one", path=path, name=quoted(name))
        if name in WRITTEN:
            raise RoofproofError(
                "<path>: the output already has a column <name>; rename yours", path=path, name=quoted(name)
            )
    return columns


def graded_rows(
    book: QuestionFile, rows: Sequence[SubmittedAnswer], workers: int | str = 1, lang: str = "en"
) -> Generator[dict[str, str], None, None]:
    """Yield the line of the grades file for each answer, in order. `workers` is as in `parallel.parallel_map`.

    The proofs behind a grade stay in the process that found them.
    """
    yield from parallel_map(_line, (book.text, book.path, lang), rows, workers, CHUNK)


def _line(shared: tuple[bytes, str, str], row: SubmittedAnswer) -> dict[str, str]:
    text, path, lang = shared
    return record(row, _graded(_questions(text, path), row), lang)


@lru_cache(4)
def _questions(text: bytes, path: str) -> Mapping[str, Question]:
    """Return the questions in a file, created once in each process."""
    return questions_of(text, path)


def _graded(questions: Mapping[str, Question], row: SubmittedAnswer) -> Grade:
    return _grade(questions[row.question], row.answer)


@lru_cache(4096)
def _grade(asked: Question, answer: str) -> Grade:
    """Return the grade of an answer, cached because many students give the same one."""
    try:
        return grade(asked, answer)
    except RoofproofError as problem:  # an undecidable answer must not stop the others
        return Grade(UNDECIDED, note=problem.said)


def columns_of(row: SubmittedAnswer) -> list[str]:
    """Return the columns of a grades file: those of the answers, then those of the grades."""
    return [*row.about, "question", "answer", *WRITTEN]


def record(row: SubmittedAnswer, found: Grade, lang: str = "en") -> dict[str, str]:
    """Return a line of the grades file, with its note in a language."""
    said = found.grade, found.slip, found.read_as, str(found.wrong_link or ""), translated(found.note, lang)
    return dict(zip(columns_of(row), (*row.about.values(), row.question, row.answer, *said), strict=True))
