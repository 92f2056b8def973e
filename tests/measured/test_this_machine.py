"""The roofs of this machine: the shape of what is measured, not its speed."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from roofproof.cli import main
from roofproof.export.plots.working_sets import working_sets
from roofproof.hardware import load_chip
from roofproof.measured import machine
from roofproof.measured.kernels import Kernels
from roofproof.measured.machine import Level, Machine, Reading, chip_text

ONE = Reading("triad", 2.5e10, 2.4e10, 25, 2, True)
OTHER = Reading("copy", 2.0e10, 1.9e10, 25, 2, True)


def test_a_chip_file_has_the_best_kernel_and_the_others_as_its_ceilings(tmp_path: Path) -> None:
    found = Machine(
        'A "processor"\n', 2, {"fp64": (Reading("gemm-blas", 1e11, 9e10, 25, 2, True), OTHER)},
        (Level("l1", 2**16, 2**15, 2**14, (ONE, OTHER)), Level("dram", 0, 0, 2**28, (OTHER, ONE))), {}, ("busy",),
    )  # fmt: skip
    (tmp_path / "this.toml").write_text(chip_text(found))
    read = load_chip(tmp_path / "this.toml")
    assert read.peak("fp64").value == 10**11 and read.ceiling("copy", "fp64").value == 2 * 10**10
    assert read.bandwidth("l1").value == 25 * 10**9 and read.bandwidth("dram").value == 2 * 10**10
    assert read.capacity("l1").value == 2**15 and read.bandwidth("l1").ends == (24 * 10**9, 26 * 10**9)


def test_rounds_go_on_until_they_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    spans = iter([1.0] * 3 + [4, 4, 4, 4, 4, *[2] * 5, *[1] * 25])  # the machine gets less busy: 5 rounds at its best
    monkeypatch.setattr(machine, "_side_by_side", lambda *_: next(spans))
    settings = machine.Settings(False, [0], 0.5, machine.ROUNDS)
    found = machine.best("k", 8, settings, [lambda times: None])
    assert found == Reading("k", 8.0, 0.97 * 8.0, 35, 1, True)
    assert next(spans, None) is None


def test_what_does_not_settle_is_told_with_its_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    from itertools import count

    every = count(1)
    monkeypatch.setattr(machine, "_side_by_side", lambda *_: float(next(every)))
    found = machine.best("k", 8, machine.Settings(False, [0], 0.5, 5), [lambda times: None])
    assert not found.steady and found.runs == machine.LONGEST * machine.RUNS and found.low < found.rate < found.high


@pytest.mark.skipif(not find_spec("numba"), reason="numba is not installed; cure: pip install 'roofproof[measure]'")
def test_the_quick_form_writes_a_chip_that_a_command_takes(tmp_path: Path) -> None:
    file = tmp_path / "this.toml"
    command = [sys.executable, "-m", "roofproof", "measure", "--quick", "-o", str(file), "--json"]
    said = json.loads(subprocess.run(command, capture_output=True, check=True, timeout=300).stdout)
    assert {f["figure"] for f in said["figures"]} >= {"fp64", "fp32", "dram"}
    assert all(f["low"] <= f["best"] <= f["high"] and f["runs"] == 15 for f in said["figures"])
    assert main(["derive", "fp64[m,k], fp64[k,n] -> fp64[m,n]", "--chip", str(file), "--for", "m"]) == 0


def test_working_sets_are_drawn_with_the_caches() -> None:
    sweep = {"read": ((2**14, 1e11), (2**20, 5e10)), "copy": ((2**14, 8e10), (2**20, 3e10))}
    found = Machine("A processor", 1, {}, (Level("l2", 2**17, 2**17, 2**16, (ONE,)),), sweep, ())
    assert len(working_sets(found, "zh").curves) == 3


def test_no_caches_told_are_no_levels(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(machine, "CACHES", tmp_path)
    assert machine._caches([0, 1]) == {}
    assert [name for name, *_ in machine.footprints({}, 2)] == ["dram"]


def test_one_core_hidden_caches_no_blas_and_a_clock_that_changes_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def unsteady(kernel: str, *_: object, **__: object) -> Reading:
        asked.append(kernel)
        return Reading(kernel, 2.0, 1.0, 200, 1, steady=False)

    monkeypatch.setattr(machine, "processors", lambda: [0])
    monkeypatch.setattr(machine, "kernels", lambda: Kernels(lambda depth: print, print, print, print, print))
    monkeypatch.setattr(machine, "best", unsteady)
    monkeypatch.setattr(machine, "_caches", lambda _: {})
    monkeypatch.setattr("numpy.show_config", lambda mode: {"Build Dependencies": {}})
    found = machine.measure(quick=True)
    assert "one core: bandwidths are those of one core, which may be less than the memory's" in found.notes
    assert "the system tells no caches: no level but the memory is measured" in found.notes
    assert "8 of 8 figures did not settle within 3%: other work, or a changing clock" in found.notes
    assert asked.count("gemm-numpy") == 2 and [level.name for level in found.levels] == ["dram"]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (
            "4096,4096,4096,1",
            "all times are compute-bound, which does not tell the other ceiling; add sizes beyond the",
        ),
        ("1,4096,4096,1", "all times are memory-bound, which does not tell the other ceiling; add sizes beyond the"),
    ],
)
def test_a_table_of_one_size_tells_no_ceiling(
    rows: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "t.csv").write_text("m,n,k,ms\n" + f"{rows}\n" * 30)
    out = tmp_path / "c.toml"
    assert main(["fit", str(tmp_path / "t.csv"), "--chip", "h100-sxm", "-o", str(out)]) == 2
    refused = capsys.readouterr().err
    assert said in refused and refused.count("\n") == 1 and not out.exists()
