"""One comparison with one square root: `u > w sqrt(q)` is that u is positive and `u^2 > w^2 q`, a theorem."""

from __future__ import annotations

from functools import cache

from roofproof.derive.algebra.budget import MILLION, Budget
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import ZERO, Formula, Term, variables
from roofproof.proofs.search.lemmas import MINUS, ONE, TWICE, P, Q, S, X, cut, implied, root_facts
from roofproof.proofs.search.squares import squares
from roofproof.proofs.search.tactics import Search

LINK = MILLION // 10  # steps to see that an atom is such a comparison
DUAL = {">": ">=", ">=": ">"}


def squared(atom: Formula) -> tuple[Formula, list[Theorem]] | None:
    """Return `u + v r > 0` as what it says of squares; None where the atom is no such comparison.

    Raises KernelError where what stands under the root is not positive by its signs.
    """
    if (made := squares(atom)) is None:
        return None
    names = sorted(variables(atom))
    same = Formula("<=>", atom, made.compared)
    linked = Search([same], Budget(LINK)).prove(same)
    if linked is None:
        return None
    inside = kernel.arith(Formula(">", made.root[1], ZERO), positive=names)
    factor = kernel.arith(Formula(">", made.w, ZERO), positive=names)
    facts = [*root_facts(made.root, inside), factor]
    lemma = kernel.instantiate(_lemma(made.relation), {"x!": made.u, "p!": made.w, "s!": made.root, "q!": made.root[1]})
    alike = Formula("<=>", lemma.conclusion[2].parts[1], made.short)
    shorter = Search([alike], Budget(LINK)).prove(alike)
    return None if shorter is None else (made.changed, [linked, cut(lemma, facts), shorter])


@cache
def _lemma(relation: str) -> Theorem:
    """`p > 0, s > 0, s s = q |- x > p s <=> (x > 0 and x x > p p q)`, and the same with >=."""
    given = [Formula(">", P, ZERO), Formula(">", S, ZERO), Formula("=", Term("*", S, S), Q)]
    scaled = Term("*", P, S)
    more = Formula(relation, X, scaled)
    signed = Formula(">", X, ZERO)
    squares = Formula(relation, Term("*", X, X), Term("*", P, P, Q))
    less = Formula(DUAL[relation], scaled, X)
    facts = list(map(kernel.assume, given))
    product = kernel.arith(Formula(">", scaled, ZERO), facts[:2], [(ONE, [0, 1])])
    area = Term("*", P, P)
    steps = [
        implied([more], signed, [(ONE, [0]), (ONE, [1])], [product]),
        # (x - p s)^2 + 2 p s (x - p s) + p^2 (s s - q) = x x - p^2 q
        implied([more], squares, [(ONE, [0, 0]), (TWICE, [1, 0]), (area, [2])], [product, facts[2]]),
        # (p s + x)(p s - x) + (x x - p p q) + p^2 (q - s s) = 0
        implied(
            [less, signed, squares],
            Formula("false"),
            [(ONE, [0, 1]), (ONE, [0, 3]), (ONE, [2]), (Term("*", MINUS, area), [4])],
            [product, facts[2]],
        ),
    ]
    both = Formula("<=>", more, Formula("and", signed, squares))
    return kernel.propositional(both, steps)
