"""`derive FILE.py:FUNCTION` with a JAX function: its JSON record, its rows, and its errors."""

# ruff: noqa: E501 (each message is on one line)

import json
import re
from pathlib import Path

import pytest

from roofproof.cli import main

pytestmark = pytest.mark.frameworks
pytest.importorskip("jax", reason="jax is not installed; cure: pip install 'roofproof[jax]'")
GATED = str(Path(__file__).resolve().parents[2] / "examples" / "gated.py") + ":gated"
SHAPES = "x:bf16[B,D], w_gate:bf16[D,F], w_up:bf16[D,F], w_down:bf16[F,D]"


@pytest.mark.slow
def test_rows_are_sorted_by_their_time_and_told_in_chinese(capsys):
    command = ["derive", GATED, "--shapes", SHAPES, "--chip", "h100-sxm", "--at", "B=512,D=4096,F=16384", "--rows"]
    assert main(command) == 0
    *_, head, columns, first, second = capsys.readouterr().out.splitlines()
    assert head == "lines of the code by their time on h100-sxm, traffic fused"
    assert columns.split() == ["line", "does", "FLOPs", "bytes", "time", "bound", "by"]
    assert (first.split()[0], second.split()[0], first.split()[-1]) == ("gated.py:5", "gated.py:6", "bf16")
    assert main([*command, "--lang", "zh"]) == 0
    assert "代码各行按在 h100-sxm 上的时间排序" in capsys.readouterr().out


def refused(capsys, *arguments):
    assert main(["derive", *arguments]) == 2
    shown = capsys.readouterr()
    assert (shown.out, shown.err.count("\n")) == ("", 1)
    return shown.err.removeprefix("roofproof: ").strip()


def test_what_cannot_be_used_is_refused_in_one_line(capsys, tmp_path):
    assert refused(capsys, "matmul", "--rows") == "--rows requires a function, FILE.py:FUNCTION"
    assert refused(capsys, "matmul", "--where", "k even") == "--where: no size 'k' in 'matmul'; its sizes are B, D, F"
    assert refused(capsys, "no.py:f") == "no file 'no.py'; expected FILE.py:FUNCTION"
    assert refused(capsys, GATED, "--rows", "--json") == "--rows is for text; the JSON record always has the rows"
    broken = tmp_path / "broken.py"
    for text, told in {
        "def f(x:\n": "broken.py:1: SyntaxError: '(' was never closed (broken.py, line 1)",
        "x = 1\nimport nothing_of_this_name\n": "broken.py:2: ModuleNotFoundError: No module named 'nothing_of_this_name'",
        "import sys\nsys.exit(3)\n": "broken.py:2: SystemExit: 3",
        "\n1 / 0\n": "broken.py:2: ZeroDivisionError: division by zero",
    }.items():
        broken.write_text(text, encoding="utf-8")
        assert refused(capsys, f"{broken}:f") == told


@pytest.mark.slow
def test_what_the_code_prints_is_no_part_of_the_answer(capsys, tmp_path):
    file = tmp_path / "code.py"
    file.write_text(
        "print('hello')\ndef f(x):\n    print('there')\n    return x * 2\ndef g(x):\n    return x / y\n",
        encoding="utf-8",
    )
    assert main(["derive", f"{file}:f", "--shapes", "x:fp32[N]", "--json"]) == 0
    shown = capsys.readouterr()
    assert json.loads(shown.out)["bytes"] == "8*N" and shown.err == "hello\nthere\n"
    assert main(["derive", f"{file}:g", "--shapes", "x:fp32[N]"]) == 2
    assert capsys.readouterr().err.endswith("roofproof: code.py:6: NameError: name 'y' is not defined\n")
    assert main(["derive", f"{file}:h", "--shapes", "x:fp32[N]"]) == 2
    assert capsys.readouterr().err.endswith("roofproof: unknown function of code.py 'h'; known: f, g\n")


