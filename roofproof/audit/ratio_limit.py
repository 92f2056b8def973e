"""What the ratio of two maxima tends to when all sizes grow alike."""

import sympy

from roofproof.audit.maxima import Forms
from roofproof.derive.algebra.polynomial import Ring
from roofproof.derive.roofline.intensities import lowest_terms


def growth(theirs: Forms, ours: Forms) -> sympy.Expr | None:
    """Return what the ratio of two maxima tends to when all sizes grow alike, where one form of each outgrows others.

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
