"""Maxima and minima taken out: of a condition by cases, of an expression as the extreme of functions without any."""

from collections.abc import Callable
from itertools import product

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.logic import parts_of
from roofproof.derive.algebra.polynomial import surely_positive
from roofproof.errors import RoofproofError, quoted

MAX_PARTS = 400
MAX_PIECES = 12
OTHER = {"max": "min", "min": "max", "": ""}
Pieces = tuple[str, tuple[sympy.Expr, ...]]  # "max", "min" or "" for a single piece


def eliminate_extrema(condition: Boolean, unknown: sympy.Symbol) -> Boolean:
    """Return an equivalent condition in which no Max, Min or Abs is left.

    >>> from roofproof.symbols import quantity
    >>> x, a, b = map(quantity, "xab")
    >>> eliminate_extrema(x > sympy.Max(a, b), x)
    (x > a) & (x > b)

    A maximum on the smaller side of an inequality must be exceeded in all its arguments, on the larger side in
    one; any other place, such as a denominator that may change its sign, is split over the argument it equals.
    Raises RoofproofError when that makes too many.
    """
    if isinstance(condition, Relational):
        return _relation(condition, unknown)
    if isinstance(condition, sympy.And | sympy.Or):
        parts = [eliminate_extrema(a, unknown) for a in condition.args]
        if sum(len(p.atoms(Relational)) for p in parts) > MAX_PARTS:
            raise RoofproofError("more than <most> inequalities once max and min are taken apart", most=MAX_PARTS)
        return type(condition)(*parts)
    return condition


def _relation(relation: Relational, unknown: sympy.Symbol) -> Boolean:
    if (step := one_apart(relation)) is None:
        return relation
    _, join, parts = step
    return join(*(
        eliminate_extrema(r, unknown) if chosen is None
        else sympy.And(eliminate_extrema(chosen, unknown), eliminate_extrema(r, unknown))
        for chosen, r in parts
    ))  # fmt: skip


Apart = tuple[sympy.Expr, type[Boolean], list[tuple[Boolean | None, Relational]]]


def one_apart(relation: Relational) -> Apart | None:
    """Return an innermost extremum of a comparison, how parts are joined, and each: where it is chosen, and it put in.

    It is None where each part stands for itself; nothing is returned where there is no extremum.

    >>> from roofproof.symbols import quantity
    >>> x, a, b = map(quantity, "xab")
    >>> one_apart(x > sympy.Max(a, b))
    (Max(a, b), And, [(None, x > a), (None, x > b)])
    """
    found = sorted(parts_of(relation, sympy.Max, sympy.Min, sympy.Abs), key=sympy.default_sort_key)
    innermost = [
        m
        for m in found
        if not any(isinstance(n, sympy.Max | sympy.Min) for a in m.args for n in sympy.preorder_traversal(a))
    ]
    if not innermost:
        return None
    m = innermost[0]
    args = m.args if not isinstance(m, sympy.Abs) else (m.args[0], -m.args[0])
    larger = isinstance(m, sympy.Max | sympy.Abs)
    difference = relation.lhs - relation.rhs
    # An argument may be zero or negative where the maximum is not: 1/max(x - 3, 1) does not fall in x - 3.
    weight = sympy.Dummy(positive=True) if all(a.is_positive for a in args) else sympy.Dummy(real=True)
    weighed = difference.xreplace({m: weight})
    bottom = sympy.denom(sympy.together(weighed))
    slope = sympy.diff(weighed, weight) if not bottom.has(weight) or bottom.is_positive else sympy.nan
    replaced = [
        relation.func(relation.lhs.xreplace({m: a}), relation.rhs.xreplace({m: a}), evaluate=False) for a in args
    ]
    if any(r.has(sympy.zoo, sympy.nan) for r in replaced):
        raise RoofproofError("division by zero: one argument of <value> leaves no denominator", value=m)
    rising = slope.is_positive if relation.rel_op in (">", ">=") else slope.is_negative
    falling = slope.is_negative if relation.rel_op in (">", ">=") else slope.is_positive
    if relation.rel_op in (">", ">=", "<", "<=") and (rising or falling):
        return m, sympy.Or if bool(rising) == larger else sympy.And, [(None, r) for r in replaced]
    order = sympy.Ge if larger else sympy.Le
    chosen = [sympy.And(*(order(a, b) for b in args if b != a)) for a in args]
    return m, sympy.Or, list(zip(chosen, replaced, strict=True))


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
    raise RoofproofError("not a rational expression with max and min: <expr>", expr=quoted(expr))


def _joined(
    head: str, inner: list[Pieces], expr: sympy.Expr, join: Callable[..., tuple[sympy.Expr, ...]], flat: bool = False
) -> Pieces:
    heads = {h for h, _ in inner if h} | ({head} if head else set())
    if len(heads) > 1:
        raise RoofproofError(
            "a maximum and a minimum mixed in <expr>; the optimum is found for one kind at a time", expr=quoted(expr)
        )
    lists = [parts for _, parts in inner]
    made = [p for parts in lists for p in parts] if flat else [join(parts)[0] for parts in product(*lists)]
    if len(made) > MAX_PIECES:
        raise RoofproofError(
            "more than <most> pieces once maxima are taken out of <expr>", most=MAX_PIECES, expr=quoted(expr)
        )
    return (next(iter(heads)) if heads else ""), tuple(dict.fromkeys(made))


def _demand_positive(parts: tuple[sympy.Expr, ...], expr: sympy.Expr) -> None:
    for part in parts:
        if not part.is_positive and not surely_positive(part):
            raise RoofproofError(
                "<part> may be negative, so a maximum cannot be taken out of <expr>",
                part=quoted(part),
                expr=quoted(expr),
            )
