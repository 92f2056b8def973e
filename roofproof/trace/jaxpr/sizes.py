"""Exact conversion between JAX and SymPy sizes, under given conditions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import sympy
from sympy import Add, Expr, Integer, Mod, Mul, Symbol
from sympy.logic.boolalg import Boolean

from roofproof.symbols import dimension
from roofproof.trace.sizes import KnownSizes


class JaxSizes(KnownSizes):
    """The sizes in one symbolic scope of JAX, with the conditions that are assumed.

    >>> B = dimension("B")
    >>> sizes = JaxSizes([B], [sympy.Eq(Mod(B, 2), 0)])
    >>> half = sizes.of_jax(sizes.size(3 * B) // 2)
    >>> half, sizes.of_jax(sizes.size(B + 1) // 3)           # 3 B is even, as B is
    (3*B/2, floor(B/3 + 1/3))
    """

    def __init__(self, names: Iterable[Symbol], conditions: Iterable[Boolean]) -> None:
        from jax import export

        super().__init__(conditions)
        symbols = sorted(set(names), key=str)
        self.scope = export.SymbolicScope([text for c in self.conditions for text in _constraint(c)])
        listed = ",".join(map(str, symbols))
        made = export.symbolic_shape(listed, scope=self.scope) if symbols else ()
        self.framework_sizes = dict(zip(symbols, made, strict=True))
        self._known: dict[Any, Expr] = {}

    def assume(self, condition: Boolean) -> None:
        """Add a condition, also to JAX's scope."""
        if condition not in self.conditions:
            KnownSizes.assume(self, condition)
            for text in _constraint(condition):
                self.scope._parse_and_process_explicit_constraint(text)
                self.scope._bounds_cache.clear()

    def of_jax(self, size: Any) -> Expr:
        """Return a JAX size as a SymPy expression."""
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
        made = {"floordiv": self.quotient, "mod": self.remainder, "min": self.least}
        return made.get(factor.operation, self.greatest)(a, b)


_POWERS = frozenset(map(Integer, range(1, 65)))


def _constraint(condition: Boolean) -> list[str]:
    """Return a condition as JAX constraints, which may contain only sums, products, powers and mod.

    >>> D = dimension("D")
    >>> _constraint(D > 3), _constraint(sympy.Ne(D, 3)), _constraint((D > 3) | (D < 2))
    (['D >= 4'], [], [])
    """

    def text(size: Expr) -> str:
        if isinstance(size, Mod):
            return f"mod({text(size.args[0])}, {text(size.args[1])})"
        return str(size).replace("**", "^")

    parts = sympy.preorder_traversal(condition)
    next(parts)
    polynomial = all(isinstance(p, (Symbol, Integer, Add, Mul, Mod)) or (p.is_Pow and p.exp in _POWERS) for p in parts)
    if not polynomial:
        return []
    left, right = condition.args
    match condition.rel_op:
        case "!=":
            return []
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
