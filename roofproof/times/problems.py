"""Problems as a user names them: operations, functions, problem files, folders of these, and manifests.

A definition in the SOL-ExecBench format has axes, inputs and a reference. An axis is a number (`const`) or a symbolic
size (`var`, and `expr`, whose expression is not evaluated). The reference is traced with these sizes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from roofproof.derive.roofline.own_format import for_chip, own_note
from roofproof.errors import RoofproofError, one_line, quoted
from roofproof.json_text import from_json
from roofproof.ops import Operation, parse_operation
from roofproof.ops.library import named
from roofproof.ops.notation.code import MODULE, is_code
from roofproof.ops.notation.operation_file import file_named, holds_operation
from roofproof.ops.notation.passes import as_floor, in_one_kernel
from roofproof.ops.notation.sizes import sizes_from
from roofproof.ops.notation.where import with_conditions
from roofproof.sentences import Sentence, joined
from roofproof.times.tables import csv_rows, text_of
from roofproof.toml import at_line, before, checked, read_bytes, read_toml

if TYPE_CHECKING:
    from roofproof.hardware import Chip

MAX_BYTES: Final = 8 * 1024**2
CODE: Final = 256 * 1024  # limit of the characters of a reference
ENTRY: Final = "run"  # the function of a reference
MANIFESTS: Final = (".toml", ".csv", ".tsv")
FIELDS: Final = {"name": str, "op": str, "shapes": str, "where": str, "at": str}
HEADER: Final = re.compile(r"\s*\[\[\s*problem\s*\]\]")
AXES: Final = ("const", "var", "expr")
NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")


@dataclass(frozen=True, slots=True)
class ProblemSpec:
    """A problem before it is loaded: its name, the text of its operation, and how to parse it.

    `code` is the source of a function `run` that is not in a file. `place` is the line in a manifest. `error` is the
    reason why the problem is invalid.
    """

    name: str
    op: str = ""
    shapes: str = ""
    where: str = ""
    at: Mapping[str, int] = field(default_factory=dict)
    error: str = ""
    code: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    """A named operation with its given sizes, or the reason why it cannot be used.

    `with_all_experts` is the variant that reads every expert, since all experts are stored in memory. `place` is the
    line in a manifest.

    >>> [problem] = read_problems(["matmul:fp16"])
    >>> problem.name, problem.op.flops, problem.error
    ('matmul:fp16', 2*B*D*F, '')
    """

    name: str
    op: Operation | None
    at: Mapping[str, int] = field(default_factory=dict)
    error: str = ""
    with_all_experts: Operation | None = None
    place: str = ""
    spec: ProblemSpec | None = None


def read_problems(paths: Iterable[str], shapes: str = "", where: str = "") -> Iterator[Problem]:
    """Yield the problems that paths name, in order. A problem that cannot be used has the reason in `error`.

    >>> [problem.error for problem in read_problems(["dot", "dott"])]
    ['', "unknown operation 'dott'; did you mean 'dot'?"]

    A path is an operation (`matmul`, an einsum, `scan.toml`, `config.json:decode`), a function (`FILE.py:NAME`, with
    `shapes`), a problem file (`FILE.py`), a definition (`.json`), a folder of these, or a manifest of any (`.toml`,
    `.csv`, `.tsv`). `where` states conditions on the sizes of operations and functions.
    """
    yield from load_problems(parse_problems(paths, shapes, where))


def parse_problems(paths: Iterable[str], shapes: str = "", where: str = "") -> list[ProblemSpec]:
    """Return the problems that paths name. Code files are not read yet.

    >>> [one.name for one in parse_problems(["matmul", "examples/reference_problem.py"])]
    ['matmul', 'reference_problem']

    Raises RoofproofError for a folder without problems, and for a manifest that cannot be read.
    """
    found: list[ProblemSpec] = []
    for text in paths:
        path, code = Path(text), is_code(text)
        if text.endswith(".toml") and holds_operation(read_bytes(path, MAX_BYTES, "problem list "), path.name):
            found.append(ProblemSpec(text, text, where=where))
        elif text.endswith(MANIFESTS):
            found += read_manifest(path)
        elif not code and (os.path.isdir(path) or text.endswith(("/", os.sep))):
            found += _folder(text)
        elif text.endswith(".json"):
            found.append(read_definition(path))
        elif text.endswith(".py"):
            found.append(ProblemSpec(path.stem, text))
        else:
            found.append(ProblemSpec(text, text, shapes if code else "", where))
    return found


def _folder(text: str) -> list[ProblemSpec]:
    path = Path(text)
    if not path.is_dir():
        raise RoofproofError("no folder <text>", text=quoted(text, 200))
    if defined := sorted(path.glob("**/definition.json")):
        return [read_definition(file) for file in defined]
    files = sorted(path.glob("*.py"), key=_by_number)
    if not files:
        due = "expected *.py with a class Model, or definition.json"
        raise RoofproofError("<text>: no problem files in this folder; <due>", text=text, due=due)
    return [ProblemSpec(file.stem, str(file)) for file in files]


def _by_number(path: Path) -> list[tuple[int, str]]:
    """Return a sort key that orders `2_b.py` before `10_a.py`."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"([0-9]+)", path.name) if part]


