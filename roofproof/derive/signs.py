"""Signs of polynomials where some signs are supposed, each with its theorem; and the tree of cases that they make.

What a sign, a bound or a case rests on is proved when it is asked for: a `Proof` is a theorem to be made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.budget import spend
from roofproof.derive.algebra.logic import related
from roofproof.derive.algebra.polynomial import Poly, Ring, sign
from roofproof.derive.algebra.signs import ANY, Key, Signs, Split, assumed, primitive, readable, sign_of
from roofproof.errors import RoofproofError
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import ZERO, Formula, KernelError, Polynomial, Term, atoms_of, normal_form, variables
from roofproof.proofs.search.lemmas import MINUS, ONE, apart, cut, implied, root_facts
from roofproof.proofs.search.polynomials import exchanged, poly_over, term_over, terms_with
from roofproof.proofs.translate import to_formula, wanted, with_functions

Proof = Callable[[], Theorem]
Refute = Callable[[Sequence[Formula]], Theorem | None]  # a search for a contradiction
Weights = Sequence[tuple[Term, Sequence[int]]]
FALSE = Formula("false")
OTHER = {">": ">=", ">=": ">"}


def denied(formula: Formula) -> Formula:
    """Return what holds where a comparison does not.

    >>> denied(Formula(">", Term("v", "x"), ZERO))
    ('>=', ('q', 0, 1), ('v', 'x'))
    """
    return Formula(OTHER[formula[0]], formula[2], formula[1])


def _positive(term: Term) -> Iterator[Theorem]:
    """Yield that a root, a maximum or a minimum of what is plainly positive is positive."""
    if term[0] in ("sqrt", "max", "min"):
        with suppress(KernelError):
            inside = [kernel.arith(Formula(">", t, ZERO), positive=sorted(variables(t))) for t in term[1:]]
            if term[0] == "sqrt":
                yield root_facts(term, inside[0])[0]
                return
            goal, weights = Formula(">", term, ZERO), [(ONE, [0]), (ONE, [1])]
            each = [
                implied([Formula("=", term, t)], goal, weights, [above])
                for t, above in zip(term[1:], inside, strict=True)
            ]
            yield kernel.propositional(goal, [kernel.definition(term), *each])


class Space:
    """The polynomials of one problem, for FLINT and for the kernel, and what is given of their signs.

    What is no polynomial, such as a root, has a letter in the proofs; a logarithm of the unknown may be any number.
    """

    def __init__(self, ring: Ring, assume: Iterable[Boolean] = (), logarithm: sympy.Symbol | None = None) -> None:
        self.ring = ring
        self.given = assumed(ring, assume) if assume else {}
        self.names, self.atoms = list[str](), list[Term]()
        self.letters: dict[Term, Term] = {}
        for k, atom in enumerate(ring.atoms):
            term = with_functions(atom) if atom.is_Symbol or atom == sympy.pi else Term("v", f"part{k}!")
            self.atoms.append(term)
            if not atom.is_Symbol and atom != sympy.pi:
                self.letters[with_functions(atom)] = term
            if atom != logarithm:
                self.names.append(term[1])
        self.signless = frozenset(() if logarithm is None else (logarithm.name,))
        self.names.sort()
        self.numbers = {atom: k for k, atom in enumerate(self.atoms)}
        self.formulas: dict[Key, list[Formula]] = {}  # what is given of the sign of a polynomial
        for each in (r for a in assume for r in sympy.And.make_args(a) if isinstance(r, Relational)):
            num, den = ring.fraction(each.lhs - each.rhs)
            if sign(num) is None and sign(den) is not None:
                self.formulas.setdefault(primitive(num)[0], []).append(self.formula(each))
        self._sides: dict[Key, tuple[Term, Term, Formula]] = {}
        self._exclusive: dict[Key, tuple[Theorem, ...]] = {}

    def formula(self, condition: Boolean) -> Formula:
        """Return a condition as a formula, with letters for what is no polynomial."""
        return exchanged(to_formula(condition, with_functions), self.letters)

    def wanted(self, condition: Boolean) -> Formula:
        """Return a condition as a formula that is false where it is not defined, with such letters."""
        return exchanged(wanted(condition), self.letters)

    def value(self, expr: sympy.Expr) -> Term:
        """Return an expression as a term, with such letters."""
        return exchanged(with_functions(expr), self.letters)

    def without_letters(self, theorem: Theorem) -> Theorem:
        """Return a theorem with what the letters stand for, which is positive where that is plain."""
        if not self.letters:
            return theorem
        made = kernel.instantiate(theorem, {letter[1]: term for term, letter in self.letters.items()})
        return cut(made, [t for term in self.letters for t in _positive(term)])

    def term(self, p: Poly) -> Term:
        """Return a polynomial as a term."""
        return term_over(self.atoms, p)

    def poly(self, p: Polynomial) -> Poly:
        """Return a polynomial of the kernel; KernelError where something else than names and letters is in it."""
        try:
            return poly_over(self.ring.context, self.numbers, p)
        except KeyError:
            raise KernelError("roots and logarithms are no polynomials") from None

    def read(self, formula: Formula, signs: Sequence[Theorem] = ()) -> Poly:
        """Return the polynomial that a comparison is about, its fractions cleared by these signs."""
        known = [kernel.polynomial(t.conclusion, self.names) for t in signs]
        p = kernel.polynomial(formula, self.names, known)
        spend(200 + 60 * len(p))
        return self.poly(p)

    def arith(
        self,
        goal: Formula,
        facts: Sequence[Theorem],
        weights: Weights,
        times: Term = ONE,
        first: Sequence[Theorem] = (),
    ) -> Theorem:
        """Prove a comparison as a sum of products of facts; `first` are signs by which fractions are cleared."""
        parts = [goal, times, *(m for m, _ in weights), *(t.conclusion for t in (*first, *facts))]
        used = sorted(frozenset[str]().union(*map(variables, parts)).difference(self.signless))
        moved = [(m, [k + len(first) for k in chosen]) for m, chosen in weights]
        spend(500)
        return kernel.arith(goal, [*first, *facts], moved, used, times)

    def ratio(self, above: Poly, below: Poly) -> tuple[Poly, Poly, int]:
        """Return u, v without negative terms and s with above/below = s v/u."""
        common = above.gcd(below)
        v, u = above / common, below / common
        of_v, of_u = sign(v), sign(u)
        if not of_v or not of_u:
            raise KernelError("the polynomials differ by more than a factor of known sign")
        return u * of_u, v * of_v, of_v * of_u

    def sides(self, key: Key) -> tuple[Term, Term, Formula]:
        """Return (u, v, u = v) as a condition shows them (p > 0 as u > v); KernelError where none does."""
        if key not in self._sides:
            if isinstance(key, sympy.Expr):
                left = sympy.Add(*(t for t in sympy.Add.make_args(key) if not t.could_extract_minus_sign()))
                more, equal = (self.formula(related(s, left, left - key)) for s in (">", "=="))
            else:
                p = self.ring.context.from_dict(dict(key))
                more, equal = (self.formula(readable(self.ring, p, frozenset((s,)))) for s in (1, 0))
            if more[0] != ">":  # sqrt(3) > 1/10 is decided as it is written
                raise KernelError("a sign that is no condition")
            self._sides[key] = more[1], more[2], equal
        return self._sides[key]

    def atom(self, key: Key, s: int) -> Formula:
        """Return the comparison that says that a polynomial has a sign."""
        u, v, equal = self.sides(key)
        return equal if s == 0 else Formula(">", *((u, v) if s > 0 else (v, u)))

    def exclusive(self, key: Key) -> tuple[Theorem, ...]:
        """Return that no two signs hold together."""
        if key not in self._exclusive:
            self._exclusive[key] = tuple(self._apart(key))
        return self._exclusive[key]

    def _apart(self, key: Key) -> Iterator[Theorem]:
        more, equal, less = (self.atom(key, s) for s in (1, 0, -1))
        if equal[1:] in (more[1:], less[1:]):
            yield from (kernel.instantiate(t, {"u!": equal[1], "v!": equal[2]}) for t in apart())
            return
        same = self.read(more) == self.read(Formula(">", *equal[1:]))
        ways = (more, less, ONE), (more, equal, MINUS if same else ONE), (less, equal, ONE if same else MINUS)
        for one, other, weight in ways:
            made = self.arith(FALSE, [kernel.assume(one), kernel.assume(other)], [(ONE, [0]), (weight, [1])])
            yield kernel.discharge(kernel.discharge(made, one), other)

    def left_out(self, key: Key, s: int) -> Theorem:
        """Prove that a polynomial which has a sign contradicts what is given of it."""
        atom = self.atom(key, s)
        for fact in self.formulas.get(key, []):
            of_fact, of_atom = self.read(fact), self.read(atom)
            u, v, turn = self.ratio(of_fact, of_atom)
            weights = [(self.term(u), [0]), (self.term(-v * turn if atom[0] == "=" else v), [1])]
            if fact[0] == "=":
                weights = [(self.term(-u * turn), [0]), (self.term(v), [1])]
            with suppress(KernelError):  # another fact may say more of the sign
                return self.arith(FALSE, [kernel.assume(fact), kernel.assume(atom)], weights)
        raise KernelError("nothing given leaves this sign out")


@dataclass(frozen=True)
class Facts:
    """The signs that hold on one path of the tree of cases."""

    space: Space
    signs: Signs

    def sign_of(self, p: Poly) -> tuple[int, Proof]:
        """Return the sign of a polynomial and that it has it; KernelError where the path does not tell."""
        try:
            s = 0 if self._zero(p) else sign_of(self.space.ring, p, self.signs)
        except Split:
            raise KernelError("a sign that is not known on this path") from None
        return s, lambda: self._proved(p, s)

    def _zero(self, p: Poly) -> bool:
        """Tell whether a factor is zero, whatever the others are."""
        factors = [f for f, _ in p.factor()[1] if sign(f) is None] if sign(p) is None else []
        return any(self.signs.get(primitive(f)[0]) == frozenset((0,)) for f in factors)

    def positive(self, p: Poly) -> Theorem:
        """Prove that a polynomial is positive."""
        s, proof = self.sign_of(p)
        if s <= 0:
            raise KernelError("this is not positive")
        return proof()

    def positive_sides(self, goal: Formula, first: Sequence[Theorem] = ()) -> Theorem:
        """Prove a strict comparison by the sign of the difference of its sides."""
        p = self.space.read(goal, first)
        theorem = self.positive(p)
        u, v, _ = self.space.ratio(p, self.space.read(theorem.conclusion))
        return self.space.arith(goal, [theorem], [(self.space.term(v), [0])], self.space.term(u), first)

    def divisors(self, *terms: Term | Formula) -> list[Theorem]:
        """Prove the sign of what some terms, or the sides of comparisons, divide by, where it is not plain."""
        sides = [t for each in terms for t in (each[1:] if each[0] in (">", ">=", "=") else (each,))]
        found = [self.space.poly(d) for t in sides for d in normal_form(t)[2]]
        return [self.positive(p * self.sign_of(p)[0]) for p in found if sign(p) is None]

    def fact(self, key: Key) -> Theorem:
        """Return the sign of an irreducible factor, as it is given or supposed."""
        [s] = self.signs[key]
        if self.signs[key] == self.space.given.get(key):
            for formula in self.space.formulas[key]:
                if formula[0] in (">", "="):
                    return kernel.assume(formula)
        return kernel.assume(self.space.atom(key, s))

    def _proved(self, p: Poly, s: int) -> Theorem:
        space = self.space
        t = space.term(p)
        goal = Formula("=", t, ZERO) if s == 0 else Formula(">", t, ZERO) if s > 0 else Formula(">", ZERO, t)
        if sign(p) is not None:
            return space.arith(goal, [], [(space.term(p * s), [])] if s else [])
        facts = []
        for factor, power in p.factor()[1]:
            if sign(factor) is None:
                key, _ = primitive(factor)
                signs = self.signs.get(key, ANY)
                if signs == frozenset((0,)):
                    return self._product(goal, [self.fact(key)])
                if len(signs) > 1 and s != 0:
                    raise KernelError("a sign that is not known")
                facts += [self.fact(key)] * int(power) if s != 0 else []
        return self._product(goal, facts)

    def _product(self, goal: Formula, facts: Sequence[Theorem]) -> Theorem:
        """Prove a sign from those of the factors."""
        space = self.space
        whole = space.read(goal)
        if goal[0] == "=":
            zero = next(f for f in facts if f.conclusion[0] == "=")
            p = space.read(zero.conclusion)
            scale = p.term_content()
            rest, left = divmod(whole * scale, p)
            if not left.is_zero():
                raise KernelError("no multiple of what is zero")
            return space.arith(goal, [zero], [(space.term(rest), [0])], space.term(scale))
        product = space.ring.constant(1)
        for f in facts:
            product *= space.read(f.conclusion)
        u, v, _ = space.ratio(whole, product)
        return space.arith(goal, facts, [(space.term(v), list(range(len(facts))))], space.term(u))

    def order(self, a: Term, b: Term) -> Theorem:
        """Return `a > b`, `a = b` or `b > a`, whichever the signs say."""
        first = self.divisors(a, b)
        if terms_with(("sqrt",), a, b):
            return self._order_of_roots(a, b, first)
        p = self.space.read(Formula(">", a, b), first)
        s, proof = self.sign_of(p)
        if s != 0:
            return self.positive_sides(Formula(">", *((a, b) if s > 0 else (b, a))), first)
        return self.space.arith(Formula("=", a, b), [proof()], [(ONE, [0])], ONE, first)

    def _order_of_roots(self, a: Term, b: Term, first: Sequence[Theorem]) -> Theorem:
        """Return the order of two bounds with roots in them, where the path supposes just that."""
        keys = [k for k, s in self.signs.items() if isinstance(k, sympy.Expr) and len(s) == 1]
        for fact in map(self.fact, keys):
            relation = fact.conclusion[0]
            for goal in (Formula(relation, a, b), Formula(relation, b, a)):
                with suppress(KernelError):
                    return self.space.arith(goal, [fact], [(ONE, [0])], ONE, first)
        raise KernelError("no order of these bounds is supposed")


@dataclass
class Leaf:
    """Where a path of the tree ends: its signs, where the condition holds there, and why."""

    facts: Facts
    region: object
    proof: Proof
    parts: Mapping[Relational, Any] = field(default_factory=dict)  # the lines of each comparison
    _made: dict[str, Theorem | KernelError] = field(default_factory=dict)

    def theorem(self) -> Theorem:
        """Return that the condition holds in that region, proved once; KernelError where it is not."""
        return self._once("region", self.proof)

    def impossible(self, refute: Refute) -> Theorem:
        """Return that the signs of the path contradict each other; KernelError where that is not found."""

        def contradiction() -> Theorem:
            if (theorem := refute(list(self.supposed()))) is None:
                raise KernelError("these signs are not known to contradict each other")
            return theorem

        return self._once("impossible", contradiction)

    def _once(self, what: str, make: Proof) -> Theorem:
        if what not in self._made:
            try:
                self._made[what] = make()
            except (KernelError, RoofproofError, Split) as problem:  # not proved, without a term, a sign not asked for
                self._made[what] = KernelError(str(problem))
        found = self._made[what]
        if isinstance(found, KernelError):
            raise KernelError(str(found))
        return found

    @cached_property
    def path(self) -> list[Key]:
        """The polynomials whose signs were supposed on the way."""
        given = self.facts.space.given
        return [k for k, s in self.facts.signs.items() if s != given.get(k)]

    def supposed(self) -> Iterator[Formula]:
        """Yield what holds on the path, as far as it is supposed or given."""
        space = self.facts.space
        for key, signs in self.facts.signs.items():
            if signs == space.given.get(key):
                yield from space.formulas.get(key, [])
            else:
                yield space.atom(key, next(iter(signs)))

    def about(self, *formulas: Formula) -> Iterator[Theorem]:
        """Yield what the path supposes of the comparisons in some formulas, and that no two signs hold together."""
        space = self.facts.space
        mentioned = {a for f in formulas for a in comparisons(f)}
        for key, signs in self.facts.signs.items():
            if mentioned.isdisjoint(space.atom(key, s) for s in (1, 0, -1)):
                continue
            if signs == space.given.get(key):
                yield from map(kernel.assume, space.formulas.get(key, []))
            else:
                yield kernel.assume(space.atom(key, next(iter(signs))))
            yield from space.exclusive(key)


def comparisons(f: Formula) -> list[Formula]:
    """Return the comparisons that a truth table of a formula is about."""
    out: list[Formula] = []
    atoms_of(f, out)
    return [a for a in out if a[0] in (">", "=")]


def by_tree(goal: Formula, leaves: Sequence[Leaf], at_leaf: Callable[[Leaf], Theorem]) -> Theorem:
    """Prove what holds at every leaf: node by node, what the path supposes is discharged as the ways are joined."""
    return _joined(goal, leaves, at_leaf, frozenset())


def _joined(goal: Formula, leaves: Sequence[Leaf], at_leaf: Callable[[Leaf], Theorem], done: frozenset[Key]) -> Theorem:
    open_ = [k for k in leaves[0].path if k not in done]
    if len(leaves) == 1 and not open_:
        return at_leaf(leaves[0])
    key = next((k for k in open_ if all(k in leaf.path for leaf in leaves)), None)
    if key is None:
        raise KernelError("no tree of cases")
    space = leaves[0].facts.space
    split = kernel.trichotomy(*space.sides(key)[2][1:])
    signs = {space.atom(key, s): s for s in (1, 0, -1)}
    branches = []
    for s in (signs[atom] for atom in split.conclusion[1:]):
        under = [leaf for leaf in leaves if leaf.facts.signs[key] == frozenset((s,))]
        made = _joined(goal, under, at_leaf, done | {key}) if under else None
        branches.append(made or kernel.propositional(goal, [space.left_out(key, s)]))
    return kernel.cases(split, branches)
