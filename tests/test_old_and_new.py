"""old_and_new.py asks the same questions for the same seed, and reports a difference."""

import copy
import json
import subprocess
import sys
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "answers"), str(HERE / "attacks")]

from old_and_new import different  # noqa: E402
from random_questions import QUESTIONS  # noqa: E402


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Any], list[Any]]:
    """Return questions of each kind, and this version's answers from a separate process."""
    questions = [each for make in QUESTIONS.values() for each in islice(make(3), 3)]
    folder = tmp_path_factory.mktemp("asked")
    (folder / "questions").write_text("".join(json.dumps(q) + "\n" for q in questions), encoding="utf-8")
    asked = [
        sys.executable,
        str(HERE / "answering.py"),
        str(HERE.parent),
        str(folder / "questions"),
        str(folder / "new"),
    ]
    subprocess.run(asked, check=True)
    return questions, [json.loads(line) for line in (folder / "new").read_text(encoding="utf-8").splitlines()]


def test_the_same_questions_for_the_same_seed() -> None:
    for make in QUESTIONS.values():
        assert list(islice(make(7), 5)) == list(islice(make(7), 5)) != list(islice(make(8), 5))


def test_the_same_answers_are_no_difference(answers: tuple[list[Any], list[Any]]) -> None:
    questions, found = answers
    assert len(found) == len(questions) and any(one["code"] == 0 for one in found)
    assert different(questions, found, copy.deepcopy(found)) == ([], {})


def test_each_answer_that_changes_is_told(answers: tuple[list[Any], list[Any]]) -> None:
    questions, found = answers
    for k in range(len(questions)):
        other = copy.deepcopy(found)
        other[k]["code"] = "crash"
        told, kinds = different(questions, copy.deepcopy(found), other)
        assert len(told) == 1 and told[0].startswith(questions[k]["id"]) and kinds.total() == 1
