"""Signs of polynomials in positive symbols, decided by their coefficients or assumed, each with its theorem.

Theorems are made on demand: a `Proof` is a function that makes one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.budget import spend
from roofproof.derive.algebra.logic import parts_of, related
from roofproof.derive.algebra.polynomial import Poly, Ring, content, sign, terms
from roofproof.derive.algebra.text import plain
from roofproof.errors import RoofproofError
from roofproof.proofs.assumptions import MINUS, ONE, ROOT
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.clearing import sign as sign_by_coefficients
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import ZERO, Formula, KernelError, Polynomial, Term, normal_form, term_of, variables
from roofproof.proofs.search.lemmas import cut, implied, root_facts, trichotomy_exclusions
from roofproof.proofs.search.polynomials import atoms_in, exchanged, poly_over, term_over, terms_with
from roofproof.proofs.translate import formula_if_defined, to_formula, with_functions

if TYPE_CHECKING:
    from roofproof.proofs.search.roots import RootProduct

# A primitive polynomial as sorted (exponents, coefficient) pairs, or a difference that contains roots.
Key = Any  # tuple[tuple[tuple[int, ...], int], ...] | sympy.Expr
Signs = dict[Key, frozenset[int]]  # the possible signs of each
ANY = frozenset((-1, 0, 1))
ALLOWED = {
    ">": frozenset((1,)), ">=": frozenset((0, 1)), "<": frozenset((-1,)), "<=": frozenset((-1, 0)),
    "==": frozenset((0,)), "!=": frozenset((-1, 1)),
}  # fmt: skip
RELATIONS = {signs: relation for relation, signs in ALLOWED.items()}
Proof = Callable[[], Theorem]
Refute = Callable[[Sequence[Formula]], Theorem | None]  # a search for a contradiction
Weights = Sequence[tuple[Term, Sequence[int]]]
FALSE = Formula("false")
OTHER = {">": ">=", ">=": ">"}


class Split(Exception):
    """Raised if the computation needs the sign of a polynomial that is not known."""

    def __init__(self, key: Key) -> None:
        self.key = key


def sign_of(ring: Ring, poly: Poly, signs: Signs) -> int:
    """Return the sign of `poly` under `signs`, or raise Split for a factor whose sign is not known."""
    found = sign(poly)
    if found is not None:
        return found
    spend(50 + 10 * len(poly))
    product, undecided = _undecided(ring, poly)
    for key, turn, power in undecided:
        allowed = signs.get(key, ANY)
        if len(allowed) > 1 and not (power % 2 == 0 and 0 not in allowed):
            raise Split(key)
        product *= (max(allowed) * turn) ** power  # one sign, or an even power of something not zero
    return product


def _undecided(ring: Ring, poly: Poly) -> tuple[int, list[tuple[Key, int, int]]]:
    """Return the product of the known signs, and (p, s, power) for each other factor, which has the sign of s p."""
    constant, factors = ring.factors(poly)
    turn, found = 1 if constant > 0 else -1, list[tuple[Key, int, int]]()
    for factor, power in factors:
        if (s := sign(factor)) is None:
            found.append((*primitive(factor), power))
        else:
            turn *= s**power
    return turn, found


def primitive(poly: Poly) -> tuple[Key, int]:
    """Return (p, s) with coprime integer coefficients, a fixed leading sign, and poly = c s p for some c > 0."""
    s = 1 if poly.leading_coefficient() > 0 else -1
    scaled = poly / (content(poly) * s)
    return tuple(sorted((tuple(map(int, m)), int(c.p)) for m, c in terms(scaled).items())), s


def assumed(ring: Ring, assume: Iterable[Boolean]) -> Signs:
    """Return the signs that follow from assumptions, except those whose denominator has an unknown sign.

    Raises RoofproofError for assumptions that cannot hold for positive symbols.
    """
    signs: Signs = {}
    for relation in (r for a in assume for r in sympy.And.make_args(a) if isinstance(r, Relational)):
        num, den = ring.fraction(relation.lhs - relation.rhs)
        turn, known = sign(den), sign(num)
        if turn is None:
            continue
        if known is not None:
            if known * turn not in ALLOWED[relation.rel_op]:
                raise RoofproofError(
                    "the assumption <relation> cannot hold for positive symbols", relation=plain(relation)
                )
            continue
        key, s = primitive(num)
        signs[key] = signs.get(key, ANY) & frozenset(s * turn * a for a in ALLOWED[relation.rel_op])
        if not signs[key]:
            raise RoofproofError("the assumptions contradict each other: <relation>", relation=plain(relation))
    return signs


def denied(formula: Formula) -> Formula:
    """Return the negation of a comparison, as a comparison.

    >>> denied(Formula(">", Term("v", "x"), ZERO))
    ('>=', ('q', 0, 1), ('v', 'x'))
    """
    return Formula(OTHER[formula[0]], formula[2], formula[1])


def _positive(term: Term) -> Iterator[Theorem]:
    """Yield the theorem that a root, maximum or minimum is positive, if its arguments are obviously positive."""
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


def readable(ring: Ring, poly: Poly, allowed: frozenset[int]) -> Boolean:
    """Return `poly` compared with zero, with a single fraction on one side if possible.

    >>> from roofproof.symbols import quantity
    >>> D, F, R = map(quantity, "DFR")
    >>> ring = Ring([D, F, R])
    >>> readable(ring, ring.fraction(D*F - R*D - R*F)[0], frozenset((1,)))    # divide by D F R
    1/F + 1/D < 1/R
    """
    parts = terms(poly)
    plus = {m: c for m, c in parts.items() if c > 0}
    minus = {m: -c for m, c in parts.items() if c < 0}
    flipped = frozenset(-s for s in allowed)
    if len(minus) == 1 and len(plus) > 1:
        return readable(ring, -poly, flipped)
    left, right = ring.context.from_dict(plus), ring.context.from_dict(minus)
    if len(plus) == 1 and len(minus) > 1:  # minus < plus, divided by plus and by the common factor of minus
        common = right.term_content()
        scale = ring.constant(content(right / common)) * common
        bottom = ring.expr(left / left.leading_coefficient())
        parts = sympy.Add(*(t / bottom for t in sympy.Add.make_args(ring.expr(right / scale))))
        return related(
            RELATIONS[flipped], parts, ring.expr(ring.constant(left.leading_coefficient())) / ring.expr(scale)
        )
    if len(plus) == 1 and len(minus) == 1:
        common = left.gcd(right)
        left, right = left / common, right / common
        for one, other, signs in ((left, right, allowed), (right, left, flipped)):
            side = ring.expr(one)
            c = one.leading_coefficient()
            if side / ring.expr(ring.constant(c)) in ring.atoms:  # put a single symbol on the left
                return related(RELATIONS[signs], ring.expr(one / c), ring.expr(other / c))
    return related(RELATIONS[allowed], ring.factored(left), ring.factored(right))


class Space:
    """The polynomials of one problem, for FLINT and for the proof kernel, and their given signs.

    Proofs use letters for terms that are not polynomials, such as roots. A logarithm of the unknown may be any number.
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
        self.signless = frozenset(() if logarithm is None else (Term("v", logarithm.name),))
        self.names.sort()
        self.numbers = {atom: k for k, atom in enumerate(self.atoms)}
        self.formulas: dict[Key, list[Formula]] = {}  # the assumptions about the sign of each polynomial
        for each in (r for a in assume for r in sympy.And.make_args(a) if isinstance(r, Relational)):
            num, den = ring.fraction(each.lhs - each.rhs)
            if sign(num) is None and sign(den) is not None:
                self.formulas.setdefault(primitive(num)[0], []).append(self.formula(each))
        self.isolated: sympy.CRootOf | None = None  # the polynomial root that has a name in the proofs
        self._sides: dict[Key, tuple[Term, Term, Formula]] = {}
        self._exclusive: dict[Key, tuple[Theorem, ...]] = {}

    def formula(self, condition: Boolean) -> Formula:
        """Return a condition as a formula, with letters for non-polynomial terms and a name for an isolated root."""
        for root in parts_of(condition, sympy.CRootOf):
            if self.isolated not in (None, root):
                raise KernelError("several roots of polynomials")
            self.isolated = root
            condition = condition.xreplace({root: sympy.Symbol(f"{ROOT}1", positive=True)})
        return exchanged(to_formula(condition, with_functions), self.letters)

    def formula_if_defined(self, condition: Boolean) -> Formula:
        """Return a condition as a formula that is false where it is undefined, with the same letters."""
        return exchanged(formula_if_defined(condition), self.letters)

    def value(self, expr: sympy.Expr) -> Term:
        """Return an expression as a term, with the same letters."""
        return exchanged(with_functions(expr), self.letters)

    def without_letters(self, theorem: Theorem) -> Theorem:
        """Return a theorem with terms in place of their letters, and without assumptions that are obviously true."""
        if not self.letters:
            return theorem
        made = kernel.instantiate(theorem, {letter[1]: term for term, letter in self.letters.items()})
        return cut(made, [t for term in self.letters for t in _positive(term)])

    def term(self, p: Poly) -> Term:
        """Return a polynomial as a term."""
        return term_over(self.atoms, p)

    def poly(self, p: Polynomial) -> Poly:
        """Convert a polynomial of the proof kernel, or raise KernelError if it contains roots or logarithms."""
        try:
            return poly_over(self.ring.context, self.numbers, p)
        except KeyError:
            raise KernelError("roots and logarithms are no polynomials") from None

    def positive(self, names: Iterable[str]) -> list[str]:
        """Return the names that stand for positive numbers."""
        return sorted(n for n in names if Term("v", n) not in self.signless)

    def plain(self, p: Polynomial) -> bool:
        """Tell whether the coefficients decide the sign of a polynomial of the proof kernel."""
        return bool(sign_by_coefficients(p, frozenset(a for m in p for a, _ in m if a[0] == "v") - self.signless))

    def read(self, formula: Formula, signs: Sequence[Theorem] = ()) -> Poly:
        """Return the polynomial that a comparison compares with zero, with fractions cleared by the given signs."""
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
        """Prove a comparison as a weighted sum of products of facts, with fractions cleared by the signs `first`."""
        parts = [goal, times, *(m for m, _ in weights), *(t.conclusion for t in (*first, *facts))]
        used = self.positive(frozenset[str]().union(*map(variables, parts)))
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
        """Return (u, v, u = v) such that conditions print p > 0 as u > v, or raise KernelError if there is none."""
        if key not in self._sides:
            if isinstance(key, sympy.Expr):
                left = sympy.Add(*(t for t in sympy.Add.make_args(key) if not t.could_extract_minus_sign()))
                more, equal = (self.formula(related(s, left, left - key)) for s in (">", "=="))
            else:
                p = self.ring.context.from_dict(dict(key))
                more, equal = (self.formula(readable(self.ring, p, frozenset((s,)))) for s in (1, 0))
            if more[0] != ">":  # such as sqrt(3) > 1/10, which is true as soon as it is written
                raise KernelError("a sign that is no condition")
            self._sides[key] = more[1], more[2], equal
        return self._sides[key]

    def atom(self, key: Key, s: int) -> Formula:
        """Return the comparison that says that a polynomial has a sign."""
        u, v, equal = self.sides(key)
        return equal if s == 0 else Formula(">", *((u, v) if s > 0 else (v, u)))

    def exclusive(self, key: Key) -> tuple[Theorem, ...]:
        """Return the theorems that no two signs of a polynomial hold together."""
        if key not in self._exclusive:
            self._exclusive[key] = tuple(self._apart(key))
        return self._exclusive[key]

    def _apart(self, key: Key) -> Iterator[Theorem]:
        more, equal, less = (self.atom(key, s) for s in (1, 0, -1))
        if equal[1:] in (more[1:], less[1:]):
            yield from (kernel.instantiate(t, {"u!": equal[1], "v!": equal[2]}) for t in trichotomy_exclusions())
            return
        same = self.read(more) == self.read(Formula(">", *equal[1:]))
        ways = (more, less, ONE), (more, equal, MINUS if same else ONE), (less, equal, ONE if same else MINUS)
        for one, other, weight in ways:
            made = self.arith(FALSE, [kernel.assume(one), kernel.assume(other)], [(ONE, [0]), (weight, [1])])
            yield kernel.discharge(kernel.discharge(made, one), other)

    def refute_sign(self, key: Key, s: int) -> Theorem:
        """Prove that a sign of a polynomial contradicts the assumptions about it."""
        atom = self.atom(key, s)
        for fact in self.formulas.get(key, []):
            of_fact, of_atom = self.read(fact), self.read(atom)
            u, v, turn = self.ratio(of_fact, of_atom)
            weights = [(self.term(u), [0]), (self.term(-v * turn if atom[0] == "=" else v), [1])]
            if fact[0] == "=":
                weights = [(self.term(-u * turn), [0]), (self.term(v), [1])]
            with suppress(KernelError):  # another fact may say more about the sign
                return self.arith(FALSE, [kernel.assume(fact), kernel.assume(atom)], weights)
        raise KernelError("nothing given leaves this sign out")


