"""A comparison of two expressions, decided for numbers only."""

import sympy
from sympy.logic.boolalg import Boolean

_RELATIONS = {">": sympy.Gt, ">=": sympy.Ge, "<": sympy.Lt, "<=": sympy.Le, "==": sympy.Eq, "!=": sympy.Ne}


def related(sign: str, a: sympy.Expr, b: sympy.Expr) -> Boolean:
    """Return a comparison, decided for numbers only: `B >= 1` stays although B is a positive integer.

    >>> from roofproof.symbols import dimension
    >>> related(">=", dimension("B"), sympy.Integer(1)), related(">", sympy.Integer(2), sympy.Integer(1))
    (B >= 1, True)

    What is proved of a threshold is proved for real sizes, so integrality must not hide a condition.
    """
    return _RELATIONS[sign](a, b, evaluate=bool(a.is_number and b.is_number))
