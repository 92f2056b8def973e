"""Corpus answers are graded by the policy: no wrong one passes, and none gets a mistake that it does not make."""

from pathlib import Path

import pytest
from score import HALVES, score

from roofproof import RoofproofError, chip, op
from roofproof.claims.answers.grade import grade
from roofproof.claims.answers.question import Question

PAGE = Path(__file__).resolve().parents[3] / "docs" / "evidence.md"


@pytest.mark.sampled(2)
@pytest.mark.parametrize("half", HALVES)
def test_answers_are_graded_as_they_are_labelled(half: str) -> None:
    found = score(half)
    assert found.accepted_falsely == 0
    assert found.accused_falsely == 0
    assert found.as_labelled >= found.answers * 0.97
    assert found.named >= found.slips * 0.85
    assert f"{half}: {found}" in " ".join(PAGE.read_text(encoding="utf-8").split())


def test_where_no_integer_is_allowed_the_answer_is_never_and_no_integer_is_right() -> None:
    """Compute-bound is t > 612.52, but 2 t^2 + 256 t bytes fit only up to t = 283. No integer meets 3 < N < 4."""
    tiled, sizes = op("tiled-matmul:b=t,f=t,d=64"), {"B": 8192, "D": 8192, "F": 8192}
    blocks = Question(tiled, chip("h100-sxm"), "t", at=sizes, asks="smallest")
    narrow = op("flops bf16 = 96*49*N; bytes hbm = 7*N^2 + 84")
    between = Question(narrow, chip("bf16=96 TFLOP/s, hbm=1 TB/s"), "N", asks="smallest")
    for asked, integers in ((blocks, ("283", "512", "613", "1024")), (between, ("3", "4", "7"))):
        assert grade(asked, "never").grade == "right"
        assert {grade(asked, text).grade for text in integers} == {"wrong"}


def test_the_largest_integer_is_not_the_smallest() -> None:
    """With L = 4096 it is compute-bound for 514 <= W <= L. A matmul is compute-bound for every B from 273 on."""
    windows, v5e = op("sliding-window-attention"), chip("tpu-v5e")
    for asks, right, wrong in (("largest", "4096", "514"), ("smallest", "514", "4096")):
        asked = Question(windows, v5e, "W", at={"L": 4096}, asks=asks)
        assert (grade(asked, right).grade, grade(asked, wrong).grade) == ("right", "wrong")
    endless = Question(op("matmul"), v5e, "B", at={"D": 4096, "F": 4096}, asks="largest")
    with pytest.raises(RoofproofError, match=r"^there is no largest B: it is compute-bound at every larger one, too"):
        grade(endless, "273")


@pytest.mark.parametrize("answer", ["k > 9", "k < 3"])
def test_a_slip_that_drops_a_size_is_tried_without_it(answer: str) -> None:
    """Without the weights there are no experts. With E = 8, the question once ended in an unknown dimension."""
    sizes = {"D": 4096, "F": 4096, "E": 8, "B": 512}
    assert grade(Question(op("grouped-matmul"), chip("tpu-v5e"), "k", at=sizes), answer).grade == "wrong"


@pytest.mark.parametrize("answer", ["0x64", "B > 0x64", "0X1F"])
def test_a_hexadecimal_number_is_no_product_with_zero(answer: str) -> None:
    found = grade(Question(op("matmul"), chip("tpu-v5e"), "B"), answer)
    assert found.grade == "unreadable" and "may be hexadecimal or a product with 0" in found.note


@pytest.mark.parametrize("word", [r"\text{ if }", r"\text{if} ", r"\mathrm{ when }", " if ", r"\text{ 当 }"])
def test_a_condition_may_be_joined_by_a_word_in_braces(word: str) -> None:
    stated = r"B > \frac{RDF}{DF - R(D + F)}" + word + r"\frac{1}{D} + \frac{1}{F} < \frac{1}{R}"
    assert grade(Question(op("matmul"), unknown="B"), stated).grade == "right"
