"""The Chinese feedback that a student reads, and its lines that contain English."""

from english import english

from roofproof.claims.answers.grade import Grade
from roofproof.claims.answers.question import Question
from roofproof.export.explain.grade import HINTS, grade_text
from roofproof.export.grade_records import grade_record
from roofproof.hardware import chip, chip_names

NAMES = tuple({chip(name).title for name in chip_names()})  # chip titles, such as NVIDIA H100 SXM


def in_english(found: Grade, asked: Question, answer: str) -> list[str]:
    """Return the lines with English in the Chinese feedback on an answer, except for the student's own text."""
    told = [grade_text(found, asked, "zh", reveal=True)]
    told += [grade_text(found, asked, "zh", hint) for hint in range(1, HINTS + 1)]
    told.append(grade_record(found, asked, "zh")["note"])
    own = (" ".join(answer.split()), found.read_as, found.link, found.before)
    named = {part.name for part in (*asked.op.reads, *asked.op.writes, *asked.op.parts)}
    own += tuple(sorted((name for name in named if len(name) > 2), key=len, reverse=True))
    return [line for text in told for line in text.splitlines() if english(line, *own, *NAMES)]
