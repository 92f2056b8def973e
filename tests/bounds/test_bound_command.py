"""`roofproof bound`: what cannot be bounded is refused in one line, in both languages."""

import json

import pytest

from roofproof.cli import main


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
    assert capsys.readouterr().err.count("\n") == 1


def test_the_record_of_a_bound(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bound", "matmul", "--chip", "h100-sxm", "--level", "smem", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["memory_bytes"] == "233472" and record["trust"] == "kernel"
    assert record["regions"]["here"] == "no schedule" and record["tile"]["integer_sides"] == {"B": 340, "F": 340}
    assert any("not proved" in said for said in record["rests_on"])


def test_every_bound_is_told_in_every_form(capsys: pytest.CaptureFixture[str]) -> None:
    several = ("bf16[n], bf16[n] -> bf16[n]", "bf16[M,K], bf16[K,R] -> bf16[M,R]", "fp32[m,n] -> fp32[m]")
    for op in ("dot", "matvec", "batched-matmul:int8", "bf16[a,b], bf16[b,c], bf16[c,d] -> bf16[a,d]", *several):
        for form in ([], ["--latex"], ["--json"], ["--lang", "zh"], ["--chip", "tpu-v5e"], ["--memory", "1 KiB"]):
            assert main(["bound", op, *form]) == 0, (op, form)
            assert capsys.readouterr().out