def load_problems(given: Iterable[ProblemSpec]) -> Iterator[Problem]:
    """Yield each problem with its operation. Code runs in an isolated process."""
    with ExitStack() as stack:
        references: list[Any] = []
        for one in given:
            try:
                op, with_all_experts = _loaded(one, stack, references)
                if unknown := [name for name in one.at if name not in {s.name for s in op.dims}]:
                    has = ", ".join(s.name for s in op.dims) or "none"
                    raise RoofproofError(
                        "at <unknown>: not a size of <op>; its sizes are <has>", unknown=unknown[0], op=one.op, has=has
                    )
            except RoofproofError as problem:
                yield Problem(one.name, None, error=said_at(one.place, problem))
                continue
            spec = one if named(one.op) else None
            yield Problem(one.name, op, one.at, with_all_experts=with_all_experts, place=one.place, spec=spec)


def _loaded(one: ProblemSpec, stack: ExitStack, references: list[Any]) -> tuple[Operation, Operation | None]:
    """Return the operation of a problem, and its variant that reads every expert (None if there is none)."""
    if one.error:
        raise RoofproofError(one.error)
    if one.op.endswith(".py"):
        if not os.path.isfile(one.op):
            raise RoofproofError("no file <op>", op=quoted(one.op, 200))
        if not references:
            from roofproof.trace.sandbox import References

            references.append(stack.enter_context(References()))
        return references[0].traced(one.op, traffic="least"), None
    if MODULE.fullmatch(one.op.strip()):
        said = "a module counts every expert as read and every masked pair, which is not a minimum"
        raise RoofproofError("<op>: <said>; `derive` counts it as it is written", op=one.op, said=said)
    return (_traced(one), None) if one.code or is_code(one.op) else _read(one)


def _read(one: ProblemSpec) -> tuple[Operation, Operation | None]:
    """Return the operation of a text, with its minimum traffic, and its variant that reads every expert."""
    text = as_floor(one.op)
    every = text.replace("touched=least", "touched=all")
    found = [in_one_kernel(parse_operation(each), each) for each in dict.fromkeys((text, every))]
    op, *rest = (with_conditions(each, one.where) if one.where else each for each in found)
    return op, (rest[0] if rest else None)


def _traced(one: ProblemSpec) -> Operation:
    """Return the operation of a function in a file, or of code, which is first written to a temporary file."""
    from tempfile import TemporaryDirectory

    from roofproof.trace.sandbox import IsolatedCode

    with ExitStack() as stack:
        text = one.op
        if one.code:
            file = Path(stack.enter_context(TemporaryDirectory()), f"{ENTRY}.py")
            file.write_text(one.code, encoding="utf-8")
            text = f"{file}:{ENTRY}"
        return stack.enter_context(IsolatedCode(text)).traced(one.shapes, where=one.where, traffic="least")


def in_own_format(problem: Problem, chip: Chip) -> Problem:
    """Return a built-in problem without a number format in the format that all commands use for it on a chip.

    >>> from roofproof.hardware import chip
    >>> [lu] = read_problems(["lu"])
    >>> lu.op.bytes(), in_own_format(lu, chip("tpu-v6e")).op.bytes()               # no fp64 peak
    (16*N**2, 4*N**2)
    """
    if problem.spec is None or problem.op is None or not (note := own_note(for_chip(problem.spec.op, chip))):
        return problem
    made = _read(replace(problem.spec, op=f"{problem.spec.op.strip()}:{note.parts['own']}"))
    op, with_all_experts = (
        each and replace(each, convention=joined("<first>; <second>", filter(None, (each.convention, note))))
        for each in made
    )
    return replace(problem, op=op, with_all_experts=with_all_experts)


