"""Products, common factors, and powers of numbers rewritten over the smallest base: `4^n` is `2^(2 n)`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import gcd, lcm

from sympy import integer_nthroot

from roofproof.proofs.kernel.terms import Term

MAX_BITS = 256  # of the largest base that is rewritten


def multiplied(factors: Sequence[Term]) -> Term:
    """Return the product of terms: a single term is returned as it is, and an empty product is 1.

    >>> multiplied([Term("v", "x")]), multiplied([])
    (('v', 'x'), ('q', 1, 1))
    """
    return factors[0] if len(factors) == 1 else Term("*", *factors) if factors else Term("q", 1, 1)


def content(numbers: Iterable[Fraction | int]) -> Fraction:
    """Return the largest number of which all the given numbers are integer multiples.

    >>> content([Fraction(3, 2), 6])
    Fraction(3, 2)
    """
    parts = [n.as_integer_ratio() for n in numbers]
    return Fraction(gcd(*[above for above, _ in parts]), lcm(*[below for _, below in parts]))


def over_smallest_base(base: Term, exponent: Term) -> Term:
    """Return the term for a power over the smallest base, so that equal powers more often get equal terms.

    >>> over_smallest_base(Term("q", 8, 1), Term("v", "n"))                                            # 8 = 2^3
    ('power', ('q', 2, 1), ('*', ('q', 3, 1), ('v', 'n')))
    >>> over_smallest_base(Term("q", 4, 9), Term("v", "n"))                                            # 4/9 = (3/2)^-2
    ('power', ('q', 3, 2), ('*', ('q', -2, 1), ('v', 'n')))
    >>> over_smallest_base(Term("v", "x"), Term("q", 1, 3))
    ('power', ('v', 'x'), ('q', 1, 3))
    """
    if base[0] != "q" or base[1] <= 0 or base[1] == base[2] or max(base[1], base[2]).bit_length() > MAX_BITS:
        return Term("power", base, exponent)
    value = Fraction(base[1], base[2])
    sign = 1 if value > 1 else -1
    value = value**sign
    for times in range(value.numerator.bit_length(), 0, -1):  # with 1 both are exact
        (above, exact), (below, whole) = (integer_nthroot(n, times) for n in value.as_integer_ratio())
        if exact and whole:
            break
    smallest = Term("q", int(above), int(below))
    if sign * times == 1:
        return Term("power", smallest, exponent)
    if exponent[0] == "q":
        return Term("power", smallest, Term.rational(sign * times * Fraction(exponent[1], exponent[2])))
    return Term("power", smallest, Term("*", Term("q", sign * times, 1), exponent))
