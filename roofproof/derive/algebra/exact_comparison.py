"""Exact comparison of real numbers: rationals, radicals, and roots of polynomials, however close they are."""

from contextlib import suppress
from typing import Any

import sympy
from flint import arb, ctx, fmpq, fmpz_poly
from sympy.core.evalf import PrecisionExhausted

from roofproof.errors import Undecided
from roofproof.formula.logarithm import exp2

MAX_BITS = 4_096
MAX_PRIME = 1_000  # beyond that a number may take hours to factor


def numbers_compared(a: sympy.Expr, b: sympy.Expr) -> int:
    """Return the sign of a - b for two real numbers.

    >>> x = sympy.Symbol("x")
    >>> p, q = (sympy.CRootOf(x**5 - x - c, 0) for c in (1, 2))              # 1.167..., 1.267...
    >>> numbers_compared(p, q), numbers_compared(p, sympy.Integer(1)), numbers_compared(2*p, 2*p)
    (-1, 1, 0)

    Roots of polynomials are enclosed ever more closely until they are apart, for which SymPy may need minutes. Raises
    Undecided for roots that agree in the first four thousand bits.
    """
    (p, r), (q, t) = a.as_coeff_Mul(), b.as_coeff_Mul()
    if (a - b).has(exp2):
        return _sign_of_powers(a, b)
    plain = [n for n in (r, t) if not isinstance(n, sympy.CRootOf)]
    if len(plain) == 2 or not all(n.is_Rational for n in plain):
        if (difference := a - b).is_real is False:  # roots in a case that the logarithm of a number excludes
            raise Undecided("<difference> is not a real number", difference=difference)
        return sign_of_number(difference)
    if r == t:
        return int(sympy.sign(p - q)) * numbers_compared(r, sympy.Integer(0))
    bits = 64
    while bits <= MAX_BITS:
        with ctx.workprec(bits):
            gap = enclosed(p) * enclosed(r) - enclosed(q) * enclosed(t)
            if gap > 0 or gap < 0:
                return 1 if gap > 0 else -1
        bits *= 2
    raise Undecided("<a> and <b> agree in <most> bits", a=a, b=b, most=MAX_BITS)


def _sign_of_powers(a: sympy.Expr, b: sympy.Expr) -> int:
    """Return the sign of a - b, which contains powers of two."""
    if a == b:
        return 0
    whole = (a - b).replace(exp2, lambda e: exp2(e) if too_long(exp2(e)) else sympy.Integer(2) ** e)
    if whole.is_Rational:
        return int(sympy.sign(whole))
    for bits in (192, 4 * MAX_BITS):
        if (found := sign_of_ball(whole, bits)) is not None:
            return found
    raise Undecided("<a> and <b> agree in <most> bits", a=a, b=b, most=4 * MAX_BITS)


def sign_of_ball(n: sympy.Expr, bits: int = 192) -> int | None:
    """Return the sign of a number with roots, powers and logarithms, or None if its digits do not show it.

    >>> sign_of_ball(sympy.sqrt(2) - sympy.log(4)), sign_of_ball(sympy.sqrt(2)*sympy.sqrt(3) - sympy.sqrt(6))
    (1, 0)
    >>> sign_of_ball((sympy.sqrt(2) + sympy.sqrt(3))**2 - 5 - 2*sympy.sqrt(6)) is None     # zero, which no digits show
    True
    """
    if n == 0:
        return 0
    with ctx.workprec(bits):
        try:
            ball = enclosed(n)
        except (KeyError, TypeError, ValueError):
            return None
        return 1 if ball > 0 else -1 if ball < 0 else None


