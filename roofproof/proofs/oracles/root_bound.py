"""The least distance from zero of a nonzero value made with roots: a value enclosed more closely is zero.

Every value is written as U/L, where U and L are made from integers by sums, products and roots. The k-th root of U/L is
that of U L^(k - 1), over L. U is an algebraic integer of degree at most D, the product of the orders of its roots.
Replacing each root by another one gives its conjugates, so all of them are at most u: the value with every difference
replaced by a sum. Their product is an integer, so |U| >= 1/u^(D - 1) unless U = 0.

Source: C. Burnikel, S. Funke, K. Mehlhorn, S. Schirra, S. Schmitt, A separation bound for real algebraic expressions,
Algorithmica 55 (2009), without the refinements.
"""

from __future__ import annotations

from fractions import Fraction

from roofproof.proofs.kernel.terms import Term

MAX_POWER = 4_096
Sizes = tuple[Fraction, Fraction]  # of U and L: exponents of powers of two that bound them and their conjugates


def bits_to_zero(term: Term) -> Fraction | None:
    """Return b such that a value without names is zero or at least 2^-b from zero, or None if not made with roots.

    >>> root = lambda n: Term("sqrt", Term("q", n, 1))
    >>> bits_to_zero(("+", root(2), root(3), ("*", ("q", -1, 1), root(10)))) < 40       # 8 conjugates, all below 8.3
    True
    """
    roots: dict[Term, int] = {}
    found = _sizes(term, roots)
    if found is None:
        return None
    degree = 1
    for order in roots.values():
        degree *= order
    return (degree - 1) * found[0] + found[1]


def _sizes(term: Term, roots: dict[Term, int]) -> Sizes | None:
    head, *parts = term
    if head == "q":
        return _power_of_two(parts[0]), _power_of_two(parts[1])
    exponent = Fraction(1)
    if head == "^":
        parts, exponent = parts[:1], Fraction(parts[1])
    elif head == "sqrt":
        exponent = Fraction(1, 2)
    elif head == "power" and parts[1][0] == "q":
        parts, exponent = parts[:1], Fraction(*parts[1][1:])
    elif head not in ("+", "*", "/"):
        return None
    sizes = []
    for part in parts:
        if (size := _sizes(part, roots)) is None:
            return None
        sizes.append(size)
    if head == "+":
        below = sum((b for _, b in sizes), Fraction(0))
        above = [a + below - b for a, b in sizes]
        return max(above, default=Fraction(0)) + _power_of_two(len(above)), below
    if head == "*":
        return sum((a for a, _ in sizes), Fraction(0)), sum((b for _, b in sizes), Fraction(0))
    if head == "/":
        (a, b), (c, d) = sizes
        return a + d, b + c
    [(a, b)] = sizes
    if max(abs(exponent.numerator), exponent.denominator) > MAX_POWER:
        return None
    k, n = exponent.denominator, exponent.numerator
    if k > 1:
        roots[Term("power", parts[0], Term("q", 1, k))] = k
        a = (a + (k - 1) * b) / k
    a, b = a * abs(n), b * abs(n)
    return (a, b) if n >= 0 else (b, a)


def _power_of_two(n: int) -> Fraction:
    """Return the least e >= 0 such that |n| <= 2^e."""
    return Fraction(max(0, (abs(n) - 1).bit_length()) if n else 0)