def one_problem(text: str, chip: Chip) -> tuple[Operation, Operation | None]:
    """Return the operation that a text names, and its variant that reads every expert.

    >>> from roofproof.hardware import chip
    >>> op, with_all_experts = one_problem("ffn", chip("h100-sxm"))
    >>> op.bytes(), with_all_experts                           # as one kernel moves them
    (4*B*D + 4*D*F, None)

    Raises RoofproofError unless the text names exactly one valid problem.
    """
    problems = [in_own_format(each, chip) for each in read_problems([text])]
    if len(problems) != 1:
        raise RoofproofError(
            "<text> names <count> problems; expected one operation", text=quoted(text), count=len(problems)
        )
    if problems[0].op is None:
        raise RoofproofError(problems[0].error)
    return problems[0].op, problems[0].with_all_experts


def said_at(place: str, problem: Exception) -> str:
    """Return a one-line message, with its place, for the reason why a problem cannot be used.

    >>> said_at("list.toml, line 3: ", ValueError("no size B"))
    'list.toml, line 3: no size B'
    """
    if not place and isinstance(problem, RoofproofError) and isinstance(problem.said, Sentence):
        return problem.said
    line = " ".join(str(problem).split())
    return line if line.startswith(place) else f"{place}{line}"


def read_manifest(path: Path) -> list[ProblemSpec]:
    """Return the problems of a manifest. An invalid entry has the line and the cure in `error`.

    >>> [(one.name, one.op, one.at) for one in read_manifest(Path("examples/floors.toml"))][0]
    ('projection', 'matmul:fp16', {'B': 4096, 'D': 4096, 'F': 4096})
    """
    return manifest_from(read_bytes(path, MAX_BYTES, "problem list "), path)


def manifest_from(content: bytes, path: Path) -> list[ProblemSpec]:
    """Return the problems in the content of a manifest: TOML, or a table with a column `op`.

    >>> [(one.name, one.op) for one in manifest_from(b"op,at\\nmatmul:fp16,B=8\\n", Path("few.csv"))]
    [('matmul:fp16', 'matmul:fp16')]
    """
    if path.suffix == ".toml":
        return [_entry(path, line, entry) for line, entry in _entries(content, path)]
    names, cells, lines = csv_rows(text_of(content, path.name), path.name)
    checked(dict.fromkeys(names, ""), FIELDS, "column", f"{path.name}, line 1: ")
    if not cells:
        raise RoofproofError("<name>: a header and no problems", name=path.name)
    rows = ({name: cell for name, cell in zip(names, row, strict=True) if cell} for row in cells)
    return [_entry(path, line, row) for line, row in zip(lines, rows, strict=True)]


def _entries(content: bytes, path: Path) -> list[tuple[int, dict[str, Any]]]:
    table = read_toml(content, path.name, MAX_BYTES, "split it")
    entries = table.pop("problem", None)
    checked(table, {}, "key", f"{path.name}: ")
    if not isinstance(entries, list) or not entries or not all(isinstance(entry, dict) for entry in entries):
        raise RoofproofError("<name>: no problems; each begins with [[problem]] and has an op", name=path.name)
    lines = [n for n, line in enumerate(content.decode().splitlines(), 1) if HEADER.match(line)]
    if len(lines) < len(entries):
        raise RoofproofError("<name>: write each problem under a line [[problem]] of its own", name=path.name)
    return list(zip(lines, entries, strict=False))


def _entry(path: Path, line: int, entry: Mapping[str, Any]) -> ProblemSpec:
    where = before(at_line(path.name, line))
    name = one_line(str(entry.get("name") or entry.get("op") or f"{path.name}, line {line}"))
    try:
        checked(entry, FIELDS, "key", where)
        op = str(entry.get("op", "")).strip()
        if not op:
            raise RoofproofError('<where>op is missing, as in op = "matmul:bf16"', where=where)
        file = op.rpartition(":")[0] if is_code(op) else op if op.endswith(".py") else file_named(op)
        if file:
            op = f"{path.parent / file}{op[len(file) :]}"
        at = sizes_from([str(entry["at"])]) if entry.get("at") else {}
    except RoofproofError as problem:
        return ProblemSpec(name, error=said_at(where, problem))
    return ProblemSpec(name, op, str(entry.get("shapes", "")), str(entry.get("where", "")), at, place=where)


