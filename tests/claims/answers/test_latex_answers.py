"""Answers in LaTeX: what students write is read as on paper, and graded as the same answer in plain signs."""

import pytest

from roofproof import chip, op
from roofproof.claims.answers.grade import grade
from roofproof.claims.answers.question import Question
from roofproof.claims.answers.reading import read_answer
from roofproof.claims.answers.tokens import Unreadable


@pytest.mark.parametrize(
    "text",
    [
        r"\begin{aligned} I &= \frac{2BDF}{2BD+2DF+2BF} \\ &= \frac{BDF}{BD+DF+BF} \end{aligned}",
        r"I{=}\frac{BDF}{BD+DF+BF}\tag{3}",
        r"\mathrm{I}(B, D, F) = \dfrac{1}{\frac1B + \frac1D + \frac1F}",
        r"\sqrt[3]{\left(\frac{BDF}{BD+DF+BF}\right)^{3}}",
        r"$\lvert \frac{B\,D\,F}{B\,D+D\,F+B\,F} \rvert$",
        "√((BDF/(BD+DF+BF))**2)",
        r"\begin{aligned} I &= \frac{BDF}{BD+DF+BF} + 1 \\ &\quad {} - 1 \end{aligned}",
        r"\max\left\{\frac{BDF}{BD+DF+BF}, 0\right\}",
        r"\max\{0, 1/(1/B + 1/D + 1/F)\}",
    ],
)
def test_what_students_write_is_graded(text: str) -> None:
    assert grade(Question(op("matmul")), text).grade == "right"


@pytest.mark.parametrize(
    ("text", "asks", "read"),
    [
        (r"2\text{B} = 16\text{KB}", "bytes", "bytes = 2 byte = 16 kB"),
        (r"$10.3\,\mu s$", "time", "T = 10.3 µs"),
        (r"\frac{5\ln N}{32}", "intensity", "I = 5 log(N)/32"),
        ("35.65 MB / 819 GB/s", "time", "T = 35.65 MB/(819 GB/s)"),
        ("197 TFLOPS / 819 GB/s", "ridge", "R = 197 TFLOPS/(819 GB/s)"),
    ],
)
def test_how_an_answer_is_read(text: str, asks: str, read: str) -> None:
    assert str(read_answer(text, ["N"], asks)) == read


@pytest.mark.parametrize(
    ("reason", "grade_of_never"),
    [("I = 1/8 < 25.3", "right"), ("1/8 < 25.3", "right"), ("I < R", "right"), ("I = 1/4", "unreadable"),
     ("I > R", "unreadable")],
)  # fmt: skip
def test_a_reason_for_never_has_to_hold(reason: str, grade_of_never: str) -> None:
    asked = Question(op("prefix-sum"), chip("t4"), "N")
    assert grade(asked, f"never, since {reason}").grade == grade_of_never


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("2N/12N", "'2N/12N' can be read two ways; write '(2N/12) * N' or '2N/(12N)'"),
        ("N/NN", "'N/NN' can be read two ways; write '(N/N) * N' or 'N/(NN)'"),
        ("240 btye", "'btye' is no unit; did you mean byte?"),
        ("3 MB + 2 ms", "'3 MB' is in byte, '2 ms' is in s; they cannot be added"),
        ("(" * 150 + "N" + ")" * 150, "an answer of more than 200 words and signs"),
        ("N)", "')' closes nothing"),
        ("(N", "'(' is never closed"),
    ],
)
def test_what_is_refused_says_why(text: str, problem: str) -> None:
    with pytest.raises(Unreadable) as caught:
        read_answer(text, ["N"], "bytes")
    assert str(caught.value) == problem
