"""Signs and growth of polynomials, and terms with their denominators cleared: part of what a proof rests on.

Like the kernel and terms.py, this file uses the standard library only.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from roofproof.proofs.kernel.terms import (
    ONE,
    KernelError,
    Monomial,
    NormalForm,
    Plain,
    Polynomial,
    add,
    mul,
    normal_form,
    show,
)


def sign(p: Polynomial, positive: frozenset[Plain]) -> int:
    """Return 1 or -1 if the coefficients alone decide the sign where all of `positive` are positive."""
    if p and all([atom in positive for m in p for atom, _ in m]):
        if all([c > 0 for c in p.values()]):
            return 1
        if all([c < 0 for c in p.values()]):
            return -1
    return 0


def dominated(m: Monomial, q: Polynomial, growing: Sequence[Plain]) -> bool:
    """Tell whether a positive monomial of q has no smaller a power of any growing variable, a larger one of some."""
    low = dict(m)
    for n, c in q.items():
        high = dict(n)
        steps = [high.get(a, 0) - low.get(a, 0) for a in growing]
        if c > 0 and min(steps) >= 0 and max(steps) > 0:
            return True
    return False


def proportional(p: Polynomial, q: Polynomial) -> Fraction | None:
    """Return c with p = c q, or None."""
    if len(p) != len(q) or not p:
        return None
    m = next(iter(p))
    if m not in q or not all(n in q and p[n] * q[m] == p[m] * q[n] for n in p):
        return None
    return Fraction(p[m]) / q[m]


def difference(a: Plain, b: Plain) -> NormalForm:
    """Return the normal form of a - b for checked terms, and all their divisors."""
    (n, d, divisors), (m, e, others) = normal_form(a), normal_form(b)
    num, den = (add(n, m, -1), d) if d == e else (add(mul(n, e), mul(m, d), -1), mul(d, e))
    return num, den, divisors + others


def relation_of(formula: Plain, *only: str) -> tuple[str, Plain, Plain]:
    """Return a comparison's relation and its two sides."""
    if formula[0] in (only or (">", ">=", "=")):
        return formula[0], formula[1], formula[2]
    raise KernelError(f"not {' or '.join(only) or 'an inequality or an equation'}: {show(formula)}")


def without_divisors(term: Plain) -> Polynomial:
    """Return the normal form of a checked term that divides by no more than numbers."""
    num, den, divisors = normal_form(term)
    if any(set(d) - {()} or not d for d in divisors):
        raise KernelError("a polynomial was expected, not a fraction")
    return num if den == ONE else mul(num, {(): Fraction(1) / den[()]})


def cleared(a: Plain, b: Plain, positive: frozenset[Plain], signs: Sequence[Polynomial]) -> Polynomial:
    """Return a polynomial with the sign of a - b, where every divisor is known not to be zero."""

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
    return num if flip else mul(num, den)  # den is not zero, so num/den and num*den have one sign
