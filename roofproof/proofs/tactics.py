"""Finding proofs for the kernel: nothing here is trusted, and what is found may only fail to be a proof.

A goal is proved by looking at every row of its truth table that would falsify it, and showing that the row's
inequalities contradict each other: some sum of products of them, with positive multipliers, is negative.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from roofproof.proofs import kernel
from roofproof.proofs.certificates import Facts, core
from roofproof.proofs.kernel import Theorem
from roofproof.proofs.lemmas import lemmas_for, positive_root
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
    truth_column,
    truth_table,
    variables,
)


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
    atoms: list[Formula] = []
    for formula in formulas:
        atoms_of(formula, atoms)
    instances = list(lemmas_for(atoms))
    apart = {side for a in atoms for side in a[1:] if side[0] in ("max", "min")}  # the lemmas say all of these
    for term in _opaque(formulas):
        if term not in apart:
            known.append(kernel.definition(term))
        if term[0] == "sqrt":
            known.extend(_positive_root(term, names))
    try:
        return _Rows(goal, [*known, *instances], names).close()
    except KernelError:
        return None


def _positive_root(root: Term, names: Sequence[str]) -> Iterator[Theorem]:
    try:
        inside = kernel.arith((">", root[1], ZERO), positive=sorted(variables(root).intersection(names)))
    except KernelError:
        return
    yield positive_root(root, inside)


class _Rows:
    """The rows of a goal's truth table, closed one by one with lemmas that contradict them."""

    def __init__(self, goal: Formula, known: list[Theorem], names: Sequence[str]) -> None:
        self.goal, self.known, self.names = goal, known, names
        self.positive = frozenset[Term](("v", n) for n in names)
        self.cores: dict[Formula, Theorem | None] = {}
        self.settled: dict[tuple[Term, frozenset[Formula]], Theorem | None] = {}
        self.always = [f for t in known for f in _conjuncts(t.conclusion) if f[0] in (">", ">=", "=")]

    def close(self) -> Theorem | None:
        while True:
            row = _falsifying(self.goal, [t.conclusion for t in self.known])
            if row is None:
                return kernel.propositional(self.goal, self.known)
            literals = [
                a if true else (">=", a[2], a[1]) for a, true in row.items() if a[0] == ">" or (a[0] == "=" and true)
            ]
            lemma = self.lemma(literals)
            fresh = [lemma] if lemma else self.splits(row)
            if not fresh:
                return None
            self.known.extend(fresh)

    def splits(self, row: dict[Formula, bool]) -> list[Theorem]:
        """Return `a > b or a = b or b > a` for equations that the row denies, where that is new."""
        said = {t.conclusion for t in self.known}
        made = [kernel.trichotomy(a[1], a[2]) for a, true in row.items() if a[0] == "=" and not true]
        return [t for t in made if t.conclusion not in said]

    def lemma(self, literals: Sequence[Formula]) -> Theorem | None:
        """Return `|- not all of these literals`, for the fewest that are seen to contradict each other."""
        usable = {f: c for f in literals if (c := self.core(f, literals)) is not None}
        for theorem in usable.values():
            if theorem.conclusion == ("false",):
                return _discharged(theorem, literals)
        facts = Facts(list(usable.values()), self.names)
        for i, j in combinations(range(len(usable)), 2):
            if (found := facts.pair(i, j)) is not None:
                return _discharged(found, literals)
        found = facts.linear_program()
        if found is None and (squares := facts.squares()):
            found = Facts([*facts.theorems, *squares], self.names).linear_program()
        found = found or facts.linear_program(degree=2)
        return _discharged(found, literals) if found is not None else None

    def core(self, literal: Formula, row: Sequence[Formula]) -> Theorem | None:
        """Return the literal cleared of fractions and of factors of known sign; None where a sign is open."""
        if literal not in self.cores:
            signs = self.signs(literal, self.always)
            if signs is None:
                signs = self.signs(literal, row)
                return None if signs is None else core(kernel.assume(literal), signs, self.names)
            self.cores[literal] = core(kernel.assume(literal), signs, self.names)
        return self.cores[literal]

    def signs(self, literal: Formula, known: Sequence[Formula]) -> list[Theorem] | None:
        """Return theorems that settle the sign of every divisor in the literal, or None if one stays open."""
        divisors: list[Polynomial] = []
        for side in literal[1:]:
            normal(side, divisors)
        settled: list[Theorem] = []
        for d in divisors:
            if not d:
                return None
            if not kernel.sign(d, self.positive):
                theorem = self.sign(term_of(d), [f for f in known if f != literal])
                if theorem is None:
                    return None
                settled.append(theorem)
        return settled

    def sign(self, term: Term, known: Sequence[Formula]) -> Theorem | None:
        """Return `term > 0` or `0 > term` from the literals that need no such help themselves."""
        key = (term, frozenset(known))
        if key not in self.settled:
            self.settled[key] = self.settle(term, known)
        return self.settled[key]

    def settle(self, term: Term, known: Sequence[Formula]) -> Theorem | None:
        plain = [core(kernel.assume(f), [], self.names) for f in known if self.signless(f)]
        both: list[tuple[Formula, Formula, Facts]] = []
        for goal in ((">", term, ZERO), (">", ZERO, term)):
            denied: Formula = (">=", goal[2], goal[1])
            cores = [*plain, core(kernel.assume(denied), [], self.names)]
            facts = Facts([c for c in cores if c.conclusion != ("false",)], self.names)
            last = len(facts.theorems) - 1
            found = next((c for c in cores if c.conclusion == ("false",)), None)
            for i in range(last):
                found = found or facts.pair(i, last)
            if found is not None:
                return kernel.propositional(goal, [kernel.discharge(found, denied)])
            both.append((goal, denied, facts))
        for degree in (1, 2):
            for goal, denied, facts in both:
                if (found := facts.linear_program(degree)) is not None:
                    return kernel.propositional(goal, [kernel.discharge(found, denied)])
        return None

    def signless(self, formula: Formula) -> bool:
        divisors: list[Polynomial] = []
        for side in formula[1:]:
            normal(side, divisors)
        return all(kernel.sign(d, self.positive) for d in divisors)


def _discharged(false: Theorem, literals: Sequence[Formula]) -> Theorem:
    for literal in literals:
        if literal in false.hypotheses:
            false = kernel.discharge(false, literal)
    return false


def _conjuncts(formula: Formula) -> Iterator[Formula]:
    if formula[0] == "and":
        for part in formula[1:]:
            yield from _conjuncts(part)
    else:
        yield formula


def _falsifying(goal: Formula, givens: Sequence[Formula]) -> dict[Formula, bool] | None:
    """Return a row in which the givens hold and the goal does not, or None."""
    atoms: list[Formula] = []
    for formula in (goal, *givens):
        atoms_of(formula, atoms)
    if len(atoms) > kernel.MAX_ATOMS:
        raise KernelError("too many atoms")
    columns, wrong = truth_table(atoms)
    full = wrong
    for formula in givens:
        wrong &= truth_column(formula, columns, full)
    wrong &= ~truth_column(goal, columns, full)
    if not wrong:
        return None
    row = wrong.bit_length() - 1
    return {atom: bool(row >> i & 1) for i, atom in enumerate(atoms)}


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
