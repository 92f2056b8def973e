"""Irrational values compared in exact arithmetic: rational numbers below and above them, as close as need be.

Ends of intervals are rational; those of logarithms, of powers and of pi are those of a ball of FLINT (Arb).

Two values made with roots that are enclosed more closely than such values can lie apart are the same. That two values
with logarithms, or with irrational exponents, are the same is never told.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, reduce
from itertools import product
from math import ceil, floor, prod

from flint import arb, ctx, fmpq, fmpz

from roofproof.derive.algebra.budget import spend
from roofproof.proofs.assumptions import LN2, PI
from roofproof.proofs.kernel.terms import ZERO, Formula, Term
from roofproof.proofs.oracles.ratios import Inexact
from roofproof.proofs.oracles.root_bound import MAX_POWER, bits_to_zero

BITS = (64, 256)  # of the numbers below and above, where nothing is known of how close two values may lie
MAX_BITS = 16_384
GUARD = 32  # more binary digits for what a logarithm loses
FOLDED = 16  # the highest power of a number that is worked out at once
MINUS = Term("q", -1, 1)
Interval = tuple[Fraction, Fraction]


@dataclass(frozen=True, slots=True)
class Surd:
    """An irrational coordinate of a point: a term without names, made with roots.

    >>> print(Surd(Term("sqrt", Term("q", 2, 1))), -Surd(Term("sqrt", Term("q", 2, 1))))
    sqrt(2) -sqrt(2)
    """

    term: Term

    def __str__(self) -> str:
        from roofproof.derive.algebra.text import plain
        from roofproof.proofs.translate import to_expr

        return plain(to_expr(self.term))

    def __neg__(self) -> Surd:
        return self * -1

    def __mul__(self, n: int) -> Surd:
        return Surd(Term("*", Term("q", n, 1), self.term))

    def __pow__(self, n: int) -> Surd:
        return Surd(Term("^", self.term, n))

    def __add__(self, other: Fraction | Surd | int) -> Surd:
        return Surd(Term("+", self.term, coordinate(other)))

    __radd__ = __add__


Point = Mapping[str, Fraction | Surd]


def coordinate(value: Fraction | Surd | int) -> Term:
    """Return the term of a coordinate.

    >>> coordinate(Fraction(1, 2))
    ('q', 1, 2)
    """
    return value.term if isinstance(value, Surd) else Term.rational(value)


def holds(formula: Formula, point: Point) -> bool:
    """Tell whether a formula holds at a point where roots, logarithms and powers have irrational values.

    >>> three = Term("log2", Term("v", "n"))
    >>> holds(Formula(">", three, Term("q", 158, 100)), {"n": Fraction(3)})                        # log2(3) = 1.5849...
    True
    >>> holds(Formula(">", Term("power", Term("q", 2, 1), Term("q", 1, 3)), Term("q", 63, 50)), {})  # 1.26^3 > 2
    False
    >>> root = lambda k: Term("sqrt", Term("q", k, 1))
    >>> holds(Formula("=", Term("*", root(2), root(3)), root(6)), {})
    True

    Raises Inexact where two values are too close to be told apart, and where one is not defined.
    """
    if (found := truth(formula, lambda a, b: frozenset((compared(a, b, point),)))) is None:
        raise Inexact("values too close to be told apart")
    return found


def possible_signs(a: Interval, b: Interval) -> frozenset[int]:
    """Return the signs that a difference may have, whose sides lie in these intervals.

    >>> one, three = Fraction(1), Fraction(3)
    >>> sorted(possible_signs((one, three), (three, three)))
    [-1, 0]
    """
    low, high = a[0] - b[1], a[1] - b[0]
    return frozenset(s for s, may in ((1, high > 0), (0, low <= 0 <= high), (-1, low < 0)) if may)


def truth(formula: Formula, signs: Callable[[Term, Term], frozenset[int]]) -> bool | None:
    """Tell whether a formula holds by the signs that the difference of two values may have; None where that is open.

    >>> [truth(Formula(head, Term("q", 2, 1), Term("q", 1, 1)), lambda a, b: frozenset((0, 1))) for head in (">=", ">")]
    [True, None]
    """
    head, *parts = formula
    if head in (">", ">=", "=", "int"):
        a, b = (parts[0], Term("floor", parts[0])) if head == "int" else parts
        try:
            found = signs(a, b)
        except Inexact:
            return None  # it may still be told by what else is said
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
        for part in parts:  # one that decides spares the others, of which each may take a root apart
            if (one := truth(part, signs)) is decisive:
                return decisive
            open_ = open_ or one is None
        return None if open_ else not decisive
    told = [truth(p, signs) for p in parts]
    if None in told:
        return None
    return not told[0] if head == "not" else told[0] == told[1]


def compared(a: Term, b: Term, point: Point) -> int:
    """Return the sign of a - b at a point; raises Inexact where it is not told.

    >>> root = lambda k: Term("sqrt", Term("q", k, 1))
    >>> five = Term("+", Term("q", 5, 1), Term("*", Term("q", 2, 1), root(6)))
    >>> compared(Term("sqrt", five), Term("+", root(2), root(3)), {})  # (sqrt 2 + sqrt 3)^2 = 5 + 2 sqrt 6
    0
    """
    a, b = _at(a, point), _at(b, point)
    needed = None
    bits = BITS[0]
    while True:
        spend(bits)
        try:
            (low, high), (least, most) = (enclosed(t, {}, bits) for t in (a, b))
        except Inexact:
            low, high, least, most = (Fraction(k) for k in (0, 1, 0, 1))  # a divisor that may be zero, so far
        if low > most or high < least:
            return 1 if low > most else -1
        if low == high == least == most:
            return 0
        if needed is None:
            needed = bits_to_zero(Term("+", a, Term("*", MINUS, b)))
        if needed is not None and (high - least) - (low - most) < Fraction(1, 1 << ceil(needed)):
            return 0
        if bits >= (BITS[1] if needed is None else MAX_BITS) or (needed is not None and bits > 4 * needed + 512):
            raise Inexact("values too close to be told apart")
        bits *= 4 if needed is None else 2


def value_at(term: Term, point: Point, bits: int) -> Interval:
    """Return rational numbers at and below, at and above the value of a term, in which values may be rounded.

    >>> value_at(Term("floor", Term("sqrt", Term("v", "x"))), {"x": Fraction(10)}, 64)
    (Fraction(3, 1), Fraction(3, 1))
    """
    return enclosed(_at(term, point), {}, bits)


def _at(term: Term, point: Point) -> Term:
    """Return the value of a term at a point, as a term in which nothing is left open but roots and functions."""
    head, *parts = term
    if head == "v":
        return term if term in (LN2, PI) else coordinate(point[parts[0]])
    if head == "q":
        return term
    if head == "^":
        base = _at(parts[0], point)
        return (
            coordinate(Fraction(*base[1:]) ** parts[1])
            if base[0] == "q" and parts[1] <= FOLDED
            else Term("^", base, parts[1])
        )
    args = [_at(p, point) for p in parts]
    if head in ("max", "min"):
        side = 1 if head == "max" else -1
        return reduce(lambda one, other: one if side * compared(one, other, {}) >= 0 else other, args)
    if head in ("floor", "ceil"):
        low, high = enclosed(args[0], {}, BITS[0])
        rounded = floor if head == "floor" else ceil
        first, last = rounded(low), rounded(high)
        if last - first > 1:
            raise Inexact("a number too large to be rounded")
        if first != last:  # one whole number lies between: on which side of it, or is it that number?
            order = compared(args[0], Term("q", last if head == "floor" else first, 1), {})
            first = (last if order >= 0 else first) if head == "floor" else (first if order <= 0 else last)
        return Term("q", first, 1)
    if head in ("sqrt", "power") and args[0][0] != "q" and compared(args[0], ZERO, {}) == 0:
        return Term("sqrt", ZERO) if head == "sqrt" else Term(head, ZERO, args[1])  # what is about zero has no root
    return _folded(head, args)


def _folded(head: str, args: Sequence[Term]) -> Term:
    """Return a term with its numbers worked out, so that nothing is enclosed whose value is known.

    >>> _folded("+", [Term("sqrt", Term("q", 2, 1)), Term("q", 1, 2), Term("q", 1, 3)])
    ('+', ('sqrt', ('q', 2, 1)), ('q', 5, 6))
    """
    numbers = [Fraction(*a[1:]) for a in args if a[0] == "q"]
    if head == "/" and len(numbers) == 2 and numbers[1]:
        return coordinate(numbers[0] / numbers[1])
    if head in ("+", "*") and len(numbers) > (1 if len(numbers) < len(args) else 0):
        value = coordinate(sum(numbers, Fraction(0)) if head == "+" else prod(numbers, start=Fraction(1)))
        rest = [a for a in args if a[0] != "q"]
        return Term(head, *rest, value) if rest else value
    return Term(head, *args)


def enclosed(term: Term, point: Point | Mapping[str, Interval], bits: int) -> Interval:
    """Return rational numbers at and below, at and above the value of a term at a point, or wherever names lie between.

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
        value = point[parts[0]]
        if isinstance(value, tuple):
            return value
        return enclosed(value.term, {}, bits) if isinstance(value, Surd) else (value, value)
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
    """Return that a number which has a name lies between two rational ones.

    >>> all(holds(bound, {}) for number in (PI, LN2) for bound in bounds_of(number))
    True
    """
    low, high = enclosed(number, {}, BITS[0])
    return Formula(">", number, coordinate(low)), Formula(">", coordinate(high), number)


