"""Formulas compiled once, for arrays of numbers: SymPy's `lambdify`, common subexpressions taken out."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
import sympy
from sympy import Expr, Symbol

from roofproof.errors import RoofproofError, quoted
from roofproof.ops.notation.logarithm import exp2, log2

LITERAL = 2**31  # a whole number below stays in the code; any other number is an argument
MAX_POWER = 64

# What the code calls; SymPy's own names would be printed as functions of one library or another.
maximum, minimum, power = (sympy.Function(name) for name in ("maximum", "minimum", "power"))
_ONE = {name: sympy.Function(name) for name in ("floor", "ceil", "sqrt", "log2", "absolute", "real_power")}
_LEAVES: dict[type, str] = {sympy.floor: "floor", sympy.ceiling: "ceil", log2: "log2", sympy.Abs: "absolute"}


@dataclass(frozen=True, slots=True)
class Compiled:
    """A formula as a function of its symbols and of the numbers in it, in the order of `names` and `numbers`.

    `whole` tells whether it adds and multiplies whole numbers only, so that whole sizes give whole results, and
    `positive` whether positive sizes are known to give positive results.

    >>> B, D = sympy.symbols("B D", positive=True)
    >>> found = compiled(2*B*D + sympy.Rational(1, 3))
    >>> found.names, found.numbers, found.whole
    (('B', 'D'), (Fraction(1, 3),), False)
    >>> round(found(np.array([4.0]), np.array([5.0]), 1/3).item(), 6)              # float: 2*4*5 + 1/3
    40.333333
    """

    names: tuple[str, ...]
    numbers: tuple[Fraction, ...]
    whole: bool
    positive: bool
    function: Callable[..., Any]

    def __call__(self, *values: Any) -> Any:
        return self.function(*values)


@lru_cache(maxsize=256)
def compiled(expr: Expr) -> Compiled:
    """Return a formula compiled, its symbols in the order of their names.

    Raises RoofproofError for what has no meaning for arrays of numbers, such as an unknown function, and for
    two different symbols of one name.
    """
    symbols = sorted(expr.free_symbols, key=lambda s: s.name)
    names = tuple(s.name for s in symbols)
    if len(set(names)) < len(names):
        raise RoofproofError(f"{quoted(expr)} has two different symbols of one name")
    numbers: dict[Fraction, Symbol] = {}
    rewritten = _rewritten(expr, numbers)
    whole = all(n.denominator == 1 for n in numbers) and not rewritten.atoms(*_ONE.values()) and not _divides(rewritten)
    # Every symbol gets a name of its own (`dummify`), and every function is one of ours: no text from outside is run.
    function = sympy.lambdify(
        [*symbols, *numbers.values()], rewritten, modules=[dict(FUNCTIONS)], cse=True, dummify=True
    )
    return Compiled(names, tuple(numbers), whole, bool(expr.is_positive), function)


def _divides(expr: Expr) -> bool:
    return any(p.exp.is_negative for p in expr.atoms(sympy.Pow)) or bool(expr.atoms(sympy.Mod))


def _rewritten(expr: Expr, numbers: dict[Fraction, Symbol]) -> Expr:
    """Return an expression of sums, products, reciprocals and the functions above, its numbers named."""
    if expr.is_Symbol:
        return expr
    if expr.is_Rational:
        if expr.is_Integer and abs(expr) < LITERAL:
            return expr
        value = Fraction(int(expr.p), int(expr.q))
        return numbers.setdefault(value, sympy.Dummy(f"number{len(numbers)}"))
    if isinstance(expr, sympy.Pow):
        base, exponent = expr.args
        if exponent == sympy.S.Half or exponent == -sympy.S.Half:
            root = _ONE["sqrt"](_rewritten(base, numbers))
            return root if exponent.is_positive else 1 / root
        if exponent.is_Integer and abs(exponent) <= MAX_POWER:
            under = _rewritten(base, numbers)
            raised = under if abs(exponent) == 1 else power(under, abs(exponent))
            return 1 / raised if exponent.is_negative else raised
        if base.is_Rational and base <= 0:
            raise RoofproofError(f"a sweep takes powers of what is positive, not {quoted(expr)}")
        return _ONE["real_power"](*(_rewritten(each, numbers) for each in (base, exponent)))
    if isinstance(expr, exp2):
        return _ONE["real_power"](2, _rewritten(expr.args[0], numbers))
    args = [_rewritten(a, numbers) for a in expr.args]
    if isinstance(expr, sympy.Add | sympy.Mul | sympy.Mod):
        return expr.func(*args)
    if isinstance(expr, sympy.Max | sympy.Min | maximum | minimum):
        joined, *rest = args
        for arg in rest:
            joined = (maximum if isinstance(expr, sympy.Max | maximum) else minimum)(joined, arg)
        return joined
    if type(expr) in _LEAVES:
        return _ONE[_LEAVES[type(expr)]](*args)
    raise RoofproofError(f"a sweep cannot evaluate {quoted(expr)}: no formula of sizes and numbers")


def raised(base: Any, exponent: int) -> Any:
    """Return a whole power by squaring: exact for integers, and several times faster than `**` for arrays.

    >>> raised(3, 5)                                           # 3 * (3*3)*(3*3)
    243
    """
    out = None
    while exponent:
        if exponent & 1:
            out = base if out is None else out * base
        exponent >>= 1
        base = base * base if exponent else base
    return out


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "maximum": np.maximum, "minimum": np.minimum, "power": raised,
    "floor": np.floor, "ceil": np.ceil, "sqrt": np.sqrt, "log2": np.log2, "absolute": np.abs,
    "real_power": np.power,
}  # fmt: skip
