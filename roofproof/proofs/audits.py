"""Auditing somebody's formula in Python: its closed form found, and compared with a derivation."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from random import Random
from typing import TYPE_CHECKING, Any

import sympy

from roofproof.derive.intensities import equal, lowest_terms
from roofproof.errors import RoofproofError, quoted, unknown

if TYPE_CHECKING:
    from roofproof.ops import Operation

MAX_DEGREE = 3
CHECKS = 25
MAX_UNKNOWNS = 400


@dataclass(frozen=True, slots=True)
class Audit:
    """What a function computes, what is derived, and how they differ.

    `how` is "symbols" where symbols went through the function, "samples" where its closed form was found from
    exact values; `ratio` is theirs over ours, `growth` what that tends to when all sizes grow alike.
    """

    theirs: sympy.Expr
    ours: sympy.Expr
    how: str
    same: bool
    ratio: sympy.Expr
    growth: sympy.Expr


def audit(function: Callable[..., Any], op: Operation, quantity: str = "flops") -> Audit:
    """Return how a function of sizes compares with the derived FLOPs or bytes of an operation.

    >>> from roofproof import op
    >>> found = audit(lambda B, D, F: 2*B*D*F + B*F, op("matmul"))            # an extra addition per output
    >>> found.same, found.ratio, found.growth
    (False, (2*D + 1)/(2*D), 1)

    The parameters of the function are dimensions of the operation by name. Raises RoofproofError for other
    parameters, and for a function whose closed form is not found.
    """
    ours = {"flops": lambda: op.flops, "bytes": lambda: op.bytes()}.get(quantity)
    if ours is None:
        raise unknown("quantity", quantity, ("flops", "bytes"))
    dims = {s.name: s for s in op.dims}
    try:
        names = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        raise RoofproofError(f"{quoted(str(function))} is no function whose parameters can be seen") from None
    for name in names:
        if name not in dims:
            raise RoofproofError(
                f"the function takes {quoted(name)}, which is no dimension of {op.name}; it has {', '.join(dims)}"
            )
    theirs, how = _closed_form(function, [dims[n] for n in names])
    derived = ours()
    ratio = lowest_terms(theirs / derived)
    grown = ratio.subs({s: s * sympy.Symbol("t!", positive=True) for s in ratio.free_symbols})
    growth = _at_infinity(grown)
    return Audit(theirs, derived, how, equal(theirs, derived), ratio, growth)


def _at_infinity(expr: sympy.Expr) -> sympy.Expr:
    """Return the limit of a ratio in which every size was multiplied by the same growing t."""
    from roofproof.derive.polynomial import Ring

    if not expr.free_symbols:
        return expr
    t = sympy.Symbol("t!", positive=True)
    ring = Ring.of(expr, t)
    num, den = ring.fraction(expr)
    top, bottom = ring.coefficients(num, t), ring.coefficients(den, t)
    if len(top) != len(bottom):
        return sympy.oo if len(top) > len(bottom) else sympy.Integer(0)
    return lowest_terms(ring.expr(top[-1]) / ring.expr(bottom[-1]))


def _closed_form(function: Callable[..., Any], symbols: Sequence[sympy.Symbol]) -> tuple[sympy.Expr, str]:
    try:
        value = function(*symbols)
        if isinstance(value, sympy.Expr) and not value.atoms(sympy.Float):
            for foreign in sorted(value.free_symbols - set(symbols), key=str):
                raise RoofproofError(f"the function returned {quoted(str(foreign))}, which is none of its parameters")
            return value, "symbols"
    except RoofproofError:
        raise
    except Exception:  # the function wants numbers: look at what it makes of them
        pass
    return _from_samples(function, symbols), "samples"


def _from_samples(function: Callable[..., Any], symbols: Sequence[sympy.Symbol]) -> sympy.Expr:
    """Return p/q found from exact values, checked at points that were not used to find it."""
    from flint import fmpq, fmpq_mat

    n = len(symbols)
    monomials = [m for m in product(range(MAX_DEGREE + 1), repeat=n) if sum(m) <= max(MAX_DEGREE, n)]
    if 2 * len(monomials) > MAX_UNKNOWNS:
        raise RoofproofError(f"a function of {n} sizes is too large to be found from its values")
    random = Random(0)
    rows = []
    for _ in range(2 * len(monomials) + 5):
        point = [random.randint(1, 40) for _ in symbols]
        value = _called(function, symbols, point)
        terms = [Fraction(1) for _ in monomials]
        for k, m in enumerate(monomials):
            for x, e in zip(point, m, strict=True):
                terms[k] *= x**e
        rows.append([*terms, *(-value * t for t in terms)])
    matrix = fmpq_mat([[fmpq(v.numerator, v.denominator) for v in row] for row in rows])
    reduced, rank = matrix.rref()
    solution = _kernel_vector(reduced, int(rank), 2 * len(monomials))
    if solution is not None:
        powers = [sympy.Mul(*(s**e for s, e in zip(symbols, m, strict=True))) for m in monomials]
        num = sympy.Add(*(c * p for c, p in zip(solution[: len(powers)], powers, strict=True)))
        den = sympy.Add(*(c * p for c, p in zip(solution[len(powers) :], powers, strict=True)))
        if den != 0:
            found = lowest_terms(num / den)
            if all(_agrees(function, found, symbols, random) for _ in range(CHECKS)):
                return found
    raise RoofproofError("no rational closed form of low degree fits the values of the function")


def _kernel_vector(reduced: Any, rank: int, columns: int) -> list[sympy.Rational] | None:
    """Return the vector of the kernel for the first free column: the solution of least degree."""
    pivots = []
    for row in range(rank):
        pivots.append(next(c for c in range(columns) if reduced[row, c] != 0))
    free = [c for c in range(columns) if c not in pivots]
    if not free:
        return None
    out = [sympy.Integer(0)] * columns
    out[free[0]] = sympy.Integer(1)
    for row, c in enumerate(pivots):
        v = -reduced[row, free[0]]
        out[c] = sympy.Rational(int(v.p), int(v.q))
    return out


def _agrees(function: Callable[..., Any], found: sympy.Expr, symbols: Sequence[sympy.Symbol], random: Random) -> bool:
    point = [random.randint(1, 5000) for _ in symbols]
    value = _called(function, symbols, point)
    return bool(
        found.subs(dict(zip(symbols, point, strict=True))) == sympy.Rational(value.numerator, value.denominator)
    )


def _called(function: Callable[..., Any], symbols: Sequence[sympy.Symbol], point: Sequence[int]) -> Fraction:
    try:
        value = function(*point)
    except Exception as problem:  # whatever somebody else's code raises
        at = ", ".join(f"{s} = {x}" for s, x in zip(symbols, point, strict=True))
        said = quoted(" ".join(str(problem).split()))
        raise RoofproofError(f"the function fails at {at}: {type(problem).__name__}: {said}") from None
    return _exact(value)


def _exact(value: Any) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, int | Fraction | sympy.Rational):
        whole = getattr(value, "is_integer", lambda: False)
        if not (callable(whole) and whole() and abs(value) < 2**53):
            raise RoofproofError(
                f"the function returned {quoted(value)}; integers, Fractions or symbols are compared exactly"
            )
        return Fraction(int(value))
    return Fraction(int(value.numerator), int(value.denominator))
