"""Proofs of how an expression depends on a symbol: f(x + h) > f(x) for h > 0, without derivatives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.text import plain
from roofproof.derive.extrema import pieces
from roofproof.derive.limits.regime import Regime
from roofproof.derive.limits.theorems import in_roots, tends
from roofproof.derive.optima.constraints import domain_of, related_after
from roofproof.derive.optima.monotone import Monotone, growth
from roofproof.derive.optima.optima import as_quantities
from roofproof.proofs.derivation import Derivation, Proved
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import Formula, KernelError, substitute
from roofproof.proofs.known import ByCounterexample, Known, Unproved, by_kernel, weakest
from roofproof.proofs.oracles import sampling
from roofproof.proofs.oracles.points import Point
from roofproof.proofs.provers.statements import by_rule, prove_statement
from roofproof.proofs.search import tactics
from roofproof.proofs.search.lemmas import extremum_rises
from roofproof.proofs.search.roots import NamedRoots
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import to_formula, to_term
from roofproof.symbols import quantity


@dataclass(frozen=True, slots=True, repr=False)
class ProvedMonotone(Proved[Monotone]):
    """A monotonicity statement with its proofs, and a counterexample for each case in which it fails.

    A counterexample gives x and h, to compare f(x + h) with f(x).

    >>> from roofproof.derive.optima.monotone import increasing
    >>> from roofproof.symbols import quantity
    >>> x = quantity("x")
    >>> prove_monotone(increasing(x/(x + 1), x)).trust
    'kernel'
    >>> prove_monotone(increasing(x + 1/x, x)).counterexamples            # 13/6 < 5/2
    ({'h': Fraction(1, 1), 'x': Fraction(1, 2)},)
    """

    denied: tuple[Known, ...]  # for each case in which it fails, that it fails somewhere

    @property
    def trust(self) -> str:
        return weakest((*self.derivation, *self.denied))

    @property
    def counterexamples(self) -> tuple[Point, ...]:
        """The points at which it fails."""
        return tuple(k.warrant.point for k in self.denied if isinstance(k.warrant, ByCounterexample))


def prove_monotone(found: Monotone) -> ProvedMonotone:
    """Prove each case in which an expression rises (or falls), and find a counterexample in each other case.

    >>> from roofproof.derive.optima.monotone import decreasing
    >>> from roofproof.symbols import quantity
    >>> a, x = quantity("a"), quantity("x")
    >>> proved = prove_monotone(decreasing(a/x, x))                       # a/x - a/(x + h) = a h/(x (x + h))
    >>> proved.derivation.known[0].theorem
    a > 0, h > 0, x > 0 |- a/x > a/(h + x)

    If a root of the unknown occurs, the statement is about that root, which rises with the unknown. Raises Refuted for
    a case that does not hold.
    """
    proofs, wrong = [], []
    for holds, statement, lemmas in monotone_statements(found):
        if holds:
            proofs.append(_proved(statement, lemmas))
        else:
            point = sampling.find([*statement.assumptions, Formula("not", statement.goal)], tries=20_000)
            if point is not None:
                fails = f"not {statement.says}", statement.assumptions, Formula("not", statement.goal)
                wrong.append(Known(Statement(*fails, somewhere=True), ByCounterexample(point)))
            else:
                proofs.append(Known(statement, Unproved("no counterexample was met")))
    return ProvedMonotone(found, Derivation(tuple(proofs)), tuple(wrong))


def monotone_statements(found: Monotone) -> Iterator[tuple[bool, Statement, list[Theorem]]]:
    """Yield, for each case, whether the expression is claimed to rise (or fall), that statement, and lemmas for it."""
    _, (f, *rest) = as_quantities(found.expr, *found.subject_to, *found.assume)
    constraints, assume = rest[: len(found.subject_to)], rest[len(found.subject_to) :]
    x = quantity(found.unknown.name)
    domain = domain_of((x,), constraints)
    bounds = [r for c in constraints for a in sympy.And.make_args(c) if (r := related_after(domain, a)) != sympy.true]
    for when, holds in found.cases:
        _, (when,) = as_quantities(when)
        given = [*assume, *([] if when == sympy.true else [when])]
        yield holds, *_rises(f, x, given, bounds, found)


def _proved(statement: Statement, lemmas: Sequence[Theorem]) -> Known:
    """Prove that an expression rises, from lemmas about its pieces."""
    relation, more, less = statement.goal
    theorem = None
    if lemmas:
        try:
            theorem = extremum_rises(more, less, lemmas, relation)
        except KernelError:
            theorem = tactics.prove(statement.goal, statement.assumptions, lemmas)
    return by_kernel(statement, theorem) or prove_statement(statement)


def _rises(
    f: sympy.Expr, x: sympy.Symbol, given: Sequence[Boolean], bounds: Sequence[Boolean], found: Monotone
) -> tuple[Statement, list[Theorem]]:
    roots = NamedRoots([f, *given, *bounds])
    t, h = roots.unknown(x), quantity("h" if not f.has(quantity("h")) else "h!")
    further = {x: (t + h) ** (roots.table[x].exp if x in roots.table else 1)}
    there = (type(b)(*(side.xreplace(further) for side in b.args), evaluate=False) for b in bounds)
    conditions = [*given, *bounds, *there]
    known = [roots.formula(to_formula(roots.named(c))) for c in conditions]
    relation = ">" if found.strict else ">="

    def statement(g: sympy.Expr) -> Formula:
        near = to_term(roots.to_names(g))
        far = substitute(near, {t.name: to_term(t + h)})
        return Formula(relation, far, near) if found.sense == "increasing" else Formula(relation, near, far)

    head, parts = pieces(roots.to_names(f), frozenset([t.name]))
    tried = (tactics.prove(statement(g), [*roots.relations, *known]) for g in (parts if head else ()))
    says = f"{plain(found.expr)} {found.sense} in {found.unknown}"
    return Statement(says, (*roots.relations, *known), statement(f)), [lemma for lemma in tried if lemma is not None]


def prove_independent(expr: sympy.Expr, unknown: sympy.Symbol) -> Known:
    """Prove that an expression does not depend on a symbol: f(x) = f(y) for all x and y.

    >>> from roofproof.symbols import quantity
    >>> B, R = quantity("B"), quantity("R")
    >>> prove_independent(2*B*R/(B + B/R), B).trust                       # 2 R^2/(R + 1)
    'kernel'

    Raises Refuted with two values of the symbol if it does depend on it.
    """
    _, (f,) = as_quantities(expr)
    x, y = quantity(unknown.name), quantity(f"{unknown.name}2")
    roots = NamedRoots([f])
    t = roots.unknown(x)
    near = to_term(roots.to_names(f))
    goal = Formula("=", near, substitute(near, {t.name: to_term(y)}))
    statement = Statement(f"{plain(expr)} independent of {unknown}", tuple(roots.relations), goal)
    known = by_rule(statement)
    return prove_statement(statement) if known.reason else known


def prove_degree(expr: sympy.Expr, unknown: sympy.Symbol) -> tuple[sympy.Rational, sympy.Expr, Known]:
    """Return the degree d of an expression in a symbol, the constant c, and the proof that f/x^d tends to c > 0.

    >>> from roofproof.symbols import quantity
    >>> B, F, N = map(quantity, "BFN")
    >>> d, c, proof = prove_degree(sympy.sqrt(B*F)/N + F, B)
    >>> d, c, proof.trust
    (1/2, sqrt(F)/N, 'kernel')

    Raises RoofproofError if the degree cannot be determined.
    """
    d, c = growth(expr, unknown)
    return d, c, tends(*in_roots(expr / unknown**d, c, Regime.of((unknown.name,)).stages[0]))
