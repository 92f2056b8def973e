"""Answers of the corpus are graded by the policy; no wrong one passes, and none is accused of what it did not do."""

from pathlib import Path

import pytest
from score import HALVES, score

PAGE = Path(__file__).resolve().parents[3] / "docs" / "grading.md"


@pytest.mark.parametrize("half", HALVES)
def test_answers_are_graded_as_they_are_labelled(half: str) -> None:
    found = score(half)
    assert found.accepted_falsely == 0
    assert found.accused_falsely == 0
    assert found.as_labelled >= found.answers * 0.97
    assert found.named >= found.slips * 0.85
    assert f"{half}: {found}" in " ".join(PAGE.read_text(encoding="utf-8").split())
