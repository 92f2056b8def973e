"""Answers in the words of students are read as a teacher reads them, or asked about. None is misread."""

import tomllib
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from in_chinese import in_english

from roofproof.claims.answers.grade import grade
from roofproof.claims.answers.question import Question
from roofproof.commands.questions import question_of

CORPUS = tomllib.loads(Path(__file__).with_name("spoken.toml").read_text(encoding="utf-8"))["question"]
RIGHT = {"right": ("right", "digits")}


@cache
def asked(place: int) -> Question:
    return question_of({k: v for k, v in CORPUS[place].items() if k != "answers"})


def answers(place: int) -> list[tuple[str, set[str]]]:
    rows = (row.rpartition(" | ") for row in CORPUS[place]["answers"])
    return [
        (said.replace("⏎", "\n").replace("¦", "|"), {g for name in grades.split(",") for g in RIGHT.get(name, (name,))})
        for said, _, grades in rows
    ]


def apart(place: int) -> list[tuple[str, str, set[str]]]:
    """Return the answers to a question that are not graded as labelled."""
    found = ((said, grade(asked(place), said).grade, due) for said, due in answers(place))
    return [(said, worth, due) for said, worth, due in found if worth not in due]


ASKED_ABOUT = {
    "memory-bound for B <= 272, compute-bound above", "197 TFLOP/s over 819 GB/s",
    "345 tokens or more per step", "upward of 345", "memory-bound until B = 344, compute-bound from B = 345",
    "the GPU is saturated from B = 345", "137 G",
}  # fmt: skip


@pytest.mark.sampled(9)
@pytest.mark.parametrize("place", range(len(CORPUS)))
def test_answers_are_read_as_a_teacher_reads_them(place: int) -> None:
    assert {said: worth for said, worth, _ in apart(place)} == {
        said: "unreadable" for said, _ in answers(place) if said in ASKED_ABOUT
    }


@pytest.mark.parametrize("place", range(0, len(CORPUS), 4))
def test_what_is_asked_about_is_asked_in_one_line_in_chinese_too(place: int) -> None:
    for said, due in answers(place):
        if due == {"unreadable"}:
            found = grade(asked(place), said)
            assert found.note and "\n" not in found.note
            assert not in_english(found, asked(place), said)


if __name__ == "__main__":
    count: Counter[str] = Counter()
    for place in range(len(CORPUS)):
        count["answers"] += len(answers(place))
        for said, worth, due in apart(place):
            count["asked about" if worth == "unreadable" else "misread"] += 1
            g = grade(asked(place), said)
            print(f"{place}: {said!r}: {worth}; {sorted(due)} | {g.read_as} | {g.note}")
    print(dict(count))
