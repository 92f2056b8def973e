"""Why f(x) >= f(s): the gap f(x) - f(s) is (x - s) or (x - s)^2 times something positive, as polynomials.

With p(s) = 0 where the derivative vanishes, f(x) - f(s) = (x - s) M(x, s) and M(s, s) is a multiple of p, so
the gap is (x - s)^2 Q(x, s) up to that multiple. For posynomials the coefficients of Q are positive once p is
used (a polynomial with two sign changes and a double root has none left over: Descartes). Found with FLINT and
SymPy, checked by the kernel.

Source: the weighted AM-GM inequality; Hardy, Littlewood and Polya, Inequalities, section 2.5.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import sympy

from roofproof.derive.algebra.polynomial import Poly, Ring
from roofproof.errors import RoofproofError
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import ZERO, Formula, KernelError, Term, variables
from roofproof.proofs.search import tactics
from roofproof.proofs.search.equations import by_equations, defining, reduced
from roofproof.proofs.search.lemmas import ONE, cut
from roofproof.proofs.search.polynomials import Ring as KernelRing
from roofproof.proofs.translate import to_term
from roofproof.symbols import quantity

OTHER = quantity("s!")


@dataclass(frozen=True, slots=True)
class Gap:
    """f(x) >= value to be shown, where the value is f(s); all in names, without radicals.

    `at` is s as a term; `relations` define the names of roots, `given` are conditions that may be used.

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
    sides: tuple[Term, Term] | None = None  # f and the value as terms, where their form matters

    @property
    def goal(self) -> Formula:
        return Formula(">=", *(self.sides or (to_term(self.f), to_term(self.value))))

    def square(self, strict: bool = False) -> Theorem | None:
        """Return `f >= value` (or, where x is not s, `f > value`) by the square of x - s, or None."""
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
        """Return `x = s or f > value` from `(x - s)^2 > 0 |- f > value`."""
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
        """Return `f >= value` from `f = value`, for f free of x."""
        equal = Formula("=", *self.goal[1:])
        found = by_equations(equal, defining(self.relations))
        if found is None:
            return None
        return cut(kernel.arith(self.goal, [kernel.assume(equal)], [(ONE, [0])], sorted(variables(equal))), [found])

    def one_side(self, right: bool, strict: bool = False) -> Theorem | None:
        """Return `x >= s |- f >= value` (right) or `x <= s |- f >= value`, or None."""
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
        """Return (M(x, s), Q(x, s)): the difference quotient of f, and that of M where M(s, s) is taken for zero."""
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
        """Return the goal from a premise `factor >= 0`, where f - value is factor * quotient once roots are used."""
        try:
            return self._checked(goal, premise, factor, quotient)
        except (KernelError, RoofproofError, KeyError):  # the last for a maximum, where only variables are due
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
    """Return polynomials in the same variables, as the kernel writes them and as SymPy does."""
    return KernelRing([], names, [Term("v", n) for n in names]), Ring(map(quantity, names))


def _simpler(ring: KernelRing, p: Poly, equations: Sequence[Theorem]) -> Poly:
    """Return a polynomial of unknown sign with roots replaced by what defines them, where that takes no multiple."""
    for equation in equations if ring.sign(p) != 1 else ():
        by, rest, _ = reduced(ring, p, [equation])
        p = rest if by.is_one() else p
    return p
