"""Shapes of arguments as text, `x:bf16[B,L,d], params.w1:bf16[d,F], cache[0]:bf16[B,S,k], heads=8`, and conditions.

A name is that of a parameter of the function; after it `.key` and `[0]` lead into a dictionary, a named tuple or a
list. Parameters that are no arrays have a value: `n=8` and `n=2*k` are sizes, `s=0.5` and `axis=-1` numbers, and
`bias=False`, `m=None` and `act='gelu'` what they are in Python. `act=gelu` is text where the parameter takes text.
Conditions are separated by semicolons: `k even; 128 divides L; E >= 2; h = g*r`; the last kind says what a size is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from sympy import Expr, Integer, Symbol
from sympy.logic.boolalg import Boolean

from roofproof.errors import RoofproofError, quoted
from roofproof.formula.tokens import check_text
from roofproof.ops.notation.conditions import index_from, named_size, read_conditions

MAX_ARGUMENTS = 2_000

_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_STEP = re.compile(rf"\.({_NAME})|\[([0-9]{{1,4}})\]")
_ENTRY = re.compile(
    rf"\s*(?P<name>{_NAME})(?P<path>(?:\.{_NAME}|\[[0-9]{{1,4}}\])*)\s*"
    r"(?::\s*(?P<format>[A-Za-z][A-Za-z0-9_]*)\s*\[(?P<shape>[^\[\]]*)\]"
    r"|=\s*(?P<value>'[^']*'|\"[^\"]*\"|[^,;:\[\]'\"]+?))\s*(?:,|$)"
)
_NUMBER = re.compile(r"-?(?:[0-9]{1,18}(?:\.[0-9]{0,18})?|\.[0-9]{1,18})(?:[eE][+-]?[0-9]{1,3})?")
_CONSTANTS = {"True": True, "true": True, "False": False, "false": False, "None": None}
Path = tuple[str | int, ...]
Value: TypeAlias = Expr | bool | float | str | None


@dataclass(frozen=True, slots=True)
class Given:
    """An argument: where it goes, and its format and sizes; or its value, where it is no array and has no format.

    `values` are those that an array of whole numbers may hold, where that is known.

    >>> given, conditions = read("params.w:bf16[d,4*d], bias=False, scale=0.5, heads=2*d", "d even")
    >>> given[0].name, given[0].shape, conditions
    ('params.w', (d, 4*d), (Eq(Mod(d, 2), 0),))
    >>> [one.value for one in given[1:]]
    [False, 0.5, 2*d]
    """

    path: Path
    format: str
    shape: tuple[Expr, ...] = ()
    value: Value = None
    values: range | None = None

    @property
    def name(self) -> str:
        first, *rest = self.path
        return str(first) + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in rest)

    @property
    def sizes(self) -> tuple[Expr, ...]:
        """The sizes of an array, or the one that a value is."""
        return (self.value,) if isinstance(self.value, Expr) else self.shape

    def mapped(self, size: Callable[[Expr], Expr]) -> Given:
        """Return the argument with every size changed."""
        value = size(self.value) if isinstance(self.value, Expr) else self.value
        return replace(self, shape=tuple(map(size, self.shape)), value=value)

    def __str__(self) -> str:
        if self.format:
            return f"{self.name}:{self.format}[{','.join(map(str, self.shape))}]"
        return f"{self.name}={self.value if isinstance(self.value, Expr) else repr(self.value)}"


Read: TypeAlias = tuple[tuple[Given, ...], tuple[Boolean, ...]]  # arguments and conditions


def read(shapes: str | Mapping[str, str], where: str = "") -> Read:
    """Return the arguments that a text (or a mapping from names to `bf16[B,D]`) describes, and the conditions.

    Sizes that a condition defines (`h = g*r`) are put in. Raises RoofproofError where the text is not understood.
    """
    if not isinstance(shapes, str):
        shapes = ", ".join(f"{name}{'' if str(s).startswith('=') else ':'}{s}" for name, s in shapes.items())
    check_text(shapes, "--shapes")
    conditions, defined = read_conditions(where)
    found: dict[Path, Given] = {}
    at = 0
    while at < len(shapes):
        entry = _ENTRY.match(shapes, at)
        if entry is None:
            due = "expected NAME:FORMAT[SIZES] or NAME=VALUE, such as x:bf16[B,D], heads=8"
            raise RoofproofError(
                f"--shapes, column {at + 1}: {quoted(shapes[at:].strip(), 40)} is not understood; {due}"
            )
        path: Path = (entry["name"], *(int(i) if i else key for key, i in _STEP.findall(entry["path"])))
        if entry["format"] is None:
            one = Given(path, "", value=_value(entry["value"]))
        else:
            one = Given(path, entry["format"], tuple(index_from(n) for n in entry["shape"].split(",") if n.strip()))
        one = one.mapped(lambda size: size.subs(defined, simultaneous=True))
        if path in found or len(found) >= MAX_ARGUMENTS:
            raise RoofproofError(f"--shapes: {quoted(one.name)} is given twice, or there are too many arguments")
        found[path] = one
        at = entry.end()
    known = {s for one in found.values() for size in one.sizes for s in size.free_symbols}
    for condition in conditions:
        if missing := sorted(str(s) for s in condition.free_symbols - known):
            names = ", ".join(sorted(map(str, known)))
            raise RoofproofError(f"--where: no shape has the size {missing[0]!r}; sizes: {names or 'none'}")
    return tuple(found.values()), conditions


def sizes_of(given: Iterable[Given], conditions: Iterable[Boolean]) -> set[Symbol]:
    """Return the sizes that there are: those of arrays, and those of which a condition says something.

    >>> sorted(map(str, sizes_of(*read("x:bf16[B,D], heads=h, kind=relu", "h even"))))
    ['B', 'D', 'h']
    """
    shapes = {s for one in given for size in one.shape for s in size.free_symbols}
    return shapes | {s for condition in conditions for s in condition.free_symbols}


def _value(text: str) -> Value:
    """Read the value of a parameter that is no array; a word may be a size, or text, as the parameter says."""
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if text[0] in "'\"":
        return text[1:-1]
    if _NUMBER.fullmatch(text):
        return Integer(text) if text.lstrip("-").isdigit() else float(text)  # float: an argument of the user's function
    size = named_size(text)
    if size.is_number and not size.is_Integer:
        raise RoofproofError(f"size {quoted(text)}: expected a whole number, a name or a product of these")
    return size
