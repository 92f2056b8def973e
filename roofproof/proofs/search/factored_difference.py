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
from flint import fmpq

from roofproof.derive.algebra.polynomial import Poly, Ring, sign
from roofproof.errors import RoofproofError
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import ZERO, Formula, KernelError, Polynomial, Term, variables
from roofproof.proofs.search import tactics
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
        return (">=", *(self.sides or (to_term(self.f), to_term(self.value))))

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
        nonzero: Formula = (">", ("*", side, side), ZERO)
        made = self._close((">", *self.goal[1:]), kernel.assume(nonzero), (d * self.x - n) ** 2, quotient)
        return self._apart(made, nonzero) if made is not None else None

    def _apart(self, theorem: Theorem, nonzero: Formula) -> Theorem | None:
        """Return `x = s or f > value` from `(x - s)^2 > 0 |- f > value`."""
        x, steps = to_term(self.x), [kernel.discharge(theorem, nonzero), kernel.trichotomy(to_term(self.x), self.at)]
        names = sorted(variables(nonzero) | variables(self.at))
        try:
            for f in ((">", x, self.at), (">", self.at, x)):
                known = flint_polynomial(ring := Ring(map(quantity, names)), kernel.polynomial(f, names))
                wanted = flint_polynomial(ring, kernel.polynomial(nonzero, names))
                num, den = ring.fraction(ring.expr(known * known) / ring.expr(wanted))
                made = kernel.arith(nonzero, [kernel.assume(f)], [(_term(ring, den), [0, 0])], names, _term(ring, num))
                steps.append(kernel.discharge(made, f))
        except KernelError:
            return None
        return kernel.propositional(("or", ("=", x, self.at), theorem.conclusion), steps)

    def _level(self) -> Theorem | None:
        """Return `f >= value` from `f = value`, for f free of x."""
        try:
            equal = equal_by_relations(("=", *self.goal[1:]), self.relations)
            u, v = ("v", "u!"), ("v", "v!")
            made = kernel.arith((">=", u, v), [kernel.assume(("=", u, v))], [(("q", 1, 1), [0])])
        except KernelError:
            return None
        if equal is None:
            return None
        table = {"u!": equal.conclusion[1], "v!": equal.conclusion[2]}
        loose = kernel.instantiate(kernel.discharge(made, ("=", u, v)), table)
        return kernel.propositional(self.goal, [loose, equal])

    def one_side(self, right: bool, strict: bool = False) -> Theorem | None:
        """Return `x >= s |- f >= value` (right) or `x <= s |- f >= value`, or None."""
        if self.x not in self.f.free_symbols:
            return None if strict else self._level()
        found = self._slopes()
        if found is None:
            return None
        relation = ">" if strict else ">="
        x, s = to_term(self.x), self.at
        bound: Formula = (relation, x, s) if right else (relation, s, x)
        slope = found[0] if right else -found[0]
        goal = (relation, *self.goal[1:])
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
        except (KernelError, RoofproofError):
            return None

    def _checked(self, goal: Formula, premise: Theorem, factor: sympy.Expr, quotient: sympy.Expr) -> Theorem | None:
        equations = [f for f in reversed(self.relations) if f[0] == "="]  # outer roots before those inside them
        named = {s.name for s in quotient.free_symbols}
        names = sorted(named.union(*map(variables, (goal, premise.conclusion, *equations, *self.given))))
        ring = Ring(map(quantity, names))
        facts = (goal, premise.conclusion, *equations)
        target, known, *rules = (flint_polynomial(ring, kernel.polynomial(f, names)) for f in facts)
        ratio = quotient * factor * ring.expr(target) / ((self.f - self.value) * ring.expr(known))
        num, den = ring.fraction(ratio)
        num, den = (p if sign(p) == 1 else self._reduced(ring, p, rules, equations) for p in (num, den))
        if sign(den) == -1:
            num, den = -num, -den
        if sign(den) != 1:
            return None
        rest, scale = den * target - num * known, ring.context.constant(1)
        cofactors: list[Poly] = []
        for rule, f in zip(rules, equations, strict=True):
            by, rest, cofactor = divided(ring, rest, rule, _defined(f))
            scale *= by
            cofactors = [*(c * by for c in cofactors), cofactor]
        if not rest.is_zero() or sign(scale) != 1:
            return None
        premises = [premise, *map(kernel.assume, equations)]
        certificate: list[tuple[Term, Sequence[int]]] = [(_term(ring, num * scale), [0])]
        if sign(num) != 1:
            wanted: Formula = (goal[0], _term(ring, num), ZERO)
            positive = tactics.prove(wanted, [*self.given, *self.relations])
            if positive is None:
                return None
            certificate = [(_term(ring, scale), [0, len(premises)])]
            premises.append(positive)
        certificate += [(_term(ring, c), [k]) for k, c in enumerate(cofactors, 1) if not c.is_zero()]
        used = sorted({k for _, chosen in certificate for k in chosen})
        moved = [(m, [used.index(k) for k in chosen]) for m, chosen in certificate]
        return kernel.arith(goal, [premises[k] for k in used], moved, names, _term(ring, den * scale))

    def _reduced(self, ring: Ring, p: Poly, rules: Sequence[Poly], equations: Sequence[Formula]) -> Poly:
        for rule, f in zip(rules, equations, strict=True):
            by, rest, _ = divided(ring, p, rule, _defined(f))
            if by.is_one():
                p = rest
        return p


