"""Conversion of an operation to data and back. Data from an untrusted process may use only the names listed here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import sympy
from sympy import Basic, Pow, Rational, Symbol
from sympy.functions.elementary.piecewise import ExprCondPair

from roofproof.errors import RoofproofError
from roofproof.formula.logarithm import exp2, log2
from roofproof.ops.notation.typed_einsum import Einsum
from roofproof.ops.operation import Kernel, Operation
from roofproof.ops.roles import Role
from roofproof.ops.tensor import Tensor
from roofproof.trace.operation import Row, Traced
from roofproof.trace.program import Place

KINDS: dict[str, type] = {kind.__name__: kind for kind in (Operation, Traced, Kernel, Einsum, Tensor, Role, Row, Place)}
FUNCTIONS: dict[str, Any] = {
    f.__name__: f
    for f in (
        sympy.Add, sympy.Mul, sympy.Pow, sympy.Max, sympy.Min, sympy.floor, sympy.ceiling, sympy.Mod, sympy.Abs,
        log2, exp2,
        sympy.Eq, sympy.Ne, sympy.Ge, sympy.Gt, sympy.Le, sympy.Lt, sympy.And, sympy.Or, sympy.Not, sympy.Piecewise,
        ExprCondPair, sympy.log, sympy.sign,
    )
}  # fmt: skip
ASSUMED = ("integer", "positive", "nonnegative", "real")
MOST_POWER, MOST_DIGITS = 1_000, 4_000  # limits for numbers, which are evaluated when they are read


def to_data(thing: Any) -> Any:
    """Return an operation, or a part of one, as data for JSON.

    >>> from roofproof.symbols import dimension
    >>> size = 2 * dimension("B")
    >>> from_data(to_data((size, "bf16"))) == (size, "bf16")
    True
    """
    if thing is None or isinstance(thing, bool | str):
        return thing
    if isinstance(thing, int):
        return {"int": str(thing)}
    if isinstance(thing, tuple | list):
        return [to_data(each) for each in thing]
    if isinstance(thing, Mapping):
        return {"map": [[name, to_data(each)] for name, each in thing.items()]}
    if is_dataclass(thing):
        return {
            "kind": type(thing).__name__,
            "of": {f.name: to_data(getattr(thing, f.name)) for f in fields(thing) if f.init},
        }
    if isinstance(thing, Rational):
        return {"number": f"{thing.p}/{thing.q}"}
    if isinstance(thing, Symbol):
        return {"symbol": thing.name, "is": [a for a in ASSUMED if thing.assumptions0.get(a)]}
    if thing in (sympy.true, sympy.false):
        return {"truth": bool(thing)}
    name = type(thing).__name__
    if not isinstance(thing, Basic) or name not in FUNCTIONS:
        raise RoofproofError("the code was traced, but <name> cannot be passed on", name=name)
    return {"function": name, "of": [to_data(each) for each in thing.args]}


def from_data(data: Any) -> Any:
    """Decode data. Raises LookupError, TypeError or ValueError for invalid data."""
    if data is None or isinstance(data, bool | str):
        return data
    if isinstance(data, list):
        return tuple(map(from_data, data))
    if "int" in data:
        return _whole(data["int"])
    if "map" in data:
        return {str(name): from_data(each) for name, each in data["map"]}
    if "kind" in data:
        return KINDS[data["kind"]](**{name: from_data(each) for name, each in data["of"].items()})
    if "number" in data:
        above, _, below = data["number"].partition("/")
        return Rational(_whole(above), _whole(below))
    if "symbol" in data:
        return Symbol(_name(data["symbol"]), **{a: True for a in ASSUMED if a in data["is"]})
    if "truth" in data:
        return sympy.true if data["truth"] else sympy.false
    function, arguments = FUNCTIONS[data["function"]], [from_data(each) for each in data["of"]]
    if not all(isinstance(each, Basic | tuple) for each in arguments):
        raise TypeError("an expression of what is none")
    if (
        function is Pow
        and arguments[0].is_number
        and not (isinstance(arguments[1], Rational) and abs(arguments[1]) <= MOST_POWER)
    ):
        raise ValueError("a power that is too large")
    if function is exp2 and arguments[0].is_number:
        raise ValueError("a power that is too large")
    relation = issubclass(function, sympy.core.relational.Relational)
    return function(*arguments, **({"evaluate": False} if relation else {}))


def _whole(text: Any) -> int:
    if not isinstance(text, str) or len(text) > MOST_DIGITS:
        raise ValueError("no whole number")
    return int(text)


def _name(text: Any) -> str:
    if not isinstance(text, str) or not text.isprintable() or len(text) > 100:
        raise ValueError("no name")
    return text
