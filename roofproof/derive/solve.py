"""Conditions on one positive unknown with symbolic positive parameters, solved in closed form and proved step by step.

A path of supposed signs ends where the region is known; the theorem of each leaf, and by the tree of signs those of the
cases as they are printed, that there are no others and that no two hold together, are made when they are asked for.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.budget import Budget, remembered
from roofproof.derive.algebra.extrema import eliminate_extrema, one_apart
from roofproof.derive.algebra.logic import negation_normal, parts_of, related
from roofproof.derive.algebra.polynomial import Poly, Ring, sign
from roofproof.derive.algebra.signs import ALLOWED, STEPS, Order, Signs, branches, by_condition
from roofproof.derive.charts import Factors, RealFactors, unproved
from roofproof.derive.conversions import bounds_joined, part_by_part
from roofproof.derive.inequalities.cases import Always, Case, Cases, Never, Threshold
from roofproof.derive.regions import EVERYWHERE, NOWHERE, Region, intersection, threshold_of, union
from roofproof.derive.signs import FALSE, Facts, Leaf, Proof, Space, by_tree
from roofproof.errors import RoofproofError, Undecided
from roofproof.ops.notation.logarithm import log2
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import Formula, KernelError
from roofproof.proofs.translate import to_formula, wanted, with_functions

if TYPE_CHECKING:
    from roofproof.derive.inequalities.logarithms import Logarithm


def solve_inequality(condition: Boolean, unknown: sympy.Symbol, assume: Iterable[Boolean] = ()) -> Cases:
    """Return the exhaustive, disjoint cases in which a condition holds, for a positive unknown.

    >>> from roofproof.symbols import dimension, quantity
    >>> B, D, F = map(dimension, "BDF")
    >>> R, S = quantity("R"), quantity("S")
    >>> print(solve_inequality(B*D*F/(B*D + D*F + B*F) > R, B))      # B (D F - R (D + F)) > R D F
    B > R*D*F/(D*F - R*(D + F))    when 1/D + 1/F < 1/R
    never                          otherwise
    >>> print(solve_inequality((B > R) & (2*B > S), B))              # two ceilings
    B > Max(R, S/2)

    A condition is built of inequalities between rational expressions with `max`, `min` and square roots of
    parameters, joined by `and`, `or` and `not`. The unknown is of degree one or two once denominators are cleared,
    of any degree where the other symbols have values; `assume` holds relations between the parameters that may be
    taken for granted.
    Raises RoofproofError outside this fragment, and when the unknown does not occur.
    """
    if not isinstance(condition, Boolean) or condition in (sympy.true, sympy.false):
        raise RoofproofError("expected an inequality such as 'I > R', got <condition>", condition=condition)
    if unknown.name not in {s.name for s in condition.free_symbols}:
        raise RoofproofError(
            "the unknown <unknown> does not occur in <condition>", unknown=unknown, condition=condition
        )
    return solve(condition, unknown, assume)


def solve(condition: Boolean, unknown: sympy.Symbol, assume: Iterable[Boolean] = ()) -> Cases:
    """Return the cases of a condition that may be decided already, or be free of the unknown.

    >>> from roofproof.symbols import quantity
    >>> x, a = quantity("x"), quantity("a")
    >>> print(solve(a > 2, x))
    always    when a > 2
    never     otherwise
    """
    return solved(condition, unknown, tuple(assume)).cases


@dataclass(frozen=True)
class Solved:
    """The cases of a condition, and the tree of signs that proves them, where there is one."""

    cases: Cases
    leaves: tuple[Leaf, ...] = ()

    def theorem(self, goal: Formula, case: Case | None = None) -> Theorem | None:
        """Prove where a condition holds in one of its cases, or what the conditions of all cases say; None if open.

        >>> from roofproof.symbols import quantity
        >>> x, a = quantity("x"), quantity("a")
        >>> found = solved(x > a*x + 1, x, ())
        >>> where = Formula("<=>", to_formula(x > a*x + 1), to_formula(x > 1/(1 - a)))
        >>> found.theorem(where, found.cases.cases[0])
        1 > a, a > 0, x > 0 |- x > 1 + a*x <=> x > 1/(1 + -1*a)
        """
        if not self.leaves:
            return None
        try:
            when = to_formula(case.when, with_functions) if case else None
            return by_tree(goal, self.leaves, lambda leaf: self._at(leaf, goal, case, when))
        except (KernelError, RoofproofError):  # a step that is not proved, or a bound that has no term
            return None

    def _at(self, leaf: Leaf, goal: Formula, case: Case | None, when: Formula | None) -> Theorem:
        if case is not None and leaf.region == case.threshold:
            return kernel.propositional(goal, [leaf.theorem()])
        try:
            if when is None:
                return kernel.propositional(goal, list(leaf.about(goal)))
            parts = when[1:] if when[0] == "or" else (when,)
            none = [kernel.propositional(FALSE, [kernel.assume(f), *leaf.about(f)]) for f in parts]
            whole = kernel.cases(kernel.assume(when), none) if when[0] == "or" else none[0]
            return kernel.propositional(goal, [whole])
        except KernelError:
            return kernel.propositional(goal, [leaf.impossible()])


@remembered(maxsize=64)
def solved(condition: Boolean, unknown: sympy.Symbol, assume: tuple[Boolean, ...]) -> Solved:
    """Return the cases of a condition with what proves them.

    >>> from roofproof.symbols import quantity
    >>> x, a = quantity("x"), quantity("a")
    >>> len(solved(a*x > 2, x, ()).leaves)
    1
    """
    if condition in (sympy.true, sympy.false):
        return Solved(Cases(unknown, (Case(sympy.true, Always() if condition == sympy.true else Never()),)))
    whole = negation_normal(condition)
    prepared, logarithm = eliminate_extrema(whole, unknown), None
    if parts_of(prepared, log2):
        from roofproof.derive.inequalities.logarithms import in_logarithm

        prepared, logarithm = in_logarithm(prepared, unknown)
    raised = prepared.free_symbols if logarithm else ()  # 2^log2(c) is a bound that has c alone
    ring = Ring.of(prepared, unknown, *assume, *raised)
    names = {unknown.name} | ({logarithm.symbol.name} if logarithm else set())
    inside = [a for a in ring.atoms if not a.is_Symbol and names & {s.name for s in a.free_symbols}]
    if inside:
        what = inside[0].xreplace({logarithm.symbol: log2(logarithm.inside)}) if logarithm else inside[0]
        raise Undecided("<unknown> occurs inside <what>, which is not taken apart", unknown=unknown, what=what)
    of_size = related(">=", unknown, sympy.Integer(1)) in assume
    solver = _Solver(Space(ring, assume), unknown, whole, prepared, logarithm, of_size)
    given = solver.space.given
    budget = Budget(STEPS)
    cases = []
    for when, threshold in by_condition(ring, branches(solver.threshold, given, budget), given):
        budget.check("cases")
        cases.append(Case(when, threshold))
    cases.sort(key=lambda c: (c.threshold.kind == "never", isinstance(c.when, sympy.Or), c.when != sympy.true))
    return Solved(Cases(unknown, tuple(cases)), () if logarithm else tuple(solver.leaves))


class _Solver:
    def __init__(
        self,
        space: Space,
        unknown: sympy.Symbol,
        whole: Boolean,
        prepared: Boolean,
        logarithm: Logarithm | None,
        of_size: bool,
    ) -> None:
        self.space, self.ring, self.logarithm = space, space.ring, logarithm
        self.unknown, self.whole, self.prepared = unknown, whole, prepared
        self.factors = Factors(self.ring, unknown, space)
        self.in_logarithm = RealFactors(self.ring, logarithm.symbol, of_size) if logarithm else self.factors
        self.fractions: dict[Relational, tuple[Poly, Poly, list[Poly]]] = {}
        self.leaves: list[Leaf] = []
        self.apart: list[Theorem] | None = None  # what max and min come to, the same on every path

    def threshold(self, signs: Signs) -> Threshold:
        region, proof = self.region(self.prepared, signs)
        threshold, facts = threshold_of(region), Facts(self.space, signs)
        if self.prepared != self.whole:
            prepared = proof
            proof = lambda: self._taken_apart(prepared(), facts)  # noqa: E731
        self.leaves.append(Leaf(facts, threshold, proof))
        return threshold

    def region(self, condition: Boolean, signs: Signs) -> tuple[Region, Proof]:
        """Return where the condition holds, given these signs, with the proof; Split where one is missing."""
        if condition in (sympy.true, sympy.false):
            known = Formula("true") if condition == sympy.true else FALSE
            decided = EVERYWHERE if condition == sympy.true else NOWHERE
            return decided, lambda: kernel.propositional(Formula("<=>", known, known))
        if isinstance(condition, Relational):
            return self.comparison(condition, signs)
        compare, facts = Order(self.ring, signs), Facts(self.space, signs)
        join, region = (intersection, EVERYWHERE) if isinstance(condition, sympy.And) else (union, NOWHERE)
        proofs = []
        for part in sorted(condition.args, key=sympy.default_sort_key):
            there, proof = self.region(part, signs)
            region = join(region, there, compare)
            proofs.append(proof)
        return region, lambda: bounds_joined(
            facts, [proof() for proof in proofs], wanted(condition), self.factors.lies(region), self.factors.x
        )

    def comparison(self, condition: Relational, signs: Signs) -> tuple[Region, Proof]:
        """Return where one comparison holds, with the proof."""
        num, den, cancelled = self.fraction(condition)
        if self.logarithm is not None and self.logarithm.symbol in condition.free_symbols:
            return self.raised(self.logarithm, num, den, cancelled, ALLOWED[condition.rel_op], signs), unproved
        region, converted = self.factors.region(num, den, ALLOWED[condition.rel_op], signs)
        for divisor in cancelled:
            nonzero, _ = self.factors.region(divisor, self.ring.constant(1), ALLOWED["!="], signs)
            region = intersection(region, nonzero, Order(self.ring, signs))
        return region, lambda: converted(wanted(condition), self.factors.lies(region), cancelled)

    def raised(
        self, log: Logarithm, num: Poly, den: Poly, cancelled: list[Poly], allowed: frozenset[int], signs: Signs
    ) -> Region:
        """Return where a comparison that is one of the logarithm alone holds, for the unknown."""
        if cancelled or not log.alone(self.ring, num, den):
            raise Undecided(
                "<unknown> occurs inside <what> and outside it, which has no closed form",
                unknown=log.unknown,
                what=log.symbol,
            )
        return log.region(self.in_logarithm.region(num, den, allowed, signs)[0])

    def _taken_apart(self, theorem: Theorem, facts: Facts) -> Theorem:
        """Prove where the whole condition holds from where it does once max and min are taken apart."""
        if self.apart is None:
            self.apart = [self._without_extrema(r, facts) for r in parts_of(self.whole, Relational) if _extrema(r)]
        goal = Formula("<=>", wanted(self.whole), theorem.conclusion[2])
        return kernel.propositional(goal, [*self.apart, theorem])

    def _without_extrema(self, relation: Relational, facts: Facts) -> Theorem:
        """Prove what a comparison comes to once max and min are taken apart, one after the other."""
        a = wanted(relation)
        if (step := one_apart(relation)) is None:
            return kernel.propositional(Formula("<=>", a, a))
        extremum, join, parts = step
        forms = [(wanted(r), None if chosen is None else wanted(chosen)) for chosen, r in parts]
        joined = [f if chosen is None else Formula("and", chosen, f) for f, chosen in forms]
        apart = Formula("and" if join is sympy.And else "or", *joined)
        once = part_by_part(facts, a, with_functions(extremum), [f for f, _ in forms], apart)
        then = [self._without_extrema(r, facts) for _, r in parts]
        goal = Formula("<=>", a, wanted(eliminate_extrema(relation, self.unknown)))
        return kernel.propositional(goal, [once, *then])

    def fraction(self, condition: Relational) -> tuple[Poly, Poly, list[Poly]]:
        """Return the difference of two sides in lowest terms, and the divisors that these no longer show.

        Where one of them is zero the comparison is false.
        """
        if condition not in self.fractions:
            num, den = self.ring.fraction(condition.lhs - condition.rhs)
            cancelled = []
            powers = [p for p in parts_of(condition, sympy.Pow) if p.base.is_Add]
            for power in sorted(powers, key=sympy.default_sort_key):
                if power.exp.is_number and power.exp.is_negative:
                    divisor = self.ring.fraction(power.base)[0]
                    if sign(divisor) is None and not divmod(den, divisor)[1].is_zero():
                        cancelled.append(divisor)
            self.fractions[condition] = (num, den, cancelled)
        return self.fractions[condition]


def _extrema(relation: Relational) -> list[sympy.Expr]:
    return parts_of(relation, sympy.Max, sympy.Min)
