"""The sign of a difference from what is given, without a search: the same polynomial but for factors of known sign."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from roofproof.derive.algebra.budget import remembered
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.clearing import sign
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import Formula, KernelError, Term, variables
from roofproof.proofs.search.polynomials import Ring, core

FOLLOWS = {">": (">", ">="), ">=": (">=",), "=": ("=", ">=")}  # what a polynomial above zero is, too


def by_both_ways(goal: Formula, given: Sequence[Formula] = ()) -> Theorem | None:
    """Return that two comparisons say the same, each from the other by the sign of its difference; else None.

    >>> x, y = Term("v", "x"), Term("v", "y")
    >>> by_both_ways(Formula("<=>", Formula(">", Term("*", x, y), y), Formula(">", x, Term("q", 1, 1))))
    x > 0, y > 0 |- x*y > y <=> x > 1
    """
    if goal[0] != "<=>":
        return None
    ways = list[Theorem]()
    for f, g in (goal[1:], goal[:0:-1]):
        if (theorem := by_sign(g, [f, *given], variables(goal))) is None:
            return None
        ways.append(kernel.discharge(theorem, f))
    return kernel.propositional(goal, ways)


def by_sign(goal: Formula, given: Sequence[Formula] = (), positive: Iterable[str] = ()) -> Theorem | None:
    """Return a comparison whose sides differ as those of a given one do, but for what is positive anyway; else None.

    >>> x, y, R = Term("v", "x"), Term("v", "y"), Term("v", "R")
    >>> above = Formula(">", Term("/", Term("q", 1, 1), x), R)
    >>> by_sign(Formula(">", y, Term("*", R, x, y)), [above])                    # y - R x y = x y (1/x - R)
    1/x > R, R > 0, x > 0, y > 0 |- y > R*x*y
    """
    if goal[0] not in FOLLOWS:
        return None
    names = sorted(variables(goal).union(positive))
    with suppress(KernelError):
        if goal[0] == "=":
            return kernel.identity(goal[1], goal[2], names)
        whole = kernel.polynomial(goal, names)
        if sign(whole, frozenset(Term("v", n) for n in names)) == 1 or (not whole and goal[0] == ">="):
            return kernel.arith(goal, positive=names)
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


@remembered(maxsize=500)
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
