"""Formulas in the sizes of an operation, in which you can substitute numbers by name."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import sympy

from roofproof.answer import Shown
from roofproof.errors import RoofproofError, WrongType, quoted, refuse_unknown


class ByName:
    """Base class of objects with a formula, `value`, in which you can substitute numbers by name."""

    __slots__ = ()
    value: sympy.Expr

    def at(self, sizes: Mapping[Any, Any] | str | None = None, /, **named: Any) -> Amount:
        """Return the formula with numbers substituted for names.

        >>> from roofproof import lower
        >>> lower("matmul", "bf16=2 FLOP/s, hbm=1 B/s").at(B=1, D=2, F=3)          # max(12/2, 22/1)
        22

        Raises RoofproofError for a name that is not in the formula, and WrongType for a value that is not exact.
        """
        names = {symbol.name: symbol for symbol in self.value.free_symbols}
        given = {**_by_name(sizes), **named}
        for name in given:
            refuse_unknown("name", name, names)
        return Amount(self.value.subs({names[name]: _exact(name, size) for name, size in given.items()}))

    def subs(self, *given: Any) -> Amount:
        """Return the formula with numbers substituted, with the arguments of SymPy's `subs`, and names as symbols.

        >>> from roofproof import intensity
        >>> intensity("matmul").subs({"B": 1}).subs("D", 2)
        2*F/(3*F + 2)
        """
        if len(given) == 2:
            return self.at({given[0]: given[1]})
        [pairs] = given
        return self.at(pairs if hasattr(pairs, "items") else dict(pairs))


def _by_name(sizes: Mapping[Any, Any] | str | None) -> dict[str, Any]:
    if sizes is None:
        return {}
    if isinstance(sizes, str):
        from roofproof.ops.notation.sizes import sizes_from

        return dict(sizes_from([sizes]))
    if not hasattr(sizes, "items"):
        raise WrongType("at", "numbers by name", sizes, "at(B=1, D=4096)")
    found: dict[str, Any] = {}
    for key, size in sizes.items():
        name = getattr(key, "name", key)
        if not isinstance(name, str):
            raise WrongType("name", "a name or a symbol", key, "'B'")
        if name in found:
            raise RoofproofError("size of <name> is given twice", name=quoted(name))
        found[name] = size
    return found


def _exact(name: str, size: Any) -> sympy.Expr:
    if isinstance(size, Fraction):
        return sympy.Rational(size.numerator, size.denominator)
    try:
        found = None if isinstance(size, bool) else sympy.sympify(size, strict=True)
    except (sympy.SympifyError, TypeError):
        found = None
    if not isinstance(found, sympy.Expr) or found.has(sympy.Float) or found.is_positive is False:
        raise WrongType(f"size {name}", "a positive exact number", size, "4096")
    return found


def _reckoned(by: Callable[[Any, Any], Any], turned: bool = False) -> Any:
    """Return a method that applies an operator to the formula of an amount."""

    def reckon(self: Amount, other: Any) -> Any:
        theirs = getattr(other, "value", other)
        found = by(theirs, self.value) if turned else by(self.value, theirs)
        return Amount(found) if isinstance(found, sympy.Expr) else found

    return reckon


class Amount(ByName, Shown):
    """A formula that works with SymPy and with Python's operators, with the SymPy expression in `value`.

    >>> from roofproof import lower
    >>> found = lower("bf16[N], bf16[N] -> []", "bf16=2 FLOP/s, hbm=1 B/s")
    >>> found, 2 * found.at(N=10), found.value.free_symbols
    (4*N + 2, 84, {N})
    """

    __slots__ = ("value",)

    def __init__(self, value: sympy.Expr) -> None:
        self.value = value

    def __repr__(self) -> str:
        return str(self.value)

    def __eq__(self, other: object) -> bool:
        return bool(self.value == getattr(other, "value", other))

    def __hash__(self) -> int:
        return hash(self.value)

    def __float__(self) -> float:
        return float(self.value)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "value":
            raise AttributeError(name)
        return getattr(self.value, name)

    def __neg__(self) -> Amount:
        return Amount(-self.value)

    def __abs__(self) -> Amount:
        return Amount(abs(self.value))

    def _sympy_(self) -> sympy.Expr:
        return self.value

    __add__, __radd__ = _reckoned(operator.add), _reckoned(operator.add, turned=True)
    __sub__, __rsub__ = _reckoned(operator.sub), _reckoned(operator.sub, turned=True)
    __mul__, __rmul__ = _reckoned(operator.mul), _reckoned(operator.mul, turned=True)
    __truediv__, __rtruediv__ = _reckoned(operator.truediv), _reckoned(operator.truediv, turned=True)
    __pow__, __rpow__ = _reckoned(operator.pow), _reckoned(operator.pow, turned=True)
    __lt__, __le__ = _reckoned(operator.lt), _reckoned(operator.le)
    __gt__, __ge__ = _reckoned(operator.gt), _reckoned(operator.ge)
