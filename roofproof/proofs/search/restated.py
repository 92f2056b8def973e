"""A theorem in the definitions of words, from one that has what they stand for, within maxima as well."""

from __future__ import annotations

from roofproof.derive.algebra.budget import remembered
from roofproof.proofs.assumptions import NUMBERS
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import OPAQUE, ZERO, Formula, Term, variables
from roofproof.proofs.search import tactics
from roofproof.proofs.search.equivalence import equal, equivalent, identical, in_order, linked, put, without
from roofproof.proofs.search.polynomials import exchanged, terms_with
from roofproof.proofs.statement import Statement


def restated(theorem: Theorem, goal: Formula, said: Statement) -> Theorem | None:
    """Return the theorem of a goal in definitions, from one that has what they stand for.

    >>> n, flops = ("v", "n"), ("+", ("+", ("*", ("q", 2, 1), ("v", "n"))))                # a sum of one term, marked
    >>> known = tactics.prove(Formula(">", Term("+", n, n), n))
    >>> restated(known, Formula(">", flops, n), Statement("", (), known.conclusion))
    n > 0 |- 2*n > n
    """
    supposed = theorem.hypotheses.union(Formula(">", Term("v", n), ZERO) for n in variables(goal) - NUMBERS)
    for way in (_link_by_link, _put_back):
        found = way(theorem, goal, said)
        if found is not None and found.hypotheses <= supposed:  # not that a logarithm is positive
            return found
    alike = tactics.prove(Formula("<=>", goal, said.goal), said.assumptions) or equivalent(
        goal, said.goal, said.assumptions
    )
    return kernel.propositional(goal, [theorem, alike]) if alike else None


def _link_by_link(theorem: Theorem, goal: Formula, said: Statement) -> Theorem | None:
    """Return the theorem of a goal whose comparisons say what those of a theorem say, and whose maxima are equal.

    An equation of the same on both sides needs no theorem.
    """
    if goal[0] == "=":
        found = identical(goal, sorted(variables(goal)))
        if found is None and in_order(goal[1]) == in_order(goal[2]):
            found = _alike(*goal[1:])
        if found is not None:
            return found
    theirs = {in_order(t): t for t in terms_with(OPAQUE, theorem.conclusion)}
    lemmas = [_alike(t, u) for t in terms_with(OPAQUE, goal) if (u := theirs.get(in_order(t), t)) != t]
    return linked(theorem, goal, said.assumptions, [lemma for lemma in lemmas if lemma is not None])


def _put_back(theorem: Theorem, goal: Formula, said: Statement) -> Theorem | None:
    """Return the theorem of a goal with definitions within maxima, from one that has what they stand for.

    For m = n the goal with maxima m says what the theorem with maxima n says, and these maxima are equal.
    """
    ours, theirs = ({in_order(t): t for t in terms_with(OPAQUE, f)} for f in (goal, theorem.conclusion))
    if not ours or ours.keys() != theirs.keys():
        return None
    pairs = [(t, theirs[key], Term("v", f"m{k}"), Term("v", f"n{k}")) for k, (key, t) in enumerate(ours.items())]
    new, old = ({p[k]: p[k + 2] for p in pairs} for k in (0, 1))
    equations = [Formula("=", m, n) for _, _, m, n in pairs]
    generic = tactics.prove(
        Formula("=>", Formula("and", *equations), Formula("<=>", exchanged(goal, new), exchanged(said.goal, old)))
    )
    if generic is None:
        return None
    alike = put(generic, {name[1]: t for t, u, m, n in pairs for name, t in ((m, t), (n, u))})
    lemmas = [_alike(t, u) for t, u, _, _ in pairs]
    found = None if None in lemmas else kernel.propositional(goal, [theorem, alike, *filter(None, lemmas)])
    return found and without(found, said.assumptions)


def _alike(t: Term, u: Term) -> Theorem | None:
    """Prove that two terms are equal: two maxima, where what they are of is."""
    if t[0] in ("max", "min") and len(t) == len(u) == 3:
        values, names = dict(zip("abcd", (*t[1:], *u[1:]), strict=True)), sorted(variables(t) | variables(u))
        for generic in _of_two(t[0]):
            made = put(generic, values)
            sides = [identical(equation, names) for equation in made.conclusion[1][1:]]
            if None not in sides:
                return kernel.propositional(made.conclusion[2], [made, *filter(None, sides)])
    return equal(t, u)


@remembered(2)
def _of_two(head: str) -> list[Theorem]:
    """Prove that maxima, or minima, of the same two are the same, in either order.

    >>> [theorem.conclusion[2] for theorem in _of_two("max")][0]
    ('=', ('max', ('v', 'a'), ('v', 'b')), ('max', ('v', 'c'), ('v', 'd')))
    """
    a, b, c, d = (Term("v", name) for name in "abcd")
    m, n = Term(head, a, b), Term(head, c, d)
    found = []
    for same in ((Formula("=", a, c), Formula("=", b, d)), (Formula("=", a, d), Formula("=", b, c))):
        where = Formula("and", *same)
        sides = [tactics.prove(Formula("=>", where, Formula(">=", *each))) for each in ((m, n), (n, m))]
        made = [*filter(None, sides), kernel.trichotomy(m, n)]
        found.append(kernel.propositional(Formula("=>", where, Formula("=", m, n)), made))
    return found
