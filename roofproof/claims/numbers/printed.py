"""Numbers as they stand in a claim, and whether an exact value agrees with them."""

from __future__ import annotations

from fractions import Fraction

import sympy

from roofproof.claims.language.nodes import Negative, Node, Number, Quantity
from roofproof.claims.numbers.significant_digits import NEAREST, Agreement, agreement
from roofproof.derive.algebra.text import plain
from roofproof.errors import RoofproofError
from roofproof.proofs.known import ByExactValue, Known, Open, warranted
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import with_functions


def literal(node: Node) -> tuple[str, Fraction] | None:
    """Return (digits as written, value of the unit) for a number that was printed as it stands.

    >>> from roofproof.claims.language import read_expression
    >>> literal(read_expression("280 ms")), literal(read_expression("2 x"))
    (('280', Fraction(1, 1000)), None)
    """
    match node:
        case Number(text=text):
            return text, Fraction(1)
        case Negative(operand=Number(text=text)):
            return f"-{text}", Fraction(1)
        case Quantity(amount=Number(text=text), unit=unit):
            return text, unit.factor
    return None


def printed_agreement(value: sympy.Expr, node: Node, relation: str, tolerance: str = "") -> Agreement | None:
    """Return how a printed number agrees with an exact value, as far as the relation lets it.

    >>> from roofproof.claims.language import read_expression
    >>> ridge, printed = sympy.Rational(9850, 41), read_expression("240.2")               # 240.24...
    >>> print(printed_agreement(ridge, printed, "=="))
    rounded to 4 significant digits
    >>> twelve, half = read_expression("12"), sympy.Rational(25, 2)
    >>> print(printed_agreement(half, twelve, "~="), "|", printed_agreement(half, twelve, "=="))
    rounded to 2 significant digits | None

    What is said to be equal is a decimal with every digit right, two at least; a whole number without a point is
    that number. Any other relation takes every reading of the digits, and the tolerance.
    """
    found = literal(node)
    if found is None:
        return None
    text, factor = found
    widened = "" if relation == "==" and tolerance != NEAREST else tolerance
    agreed = agreement(as_fraction(value) / factor, text, widened)
    if agreed is None or relation != "==" or agreed.reading == "exact":
        return agreed
    return agreed if "." in text and agreed.reading == "nearest" and agreed.digits > 1 else None


def known_agreement(value: sympy.Expr, node: Node, agreed: Agreement) -> Known:
    """Return, as known, that an exact value lies where the digits of a printed number say.

    >>> from roofproof.claims.language import read_expression
    >>> root, printed = sympy.sqrt(2), read_expression("1.4")                            # 1.35^2 < 2 < 1.45^2
    >>> known = known_agreement(root, printed, printed_agreement(root, printed, "~="))
    >>> known.statement.says, known.trust
    ('1.4 for sqrt(2): rounded to 2 significant digits', 'kernel')
    """
    text, factor = literal(node) or ("", Fraction(1))
    says = f"{text} for {plain(value)}: {agreed}"
    try:
        term = with_functions(value / sympy.Rational(factor.numerator, factor.denominator))
    except RoofproofError as outside:
        return Known(Statement(says, (), agreed.says(("v", "value"))), Open(str(outside)))
    return by_exact_value(Statement(says, (), agreed.says(term)))


def by_exact_value(statement: Statement) -> Known:
    """Return a statement about numbers as known by its exact value, or open where that does not tell.

    >>> by_exact_value(Statement("3 > 2", (), (">", ("q", 3, 1), ("q", 2, 1)))).trust
    'kernel'
    """
    return warranted(statement, ByExactValue({})) or Known(statement, Open("the values are too close to be told apart"))


def as_fraction(value: sympy.Expr) -> Fraction:
    """Return a number as a fraction, an irrational one cut off far beyond the digits that anybody prints.

    >>> as_fraction(sympy.sqrt(2)) ** 2 - 2 < 0
    True
    """
    if value.is_Rational:
        return Fraction(int(value.p), int(value.q))
    scale = 10**40
    return Fraction(int(sympy.floor(value * scale)), scale)
