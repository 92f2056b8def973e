"""Exactly the times below the minimum are flagged, and unusable problems give a reason without stopping the others."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roofproof import floors, op
from roofproof.cli import main
from roofproof.derive.roofline.floors import COLD, WARM, floor
from roofproof.derive.roofline.times import lower
from roofproof.errors import RoofproofError
from roofproof.hardware import chip, chip_from_text
from roofproof.ops import entries, parse_operation
from roofproof.ops.library.network import KINDS
from roofproof.times.problems import parse_problems, read_problems
from roofproof.times.tables import times_from_text
from roofproof.times.verdicts import FloorAtSizes, minimum

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
MADE = chip_from_text("fp16=300 TFLOP/s, hbm=2 TB/s, l2=40 MiB")
PRODUCT = "fp16[m,k], fp16[k,n] -> fp16[m,n]"
SIZES = st.integers(1, 2**14)
CODE = """import torch

def product(a, b):
    return a @ b
"""
FORGED = """import os
for pipe in range(3, 256):
    try: os.write(pipe, b'{}\\n')
    except OSError: pass
"""
FRAMEWORK = pytest.mark.frameworks


def by_hand(m: int, n: int, k: int, cache: int) -> Fraction:
    moved = max(2 * (m * k + k * n + m * n) - cache, 0)
    return max(Fraction(2 * m * n * k, 300 * 10**12), Fraction(moved, 2 * 10**12))


@given(m=SIZES, n=SIZES, k=SIZES, share=st.fractions(Fraction(1, 100), Fraction(99, 100)), warm=st.booleans())
def test_a_time_is_impossible_exactly_where_it_lies_below_the_floor(m, n, k, share, warm):
    held = FloorAtSizes(floor(parse_operation(PRODUCT), MADE, WARM if warm else COLD))
    least, at = by_hand(m, n, k, 40 * 2**20 if warm else 0), {"m": m, "n": n, "k": k}
    assert held.seconds(at)[0] == least
    a_little = Fraction(1, 10**18)
    for time, verdict in (
        (share * least, "impossible"),
        (least - a_little, "impossible"),
        (least, "possible"),
        (least + a_little, "possible"),
        (least / share, "possible"),
    ):
        found = held.verdict(time, at)
        assert (found.verdict, found.known.trust) == (verdict, "kernel")
        head = ">" if verdict == "impossible" else ">="  # the minimum exceeds the time, or is at most the time
        assert found.known.statement.goal[0] == head and str(time.denominator) in found.known.statement.says


@pytest.mark.parametrize("name", ["h100-sxm", "a100-80gb-sxm"])
def test_measured_tables_are_accused_of_nothing(name, capsys):
    for file, unsure in (("gemm_fp16.tsv", {"possible"}), ("elementwise_fp16.tsv", {"possible", "beyond the model"})):
        for caches, verdicts in (([], unsure), (["--warm"], {"possible"})):
            asked = ["time", "--measured", str(EXAMPLES / "measured" / file), "--chip", name, "--json", *caches]
            assert main(asked) == 0
            records = json.loads(capsys.readouterr().out)
            assert {v["verdict"] for record in records for v in record["verdicts"]} == verdicts
            assert {record["trust"] for record in records} == {"kernel"}


@given(m=SIZES, n=SIZES, k=SIZES, share=st.fractions(Fraction(1, 100), Fraction(199, 100)), cache=st.booleans())
def test_without_a_word_of_caches_a_time_is_impossible_only_where_warm_ones_exclude_it(m, n, k, share, cache):
    on = MADE if cache else chip_from_text("fp16=300 TFLOP/s, hbm=2 TB/s")
    held, at = FloorAtSizes(minimum(parse_operation(PRODUCT), on)), {"m": m, "n": n, "k": k}
    cold, warm = by_hand(m, n, k, 0), by_hand(m, n, k, 40 * 2**20 if cache else 10**30)
    assert held.seconds(at)[0] == cold  # the printed minimum is for cold caches
    time = share * cold
    due = "possible" if time >= cold else "impossible" if time < warm else "beyond the model"
    found = held.verdict(time, at)
    assert (found.verdict, found.known.trust) == (due, "kernel")
    assert due != "beyond the model" or found.why.startswith("only cold caches take longer, and ")


LIBRARY = [name for name in entries() if not parse_operation(name).footprint]


@settings(max_examples=30)
@given(st.data())
def test_warm_is_at_most_cold_and_cold_at_most_the_longest_time(data):
    one = chip(data.draw(st.sampled_from(["h100-sxm", "mi300x", "b200"])))
    made = op(data.draw(st.sampled_from(LIBRARY)))
    at = {s.name: data.draw(st.sampled_from([1, 8, 100, 4096])) for s in made.dims}
    try:
        warm, cold = (FloorAtSizes(floor(made, one, caches)).seconds(at)[0] for caches in (WARM, COLD))
        longest = lower(made, one).subs({s: at[s.name] for s in made.dims})
    except RoofproofError as refused:
        assert "has no spec" in str(refused) or "has no rate" in str(refused)
        return
    assert warm is not None and cold is not None
    assert 0 <= warm <= cold <= Fraction(int(longest.p), int(longest.q))


def test_a_thousand_times_below_the_floor_are_all_found():
    library = ["matmul:fp16", "attention", "rms-norm", "gated-ffn", "softmax"]
    count = 0
    for name in library:
        made = parse_operation(name)
        held = FloorAtSizes(floor(made, chip("h100-sxm"), COLD))
        for k in range(1, 100):
            at = {s.name: 64 + 8 * k for s in made.dims}
            least, _ = held.seconds(at)
            below, above = (held.verdict(least * Fraction(k, 100), at), held.verdict(least * (1 + Fraction(1, k)), at))
            assert (below.verdict, above.verdict) == ("impossible", "possible")
            count += 2
    assert count == 990


def test_a_floor_says_what_it_takes_for_granted():
    found = floor(op("fp32[m,k], fp32[k,n] -> fp32[m,n]"), chip("h100-sxm"), WARM)
    assert found.assumptions[:2] == (
        "warm caches: the 52.4288 MB that l2 holds need not cross the main memory",
        "fp32 at 494.7 TFLOP/s of tf32, in which products of fp32 may be done",
    )
    exact = floor(op("fp32[m,k], fp32[k,n] -> fp32[m,n]"), chip("h100-sxm"), tf32=False)
    assert exact.assumptions[1] == "fp32 at 66.9 TFLOP/s of fp32-vector"
    wider = {"b300": "int8 at 2.25 PFLOP/s of bf16", "h100-sxm": "int8 at 1.978 PFLOP/s", "gaudi3": "int8 left out: "}
    for name, told in wider.items():  # bf16 holds each value of int8, and gaudi3 has no int8 spec
        assert floor(op("matmul:int8"), chip(name)).assumptions[1].startswith(told), name
    left = floor(op("flops bf16 = N; flops exp = N; flops fp4 = N; bytes memory = N"), chip("h100-sxm"))
    assert [part.name for part in left.parts] == ["bf16", "memory"]
    assert left.assumptions[2:4] == (
        "exp left out: the vector unit can compute it as well",
        "fp4 left out: h100-sxm has no spec for it",
    )
    [experts] = read_problems(["mixture-of-experts"])
    *_, least, where = floor(experts.op, chip("h200")).assumptions
    assert "touched=least" in least and where == "only where k <= E"


@pytest.mark.parametrize(
    ("text", "bytes"),
    [
        ("ffn", "4*B*D + 4*D*F"),  # x and y, two matrices
        ("attention-core:fp32", "16*L*h*k"),  # no scores
        ("transformer-layer", "4*L*d + 24*d**2"),
        ("mixture-of-experts", "4*B*D + 2*D*E + 6*D*F*k"),  # each token once, the router, k experts
        ("grouped-matmul", "2*B*D + 2*B*F*k + 2*D*F*k"),
        ("embedding", "2*D*T + 2*D + 4*T"),  # T rows written, one row read, T tokens
        ("spmv", "12*M + 12*Z + 12"),  # 8 + 4 bytes per element, 8 + 4 per row, 4 at the end, one column
    ],
)
def test_an_operation_of_the_library_moves_what_one_kernel_must(text, bytes):
    [problem] = read_problems([text])
    assert str(problem.op.bytes()) == bytes
    assert problem.op.demands.keys() == op(text).demands.keys()


def test_one_kernel_moves_tensors_of_its_operation():
    for entry in (e for e in entries().values() if e.kernel):
        read, _, written = entry.kernel.partition("->")
        made, rows = entry(), [word.partition("/")[2] for word in read.split() if "/" in word]
        assert {word.partition("/")[0] for word in read.split()} <= {t.name for t in made.reads}, entry.name
        assert set(written.split()) == {t.name for t in made.writes if t.name in written.split()}, entry.name
        assert set(rows) <= {s.name for s in made.dims}, entry.name


def test_what_does_not_fit_is_beyond_the_model(capsys):
    model = str(EXAMPLES / "models" / "deepseek-v3.json") + ":decode, w=fp8"
    assert main(["time", model, "--chip", "h100-sxm", "--at", "B=1,S=4096", "--json"]) == 0
    [record] = json.loads(capsys.readouterr().out)
    assert record["fits"] is False and record["outside"].startswith("670.38757428 GB do not fit into the 85.89")
    [found] = floors("bf16[N] -> bf16[N]", "bf16=1 TFLOP/s, hbm=1 TB/s, capacity-hbm=80 GB", at={"N": 10**9})
    assert found.fits is True and found.outside == ""
    [found] = floors("bf16[N] -> bf16[N]", "bf16=1 TFLOP/s, hbm=1 TB/s, capacity-hbm=80 GB", at={"N": 3 * 10**10})
    assert found.fits is False


def test_sizes_that_the_operation_excludes_are_beyond_the_model():
    held = FloorAtSizes(floor(parse_operation("tiled-matmul:b=128,f=128,d=64"), chip("h100-sxm")))
    found = held.verdict(Fraction(1), {"B": 100, "D": 64, "F": 128})
    assert (found.verdict, found.why) == ("beyond the model", "assumes that 128 divides B, which does not hold here")
    assert held.verdict(Fraction(1), {"B": 128, "D": 64, "F": 128}).verdict == "possible"


def run(capsys, *words: str) -> tuple[int, list, str]:
    status = main(["time", *words, "--json"])
    said = capsys.readouterr()
    return status, json.loads(said.out) if said.out else [], said.err


def test_the_record_has_the_names_that_others_rely_on(tmp_path, capsys):
    times = tmp_path / "times.csv"
    times.write_text("problem,B,D,F,us\nmatmul:fp16,16,4096,4096,12\nmatmul:fp16,16,4096,4096,9.5\nother,1,1,1,1\n")
    status, [record], err = run(capsys, "matmul:fp16", "--chip", "h100-sxm", "--measured", str(times), "--cold")
    assert status == 1 and err == "roofproof: 1 of 3 times match none of these problems\n"
    assert list(record) == ["problem", "floor_s", "form", "binds", "assumptions", "trust", "fits", "at", "verdicts"]
    good, bad = record["verdicts"]
    assert (good["time_s"], good["verdict"]) == (12e-6, "possible")
    assert (bad["verdict"], bad["binds"], bad["line"]) == ("impossible", "memory", 3)
    said = "max((2*B*D*F)/989400000000000, (2*B*D + 2*B*F + 2*D*F)/3350000000000) > 19/2000000"
    assert bad["theorem"] == f"{said} where B = 16 and D = 4096 and F = 4096"
    assert (
        run(capsys, "matmul:fp16", "--chip", "h100-sxm", "--measured", str(times))[0] == 0
    )  # 33.8 MB fit into the cache


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('[[problem]]\nop = "matmul"\n\n[[problem]]\nop = "matmul"\nsize = 3\n', "m.toml, line 4: unknown key 'size'"),
        ('[[problem]]\nop = "matmul"\n[[problem]]\nname = "x"\n', 'm.toml, line 3: op is missing, as in op = "matmul'),
        ('[[problem]]\nop = "matmul"\n[[problem]]\nop = "matmull"\n', "unknown operation 'matmull'; did you mean"),
        (
            '[[problem]]\nop = "matmul"\n[[problem]]\nop = "matmul"\nat = "B=0"\n',
            "m.toml, line 3: size 'B=0': expected NAME=POS",
        ),
        (
            '[[problem]]\nop = "matmul"\n[[problem]]\nop = "matmul"\nat = "N=4"\n',
            "at N: not a size of matmul; its sizes are",
        ),
        ('[[problem]]\nop = "matmul"\n[[problem]]\nop = "no.py"\n', "no file '"),
    ],
)
def test_a_line_that_cannot_be_used_says_why_and_the_others_go_on(content, message, tmp_path, capsys):
    (tmp_path / "m.toml").write_text(content)
    status, [good, bad], _ = run(capsys, str(tmp_path / "m.toml"), "--chip", "h100-sxm")
    assert status == 0 and good["form"].startswith("max(2*B*D*F/9.89e14, ")
    assert list(bad) == ["problem", "error"] and message in bad["error"] and "\n" not in bad["error"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("m.toml",), "cannot read problem list 'm.toml': No such file or directory"),
        (("empty.toml",), "empty.toml: no problems; each begins with [[problem]] and has an op"),
        (("broken.csv",), "broken.csv, line 1: unknown column 'size'; known: at, name, op, shapes, where"),
        (("none/",), "no folder 'none/'"),
        (("folder",), "folder: no problem files in this folder; expected *.py with a class Model, or definition.json"),
        ((), "expected problems, such as matmul or FILE.py, or --measured FILE that names the operation"),
        (("matmul", "--cold", "--warm"), "use only one of --cold, --warm"),
        (("matmul", "--shapes", "x:bf16[B]"), "--shapes requires FILE.py:NAME"),
        (("matmul", "--at", "N=3"), "unknown size 'N'"),
        (("matmul", "--measured", "zero.csv"), "zero.csv, line 2: expected a time, a positive number in the unit"),
        (("matmul", "--measured", "plain.csv"), "plain.csv: no column of times; expected one whose name has the unit"),
        (
            ("matmul", "dot", "--measured", "one.csv"),
            "one.csv: times of several problems, matmul and dot; a column 'prob",
        ),
        (("matmul", "--measured", "twice.json"), "twice.json: 'us' is given twice"),
        (
            ("matmul", "--measured", "list.json"),
            'list.json: expected a list of objects, such as [{"m": 16, "median_us"',
        ),
        (("--measured", "one.csv"), "one.csv: which operation was timed? give it as PATH, or in a column 'op"),
        (("matmul", "--warm", "--chip", "tpu-v5e"), "--warm needs the size of the last cache"),
    ],
)
def test_input_that_cannot_be_used_is_refused_in_one_line(words, message, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    for name, text in {
        "empty.toml": "", "broken.csv": "op,size\nmatmul,3\n", "zero.csv": "B,D,F,us\n1,1,1,0\n",
        "plain.csv": "B,D,F,time\n1,1,1,3\n", "one.csv": "B,us\n1,1\n", "twice.json": '[{"us": 1, "us": 2}]',
        "list.json": '{"us": 1}',
    }.items():  # fmt: skip
        (tmp_path / name).write_text(text)
    chosen = () if "--chip" in words else ("--chip", "h100-sxm")
    status = main(["time", *words, *chosen])
    said = capsys.readouterr()
    told = said.err + said.out
    assert status == 2 and message in told and len(told.splitlines()) == 1


def test_a_table_without_a_size_is_refused_and_the_others_go_on(tmp_path, capsys):
    (tmp_path / "t.csv").write_text("problem,N,us\ndot,4,1\nmatmul,4,1\n")
    status, [bad, good], _ = run(capsys, "matmul", "dot", "--chip", "h100-sxm", "--measured", str(tmp_path / "t.csv"))
    said = "t.csv: no column 'B', a size of matmul; its sizes are N; name the column, as in --column B=COLUMN"
    assert status == 0 and bad["error"] == said
    assert [v["verdict"] for v in good["verdicts"]] == ["possible"]


def test_json_and_csv_are_one_table():
    text = "problem,B,us\nmatmul,16,7.5\n"
    rows = times_from_text('[{"problem": "matmul", "B": 16, "us": 7.5}]', "t.json")
    table = times_from_text(text, "t.csv")
    assert (rows.seconds, rows.sizes, rows.labels) == (table.seconds, table.sizes, table.labels)


def test_a_floor_that_is_no_rational_number_is_rounded_down_and_compared_exactly():
    held = FloorAtSizes(floor(parse_operation("flops fp32-vector = 10*N*log2(N); bytes memory = N"), chip("h100-sxm")))
    at = {"N": 1000}  # 10 1000 log2(1000) / 66.9e12: log2(1000) = 9.96578428466208704361...
    least = Fraction(996578428466208704361, 10**16) / (669 * 10**11)
    seconds, binds = held.seconds(at)
    assert 0 < least - seconds < least / 10**11 and binds == "fp32-vector"
    assert held.known(at).trust == "kernel" and held.known(at).statement.goal[0] == ">="
    assert held.verdict(least, at).verdict == "impossible"  # by one part in 10^21
    assert held.verdict(least * (1 + Fraction(1, 10**20)), at).verdict == "possible"


def test_a_folder_is_read_by_number(tmp_path):
    for name in ("10_b.py", "9_a.py", "note.md"):
        (tmp_path / name).write_text("")
    assert [one.name for one in parse_problems([str(tmp_path)])] == ["9_a", "10_b"]


PROBLEM = (EXAMPLES / "reference_problem.py").read_text()


@pytest.mark.slow
@FRAMEWORK
def test_problem_files_are_held_and_those_that_fail_say_why(tmp_path, capsys):
    pytest.importorskip("torch", reason="torch is not installed; cure: pip install 'roofproof[torch]'")
    for name, text in {
        "1_good": PROBLEM,
        "2_ends": "import os\nos._exit(3)\n",
        "3_none": "x = 1\n",
        "4_broken": "x = (\n",
        "5_raises": PROBLEM.replace("return torch.relu", "raise ValueError('no')\n        return torch.relu"),
        "6_many": PROBLEM.replace("in_features)]", "in_features), 3]"),
        "7_forged": FORGED,
        "8_no_value": PROBLEM.replace("torch.relu(self.linear(x))", "x[: int(x.sum())]"),
        "9_good": PROBLEM,
    }.items():
        (tmp_path / f"{name}.py").write_text(text)
    (tmp_path / "times.json").write_text(
        '[{"problem": "1_good.py", "us": 0.9}, {"problem": "9_good", "us": 1.2}, {"problem": "9_good", "us": 0.5}]'
    )
    words = (str(tmp_path), "--chip", "h100-sxm", "--measured", str(tmp_path / "times.json"), "--cold")
    status, records, _ = run(capsys, *words)
    errors = {record["problem"]: record["error"] for record in records if "error" in record}
    assert [record["problem"][0] for record in records] == list("123456789")
    assert [len(errors), status] == [7, 1] and all("\n" not in error for error in errors.values())
    assert "ended the process (exit status 3)" in errors["2_ends"]
    assert errors["3_none"].startswith("3_none.py: no Model; expected a class Model, get_inputs() and get_init_inp")
    assert errors["4_broken"].startswith("4_broken.py:1: SyntaxError")
    assert errors["5_raises"] == "5_raises.py:15: ValueError: no"
    assert errors["6_many"] == "6_many.py: get_inputs() returns 2 inputs; forward takes 1"
    assert errors["8_no_value"].startswith("8_no_value.py:15: a value of a tensor is needed while tracing")
    first, last = records[0], records[-1]
    assert first["form"] == "max(268435456/4.947e14, 262144/6.69e13, 3670016/3.35e12)" and first["fits"] is True
    assert [v["verdict"] for v in first["verdicts"]] == ["impossible"]
    assert [v["verdict"] for v in last["verdicts"]] == ["possible", "impossible"]


@pytest.mark.slow
@FRAMEWORK
def test_dead_work_is_left_out_and_told(tmp_path):
    pytest.importorskip("torch", reason="torch is not installed; cure: pip install 'roofproof[torch]'")
    code = "import torch\ndef f(a, b):\n    unused = torch.softmax(a @ b, -1)\n    return a + 1\n"
    (tmp_path / "dead.py").write_text(code)
    [found] = floors(f"{tmp_path / 'dead.py'}:f", "h100-sxm", shapes="a:bf16[n,n], b:bf16[n,n]")
    assert found.form == "max((n^2)/1.338e14, 4*n^2/3.35e12)"
    assert "left out, as nobody needs the result: mm at dead.py:3, _softmax at dead.py:3" in "; ".join(
        found.assumptions
    )


@pytest.mark.slow
@FRAMEWORK
def test_the_flops_of_code_exclude_a_time_only_as_written(tmp_path):
    pytest.importorskip("torch", reason="torch is not installed; cure: pip install 'roofproof[torch]'")
    (tmp_path / "code.py").write_text(CODE)
    (tmp_path / "t.csv").write_text("n,us\n8192,2000\n8192,100\n")
    asked_of, times = (f"{tmp_path / 'code.py'}:product", "h100-sxm"), tmp_path / "t.csv"
    shapes = "a:bf16[n,n], b:bf16[n,n]"
    [found] = floors(
        *asked_of, times=times, shapes=shapes, caches="cold"
    )  # 2 8192^3/989e12 = 1.11 ms, 6 8192^2/3.35e12 = 0.12 ms
    assert [v.verdict for v in found.verdicts] == ["possible", "impossible"]
    (tmp_path / "t.csv").write_text("n,us\n8192,2000\n8192,1000\n")
    [found] = floors(*asked_of, times=times, shapes=shapes, caches="cold")
    assert [v.verdict for v in found.verdicts] == ["possible", "beyond the model"]
    assert found.verdicts[1].why.startswith("only the FLOPs as written take longer; a program with the same results")
    [found] = floors(*asked_of, times=times, shapes=shapes, caches="cold", as_written=True)
    assert [v.verdict for v in found.verdicts] == ["possible", "impossible"]


def test_a_row_that_is_none_is_left_out_and_told_and_the_others_go_on(tmp_path, capsys):
    table = tmp_path / "t.csv"
    table.write_text("B,D,F,us\n64,64,64,3\n64,64,64,0\n0,64,64,9\n64,64\n4096,4096,4096,1\n64,64,6.5,9\n")
    words = ["matmul:fp16", "--chip", "h100-sxm", "--measured", str(table)]
    status, [record], err = run(capsys, *words)
    assert status == 1
    assert [(v["line"], v["verdict"]) for v in record["verdicts"]] == [(2, "possible"), (6, "impossible")]
    assert [line.removeprefix("roofproof: t.csv, ") for line in err.splitlines()] == [
        "line 5: expected 4 cells as in the header, got 2; left out",
        "line 3: expected a time, a positive number in the unit of its column; got '0'; left out",
        "line 4: B is '0'; expected a whole number from 1; left out",
        "line 7: F is '6.5'; expected a whole number from 1; left out",
    ]
    assert record["unread"] == ["t.csv, line 4: B is '0'; expected a whole number from 1", *record["unread"][1:]]
    for rows in ("64,64,64,0\n", "x,64,64,1\n"):
        table.write_text(f"B,D,F,us\n{rows}")
        assert main(["time", *words]) == 2


def test_a_module_of_a_configuration_is_no_floor(capsys):
    status, [record], _ = run(capsys, "gpt2.json:module", "--chip", "h100-sxm")
    assert status == 2 and record["error"].startswith("gpt2.json:module: a module counts every expert as read")


V5E, H100 = chip("tpu-v5e"), chip("h100-sxm")
GATHERED = "all-gather:n=16,V=1000000000"


@pytest.mark.parametrize(
    ("text", "on"),
    [
        ("all-reduce:n=8,V=1000000000,link=nvlink,algorithm=direct", H100),  # the switch may sum
        ("all-gather:n=8,V=1000000000,link=dcn", V5E),  # unknown topology
        ("all-gather:n=16,V=1000000000,algorithm=two-level,node=8", V5E),
        ("bytes ici = 9; bytes dcn = 4", V5E),
    ],
)
def test_of_bytes_between_chips_there_is_no_floor(text, on):
    """The bytes are those of one algorithm. Another may use both directions of a ring, or sum in the switch."""
    made = floor(parse_operation(text), on)
    assert made.parts == () and any("left out: bytes between chips" in line for line in made.assumptions)
    for seconds in (Fraction(1, 10**12), Fraction(1), Fraction(10**6)):
        found = FloorAtSizes(made).verdict(seconds, {})
        assert (found.verdict, found.why.startswith("bytes between chips")) == ("beyond the model", True)


def test_times_between_chips_have_one_minimum_in_every_command(tmp_path, capsys):
    table = tmp_path / "times.csv"
    table.write_text("V,us\n1000000000,11100\n1000000000,12000\n")
    assert main(["time", "all-gather:n=16", "--chip", "tpu-v5e", "--measured", str(table)]) == 0
    told = capsys.readouterr().out  # the minimum is 10.42 ms
    assert told.startswith("2 times on tpu-v5e: 0 below the minimum; median 1.11 x minimum\n")
    assert main(["time", "all-gather:n=16", "--chip", "tpu-v5e", "--measured", str(table), "--json"]) == 0
    [record] = json.loads(capsys.readouterr().out)
    assert record["summary"]["below_floor"] == 0 and [v["verdict"] for v in record["verdicts"]] == ["possible"] * 2


def test_chips_that_share_a_model_have_the_floor_of_their_memory():
    shared = parse_operation(f"{EXAMPLES}/models/llama-3.1-8b.json:decode,B=1,S=4096,tensor=8,link=nvlink")
    assert shared.bytes("nvlink") > 0
    seconds, binds = FloorAtSizes(floor(shared, H100)).seconds({})
    rate = H100.rate("hbm").value
    assert binds == "memory" and seconds == Fraction(int(shared.bytes().p), int(shared.bytes().q)) / rate


@pytest.mark.parametrize(
    ("text", "on", "least"),
    [
        (GATHERED, V5E, Fraction(15, 16) * 10**9 / (2 * 45 * 10**9)),  # both directions of a ring
        ("reduce-scatter:n=16,V=1000000000", V5E, Fraction(15, 16) * 10**9 / (2 * 45 * 10**9)),
        ("all-reduce:n=16,V=1000000000", V5E, Fraction(15, 16) * 10**9 / (45 * 10**9)),  # 30 V over 32 links
        ("all-gather:V=1000000000,topology=4x4", V5E, Fraction(15, 16) * 10**9 / (4 * 45 * 10**9)),  # four links
        ("all-gather:n=16,V=1000000000,topology=line", V5E, Fraction(15, 16) * 10**9 / (45 * 10**9)),  # one link
        ("all-to-all:n=4,V=1000000000,link=nvlink", H100, Fraction(3, 16) * 10**9 / (450 * 10**9)),  # each port once
        ("point-to-point:V=1000000000", V5E, Fraction(10**9, 2 * 45 * 10**9)),  # both ways
    ],
)
def test_the_least_time_of_a_collective_on_its_topology(text, on, least):
    assert FloorAtSizes(floor(parse_operation(text), on)).seconds({})[0] == least


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", ["all-gather", "reduce-scatter", "all-reduce", "all-to-all"])
@pytest.mark.parametrize("joined", ["", ",algorithm=direct", *(f",topology={kind}" for kind in KINDS)])
@given(st.integers(1, 64))
def test_no_algorithm_moves_less_than_the_least(name, joined, n):
    """No algorithm moves less over its busiest link, in one direction, than the lower bound of the collective."""
    for link in ("ici", "nvlink", "xgmi-link"):
        made = parse_operation(f"{name}:n={n},link={link}{joined}")
        assert (made.bytes(link) - made.least.get(link, 0)).is_nonnegative


@pytest.mark.parametrize("name", ["all-gather", "reduce-scatter", "all-reduce", "all-to-all"])
def test_a_collective_of_one_chip_takes_no_time(name, capsys):
    text = f"{name}:n=1"
    for asked_for in ([], ["--json"], ["--lang", "zh"]):
        assert main(["derive", text, "--chip", "h100-sxm", *asked_for]) == 0
    assert json.loads(capsys.readouterr().out.partition("{")[2].partition("\n}")[0].join("{}"))["time"]["lower"] == "0"
    assert lower(parse_operation(text), H100) == 0
    assert main(["time", text, "--chip", "h100-sxm"]) == 2
    assert "no FLOPs and no bytes, so it has no minimum time" in capsys.readouterr().err
