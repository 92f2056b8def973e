"""Substitution of sizes in formulas, with a limit on the digits of powers."""

from collections.abc import Mapping

from sympy import Basic, Expr, Integer, Pow, false, log

from roofproof.errors import RoofproofError, quoted
from roofproof.formula.to_sympy import MAX_BITS

SHORT = frozenset(map(Integer, (-2, -1, 0, 1, 2)))  # exponents that do not make numbers long


def at_sizes(formula: Basic, sizes: Mapping[Expr, Expr]) -> Basic:
    """Return a formula with sizes substituted, all at once.

    >>> from roofproof.symbols import dimension
    >>> n = dimension("n")
    >>> at_sizes(n * 3**n, {n: Integer(4)})                    # 4 * 81
    324
    >>> at_sizes(n * 3**n, {n: Integer(10**9)})                # a number that fills 200 MB
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: '3^n' has more than 8192 binary digits
    """
    for power in formula.atoms(Pow):
        if power.exp not in SHORT:
            base, exponent = at_sizes(power.base, sizes), at_sizes(power.exp, sizes)
            if base.is_number and exponent.is_number and (abs(exponent) * _bits(base) > MAX_BITS) != false:
                long = quoted(str(power).replace("**", "^"))
                raise RoofproofError("<number> has more than <most> binary digits", number=long, most=MAX_BITS)
    return formula.xreplace(sizes)


def _bits(base: Expr) -> Expr:
    if base.is_Rational:
        return Integer((max(abs(int(base.p)), int(base.q)) - 1).bit_length())
    return abs(log(abs(base), 2)) if base.is_finite else Integer(1)
