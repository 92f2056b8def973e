"""Known facts about sizes under conditions, for either framework: which is smaller, and which divides which."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import chain, combinations
from typing import Any

import sympy
from sympy import Expr, Integer, Max, Min, Mod, Mul, Symbol, floor
from sympy.logic.boolalg import Boolean

from roofproof.errors import RoofproofError, quoted
from roofproof.ops.tensor import is_positive
from roofproof.trace.ordering import margins, smaller

MOST_FACTORS = 3  # of a quotient, each an integer by a condition of its own


class KnownSizes:
    """Conditions on sizes, and the framework's sizes for symbols.

    >>> from roofproof.symbols import dimension
    >>> B = dimension("B")
    >>> sizes = KnownSizes([sympy.Eq(Mod(B, 2), 0)])
    >>> sizes.quotient(3 * B, Integer(2)), sizes.quotient(B + 1, Integer(3)), sizes.remainder(B, Integer(2))
    (3*B/2, floor(B/3 + 1/3), 0)
    >>> sizes.quotient(4 * B - 1, B), sizes.quotient(B + 1, Integer(2)), sizes.greatest(B, Integer(1))
    (3, B/2, B)
    >>> C = dimension("C")
    >>> KnownSizes([sympy.Eq(Mod(size, 4), 0) for size in (B, C)]).divides(Integer(16), 3 * B * C)
    True
    """

    def __init__(self, conditions: Iterable[Boolean]) -> None:
        self.conditions: list[Boolean] = list(conditions)
        self.framework_sizes: dict[Symbol, Any] = {}  # the framework's size for each symbol

    def assume(self, condition: Boolean) -> None:
        """Add a condition."""
        if condition not in self.conditions:
            self.conditions.append(condition)

    def not_negative(self, size: Expr) -> None:
        """Add the condition that a size is not negative, unless it is known."""
        if not size.is_nonnegative and not self.less(Integer(-1), size):
            number, rest = size.as_coeff_Add()
            self.assume(sympy.Ge(rest, -number, evaluate=False))

    def size(self, size: Expr) -> Any:
        """Return the framework's form of a size. Raises RoofproofError unless made of +, * and exact quotients."""
        if size.is_Integer:
            return int(size)
        if size in self.framework_sizes:
            return self.framework_sizes[size]
        numerator, denominator = sympy.fraction(sympy.together(size))
        if denominator != 1:
            self.assume(sympy.Eq(Mod(numerator, denominator), 0, evaluate=False))
            return self.size(numerator) // self.size(denominator)
        if size.is_Add or size.is_Mul:
            first, *rest = map(self.size, size.args)
            for other in rest:
                first = first + other if size.is_Add else first * other
            return first
        if size.is_Pow and size.exp.is_Integer and size.exp > 0:
            return self.size(size.base) ** int(size.exp)
        raise RoofproofError(f"size {quoted(size)}: only sums, products and quotients of sizes are read")

    def value(self, value: Any) -> Any:
        """Return the value of a parameter that is not an array. A size takes the framework's form."""
        return self.size(value) if isinstance(value, Expr) else value

    def quotient(self, a: Expr, b: Expr) -> Expr:
        """Return the integer part of a quotient."""
        if a.is_nonnegative and self.less(a, b):
            return Integer(0)
        if self.divides(b, a):
            return sympy.cancel(a / b)
        terms = sympy.Add.make_args(sympy.expand(sympy.cancel(a / b)))
        whole = sympy.Add(*(t for t in terms if self.divides(b, sympy.cancel(t * b))))
        rest = sympy.expand(a - whole * b)
        if rest != a:
            if self.less(Integer(-1), rest) and self.less(rest, b):
                return whole
            if self.less(rest, Integer(0)) and self.less(-1 - b, rest):
                return whole - 1
        return floor(a / b)

    def simplify_floors(self, amount: Expr) -> Expr:
        """Return an amount with each floor in it replaced by its value if that is known.

        >>> from roofproof.symbols import dimension
        >>> N = dimension("N")
        >>> KnownSizes([sympy.Eq(Mod(N, 2), 0)]).simplify_floors(3 * floor(N / 2 - sympy.Rational(3, 2)))
        3*N/2 - 6
        """

        def whole(size: Expr) -> Expr:
            number = floor(size.expand().as_coeff_Add()[0])
            return self.quotient(*sympy.fraction(sympy.together(size - number))) + number

        return amount.replace(floor, whole) if amount.has(floor) else amount

    def remainder(self, a: Expr, b: Expr) -> Expr:
        """Return the remainder of an integer division."""
        if a.is_nonnegative and self.less(a, b):
            return a
        return Integer(0) if self.divides(b, a) else Mod(a, b)

    def least(self, a: Expr, b: Expr) -> Expr:
        """Return the smaller of two sizes."""
        found = self._smaller(a, b)
        return Min(a, b) if found is None else found

    def greatest(self, a: Expr, b: Expr) -> Expr:
        """Return the larger of two sizes."""
        found = self._smaller(a, b)
        return Max(a, b) if found is None else b if found == a else a

    def _smaller(self, a: Expr, b: Expr) -> Expr | None:
        """Return the smaller of two integer sizes, or None if it is not known which that is."""
        found = smaller(a, b)
        if found is None and self.less(a - 1, b):
            return a
        return b if found is None and self.less(b - 1, a) else found

    def less(self, small: Expr, large: Expr) -> bool:
        """Return whether a size is known to be smaller than another."""
        gap = (large - small).expand()
        return any(is_positive(gap - one) for one in (0, *margins(self.conditions)))

    def divides(self, part: Expr, size: Expr) -> bool:
        """Return whether a size is known to be a multiple of another."""
        quotient = sympy.cancel(size / part)
        if _whole(quotient):
            return True
        exact = [
            c.lhs.args[0] / c.lhs.args[1]
            for c in self.conditions
            if isinstance(c, sympy.Eq) and isinstance(c.lhs, Mod) and c.rhs == 0
        ]
        several = chain.from_iterable(combinations(exact, many) for many in range(1, MOST_FACTORS + 1))
        return any(_whole(sympy.cancel(quotient / Mul(*wholes))) for wholes in several)


@cache
def _whole(quotient: Expr) -> bool:
    """Return whether a quotient is a polynomial in sizes with integer coefficients."""
    numerator, denominator = sympy.fraction(sympy.together(quotient))
    return bool(
        denominator == 1
        and all(term.as_coeff_Mul()[0].is_Integer for term in sympy.Add.make_args(sympy.expand(numerator)))
    )
