"""Sweeps agree with exact substitution, never overflow silently, work in blocks, and write complete files or none."""

import io
from contextlib import redirect_stderr, redirect_stdout
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from roofproof import RoofproofError, chip, evaluate, op
from roofproof.cli import main
from roofproof.derive import sweep, sweeps
from roofproof.derive.inequalities.cases import substitute
from roofproof.derive.roofline.memory_fit import compared
from roofproof.derive.roofline.times import time
from roofproof.formula.logarithm import log2
from roofproof.ops import entries
from roofproof.symbols import dimension, quantity

B, D, F = map(dimension, "BDF")
V5E = chip("bf16=1.97e14 FLOP/s, hbm=8.2e11 B/s")
EVERYTHING = chip(
    "bf16=2e14 FLOP/s, fp32=1e14 FLOP/s, fp32-vector=1e13 FLOP/s, int8=4e14 FLOP/s, hbm=1e12 B/s, ici=9e10 B/s"
)
MATMUL = op("matmul")


def said(what: object) -> str:
    assert callable(what)
    with pytest.raises(RoofproofError) as caught:
        what()
    return str(caught.value)


def exactly(expr: sympy.Expr, point: dict[str, int]) -> Fraction:
    value = substitute(expr, point)
    if not value.is_Rational:
        value = sympy.Rational(str(sympy.N(value, 30)))
    return Fraction(int(value.p), int(value.q))


def test_flops_of_two_units_are_not_added():
    """The sum of FLOPs of two units over the time can exceed the peak of either, so it is refused."""
    counted = op("flash-attention:softmax=counted")
    for asked in ("flops", "attainable", "intensity"):
        told = said(lambda: evaluate(counted, {"L": 64, "h": 1, "k": 64}, asked, V5E))  # noqa: B023
        assert told.startswith(f"{asked} is that of one compute unit, and flash-attention has FLOPs of bf16, ")
    shared = op("flops bf16 = 6 N; flops int8 = 4 N; bytes hbm = N")  # on one unit times add up, FLOPs do not
    assert said(lambda: evaluate(shared, {"N": 8}, "attainable", chip("h100-sxm"))).endswith("or time:bf16")


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", sorted(entries()))
def test_every_operation_of_the_library_as_by_substitution(name: str) -> None:
    operation = op(name)
    points = np.random.default_rng(0).integers(2, 5000, (len(operation.dims), 5)) * 8
    sizes = {s.name: row for s, row in zip(operation.dims, points, strict=True)}
    for condition in (c for c in compared(operation) if all(size.is_Symbol for size in c.args)):  # for example, k <= V
        low, high = (sizes[str(size)] for size in condition.args)
        sizes |= zip(map(str, condition.args), (np.minimum(low, high), np.maximum(low, high)), strict=True)
    for wanted in ("flops", "bytes", "intensity", "upper"):
        if wanted == "intensity" and operation.bytes() == 0:
            continue
        if wanted in ("flops", "intensity") and len(operation.units) > 1:
            continue
        try:
            found = evaluate(operation, sizes, wanted, EVERYTHING if wanted == "upper" else None)
        except RoofproofError as problem:
            assert "has no spec" in str(problem), (name, wanted)
            continue
        flops = sympy.Add(*operation.compute.values())
        formulas = {
            "flops": flops, "bytes": operation.bytes(),
            "intensity": flops / operation.bytes() if operation.bytes() != 0 else 0,
            "upper": sympy.Add(*time(operation, EVERYTHING).values()) if wanted == "upper" else 0,
        }  # fmt: skip
        for i, value in enumerate(np.broadcast_to(found, 5)):
            wants = exactly(formulas[wanted], {n: int(row[i]) for n, row in sizes.items()})
            assert abs(Fraction(float(value)) - wants) <= abs(wants) * Fraction(1, 10**13), (name, wanted)


