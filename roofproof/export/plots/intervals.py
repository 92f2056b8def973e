"""Thresholds as numbers: the intervals of an axis in which they hold, and the sizes at which their cases apply."""

import math
from collections.abc import Iterable, Sequence

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.text import plain
from roofproof.derive.inequalities.cases import (
    Above,
    Always,
    Below,
    Between,
    Cases,
    Outside,
    Several,
    Threshold,
    bounds,
)
from roofproof.derive.inequalities.integers import smallest_integer
from roofproof.derive.roofline.memory_fit import compared
from roofproof.derive.solve import solve
from roofproof.errors import RoofproofError, Undecided
from roofproof.export.plots.numeric import value, values
from roofproof.hardware import Chip
from roofproof.ops import Operation
from roofproof.sentences import joined

Stretch = tuple[float, float]


def stretches(threshold: Threshold, symbol: sympy.Symbol, at: float) -> list[Stretch]:
    """Return the intervals in which a threshold holds, in order, for a value of the one symbol of its bounds.

    >>> x = sympy.Symbol("x", positive=True)
    >>> stretches(Above(3*x), x, 2.0), stretches(Outside(x, 4*x), x, 2.0)
    ([(6.0, inf)], [(0.0, 2.0), (8.0, inf)])
    """
    edges = [float(values(b, symbol, [at])[0]) if b.free_symbols else value(b) for b in bounds(threshold)]
    match threshold:
        case Always():
            return [(0.0, math.inf)]
        case Above():
            return [(edges[0], math.inf)]
        case Below():
            return [(0.0, edges[0])]
        case Between():
            return [(edges[0], edges[1])]
        case Outside():
            return [(0.0, edges[0]), (edges[1], math.inf)]
        case Several(parts, join):
            found = stretches(parts[0], symbol, at)
            for part in parts[1:]:
                other = stretches(part, symbol, at)
                if join == "and":
                    found = [(max(a, c), min(b, d)) for a, b in found for c, d in other if max(a, c) < min(b, d)]
                else:
                    found = _joined([*found, *other])
            return found
    return []


def within(size: float, parts: Iterable[Stretch]) -> bool:
    """Return whether a size lies in one of some intervals.

    >>> within(8.0, [(0.0, 2.0), (8.0, math.inf)])
    True
    """
    return any(low <= size <= high for low, high in parts)


def ends(parts: Iterable[Stretch]) -> list[float]:
    """Return the ends of intervals, without 0 and infinity.

    >>> ends([(0.0, 2.0), (8.0, math.inf)])
    [2.0, 8.0]
    """
    return [end for part in parts for end in part if 0 < end < math.inf]


def _joined(parts: Iterable[Stretch]) -> list[Stretch]:
    out: list[Stretch] = []
    for low, high in sorted(parts):
        if out and low <= out[-1][1]:
            out[-1] = out[-1][0], max(high, out[-1][1])
        else:
            out.append((low, high))
    return out


def intervals_at(cases: Cases, symbol: sympy.Symbol, at: float) -> list[Stretch]:
    """Return the intervals in which a threshold holds, by the case that applies at this value of the symbol."""
    for case in cases:
        if bool(values(case.when, symbol, [at])[0]):
            return stretches(case.threshold, symbol, at)
    return []


def allowed_cases(op: Operation, chips: Sequence[Chip], symbol: sympy.Symbol) -> Cases:
    """Return the values of one size that an operation allows: those that satisfy its `compared` conditions.

    A plot passes through all sizes, including those that do not divide into whole parts.

    >>> from roofproof import op
    >>> windows = op("sliding-window-attention")
    >>> print(allowed_cases(windows, [], next(s for s in windows.dims if s.name == "W")))
    W <= L

    Raises RoofproofError if no integer is allowed, and Undecided if the condition has no closed form.
    """
    asked = compared(op, chips)
    found = solve(sympy.And(*asked), symbol)
    if _never_met(found):
        never = [c for c in asked if _never_met(solve(c, symbol))] or asked
        raise RoofproofError(
            "<op> assumes that <conditions>, which no <unknown> meets",
            op=op.name, conditions=joined("<first> and <second>", [plain(n) for n in never]), unknown=symbol,
        )  # fmt: skip
    return found


def _never_met(cases: Cases) -> bool:
    every = [case.threshold for case in cases]
    return not any(b.free_symbols for t in every for b in bounds(t)) and all(smallest_integer(t) is None for t in every)


def edges(condition: Boolean, symbol: sympy.Symbol) -> list[float]:
    """Return the values of a symbol at which a condition starts or stops holding, solved exactly.

    >>> x = sympy.Symbol("x", positive=True)
    >>> edges(2/x < sympy.Rational(1, 4), x)
    [8.0]
    """
    if not condition.free_symbols:
        return []
    try:
        found = solve(condition, symbol)
    except Undecided:
        return []
    return sorted({value(bound) for case in found for bound in bounds(case.threshold) if not bound.free_symbols})
