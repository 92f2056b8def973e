"""The least value of a x + b/x + c, in closed form, with the square that proves it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import sympy

from roofproof.derive.derivation import Derivation, Step
from roofproof.errors import RoofproofError, quoted


@dataclass(frozen=True, slots=True)
class Optimum:
    """Where f(x) = a x + b/x + c is least over x > 0, and what it is there.

    `gap` is f(x) - f(at) = a (x - at)^2/x, never negative and zero at `at` alone: the whole proof.

    >>> from roofproof.symbols import quantity
    >>> x = quantity("x")
    >>> found = least(4 * x + 9 / x, x)
    >>> found.at, found.value, found.gap                       # sqrt(9/4); 2 sqrt(4 * 9)
    (3/2, 12, 4*(x - 3/2)**2/x)
    """

    unknown: sympy.Symbol
    function: sympy.Expr
    at: sympy.Expr
    value: sympy.Expr
    gap: sympy.Expr
    derivation: Derivation

    def best(self, choices: Iterable[int]) -> int:
        """Return the best of some values, exactly; of two that are equal the smaller.

        >>> from roofproof.symbols import quantity
        >>> x = quantity("x")
        >>> least(x + 20/x, x).best([1, 2, 4, 8])              # sqrt(20) = 4.47; 4 + 5 < 8 + 2.5
        4

        Raises RoofproofError where a parameter is still a symbol, or there is nothing to choose from.
        """
        values = []
        for choice in choices:
            value = self.function.subs(self.unknown, choice)
            if not value.is_Rational:
                raise RoofproofError(
                    f"choosing {self.unknown} needs numbers for {', '.join(sorted(map(str, value.free_symbols)))}"
                )
            values.append((value, choice))
        if not values:
            raise RoofproofError(f"no values of {self.unknown} to choose from")
        return min(values)[1]

    def integer(self) -> int:
        """Return the best positive integer: the least k with k (k + 1) >= b/a, since f falls and then rises.

        >>> from roofproof.symbols import quantity
        >>> x = quantity("x")
        >>> least(x + 20/x, x).integer()                       # 4 * 5 >= 20: 4 and 5 are equally good
        4

        Raises RoofproofError where a parameter is still a symbol.
        """
        square = self.at**2
        if not square.is_Rational:
            raise RoofproofError(
                f"the best integer needs numbers for {', '.join(sorted(map(str, self.at.free_symbols)))}"
            )
        root = int(sympy.integer_nthroot(int(sympy.floor(square)), 2)[0])
        return self.best(range(max(root, 1), root + 3))

    def square(self, what: str) -> sympy.Rational:
        """Return b/a, a number, or refuse: `what` says what needed it."""
        square = self.at**2
        if not square.is_Rational:
            raise RoofproofError(f"{what} needs numbers for {', '.join(sorted(map(str, self.at.free_symbols)))}")
        return square

    def power_of_two(self) -> int:
        """Return the best power of two.

        >>> from roofproof.symbols import quantity
        >>> x = quantity("x")
        >>> least(x + 40/x, x).power_of_two()                  # 8 + 5 against 4 + 10
        8

        Raises RoofproofError where a parameter is still a symbol.
        """
        square = self.square("the best power of two")
        low = max(int(sympy.floor(square)), 1).bit_length() // 2
        return self.best(2**k for k in range(max(low - 1, 0), low + 2))


def least(function: sympy.Expr, unknown: sympy.Symbol) -> Optimum:
    """Return the minimum of a x + b/x + c over x > 0, for a and b positive.

    >>> from roofproof.symbols import quantity
    >>> A, C, x = quantity("A"), quantity("C"), quantity("x")
    >>> found = least(A/x + C*x, x)
    >>> found.at, found.value                                  # -A/x^2 + C = 0; then A/x = C x
    (sqrt(A)/sqrt(C), 2*sqrt(A)*sqrt(C))
    >>> found.gap                                              # C (x - sqrt(A/C))^2 / x >= 0
    C*(-sqrt(A)/sqrt(C) + x)**2/x

    Raises RoofproofError for a function of another form, or whose a or b is not known to be positive.
    """
    numerator = sympy.expand(function * unknown)
    shaped = numerator.is_polynomial(unknown) and sympy.degree(numerator, unknown) == 2
    poly = sympy.Poly(numerator, unknown) if shaped else None
    if poly is None or not (poly.coeff_monomial(1).is_positive and poly.coeff_monomial(unknown**2).is_positive):
        raise RoofproofError(
            f"{quoted(function)} is not a*{unknown} + b/{unknown} + c with a and b positive; its minimum is not known"
        )
    a, c, b = (sympy.factor(poly.coeff_monomial(unknown**k)) for k in (2, 1, 0))
    slope = a - b / unknown**2
    at = sympy.sqrt(b / a)  # the positive root of the slope
    value = 2 * a * at + c  # the two terms are equal there
    gap = a * (unknown - at) ** 2 / unknown
    if any(not _zero(claim) for claim in (slope.subs(unknown, at), function - value - gap)):
        raise AssertionError(f"minimum of {function}: the square does not close the gap")
    steps = (
        Step(sympy.Eq(sympy.Symbol("T"), function), "to be made least", "given"),
        Step(sympy.Eq(slope, 0, evaluate=False), f"derivative in {unknown}", "derivative"),
        Step(sympy.Eq(unknown, at), "its positive root", "solve"),
        Step(sympy.Ge(gap, 0, evaluate=False), "T - T(root), a square times positive factors", "square"),
    )
    return Optimum(unknown, function, at, value, gap, Derivation(steps))


def _zero(expr: sympy.Expr) -> bool:
    return bool(sympy.expand(expr) == 0 or sympy.simplify(expr) == 0)
