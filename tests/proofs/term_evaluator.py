"""The truth of a theorem at points, in exact fractions or sixty digits, by code that shares nothing with roofproof.

The proof checker leaves some values open: a division by zero, and the root or logarithm of a negative number. Such a
value is a number that depends only on the arguments. Theorems must hold for any choice, so two choices are tried.
"""

from fractions import Fraction
from functools import reduce
from math import ceil, floor, isqrt
from operator import add, mul
from random import Random

import mpmath

DIGITS, NEAR = 60, mpmath.mpf(10) ** -40
VALUES = [Fraction(n, d) for n in (-2, -1, 0, 1, 2, 3, 4) for d in (1, 1, 2)]
OPEN = (Fraction(3, 7), Fraction(-5))  # the two choices for an open value
FAR = Fraction(10) ** 20


class Unsure(ArithmeticError):
    """Sixty digits do not decide a comparison."""


def inexact(*values):
    """Return the values unchanged if all are fractions, otherwise as numbers of sixty digits."""
    if all(isinstance(v, Fraction) for v in values):
        return values
    return tuple(mpmath.mpf(v.numerator) / v.denominator if isinstance(v, Fraction) else v for v in values)


def root(v):
    top, bottom = (isqrt(n) for n in (v.numerator, v.denominator)) if isinstance(v, Fraction) else (0, 1)
    exact = Fraction(top, bottom)
    return exact if exact * exact == v else mpmath.sqrt(*inexact(v, mpmath.mpf(0))[:1])


def logarithm(v):
    if isinstance(v, Fraction):
        n = v.numerator.bit_length() - v.denominator.bit_length()
        if Fraction(2) ** n == v:
            return Fraction(n)
    return mpmath.log(inexact(v, mpmath.mpf(0))[0]) / mpmath.log(2)


def power(base, exponent):
    if abs(exponent) > 1000:
        raise Unsure
    if isinstance(base, Fraction) and isinstance(exponent, Fraction) and exponent.denominator == 1:
        return base ** int(exponent)
    base, exponent, _ = inexact(base, exponent, mpmath.mpf(0))
    return base**exponent


def whole(v, toward):
    if not isinstance(v, Fraction) and abs(v - mpmath.nint(v)) < NEAR:
        raise Unsure
    return Fraction(int(toward(v)))


def value(t, at, unknown=OPEN[0]):
    """Return the value of a term, as a Fraction if it is known exactly."""
    head, *parts = t
    if head == "q":
        return Fraction(*parts)
    if head == "v":
        return at[parts[0]]
    if head == "^":
        return value(parts[0], at, unknown) ** parts[1]
    args = inexact(*(value(p, at, unknown) for p in parts))
    if head in ("/", "sqrt", "log2", "power"):  # these depend on the sign of an argument
        asked = args[1 if head == "/" else 0]
        if not isinstance(asked, Fraction) and abs(asked) < NEAR:
            raise Unsure
    match head:
        case "+":
            return reduce(add, args, Fraction(0)) if all(isinstance(a, Fraction) for a in args) else sum(args)
        case "*":
            return reduce(mul, args[1:], args[0]) if args else Fraction(1)
        case "max":
            return max(args)
        case "min":
            return min(args)
        case "floor":
            return whole(args[0], floor)
        case "ceil":
            return whole(args[0], ceil)
        case "/" if args[1] != 0:
            return args[0] / args[1]
        case "sqrt" if args[0] >= 0:
            return root(args[0])
        case "log2" if args[0] > 0:
            return logarithm(args[0])
        case "power" if args[0] > 0:
            return power(*args)
    return inexact(unknown, *args)[0] - args[0]


def difference(f, at, unknown):
    """Return the sign of a - b. Raise Unsure if the digits do not decide it."""
    a, b = inexact(*(value(t, at, unknown) for t in f[1:]))
    if not isinstance(a, Fraction) and abs(a - b) <= NEAR * (1 + abs(a) + abs(b)):
        raise Unsure
    return (a > b) - (a < b)


def approaches(f, at, unknown):
    """Return False if a limit is missed far out at some rates, otherwise None, as no point proves a limit."""
    _, term, growing, limit = f
    if any(v <= 0 for n, v in at.items() if n not in growing):
        return None
    for rates in ((1, 1, 1), (1, 3, 2), (3, 1, 2)):
        far = at | {n: FAR**r for n, r in zip(growing, rates, strict=False)}
        there, wanted, margin = inexact(value(term, far, unknown), value(limit, far, unknown), Fraction(1, 10**6))
        if abs(there - wanted) > margin:
            return False
    return None


def truth(f, at, unknown=OPEN[0]):
    """Return True, False, or None if the truth is unknown."""
    head, *parts = f
    try:
        match head:
            case ">" | ">=" | "=":
                sign = difference(f, at, unknown)
                return {">": sign > 0, ">=": sign >= 0, "=": sign == 0}[head]
            case "int":
                v = value(parts[0], at, unknown)
                return whole(v, floor) == v
            case "tends":
                return approaches(f, at, unknown)
    except Unsure:
        return None
    given = [truth(p, at, unknown) for p in parts]
    match head:
        case "not":
            return None if given[0] is None else not given[0]
        case "and" | "true":
            return False if False in given else None if None in given else True
        case "or" | "false":
            return True if True in given else None if None in given else False
        case "=>":
            a, b = given
            return True if a is False or b else None if None in given else False
        case "<=>":
            return None if None in given else given[0] == given[1]
    raise AssertionError(f"{head} is no formula")


def variables(f):
    if f[0] == "v":
        return {f[1]}
    return set().union(*(variables(p) for p in f if isinstance(p, tuple) and p and type(p[0]) is str and p[0] in HEADS))


HEADS = frozenset(
    ("v", "+", "*", "/", "^", "max", "min", "sqrt", "floor", "ceil", "log2", "power", ">", ">=", "=", "int", "not",
     "and", "or", "=>", "<=>", "tends")
)  # fmt: skip


def points(hypotheses, unknown, names, count=24):
    """Yield points with the remaining hypotheses. A hypothesis v = t sets v, if t does not contain v."""
    random, names = Random(7), sorted(names)
    defining = {}
    for h in sorted(hypotheses, key=repr):
        if h[0] == "=" and h[1][0] == "v" and not variables(h[2]) & {h[1][1], *defining}:
            defining.setdefault(h[1][1], h)
    defining = {n: h for n, h in defining.items() if not variables(h[2]) & {*defining}}
    left = [h for h in hypotheses if h not in defining.values()]
    for k in range(count):
        pool = VALUES if k % 2 else VALUES[-9:]  # every second point is positive
        at = {n: random.choice(pool) for n in names}
        try:
            yield at | {n: value(h[2], at, unknown) for n, h in defining.items()}, left
        except Unsure:
            continue


def judged(hypotheses, conclusion):
    """Return the number of points at which the hypotheses hold, and one that refutes the conclusion, or None."""
    held = 0
    names = set().union(*(variables(f) for f in (*hypotheses, conclusion)))
    with mpmath.workdps(DIGITS):
        for unknown in OPEN:
            for at, left in points(hypotheses, unknown, names):
                if all(truth(h, at, unknown) for h in left):
                    held += 1
                    if truth(conclusion, at, unknown) is False:
                        return held, at
    return held, None
