"""Formulas given as text in Python's arithmetic, as functions of sizes for `audit`.

The text is parsed and never run. The given values must decide the condition of each branch.
"""

from __future__ import annotations

import ast
import inspect
import math
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy
from sympy.core.logic import fuzzy_not

from roofproof.audit.remote_function import MOST_DEGREE, degree
from roofproof.errors import RoofproofError, cut, quoted
from roofproof.sentences import Sentence
from roofproof.symbols import dimension

MAX_TEXT = 4_000  # characters
MAX_BITS = 4_096  # of a number
MAX_POWER = 16

OPERATORS: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.FloorDiv: lambda a, b: sympy.floor(a / b),
    ast.Mod: sympy.Mod,
    ast.Pow: lambda a, b: a**b,
}
ORDERS: Mapping[type, Callable[[Any], bool | None]] = {  # functions of the difference of the two sides
    ast.Eq: lambda gap: gap.is_zero,
    ast.NotEq: lambda gap: fuzzy_not(gap.is_zero),
    ast.Lt: lambda gap: gap.is_negative,
    ast.LtE: lambda gap: gap.is_nonpositive,
    ast.Gt: lambda gap: gap.is_positive,
    ast.GtE: lambda gap: gap.is_nonnegative,
}
OF_ONE: Mapping[str, Callable[[Any], Any]] = {
    "ceil": sympy.ceiling,
    "floor": sympy.floor,
    "int": lambda x: sympy.sign(x) * sympy.floor(sympy.Abs(x)),
    "float": lambda x: x,
    "abs": sympy.Abs,
    "log2": lambda x: sympy.log(x, 2),
}
OF_SEVERAL: Mapping[str, Callable[..., Any]] = {"min": sympy.Min, "max": sympy.Max}
KNOWN = OF_ONE.keys() | OF_SEVERAL.keys()


def formula(text: str, /, *dims: str, **names: Any) -> Callable[..., Any]:
    """Return a text as a function of sizes. Each name in it is in `dims`, or is given as arithmetic of dimensions.

    >>> from roofproof import op
    >>> from roofproof.audit import audit
    >>> theirs = formula("(M*K + K*N + M*N) * elem_bytes", M="B", K="D", N="F", elem_bytes=2)
    >>> audit(theirs, op("matmul"), "bytes").verdict
    'equal'
    >>> audit(formula("2*tokens*n*k // 2", tokens="B", n="D", k="F"), op("matmul")).ratio
    1/2

    Raises RoofproofError for an unknown name, and for text that is not such a formula.
    """
    if len(text) > MAX_TEXT:
        raise RoofproofError("the formula has <count> characters; the limit is <most>", count=len(text), most=MAX_TEXT)
    where = Sentence("formula <text>", text=quoted(text.strip(), 60))
    due = Sentence("expected arithmetic of sizes, as Python writes it")
    tree = _parsed(text, where, due)
    try:
        given = {name: _given(name, value) for name, value in ({d: d for d in dims} | names).items()}
        return _of_sizes(_Reader(text, given).value(tree))
    except (RecursionError, MemoryError):
        raise RoofproofError("<where>: <problem>", where=where, problem=due) from None


