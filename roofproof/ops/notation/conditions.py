"""Conditions on sizes as text, with semicolons between: `k even; 128 divides L; E >= 2; h = g*r`.

The last kind says what a size is: it is put in wherever the size stands.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeAlias

import sympy
from sympy import Expr, Symbol
from sympy.logic.boolalg import Boolean

from roofproof.errors import RoofproofError, quoted
from roofproof.ops.notation.checked_text import check_text
from roofproof.ops.notation.contradictory import condition_text, contradictory
from roofproof.ops.notation.expression import parse_expression
from roofproof.ops.notation.glued import TWO_WAYS
from roofproof.ops.operation import Operation
from roofproof.symbols import dimension

RESERVED = ("max", "min", "mod", "floordiv", "True", "False", "None")  # words that a framework, or Python, has

_RELATION = re.compile(r"(.+?)(<=|>=|==|=|<|>)(.+)")
_TURNED = {"<": sympy.StrictLessThan, "<=": sympy.LessThan, ">": sympy.StrictGreaterThan, ">=": sympy.GreaterThan}

Conditions: TypeAlias = tuple[tuple[Boolean, ...], dict[Symbol, Expr]]


def read_conditions(text: str, where: str = "--where") -> Conditions:
    """Return the conditions that a text states, and what it says that sizes are; `where` begins every message.

    >>> read_conditions("128 divides L; L >= 2 W; h = g*r")
    ((Eq(Mod(L, 128), 0), L >= 2*W), {h: g*r})

    Raises RoofproofError for what is not understood, and for conditions that hold for no sizes.
    """
    if text.strip():
        check_text(text, where)
    found: list[Boolean] = []
    defined: dict[Symbol, Expr] = {}
    for part in (part.strip() for part in text.split(";")):
        if not part:
            continue
        if word := re.fullmatch(r"(.+?)\s+(even|odd)", part):
            found.append(sympy.Eq(sympy.Mod(size_from(word[1]), 2), int(word[2] == "odd"), evaluate=False))
        elif word := re.fullmatch(r"(.+?)\s+divides\s+(.+)", part) or re.fullmatch(r"([^|]+)\|([^|]+)", part):
            found.append(sympy.Eq(sympy.Mod(size_from(word[2]), size_from(word[1])), 0, evaluate=False))
        elif relation := _RELATION.fullmatch(part):
            left, sign, right = size_from(relation[1]), relation[2], size_from(relation[3])
            if sign not in _TURNED and isinstance(left, Symbol) and left not in right.free_symbols:
                if left in defined:
                    raise RoofproofError("<where>: <size> is defined twice", where=where, size=left)
                defined[left] = right
            elif sign not in _TURNED:
                due = "<where>: <text> does not say what a size is; write it as h = g*r"
                raise RoofproofError(due, where=where, text=quoted(part))
            else:
                found.append(_TURNED[sign](left, right, evaluate=False))
        else:
            raise RoofproofError(
                "<where>: <text> is not understood; expected such as 'k even', '128 divides L', 'E >= 2', 'h = g*r', "
                "separated by ';'", where=where, text=quoted(part),
            )  # fmt: skip
    for size, value in defined.items():  # a definition may use another one
        for _ in defined:
            value = value.subs(defined, simultaneous=True)
        if value.free_symbols & set(defined):
            raise RoofproofError("<where>: <size> is defined by itself", where=where, size=size)
        defined[size] = value
    put = [c.subs(defined, simultaneous=True) if c.free_symbols & set(defined) else c for c in found]
    put = [c if c.free_symbols else c.doit() for c in put]
    if sympy.false in put:
        raise RoofproofError("<where>: <text> holds for no sizes", where=where, text=quoted(text))
    made = tuple(c for c in put if c != sympy.true)
    _refuse_contradictory(made, where)
    return made, defined


def size_from(text: str) -> Expr:
    """Return the size that a text stands for: a whole number from 1, a name, or an expression of these.

    >>> size_from("4 d")
    4*d
    """
    size = named_size(text)
    if size.is_number and not (size.is_Integer and size > 0):
        due = "size <text>: expected a whole number from 1, a name or a product of these"
        raise RoofproofError(due, text=quoted(text))
    return size


def index_from(text: str) -> Expr:
    """Return the size that an index of a tensor stands for: two names side by side lack a comma, or a sign.

    >>> index_from("n + 2 r")
    n + 2*r
    """
    if beside := re.search(r"(?<!\w)([A-Za-z_]\w*)\s+(\w+)", text):
        left, right = beside.groups()
        first, second = quoted(f"{left},{right}"), quoted(f"{left}*{right}")
        raise RoofproofError(TWO_WAYS, whole=quoted(beside[0]), first=first, second=second)
    return size_from(text)


def named_size(text: str) -> Expr:
    """Return the expression of sizes that a text stands for, after checking that no name in it is a word of Python."""
    size = parse_expression(text.strip(), dimension)
    for symbol in size.free_symbols:
        if symbol.name in RESERVED:
            due = "size <text>: <name> is no name for a size; give it another"
            raise RoofproofError(due, text=quoted(text), name=repr(symbol.name))
    return size


def under(operation: Operation, text: str, where: str = "--where") -> Operation:
    """Return an operation under the conditions that a text states; sizes that it defines are put in.

    >>> from roofproof.ops import parse_operation
    >>> square = under(parse_operation("matmul"), "F = 4 D; 128 divides D")
    >>> square.flops, square.conditions                        # 2 B D F at F = 4 D
    (8*B*D**2, (Eq(Mod(D, 128), 0),))

    A size that is defined by a division is a whole number: that is one of the conditions. Raises RoofproofError for a
    condition on a size that the operation has not, and for one that no size meets.
    """
    from dataclasses import replace

    from roofproof.ops.combine import at

    conditions, defined = read_conditions(text, where)
    has = {s for s in operation.dims}
    given = {str(size): value for size, value in defined.items()}
    known = (has - set(defined)).union(*(value.free_symbols for value in defined.values()))
    for size in sorted({*defined} - has | {s for c in conditions for s in c.free_symbols} - known, key=str):
        said = "<where>: no size <size> in <operation>; its sizes are <sizes>"
        sizes = ", ".join(map(str, operation.dims)) or "none"
        raise RoofproofError(said, where=where, size=repr(str(size)), operation=quoted(operation.name), sizes=sizes)
    whole = []
    for value in defined.values():
        above, below = sympy.fraction(sympy.together(value))
        if not below.is_Integer or below != 1:
            whole.append(sympy.Eq(sympy.Mod(above, below), 0, evaluate=False))
    made = at(operation, **given)
    every = (*made.conditions, *conditions, *whole)
    if len(every) > len(conditions):  # by themselves they were looked at as they were read
        _refuse_contradictory(every, where)
    return replace(made, conditions=every)


def _refuse_contradictory(conditions: Sequence[Boolean], where: str) -> None:
    if pair := contradictory(conditions):
        due = "<where>: the conditions contradict each other: <conditions>"
        raise RoofproofError(due, where=where, conditions="; ".join(map(condition_text, pair)))
