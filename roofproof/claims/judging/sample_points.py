"""Points of a domain with plain coordinates, at which a claim with quantifiers is tried."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import islice, product

import sympy

from roofproof.claims.judging.domain import Domain
from roofproof.proofs.kernel.terms import Formula, Term, variables
from roofproof.proofs.known import holds

_POINTS = (1, 2, Fraction(1, 2), 3, 10, 100, Fraction(1, 10))


def points(symbols: list[sympy.Symbol], domain: Domain) -> Iterator[dict[str, Fraction]]:
    """Yield points of the domain with plain coordinates.

    >>> x = sympy.Symbol("x", positive=True)
    >>> next(points([x], Domain(assumptions=(Formula(">", Term("v", "x"), Term("q", 2, 1)),))))["x"] > 2
    True
    """
    choices: list[list[Fraction]] = []
    for s in symbols:
        numbers = [Fraction(v) for v in _POINTS if not s.is_integer or Fraction(v).denominator == 1]
        loose = [Fraction(0)] if s.is_positive is None and s.is_negative is not True else []
        choices.append([*numbers[:3], *loose, *([Fraction(-1)] if s.is_nonnegative is None else []), *numbers[3:]])
    tried = islice(product(*choices), 5_000)
    for values in sorted(tried, key=lambda v: max((choices[k].index(x) for k, x in enumerate(v)), default=0)):
        point = {s.name: v for s, v in zip(symbols, values, strict=True)}
        if _lies_in(domain, point):
            yield point


def _lies_in(domain: Domain, point: Mapping[str, Fraction]) -> bool:
    """Tell whether there are values of the names that a point leaves out with which it lies in a domain."""
    if any(point[n].denominator != 1 for n in domain.integers & point.keys()):
        return False
    told = [f for f in domain.assumptions if variables(f) <= point.keys()]
    here = (Formula("=", Term("v", n), Term.rational(v)) for n, v in point.items())
    return all(holds(f, point) for f in told) and (len(told) == len(domain.assumptions) or domain.can_hold(*here))
