"""Score the grading of each half of the corpus: `python tests/claims/answers/score.py [FILE...] [--show]`.

Do not look at `held_out.toml` while tuning the grader. Without `--show`, only numbers are printed.
"""

import sys
import tomllib
from collections import Counter
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from second_route import edits, gives

from roofproof.claims.answers.grade import PASSED, grade
from roofproof.commands.bulk import question_of

HERE = Path(__file__).resolve().parent
HALVES = ("answers.toml", "held_out.toml")


@dataclass(frozen=True)
class Score:
    """Counts for one half of the corpus: answers, those graded as labelled, mistakes, those named, and false grades."""

    answers: int
    as_labelled: int
    slips: int
    named: int
    accepted_falsely: int  # labelled wrong or unreadable, and passed
    accused_falsely: int  # a mistake that is not the label's, and does not give the answer
    apart: tuple[str, ...]

    def __str__(self) -> str:
        return (
            f"{self.answers} answers, {self.as_labelled} graded as labelled ({self.as_labelled / self.answers:.1%}); "
            f"{self.slips} slips, {self.named} named ({self.named / self.slips:.1%}); "
            f"accepted falsely: {self.accepted_falsely}, accused falsely: {self.accused_falsely}"
        )


def gives_it(entry: dict[str, Any], answer: dict[str, Any], slip: str) -> bool:
    """Return whether a mistake (or two) that the label does not name gives the answer, by second_route.py."""
    known = list(edits(entry))
    options = [[edit for name, edit in known if name in (part, part.partition(":")[0])] for part in slip.split("+")]
    return any(gives(entry, answer, _together(made)) for made in product(*options))


def _together(made: tuple[dict[str, str], ...]) -> dict[str, str]:
    """Return several edits as one. A tensor that one of them leaves out stays out."""
    last = sorted(made, key=lambda edit: "0" in edit.values())
    return {target: formula for edit in last for target, formula in edit.items()}


def score(file: str) -> Score:
    """Return the score of one half of the corpus."""
    count = Counter[str]()
    apart = []
    for entry in tomllib.loads((HERE / file).read_text(encoding="utf-8"))["question"]:
        question = question_of(entry)
        for answer in entry["answers"]:
            found = grade(question, answer["text"])
            grades = {answer["grade"], *answer.get("also_grade", ())}
            slips = {answer["slip"], *answer.get("also_slip", ())}
            named = found.slip in slips or found.slip.partition(":")[0] in slips
            count["answers"] += 1
            count["as_labelled"] += found.grade in grades
            count["slips"] += bool(answer["slip"])
            count["named"] += bool(answer["slip"]) and named
            count["accepted_falsely"] += found.grade in PASSED and not grades & set(PASSED)
            count["accused_falsely"] += bool(found.slip) and not named and not gives_it(entry, answer, found.slip)
            if found.grade not in grades or not named:
                apart.append(
                    f"{entry['id']}: {answer['text']!r}: {found.grade} {found.slip}; {sorted(grades)} {sorted(slips)}"
                )
    return Score(**count, apart=tuple(apart))  # type: ignore[arg-type]


if __name__ == "__main__":
    for name in [a for a in sys.argv[1:] if not a.startswith("-")] or HALVES:
        result = score(name)
        print(f"{name}: {result}")
        if "--show" in sys.argv:
            print("\n".join(result.apart))
