"""Formulas at points, with rational values for the names, or irrational values made with roots.

Two values made with roots are equal if they agree to more precision than two different such values can. Equality of
values with logarithms or irrational exponents is never decided.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import chain, islice
from math import ceil, floor, prod
from typing import Final

from roofproof.derive.algebra.budget import spend
from roofproof.proofs.assumptions import LN2, MINUS, NUMBERS, PI
from roofproof.proofs.kernel.terms import ZERO, Formula, KernelError, Term
from roofproof.proofs.oracles import sampling
from roofproof.proofs.oracles.intervals import Interval, enclosed, truth
from roofproof.proofs.oracles.ratios import Inexact
from roofproof.proofs.oracles.root_bound import bits_to_zero

PARTS: Final = tuple(Fraction(k, 8) for k in (10, 9, 8, 12, 7, 4, 16))  # factors for numbers near a given one
LARGE: Final = 2**20
BITS: Final = (64, 256)  # precision of the bounds if no separation bound is known
MAX_BITS: Final = 16_384
FOLDED: Final = 16  # the highest power of a number that is evaluated immediately


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


def given_numbers(assumptions: Iterable[Formula]) -> dict[str, Fraction]:
    """Return the values that the assumptions give to names, by name.

    >>> given_numbers([("=", ("v", "n"), ("q", 3, 2)), (">", ("v", "n"), ("q", 1, 1))])
    {'n': Fraction(3, 2)}
    """
    return {f[1][1]: Fraction(*f[2][1:]) for f in assumptions if f[0] == "=" and f[1][0] == "v" and f[2][0] == "q"}


def holds(formula: object, point: Point) -> bool:
    """Return whether a formula holds at a point, exactly, or False if it is undefined or too close to decide.

    >>> holds((">", ("sqrt", ("v", "x")), ("q", 7, 5)), {"x": Fraction(2)})                         # 49/25 < 2
    True
    """
    try:
        if all(isinstance(value, int | Fraction) for value in point.values()):
            return sampling.holds(formula, point)  # type: ignore[arg-type]
    except (ArithmeticError, KernelError, KeyError):  # no rational value, such as log(2)
        pass
    try:
        return truth_at(formula, point)  # type: ignore[arg-type]
    except (ArithmeticError, KeyError):
        return False


def truth_at(formula: Formula, point: Point) -> bool:
    """Return whether a formula holds at a point at which roots, logarithms and powers may be irrational.

    >>> three = Term("log2", Term("v", "n"))
    >>> truth_at(Formula(">", three, Term("q", 158, 100)), {"n": Fraction(3)})                    # log2(3) = 1.5849...
    True
    >>> truth_at(Formula(">", Term("power", Term("q", 2, 1), Term("q", 1, 3)), Term("q", 63, 50)), {})  # 1.26^3 > 2
    False
    >>> root = lambda k: Term("sqrt", Term("q", k, 1))
    >>> truth_at(Formula("=", Term("*", root(2), root(3)), root(6)), {})
    True

    Raises Inexact if two values are too close to compare or one is undefined.
    """
    if (found := truth(formula, lambda a, b: frozenset((compared(a, b, point),)))) is None:
        raise Inexact("values too close to be told apart")
    return found


def compared(a: Term, b: Term, point: Point) -> int:
    """Return the sign of a - b at a point, or raise Inexact if it cannot be decided.

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
            low, high, least, most = (Fraction(k) for k in (0, 1, 0, 1))  # a divisor may be zero at this precision
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
    """Return rational lower and upper bounds on a term, which may contain floor and ceil.

    >>> value_at(Term("floor", Term("sqrt", Term("v", "x"))), {"x": Fraction(10)}, 64)
    (Fraction(3, 1), Fraction(3, 1))
    """
    return enclosed(_at(term, point), {}, bits)


def _at(term: Term, point: Point) -> Term:
    """Return the value of a term at a point, as a term without names in which only roots and functions remain."""
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
        if first != last:  # one integer lies between the bounds: compare the value with it
            order = compared(args[0], Term("q", last if head == "floor" else first, 1), {})
            first = (last if order >= 0 else first) if head == "floor" else (first if order <= 0 else last)
        return Term("q", first, 1)
    if head in ("sqrt", "power") and args[0][0] != "q" and compared(args[0], ZERO, {}) == 0:
        return Term("sqrt", ZERO) if head == "sqrt" else Term(head, ZERO, args[1])  # bounds around 0 have no root
    return _folded(head, args)


def _folded(head: str, args: Sequence[Term]) -> Term:
    """Return a term with its rational numbers combined, so that no known value is approximated.

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


def irrational(f: object) -> bool:
    """Return whether a formula or term has roots, powers, logarithms or pi, which are irrational at most points."""
    return f in NUMBERS or (
        isinstance(f, tuple) and (f[:1] in (("sqrt",), ("power",), ("log2",)) or any(map(irrational, f)))
    )


def near(
    formulas: Sequence[Formula], names: Sequence[str], integers: Collection[str], tries: int
) -> dict[str, Fraction] | None:
    """Return one of the first `tries` candidates at which formulas with irrational values hold, or None.

    >>> more = (">", ("sqrt", ("+", ("v", "x"), ("q", 1, 1))), ("q", 100, 1))                    # x > 9999
    >>> print(near([more], ["x"], (), 40)["x"])
    16384
    """
    if not any(map(irrational, formulas)):
        return None
    found = candidates(names, sampling.constants(formulas), integers)
    tests = sorted(formulas, key=irrational)  # formulas with rational values are cheap to evaluate
    return next((p for p in islice(found, tries if names else 1) if all(holds(f, p) for f in tests)), None)


def candidates(
    names: Sequence[str], hints: Sequence[Fraction], integers: Collection[str]
) -> Iterator[dict[str, Fraction]]:
    """Yield points indefinitely: the smallest, then those near the hints, then any.

    >>> print(*(point["x"] for point in islice(candidates(["x"], [Fraction(8)], ["x"]), 6)))        # 8 * 10/8, 8 * 9/8
    1 2 3 10 10 9
    """
    some = sampling.points(names, hints)
    for point in chain(islice(some, 3 ** len(names)), _around(names, hints), some):
        yield point | {n: Fraction(max(1, round(point[n]))) for n in integers if n in point}


def _around(names: Sequence[str], hints: Iterable[Fraction]) -> Iterator[dict[str, Fraction]]:
    """Yield points with one name near a hint or a ratio of two hints, and all other names large or 1."""
    numbers = list(dict.fromkeys(hints))
    about = dict.fromkeys(h for h in (*numbers, *(a / b for a in numbers for b in numbers if b)) if 1 < h < LARGE)
    for part in PARTS:
        for hint in about:
            for name in names:
                for rest in (LARGE, 1):
                    yield {**dict.fromkeys(names, Fraction(rest)), name: hint * part}
