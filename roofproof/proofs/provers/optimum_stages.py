"""Bounds by one unknown after the other: each stage a kernel theorem, joined by transitivity."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.extrema import pieces
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import Formula, KernelError, Term
from roofproof.proofs.search import tactics
from roofproof.proofs.search.factored_difference import Gap
from roofproof.proofs.search.radicals import NamedRoots
from roofproof.proofs.translate import to_formula, to_term


@dataclass(frozen=True, slots=True)
class Stage:
    """One unknown's share of a bound: f >= value for all x, both in terms of the unknowns still left."""

    f: sympy.Expr
    x: sympy.Symbol
    s: sympy.Expr
    value: sympy.Expr


class StageProof:
    """The bound in one unknown, for a function given by pieces, proved in names and carried back."""

    def __init__(self, roots: NamedRoots, stage: Stage, point: sympy.Expr, given: Sequence[Boolean]) -> None:
        self.roots, self.stage = roots, stage
        self.head, self.parts = pieces(stage.f, frozenset([stage.x.name]))
        self.outer = [to_formula(roots.named(g)) for g in given]
        self.given = tuple(map(roots.formula, self.outer))
        self.x = roots.unknown(stage.x)
        self.at: Term = to_term(roots.named(point))
        self.point = roots.inner(point)

    def gap(self, g: sympy.Expr) -> Gap:
        r = self.roots
        value = self.stage.value
        sides = (r.formula(to_term(r.named(g))), r.formula(to_term(r.named(value))))
        at, relations = r.formula(self.at), tuple(r.relations)
        return Gap(r.inner(g), self.x, self.point, at, r.inner(value), relations, self.given, sides)

    def prove(self, strict: bool) -> Theorem | None:
        if self.head == "min":
            return None
        for g in self.parts:
            made = self.gap(g).square(strict)
            if made is not None:
                return self.whole(g, made, strict)
        right = self.side(True, strict)
        left = self.side(False, strict)
        if left is None and right is None:
            return None
        x, s = to_term(self.x), self.at
        relation = ">" if strict else ">="
        goal = self.goal(strict)
        steps: list[Theorem] = []
        for found, side in ((right, (relation, x, s)), (left, (relation, s, x))):
            if found is not None:
                steps.append(found)
                continue
            away = self.excluded(side)
            if away is None:
                return None
            steps.append(away)
        steps.append(kernel.trichotomy(x, s))
        try:
            return kernel.propositional(goal, steps)
        except KernelError:
            return None

    def goal(self, strict: bool) -> Formula:
        f, v = to_term(self.roots.named(self.stage.f)), to_term(self.roots.named(self.stage.value))
        return ("or", ("=", to_term(self.x), self.at), (">", f, v)) if strict else (">=", f, v)

    def excluded(self, side: Formula) -> Theorem | None:
        """Return `given |- not x > s` (or the like) where the bounds leave that side out, but for s itself."""
        strict: Formula = (">", *side[1:])
        inner = self.roots.formula(("not", strict))
        made = tactics.prove(inner, [*self.given, *self.roots.relations])
        if made is None:
            return None
        return self.lift(made, ("not", strict))

    def side(self, right: bool, strict: bool) -> Theorem | None:
        """Return `x >= s => f >= value` carried back to the parameters, from the first piece that shows it."""
        for g in self.parts:
            made = self.gap(g).one_side(right, strict)
            if made is None:
                continue
            relation = ">" if strict else ">="
            x, s = to_term(self.x), self.at
            bound: Formula = (relation, x, s) if right else (relation, s, x)
            done = self.whole(g, made, strict, [bound])
            if done is not None:
                return kernel.discharge(done, bound)
        return None

    def lift(self, theorem: Theorem, goal: Formula, extra: Sequence[Formula] = ()) -> Theorem | None:
        try:
            return self.roots.lifted(theorem, goal, [*self.outer, *extra])
        except KernelError:
            return None

    def whole(self, g: sympy.Expr, made: Theorem, strict: bool, extra: Sequence[Formula] = ()) -> Theorem | None:
        """Return the statement about f from that about one of its pieces: f >= g >= value."""
        f, v = to_term(self.roots.named(self.stage.f)), to_term(self.roots.named(self.stage.value))
        piece = to_term(self.roots.named(g))
        relation = ">" if strict else ">="
        goal: Formula = (relation, piece, v)
        if made.conclusion[0] == "or":
            goal = ("or", ("=", to_term(self.x), self.at), goal)
        lifted = self.lift(made, goal, extra)
        if lifted is None or piece == f:
            return lifted
        steps = by_a_piece(f, piece, v, relation)
        final = (*goal[:-1], (">", f, v)) if goal[0] == "or" else (relation, f, v)
        return None if steps is None else kernel.propositional(final, [*steps, lifted])


def by_a_piece(top: Term, piece: Term, bottom: Term, relation: str) -> list[Theorem] | None:
    """Return theorems by which `top > bottom` (or >=) follows from `piece > bottom`; None if top may be below it."""
    above = tactics.prove((">=", top, piece))
    return None if above is None else [above, transitive(">=", relation, (top, piece, bottom))]


def transitive(first: str, second: str, terms: Sequence[Term]) -> Theorem:
    """Return `u >= v => v > w => u > w` for three terms, and the like for two relations, each > or >=."""
    return kernel.instantiate(_transitive(first, second), dict(zip(("u!", "v!", "w!"), terms, strict=True)))


@cache
def _transitive(first: str, second: str) -> Theorem:
    u, v, w = (("v", n) for n in ("u!", "v!", "w!"))
    given = [kernel.assume((first, u, v)), kernel.assume((second, v, w))]
    relation = ">" if ">" in (first, second) else ">="
    made = kernel.arith((relation, u, w), given, [(("q", 1, 1), [0]), (("q", 1, 1), [1])])
    return kernel.discharge(kernel.discharge(made, given[1].conclusion), given[0].conclusion)


def chained(values: Sequence[Term], loose: Sequence[Theorem], sharp: Sequence[Theorem]) -> Theorem:
    """Join `v0 >= v1`, `v1 >= v2`, ... and, where given, `at the point or v0 > v1`, ..., into one statement."""
    total = (sharp or loose)[0]
    first, weak = values[0], loose[0] if loose else None
    for k in range(1, len(values) - 1):
        step, end = values[k], values[k + 1]
        pairs = ((">=", ">="), (">=", ">"), (">", ">="))
        chain = [transitive(*pair, (first, step, end)) for pair in pairs]
        assert weak is not None
        if sharp:
            points = [t.conclusion[1] for t in (total, sharp[k])]
            equations = [e for p in points for e in (p[1:] if p[0] == "and" else (p,))]
            goal: Formula = ("or", ("and", *equations), (">", first, end))
            total = kernel.propositional(goal, [*chain, total, sharp[k], weak, loose[k]])
        weak = kernel.propositional((">=", first, end), [chain[0], weak, loose[k]])
    return total if sharp else weak or total
