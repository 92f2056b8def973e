"""Numeric decisions as in library/Numbers.v, but no more precise, so that Coq accepts every theorem that is stated."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from roofproof.proofs.assumptions import NUMBERS
from roofproof.proofs.kernel.terms import Formula, Term, variables
from roofproof.proofs.oracles.intervals import enclosed, possible_signs, truth
from roofproof.proofs.oracles.ratios import Inexact
from roofproof.proofs.search.polynomials import terms_with

BITS = 60  # the library uses eighty or more
LARGEST, DEEPEST = 5_000, 12  # limits of exponents and of root degrees above 2: larger ones take Coq seconds


def holds_at(f: Formula, point: Mapping[str, Fraction]) -> bool | None:
    """Return whether a formula holds at a point, or None if the Coq library cannot decide it.

    >>> three = Term("log2", Term("v", "n"))
    >>> holds_at(Formula(">", three, Term("q", 158, 100)), {"n": Fraction(3)})                     # log2(3) = 1.5849...
    True
    >>> root = lambda k: Term("sqrt", Term("q", k, 1))
    >>> holds_at(Formula("=", Term("*", root(2), root(3)), root(6)), {}) is None  # equal to any precision
    True
    """
    if NUMBERS & variables(f):  # log(2) and π, which the library does not have
        return None
    if any(_too_large(exponent) for _, _, exponent in terms_with(("power",), f)):
        return None
    try:
        return truth(f, lambda a, b: _signs(a, b, point))
    except Inexact:
        return None


def _signs(a: Term, b: Term, point: Mapping[str, Fraction]) -> frozenset[int]:
    try:
        return possible_signs(*(enclosed(t, point, BITS) for t in (a, b)))
    except (KeyError, ZeroDivisionError) as problem:
        raise Inexact("no value at this point") from problem


def _too_large(exponent: Term) -> bool:
    try:
        value, _ = enclosed(exponent, {}, BITS)
    except (Inexact, KeyError):
        return False  # not a constant
    return abs(value.numerator) > (LARGEST if value.denominator == 1 else DEEPEST) or value.denominator > DEEPEST
