"""The maximum of rational expressions as the set of them, so that two maxima can be compared, and their ratio."""

from itertools import product

import sympy

from roofproof.derive.algebra.polynomial import Ring, lowest_terms, sign

Forms = frozenset[sympy.Expr]
MAX_FORMS = 16


def rational_forms(expr: sympy.Expr) -> Forms:
    """Return the rational expressions of which an expression is the maximum, each in lowest terms.

    >>> from roofproof.symbols import quantity
    >>> x, y = quantity("x"), quantity("y")
    >>> sorted(map(str, rational_forms(2*sympy.Max(x, y, x/2) + 1)))   # x/2 < x, and 2 max(x, y) + 1 is a maximum
    ['2*x + 1', '2*y + 1']

    A form that another one exceeds for all sizes, as coefficients tell, is left out; what is no maximum is a set of
    one. Raises RoofproofError for what is no rational expression of terms.
    """
    parts = _parts(expr)
    every = frozenset(map(lowest_terms, parts if len(parts) <= MAX_FORMS else (expr,)))
    return frozenset(f for f in every if not any(is_positive(g - f) for g in every if g != f))


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


def growth(theirs: Forms, ours: Forms) -> sympy.Expr | None:
    """Return the limit of the ratio of two maxima as all sizes grow alike, where one form of each outgrows the others.

    >>> from roofproof.symbols import quantity
    >>> x, y = quantity("x"), quantity("y")
    >>> growth(frozenset([x*y, x]), frozenset([2*x*y]))
    1/2
    """
    theirs_most, ours_most = _fastest(theirs), _fastest(ours)
    if theirs_most is None or ours_most is None:
        return None
    return _at_infinity(lowest_terms(theirs_most / ours_most))


def _fastest(forms: Forms) -> sympy.Expr | None:
    for form in forms:
        if all(_at_infinity(lowest_terms(other / form)) == 0 for other in forms if other != form):
            return form
    return None


def _at_infinity(expr: sympy.Expr) -> sympy.Expr | None:
    """Return the limit of a ratio in which every size was multiplied by the same growing t; None if not rational."""
    if not expr.free_symbols:
        return expr
    t = sympy.Symbol("t!", positive=True)
    expr = expr.subs({s: s * t for s in expr.free_symbols})
    ring = Ring.of(expr, t)
    if not all(atom.is_Symbol for atom in ring.atoms):
        return None
    num, den = ring.fraction(expr)
    top, bottom = ring.coefficients(num, t), ring.coefficients(den, t)
    if len(top) != len(bottom):
        return sympy.oo if len(top) > len(bottom) else sympy.Integer(0)
    return lowest_terms(ring.expr(top[-1]) / ring.expr(bottom[-1]))
