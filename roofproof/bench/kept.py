"""Operations of code and of files as a store keeps them, so that a run which was stopped goes on where it was.

What is kept is the operation alone: its floor and each verdict are worked out and proved again, in milliseconds. It is
found by its text, a digest of the files it came from, of the tracer and of all that is installed. A name of the library
and an einsum are read five times faster than an entry, so that none is made of them.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

from roofproof.bench.manifest import MAX_BYTES, ProblemSpec
from roofproof.errors import RoofproofError
from roofproof.ops import Operation
from roofproof.ops.notation.code import is_code
from roofproof.proofs.replay.store import distributions, opened, source_digest
from roofproof.toml import digest, noted, read_bytes, unchanged

Found = tuple[Operation, Operation | None]  # and the one that reads every expert
NO_ENTRY: Final = (
    RoofproofError, LookupError, TypeError, ValueError, AttributeError, RecursionError, ArithmeticError,
)  # fmt: skip
MOST_FILES: Final = 1_000  # that a problem may come from, before it is traced each time


def kept(one: ProblemSpec, folder: str, work_out: Callable[[], Found]) -> tuple[Found, str]:
    """Return the operation of a problem as a store in a folder has it; where it has none, work it out and put it there.

    With it comes why it could not be put there. Raises RoofproofError for a folder that can be none, and what
    `work_out` raises: what fails is tried again.
    """
    store = opened(folder)
    of_code = one.code or one.op.endswith(".py") or is_code(one.op)
    question = _question(one) if of_code else _question_of_file(one)
    if question is None:
        return work_out(), ""
    from roofproof.trace.handed_over import from_data, to_data

    with suppress(*NO_ENTRY):
        found = store.get(question)
        if found is not None and unchanged(found["files"]):
            op, whole = from_data(found["of"])
            if isinstance(op, Operation) and isinstance(whole, Operation | None):
                return (op, whole), ""
    with noted() as files:
        made = work_out()
    data = json.loads(json.dumps({"files": {} if of_code else files, "of": to_data(made)}))
    if not unchanged(data["files"]) or from_data(data["of"]) != made:
        return made, ""
    return made, store.put(question, data)


def _question_of_file(one: ProblemSpec) -> str | None:
    """Return what an operation of files depends on but what these hold, which is known when they were read."""
    if ".json" not in one.op and ".toml" not in one.op:
        return None
    return json.dumps(["operation of files", one.op, one.where, os.path.abspath(""), _tracer()])


def _question(one: ProblemSpec) -> str | None:
    files: dict[str, str] = {}
    if not one.code:
        path = Path(one.op if one.op.endswith(".py") else one.op.rpartition(":")[0])
        try:
            files = {str(each): digest(read_bytes(each, MAX_BYTES)) for each in _came_from(path)}
        except (RoofproofError, OSError):
            return None
        if len(files) > MOST_FILES:
            return None
    return json.dumps(["operation", one.op, one.code, one.shapes, one.where, files, _tracer()])


def _came_from(path: Path) -> Iterator[Path]:
    """Yield a file, those beside it that it imports, and what else lies there that code may read."""
    waiting, seen = [path.absolute()], set[Path]()
    while waiting and len(seen) <= MOST_FILES:
        file = waiting.pop()
        if file in seen:
            continue
        seen.add(file)
        yield file
        if file.suffix == ".py":
            with suppress(RoofproofError, SyntaxError, ValueError, RecursionError):
                for name in _imported(read_bytes(file, MAX_BYTES)):
                    beside = [path.parent.absolute() / f"{name}.py", *(path.parent.absolute() / name).glob("**/*.py")]
                    waiting += [each for each in beside if each.is_file()]
    for each in sorted(path.parent.absolute().iterdir()):
        if each.is_file() and each.suffix != ".py" and each not in seen:
            yield each


def _imported(content: bytes) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(content)):
        if isinstance(node, ast.Import):
            names |= {each.name.partition(".")[0] for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {(node.module or "").partition(".")[0], *(each.name for each in node.names if node.level)}
    return names - {""}


@cache
def _tracer() -> str:
    """Return a digest of what traces: the room `trace`, and what is installed."""
    said = "\n".join([source_digest(["trace"]), *sorted({*distributions()})])
    return hashlib.sha256(said.encode()).hexdigest()
