"""`roofproof grade --answer`, with answers as people type them."""

import pytest

from roofproof.cli import main

MATMUL, SIZES = "--op matmul --chip h100-sxm --for B", "--at D=4096,F=4096"
ROWS = [
    (MATMUL, "1/B + 1/D + 1/F < 1/R", "Right.", "it holds when 1/D + 1/F < 67/19780"),
    (f"{MATMUL} {SIZES}", "B^2 > 345 B", "Right to the digits given.", "which is B > 345"),
    (f"{MATMUL} {SIZES} --asks smallest", "344", "Wrong.", "read as: B = 344"),
    (f"{MATMUL} {SIZES} --asks smallest", "345", "Right.", "read as: B = 345"),
    (f"{MATMUL} {SIZES}", "345", "Right.", "the threshold of B is 345"),
    ("--op axpy:x=fp32 --asks intensity", "6 B/FLOP", "Right.", "one over the value in FLOP/byte"),
    ("--op axpy:x=fp32 --asks intensity", "6 bytes per flop", "Right.", "one over the value in FLOP/byte"),
    ("--op axpy:x=fp32 --asks intensity", "1/6 bytes per flop", "Wrong.", "one over the value in FLOP/byte"),
    ("--op matmul --asks flops", "-2BDF", "Wrong.", "read as: FLOPs = -2 B D F"),
    ("--op fft --asks intensity", "5 ln(N)/(32 ln 2)", "Right.", ""),
]


@pytest.mark.parametrize(("asked", "answer", "first", "says"), ROWS)
def test_an_answer_is_graded(
    asked: str, answer: str, first: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["grade", *asked.split(), "--answer", answer]) in (0, 1)
    said = capsys.readouterr().out
    assert said.splitlines()[0].partition(" Probable")[0] == first
    assert says in said


def test_a_decimal_comma_is_not_guessed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grade", "--op", "matmul", "--chip", "h100-sxm", "--asks", "ridge", "--answer", "295,22"]) == 2
    assert "write it with a decimal point: 295.22" in "".join(capsys.readouterr())


def test_an_option_after_answer_is_no_answer(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grade", "--op", "matmul", "--asks", "flops", "--answer", "--json"]) == 2
    assert "needs a value" in capsys.readouterr().err
