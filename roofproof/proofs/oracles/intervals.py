"""Rational bounds on the value of a term, to any precision: interval arithmetic with exact ends.

Sums, products and roots of integers are bounded directly, all other values by balls of FLINT (Arb).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import ceil, floor

from flint import arb, ctx, fmpq, fmpz

from roofproof.proofs.assumptions import LN2, PI
from roofproof.proofs.kernel.terms import Formula, Term
from roofproof.proofs.oracles.ratios import Inexact
from roofproof.proofs.oracles.root_bound import MAX_POWER

BITS = 64  # precision of the bounds on a named number
GUARD = 32  # extra bits for the precision lost in a logarithm
Interval = tuple[Fraction, Fraction]


def enclosed(term: Term, between: Mapping[str, Interval | Fraction], bits: int) -> Interval:
    """Return rational lower and upper bounds on a term for all values of its names in the given intervals.

    >>> low, high = enclosed(Term("sqrt", Term("v", "x")), {"x": Fraction(2)}, 8)  # 362/256 < 1.41421 < 363/256
    >>> low * 256, high * 256
    (Fraction(362, 1), Fraction(363, 1))
    >>> enclosed(("ceil", ("/", ("v", "n"), ("q", 8, 1))), {"n": (Fraction(9), Fraction(20))}, 8)       # 2, or 3
    (Fraction(2, 1), Fraction(3, 1))
    """
    head, *parts = term
    if term in (LN2, PI):
        return _around(arb.const_log2 if term == LN2 else arb.pi, bits)
    if head == "v":
        value = between[parts[0]]
        return value if isinstance(value, tuple) else (value, value)
    if head == "q":
        return Fraction(*parts), Fraction(*parts)
    if head == "^":
        return _power(enclosed(parts[0], between, bits), Fraction(parts[1]), bits)
    args = [enclosed(p, between, bits) for p in parts]
    if head == "+":
        return sum((a for a, _ in args), Fraction(0)), sum((b for _, b in args), Fraction(0))
    if head == "*":
        out = (Fraction(1), Fraction(1))
        for one in args:
            out = _outward(_times(out, one), bits)
        return out
    if head == "/":
        low, high = args[1]
        if low <= 0 <= high:
            raise Inexact("division by what may be zero")
        return _outward(_times(args[0], (1 / high, 1 / low)), bits)
    if head in ("max", "min"):
        chosen = max if head == "max" else min
        return chosen(low for low, _ in args), chosen(high for _, high in args)
    if head in ("floor", "ceil"):
        low, high = (Fraction(floor(end) if head == "floor" else ceil(end)) for end in args[0])
        return low, high
    if head == "sqrt":
        return _power(args[0], Fraction(1, 2), bits)
    if head == "log2":
        if args[0][0] <= 0:
            raise Inexact("the logarithm of what may not be positive")
        (low, _), (_, high) = (_logarithm(x, bits) for x in args[0])
        return low, high
    if head == "power":
        return _raised(args[0], args[1], bits)
    raise Inexact(f"no value at a point: {head}")


def bounds_of(number: Term) -> tuple[Formula, Formula]:
    """Return rational lower and upper bounds on a named number, as formulas.

    >>> [float(bound[k][1] / bound[k][2]) for number in (PI, LN2) for k, bound in zip((2, 1), bounds_of(number))]
    [3.141592653589793, 3.141592653589793, 0.6931471805599453, 0.6931471805599453]
    """
    low, high = map(Term.rational, enclosed(number, {}, BITS))
    return Formula(">", number, low), Formula(">", high, number)


def possible_signs(a: Interval, b: Interval) -> frozenset[int]:
    """Return the possible signs of a - b for a and b in these intervals.

    >>> one, three = Fraction(1), Fraction(3)
    >>> sorted(possible_signs((one, three), (three, three)))
    [-1, 0]
    """
    low, high = a[0] - b[1], a[1] - b[0]
    return frozenset(s for s, may in ((1, high > 0), (0, low <= 0 <= high), (-1, low < 0)) if may)


def truth(formula: Formula, signs: Callable[[Term, Term], frozenset[int]]) -> bool | None:
    """Return whether a formula holds, from the possible signs of each difference of two sides, or None if undecided.

    >>> [truth(Formula(head, Term("q", 2, 1), Term("q", 1, 1)), lambda a, b: frozenset((0, 1))) for head in (">=", ">")]
    [True, None]
    """
    head, *parts = formula
    if head in (">", ">=", "=", "int"):
        a, b = (parts[0], Term("floor", parts[0])) if head == "int" else parts
        try:
            found = signs(a, b)
        except Inexact:
            return None  # other parts of the formula may still decide it
        wanted = {">": {1}, ">=": {0, 1}}.get(head, {0})
        return True if found <= wanted else None if found & wanted else False
    if head in ("true", "false"):
        return bool(head == "true")
    if head not in ("not", "and", "or", "=>", "<=>"):
        raise Inexact(f"no value at a point: {head}")
    if head == "=>":
        head, parts = "or", [Formula("not", parts[0]), parts[1]]
    if head in ("and", "or"):
        decisive, open_ = head == "or", False
        for part in parts:  # stops at the first decisive part, since each part may need an expensive root
            if (one := truth(part, signs)) is decisive:
                return decisive
            open_ = open_ or one is None
        return None if open_ else not decisive
    values = [truth(p, signs) for p in parts]
    if None in values:
        return None
    return not values[0] if head == "not" else values[0] == values[1]


def _around(value: Callable[[], arb], bits: int) -> Interval:
    """Return rational lower and upper bounds on a value of FLINT, computed with this many bits.

    >>> low, high = _around(arb.pi, 64)
    >>> low < Fraction(314159265358979323846264338328, 10**29) < high, (high - low) * 2**58 < 1
    (True, True)
    """
    with ctx.workprec(bits):
        ball = value()
        low, high = ball.lower().fmpq(), ball.upper().fmpq()
    return Fraction(int(low.p), int(low.q)), Fraction(int(high.p), int(high.q))


def _ball(x: Fraction) -> arb:
    return arb(fmpq(x.numerator, x.denominator))


def _times(a: Interval, b: Interval) -> Interval:
    if a[0] >= 0 and b[0] >= 0:
        return a[0] * b[0], a[1] * b[1]
    ends = [x * y for x, y in product(a, b)]
    return min(ends), max(ends)


def _outward(interval: Interval, bits: int) -> Interval:
    """Return an enclosing interval whose ends have this many fractional bits, or the same one if it is a number."""
    return interval if interval[0] == interval[1] else _shortened(interval, bits)


def _shortened(interval: Interval, bits: int) -> Interval:
    scale = 1 << bits
    return Fraction(floor(interval[0] * scale), scale), Fraction(ceil(interval[1] * scale), scale)


def _power(base: Interval, exponent: Fraction, bits: int) -> Interval:
    low, high = base
    n, root = exponent.numerator, exponent.denominator
    if max(abs(n), root) > MAX_POWER or (low <= 0 and n < 0) or (low < 0 and root > 1):
        raise Inexact("a power that is not worked out")
    ends = sorted(x**n for x in base)
    if low < 0 < high and n % 2 == 0:
        ends[0] = Fraction(0)
    if root == 1:
        return _outward((ends[0], ends[1]), bits)
    return _root(ends[0], root, bits)[0], _root(ends[1], root, bits)[1]


def _raised(base: Interval, exponent: Interval, bits: int) -> Interval:
    """Return bounds on a power, computed as 2^(y log2(b)) if the exponent is irrational or long."""
    if exponent[0] == exponent[1]:
        with suppress(Inexact):
            return _power(base, exponent[0], bits)
    if base[0] <= 0:
        raise Inexact("a power of what may not be positive")
    logs = [_logarithm(x, bits) for x in base]
    low, high = _outward(_times(exponent, (logs[0][0], logs[1][1])), bits)
    if high > MAX_POWER:
        raise Inexact("a power that is not worked out")
    return Fraction(0) if low < -MAX_POWER else _two_to(low, bits)[0], _two_to(max(high, Fraction(-MAX_POWER)), bits)[1]


def _two_to(y: Fraction, bits: int) -> Interval:
    """Return bounds on 2^y, exact if y is an integer.

    >>> low, high = _two_to(Fraction(7, 2), 64)                                                   # 8 sqrt(2)
    >>> low**2 <= 128 <= high**2, (high - low) * 2**50 < 1
    (True, True)
    """
    if y.denominator == 1:
        return Fraction(2) ** y.numerator, Fraction(2) ** y.numerator
    return _around(lambda: arb(2) ** _ball(y), 2 * bits)


def _root(x: Fraction, n: int, bits: int) -> Interval:
    """Return lower and upper bounds on the n-th root, which are equal if the root is rational."""
    exact = _whole_root(x.numerator, n), _whole_root(x.denominator, n)
    if exact[0] ** n == x.numerator and exact[1] ** n == x.denominator:
        return Fraction(*exact), Fraction(*exact)
    low = _whole_root((x.numerator << n * bits) // x.denominator, n)
    return Fraction(low, 1 << bits), Fraction(low + 1, 1 << bits)


def _whole_root(x: int, n: int) -> int:
    """Return the largest integer whose n-th power is at most x."""
    return int(fmpz(x).root(n))


@lru_cache(maxsize=4_096)
def _logarithm(x: Fraction, bits: int) -> Interval:
    """Return lower and upper bounds on log2 of x > 0, exact for a power of two."""
    whole = x.numerator.bit_length() - x.denominator.bit_length()
    if x == Fraction(2) ** whole:
        return Fraction(whole), Fraction(whole)
    return _around(lambda: _ball(x).log_base(2), bits + whole.bit_length() + GUARD)
