"""Each class of what was once judged wrongly has a table of twenty cases, right and wrong beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

TESTS = Path(__file__).parents[1]
HOLDS = {"verified", "approximate", "rounded", "conditional", "equal"}
# what went wrong, where its table stands, and the names of its parts: one table that says of each case what it comes
# to, or one of what is right and another of what is wrong
CLASSES = {
    "a unit after a fraction": ("claims/test_sentences", "FRACTIONS"),
    "units of several parts, units taken for names": ("claims/test_sentences", "COMPOUND"),
    "one digit": ("claims/test_sentences", "ONE_DIGIT"),
    "a regime at its boundary": ("claims/test_claims_in_regimes", "EDGES"),
    "links in rules of thumb": ("claims/test_rule_of_thumb_claims", "CASES", "CASES"),
    "cancelled before it is read": ("claims/test_definedness", "CURED", "SOMEWHERE_UNDEFINED"),
    "premises that never hold": ("claims/test_conditions", "OF_NOTHING"),
    "LaTeX that is dropped": ("claims/test_latex_words", "READ", "REFUSED"),
    "closed forms across a pole": ("derive/test_closed_forms", "FORMS", "NOT_SO"),
    "rows and words of LaTeX": ("claims/test_documents", "READ", "REFUSED"),
    "limits": ("claims/test_limit_claims", "LIMITS"),
    "square roots": ("claims/test_exact_roots", "ROOTS"),
    "undecided without need": ("claims/test_limit_claims", "NEEDLESS"),
    "functions that lie to the audit": ("audit/test_two_faced", "FUNCTIONS"),
    "files": ("attacks/test_hostile_files", "PLACES", "NO_PLACES"),
}


def right_and_wrong(module: Any, tables: Sequence[str]) -> tuple[int, int]:
    first, *second = (getattr(module, name) for name in tables)
    if second:
        return len(first), len(second[0])
    if isinstance(first, str):
        said = [line.split("|")[0].strip() for line in first.splitlines() if line]
        return sum(s in HOLDS for s in said), sum(s not in HOLDS for s in said)
    holds = [bool(HOLDS & set(row)) or (row[-1] == "" and "refuted" not in row) for row in first]
    return sum(holds), len(holds) - sum(holds)


@pytest.mark.parametrize("what", CLASSES)
def test_a_class_has_twenty_cases_both_ways(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    place, *tables = CLASSES[what]
    monkeypatch.syspath_prepend(str((TESTS / place).parent))
    right, wrong = right_and_wrong(import_module(Path(place).name), tables)
    assert min(right, wrong) >= 5 and right + wrong >= 20, (right, wrong)
