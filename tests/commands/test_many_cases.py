"""Thresholds over several compute units and memory levels with too many cases to print, given level by level."""

import json

import pytest

from roofproof import RoofproofError, chip, op, threshold
from roofproof.cli import main
from roofproof.ops.combine import over_level

THREE = (
    "flops bf16 = 2 B D F; flops fp32-vector = B F; bytes hbm = 2 B D + 2 D F + 2 B F; "
    "bytes l2 = 4 B D + 2 D F + 2 B F; bytes smem = 4 B D + 6 D F + 2 B F"
)


def test_two_engines_on_three_levels_are_told_level_by_level(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["derive", THREE, "--for", "B", "--json"]) == 0
    every = json.loads(capsys.readouterr().out)["all_of"]
    assert list(every) == ["memory", "l2", "smem"]
    for level, found in every.items():
        assert main(["derive", THREE, "--for", "B", "--level", level.replace("memory", "hbm"), "--json"]) == 0
        alone = json.loads(capsys.readouterr().out)
        assert {**alone, "seconds": 0} == {**found, "seconds": 0}
    assert main(["derive", THREE, "--for", "B", "--lang", "zh"]) == 0
    assert "在 memory, l2, smem 中每一层上都计算受限时才计算受限" in capsys.readouterr().out.splitlines()[0]


def test_what_has_one_theorem_is_refused_still(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["derive", THREE, "--for", "B", "--latex"]) == 2
    said = (
        "more than 200 cases; give sizes or assumptions for some parameters, as in --chip h100-sxm --at D=4096,F=4096; "
        "or ask over one level, --level smem, in Python over_level(op, 'smem')"
    )
    assert capsys.readouterr().err == f"roofproof: {said}\n"
    with pytest.raises(RoofproofError) as problem:
        threshold(THREE, None, "B")
    assert str(problem.value) == said


@pytest.mark.slow
def test_either_way_that_is_named_answers() -> None:
    own = chip("bf16=989 TFLOP/s, fp32-vector=66.9 TFLOP/s, hbm=3.35 TB/s, l2=5.5 TB/s, smem=33 TB/s")
    both = [
        threshold(over_level(op(THREE), level), own, "B", {"D": 4096, "F": 4096}) for level in ("hbm", "l2", "smem")
    ]
    whole = threshold(THREE, own, "B", {"D": 4096, "F": 4096})
    assert whole.integer == max(each.integer for each in both)
    assert whole.trust == "kernel"


@pytest.mark.slow
def test_with_all_sizes_a_table_and_a_grade_have_the_answer(capsys: pytest.CaptureFixture[str]) -> None:
    own = "bf16=989 TFLOP/s, fp32-vector=66.9 TFLOP/s, hbm=3.35 TB/s, l2=5.5 TB/s, smem=33 TB/s"
    asked = ["--chip", own, "--for", "B", "--at", "D=4096,F=4096"]
    assert main(["derive", "--as", "table", THREE, *asked]) == 0
    assert capsys.readouterr().out.split()[-1] == "345"
    assert main(["grade", "--op", THREE, *asked, "--asks", "smallest", "--answer", "345", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["grade"] == "right"
    assert main(["derive", "--as", "table", THREE, *asked[:-1], "D=4096"]) == 2
    assert "more than 200 cases; give sizes" in capsys.readouterr().err


@pytest.mark.slow
def test_a_threshold_proved_among_whole_numbers_grades_as_its_closed_form(capsys: pytest.CaptureFixture[str]) -> None:
    """The root 476.45 is not proved, but the integers from 477 up are, and they give the same threshold."""
    asked = ["--op", "prefill", "--chip", "h100-sxm", "--for", "d", "--at", "V=64,B=2048,L=100,N=128,h=3"]
    for asks, answer, status in (("smallest", "477", 0), ("smallest", "476", 1), ("threshold", "d >= 477", 0)):
        assert main(["grade", *asked, "--asks", asks, "--answer", answer, "--json"]) == status
        assert json.loads(capsys.readouterr().out)["grade"] == ("wrong" if status else "right")
