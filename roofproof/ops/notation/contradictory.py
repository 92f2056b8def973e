"""Conditions on sizes that no sizes meet: seen from sums of their sides, with each product of sizes 1 or more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations, product
from math import gcd
from typing import TypeAlias

import sympy
from sympy import Expr, Integer, Mod
from sympy.logic.boolalg import Boolean

MOST_ROWS = 500  # sums that are formed of them

Row: TypeAlias = tuple[frozenset[tuple[Expr, Expr]], bool]  # a sum, by term and factor, that is >= 0, or > 0


def contradictory(conditions: Sequence[Boolean]) -> tuple[Boolean, ...]:
    """Return conditions among these that contradict each other; none where none are seen to.

    >>> from roofproof.symbols import dimension
    >>> B, D, F = map(dimension, "BDF")
    >>> contradictory((B > D, F > 2 * B, F > B, F < D + B + 2))                  # F >= 2 B + 1 >= B + D + 2
    (B > D, F > 2*B, F < B + D + 2)
    >>> contradictory((B > D, B < D + 2))                                        # B = D + 1
    ()

    Each size is taken out in turn, from every pair of sums that bound it from both sides (Fourier, Motzkin).
    """
    for one, other in combinations(filter(None, map(_remainder, conditions)), 2):
        if one[0] == other[0] and (one[2] - other[2]) % gcd(one[1], other[1]):
            return one[3], other[3]
    rows: dict[Row, frozenset[Boolean]] = {}
    for c in conditions:
        rows.update({row: frozenset({c}) for row in _rows(c) if row not in rows})
    terms = sorted({term for sums, _ in rows for term, _ in sums} - {sympy.S.One}, key=str)
    for term in terms:
        if term.is_positive:
            rows.setdefault(_row(term, True), frozenset())
    for one, other in permutations(terms, 2):
        if (one / other).is_integer and one.is_positive and other.is_positive:  # B D is D or more
            rows.setdefault(_row(one - other, False), frozenset())
    for term in terms:
        kept = {row: of for row, of in rows.items() if not _factor(row, term)}
        above, below = ([row for row in rows if sign * _factor(row, term) > 0] for sign in (1, -1))
        for up, down in product(above, below):
            joint = _factor(up, term) * _sum(down) - _factor(down, term) * _sum(up)
            kept.setdefault(_row(sympy.expand(joint), up[1] or down[1]), rows[up] | rows[down])
        if len(kept) > MOST_ROWS:
            return ()
        rows = kept
    for row, of in rows.items():
        if (left := _sum(row)) < 0 or (row[1] and left == 0):
            return tuple(c for c in conditions if c in of)
    return ()


def _rows(condition: Boolean) -> Iterator[Row]:
    """Yield the sums that a condition says are not negative: what divides a size is no larger."""
    match condition:
        case sympy.Eq(args=(Mod(args=(whole, part)), sympy.S.Zero)):
            yield _row(sympy.expand(whole - part), False)
        case sympy.Gt() | sympy.Ge():
            yield _row(sympy.expand(condition.lhs - condition.rhs), isinstance(condition, sympy.Gt))
        case sympy.Lt() | sympy.Le():
            yield _row(sympy.expand(condition.rhs - condition.lhs), isinstance(condition, sympy.Lt))


def _row(total: Expr, strict: bool) -> Row:
    """Return a sum as a row; a whole number that is more than 0 is 1 or more."""
    factors = total.as_coefficients_dict()
    if strict and all(term.is_integer and n.is_Integer for term, n in factors.items()):
        factors[sympy.S.One] -= 1
        strict = False
    return frozenset((term, n) for term, n in factors.items() if n), strict


def _factor(row: Row, term: Expr) -> Expr:
    return next((n for each, n in row[0] if each == term), Integer(0))


def _sum(row: Row) -> Expr:
    return sympy.Add(*(term * n for term, n in row[0]))


def _remainder(condition: Boolean) -> tuple[Expr, int, int, Boolean] | None:
    """Return congruences: a term, its modulus and remainder, and the condition that states it."""
    match condition:
        case sympy.Eq(args=(Mod(args=(whole, Integer() as number)), Integer() as left)):
            return whole, int(number), int(left), condition
    return None


def condition_text(condition: Boolean) -> str:
    """Return a condition as it is written.

    >>> from roofproof.symbols import dimension
    >>> condition_text(sympy.Eq(Mod(dimension("D"), 128), 0))
    '128 | D'
    """
    match condition:
        case sympy.Eq(args=(Mod(args=(whole, part)), left)):
            return f"{part} | {whole}" if left == 0 else f"{whole} odd" if part == 2 else f"{whole} mod {part} = {left}"
    return str(condition)
