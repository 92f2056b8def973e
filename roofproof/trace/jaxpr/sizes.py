"""Sizes of JAX and of SymPy: the one made into the other, exactly, under the conditions that are given."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

import sympy
from sympy import Expr, Integer, Max, Min, Mod, Mul, Rational, Symbol, floor
from sympy.logic.boolalg import Boolean

from roofproof.errors import RoofproofError, quoted
from roofproof.ops.tensor import is_positive
from roofproof.symbols import dimension
from roofproof.trace.ordering import margins, smaller


class Sizes:
    """The names of sizes in one scope of JAX, with what is assumed of them.

    >>> B = dimension("B")
    >>> sizes = Sizes([B], [sympy.Eq(Mod(B, 2), 0)])
    >>> half = sizes.of_jax(sizes.to_jax(3 * B) // 2)
    >>> half, sizes.of_jax(sizes.to_jax(B + 1) // 3)           # 3 B is even, as B is
    (3*B/2, floor(B/3 + 1/3))
    """

    def __init__(self, names: Iterable[Symbol], conditions: Iterable[Boolean]) -> None:
        from jax import export

        self.conditions: list[Boolean] = list(conditions)
        symbols = sorted(set(names), key=str)
        self.scope = export.SymbolicScope([text for c in self.conditions for text in _constraint(c)])
        listed = ",".join(map(str, symbols))
        made = export.symbolic_shape(listed, scope=self.scope) if symbols else ()
        self._jax: dict[Symbol, Any] = dict(zip(symbols, made, strict=True))
        self._known: dict[Any, Expr] = {}

    def to_jax(self, size: Expr) -> Any:
        """Return a size as JAX has it. Raises RoofproofError for one that is not made of +, * and whole quotients."""
        if size.is_Integer:
            return int(size)
        if size in self._jax:
            return self._jax[size]
        numerator, denominator = sympy.fraction(sympy.together(size))
        if denominator != 1:
            self.assume(sympy.Eq(Mod(numerator, denominator), 0, evaluate=False))
            return self.to_jax(numerator) // self.to_jax(denominator)
        if size.is_Add or size.is_Mul:
            first, *rest = map(self.to_jax, size.args)
            for other in rest:
                first = first + other if size.is_Add else first * other
            return first
        if size.is_Pow and size.exp.is_Integer and size.exp > 0:
            return self.to_jax(size.base) ** int(size.exp)
        raise RoofproofError(f"size {quoted(size)}: only sums, products and quotients of sizes are read")

    def assume(self, condition: Boolean) -> None:
        """Add a condition, for JAX as well."""
        if condition not in self.conditions:
            self.conditions.append(condition)
            for text in _constraint(condition):
                self.scope._parse_and_process_explicit_constraint(text)
                self.scope._bounds_cache.clear()

    def of_jax(self, size: Any) -> Expr:
        """Return a size of JAX as an expression of sizes."""
        if isinstance(size, int):
            return Integer(size)
        if not hasattr(size, "_sorted_terms"):
            return Integer(int(size))
        if size not in self._known:
            total: Expr = Integer(0)
            for term, times in size._sorted_terms:
                total += Mul(times, *(self._factor(f) ** n for f, n in term._factors))
            self._known[size] = total
        return self._known[size]

    def _factor(self, factor: Any) -> Expr:
        if factor.var is not None:
            return dimension(factor.var)
        a, b = map(self.of_jax, factor.operands)
        if factor.operation in ("floordiv", "mod") and a.is_nonnegative and self.less(a, b):
            return Integer(0) if factor.operation == "floordiv" else a
        if factor.operation == "floordiv":
            return a / b if self.divides(b, a) else floor(a / b)
        if factor.operation == "mod":
            return Integer(0) if self.divides(b, a) else Mod(a, b)
        if (least := smaller(b, a)) is not None:
            return least if factor.operation == "min" else a if least == b else b
        return (Max if factor.operation == "max" else Min)(a, b)

    def less(self, small: Expr, large: Expr) -> bool:
        """Tell whether a size is known to be smaller than another."""
        gap = (large - small).expand()
        return any(is_positive(gap - one) for one in (0, *margins(self.conditions)))

    def divides(self, part: Expr, size: Expr) -> bool:
        """Tell whether a size is known to be a multiple of another."""
        quotient = sympy.cancel(size / part)
        if _whole(quotient):
            return True
        for condition in self.conditions:
            if isinstance(condition, sympy.Eq) and isinstance(condition.lhs, Mod) and condition.rhs == 0:
                multiple, of = condition.lhs.args
                if _whole(sympy.cancel(quotient / (multiple / of))):
                    return True
        return False


@cache
def _whole(quotient: Expr) -> bool:
    """Tell whether a polynomial in sizes has whole coefficients."""
    numerator, denominator = sympy.fraction(sympy.together(quotient))
    return bool(
        denominator == 1
        and all(term.as_coeff_Mul()[0].is_Integer for term in sympy.Add.make_args(sympy.expand(numerator)))
    )


def _constraint(condition: Boolean) -> list[str]:
    """Return a condition as JAX reads it; it takes sums and products with the functions mod and floordiv."""

    def text(size: Expr) -> str:
        if isinstance(size, Mod):
            return f"mod({text(size.args[0])}, {text(size.args[1])})"
        return str(size).replace("**", "^")

    if any(isinstance(part, Rational) and not part.is_Integer for part in sympy.preorder_traversal(condition)):
        return []
    left, right = condition.args
    match condition.rel_op:
        case "==":
            turned = (
                [f"mod({text(left.args[0])}, {text(-left.args[1])}) == 0"]
                if isinstance(left, Mod) and right == 0
                else []
            )
            return [f"{text(left)} == {text(right)}", *turned]  # reshape(-1, n) asks for the remainder by -n
        case ">":
            return [f"{text(left)} >= {text(right + 1)}"]
        case "<":
            return [f"{text(right)} >= {text(left + 1)}"]
        case ">=":
            return [f"{text(left)} >= {text(right)}"]
    return [f"{text(right)} >= {text(left)}"]