@dataclass(frozen=True)
class Facts:
    """The signs that hold on one path of the tree of cases."""

    space: Space
    signs: Signs

    def sign_of(self, p: Poly) -> tuple[int, Proof]:
        """Return the sign of a polynomial and its proof, or raise KernelError if the path does not decide it."""
        try:
            s = 0 if self._zero(p) else sign_of(self.space.ring, p, self.signs)
        except Split:
            raise KernelError("a sign that is not known on this path") from None
        return s, lambda: self._proved(p, s)

    def _zero(self, p: Poly) -> bool:
        """Tell whether some factor is zero, whatever the others are."""
        factors = [f for f, _ in self.space.ring.factors(p)[1] if sign(f) is None] if sign(p) is None else []
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
        known = [*first, theorem]  # a divisor may need that sign
        if sign(p := self.space.read(goal, known)) == 1:
            return self.space.arith(goal, [], [(self.space.term(p), [])], ONE, known)
        u, v, _ = self.space.ratio(p, self.space.read(theorem.conclusion))
        return self.space.arith(goal, [theorem], [(self.space.term(v), [0])], self.space.term(u), first)

    def divisors(self, *terms: Term | Formula) -> list[Theorem]:
        """Prove the signs of the divisors in terms, or in the sides of comparisons, unless they are obvious."""
        sides = [t for each in terms for t in (each[1:] if each[0] in (">", ">=", "=") else (each,))]
        found = [self.space.poly(d) for t in sides for d in normal_form(t)[2] if not self.space.plain(d)]
        return [self.positive(p * self.sign_of(p)[0]) for p in found if sign(p) is None]

    def fact(self, key: Key) -> Theorem:
        """Return the given or assumed sign of an irreducible factor, as a theorem."""
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
        for factor, power in space.ring.factors(p)[1]:
            if sign(factor) is None:
                key, _ = primitive(factor)
                signs = self.signs.get(key, ANY)
                if signs == frozenset((0,)):
                    return self._product(goal, [self.fact(key)])
                if len(signs) > 1 and s != 0:
                    raise KernelError("a sign that is not known")
                facts += [self.fact(key)] * power if s != 0 else []
        return self._product(goal, facts)

    def _product(self, goal: Formula, facts: Sequence[Theorem]) -> Theorem:
        """Prove a sign of a product from the signs of its factors."""
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

    def above_zero(self, t: Term) -> Theorem:
        """Prove that a term is positive."""
        return self.positive_sides(Formula(">", t, ZERO), self.divisors(t))

    def product_of_roots(self, t: Term) -> RootProduct:
        """Return the square of a product or quotient of square roots, with the theorem that the product is positive."""
        from roofproof.proofs.search.roots import product_of_roots

        inside = [root[1] for root in terms_with(("sqrt",), t)]
        if (found := product_of_roots(t, self.above_zero, self.divisors(*inside))) is None:
            raise KernelError("a root of another form")
        return found

    def with_roots(self, theorem: Theorem, letters: Mapping[Term, Term]) -> Theorem:
        """Return a theorem with its letters replaced by the square roots they stand for, which are positive."""
        made = kernel.instantiate(theorem, {letter[1]: root for root, letter in letters.items()})
        used = [root for root in letters if Formula(">", root, ZERO) in made.hypotheses]
        return cut(made, [root_facts(root, self.above_zero(root[1]))[0] for root in used])

    def with_letters(self, made: Callable[..., Theorem], *parts: Any) -> Theorem:
        """Return a theorem about some parts, made with letters for their square roots so that these can be divisors."""
        roots = {root: Term("v", f"root{k}!") for k, root in enumerate(terms_with(("sqrt",), *parts))}
        return self.with_roots(made(*(exchanged(part, roots) for part in parts)), roots)

    def order(self, a: Term, b: Term) -> Theorem:
        """Return the theorem `a > b`, `a = b` or `b > a`, whichever the signs imply."""
        if terms_with(("sqrt",), a, b):
            return self._order_of_roots(a, b)
        first = self.divisors(a, b)
        p = self.space.read(Formula(">", a, b), first)
        s, proof = self.sign_of(p)
        if s != 0:
            return self.positive_sides(Formula(">", *((a, b) if s > 0 else (b, a))), first)
        return self.space.arith(Formula("=", a, b), [proof()], [(ONE, [0])], ONE, first)

    def _order_of_roots(self, a: Term, b: Term) -> Theorem:
        """Return the order of two bounds with roots in them, if the path assumes it."""

        def ordered(fact: Formula, goal: Formula) -> Theorem:
            first = self.divisors(fact, goal)
            known, names = [*first, kernel.assume(fact)], divided_by(fact, goal)
            with suppress(KernelError):
                return kernel.arith(goal, known, [(ONE, [len(first)])], names)
            return kernel.arith(goal, known, [(MINUS, [len(first)])], names)  # an equation the other way round

        keys = [k for k, s in self.signs.items() if isinstance(k, sympy.Expr) and len(s) == 1]
        for fact in (self.fact(k).conclusion for k in keys):
            for sides in ((a, b),) if fact[0] == "=" else ((a, b), (b, a)):
                with suppress(KernelError):
                    return self.with_letters(ordered, fact, Formula(fact[0], *sides))
        raise KernelError("no order of these bounds is supposed")


def divided_by(*parts: Term | Formula) -> list[str]:
    """Return the names in the divisors of terms, or of the sides of comparisons.

    >>> x, y, z = (Term("v", n) for n in "xyz")
    >>> divided_by(Formula(">", x, Term("/", Term("sqrt", z), y)))
    ['y']
    """
    sides = (t for each in parts for t in (each.sides if isinstance(each, Formula) else (each,)))
    return sorted({n for t in sides for d in normal_form(t)[2] for n in variables(term_of(d))})


def comparisons(f: Formula) -> list[Formula]:
    """Return the comparisons that are the atoms of a formula's truth table."""
    return [a for a in atoms_in(f) if a[0] in (">", "=")]
