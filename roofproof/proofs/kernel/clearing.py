"""Signs and growth of polynomials, and terms with cleared denominators.

Proofs rely on this file. Like kernel.py and terms.py, it uses only the standard library.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from roofproof.proofs.kernel.terms import (
    ONE,
    Formula,
    KernelError,
    Monomial,
    NormalForm,
    Polynomial,
    Term,
    add,
    fraction_of,
    mul,
    show,
)


def sign(p: Polynomial, positive: frozenset[Term]) -> int:
    """Return 1 or -1 if all coefficients have one sign and all atoms are in `positive`, else 0."""
    if p and all([atom in positive for m in p for atom, _ in m]):
        if all([c > 0 for c in p.values()]):
            return 1
        if all([c < 0 for c in p.values()]):
            return -1
    return 0


def dominated(m: Monomial, q: Polynomial, growing: Sequence[Term]) -> bool:
    """Return whether a positive monomial of q has no smaller power of any growing variable and a larger one of some."""
    low = dict(m)
    for n, c in q.items():
        high = dict(n)
        steps = [high.get(a, 0) - low.get(a, 0) for a in growing]
        if c > 0 and min(steps) >= 0 and max(steps) > 0:
            return True
    return False


def proportional(p: Polynomial, q: Polynomial) -> Fraction | None:
    """Return c such that p = c q, or None."""
    if len(p) != len(q) or not p:
        return None
    m = next(iter(p))
    if m not in q or not all(n in q and p[n] * q[m] == p[m] * q[n] for n in p):
        return None
    return Fraction(p[m]) / q[m]


def difference(a: Term, b: Term) -> NormalForm:
    """Return the normal form of a - b for checked terms, and all their divisors."""
    (n, d, divisors), (m, e, others) = fraction_of(a), fraction_of(b)
    num, den = (add(n, m, -1), d) if d == e else (add(mul(n, e), mul(m, d), -1), mul(d, e))
    return num, den, divisors + others


def relation_of(formula: Formula, *only: str) -> tuple[str, Term, Term]:
    """Return the relation and the two sides of a comparison."""
    if formula[0] in (only or (">", ">=", "=")):
        return formula[0], formula[1], formula[2]
    raise KernelError(f"not {' or '.join(only) or 'an inequality or an equation'}: {show(formula)}")


def without_divisors(term: Term) -> Polynomial:
    """Return the normal form of a checked term whose only divisors are numbers."""
    num, den, divisors = fraction_of(term)
    if any(set(d) - {()} or not d for d in divisors):
        raise KernelError("a polynomial was expected, not a fraction")
    return num if den == ONE else mul(num, {(): Fraction(1) / den[()]})


def cleared(a: Term, b: Term, positive: frozenset[Term], signs: Sequence[Polynomial]) -> Polynomial:
    """Return a polynomial with the sign of a - b, or fail unless every divisor is known to be nonzero."""

    def known(p: Polynomial) -> int:
        found = sign(p, positive)
        for s in signs:
            if not found and (c := proportional(p, s)) is not None:
                found = 1 if c > 0 else -1
        return found

    num, den, divisors = difference(a, b)
    if not all(map(known, divisors)):
        raise KernelError("the sign of a denominator is not known")
    if den == ONE:
        return num
    if (flip := known(den)) < 0:
        return {m: -c for m, c in num.items()}
    return num if flip else mul(num, den)  # den is not zero, so num/den and num*den have the same sign
