"""Bounds for one unknown after another: each stage a kernel theorem, joined by transitivity.

Why f(x) >= f(s): the gap f(x) - f(s) is (x - s) or (x - s)^2 times a positive polynomial. Let p(s) = 0 if the
derivative vanishes. Then f(x) - f(s) = (x - s) M(x, s), and M(s, s) is a multiple of p, so the gap is (x - s)^2 Q(x, s)
up to that multiple. For posynomials, the coefficients of Q are positive after reduction by p (a polynomial with two
sign changes and a double root has no other positive roots: Descartes). FLINT and SymPy find the proof, and the kernel
checks it.

Source: the weighted AM-GM inequality; Hardy, Littlewood and Polya, Inequalities, section 2.5.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import sympy

from roofproof.derive.algebra.polynomial import Poly, Ring
from roofproof.derive.extrema import pieces
from roofproof.errors import RoofproofError
from roofproof.proofs.assumptions import ONE
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import ZERO, Formula, KernelError, Term, variables
from roofproof.proofs.search import tactics
from roofproof.proofs.search.lemmas import cut, implied
from roofproof.proofs.search.polynomials import Ring as KernelRing
from roofproof.proofs.search.polynomials import by_equations, defining, reduced
from roofproof.proofs.search.roots import NamedRoots
from roofproof.proofs.translate import to_term
from roofproof.symbols import quantity

OTHER = quantity("s!")


@dataclass(frozen=True, slots=True)
class Gap:
    """The goal f(x) >= value with value = f(s), in which names replace all radicals.

    `at` is s as a term. `relations` define the names of roots, and `given` are conditions that may be used.

    >>> from roofproof.symbols import quantity
    >>> u, v, x = map(quantity, "uvx")
    >>> Gap(u**2*x + v**2/x, x, v/u, to_term(v/u), 2*u*v, (), ()).square()         # (u x - v)^2 / x >= 0
    u > 0, v > 0, x > 0 |- x*u^2 + v^2/x >= 2*u*v
    """

    f: sympy.Expr
    x: sympy.Symbol
    s: sympy.Expr
    at: Term
    value: sympy.Expr
    relations: tuple[Formula, ...]
    given: tuple[Formula, ...]
    sides: tuple[Term, Term] | None = None  # f and the value as terms, if their form matters

    @property
    def goal(self) -> Formula:
        return Formula(">=", *(self.sides or (to_term(self.f), to_term(self.value))))

    def square(self, strict: bool = False) -> Theorem | None:
        """Prove `f >= value` (strict: `x = s or f > value`) by the square of x - s, or return None."""
        if self.x not in self.f.free_symbols:
            return None if strict else self._level()
        found = self._slopes()
        if found is None:
            return None
        d, n = self._point()
        side, quotient = to_term(d * self.x - n), found[1] / d**2
        if not strict:
            return self._close(self.goal, kernel.square(side), (d * self.x - n) ** 2, quotient)
        nonzero = Formula(">", Term("*", side, side), ZERO)
        made = self._close(Formula(">", *self.goal[1:]), kernel.assume(nonzero), (d * self.x - n) ** 2, quotient)
        return self._apart(made, nonzero) if made is not None else None

    def _apart(self, theorem: Theorem, nonzero: Formula) -> Theorem | None:
        """Derive `x = s or f > value` from `(x - s)^2 > 0 |- f > value`."""
        x, steps = to_term(self.x), [kernel.discharge(theorem, nonzero), kernel.trichotomy(to_term(self.x), self.at)]
        names = sorted(variables(nonzero) | variables(self.at))
        ring, exprs = _rings(names)
        try:
            for f in (Formula(">", x, self.at), Formula(">", self.at, x)):
                known, wanted = (ring.poly(kernel.polynomial(g, names)) for g in (f, nonzero))
                num, den = exprs.fraction(exprs.expr(known * known) / exprs.expr(wanted))
                certificate = [(ring.term(den), [0, 0])]
                made = kernel.arith(nonzero, [kernel.assume(f)], certificate, names, ring.term(num))
                steps.append(kernel.discharge(made, f))
        except KernelError:
            return None
        return kernel.propositional(Formula("or", Formula("=", x, self.at), theorem.conclusion), steps)

    def _level(self) -> Theorem | None:
        """Prove `f >= value` from `f = value`, for f free of x."""
        equal = Formula("=", *self.goal[1:])
        found = by_equations(equal, defining(self.relations))
        if found is None:
            return None
        return cut(kernel.arith(self.goal, [kernel.assume(equal)], [(ONE, [0])], sorted(variables(equal))), [found])

    def one_side(self, right: bool, strict: bool = False) -> Theorem | None:
        """Prove `x >= s |- f >= value` (right) or `x <= s |- f >= value`, or return None."""
        if self.x not in self.f.free_symbols:
            return None if strict else self._level()
        found = self._slopes()
        if found is None:
            return None
        relation = ">" if strict else ">="
        x, s = to_term(self.x), self.at
        bound = Formula(relation, x, s) if right else Formula(relation, s, x)
        slope = found[0] if right else -found[0]
        goal = Formula(relation, *self.goal[1:])
        factor = self.x - self.s if right else self.s - self.x
        return self._close(goal, kernel.assume(bound), factor, slope)

    def _point(self) -> tuple[sympy.Expr, sympy.Expr]:
        ring = Ring.of(self.s, self.x)
        num, den = ring.fraction(self.s)
        return ring.expr(den), ring.expr(num)

    def _slopes(self) -> tuple[sympy.Expr, sympy.Expr] | None:
        """Return (M(x, s), Q(x, s)): the difference quotient of f, and that of M with M(s, s) taken as zero."""
        try:
            there = self.f.xreplace({self.x: OTHER})
            ring = Ring.of(self.f, there)
            num, den = ring.fraction(self.f - there)
            x, y = ring.gen(self.x), ring.gen(OTHER)
            m, rest = divmod(num, x - y)
            if not rest.is_zero():
                return None
            at = m.compose(*(y if g == x else g for g in ring.context.gens()), ctx=ring.context)
            q, rest = divmod(m - at, x - y)
            below = ring.expr(den)
            made = [ring.expr(p).xreplace({OTHER: self.s}) / below.xreplace({OTHER: self.s}) for p in (m, q)]
        except RoofproofError:
            return None
        return made[0], made[1]

    def _close(self, goal: Formula, premise: Theorem, factor: sympy.Expr, quotient: sympy.Expr) -> Theorem | None:
        """Prove the goal from a premise `factor >= 0`, if f - value = factor * quotient by the definitions of roots."""
        try:
            return self._checked(goal, premise, factor, quotient)
        except (KernelError, RoofproofError, KeyError):  # KeyError for a maximum: the ring has variables only
            return None

    def _checked(self, goal: Formula, premise: Theorem, factor: sympy.Expr, quotient: sympy.Expr) -> Theorem | None:
        equations = defining(self.relations)
        facts = [premise, *equations]
        formulas = [goal, *(t.conclusion for t in facts), *self.given]
        names = sorted({s.name for s in quotient.free_symbols}.union(*map(variables, formulas)))
        ring, exprs = _rings(names)
        target, known = ring.poly(kernel.polynomial(goal, names)), ring.read(premise)
        ratio = quotient * factor * exprs.expr(target) / ((self.f - self.value) * exprs.expr(known))
        num, den = (_simpler(ring, p, equations) for p in exprs.fraction(ratio))
        if ring.sign(den) == -1:
            num, den = -num, -den
        if ring.sign(den) != 1:
            return None
        scale, rest, cofactors = reduced(ring, den * target - num * known, equations)
        if not rest.is_zero() or ring.sign(scale) != 1:
            return None
        certificate = [(ring.term(c), [k]) for k, c in enumerate(cofactors, 1) if not c.is_zero()]
        if ring.sign(num) == 1:
            certificate.append((ring.term(num * scale), [0]))
        else:
            positive = tactics.prove(Formula(goal[0], ring.term(num), ZERO), [*self.given, *self.relations])
            if positive is None:
                return None
            certificate.append((ring.term(scale), [0, len(facts)]))
            facts.append(positive)
        return kernel.arith(goal, facts, certificate, names, ring.term(den * scale))


def _rings(names: Sequence[str]) -> tuple[KernelRing, Ring]:
    """Return two polynomial rings in the same variables: one for kernel terms, one for SymPy expressions."""
    return KernelRing([], names, [Term("v", n) for n in names]), Ring(map(quantity, names))


def _simpler(ring: KernelRing, p: Poly, equations: Sequence[Theorem]) -> Poly:
    """Return a polynomial of unknown sign reduced by the definitions of roots, if no scaling factor is needed."""
    for equation in equations if ring.sign(p) != 1 else ():
        by, rest, _ = reduced(ring, p, [equation])
        p = rest if by.is_one() else p
    return p


@dataclass(frozen=True, slots=True)
class Stage:
    """The part of a bound for one unknown: f >= value for all x, both in terms of the remaining unknowns."""

    f: sympy.Expr
    x: sympy.Symbol
    s: sympy.Expr
    value: sympy.Expr


def in_names(
    exprs: Sequence[sympy.Basic], values: Sequence[tuple[sympy.Symbol, sympy.Expr]]
) -> tuple[NamedRoots, list[sympy.Expr]]:
    """Return names for the radicals, and the value of each unknown, or of its root if a root replaces it."""
    points = [e for _, e in values]
    for _ in range(2):  # the root of a value may be one more radical
        roots = NamedRoots([*exprs, *points])
        points = [e ** (1 / roots.table[x].exp) if x in roots.table else e for x, e in values]
    return roots, points


class StageProof:
    """The proof of a bound in one unknown for a function given by pieces: in names, then translated back."""

    def __init__(
        self, roots: NamedRoots, stage: Stage, point: sympy.Expr, given: Sequence[Formula], strict: bool
    ) -> None:
        self.roots, self.stage, self.given, self.strict = roots, stage, given, strict
        self.relation = ">" if strict else ">="
        self.head, self.parts = pieces(stage.f, frozenset([stage.x.name]))
        self.x, self.at = to_term(roots.unknown(stage.x)), to_term(roots.named(point))
        self.f, self.value = (to_term(roots.named(e)) for e in (stage.f, stage.value))
        self.point = roots.to_names(point)

    def prove(self) -> Theorem | None:
        """Prove `given |- f >= value` (strict: `given |- at the point, or f > value`), or return None."""
        if self.head == "min":
            return None
        for g in self.parts:
            if (made := self.gap(g).square(self.strict)) is not None:
                return self.about_function(g, made)
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
        x, value, given = r.unknown(self.stage.x), r.to_names(self.stage.value), tuple(map(r.formula, self.given))
        return Gap(r.to_names(g), x, self.point, r.formula(self.at), value, tuple(r.relations), given, sides)

    def goal(self, f: Term, at_the_point: bool) -> Formula:
        bound: Formula = Formula(self.relation, f, self.value)
        return Formula("or", Formula("=", self.x, self.at), bound) if at_the_point else bound

    def excluded(self, side: Formula) -> Theorem | None:
        """Prove `given |- not x > s` (or `not s > x`) if the bounds exclude that side except for s itself."""
        beyond = Formula("not", Formula(">", *side[1:]))
        given = [*map(self.roots.formula, self.given), *self.roots.relations]
        made = tactics.prove(self.roots.formula(beyond), given)
        return made and self.lift(made, beyond)

    def side(self, right: bool, bound: Formula) -> Theorem | None:
        """Prove `x >= s => f >= value`, translated back to the parameters, from the first piece that suffices."""
        for g in self.parts:
            made = self.gap(g).one_side(right, self.strict)
            if made is not None and (done := self.about_function(g, made, [bound])) is not None:
                return kernel.discharge(done, bound)
        return None

    def lift(self, theorem: Theorem, goal: Formula, extra: Sequence[Formula] = ()) -> Theorem | None:
        try:
            return self.roots.to_parameters(theorem, goal, [*self.given, *extra])
        except KernelError:
            return None

    def about_function(self, g: sympy.Expr, made: Theorem, extra: Sequence[Formula] = ()) -> Theorem | None:
        """Derive the statement about f from the one about one of its pieces: f >= g >= value."""
        piece, at_the_point = to_term(self.roots.named(g)), made.conclusion[0] == "or"
        lifted = self.lift(made, self.goal(piece, at_the_point), extra)
        if lifted is None or piece == self.f:
            return lifted
        steps = by_a_piece(self.f, piece, self.value, self.relation)
        return None if steps is None else kernel.propositional(self.goal(self.f, at_the_point), [*steps, lifted])


def by_a_piece(top: Term, piece: Term, bottom: Term, relation: str) -> list[Theorem] | None:
    """Return theorems that derive `top > bottom` (or >=) from `piece > bottom`, or None if top may be below piece."""
    above = tactics.prove(Formula(">=", top, piece))
    return None if above is None else [above, transitive(">=", relation, (top, piece, bottom))]


def transitive(first: str, second: str, terms: Sequence[Term]) -> Theorem:
    """Return the theorem `u >= v => v > w => u > w` for three terms and any relations > or >=."""
    return kernel.instantiate(_transitive(first, second), dict(zip(("u!", "v!", "w!"), terms, strict=True)))


@cache
def _transitive(first: str, second: str) -> Theorem:
    u, v, w = (Term("v", n) for n in ("u!", "v!", "w!"))
    relation = ">" if ">" in (first, second) else ">="
    return implied([Formula(first, u, v), Formula(second, v, w)], Formula(relation, u, w), [(ONE, [0]), (ONE, [1])])


def chained(values: Sequence[Term], loose: Sequence[Theorem], sharp: Sequence[Theorem]) -> Theorem:
    """Join `v0 >= v1`, `v1 >= v2`, ... and, if given, `at the point or v0 > v1`, ..., into one theorem."""
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
