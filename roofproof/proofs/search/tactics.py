"""The proof search: finds proofs for the proof checker. Nothing here is trusted: a wrong proof is only rejected.

To prove a goal, the search refutes each row of its truth table that would falsify it: the inequalities of the row
contradict each other, because some sum of products of them, with positive multipliers, is negative.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import combinations

from roofproof.derive.algebra.budget import PROOF_STEPS, Budget, remembered, spend
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.clearing import sign
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import (
    OPAQUE,
    ZERO,
    Formula,
    KernelError,
    Polynomial,
    Term,
    as_formula,
    atoms_of,
    normal_form,
    term_of,
    truth_column,
    truth_table,
    variables,
)
from roofproof.proofs.oracles.sampling import conjuncts
from roofproof.proofs.search.certificates import Facts, above_bounds, combined
from roofproof.proofs.search.lemmas import cut, discharged, lemmas_for, root_facts
from roofproof.proofs.search.polynomials import Replaced, Ring, atoms_in, core, eliminate_extrema, terms_with
from roofproof.proofs.search.roots import NamedSquares

PROOF = 2_000  # steps to set up a proof
EFFORTS = range(3)  # levels of the linear program, cheapest first
ATOMIC = (">", ">=", "=", "int")  # heads of atomic formulas
DEFINED = tuple(head for head in OPAQUE if head != "log2")


def prove(goal: Formula, assumptions: Sequence[Formula] = (), lemmas: Sequence[Theorem] = ()) -> Theorem | None:
    """Return `assumptions, x > 0... |- goal`, verified by the proof checker, or None if no proof was found.

    >>> x, y = Term("v", "x"), Term("v", "y")
    >>> prove(Formula("<=>", Formula(">", Term("*", x, y), y), Formula(">", x, Term("q", 1, 1))))  # x y - y = y (x - 1)
    x > 0, y > 0 |- x*y > y <=> x > 1

    All variables are assumed positive, as the hypotheses of the theorem state.
    """
    return _proved(as_formula(goal), tuple(map(as_formula, assumptions)), tuple(lemmas))


@remembered(200)  # the same claim in definitions is proved for each of its parts
def _proved(goal: Formula, assumptions: tuple[Formula, ...], lemmas: tuple[Theorem, ...]) -> Theorem | None:
    said = [t.conclusion for t in lemmas]
    return Search([goal, *assumptions, *said], named=not lemmas).prove(goal, assumptions, lemmas)


def without_given(theorem: Theorem) -> Theorem:
    """Return a theorem whose only hypotheses are that names are positive, after proving the others.

    >>> power = Term("power", Term("q", 2, 1), Term("v", "c"))
    >>> without_given(kernel.assume(Formula(">", power, ZERO)))
    |- power(2, c) > 0

    Raises KernelError if a hypothesis cannot be proved.
    """
    given = [h for h in theorem.hypotheses if not (h[0] == ">" and h[1][0] == "v" and h[2] == ZERO)]
    facts = [f for f in map(prove, given) if f is not None]
    if len(facts) < len(given):
        raise KernelError("what is supposed was not proved")
    return cut(theorem, facts)


class TooManyAtoms(KernelError):
    """A goal and its lemmas have too many atoms for one truth table."""


class Search:
    """A search for proofs of statements about the same formulas. Intermediate results are shared between proofs.

    >>> x, y = Term("v", "x"), Term("v", "y")
    >>> more, less = Formula(">", x, y), Formula(">", y, x)
    >>> search = Search([more, less])
    >>> search.prove(Formula("not", less), [more])                                # (x - y) + (y - x) = 0
    x > 0, x > y, y > 0 |- not(y > x)
    """

    def __init__(self, formulas: Sequence[Formula], budget: Budget | None = None, named: bool = True) -> None:
        self.budget = budget or Budget(PROOF_STEPS)
        opaque = terms_with(OPAQUE, *formulas)
        rooted = named and any(t[0] == "sqrt" for t in opaque)  # lemmas mention the roots themselves
        self.roots = NamedSquares(formulas if rooted else ())
        if self.roots.names:
            formulas = list(map(self.roots.formula, formulas))
            formulas += self.roots.equations(formulas)
            opaque = terms_with(OPAQUE, *formulas)
        self.names = sorted(frozenset[str]().union(*(variables(f) for f in formulas)))
        self.opaque = [t for t in opaque if t[0] in DEFINED]
        self.positive = frozenset[Term](Term("v", n) for n in self.names)
        self.ring = Ring([], self.names, [*self.positive, *opaque])
        self.open: dict[Formula, list[Polynomial]] = {}
        self.cores: dict[Formula, Theorem] = {}
        self.pairs: dict[tuple[Theorem, Theorem], Theorem | None] = {}
        self.replaced: Replaced = {}

    def prove(
        self,
        goal: Formula,
        assumptions: Sequence[Formula] = (),
        lemmas: Sequence[Theorem] = (),
        look_for_counterexample: Callable[[], None] | None = None,
    ) -> Theorem | None:
        """Return `assumptions, x > 0... |- goal`, or None.

        `look_for_counterexample` is called once, before a long search.
        """
        if self.roots.names:
            renamed = [self.roots.formula(f) for f in (goal, *assumptions)]
            goal, assumptions = renamed[0], [*renamed[1:], *self.roots.equations(renamed)]
        try:
            found = self._in_parts(goal, assumptions, lemmas, look_for_counterexample)
            return self.roots.restored(found) if found is not None else None
        except KernelError:
            return None

    def _in_parts(
        self,
        goal: Formula,
        assumptions: Sequence[Formula],
        lemmas: Sequence[Theorem],
        look_for_counterexample: Callable[[], None] | None,
    ) -> Theorem | None:
        """Prove a goal, and prove a conjunction part by part if it has too many atoms for one truth table."""
        try:
            return self._prove(goal, assumptions, lemmas, look_for_counterexample)
        except TooManyAtoms:
            parts = list(_parts(goal))
            if len(parts) == 1:
                raise
        proved = list[Theorem]()
        for part in parts:
            if (found := self._in_parts(part, assumptions, lemmas, look_for_counterexample)) is None:
                return None
            proved.append(found)
        return kernel.propositional(goal, proved)

    def _prove(
        self,
        goal: Formula,
        assumptions: Sequence[Formula],
        lemmas: Sequence[Theorem],
        look_for_counterexample: Callable[[], None] | None,
    ) -> Theorem | None:
        spend(PROOF)
        known = [*map(kernel.assume, assumptions), *lemmas]
        formulas = [goal, *(t.conclusion for t in known)]
        atoms: list[Formula] = []
        for formula in formulas:
            atoms_of(formula, atoms)
        instances, fresh = list[Theorem](), atoms
        while fresh:  # a part of one maximum may be compared with another
            made = list(lemmas_for(fresh, self.roots.squares))
            instances += made
            before = len(atoms)
            for theorem in made:
                atoms_of(theorem.conclusion, atoms)
            fresh = [a for a in atoms[before:] if any(side[0] in ("max", "min") for side in a[1:])]
        sides = [(a[0], side) for a in atoms for side in a[1:] if side[0] in ("max", "min")]
        apart = {side for _, side in sides} - {side for kind, side in sides if kind == "="}  # lemmas cover these
        for term in terms_with(DEFINED, *formulas) if self.opaque else ():
            if term not in apart:
                known += _in_conjuncts(kernel.definition(term))
            if term[0] == "sqrt":
                inside = Formula(">", term[1], ZERO)
                with suppress(KernelError):
                    known.append(root_facts(term, kernel.arith(inside, positive=sorted(variables(term))))[0])
        # An isolated fact is true in every row, so it needs no column of the truth table. Sums contain no `int`.
        conclusions = [t.conclusion for t in (*known, *instances)]
        said = set(atoms_in(goal, *(f for f in conclusions if f[0] not in ATOMIC)))
        rest, alone = list[Theorem](), list[Theorem]()
        for t in known:
            apart_of_all = t.conclusion[0] in ATOMIC and said.isdisjoint(atoms_in(t.conclusion))
            (alone if apart_of_all else rest).append(t)
        comparisons = [t for t in alone if t.conclusion[0] != "int"]
        return _Rows(self, goal, [*rest, *instances], comparisons, look_for_counterexample).close()

    def core(self, literal: Formula) -> Theorem:
        """Return the core of a literal whose divisors have obvious signs."""
        if literal not in self.cores:
            self.cores[literal] = core(kernel.assume(literal), [], self.names, self.ring)
        return self.cores[literal]

    def divisors(self, literal: Formula) -> list[Polynomial]:
        """Return the divisors in a literal whose sign is not obvious."""
        if literal not in self.open:
            divisors = [d for side in literal[1:] for d in normal_form(side)[2]]
            self.open[literal] = [d for d in divisors if not sign(d, self.positive)]
        return self.open[literal]

    def plain(self, fact: Theorem) -> bool:
        """Return whether a fact is trivial: its coefficients already make it true."""
        if fact.conclusion == ("false",):
            return False
        p = self.ring.read(fact)
        return bool(p.is_zero()) or self.ring.sign(p) > 0

    def facts(self, theorems: Sequence[Theorem]) -> Facts:
        return Facts(theorems, self.names, self.ring)

    def pair(self, theorems: Sequence[Theorem]) -> Theorem | None:
        """Return `false` from only two of the facts, or None."""
        for a, b in combinations(theorems, 2):
            if (a, b) not in self.pairs:
                self.pairs[a, b] = self.facts([a, b]).pair(0, 1)
            if (found := self.pairs[a, b]) is not None:
                return found
        return None


class _Rows:
    """The rows of a goal's truth table, closed one by one with lemmas that contradict them."""

    def __init__(
        self,
        search: Search,
        goal: Formula,
        known: Sequence[Theorem],
        alone: Sequence[Theorem],
        look_for_counterexample: Callable[[], None] | None,
    ) -> None:
        self.search, self.goal, self.look_for_counterexample = search, goal, look_for_counterexample
        self.alone = alone
        self.cores: dict[Formula, Theorem | None] = {}
        self.settled: dict[tuple[Term, frozenset[Formula]], Theorem | None] = {}
        self.always = [f for t in (*known, *alone) for f in conjuncts([t.conclusion]) if f[0] in (">", ">=", "=")]
        self.known: list[Theorem] = []
        self.atoms: list[Formula] = []
        atoms_of(goal, self.atoms)
        self.add(known, anew=True)

    def add(self, theorems: Sequence[Theorem], anew: bool = False) -> None:
        """Cross out the rows of the truth table that these theorems exclude."""
        self.known.extend(theorems)
        before = len(self.atoms)
        for t in theorems:
            atoms_of(t.conclusion, self.atoms)
        if len(self.atoms) > kernel.MAX_ATOMS:
            raise TooManyAtoms("too many atoms")
        if anew or len(self.atoms) > before:
            self.columns, self.full = truth_table(self.atoms)
            self.wrong = self.full & ~truth_column(self.goal, self.columns, self.full)
            theorems = self.known
        for t in theorems:
            self.wrong &= truth_column(t.conclusion, self.columns, self.full)

    def close(self) -> Theorem | None:
        proved = [t for t in self.alone if t.conclusion not in t.hypotheses]
        assumed = {t.conclusion for t in self.alone if t not in proved}
        while self.wrong:
            if not self.search.budget.left:
                return None
            spend(50 * len(self.atoms) + (self.full.bit_length() * len(self.known) >> 10))
            number = self.wrong.bit_length() - 1
            row = {atom: bool(number >> i & 1) for i, atom in enumerate(self.atoms)}
            literals = [
                a if true else Formula(">=", a[2], a[1])
                for a, true in row.items()
                if a[0] == ">" or (a[0] == "=" and true)
            ]
            literals += [t.conclusion for t in self.alone]
            cores = dict.fromkeys(c for f in literals if (c := self.core(f, literals)) is not None)
            usable = [c for c in cores if not self.search.plain(c)]
            if (found := self.quick_refutation(usable)) is None:
                if fresh := self.splits(row):
                    self.add(fresh)
                    continue
                if (found := self.by_linear_program(usable)) is None:
                    return None
            found = cut(found, proved)
            self.add([discharged(found, *(f for f in literals if f in found.hypotheses and f not in assumed))])
        return kernel.propositional(self.goal, self.known)

    def splits(self, row: dict[Formula, bool]) -> list[Theorem]:
        """Return `a > b or a = b or b > a` for each equation that the row denies, unless it is already known."""
        said = {t.conclusion for t in self.known}
        made = [kernel.trichotomy(a[1], a[2]) for a, true in row.items() if a[0] == "=" and not true]
        return [t for t in made if t.conclusion not in said]

    def quick_refutation(self, usable: Sequence[Theorem]) -> Theorem | None:
        """Return `false` by one fact, two facts or the coefficients, without a linear program, or None."""
        found = _false(usable) or self.search.pair(usable)
        if found is None and any(t.conclusion[0] == "=" for t in usable):
            replaced = eliminate_extrema(usable, self.search.names, self.search.replaced)
            found = _false(replaced) or (self.search.pair(replaced) if replaced != usable else None)
        if found is None:
            facts = self.search.facts(usable)
            found = combined(facts) or above_bounds(facts)
        return found

    def by_linear_program(self, usable: Sequence[Theorem]) -> Theorem | None:
        self.pause()
        if any(t.conclusion[0] == "=" for t in usable):
            usable = eliminate_extrema(usable, self.search.names, self.search.replaced)
        facts = self.search.facts(usable)
        efforts = (n for n in EFFORTS if n < 2 or self.search.budget.left)
        return next((found for n in efforts if (found := facts.refuted(n)) is not None), None)

    def pause(self) -> None:
        """Let the caller look for a counterexample, once, before a long search."""
        if self.look_for_counterexample is not None:
            self.look_for_counterexample()
            self.look_for_counterexample = None

    def core(self, literal: Formula, row: Sequence[Formula]) -> Theorem | None:
        """Return the literal cleared of fractions and of factors of known sign.

        Returns None if the signs already make it true, or if a sign is unknown.
        """
        if not self.search.divisors(literal):
            return self.search.core(literal)
        if literal not in self.cores:
            signs = self.signs(literal, self.always)
            if signs is None:
                signs = self.signs(literal, row)
                return None if signs is None else self.cleared(literal, signs)
            self.cores[literal] = self.cleared(literal, signs)
        return self.cores[literal]

    def cleared(self, literal: Formula, signs: Sequence[Theorem]) -> Theorem | None:
        """Return the core of a literal, given the signs of its divisors, or None if these already make it true."""
        made = core(kernel.assume(literal), signs, self.search.names, self.search.ring)
        return None if made.conclusion == literal else made

    def signs(self, literal: Formula, known: Sequence[Formula]) -> list[Theorem] | None:
        """Return theorems that give the sign of every divisor in the literal, or None if a sign is unknown."""
        settled: list[Theorem] = []
        for d in self.search.divisors(literal):
            theorem = self.sign(term_of(d), [f for f in known if f != literal]) if d else None
            if theorem is None:
                return None
            settled.append(theorem)
        return settled

    def sign(self, term: Term, known: Sequence[Formula]) -> Theorem | None:
        """Return `term > 0` or `0 > term` from the literals whose divisors have obvious signs."""
        key = (term, frozenset(known))
        if key not in self.settled:
            self.settled[key] = self.settle(term, known)
        return self.settled[key]

    def settle(self, term: Term, known: Sequence[Formula]) -> Theorem | None:
        plain = [self.search.core(f) for f in known if not self.search.divisors(f)]
        both: list[tuple[Formula, Formula, list[Theorem]]] = []
        for goal in (Formula(">", term, ZERO), Formula(">", ZERO, term)):
            denied = Formula(">=", goal[2], goal[1])
            cores = [*plain, self.search.core(denied)]
            found = _false(cores)
            for c in plain if found is None else ():
                found = found or self.search.pair([c, cores[-1]])
            found = found or combined(self.search.facts(cores)) or above_bounds(self.search.facts(cores))
            if found is not None:
                return kernel.propositional(goal, [kernel.discharge(found, denied)])
            both.append((goal, denied, cores))
        self.pause()
        for effort in EFFORTS:
            for goal, denied, cores in both:
                if (found := self.search.facts(cores).refuted(effort)) is not None:
                    return kernel.propositional(goal, [kernel.discharge(found, denied)])
        return None


def _parts(goal: Formula) -> Iterator[Formula]:
    """Yield the parts of a conjunction, each under the premises of the whole."""
    if goal[0] == "and":
        for part in goal[1:]:
            yield from _parts(part)
    elif goal[0] == "=>":
        yield from (Formula("=>", goal[1], part) for part in _parts(goal[2]))
    else:
        yield goal


def _in_conjuncts(theorem: Theorem) -> list[Theorem]:
    """Return the conjuncts of a theorem as separate theorems."""
    if theorem.conclusion[0] != "and":
        return [theorem]
    return [kernel.propositional(part, [theorem]) for part in theorem.conclusion[1:]]


def _false(theorems: Sequence[Theorem]) -> Theorem | None:
    return next((t for t in theorems if t.conclusion == ("false",)), None)
