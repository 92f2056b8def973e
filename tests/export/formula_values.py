"""The value of a formula at one point that its names alone decide: of SymPy's trees and of plain text's."""

import ast
import cmath
import math
import re
import zlib
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

import sympy

from roofproof.ops.notation.logarithm import log2


def value(name: str) -> Fraction:
    """Return what a name stands for, decided by the name alone: more than 1, and unlike any other."""
    return Fraction(zlib.crc32(name.encode()) % 99_991 + 2, 7919)


def _log2(x: Any) -> Any:
    return Fraction(int(math.log2(x))) if x > 0 and math.log2(x).is_integer() else math.log2(x)


def _root(x: Any) -> Any:
    """Return a square root, at a point that need not satisfy what is given of the sizes: there it may be imaginary."""
    return cmath.sqrt(x) if isinstance(x, complex) or x < 0 else math.sqrt(x)


def _quotient(a: Any, b: Any) -> Any:
    return a / b if b else None


OPERATIONS = {
    "+": lambda *xs: sum(xs, Fraction(0)), "*": lambda *xs: math.prod(xs, start=Fraction(1)), "/": _quotient,
    "max": lambda *xs: max(xs), "min": lambda *xs: min(xs), "sqrt": _root, "log2": _log2,
    "floor": lambda x: Fraction(math.floor(x)), "ceil": lambda x: Fraction(math.ceil(x)), "power": lambda a, b: a**b,
}  # fmt: skip


def of_sympy(expr: sympy.Expr, short: Mapping[str, Any]) -> Any:
    """Return the value of an expression, some names of which stand for others; None where it has none."""
    if expr.is_Symbol:
        return short[expr.name] if expr.name in short else value(expr.name.replace("'", "_"))
    if expr.is_Rational:
        return Fraction(int(expr.p), int(expr.q))
    parts = [of_sympy(a, short) for a in expr.args]
    if expr.is_Pow:
        return _root(parts[0]) if expr.exp == sympy.Rational(1, 2) else parts[0] ** parts[1]
    heads = {sympy.Add: "+", sympy.Mul: "*", sympy.Max: "max", sympy.Min: "min", log2: "log2"}
    heads |= {sympy.floor: "floor", sympy.ceiling: "ceil"}
    return abs(parts[0]) if isinstance(expr, sympy.Abs) else OPERATIONS[heads[type(expr)]](*parts)


CALLS = {"Max": "max", "Min": "min", "sqrt": "sqrt", "log2": "log2", "floor": "floor", "ceiling": "ceil"}
BINARY = {ast.Add: "+", ast.Mult: "*", ast.Div: "/"}


def of_ast(node: ast.expr) -> Any:
    """Return the value of a formula in plain text; None where it has none."""
    match node:
        case ast.Constant(number):
            return Fraction(str(number))
        case ast.Name(name):
            return value(name)
        case ast.UnaryOp(ast.USub(), operand):
            return -of_ast(operand)
        case ast.BinOp(left, ast.Sub(), right):
            return of_ast(left) - of_ast(right)
        case ast.BinOp(left, ast.Pow(), right):
            return of_ast(left) ** of_ast(right)
        case ast.BinOp(left, op, right):
            return OPERATIONS[BINARY[type(op)]](of_ast(left), of_ast(right))
        case ast.Call(ast.Name("Abs"), [inside]):
            return abs(of_ast(inside))
        case ast.Call(ast.Name(name), arguments):
            return OPERATIONS[CALLS[name]](*map(of_ast, arguments))
    raise SyntaxError(ast.dump(node))


def of_polynomial(text: str) -> list[Fraction] | None:
    """Return the real roots of a polynomial in text or LaTeX, from the least; None where it is none in one name."""
    text = re.sub(r"\\num\{(\d+)\}|\\\\|\\quad|[&\s{}]", r"\1", text).replace("**", "^")
    term = r"([+-]?)(?=[\da-z])(\d*)\*?(?:([a-z])(?:\^(\d+))?)?"
    found = re.findall(term, text)
    if not re.fullmatch(f"(?:{term})+", text) or len({name for _, _, name, _ in found} - {""}) != 1:
        return None
    return real_roots((int(power or name != ""), int(sign + (n or "1"))) for sign, n, name, power in found)


def real_roots(terms: Iterable[tuple[int, Any]]) -> list[Fraction]:
    """Return the real roots of a sum of powers with factors, from the least, to 18 decimals."""
    x, unit = sympy.Symbol("x"), 10**18
    polynomial = sympy.Poly(sum(factor * x**power for power, factor in terms), x)
    lows = (low for (low, _), _ in polynomial.intervals(eps=sympy.Rational(1, 100 * unit)))
    return [Fraction(round(Fraction(int(low.p), int(low.q)) * unit), unit) for low in lows]
