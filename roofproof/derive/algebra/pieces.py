"""An expression with maxima and minima as the maximum (or the minimum) of functions without any."""

from collections.abc import Callable
from itertools import product

import sympy

from roofproof.derive.algebra.polynomial import Ring, sign
from roofproof.errors import RoofproofError, quoted

MAX_PIECES = 12
OTHER = {"max": "min", "min": "max", "": ""}
Pieces = tuple[str, tuple[sympy.Expr, ...]]  # "max", "min" or "" for a single piece


def pieces(expr: sympy.Expr, unknowns: frozenset[str]) -> Pieces:
    """Return ("max", [g, ...]) with expr = max(g, ...), or ("min", ...), or ("", [expr]).

    >>> from roofproof.symbols import quantity
    >>> x, a, b, c = map(quantity, "xabc")
    >>> pieces(c + 2*sympy.Max(a/x, b*x), frozenset("x"))
    ('max', (2*b*x + c, 2*a/x + c))

    Raises RoofproofError for a maximum inside a minimum and for products of pieces that are not positive.
    """
    if not any(s.name in unknowns for m in expr.atoms(sympy.Max, sympy.Min) for s in m.free_symbols):
        return "", (expr,)
    if isinstance(expr, sympy.Max | sympy.Min):
        head = "max" if isinstance(expr, sympy.Max) else "min"
        inner = [pieces(a, unknowns) for a in expr.args]
        return _joined(head, inner, expr, lambda parts: parts, flat=True)
    if expr.is_Add:
        inner = [pieces(a, unknowns) for a in expr.args]
        return _joined("", inner, expr, lambda parts: (sympy.Add(*parts),))
    if expr.is_Mul:
        if expr.could_extract_minus_sign():
            head, parts = pieces(-expr, unknowns)
            return OTHER[head], tuple(-p for p in parts)
        inner = [pieces(a, unknowns) for a in expr.args]
        for _, parts in inner:
            _demand_positive(parts, expr)
        return _joined("", inner, expr, lambda parts: (sympy.Mul(*parts),))
    if expr.is_Pow and expr.exp.is_Rational:
        head, parts = pieces(expr.base, unknowns)
        _demand_positive(parts, expr)
        return (head if expr.exp > 0 else OTHER[head]), tuple(p**expr.exp for p in parts)
    raise RoofproofError(f"not a rational expression with max and min: {quoted(expr)}")


def _joined(
    head: str, inner: list[Pieces], expr: sympy.Expr, join: Callable[..., tuple[sympy.Expr, ...]], flat: bool = False
) -> Pieces:
    heads = {h for h, _ in inner if h} | ({head} if head else set())
    if len(heads) > 1:
        raise RoofproofError(
            f"a maximum and a minimum mixed in {quoted(expr)}; the optimum is found for one kind at a time"
        )
    lists = [parts for _, parts in inner]
    made = [p for parts in lists for p in parts] if flat else [join(parts)[0] for parts in product(*lists)]
    if len(made) > MAX_PIECES:
        raise RoofproofError(f"more than {MAX_PIECES} pieces once maxima are taken out of {quoted(expr)}")
    return (next(iter(heads)) if heads else ""), tuple(dict.fromkeys(made))


def _demand_positive(parts: tuple[sympy.Expr, ...], expr: sympy.Expr) -> None:
    for part in parts:
        num, den = Ring.of(part).fraction(part) if not part.is_positive else (None, None)
        if num is not None and not (sign(num) == sign(den) == 1):
            raise RoofproofError(f"{quoted(part)} may be negative, so a maximum cannot be taken out of {quoted(expr)}")
