"""The table of built-in operations: those of library.toml, and those defined in Python."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from roofproof.errors import RoofproofError, quoted, unknown
from roofproof.formats import is_complex
from roofproof.ops.notation.operation_file import Description, whole_argument
from roofproof.ops.notation.words import Words
from roofproof.ops.operation import Operation
from roofproof.ops.roles import declared
from roofproof.toml import read_bytes

if TYPE_CHECKING:
    from roofproof.ops.combine import Size

Format = str  # the name of a number format, an annotation that marks the arguments that are formats
OwnFormat = str | None  # a format that defaults to that of the first tensor
FAMILIES = ("attention", "transformer", "language_model", "training", "network")  # files of operations in Python
FILE = os.path.join(os.path.dirname(os.path.dirname(__file__)), "library.toml")
MAX_BYTES = 256 * 1024
_TABLE = r"^\[([a-z_]+)\.({})\]\n(.*?)(?=^\[|\Z)"


OTHER_NAMES = {
    "conv": "convolution", "conv2d": "convolution", "conv3d": "convolution-3d",
    "gemm": "matmul", "linear": "matmul", "dense": "matmul", "mm": "matmul", "bmm": "batched-matmul", "gemv": "matvec",
    "matrix multiply": "matmul",
    "matrix multiplication": "matmul", "moe": "mixture-of-experts", "sdpa": "attention-core",
    "swiglu": "gated-ffn", "mlp": "ffn",
}  # fmt: skip
"""Names that frameworks and papers use, mapped to names of the library."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An operation of the library: its name, the function that makes it, a description, and a source.

    `sizes` declares the role of each size (ops/roles.toml). The role of an argument applies to the size that it names:
    `block: block` to b in `flash-attention:block=b`. `kernel` lists the tensors that a single kernel has to move, as in
    `x w -> y`, for operations that also move intermediate results. Each tensor moves once, or as one row of V
    (`table/V`), as all indices may be equal. `complex` marks operations that support complex numbers. `note` is a
    sentence about the operation. `words` are descriptions in other languages, with English as the fallback.

    >>> entry = entries()["matmul"]
    >>> entry.arguments, entry(x="int8", w="int8").flops       # 2 FLOPs for each of B D F multiply-adds
    (('x', 'w', 'out', 'compute'), 2*B*D*F)
    >>> entry.about, entry().roles["D"].most                   # 102400 is the largest usual width
    ('matrix times matrix', 102400)
    """

    name: str
    make: Callable[..., Operation]
    about: str
    source: str
    family: str = ""
    sizes: str = ""
    kernel: str = ""
    complex: bool = False
    note: str = ""
    words: Mapping[str, str] = field(default_factory=dict)

    @property
    def heading(self) -> str:
        """The heading of the operation's family.

        >>> entries()["matmul"].heading
        'Linear algebra'
        """
        return self.family.replace("_", " ").capitalize()

    @property
    def formats(self) -> tuple[str, ...]:
        """The arguments that are number formats."""
        if isinstance(self.make, Description):
            return self.make.formats
        parameters = inspect.signature(self.make).parameters
        return tuple(n for n, p in parameters.items() if n != "compute" and "Format" in str(p.annotation))

    @property
    def arguments(self) -> tuple[str, ...]:
        """The names of the arguments, formats first."""
        if isinstance(self.make, Description):
            return self.make.arguments
        return tuple(inspect.signature(self.make).parameters)

    def __call__(self, **given: object) -> Operation:
        made = _plain(self.name) if not given and named(self.name) is self else self._made(given)
        for tensor in made.tensors:
            if not self.complex and made.units and is_complex(tensor.dtype):
                said = "<operation> counts real numbers; there is no count for complex ones, such as <format>"
                raise RoofproofError(said, operation=self.name, format=quoted(tensor.dtype))
        return made

    def _made(self, given: Mapping[str, object]) -> Operation:
        made = self.make(**given)
        if isinstance(self.make, Description):
            return made
        names = {s.name for s in made.dims}
        said = declared(self.sizes) if self.sizes else {}
        found = {name: role for name, role in said.items() if name in names and name not in given}
        return replace(made, roles={**found, **{str(v): said[k] for k, v in given.items() if k in said and v in names}})


@cache
def _plain(name: str) -> Operation:
    """Return an operation with default arguments, cached because listings of the library need all of them."""
    entry = named(name)
    assert entry is not None
    return entry._made({})


@cache
def entries() -> dict[str, Entry]:
    """Return every operation of the library by name, grouped by family.

    >>> entries()["dot"].about
    'dot product of two vectors'
    """
    tables = re.findall(_TABLE.format(r"[\w-]+"), _text(), re.M | re.S)
    found = {name: named(name) or _described(family, name, table) for family, name, table in tables}
    assert len(found) == len(tables), "an operation stands twice in library.toml"
    for entry in _made_by_python():
        if entry.name in found:
            raise RoofproofError(f"two operations named {entry.name!r} in the library")
        found[entry.name] = entry
    order = list(dict.fromkeys(entry.family for entry in found.values()))
    return dict(sorted(found.items(), key=lambda item: order.index(item[1].family)))


@cache
def named(name: str) -> Entry | None:
    """Return the operation with that name, or None, without parsing other tables.

    >>> named("dot").about, named("dots")
    ('dot product of two vectors', None)
    """
    if found := re.search(_TABLE.format(re.escape(name)), _text(), re.M | re.S):
        return _described(found[1], found[2], found[3])
    return next((entry for entry in _made_by_python() if entry.name == name), None)


@cache
def _text() -> str:
    return read_bytes(FILE, MAX_BYTES).decode()


def _described(family: str, name: str, table: str) -> Entry:
    """Return the entry for a table of library.toml."""
    from roofproof.ops.notation.typed_einsum import einsum

    found = Description.read(table.encode(), Path(FILE), einsum)
    said = found.table
    found = replace(found, table={"name": name, **said})
    sizes = ", ".join(f"{size}: {role}" for size, role in said.get("sizes", {}).items())
    words = {"zh": said["zh"]} if "zh" in said else {}
    kernel, counts_complex, note = said.get("kernel", ""), "complex" in said, said.get("note", "")
    return Entry(name, found, said["title"], said["source"], family, sizes, kernel, counts_complex, note, words)


def _made_by_python() -> Iterator[Entry]:
    for family in FAMILIES:
        for entry in import_module(f"roofproof.ops.library.{family}").ENTRIES:
            note = " ".join((inspect.getdoc(entry.make) or "").partition("\n\n")[0].split())
            yield replace(entry, family=entry.family or family, note=note)


def from_library(text: str) -> Operation:
    """Return the operation for a library name with optional arguments, as described in notation/words.py.

    >>> from_library("matmul:bf16,int8").bytes()               # x and z in bf16, w in int8
    2*B*D + 2*B*F + D*F

    Raises RoofproofError for an unknown name, argument or format.
    """
    return _read(text) if "." in text else _remembered(text)  # files may change


def _read(text: str) -> Operation:
    name = re.split("[:@]", text, maxsplit=1)[0]
    words = text[len(name) :].removeprefix(":")
    entry = named(name.strip())
    if entry is None:
        raise unknown_operation(name.strip())
    said = Words.read(entry.name, words, entry.formats, entry.arguments)
    return said.about(entry(**said.given), entry.name, entry.arguments)


def unknown_operation(name: str) -> RoofproofError:
    """Return the error for an unknown operation, with the library's name for a synonym, or with near matches.

    >>> print(unknown_operation("conv2d"))
    unknown operation 'conv2d'; did you mean 'convolution'?
    """
    if (meant := OTHER_NAMES.get(name.lower())) is None:
        return unknown("operation", name, entries())
    form = "unknown <kind> <name>; did you mean <meant>?"
    return RoofproofError(form, kind="operation", name=quoted(name), meant=repr(meant))


_remembered = lru_cache(256)(_read)  # a claim requests the same one for each function and mistake


def sized(value: str | int, what: str) -> Size:
    """Return an argument that is a size: a whole number, or the name of a dimension."""
    return whole_argument(value, what, least=1) if str(value)[:1].isdigit() else str(value)


def check_choice(value: str, what: str, among: tuple[str, ...]) -> str:
    """Return an argument if it is one of the allowed words, or raise RoofproofError with near matches."""
    if value not in among:
        raise unknown(what, value, among)
    return value
