"""Answers are compared with the key at the sizes that an operation has, counted by hand here."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roofproof import RoofproofError, chip, op
from roofproof.claims.answers.feedback import solution
from roofproof.claims.answers.grade import grade
from roofproof.claims.answers.question import Question
from roofproof.hardware import Chip

H100, RIDGE = chip("h100-sxm"), 4
HALF, TWO, SMALL = (chip(f"bf16={peak} TFLOP/s, hbm={rate} TB/s") for peak, rate in ((1, 2), (2, 1), (RIDGE, 1)))
WINDOWS = op("sliding-window-attention")
LONG = {"L": 4096, "h": 1, "k": 128}


@pytest.mark.sampled(7)
@pytest.mark.parametrize("at, asks, unknown, answers", [
    (LONG, "threshold", "W", {  # the roots are 640.4 and 7552.6
        "W >= 641": "right", "641 <= W <= 4096": "right", "640 < W < 5000": "right", "[641, 4096]": "right",
        "640.4 < W < 7552.6": "right", "640.44": "right", "W > 641": "close", "W < 640": "wrong", "always": "wrong",
        "never": "wrong", "641 <= W <= 4095": "wrong", "514 <= W <= 4096": "wrong", "650 <= W <= 4096": "close"}),
    (LONG, "smallest", "W", {"641": "right", "641 <= W <= 4096": "right", "W > 641": "wrong"}),
    (LONG, "largest", "W", {"4096": "right", "W <= 4096": "right", "7552": "wrong"}),
    ({**LONG, "L": 256}, "threshold", "W", {"never": "right", "always": "wrong", "300": "wrong", "W > 200": "wrong"}),
    ({"W": 5000, "h": 1, "k": 128}, "threshold", "L", {  # from 2834.2 on, and every sequence has at least 5000
        "always": "right", "L >= 5000": "right", "L > 2834": "right", "never": "wrong", "L < 5000": "wrong"}),
    ({"W": 500, "h": 1, "k": 128}, "threshold", "L", {"never": "right", "always": "wrong", "L > 500": "wrong"}),
    ({"h": 1, "k": 128}, "threshold", "W", {
        "W > L + 1/2 - sqrt((L + 1/2)^2 - 79120 L/67)": "right",
        "L + 1/2 - sqrt((L + 1/2)^2 - 79120 L/67) < W <= L": "right",
        "W > L/2": "wrong", "W < L": "wrong"}),
])  # fmt: skip
def test_a_bound_beyond_the_last_size_is_none(
    at: dict[str, int], asks: str, unknown: str, answers: dict[str, str]
) -> None:
    asked = Question(WINDOWS, H100, unknown, at=at, asks=asks)
    assert {text: grade(asked, text).grade for text in answers} == answers


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name, on, unknown, at, answers", [
    ("data-parallel", "h100-sxm", "X", {"B": 4096}, {  # X < 3.8, and X divides 4096
        "X <= 2": "right", "1 <= X <= 2": "right", "X <= 3": "right", "X <= 4": "wrong", "2": "wrong"}),
    ("data-parallel", "tpu-v5e", "B", {"X": 1}, {"always": "right", "B >= 1": "right"}),
    ("sharded-matmul:n=4", "tpu-v5e", "D", {"B": 4096, "F": 4096}, {  # D > 26266.7, a multiple of 4
        "D >= 26268": "right", "D > 26267": "digits", "26268": "close"}),
    ("grouped-matmul", "h100-sxm", "k", {"B": 4096, "D": 4096, "F": 4096, "E": 8}, {
        "always": "right", "1 <= k <= 8": "right", "k > 1": "wrong"}),
    ("tiled-matmul:b=t,f=t,d=64", "h100-sxm", "t", {"B": 8192, "D": 8192, "F": 8192}, {
        "never": "right", "613": "wrong", "always": "wrong"}),
    ("tiled-matmul:b=t,f=t,d=64", "tpu-v5e", "t", {"B": 8192, "D": 8192, "F": 8192}, {
        "t > 495.6": "right", "t >= 512": "right", "512 <= t <= 8192": "right", "t > 400": "wrong"}),
])  # fmt: skip
def test_a_bound_may_be_the_size_that_divides(
    name: str, on: str, unknown: str, at: dict[str, int], answers: dict[str, str]
) -> None:
    asked = Question(op(name), chip(on), unknown, at=at)
    assert {text: grade(asked, text).grade for text in answers} == answers


@pytest.mark.sampled(3)
@pytest.mark.parametrize("text, read_as", [
    ("W ≥ 641 and W ≤ 4096", "W >= 641 when W ≤ 4096"),
    ("W <= 4096 and W >= 641", "W >= 641 when W <= 4096"),
    ("W≥641 且 W≤4096", "W >= 641 when W≤4096"),
    ("W >= 641 if W <= L", "W >= 641 when W <= L"),
    ("W > 640, W <= 4096", "W > 640 when W <= 4096"),
])  # fmt: skip
def test_what_the_operation_assumes_may_be_said_as_well(text: str, read_as: str) -> None:
    asked = Question(WINDOWS, H100, "W", at=LONG)
    found = grade(asked, text)
    assert (found.grade, found.read_as) == ("right", read_as)
    assert grade(asked, text.replace("641", "700").replace("640", "700")).grade == "wrong"
    assert grade(asked, "W >= 641 and W <= 512").grade == "unreadable"


def test_the_answer_that_is_shown_has_no_bound_beyond_the_last_size() -> None:
    assert solution(Question(WINDOWS, H100, "W", at=LONG)) == "W > 8193/2 - sqrt(214473003401)/134"
    assert solution(Question(WINDOWS, H100, "W", at={**LONG, "L": 256})) == "never"


@pytest.mark.parametrize("asks, answers", [  # 1 < W < 24, while an edit of the derivation has W > 0
    ("largest", {"12": "right", "W <= 12": "right", "11": "wrong", "1": "wrong", "W<=11": "wrong"}),
    ("smallest", {"2": "right", "W >= 2": "right", "12": "wrong", "1": "wrong", "3": "wrong", "W >= 1": "wrong"}),
])  # fmt: skip
def test_a_slip_whose_bound_is_zero_explains_no_number(asks: str, answers: dict[str, str]) -> None:
    asked = Question(WINDOWS, HALF, "W", at={"L": 12, "h": 1, "k": 1}, asks=asks)
    assert {text: grade(asked, text).grade for text in answers} == answers


@pytest.mark.parametrize("name, on, unknown, at, answers", [
    ("ssd", TWO, "c", {"h": 6, "L": 12, "k": 12, "v": 3}, {  # c divides 12
        "12": "right", "c <= 12": "right", "0": "wrong", "1": "wrong", "6": "wrong", "always": "wrong"}),
    ("grouped-matmul", HALF, "k", {"E": 8, "B": 12, "D": 12, "F": 12}, {  # k <= 8
        "8": "right", "k <= 8": "right", "1": "wrong", "7": "wrong", "always": "wrong"}),
])  # fmt: skip
def test_where_all_sizes_do_the_largest_is_the_last_one(
    name: str, on: Chip, unknown: str, at: dict[str, int], answers: dict[str, str]
) -> None:
    asked = Question(op(name), on, unknown, at=at, asks="largest")
    assert {text: grade(asked, text).grade for text in answers} == answers


def test_where_all_sizes_do_and_none_is_the_last_there_is_no_largest() -> None:
    rows = op("flops bf16 = 8 B; bytes memory = B")
    assert solution(Question(rows, SMALL, "B")) == "always"
    with pytest.raises(RoofproofError, match=r"^there is no largest B: "):
        grade(Question(rows, SMALL, "B", asks="largest"), "always")


@pytest.mark.parametrize("text, on, unknown, at, answers", [
    ("matmul", HALF, "B", {"D": 24, "F": 24}, {  # B > 12/23
        "always": "right", "总是": "right", "B >= 1": "right", "B > 0": "right", "B > 12/23": "right",
        "12/23": "right", "0.52": "right", "1": "right", "2": "wrong", "B > 1": "wrong", "never": "wrong"}),
    ("chunked-prefill-attention", SMALL, "S", {"L": 24}, {  # S > 93/5, and S >= 24
        "always": "right", "S >= 24": "right", "24": "right", "18.6": "right", "93/5": "right", "25": "wrong",
        "never": "wrong"}),
    ("flops bf16 = 2 B; bytes memory = B^2", SMALL, "B", {}, {  # B < 1/2
        "never": "right", "B < 1/2": "right", "1/2": "right", "0.5": "right", "B < 1": "right", "always": "wrong",
        "2": "wrong", "B <= 1": "wrong"}),
])  # fmt: skip
def test_a_bound_that_all_sizes_meet_is_always_and_one_that_none_meets_is_never(
    text: str, on: Chip, unknown: str, at: dict[str, int], answers: dict[str, str]
) -> None:
    asked = Question(op(text), on, unknown, at=at)
    assert {text: grade(asked, text).grade for text in answers} == answers


@pytest.mark.slow
@settings(max_examples=60)
@given(st.integers(1, 60), st.integers(0, 61), st.integers(0, 61), st.sampled_from(["<", "<="]), st.booleans())
def test_a_relation_is_right_where_it_holds_for_the_windows_that_do(
    length: int, low: int, high: int, sign: str, chained: bool
) -> None:
    """I = W (2 L + 1 - W)/(4 L) > 4 for the windows W from 1 to L."""
    asked = Question(WINDOWS, SMALL, "W", at={"L": length, "h": 1, "k": 1})
    due = {w for w in range(1, length + 1) if Fraction(w * (2 * length + 1 - w), 4 * length) > RIDGE}
    first = low if sign == "<=" else low + 1
    text = f"{low} {sign} W <= {high}" if chained else f"{low} {sign} W"
    said = {w for w in range(1, length + 1) if w >= first and (w <= high or not chained)}
    if chained and first > high:
        return  # no W meets it
    assert (grade(asked, text).grade == "right") == (said == due), (text, sorted(due))
