"""Formulas in Maxima, and the names that sizes cannot have there."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final

import sympy
from sympy.printing.str import StrPrinter

_NAMES: Final = Path(__file__).with_name("maxima_names.txt")
_OWN: Final = re.compile(r"rp_\w+|stack_\w+|(?:ans|prt|ta)[0-9]+")  # names within a question


def is_taken(name: str) -> bool:
    """Return whether a name has a meaning in a question, so that a size cannot have it.

    >>> [name for name in ("B", "values", "rp_variant", "e") if is_taken(name)]
    ['values', 'rp_variant', 'e']
    """
    return name in _reserved_names() or _OWN.fullmatch(name) is not None


@cache
def _reserved_names() -> frozenset[str]:
    _, names = _NAMES.read_text(encoding="ascii").split("\n", 1)
    return frozenset(names.split())


def formula(value: sympy.Basic) -> str:
    """Return a formula in the notation of Maxima.

    >>> from roofproof.formula.logarithm import log2
    >>> N = sympy.Symbol("N", positive=True)
    >>> formula(sympy.sqrt(N)*log2(N)**2)
    'sqrt(N)*(log(N)/log(2))^2'
    """
    return str(_Printer().doprint(value))


class _Printer(StrPrinter):  # type: ignore[misc]  # SymPy has no types
    def _print_Pow(self, expr: sympy.Pow, rational: bool = False) -> str:
        if expr.exp == sympy.Rational(1, 2):
            return f"sqrt({self._print(expr.base)})"
        return str(super()._print_Pow(expr, rational)).replace("**", "^")

    def _print_Function(self, expr: sympy.Function) -> str:
        """Return a call of a function of Maxima, which has neither log2 nor exp2."""
        inside = ", ".join(map(self._print, expr.args))
        match expr.func.__name__:
            case "log2":
                return f"(log({inside})/log(2))"
            case "exp2":
                return f"(2^({inside}))"
            case name:
                return f"{_CALLED.get(name, name)}({inside})"

    _print_Max = _print_Min = _print_ceiling = _print_floor = _print_Mod = _print_Abs = _print_Function


_CALLED: Final = {"Max": "max", "Min": "min", "Mod": "mod", "Abs": "abs"}
