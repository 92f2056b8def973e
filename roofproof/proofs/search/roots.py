"""Roots as named positive variables and as products of roots, which reduces statements about roots to polynomials.

A proof about names is transferred back by their defining equations, which the proof checker verifies. The root of a
product becomes a product of roots, so that two forms of one value look alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import lcm

import sympy
from sympy.core.relational import Relational

from roofproof.derive.algebra.exact_comparison import by_small_primes
from roofproof.errors import RoofproofError
from roofproof.proofs.assumptions import MINUS, ONE, ROOT
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import (
    OPAQUE,
    ZERO,
    Formula,
    KernelError,
    Polynomial,
    Term,
    V,
    normal,
    substitute,
    variables,
)
from roofproof.proofs.powers import multiplied
from roofproof.proofs.search.lemmas import cut, root_facts
from roofproof.proofs.search.polynomials import atoms_in, by_equations, defining, exchanged, terms_with
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import isolating, to_term

SQRT = ("sqrt",)
MAX_POWER = 12  # largest exponent of a factor under a root that is split


# --- square roots in formulas ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RootProduct:
    """A positive product t of square roots: its square, and the theorems `t > 0` and `t*t = square`."""

    square: Term
    facts: tuple[Theorem, Theorem]


@lru_cache(maxsize=200)
def root_product(term: Term) -> RootProduct | None:
    """Return the facts about a square root of a positive term, or a product or quotient of such roots, or None.

    SymPy splits the root of a product of symbols. To use t = sqrt(3)*sqrt(M)/(3*sqrt(s)), a proof needs t > 0 and
    t*t = 3 M/(9 s).

    >>> root_product(Term("/", Term("sqrt", Term("v", "M")), Term("q", 2, 1))).facts[1]          # (sqrt(M)/2)^2 = M/4
    M > 0 |- (sqrt(M)/2)*(sqrt(M)/2) = M/(2*2)
    """
    names = sorted(variables(term))
    return product_of_roots(term, lambda inside: kernel.arith(Formula(">", inside, ZERO), positive=names))


def product_of_roots(
    term: Term, inside: Callable[[Term], Theorem], divisors: Sequence[Theorem] = ()
) -> RootProduct | None:
    """Return the facts about a product of roots, where `inside` proves that each radicand is positive.

    `divisors` are theorems about the signs of divisors in the radicands.
    """
    sides = [part[1:] if part[0] == "*" else (part,) for part in (term[1:] if term[0] == "/" else (term, ONE))]
    above, below = ([f for f in side if f[0] == "sqrt"] for side in sides)
    plain = [[f for f in side if f[0] != "sqrt"] for side in sides]
    if not (above or below) or any(terms_with(OPAQUE, *plain[0], *plain[1])):
        return None
    names = sorted(variables(term))
    square = [
        multiplied([*parts, *parts, *(r[1] for r in rs)]) for parts, rs in zip(plain, (above, below), strict=True)
    ]
    try:
        under = {r: inside(r[1]) for r in (*below, *above)}
        known = {r: root_facts(r, fact) for r, fact in under.items()}
        signs = [known[r][0] for r in below]
        signs.append(kernel.arith(Formula(">", multiplied(below), ZERO), signs, [(ONE, range(len(signs)))], names))
        chosen = range(len(signs), len(signs) + len(above))
        factors = [*signs, *(known[r][0] for r in above)]
        positive = kernel.arith(Formula(">", term, ZERO), factors, [(multiplied(plain[0]), chosen)], names)
        whole: Term = Term("/", *square) if term[0] == "/" else square[0]
        if term[0] == "/":
            chosen = range(len(below))
            weights = [(multiplied([*plain[1], *plain[1]]), chosen)]
            signs.append(kernel.arith(Formula(">", square[1], ZERO), [under[r] for r in below], weights, names))
        equal = by_equations(
            Formula("=", Term("*", term, term), whole),
            [squared for _, squared in known.values()],
            signs=[*signs, *divisors],
        )
    except KernelError:
        return None
    return RootProduct(whole, (positive, equal)) if equal is not None else None


class NamedSquares:
    """Names for the square roots in some formulas.

    >>> x, M = Term("v", "x"), Term("v", "M")
    >>> named = NamedSquares([Formula(">", x, Term("/", Term("sqrt", M), Term("q", 2, 1)))])
    >>> named.formula(Formula(">", x, Term("/", Term("sqrt", M), Term("q", 2, 1)))), named.squares
    (('>', ('v', 'x'), ('v', 'square1!')), {('v', 'square1!'): ('/', ('v', 'M'), ('*', ('q', 2, 1), ('q', 2, 1)))})
    """

    def __init__(self, formulas: Sequence[Formula]) -> None:
        self.names: dict[Term, Term] = {}
        self.found: dict[Term, RootProduct] = {}
        atoms = atoms_in(*(f for f in formulas if terms_with(SQRT, f)))
        inside = {side: set(terms_with(SQRT, side)) for a in atoms for side in a.sides}
        for side, roots in inside.items():  # as a whole, if its roots occur nowhere else
            if roots and all(roots.isdisjoint(others) for other, others in inside.items() if other != side):
                self._name(side)
        for root in terms_with(SQRT, *map(self.formula, atoms)):
            self._name(root)

    def _name(self, term: Term) -> None:
        if (known := root_product(term)) is not None:
            self.names[term] = Term("v", f"square{len(self.names) + 1}!")
            self.found[term] = known

    @property
    def squares(self) -> dict[Term, Term]:
        """The square of each name."""
        return {name: self.found[t].square for t, name in self.names.items()}

    def formula(self, f: V) -> V:
        """Return a formula with names for roots."""
        return exchanged(f, self.names)

    def equations(self, formulas: Sequence[Formula]) -> list[Formula]:
        """Return the equations for the squares of the names in some formulas."""
        used = frozenset[str]().union(*map(variables, formulas if self.names else ()))
        return [Formula("=", Term("*", v, v), square) for v, square in self.squares.items() if v[1] in used]

    def restored(self, theorem: Theorem) -> Theorem:
        """Return a theorem with the roots in place of their names, after proving the defining equations."""
        if not self.names:
            return theorem
        made = kernel.instantiate(theorem, {name[1]: t for t, name in self.names.items()})
        return cut(made, [fact for known in self.found.values() for fact in known.facts])


# --- roots in expressions -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Root:
    """A named root: name^index = base and name > 0. `symbol` is True if the base is a single parameter."""

    name: str
    index: int
    base: sympy.Expr
    symbol: bool

    @property
    def defines(self) -> Formula:
        """The equation that defines the name."""
        power = Term("^", Term("v", self.name), self.index)
        return (
            Formula("=", Term("v", self.base.name), power) if self.symbol else Formula("=", power, to_term(self.base))
        )


class NamedRoots:
    """Names for the radicals of some expressions.

    >>> from roofproof.symbols import quantity
    >>> a, x = quantity("a"), quantity("x")
    >>> roots = NamedRoots([sympy.sqrt(a)*x + sympy.sqrt(3)])
    >>> roots.named(sympy.sqrt(a)*x + a + sympy.sqrt(3))
    3^(1/2) + a + a^(1/2)*x
    >>> roots.to_names(a*x)                                       # only names
    a^(1/2)**2*x
    """

    def __init__(self, exprs: Iterable[sympy.Basic]) -> None:
        from roofproof.derive.algebra.polynomial import whole_powers

        exprs = list(exprs)
        table = whole_powers(exprs)
        self.roots = [Root(power.base.name, int(power.exp), s, True) for s, power in table.items()]
        self.table = table
        self.others: dict[sympy.Expr, Root] = {}
        self.isolated: dict[sympy.Expr, tuple[sympy.Symbol, list[Formula]]] = {}
        for expr in exprs:
            for found in sympy.postorder_traversal(expr):  # inner roots first
                self._collect(found, exprs)
        self.roots += list(self.others.values())

    def _collect(self, e: sympy.Basic, exprs: Sequence[sympy.Basic]) -> None:
        if isinstance(e, sympy.CRootOf):
            if e not in self.isolated:
                name = sympy.Symbol(f"{ROOT}{len(self.isolated) + 1}", positive=True)
                self.isolated[e] = (name, isolating(e, name))
        elif _radical(e) and not e.base.is_Symbol:
            for base in _primes(e.base):
                if base not in self.others:
                    index = lcm(*(int(p.exp.q) for x in exprs for p in x.atoms(sympy.Pow) if base in _bases(p)))
                    shown = str(base) if base.is_Integer else f"({sympy.sstr(base)})"
                    self.others[base] = Root(f"{shown}^(1/{index})", index, self.named(base), False)

    def named(self, e: sympy.Basic) -> sympy.Basic:
        """Return an expression or condition with every radical replaced by a power of its name."""
        if e in self.isolated:
            return self.isolated[e][0]
        if _radical(e):
            if e.base in self.table:
                power = self.table[e.base]
                return power.base ** (e.exp * power.exp)
            out = sympy.Integer(1)
            for base, power in _primes(e.base).items():
                root = self.others.get(base)
                if root is None:
                    break
                out *= sympy.Symbol(root.name, positive=True) ** (e.exp * power * root.index)
            else:
                return out
            raise RoofproofError("outside what can be proved: <value>", value=e)
        if not e.args:
            return e
        if isinstance(e, Relational):
            return type(e)(*map(self.named, e.args), evaluate=False)
        return e.func(*map(self.named, e.args))

    def to_names(self, e: sympy.Basic) -> sympy.Basic:
        """Return an expression or condition in names only: a parameter with a root becomes a power of that root."""
        named = self.named(e)
        if isinstance(named, Relational):
            return type(named)(*(a.xreplace(self.table) for a in named.args), evaluate=False)
        if isinstance(named, sympy.And | sympy.Or):
            return type(named)(*map(self.to_names, named.args))
        return named.xreplace(self.table)

    def formula(self, f: V) -> V:
        """Return a formula (or a term) about parameters as one about names only."""
        return substitute(f, self.powers)

    @property
    def powers(self) -> dict[str, Term]:
        """Each parameter with a named root, as a power of that root."""
        return {r.base.name: Term("^", Term("v", r.name), r.index) for r in self.roots if r.symbol}

    @property
    def relations(self) -> list[Formula]:
        """The relations between names only, such as: the square of the root of 3 is 3."""
        made = [substitute(r.defines, self.powers) for r in self.roots if not r.symbol]
        return [*made, *(f for _, fs in self.isolated.values() for f in fs)]

    def equal(self, goal: Formula) -> Theorem | None:
        """Prove an equation between names from the relations between them, or return None."""
        return by_equations(goal, defining(self.relations))

    def to_parameters(self, theorem: Theorem, goal: Formula, hypotheses: Sequence[Formula]) -> Theorem:
        """Return `hypotheses, definitions |- goal` from the same theorem in names only.

        Raises KernelError if the theorem does not state the goal in names.
        """
        for f in (*hypotheses, *(r.defines for r in self.roots if not r.symbol)):
            inside = self.formula(f)
            if inside in theorem.hypotheses and inside != f:
                theorem = cut(theorem, [self._rewritten(kernel.assume(f), inside)])
        return self._rewritten(theorem, goal)

    def _rewritten(self, theorem: Theorem, goal: Formula) -> Theorem:
        """Return the theorem with powers of roots for parameters, or parameters for powers."""
        if theorem.conclusion == goal:
            return theorem
        if goal[0] not in ("and", "or", "not"):
            powers = [kernel.assume(r.defines) for r in self.roots if r.symbol]
            made = by_equations(goal, powers, theorem)
            if made is None:
                raise KernelError("not the same in names")
            return made
        steps = [theorem]  # comparison by comparison, combined by truth table
        for a, b in product(atoms_in(theorem.conclusion), atoms_in(goal)):
            if self.formula(a) == self.formula(b):
                steps += [kernel.discharge(self._rewritten(kernel.assume(f), g), f) for f, g in ((a, b), (b, a))]
        return kernel.propositional(goal, steps)

    def unknown(self, x: sympy.Symbol) -> sympy.Symbol:
        """Return the symbol for an unknown in names: its root, if a root of it occurs."""
        return self.table[x].base if x in self.table else x

    def statement_with_roots(
        self, says: str, theorem: Theorem, goal: Formula, given: Sequence[Formula]
    ) -> tuple[Statement, Theorem]:
        """Return the statement `given |- goal` and the theorem, with square roots substituted for their names.

        It may also assume that the remaining names are positive, and their defining equations.
        """
        table: dict[str, Term] = {}
        for root in reversed(self.roots):  # outer roots first
            try:
                term, facts = _square_roots(root)
                theorem = cut(kernel.instantiate(theorem, {root.name: term}), facts)
            except KernelError:
                continue
            table = {name: substitute(t, {root.name: term}) for name, t in table.items()} | {root.name: term}
        left = [r.defines for r in self.roots if r.name not in table]
        defined = [f for equation in left for f in (equation, self.formula(equation))]
        assumptions = tuple(dict.fromkeys((*given, *defined, *self.relations)))
        return Statement(says, assumptions, goal, meaning=tuple(table.items())), theorem


def _square_roots(root: Root) -> tuple[Term, list[Theorem]]:
    """Return a root as nested square roots, and theorems that it is positive and satisfies its defining equation."""
    if root.index.bit_count() != 1:
        raise KernelError("no square root of square roots")
    term: Term = Term("v", root.base.name) if root.symbol else to_term(root.base)
    positive = kernel.arith(Formula(">", term, ZERO), positive=sorted(variables(term)))
    squares: list[Theorem] = []
    for _ in range(root.index.bit_length() - 1):
        term = Term("sqrt", term)
        positive, squared = root_facts(term, positive)
        squares.insert(0, squared)
    defined = by_equations(substitute(root.defines, {root.name: term}), squares)
    return term, [positive] if defined is None else [positive, defined]


def _primes(base: sympy.Expr) -> dict[sympy.Expr, int]:
    """Return a number as a product of prime powers, so that sqrt(6) and sqrt(2) sqrt(3) get the same form."""
    if not base.is_Rational or base < 0:
        return {base: 1}
    return dict(by_small_primes(base))


def _bases(power: sympy.Pow) -> dict[sympy.Expr, int]:
    return _primes(power.base) if _radical(power) else {}


def _radical(e: sympy.Basic) -> bool:
    return bool(e.is_Pow and e.exp.is_Rational and not e.exp.is_Integer)


# --- roots of products -----------------------------------------------------------------------------------------------


@lru_cache(maxsize=500)
def root_lemmas(root: Term) -> tuple[Theorem, ...]:
    """Prove that the root of a product is a product of roots, and prove the square of each of them.

    >>> inside = Term("/", Term("*", Term("q", 12, 1), Term("v", "W")), Term("v", "K"))
    >>> root_lemmas(Term("sqrt", inside))[0]
    K > 0, W > 0 |- sqrt((12*W)/K) = (2*sqrt(3)*sqrt(W)*sqrt(K))/K

    Returns () for the root of a sum, a single name or a prime.
    """
    try:
        above, below = normal(root[1], [])
        made = _taken_apart(above, below)
        if made is None or made == root:
            return ()
        apart, roots = made
        names = sorted(variables(root))
        known = [root_facts(r, kernel.arith(Formula(">", r[1], ZERO), positive=names)) for r in (root, *roots)]
        product = root_product(apart)
        if product is None:
            return ()
        facts = [*known[0], *product.facts, kernel.identity(product.square, root[1], names)]
        values = {"r": root, "p": apart, "s": root[1], "q": product.square}
        squares = [_squared(r, squared) for r, (_, squared) in zip(roots, known[1:], strict=True)]
        return cut(kernel.instantiate(_one_root(), values), facts), *(s for s in squares if s is not None)
    except KernelError:
        return ()


def root_sign(root: Term) -> Theorem | None:
    """Prove that a root is positive, if the signs show that its radicand is. Return None if they do not.

    >>> root_sign(Term("sqrt", Term("v", "x")))
    x > 0 |- sqrt(x) > 0
    """
    with suppress(KernelError):
        return root_facts(root, kernel.arith(Formula(">", root[1], ZERO), positive=sorted(variables(root))))[0]
    return None


def _squared(root: Term, squared: Theorem) -> Theorem | None:
    return by_equations(Formula("=", Term("^", root, 2), root[1]), [squared])


def _taken_apart(above: Polynomial, below: Polynomial) -> tuple[Term, list[Term]] | None:
    """Return the root of a quotient of two monomials as a product, and the roots in it. Return None for sums."""
    if len(above) != 1 or len(below) > 1:
        return None
    ((top, c),), (bottom, d) = above.items(), next(iter(below.items()), ((), 1))
    ratio = Fraction(c) / Fraction(d)
    if ratio <= 0 or any(a[0] != "v" or e > MAX_POWER for a, e in (*top, *bottom)):
        return None
    outside, roots = Fraction(1, ratio.denominator), list[Term]()
    for prime, power in by_small_primes(sympy.Integer(ratio.numerator * ratio.denominator)).items():
        outside *= int(prime) ** (power // 2)
        roots += [Term("sqrt", Term("q", int(prime), 1))] * (power % 2)
    first: list[Term] = [Term("q", outside.numerator, 1)] if outside.numerator > 1 else []
    second: list[Term] = [Term("q", outside.denominator, 1)] if outside.denominator > 1 else []
    for factors, monomial, up in ((first, top, 0), (second, bottom, 1)):
        for atom, e in monomial:
            if (whole := (e + up * (e % 2)) // 2) > 0:  # sqrt(x^-3) = sqrt(x)/x^2
                factors += [atom] * whole
            if e % 2:
                roots.append(Term("sqrt", atom))
    first += roots
    if not roots or (not second and first == [roots[0]]):
        return None
    return (Term("/", multiplied(first), multiplied(second)) if second else multiplied(first)), roots


@lru_cache(maxsize=1)
def _one_root() -> Theorem:
    """Prove that positive r and p with r r = s, p p = q and q = s are equal."""
    r, p, s, q = (Term("v", n) for n in "rpsq")
    given: list[Formula] = [
        Formula(">", r, ZERO),
        Formula("=", Term("*", r, r), s),
        Formula(">", p, ZERO),
        Formula("=", Term("*", p, p), q),
        Formula("=", q, s),
    ]
    facts = list(map(kernel.assume, given))
    cases: list[Theorem] = [kernel.trichotomy(r, p)]
    for more, less, up, down in ((r, p, MINUS, ONE), (p, r, ONE, MINUS)):
        larger = Formula(">", more, less)
        parts = [(ONE, [5, 0]), (ONE, [5, 2]), (up, [1]), (down, [3]), (down, [4])]
        false = kernel.arith(Formula("false"), [*facts, kernel.assume(larger)], parts, [])
        cases.append(kernel.discharge(false, larger))
    return kernel.propositional(Formula("=", r, p), [*cases, *facts])
