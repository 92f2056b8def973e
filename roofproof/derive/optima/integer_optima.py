"""The best integer: neighbours of the real optimum, compared exactly."""

from dataclasses import dataclass

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.exact_comparison import sign_of_number
from roofproof.derive.algebra.text import plain
from roofproof.derive.optima.constraints import domain_of
from roofproof.derive.optima.extremum import Conditions
from roofproof.derive.optima.optima import as_quantities, checked
from roofproof.derive.optima.optimum_search import Search
from roofproof.derive.optima.sign_chart import Stretch
from roofproof.errors import RoofproofError
from roofproof.symbols import quantity


@dataclass(frozen=True, slots=True)
class Discrete:
    """The minimum over the integers, and every point that attains it.

    `looked_at` are the points whose values were compared. Between consecutive ones that are not neighbours, the
    function is monotone. `level` says that it is constant on an interval at the minimum, so other points are as good.

    >>> x = quantity("x")
    >>> found = argmin_integer(x + 20/x, x)                # sqrt(20) = 4.47; 4 + 5 = 5 + 4
    >>> found.at, found.value
    ((4, 5), 9)
    """

    expr: sympy.Expr
    unknown: sympy.Symbol
    subject_to: tuple[Boolean, ...]
    at: tuple[int, ...]
    value: sympy.Expr
    looked_at: tuple[int, ...]
    level: bool = False


def argmin_integer(expr: sympy.Expr, unknown: sympy.Symbol, subject_to: Conditions = ()) -> Discrete:
    """Return the positive integers that minimise an expression in one unknown, exactly and including ties.

    >>> x = quantity("x")
    >>> argmin_integer(3*x + 100/x, x).at                  # sqrt(100/3) = 5.77; 3*6 + 100/6 < 3*5 + 100/5
    (6,)
    >>> argmin_integer(3*x + 100/x, x, [x >= 7]).at
    (7,)

    Between stationary points and bounds the function is monotone, so only the integers next to these compete.
    Raises RoofproofError if a parameter has no value, or if no integer is best.
    """
    subject_to = tuple(subject_to)
    checked(expr, [unknown])
    _, (f, *constraints) = as_quantities(expr, *subject_to)
    x = quantity(unknown.name)
    others = sorted({s.name for e in (f, *constraints) for s in e.free_symbols} - {x.name})
    if others:
        raise RoofproofError("the best integer needs values for <names>", names=", ".join(others))
    domain = domain_of((x,), constraints)
    search = Search(f, domain, ())
    ends = search.domain.ends(search.ring, {})
    if ends is None:
        raise RoofproofError("no integer meets the constraints")
    low, high = ends
    stretches = search.chart.stretches({}, low, high)
    nodes = [low.at, *(s.high for s in stretches)] if stretches else [low.at]
    raised = [e if e == sympy.oo else e**search.power for e in nodes]
    tried = set[int]().union(*(_next_to(e) for e in raised if e != sympy.oo))
    fits = sorted(n for n in tried if _within(n, raised[0], raised[-1], low.closed, high.closed))
    endless = bool(stretches) and raised[-1] == sympy.oo
    if not fits:
        raise RoofproofError("no integer meets the constraints")
    if endless and stretches[-1].slope < 0:
        limit, _ = search.chart.at_end(stretches[-1].piece, True, {})
        if limit == -sympy.oo or all(sign_of_number(f.xreplace({x: sympy.Integer(n)}) - limit) > 0 for n in fits):
            raise RoofproofError(
                "no integer is best: the larger <unknown>, the smaller <expr>", unknown=unknown, expr=plain(expr)
            )
    values = [(n, f.xreplace({x: sympy.Integer(n)})) for n in fits]
    best = values[0][1]
    for _, v in values[1:]:
        best = v if sign_of_number(v - best) < 0 else best
    at = tuple(n for n, v in values if sign_of_number(v - best) == 0)
    level = any(s.slope == 0 and sign_of_number(search.value(s.piece, _some(s)) - best) == 0 for s in stretches)
    return Discrete(expr, unknown, subject_to, at, best, tuple(fits), level)


def _next_to(e: sympy.Expr) -> set[int]:
    """Return the integers next to a point, for an integer also its neighbours, as an end may be excluded."""
    half = sympy.Rational(1, 2)
    points = (e - half, e + half) if e.is_Integer else (e,)
    below = {n for p in points if (n := int(sympy.floor(p))) >= 1}
    above = {max(int(sympy.ceiling(p)), 1) for p in points}
    return below | above


def _within(n: int, low: sympy.Expr, high: sympy.Expr, low_closed: bool, high_closed: bool) -> bool:
    up = sign_of_number(n - low) if low != 0 else 1
    down = sign_of_number(high - n) if high != sympy.oo else 1
    return (up > 0 or (up == 0 and low_closed)) and (down > 0 or (down == 0 and high_closed))


def _some(s: Stretch) -> sympy.Expr:
    return s.low + 1 if s.high == sympy.oo else (s.low + s.high) / 2
