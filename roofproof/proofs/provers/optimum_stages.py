"""Bounds by one unknown after the other: each stage a kernel theorem, joined by transitivity."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import sympy

from roofproof.derive.extrema import pieces
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import Formula, KernelError, Term
from roofproof.proofs.search import tactics
from roofproof.proofs.search.factored_difference import Gap
from roofproof.proofs.search.lemmas import ONE, implied
from roofproof.proofs.search.radicals import NamedRoots
from roofproof.proofs.translate import to_term


@dataclass(frozen=True, slots=True)
class Stage:
    """One unknown's share of a bound: f >= value for all x, both in terms of the unknowns still left."""

    f: sympy.Expr
    x: sympy.Symbol
    s: sympy.Expr
    value: sympy.Expr


def in_names(
    exprs: Sequence[sympy.Basic], values: Sequence[tuple[sympy.Symbol, sympy.Expr]]
) -> tuple[NamedRoots, list[sympy.Expr]]:
    """Return the radicals by name, and the value of each unknown: that of its root, where a root stands for it."""
    points = [e for _, e in values]
    for _ in range(2):  # the root of a value may be one more radical
        roots = NamedRoots([*exprs, *points])
        points = [e ** (1 / roots.table[x].exp) if x in roots.table else e for x, e in values]
    return roots, points


class StageProof:
    """The bound in one unknown, for a function given by pieces, proved in names and carried back."""

    def __init__(
        self, roots: NamedRoots, stage: Stage, point: sympy.Expr, given: Sequence[Formula], strict: bool
    ) -> None:
        self.roots, self.stage, self.given, self.strict = roots, stage, given, strict
        self.relation = ">" if strict else ">="
        self.head, self.parts = pieces(stage.f, frozenset([stage.x.name]))
        self.x, self.at = to_term(roots.unknown(stage.x)), to_term(roots.named(point))
        self.f, self.value = (to_term(roots.named(e)) for e in (stage.f, stage.value))
        self.point = roots.inner(point)

    def prove(self) -> Theorem | None:
        """Return `given |- f >= value`; strict: `given |- at the point, or f > value`; None where it is not found."""
        if self.head == "min":
            return None
        for g in self.parts:
            if (made := self.gap(g).square(self.strict)) is not None:
                return self.whole(g, made)
        sides: list[Formula] = [Formula(self.relation, self.x, self.at), Formula(self.relation, self.at, self.x)]
        found = [self.side(right, bound) for right, bound in zip((True, False), sides, strict=True)]
        if found == [None, None]:
            return None
        steps = [kernel.trichotomy(self.x, self.at)]
        for made, bound in zip(found, sides, strict=True):
            if (step := made or self.excluded(bound)) is None:
                return None
            steps.append(step)
        try:
            return kernel.propositional(self.goal(self.f, at_the_point=self.strict), steps)
        except KernelError:
            return None

    def gap(self, g: sympy.Expr) -> Gap:
        r = self.roots
        sides = (r.formula(to_term(r.named(g))), r.formula(self.value))
        x, value, given = r.unknown(self.stage.x), r.inner(self.stage.value), tuple(map(r.formula, self.given))
        return Gap(r.inner(g), x, self.point, r.formula(self.at), value, tuple(r.relations), given, sides)

    def goal(self, f: Term, at_the_point: bool) -> Formula:
        bound: Formula = Formula(self.relation, f, self.value)
        return Formula("or", Formula("=", self.x, self.at), bound) if at_the_point else bound

    def excluded(self, side: Formula) -> Theorem | None:
        """Return `given |- not x > s` (or the like) where the bounds leave that side out, but for s itself."""
        beyond = Formula("not", Formula(">", *side[1:]))
        given = [*map(self.roots.formula, self.given), *self.roots.relations]
        made = tactics.prove(self.roots.formula(beyond), given)
        return made and self.lift(made, beyond)

    def side(self, right: bool, bound: Formula) -> Theorem | None:
        """Return `x >= s => f >= value` carried back to the parameters, from the first piece that shows it."""
        for g in self.parts:
            made = self.gap(g).one_side(right, self.strict)
            if made is not None and (done := self.whole(g, made, [bound])) is not None:
                return kernel.discharge(done, bound)
        return None

    def lift(self, theorem: Theorem, goal: Formula, extra: Sequence[Formula] = ()) -> Theorem | None:
        try:
            return self.roots.lifted(theorem, goal, [*self.given, *extra])
        except KernelError:
            return None

    def whole(self, g: sympy.Expr, made: Theorem, extra: Sequence[Formula] = ()) -> Theorem | None:
        """Return the statement about f from that about one of its pieces: f >= g >= value."""
        piece, at_the_point = to_term(self.roots.named(g)), made.conclusion[0] == "or"
        lifted = self.lift(made, self.goal(piece, at_the_point), extra)
        if lifted is None or piece == self.f:
            return lifted
        steps = by_a_piece(self.f, piece, self.value, self.relation)
        return None if steps is None else kernel.propositional(self.goal(self.f, at_the_point), [*steps, lifted])


def by_a_piece(top: Term, piece: Term, bottom: Term, relation: str) -> list[Theorem] | None:
    """Return theorems by which `top > bottom` (or >=) follows from `piece > bottom`; None if top may be below it."""
    above = tactics.prove(Formula(">=", top, piece))
    return None if above is None else [above, transitive(">=", relation, (top, piece, bottom))]


def transitive(first: str, second: str, terms: Sequence[Term]) -> Theorem:
    """Return `u >= v => v > w => u > w` for three terms, and the like for two relations, each > or >=."""
    return kernel.instantiate(_transitive(first, second), dict(zip(("u!", "v!", "w!"), terms, strict=True)))


@cache
def _transitive(first: str, second: str) -> Theorem:
    u, v, w = (Term("v", n) for n in ("u!", "v!", "w!"))
    relation = ">" if ">" in (first, second) else ">="
    return implied([Formula(first, u, v), Formula(second, v, w)], Formula(relation, u, w), [(ONE, [0]), (ONE, [1])])


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
            goal = Formula("or", Formula("and", *equations), Formula(">", first, end))
            total = kernel.propositional(goal, [*chain, total, sharp[k], weak, loose[k]])
        weak = kernel.propositional(Formula(">=", first, end), [chain[0], weak, loose[k]])
    return total if sharp else weak or total
