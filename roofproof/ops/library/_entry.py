"""What the library knows about an operation, and how its name is written with arguments.

matmul                       every argument at its default
matmul:int8                  one format: for every tensor
matmul:bf16,int8             formats in the order of the arguments: x, w, out
matmul:w=int8@bf16           by name; `@` gives the format (and engine) of the arithmetic
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module

from roofproof.errors import RoofproofError, quoted, unknown
from roofproof.formats import ALIASES, BITS
from roofproof.ops.operation import Operation


@dataclass(frozen=True, slots=True)
class Entry:
    """An operation of the library: its name, what makes it, what it is, and where the formula is from.

    >>> entry = entries()["matmul"]
    >>> entry.arguments, entry(x="int8", w="int8").flops       # 2 FLOPs for each of B D F multiply-adds
    (('x', 'w', 'out', 'compute'), 2*B*D*F)
    """

    name: str
    make: Callable[..., Operation]
    about: str
    source: str
    family: str = ""

    @property
    def arguments(self) -> tuple[str, ...]:
        """The arguments by name, formats first."""
        return tuple(inspect.signature(self.make).parameters)

    def __call__(self, *args: object, **kwargs: object) -> Operation:
        return self.make(*args, **kwargs)


@cache
def entries() -> dict[str, Entry]:
    """Return every operation of the library by name.

    >>> entries()["dot"].about
    'dot product of two vectors'
    """
    from roofproof.ops.library import FAMILIES

    found: dict[str, Entry] = {}
    for family in FAMILIES:
        for entry in import_module(f"roofproof.ops.library.{family}").ENTRIES:
            if entry.name in found:
                raise RoofproofError(f"two operations named {entry.name!r} in the library")
            found[entry.name] = Entry(entry.name, entry.make, entry.about, entry.source, family)
    return found


def from_library(text: str) -> Operation:
    """Return the operation that a library name with arguments stands for.

    >>> from_library("matmul:bf16,int8").bytes()               # x and z in bf16, w in int8
    2*B*D + 2*B*F + D*F

    Raises RoofproofError for an unknown name, an argument that it does not take, or an unknown format.
    """
    before, at, compute = (part.strip() for part in text.partition("@"))
    name, colon, listed = (part.strip() for part in before.partition(":"))
    if name not in entries():
        raise unknown("operation", name, entries())
    entry = entries()[name]
    given: dict[str, object] = {}
    words = [word.strip() for word in listed.split(",")] if colon else []
    formats = [
        a for a, p in inspect.signature(entry.make).parameters.items() if a != "compute" and _is_format(p)
    ]
    for i, word in enumerate(words):
        key, equals, value = (part.strip() for part in word.partition("="))
        if not equals:
            if len(formats) <= i:
                raise RoofproofError(
                    f"{quoted(text)}: {name} takes {len(formats)} formats ({', '.join(formats) or 'none'}), "
                    f"and {quoted(word)} is number {i + 1}"
                )
            if len(words) == 1:
                for one in formats:
                    given[one] = _checked(text, word)
            else:
                given[formats[i]] = _checked(text, word)
        elif key not in entry.arguments:
            raise unknown(f"argument of {name}", key, entry.arguments)
        elif key in given:
            raise RoofproofError(f"{quoted(text)}: {key} is given twice")
        else:
            given[key] = _checked(text, value) if key in formats or key == "compute" else value
    if at:
        if "compute" not in entry.arguments:
            raise RoofproofError(f"{quoted(text)}: {name} has no single format of arithmetic; leave out '@'")
        if not compute:
            raise RoofproofError(f"{quoted(text)}: a number format is due after '@'")
        given["compute"] = compute
    return entry.make(**given)


def _is_format(parameter: inspect.Parameter) -> bool:
    return "Format" in str(parameter.annotation)


def _checked(text: str, word: str) -> str:
    if word not in BITS and word not in ALIASES:
        raise unknown("number format", word, [*BITS, *ALIASES])
    return word
