"""Points at which two values of a maximum or a minimum are equal: random points miss these."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any

from roofproof.derive.algebra.budget import spend
from roofproof.proofs.kernel.terms import Formula, KernelError, Term, variables
from roofproof.proofs.oracles.ratios import At, Inexact, pair_of, ratios, truth_of

AT = (1, 4096, 64, 512, 32768, 2, 7)  # values of the names that are not solved for
Exact = Fraction | int
Plain = Mapping[str, Exact]
PAIRS = 6  # of values compared
STEPS = 40  # a point


def where_equal(formulas: Sequence[Formula], integers: Sequence[str] = (), last: int = 0) -> dict[str, Fraction] | None:
    """Return a positive point at which all formulas hold and two values of a maximum are equal, if one is met.

    >>> x, y, two = Term("v", "x"), Term("v", "y"), Term("q", 2, 1)
    >>> longest = Term("max", Term("*", two, x), Term("*", Term("q", 3, 1), y))
    >>> same = Formula(">=", Term("+", *longest[1:]), Term("*", two, longest))     # a + b >= 2 max(a, b): a = b
    >>> where_equal([same])
    {'x': Fraction(3, 2), 'y': Fraction(1, 1)}
    >>> where_equal([same], ["x", "y"])
    {'x': Fraction(6144, 1), 'y': Fraction(4096, 1)}

    One name is solved for, as values mostly are linear in each; the others are tried, whole ones up to `last` as well.
    """
    names = sorted(frozenset[str]().union(*map(variables, formulas)))
    whole = frozenset(integers)
    try:
        true = [truth_of(f) for f in formulas]
        for one, other in list(_compared(formulas))[:PAIRS]:
            apart = _difference(one, other)
            for x in sorted(variables(one) | variables(other)):
                others = [n for n in names if n != x]
                for point in _points(others, last if whole.issuperset(others) else 0):
                    spend(STEPS)
                    if (root := _root(apart, x, point, x in whole)) is None:
                        continue
                    there = {n: Fraction(v) for n, v in {**point, x: root}.items()}
                    if _all(true, there):
                        return dict(sorted(there.items()))
    except KernelError:  # no values at points
        pass
    return None


def _compared(formulas: Sequence[Formula]) -> Iterator[tuple[Term, Term]]:
    """Yield the pairs of values of each maximum and minimum, each once."""
    todo: list[Any] = list(formulas)
    seen: set[tuple[Term, Term]] = set()
    for each in todo:
        if each[0] in ("max", "min"):
            for pair in combinations(each[1:], 2):
                if pair not in seen:
                    seen.add(pair)
                    yield pair
        if each[0] not in ("v", "q"):
            todo += [part for part in each[1:] if isinstance(part, tuple)]


def _difference(one: Term, other: Term) -> Callable[[Plain], Exact]:
    left, right = pair_of(one), pair_of(other)

    def apart(point: Plain) -> Exact:
        at = ratios(point)
        (a, b), (c, d) = left(at), right(at)
        return Fraction(a * d - c * b, b * d)

    return apart


def _points(names: Sequence[str], last: int) -> Iterator[dict[str, Exact]]:
    for values in product(AT, repeat=min(len(names), 2)):
        yield {name: values[k % 2] for k, name in enumerate(names)} if len(names) > 1 else dict.fromkeys(names, *values)
    for k in range(1, last + 1):
        yield {name: k for name in names}


def _root(apart: Callable[[Plain], Exact], x: str, point: dict[str, Exact], whole: bool) -> Exact | None:
    """Return the positive value of a name at which a difference that is linear in it is zero, if there is one."""
    try:
        first, second = apart({**point, x: 1}), apart({**point, x: 2})
        if first == second:
            return None
        root = 1 - Fraction(first) / (second - first)
        if root <= 0 or (whole and root.denominator > 1):
            return None
        return root if apart({**point, x: root}) == 0 else None
    except Inexact:
        return None


def _all(true: Sequence[Callable[[At], bool]], point: Plain) -> bool:
    at = ratios(point)
    try:
        return all(holds_at(at) for holds_at in true)
    except Inexact:
        return False