def read_definition(path: Path) -> ProblemSpec:
    """Return the problem in a definition file, with the `shapes` of its inputs and its reference as `code`.

    >>> one = read_definition(Path("examples/rmsnorm/definition.json"))
    >>> one.name, one.shapes
    ('rmsnorm_h4096', 'hidden_states:bfloat16[batch_size,4096], weight:bfloat16[4096]')

    An invalid file gives a problem with a one-line `error`.
    """
    try:
        return definition_from(read_bytes(path, MAX_BYTES, "definition "), path)
    except RoofproofError as problem:
        return ProblemSpec(path.parent.name if path.name == "definition.json" else path.stem, error=problem.said)


def definition_from(content: bytes, path: Path) -> ProblemSpec:
    """Return the problem in the content of a definition.

    >>> definition_from(b"{}", Path("x.json")).error.partition(";")[0]
    'x.json: expected a definition with axes, inputs and reference'
    """
    name = path.parent.name if path.name == "definition.json" else path.stem
    try:
        table = from_json(content, str(path))
        if not isinstance(table, dict) or "axes" not in table or "reference" not in table:
            due = "expected a definition with axes, inputs and reference; of a model, a pass, as in config.json:decode"
            raise RoofproofError("<path>: <due>", path=path, due=due)
        name = str(table.get("name") or name)
        sizes = {axis: _size(axis, said, path) for axis, said in _part(table, "axes", path).items()}
        code = table.get("reference")
        if not isinstance(code, str) or len(code) > CODE or f"def {ENTRY}(" not in code:
            raise RoofproofError(
                "<path>: reference: expected the code of a function <entry>(...)", path=path, entry=ENTRY
            )
        shapes = [_input(each, said, sizes, path) for each, said in _part(table, "inputs", path).items()]
    except RoofproofError as problem:
        return ProblemSpec(name, error=problem.said)
    return ProblemSpec(name, shapes=", ".join(shapes), code=code)


def _part(table: Mapping[str, Any], key: str, path: Path) -> Mapping[str, Any]:
    part = table.get(key)
    if not isinstance(part, dict) or not all(isinstance(each, dict) for each in part.values()):
        raise RoofproofError("<path>: <key>: expected a table of tables by name", path=path, key=key)
    for name in part:
        if not NAME.fullmatch(name):
            said = "<path>: <key>: <name> cannot be a name; expected a letter, then letters, digits and underscores"
            raise RoofproofError(said, path=path, key=key, name=quoted(name))
    return part


def _size(name: str, axis: Mapping[str, Any], path: Path) -> str:
    """Return the size of an axis: its number or its name."""
    kind, value = axis.get("type"), axis.get("value")
    if kind not in AXES:
        raise RoofproofError(
            "<path>: axis <name>: type <kind>: expected <axes>",
            path=path,
            name=name,
            kind=quoted(kind),
            axes=", ".join(AXES),
        )
    if kind == "const" and (type(value) is not int or value < 1):
        raise RoofproofError(
            "<path>: axis <name>: value <value>: expected a whole number from 1",
            path=path,
            name=name,
            value=quoted(value),
        )
    return str(value) if kind == "const" else name


def _input(name: str, said: Mapping[str, Any], sizes: Mapping[str, str], path: Path) -> str:
    shape, dtype = said.get("shape"), said.get("dtype")
    if not isinstance(dtype, str) or not NAME.fullmatch(dtype):
        raise RoofproofError(
            "<path>: input <name>: dtype <dtype>: expected a number format", path=path, name=name, dtype=quoted(dtype)
        )
    if not isinstance(shape, list):
        raise RoofproofError(
            "<path>: input <name>: expected an array; the definition has no value for a number", path=path, name=name
        )
    for axis in shape:
        if axis not in sizes:
            raise RoofproofError("<path>: input <name>: unknown axis <axis>", path=path, name=name, axis=quoted(axis))
    return f"{name}:{dtype}[{','.join(sizes[axis] for axis in shape)}]"
