"""Regions where a polynomial in the unknown has a given sign, factor by factor, from its roots in closed form.

The proof checker proves each region from the signs of the coefficients on the path.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import sympy
from flint import fmpq

from roofproof.derive.algebra.polynomial import Poly, Ring, bounded, sign, terms
from roofproof.derive.conversions import (
    Isolated,
    SignGoal,
    bounds_joined,
    decide_comparison,
    decide_sign_goal,
    isolated,
    rooted,
    scaled,
    touching,
)
from roofproof.derive.regions import EVERYWHERE, NOWHERE, Region, around, intersection, threshold_of, union
from roofproof.derive.signs import FALSE, Facts, Signs, Space, denied, primitive, sign_of
from roofproof.derive.values import Order
from roofproof.errors import Undecided
from roofproof.proofs.assumptions import MINUS, ONE
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import ZERO, Formula, KernelError, Term

MAX_DEGREE = 40
MAX_FACTORS = 3  # that contain the unknown: a truth table has three atoms for each
Converted = Callable[..., Theorem]  # makes `comparison <=> region` from the two, and from divisors that cancelled


class Chart(NamedTuple):
    """Roots in order, the signs before, between and after them, and the proof of where a comparison holds."""

    roots: list[sympy.Expr]
    between: list[int]
    proof: Callable[[SignGoal], Theorem]


def unproved(*_: object) -> Theorem:
    """Raise KernelError for a region that is left to a search.

    >>> unproved()
    Traceback (most recent call last):
    roofproof.proofs.kernel.terms.KernelError: this is left to a search
    """
    raise KernelError("this is left to a search")


class Factors:
    """The regions of the positive axis where num/den has a sign in a given set."""

    def __init__(self, ring: Ring, unknown: sympy.Symbol, space: Space | None = None) -> None:
        self.ring, self.unknown, self.space = ring, unknown, space or Space(ring)
        self.found: dict[str, tuple[Any, list[tuple[Poly, int, list[Poly]]]]] = {}
        self.quotients: dict[object, sympy.Expr] = {}
        self.roots: dict[object, tuple[sympy.Expr, sympy.Expr]] = {}

    @property
    def x(self) -> Term:
        """The unknown, as a term of the proof kernel."""
        return Term("v", self.unknown.name)

    def lies(self, region: Region) -> Formula:
        """Return the formula that says that the unknown lies in a region."""
        return self.space.formula(threshold_of(region).holds(self.unknown))

    def region(self, num: Poly, den: Poly, allowed: frozenset[int], signs: Signs) -> tuple[Region, Converted]:
        """Return the region where num/den has a sign in `allowed`, and its proof, or raise Split for a missing sign."""
        turn, inner, facts = 1, [], Facts(self.space, signs)
        converted = partial(self._by_factors, facts, (num, den))
        rest = self.ring.constant(1)
        for poly in (num, den):
            if poly.is_zero():
                return (EVERYWHERE if 0 in allowed else NOWHERE), converted
            constant, parts = self.parts(poly)
            turn *= 1 if constant > 0 else -1
            rest *= constant
            for factor, power, rows in parts:
                if not rows:
                    s = sign_of(self.ring, factor, signs)
                    if s == 0 and poly is den:
                        return NOWHERE, converted  # not defined for any value of the unknown
                    turn *= s**power
                    rest *= factor**power
                else:
                    inner.append((rows, power, poly is den))
        if turn == 0:
            return self._where_defined(EVERYWHERE if 0 in allowed else NOWHERE, inner, signs), converted
        if len(inner) == 1 and inner[0][1:] == (1, False):  # the usual case, kept readable
            return self._one_factor(inner[0][0], (rest, turn), allowed, facts, converted)
        compare = Order(self.ring, signs)
        # Build the regions where the product so far is positive and where it is negative. Only the numerator has zeros.
        positive, negative, zero = (EVERYWHERE, NOWHERE, NOWHERE) if turn > 0 else (NOWHERE, EVERYWHERE, NOWHERE)
        for rows, power, below_line in inner:
            chart = self.chart(rows, signs)
            up, down, at = (around(*chart[:2], frozenset((s,))) for s in (1, -1, 0))
            if not below_line:
                zero = union(zero, at, compare)
            if power % 2 == 0:
                up, down = union(up, down, compare), NOWHERE
            positive, negative = (
                union(intersection(positive, up, compare), intersection(negative, down, compare), compare),
                union(intersection(positive, down, compare), intersection(negative, up, compare), compare),
            )
        out = NOWHERE
        for part, s in ((positive, 1), (negative, -1), (self._where_defined(zero, inner, signs), 0)):
            if s in allowed:
                out = union(out, part, compare)
        return out, converted

    def _one_factor(
        self, rows: list[Poly], other: tuple[Poly, int], allowed: frozenset[int], facts: Facts, else_: Converted
    ) -> tuple[Region, Converted]:
        """Return the region where one factor times another of known sign has a sign in `allowed`, with its proof."""
        chart, (rest, turn) = self.chart(rows, facts.signs), other
        up = 1 if 1 in allowed else -1

        def converted(comparison: Formula, region: Formula, more: Sequence[Poly] = ()) -> Theorem:
            if more or comparison[0] not in (">", ">=", "and"):
                return else_(comparison, region, more)
            outer = None if rest.is_one() else facts.positive(rest * turn)
            if comparison[0] != "and":
                return chart.proof(SignGoal(comparison, turn * up, region, outer))
            whole, *nonzero = comparison[1:]
            cleared = Formula(whole[0], self.space.term(up * rest * self.whole(rows)), ZERO)
            links = [
                scaled(facts, whole, cleared, None, facts.divisors(whole)),
                *(decide_comparison(facts, f) for f in nonzero),
            ]
            then = chart.proof(SignGoal(cleared, turn * up, region, outer))
            return kernel.propositional(Formula("<=>", comparison, region), [*links, then])

        return around(*chart[:2], frozenset(turn * a for a in allowed)), converted

    def _by_factors(
        self, facts: Facts, polys: Sequence[Poly], comparison: Formula, region: Formula, more: Sequence[Poly] = ()
    ) -> Theorem:
        """Prove where a comparison holds from the regions where each factor with the unknown has each sign."""
        with suppress(KernelError):  # the same whatever the signs of these factors
            return kernel.propositional(Formula("<=>", comparison, region), [decide_comparison(facts, comparison)])
        space, known, parts = self.space, list[Theorem](), list[Theorem]()
        factors = [f for p in (*polys, *more) if not p.is_zero() for f, _ in self.ring.factors(p)[1] if sign(f) is None]
        inner = {primitive(f)[0]: f for f in factors if len(self.ring.coefficients(f, self.unknown)) > 1}
        if len(inner) > MAX_FACTORS:
            raise KernelError("too many factors with the unknown in them")
        for signs in product((1, 0, -1), repeat=len(inner)):
            supposed = dict(zip(inner, signs, strict=True))
            under = Facts(space, facts.signs | {key: frozenset((s,)) for key, s in supposed.items()})
            theorem = decide_comparison(under, comparison)
            for key, s in supposed.items():
                theorem = kernel.discharge(theorem, space.atom(key, s))
            known.append(theorem)
        for key, factor in inner.items():
            chart = self.chart(self.ring.coefficients(factor * primitive(factor)[1], self.unknown), facts.signs)
            for s in (1, -1):
                there = self.lies(around(*chart[:2], frozenset((s,))))
                parts.append(chart.proof(SignGoal(space.atom(key, s), s, there, None)))
            known += [kernel.trichotomy(*space.sides(key)[2][1:]), *space.exclusive(key)]
        return bounds_joined(facts, parts, comparison, region, self.x, known)

    def parts(self, poly: Poly) -> tuple[Any, list[tuple[Poly, int, list[Poly]]]]:
        """Return a constant and the factors of a polynomial, each with its coefficients if they leave its sign open."""
        text = str(poly)
        if text not in self.found:
            constant, factors = self.ring.factors(poly)
            rows = [self.ring.coefficients(factor, self.unknown) for factor, _ in factors]
            self.found[text] = (
                constant,
                [
                    (factor, power, [] if len(row) == 1 or self.has_known_sign(factor) else row)
                    for (factor, power), row in zip(factors, rows, strict=True)
                ],
            )
        return self.found[text]

    def has_known_sign(self, factor: Poly) -> bool:
        """Tell whether the coefficients of a factor that contains the unknown decide its sign."""
        return sign(factor) is not None

    def _where_defined(self, zero: Region, inner: list[tuple[list[Poly], int, bool]], signs: Signs) -> Region:
        for rows, _, below_line in inner:
            if below_line and zero:
                nonzero = around(*self.chart(rows, signs)[:2], frozenset((-1, 1)))
                zero = intersection(zero, nonzero, Order(self.ring, signs))
        return zero

    def chart(self, rows: list[Poly], signs: Signs) -> Chart:
        """Return the positive roots of an irreducible polynomial, and its signs before, between and after them."""
        facts = Facts(self.space, signs)
        while len(rows) > 1 and rows[-1].is_zero():
            rows = rows[:-1]
        if len(rows) > 1 and sign_of(self.ring, rows[-1], signs) == 0:
            return self._lower(rows, facts)
        if len(rows) == 1:
            return self._constant(rows, sign_of(self.ring, rows[0], signs), facts)
        if len(rows) == 2:
            return self.linear(rows[1], rows[0], signs)
        if len(rows) == 3:
            return self.quadratic(rows[2], rows[1], rows[0], signs)
        if all(row.is_constant() for row in rows):
            return self.isolated(rows)
        symbols = sorted({s.name for row in rows for s in self.ring.expr(row).free_symbols})
        raise Undecided(
            "degree <degree> in <unknown> with symbols has no closed form; give values to <names> "
            "(a chip gives ridge points)",
            degree=len(rows) - 1,
            unknown=self.unknown,
            names=", ".join(symbols),
        )

    def whole(self, rows: list[Poly]) -> Poly:
        """Return the polynomial with these coefficients."""
        x = self.ring.gen(self.unknown)
        return sum((row * x**k for k, row in enumerate(rows)), self.ring.constant(0))

    def _constant(self, rows: list[Poly], s: int, facts: Facts) -> Chart:
        def proof(asked: SignGoal) -> Theorem:
            return decide_sign_goal(asked, facts, rows[0], s, facts.sign_of(rows[0])[1]())

        return Chart([], [s], proof)

    def _lower(self, rows: list[Poly], facts: Facts) -> Chart:
        """Return the chart of a polynomial whose leading coefficient is zero on this path."""
        lower = self.chart(rows[:-1], facts.signs)
        space = self.space

        def proof(asked: SignGoal) -> Theorem:
            one, other = (_says(asked, space.term(self.whole(part))) for part in (rows, rows[:-1]))
            zero = facts.sign_of(rows[-1])[1]()
            weight = divmod(space.read(one) - space.read(other), space.read(zero.conclusion))[0]
            ways = []
            for premise, goal, turned in ((other, one, weight), (one, other, -weight)):
                made = space.arith(goal, [kernel.assume(premise), zero], [(ONE, [0]), (space.term(turned), [1])])
                ways.append(kernel.discharge(made, premise))
            links = [scaled(facts, asked.comparison, one, asked.outer), *ways]
            then = lower.proof(SignGoal(other, asked.turn, asked.region, None))
            return kernel.propositional(Formula("<=>", asked.comparison, asked.region), [*links, then])

        return Chart(*lower[:2], proof)

    def linear(self, a: Poly, b: Poly, signs: Signs) -> Chart:
        """Return the chart of a x + b, for a not zero."""
        facts = Facts(self.space, signs)
        slope = sign_of(self.ring, a, signs)
        start = sign_of(self.ring, b, signs)
        if slope * start >= 0:  # the root is not positive: the sign is that of the slope

            def signed(asked: SignGoal) -> Theorem:
                known = [facts.sign_of(part)[1]() for part in (a, b)]
                whole, p = self.whole([b, a]), self.space.term(self.whole([b, a]))
                goal = Formula(">", *((p, ZERO) if slope > 0 else (ZERO, p)))
                weights = [(self.x, [0]), (ONE if start or slope > 0 else MINUS, [1])]
                return decide_sign_goal(asked, facts, whole, slope, self.space.arith(goal, known, weights))

            return Chart([], [slope], signed)
        at = self.quotient(-b, a) if slope > 0 else self.quotient(b, -a)
        return Chart([at], [-slope, slope], self._divided(facts, at, slope))

    def _divided(self, facts: Facts, at: sympy.Expr, slope: int) -> Callable[[SignGoal], Theorem]:
        """Return the proof of the bound that comes from dividing both sides."""

        def proof(asked: SignGoal) -> Theorem:
            bound, relation = self.space.value(at), asked.comparison[0]
            sides = (self.x, bound) if slope * asked.turn > 0 else (bound, self.x)
            return scaled(facts, asked.comparison, Formula(relation, *sides), asked.outer, facts.divisors(bound))

        return proof

    def quadratic(self, a: Poly, b: Poly, c: Poly, signs: Signs) -> Chart:
        """Return the chart of a x^2 + b x + c, for a not zero."""
        facts = Facts(self.space, signs)
        if sign_of(self.ring, a, signs) < 0:
            rising = self.quadratic(-a, -b, -c, signs)
            between = [-s for s in rising.between]
            return Chart(rising.roots, between, lambda asked: rising.proof(asked._replace(turn=-asked.turn)))
        start = sign_of(self.ring, c, signs)
        if start == 0:  # x (a x + b)
            return self._without_x(a, b, c, facts)
        if start < 0:  # one positive root
            return self._with_roots([self.root(a, b, c, 1)], [-1, 1], facts)
        if sign_of(self.ring, b, signs) >= 0:
            return Chart([], [1], self._positive_rows([c, b, a], facts))
        if (turning := sign_of(self.ring, bounded(b * b - 4 * a * c), signs)) < 0:
            return Chart([], [1], self._no_root([c, b, a], facts))
        if turning == 0:
            at = self.quotient(-b, 2 * a)
            return Chart([at], [1, 1], self._touching([c, b, a], at, facts))
        return self._with_roots([self.root(a, b, c, k) for k in (-1, 1)], [1, -1, 1], facts)

    def _without_x(self, a: Poly, b: Poly, c: Poly, facts: Facts) -> Chart:
        """Return the chart of x (a x + b) + c with c = 0 on this path."""
        line, space = self.linear(a, b, facts.signs), self.space

        def proof(asked: SignGoal) -> Theorem:
            one, other = (_says(asked, space.term(self.whole(part))) for part in ([c, b, a], [b, a]))
            zero = facts.sign_of(c)[1]()
            forth, back = (ONE, MINUS) if asked.turn > 0 else (MINUS, ONE)
            made = space.arith(one, [kernel.assume(other), zero], [(self.x, [0]), (forth, [1])])
            said = [kernel.assume(one), kernel.assume(denied(other)), zero]
            no = space.arith(FALSE, said, [(ONE, [0]), (self.x, [1]), (back, [2])])
            ways = [kernel.discharge(made, other), kernel.discharge(kernel.discharge(no, denied(other)), one)]
            links = [scaled(facts, asked.comparison, one, asked.outer), *ways]
            then = line.proof(SignGoal(other, asked.turn, asked.region, None))
            return kernel.propositional(Formula("<=>", asked.comparison, asked.region), [*links, then])

        return Chart(*line[:2], proof)

    def _with_roots(self, ends: list[sympy.Expr], between: list[int], facts: Facts) -> Chart:
        """Return the chart of a quadratic that opens upwards, with one positive root or two."""

        def proof(asked: SignGoal) -> Theorem:
            return self._above(asked, lambda a, region: rooted(
                facts, a, [*map(self.space.value, ends)], region, asked.outer, self.x))  # fmt: skip

        return Chart(ends, between, proof)

    def _above(self, asked: SignGoal, above: Callable[[Formula, Formula], Theorem]) -> Theorem:
        """Prove where a comparison holds with `above`, which is given its negation if `turn` is negative."""
        if asked.turn > 0:
            return above(asked.comparison, asked.region)
        theorem = above(denied(asked.comparison), Formula("not", asked.region))
        return kernel.propositional(Formula("<=>", asked.comparison, asked.region), [theorem])

    def _positive_rows(self, rows: list[Poly], facts: Facts) -> Callable[[SignGoal], Theorem]:
        """Return the proof that a polynomial is positive: no coefficient is negative, and the constant is positive."""

        def proof(asked: SignGoal) -> Theorem:
            known = [facts.sign_of(row)[1]() for row in rows]
            p, weights = self.whole(rows), [ONE, self.x, Term("*", self.x, self.x)]
            goal = Formula(">", self.space.term(p), ZERO)
            theorem = self.space.arith(goal, known, [(w, [k]) for k, w in enumerate(weights)])
            return decide_sign_goal(asked, facts, p, 1, theorem)

        return proof

    def _no_root(self, rows: list[Poly], facts: Facts) -> Callable[[SignGoal], Theorem]:
        """Return the proof that a quadratic without a root is positive: 4 a f = (2 a x + b)^2 - D."""

        def proof(asked: SignGoal) -> Theorem:
            space, (c, b, a) = self.space, rows
            p = self.whole(rows)
            goal = Formula(">", space.term(p), ZERO)
            top, turning = (facts.sign_of(q)[1]() for q in (a, bounded(b * b - 4 * a * c)))
            square = kernel.square(space.term(2 * a * self.ring.gen(self.unknown) + b))
            said = [top, kernel.assume(denied(goal)), square, turning]
            no = space.arith(FALSE, said, [(Term("q", 4, 1), [0, 1]), (ONE, [2]), (ONE, [3])])
            theorem = kernel.propositional(goal, [kernel.discharge(no, denied(goal))])
            return decide_sign_goal(asked, facts, p, 1, theorem)

        return proof

    def _touching(self, rows: list[Poly], at: sympy.Expr, facts: Facts) -> Callable[[SignGoal], Theorem]:
        """Return the proof for a quadratic with a double root."""

        def proof(asked: SignGoal) -> Theorem:
            c, b, a = rows
            signs = facts.sign_of(a)[1](), facts.sign_of(bounded(b * b - 4 * a * c))[1]()
            poly = self.whole(rows), 2 * a * self.ring.gen(self.unknown) + b
            return self._above(asked, lambda one, region: touching(
                facts, one, poly, self.space.value(at), region, asked.outer, signs, self.x))  # fmt: skip

        return proof

    def isolated(self, rows: list[Poly]) -> Chart:
        """Return the chart of a polynomial with numeric coefficients, from its exact real roots."""
        if len(rows) - 1 > MAX_DEGREE:
            raise Undecided(
                "degree <degree> in <unknown>; the limit is <most>",
                degree=len(rows) - 1,
                unknown=self.unknown,
                most=MAX_DEGREE,
            )
        poly = sympy.Poly([self.ring.expr(r) for r in reversed(rows)], sympy.Dummy("x"))
        roots = [r for r in sympy.Poly.real_roots(poly, multiple=False) if self.counts(r[0])]
        between = [1 if poly.LC() > 0 else -1]
        for _, multiplicity in reversed(roots):
            between.insert(0, between[0] * (-1) ** multiplicity)
        found = [r for r, _ in roots]
        named = len(found) == 1 and isinstance(found[0].as_coeff_Mul()[1], sympy.CRootOf)
        return Chart(found, between, self._beyond(found[0], rows) if named else unproved)

    def _beyond(self, root: sympy.Expr, rows: list[Poly]) -> Callable[[SignGoal], Theorem]:
        """Return the proof for a polynomial with one positive root, where its sign changes."""
        numbers = [Fraction(int(c.p), int(c.q)) for row in rows for c in (row.coeffs() or [fmpq(0)])]
        at = Isolated(root, [n if numbers[-1] > 0 else -n for n in numbers])

        def proof(asked: SignGoal) -> Theorem:
            facts, up = Facts(self.space, {}), asked.turn if numbers[-1] > 0 else -asked.turn
            return self._above(asked._replace(turn=up), lambda one, region: isolated(
                facts, one, at, region, asked.outer, self.x))  # fmt: skip

        return proof

    def counts(self, root: sympy.Expr) -> bool:
        """Tell whether a root is a possible value of the unknown."""
        from roofproof.derive.algebra.exact_comparison import numbers_compared

        return numbers_compared(root, sympy.Integer(0)) > 0

    def quotient(self, num: Poly, den: Poly) -> sympy.Expr:
        """Return num/den in lowest terms, written as a person would, with `balanced` sums."""
        key = _key(num, den)
        if key not in self.quotients:
            common = num.gcd(den)
            self.quotients[key] = self.balanced(num / common) / self.balanced(den / common)
        return self.quotients[key]

    def balanced(self, poly: Poly) -> sympy.Expr:
        """Return a polynomial as a product of its monomial content and (positive part - negative part)."""
        if sign(poly) is not None:
            return self.ring.factored(poly)
        inner = poly.term_content()
        rest = terms(poly / inner)
        parts = [
            self.ring.factored(self.ring.context.from_dict({m: c for m, c in rest.items() if (c > 0) == up}))
            for up in (True, False)
        ]
        return self.ring.expr(inner) * sympy.Add(*parts)

    def root(self, a: Poly, b: Poly, c: Poly, s: int) -> sympy.Expr:
        """Return p + s sqrt(p^2 - c/a) with p = -b/(2 a), the root as a person would write it."""
        key = _key(a, b, c)
        if key not in self.roots:
            middle, inside = self.quotient(-b, 2 * a), bounded(b * b - 4 * a * c)
            whole = len(inside) == 1 and sign(inside) == 1  # one term, as in (x - a)^2 - b
            half = sympy.sqrt(self.quotient(inside, 4 * a * a) if whole else middle**2 - self.quotient(c, a))
            self.roots[key] = (middle, half)
        middle, half = self.roots[key]
        return middle + s * half


def _key(*polys: Poly) -> object:
    return tuple(map(str, polys))


def _says(asked: SignGoal, p: Term) -> Formula:
    """Return the comparison that says the same about the sign of another polynomial."""
    return Formula(asked.comparison[0], *((p, ZERO) if asked.turn > 0 else (ZERO, p)))