def test_sizes_at_which_an_operation_does_not_exist_are_refused_and_are_no_number_in_a_sweep() -> None:
    windows, fixed = op("sliding-window-attention"), {"h": 1, "k": 64}
    told = "at L=100, W=512: sliding-window-attention assumes that W <= L, which is false"
    assert said(lambda: evaluate(windows, {"L": [600, 100], "W": 512, **fixed}, "flops")) == told
    grid = next(sweep(windows, {"L": range(256, 1025, 256), "W": [512, 800]}, [V5E], at=fixed).slabs())
    for name in ("intensity", "attainable"):  # L = 256, 512, 768, 1024, each with W = 512 and 800
        assert np.isnan(grid[name]).tolist() == [True, True, False, True, False, True, False, False]
    blocks = chip("fp64-vector=1e12 FLOP/s, hbm=1e12 B/s, smem=167936 B"), chip("h100-sxm")
    stencil = sweep(op("blocked-stencil"), {"b": range(13, 18)}, blocks, ["attainable"], {"N": 512, "T": 4})
    fits = [[16 * (b + 8) ** 3 <= room for b in range(13, 18)] for room in (167936, 233472)]  # b <= 13.9, b <= 16.4
    assert (~np.isnan(next(stencil.slabs())["attainable"].reshape(2, 5))).tolist() == fits


@given(st.integers(1, 2**60), st.integers(1, 2**60), st.integers(1, 2**60))
def test_products_beyond_64_bits_are_right_to_a_float(b: int, d: int, f: int) -> None:
    sizes = {"B": [b], "D": d, "F": np.array([f])}
    assert np.isclose(evaluate(2 * B * D * F, sizes)[0], float(2 * b * d * f), rtol=1e-15)  # float: of a sweep


def test_a_product_beyond_64_bits_is_right_in_floating_point() -> None:
    sizes = {name: np.full(3, 2**22) for name in "BDF"}
    assert (2 * sizes["B"] * sizes["D"] * sizes["F"] == 0).all()  # the result of NumPy for 2^67
    assert evaluate(MATMUL, sizes, "flops").tolist() == [2.0**67] * 3
    small = {name: array.astype(np.int8) for name, array in {"B": np.array([100]), "D": np.array([100])}.items()}
    assert evaluate(B * D, small).tolist() == [10_000.0]  # 100 * 100 in 8 bits would be 16


def test_sizes_are_broadcast_and_chips_are_the_first_axis() -> None:
    sizes = {"B": np.arange(1, 4)[:, None], "D": [64, 128], "F": 4096}
    assert evaluate(MATMUL, sizes, "flops").tolist() == [[2 * b * d * 4096 for d in (64, 128)] for b in (1, 2, 3)]
    both = evaluate(MATMUL, sizes, "attainable", [V5E, EVERYTHING])
    assert both.shape == (2, 3, 2)
    for one, found in zip((V5E, EVERYTHING), both, strict=True):
        peak, bandwidth = float(one.rate("bf16").value), float(one.rate("hbm").value)
        roofline = np.minimum(peak, evaluate(MATMUL, sizes, "intensity") * bandwidth)
        assert np.allclose(found, roofline, rtol=1e-14)
        assert evaluate(MATMUL, sizes, "attainable", one).shape == (3, 2)
    assert evaluate(MATMUL, {"B": 1, "D": 2, "F": 3}, "flops").shape == ()
    assert evaluate(MATMUL, {"B": [], "D": 2, "F": 3}, "flops").shape == (0,)


def test_other_layouts_give_the_same() -> None:
    n = 4 * sweeps.BLOCK
    every = np.arange(1, n + 1)
    sizes = {"B": every, "D": every[::-1], "F": np.float32(3)}
    found = evaluate(MATMUL, sizes, "flops")
    assert (found == 6.0 * every * every[::-1]).all()
    square = every.reshape(512, -1)
    assert (evaluate(B * D, {"B": square.T, "D": square.T}) == square.T.astype(float) ** 2).all()


def test_functions_of_sizes() -> None:
    x, y = quantity("x"), quantity("y")
    sizes = {"x": np.array([1.0, 7.0, 64.0]), "y": np.array([3.0, 2.0, 5.0])}
    for expr, hand in [
        (sympy.ceiling(x / y), np.ceil(sizes["x"] / sizes["y"])),
        (sympy.Abs(x - y), np.abs(sizes["x"] - sizes["y"])),
        (sympy.floor(x / y), np.floor(sizes["x"] / sizes["y"])),
        (sympy.Mod(x, y), np.mod(sizes["x"], sizes["y"])),
        (sympy.sqrt(x) / sympy.sqrt(y), np.sqrt(sizes["x"] / sizes["y"])),
        (log2(x), np.log2(sizes["x"])),
        (x**7 / y**3, sizes["x"] ** 7 / sizes["y"] ** 3),
        (sympy.Max(x, y, 4), np.maximum(np.maximum(sizes["x"], sizes["y"]), 4)),
        (sympy.Min(x, y, 4) * sympy.Rational(10**30, 3), np.minimum(np.minimum(sizes["x"], sizes["y"]), 4) * 1e30 / 3),
    ]:
        needed = {s.name: sizes[s.name] for s in expr.free_symbols}
        assert np.allclose(evaluate(expr, needed), hand, rtol=1e-14, atol=0), expr


