"""Search for an exact point that refutes a claimed minimum: a smaller value, or another value at the claimed point."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.budget import MILLION, Budget, spend
from roofproof.derive.algebra.polynomial import whole_powers
from roofproof.derive.optima.extremum import Approached, Attained
from roofproof.errors import RoofproofError
from roofproof.proofs.oracles import sampling
from roofproof.proofs.provers.statements import Refuted

PARAMETER_POINTS = 12
APPROXIMATIONS = 24
STEPS = 3 * MILLION
POINT, OPERATION = 50_000, 50  # steps to find a numeric minimum, and to evaluate a part of a formula at a point


def refuse_wrong(
    says: str,
    f: sympy.Expr,
    unknowns: Sequence[sympy.Symbol],
    given: Sequence[Boolean],
    bounds: Sequence[Boolean],
    outcome: Attained | Approached,
    taken: str = "",
) -> None:
    """Raise Refuted if a point is found that contradicts a claimed minimum.

    `taken` is the text of the statement that the value is attained at the claimed point.

    >>> from roofproof.symbols import quantity
    >>> x = quantity("x")
    >>> refuse_wrong("x + 4/x >= 5", x + 4/x, [x], [], [], Attained(sympy.Integer(5), ((x, sympy.Integer(1)),)))
    Traceback (most recent call last):
    roofproof.proofs.provers.statements.Refuted: x + 4/x >= 5: false at x = 2
    """
    budget = Budget(STEPS)
    for values in islice(_parameters(f, unknowns, given, outcome), PARAMETER_POINTS):
        if not budget.left:
            return
        at = {s: sympy.Rational(v) for s, v in values.items()}
        named = {s.name: v for s, v in values.items()}
        g, v = f.xreplace(at), outcome.value.xreplace(at)
        spend(POINT)
        effort = OPERATION * int(10 + sympy.count_ops(g) + sympy.count_ops(v))
        if not v.is_number or v.is_real is False:
            continue
        if isinstance(outcome, Attained):
            point = {s: e.xreplace(at) for s, e in outcome.at if s in unknowns}
            difference = g.xreplace(point) - v
            if difference.is_number and difference.is_finite is not False and difference.is_nonzero:
                here = _fractions(point)
                if len(here) == len(point) or not difference.is_negative:
                    raise Refuted(taken or says, named | here)
        for candidate in _candidates(g, unknowns, [_put(b, at) for b in bounds]):
            spend(effort)
            gap = g.xreplace(candidate) - v
            inside = all(_true(_put(b, at | candidate)) for b in bounds)
            below = gap.is_negative or (isinstance(outcome, Approached) and not gap.is_nonzero)
            if inside and gap.is_number and gap.is_finite is not False and below:
                raise Refuted(says, named | _fractions(candidate))


def _parameters(
    f: sympy.Expr, unknowns: Sequence[sympy.Symbol], given: Sequence[Boolean], outcome: Attained | Approached
) -> Iterator[dict[sympy.Symbol, Fraction]]:
    """Yield values of the parameters for which the conditions hold, as powers if the claim contains their roots."""
    points = outcome.at if isinstance(outcome, Attained) else ()
    exprs = [f, outcome.value, *(e for _, e in points)]
    symbols = sorted({s for e in (*exprs, *given) for s in e.free_symbols} - set(unknowns), key=lambda s: s.name)
    table = whole_powers(exprs)
    if not symbols:
        yield {}
        return
    for point in islice(sampling.points([s.name for s in symbols]), 40 * PARAMETER_POINTS):
        values = {s: point[s.name] ** int(table[s].exp if s in table else 1) for s in symbols}
        if all(_true(_put(g, {s: sympy.Rational(v) for s, v in values.items()})) for g in given):
            yield values


def _candidates(
    g: sympy.Expr, unknowns: Sequence[sympy.Symbol], bounds: Sequence[Boolean]
) -> Iterator[dict[sympy.Symbol, sympy.Rational]]:
    """Yield points near the numeric minimum of the function, then small points."""
    from roofproof.derive.optima.optima import minimum

    try:
        found = minimum(g, tuple(unknowns), [b for b in bounds if b != sympy.true])
        outcome = found.cases[0][1]
        if isinstance(outcome, Attained) and len(found) == 1:
            places = [(s, e) for s, e in outcome.at if s in unknowns]
            lists = [list(islice(_approximations(e), APPROXIMATIONS)) for _, e in places]
            for k in range(max(map(len, lists), default=0)):
                yield {s: row[min(k, len(row) - 1)] for (s, _), row in zip(places, lists, strict=True)}
    except (RoofproofError, NotImplementedError):
        pass
    for point in islice(sampling.points([s.name for s in unknowns]), 60):
        yield {s: sympy.Rational(point[s.name]) for s in unknowns}


def _approximations(e: sympy.Expr) -> Iterator[sympy.Rational]:
    """Yield ever closer rational approximations of a real number, or the number itself if it is rational."""
    if e.is_Rational:
        yield e
        return
    for k in range(APPROXIMATIONS):
        scale = sympy.Integer(2) ** k
        near = sympy.floor(e * scale + sympy.Rational(1, 2)) / scale
        if near > 0:
            yield near


def _put(condition: Boolean, values: Mapping[sympy.Symbol, sympy.Rational]) -> Boolean:
    """Return a condition at some values, or false if a side is not a real number."""
    try:
        return condition.xreplace(dict(values))
    except TypeError:  # SymPy compares real numbers only
        return sympy.false


def _true(condition: Boolean) -> bool:
    return bool(condition.doit() == sympy.true)


def _fractions(point: Mapping[sympy.Symbol, sympy.Expr]) -> dict[str, Fraction]:
    return {s.name: Fraction(int(e.p), int(e.q)) for s, e in point.items() if e.is_Rational}
