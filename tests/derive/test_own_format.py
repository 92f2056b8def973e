"""Where a chip lacks the usual format of an operation, the answer is in one of its own, and says so."""

import pytest

from roofproof.cli import main
from roofproof.derive.roofline.engines import has_peak
from roofproof.derive.roofline.own_format import for_chip
from roofproof.hardware import chip, chip_names
from roofproof.ops import parse_operation


def test_every_chip_with_a_matrix_unit_answers_in_a_format_that_it_has() -> None:
    for name in chip_names():
        one = chip(name)
        found = for_chip("matmul", one)
        (engine,) = found.compute
        formats = [f for f in ("fp64", "fp32", "tf32", "bf16", "fp16", "fp8", "int8") if has_peak(one, f)]
        if has_peak(one, "bf16"):
            assert found == parse_operation("matmul")
        elif set(formats) & {"fp16", "fp32"}:
            assert has_peak(one, engine) and f"in {engine}, as {name} has no figure for bf16" in found.convention


@pytest.mark.parametrize("text", ["matmul:bf16", "bf16[B,D], bf16[D,F] -> bf16[B,F]"])
def test_a_format_that_was_asked_for_is_kept(text: str) -> None:
    assert for_chip(text, chip("apple-m2")) == parse_operation(text)


def test_the_command_answers_and_says_in_which_format(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["derive", "matmul", "--chip", "apple-m2", "--for", "B", "--lang", "zh"]) == 0
    assert "按 fp32 计：apple-m2 没有 bf16 的数值" in capsys.readouterr().out
