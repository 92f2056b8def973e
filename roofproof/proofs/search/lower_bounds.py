"""Contradictions of one fact with lower bounds of variables: a polynomial without a negative term in what is above."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from flint import fmpq

from roofproof.derive.algebra.budget import spend
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.search.handelman import Facts
from roofproof.proofs.search.polynomials import Poly

MAX_TERMS = 400  # of a polynomial in what is above the bounds


def above_bounds(facts: Facts) -> Theorem | None:
    """Return a theorem of `false` from a fact `p > 0` where `-p` has no negative term in `x - c`, for facts `x >= c`.

    >>> from roofproof.proofs.kernel import kernel
    >>> x, y, one = ("v", "x"), ("v", "y"), ("q", 1, 1)
    >>> product = ("*", ("+", x, y, ("q", -1, 1)), ("+", x, ("q", -1, 1)))                      # (x + y - 1) (x - 1)
    >>> given = [(">=", x, one), (">=", y, one), (">", ("q", 0, 1), ("+", product, one))]
    >>> above_bounds(Facts(list(map(kernel.assume, given)), ["x", "y"])).conclusion
    ('false',)

    None where there is no such fact.
    """
    ring = facts.ring
    bounds: dict[int, tuple[int, fmpq]] = {}
    for i, p in enumerate(facts.polys):
        if facts.kinds[i] != "=" and (found := _bound(p)) is not None and ring.monomial_is_positive(p.monoms()[0]):
            k, at = found
            if k not in bounds or bounds[k][1] < at:
                bounds[k] = i, at
    for i, p in enumerate(facts.polys) if bounds else ():
        if facts.kinds[i] != "=" and i not in {b for b, _ in bounds.values()}:
            theorem = _refuted(facts, i, -p, bounds)
            if theorem is not None:
                return theorem
    return None


def _bound(p: Poly) -> tuple[int, fmpq] | None:
    """Return (k, c) of a polynomial that is a positive number times the k-th variable less c > 0."""
    rows = p.to_dict()
    if len(rows) != 2 or p.total_degree() != 1:
        return None
    linear, rest = (next((m for m in rows if sum(m) == degree), None) for degree in (1, 0))
    if linear is None or rest is None or not rows[linear] > 0 > rows[rest]:
        return None
    return linear.index(1), -rows[rest] / rows[linear]


def _refuted(facts: Facts, i: int, p: Poly, bounds: dict[int, tuple[int, fmpq]]) -> Theorem | None:
    """Return `false` from the fact `-p > 0` where what `p` is above the bounds has no negative coefficient."""
    ring, rows = facts.ring, p.to_dict()
    moved = [k for k in bounds if any(c < 0 and m[k] for m, c in rows.items())]
    if not moved or not any(c < 0 for c in rows.values()) or len(rows) * prod(_powers(p, moved)) > 100 * MAX_TERMS:
        return None
    spend(50 * len(rows))
    shift = [x + bounds[k][1] if k in moved else x for k, x in enumerate(ring.context.gens())]
    above = p.compose(*shift, ctx=ring.context)
    if len(above) > MAX_TERMS or ring.sign(above) != 1:
        return None
    chosen, rest = [(ring.term(ring.context.constant(1)), [i])], ring.context.constant(0)
    for m, c in above.to_dict().items():
        used = [bounds[k][0] for k in moved for _ in range(int(m[k]))]
        left = ring.context.from_dict({tuple(0 if k in moved else e for k, e in enumerate(m)): c})
        if used:
            scale = prod(_scale(facts.polys[j]) for j in used)
            chosen.append((ring.term(left / scale), used))
        else:
            rest += left
    return facts.finish(chosen, rest)


def _powers(p: Poly, moved: Iterable[int]) -> list[int]:
    return [int(p.degrees()[k]) + 1 for k in moved]


def _scale(bound: Poly) -> fmpq:
    """Return the coefficient of the variable that a bound is about."""
    return next(c for m, c in bound.to_dict().items() if any(m))
