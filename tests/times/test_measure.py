"""Measured rates of this machine: the form of the results, not their values."""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofproof.cli import main
from roofproof.hardware import load_chip
from roofproof.times import measure
from roofproof.times.measure import LONGEST, ROUNDS, Machine, MeasuredRate, best_rate, chip_text

COPY = MeasuredRate("copy", "B/s", 2.0e10, 1.9e10, 5, True)
PRODUCT = MeasuredRate('product by "blas"', "FLOP/s", 1e11, 9e10, 7, False)


def test_a_chip_file_has_each_rate_with_its_interval(tmp_path: Path) -> None:
    found = Machine('A "processor"\n', {"fp64": PRODUCT, "dram": COPY}, ("busy",), {"l2": 2**20})
    (tmp_path / "this.toml").write_text(chip_text(found))
    read = load_chip(tmp_path / "this.toml")
    assert read.peak("fp64").value == 10**11 and read.peak("fp64").ends == (9 * 10**10, 11 * 10**10)
    assert read.bandwidth("dram").value == 2 * 10**10 and read.capacity("l2").value == 2**20
    assert {figure.status for figure in read.supplies} == {"measured"}


def agree(rates: list[float]) -> bool:
    best = sorted(rates)[-ROUNDS:]
    return len(best) == ROUNDS and best[0] > 0.97 * best[-1]


@given(st.lists(st.floats(1, 1.1), min_size=LONGEST, max_size=LONGEST))
def test_rounds_go_on_until_the_best_agree_and_the_interval_holds_them(seconds: list[float]) -> None:
    spans = iter([1.0, *seconds])  # the first span sets how often a round repeats the kernel
    found = best_rate("k", "B/s", 8, lambda: None, lambda *_: next(spans))
    rates = [8 / each for each in seconds[: found.runs]]
    assert found.rate == max(rates) and found.steady == agree(rates)
    assert found.runs == LONGEST or found.steady
    assert not any(agree(rates[:k]) for k in range(found.runs))
    assert found.low <= 0.97 * sorted(rates)[-ROUNDS] and found.high == 2 * found.rate - found.low
    assert found.steady or found.low <= 0.97 * median(rates)


def test_a_machine_that_is_busy_now_and_then_is_measured_by_its_best_rounds() -> None:
    spans = iter([4.0, 4, 2, 1, 1, 1, 2, 1, 1 / 0.98])
    found = best_rate("k", "B/s", 8, lambda: None, lambda *_: next(spans))
    assert (found.rate, found.runs, found.steady) == (8.0, 8, True)
    assert found.low == pytest.approx(0.97 * 8 * 0.98) and found.high == pytest.approx(16 - found.low)
    assert next(spans, None) is None


def test_what_does_not_settle_is_told_with_its_interval() -> None:
    rounds = count(1)
    found = best_rate("k", "B/s", 8, lambda: None, lambda *_: float(next(rounds)))
    assert not found.steady and found.runs == LONGEST and found.low < found.rate < found.high
    assert best_rate("k", "B/s", 8, lambda: None, lambda *_: 1.0, quick=True).runs == 2 < ROUNDS


def test_the_quick_form_writes_a_chip_that_a_command_takes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "this.toml"
    assert main(["calibrate", "--this-machine", "--quick", "-o", str(file), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert [f["figure"] for f in said["figures"]] == ["fp64", "fp32", "dram"]
    assert all(f["low"] <= f["best"] <= f["high"] and f["runs"] == 2 for f in said["figures"])
    assert main(["derive", "fp64[m,k], fp64[k,n] -> fp64[m,n]", "--chip", str(file), "--for", "m"]) == 0


def test_a_gpu_that_is_not_there_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    assert main(["calibrate", "--this-machine", "--device", "cuda", "-o", "x.toml"]) == 2
    assert "PyTorch" in capsys.readouterr().err


def test_products_of_pytorch_are_those_of_the_format() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed; cure: pip install 'roofproof[torch]'")
    for name in ("fp32", "fp64", "bf16", "int8"):
        found = measure.torch_product(torch, name, 32, "cpu")()
        assert found.shape == (32, 32) and str(found.dtype)[6:] in (measure.FORMATS[name], "int32")