def test_no_text_is_run() -> None:
    hostile = sympy.Symbol("__import__('os').abort()", positive=True)
    assert evaluate(2 * hostile, {hostile.name: [3]}).tolist() == [6.0]
    named = sympy.Function("__import__('os').abort")
    assert said(lambda: evaluate(named(B), {"B": 1})) == (
        "a sweep cannot evaluate \"__import__('os').abort(B)\": no formula of sizes and numbers"
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: evaluate(MATMUL, {"B": 1}, "flops"), "no size for D, F; give a number or an array for each"),
        (lambda: evaluate(MATMUL, {"b": 1}, "flops"), "unknown size 'b'; did you mean 'B'?"),
        (lambda: evaluate(MATMUL, {"B": [0, 1], "D": 1, "F": 1}), 
         "sizes of B: expected positive numbers, got 0"),
        (lambda: evaluate(B, {"B": [np.nan]}), "sizes of B: expected positive numbers, got nan"),
        (lambda: evaluate(B, {"B": [np.inf]}),
         "a value is beyond the range of floats (1.8e308), or not defined at these sizes"),
        (lambda: evaluate(B, {"B": ["x"]}), "sizes of B: expected an array of numbers, not of <U1"),
        (lambda: evaluate(B, {"B": [True]}), "sizes of B: expected an array of numbers, not of bool"),
        (lambda: evaluate(B, {"B": [[1], [2, 3]]}), "sizes of B: expected an array of numbers"),
        (lambda: evaluate(B * D, {"B": [1, 2], "D": [1, 2, 3]}), "sizes that do not fit together: B (2,), D (3,)"),
        (lambda: evaluate(B * D, {"B": [1e200], "D": 1e200}),
         "a value is beyond the range of floats (1.8e308), or not defined at these sizes"),
        (lambda: evaluate(B * D, {"B": 1e200, "D": 1e200}),
         "a value is beyond the range of floats (1.8e308), or not defined at these sizes"),
        (lambda: evaluate(1 / (B - D), {"B": [2], "D": [2]}),
         "a value is beyond the range of floats (1.8e308), or not defined at these sizes"),
        (lambda: evaluate(B + sympy.Integer(10) ** 400, {"B": [2]}),
         "a value is beyond the range of floats (1.8e308), or not defined at these sizes"),
        (lambda: evaluate(B, {"B": 1}, "flops"),
         "a quantity and chips go with an operation; an expression is evaluated as it is"),
        (lambda: evaluate(MATMUL, {"B": 1, "D": 1, "F": 1}, "lower"),
         "this quantity is one of a chip; name one, or ask for flops, bytes or intensity"),
        (lambda: evaluate(MATMUL, {"B": 1, "D": 1, "F": 1}, "lower", []), "no chips: expected at least one"),
        (lambda: evaluate(MATMUL, {"B": 1, "D": 1, "F": 1}, "time:ici", V5E),
         "unknown resource of matmul 'ici'; known: bf16, memory"),
        (lambda: evaluate(MATMUL, {"B": 1, "D": 1, "F": 1}, "speed", V5E),
         "unknown quantity 'speed'; known: attainable, bytes, flops, intensity, lower, time:bf16, time:memory, upper"),
        (lambda: evaluate(sympy.Integer(-2) ** B, {"B": 1}),
         "a sweep takes powers of what is positive, not '(-2)**B'"),
        (lambda: evaluate(B * quantity("B"), {"B": 1}), "'B*B' has two different symbols of one name"),
        (lambda: sweep(MATMUL, {"B": range(1, 3)}), "no size for D, F; give it a range or a size"),
        (lambda: sweep(MATMUL, {"B": range(1, 3)}, at={"B": 1}), "B is swept and has a size; leave out one of the two"),
        (lambda: sweep(MATMUL, {"B": range(0)}, at={"D": 1, "F": 1}), "no sizes of B; give at least one"),
        (lambda: sweep(MATMUL, {"Z": range(1, 3)}), "unknown dimension 'Z'; known: B, D, F"),
        (lambda: list(sweep(op("dot"), {"N": [1]}).slabs("many")),
         "workers 'many': expected 1 to 256 processes, threads:N or tcp://HOST:PORT"),
    ],
)  # fmt: skip
def test_what_cannot_be_evaluated_is_told_in_one_line(call: object, message: str) -> None:
    assert said(call) == message


