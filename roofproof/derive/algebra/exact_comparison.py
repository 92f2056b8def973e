"""Real numbers compared: rationals, radicals, and roots of polynomials that may lie as close as they like."""

from fractions import Fraction

import sympy

from roofproof.errors import Undecided

MAX_BITS = 4_096
MAX_PRIME = 1_000  # beyond that a number may take hours to factor
Interval = tuple[Fraction, Fraction]


def numbers_compared(a: sympy.Expr, b: sympy.Expr) -> int:
    """Return the sign of a - b for two real numbers.

    >>> x = sympy.Symbol("x")
    >>> p, q = (sympy.CRootOf(x**5 - x - c, 0) for c in (1, 2))              # 1.167..., 1.267...
    >>> numbers_compared(p, q), numbers_compared(p, sympy.Integer(1)), numbers_compared(2*p, 2*p)
    (-1, 1, 0)

    Roots of polynomials are cut into halves until they lie apart; numerical evaluation may need minutes for that.
    Raises Undecided for roots that agree in the first four thousand bits.
    """
    (p, r), (q, t) = a.as_coeff_Mul(), b.as_coeff_Mul()
    plain = [n for n in (r, t) if not isinstance(n, sympy.CRootOf)]
    if len(plain) == 2 or not all(n.is_Rational for n in plain):
        return int(sympy.sign(a - b))
    if r == t:
        return int(sympy.sign(p - q)) * numbers_compared(r, sympy.Integer(0))
    left, right = _isolating(r), _isolating(t)
    for _ in range(MAX_BITS):
        (a_low, a_high), (b_low, b_high) = _times(p, left), _times(q, right)
        if a_high <= b_low or b_high <= a_low:  # at most one of the two is an end of its interval
            return -1 if a_high <= b_low else 1
        left, right = _halved(r, left), _halved(t, right)
    raise Undecided(f"{a} and {b} agree in {MAX_BITS} bits")


def _isolating(n: sympy.Expr) -> Interval:
    """Return an interval that holds this root of its polynomial and no other; a rational is one by itself."""
    low, high = (n, n) if n.is_Rational else n.poly.intervals()[n.index][0]
    return _fraction(low), _fraction(high)


def _halved(n: sympy.Expr, interval: Interval) -> Interval:
    low, high = interval
    if n.is_Rational:
        return interval
    middle = (low + high) / 2
    rows = [int(c) for c in n.poly.all_coeffs()]
    return (low, middle) if _sign(rows, low) * _sign(rows, middle) < 0 else (middle, high)


def _sign(rows: list[int], x: Fraction) -> int:
    """Return the sign of a polynomial, highest coefficient first, at a rational point; in integers alone."""
    p, q, total, power = x.numerator, x.denominator, 0, 1
    for c in rows:
        total = total * p + c * power
        power *= q
    return (total > 0) - (total < 0)


def _times(factor: sympy.Rational, interval: Interval) -> Interval:
    low, high = sorted(_fraction(factor) * e for e in interval)
    return low, high


def _fraction(n: sympy.Rational) -> Fraction:
    return Fraction(int(n.p), int(n.q))


def by_small_primes(number: sympy.Rational) -> dict[sympy.Integer, int]:
    """Return a positive number as a product of powers of primes, and of what is left beyond small ones.

    >>> by_small_primes(sympy.Rational(12, 5))                                # 12/5 = 2^2 * 3 / 5
    {2: 2, 3: 1, 5: -1}
    """
    above, below = (sympy.factorint(n, limit=MAX_PRIME) for n in (number.p, number.q))
    return {sympy.Integer(p): int(e) for p, e in above.items()} | {sympy.Integer(p): -int(e) for p, e in below.items()}
