"""Candidate points where the slope of a function with roots of sums or logarithms may be zero, none of them proved."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import sympy
from sympy.solvers.solvers import unrad

from roofproof.derive.algebra.budget import spend
from roofproof.formula.logarithm import exp2, log2

LONGEST = 60  # operations
MAX_DEGREE = 6
COST = 200_000


def stationary_places(f: sympy.Expr, x: sympy.Symbol) -> Iterator[sympy.Expr]:
    """Yield positive points at which the slope of a function may be zero.

    >>> x = sympy.Symbol("x", positive=True)
    >>> list(stationary_places(sympy.sqrt(x**2 + 1) - x/2, x))                      # x/sqrt(x^2 + 1) = 1/2
    [sqrt(3)/3]
    >>> list(stationary_places(x - log2(x), x))                                     # 1 = 1/(x log(2))
    [1/log(2)]
    """
    if sympy.count_ops(f) > LONGEST:
        return
    spend(COST)
    above = sympy.numer(sympy.together(sympy.diff(f, x)))
    logs = {a for a in above.atoms(log2, sympy.log) if x in a.free_symbols}
    with suppress(NotImplementedError, sympy.PolynomialError, TypeError, ValueError):  # also for rounded expressions
        if logs:
            yield from _of_logarithm(above, x, logs)
            return
        free = unrad(above, x)
        poly = sympy.Poly(above if free is None else free[0], x)
        if (free is None or not free[1]) and poly.degree() <= MAX_DEGREE:
            places = [p for p in sympy.roots(poly) if p.is_positive]
            yield from sorted((p for p in places if not p.has(sympy.I)), key=sympy.default_sort_key)


def _of_logarithm(above: sympy.Expr, x: sympy.Symbol, logs: set[sympy.Expr]) -> Iterator[sympy.Expr]:
    """Yield the zero of a sum of the unknown's logarithm and numbers."""
    L = sympy.Dummy("L", real=True)
    flat = sympy.cancel(above.subs({sympy.log(x): sympy.log(2) * L, log2(x): L}))
    line = sympy.Poly(flat, L) if logs <= {sympy.log(x), log2(x)} and x not in flat.free_symbols else None
    if line is not None and line.degree() == 1:
        slope, level = line.all_coeffs()
        yield 2 ** (-level / slope) if (level / slope).is_Rational else exp2(-level / slope)
