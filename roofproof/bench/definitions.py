"""Problems in the form of SOL-ExecBench: a definition.json with axes, inputs, outputs and the code of a reference.

An axis is a number (`const`), or a size of its own (`var`, and `expr`, which another program may tell from others). The
reference is a function `run` of the inputs, which is traced with these sizes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from roofproof.bench.manifest import MAX_BYTES, ProblemSpec
from roofproof.errors import RoofproofError, quoted
from roofproof.json_text import from_json
from roofproof.toml import read_bytes

ENTRY: Final = "run"
KINDS: Final = ("const", "var", "expr")
NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
CODE: Final = 256 * 1024  # characters of a reference


def read_definition(path: Path) -> ProblemSpec:
    """Return the problem that a definition is; `shapes` are those of its inputs, `code` its reference.

    >>> one = read_definition(Path("examples/rmsnorm/definition.json"))
    >>> one.name, one.shapes
    ('rmsnorm_h4096', 'hidden_states:bfloat16[batch_size,4096], weight:bfloat16[4096]')

    What is wrong with a file is said in one line, as the `error` of the problem.
    """
    try:
        return definition_from(read_bytes(path, MAX_BYTES, "definition "), path)
    except RoofproofError as problem:
        return ProblemSpec(_name(path), error=str(problem))


def definition_from(content: bytes, path: Path) -> ProblemSpec:
    """Return the problem of what a definition holds.

    >>> definition_from(b"{}", Path("x.json")).error.partition(";")[0]
    'x.json: expected a definition with axes, inputs and reference'
    """
    name = _name(path)
    try:
        table = _table(content, path)
        name = str(table.get("name") or name)
        sizes = _axes(_part(table, "axes", path), path)
        code = table.get("reference")
        if not isinstance(code, str) or len(code) > CODE or f"def {ENTRY}(" not in code:
            raise RoofproofError(f"{path}: reference: expected the code of a function {ENTRY}(...)")
        shapes = [_input(each, said, sizes, path) for each, said in _part(table, "inputs", path).items()]
    except RoofproofError as problem:
        return ProblemSpec(name, error=str(problem))
    return ProblemSpec(name, shapes=", ".join(shapes), code=code)


def _name(path: Path) -> str:
    return path.parent.name if path.name == "definition.json" else path.stem


def _table(content: bytes, path: Path) -> Mapping[str, Any]:
    table = from_json(content, str(path))
    if not isinstance(table, dict) or "axes" not in table or "reference" not in table:
        said = "expected a definition with axes, inputs and reference; of a model, a pass, as in config.json:decode"
        raise RoofproofError(f"{path}: {said}")
    return table


def _part(table: Mapping[str, Any], key: str, path: Path) -> Mapping[str, Any]:
    part = table.get(key)
    if not isinstance(part, dict) or not all(isinstance(each, dict) for each in part.values()):
        raise RoofproofError(f"{path}: {key}: expected a table of tables by name")
    for name in part:
        if not NAME.fullmatch(name):
            raise RoofproofError(f"{path}: {key}: {quoted(name)} is no name")
    return part


def _axes(axes: Mapping[str, Any], path: Path) -> dict[str, str]:
    found = {}
    for name, axis in axes.items():
        kind, value = axis.get("type"), axis.get("value")
        if kind not in KINDS:
            raise RoofproofError(f"{path}: axis {name}: type {quoted(kind)}: expected {', '.join(KINDS)}")
        if kind == "const" and (type(value) is not int or value < 1):
            raise RoofproofError(f"{path}: axis {name}: value {quoted(value)}: expected a whole number from 1")
        found[name] = str(value) if kind == "const" else name
    return found


def _input(name: str, said: Mapping[str, Any], sizes: Mapping[str, str], path: Path) -> str:
    shape, dtype = said.get("shape"), said.get("dtype")
    if not isinstance(dtype, str) or not NAME.fullmatch(dtype):
        raise RoofproofError(f"{path}: input {name}: dtype {quoted(dtype)}: expected a number format")
    if not isinstance(shape, list):
        raise RoofproofError(f"{path}: input {name}: a number and no array; its value is not in the definition")
    for axis in shape:
        if axis not in sizes:
            raise RoofproofError(f"{path}: input {name}: {quoted(axis)} is none of the axes")
    return f"{name}:{dtype}[{','.join(sizes[axis] for axis in shape)}]"
