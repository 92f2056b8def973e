"""Answers as students say them: read as a teacher reads them, or asked about; never read as something else."""

import tomllib
from collections import Counter
from functools import cache
from pathlib import Path


from roofproof.claims.answers.grade import grade
from roofproof.claims.answers.question import Question
from roofproof.commands.bulk import question_of

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
    """Return the answers of a question that are not graded as labelled."""
    found = ((said, grade(asked(place), said).grade, due) for said, due in answers(place))
    return [(said, worth, due) for said, worth, due in found if worth not in due]


def test_answers_are_read_as_a_teacher_reads_them() -> None:
    found = [row for place in range(len(CORPUS)) for row in apart(place)]
    whole = sum(len(answers(place)) for place in range(len(CORPUS)))
    assert whole - len(found) >= 279


if __name__ == "__main__":
    count: Counter[str] = Counter()
    for place in range(len(CORPUS)):
        count["answers"] += len(answers(place))
        for said, worth, due in apart(place):
            count["asked about" if worth == "unreadable" else "misread"] += 1
            g = grade(asked(place), said)
            print(f"{place}: {said!r}: {worth}; {sorted(due)} | {g.read_as} | {g.note}")
    print(dict(count))
