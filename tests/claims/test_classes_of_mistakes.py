"""Each class of former wrong verdicts has a table of at least twenty cases, both right and wrong ones."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

TESTS = Path(__file__).parents[1]
HOLDS = {"verified", "approximate", "rounded", "conditional", "equal"}
# class of error, the file of its table, and the names of its parts: one table with the verdict on each case, or a
# table of right cases and another of wrong ones
CLASSES = {
    "a unit after a fraction": ("claims/test_sentences", "FRACTIONS"),
    "units of several parts, units taken for names": ("claims/test_sentences", "COMPOUND"),
    "one digit": ("claims/test_sentences", "ONE_DIGIT"),
    "a regime at its boundary": ("claims/test_claims_in_regimes", "EDGES"),
    "links in rules of thumb": ("claims/test_rule_of_thumb_claims", "CASES", "CASES"),
    "cancelled before it is read": ("claims/test_definedness", "CURED", "SOMEWHERE_UNDEFINED"),
    "premises that never hold": ("claims/test_conditions", "OF_NOTHING"),
    "LaTeX that is dropped": ("formula/test_latex", "READ", "REFUSED"),
    "closed forms across a pole": ("derive/test_closed_forms", "FORMS", "NOT_SO"),
    "formulas of chapters": ("claims/test_draft", "CLAIMS", "NOT_JUDGED"),
    "limits": ("claims/test_limit_claims", "LIMITS"),
    "square roots": ("claims/test_exact_roots", "ROOTS"),
    "undecided without need": ("claims/test_limit_claims", "NEEDLESS"),
    "functions that lie to the audit": ("audit/test_two_faced", "FUNCTIONS"),
    "files": ("attacks/test_hostile_files", "PLACES", "NO_PLACES"),
}


def different(table: Any) -> list[Any]:
    """Return the distinct cases of a table."""
    rows = [line for line in table.splitlines() if line] if isinstance(table, str) else list(table)
    return list({repr(row): row for row in rows}.values())


def right_and_wrong(module: Any, tables: Sequence[str]) -> tuple[int, int]:
    first, *second = (getattr(module, name) for name in tables)
    cases = different(first)
    if second:
        return len(cases), len(different(second[0]))
    if isinstance(first, str):
        holds = [row.split("|")[0].strip() in HOLDS for row in cases]
    else:
        holds = [bool(HOLDS & set(row)) or (row[-1] == "" and "refuted" not in row) for row in cases]
    return sum(holds), len(holds) - sum(holds)


def twenty_both_ways(right: int, wrong: int) -> bool:
    return min(right, wrong) >= 5 and right + wrong >= 20


@pytest.mark.parametrize("what", CLASSES)
def test_a_class_has_twenty_cases_both_ways(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    place, *tables = CLASSES[what]
    monkeypatch.syspath_prepend(str((TESTS / place).parent))
    found = right_and_wrong(import_module(Path(place).name), tables)
    assert twenty_both_ways(*found), found


@pytest.mark.parametrize(
    ("tables", "found"),
    [
        ({"A": "".join(f"verified | {n} > 0\n" for n in range(10)) + "".join(f"refuted | {n} < 0\n" for n in range(9))},
         (10, 9)),
        ({"A": "verified | 1 > 0\n" * 20 + "".join(f"refuted | {n} < 0\n" for n in range(18))}, (1, 18)),
        ({"A": [("1 > 0", "verified")] * 12 + [("1 < 0", "refuted", str(n)) for n in range(18)]}, (1, 18)),
        ({"A": [(str(n), "") for n in range(10)] + [(str(n), "refuted", "") for n in range(9)]}, (10, 9)),
        ({"A": {str(n): n for n in range(15)}, "B": {str(n): n for n in range(4)}}, (15, 4)),
    ],
)  # fmt: skip
def test_nineteen_cases_or_one_many_times_are_too_few(tables: dict[str, Any], found: tuple[int, int]) -> None:
    assert right_and_wrong(SimpleNamespace(**tables), list(tables)) == found
    assert not twenty_both_ways(*found)
