"""Values of exact expressions along an axis: the only place where a figure leaves exact arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import sympy

from roofproof.errors import RoofproofError
from roofproof.export.numbers import digits

FARTHEST = 1e100  # float: of a drawing

if TYPE_CHECKING:
    import numpy as np

    Values = np.ndarray[Any, Any]


def values(expr: sympy.Basic, symbol: sympy.Symbol, at: Sequence[float]) -> Values:
    """Return the values of an expression (or the truth of a condition) at these values of its one symbol.

    >>> x = sympy.Symbol("x")
    >>> values(sympy.Min(x**2, 10), x, [1.0, 2.0, 4.0]).tolist()
    [1.0, 4.0, 10.0]
    >>> values((x > 1) & (x < 3), x, [1.0, 2.0, 4.0]).tolist()
    [False, True, False]

    Raises RoofproofError for a symbol without a value, and for a function that cannot be evaluated.
    """
    import numpy as np

    points = np.asarray(at, dtype=float)
    with np.errstate(all="ignore"):
        found = (_number if isinstance(expr, sympy.Expr) else _truth)(expr, symbol, points)
    return np.broadcast_to(np.asarray(found), points.shape)


def value(expr: sympy.Expr) -> float:
    """Return an exact number as a float.

    >>> value(sympy.Rational(985, 4))
    246.25
    >>> value(sympy.Integer(10) ** 400)
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: 1e400 is too far from 1 to be drawn
    """
    if expr.free_symbols:
        raise RoofproofError("no size is given for <names>", names=", ".join(sorted(s.name for s in expr.free_symbols)))
    found = float(expr)  # float: of a drawing
    if expr != 0 and not 1 / FARTHEST < abs(found) < FARTHEST:
        raise RoofproofError("<number> is too far from 1 to be drawn", number=digits(expr))
    return found


def _number(expr: sympy.Expr, symbol: sympy.Symbol, points: Values) -> Any:
    from roofproof.derive.sweeps import compiled  # imported late, because it loads NumPy and `value` needs none

    formula = compiled(expr)
    if missing := [name for name in formula.names if name != symbol.name]:
        raise RoofproofError("no size is given for <names>", names=", ".join(missing))
    return formula(*[points for _ in formula.names], *map(float, formula.numbers))


def _truth(condition: sympy.Basic, symbol: sympy.Symbol, points: Values) -> Any:
    import numpy as np

    from roofproof.derive.sweeps import SIGNS

    if condition in (sympy.true, sympy.false):
        return bool(condition)
    if isinstance(condition, sympy.And | sympy.Or):
        join = np.logical_and if isinstance(condition, sympy.And) else np.logical_or
        return join.reduce(np.broadcast_arrays(*(_truth(part, symbol, points) for part in condition.args)))
    if isinstance(condition, sympy.Not):
        return np.logical_not(_truth(condition.args[0], symbol, points))
    if type(condition) not in SIGNS:
        raise RoofproofError("<condition> is not drawn", condition=condition)
    return SIGNS[type(condition)](*(_number(side, symbol, points) for side in condition.args))
