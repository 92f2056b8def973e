"""Answers to where an operation with a logarithm is compute-bound: powers of two, in plain text and in LaTeX."""

import pytest

from roofproof.cli import main

ANSWERS = {
    "N > 2^(32R/5)": "Right.",
    r"N > 2^{32R/5}": "Right.",
    r"\log_2 N > \frac{32R}{5}": "Right.",
    "N > 2^(6R)": "Wrong.",
    "N > 2^64": "Wrong.",
}


@pytest.mark.parametrize(("answer", "grade"), ANSWERS.items(), ids=ANSWERS)
def test_a_power_of_two_is_read_without_a_chip(answer: str, grade: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["grade", "--op", "fft", "--for", "N", "--answer", answer])
    assert capsys.readouterr().out.startswith(grade)


@pytest.mark.parametrize(("answer", "grade"), {"log2 N > 64": "Right.", "N > 2^1889": "Wrong."}.items())
def test_a_bound_on_the_logarithm_is_one_on_the_size(
    answer: str, grade: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["grade", "--op", "fft", "--chip", "h100-sxm", "--for", "N", "--answer", answer])
    assert capsys.readouterr().out.startswith(grade)