def _given(name: str, value: Any) -> sympy.Expr:
    """Return the value of a name as an expression of dimensions."""
    if isinstance(value, int) and value.bit_length() < 64:
        return sympy.Integer(value)
    if not isinstance(value, str):
        raise RoofproofError(
            "<name>: <value>: expected text, a whole number, true or false", name=quoted(name), value=quoted(value)
        )
    if len(value) > MAX_TEXT:
        raise RoofproofError(
            "<name>: a value of <count> characters; the limit is <most>",
            name=quoted(name),
            count=len(value),
            most=MAX_TEXT,
        )
    tree = _parsed(value, f"{name}={quoted(value.strip(), 60)}", Sentence("expected arithmetic of dimensions"))
    names = {node.id: dimension(node.id) for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return _Reader(value, names, name).value(tree)


def _parsed(text: str, where: str, due: str) -> ast.expr:
    """Return the tree of a text, or raise an error with the column and `due`, the expected kind of text."""
    try:
        with warnings.catch_warnings(action="ignore"):  # Python warns of a number directly before a name
            return ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        due = _at_column(_blanks(text) + (error.offset or 1), due) if error.lineno == 1 else due
    except (ValueError, RecursionError, MemoryError):
        pass
    raise RoofproofError("<where>: <problem>", where=where, problem=due) from None


def _at_column(column: int, problem: str) -> str:
    return Sentence("column <column>: <problem>", column=column, problem=problem)


def _blanks(text: str) -> int:
    return len(text) - len(text.lstrip())


@dataclass(frozen=True, slots=True)
class _Reader:
    """The evaluation of one text, named `where` in messages. True is 1, and false is 0."""

    text: str
    names: Mapping[str, sympy.Expr]
    where: str = "formula"

    def _refused(self, node: ast.expr, said: str) -> RoofproofError:
        return self._at(node, f"{quoted(' '.join(ast.unparse(node).split()), 60)}{said}")

    def _at(self, node: ast.expr, said: str) -> RoofproofError:
        """Return the error for a part of the text, with its column."""
        before = self.text.strip().encode()[: node.col_offset].decode()
        said = _at_column(_blanks(self.text) + len(before) + 1, said) if node.lineno == 1 else said
        return RoofproofError("<where>: <problem>", where=self.where, problem=said)

    def value(self, node: ast.expr) -> sympy.Expr:
        found = self._value(node)
        if found.has(sympy.zoo, sympy.nan, sympy.oo, sympy.I):
            raise self._refused(node, " has no value")
        if any(max(abs(n.p), n.q).bit_length() > MAX_BITS for n in found.atoms(sympy.Rational)):
            raise self._refused(node, f": a number of more than {MAX_BITS} bits")
        return found

    def _value(self, node: ast.expr) -> sympy.Expr:
        match node:
            case ast.Constant(value=int() as number):
                return sympy.Integer(number)
            case ast.Constant(value=float() as number):  # float: read as the decimal that is written
                return self._decimal(node, number)
            case ast.Name(id=name) if name in self.names:
                return self.names[name]
            case ast.UnaryOp(op=sign, operand=inner) if not isinstance(sign, ast.Invert):
                found = self.value(inner)
                if isinstance(sign, ast.Not):
                    return sympy.Integer(not self._holds(found))
                return -found if isinstance(sign, ast.USub) else found
            case ast.BinOp(left=left, op=sign, right=right) if type(sign) in OPERATORS:
                return self._combined(node, sign, self.value(left), self.value(right))
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self.value(body if self._holds(self.value(test)) else orelse)
            case ast.BoolOp(op=sign, values=[*parts, last]):
                for part in parts:
                    found = self.value(part)
                    if self._holds(found) != isinstance(sign, ast.And):
                        return found
                return self.value(last)
            case ast.Compare(left=left, ops=signs, comparators=others) if all(type(sign) in ORDERS for sign in signs):
                sides = [self.value(side) for side in (left, *others)]
                return sympy.Integer(all(map(self._compared, signs, sides, sides[1:])))
            case ast.Call(func=ast.Name(id=name), args=[inner], keywords=[]) if name in OF_ONE:
                return OF_ONE[name](self.value(inner))
            case ast.Call(func=ast.Name(id=name), args=[_, _, *_] as several, keywords=[]) if name in OF_SEVERAL:
                return OF_SEVERAL[name](*map(self.value, several))
            case ast.Name(id=name) | ast.Call(func=ast.Name(id=name)) if name not in KNOWN | self.names.keys():
                known = ", ".join(map(cut, sorted(self.names)))
                form = "unknown name <quoted>; known: <known>; map it, as in --names <name>=SIZE"
                raise self._at(node, Sentence(form, quoted=quoted(name), known=known, name=cut(name)))
        raise self._refused(node, " is not arithmetic of sizes")

    def _decimal(self, node: ast.expr, number: float) -> sympy.Expr:
        written = ast.get_source_segment(self.text.strip(), node) or ""
        if not 0 < number < math.inf and set(written) - {*"0._"}:  # outside of the range of digits
            raise self._at(node, f"{quoted(written, 60)}: expected a number from 1e-300 to 1e300")
        return sympy.Rational(Fraction(written))

    def _combined(self, node: ast.BinOp, sign: ast.operator, a: sympy.Expr, b: sympy.Expr) -> sympy.Expr:
        if isinstance(sign, ast.Pow) and not (b.is_Integer and 0 <= b <= MAX_POWER):
            raise self._at(node.right, f"power {quoted(str(b))}: expected a whole number up to {MAX_POWER}")
        if isinstance(sign, ast.Div | ast.FloorDiv | ast.Mod) and b == 0:
            raise self._refused(node, " divides by zero")
        return OPERATORS[type(sign)](a, b)

    def _compared(self, sign: ast.cmpop, a: sympy.Expr, b: sympy.Expr) -> bool:
        gap = a - b
        return self._decided(ORDERS[type(sign)](sympy.expand(gap) if degree(gap) <= MAX_POWER else gap))

    def _holds(self, found: sympy.Expr) -> bool:
        return self._decided(fuzzy_not(found.is_zero))

    def _decided(self, found: bool | None) -> bool:
        if found is None:
            raise RoofproofError("<where>: the condition of an `if` must be a number, 0 for false", where=self.where)
        return found


def _of_sizes(value: sympy.Expr) -> Callable[..., Any]:
    """Return an expression as a function with its sizes as parameters."""
    if degree(value) > MOST_DEGREE:
        raise RoofproofError(
            "the formula has degree <degree>; the limit is <most>", degree=degree(value), most=MOST_DEGREE
        )
    sizes = sorted(value.free_symbols, key=str)

    def of_sizes(*args: Any, **named: Any) -> Any:
        at = dict(zip((s.name for s in sizes), args, strict=False)) | named
        found = value.xreplace({s: sympy.sympify(at[s.name], strict=True) for s in sizes})
        return int(found) if found.is_Integer else found

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    of_sizes.__signature__ = inspect.Signature([inspect.Parameter(s.name, kind) for s in sizes])  # type: ignore[attr-defined]
    return of_sizes


def names_in(text: str) -> dict[str, Any]:
    """Parse `--names`: values of names, separated by commas.

    >>> names_in("M=B, N=max(D, F), bias=False")
    {'M': 'B', 'N': 'max(D, F)', 'bias': 'False'}
    """
    parts, depth, start = [], 0, 0
    for k, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        if sign == "," and depth == 0:
            parts.append(text[start:k])
            start = k + 1
    found: dict[str, Any] = {}
    for part in filter(str.strip, [*parts, text[start:]]):
        name, equals, value = (each.strip() for each in part.partition("="))
        if not (name and equals and value):
            raise RoofproofError(
                "names <text>: expected NAME=VALUE, such as M=B or bias=False", text=quoted(part.strip())
            )
        if found.setdefault(name, value) != value:
            raise RoofproofError("names: <name> is given twice", name=quoted(name))
    return found
