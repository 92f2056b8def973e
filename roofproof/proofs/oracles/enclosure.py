"""Irrational values told apart in exact arithmetic: rational numbers below and above them, as close as need be.

What lies apart is told; that two irrational values are the same is never told.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from math import ceil, floor, isqrt

from roofproof.proofs.kernel.terms import Formula, Term
from roofproof.proofs.oracles.sampling import Inexact

BITS = (64, 256)  # of the numbers below and above, first and last
MAX_POWER = 4_096
Interval = tuple[Fraction, Fraction]


def holds(formula: Formula, point: Mapping[str, Fraction]) -> bool:
    """Tell whether a formula holds at a point where roots, logarithms and powers have irrational values.

    >>> three = ("log2", ("v", "n"))
    >>> holds((">", three, ("q", 158, 100)), {"n": Fraction(3)})                        # log2(3) = 1.5849...
    True
    >>> holds((">", ("power", ("q", 2, 1), ("q", 1, 3)), ("q", 63, 50)), {})            # 1.26^3 > 2
    False

    Raises Inexact where two values are too close to be told apart, and where one is not defined.
    """
    for bits in BITS:
        if (found := _truth(formula, point, bits)) is not None:
            return found
    raise Inexact("values too close to be told apart")


def _truth(formula: Formula, point: Mapping[str, Fraction], bits: int) -> bool | None:
    head, *parts = formula
    if head in (">", ">=", "="):
        try:
            (low, high), (least, most) = (enclosed(t, point, bits) for t in parts)
        except Inexact:
            return None  # it may still be told by what else is said
        if low > most or high < least:
            return bool(head != "=" and low > most)
        if low == high == least == most:
            return bool(head != ">")
        return True if head == ">=" and low == most else False if head == ">" and high == least else None
    if head == "int":
        low, high = enclosed(parts[0], point, bits)
        return low.denominator == 1 if low == high else None
    if head in ("true", "false"):
        return bool(head == "true")
    if head not in ("not", "and", "or", "=>", "<=>"):
        raise Inexact(f"no value at a point: {head}")
    truth = [_truth(p, point, bits) for p in parts]
    if head == "=>":
        head, truth = "or", [None if truth[0] is None else not truth[0], truth[1]]
    if head in ("and", "or"):
        decisive = head == "or"
        return decisive if decisive in truth else None if None in truth else not decisive
    if None in truth:
        return None
    return not truth[0] if head == "not" else truth[0] == truth[1]


def enclosed(term: Term, point: Mapping[str, Fraction], bits: int) -> Interval:
    """Return rational numbers at and below, at and above the value of a term at a point.

    >>> low, high = enclosed(("sqrt", ("v", "x")), {"x": Fraction(2)}, 8)               # 362/256 < 1.41421 < 363/256
    >>> low * 256, high * 256
    (Fraction(362, 1), Fraction(363, 1))
    """
    head, *parts = term
    if head == "v":
        return point[parts[0]], point[parts[0]]
    if head == "q":
        return Fraction(*parts), Fraction(*parts)
    if head == "^":
        return _power(enclosed(parts[0], point, bits), Fraction(parts[1]), bits)
    args = [enclosed(p, point, bits) for p in parts]
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
        pick = max if head == "max" else min
        return pick(a for a, _ in args), pick(b for _, b in args)
    if head in ("floor", "ceil"):
        rounded = floor if head == "floor" else ceil
        return Fraction(rounded(args[0][0])), Fraction(rounded(args[0][1]))
    if head == "sqrt":
        return _power(args[0], Fraction(1, 2), bits)
    if head == "log2":
        if args[0][0] <= 0:
            raise Inexact("the logarithm of what may not be positive")
        (low, _), (_, high) = (_logarithm(x, bits) for x in args[0])
        return low, high
    if head == "power" and args[1][0] == args[1][1]:
        return _power(args[0], args[1][0], bits)
    raise Inexact(f"no value at a point: {head}")


def _times(a: Interval, b: Interval) -> Interval:
    ends = [x * y for x, y in product(a, b)]
    return min(ends), max(ends)


def _outward(interval: Interval, bits: int) -> Interval:
    """Return an interval around this one whose ends are no longer than need be; a single number stays as it is."""
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


def _root(x: Fraction, n: int, bits: int) -> Interval:
    """Return numbers at and below, at and above the n-th root; an exact root is both."""
    exact = _whole_root(x.numerator, n), _whole_root(x.denominator, n)
    if exact[0] ** n == x.numerator and exact[1] ** n == x.denominator:
        return Fraction(*exact), Fraction(*exact)
    low = _whole_root((x.numerator << n * bits) // x.denominator, n)
    return Fraction(low, 1 << bits), Fraction(low + 1, 1 << bits)


def _whole_root(x: int, n: int) -> int:
    """Return the largest integer whose n-th power is at most x."""
    if n == 2:
        return isqrt(x)
    low, high = 0, 1 << -(-x.bit_length() // n)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle**n <= x else (low, middle - 1)
    return low


def _logarithm(x: Fraction, bits: int) -> Interval:
    """Return numbers at and below, at and above log2 of x > 0: each square of what is left gives one more digit."""
    whole = x.numerator.bit_length() - x.denominator.bit_length()
    whole -= x < Fraction(2) ** whole
    left = x / Fraction(2) ** whole  # 1 <= left < 2
    low, place = Fraction(whole), Fraction(1)
    around, one = (left, left), (Fraction(1), Fraction(1))
    for _ in range(bits):
        if around == one:
            return low, low
        place /= 2
        around = _shortened((around[0] ** 2, around[1] ** 2), 2 * bits)
        if around[0] >= 2:
            low, around = low + place, (around[0] / 2, around[1] / 2)
        elif around[1] >= 2:  # too close to 2 to be told apart at this length
            return low, low + 2 * place
    return low, low + place
