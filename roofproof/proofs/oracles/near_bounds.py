"""Points next to the numbers that a name is compared with, where almost correct statements fail."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor

from roofproof.proofs.kernel.terms import Formula, KernelError
from roofproof.proofs.oracles.points import Point, holds
from roofproof.proofs.oracles.ratios import pair_of, ratios


def points_near_bounds(
    formulas: Sequence[Formula],
    name: str,
    others: Mapping[str, Fraction],
    steps: Sequence[int] = (),
    whole: bool = False,
) -> Iterator[Point]:
    """Yield points at which formulas hold and a name is at, next to or between the numbers that it is compared with.

    >>> from roofproof.proofs.kernel.terms import Term
    >>> x, y = Term("v", "x"), Term("v", "y")
    >>> between = [Formula(">", x, Term("q", 150, 1)), Formula(">", Term("q", 201, 1), Term("/", Term("*", x, y), y))]
    >>> next(points_near_bounds(between, "x", {"y": Fraction(1)}))
    {'x': Fraction(351, 2), 'y': Fraction(1, 1)}
    >>> share = Term("/", x, Term("+", x, y))
    >>> between = [Formula(">", share, Term("q", 1, 3)), Formula(">", Term("q", 2, 5), share)]
    >>> next(points_near_bounds(between, "x", {"y": Fraction(1)}))                                  # 1/2 < x < 2/3
    {'x': Fraction(7, 12), 'y': Fraction(1, 1)}

    For a `whole` name, nearby multiples of each of the `steps` are tried too.
    """
    met = (end for f in formulas for end in _ends(f, name, others))
    ends = sorted({Fraction(1), *(end for end in met if end > 0)})
    values = [*((a + b) / 2 for a, b in pairwise(ends)), *ends, *(end + off for end in ends for off in (1, -1))]
    if whole:
        around = {floor(v) for v in values} | {ceil(v) for v in values}
        near = {(floor(end / step) + k) * step for end in ends for step in steps for k in (0, 1)}
        values = [Fraction(n) for n in sorted(around | near)]
    for value in dict.fromkeys(v for v in values if v > 0):
        point = dict(sorted({name: value, **others}.items()))
        if all(holds(f, point) for f in formulas):
            yield point


def _ends(f: Formula, name: str, others: Mapping[str, Fraction]) -> Iterator[Fraction]:
    """Yield the values at which two compared sides are equal, if their difference is a quotient of linear functions."""
    if f[0] not in (">", ">=", "="):
        for part in (p for p in f[1:] if isinstance(p, Formula)):
            yield from _ends(part, name, others)
        return
    with suppress(ArithmeticError, KernelError, KeyError):
        left, right = map(pair_of, f[1:])
        at = (ratios({name: Fraction(n), **others}) for n in (1, 2, 4, 8))
        one, two, four, eight = (Fraction(*left(p)) - Fraction(*right(p)) for p in at)
        if one != two and four - two == 2 * (two - one):
            yield 1 - one / (two - one)
        elif bend := four - 3 * two + 2 * one:  # (a x + b)/(x + c)
            c = (6 * two - 2 * one - 4 * four) / bend
            a = 2 * two - one + c * (two - one)
            b = one * (1 + c) - a
            if a and eight * (8 + c) == 8 * a + b:
                yield -b / a
