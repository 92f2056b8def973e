"""The roofs of an accelerator: figures are work over time, and what is missing is said."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from roofproof.cli import main
from roofproof.hardware.reading import chip_from_toml
from roofproof.measured import accelerator
from roofproof.measured.accelerator import MOVES, Device, Unsupported, measure_device
from roofproof.measured.bursts import Run
from roofproof.measured.crossover import crossovers
from roofproof.measured.machine import chip_text
from roofproof.measured.sweeps import device_sweeps

PEAK, BANDWIDTH, START = 1e12, 4e10, 1e-6


class Timed(Device):
    """A device whose kernels take the longer of FLOPs over PEAK and bytes over BANDWIDTH."""

    def __init__(self) -> None:
        super().__init__("A device", "a library", 4, 2**24, 2**32, "arithmetic")

    def product(self, form: str, size: int, rows: int | None = None) -> Run:
        if form == "int8":
            raise Unsupported("no such product")
        rows = rows or size
        return self._takes(max(2 * rows * size**2 / PEAK, 2 * (2 * rows * size + size**2) / BANDWIDTH))

    def moves(self, kernel: str, elements: int) -> Run:
        return self._takes(4 * MOVES[kernel][1] * elements / BANDWIDTH)

    def fma(self, elements: int, depth: int = 512) -> Run:
        return self._takes(max(2 * depth * elements / PEAK, 8 * elements / BANDWIDTH))

    def nothing(self) -> Run:
        return self._takes(START)

    def span(self, each: Sequence[Run], times: int) -> float:
        return each[0](times)  # type: ignore[return-value]

    def alone(self, each: Sequence[Run], times: int) -> float:
        return times * (START + self.span(each, 1))

    def _takes(self, seconds: float) -> Run:
        return lambda times: times * seconds


def test_each_figure_is_work_over_time_and_what_is_missing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accelerator, "_watched", dict)
    found = measure_device(Timed())
    assert {name: round(r[0].rate, -6) for name, r in found.peaks.items()} == dict.fromkeys(
        ("bf16", "fp16", "tf32", "fp32", "fp64", "fp8", "fp32-vector"), PEAK
    )
    assert [level.name for level in found.levels] == ["l2", "hbm"]
    assert {round(r.rate) for level in found.levels for r in level.readings} == {round(BANDWIDTH)}
    assert {what: round(1e6 / r.rate, 3) for what, r in found.starts.items()} == {"in a row": 1.0, "alone": 2.0}
    assert "int8: not measured: no such product" in found.notes and "clock and temperature are not told" in found.notes
    read = chip_from_toml("this", chip_text(found).encode(), "this.toml")
    assert read.peak("fp16").value == 10**12 and read.bandwidth("hbm").value == 4 * 10**10
    assert read.capacity("l2").value == 2**24 and "4 multiprocessors" in read.peak("fp16").convention


def test_the_loop_crosses_where_the_figures_say() -> None:
    from roofproof.hardware import chip_from_text
    from roofproof.measured.amounts import demands
    from roofproof.measured.times import times_from_text
    from roofproof.ops import parse_operation

    loop, product = device_sweeps(Timed())
    on = chip_from_text("fp32-vector=1 TFLOP/s, fp16=1 TFLOP/s, hbm=40 GB/s, l2=16 MiB")
    for sweep, size in ((loop, "depth"), (product, "m")):
        table = times_from_text(sweep.csv, "t.csv")
        [one] = crossovers(table, demands(table, on, parse_operation(sweep.op)))
        assert one.size == size and one.floor.value == pytest.approx(one.measured.value, rel=1e-4)
    assert one.floor.value == pytest.approx(8192 / (8192 / 25 - 2), rel=1e-9)  # 2 m n k/25 = 2 (m k + k n + m n), n = k


def test_a_missing_device_is_refused_in_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(
        __import__("sys").modules, "torch", SimpleNamespace(cuda=SimpleNamespace(is_available=lambda: False))
    )
    monkeypatch.setitem(__import__("sys").modules, "jax", None)
    said = {
        "cuda": "--device cuda: PyTorch sees no GPU; expected one with its driver",
        "jax": "JAX is not installed; cure: pip install 'roofproof[jax]'",
    }
    for name, message in said.items():
        assert main(["measure", "--device", name, "-o", str(tmp_path / "a.toml")]) == 2
        assert capsys.readouterr().err == f"roofproof: {message}\n"
    assert main(["measure", "-o", str(tmp_path / "a.toml"), "--times", str(tmp_path / "none")]) == 2
    assert capsys.readouterr().err.endswith("no such folder; make it first\n") and not list(tmp_path.iterdir())
