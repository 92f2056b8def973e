"""Shapes of arguments as text, `x:bf16[B,L,d], params.w1:bf16[d,F], cache[0]:bf16[B,S,k], heads=8`, and conditions.

A name is that of a parameter of the function. After it, `.key` and `[0]` lead into a dictionary, a named tuple or a
list. Parameters that are not arrays have a value: `n=8` and `n=2*k` are sizes, and `s=0.5` and `axis=-1` are numbers.
`bias=False`, `m=None` and `act='gelu'` mean the same as in Python. `act=gelu` is text if the parameter takes text.
Conditions are separated by semicolons: `k even; 128 divides L; E >= 2; h = g*r`. The last kind defines a size.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NoReturn, TypeAlias

from sympy import Expr, Integer, Symbol
from sympy.logic.boolalg import Boolean

from roofproof.errors import RoofproofError, quoted
from roofproof.formula.plain import NO_SIZE, RESERVED
from roofproof.formula.reader import OPERATORS
from roofproof.formula.tensors import TensorReader
from roofproof.formula.tokens import error_at, tokens
from roofproof.ops.notation.where import read_where, size_of
from roofproof.symbols import dimension

MAX_ARGUMENTS = 2_000

_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_STEP = re.compile(rf"\.({_NAME})|\[([0-9]{{1,4}})\]")
_PATH = re.compile(rf"{_NAME}(?:\.{_NAME}|\[[0-9]{{1,4}}\])*")
_NUMBER = re.compile(r"-?(?:[0-9]{1,18}(?:\.[0-9]{0,18})?|\.[0-9]{1,18})(?:[eE][+-]?[0-9]{1,3})?")
_CONSTANTS = {"True": True, "true": True, "False": False, "false": False, "None": None}
Path = tuple[str | int, ...]
Value: TypeAlias = Expr | bool | float | str | None


@dataclass(frozen=True, slots=True)
class Given:
    """An argument: its path, with its format and sizes, or with its value if it is not an array and has no format.

    `values` is the range of values that an integer array may hold, if known.

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
        """The sizes of an array, or the value if it is a size."""
        return (self.value,) if isinstance(self.value, Expr) else self.shape

    def mapped(self, size: Callable[[Expr], Expr]) -> Given:
        """Return the argument with `size` applied to every size."""
        value = size(self.value) if isinstance(self.value, Expr) else self.value
        return replace(self, shape=tuple(map(size, self.shape)), value=value)

    def __str__(self) -> str:
        if self.format:
            return f"{self.name}:{self.format}[{','.join(map(str, self.shape))}]"
        return f"{self.name}={self.value if isinstance(self.value, Expr) else repr(self.value)}"


Read: TypeAlias = tuple[tuple[Given, ...], tuple[Boolean, ...]]  # arguments and conditions


def read(shapes: str | Mapping[str, str], where: str = "") -> Read:
    """Return the arguments that a text (or a mapping from names to `bf16[B,D]`) describes, and the conditions.

    Sizes that a condition defines (`h = g*r`) are substituted. Raises RoofproofError for text that cannot be read.
    """
    if not isinstance(shapes, str):
        shapes = ", ".join(f"{name}{'' if str(s).startswith('=') else ':'}{s}" for name, s in shapes.items())
    try:
        arguments = list(_Arguments(shapes, tokens(shapes, "--shapes")).arguments())
    except RoofproofError as problem:
        raise RoofproofError("<where>: <problem>", where="--shapes", problem=problem.said) from None
    conditions, defined, names = read_where(where, sizes=_names(arguments))
    found: dict[Path, Given] = {}
    for one in arguments:
        if one.path in found or len(found) >= MAX_ARGUMENTS:
            raise RoofproofError(f"--shapes: {quoted(one.name)} is given twice, or there are too many arguments")
        found[one.path] = one.mapped(lambda size: size.subs(defined, simultaneous=True))
    known = _names(found.values())
    if missing := sorted({*names} - known - {str(size) for size in defined}):
        raise RoofproofError(
            f"--where: no shape has the size {missing[0]!r}; sizes: {', '.join(sorted(known)) or 'none'}"
        )
    return tuple(found.values()), conditions


def _names(given: Iterable[Given]) -> set[str]:
    """Return the names of the sizes of arguments."""
    return {str(s) for one in given for size in one.sizes for s in size.free_symbols}


def sizes_of(given: Iterable[Given], conditions: Iterable[Boolean]) -> set[Symbol]:
    """Return the declared sizes: those of arrays, and those that a condition mentions.

    >>> sorted(map(str, sizes_of(*read("x:bf16[B,D], heads=h, kind=relu", "h even"))))
    ['B', 'D', 'h']
    """
    shapes = {s for one in given for size in one.shape for s in size.free_symbols}
    return shapes | {s for condition in conditions for s in condition.free_symbols}


class _Arguments(TensorReader):
    """Arguments between commas: `x:bf16[B,D]`, `params.w[0]:bf16[d,4*d]`, `heads=8`."""

    def arguments(self) -> Iterator[Given]:
        while self.token.kind != "end":
            if self.token.kind != "name":
                self.refuse_entry(self.token.at)
            start = self.token.at
            written = self.take_form(_PATH)
            first, _, _ = re.split(r"([.\[])", written.text + ".", maxsplit=1)
            path: Path = (first, *(int(i) if i else key for key, i in _STEP.findall(written.text)))
            if self.take(":"):
                read = self.tensor()
                if read.label or not read.word:
                    self.refuse_entry(start)
                yield Given(path, read.word, tuple(size_of(index.size) for index in read.indices))
            elif self.take("="):
                yield Given(path, "", value=self.argument_value(start))
            else:
                self.refuse_entry(start)
            if self.token.kind != "end" and not self.take(","):
                self.refuse_entry(start)

    def refuse_entry(self, at: int) -> NoReturn:
        due = "<text> is not understood; expected NAME:FORMAT[SIZES] or NAME=VALUE, such as x:bf16[B,D], heads=8"
        raise error_at(at, due, text=quoted(self.text[at:].strip(), 40))

    def argument_value(self, start: int) -> Value:
        """Return the value of a parameter that is not an array. A word may be a size or text, depending on it."""
        if string := self.take("string"):
            return string.text[1:-1]
        if number := _NUMBER.match(self.text, self.token.at):
            text = self.take_form(_NUMBER).text
            if self.token.kind in (",", "end"):
                return Integer(text) if text.lstrip("-").isdigit() else float(text)  # float: an argument of the user's
            self.at = next(k for k, token in enumerate(self.tokens) if token.at == number.start())
        word = self.token.text
        if word in _CONSTANTS and self.ahead().kind in (",", "end"):
            self.at += 1
            return _CONSTANTS[word]
        if self.token.kind in (",", "end"):
            self.refuse_entry(start)
        if self.ahead().kind in (",", "end") and self.token.kind == "name":  # a word, also one that is not a size
            self.at += 1
            if word in RESERVED:
                raise error_at(self.tokens[self.at - 1].at, NO_SIZE, name=repr(word))
            return dimension(word)
        return size_of(self.formula(OPERATORS["+"].power))