GRID = {"B": range(1, 40, 3), "F": range(128, 1025, 128)}


@pytest.mark.parametrize("slab", [1, 7, 104, 10**6])
def test_slabs_in_order_are_the_whole_grid(slab: int) -> None:
    found = sweep(MATMUL, GRID, [V5E, EVERYTHING], ["lower", "flops"], {"D": 64})
    assert (found.shape, len(found)) == ((2, 13, 8), 208)
    slabs = list(found.slabs(slab=slab))
    assert all(list(one) == ["chip", "B", "F", "lower", "flops"] for one in slabs)
    whole = {name: np.concatenate([one[name] for one in slabs]) for name in found.columns}
    sizes = {"B": np.arange(1, 40, 3)[:, None], "F": np.arange(128, 1025, 128), "D": 64}
    assert (whole["lower"] == evaluate(MATMUL, sizes, "lower", [V5E, EVERYTHING]).ravel()).all()
    assert (whole["flops"] == np.tile(evaluate(MATMUL, sizes, "flops").ravel(), 2)).all()
    assert (whole["B"].reshape(2, 13, 8) == sizes["B"]).all()
    assert (whole["F"].reshape(2, 13, 8) == sizes["F"]).all()
    assert (whole["chip"].reshape(2, -1) == [[V5E.name], [EVERYTHING.name]]).all()


def test_threads_give_what_one_process_gives() -> None:
    pytest.importorskip("distributed", reason="needs Dask; cure: pip install -e '.[dask]'")
    found = sweep(MATMUL, GRID, [V5E, chip("h100-sxm")], ["attainable"], {"D": 64})
    alone = list(found.slabs(slab=10))
    shared = list(found.slabs("threads:2", slab=10))
    assert len(alone) == len(shared) == 21
    for one, other in zip(alone, shared, strict=True):
        assert all((one[name] == other[name]).all() for name in found.columns)


