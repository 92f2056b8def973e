"""Tables of measured times: only times below their minimum are flagged, and fits recover the true constants."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roofproof.cli import main
from roofproof.errors import RoofproofError
from roofproof.hardware import chip, chip_from_text, chip_names, load_chip
from roofproof.hardware.calibration import Calibration, Fitted
from roofproof.hardware.reading import chip_from_toml
from roofproof.ops import parse_operation
from roofproof.times.estimates import chip_file, demands, fit, rates_for
from roofproof.times.tables import Times, read_times, times_from_text
from roofproof.times.validation import seconds_at, validate
from roofproof.times.verdicts import FloorAtSizes, minimum

MEASURED = Path(__file__).resolve().parents[2] / "examples" / "measured"
GEMM = MEASURED / "gemm_fp16.tsv"
ONE = chip_from_text("fp16=300 TFLOP/s, hbm=2 TB/s, l2=40 MiB")
SIZES = st.integers(1, 2**14)


def table_of(rows: list[tuple[int, int, int]], seconds: list[Fraction]) -> Times:
    columns = tuple(zip(*rows, strict=True))
    sizes = dict(zip("mnk", columns, strict=True))
    return Times("t.csv", "seconds", tuple(seconds), sizes, {}, tuple(range(2, len(rows) + 2)))


@given(rows=st.lists(st.tuples(SIZES, SIZES, SIZES), min_size=1, max_size=8, unique=True), warm=st.booleans())
def test_a_time_is_accused_exactly_where_it_lies_below_the_floor(rows, warm):
    peak, bandwidth, cache = 300 * 10**12, 2 * 10**12, 40 * 2**20 if warm else 0
    floors = [
        max(Fraction(2 * m * n * k, peak), Fraction(max(2 * (m * k + k * n + m * n) - cache, 0), bandwidth))
        for m, n, k in rows
    ]
    a_little = Fraction(1, 10**15)
    for factor, accused in ((1 - a_little, len(rows)), (Fraction(1), 0), (1 + a_little, 0)):
        table = table_of(rows, [f * factor for f in floors])
        held = validate(table, ONE, caches="warm" if warm else "cold")
        assert len(held.below) == accused
        assert [row.floor for row in held.below] == (floors if accused else [])


@pytest.mark.parametrize("corner", ["max", "sum", "root"])
def test_a_fit_finds_the_constants_and_the_corner_of_the_times_it_is_given(corner):
    rows = [(m, n, k) for m in (1, 16, 128, 512, 1024, 4096) for n in (1024, 4096, 8192) for k in (512, 4096)]
    bare = demands(table_of(rows, [Fraction(1)] * len(rows)), ONE)
    a, b = bare.compute / 0.7, bare.memory / 0.8
    joined = {"max": np.maximum(a, b), "sum": a + b, "root": np.hypot(a, b)}[corner]
    table = table_of(rows, [Fraction(t) for t in (5e-6 + joined).tolist()])
    found = fit(table, demands(table, ONE), "made")
    assert found.corner == corner and found.points == len(rows) and found.error < Fraction(1, 1000)
    for each, value in ((found.compute, 0.7), (found.memory, 0.8), (found.start, 5e-6)):
        assert abs(float(each.value) / value - 1) < 0.01 and each.low <= each.value <= each.high


def test_a_fit_is_of_the_times_in_whatever_order_and_of_no_size_held_out_that_was_fitted():
    table = read_times("examples/measured/gemm_fp16.tsv").on(chip("h100-sxm")).only(n="4096")
    turned = table.rows(reversed(range(len(table))))
    columns = dict(reversed(turned.sizes.items()))
    turned = Times(turned.file, "us", turned.seconds, columns, {}, turned.lines)
    found, again = (fit(t, demands(t, chip("h100-sxm")), "made", "root") for t in (table, turned))
    assert found == again
    twice = table.rows([*range(len(table))] * 2)
    doubled = fit(twice, demands(twice, chip("h100-sxm")), "made", "root")
    assert (doubled.error, doubled.compute, doubled.start) == (found.error, found.compute, found.start)


@pytest.mark.parametrize("name", ["a100-80gb-sxm", "h100-sxm"])
def test_the_published_times_lie_above_the_floor_and_give_the_ceilings_of_the_chip_files(name):
    on = chip(name)
    table = read_times(str(GEMM)).on(on)
    found = demands(table, on)
    held = validate(table, on, None, "warm", *rates_for(on, found))
    assert held.points == 1116 and not held.below
    assert held.median is not None and held.median < 0.062
    other = chip("h100-sxm" if name != "h100-sxm" else "a100-80gb-sxm")  # not fitted to this table
    assert (validate(table, on, rates=other.calibration("fp16")).median or 1) < 0.08
    own = on.calibration("fp16")
    again = fit(table, found, own.source)
    assert (again.corner, again.points, again.fit, again.source) == (own.corner, own.points, own.fit, own.source)
    for ours, theirs in zip(
        (again.compute, again.memory, again.start), (own.compute, own.memory, own.start), strict=True
    ):
        assert abs(ours.value / theirs.value - 1) < Fraction(1, 200)  # the last digits depend on the optimizer


def test_warm_caches_are_why_additions_beat_the_bandwidth():
    table = read_times(str(MEASURED / "elementwise_fp16.tsv"))
    for name in ("a100-80gb-sxm", "h100-sxm"):
        rows = table.on(chip(name)).only(operation="add")
        for caches, below, beyond in (("warm", False, False), ("", False, True), ("cold", True, False)):
            held = validate(rows, chip(name), caches=caches)
            assert (bool(held.below), bool(held.beyond)) == (below, beyond)


def test_levels_engines_and_fractions_of_bytes_are_floors_too():
    op = parse_operation("int4[m,k], bf16[k,n] -> bf16[m,n]")
    on = chip_from_text("bf16=1 TFLOP/s, hbm=1 GB/s, l2=1 B")
    table = times_from_text("m,n,k,seconds\n1,1,3,1\n", "t.csv")
    held = FloorAtSizes(minimum(op, on, "warm"))
    assert held.seconds({"m": 1, "n": 1, "k": 3})[0] == Fraction(3, 2 * 10**9) + Fraction(
        6 + 2 - 1, 10**9
    )  # 1.5 + 6 + 2 B, 1 cached
    assert float(seconds_at(held.floor, demands(table, on, op))[0]) == pytest.approx(8.5e-9)


@pytest.mark.parametrize("name", chip_names()[::5])
def test_a_chip_with_ceilings_is_written_and_read_back(name):
    one, share = chip(name), Fitted(Fraction(3, 10), Fraction(1, 4), Fraction(1, 2))
    made = Calibration("bf16", one.memory, share, share, share, "sum", 21, Fraction(1, 32), "a fit", 'a "table"\n')
    read = chip_from_toml("again", chip_file(one, made).encode(), "again.toml")
    assert read.supplies == one.supplies and made in read.calibrations


@settings(max_examples=30)
@given(text=st.text(alphabet="mnkus,\n\t;.0123456789e-\"' ", max_size=60))
def test_whatever_a_table_holds_it_is_read_or_refused_in_one_line(text):
    try:
        assert len(times_from_text(text, "t.csv")) > 0
    except RoofproofError as refused:
        assert "\n" not in str(refused) and str(refused).startswith("t.csv")


REFUSED = {
    "m,n,k,median\n1,1,1,1\n": "t.csv: no column of times; expected one whose name has the unit, such as median_us, "
    "seconds or ms, got 'm, n, k, median'",
    "m,us,ms\n1,1,1\n": "t.csv: more than one column of times; expected one whose name has the unit, such as "
    "median_us, seconds or ms, got 'us, ms'",
    "m,us\n1,0\n": "t.csv, line 2: expected a time, a positive number in the unit of its column; got '0'",
    "m,us\n1,3 ms\n": "t.csv, line 2: the unit of '3 ms' is not that of its column; write it once",
    "m,us\n1,3 B\n": "t.csv, line 2: expected a time, a positive number in the unit of its column; got '3 B'",
    "m,time\n1,3 us\n2,4\n": "t.csv: no column of times; expected one whose name has the unit, such as median_us, "
    "seconds or ms, got 'm, time'",
    "m,us\n1,nan\n": "t.csv, line 2: expected a time, a positive number in the unit of its column; got 'nan'",
    "m,us\n1,2,3\n": "t.csv, line 2: expected 2 cells as in the header, got 3",
    "m,m,us\n1,2,3\n": "t.csv, line 1: expected a name for each column, each once; got 'm,m,us'",
    "m,us\n": "t.csv: a header and no times",
}


@pytest.mark.parametrize("text", REFUSED)
def test_a_table_that_cannot_be_used_is_refused(text):
    with pytest.raises(RoofproofError) as refused:
        times_from_text(text, "t.csv")
    assert str(refused.value) == REFUSED[text]


@pytest.mark.parametrize("head", ["us", "median_us", "Time (µs)", "time [μs]", "时间（微秒）", "耗时_us", "MEDIAN_US"])
def test_the_unit_is_read_from_the_name_of_the_column(head):
    found = times_from_text(f"S,{head}\n3,7.5\n", "t.csv")  # S is a size, not seconds
    assert found.seconds == (Fraction(75, 10**7),) and dict(found.sizes) == {"S": (3,)}


def run(capsys: pytest.CaptureFixture[str], *argv: object) -> tuple[int, str, str]:
    status = main(list(map(str, argv)))
    out = capsys.readouterr()
    return status, out.out, out.err


def test_validate_prints_what_others_read(capsys):
    status, out, _ = run(capsys, "time", "--summary", "--measured", GEMM, "--chip", "h100-sxm", "--json")
    said = json.loads(out)
    assert status == 0 and said["points"] == 1116 and said["below_floor"] == 0 and len(said["worst"]) == 5
    assert 0 < said["median_error"] < said["p90_error"] and 0.9 < said["within_20"] < 1


def test_a_time_below_its_floor_ends_with_status_1_and_its_line(capsys, tmp_path):
    (tmp_path / "t.csv").write_text("m,n,k,us\n4096,4096,4096,100\n4096,4096,4096,200\n")
    status, out, _ = run(capsys, "time", "--measured", tmp_path / "t.csv", "--chip", "h100-sxm")
    assert status == 1 and "1 of 2 times are below it, which no run can be:" in out
    assert "line 2: m = 4096, n = 4096, k = 4096: 100 us, minimum 138.9 us" in out  # 2 * 4096^3 / 989.4 TFLOP/s


BAD = {
    "few": ("m,n,k,us\n1,1,1,1\n", "calibrate", "t.csv: 1 times; a fit of three constants takes at least 20"),
    "side": (
        "m,n,k,us\n" + "".join(f"{m},64,64,{m}\n" for m in range(1, 30)),
        "calibrate",
        "t.csv: all times are memory-bound, which does not determine the other rate; add sizes beyond the ridge point",
    ),
    "one size": ("m,n,k,us\n" + "64,64,64,9\n" * 30, "calibrate", "t.csv: times of 1 sizes; a fit takes at least 5"),
    "too short": (
        "m,n,k,ns\n" + "".join(f"{64 * i},4096,4096,{9 + i}\n" for i in range(1, 30)),
        "calibrate",
        "t.csv: 29 of 29 times are below the minimum; check chip, operation and unit",
    ),
    "too long": (
        "m,n,k,s\n" + "".join(f"{64 * i},4096,4096,{9 + i}\n" for i in range(1, 30)),
        "calibrate",
        "t.csv: these times reach 0.1% of a spec or less; check chip, operation and unit",
    ),
    "what": (
        "a,us\n1,1\n",
        "time",
        "t.csv: which operation was timed? give it as PATH, or in a column 'operation'; the table has a",
    ),
    "whose": (
        "gpu,m,n,k,us\nx,1,1,1,1\ny,1,1,1,1\n",
        "time",
        "t.csv: no time is labelled h100-sxm; choose one of 'x, y', such as --only gpu=x",
    ),
}


def test_rows_that_are_left_out_are_told_in_chinese(capsys, tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("operation,B,D,F,us\nmatmul,8,8,8,9\nmatmul,x,8,8,9\nmatmul,8,8,8,-1\nmatmul,8\n")
    assert main(["time", "--measured", str(table), "--chip", "h100-sxm", "--lang", "zh"]) == 0
    told = capsys.readouterr().err.replace(f"{table}，", "")
    assert "第 3 行：B 为 'x'；应为不小于 1 的整数；已略去" in told
    assert "第 5 行：应与表头一样有 5 个单元格，得到 2 个；已略去" in told
    assert "第 4 行：应为时间，即以该列的单位表示的正数；得到 '-1'；已略去" in told


@pytest.mark.parametrize("which", BAD)
def test_what_a_table_does_not_tell_is_not_made_up(capsys, tmp_path, which):
    text, command, due = BAD[which]
    (tmp_path / "t.csv").write_text(text)
    table = [tmp_path / "t.csv"] if command == "calibrate" else ["--measured", tmp_path / "t.csv"]
    status, out, error = run(capsys, command, *table, "--chip", "h100-sxm")
    assert (status, out, error) == (2, "", f"roofproof: {due}\n")


def test_of_a_chip_without_a_cache_a_time_below_its_bytes_is_beyond_the_model(capsys, tmp_path):
    (tmp_path / "t.csv").write_text("m,n,k,us\n4096,1,4096,100\n")
    asked = ["time", "--measured", tmp_path / "t.csv", "--chip", "fp16=1 TFLOP/s, hbm=1 GB/s"]
    status, out, _ = run(capsys, *asked)
    assert status == 0 and "beyond the model, lines 2: only cold caches take longer, and a cache may have" in out
    assert run(capsys, *asked, "--cold")[0] == 1
    status, out, _ = run(capsys, *asked, "--warm")
    assert status == 2 and "cannot be used: --warm needs the size of the last cache (l3, l2) of chip 'custom'" in out


TIMES = st.fractions(Fraction(1, 10**6), 900, max_denominator=10**6).map(lambda t: round(t, 3)).filter(bool)


@given(st.lists(st.tuples(SIZES, TIMES), min_size=1, max_size=5), st.sampled_from(["us", "µs", "ms", "ns", "s"]))
def test_a_table_says_the_same_by_the_unit_of_a_column_of_a_cell_and_by_a_name_of_ours(rows, unit):
    by_column = times_from_text(f"B,t_{unit}\n" + "".join(f"{n},{float(t)!r}\n" for n, t in rows), "t.csv")
    by_cell = times_from_text("B,t\n" + "".join(f"{n},{float(t)!r} {unit}\n" for n, t in rows), "t.csv")
    text = f"batch,mean_s,t_{unit}\n" + "".join(f"{n},1,{float(t)!r}\n" for n, t in rows)
    renamed = times_from_text(text, "t.csv", columns={"B": "batch", "time": f"t_{unit}"})
    for found in (by_cell, renamed):
        assert (found.seconds, found.sizes["B"]) == (by_column.seconds, by_column.sizes["B"])


@pytest.mark.parametrize(
    ("given_", "said"),
    [
        (["B=size"], "t.csv: no column 'size'; it has batch, d, us"),
        (["d=batch"], "t.csv: two columns would be called 'd'"),
        (["B"], "--column 'B': expected NAME=COLUMN, such as B=batch"),
        (["B=batch", "B=d"], "--column: 'B' is given twice"),
    ],
)
def test_a_column_that_is_not_there_is_refused(given_, said, capsys, tmp_path):
    (tmp_path / "t.csv").write_text("batch,d,us\n64,64,3\n")
    asked = ["time", "bf16[B,d] -> bf16[B,d]", "--chip", "h100-sxm", "--measured", tmp_path / "t.csv"]
    columns = [word for each in given_ for word in ("--column", each)]
    assert run(capsys, *asked, *columns) == (2, "", f"roofproof: {said}\n")
    assert run(capsys, *asked, "--column", "B=batch")[0] == 0


def test_a_fitted_file_knows_the_chip_whose_times_it_was_fitted_to(capsys, tmp_path):
    file = tmp_path / "mine.toml"
    assert run(capsys, "calibrate", GEMM, "--chip", "h100-sxm@glennklockwood", "--corner", "root", "-o", file)[0] == 0
    assert load_chip(file).base == "h100-sxm"
    status, out, _ = run(capsys, "time", "--summary", "--measured", GEMM, "--chip", file, "--json")
    assert status == 0 and json.loads(out)["points"] == 1116


def test_what_does_not_overlap_is_estimated_by_the_sum(capsys, tmp_path):
    (tmp_path / "t.csv").write_text("N,seconds\n4,9\n8,18\n")  # 4 s + 4 s + 4 s, and 9 s are measured
    chip_, op = "bf16=4 FLOP/s, exp=2 FLOP/s, hbm=1 B/s, l2=1 B", "flops bf16 = 4 N; flops exp = 2 N; bytes memory = N"
    for corner, ratio in (("max", 9 / 4), ("sum", 9 / 12), ("root", 9 / (3 * 4**2) ** 0.5)):
        asked = ["time", op, "--measured", tmp_path / "t.csv", "--chip", chip_, "--corner", corner, "--cold"]
        assert f"median of time over estimate {ratio:.3g}" in run(capsys, *asked)[1]


def test_a_fit_of_bytes_alone_is_refused(capsys):
    asked = ["calibrate", MEASURED / "elementwise_fp16.tsv", "--chip", "h100-sxm", "--only", "operation=add"]
    said = "elementwise_fp16.tsv: a fit needs FLOPs of one compute unit and bytes of the main memory"
    assert run(capsys, *asked) == (2, "", f"roofproof: {said}\n")


@pytest.mark.parametrize("caches", [[], ["--cold"], ["--warm"]])
@pytest.mark.parametrize(
    ("op", "on", "table"),
    [
        ("fp16[m,k], fp16[k,n] -> fp16[m,n]", "h100-sxm", "m,n,k,us\n64,64,64,0.001\n64,8192,8192,30\n64,64,64,9\n"),
        ("tiled-matmul:b=128,f=128,d=64", "h100-sxm", "B,D,F,us\n128,64,128,9\n100,64,128,9\n"),
        ("bf16[N] -> bf16[N]", "h100-sxm", "N,s\n1000,1\n30000000000,100\n30000000000,0.001\n"),
        ("ffn", "h100-sxm", "B,D,F,us\n4096,1024,1024,31\n4096,1024,1024,6\n64,8192,8192,50\n"),
        ("all-gather:n=16", "tpu-v5e", "V,us\n1000000000,11100\n"),
    ],
)
def test_floors_and_validate_give_each_time_one_verdict(op, on, table, caches, capsys, tmp_path):
    (tmp_path / "t.csv").write_text(table)
    if on == "tpu-v5e" and caches == ["--warm"]:
        return  # no spec of a last cache
    asked = ["--chip", on, "--json", *caches]
    _, out, _ = run(capsys, "time", op, "--summary", "--measured", tmp_path / "t.csv", *asked)
    summary = json.loads(out)
    _, out, _ = run(capsys, "time", op, "--measured", tmp_path / "t.csv", *asked)
    verdicts = [verdict["verdict"] for verdict in json.loads(out)[0]["verdicts"]]
    assert summary["below_floor"] == verdicts.count("impossible")
    assert summary["beyond_the_model"] == verdicts.count("beyond the model")
