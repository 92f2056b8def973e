"""The benchmarks run at small sizes and print what they measure. No test checks how long anything takes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.__main__ import NAMES
from benchmarks.__main__ import main as run_all
from benchmarks.report import alternating, slope, table
from benchmarks.scale import layers, network
from benchmarks.solver import forget
from benchmarks.sweeps import FORMULAS
from roofproof import threshold
from roofproof.derive.algebra.budget import remembered
from roofproof.ops import then
from roofproof.proofs.kernel.terms import Term, _fraction_of, normal_form

ROOT = Path(__file__).resolve().parent.parent


def run(*words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", *words], cwd=ROOT, capture_output=True, text=True,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_each_benchmark_prints_its_table(name: str, tmp_path: Path) -> None:
    said = run(name, "--quick", "--folder", str(tmp_path))
    assert "|---|" in said
    assert json.loads((tmp_path / f"{name}.json").read_text())


def test_an_unknown_benchmark_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run_all(["speed"])
    said = capsys.readouterr().err
    assert "unknown benchmark 'speed'; known: clock, scale, solver, sweeps, tracing" in said


def test_the_solver_is_measured_without_what_it_remembers() -> None:
    terms, x = [], Term("v", "x")

    @remembered(10)
    def noted(n: int) -> int:
        terms.append(n)
        return n

    assert normal_form(Term("+", x, x)) and [noted(1), noted(1)] == [1, 1] and len(terms) == 1
    forget()
    noted.cache_clear()  # type: ignore[attr-defined]
    assert _fraction_of.cache_info().currsize == 0 and noted(1) == 1 and len(terms) == 2


def test_what_is_measured_takes_turns() -> None:
    order: list[str] = []
    found = alternating({"a": lambda: order.append("a"), "b": lambda: order.append("b")}, 3)
    assert order == ["a", "b"] * 3
    assert set(found) == {"a", "b"}


def test_tables_and_exponents() -> None:
    assert table(["x", "y"], [["a", 1.234], ["b", 2]]).splitlines()[2:] == ["| a | 1.23 |", "| b | 2 |"]
    assert round(slope([(2, 8), (4, 16), (8, 32)]), 9) == 1
    assert round(slope([(1, 5), (1000, 5)]), 9) == 0


def test_the_formulas_written_by_hand_are_those_of_the_operations() -> None:
    import numpy as np

    from benchmarks.sweeps import CHIP
    from roofproof import chip, evaluate, op

    random = np.random.default_rng(1)
    for name, quantity, hand in FORMULAS.values():
        sizes = {s.name: random.integers(1, 10**4, 50) for s in op(name).dims}
        on = None if quantity == "flops" else chip(CHIP)
        assert np.allclose(hand(**sizes), evaluate(op(name), sizes, quantity, on), rtol=1e-13)


def test_what_is_deep_is_as_deep_as_it_says() -> None:
    assert len(then(*layers(30)).parts) == 30
    assert len(network(12).dims) == 13
    assert threshold(network(9), None, "B").trust == "kernel"


@pytest.mark.long
def test_a_threshold_of_twelve_parameters_is_proved_by_the_kernel() -> None:  # half a minute
    assert threshold(network(12), None, "B").trust == "kernel"