def run(*command: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = main(command)
    return status, out.getvalue(), err.getvalue()


COMMAND = (
    "sweep",
    "matmul",
    "--chip",
    "tpu-v5e",
    "--at",
    "D=4096",
    "--over",
    "B=64:128:64",
    "--over",
    "F=1024:2048:1024",
)


def test_each_kind_of_file_holds_the_same(tmp_path: Path) -> None:
    for ending in ("csv", "npz"):
        path = f"{tmp_path}/sweep.{ending}"
        assert run(*COMMAND, "-o", path) == (0, f"wrote 4 rows to {path}\n", "")
    assert (tmp_path / "sweep.csv").read_text() == run(*COMMAND)[1]
    rows = np.genfromtxt(tmp_path / "sweep.csv", delimiter=",", names=True, dtype=None, encoding=None)
    arrays = np.load(tmp_path / "sweep.npz")
    assert arrays["chip"].tolist() == ["tpu-v5e"]
    assert (arrays["B"].tolist(), arrays["F"].tolist()) == ([64, 128], [1024, 2048])
    assert arrays["attainable"].shape == (1, 2, 2)
    assert (arrays["attainable"].ravel() == rows["attainable"]).all()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["sweep.csv", "sweep.npz"]
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs pyarrow; cure: pip install -e '.[parquet]'")
    path = f"{tmp_path}/sweep.parquet"
    assert run(*COMMAND, "-o", path) == (0, f"wrote 4 rows to {path}\n", "")
    assert parquet.read_table(tmp_path / "sweep.parquet")["attainable"].to_pylist() == rows["attainable"].tolist()


@pytest.mark.parametrize("ending", ["csv", "npz"])
def test_a_sweep_that_fails_halfway_leaves_the_old_file(
    ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from roofproof.derive.sweeps import Sweep

    def broken(self: Sweep, start: int, stop: int) -> object:
        raise RoofproofError("halfway")

    path = tmp_path / f"sweep.{ending}"
    path.write_text("old")
    monkeypatch.setattr(Sweep, "at", broken)
    assert run(*COMMAND, "-o", str(path)) == (2, "", "roofproof: halfway\n")
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
    assert path.read_text() == "old"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--at", "D=1,F=1"], "expected --over, such as --over B=1:4096"),
        (["--over", "B=1:8K"], "range 'B=1:8K': size 'B=8K': write 8k (thousands) or 8Ki (1024)"),
        (["--over", "B"], "range 'B': expected NAME=FIRST:LAST or NAME=FIRST:LAST:STEP"),
        (["--over", "B=0:4"], "range 'B=0:4': expected sizes from 1 to 2^53, smallest first, such as B=1:4096"),
        (["--over", "B=4:1"], "range 'B=4:1': expected sizes from 1 to 2^53, smallest first, such as B=1:4096"),
        (["--over", "B=1:2", "--over", "B=1:2"], "range of B is given twice"),
        (["--over", "B=1:2"], "no size for D, F; give it a range or a size"),
        (["--over", "B=1:9999999", "--over", "D=1:9999999", "--at", "F=1"],
         "a sweep of 99999980000001 points; at most 1000000000000 are evaluated"),
        (["--over", "B=1:1000001", "--at", "D=1,F=1"],
         "a sweep of 1000001 points; above 1000000 name a file, such as -o sweep.csv"),
        (["--over", "B=1:2", "--at", "D=1,F=1", "-o", "x.xlsx"], "unknown ending '.xlsx'; known: .csv, .npz, .parquet"),
        (["--over", "B=1:2", "--at", "D=1,F=1", "--quantity", "lower"], "lower is a quantity of a chip; name one"),
        (["--over", "B=1:2", "--at", "D=1,F=1", "-o", "nowhere/x.csv"],
         "cannot write 'nowhere/x.csv': No such file or directory; name a file in a folder you own"),
    ],
)  # fmt: skip
def test_what_the_command_refuses(
    words: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("sweep", "matmul", *words) == (2, "", f"roofproof: {message}\n")
    assert not list(tmp_path.iterdir())


def test_where_no_row_can_be_worked_out_no_heading_is_written() -> None:
    power = "flops bf16 = 2^N; bytes hbm = N"
    beyond = "roofproof: a value is beyond the range of floats (1.8e308), or not defined at these sizes\n"
    assert run("sweep", power, "--over", "N=1024:1026", "--quantity", "flops") == (2, "", beyond)
    assert run("sweep", power, "--over", "N=1:2", "--quantity", "bytes")[:2] == (0, "N,bytes\n1,1.0\n2,2.0\n")


@given(st.integers(1, 60), st.integers(1, 9), st.integers(0, 9))
@settings(max_examples=25, deadline=None)
def test_powers_with_sizes_as_exponents_are_as_exact_ones(b: int, k: int, more: int) -> None:
    experts = op("flops bf16 = B^1.5 + 2^(B/7); bytes hbm = 2 D E (1 - (1 - k/E)^B)")
    sizes = {"B": b, "k": k, "E": k + more, "D": 3}
    exact = 6 * (k + more) * (1 - (1 - Fraction(k, k + more)) ** b)
    assert evaluate(experts, sizes, "bytes") == pytest.approx(float(exact), rel=1e-12)  # float: of a sweep
    assert evaluate(experts, {"B": b}, "flops") == pytest.approx(b**1.5 + 2 ** (b / 7), rel=1e-12)  # float: of a sweep


def test_sizes_that_stay_and_break_what_an_operation_assumes_are_refused_as_by_derive() -> None:
    shared, tiled = op("sharded-matmul:n=4"), op("tiled-matmul:b=512,f=512,d=64")
    assert said(lambda: sweep(shared, {"B": [1]}, at={"D": 10, "F": 4})) == (
        "at D=10: sharded-matmul assumes that 4 divides D, which is false"
    )
    assert next(sweep(shared, {"B": [1]}, at={"D": 12, "F": 4}).slabs())["flops"] == [2 * 12 * 4 / 4]
    assert said(lambda: sweep(tiled, {"B": [512]}, [chip("tpu-v5e"), chip("h100-sxm")], at={"D": 64, "F": 512})) == (
        "the blocks of tiled-matmul take 655360 bytes, and smem of h100-sxm holds 233472; give smaller blocks"
    )


def test_no_scheduler_at_an_address_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed")

    def unreachable(*_: object, **__: object) -> None:
        raise OSError("Timed out trying to connect to tcp://127.0.0.1:9 after 10 s")

    monkeypatch.setattr(distributed, "Client", unreachable)
    found = sweep(op("dot"), {"N": [1]})
    assert said(lambda: list(found.slabs("tcp://127.0.0.1:9"))) == (
        "no Dask scheduler at 'tcp://127.0.0.1:9': Timed out trying to connect to tcp://127.0.0.1:9"
    )
