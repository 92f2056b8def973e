"""Any text gets a grade within two seconds of processor time, and text that is not an answer never passes."""

from functools import cache
from time import process_time

import pytest
from hostile_answers import CODE, HOSTILE, WORDS

from roofproof.claims.answers.grade import grade
from roofproof.claims.answers.question import Question
from roofproof.export.explain.grade import grade_text
from roofproof.export.grade_records import grade_record
from roofproof.hardware import any_chip
from roofproof.ops import parse_operation

LIMIT = 2  # seconds
ASKED = {
    "threshold": ("B", {"D": 4096, "F": 4096}),
    "rule": ("B", {}),
    "smallest": ("B", {"D": 4096, "F": 4096}),
    "intensity": (None, {}),
    "bytes": (None, {}),
    "time": (None, {"B": 128, "D": 4096, "F": 4096}),
    "bound": (None, {"B": 128, "D": 4096, "F": 4096}),
}


@cache
def asked(asks: str) -> Question:
    unknown, sizes = ASKED[asks]
    found = Question(parse_operation("matmul"), any_chip("tpu-v5e"), unknown, "D, F >> B", sizes, asks)
    grade_text(grade(found, "9 D"), found, reveal=True)  # fill the caches
    return found


@pytest.mark.sampled(23)
@pytest.mark.parametrize("text", HOSTILE, ids=lambda _: "")
def test_any_text_ends_as_a_grade_soon(text: str) -> None:
    for question in map(asked, ASKED):
        began = process_time()
        found = grade(question, text)
        grade_text(found, question, "zh", reveal=True)
        grade_record(found, question)
        assert process_time() - began < LIMIT, question.asks
        assert found.grade in ("unreadable", "wrong") or text not in (*CODE, *WORDS), question.asks
