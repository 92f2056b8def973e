"""What a person names, as problems: operations by their text, functions, problem files, folders of them, manifests."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from roofproof.bench.definitions import ENTRY, read_definition
from roofproof.bench.manifest import MAX_BYTES, ProblemSpec, read_manifest
from roofproof.derive.roofline.own_format import for_chip, own_note
from roofproof.errors import RoofproofError, quoted
from roofproof.ops import Operation, parse_operation
from roofproof.ops.library import named
from roofproof.ops.notation.code import MODULE, is_code
from roofproof.ops.notation.operation_file import holds_operation
from roofproof.ops.notation.passes import floor_text, in_one_kernel
from roofproof.ops.notation.where import under
from roofproof.sentences import joined
from roofproof.toml import read_bytes

if TYPE_CHECKING:
    from roofproof.hardware import Chip

Found = tuple[Operation, Operation | None]  # and the one that reads every expert
MANIFESTS: Final = (".toml", ".csv", ".tsv")


@dataclass(frozen=True, slots=True)
class Problem:
    """An operation under a name, with what of its sizes is given; or why it cannot be used.

    `whole` is the operation that reads every expert, all of which lie in the memory; `place` is where it stands.

    >>> [problem] = read_problems(["matmul:fp16"])
    >>> problem.name, problem.op.flops, problem.error
    ('matmul:fp16', 2*B*D*F, '')
    """

    name: str
    op: Operation | None
    at: Mapping[str, int] = field(default_factory=dict)
    error: str = ""
    whole: Operation | None = None
    place: str = ""
    spec: ProblemSpec | None = None


def in_own_format(problem: Problem, chip: Chip) -> Problem:
    """Return a problem of the library without a format in the one that every command takes for it on a chip.

    >>> from roofproof.hardware import chip
    >>> [lu] = read_problems(["lu"])
    >>> lu.op.bytes(), in_own_format(lu, chip("tpu-v6e")).op.bytes()               # which has no figure for fp64
    (16*N**2, 4*N**2)
    """
    if problem.spec is None or problem.op is None or not (note := own_note(for_chip(problem.spec.op, chip))):
        return problem
    made = _read(replace(problem.spec, op=f"{problem.spec.op.strip()}:{note.parts['own']}"))
    op, whole = (
        each and replace(each, convention=joined("<first>; <second>", filter(None, (each.convention, note))))
        for each in made
    )
    return replace(problem, op=op, whole=whole)


def said_at(place: str, problem: Exception) -> str:
    """Return in one line, with its place, why a problem cannot be used.

    >>> said_at("list.toml, line 3: ", ValueError("no size B"))
    'list.toml, line 3: no size B'
    """
    line = " ".join(str(problem).split())
    return line if line.startswith(place) else f"{place}{line}"


def read_problems(paths: Iterable[str], shapes: str = "", where: str = "") -> Iterator[Problem]:
    """Yield the problems that paths name, in order; each that cannot be used says why.

    A path is an operation (`matmul`, an einsum, `scan.toml`, `config.json:decode`), a function (`FILE.py:NAME`, with
    `shapes`), a problem file (`FILE.py`), a definition (`.json`), a folder of these, or a manifest of any (`.toml`,
    `.csv`, `.tsv`). `where` states conditions on the sizes of operations and functions.
    """
    yield from loaded(asked(paths, shapes, where))


def asked(paths: Iterable[str], shapes: str = "", where: str = "") -> list[ProblemSpec]:
    """Return the problems that paths name; of these only folders and manifests are opened.

    >>> [one.name for one in asked(["matmul", "examples/reference_problem.py"])]
    ['matmul', 'reference_problem']

    Raises RoofproofError for a folder without problems, and for a manifest that cannot be read.
    """
    found: list[ProblemSpec] = []
    for text in paths:
        path = Path(text)
        if text.endswith(".toml") and holds_operation(read_bytes(path, MAX_BYTES, "manifest "), path.name):
            found.append(ProblemSpec(text, text, where=where))
        elif text.endswith(MANIFESTS):
            found += read_manifest(path)
        elif not is_code(text) and (os.path.isdir(path) or text.endswith(("/", os.sep))):
            if not os.path.isdir(path):
                raise RoofproofError(f"no folder {quoted(text, 200)}")
            files = sorted(path.glob("*.py"), key=_by_number)
            defined = sorted(path.glob("**/definition.json"))
            if not files and not defined:
                due = "expected *.py with a class Model, or definition.json"
                raise RoofproofError(f"{text}: no problem files in this folder; {due}")
            found += map(read_definition, defined) if defined else (ProblemSpec(file.stem, str(file)) for file in files)
        elif text.endswith(".json"):
            found.append(read_definition(path))
        elif text.endswith(".py"):
            found.append(ProblemSpec(path.stem, text))
        else:
            code = is_code(text)
            found.append(ProblemSpec(text, text, shapes if code else "", where))
    return found


def loaded(given: Iterable[ProblemSpec]) -> Iterator[Problem]:
    """Yield each problem with its operation. Code runs in a process of its own, and can reach nothing."""
    with ExitStack() as stack:
        references: list[Any] = []
        for one in given:
            try:
                if one.error:
                    raise RoofproofError(one.error)
                if one.op.endswith(".py"):
                    if not os.path.isfile(one.op):
                        raise RoofproofError(f"no file {quoted(one.op, 200)}")
                    if not references:
                        from roofproof.trace.elsewhere import References

                        references.append(stack.enter_context(References()))
                    op, whole = references[0].traced(one.op, traffic="least"), None
                elif MODULE.fullmatch(one.op.strip()):
                    said = "a module counts every expert as read, and every pair that is masked, which is no floor"
                    raise RoofproofError(f"{one.op}: {said}; `derive` counts it as it is written")
                else:
                    op, whole = _traced(one) if one.code or is_code(one.op) else _read(one)
                if unknown := [name for name in one.at if name not in {s.name for s in op.dims}]:
                    has = ", ".join(s.name for s in op.dims) or "none"
                    raise RoofproofError(f"at {unknown[0]}: no size of {one.op}; its sizes are {has}")
            except RoofproofError as problem:
                yield Problem(one.name, None, error=said_at(one.place, problem))
                continue
            spec = one if named(one.op) else None
            yield Problem(one.name, op, one.at, whole=whole, place=one.place, spec=spec)


def _read(one: ProblemSpec) -> Found:
    """Return the operation of a text, as a floor."""
    text = floor_text(one.op)
    every = text.replace("touched=least", "touched=all")
    op = in_one_kernel(parse_operation(text), text)
    whole = in_one_kernel(parse_operation(every), every) if every != text else None
    return under(op, one.where) if one.where else op, under(whole, one.where) if whole and one.where else whole


def _traced(one: ProblemSpec) -> Found:
    """Return the operation of a function of a file, or of code that stands in none and gets one."""
    from tempfile import TemporaryDirectory

    from roofproof.trace.elsewhere import IsolatedCode

    with ExitStack() as stack:
        text = one.op
        if one.code:
            file = Path(stack.enter_context(TemporaryDirectory()), f"{ENTRY}.py")
            file.write_text(one.code, encoding="utf-8")
            text = f"{file}:{ENTRY}"
        return stack.enter_context(IsolatedCode(text)).traced(one.shapes, where=one.where, traffic="least"), None


def _by_number(path: Path) -> list[tuple[int, str]]:
    """Order `2_b.py` before `10_a.py`."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"([0-9]+)", path.name) if part]
