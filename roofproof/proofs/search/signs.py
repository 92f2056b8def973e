"""The sign of a term from what is given, without a search: the same polynomial but for factors of known sign."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import Formula, KernelError, variables
from roofproof.proofs.search.handelman import Ring, core

FOLLOWS = {">": (">", ">="), ">=": (">=",), "=": ("=", ">=")}  # what a polynomial above zero is, too


def by_sign(goal: Formula, given: Sequence[Formula] = ()) -> Theorem | None:
    """Return a comparison whose sides differ as those of a given one do, but for what is positive anyway; else None.

    >>> from roofproof.proofs.kernel.terms import Term
    >>> x, y, R = Term("v", "x"), Term("v", "y"), Term("v", "R")
    >>> above = Formula(">", Term("/", Term("q", 1, 1), x), R)
    >>> by_sign(Formula(">", y, Term("*", R, x, y)), [above])                    # y - R x y = x y (1/x - R)
    1/x > R, R > 0, x > 0, y > 0 |- y > R*x*y
    """
    if goal[0] not in FOLLOWS:
        return None
    names = sorted(variables(goal))
    try:
        return kernel.arith(goal, positive=names) if goal[0] != "=" else kernel.identity(goal[1], goal[2], names)
    except KernelError:
        pass
    for fact in (fact for each in given for fact in _cores(each) if goal[0] in FOLLOWS.get(fact.conclusion[0], ())):
        try:
            polys = [kernel.polynomial(f, names) for f in (goal, fact.conclusion)]
            ring = Ring(polys, names)
            (outer, inner), (other, left) = (ring.split(ring.poly(p)) for p in polys)
            if inner == left or (inner == -left and fact.conclusion[0] == "="):
                weight = ring.term(outer if inner == left else -outer)
                return kernel.arith(goal, [fact], [(weight, [0])], names, ring.term(other))
        except KernelError:
            continue
    return None


@lru_cache(maxsize=500)
def _cores(given: Formula) -> tuple[Theorem, ...]:
    """Return the comparisons that are given, fractions cleared and factors of known sign divided out."""
    try:
        return tuple(core(fact, [], variables(fact.conclusion)) for fact in _literals(kernel.assume(given)))
    except KernelError:  # the sign of what is divided by is open
        return ()


def _literals(fact: Theorem) -> Iterator[Theorem]:
    """Yield the comparisons of which a theorem says that all hold."""
    head, *parts = fact.conclusion
    if head in FOLLOWS:
        yield fact
    for part in parts if head == "and" else ():
        yield from _literals(kernel.propositional(part, [fact]))
