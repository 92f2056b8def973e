"""Radicals as named positive variables, so that a statement about roots becomes one about polynomials.

The fourth root of a parameter, say, becomes r with r^4 = a: `a` itself is then a power of `r`, and what is
to be proved has no radicals left. A proof in these names is carried back to the parameters by the equations
that define the names; square roots are put in for their names at the end, other roots keep a name, and its
defining equation stands among the hypotheses.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import lcm

import sympy
from sympy.core.relational import Relational

from roofproof.derive.algebra.exact_comparison import by_small_primes
from roofproof.derive.algebra.radicals import whole_powers
from roofproof.errors import RoofproofError
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import ZERO, Formula, KernelError, Polynomial, Term, add, mul, substitute, variables
from roofproof.proofs.known import Known, by_kernel
from roofproof.proofs.search.lemmas import positive_root
from roofproof.proofs.search.polynomials import polynomial_term
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import to_formula, to_term


@dataclass(frozen=True, slots=True)
class Root:
    """A named root: name^index = base, name > 0; `symbol` where the base is one parameter."""

    name: str
    index: int
    base: sympy.Expr
    symbol: bool

    @property
    def defines(self) -> Formula:
        """The equation that defines the name."""
        power: Term = ("^", ("v", self.name), self.index)
        return ("=", ("v", self.base.name), power) if self.symbol else ("=", power, to_term(self.base))


class NamedRoots:
    """The radicals of some expressions, by name.

    >>> from roofproof.symbols import quantity
    >>> a, x = quantity("a"), quantity("x")
    >>> roots = NamedRoots([sympy.sqrt(a)*x + sympy.sqrt(3)])
    >>> roots.named(sympy.sqrt(a)*x + a + sympy.sqrt(3))
    3^(1/2) + a + a^(1/2)*x
    >>> roots.inner(a*x)                                       # only in names
    a^(1/2)**2*x
    """

    def __init__(self, exprs: Iterable[sympy.Basic], extra: Iterable[sympy.Basic] = ()) -> None:
        exprs = [*exprs, *extra]
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
                name = sympy.Symbol(f"root{len(self.isolated) + 1}", positive=True)
                (low, high), _ = e.poly.intervals(eps=sympy.Rational(1, 10**6))[e.index]
                defining = [sympy.Eq(e.poly.as_expr(name), 0, evaluate=False), name >= low, name <= high]
                self.isolated[e] = (name, [to_formula(d) for d in defining if d != sympy.true])
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
            raise RoofproofError(f"outside what can be proved: {e}")
        if not e.args:
            return e
        if isinstance(e, Relational):
            return type(e)(*map(self.named, e.args), evaluate=False)
        return e.func(*map(self.named, e.args))

    def inner(self, e: sympy.Basic) -> sympy.Basic:
        """Return it in names alone: a parameter with a root is a power of that root."""
        named = self.named(e)
        if isinstance(named, Relational):
            return type(named)(*(a.xreplace(self.table) for a in named.args), evaluate=False)
        if isinstance(named, sympy.And | sympy.Or):
            return type(named)(*map(self.inner, named.args))
        return named.xreplace(self.table)

    def formula(self, f: Formula) -> Formula:
        """Return a formula (or a term) about parameters as one about names alone."""
        made: Formula = substitute(f, self.powers)
        return made

    @property
    def powers(self) -> dict[str, Term]:
        """What each parameter with a root is, as a power of the root."""
        return {r.base.name: ("^", ("v", r.name), r.index) for r in self.roots if r.symbol}

    @property
    def relations(self) -> list[Formula]:
        """What holds between the names alone: the square of the root of 3 is 3."""
        made = [substitute(r.defines, self.powers) for r in self.roots if not r.symbol]
        return [*made, *(f for _, fs in self.isolated.values() for f in fs)]

    def lifted(self, theorem: Theorem, goal: Formula, hypotheses: Sequence[Formula]) -> Theorem:
        """Return `hypotheses, definitions |- goal` from the theorem that says the same in names alone.

        Raises KernelError where the goal in names is not what the theorem says.
        """
        for f in hypotheses:
            inside = substitute(f, self.powers)
            if inside in theorem.hypotheses and inside != f:
                made = self._rewritten(kernel.assume(f), inside, backwards=False)
                theorem = kernel.propositional(theorem.conclusion, [made, kernel.discharge(theorem, inside)])
        defined = {substitute(r.defines, self.powers): r.defines for r in self.roots if not r.symbol}
        for inside, f in defined.items():
            if inside in theorem.hypotheses and inside != f:
                made = self._rewritten(kernel.assume(f), inside, backwards=False)
                theorem = kernel.propositional(theorem.conclusion, [made, kernel.discharge(theorem, inside)])
        return self._rewritten(theorem, goal, backwards=True)

    def _rewritten(self, theorem: Theorem, goal: Formula, backwards: bool) -> Theorem:
        """Return the theorem with powers of roots for parameters, or parameters for powers (backwards)."""
        if theorem.conclusion == goal:
            return theorem
        if goal[0] in ("and", "or", "not"):
            return self._boolean(theorem, goal, backwards)
        names = sorted(variables(goal) | variables(theorem.conclusion))
        equations = [kernel.assume(r.defines) for r in self.roots if r.symbol]
        new, old = (kernel.polynomial(f, names) for f in (goal, theorem.conclusion))
        rest, certificate = new if backwards else old, [(("q", 1, 1), [0])]
        for k, root in enumerate((r for r in self.roots if r.symbol), 1):
            rest, cofactor = _replaced(rest, ("v", root.base.name), ("v", root.name), root.index)
            if cofactor:
                certificate.append((polynomial_term(cofactor if backwards else _minus(cofactor)), [k]))
        used = [k for _, [k] in certificate if k]
        premises = [theorem, *(equations[k - 1] for k in used)]
        moved = [(m, [used.index(k) + 1 if k else 0]) for m, [k] in certificate]
        return kernel.arith(goal, premises, moved, names)

    def _boolean(self, theorem: Theorem, goal: Formula, backwards: bool) -> Theorem:
        """Rewrite the atoms of a condition one by one and join them by truth table."""
        from roofproof.proofs.kernel.terms import atoms_of

        steps = [theorem]
        atoms: list[Formula] = []
        atoms_of(theorem.conclusion if backwards else goal, atoms)
        outer: list[Formula] = []
        atoms_of(goal if backwards else theorem.conclusion, outer)
        for inner_atom in atoms:
            for f in outer:
                if substitute(f, self.powers) == inner_atom:
                    for a, b, back in ((f, inner_atom, False), (inner_atom, f, True)):
                        made = self._rewritten(kernel.assume(a), b, backwards=back)
                        steps.append(kernel.discharge(made, a))
        return kernel.propositional(goal, steps)

    def unknown(self, x: sympy.Symbol) -> sympy.Symbol:
        """Return what stands for an unknown in names: its root, where a root of it occurs."""
        return self.table[x].base if x in self.table else x

    def known(self, says: str, theorem: Theorem, goal: Formula, given: Sequence[Formula]) -> Known | None:
        """Return `given |- goal` as known by the theorem, square roots put in for their names; None if it is not.

        Besides what is given it may assume that names are positive and what defines those that are left.
        """
        table: dict[str, Term] = {}
        for root in reversed(self.roots):  # outer roots first
            term = self._closed(root)
            try:
                theorem = _put_in(theorem, root, term) if term is not None else theorem
            except KernelError:
                continue
            if term is not None:
                table = {name: substitute(t, {root.name: term[-1]}) for name, t in table.items()}
                table[root.name] = term[-1]
        left = [r.defines for r in self.roots if r.name not in table]
        defined = [f for equation in left for f in (equation, substitute(equation, self.powers))]
        assumptions = tuple(dict.fromkeys((*given, *defined, *self.relations)))
        return by_kernel(Statement(says, assumptions, goal, meaning=tuple(table.items())), theorem)

    def _closed(self, root: Root) -> list[Term] | None:
        """Return base, sqrt(base), sqrt(sqrt(base)), ... up to the root, or None where its index is no power of two."""
        steps = root.index.bit_length() - 1
        if root.index != 2**steps:
            return None
        chain: list[Term] = [("v", root.base.name) if root.symbol else to_term(root.base)]
        for _ in range(steps):
            chain.append(("sqrt", chain[-1]))
        return chain


def _primes(base: sympy.Expr) -> dict[sympy.Expr, int]:
    """Return a number as a product of powers of primes, so that sqrt(6) and sqrt(2) sqrt(3) are one value."""
    if not base.is_Rational or base < 0:
        return {base: 1}
    return dict(by_small_primes(base))


def _bases(power: sympy.Pow) -> dict[sympy.Expr, int]:
    return _primes(power.base) if _radical(power) else {}


def _radical(e: sympy.Basic) -> bool:
    return bool(e.is_Pow and e.exp.is_Rational and not e.exp.is_Integer)


def _put_in(theorem: Theorem, root: Root, chain: list[Term]) -> Theorem:
    names = sorted(variables(chain[0]))
    inside = kernel.arith((">", chain[0], ZERO), positive=names)
    facts = []
    for t in chain[1:]:
        loose = kernel.arith((">=", t[1], ZERO), [inside], [(("q", 1, 1), [0])])
        facts.append(kernel.propositional(("=", ("*", t, t), t[1]), [kernel.definition(t), loose]))
        inside = positive_root(t, inside)
    power: Term = ("^", chain[-1], root.index)
    certificate: list[tuple[Term, Sequence[int]]] = []
    for j, (above, t) in enumerate(pairwise(chain)):  # above^m = t^(2m)
        m = 1 << j
        parts = [("*", ("^", t, 2 * i), ("^", above, m - 1 - i)) for i in range(m)]
        certificate.append((("*", ("q", 1 if not root.symbol else -1, 1), ("+", ZERO, *parts)), [j]))
    equation = ("=", chain[0], power) if root.symbol else ("=", power, chain[0])
    defined = kernel.arith(equation, facts, certificate, names)
    made = kernel.instantiate(theorem, {root.name: chain[-1]})
    premises = [defined, inside]
    for fact in premises:
        if fact.conclusion in made.hypotheses:
            made = kernel.discharge(made, fact.conclusion)
    goal = made.conclusion
    while goal[0] == "=>" and any(goal[1] == f.conclusion for f in premises):
        goal = goal[2]
    return kernel.propositional(goal, [made, *premises])


def _replaced(p: Polynomial, old: Term, new: Term, n: int) -> tuple[Polynomial, Polynomial]:
    """Return (q, h) with p = q + h (old - new^n), where q is free of `old`."""
    rest: Polynomial = {}
    cofactor: Polynomial = {}
    for monomial, c in p.items():
        powers = dict(monomial)
        e = powers.pop(old, 0)
        base: Polynomial = {tuple(sorted(powers.items())): c}
        rest = add(rest, mul(base, {((new, n * e),) if e else (): 1}))
        for j in range(e):
            shift = tuple(sorted(((a, k) for a, k in ((old, e - 1 - j), (new, n * j)) if k)))
            cofactor = add(cofactor, mul(base, {shift: 1}))
    return rest, cofactor


def _minus(p: Polynomial) -> Polynomial:
    return {m: -c for m, c in p.items()}
