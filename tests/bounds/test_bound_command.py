"""`roofproof bound`: what cannot be bounded is refused in one line, in both languages."""

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


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["attention"], "is several statements in a row"),
        (["convolution"], "is not projective: index P + R - 1 of x is no loop that stands alone"),
        (["softmax"], "is not projective: index N of x"),
        (["tiled-matmul"], "is not counted as one product of tensors"),
        (["matmul", "--memory", "5B"], "does not hold one element of each tensor of matmul, 6 bytes"),
        (["matmul", "--chip", "tpu-v5e", "--level", "smem"], "chip 'tpu-v5e' has no capacity of 'smem'"),
        (["matmul", "--level", "smem"], "a level is one of a chip"),
        (["matmul", "--memory", "1 MiB", "--chip", "h100-sxm", "--level", "smem"], "one of them at a time"),
        (["matmul", "--chip", "bf16=1 TFLOP/s, hbm=1 TB/s"], "has no capacity of an on-chip memory"),
    ],
)
def test_what_cannot_be_bounded_is_refused(words: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bound", *words]) == 2
    told = capsys.readouterr().err
    assert says in told and told.count("\n") == 1
    assert main(["bound", *words, "--lang", "zh"]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1 and CHINESE.search(told)


def test_the_record_of_a_bound(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bound", "matmul", "--chip", "h100-sxm", "--level", "smem", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["memory_bytes"] == "233472" and record["trust"] == "kernel"
    assert record["regions"]["here"] == "no schedule" and record["tile"]["integer_sides"] == {"B": 340, "F": 340}
    assert any("theorem of Coq" in said for said in record["rests_on"])


def test_what_is_found_at_sizes_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """The best tile with whole sides, by exhaustion; of loops too long to be looked through nothing is said of it."""
    given = ["bound", "matmul", "--memory", "2KiB", "--at"]
    assert main([*given, "B=256,D=256,F=256"]) == 0
    assert "of all whole sides and streamed loops the best: D streamed, B 32, F 29" in capsys.readouterr().out
    assert main([*given, "B=256,D=256,F=256", "--json"]) == 0
    best = json.loads(capsys.readouterr().out)["best_whole_tile"]
    assert best == {"streamed": "D", "sides": {"B": 32, "F": 29}, "bytes": "2359296"}
    assert main([*given, "B=1000000000000000000000,D=3,F=5"]) == 0
    assert "of all whole sides" not in capsys.readouterr().out


def test_what_a_tile_is_is_told_in_both_languages(capsys: pytest.CaptureFixture[str]) -> None:
    for op, says, said in (
        ("matmul", "best tile: z held, D streamed", "最优分块"),
        (
            "int8[i,j,k], int8[j,r], int8[k,r] -> int8[i,r]",
            "tile that no schedule beats as the memory grows",
            "没有调度",
        ),
        ("int8[a,d], bf16[c,d], int8[a,b,c] -> int8[b]", "tile within a constant factor", "常数倍"),
    ):
        assert main(["bound", op]) == 0 and says in capsys.readouterr().out
        assert main(["bound", op, "--lang", "zh"]) == 0 and said in capsys.readouterr().out
        assert main(["bound", op, "--latex"]) == 0 and says.partition(":")[0] in capsys.readouterr().out
        assert main(["bound", op, "--json"]) == 0
        tile = json.loads(capsys.readouterr().out)["tile"]
        assert (tile["at_most"] is None) == (op == "matmul") and (tile["limit"] == "1") == ("constant" not in says)


def test_every_bound_is_told_in_every_form(capsys: pytest.CaptureFixture[str]) -> None:
    several = ("bf16[n], bf16[n] -> bf16[n]", "bf16[M,K], bf16[K,R] -> bf16[M,R]", "fp32[m,n] -> fp32[m]")
    for op in ("dot", "matvec", "batched-matmul:int8", "bf16[a,b], bf16[b,c], bf16[c,d] -> bf16[a,d]", *several):
        for form in ([], ["--latex"], ["--json"], ["--lang", "zh"], ["--chip", "tpu-v5e"], ["--memory", "1 KiB"]):
            assert main(["bound", op, *form]) == 0, (op, form)
            assert capsys.readouterr().out


def test_what_moves_is_drawn_against_the_memory(tmp_path: Path) -> None:
    slope, plane = tmp_path / "slope.svg", tmp_path / "map.tex"
    given = ["bound", "matmul", "--chip", "h100-sxm", "--level", "smem", "--at", "D=8192,F=8192"]
    assert main([*given, "--at", "B=8192", "--plot", str(slope)]) == 0 and slope.read_text("utf-8").count("<svg") == 1
    assert main([*given, "--for", "B", "--plot", str(plane)]) == 0 and "schedule" in plane.read_text("utf-8")


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["matmul", "--plot", "a.svg"], "has no size for B, D, F; give it"),
        (["matmul", "--plot", "a.svg", "--for", "B", "--at", "D=8,F=8"], "is that of a chip"),
        (["matmul", "--plot", "a.svg", "--for", "Q", "--chip", "h100-sxm"], "Q is no dimension of matmul"),
        (["matmul", "--for", "B"], "give --plot FILE with it"),
        (["matmul", "--plot", "a.docx"], "expected a name that ends in"),
        (["stencil5", "--plot", "a.svg"], "--plot is of one product of tensors; leave it out for stencil5"),
        (["stencil5", "--chip", "h100-sxm"], "name the memory of the chip"),
        (["matmul", "--plot", "/nowhere/at/all/a.svg", "--at", "B=8,D=8,F=8"], "cannot write '/nowhere/at/all/a.svg'"),
    ],
)
def test_what_cannot_be_drawn_is_refused(words: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bound", *words]) == 2
    told = capsys.readouterr().err
    assert says in told and told.count("\n") == 1
    assert main(["bound", *words, "--lang", "zh"]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1 and CHINESE.search(told)


def test_the_map_is_that_of_the_bounds() -> None:
    """At each point of a grid, away from the edges: the region of the exact bounds."""
    found = bound(parse_operation("matmul"), chip=chip("h100-sxm"), level="smem", at={"D": 8192, "F": 8192})
    numbers, least = Numbers(found), found.nest.compulsory
    put = dict.fromkeys(found.nest.points.free_symbols, 8192)
    for memory in (2**12, 2**16, 2**20):
        exact = max(float(e.subs(put).subs(found.memory, memory)) for e in (least, *(b.value for b in found.lower)))
        assert math.isclose(numbers.least(numbers.lengths({"B": 8192, "D": 8192, "F": 8192}), memory), exact)
        tiled = bound(parse_operation("matmul"), memory, at={"B": 8192, "D": 8192, "F": 8192}).reached
        drawn = numbers.reached(numbers.lengths({"B": 8192, "D": 8192, "F": 8192}), numbers.sides(memory))
        assert drawn <= float(tiled) <= 1.1 * drawn  # whole sides move a little more


@pytest.mark.parametrize(("on", "said"), [("h100-sxm", True), ("tpu-v5e", False), ("mi300x", False)])
def test_derive_says_where_the_nearest_memory_alone_is_not_enough(
    on: str, said: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    """R is 1.7 times sqrt(228 KiB/8) on an H100; a TPU has memory enough, an MI300X 2.7 times too much speed."""
    assert main(["derive", "matmul", "--chip", on, "--for", "B"]) == 0
    told = capsys.readouterr().out
    assert ("even with 228 KiB of smem no schedule is compute-bound where B*D*F >= 94661000" in told) == said
    assert ("no schedule" in told) == said


def test_the_nearest_memory_is_not_enough_in_every_form(capsys: pytest.CaptureFixture[str]) -> None:
    for form in (["--latex"], ["--json"], ["--lang", "zh"]):
        assert main(["derive", "matmul", "--chip", "h100-sxm", "--for", "B", *form]) == 0
        assert "228" in (told := capsys.readouterr().out) or '"memory_bytes": "233472"' in told
    for op in ("attention", "bf16[a,b], bf16[b,c], bf16[c,d] -> bf16[a,d]", "matvec", "add"):
        assert main(["derive", op, "--chip", "h100-sxm", "--for", "L" if op == "attention" else "a" if "a,b" in op else
                     "D" if op == "matvec" else "N"]) == 0  # fmt: skip
        assert "no schedule" not in capsys.readouterr().out
