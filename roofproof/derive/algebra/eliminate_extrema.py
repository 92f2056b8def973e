"""Maxima, minima and absolute values taken out of a condition, by cases over which argument they equal."""

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from roofproof.errors import RoofproofError

MAX_PARTS = 400


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
            raise RoofproofError(f"more than {MAX_PARTS} inequalities once max and min are taken apart")
        return type(condition)(*parts)
    return condition


def _relation(relation: Relational, unknown: sympy.Symbol) -> Boolean:
    found = sorted(relation.atoms(sympy.Max, sympy.Min, sympy.Abs), key=sympy.default_sort_key)
    innermost = [
        m
        for m in found
        if not any(isinstance(n, sympy.Max | sympy.Min) for a in m.args for n in sympy.preorder_traversal(a))
    ]
    if not innermost:
        return relation
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
        raise RoofproofError(f"division by zero: one argument of {m} leaves no denominator")
    rising = slope.is_positive if relation.rel_op in (">", ">=") else slope.is_negative
    falling = slope.is_negative if relation.rel_op in (">", ">=") else slope.is_positive
    if relation.rel_op in (">", ">=", "<", "<=") and (rising or falling):
        join = sympy.Or if bool(rising) == larger else sympy.And
        return join(*(eliminate_extrema(r, unknown) for r in replaced))
    parts = []
    for a, r in zip(args, replaced, strict=True):
        order = sympy.Ge if larger else sympy.Le
        chosen = sympy.And(*(order(a, b) for b in args if b != a))
        parts.append(sympy.And(eliminate_extrema(chosen, unknown), eliminate_extrema(r, unknown)))
    return sympy.Or(*parts)
