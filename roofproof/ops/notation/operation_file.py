"""Operations as TOML tables: their tensors, FLOPs, bytes, blocks, conditions, and the roles of their sizes.

This module reads the tables of the library and the files of users. Texts in them use the usual notations.
docs/formats.md lists the keys.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from sympy import Expr, Integer
from sympy.logic.boolalg import Boolean

from roofproof.channels import LEVELS, LINKS, RENAMED
from roofproof.errors import RoofproofError, one_line, quoted, refuse_unknown, unknown
from roofproof.formats import bytes_per_element, canonical, is_complex, is_format, real_part
from roofproof.ops.operation import Kernel, Operation, added, one_kernel
from roofproof.ops.resources import channel, compute_resource, vector_engine
from roofproof.ops.roles import split_off, with_roles
from roofproof.ops.tensor import Tensor
from roofproof.sentences import Sentence
from roofproof.symbols import dimension
from roofproof.toml import PACKAGE, at_line, before, checked, lines_of, read_bytes, read_toml

MAX_BYTES: Final = 64 * 1024
MAX_DEPTH: Final = 8  # of files that refer to other files
MAX_DIGITS: Final = 18  # of a whole number as an argument
KEYS: Final[Mapping[str, type]] = {
    "name": str, "title": str, "zh": str, "note": str, "about": str, "source": str,
    "op": str, "steps": list, "fused": bool, "exactly": bool, "where": str, "blocks": str, "loops": str, "kernel": str,
    "formats": dict, "arguments": dict, "reads": dict, "writes": dict, "flops": dict, "exact": dict, "again": dict,
    "bytes": dict, "footprint": dict, "sizes": dict, "complex": dict,
}  # fmt: skip
_FILE = re.compile(r"((?:[A-Za-z]:(?=[\\/]))?[^:]+\.toml)\s*(?::(.*))?", re.DOTALL)  # kv-cache:own.toml names a model
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}", re.ASCII)
_VECTOR = "-vector"


def operation_of_file(text: str, parse: Callable[[str], Operation], above: tuple[Path, ...] = ()) -> Operation | None:
    """Return the operation in `FILE.toml`, or None for any other text.

    >>> from roofproof.ops import parse_operation
    >>> scan = operation_of_file("examples/operations/scan.toml", parse_operation)
    >>> scan.demands                                           # 3 FLOPs, 3 elements of 2 bytes, for each of B L D N
    {'fp32-vector': 3*B*D*L*N, 'memory': 6*B*D*L*N}
    >>> operation_of_file("examples/operations/scan.toml: a=fp32, N=16", parse_operation).bytes()    # 4 + 2 + 2 bytes
    128*B*D*L

    The file may be followed by arguments, as described in notation/words.py. `parse` parses operations that the file
    refers to and that are not files. Raises RoofproofError, with file and line, for an invalid file.
    """
    path = file_named(text)
    if not path:
        return None
    words = text.strip().removeprefix(path).strip().removeprefix(":")
    if (itself := Path(path).resolve()) in above:
        way = ", ".join(each.name for each in above[above.index(itself) :])
        raise RoofproofError("<file> refers to itself, through <files>", file=itself.name, files=way)
    if len(above) > MAX_DEPTH:
        raise RoofproofError("<file>: more than <most> files that name one another", file=path, most=MAX_DEPTH)
    found = Description.read(read_bytes(path, MAX_BYTES, "operation "), Path(path), parse, (*above, itself))
    if not words:
        return found()
    from roofproof.ops.notation.words import Words

    said = Words.read(path, words.strip(), found.formats, found.arguments)
    made = found(**said.given)
    return said.about(made, made.name, found.arguments)


def file_named(text: str) -> str:
    """Return the operation file that a text begins with, or an empty string.

    >>> file_named("scan.toml: N=16"), file_named("matmul:int8")
    ('scan.toml', '')
    """
    found = _FILE.fullmatch(text.strip())
    return found[1] if found is not None and "[" not in found[1] else ""


def holds_operation(content: bytes, name: str) -> bool:
    r"""Return whether a TOML file describes an operation: it has a key of one, and no list of problems.

    >>> holds_operation(b'[reads]\nx = "bf16[N]"', "x.toml"), holds_operation(b"[[problem]]", "x.toml")
    (True, False)
    """
    table = read_toml(content, name, len(content), "")
    return "problem" not in table and bool(KEYS.keys() & table.keys())


@dataclass(frozen=True, slots=True)
class Description:
    """The table of an operation, with the line of each key. Call it with formats and arguments to get the operation.

    >>> from roofproof.ops import parse_operation
    >>> lines = 'formats = { x = "bf16", out = "x" }', 'reads = { x = "x[N]" }', 'writes = { y = "out[N]" }'
    >>> half = Description.read("\\n".join(lines).encode(), Path("half.toml"), parse_operation)
    >>> half.arguments, half().bytes(), half(out="int8").bytes()
    (('x', 'out'), 4*N, 3*N)
    """

    path: Path
    table: Mapping[str, Any]
    lines: Mapping[str, int]
    parse: Callable[[str], Operation]
    above: tuple[Path, ...] = ()  # the files that refer to this one, and itself
    chosen: Mapping[str, str] = field(default_factory=dict)  # the values of formats and arguments
    unit: str = ""  # the compute unit of all FLOPs, if chosen

    @classmethod
    def read(
        cls, content: bytes, path: Path, parse: Callable[[str], Operation], above: tuple[Path, ...] = ()
    ) -> Description:
        """Read a table, and check its keys."""
        table = read_toml(content, path.name, MAX_BYTES, "split it", "an operation is one file")
        lines = {key.lstrip("."): line for key, line in lines_of(content.decode()).items()}
        for key, value in table.items():
            checked({key: value}, KEYS, "key", cls._place(path, lines, key))
        words = ("name", "title", "zh", "about", "note", "source")
        shown = {key: one_line(table[key]) for key in words if key in table}
        return cls(path, table | shown, lines, parse, above)

    @staticmethod
    def _place(path: Path, lines: Mapping[str, int], key: str) -> str:
        return before(at_line(path.name, lines[key]) if key in lines else path.name)

    def located(self, key: str, make: Callable[[], Any]) -> Any:
        """Read a key, adding the file, the line and the key to errors."""
        try:
            return make()
        except RoofproofError as problem:
            raise self.refused(key, problem.said) from None

    def refused(self, key: str, problem: str) -> RoofproofError:
        """Return an error about a key, with its file and line."""
        where = self._place(self.path, self.lines, key)
        return RoofproofError("<where><key>: <problem>", where=where, key=key, problem=problem)

    # --- formats and arguments ----------------------------------------------------------------------

    @property
    def formats(self) -> tuple[str, ...]:
        """The formats that can be chosen."""
        return tuple(name for name in self.table.get("formats", {}) if name != "compute")

    @property
    def arguments(self) -> tuple[str, ...]:
        """All arguments that can be chosen: formats, other arguments, and the unit of the arithmetic."""
        more = [name for name in self.table.get("formats", {}) if name == "compute"]
        return (*self.formats, *self.table.get("arguments", {}), *more)

    def __call__(self, **given: Any) -> Operation:
        """Return the operation with the given formats and arguments, and defaults for the others."""
        chosen: dict[str, str] = {}
        for name, usual in self.table.get("formats", {}).items():
            value = given.get(name)
            read = compute_resource if name == "compute" else canonical
            chosen[name] = read(str(value)) if value else self.located("formats", lambda: _usual(usual, chosen))  # noqa: B023
        for name, usual in self.table.get("arguments", {}).items():
            chosen[name] = _argument(name, given.get(name, usual), usual)
        table = self.table
        if is_complex(chosen[self.formats[0]] if self.formats else ""):
            table = {**table, **table.get("complex", {})}
        found = replace(self, table=table, chosen=chosen, unit=chosen["compute"] if given.get("compute") else "")
        return found._operation([name for name in given if given[name]])

    def _fill(self, text: str) -> str:
        """Return a text with the chosen formats (after a colon), unit (after `@`) and arguments (anywhere) filled in.

        `bytes(x)` becomes the bytes of an element of the format x.
        """
        if not self.chosen:
            return text

        def put(found: re.Match[str]) -> str:
            if found[2]:
                size = bytes_per_element(self.chosen.get(found[2], found[2]))
                return str(size) if size.denominator == 1 else f"({size})"
            value = self.chosen.get(found[1] or found[3], found[1] or found[3])
            return f":{value}" if found[1] else f"@ {value}" if value else ""

        text = re.sub(r":(\w+)(?=\[)|bytes\((\w+)\)|@ (\w+)", put, text)
        for name in self.table.get("arguments", {}):
            text = re.sub(rf"(?<!\w){name}(?!\w)", self.chosen[name], text)
        return text.strip()

    # --- the operation ------------------------------------------------------------------------------

    def _operation(self, given: Sequence[str]) -> Operation:
        table = self.table
        steps = self._steps()
        place = f"{self._place(self.path, self.lines, 'where')}where"
        reads, writes = (self._each(section, self._tensor) for section in ("reads", "writes"))
        named = {s.name for t in (*reads.values(), *writes.values()) for d in t.shape for s in d.free_symbols}
        named |= {s.name for step in steps for s in step.dims}
        assumed = self._assumed(place, named)
        amount = partial(_amount, given=assumed, sizes=named)
        moved, held = (self._each(section, amount) for section in ("bytes", "footprint"))
        flops, exact, again = (self._counts(section, amount) for section in ("flops", "exact", "again"))
        name = table.get("name") or self.path.stem
        own: dict[str, Any] = {
            "work": flops, "links": moved, "reads": tuple(reads.values()), "writes": tuple(writes.values()),
        }  # fmt: skip
        if not steps and not any(own.values()):
            due = 'op = "...", or one of the tables [reads], [writes], [flops], [bytes]'
            raise RoofproofError("<file>: nothing is computed or moved; expected <due>", file=self.path.name, due=due)
        loops = tuple(map(dimension, table.get("loops", "").split()))
        more = {key: value for key, value in (("exact", exact), ("again", again), ("loops", loops)) if value}
        if steps:
            made = self._of_steps(steps, own, held, name)
            made = made.as_one_kernel(**more) if more else made
            if table.get("exactly"):
                made = replace(made.exact, convention="every product and addition counted")
        else:
            usual = {"convention": "as given", "on_chip": held}
            made = self.located("name", lambda: one_kernel(name, **{"work": own.pop("work"), **own, **more, **usual}))
        amounts = (*flops.values(), *moved.values(), *held.values(), *(t.times for t in made.tensors))
        return self._finished(made, amounts, assumed, place, given)

    def _finished(
        self, made: Operation, amounts: Sequence[Expr], assumed: Sequence[Boolean], place: str, given: Sequence[str]
    ) -> Operation:
        """Return an operation with its source, its convention, its conditions, and the roles of its sizes."""
        from roofproof.ops.notation.demands import require_nonnegative

        table = self.table
        zero = tuple(c for amount in amounts for c in require_nonnegative(amount, 0, "amount", assumed))
        order = tuple(dimension(size) for size in table.get("sizes", {}))
        about, source = table.get("about") or made.convention, table.get("source", made.source)
        made = replace(
            made, source=source, convention=about, conditions=(*made.conditions, *zero), dims=(*order, *made.dims)
        )
        if "blocks" in table:
            blocks = self.located("blocks", lambda: _amount(self._fill(table["blocks"]), assumed))
            made = made.as_one_kernel(blocks=blocks)
        if self.shipped:
            made = replace(made, conditions=(*made.conditions, *assumed))
        elif "where" in table:
            from roofproof.ops.notation.where import with_conditions

            made = with_conditions(made, self._fill(table["where"]), place)
        for size, said in table.get("sizes", {}).items():
            if size in self.table.get("arguments", {}):
                if size not in given or self.chosen[size].isdigit():
                    continue
                size = self.chosen[size]
            made = self.located(f"sizes.{size}", lambda: with_roles(made, f"{size}: {_text(said)}"))  # noqa: B023
        return made

    @property
    def shipped(self) -> bool:
        """Whether the operation is part of the library, whose conditions are known not to contradict each other."""
        return str(self.path).startswith(PACKAGE)

    def _assumed(self, place: str, named: Collection[str]) -> tuple[Boolean, ...]:
        text = self._fill(self.table.get("where", ""))
        if not text:
            return ()
        if not self.shipped:
            from roofproof.ops.notation.where import read_where

            return read_where(text, place, named).conditions
        from roofproof.formula.plain import plain_conditions
        from roofproof.formula.to_sympy import to_conditions

        found = [c for each in plain_conditions(text, named).conditions for c in to_conditions(each)]
        return tuple(c for c in found if c.free_symbols)  # N divides N is always true

    def _of_steps(
        self, steps: list[Operation], own: Mapping[str, Any], held: Mapping[str, Expr], name: str
    ) -> Operation:
        """Return the operation of one or several steps, with the demands that are given besides them."""
        table, base = self.table, steps[0]
        if len(steps) > 1:
            from roofproof.ops.combine import then

            base = self.located("steps", lambda: _fused(steps) if table.get("fused") else then(*steps))
        if base.parts and any(own.values()):
            key = next(k for k in ("reads", "writes", "flops", "bytes") if table.get(k))
            cure = "steps in sequence allow no other work; make it a step, or set fused = true"
            raise self.refused(key, Sentence(cure))
        made: Operation = self.located("name", lambda: _with_demands(base, own, held, name))
        return made

    def _counts(self, section: str, amount: Callable[[str], Expr]) -> dict[str, Expr]:
        """Return FLOPs by compute unit, all of them on one unit if that was chosen."""
        found: dict[str, Expr] = {}
        for unit, said in self.table.get(section, {}).items():
            name = self.unit or _usual(unit, self.chosen)
            flop = self.located(f"{section}.{unit}", lambda: amount(self._fill(_text(said))))  # noqa: B023
            self.located(f"{section}.{unit}", lambda: one_kernel(section, work={name: flop}))  # noqa: B023
            found[name] = found.get(name, Integer(0)) + flop
        return found

    def _steps(self) -> list[Operation]:
        table = self.table
        if "op" in table and "steps" in table:
            raise self.refused("steps", Sentence("use only one of op and steps"))
        if "fused" in table and len(table.get("steps", ())) < 2:
            raise self.refused("fused", Sentence('expected two steps or more, as in steps = ["...", "..."]'))
        key = "op" if "op" in table else "steps"
        texts = [table["op"]] if "op" in table else table.get("steps", [])
        return [self.located(key, lambda: self._named(self._fill(_text(text)))) for text in texts]  # noqa: B023

    def _named(self, text: str) -> Operation:
        said, roles = split_off(text.strip())
        made = operation_of_file(str(self.path.parent / said), self.parse, self.above)
        if made is None:
            return self.parse(text)
        return with_roles(made, roles) if roles else made

    def _each(self, section: str, read: Callable[..., Any]) -> dict[str, Any]:
        found = {}
        for key, said in self.table.get(section, {}).items():
            name = key
            if section in ("bytes", "footprint"):
                name = self.chosen.get(key, key)
                self.located(f"{section}.{key}", lambda: _refuse_unknown_channel(section, name))  # noqa: B023
            make = (lambda: read(name, said)) if read == self._tensor else (lambda: read(self._fill(_text(said))))  # noqa: B023
            found[name] = self.located(f"{section}.{key}", make)
        return found

    def _tensor(self, name: str, said: object) -> Tensor:
        from roofproof.formula.tensors import read_tensor
        from roofproof.ops.notation.where import size_of

        if not _NAME.fullmatch(name):
            raise RoofproofError("a tensor name has letters, digits and underscores")
        times: object = "1"
        if isinstance(said, dict):
            table = checked(said, {"shape": str, "times": object}, "key of a tensor")
            said, times = table.get("shape", ""), table.get("times", "1")
        read = read_tensor(self._fill(_text(said)))
        word = self.chosen.get(read.word, read.word)
        if read.label or not is_format(word):
            raise RoofproofError("<text>: expected FORMAT[SIZES], such as bf16[B,D]", text=quoted(_text(said)))
        sizes = tuple(size_of(index.size) for index in read.indices)
        return Tensor(name, sizes, word, _amount(self._fill(_text(times))))


def _amount(text: str, given: Iterable[Boolean] = (), sizes: Collection[str] = ()) -> Expr:
    from roofproof.ops.notation.demands import amount_from

    return amount_from(text, given, sizes)


def _usual(text: str, chosen: Mapping[str, str]) -> str:
    """Return the default of a format: the value of another format, the vector unit of another format, or the text.

    >>> _usual("x", {"x": "int8"}), _usual("x-vector", {"x": "bf16"}), _usual("exp", {"x": "bf16"})
    ('int8', 'fp32-vector', 'exp')
    """
    of = text.removesuffix(_VECTOR)
    if of in chosen and of != text:
        return vector_engine(real_part(chosen[of]))
    return chosen.get(text, text)


def _argument(name: str, value: object, usual: object) -> str:
    """Return an argument as text: a whole number, one of the listed values, a link, or a number or name of a size."""
    text = str(value)
    if isinstance(usual, list):
        if text not in (few := [str(each) for each in usual]):
            text = few[0] if value is usual else text
            if text not in few:
                raise unknown(name, text, few)
        return text
    if usual in LINKS:
        return channel(text)
    if isinstance(usual, str) and _NAME.fullmatch(text):
        return text
    return str(whole_argument(text, name, least=1))


def whole_argument(value: str | int, what: str, least: int = 0) -> int:
    """Return an argument as an integer. Raises RoofproofError if it is not a whole number from `least`."""
    text = str(value)
    if not (text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS):
        raise RoofproofError("<what>: expected a whole number, got <value>", what=what, value=quoted(value))
    if int(text) < least:
        said = "<what>: expected a whole number from <least>, got <value>"
        raise RoofproofError(said, what=what, least=least, value=text)
    return int(text)


def _refuse_unknown_channel(section: str, name: str) -> None:
    """Raise RoofproofError for an unknown memory level, or in `bytes` for an unknown memory level or link."""
    known = {channel(each) for each in (*LEVELS, *RENAMED, *(LINKS if section == "bytes" else ()))}
    if channel(name) not in known:
        refuse_unknown("memory level or link" if section == "bytes" else "memory level", name, known)


def _with_demands(base: Operation, own: Mapping[str, Any], held: Mapping[str, Expr], name: str) -> Operation:
    """Return an operation with further demands in the same kernel."""
    more = Kernel(name, **own, on_chip=held)
    if not any(own.values()):
        return base.map_kernels(lambda k: replace(k, on_chip=added((k.on_chip, more.on_chip))), name=name)
    both = replace(base, kernels=(base.kernel, more)).as_one_kernel(on_chip=added((base.footprint, more.on_chip)))
    return replace(both, name=name)


def _fused(steps: list[Operation]) -> Operation:
    from roofproof.ops.combine import fuse

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
