"""Points with one irrational coordinate: where the two sides of a comparison meet, as x^2 and 2 do at sqrt(2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import islice

import sympy

from roofproof.derive.algebra.budget import spend
from roofproof.errors import RoofproofError
from roofproof.proofs.kernel.terms import Formula, KernelError, Term
from roofproof.proofs.known import holds
from roofproof.proofs.oracles import sampling
from roofproof.proofs.oracles.points import Point, Surd
from roofproof.proofs.translate import to_expr, with_functions
from roofproof.symbols import quantity

PLACES = 3  # for the other coordinates
MAX_DEGREE = 8
MEETING = 50_000  # steps


def irrational_points(formulas: Sequence[Formula], names: Sequence[str]) -> Iterator[Point]:
    """Yield points with one irrational coordinate at which the formulas hold.

    >>> square = Term("^", Term("v", "x"), 2)
    >>> for point in irrational_points([Formula("=", square, Term("q", 2, 1))], ["x"]):
    ...     print(point["x"])
    sqrt(2)
    """
    every = [c for f in formulas for c in _comparisons(f)]
    others = sorted(frozenset(n for f in formulas for n in _names(f)))
    for place in islice(sampling.points(others), PLACES if len(others) > 1 else 1):
        for name in names:
            found: dict[Term, None] = {}
            for _, left, right in every:
                found |= dict.fromkeys(_meeting(left, right, name, place))
            for term in found:
                point: Point = {**place, name: Surd(term)}
                if all(holds(f, point) for f in formulas):
                    yield point


def _meeting(left: Term, right: Term, name: str, place: dict[str, Fraction]) -> Iterator[Term]:
    """Yield the irrational positive values of a name at which two terms have the same value."""
    spend(MEETING)
    x, r = quantity(name), quantity(f"{name}'")
    at = {quantity(n): sympy.Rational(v) for n, v in place.items() if n != name}
    try:
        difference = (to_expr(left) - to_expr(right)).xreplace(at)
        root = any(p.base == x and p.exp.is_Rational and not p.exp.is_Integer for p in difference.atoms(sympy.Pow))
        poly = sympy.Poly(sympy.numer(sympy.together(difference.subs(x, r**2 if root else r))), r)
        if poly.degree() > MAX_DEGREE:
            return
        for value in sympy.roots(poly):
            if value.is_real and value.is_positive and not value.is_Rational:
                yield with_functions(value**2 if root else value)
    except (RoofproofError, KernelError, KeyError, TypeError, ValueError, sympy.PolynomialError):
        return  # ValueError: a maximum of what has no value there


def _comparisons(f: Formula) -> Iterator[Formula]:
    if f[0] in (">", ">=", "="):
        yield f
    elif f[0] in ("not", "and", "or", "=>", "<=>"):
        for part in f[1:]:
            yield from _comparisons(part)


def _names(f: object) -> Iterator[str]:
    if isinstance(f, tuple):
        if f[:1] == ("v",):
            yield f[1]
        else:
            for part in f:
                yield from _names(part)
