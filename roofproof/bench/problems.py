"""What a person names, as problems: operations by their text, functions, problem files, folders of them, manifests."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from roofproof.errors import RoofproofError, quoted
from roofproof.ops import Operation, parse_operation
from roofproof.ops.notation.code import is_code
from roofproof.ops.notation.passes import floor_text
from roofproof.ops.notation.sizes import sizes_from
from roofproof.toml import checked, read_bytes, read_toml

MAX_BYTES: Final = 8 * 1024**2
FIELDS: Final = {"name": str, "op": str, "shapes": str, "where": str, "at": str}
HEADER: Final = re.compile(r"\s*\[\[\s*problem\s*\]\]")
MANIFESTS: Final = (".toml", ".csv", ".tsv")


@dataclass(frozen=True, slots=True)
class Asked:
    """A problem before anything of it is looked at: its name, the text of an operation, and how it is read.

    `error` says why a line of a manifest is no problem.
    """

    name: str
    op: str = ""
    shapes: str = ""
    where: str = ""
    at: Mapping[str, int] = field(default_factory=dict)
    error: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    """An operation under a name, with what of its sizes is given; or why it cannot be used.

    `whole` is the operation that reads every expert, all of which lie in the memory.

    >>> [problem] = read_problems(["matmul:fp16"])
    >>> problem.name, problem.op.flops, problem.error
    ('matmul:fp16', 2*B*D*F, '')
    """

    name: str
    op: Operation | None
    at: Mapping[str, int] = field(default_factory=dict)
    error: str = ""
    whole: Operation | None = None


def read_problems(paths: Iterable[str], shapes: str = "", where: str = "") -> Iterator[Problem]:
    """Yield the problems that paths name, in order; each that cannot be used says why.

    A path is an operation (`matmul`, an einsum, `config.json:decode`), a function (`FILE.py:NAME`, with `shapes` and
    `where`), a problem file (`FILE.py`), a folder of these, or a manifest of any (`.toml`, `.csv`, `.tsv`).
    """
    yield from loaded(asked(paths, shapes, where))


def asked(paths: Iterable[str], shapes: str = "", where: str = "") -> list[Asked]:
    """Return what paths name, with nothing of it looked at but folders and manifests.

    >>> [one.name for one in asked(["matmul", "examples/reference_problem.py"])]
    ['matmul', 'reference_problem']

    Raises RoofproofError for a folder without problems, and for a manifest that cannot be read.
    """
    found: list[Asked] = []
    for text in paths:
        path = Path(text)
        if text.endswith(MANIFESTS):
            found += _manifest(path)
        elif not is_code(text) and (path.is_dir() or text.endswith(("/", os.sep))):
            if not path.is_dir():
                raise RoofproofError(f"no folder {quoted(text, 200)}")
            files = sorted(path.glob("*.py"), key=_by_number)
            if not files:
                raise RoofproofError(f"{text}: no problem files in this folder; expected *.py with a class Model")
            found += [Asked(file.stem, str(file)) for file in files]
        elif text.endswith(".py"):
            found.append(Asked(path.stem, text))
        else:
            code = is_code(text)
            found.append(Asked(text, text, shapes if code else "", where if code else ""))
    return found


def loaded(given: Iterable[Asked]) -> Iterator[Problem]:
    """Yield each problem with its operation. Code runs in a process of its own, and can reach nothing."""
    with ExitStack() as stack:
        references: list[Any] = []
        for one in given:
            whole = None
            try:
                if one.error:
                    raise RoofproofError(one.error)
                if one.op.endswith(".py"):
                    if not Path(one.op).is_file():
                        raise RoofproofError(f"no file {quoted(one.op, 200)}")
                    if not references:
                        from roofproof.trace.elsewhere import References

                        references.append(stack.enter_context(References()))
                    op = references[0].traced(one.op)
                elif is_code(one.op):
                    from roofproof.trace.elsewhere import Code

                    with Code(one.op) as code:
                        op = code.traced(one.shapes, where=one.where)
                else:
                    text = floor_text(one.op)
                    op = parse_operation(text)
                    every = text.replace("touched=least", "touched=all")
                    whole = parse_operation(every) if every != text else None
                if unknown := [name for name in one.at if name not in {s.name for s in op.dims}]:
                    has = ", ".join(s.name for s in op.dims) or "none"
                    raise RoofproofError(f"at {unknown[0]}: no size of {one.op}; its sizes are {has}")
            except RoofproofError as problem:
                yield Problem(one.name, None, error=" ".join(str(problem).split()))
                continue
            yield Problem(one.name, op, one.at, whole=whole)


def _by_number(path: Path) -> list[tuple[int, str]]:
    """Order `2_b.py` before `10_a.py`."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"([0-9]+)", path.name) if part]


def _manifest(path: Path) -> list[Asked]:
    """Return the problems of a manifest; of one that is wrong, the line and the cure."""
    content = read_bytes(path, MAX_BYTES, "manifest ")
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


def _entry(path: Path, line: int, entry: Mapping[str, Any]) -> Asked:
    where = f"{path.name}, line {line}: "
    name = str(entry.get("name") or entry.get("op") or f"{path.name}, line {line}")
    try:
        checked(entry, FIELDS, "key", where)
        op = str(entry.get("op", "")).strip()
        if not op:
            raise RoofproofError(f'{where}op is missing, as in op = "matmul:bf16"')
        file = op.rpartition(":")[0] if is_code(op) else op if op.endswith(".py") else ""
        if file:
            op = f"{path.parent / file}{op[len(file) :]}"
        at = sizes_from([str(entry["at"])]) if entry.get("at") else {}
    except RoofproofError as problem:
        said = str(problem)
        return Asked(name, error=said if said.startswith(where) else f"{where}{said}")
    return Asked(name, op, str(entry.get("shapes", "")), str(entry.get("where", "")), at)
