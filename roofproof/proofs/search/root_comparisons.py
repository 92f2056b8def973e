"""Comparisons with one square root, squared: `u > w sqrt(q)` says that u is positive and `u^2 > w^2 q`.

What is left is about polynomials, and about integers as far as the names are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from math import gcd, lcm

from roofproof.derive.algebra.budget import MILLION, Budget
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.clearing import sign
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import (
    ZERO,
    Formula,
    KernelError,
    Polynomial,
    Term,
    atoms_of,
    minus,
    normal_form,
    term_of,
    variables,
)
from roofproof.proofs.search.handelman import terms_with
from roofproof.proofs.search.lemmas import MINUS, ONE, TWICE, P, Q, S, X, implied, lemmas_for
from roofproof.proofs.search.radicals import cut, root_facts
from roofproof.proofs.search.tactics import Search

LINK = MILLION // 10  # steps to see that an atom is such a comparison
DUAL = {">": ">=", ">=": ">"}
JOINED = ("and", "or", "not", "=>", "<=>")


def without_roots(goal: Formula) -> tuple[Formula, list[Theorem]] | None:
    """Return a goal whose comparisons have no roots, and theorems that each is what it was; None where some stay.

    >>> x, one = Term("v", "x"), Term("q", 1, 1)
    >>> root = Term("sqrt", Term("+", Term("*", x, x), one))
    >>> changed, theorems = without_roots(Formula(">", Term("q", 2, 1), root))               # 2^2 > x^2 + 1
    >>> print(changed)
    0 + 2 > 0 and 0 + 3 + -1*x^2 > 0
    """
    atoms = list[Formula]()
    atoms_of(goal, atoms)
    table, theorems = dict[Formula, Formula](), list[Theorem]()
    for atom in atoms:
        if terms_with(("sqrt",), atom):
            if (made := _apart(atom)) is None:
                return None
            table[atom], known = made
            theorems += known
    return (_exchanged(goal, table), theorems) if table else None


def prove_squared(
    goal: Formula, given: Sequence[Formula], proved: Callable[[Formula, Sequence[Formula]], Theorem | None]
) -> Theorem | None:
    """Prove a goal with its roots squared away, as `proved` proves what is left; None where it does not.

    >>> x, one = Term("v", "x"), Term("q", 1, 1)
    >>> root = Term("sqrt", Term("+", Term("*", x, x), one))
    >>> from roofproof.proofs.search.tactics import prove
    >>> print(prove_squared(Formula(">", root, x), [], prove))
    x > 0 |- sqrt(x*x + 1) > x
    """
    try:
        made = without_roots(goal)
    except KernelError:  # what stands under a root may be negative
        return None
    if made is None:
        return None
    changed, theorems = made
    found = proved(changed, [f for f in given if not terms_with(("sqrt",), f)])
    return None if found is None else kernel.propositional(goal, [found, *theorems])


def _exchanged(f: Formula, table: dict[Formula, Formula]) -> Formula:
    """Return a formula with other comparisons for those of a table; `a >= b` is that `b > a` fails."""
    if f in table:
        return table[f]
    if f[0] == ">=" and (denied := Formula(">", f[2], f[1])) in table:
        return Formula("not", table[denied])
    return Formula(f[0], *(_exchanged(p, table) for p in f.parts)) if f[0] in JOINED else f


def _apart(atom: Formula) -> tuple[Formula, list[Theorem]] | None:
    """Return a strict comparison without its root, and the theorems that make it so; of a maximum part by part."""
    if atom[0] != ">":
        return None
    if not any(side[0] in ("max", "min") for side in atom.sides):
        return _squared(atom)
    lemma = next((t for t in lemmas_for([atom]) if t.conclusion[:2] == ("<=>", atom)), None)
    if lemma is None:
        return None
    made = without_roots(lemma.conclusion[2])
    return None if made is None else (made[0], [lemma, *made[1]])


def _squared(atom: Formula) -> tuple[Formula, list[Theorem]] | None:
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
    whole = kernel.arith(Formula(">", root[1], ZERO), positive=names)
    factor = kernel.arith(Formula(">", v, ZERO), positive=names)
    facts = [*root_facts(root, whole), factor]
    lemma = kernel.instantiate(_lemma(relation), {"x!": u, "p!": v, "s!": root, "q!": root[1]})
    signed, squares = lemma.conclusion[2].parts
    short = Formula(relation, _whole(minus(*squares.sides)), ZERO)
    alike = Formula("<=>", squares, short)
    shorter = Search([alike], Budget(LINK)).prove(alike)
    if shorter is None:
        return None
    changed = Formula("and", signed, short)
    return changed if side < 0 else Formula("not", changed), [linked, cut(lemma, facts), shorter]


def _whole(term: Term) -> Term:
    """Return a positive multiple of a term, a polynomial with whole coefficients that have no factor in common.

    >>> print(_whole(Term("/", Term("+", Term("v", "x"), Term("q", 1, 2)), Term("q", 4, 1))))         # (x + 1/2)/4
    0 + 2*x^1 + 1
    """
    above = normal_form(term)[0]
    numbers = [Fraction(c) for c in above.values()]
    unit = Fraction(lcm(*(c.denominator for c in numbers)), gcd(*(c.numerator for c in numbers)) or 1)
    return term_of({m: int(c * unit) for m, c in above.items()})


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
