"""Formulas that others write as text in Python's arithmetic, as functions of sizes that `audit` judges.

The text is parsed and never run: numbers, names, `+ - * / // % **`, `A if C else B` with a C that is given, and ceil,
floor, min, max, log2 and int of these. A manifest in the form of TileOPs has such a text for `flops` and for `bytes` of
each operation.
"""

from __future__ import annotations

import ast
import inspect
import math
import warnings
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import sympy

from roofproof.errors import MissingExtra, RoofproofError, quoted, unknown
from roofproof.symbols import dimension

MAX_TEXT = 4_000  # characters
MAX_BYTES = 4 * 1024**2
MAX_BITS = 4_096  # of a number
QUANTITIES = ("flops", "bytes")
FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "ceil": sympy.ceiling,
    "floor": sympy.floor,
    "int": lambda x: sympy.sign(x) * sympy.floor(sympy.Abs(x)),
    "min": sympy.Min,
    "max": sympy.Max,
    "log2": lambda x: sympy.log(x, 2),
}
OPERATORS: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.FloorDiv: lambda a, b: sympy.floor(a / b),
    ast.Mod: sympy.Mod,
    ast.Pow: lambda a, b: a**b,
}


def formula(text: str, **names: str | int) -> Callable[..., Any]:
    """Return a text as a function of sizes: each of its names is a dimension of the operation, or a number.

    >>> from roofproof import op
    >>> from roofproof.audit import audit
    >>> theirs = formula("(M*K + K*N + M*N) * elem_bytes", M="B", K="D", N="F", elem_bytes=2)
    >>> audit(theirs, op("matmul"), "bytes").verdict
    'equal'
    >>> audit(formula("2*tokens*n*k // 2", tokens="B", n="D", k="F"), op("matmul")).ratio
    1/2

    Raises RoofproofError for a name that is not given, and for what is no such text.
    """
    if len(text) > MAX_TEXT:
        raise RoofproofError(f"a formula of {len(text)} characters; at most {MAX_TEXT} are read")
    given = {n: dimension(v) if isinstance(v, str) else sympy.Integer(v) for n, v in names.items()}
    try:
        text = text.strip()
        with warnings.catch_warnings(action="ignore"):  # Python's own, of numbers that names follow at once
            tree = ast.parse(text, mode="eval")
        value = _value(tree.body, text, given)
    except RoofproofError:
        raise
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise RoofproofError(f"formula {quoted(text, 60)}: expected arithmetic of sizes, as Python writes it") from None
    sizes = sorted(value.free_symbols, key=str)

    def of_sizes(*args: Any, **named: Any) -> Any:
        at = dict(zip((s.name for s in sizes), args, strict=False)) | named
        found = value.xreplace({s: sympy.sympify(at[s.name], strict=True) for s in sizes})
        return int(found) if found.is_Integer else found

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    of_sizes.__signature__ = inspect.Signature([inspect.Parameter(s.name, kind) for s in sizes])  # type: ignore[attr-defined]
    return of_sizes


def manifest(path: str) -> dict[str, dict[str, str]]:
    """Return the texts of a manifest in YAML: `flops` and `bytes` of each operation that has both as text.

    >>> manifest("examples/formulas.yaml")["RMSNorm"]["bytes"]
    '(2 * M * N + N) * elem_bytes'

    Raises RoofproofError for a file that is none. PyYAML reads it, which is loaded here alone.
    """
    from roofproof.toml import read_bytes

    content = read_bytes(path, MAX_BYTES, "manifest ")
    try:
        import yaml
    except ImportError:
        raise MissingExtra("PyYAML", "yaml") from None
    try:
        table = yaml.safe_load(content)
    except (yaml.YAMLError, RecursionError) as error:
        raise RoofproofError(f"{quoted(path, 200)}: no YAML: {str(error).splitlines()[0]}") from None
    if not isinstance(table, dict):
        raise RoofproofError(f"{quoted(path, 200)}: expected a table of operations, each with roofline")
    found = {}
    for name, entry in table.items():
        text = entry.get("roofline") if isinstance(entry, dict) else None
        if isinstance(text, dict) and all(isinstance(text.get(q), str) for q in QUANTITIES):
            found[str(name)] = {q: text[q] for q in QUANTITIES}
    return found


def _value(node: ast.expr, text: str, given: Mapping[str, Any]) -> Any:
    """Evaluate a part of a formula, its numbers within bounds."""
    found = _worked_out(node, lambda part: _value(part, text, given), text, given)
    if found.has(sympy.zoo, sympy.nan, sympy.oo, sympy.I):
        raise RoofproofError(f"formula: {quoted(ast.unparse(node), 60)} has no value")
    if any(max(abs(n.p), n.q).bit_length() > MAX_BITS for n in found.atoms(sympy.Rational)):
        raise RoofproofError(f"formula: {quoted(ast.unparse(node), 60)}: a number of more than {MAX_BITS} bits")
    return found


def _worked_out(node: ast.expr, of: Callable[[ast.expr], Any], text: str, given: Mapping[str, Any]) -> Any:
    match node:
        case ast.Constant(value=bool() | int() as number):
            return sympy.Integer(number)
        case ast.Constant(value=float() as number):  # float: read as the decimal that is written
            written = ast.get_source_segment(text, node) or ""
            if not 0 < number < math.inf and set(written) - {*"0._"}:  # too far out to be written down in digits
                raise RoofproofError(f"formula: {quoted(written, 60)}: expected a number from 1e-300 to 1e300")
            return sympy.Rational(Fraction(written))
        case ast.Name(id=name):
            if name not in given:
                raise unknown("name of a formula", name, given)
            return given[name]
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -of(inner)
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in OPERATORS:
            base, power = of(left), of(right)
            if isinstance(sign, ast.Pow) and not (power.is_Integer and 0 <= power <= 16):
                raise RoofproofError(f"formula: power {quoted(str(power))}: expected a whole number up to 16")
            if isinstance(sign, ast.Div | ast.FloorDiv | ast.Mod) and power == 0:
                raise RoofproofError(f"formula: {quoted(ast.unparse(node), 60)} divides by zero")
            return OPERATORS[type(sign)](base, power)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            held = of(test)
            if not held.is_Integer:
                raise RoofproofError("formula: what an `if` asks has to be given as a number, 0 where it is false")
            return of(body if held != 0 else orelse)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in FUNCTIONS and args:
            if len(args) == 1 or name in ("min", "max"):
                return FUNCTIONS[name](*map(of, args))
    raise RoofproofError(f"formula: {quoted(ast.unparse(node), 60)} is no arithmetic of sizes")
