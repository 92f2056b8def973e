"""Values of exact expressions along an axis: the one place where a figure leaves exact arithmetic."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import sympy

from roofproof.errors import RoofproofError

if TYPE_CHECKING:
    import numpy as np

    Values = np.ndarray[Any, Any]


def values(expr: sympy.Basic, symbol: sympy.Symbol, at: Sequence[float]) -> Values:
    """Return the values of an expression (or the truth of a condition) where its one symbol has these values.

    >>> x = sympy.Symbol("x")
    >>> values(sympy.Min(x**2, 10), x, [1.0, 2.0, 4.0]).tolist()
    [1.0, 4.0, 10.0]
    >>> values((x > 1) & (x < 3), x, [1.0, 2.0, 4.0]).tolist()
    [False, True, False]

    Raises RoofproofError for a symbol without a value, and for a function that no figure needs so far.
    """
    import numpy as np

    points = np.asarray(at, dtype=float)
    with np.errstate(all="ignore"):
        found = _value(expr, symbol, points)
    return np.broadcast_to(np.asarray(found), points.shape)


def value(expr: sympy.Expr) -> float:
    """Return the value of a number.

    >>> value(sympy.Rational(985, 4))
    246.25
    """
    if expr.free_symbols:
        raise RoofproofError(f"no size is given for {', '.join(sorted(s.name for s in expr.free_symbols))}")
    return float(expr)


def _value(expr: sympy.Basic, symbol: sympy.Symbol, points: Values) -> Any:
    import numpy as np

    if expr == symbol:
        return points
    if isinstance(expr, sympy.Symbol):
        raise RoofproofError(f"no size is given for {expr}")
    if expr in (sympy.true, sympy.false):
        return bool(expr)
    if isinstance(expr, sympy.Expr) and not expr.free_symbols:
        return float(expr) if expr.is_finite else math.inf
    parts = [_value(part, symbol, points) for part in expr.args]
    match expr:
        case sympy.Add():
            return sum(parts)
        case sympy.Mul():
            return math.prod(parts)
        case sympy.Pow():
            return parts[0] ** parts[1]
        case sympy.Max() | sympy.Min():
            return (np.maximum if isinstance(expr, sympy.Max) else np.minimum).reduce(np.broadcast_arrays(*parts))
        case sympy.And() | sympy.Or():
            return (np.logical_and if isinstance(expr, sympy.And) else np.logical_or).reduce(
                np.broadcast_arrays(*parts)
            )
        case sympy.Not():
            return np.logical_not(parts[0])
    plain = {
        sympy.Gt: np.greater, sympy.Ge: np.greater_equal, sympy.Lt: np.less, sympy.Le: np.less_equal,
        sympy.Eq: np.equal, sympy.Ne: np.not_equal, sympy.log: np.log, sympy.ceiling: np.ceil,
        sympy.floor: np.floor, sympy.Mod: np.mod, sympy.Abs: np.abs,
    }  # fmt: skip
    for kind, function in plain.items():
        if isinstance(expr, kind):
            return function(*parts)
    raise RoofproofError(f"{type(expr).__name__} is not drawn: {expr}")