def _around(value: Callable[[], arb], bits: int) -> Interval:
    """Return rational numbers at and below, at and above a value of FLINT, worked out to so many binary digits.

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


def _raised(base: Interval, exponent: Interval, bits: int) -> Interval:
    """Return numbers around a power; where the exponent is irrational or long it is one of two: 2^(y log2(b))."""
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
    """Return numbers around 2^y, exact for a whole number.

    >>> low, high = _two_to(Fraction(7, 2), 64)                                                   # 8 sqrt(2)
    >>> low**2 <= 128 <= high**2, (high - low) * 2**50 < 1
    (True, True)
    """
    if y.denominator == 1:
        return Fraction(2) ** y.numerator, Fraction(2) ** y.numerator
    return _around(lambda: arb(2) ** _ball(y), 2 * bits)


def _root(x: Fraction, n: int, bits: int) -> Interval:
    """Return numbers at and below, at and above the n-th root; an exact root is both."""
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
    """Return numbers at and below, at and above log2 of x > 0, exact for a power of two."""
    whole = x.numerator.bit_length() - x.denominator.bit_length()
    if x == Fraction(2) ** whole:
        return Fraction(whole), Fraction(whole)
    return _around(lambda: _ball(x).log_base(2), bits + whole.bit_length() + GUARD)
