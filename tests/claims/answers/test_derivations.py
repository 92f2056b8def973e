"""Derivations of students: the first wrong line is named, with the right line before it."""

import pytest

from roofproof import chip, op
from roofproof.claims.answers.grade import grade
from roofproof.claims.answers.question import Question
from roofproof.export.explain.grade import grade_text

V5E = chip("tpu-v5e@scaling-book")
SYMBOLIC = Question(op("matmul"), unknown="B")
ON_CHIP = Question(op("matmul"), V5E, "B")
THERE = Question(op("matmul"), V5E, "B", None, {"D": 4096, "F": 4096})
RIGHT = "I > R", "BDF > R(BD + BF + DF)", "B(DF - R(D + F)) > RDF", "B > RDF/(DF - R(D + F))"
WRONG = "I > 2R", "BDF > R(BD + BF)", "B(DF + R(D + F)) > RDF", "B > RDF/(DF + R(D + F))"


@pytest.mark.parametrize("sign", [" <=> ", " ⇔ ", r" \iff ", "\n", "; ", " => "])
def test_a_right_derivation_leaves_nowhere(sign: str) -> None:
    found = grade(SYMBOLIC, sign.join(RIGHT))
    assert (found.grade, found.left_line) == ("right", 0)


@pytest.mark.parametrize("place", range(4))
def test_the_first_wrong_line_is_named(place: int) -> None:
    lines = [*RIGHT[:place], WRONG[place], *RIGHT[place + 1 :]]
    found = grade(SYMBOLIC, " <=> ".join(lines))
    assert found.left_line == place + 1
    assert (found.link, found.before) == (WRONG[place], RIGHT[place - 1] if place else "")
    assert (found.grade == "wrong") is (place == 3)


def test_a_line_that_only_follows_may_say_less() -> None:
    assert grade(SYMBOLIC, "I > R => BDF > R DF => B > RDF/(DF - R(D + F))").left_line == 0
    assert grade(SYMBOLIC, "I > R <=> BDF > R DF <=> B > RDF/(DF - R(D + F))").left_line == 2


def test_a_rounded_ridge_point_in_a_line_is_the_ridge_point() -> None:
    lines = "I > 240 <=> BDF > 240(BD + BF + DF) <=> B > 240DF/(DF - 240(D + F))"
    assert grade(ON_CHIP, lines).left_line == 0
    assert grade(ON_CHIP, lines.replace("I > 240", "I > 250")).left_line == 1


def test_sizes_of_the_question_are_put_in() -> None:
    assert grade(THERE, "I > R <=> B*4096 > R(2B + 4096) <=> B >= 273").left_line == 0
    assert grade(THERE, "I > R <=> B*4096 > R(B + 4096) <=> B >= 273").left_line == 2


def test_it_is_told_in_both_languages_and_the_steps_come_when_asked_for() -> None:
    found = grade(ON_CHIP, "I > R <=> BDF > R(BD + BF) <=> B > R")
    assert "  line 2 leaves the derivation: BDF > R(BD + BF)" in grade_text(found, ON_CHIP).splitlines()
    assert "  推导从第 2 行起有误：BDF > R(BD + BF)" in grade_text(found, ON_CHIP, "zh").splitlines()
    assert "collect B" not in grade_text(found, ON_CHIP, hint=3)
    for shown in (grade_text(found, ON_CHIP, hint=4), grade_text(found, ON_CHIP, reveal=True)):
        assert any(line.endswith("collect B") for line in shown.splitlines())


def test_a_line_that_is_not_understood_is_refused() -> None:
    found = grade(SYMBOLIC, "foo > R <=> B > RDF/(DF - R(D + F))")
    assert (found.grade, str(found.note)) == ("unreadable", "'foo' is not understood; the sizes are R, B, D, F, I")


def test_other_answers_are_read_as_before() -> None:
    assert grade(SYMBOLIC, "B > RDF/(DF - R(D + F)); D large").left_line == 0
    assert grade(Question(op("matmul"), asks="flops"), "BDF = 2BDF").wrong_link == 1
