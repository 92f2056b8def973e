"""Shapes of arguments as text, `x:bf16[B,L,d], params.w1:bf16[d,F], cache[0]:bf16[B,S,k], heads=8`, and conditions.

A name is that of a parameter of the function; after it `.key` and `[0]` lead into a dictionary, a named tuple or a
list. `name=8` or `name=k` is a plain number, for parameters that are no arrays.
Conditions are separated by semicolons: `k even; 128 divides L; E >= 2; h = g*r`; the last kind says what a size is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import sympy
from sympy import Expr, Symbol
from sympy.logic.boolalg import Boolean

from roofproof.errors import RoofproofError, quoted
from roofproof.ops.notation.expression import check_text, parse_expression
from roofproof.symbols import dimension

MAX_ARGUMENTS = 2_000
RESERVED = ("max", "min", "mod", "floordiv")  # words that a framework has for sizes

_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_STEP = re.compile(rf"\.({_NAME})|\[([0-9]{{1,4}})\]")
_ENTRY = re.compile(
    rf"\s*(?P<name>{_NAME})(?P<path>(?:\.{_NAME}|\[[0-9]{{1,4}}\])*)\s*"
    r"(?::\s*(?P<format>[A-Za-z][A-Za-z0-9_]*)\s*\[(?P<shape>[^\[\]]*)\]|=\s*(?P<value>[^,;:\[\]]+?))\s*(?:,|$)"
)
_RELATION = re.compile(r"(.+?)(<=|>=|==|=|<|>)(.+)")
_TURNED = {"<": sympy.StrictLessThan, "<=": sympy.LessThan, ">": sympy.StrictGreaterThan, ">=": sympy.GreaterThan}
Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Given:
    """An argument: where it goes, and its format and sizes; or a number, where there is no format.

    >>> given, conditions = read("params.w:bf16[d,4*d]", "d even")
    >>> given[0].name, given[0].shape, conditions
    ('params.w', (d, 4*d), (Eq(Mod(d, 2), 0),))
    """

    path: Path
    format: str
    shape: tuple[Expr, ...]

    @property
    def name(self) -> str:
        first, *rest = self.path
        return str(first) + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in rest)


Read: TypeAlias = tuple[tuple[Given, ...], tuple[Boolean, ...]]  # arguments and conditions


def read(shapes: str | Mapping[str, str], where: str = "") -> Read:
    """Return the arguments that a text (or a mapping from names to `bf16[B,D]`) describes, and the conditions.

    Sizes that a condition defines (`h = g*r`) are put in. Raises RoofproofError where the text is not understood.
    """
    if not isinstance(shapes, str):
        shapes = ", ".join(f"{name}{'' if str(s).startswith('=') else ':'}{s}" for name, s in shapes.items())
    check_text(shapes, "--shapes")
    if where.strip():
        check_text(where, "--where")
    conditions, defined = _conditions(where)
    found: dict[Path, Given] = {}
    at = 0
    while at < len(shapes):
        entry = _ENTRY.match(shapes, at)
        if entry is None:
            due = "expected NAME:FORMAT[SIZES] or NAME=NUMBER, such as x:bf16[B,D], heads=8"
            raise RoofproofError(
                f"--shapes, column {at + 1}: {quoted(shapes[at:].strip(), 40)} is not understood; {due}"
            )
        path: Path = (entry["name"], *(int(i) if i else key for key, i in _STEP.findall(entry["path"])))
        sizes = [s for s in (entry["shape"] or "").split(",") if s.strip()]
        if entry["format"] is None:
            sizes = [entry["value"]]
        shape = tuple(_size(text, entry["format"] is None).subs(defined, simultaneous=True) for text in sizes)
        one = Given(path, entry["format"] or "", shape)
        if path in found or len(found) >= MAX_ARGUMENTS:
            raise RoofproofError(f"--shapes: {quoted(one.name)} is given twice, or there are too many arguments")
        found[path] = one
        at = entry.end()
    known = {s for one in found.values() for size in one.shape for s in size.free_symbols}
    for condition in conditions:
        if missing := sorted(str(s) for s in condition.free_symbols - known):
            names = ", ".join(sorted(map(str, known)))
            raise RoofproofError(f"--where: no shape has the size {missing[0]!r}; sizes: {names or 'none'}")
    return tuple(found.values()), conditions


def _size(text: str, number: bool = False) -> Expr:
    size = parse_expression(text.strip(), dimension)
    for symbol in size.free_symbols:
        if symbol.name in RESERVED:
            raise RoofproofError(f"size {quoted(text)}: {symbol.name!r} is no name for a size; give it another")
    if size.is_number and not (size.is_Integer and (size > 0 or (number and size == 0))):
        raise RoofproofError(f"size {quoted(text)}: a whole number from 1, a name or a product of these is due")
    return size


def _conditions(where: str) -> tuple[tuple[Boolean, ...], dict[Symbol, Expr]]:
    found: list[Boolean] = []
    defined: dict[Symbol, Expr] = {}
    for text in (part.strip() for part in where.split(";")):
        if not text:
            continue
        if word := re.fullmatch(r"(.+?)\s+(even|odd)", text):
            found.append(sympy.Eq(sympy.Mod(_size(word[1]), 2), int(word[2] == "odd"), evaluate=False))
        elif word := re.fullmatch(r"(.+?)\s+divides\s+(.+)", text) or re.fullmatch(r"([^|]+)\|([^|]+)", text):
            found.append(sympy.Eq(sympy.Mod(_size(word[2]), _size(word[1])), 0, evaluate=False))
        elif relation := _RELATION.fullmatch(text):
            left, sign, right = _size(relation[1]), relation[2], _size(relation[3])
            if sign not in _TURNED and isinstance(left, Symbol) and left not in right.free_symbols:
                if left in defined:
                    raise RoofproofError(f"--where: {left} is defined twice")
                defined[left] = right
            elif sign not in _TURNED:
                raise RoofproofError(f"--where: {quoted(text)} does not say what a size is; write it as h = g*r")
            else:
                found.append(_TURNED[sign](left, right, evaluate=False))
        else:
            due = "expected such as 'k even', '128 divides L', 'E >= 2', 'h = g*r', separated by ';'"
            raise RoofproofError(f"--where: {quoted(text)} is not understood; {due}")
    for size, value in defined.items():  # a definition may use another one
        for _ in defined:
            value = value.subs(defined, simultaneous=True)
        if value.free_symbols & set(defined):
            raise RoofproofError(f"--where: {size} is defined by itself")
        defined[size] = value
    put = [c.subs(defined, simultaneous=True) if c.free_symbols & set(defined) else c for c in found]
    if sympy.false in put:
        raise RoofproofError(f"--where: {quoted(where)} holds for no sizes")
    return tuple(c for c in put if c != sympy.true), defined
