"""The roofs of this machine: the shape of what is measured, not its speed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from importlib.util import find_spec
from itertools import count, pairwise
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roofproof.cli import main
from roofproof.errors import RoofproofError
from roofproof.export.plots.working_sets import working_sets
from roofproof.hardware import load_chip
from roofproof.measured import machine
from roofproof.measured.bursts import CALLS, WINDOW, calls_a_second, most_in_a_window
from roofproof.measured.kernels import Kernels
from roofproof.measured.machine import Level, Machine, MeasuredRate, chip_text

ONE = MeasuredRate("triad", 2.5e10, 2.4e10, 25, 2, True)
OTHER = MeasuredRate("copy", 2.0e10, 1.9e10, 25, 2, True)


def test_a_chip_file_has_the_best_kernel_and_the_others_as_its_ceilings(tmp_path: Path) -> None:
    found = Machine(
        'A "processor"\n', 2, {"fp64": (MeasuredRate("gemm-blas", 1e11, 9e10, 25, 2, True), OTHER)},
        (Level("l1", 2**16, 2**15, 2**14, (ONE, OTHER)), Level("dram", 0, 0, 2**28, (OTHER, ONE))), {}, ("busy",),
    )  # fmt: skip
    (tmp_path / "this.toml").write_text(chip_text(found))
    read = load_chip(tmp_path / "this.toml")
    assert read.peak("fp64").value == 10**11 and read.ceiling("copy", "fp64").value == 2 * 10**10
    assert read.bandwidth("l1").value == 25 * 10**9 and read.bandwidth("dram").value == 2 * 10**10
    assert read.capacity("l1").value == 2**15 and read.bandwidth("l1").ends == (24 * 10**9, 26 * 10**9)


def _rates(monkeypatch: pytest.MonkeyPatch, rates: Iterable[float]) -> Iterator[float]:
    following = iter(rates)
    monkeypatch.setattr(machine, "calls_a_second", lambda *_: next(following))
    return following


def test_rounds_go_on_until_the_best_of_them_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    following = _rates(monkeypatch, [0.25, 0.5, 1.0, 1.0, 1.0, 0.5, 1.0, 0.98])  # the machine is busy now and then
    found = machine.best("k", 8, machine.Settings(False, [0], 0.0, machine.ROUNDS), [lambda times: None])
    assert found == MeasuredRate("k", 8.0, 0.97 * 8 * 0.98, 8 * machine.BURSTS, 1, True)
    assert next(following, None) is None


def test_what_does_not_settle_is_told_with_its_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    _rates(monkeypatch, (1 / k for k in count(1)))
    found = machine.best("k", 8, machine.Settings(False, [0], 0.0, 5), [lambda times: None])
    assert not found.steady and found.runs == machine.LONGEST * machine.BURSTS and found.low < found.rate < found.high


def test_kernels_are_measured_in_turn_until_all_have_settled(monkeypatch: pytest.MonkeyPatch) -> None:
    twice, asked = machine.Settings(False, [0], 0.0, 2), []
    steady, late = (machine.Gauge(name, 1, [lambda times: None], twice, 1) for name in ("steady", "late"))
    _rates(monkeypatch, [1, 1, 1, 0.5, 1, 1])  # the second figure of each round is late's
    assert machine.in_rounds({"a": [steady], "b": [late]}, twice, asked.append) == 3
    assert steady.bests == [1, 1, 1] and late.bests == [1, 0.5, 1]
    assert asked == [f"round {k}, {name}" for k in (1, 2, 3) for name in "ab"]


def test_a_busy_machine_is_told_how_long_it_took(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine.os, "getloadavg", lambda: (9.0 * (os.cpu_count() or 1), 0, 0))
    assert any(
        note.startswith("the machine was busy before (9.0 processes a core): 2 rounds in ")
        for note in _stubbed(monkeypatch).notes
    )


@settings(max_examples=30)
@given(st.lists(st.lists(st.floats(1e-4, 3e-3), min_size=5, max_size=24), min_size=1, max_size=4))
def test_a_window_never_counts_more_than_was_done_in_it(calls: list[list[float]]) -> None:
    stamps = [np.cumsum([0.0, *each]) for each in calls]
    window = (1 - 1e-6) * max(WINDOW, (CALLS if len(calls) > 1 else 1) * min(float(np.diff(s).min()) for s in stamps))
    done = [0.0]
    for own in stamps:
        for begin in own:
            end = next((later for later in own if later >= begin + window), None)
            if end is not None:
                inside = [a >= begin and b <= end for s in stamps for a, b in pairwise(s)]
                done.append(sum(inside) / (end - begin))
    assert most_in_a_window(stamps) == pytest.approx(max(done))


def test_what_other_work_takes_away_is_never_added() -> None:
    together = np.linspace(0, 4e-3, 33)
    taken = np.concatenate([together[:9], together[9:] + 9e-3])  # away for 9 ms after the first
    assert most_in_a_window([together, together]) == pytest.approx(16_000)
    assert most_in_a_window([together, taken]) == pytest.approx(16_000)
    behind = np.concatenate([[0.0], together + 5e-3])  # begins when the other has ended
    assert most_in_a_window([together, behind]) == pytest.approx(8_000)


def test_a_kernel_that_fails_is_told_and_no_thread_waits_for_it() -> None:
    def fails(_: int) -> None:
        raise ValueError("no such array")

    with pytest.raises(RoofproofError, match="failed in its thread, and there is nothing to measure by: no such array"):
        calls_a_second([fails, lambda times: None], 1, machine.processors() * 2, 2)


@pytest.mark.slow
@pytest.mark.skipif(not find_spec("numba"), reason="numba is not installed; cure: pip install 'roofproof[measure]'")
def test_the_quick_form_writes_a_chip_that_a_command_takes(tmp_path: Path) -> None:
    file = tmp_path / "this.toml"
    command = [sys.executable, "-m", "roofproof", "measure", "--quick", "-o", str(file), "--json"]
    said = json.loads(subprocess.run(command, capture_output=True, check=True, timeout=300).stdout)
    assert {f["figure"] for f in said["figures"]} >= {"fp64", "fp32", "dram"}
    assert all(f["low"] <= f["best"] <= f["high"] and f["runs"] == 8 for f in said["figures"])
    assert main(["derive", "fp64[m,k], fp64[k,n] -> fp64[m,n]", "--chip", str(file), "--for", "m"]) == 0


def test_working_sets_are_drawn_with_the_caches() -> None:
    sweep = {"read": ((2**14, 1e11), (2**20, 5e10)), "copy": ((2**14, 8e10), (2**20, 3e10))}
    found = Machine("A processor", 1, {}, (Level("l2", 2**17, 2**17, 2**16, (ONE,)),), sweep, ())
    assert len(working_sets(found, "zh").curves) == 3


def test_no_caches_told_are_no_levels(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(machine, "CACHES", tmp_path)
    assert machine._caches([0, 1]) == {}
    assert [name for name, *_ in machine.footprints({})] == ["dram"]


def _stubbed(monkeypatch: pytest.MonkeyPatch, cores: int = 1) -> Machine:
    """Return what is measured quickly, of kernels that do nothing."""

    def nothing(*_: object) -> None:
        return None

    monkeypatch.setattr(machine, "processors", lambda: list(range(cores)))
    monkeypatch.setattr(machine, "CACHES", Path("no caches"))
    monkeypatch.setattr(machine, "kernels", lambda: Kernels(lambda depth: nothing, nothing, nothing, nothing, nothing))
    _rates(monkeypatch, (k % 3 + 1 for k in count()))
    return machine.measure(quick=True)


def test_one_core_hidden_caches_no_blas_and_a_clock_that_changes_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("numpy.show_config", lambda mode: {"Build Dependencies": {}})
    monkeypatch.setattr(machine, "one_thread_products", lambda: nullcontext(False))
    found = _stubbed(monkeypatch)
    assert "no BLAS: numpy names none, and products are loops of its own" in found.notes
    assert not any("threads of numpy's BLAS" in note for note in found.notes)
    assert "one core: bandwidths are those of one core, which may be less than the memory's" in found.notes
    assert "the system tells no caches: no level but the memory is measured" in found.notes
    assert "8 of 8 figures did not settle within 3%: other work, or a changing clock" in found.notes
    assert {r.kernel for r in found.peaks["fp64"]} == {"fma-loop", "gemm-numpy"}
    assert [level.name for level in found.levels] == ["dram"]


def test_products_share_the_threads_of_a_blas_that_cannot_be_held_to_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "threadpoolctl", None)
    said = "products run on the threads of numpy's BLAS; threadpoolctl would give each core its own"
    assert said in _stubbed(monkeypatch, 2).notes
    monkeypatch.setitem(
        sys.modules, "threadpoolctl",
        SimpleNamespace(threadpool_limits=lambda *_: nullcontext(), threadpool_info=lambda: [{"user_api": "blas"}]),
    )  # fmt: skip
    assert said not in _stubbed(monkeypatch, 2).notes


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (
            "\n".join(f"4096,{n},4096,{n}" for n in (1024, 2048, 3072, 4096, 8192)),
            "all times are compute-bound, which does not tell the other ceiling; add sizes beyond the",
        ),
        (
            "\n".join(f"1,{n},4096,{n}" for n in (1024, 2048, 3072, 4096, 8192)),
            "all times are memory-bound, which does not tell the other ceiling; add sizes beyond the",
        ),
        ("1,4096,4096,1\n4096,4096,4096,1", "t.csv: times of 2 sizes; a fit takes at least 5"),
        ("1,4096,=2*2048,1", "t.csv, line 2: k: expected a whole number from 1 on, got '=2*2048'"),
    ],
)
def test_a_table_of_few_sizes_tells_no_ceiling(
    rows: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "t.csv").write_text("m,n,k,ms\n" + f"{rows}\n" * 30)
    out = tmp_path / "c.toml"
    assert main(["fit", str(tmp_path / "t.csv"), "--chip", "h100-sxm", "-o", str(out)]) == 2
    refused = capsys.readouterr().err
    assert said in refused and refused.count("\n") == 1 and not out.exists()


@pytest.mark.parametrize(("quick", "due"), [(True, 1), (False, machine.ROUNDS)])
def test_a_quick_measurement_that_is_late_begins_no_second_round(monkeypatch, quick, due):
    monkeypatch.setattr(machine, "SHORT", -1.0)
    monkeypatch.setattr(machine, "LONG", -1.0)
    assert (
        machine.in_rounds({}, machine.Settings(quick, [0], machine.PIECE, 2 if quick else machine.ROUNDS), str) == due
    )
