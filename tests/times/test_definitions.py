"""Definitions in the format of SOL-ExecBench: variable axes stay symbolic, and errors name their file."""

import json
from pathlib import Path

import pytest

from roofproof.cli import main
from roofproof.times.problems import read_definition, read_problems

SCALED = {
    "name": "scaled",
    "axes": {"rows": {"type": "var"}, "wide": {"type": "const", "value": 64}},
    "inputs": {
        "x": {"shape": ["rows", "wide"], "dtype": "float16"},
        "w": {"shape": ["wide", "wide"], "dtype": "float16"},
    },
    "outputs": {"y": {"shape": ["rows", "wide"], "dtype": "float16"}},
    "reference": "def run(x, w):\n    return x @ w\n",
}


def written(folder: Path, **changed: object) -> Path:
    path = folder / "definition.json"
    path.write_text(json.dumps({**SCALED, **changed}))
    return path


def test_axes_stay_sizes_and_constants_are_numbers(tmp_path):
    pytest.importorskip("torch", reason="torch is not installed; cure: pip install torch")
    written(tmp_path)
    [problem] = read_problems([str(tmp_path)])
    assert (problem.name, problem.error) == ("scaled", "")
    [rows] = problem.op.dims
    assert problem.op.compute["fp16"] == 2 * rows * 64 * 64
    assert problem.op.bytes() == 2 * (64 * rows + 64 * 64 + 64 * rows)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"axes": {"rows": {"type": "var"}}}, "input x: unknown axis 'wide'"),
        ({"axes": {"rows": {"type": "many"}}}, "axis rows: type 'many': expected const, var, expr"),
        ({"axes": {"rows": {"type": "const", "value": 0}}}, "axis rows: value '0': expected a whole number from 1"),
        ({"inputs": {"eps": {"shape": None, "dtype": "float32"}}}, "input eps: expected an array; the definition has"),
        ({"inputs": {"a b": {}}}, "inputs: 'a b' cannot be a name"),
        ({"inputs": {"x": {"shape": [], "dtype": "f[B], y:fp8"}}}, "input x: dtype 'f[B], y:fp8': expected a number"),
        ({"reference": "x = 1"}, "reference: expected the code of a function run(...)"),
        ({"axes": [1]}, "axes: expected a table of tables by name"),
    ],
)
def test_what_is_wrong_is_said_of_its_file_and_the_others_go_on(changed, message, tmp_path):
    path = written(tmp_path, **changed)
    assert read_definition(path).error.startswith(f"{path}: {message}")
    wrong, right = read_problems([str(path), "matmul:fp16"])
    assert wrong.op is None and message in wrong.error and right.error == ""


def test_what_is_wrong_is_said_in_chinese(tmp_path, capsys):
    path = written(tmp_path, inputs={"a b": {}})
    assert main(["time", str(path), "--chip", "h100-sxm", "--lang", "zh"]) == 2
    assert "inputs：'a b' 不能用作名称；应以字母开头，后接字母、数字或下划线" in capsys.readouterr().err


def test_a_model_and_what_is_no_json_are_no_definitions(tmp_path):
    path = written(tmp_path)
    path.write_text('{"model_type": "llama"}')
    assert read_definition(path).error.endswith("of a model, a pass, as in config.json:decode")
    path.write_text("{,}")
    assert ", line 1, column 2: not JSON" in read_definition(path).error
    path.write_text('{"axes": {}, "reference": "", "n": %s}' % ("9" * 5000))
    assert read_definition(path).error == f"{path}: not JSON text in UTF-8 with numbers that can be read"
    path.write_text('{"axes": {}, "axes": {}}')
    assert read_definition(path).error == f"{path}: 'axes' is given twice"