def _term(ring: Ring, p: Poly) -> Term:
    return to_term(ring.expr(p))


def _defined(equation: Formula) -> str:
    """Return the name that an equation defines: name^n = base, or the polynomial of a numeric root = 0."""
    return min(variables(equation[1]))


def flint_polynomial(ring: Ring, p: Polynomial) -> Poly:
    """Return a polynomial of the kernel in variables alone as one of a ring.

    >>> x = quantity("x")
    >>> flint_polynomial(Ring([x]), kernel.polynomial((">", ("v", "x"), ("q", 1, 2)), ["x"]))
    g0 - 1/2

    Raises KernelError where it holds maxima, roots or the like.
    """
    rows = {}
    for monomial, c in p.items():
        exponents = [0] * len(ring.atoms)
        for atom, e in monomial:
            if atom[0] != "v":
                raise KernelError("not a polynomial in variables alone")
            exponents[ring.context.variable_to_index(str(ring.gen(quantity(atom[1]))))] = e
        rows[tuple(exponents)] = fmpq(c.numerator, c.denominator)
    return ring.context.from_dict(rows)


def equal_by_relations(goal: Formula, relations: Sequence[Formula]) -> Theorem | None:
    """Return an equation proved by what defines the names in it, or None where that does not give it.

    >>> r: Term = ("v", "r")
    >>> equal_by_relations(("=", ("/", ("q", 2, 1), r), r), [("=", ("^", r, 2), ("q", 2, 1))])
    r > 0, r^2 = 2 |- 2/r = r

    Raises KernelError where the sign of a denominator is not known.
    """
    equations = [f for f in reversed(relations) if f[0] == "="]  # outer roots before those inside them
    names = sorted(frozenset[str]().union(*map(variables, (goal, *equations))))
    ring = Ring(map(quantity, names))
    rest, *rules = (flint_polynomial(ring, kernel.polynomial(f, names)) for f in (goal, *equations))
    scale, cofactors = ring.context.constant(1), list[Poly]()
    for rule, f in zip(rules, equations, strict=True):
        by, rest, cofactor = divided(ring, rest, rule, _defined(f))
        scale *= by
        cofactors = [*(c * by for c in cofactors), cofactor]
    if not rest.is_zero() or sign(scale) != 1:
        return None
    certificate = [(_term(ring, c), [k]) for k, c in enumerate(cofactors) if not c.is_zero()]
    return kernel.arith(goal, list(map(kernel.assume, equations)), certificate, names, _term(ring, scale))


def divided(ring: Ring, p: Poly, rule: Poly, name: str) -> tuple[Poly, Poly, Poly]:
    """Return (c, r, h) with c p = r + h rule, where r has a lower degree in the name than the rule."""
    symbol = quantity(name)
    rows = ring.coefficients(rule, symbol)
    n, lead, x = len(rows) - 1, rows[-1], ring.gen(symbol)
    scale, cofactor = ring.context.constant(1), ring.context.constant(0)
    while not p.is_zero():
        top = ring.coefficients(p, symbol)
        if len(top) - 1 < n or n == 0:
            break
        step = top[-1] * x ** (len(top) - 1 - n)
        if lead.is_constant():
            step = step / lead
        else:
            p, cofactor, scale = p * lead, cofactor * lead, scale * lead
        p, cofactor = p - step * rule, cofactor + step
    return scale, p, cofactor
