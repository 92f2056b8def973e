"""Profiler reports become tables of times, with seconds, bytes and FLOPs per kernel, or are refused in one line."""

from __future__ import annotations

import gzip
import json
from fractions import Fraction
from pathlib import Path

import pytest

from roofproof.cli import main
from roofproof.errors import RoofproofError
from roofproof.hardware import chip
from roofproof.times.estimates import operation_of
from roofproof.times.tables import Times, read_times, times_from_text
from roofproof.times.validation import validate
from roofproof.times.verdicts import FloorAtSizes, minimum

NCU = """==PROF== Connected to process 1
"ID","Kernel Name","gpu__time_duration.sum","dram__bytes_read.sum","dram__bytes_write.sum",\
"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum","smsp__sass_thread_inst_executed_op_hadd_pred_on.sum",\
"sm__ops_path_tensor_src_fp16_dst_fp32_sparsity_off.sum","sm__ops_path_tensor_src_int1.sum"
"","","us","Mbyte","byte","inst","inst","","n/a"
"0","gemm","180.25","67.1","1,000","0","0","137,438,953,472","n/a"
"1","add","40","100","0","1,024","10","0","0"
"""
TORCH = json.dumps(
    {
        "traceEvents": [
            {
                "cat": "cpu_op", "name": "aten::mm",
                "args": {"External id": 1, "Input Dims": [[2, 3], [3, 5]], "Input type": ["c10::Half", "c10::Half"]},
            },
            {
                "cat": "cpu_op", "name": "aten::add",
                "args": {
                    "External id": 2, "Input Dims": [[4, 4], [4, 4], []],
                    "Input type": ["c10::BFloat16", "c10::BFloat16", "Scalar"],
                },
            },
            {"cat": "kernel", "name": "gemm", "dur": 2.5, "args": {"External id": 1}},
            {"cat": "kernel", "name": "split", "dur": 1.5, "args": {"External id": 1}},
            {"cat": "kernel", "name": "elementwise", "dur": 3, "args": {"External id": 2}},
            {"cat": "kernel", "name": "softmax", "dur": 9, "args": {"External id": 3}},
        ]
    }
)  # fmt: skip
US = Fraction(1, 10**6)


METRICS = '"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"\n'


def test_a_row_for_each_metric_is_what_a_row_for_each_kernel_is() -> None:
    rows = [
        ("0", "add", "dram__bytes_read.sum", "Mbyte", "128.25"), ("0", "add", "dram__bytes_write.sum", "Kbyte", "64.5"),
        ("0", "add", "Duration", "us", "81.28"), ("0", "add", "gpu__time_duration.sum", "usecond", "81.28"),
        ("1", "mul, too", "dram__bytes_read.sum", "Kbyte", "1,024.5"),
        ("1", "mul, too", "dram__bytes_write.sum", "byte", "512"),
        ("1", "mul, too", "gpu__time_duration.sum", "nsecond", "2,816"),
    ]  # fmt: skip
    told = "==PROF== Connected\n" + METRICS + "".join('"' + '","'.join(row) + '"\n' for row in rows)
    found = times_from_text(told, "r")
    assert found.at_memory and found.labels["kernel"] == ("add", "mul, too")
    assert found.seconds == (Fraction(8128, 10**8), Fraction(2816, 10**9))
    assert found.sizes["bytes"] == (128_250_000 + 64_500, 1_024_500 + 512)


@pytest.mark.parametrize(
    ("text", "kernels", "seconds", "sizes", "at_memory"),
    [
        (
            NCU, ("gemm", "add"), (Fraction("180.25") * US, 40 * US),
            {"flops_fp16": (137_438_953_472, 0), "flops_fp32_vector": (0, 2048), "flops_fp16_vector": (0, 20),
             "bytes": (67_101_000, 100_000_000)}, True,
        ),
        (TORCH, ("aten::mm", "aten::add"), (4 * US, 3 * US), {"flops_fp16": (60, 0), "bytes": (62, 96)}, False),
    ],
)  # fmt: skip
def test_each_report_is_a_table_of_kernels(
    text: str, kernels: tuple[str, ...], seconds: tuple[Fraction, ...], sizes: dict[str, tuple[int, ...]],
    at_memory: bool,
) -> None:  # fmt: skip
    found = times_from_text(text, "report")
    assert (found.labels["kernel"], found.seconds, dict(found.sizes)) == (kernels, seconds, sizes)
    assert found.at_memory is at_memory and found.said