def sign_of_number(x: sympy.Expr) -> int:
    """Return the sign of a real number, with an exact test for zero, which digits cannot show.

    >>> from roofproof.formula.logarithm import log2
    >>> sign_of_number(2 / log2(sympy.sqrt(2)) - 4), sign_of_number(2 / log2(sympy.sqrt(2)) - 3)
    (0, 1)

    Raises Undecided if neither digits nor SymPy decide it.
    """
    if (found := sign_of_ball(x)) is not None:
        return found
    x = sympy.expand_log(x.rewrite(sympy.log))
    found = sympy.Integer(0) if not x.is_Rational and x.equals(0) else sympy.sign(x)
    if not found.is_Integer:
        raise Undecided("<a> and <b> agree in <most> bits", a=x, b=sympy.Integer(0), most=MAX_BITS)
    return int(found)


def floor_of(n: sympy.Expr) -> int:
    """Return the largest integer that is at most a real number.

    >>> floor_of(sympy.Rational(-7, 2)), floor_of(exp2(sympy.Rational(200, 3)))              # 2^(200/3) is irrational
    (-4, 117129523791978766508)

    Raises Undecided for a power of two beyond 2^4096.
    """
    if too_long(n):
        raise Undecided("<number> has more than <most> binary digits", number=n, most=MAX_BITS)
    written = n.replace(exp2, lambda e: sympy.Integer(2) ** e)
    if written.is_Rational:
        return int(sympy.floor(written))
    for bits in (MAX_BITS + 128, 4 * MAX_BITS):
        with ctx.workprec(bits), suppress(KeyError):  # raised for functions that `enclosed` does not know
            if (whole := enclosed(written).floor().unique_fmpz()) is not None:
                return int(whole)
    if not n.has(exp2):
        with suppress(PrecisionExhausted):
            return int(sympy.floor(n))
    raise Undecided("<a> and <b> agree in <most> bits", a=n, b="a whole number", most=4 * MAX_BITS)


def too_long(n: sympy.Expr) -> bool:
    """Tell whether a number contains a power of two with more than 4096 binary digits.

    >>> too_long(exp2(sympy.Integer(64))), too_long(exp2(sympy.Integer(5000)))
    (False, True)
    """
    return any(numbers_compared(abs(p.args[0]), sympy.Integer(MAX_BITS)) > 0 for p in n.atoms(exp2))


def enclosed(n: sympy.Expr) -> Any:
    """Return a ball (an interval) that contains a number, to the working precision.

    >>> enclosed(sympy.sqrt(2)) > fmpq(7, 5)
    True
    """
    if n.is_Rational:
        return arb(fmpq(int(n.p), int(n.q)))
    if isinstance(n, sympy.CRootOf):
        roots = fmpz_poly([int(c) for c in reversed(n.poly.all_coeffs())]).complex_roots()
        return [root.real for root, _ in roots if root.imag == 0][n.index]  # real roots come in order
    if isinstance(n, exp2):
        return arb(2) ** enclosed(n.args[0])
    if n == sympy.pi:
        return arb.pi()
    if n == sympy.E or isinstance(n, sympy.exp):  # 2^(y/log(2)), as SymPy writes it
        return enclosed(sympy.Integer(1) if n == sympy.E else n.exp).exp()
    args = [enclosed(a) for a in n.args]
    if n.is_Add or n.is_Mul:
        out = args[0]
        for a in args[1:]:
            out = out + a if n.is_Add else out * a
        return out
    if n.is_Pow and (n.exp.is_Integer or args[0] > 0):
        return args[0] ** args[1]
    scale = {"log": arb(1), "log2": arb(2).log()}[type(n).__name__]
    return args[0].log() / scale


def by_small_primes(number: sympy.Rational) -> dict[sympy.Integer, int]:
    """Factor a positive number into powers of small primes and a remaining cofactor.

    >>> by_small_primes(sympy.Rational(12, 5))                                # 12/5 = 2^2 * 3 / 5
    {2: 2, 3: 1, 5: -1}
    """
    above, below = (sympy.factorint(n, limit=MAX_PRIME) for n in (number.p, number.q))
    return {sympy.Integer(p): int(e) for p, e in above.items()} | {sympy.Integer(p): -int(e) for p, e in below.items()}
