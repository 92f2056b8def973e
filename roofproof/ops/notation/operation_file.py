"""An operation as a TOML file: its tensors, FLOPs, bytes, blocks, conditions, and what its sizes count.

Every text in it is read as elsewhere; docs/operations.md shows whole files.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from sympy import Expr, Integer

from roofproof.channels import LEVELS, LINKS, RENAMED
from roofproof.errors import RoofproofError, one_line, quoted, refuse_unknown
from roofproof.formats import canonical, is_format
from roofproof.formula.tensors import read_tensor
from roofproof.ops.combine import added, at, fuse, then, with_formats
from roofproof.ops.notation.demands import amount_from, at_least_zero
from roofproof.ops.notation.sizes import sizes_from
from roofproof.ops.notation.where import read_where, size_of, under
from roofproof.ops.operation import Kernel, Operation, one_kernel
from roofproof.ops.resources import channel
from roofproof.ops.roles import split_off, with_roles
from roofproof.ops.tensor import Tensor
from roofproof.sentences import Sentence
from roofproof.toml import checked, lines_of, read_bytes, read_toml

MAX_BYTES: Final = 64 * 1024
MAX_DEPTH: Final = 8  # files that name one another
KEYS: Final[Mapping[str, type]] = {
    "name": str, "about": str, "source": str, "op": str, "steps": list, "fused": bool, "where": str, "blocks": str,
    "reads": dict, "writes": dict, "flops": dict, "bytes": dict, "footprint": dict, "sizes": dict,
}  # fmt: skip
_FILE = re.compile(r"((?:[A-Za-z]:(?=[\\/]))?[^:]+\.toml)\s*(?::(.*))?", re.DOTALL)  # kv-cache:own.toml is a model's
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}", re.ASCII)


def operation_of_file(text: str, parse: Callable[[str], Operation], above: tuple[Path, ...] = ()) -> Operation | None:
    """Return the operation that `FILE.toml` holds, None for a text that is something else.

    >>> from roofproof.ops import parse_operation
    >>> scan = operation_of_file("examples/operations/scan.toml", parse_operation)
    >>> scan.demands                                           # 3 FLOPs, 3 elements of 2 bytes, for each of B L D N
    {'fp32-vector': 3*B*D*L*N, 'memory': 6*B*D*L*N}
    >>> operation_of_file("examples/operations/scan.toml: a=fp32, N=16", parse_operation).bytes()    # 4 + 2 + 2 bytes
    128*B*D*L

    What follows the file are formats of its tensors and sizes; `parse` reads what it names that is no
    file. Raises RoofproofError, with file and line, for what cannot be used.
    """
    path = file_named(text)
    if not path:
        return None
    words = text.strip().removeprefix(path).strip().removeprefix(":")
    if (itself := Path(path).resolve()) in above:
        way = ", ".join(each.name for each in above[above.index(itself) :])
        raise RoofproofError("<file> names itself, by way of <files>", file=itself.name, files=way)
    if len(above) > MAX_DEPTH:
        raise RoofproofError("<file>: more than <most> files that name one another", file=path, most=MAX_DEPTH)
    made = operation_from_text(read_bytes(path, MAX_BYTES, "operation "), path, parse, (*above, itself))
    return _with(made, words, text) if words else made


def operation_from_text(
    content: bytes, path: str, parse: Callable[[str], Operation], above: tuple[Path, ...] = ()
) -> Operation:
    """Return the operation that the content of a file describes; `path` names it in messages, and what it names.

    >>> from roofproof.ops import parse_operation
    >>> operation_from_text(b'op = "matmul"', "own.toml", parse_operation).name
    'own'
    """
    return _File.read(content, Path(path), parse, above).operation()


def file_named(text: str) -> str:
    """Return the file of operations that a text begins with, or nothing.

    >>> file_named("scan.toml: N=16"), file_named("matmul:int8")
    ('scan.toml', '')
    """
    found = _FILE.fullmatch(text.strip())
    return found[1] if found is not None and "[" not in found[1] else ""


def holds_operation(content: bytes, name: str) -> bool:
    r"""Tell whether a TOML file holds an operation: it has a key of one, and no list of problems.

    >>> holds_operation(b'[reads]\nx = "bf16[N]"', "x.toml"), holds_operation(b"[[problem]]", "x.toml")
    (True, False)
    """
    table = read_toml(content, name, len(content), "")
    return "problem" not in table and bool(KEYS.keys() & table.keys())


def _with(op: Operation, words: str, text: str) -> Operation:
    formats: dict[str, str] = {}
    sizes: list[str] = []
    for word in (part.strip() for part in words.split(",")):
        name, equals, value = (part.strip() for part in word.partition("="))
        if not equals:
            said = "<text>: <word> is no TENSOR=FORMAT and no SIZE=NUMBER, such as w=fp8 or D=4096"
            raise RoofproofError(said, text=quoted(text, 200), word=quoted(word))
        if value[:1].isdigit():
            sizes.append(word)
            continue
        refuse_unknown(f"tensor of {op.name}", name, [t.name for t in op.tensors])
        if name in formats:
            raise RoofproofError("<text>: <name> is given twice", text=quoted(text, 200), name=name)
        formats[name] = canonical(value)
    return at(with_formats(op, **formats) if formats else op, **sizes_from(sizes))


@dataclass(frozen=True, slots=True)
class _File:
    """The table of a file, and where each of its keys stands."""

    path: Path
    table: Mapping[str, Any]
    lines: Mapping[str, int]
    parse: Callable[[str], Operation]
    above: tuple[Path, ...]  # the files that name this one, and itself

    @classmethod
    def read(cls, content: bytes, path: Path, parse: Callable[[str], Operation], above: tuple[Path, ...]) -> _File:
        table = read_toml(content, path.name, MAX_BYTES, "split it", "an operation is one file")
        lines = {key.lstrip("."): line for key, line in lines_of(content.decode()).items()}
        for key, value in table.items():
            checked({key: value}, KEYS, "key", cls._place(path, lines, key))
        shown = {key: one_line(table[key]) for key in ("name", "about", "source") if key in table}
        return cls(path, table | shown, lines, parse, above)

    @staticmethod
    def _place(path: Path, lines: Mapping[str, int], key: str) -> str:
        return f"{path.name}, line {lines[key]}: " if key in lines else f"{path.name}: "

    def located(self, key: str, make: Callable[[], Any]) -> Any:
        """Read a key; an error in it names the file, the line and the key."""
        try:
            return make()
        except RoofproofError as problem:
            raise self.refused(key, problem.said) from None

    def refused(self, key: str, problem: str) -> RoofproofError:
        where = self._place(self.path, self.lines, key)
        return RoofproofError("<where><key>: <problem>", where=where, key=key, problem=problem)

    def operation(self) -> Operation:
        table = self.table
        steps = self._steps()
        place = f"{self._place(self.path, self.lines, 'where')}where"
        reads, writes = (self._each(section, self._tensor) for section in ("reads", "writes"))
        named = {s.name for t in (*reads.values(), *writes.values()) for d in t.shape for s in d.free_symbols}
        named |= {s.name for step in steps for s in step.dims}
        given = read_where(table.get("where", ""), place, named).conditions
        amount = partial(amount_from, given=given, sizes=named)
        flops, moved, held = (self._each(section, amount) for section in ("flops", "bytes", "footprint"))
        for engine, flop in flops.items():
            self.located(f"flops.{engine}", lambda: one_kernel("flops", work={engine: flop}))  # noqa: B023
        name = table.get("name") or self.path.stem
        own: dict[str, Any] = {
            "work": flops, "links": moved, "reads": tuple(reads.values()), "writes": tuple(writes.values()),
        }  # fmt: skip
        if not steps and not any(own.values()):
            due = 'op = "...", or one of the tables [reads], [writes], [flops], [bytes]'
            raise RoofproofError("<file>: nothing is computed or moved; expected <due>", file=self.path.name, due=due)
        base = steps[0] if steps else one_kernel(name, convention="as given")
        if len(steps) > 1:
            base = self.located("steps", lambda: _fused(steps) if table.get("fused") else then(*steps))
        if base.parts and any(own.values()):
            key = next(k for k in ("reads", "writes", "flops", "bytes") if table.get(k))
            cure = "nothing stands beside steps one after another; make it a step, or say fused = true"
            raise self.refused(key, Sentence(cure))
        made: Operation = self.located("name", lambda: _beside(base, own, held, name))
        amounts = (*flops.values(), *moved.values(), *held.values(), *(t.times for t in made.tensors))
        conditions = tuple(c for amount in amounts for c in at_least_zero(amount, 0, "amount", given))
        made = replace(made, source=table.get("source", base.source), conditions=(*made.conditions, *conditions))
        if about := table.get("about"):
            made = replace(made, convention=about)
        if "blocks" in table:
            made = made.as_one_kernel(blocks=self.located("blocks", lambda: amount_from(table["blocks"], given)))
        if "where" in table:
            made = under(made, table["where"], place)
        for size, said in table.get("sizes", {}).items():
            made = self.located(f"sizes.{size}", lambda: with_roles(made, f"{size}: {_text(said)}"))  # noqa: B023
        return made

    def _steps(self) -> list[Operation]:
        table = self.table
        if "op" in table and "steps" in table:
            raise self.refused("steps", Sentence("op and steps: one of them at a time"))
        if "fused" in table and len(table.get("steps", ())) < 2:
            raise self.refused("fused", Sentence('it is of two steps or more, as in steps = ["...", "..."]'))
        key = "op" if "op" in table else "steps"
        texts = [table["op"]] if "op" in table else table.get("steps", [])
        return [self.located(key, lambda: self._named(_text(text))) for text in texts]  # noqa: B023

    def _named(self, text: str) -> Operation:
        said, roles = split_off(text.strip())
        made = operation_of_file(str(self.path.parent / said), self.parse, self.above)
        if made is None:
            return self.parse(text)
        return with_roles(made, roles) if roles else made

    def _each(self, section: str, read: Callable[..., Any]) -> dict[str, Any]:
        found = {}
        for name, said in self.table.get(section, {}).items():
            if section in ("bytes", "footprint"):
                self.located(f"{section}.{name}", lambda: _refuse_unknown_channel(section, name))  # noqa: B023
            make = (lambda: read(name, said)) if read == self._tensor else (lambda: read(_text(said)))  # noqa: B023
            found[name] = self.located(f"{section}.{name}", make)
        return found

    def _tensor(self, name: str, said: object) -> Tensor:
        if not _NAME.fullmatch(name):
            raise RoofproofError("a tensor is named by letters, digits and underscores")
        times: object = "1"
        if isinstance(said, dict):
            table = checked(said, {"shape": str, "times": object}, "key of a tensor")
            said, times = table.get("shape", ""), table.get("times", "1")
        read = read_tensor(_text(said))
        if read.label or not is_format(read.word):
            raise RoofproofError("<text>: expected FORMAT[SIZES], such as bf16[B,D]", text=quoted(_text(said)))
        sizes = tuple(size_of(index.size) for index in read.indices)
        return Tensor(name, sizes, read.word, amount_from(_text(times)))


def _refuse_unknown_channel(section: str, name: str) -> None:
    """Raise RoofproofError for what no chip has: a level or a link for bytes that cross it, a level for those kept."""
    known = {channel(each) for each in (*LEVELS, *RENAMED, *(LINKS if section == "bytes" else ()))}
    if channel(name) not in known:
        refuse_unknown("memory level or link" if section == "bytes" else "memory level", name, known)


def _beside(base: Operation, own: Mapping[str, Any], held: Mapping[str, Expr], name: str) -> Operation:
    """Return an operation with more of each demand, in the same kernel."""
    more = Kernel(name, **own, on_chip=held)
    if not any(own.values()):
        return base.each(lambda k: replace(k, on_chip=added((k.on_chip, more.on_chip))), name=name)
    both = replace(base, kernels=(base.kernel, more)).as_one_kernel(on_chip=added((base.footprint, more.on_chip)))
    return replace(both, name=name)


def _fused(steps: list[Operation]) -> Operation:
    made = steps[0]
    for step in steps[1:]:
        made = fuse(made, step)
    return made


def _text(said: object) -> str:
    if isinstance(said, int) and not isinstance(said, bool):
        return str(Integer(said))
    if not isinstance(said, str):
        raise RoofproofError('expected text in quotes, such as "2 B D F"; got <said>', said=quoted(said))
    return said