def test_counted_bytes_are_hidden_by_no_cache_and_floors_are_of_all_engines() -> None:
    table = times_from_text(NCU, "ncu.csv")
    assert validate(table, chip("h100-sxm"), caches="warm").caches == "cold"
    held = FloorAtSizes(minimum(operation_of(table)[0], chip("h100-sxm"), "warm", times=table))
    product, add = (held.seconds({name: column[k] for name, column in table.sizes.items()})[0] for k in (0, 1))
    assert product == Fraction(137_438_953_472) / Fraction("9.894e14")  # longer than moving 67.101 MB
    assert add == Fraction(10**8) / Fraction("3.35e12")


def test_a_packed_trace_is_unpacked(tmp_path: Path) -> None:
    file = tmp_path / "a.trace.json.gz"
    file.write_bytes(gzip.compress(TORCH.encode()))
    assert read_times(str(file)).seconds == (4 * US, 3 * US)
    file.write_bytes(gzip.compress(TORCH.encode())[:-9])
    with pytest.raises(RoofproofError, match=r"^a\.trace\.json\.gz: not gzip: "):
        read_times(str(file))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (NCU.replace('"us"', '"fortnight"'), "r, line 4: gpu__time_duration.sum: unknown unit 'fortnight'"),
        (NCU.replace('"180.25"', '"n/a"'), "r, line 4: gpu__time_duration.sum: expected a number, got 'n/a'"),
        (NCU.replace('"40","100"', '"40"'), "r, line 5: expected 9 cells as in the header, got 8"),
        (NCU.replace("dram__", "ram__").replace("sm__", "m__").replace("smsp_", "msp_").replace("msp__", "x__"),
         "r: no kernel with a time and its bytes or FLOPs; expected what `ncu --csv --page raw --metrics"),
        (NCU.replace('"n/a"\n"1"', '"5"\n"1"'),
         "r, line 4: unknown number format 'int1'"),
        ('"ID","Kernel Name","Metric Name"\n', "r: no line of units under the names; expected what `ncu"),
        (f"{METRICS}0,a,gpu__time_duration.sum,us,2\n",
         "r: no kernel with a time and its bytes or FLOPs; expected what `ncu"),
        (f"{METRICS}0,a,dram__bytes.sum,byte,2\n1,b,dram__bytes.sum,word,2\n", "r, line 3: dram__bytes.sum: unknown"),
        (f"{METRICS}0,a,dram__bytes.sum,byte,=2\n0,a,gpu__time_duration.sum,us,2\n",
         "r, line 2: dram__bytes.sum: expected a number, got '=2'"),
        ("\n".join(line for line in NCU.splitlines() if '"us"' not in line),
         "r: no line of units under the names; expected what `ncu --csv"),
        ('{"traceEvents": [{"cat": "kernel", "dur": 1, "args": {"External id": []}}, {"cat": "cpu_op", "args": 3}]}',
         "r: no kernel with a time and its bytes or FLOPs"),
        ('{"traceEvents": [{"cat": "cpu_op"}]}', "r: no kernel with a time and its bytes or FLOPs"),
    ],
)  # fmt: skip
def test_what_is_no_table_of_kernels_is_refused_in_a_line(text: str, said: str) -> None:
    with pytest.raises(RoofproofError) as refused:
        times_from_text(text, "r")
    assert str(refused.value).startswith(said) and "\n" not in str(refused.value)


def test_points_lie_over_the_roof_in_plot_and_validate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, drawn = tmp_path / "ncu.csv", tmp_path / "a.svg"
    file.write_text(NCU)
    op = "fp16[m,k], fp16[k,n] -> fp16[m,n]"
    sizes = ["--at", "m=4096,k=4096,n=4096", "--chip", "h100-sxm", "-o", str(drawn)]
    assert main(["plot", op, *sizes]) == 0
    alone = drawn.read_text()
    assert main(["plot", op, *sizes, "--times", str(file)]) == 0
    assert drawn.read_text() != alone
    assert main(["time", "--measured", str(file), "--chip", "h100-sxm", "--plot", str(drawn)]) == 0
    assert "kernels of Nsight Compute" in capsys.readouterr().out
    for more, said in (
        (["--kind", "time", "--for", "m"], "--times lays measured points over the roofline of one chip"),
        (["--chip", "tpu-v5e"], "--times lays measured points over the roofline of one chip"),
    ):
        assert main(["plot", op, *sizes, "--times", str(file), *more]) == 2
        assert capsys.readouterr().err == f"roofproof: {said}\n"


def test_a_table_of_times_is_none_of_them() -> None:
    assert isinstance(found := times_from_text("gpu,m,us\nh100,1,2\n", "t.csv"), Times) and not found.said
