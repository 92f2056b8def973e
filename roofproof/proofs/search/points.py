"""Search for points where formulas hold: with roots squared, near sign changes, and where two sides are equal.

Squared comparisons have rational values. Points are tried near each number that a name is compared with, and near the
sign changes along each name. A point where two sides are equal, such as x^2 = 2, may have one irrational coordinate.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import chain, combinations, islice, pairwise
from math import ceil, floor
from typing import Final

import sympy

from roofproof.derive.algebra.budget import spend
from roofproof.errors import RoofproofError
from roofproof.proofs.assumptions import NUMBERS
from roofproof.proofs.kernel.clearing import difference
from roofproof.proofs.kernel.terms import Formula, KernelError, Term, variables
from roofproof.proofs.oracles import sampling
from roofproof.proofs.oracles.points import Point, Surd, candidates, holds
from roofproof.proofs.oracles.ratios import At, Inexact, ratios, truth_of
from roofproof.proofs.search.polynomials import atoms_in, exchanged, terms_with
from roofproof.proofs.search.squares import squares
from roofproof.proofs.translate import to_expr, with_functions
from roofproof.symbols import quantity


def squares_of(formulas: Sequence[Formula]) -> list[Formula] | None:
    """Return formulas with the root of each comparison squared away, without proof. Return None if there is no root.

    Radicands are assumed positive. Formulas with roots of another form are left out.

    >>> from roofproof.proofs.kernel.terms import Term
    >>> x, one = Term("v", "x"), Term("q", 1, 1)
    >>> print(*squares_of([Formula("not", Formula(">", Term("q", 2, 1), Term("sqrt", Term("+", x, one))))]))
    not(0 + 2 > 0 and 0 + 3 + -1*x^1 > 0)
    """
    rooted = [bool(terms_with(("sqrt",), f)) for f in formulas]
    changed = [_squared(f) if has else f for f, has in zip(formulas, rooted, strict=True)]
    some = any(has and f is not None for f, has in zip(changed, rooted, strict=True))
    return [f for f in changed if f is not None] if some else None


def _squared(formula: Formula) -> Formula | None:
    table = dict[Formula, Formula]()
    for atom in atoms_in(formula):
        if terms_with(("sqrt",), atom):
            try:
                made = squares(atom) if atom[0] == ">" else None
            except KernelError:  # polynomials too large
                made = None
            if made is None:
                return None
            table |= {atom: made.changed, Formula(">=", *atom.sides[::-1]): Formula("not", made.changed)}
    return exchanged(formula, table)


def squared_point(
    formulas: Sequence[Formula], plain: Sequence[Formula], integers: Collection[str], tries: int
) -> dict[str, Fraction] | None:
    """Return a point where formulas hold, by first testing their squared forms, whose rational values are fast.

    After a few simple points, the search tries values at and next to the numbers that a name is compared with.

    >>> from roofproof.proofs.kernel.terms import Term
    >>> x = Term("v", "x")
    >>> short = Formula(">", Term("q", 782, 1), Term("sqrt", Term("+", Term("*", x, x), Term("q", 1, 1))))
    >>> both = [short, Formula(">=", x, Term("q", 781, 1))]
    >>> squared_point(both, squares_of(both), ["x"], 0)                                         # 781^2 + 1 < 782^2
    {'x': Fraction(781, 1)}
    """
    names = sorted(frozenset[str]().union(*map(variables, formulas)) - NUMBERS)
    some = candidates(names, [*_ratios(plain), *sampling.constants(formulas)], integers)
    met = chain(
        islice(some, 3 ** len(names)),
        points_near_constants(formulas, names, integers),
        points_near_sign_changes(plain, names, integers),
        islice(some, tries),
    )
    try:
        tests = [truth_of(f) for f in plain]
    except KernelError:  # a limit has no value at a point
        return None
    for point in met:
        at = ratios(point)
        with suppress(Inexact):
            if all(test(at) for test in tests) and all(holds(f, point) for f in formulas):
                return point
    return None


def _ratios(formulas: Sequence[Formula]) -> list[Fraction]:
    """Return the ratios of the numbers in each comparison, with its fractions cleared.

    >>> from roofproof.proofs.kernel.terms import Term
    >>> x, y = Term("v", "x"), Term("v", "y")
    >>> print(*_ratios([Formula(">", Term("/", x, Term("q", 80, 1)), Term("/", y, Term("q", 20, 1)))]))    # x > 4 y
    4
    """
    found = dict[Fraction, None]()
    for atom in atoms_in(*formulas):
        if atom[0] not in (">", "="):
            continue
        with suppress(KernelError):  # polynomials too large
            sizes = sorted({abs(Fraction(c)) for c in difference(*atom.sides)[0].values()})
            found |= dict.fromkeys(b / a for a, b in combinations(sizes[:6], 2))
    return list(found)


GRID: Final = tuple(Fraction(2**k) for k in range(21))  # values of the name along which sign changes are searched
RESTS: Final = (2**20, 4096, 1)  # values of the other names in that search
CLOSE: Final = 2**12
PLACES: Final = 9  # points of the other names, if one name is compared with a number
STEPS: Final = tuple(Fraction(1, 2**k) for k in range(0, 11, 2))  # distances from that number


def points_near_constants(
    formulas: Sequence[Formula], names: Sequence[str], integers: Collection[str]
) -> Iterator[dict[str, Fraction]]:
    """Yield points at which a name equals a number that it is compared with, or is close to it."""
    for atom in atoms_in(*formulas):
        match atom.sides:
            case (("v", str(name)), ("q", int(p), int(q))) | (("q", int(p), int(q)), ("v", str(name))) if name in names:
                at = Fraction(p, q)
                near = [at, *(at + turn * step for step in STEPS for turn in (1, -1))]
                near = [Fraction(n) for x in near[:3] for n in (floor(x), ceil(x))] if name in integers else near
                others = list(islice(sampling.points(names), min(PLACES, 3 ** (len(names) - 1))))
                yield from ({**rest, name: x} for x in dict.fromkeys(near) if x > 0 for rest in others)


def points_near_sign_changes(
    formulas: Sequence[Formula], names: Sequence[str], integers: Collection[str]
) -> Iterator[dict[str, Fraction]]:
    """Yield points next to and between sign changes of the comparisons along one name, with all other names equal.

    >>> from roofproof.proofs.kernel.terms import Term
    >>> x = Term("v", "x")
    >>> both = [Formula(">", x, Term("q", 590, 1)), Formula(">", Term("q", 600, 1), x)]
    >>> print(*(point["x"] for point in points_near_sign_changes(both, ["x"], ["x"])))
    590 591 595 599 600
    """
    tests = [truth_of(atom) for atom in atoms_in(*formulas) if atom[0] == ">"]
    for rest in RESTS if len(names) > 1 else RESTS[:1]:
        for name in names:
            others, whole = dict.fromkeys(names, Fraction(rest)), name in integers
            ends = sorted({x for test in tests for x in _changes(test, others, name, whole)})
            middles = [(a + b) / 2 for a, b in pairwise(ends)]
            for x in sorted({*ends, *(Fraction(floor(x)) if whole else x for x in middles)}):
                yield {**others, name: x}


def _changes(test: Callable[[At], bool], others: Mapping[str, Fraction], name: str, whole: bool) -> Iterator[Fraction]:
    """Yield values of a name close below and close above each change of a comparison."""

    def told(x: Fraction) -> bool | None:
        with suppress(Inexact):
            return test(ratios({**others, name: x}))
        return None

    for low, high in pairwise(GRID):
        below = told(low)
        if None in (below, told(high)) or below == told(high):
            continue
        while high - low > (1 if whole else low / CLOSE):
            middle = Fraction((low + high) // 2) if whole else (low + high) / 2
            low, high = (middle, high) if told(middle) == below else (low, middle)
        yield from (low, high)


# --- one irrational coordinate ----------------------------------------------------------------------------------------

FEW: Final = 3  # points of the other coordinates
MAX_DEGREE: Final = 8
MEETING: Final = 50_000  # steps


def irrational_points(formulas: Sequence[Formula], names: Sequence[str]) -> Iterator[Point]:
    """Yield points with one irrational coordinate at which the formulas hold.

    >>> square = Term("^", Term("v", "x"), 2)
    >>> for point in irrational_points([Formula("=", square, Term("q", 2, 1))], ["x"]):
    ...     print(point["x"])
    sqrt(2)
    """
    every = [(atom[1], atom[2]) for atom in atoms_in(*formulas)]
    others = sorted(frozenset[str]().union(*map(variables, formulas)))
    for place in islice(sampling.points(others), FEW if len(others) > 1 else 1):
        for name in names:
            found: dict[Term, None] = {}
            for left, right in every:
                found |= dict.fromkeys(_meeting(left, right, name, place))
            for term in found:
                point: Point = {**place, name: Surd(term)}
                if all(holds(f, point) for f in formulas):
                    yield point


def _meeting(left: Term, right: Term, name: str, place: dict[str, Fraction]) -> Iterator[Term]:
    """Yield the positive irrational values of a name at which two terms are equal."""
    spend(MEETING)
    x, r = quantity(name), quantity(f"{name}'")
    at = {quantity(n): sympy.Rational(v) for n, v in place.items() if n != name}
    try:
        difference = (to_expr(left) - to_expr(right)).xreplace(at)
        root = any(p.base == x and p.exp.is_Rational and not p.exp.is_Integer for p in difference.atoms(sympy.Pow))
        poly = sympy.Poly(sympy.numer(sympy.together(difference.subs(x, r**2 if root else r))), r)
        if poly.degree() > MAX_DEGREE:
            return
        for value in sympy.roots(poly):
            if value.is_real and value.is_positive and not value.is_Rational:
                yield with_functions(value**2 if root else value)
    except (RoofproofError, KernelError, KeyError, TypeError, ValueError, sympy.PolynomialError):
        return  # ValueError: a maximum with an argument that has no value there
