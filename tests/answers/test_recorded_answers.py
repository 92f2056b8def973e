"""The recorded answers (one in thirty in the usual run, all in .ci/run), and the comparison on wrong answers."""

import os

import pytest
import record

SOME = [(name, q) for name in record.names() for q in record.read("questions", name) if record.in_part(q, 1, 30)]
SOME.sort(key=lambda known: known[1]["id"].split("/")[1:])  # grouped by operation, so that each is built once
SHARES = 6


@pytest.fixture(scope="module")
def recorded() -> dict[str, dict]:
    return {r["id"]: r for name in record.names() for r in record.read("recorded", name)}


@pytest.mark.parametrize("share", range(SHARES))
def test_answers_are_those_recorded(share: int, recorded: dict[str, dict]) -> None:
    mine = [q for k, (_, q) in enumerate(SOME) if k * SHARES // len(SOME) == share]
    assert record.compare(mine, recorded, 1) == []


def test_answers_made_wrong_are_reported(recorded: dict[str, dict]) -> None:
    mine = [q for _, q in SOME if record.in_part(q, 1, 60)]
    assert record.selftest(mine, recorded, 1) == []


def test_every_question_has_one_answer() -> None:
    for name in record.names():
        asked, told = record.ids(record.read("questions", name)), record.ids(record.read("recorded", name))
        assert asked == told and len({*asked}) == len(asked)


def test_a_process_that_ends_is_one_crash() -> None:
    def task(k: int) -> dict | int:
        return os._exit(1) if k == 3 else k

    found = list(record.in_order(task, list(range(8)), 2))
    assert found == [0, 1, 2, {"code": "crash", "why": "the process ended"}, 4, 5, 6, 7]


WRONG = {
    "a bound beside": ({"at": "19781/67"}, "cases"),
    "strictness": ({"strict": False}, "cases"),
    "a condition at another place": ({"when": "1/F + 1/D < 68/19780"}, "cases"),
    "cases that overlap": ({"when": "1/F + 1/D <= 67/19780"}, "cases"),
    "another kind": ({"kind": "below"}, "cases"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_cases_are_seen(name: str) -> None:
    case = {"kind": "above", "at": "19780/67", "strict": True, "when": "1/F + 1/D < 67/19780"}
    never = {"kind": "never", "at": None, "when": "1/F + 1/D >= 67/19780"}
    change, field = WRONG[name]
    old, new = ({"code": 0, "fields": {field: [c, never], "unknown": "B"}} for c in (case, case | change))
    assert record.differences({"id": name}, old, old) == []
    assert [f for f, *_ in record.differences({"id": name}, old, new)] == [field]


ALIKE = {
    "cases": [
        ([{"kind": "above", "at": "2*B/3", "when": "B > 6"}], [{"kind": "above", "at": "4*B/6", "when": "3 < B/2"}])
    ],
    "flops": [("2*B*(D + F)", "2*B*D + 2*B*F"), ("Max(B, D)", "(B + D + Abs(B - D))/2")],
    "statements": [(["I -> B/2", "B > 240"], ["B > 240", "I -> 0.5*B", "I -> B/2"])],
    "curves": [([[[1.0, 1.0], [100.0, 100.0]]], [[[1.0, 1.0], [10.0, 10.0], [100.0, 100.0]]])],
    "column time": [(["0.5", "h100"], ["5e-1", "h100"])],
    "count of theorems": [(7, 9)],
}


@pytest.mark.parametrize("field", ALIKE)
def test_another_way_to_write_it_is_no_difference(field: str) -> None:
    for a, b in ALIKE[field]:
        old, new = ({"code": 0, "fields": {field: v, "unknown": "B"}} for v in (a, b))
        assert record.differences({"id": "alike"}, old, new) == []


UNLIKE = {
    "flops": [("2*B*D", "2*B*D + 1"), ("Min(8, 2*B)", "Min(8, 3*B)"), ("floor(B/8)", "B/8"), ("2*B", None)],
    "statements": [
        (["I -> B", "B > 240"], ["I -> B"]),
        (["B > 240"], ["B >= 240"]),
        (["B > 240"], ["B > 240", "D > 1"]),
    ],
    "curves": [([[[1.0, 1.0], [100.0, 100.0]]], [[[1.0, 1.0], [100.0, 101.0]]]), ([[[1.0, 1.0]]], [])],
    "column time": [(["0.5", "1"], ["0.5"]), (["0.5"], ["0.501"])],
    "count of theorems": [(7, 6)],
    "keys of a-001": [(["2*B", "B"], ["2*B"]), (["24.6 ms"], ["24.6 us"])],
    "refused for": [(["--chip"], [])],
    "trust": [("kernel", "smt"), ("kernel", None)],
}


@pytest.mark.parametrize("field", UNLIKE)
def test_another_meaning_is_a_difference(field: str) -> None:
    for a, b in UNLIKE[field]:
        old, new = ({"code": 0, "fields": {field: v}} for v in (a, b))
        assert [f for f, *_ in record.differences({"id": "unlike"}, old, new)] == [field], (a, b)


def test_formulas_in_latex_are_read_back() -> None:
    said = record.texts.latex(
        r"$\displaystyle R &= \frac{2\,BD}{\log_2 N} \approx \num{295.2}$ and $x_{1} \le \lfloor B/8\rfloor$"
    )
    assert record.same_set(said, ["R = 2*B*D/log2(N) ≈ 295.2", "x_1 <= floor(B/8)"], "latex")
