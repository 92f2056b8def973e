"""Comparisons with one square root, squared: `u > w sqrt(q)` is equivalent to `u > 0 and u^2 > w^2 q`.

The rest of the goal is about polynomials, so that facts about integers can be used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from roofproof.derive.algebra.budget import MILLION, Budget
from roofproof.proofs.assumptions import MINUS, ONE, TWO
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.clearing import difference, sign
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import (
    ZERO,
    Formula,
    KernelError,
    Polynomial,
    Term,
    minus,
    normal_form,
    term_of,
    variables,
)
from roofproof.proofs.powers import content
from roofproof.proofs.search.lemmas import P, Q, S, X, cut, implied, lemmas_for, root_facts
from roofproof.proofs.search.polynomials import atoms_in, exchanged, terms_with
from roofproof.proofs.search.short_proofs import by_both_ways
from roofproof.proofs.search.tactics import Search


@dataclass(frozen=True, slots=True)
class Squares:
    """A comparison `u + v r > 0` with one square root r, rewritten as `u > w sqrt(q)` or its negation.

    `denied` is True for the negation. `changed` is the equivalent formula without a root.
    """

    relation: str
    u: Term
    w: Term
    root: Term
    denied: bool

    @property
    def short(self) -> Formula:
        """The comparison of the squares, `u^2 > w^2 q`, as a polynomial compared with zero."""
        parts = Term("*", self.u, self.u), Term("*", self.w, self.w, self.root[1])
        return Formula(self.relation, whole_multiple(minus(*parts)), ZERO)

    @property
    def changed(self) -> Formula:
        signed = Formula("and", Formula(">", self.u, ZERO), self.short)
        return Formula("not", signed) if self.denied else signed

    @property
    def compared(self) -> Formula:
        scaled = Term("*", self.w, self.root)
        return Formula(DUAL[self.relation], scaled, self.u) if self.denied else Formula(self.relation, self.u, scaled)


def squares(atom: Formula) -> Squares | None:
    """Return a comparison with one square root as a comparison of squares, without proof. Return None for any other.

    >>> x, one = Term("v", "x"), Term("q", 1, 1)
    >>> print(squares(Formula(">", Term("q", 2, 1), Term("sqrt", Term("+", x, one)))).changed)       # 2^2 > x + 1
    0 + 2 > 0 and 0 + 3 + -1*x^1 > 0
    """
    above, below, _ = difference(*atom.sides)
    roots = {a for p in (above, below) for m in p for a, _ in m if a[0] == "sqrt"}
    positive = frozenset[Term]([*(Term("v", n) for n in variables(atom)), *roots])
    if len(roots) != 1 or sign(below, positive) != 1:
        return None
    [root] = roots
    split = _split(above, root)
    if split is None or (side := sign(split[1], positive - roots)) == 0:
        return None
    u, v = (term_of({m: c * turn for m, c in p.items()}) for p, turn in zip(split, (-side, side), strict=True))
    return Squares(">" if side < 0 else ">=", u, v, root, side > 0)


def whole_multiple(term: Term) -> Term:
    """Return a positive multiple of a term: a polynomial with integer coefficients and no common factor.

    >>> print(whole_multiple(Term("/", Term("+", Term("v", "x"), Term("q", 1, 2)), Term("q", 4, 1))))    # (x + 1/2)/4
    0 + 2*x^1 + 1
    """
    above = normal_form(term)[0]
    unit = content(above.values()) or 1
    return term_of({m: int(c / unit) for m, c in above.items()})


def _split(p: Polynomial, root: Term) -> tuple[Polynomial, Polynomial] | None:
    """Return u and v of a polynomial u + v r, or None if it has a higher power of r."""
    u, v = dict[object, object](), dict[object, object]()
    for monomial, c in p.items():
        powers = dict(monomial)
        e = powers.pop(root, 0)
        if e > 1:
            return None
        (v if e else u)[tuple((a, k) for a, k in monomial if a != root)] = c
    return u, v  # type: ignore[return-value]


LINK = MILLION // 10  # step limit of a search for the equivalence, if the root is in a divisor
DUAL = {">": ">=", ">=": ">"}


def squared(atom: Formula) -> tuple[Formula, list[Theorem]] | None:
    """Return `u + v r > 0` as a comparison of squares with the theorems that prove it, or None for another atom.

    Raises KernelError for a radicand that is not positive by the signs of its coefficients.
    """
    if (made := squares(atom)) is None:
        return None
    names = sorted(variables(atom))
    inside = kernel.arith(Formula(">", made.root[1], ZERO), positive=names)
    factor = kernel.arith(Formula(">", made.w, ZERO), positive=names)
    facts = [*root_facts(made.root, inside), factor]
    lemma = kernel.instantiate(_lemma(made.relation), {"x!": made.u, "p!": made.w, "s!": made.root, "q!": made.root[1]})
    alike = Formula("<=>", atom, made.compared), Formula("<=>", lemma.conclusion[2].parts[1], made.short)
    links = [link for f in alike if (link := by_both_ways(f) or Search([f], Budget(LINK)).prove(f)) is not None]
    return (made.changed, [*links, cut(lemma, facts)]) if len(links) == 2 else None


@cache
def _lemma(relation: str) -> Theorem:
    """Prove `p > 0, s > 0, s s = q |- x > p s <=> (x > 0 and x x > p p q)`, or the same with >=."""
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
        implied([more], squares, [(ONE, [0, 0]), (TWO, [1, 0]), (area, [2])], [product, facts[2]]),
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


def without_roots(goal: Formula) -> tuple[Formula, list[Theorem]] | None:
    """Return a goal without roots, and theorems that its comparisons are equivalent. Return None if a root remains.

    >>> from roofproof.proofs.kernel.terms import Term
    >>> x, one = Term("v", "x"), Term("q", 1, 1)
    >>> root = Term("sqrt", Term("+", Term("*", x, x), one))
    >>> changed, theorems = without_roots(Formula(">", Term("q", 2, 1), root))               # 2^2 > x^2 + 1
    >>> print(changed)
    0 + 2 > 0 and 0 + 3 + -1*x^2 > 0
    """
    atoms = atoms_in(goal)
    table, theorems = dict[Formula, Formula](), list[Theorem]()
    for atom in atoms:
        if terms_with(("sqrt",), atom):
            if (made := _apart(atom)) is None:
                return None
            changed, known = made
            table |= {atom: changed, Formula(">=", *atom.sides[::-1]): Formula("not", changed)}  # a >= b is not b > a
            theorems += known
    return (exchanged(goal, table), theorems) if table else None


def prove_squared(
    goal: Formula, given: Sequence[Formula], proved: Callable[[Formula, Sequence[Formula]], Theorem | None]
) -> Theorem | None:
    """Prove a goal by squaring away its roots and calling `proved` on the result. Return None if that fails.

    >>> from roofproof.proofs.kernel.terms import Term
    >>> x, one = Term("v", "x"), Term("q", 1, 1)
    >>> root = Term("sqrt", Term("+", Term("*", x, x), one))
    >>> from roofproof.proofs.search.tactics import prove
    >>> print(prove_squared(Formula(">", root, x), [], prove))
    x > 0 |- sqrt(x*x + 1) > x
    """
    try:
        if (made := without_roots(goal)) is None:
            return None
        changed, theorems = made
        found = proved(changed, [f for f in given if not terms_with(("sqrt",), f)])
        return None if found is None else kernel.propositional(goal, [found, *theorems])
    except KernelError:  # a radicand may be negative, or there are too many atoms for one truth table
        return None


def _apart(atom: Formula) -> tuple[Formula, list[Theorem]] | None:
    """Return a strict comparison without roots, and the theorems behind it. Maxima are handled part by part."""
    if atom[0] != ">":
        return None
    if not any(side[0] in ("max", "min") for side in atom.sides):
        return squared(atom)
    lemma = next((t for t in lemmas_for([atom]) if t.conclusion[:2] == ("<=>", atom)), None)
    if lemma is None:
        return None
    made = without_roots(lemma.conclusion[2])
    return None if made is None else (made[0], [lemma, *made[1]])
