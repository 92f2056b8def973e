"""Equations that say what a maximum or minimum is, put into the other facts of a row."""

from collections.abc import Sequence

from roofproof.derive.algebra.budget import spend
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import ZERO, KernelError, Term
from roofproof.proofs.search.handelman import Poly, Ring, core

MAX_DEGREE = 8


def eliminate_extrema(facts: Sequence[Theorem], names: Sequence[str]) -> list[Theorem]:
    """Return the facts with each maximum or minimum replaced by what an equation among them says that it is.

    >>> a, b = ("v", "a"), ("v", "b")
    >>> m = ("max", a, b)
    >>> facts = [kernel.assume(("=", m, a)), kernel.assume((">", ("*", b, m), ("*", a, b)))]
    >>> eliminate_extrema(facts, ["a", "b"])[-1].conclusion              # b a > a b
    ('false',)

    The facts are comparisons of a polynomial with zero, or are made so.
    """
    known = list(facts)
    used: set[Term] = set()
    while True:
        ring = Ring([kernel.polynomial(t.conclusion, names) for t in known], names)
        spend(300 * len(known))
        polys = [ring.poly(kernel.polynomial(t.conclusion, names)) for t in known]
        found = next(
            ((i, a) for i, t in enumerate(known) if t.conclusion[0] == "=" for a in ring.atoms
             if a[0] in ("max", "min") and a not in used and _solved(ring, polys[i], a) is not None),
            None,
        )  # fmt: skip
        if found is None:
            return known
        i, atom = found
        used.add(atom)
        known = [t if k == i else _replaced(ring, t, polys[k], known[i], polys[i], atom, names)
                 for k, t in enumerate(known)]  # fmt: skip
        false = [t for t in known if t.conclusion == ("false",)]
        if false:
            return false


def _solved(ring: Ring, equation: Poly, atom: Term) -> Poly | None:
    """Return c of an equation c m = r in which c is positive for sure and neither holds m, else None."""
    rows = _coefficients(ring, equation, atom)
    if set(rows) > {0, 1} or 1 not in rows or ring.sign(rows[1]) == 0:
        return None
    return rows[1]


def _coefficients(ring: Ring, p: Poly, atom: Term) -> dict[int, Poly]:
    k = ring.index[atom]
    rows: dict[int, dict[tuple[int, ...], object]] = {}
    for m, c in p.to_dict().items():
        rows.setdefault(int(m[k]), {})[(*m[:k], 0, *m[k + 1 :])] = c
    return {e: ring.context.from_dict(row) for e, row in rows.items()}


def _replaced(
    ring: Ring, fact: Theorem, p: Poly, equation: Theorem, e: Poly, atom: Term, names: Sequence[str]
) -> Theorem:
    """Return the fact times a power of c, less a multiple of the equation, so that the atom is gone."""
    if not _coefficients(ring, p, atom).keys() - {0} or max(_coefficients(ring, p, atom)) > MAX_DEGREE:
        return fact
    top = _coefficients(ring, e, atom)[1]
    e, top, turn = (e, top, 1) if ring.sign(top) > 0 else (-e, -top, -1)
    unit = ring.context.constant(1)
    m = ring.context.gen(ring.index[atom])
    scale, multiple = unit, ring.context.constant(0)
    while (degree := max(_coefficients(ring, p, atom), default=0)) > 0:
        step = _coefficients(ring, p, atom)[degree] * m ** (degree - 1)
        p, scale, multiple = top * p - step * e, scale * top, multiple * top - step
    relation = fact.conclusion[0]
    try:
        weights = [(ring.term(scale), [0]), (ring.term(multiple * turn), [1])]
        made = kernel.arith((relation, ring.term(p), ZERO), [fact, equation], weights, names)
        return core(made, [], names)
    except KernelError:
        return fact
