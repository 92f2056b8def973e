"""Formulas at points: exact numbers put in for names."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from roofproof.proofs.kernel.terms import Formula, KernelError
from roofproof.proofs.oracles import enclosure, sampling
from roofproof.proofs.oracles.enclosure import Point


def given_numbers(assumptions: Iterable[Formula]) -> dict[str, Fraction]:
    """Return the numbers that assumptions say names to be.

    >>> given_numbers([("=", ("v", "n"), ("q", 3, 2)), (">", ("v", "n"), ("q", 1, 1))])
    {'n': Fraction(3, 2)}
    """
    return {f[1][1]: Fraction(*f[2][1:]) for f in assumptions if f[0] == "=" and f[1][0] == "v" and f[2][0] == "q"}


def holds(formula: object, point: Point) -> bool:
    """Tell whether a formula holds at a point, exactly; not where it is not defined or too close to tell.

    >>> holds((">", ("sqrt", ("v", "x")), ("q", 7, 5)), {"x": Fraction(2)})                         # 49/25 < 2
    True
    """
    try:
        if not any(isinstance(value, enclosure.Surd) for value in point.values()):
            return sampling.holds(formula, point)  # type: ignore[arg-type]
    except (ArithmeticError, KernelError, KeyError):  # no rational value; log(2) is a number that no point names
        pass
    try:
        return enclosure.holds(formula, point)  # type: ignore[arg-type]
    except (ArithmeticError, KeyError):
        return False
