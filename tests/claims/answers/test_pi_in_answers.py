"""`pi` in an answer is the number, unless a size of the question is called so."""

import pytest

import roofproof
from roofproof.claims.answers.reading import read_answer


@pytest.mark.parametrize("text", ["2 pi B", "2piB", "2πB", r"2\pi B", r"$2 \pi \cdot B$", "2 𝜋 B"])
def test_it_is_read_in_each_spelling(text: str) -> None:
    assert str(read_answer(text, ["B"], "flops")) == "FLOPs = 2 pi B"


def test_a_product_of_p_and_i_stays_one() -> None:
    assert str(read_answer("2pi", ["p", "i"], "flops")) == "FLOPs = 2 p i"
    assert str(read_answer("2π i", ["p", "i"], "flops")) == "FLOPs = 2 pi i"


@pytest.mark.parametrize(
    ("answer", "grade"),
    [("ceil(86.6 pi)", "right"), ("ceil(86.9 π)", "close"), (r"100 \pi", "wrong"), ("273 pi/pi", "right")],
)
def test_it_is_graded_by_its_value(answer: str, grade: str) -> None:  # 86.6 pi = 272.06..., 86.9 pi = 273.005...
    sizes = {"D": 4096, "F": 4096}
    assert roofproof.check("matmul", "tpu-v5e", "B", answer, at=sizes, asks="smallest").grade == grade
