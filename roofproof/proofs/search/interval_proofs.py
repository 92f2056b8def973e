"""Polynomial inequalities in one unknown between two rational ends, proved by the kernel.

Beyond an end a polynomial is written in powers of the distance to it; between two ends in products of the
distances to both (Bernstein's form, in higher degree where needed). Coefficients that are not negative prove it.

Source: S. Bernstein 1915; G. Polya and G. Szego, Problems and Theorems in Analysis, part VI, problem 49.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import comb

from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import Formula, KernelError, Term

MAX_ELEVATION = 24


def between(goal: Formula, x: str, low: Fraction, high: Fraction | None) -> Theorem | None:
    """Return `x >= low, high >= x |- goal` for a goal about x alone, with positive denominators; None if not found.

    >>> x = Term("v", "x")
    >>> between(Formula(">=", Term("+", x, Term("/", Term("q", 4, 1), x)), Term("q", 4, 1)), "x", Fraction(3), None)
    x > 0, x >= 3 |- x + 4/x >= 4
    """
    try:
        p = kernel.polynomial(goal, [x])
    except KernelError:
        return None
    rows = [Fraction(0)] * (1 + max((e for m in p for _, e in m), default=0))
    for m, c in p.items():
        if any(a != ("v", x) for a, _ in m):
            return None
        rows[sum(e for _, e in m)] += c
    ends: list[Formula] = [Formula(">=", Term("v", x), Term.rational(low))]
    if high is not None:
        ends.append(Formula(">=", Term.rational(high), Term("v", x)))
    facts = list(map(kernel.assume, ends))
    shifted = _shifted(rows, low)
    if all(c >= 0 for c in shifted):
        return _checked(goal, facts[:1], [(c, [0] * k) for k, c in enumerate(shifted) if c], x)
    if high is None:
        return None
    width, degree = high - low, len(rows) - 1
    scaled = [c * width**k for k, c in enumerate(shifted)]  # in u = (x - low)/width
    for n in range(degree, degree + MAX_ELEVATION):
        # u^k = u^k (u + (1 - u))^(n - k): the coefficient of u^i (1 - u)^(n - i)
        bernstein = [sum(scaled[k] * comb(n - k, i - k) for k in range(min(i, degree) + 1)) for i in range(n + 1)]
        if all(c >= 0 for c in bernstein):
            weights = [(c / width**n, [0] * i + [1] * (n - i)) for i, c in enumerate(bernstein) if c]
            return _checked(goal, facts, weights, x)
    return None


def _checked(goal: Formula, facts: list[Theorem], weights: list[tuple[Fraction, list[int]]], x: str) -> Theorem | None:
    certificate: list[tuple[Term, Sequence[int]]] = [(Term.rational(c), chosen) for c, chosen in weights]
    try:
        return kernel.arith(goal, facts, certificate, [x])
    except KernelError:
        return None


def _shifted(rows: list[Fraction], by: Fraction) -> list[Fraction]:
    """Return the coefficients of p(h + by) in h."""
    out = [Fraction(0)] * len(rows)
    for k, c in enumerate(rows):
        for i in range(k + 1):
            out[i] += c * comb(k, i) * by ** (k - i)
    return out
