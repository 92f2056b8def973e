"""Weighted means: a sum of n_1 + ... + n_r positive parts is at least so many times their geometric mean.

    (n_1 t_1 + ... + n_r t_r)^a >= a^a t_1^n_1 ... t_r^n_r        a = n_1 + ... + n_r

One part is added at a time. With s for the sum so far and N for its weights, N^N (s + n t)^(N+n) - (N+n)^(N+n) s^N t^n
is (s - N t)^2 times a polynomial with positive coefficients: a square, and nothing to search for. They are positive as
those of the difference are, but for one: what stands before that adds up from the left, what follows from the right.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import comb

from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import Formula, Term, minus, normal_form, variables


def weighted_mean(parts: Sequence[tuple[int, Term]]) -> Theorem:
    """Prove that a weighted sum is at least its geometric mean, for parts with positive coefficients alone.

    >>> a, b = Term("v", "a"), Term("v", "b")
    >>> weighted_mean([(1, a), (2, b)])                                    # a b b, three numbers: 3^3 = 27
    a > 0, b > 0 |- (1*a + 2*b)^3 >= 27*a^1*b^2

    Raises KernelError for a part that may be zero or negative.
    """
    names = sorted(frozenset[str]().union(*(variables(t) for _, t in parts)))
    (weight, first), *rest = parts
    total: Term = _times(weight, first)
    product: list[Term] = [Term("^", first, weight)]
    before = kernel.arith(_mean(total, weight, product), positive=names)  # (n t)^n = n^n t^n
    for n, t in rest:
        after = weight + n
        quotient = [
            Term("*", Term("q", c, 1), Term("^", total, after - 2 - k), Term("^", t, k))
            for k, c in _quotient(weight, n)
        ]
        square = kernel.square(minus(total, _times(weight, t)))
        larger = Term("+", total, _times(n, t))
        added = [*product, Term("^", t, n)]
        scale = weight**weight
        known = [
            (Term("*", Term("q", 1, scale), Term("+", *quotient)), [0]),
            (Term("*", Term("q", after**after, scale), Term("^", t, n)), [1]),
        ]
        total, product, weight = larger, added, after
        before = kernel.arith(_mean(total, weight, product), [square, before], known, names)
    sums = Term("+", *(_times(n, t) for n, t in parts))
    flat = _mean(sums, weight, product)
    return kernel.arith(flat, [before], [(Term("q", 1, 1), [0])], names)


def mean_lemmas(atoms: Iterable[Formula]) -> Iterator[Theorem]:
    """Yield the weighted mean where a power of a sum is compared with one product of all its parts.

    >>> a, b = Term("v", "a"), Term("v", "b")
    >>> print(*mean_lemmas([(">", ("*", ("q", 4, 1), a, b), ("^", ("+", a, b), 2))]))          # 4 a b > (a + b)^2
    a > 0, b > 0 |- (1*(1*a^1) + 1*(1*b^1))^2 >= 4*(1*a^1)^1*(1*b^1)^1
    """
    for atom in atoms:
        for power, other in ((atom[1], atom[2]), (atom[2], atom[1])) if atom[0] == ">" else ():
            for base, n in _powers(power):
                if parts := _parts(base, other, n):
                    yield weighted_mean(parts)


def _powers(term: Term) -> Iterator[tuple[Term, int]]:
    if term[0] == "^" and term[2] > 1:
        yield term[1], term[2]
    elif term[0] in ("+", "*", "/"):
        for part in term[1:]:
            yield from _powers(part)


def _parts(base: Term, other: Term, n: int) -> list[tuple[int, Term]]:
    """Return the parts of a sum with weights that add up to n, so that their product is the one monomial; or none."""
    (total, below, _), (product, under, _) = normal_form(base), normal_form(other)
    if len(product) != 1 or len(total) < 2 or any(set(d) - {()} for d in (below, under)):
        return []
    powers = dict(next(iter(product)))
    found = list[tuple[int, Term]]()
    for monomial, c in total.items():
        own = [(a, e) for a, e in monomial if sum(a == b for m in total for b, _ in m) == 1]
        weight = powers.get(own[0][0], 0) // own[0][1] if own else 0
        if weight < 1 or c < 0 or any(a[0] != "v" for a, _ in monomial):
            return []
        for a, e in monomial:
            powers[a] = powers.get(a, 0) - weight * e
        coefficient = Term("q", c.numerator, c.denominator * weight)
        found.append((weight, Term("*", coefficient, *(Term("^", a, e) for a, e in monomial))))
    return found if not any(powers.values()) and sum(w for w, _ in found) == n else []


def _mean(total: Term, weight: int, product: Sequence[Term]) -> Formula:
    return Formula(">=", Term("^", total, weight), Term("*", Term("q", weight**weight, 1), *product))


def _times(n: int, t: Term) -> Term:
    return Term("*", Term("q", n, 1), t)


def _quotient(N: int, n: int) -> list[tuple[int, int]]:
    """Return, by power of t, the coefficients of (N^N (s + n t)^a - a^a s^N t^n) / (s - N t)^2, where a = N + n.

    >>> _quotient(1, 2)                                            # (s + 2 t)^3 - 27 s t^2 = (s - t)^2 (s + 8 t)
    [(0, 1), (1, 8)]
    """
    a = N + n
    left = [N**N * comb(a, k) * n**k for k in range(a + 1)]
    left[n] -= a**a
    found = list[tuple[int, int]]()
    for k in range(a - 1):
        c = left[k]
        found.append((k, c))
        left[k + 1] += 2 * N * c
        left[k + 2] -= N * N * c
    return found
