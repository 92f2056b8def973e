"""`roofproof traffic` prints, exports and plots bounds, and refuses other operations in one line, in both languages."""

import json
import math
import re
from pathlib import Path

import pytest

from roofproof.bounds import bound
from roofproof.cli import main
from roofproof.export.plots.memories import Numbers
from roofproof.hardware import chip
from roofproof.ops import parse_operation

CHINESE = re.compile("[\u4e00-\u9fff]")


def refused_in_both_languages(words: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["traffic", *words]) == 2
    told = capsys.readouterr().err
    assert says in told and told.count("\n") == 1
    assert main(["traffic", *words, "--lang", "zh"]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1 and CHINESE.search(told)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["attention"], "is several products in a row"),
        (["convolution"], "is not a plain product of tensors: x has the index P + R - 1"),
        (["softmax"], "is not a plain product of tensors: x has the index N"),
        (["tiled-matmul"], "is not a single product of tensors"),
        (["matmul", "--memory", "5B"], "cannot hold one element of each tensor of matmul; give it at least 6 bytes"),
        (["matmul", "--chip", "tpu-v5e", "--level", "smem"], "chip 'tpu-v5e' has no capacity of 'smem'"),
        (["matmul", "--level", "smem"], "a memory level belongs to a chip"),
        (["matmul", "--memory", "1 MiB", "--chip", "h100-sxm", "--level", "smem"], "use only one of"),
        (["matmul", "--chip", "bf16=1 TFLOP/s, hbm=1 TB/s"], "has no capacity of an on-chip memory"),
    ],
)
def test_what_cannot_be_bounded_is_refused(words: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    refused_in_both_languages(words, says, capsys)


def test_the_record_of_a_bound(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["traffic", "matmul", "--chip", "h100-sxm", "--level", "smem", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["memory_bytes"] == "233472" and record["trust"] == "kernel"
    assert record["regions"]["here"] == "no schedule" and record["tile"]["integer_sides"] == {"B": 340, "F": 340}
    assert any("theorem of Coq" in said for said in record["rests_on"])


def test_a_product_without_a_best_tile_is_bounded_alone(capsys: pytest.CaptureFixture[str]) -> None:
    for op, best in (("matmul", True), ("int8[i,j,k], int8[j,r], int8[k,r] -> int8[i,r]", False)):
        for form, says, said in (([], "best tile: ", "no best tile"), (["--lang", "zh"], "驻留", "没有此乘积")):
            assert main(["traffic", op, *form]) == 0
            told = capsys.readouterr().out
            assert (says in told) == best and (said in told) != best
        assert main(["traffic", op, "--json"]) == 0
        assert (json.loads(capsys.readouterr().out)["tile"] is not None) == best


@pytest.mark.parametrize("op", ["stencil5", "stencil7", "stencil27", "attention-core", "flash-attention"])
def test_what_is_no_product_is_derived_instead(op: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["traffic", op, "--memory", "32KiB"]) == 2
    told = capsys.readouterr().err
    assert "use `roofproof derive " in told and told.count("\n") == 1
    assert main(["derive", told.split("derive ")[1].rstrip("`\n")]) == 0


def test_every_bound_is_told_in_every_form(capsys: pytest.CaptureFixture[str]) -> None:
    several = ("bf16[n], bf16[n] -> bf16[n]", "bf16[M,K], bf16[K,R] -> bf16[M,R]", "fp32[m,n] -> fp32[m]")
    for op in ("dot", "matvec", "batched-matmul:int8", "bf16[a,b], bf16[b,c], bf16[c,d] -> bf16[a,d]", *several):
        for form in ([], ["--latex"], ["--json"], ["--lang", "zh"], ["--chip", "tpu-v5e"], ["--memory", "1 KiB"]):
            assert main(["traffic", op, *form]) == 0, (op, form)
            assert capsys.readouterr().out


def test_what_moves_is_drawn_against_the_memory(tmp_path: Path) -> None:
    slope, plane = tmp_path / "slope.svg", tmp_path / "map.tex"
    given = ["traffic", "matmul", "--chip", "h100-sxm", "--level", "smem", "--at", "D=8192,F=8192"]
    assert main([*given, "--at", "B=8192", "--plot", str(slope)]) == 0 and slope.read_text("utf-8").count("<svg") == 1
    assert main([*given, "--for", "B", "--plot", str(plane)]) == 0 and "schedule" in plane.read_text("utf-8")


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["matmul", "--plot", "a.svg"], "has no size for B, D, F; give it"),
        (["matmul", "--plot", "a.svg", "--for", "B", "--at", "D=8,F=8"], "needs a chip"),
        (["matmul", "--plot", "a.svg", "--for", "Q", "--chip", "h100-sxm"], "Q is not a dimension of matmul"),
        (["matmul", "--for", "B"], "--for requires --plot FILE"),
        (["matmul", "--plot", "a.docx"], "expected a name that ends in"),
        (["matmul", "--plot", "/nowhere/at/all/a.svg", "--at", "B=8,D=8,F=8"], "cannot write '/nowhere/at/all/a.svg'"),
    ],
)
def test_what_cannot_be_drawn_is_refused(words: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    refused_in_both_languages(words, says, capsys)


def test_the_map_is_that_of_the_bounds() -> None:
    """The values that the map uses equal the exact bounds, for several memory sizes."""
    found = bound(parse_operation("matmul"), chip=chip("h100-sxm"), level="smem", at={"D": 8192, "F": 8192})
    numbers, least = Numbers(found), found.nest.compulsory
    put = dict.fromkeys(found.nest.points.free_symbols, 8192)
    for memory in (2**12, 2**16, 2**20):
        exact = max(float(e.subs(put).subs(found.memory, memory)) for e in (least, *(b.value for b in found.lower)))
        assert math.isclose(numbers.least(numbers.lengths({"B": 8192, "D": 8192, "F": 8192}), memory), exact)
        tiled = bound(parse_operation("matmul"), memory, at={"B": 8192, "D": 8192, "F": 8192}).reached
        drawn = numbers.reached(numbers.lengths({"B": 8192, "D": 8192, "F": 8192}), numbers.sides(memory))
        assert drawn <= float(tiled) <= 1.1 * drawn  # integer sides move a little more
