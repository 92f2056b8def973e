"""One comparison with one square root: `u > w sqrt(q)` is that u is positive and `u^2 > w^2 q`, a theorem."""

from __future__ import annotations

from functools import cache

from roofproof.derive.algebra.budget import MILLION, Budget
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.clearing import sign
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import ZERO, Formula, Polynomial, Term, minus, normal_form, term_of, variables
from roofproof.proofs.powers import content
from roofproof.proofs.search.lemmas import MINUS, ONE, TWICE, P, Q, S, X, cut, implied
from roofproof.proofs.search.radicals import root_facts
from roofproof.proofs.search.tactics import Search

LINK = MILLION // 10  # steps to see that an atom is such a comparison
DUAL = {">": ">=", ">=": ">"}


def squared(atom: Formula) -> tuple[Formula, list[Theorem]] | None:
    """Return `u + v r > 0` as what it says of squares; None where the atom is no such comparison.

    Raises KernelError where what stands under the root is not positive by its signs.
    """
    above, below, _ = normal_form(minus(*atom.sides))
    roots = {a for p in (above, below) for m in p for a, _ in m if a[0] == "sqrt"}
    names = sorted(variables(atom))
    positive = frozenset[Term]([*(Term("v", n) for n in names), *roots])
    if len(roots) != 1 or sign(below, positive) != 1:
        return None
    [root] = roots
    split = _split(above, root)
    if split is None or (side := sign(split[1], positive - roots)) == 0:
        return None
    u, v = (term_of({m: c * turn for m, c in p.items()}) for p, turn in zip(split, (-side, side), strict=True))
    relation = ">" if side < 0 else ">="
    compared = Formula(relation, u, Term("*", v, root))
    same = Formula("<=>", atom, compared if side < 0 else Formula("not", compared))
    linked = Search([same], Budget(LINK)).prove(same)
    if linked is None:
        return None
    inside = kernel.arith(Formula(">", root[1], ZERO), positive=names)
    factor = kernel.arith(Formula(">", v, ZERO), positive=names)
    facts = [*root_facts(root, inside), factor]
    lemma = kernel.instantiate(_lemma(relation), {"x!": u, "p!": v, "s!": root, "q!": root[1]})
    signed, squares = lemma.conclusion[2].parts
    short = Formula(relation, whole_multiple(minus(*squares.sides)), ZERO)
    alike = Formula("<=>", squares, short)
    shorter = Search([alike], Budget(LINK)).prove(alike)
    if shorter is None:
        return None
    changed = Formula("and", signed, short)
    return changed if side < 0 else Formula("not", changed), [linked, cut(lemma, facts), shorter]


def whole_multiple(term: Term) -> Term:
    """Return a positive multiple of a term, a polynomial with whole coefficients that have no factor in common.

    >>> print(whole_multiple(Term("/", Term("+", Term("v", "x"), Term("q", 1, 2)), Term("q", 4, 1))))    # (x + 1/2)/4
    0 + 2*x^1 + 1
    """
    above = normal_form(term)[0]
    unit = content(above.values()) or 1
    return term_of({m: int(c / unit) for m, c in above.items()})


def _split(p: Polynomial, root: Term) -> tuple[Polynomial, Polynomial] | None:
    """Return u and v of a polynomial u + v r; None for a higher power of r, or another root in them."""
    u, v = dict[object, object](), dict[object, object]()
    for monomial, c in p.items():
        powers = dict(monomial)
        e = powers.pop(root, 0)
        if e > 1:
            return None
        (v if e else u)[tuple((a, k) for a, k in monomial if a != root)] = c
    return u, v  # type: ignore[return-value]


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
