"""The closed form of a function of sizes, from symbolic execution or from its exact values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from itertools import product
from math import prod
from random import Random
from typing import Any

import sympy

from roofproof.audit.remote_function import RemoteFunction
from roofproof.audit.size_constraints import EVERY, SizeConstraints
from roofproof.audit.tracing import Distinguishes, Foreign, Forms, traced
from roofproof.derive.algebra.polynomial import lowest_terms
from roofproof.errors import RoofproofError, quoted

NEAR = Fraction(1, 10**9)  # the relative difference that rounded values may have
MAX_DEGREE = 3
CHECKS = 25
MAX_UNKNOWNS = 400
MAX_BITS = 4_096
Function = Callable[..., Any]
Powers = Sequence[tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class ClosedForm:
    """The rational expressions, usually one, whose maximum a function is, and how they were found.

    `how` is "symbols" for symbolic execution, "samples" for a fit to exact values, and "values" if there is no closed
    form. `decimals` are the float constants that were read as printed decimals. `compares` is true if the function
    treats some sizes differently.
    """

    forms: Forms
    how: str
    decimals: tuple[str, ...] = ()
    compares: bool = field(default=False, repr=False)


def closed_form(function: Function, symbols: Sequence[sympy.Symbol], sizes: SizeConstraints = EVERY) -> ClosedForm:
    """Return the closed form of a function of sizes, without forms if only its values are known.

    >>> from roofproof.symbols import dimension
    >>> closed_form(lambda N: 2*N - 1, [dimension("N")])
    ClosedForm(forms=frozenset({2*N - 1}), how='symbols', decimals=())
    >>> h, k, L = map(dimension, "hkL")
    >>> closed_form(lambda h, k, L: int(10*h*k*L*L), [h, k, L])
    ClosedForm(forms=frozenset({10*L**2*h*k}), how='samples', decimals=())
    >>> closed_form(lambda N: len(range(N)) / 2e0, [dimension("N")]).how     # float: what such a function makes
    'values'

    Raises RoofproofError for a function that fails, or returns something that is not a number.
    """
    try:
        if isinstance(function, RemoteFunction):
            forms, decimals = function.traced(symbols)
        else:
            forms, decimals = traced(function, symbols, sizes)
        return ClosedForm(forms, "symbols", decimals)
    except Foreign:
        raise
    except Distinguishes:  # a fit would miss the sizes that are treated differently
        return ClosedForm(frozenset(), "values", compares=True)
    except MemoryError:
        raise
    except (Exception, SystemExit):  # the function needs numbers: fit its values
        pass
    found = _from_samples(function, symbols, sizes)
    return ClosedForm(frozenset(), "values") if found is None else ClosedForm(frozenset({found}), "samples")


def _from_samples(function: Function, symbols: Sequence[sympy.Symbol], sizes: SizeConstraints) -> sympy.Expr | None:
    """Return a fraction p/q that fits exact values, with q = 1 for higher degrees, or None if none fits."""
    n = len(symbols)
    every = [m for m in product(range(MAX_DEGREE + 1), repeat=n) if sum(m) <= max(MAX_DEGREE, n)]
    one = [(0,) * n]
    each = next(degree for degree in (6, 3, 2, 1) if (degree + 1) ** n <= MAX_UNKNOWNS or degree == 1)
    higher = sorted(product(range(each + 1), repeat=n), key=sum)  # 10 h k L^2 has degree 4
    ways = (way for way in ((every, every), (higher, one)) if sum(map(len, way)) <= MAX_UNKNOWNS)
    return next((f for way in ways if (f := _fitted(function, symbols, sizes, *way)) is not None), None)


def _fitted(
    function: Function, symbols: Sequence[sympy.Symbol], sizes: SizeConstraints, above: Powers, below: Powers
) -> sympy.Expr | None:
    """Return a fraction p/q of the given monomials that fits exact values, checked at points not used for the fit."""
    from flint import fmpq, fmpq_mat

    random = Random(0)
    rows = []
    for _ in range(len(above) + len(below) + 5):
        if (point := sizes.near(symbols, [random.randint(1, 40) for _ in symbols])) is None:
            continue
        value = called(function, symbols, point)
        if isinstance(value, float):  # float: what somebody's function returns
            return None
        terms, others = (
            [Fraction(prod(x**e for x, e in zip(point, m, strict=True))) for m in monomials]
            for monomials in (above, below)
        )
        rows.append([*terms, *(-value * t for t in others)])
    if not rows:
        return None
    matrix = fmpq_mat([[fmpq(v.numerator, v.denominator) for v in row] for row in rows])
    reduced, rank = matrix.rref()
    solution = _kernel_vector(reduced, int(rank), len(above) + len(below))
    if solution is None:
        return None
    num, den = (
        sympy.Add(*(c * sympy.Mul(*(s**e for s, e in zip(symbols, m, strict=True)))
                    for c, m in zip(half, monomials, strict=True)))
        for half, monomials in ((solution[: len(above)], above), (solution[len(above) :], below))
    )  # fmt: skip
    if den == 0:
        return None
    found = lowest_terms(num / den)
    return found if all(_agrees(function, found, symbols, sizes, random) for _ in range(CHECKS)) else None


def _kernel_vector(reduced: Any, rank: int, columns: int) -> list[sympy.Rational] | None:
    """Return the vector of the null space for the first free column, which is the solution of least degree."""
    pivots = [next(c for c in range(columns) if reduced[row, c] != 0) for row in range(rank)]
    free = [c for c in range(columns) if c not in pivots]
    if not free:
        return None
    out = [sympy.Integer(0)] * columns
    out[free[0]] = sympy.Integer(1)
    for row, c in enumerate(pivots):
        v = -reduced[row, free[0]]
        out[c] = sympy.Rational(int(v.p), int(v.q))
    return out


def _agrees(
    function: Function, found: sympy.Expr, symbols: Sequence[sympy.Symbol], sizes: SizeConstraints, random: Random
) -> bool:
    if (point := sizes.near(symbols, [random.randint(1, 5000) for _ in symbols])) is None:
        return True
    value = called(function, symbols, point)
    if isinstance(value, float):  # float: what somebody's function returns
        return False
    at = found.subs(dict(zip(symbols, point, strict=True)))
    return bool(at == sympy.Rational(value.numerator, value.denominator))


def value_at(form: sympy.Expr, sizes: Mapping[sympy.Symbol, int]) -> Fraction:
    """Return the exact value of a form at the given sizes, and raise RoofproofError if it has none."""
    value = form.xreplace({s: sympy.Integer(n) for s, n in sizes.items()})
    if not value.is_Rational:
        raise RoofproofError("no exact value of <form>", form=quoted(form))
    return Fraction(int(value.p), int(value.q))


def place(symbols: Sequence[sympy.Symbol], point: Sequence[int]) -> str:
    """Return a point as text, such as `B = 3, D = 4`."""
    return ", ".join(f"{s} = {x}" for s, x in zip(symbols, point, strict=True))


def called(function: Function, symbols: Sequence[sympy.Symbol], point: Sequence[int]) -> Fraction | float:
    """Return the value of a function at a point, exactly, or as a float if the function returned a fractional float.

    >>> from roofproof.symbols import dimension
    >>> called(lambda N: 3e0 * N, [dimension("N")], [2])               # float: what somebody's code returns
    Fraction(6, 1)

    Raises RoofproofError if the function fails, or returns something that is not a finite number.
    """
    if isinstance(function, RemoteFunction):
        return function.value(point)
    at = place(symbols, point)
    try:
        value = function(*point)
    except MemoryError:
        raise
    except (Exception, SystemExit) as problem:  # user code may raise anything
        said = quoted(" ".join(str(problem).split()))
        raise RoofproofError(
            "the function fails at <at>: <name>: <said>", at=at, name=type(problem).__name__, said=said
        ) from None
    if isinstance(value, sympy.Float):
        value = float(value)  # float: what somebody's function returns
    if isinstance(value, Decimal) and value.is_finite():
        return Fraction(value)
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        raise RoofproofError(
            "the function returned a number of <bits> bits at <at>; at most <most>",
            bits=value.bit_length(),
            at=at,
            most=MAX_BITS,
        )
    if isinstance(value, int | Fraction | sympy.Rational) and not isinstance(value, bool):
        return Fraction(int(value.numerator), int(value.denominator))
    whole = getattr(value, "is_integer", None)
    if isinstance(value, bool) or not callable(whole) or value != value or not abs(value) < sympy.oo:
        raise RoofproofError("the function returned <value> at <at>; expected a number", value=quoted(value), at=at)
    if whole() and abs(value) < 2**53:
        return Fraction(int(value))
    return float(value)  # float: what somebody's function returns
