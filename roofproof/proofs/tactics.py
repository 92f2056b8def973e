"""Finding proofs for the kernel: nothing here is trusted, and what is found may only fail to be a proof.

A goal is proved by looking at every row of its truth table that would falsify it, and showing that the row's
inequalities contradict each other: some sum of products of them, with positive multipliers, is negative.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product

from roofproof.proofs import kernel
from roofproof.proofs.certificates import contradiction
from roofproof.proofs.kernel import Theorem
from roofproof.proofs.terms import (
    OPAQUE,
    ZERO,
    Formula,
    KernelError,
    Polynomial,
    Term,
    atoms_of,
    normal,
    term_of,
    truth,
    variables,
)

MAX_ROWS = 1 << 11


def prove(goal: Formula, assumptions: Sequence[Formula] = (), lemmas: Sequence[Theorem] = ()) -> Theorem | None:
    """Return `assumptions, x > 0... |- goal` proved by the kernel, or None when no proof was found.

    >>> x, y = ("v", "x"), ("v", "y")
    >>> prove(("<=>", (">", ("*", x, y), y), (">", x, ("q", 1, 1))))      # x y - y = y (x - 1)
    x > 0, y > 0 |- x*y > y <=> x > 1

    All variables are taken to be positive, and say so in the theorem's hypotheses.
    """
    known = [*map(kernel.assume, assumptions), *lemmas]
    formulas = [goal, *(t.conclusion for t in known)]
    names = sorted(frozenset[str]().union(*(variables(f) for f in formulas)))
    for term in _opaque(formulas):
        known.append(kernel.definition(term))
        if term[0] == "sqrt" and (inside := prove((">=", term[1], ZERO), assumptions, lemmas)):
            known.append(inside)
    try:
        return _by_rows(goal, known, names)
    except KernelError:
        return None


def _by_rows(goal: Formula, known: list[Theorem], names: Sequence[str]) -> Theorem | None:
    while True:
        row = next(_falsifying(goal, [t.conclusion for t in known]), None)
        if row is None:
            return kernel.propositional(goal, known)
        split = [a for a, true in row.items() if a[0] == "=" and not true]
        literals = [_literal(a, true) for a, true in row.items() if (a[0] == "=") <= true and a[0] in (">", "=")]
        lemma = _contradict(literals, names)
        if lemma is None:
            fresh = [
                t for _, a, b in split if (t := kernel.trichotomy(a, b)).conclusion not in [k.conclusion for k in known]
            ]
            if not fresh:
                return None
            known.extend(fresh)
        else:
            known.append(lemma)


def _falsifying(goal: Formula, givens: Sequence[Formula]) -> Iterator[dict[Formula, bool]]:
    atoms: list[Formula] = []
    for formula in (goal, *givens):
        atoms_of(formula, atoms)
    if 1 << len(atoms) > MAX_ROWS:
        raise KernelError("too many atoms")
    for values in product((False, True), repeat=len(atoms)):
        row = dict(zip(atoms, values, strict=True))
        if not truth(goal, row) and all(truth(g, row) for g in givens):
            yield row


def _literal(atom: Formula, true: bool) -> Formula:
    return atom if true else (">=", atom[2], atom[1])


def _contradict(literals: Sequence[Formula], names: Sequence[str]) -> Theorem | None:
    """Return `|- not all of some of the literals`, the fewest that contradict each other."""
    for size in range(1, min(4, len(literals) + 1)):
        for chosen in combinations(literals, size):
            theorem = refute(chosen, names)
            if theorem is not None:
                for literal in chosen:
                    theorem = kernel.discharge(theorem, literal)
                return theorem
    return None


def refute(literals: Sequence[Formula], names: Sequence[str]) -> Theorem | None:
    """Return a theorem of `false` from the literals over positive variables, or None."""
    facts = [kernel.assume(f) for f in literals]
    signs = _signs_of_divisors(facts, names)
    if signs is None:
        return None
    cores: list[Theorem] = []
    for fact in facts:
        core = _core(fact, signs, names)
        if core.conclusion == ("false",):
            return core
        cores.append(core)
    return contradiction([*signs, *cores], names)


def _signs_of_divisors(facts: Sequence[Theorem], names: Sequence[str]) -> list[Theorem] | None:
    """Return theorems that settle the sign of every divisor in the facts, or None if one stays open."""
    settled: list[Theorem] = []
    for fact in facts:
        divisors: list[Polynomial] = []
        for side in fact.conclusion[1:]:
            normal(side, divisors)
        for d in divisors:
            if kernel.sign(d, frozenset(("v", n) for n in names)) or not d:
                continue
            for theorem in _sign_theorems(d, facts, settled, names):
                settled.append(theorem)
                break
            else:
                return None
    return settled


def _sign_theorems(
    d: Polynomial, facts: Sequence[Theorem], settled: Sequence[Theorem], names: Sequence[str]
) -> Iterator[Theorem]:
    term = term_of(d)
    for fact in (*settled, *facts):
        if fact.conclusion[0] != ">":
            continue
        for goal in ((">", term, ZERO), (">", ZERO, term)):
            try:
                core = _core(fact, settled, names)
                wanted = contradiction([core, kernel.assume(_negated(goal))], names)
            except KernelError:
                continue
            if wanted is not None:
                yield kernel.propositional(goal, [kernel.discharge(wanted, _negated(goal))])


def _negated(goal: Formula) -> Formula:
    return (">=", goal[2], goal[1])


def _core(fact: Theorem, signs: Sequence[Theorem], names: Sequence[str]) -> Theorem:
    """Return the fact as `p > 0` with fractions cleared and factors of known sign divided out."""
    from roofproof.proofs.certificates import core

    return core(fact, signs, names)


def _opaque(formulas: Sequence[Formula]) -> list[Term]:
    found: list[Term] = []

    def walk(f: object) -> None:
        if isinstance(f, tuple):
            if f and f[0] in OPAQUE and f not in found:
                found.append(f)
            for part in f:
                walk(part)

    for formula in formulas:
        walk(formula)
    return found
