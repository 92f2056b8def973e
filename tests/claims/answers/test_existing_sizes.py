"""Answers are held to the key on the sizes that an operation has, counted by hand here."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roofproof import chip, op
from roofproof.claims.answers.feedback import solution
from roofproof.claims.answers.grade import grade
from roofproof.claims.answers.question import Question

H100, RIDGE = chip("h100-sxm"), 4
SMALL = chip("bf16=4 TFLOP/s, hbm=1 TB/s")
WINDOWS = op("sliding-window-attention")
LONG = {"L": 4096, "h": 1, "k": 128}


@pytest.mark.parametrize("at, asks, unknown, answers", [
    (LONG, "threshold", "W", {  # the roots are 640.4 and 7552.6
        "W >= 641": "right", "641 <= W <= 4096": "right", "640 < W < 5000": "right", "[641, 4096]": "right",
        "640.4 < W < 7552.6": "right", "640.44": "right", "W > 641": "close", "W < 640": "wrong", "always": "wrong",
        "never": "wrong", "641 <= W <= 4095": "wrong", "514 <= W <= 4096": "wrong", "650 <= W <= 4096": "close"}),
    (LONG, "smallest", "W", {"641": "right", "641 <= W <= 4096": "right", "W > 641": "wrong"}),
    (LONG, "largest", "W", {"4096": "right", "W <= 4096": "right", "7552": "wrong"}),
    ({**LONG, "L": 256}, "threshold", "W", {"never": "right", "always": "wrong", "300": "wrong", "W > 200": "wrong"}),
    ({"W": 5000, "h": 1, "k": 128}, "threshold", "L", {  # from 2834.2 on, and no sequence is as short
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
        return  # it is none in any case
    assert (grade(asked, text).grade == "right") == (said == due), (text, sorted(due))
