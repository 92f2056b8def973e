"""The maximum of rational expressions as the set of them, so that two maxima can be compared."""

from collections.abc import Iterable
from itertools import product

import sympy

from roofproof.derive.algebra.polynomial import Ring, sign
from roofproof.derive.roofline.intensities import lowest_terms

Forms = frozenset[sympy.Expr]
MAX_FORMS = 16


def rational_forms(expr: sympy.Expr) -> Forms:
    """Return the rational expressions of which an expression is the maximum, each in lowest terms.

    >>> from roofproof.symbols import quantity
    >>> x, y = quantity("x"), quantity("y")
    >>> sorted(map(str, rational_forms(2*sympy.Max(x, y) + 1)))        # 2 max(x, y) + 1 = max(2 x + 1, 2 y + 1)
    ['2*x + 1', '2*y + 1']

    What is no maximum is a set of one. Raises RoofproofError for what is no rational expression of terms.
    """
    parts = _parts(expr)
    return undominated(map(lowest_terms, parts if len(parts) <= MAX_FORMS else (expr,)))


def _parts(expr: sympy.Expr) -> list[sympy.Expr]:
    if not expr.has(sympy.Max):
        return [expr]
    if isinstance(expr, sympy.Max):
        return [part for arg in expr.args for part in _parts(arg)]
    if expr.is_Add:
        return [sympy.Add(*terms) for terms in product(*map(_parts, expr.args))]
    if expr.is_Mul:
        maxima = [arg for arg in expr.args if arg.has(sympy.Max)]
        rest = sympy.Mul(*(arg for arg in expr.args if not arg.has(sympy.Max)))
        if len(maxima) == 1 and is_positive(rest):
            return [rest * part for part in _parts(maxima[0])]
    return [expr]


def is_positive(expr: sympy.Expr) -> bool:
    """Tell whether the coefficients alone show that a rational expression is positive for positive sizes."""
    ring = Ring.of(expr)
    if not all(atom.is_positive for atom in ring.atoms):
        return False
    num, den = map(sign, ring.fraction(expr))
    return num is not None and num == den and num != 0


def undominated(forms: Iterable[sympy.Expr]) -> Forms:
    """Return the forms without those that another one exceeds for all sizes, as coefficients tell.

    >>> from roofproof.symbols import quantity
    >>> x, y = quantity("x"), quantity("y")
    >>> sorted(map(str, undominated([x, y, x/2])))                     # x/2 < x
    ['x', 'y']
    """
    every = frozenset(forms)
    return frozenset(f for f in every if not any(is_positive(g - f) for g in every if g != f))
