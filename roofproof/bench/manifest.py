"""Manifests of problems, as TOML or a table: a name, the text of an operation, its shapes, conditions and sizes."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from roofproof.errors import RoofproofError, one_line
from roofproof.ops.notation.code import is_code
from roofproof.ops.notation.operation_file import file_named
from roofproof.ops.notation.sizes import sizes_from
from roofproof.toml import checked, read_bytes, read_toml

MAX_BYTES: Final = 8 * 1024**2
FIELDS: Final = {"name": str, "op": str, "shapes": str, "where": str, "at": str}
HEADER: Final = re.compile(r"\s*\[\[\s*problem\s*\]\]")


@dataclass(frozen=True, slots=True)
class ProblemSpec:
    """A problem before anything of it is looked at: its name, the text of an operation, and how it is read.

    `code` is that of a function `run`, where it stands in no file of its own; `place` is the line of a manifest, and
    `error` says why it is no problem.
    """

    name: str
    op: str = ""
    shapes: str = ""
    where: str = ""
    at: Mapping[str, int] = field(default_factory=dict)
    error: str = ""
    code: str = ""
    place: str = ""


def read_manifest(path: Path) -> list[ProblemSpec]:
    """Return the problems of a manifest; of one that is wrong, the line and the cure.

    >>> [(one.name, one.op, one.at) for one in read_manifest(Path("examples/floors.toml"))][0]
    ('projection', 'matmul:fp16', {'B': 4096, 'D': 4096, 'F': 4096})
    """
    return manifest_from(read_bytes(path, MAX_BYTES, "manifest "), path)


def manifest_from(content: bytes, path: Path) -> list[ProblemSpec]:
    """Return the problems of what a manifest holds.

    >>> [(one.name, one.op) for one in manifest_from(b"op,at\\nmatmul:fp16,B=8\\n", Path("few.csv"))]
    [('matmul:fp16', 'matmul:fp16')]
    """
    if path.suffix == ".toml":
        table = read_toml(content, path.name, MAX_BYTES, "split it")
        entries = table.pop("problem", None)
        checked(table, {}, "key", f"{path.name}: ")
        if not isinstance(entries, list) or not entries or not all(isinstance(entry, dict) for entry in entries):
            raise RoofproofError(f"{path.name}: no problems; each begins with [[problem]] and has an op")
        lines = [n for n, line in enumerate(content.decode().splitlines(), 1) if HEADER.match(line)]
        rows = [(n, entry) for n, entry in zip(lines, entries, strict=False)]
        if len(rows) < len(entries):
            raise RoofproofError(f"{path.name}: write each problem under a line [[problem]] of its own")
    else:
        rows = _table(path, content)
    return [_entry(path, line, entry) for line, entry in rows]


def _table(path: Path, content: bytes) -> list[tuple[int, dict[str, Any]]]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RoofproofError(f"{path.name}, line {content[: error.start].count(10) + 1}: not UTF-8 text") from None
    head, _, _ = text.partition("\n")
    reader = csv.reader(io.StringIO(text), delimiter="\t" if "\t" in head else ",", skipinitialspace=True)
    rows: list[tuple[int, dict[str, Any]]] = []
    try:
        names = [name.strip() for name in next(reader, [])]
        for row in reader:
            if any(map(str.strip, row)):
                cells = dict(zip(names, map(str.strip, row), strict=False)) | (
                    {"": ""} if len(row) > len(names) else {}
                )
                rows.append((reader.line_num, {name: cell for name, cell in cells.items() if cell or not name}))
    except csv.Error as problem:
        raise RoofproofError(f"{path.name}, line {reader.line_num}: not CSV: {problem}") from None
    checked(dict.fromkeys(names, ""), FIELDS, "column", f"{path.name}, line 1: ")
    if not rows:
        raise RoofproofError(f"{path.name}: a header and no problems")
    return rows


def _entry(path: Path, line: int, entry: Mapping[str, Any]) -> ProblemSpec:
    where = f"{path.name}, line {line}: "
    name = one_line(str(entry.get("name") or entry.get("op") or f"{path.name}, line {line}"))
    try:
        checked(entry, FIELDS, "key", where)
        op = str(entry.get("op", "")).strip()
        if not op:
            raise RoofproofError(f'{where}op is missing, as in op = "matmul:bf16"')
        file = op.rpartition(":")[0] if is_code(op) else op if op.endswith(".py") else file_named(op)
        if file:
            op = f"{path.parent / file}{op[len(file) :]}"
        at = sizes_from([str(entry["at"])]) if entry.get("at") else {}
    except RoofproofError as problem:
        said = str(problem)
        return ProblemSpec(name, error=said if said.startswith(where) else f"{where}{said}")
    return ProblemSpec(name, op, str(entry.get("shapes", "")), str(entry.get("where", "")), at, place=where)