SHARED = """
import jax
from jax.sharding import AbstractMesh, PartitionSpec as P

def layer(x, up, down):
    return jax.lax.psum((x @ up) @ down, "model")

mesh = AbstractMesh((4,), ("model",))
split = jax.shard_map(layer, mesh=mesh, in_specs=(P(), P(None, "model"), P("model")), out_specs=P())
"""


@pytest.mark.slow
def test_axes_of_a_mesh_are_bound_to_links_on_the_command_line(capsys, tmp_path):
    code = tmp_path / "shared.py"
    code.write_text(SHARED)
    shapes = ["--shapes", "x:bf16[B,D], up:bf16[D,F], down:bf16[F,D]", "--where", "4 divides F"]
    given = ["derive", f"{code}:split", *shapes, "--chip", "h100-sxm", "--at", "B=64,D=4096,F=16384"]
    assert main([*given, "--links", "model=nvlink"]) == 0
    shown = capsys.readouterr().out
    assert re.search(r" 3\*B\*D +over nvlink$", shown, re.MULTILINE)  # 2 * 3/4 * (2*B*D bytes)
    assert "  nvlink  " in shown and "over ici" not in shown
    for links, told in {
        "data=nvlink": "links: unknown axis of the mesh 'data'; known: model",
        "model": "--links 'model': expected AXIS=LINK, such as model=nvlink",
        "model=nvlink,model=dcn": "--links: axis 'model' is given twice",
        "": "--links '': expected AXIS=LINK, such as model=nvlink",
        "model=NV LINK": "'NV LINK': expected a memory level or a link in lower-case letters, digits and dashes, such as 'ici'",
    }.items():
        assert refused(capsys, f"{code}:split", *shapes, "--links", links).endswith(told)
    assert refused(capsys, "matmul", "--links", "model=dcn") == "--links requires a function, FILE.py:FUNCTION"
    alone = refused(capsys, GATED, "--shapes", SHAPES, "--links", "model=nvlink")
    assert alone.endswith("links bind the axes of a mesh, and there is no shard_map over one")


def test_the_picture_of_the_lines_was_removed_and_says_so(capsys):
    assert refused(capsys, GATED, "--shapes", SHAPES, "--rows", "--plot", "rows.svg") == (
        "`derive --plot` was removed; use `--rows`, which has the lines in numbers"
    )


def test_over_a_level_the_lines_move_what_the_whole_does(capsys):
    sizes = ["--shapes", SHAPES, "--chip", "h100-sxm", "--level", "l2", "--at", "B=64,D=4096,F=16384", "--rows"]
    assert main(["derive", GATED, *sizes]) == 0
    *_, first, second = capsys.readouterr().out.splitlines()
    found = [int(re.search(r"([0-9]+) \(l2\)", row)[1]) for row in (first, second)]
    assert sum(found) == 4 * 64 * 4096 + 6 * 4096 * 16384 and first.endswith("  l2")


@pytest.mark.slow
def test_layers_are_counted_by_difference(capsys, tmp_path):
    code = tmp_path / "tower.py"
    code.write_text("def tower(x, w, depth: int):\n    for _ in range(depth):\n        x = x @ w\n    return x\n")
    given = ["derive", f"{code}:tower", "--shapes", "x:bf16[B,D], w:bf16[D,D], depth=N"]
    assert main([*given, "--unrolled", "N", "--rows"]) == 0
    shown = capsys.readouterr().out
    assert "tower.py:3  dot_general  2*B*N*D^2 (bf16)" in shown and "N layers alike" in shown
    told = refused(capsys, *given[1:])
    said = "a size that is a symbol is used as a value here; give it a number in the shapes"
    assert told == f"tower.py:2: {said}, or, where layers are made in a loop, its name to --unrolled"
    assert refused(capsys, "matmul", "--unrolled", "N") == "--unrolled requires a function, FILE.py:FUNCTION"
