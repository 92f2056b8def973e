"""Conditions on one positive unknown with symbolic positive parameters, solved in closed form.

Search, not proof: what is found here is proved by the `proofs` room, which shares none of this code.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.budget import Budget
from roofproof.derive.algebra.extrema import eliminate_extrema
from roofproof.derive.algebra.logic import negation_normal, parts_of, related
from roofproof.derive.algebra.polynomial import Poly, Ring, sign
from roofproof.derive.algebra.signs import ALLOWED, STEPS, Order, Signs, assumed, branches, by_condition
from roofproof.derive.inequalities.cases import Always, Case, Cases, Never, Threshold
from roofproof.derive.inequalities.intervals import EVERYWHERE, NOWHERE, Region, intersection, threshold_of, union
from roofproof.derive.inequalities.roots import Factors, RealFactors
from roofproof.errors import RoofproofError, Undecided
from roofproof.formula.logarithm import log2

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
    assume = tuple(assume)
    if condition in (sympy.true, sympy.false):
        return Cases(unknown, (Case(sympy.true, Always() if condition == sympy.true else Never()),))
    prepared, logarithm = eliminate_extrema(negation_normal(condition), unknown), None
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
    solver = _Solver(ring, unknown, prepared, logarithm, of_size)
    given = assumed(ring, assume)
    budget = Budget(STEPS)
    cases = []
    for when, threshold in by_condition(ring, branches(solver.threshold, given, budget), given):
        budget.check("cases")
        cases.append(Case(when, threshold))
    cases.sort(key=lambda c: (c.threshold.kind == "never", isinstance(c.when, sympy.Or), c.when != sympy.true))
    return Cases(unknown, tuple(cases))


class _Solver:
    def __init__(
        self, ring: Ring, unknown: sympy.Symbol, condition: Boolean, logarithm: Logarithm | None, of_size: bool
    ) -> None:
        self.ring, self.condition, self.logarithm = ring, condition, logarithm
        self.factors = Factors(ring, unknown)
        self.in_logarithm = RealFactors(ring, logarithm.symbol, of_size) if logarithm else self.factors
        self.fractions: dict[Relational, tuple[Poly, Poly, list[Poly]]] = {}

    def threshold(self, signs: Signs) -> Threshold:
        return threshold_of(self.region(self.condition, signs))

    def region(self, condition: Boolean, signs: Signs) -> Region:
        """Return where the condition holds, given these signs; Split where one is missing."""
        if condition in (sympy.true, sympy.false):
            return EVERYWHERE if condition == sympy.true else NOWHERE
        compare = Order(self.ring, signs)
        if isinstance(condition, Relational):
            num, den, cancelled = self.fraction(condition)
            if self.logarithm is not None and self.logarithm.symbol in condition.free_symbols:
                return self.raised(self.logarithm, num, den, cancelled, ALLOWED[condition.rel_op], signs)
            region = self.factors.region(num, den, ALLOWED[condition.rel_op], signs)
            for divisor in cancelled:
                nonzero = self.factors.region(divisor, self.ring.constant(1), ALLOWED["!="], signs)
                region = intersection(region, nonzero, compare)
            return region
        join, region = (intersection, EVERYWHERE) if isinstance(condition, sympy.And) else (union, NOWHERE)
        for part in sorted(condition.args, key=sympy.default_sort_key):
            region = join(region, self.region(part, signs), compare)
        return region

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
        return log.region(self.in_logarithm.region(num, den, allowed, signs))

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
