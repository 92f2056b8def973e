"""The table of what the courses cover: each section of five texts, held to the courses, the banks and the claims."""

import runpy
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from roofproof.teach import bank
from roofproof.teach.course_file import course, shipped_courses

WRITER = Path(__file__).parents[2] / "docs" / "coverage.py"
MADE: dict[str, Any] = runpy.run_path(str(WRITER))
TEXTS: list[dict[str, Any]] = MADE["texts"]()


def listed(text: dict[str, Any], what: str) -> list[str]:
    return [name for section in text["section"] for name in section.get(what, ())]


@pytest.mark.slow
def test_the_page_is_what_its_writer_writes() -> None:
    assert MADE["PAGE"].read_text(encoding="utf-8") == MADE["page"]()


def test_every_section_has_something_and_they_follow_on_each_other() -> None:
    for text in TEXTS:
        assert all(section.get("slides") or section.get("exercises") for section in text["section"])
        assert all(one["to"] < other["to"] for one, other in pairwise(text["section"]))


def test_every_slide_of_every_course_stands_in_the_table_and_no_other() -> None:
    for name in shipped_courses():
        there = {MADE["title"](slide) for slide in course(name).slides if not slide.exercise}
        assert {title for text in TEXTS if text["course"] == name for title in listed(text, "slides")} == there, name


def test_every_exercise_of_the_texts_stands_in_the_table_and_no_other() -> None:
    for name in {text["bank"] for text in TEXTS}:
        there = {exercise.id for exercise in bank(name).exercises}
        assert {each for text in TEXTS if text["bank"] == name for each in listed(text, "exercises")} == there, name


def test_every_erratum_of_a_course_is_a_claim_of_a_text() -> None:
    books = {text["book"] for text in TEXTS}
    assert {text.split()[0] for name in shipped_courses() for text in course(name).errata.values()} == books
