"""Exact values of terms and formulas at points, in integers: a value is a pair `top, bottom > 0`, or an integer.

Most sampled points are integers and most terms are polynomials. Which values are integers is known before evaluation,
and these stay Python integers. Intermediate fractions are not reduced.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from math import gcd, isqrt, prod
from operator import itemgetter
from typing import Any

from roofproof.proofs.assumptions import NUMBERS
from roofproof.proofs.kernel.terms import Formula, KernelError, Term, variables

Ratio = tuple[int, int]
At = Mapping[str, Any]  # the value of each name: an integer for a name declared whole, a pair for any other
Whole = Callable[[At], int]
Pair = Callable[[At], Ratio]
MAX_POWER = 1_000  # largest exponent of a power that is evaluated
LONG = 256  # bits of a denominator beyond which a sum is reduced to lowest terms


class Inexact(ArithmeticError):
    """The value at this point is not a rational number, or divides by zero."""


def ratios(point: Mapping[str, Fraction | int]) -> dict[str, Ratio]:
    """Return a point with its coordinates as pairs.

    >>> ratios({"x": Fraction(2, 3)})
    {'x': (2, 3)}
    """
    return {name: value.as_integer_ratio() for name, value in point.items()}


def pair_of(term: Term, whole: frozenset[str] = frozenset()) -> Pair:
    """Compile a term to a function that returns its value as a pair.

    >>> pair_of(Term("/", Term("v", "x"), Term("q", 3, 1)))({"x": (2, 5)})
    (2, 15)

    The function raises Inexact for a division by zero and for irrational roots, logarithms and powers.
    """
    return _paired(_compiled(term, whole))


def truth_of(formula: Formula, whole: frozenset[str] = frozenset()) -> Callable[[At], bool]:
    """Compile a formula to a predicate on points that evaluates all parts, so that no undefined part goes unnoticed.

    >>> above = Formula(">", Term("v", "x"), Term("q", 1, 2))
    >>> truth_of(above)({"x": (1, 2)}), truth_of(above, frozenset("x"))({"x": 1})
    (False, True)
    """
    return _truth(formula, whole & variables(formula))


# A term is compiled either to integer values or to pairs.
_Compiled = tuple[Whole, None] | tuple[None, Pair]


def _paired(made: _Compiled) -> Pair:
    whole, pair = made
    if whole is None:
        assert pair is not None
        return pair
    return lambda at: (whole(at), 1)


def _compiled(term: Term, whole: frozenset[str]) -> _Compiled:
    head = term[0]
    if head == "v":
        if term[1] in NUMBERS:
            return _irrational, None
        return (itemgetter(term[1]), None) if term[1] in whole else (None, itemgetter(term[1]))
    if head == "q":
        top, bottom = int(term[1]), int(term[2])
        return (lambda at: top, None) if bottom == 1 else (None, lambda at: (top, bottom))
    if head == "^":
        return _raised(_compiled(term[1], whole), int(term[2]))
    if head == "*":
        return _product(term, whole)
    parts = [_compiled(p, whole) for p in term[1:]]
    if head == "+":
        return _sum(parts)
    if head == "/":
        return None, _quotient(*parts)
    if head in ("max", "min"):
        return _chosen(parts, 1 if head == "max" else -1)
    if head in ("floor", "ceil"):
        [made] = parts
        if made[1] is None:
            return made
        pair = made[1]
        return (lambda at: _floor(pair(at))) if head == "floor" else (lambda at: -_floor(_minus(pair(at)))), None
    if head == "sqrt":
        return None, _root(_paired(parts[0]))
    if head == "log2":
        of = _paired(parts[0])
        return (lambda at: _exponent(*of(at))), None
    if head == "power":
        one, two = map(_paired, parts)
        return None, lambda at: _power(Fraction(*one(at)), Fraction(*two(at))).as_integer_ratio()
    raise KernelError(f"not a term: {head}")


def _irrational(at: At) -> int:
    raise Inexact("an irrational number")


def _raised(base: _Compiled, k: int) -> _Compiled:
    whole, pair = base
    if whole is not None:
        return (lambda at: whole(at) ** k), None
    assert pair is not None

    def raised(at: At) -> Ratio:
        top, bottom = pair(at)
        return top**k, bottom**k

    return None, raised


def _product(term: Term, whole: frozenset[str]) -> _Compiled:
    """Compile a product, with its numeric factors multiplied once."""
    numbers = [p for p in term[1:] if p[0] == "q"]
    above, below = prod([int(p[1]) for p in numbers]), prod([int(p[2]) for p in numbers])
    common = gcd(above, below)
    above, below = above // common, below // common
    parts = [_compiled(p, whole) for p in term[1:] if p[0] != "q"]
    wholes, pairs = [w for w, _ in parts if w is not None], [p for _, p in parts if p is not None]
    if not pairs:
        whole_part = _multiplied(wholes, above)
        return (whole_part, None) if below == 1 else (None, lambda at: (whole_part(at), below))

    def product(at: At) -> Ratio:
        top, bottom = above, below
        for w in wholes:
            top *= w(at)
        for p in pairs:
            a, b = p(at)
            top *= a
            bottom *= b
        return top, bottom

    return None, product


def _multiplied(wholes: list[Whole], factor: int) -> Whole:
    if len(wholes) == 1:
        [one] = wholes
        return one if factor == 1 else lambda at: factor * one(at)
    if len(wholes) == 2:
        one, two = wholes
        return (lambda at: one(at) * two(at)) if factor == 1 else (lambda at: factor * one(at) * two(at))
    return lambda at: prod([w(at) for w in wholes], start=factor)


def _sum(parts: list[_Compiled]) -> _Compiled:
    wholes, pairs = [w for w, _ in parts if w is not None], [p for _, p in parts if p is not None]
    if not pairs:
        if len(wholes) == 2:
            one, two = wholes
            return (lambda at: one(at) + two(at)), None
        return (lambda at: sum([w(at) for w in wholes])), None

    def added(at: At) -> Ratio:
        top, bottom = 0, 1
        for p in pairs:
            a, b = p(at)
            if b == bottom:
                top += a
            else:
                top, bottom = top * b + a * bottom, bottom * b
        for w in wholes:
            top += w(at) * bottom
        if bottom >> LONG:
            common = gcd(top, bottom)
            return top // common, bottom // common
        return top, bottom

    return None, added


def _quotient(above: _Compiled, below: _Compiled) -> Pair:
    if above[0] is not None and below[0] is not None:
        one, two = above[0], below[0]

        def of_wholes(at: At) -> Ratio:
            top, bottom = one(at), two(at)
            if bottom > 0:
                return top, bottom
            if not bottom:
                raise Inexact("division by zero")
            return -top, -bottom

        return of_wholes
    first, second = _paired(above), _paired(below)

    def quotient(at: At) -> Ratio:
        (a, b), (c, d) = first(at), second(at)
        if c > 0:
            return a * d, b * c
        if not c:
            raise Inexact("division by zero")
        return -a * d, b * -c

    return quotient


def _chosen(parts: list[_Compiled], sign: int) -> _Compiled:
    """Compile a maximum, or, with a negative sign, a minimum."""
    wholes = [w for w, _ in parts if w is not None]
    if len(wholes) == len(parts):
        return (lambda at: sign * max([sign * w(at) for w in wholes])), None
    first, *others = map(_paired, parts)

    def chosen(at: At) -> Ratio:
        top, bottom = first(at)
        for other in others:
            a, b = other(at)
            if sign * (a * bottom - top * b) > 0:
                top, bottom = a, b
        return top, bottom

    return None, chosen


def _floor(value: Ratio) -> int:
    return value[0] // value[1]


def _minus(value: Ratio) -> Ratio:
    return -value[0], value[1]


def _root(inside: Pair) -> Pair:
    def root(at: At) -> Ratio:
        top, bottom = inside(at)
        common = gcd(top, bottom)
        top, bottom = top // common, bottom // common
        if top < 0 or isqrt(top) ** 2 != top or isqrt(bottom) ** 2 != bottom:
            raise Inexact("an irrational square root")
        return isqrt(top), isqrt(bottom)

    return root


def _exponent(above: int, below: int) -> int:
    """Return the binary logarithm of above/below, a power of two."""
    common = gcd(above, below)
    top, bottom = above // common, below // common
    if top <= 0 or top & (top - 1) or bottom & (bottom - 1):
        raise Inexact("an irrational logarithm")
    return top.bit_length() - bottom.bit_length()


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    if base <= 0 or exponent.denominator > 1 or abs(exponent) > MAX_POWER:
        raise Inexact("an irrational power")
    return base ** int(exponent)


@lru_cache(maxsize=1024)  # one formula is evaluated at thousands of points
def _truth(formula: Formula, whole: frozenset[str]) -> Callable[[At], bool]:
    head = formula[0]
    if head in (">", ">=", "="):
        return _compared(head, _compiled(formula[1], whole), _compiled(formula[2], whole))
    if head == "int":
        inside, pair = _compiled(formula[1], whole)
        if inside is not None:
            return lambda at: inside(at) is not None
        assert pair is not None
        return lambda at: not int.__mod__(*pair(at))
    if head in ("true", "false"):
        return lambda at: bool(head == "true")
    if head not in ("not", "and", "or", "=>", "<=>"):
        raise KernelError(f"no value at a point: {head}")
    parts = [_truth(p, whole) for p in formula[1:]]
    if head == "not":
        [denied] = parts
        return lambda at: not denied(at)
    if head in ("and", "or"):
        joined = all if head == "and" else any
        return lambda at: joined([part(at) for part in parts])
    one, two = parts
    if head == "=>":
        return lambda at: [not one(at), two(at)] != [False, False]
    return lambda at: one(at) == two(at)  # "<=>"


def _compared(head: str, left: _Compiled, right: _Compiled) -> Callable[[At], bool]:
    if left[0] is not None and right[0] is not None:
        one, two = left[0], right[0]
        if head == ">":
            return lambda at: one(at) > two(at)
        if head == ">=":
            return lambda at: one(at) >= two(at)
        return lambda at: one(at) == two(at)
    first, second = _paired(left), _paired(right)

    def apart(at: At) -> int:
        (a, b), (c, d) = first(at), second(at)
        return a * d - c * b

    if head == ">":
        return lambda at: apart(at) > 0
    if head == ">=":
        return lambda at: apart(at) >= 0
    return lambda at: not apart(at)
