"""What is proved without a search: by equal normal forms, by the sign of a difference, or by a truth table."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import ZERO, Formula, KernelError, Term, atoms_of, variables
from roofproof.proofs.search.polynomials import core
from roofproof.proofs.search.signs import by_both_ways, by_sign


def without_search(
    goal: Formula, given: Sequence[Formula], lemmas: Sequence[Theorem] = (), signs: Sequence[Theorem] = ()
) -> Theorem | None:
    """Return a theorem that a lemma says, an equation of equal normal forms, what signs or a truth table show; or None.

    >>> without_search(Formula("=", Term("v", "x"), Term("*", Term("q", 1, 1), Term("v", "x"))), ())
    x > 0 |- x = 1*x
    """
    if (known := next((t for t in lemmas if t.conclusion == goal), None)) is not None:
        return known
    if goal[0] == "=" and (known := by_normal_forms(goal, given, signs)) is not None:
        return known
    if goal[0] == "and":
        found = [without_search(part, given) for part in goal[1:]]
        return None if None in found else kernel.propositional(goal, found)  # type: ignore[arg-type]
    if (known := by_sign(goal, given)) is not None:
        return known
    with suppress(KernelError):
        return kernel.propositional(goal)
    if (known := by_both_ways(goal, given)) is not None:
        return known
    atoms = list[Formula]()
    atoms_of(goal, atoms)
    sides = (side for a in atoms if a[0] == ">" for side in (a, Formula(">=", a[2], a[1])))  # it holds, or it does not
    with suppress(KernelError):
        return kernel.propositional(goal, [t for side in sides if (t := by_sign(side, given)) is not None])
    return None


def prove(goal: Formula, given: Sequence[Formula] = ()) -> Theorem | None:
    """Return `given, x > 0... |- goal`, by a search where it takes one; None when no proof was found.

    >>> x, y = Term("v", "x"), Term("v", "y")
    >>> prove(Formula("<=>", Formula(">", Term("*", x, y), y), Formula(">", x, Term("q", 1, 1))))  # x y - y = y (x - 1)
    x > 0, y > 0 |- x*y > y <=> x > 1
    """
    if (theorem := without_search(goal, given)) is not None:
        return theorem
    from roofproof.proofs.search import tactics

    return tactics.prove(goal, given)


def by_normal_forms(goal: Formula, given: Sequence[Formula], signs: Sequence[Theorem]) -> Theorem | None:
    """Return an equation of equal normal forms; what is divided by may need what is given for its sign."""
    names = sorted(variables(goal).union(*map(variables, given)))
    for said in (tuple, lambda: _with_cores(signs, names), lambda: _signs(goal, given)):
        with suppress(KernelError):
            return kernel.identity(goal[1], goal[2], names, said())
    return None


def _with_cores(signs: Sequence[Theorem], names: Sequence[str]) -> list[Theorem]:
    """Return signs, and those without factors that are positive anyway."""
    return [t for sign in signs for t in (sign, core(sign, [], names))]


def _signs(goal: Formula, given: Sequence[Formula]) -> list[Theorem]:
    """Return the sign of all that is divided by, where what is given says it."""
    divided = (d for d in dict.fromkeys(divisors(goal)) if variables(d))
    sides = (side for d in divided for side in (Formula(">", d, ZERO), Formula(">", ZERO, d)))
    return [t for side in sides if (t := by_sign(side, given)) is not None]


def divisors(t: Term | Formula) -> list[Term]:
    """Return the divisors anywhere in a term or formula.

    >>> divisors(Formula("=", Term("v", "x"), Term("/", Term("q", 1, 1), Term("v", "y"))))
    [('v', 'y')]
    """
    parts = [p for p in t if isinstance(p, Term | Formula)]
    return [d for p in parts for d in divisors(p)] + ([t[2]] if t[0] == "/" else [])
