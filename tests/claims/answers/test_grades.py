"""Answers of the corpus are graded by the policy; no wrong one passes, and none is accused of what it did not do."""

from pathlib import Path

import pytest
from score import HALVES, score

from roofproof import chip, op
from roofproof.claims.answers.grade import grade
from roofproof.claims.answers.question import Question

PAGE = Path(__file__).resolve().parents[3] / "docs" / "grading.md"


@pytest.mark.parametrize("half", HALVES)
def test_answers_are_graded_as_they_are_labelled(half: str) -> None:
    found = score(half)
    assert found.accepted_falsely == 0
    assert found.accused_falsely == 0
    assert found.as_labelled >= found.answers * 0.97
    assert found.named >= found.slips * 0.85
    assert f"{half}: {found}" in " ".join(PAGE.read_text(encoding="utf-8").split())


def test_where_no_integer_is_allowed_the_answer_is_never_and_no_integer_is_right() -> None:
    """From t > 612.52 on it would be compute-bound, and 2 t^2 + 256 t bytes fit up to 283; 3 < N < 4 has no integer."""
    tiled, sizes = op("tiled-matmul:b=t,f=t,d=64"), {"B": 8192, "D": 8192, "F": 8192}
    blocks = Question(tiled, chip("h100-sxm"), "t", at=sizes, asks="smallest")
    narrow = op("flops bf16 = 96*49*N; bytes hbm = 7*N^2 + 84")
    between = Question(narrow, chip("bf16=96 TFLOP/s, hbm=1 TB/s"), "N", asks="smallest")
    for asked, integers in ((blocks, ("283", "512", "613", "1024")), (between, ("3", "4", "7"))):
        assert grade(asked, "never").grade == "right"
        assert {grade(asked, text).grade for text in integers} == {"wrong"}
