"""What the library knows about an operation, and how its name is written with arguments.

matmul                       every argument at its default
matmul:int8                  one format: for every tensor
matmul:bf16,int8             formats in the order of the arguments: x, w, out
matmul:w=int8@bf16           by name; `@` gives the format (and engine) of the arithmetic
dot:fp64-vector              one format for every tensor, and its engine
prefill:llama-2-7b,int8      a model configuration, where the operation takes one
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from importlib import import_module
from typing import TYPE_CHECKING

from roofproof.errors import RoofproofError, quoted, unknown
from roofproof.formats import canonical, is_complex, is_format
from roofproof.ops.library._families import FAMILIES
from roofproof.ops.operation import Operation
from roofproof.ops.roles import declared

if TYPE_CHECKING:
    from roofproof.ops.combine import Size

Format = str  # a number format by name; the annotation tells which arguments are formats
OwnFormat = str | None  # the same, where without one it is that of the first tensor
MAX_DIGITS = 18  # of a whole number given as an argument


@dataclass(frozen=True, slots=True)
class Entry:
    """An operation of the library: its name, what makes it, what it is, and where the formula is from.

    `count` does the operation element by element on a meter (tests/ops/counting.py), at each of the sizes in `tried`;
    a test compares what it counts with the formulas. `words` says in other languages what it is ("zh"); where it
    does not, the English is shown. `sizes` declares the role of each size (ops/roles.toml); that of an argument is the
    role of the size that is named with it, as in `block: block` for `flash-attention:block=b`. `kernel` is what one
    kernel moves, as `x w -> y`, of an operation that moves more, such as what lies between its steps: each tensor once,
    or one row of V (`table/V`), as indices may all choose the same. `complex` says that it counts complex numbers, too.

    >>> entry = entries()["matmul"]
    >>> entry.arguments, entry(x="int8", w="int8").flops       # 2 FLOPs for each of B D F multiply-adds
    (('x', 'w', 'out', 'compute'), 2*B*D*F)
    >>> entry.sizes, entry().roles["D"].most                   # 102400 is the widest that is met
    ('B: batch, D: width, F: width', 102400)
    """

    name: str
    make: Callable[..., Operation]
    about: str
    source: str
    family: str = ""
    count: Callable[..., None] | None = None
    tried: tuple[Mapping[str, int], ...] = ()
    words: Mapping[str, str] = field(default_factory=dict)
    sizes: str = ""
    kernel: str = ""
    complex: bool = False

    @property
    def arguments(self) -> tuple[str, ...]:
        """The arguments by name, formats first."""
        return tuple(inspect.signature(self.make).parameters)

    def __call__(self, *args: object, **kwargs: object) -> Operation:
        if not args and not kwargs:
            return _plain(self.make, self.sizes)
        made = _made(self.make, self.sizes, *args, **kwargs)
        for tensor in made.tensors:
            if not self.complex and made.units and is_complex(tensor.dtype):
                said = "<operation> counts real numbers; there is no count for complex ones, such as <format>"
                raise RoofproofError(said, operation=self.name, format=quoted(tensor.dtype))
        return made


def _made(make: Callable[..., Operation], sizes: str, *args: object, **kwargs: object) -> Operation:
    made = make(*args, **kwargs)
    given = inspect.signature(make).bind(*args, **kwargs).arguments
    names = {s.name for s in made.dims}
    said = declared(sizes) if sizes else {}
    found = {name: role for name, role in said.items() if name in names and name not in given}
    return replace(made, roles={**found, **{str(v): said[k] for k, v in given.items() if k in said and v in names}})


@cache
def _plain(make: Callable[..., Operation], sizes: str) -> Operation:
    """Return an operation with every argument at its default, made once: whoever looks at the library asks for all."""
    return _made(make, sizes)


@cache
def entries() -> dict[str, Entry]:
    """Return every operation of the library by name.

    >>> entries()["dot"].about
    'dot product of two vectors'
    """
    found: dict[str, Entry] = {}
    for entry in _families():
        if entry.name in found:
            raise RoofproofError(f"two operations named {entry.name!r} in the library")
        found[entry.name] = entry
    return found


@cache
def named(name: str) -> Entry | None:
    """Return the operation of that name, if there is one; families after its own are not imported.

    >>> named("dot").about, named("dots")
    ('dot product of two vectors', None)
    """
    return next((entry for entry in _families() if entry.name == name), None)


def _families() -> Iterator[Entry]:
    for family in FAMILIES:
        for entry in import_module(f"roofproof.ops.library.{family}").ENTRIES:
            yield replace(entry, family=family)


SPARSE = (
    "<op>: a 2:4 sparse product stores half of its weights, and where they stand; the library counts dense ones. Write "
    "both counts, such as 'flops fp8-sparse = 2 B D F; bytes hbm = B D + 5 D F/8 + B F'"
)


def from_library(text: str) -> Operation:
    """Return the operation that a library name with arguments stands for.

    >>> from_library("matmul:bf16,int8").bytes()               # x and z in bf16, w in int8
    2*B*D + 2*B*F + D*F

    Raises RoofproofError for an unknown name, an argument that it does not take, or an unknown format.
    """
    return _read(text) if "." in text else _remembered(text)  # a file may have changed


def _read(text: str) -> Operation:
    before, at, compute = (part.strip() for part in text.partition("@"))
    name, colon, listed = (part.strip() for part in before.partition(":"))
    entry = named(name)
    if entry is None:
        raise unknown("operation", name, entries())
    given: dict[str, object] = {}
    words = [word.strip() for word in listed.split(",")] if colon else []
    models = [word for word in words if "=" not in word and not is_format(word.partition("-")[0])]
    if "model" in entry.arguments and models:
        given["model"] = models[0]
        words.remove(models[0])
    parameters = inspect.signature(entry.make).parameters
    formats = [each for each, p in parameters.items() if each != "compute" and "Format" in str(p.annotation)]
    for i, word in enumerate(words):
        key, equals, value = (part.strip() for part in word.partition("="))
        width, dash, _ = word.partition("-")
        if not equals and dash and is_format(width) and "compute" in entry.arguments and not at:
            compute, at, word = word, "@", width  # fp64-vector: the format, and the engine that has it
        if not equals:
            if len(formats) <= i:
                takes = f"{name} takes {len(formats)} formats ({', '.join(formats) or 'none'})"
                raise RoofproofError(f"{quoted(text)}: {takes}, and {quoted(word)} is number {i + 1}")
            given |= dict.fromkeys(formats if len(words) == 1 else [formats[i]], canonical(word))
        elif key not in entry.arguments:
            raise unknown(f"argument of {name}", key, entry.arguments)
        elif key in given:
            raise RoofproofError(f"{quoted(text)}: {key} is given twice")
        else:
            given[key] = canonical(value) if key in formats or key == "compute" else value
    if at:
        if "compute" not in entry.arguments:
            raise RoofproofError(f"{quoted(text)}: {name} has no single format of arithmetic; leave out '@'")
        if not compute:
            raise RoofproofError(f"{quoted(text)}: expected a number format after '@'")
        given["compute"] = compute
    if str(given.get("compute", "")).endswith("-sparse"):
        raise RoofproofError(SPARSE, op=quoted(text))
    return entry(**given)


_remembered = lru_cache(256)(_read)  # a claim asks for the same one with each of its words and slips


def whole_argument(value: str | int, what: str, least: int = 0) -> int:
    """Return an argument that has to be a whole number, or refuse it."""
    text = str(value)
    if not (text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS):
        raise RoofproofError(f"{what}: expected a whole number, got {quoted(value)}")
    if int(text) < least:
        raise RoofproofError(f"{what}: expected a whole number from {least}, got {text}")
    return int(text)


def sized(value: str | int, what: str) -> Size:
    """Return an argument that is a size: a whole number, or the name of a dimension."""
    return whole_argument(value, what, least=1) if str(value)[:1].isdigit() else str(value)


def chosen(value: str, what: str, among: tuple[str, ...]) -> str:
    """Return an argument that is one of a few words, or refuse it with those it could be."""
    if value not in among:
        raise unknown(what, value, among)
    return value
