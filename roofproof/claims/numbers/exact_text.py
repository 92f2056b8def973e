"""Exact values as text that a person reads, with a decimal beside a fraction."""

from decimal import Context, Decimal

import sympy

from roofproof.derive.algebra.exact_comparison import floor_of
from roofproof.derive.algebra.text import plain


def shown(value: sympy.Basic, digits: int = 6) -> str:
    """Return an exact value; a fraction or root is followed by its decimal value.

    >>> shown(sympy.Rational(9850, 41)), shown(sympy.Integer(3)), shown(sympy.Rational(1, 4))
    ('9850/41 (240.244)', '3', '0.25')
    >>> shown(sympy.Integer(2039 * 10**9))
    '2.039e12'
    """
    if not isinstance(value, sympy.Expr) or not value.is_number or value.is_infinite:
        return plain(value)
    if value.is_Integer:
        text = str(value)
        figures = text.rstrip("0")
        if len(text) > 7 and len(figures) < len(text) - 3:  # 2039000000000 is easier to read as 2.039e12
            sign, figures = ("-", figures[1:]) if value < 0 else ("", figures)
            return f"{sign}{figures[0]}{'.' + figures[1:] if len(figures) > 1 else ''}e{len(text.lstrip('-')) - 1}"
        return text
    context = Context(prec=digits)
    exact = Decimal(floor_of(value * 10**40)).scaleb(-40)
    if value.is_Rational:
        quotient = context.divide(Decimal(int(value.p)), Decimal(int(value.q)))
        if quotient * int(value.q) == int(value.p):
            return f"{quotient.normalize():f}"
    return f"{plain(value)} ({context.plus(exact):g})"


def decimal(value: sympy.Rational, digits: int) -> str:
    """Return a number as a decimal of so many digits, without an exponent where it has few.

    >>> decimal(sympy.Rational(6145, 2048), 5), decimal(sympy.Integer(8), 5)
    ('3.0005', '8')
    """
    quotient = Context(prec=digits).divide(Decimal(int(value.p)), Decimal(int(value.q))).normalize()
    return f"{quotient:f}" if abs(quotient.adjusted()) < 2 * digits else f"{quotient:g}"
