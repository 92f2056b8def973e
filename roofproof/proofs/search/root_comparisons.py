"""A goal whose comparisons have one square root each, squared: what is left is about polynomials.

Where its names are integers, that is known too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import Formula, KernelError, atoms_of
from roofproof.proofs.search.lemmas import lemmas_for
from roofproof.proofs.search.polynomials import exchanged, terms_with
from roofproof.proofs.search.squared_roots import squared


def without_roots(goal: Formula) -> tuple[Formula, list[Theorem]] | None:
    """Return a goal whose comparisons have no roots, and theorems that each is what it was; None where some stay.

    >>> from roofproof.proofs.kernel.terms import Term
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
            changed, known = made
            table |= {atom: changed, Formula(">=", *atom.sides[::-1]): Formula("not", changed)}  # a >= b: b > a fails
            theorems += known
    return (exchanged(goal, table), theorems) if table else None


def prove_squared(
    goal: Formula, given: Sequence[Formula], proved: Callable[[Formula, Sequence[Formula]], Theorem | None]
) -> Theorem | None:
    """Prove a goal with its roots squared away, as `proved` proves what is left; None where it does not.

    >>> from roofproof.proofs.kernel.terms import Term
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


def _apart(atom: Formula) -> tuple[Formula, list[Theorem]] | None:
    """Return a strict comparison without its root, and the theorems that make it so; of a maximum part by part."""
    if atom[0] != ">":
        return None
    if not any(side[0] in ("max", "min") for side in atom.sides):
        return squared(atom)
    lemma = next((t for t in lemmas_for([atom]) if t.conclusion[:2] == ("<=>", atom)), None)
    if lemma is None:
        return None
    made = without_roots(lemma.conclusion[2])
    return None if made is None else (made[0], [lemma, *made[1]])
