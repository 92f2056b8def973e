"""Unions of intervals of positive reals whose endpoints are expressions, compared by sign or by case split."""

from collections.abc import Sequence
from dataclasses import dataclass

import sympy

from roofproof.derive.algebra.signs import Order
from roofproof.derive.inequalities.cases import Above, Always, Below, Between, Never, Outside, Several, Threshold


@dataclass(frozen=True, slots=True)
class Interval:
    """From `low` to `high`; None stands for 0 and for infinity, both excluded."""

    low: sympy.Expr | None = None
    high: sympy.Expr | None = None
    low_closed: bool = False
    high_closed: bool = False


Region = tuple[Interval, ...]  # disjoint, in increasing order
EVERYWHERE: Region = (Interval(),)
NOWHERE: Region = ()


def intersection(a: Region, b: Region, compare: Order) -> Region:
    """Return the points in both regions.

    >>> from roofproof.derive.algebra.polynomial import Ring
    >>> number = Order(Ring([]), {})
    >>> x = [sympy.Integer(n) for n in range(5)]
    >>> threshold_of(intersection((Interval(low=x[1]),), (Interval(high=x[3], high_closed=True),), number))
    Several(parts=(Above(at=1, strict=True), Below(at=3, strict=False)), join='and')
    """
    found = []
    for p in a:
        for q in b:
            low, low_closed = _tighter(p.low, p.low_closed, q.low, q.low_closed, sympy.Max, 1, compare)
            high, high_closed = _tighter(p.high, p.high_closed, q.high, q.high_closed, sympy.Min, -1, compare)
            if low is None or high is None:
                found.append(Interval(low, high, low_closed, high_closed))
                continue
            order = _order(low, high, compare)
            if order < 0 or (order == 0 and low_closed and high_closed):
                found.append(Interval(low, high, low_closed, high_closed))
    return tuple(found)


def _tighter(
    a: sympy.Expr | None,
    a_closed: bool,
    b: sympy.Expr | None,
    b_closed: bool,
    join: type[sympy.Expr],
    sign: int,
    compare: Order,
) -> tuple[sympy.Expr | None, bool]:
    """Return the bound that excludes more; of two that are not ordered by their signs, their max (or min)."""
    if a is None or b is None or a == b:
        return (b, b_closed) if a is None else (a, a_closed and (b is None or b_closed))
    if a_closed == b_closed:
        return _joined(join, sign, a, b, compare), a_closed
    order = compare(a, b) * sign
    return (a, a_closed) if order > 0 or (order == 0 and not a_closed) else (b, b_closed)


def _joined(join: type[sympy.Expr], sign: int, a: sympy.Expr, b: sympy.Expr, compare: Order) -> sympy.Expr:
    """Return the maximum (sign 1) or minimum (-1), without arguments that never are it.

    SymPy's own search for these takes ten times as long as all the rest of a solution.
    """
    kept: list[sympy.Expr] = []
    for new in dict.fromkeys((*_arguments(join, a), *_arguments(join, b))):
        orders = [compare.plain(new, old) for old in kept]
        if not any(o is not None and o * sign <= 0 for o in orders):
            kept = [old for old, o in zip(kept, orders, strict=True) if o is None] + [new]
    return kept[0] if len(kept) == 1 else join(*kept, evaluate=False)


def _arguments(join: type[sympy.Expr], a: sympy.Expr) -> tuple[sympy.Expr, ...]:
    return a.args if isinstance(a, join) else (a,)


def _order(a: sympy.Expr, b: sympy.Expr, compare: Order) -> int:
    """Return the sign of a - b, looking into maxima and minima."""
    if isinstance(a, sympy.Max):
        return max(_order(x, b, compare) for x in a.args)
    if isinstance(a, sympy.Min):
        return min(_order(x, b, compare) for x in a.args)
    if isinstance(b, sympy.Max | sympy.Min):
        return -_order(b, a, compare)
    return compare(a, b)


def union(a: Region, b: Region, compare: Order) -> Region:
    """Return the points in either region."""
    if not a or not b or EVERYWHERE in (a, b):
        return EVERYWHERE if EVERYWHERE in (a, b) else a or b
    if len(a) == len(b) == 1:
        p, q = a[0], b[0]
        if p.high is None and q.high is None and p.low_closed == q.low_closed:
            return (Interval(low=_joined(sympy.Min, -1, p.low, q.low, compare), low_closed=p.low_closed),)
        if p.low is None and q.low is None and p.high_closed == q.high_closed:
            return (Interval(high=_joined(sympy.Max, 1, p.high, q.high, compare), high_closed=p.high_closed),)
    parts = list(a)
    for q in b:
        parts = _inserted(parts, q, compare)
    return tuple(parts)


def _inserted(parts: Sequence[Interval], new: Interval, compare: Order) -> list[Interval]:
    before, after = [], []
    for p in parts:
        if _gap(p, new, compare):
            before.append(p)
        elif _gap(new, p, compare):
            after.append(p)
        else:
            low = _outer(p.low, p.low_closed, new.low, new.low_closed, -1, compare)
            high = _outer(p.high, p.high_closed, new.high, new.high_closed, 1, compare)
            new = Interval(low[0], high[0], low[1], high[1])
    return [*before, new, *after]


def _gap(left: Interval, right: Interval, compare: Order) -> bool:
    """Tell whether some point lies between two intervals."""
    if left.high is None or right.low is None:
        return False
    order = _order(left.high, right.low, compare)
    return order < 0 or (order == 0 and not left.high_closed and not right.low_closed)


def _outer(
    a: sympy.Expr | None, a_closed: bool, b: sympy.Expr | None, b_closed: bool, sign: int, compare: Order
) -> tuple[sympy.Expr | None, bool]:
    if a is None or b is None:
        return None, False
    order = _order(a, b, compare) * sign
    return (a, a_closed) if order > 0 or (order == 0 and a_closed) else (b, b_closed)


def threshold_of(region: Region) -> Threshold:
    """Return the threshold that describes a region."""
    if not region:
        return Never()
    if len(region) == 1:
        [p] = region
        if p.low is None and p.high is None:
            return Always()
        if p.high is None:
            return Above(p.low, not p.low_closed)
        if p.low is None:
            return Below(p.high, not p.high_closed)
        if p.low_closed == p.high_closed:
            return Between(p.low, p.high, not p.low_closed)
        return Several((Above(p.low, not p.low_closed), Below(p.high, not p.high_closed)), "and")
    if len(region) == 2 and region[0].low is None and region[1].high is None:
        low, high = region
        if low.high_closed == high.low_closed:
            return Outside(low.high, high.low, not low.high_closed)
    return Several(tuple(threshold_of((p,)) for p in region), "or")
