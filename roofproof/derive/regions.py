"""Unions of intervals of positive reals whose endpoints are expressions, compared by sign or by case split."""

from collections.abc import Sequence
from dataclasses import dataclass

import sympy

from roofproof.derive.inequalities.cases import Above, Always, Below, Between, Never, Outside, Several, Threshold
from roofproof.derive.values import Order
from roofproof.errors import RoofproofError

End = tuple[sympy.Expr | None, bool]  # a bound, and whether it belongs to the interval


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval from `low` to `high`, where None means 0 or infinity, both excluded."""

    low: sympy.Expr | None = None
    high: sympy.Expr | None = None
    low_closed: bool = False
    high_closed: bool = False

    @property
    def start(self) -> End:
        return self.low, self.low_closed

    @property
    def end(self) -> End:
        return self.high, self.high_closed


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
            low, low_closed = _tighter(p.start, q.start, 1, compare)
            high, high_closed = _tighter(p.end, q.end, -1, compare)
            order = -1 if low is None or high is None else _order(low, high, compare)
            if order < 0 or (order == 0 and low_closed and high_closed):
                found.append(Interval(low, high, low_closed, high_closed))
    return tuple(found)


def _tighter(one: End, other: End, sign: int, compare: Order) -> End:
    """Return the tighter bound, or the max (or min) of the two if their order is not known."""
    (a, a_closed), (b, b_closed) = one, other
    if a is None or b is None or a == b:
        return other if a is None else (a, a_closed and (b is None or b_closed))
    if a_closed == b_closed:
        return _joined(sign, a, b, compare), a_closed
    order = compare(a, b) * sign
    return one if order > 0 or (order == 0 and not a_closed) else other


def _joined(sign: int, a: sympy.Expr, b: sympy.Expr, compare: Order) -> sympy.Expr:
    """Return the maximum (sign 1) or minimum (sign -1) without arguments that can never be the extremum.

    SymPy's own search for these takes ten times as long as the rest of a solution.
    """
    join = sympy.Max if sign > 0 else sympy.Min
    kept: list[sympy.Expr] = []
    for new in dict.fromkeys(part for e in (a, b) for part in (e.args if isinstance(e, join) else (e,))):
        orders = [compare.plain(new, old) for old in kept]
        if not any(o is not None and o * sign <= 0 for o in orders):
            kept = [old for old, o in zip(kept, orders, strict=True) if o is None] + [new]
    return kept[0] if len(kept) == 1 else join(*kept, evaluate=False)


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
            return (Interval(low=_joined(-1, p.low, q.low, compare), low_closed=p.low_closed),)
        if p.low is None and q.low is None and p.high_closed == q.high_closed:
            return (Interval(high=_joined(1, p.high, q.high, compare), high_closed=p.high_closed),)
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
            low = _outer(p.start, new.start, -1, compare)
            high = _outer(p.end, new.end, 1, compare)
            new = Interval(low[0], high[0], low[1], high[1])
    return [*before, new, *after]


def _gap(left: Interval, right: Interval, compare: Order) -> bool:
    """Tell whether some point lies between two intervals."""
    if left.high is None or right.low is None:
        return False
    order = _order(left.high, right.low, compare)
    return order < 0 or (order == 0 and not left.high_closed and not right.low_closed)


def _outer(one: End, other: End, sign: int, compare: Order) -> End:
    (a, a_closed), (b, _) = one, other
    if a is None or b is None:
        return None, False
    order = _order(a, b, compare) * sign
    return one if order > 0 or (order == 0 and a_closed) else other


def around(roots: list[sympy.Expr], between: list[int], allowed: frozenset[int]) -> Region:
    """Return the region with signs in `allowed`, given the sign between consecutive roots."""
    closed = 0 in allowed
    pieces: list[Interval] = []
    ends = [None, *roots, None]
    for k, s in enumerate(between):
        low, high = ends[k], ends[k + 1]
        if s in allowed:
            if pieces and closed and pieces[-1].high == low and low is not None:
                previous = pieces.pop()
                pieces.append(Interval(previous.low, high, previous.low_closed, high is not None))
            else:
                pieces.append(Interval(low, high, closed and low is not None, closed and high is not None))
        elif closed and k and between[k - 1] not in allowed:  # the graph only touches zero here
            pieces.append(Interval(low, low, True, True))
    return tuple(pieces)


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


def region_of(threshold: Threshold) -> Region:
    """Return the region that a threshold describes: the inverse of `threshold_of`.

    >>> region_of(Outside(sympy.Integer(1), sympy.Integer(3), strict=False))
    (Interval(low=None, high=1, low_closed=False, high_closed=True), \
Interval(low=3, high=None, low_closed=True, high_closed=False))

    Raises RoofproofError for thresholds joined by `and` that do not form an interval.
    """
    match threshold:
        case Above(at, strict):
            return (Interval(low=at, low_closed=not strict),)
        case Below(at, strict):
            return (Interval(high=at, high_closed=not strict),)
        case Between(low, high, strict):
            return (Interval(low, high, not strict, not strict),)
        case Outside(low, high, strict):
            return (*region_of(Below(low, strict)), *region_of(Above(high, strict)))
        case Several((Above(low, after), Below(high, before)), "and"):
            return (Interval(low, high, not after, not before),)
        case Several(parts, "or"):
            return tuple(interval for part in parts for interval in region_of(part))
        case Always() | Never():
            return EVERYWHERE if threshold.kind == "always" else NOWHERE
    kinds = " and ".join(part.kind for part in threshold.parts)
    raise RoofproofError("no integer follows from several bounds, <kinds>", kinds=kinds)
