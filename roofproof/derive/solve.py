"""Conditions on one positive unknown with symbolic positive parameters, solved in closed form and proved step by step.

A path of assumed signs ends once the region is known. Theorems are made on demand: one for each leaf, and from the case
tree one for each printed case. They also say that the cases are exhaustive and do not overlap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.budget import Budget, remembered
from roofproof.derive.algebra.logic import negation_normal, parts_of, related
from roofproof.derive.algebra.polynomial import Poly, Ring, sign, surely_positive
from roofproof.derive.algebra.text import plain
from roofproof.derive.charts import Factors
from roofproof.derive.conversions import beyond, bounds_joined, rewritten
from roofproof.derive.extrema import eliminate_extrema, without_extrema
from roofproof.derive.inequalities.cases import Always, Case, Cases, Never, Threshold
from roofproof.derive.regions import EVERYWHERE, NOWHERE, Interval, Region, intersection, threshold_of, union
from roofproof.derive.signs import ALLOWED, FALSE, Facts, Proof, Refute, Signs, Space, comparisons
from roofproof.derive.trace import Collected, Part, collected
from roofproof.derive.tree import STEPS, Leaf, branches, by_condition, by_tree
from roofproof.derive.values import Order
from roofproof.errors import RoofproofError, Undecided
from roofproof.formula.logarithm import exp2, log2
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import Formula, KernelError, substitute
from roofproof.proofs.search.lemmas import trichotomy_exclusions
from roofproof.proofs.search.polynomials import exchanged
from roofproof.proofs.translate import with_functions

if TYPE_CHECKING:
    from roofproof.derive.logarithms import Logarithm


def solve_inequality(condition: Boolean, unknown: sympy.Symbol, assume: Iterable[Boolean] = ()) -> Cases:
    """Return the exhaustive, disjoint cases in which a condition holds, for a positive unknown.

    >>> from roofproof.symbols import dimension, quantity
    >>> B, D, F = map(dimension, "BDF")
    >>> R, S = quantity("R"), quantity("S")
    >>> print(solve_inequality(B*D*F/(B*D + D*F + B*F) > R, B))      # B (D F - R (D + F)) > R D F
    B > R*D*F/(D*F - R*(D + F))    when 1/D + 1/F < 1/R
    never                          otherwise
    >>> print(solve_inequality((B > R) & (2*B > S), B))              # two ceilings
    B > max(R, S/2)

    A condition is built of inequalities between rational expressions with `max`, `min` and square roots of
    parameters, joined by `and`, `or` and `not`. After clearing denominators, the unknown has degree one or two, or any
    degree if the other symbols have values. `assume` holds relations between the parameters that are taken as true.
    Raises RoofproofError outside this fragment, and if the unknown does not occur.
    """
    if not isinstance(condition, Boolean) or condition in (sympy.true, sympy.false):
        raise RoofproofError("expected an inequality such as 'I > R', got <condition>", condition=plain(condition))
    if unknown.name not in {s.name for s in condition.free_symbols}:
        raise RoofproofError(
            "the unknown <unknown> does not occur in <condition>", unknown=unknown, condition=plain(condition)
        )
    return solve(condition, unknown, assume)


def solve(condition: Boolean, unknown: sympy.Symbol, assume: Iterable[Boolean] = ()) -> Cases:
    """Return the cases of a condition, which may also be true, false or free of the unknown.

    >>> from roofproof.symbols import quantity
    >>> x, a = quantity("x"), quantity("a")
    >>> print(solve(a > 2, x))
    always    when a > 2
    never     otherwise
    """
    return solved(condition, unknown, tuple(assume)).cases


LeafProver = Callable[[Leaf, Formula], Theorem]


def prove_from_leaf(leaf: Leaf, goal: Formula) -> Theorem:
    """Prove a goal on one path from only the leaf's theorem.

    >>> from roofproof.proofs.translate import to_formula
    >>> from roofproof.symbols import quantity
    >>> x, a = quantity("x"), quantity("a")
    >>> [leaf] = solved(a*x > 2, x, ()).leaves
    >>> prove_from_leaf(leaf, Formula("<=>", to_formula(a*x > 2), to_formula(x > 2/a)))
    a > 0, x > 0 |- a*x > 2 <=> x > 2/a
    """
    return kernel.propositional(goal, [leaf.theorem()])


@dataclass(frozen=True)
class Solved:
    """The cases of a condition, and the leaves of the case tree that proves them, if any."""

    cases: Cases
    leaves: tuple[Leaf, ...] = ()

    def theorem(
        self,
        goal: Formula,
        case: Case | None = None,
        refute: Refute = lambda _: None,
        way: LeafProver = prove_from_leaf,
    ) -> Theorem | None:
        """Prove a goal about one case, or about the conditions of all cases, or return None.

        `refute` refutes paths whose signs contradict each other. `way` proves the goal on paths that lead to the case.

        >>> from roofproof.proofs.translate import to_formula
        >>> from roofproof.symbols import quantity
        >>> x, a = quantity("x"), quantity("a")
        >>> found = solved(x > a*x + 1, x, ())
        >>> where = Formula("<=>", to_formula(x > a*x + 1), to_formula(x > 1/(1 - a)))
        >>> found.theorem(where, found.cases.cases[0])
        1 > a, a > 0, x > 0 |- x > 1 + a*x <=> x > 1/(1 + -1*a)
        """
        try:
            if not self.leaves:  # the condition is true or false as written
                return kernel.propositional(goal)
            space = self.leaves[0].facts.space
            when = space.formula(case.when) if case else None
            named = exchanged(goal, space.letters)
            return space.without_letters(
                by_tree(named, self.leaves, lambda leaf: self._at(leaf, named, case, when, refute, way))
            )
        except (KernelError, RoofproofError):  # a step that is not proved, or a bound that has no term
            return None

    def _at(
        self, leaf: Leaf, goal: Formula, case: Case | None, when: Formula | None, refute: Refute, way: LeafProver
    ) -> Theorem:
        with suppress(KernelError):
            if case is not None and leaf.region == case.threshold:
                return way(leaf, goal)
        try:
            if when is None:
                return kernel.propositional(goal, list(leaf.about(goal)))
            return kernel.propositional(goal, [_elsewhere(leaf, when)])
        except KernelError:
            return kernel.propositional(goal, [leaf.impossible(refute)])

    def leaves_of(self, case: Case) -> list[Leaf]:
        """Return the leaves that belong to a case, or to a part of it."""
        found = [leaf for leaf in self.leaves if leaf.region == case.threshold]
        if len(found) < 2 or case in self.cases.cases:
            return found
        when = found[0].facts.space.formula(case.when)
        return [leaf for leaf in found if not _is_elsewhere(leaf, when)]


def _elsewhere(leaf: Leaf, when: Formula) -> Theorem:
    """Prove that a condition does not hold on a path, from the signs assumed there."""
    parts = when[1:] if when[0] == "or" else (when,)
    none = [kernel.propositional(FALSE, [kernel.assume(f), *leaf.about(f)]) for f in parts]
    return kernel.cases(kernel.assume(when), none) if when[0] == "or" else none[0]


def _is_elsewhere(leaf: Leaf, when: Formula) -> bool:
    try:
        return bool(_elsewhere(leaf, when))
    except KernelError:
        return False


@remembered(maxsize=64)
def solved(condition: Boolean, unknown: sympy.Symbol, assume: tuple[Boolean, ...]) -> Solved:
    """Return the cases of a condition with the leaves that prove them.

    >>> from roofproof.symbols import quantity
    >>> x, a = quantity("x"), quantity("a")
    >>> len(solved(a*x > 2, x, ()).leaves)
    1
    """
    if condition in (sympy.true, sympy.false):
        return Solved(Cases(unknown, (Case(sympy.true, Always() if condition == sympy.true else Never()),)))
    whole = negation_normal(condition)
    taken = prepared = eliminate_extrema(whole, unknown)
    logarithm = None
    if parts_of(prepared, log2):
        from roofproof.derive.logarithms import in_logarithm

        prepared, logarithm = in_logarithm(prepared, unknown)
    raised = prepared.free_symbols if logarithm else ()  # the bound 2^log2(c) simplifies to c
    ring = Ring.of(prepared, unknown, *assume, *raised)
    names = {unknown.name} | ({logarithm.symbol.name} if logarithm else set())
    inside = [a for a in ring.atoms if not a.is_Symbol and names & {s.name for s in a.free_symbols}]
    if inside:
        what = inside[0].xreplace({logarithm.symbol: log2(logarithm.inside)}) if logarithm else inside[0]
        raise Undecided("cannot solve for <unknown> inside <what>", unknown=unknown, what=plain(what))
    of_size = related(">=", unknown, sympy.Integer(1)) in assume
    space = Space(ring, assume, logarithm.symbol if logarithm else None)
    solver = _Solver(space, unknown, Forms(whole, taken, prepared), logarithm, of_size, assume)
    given = solver.space.given
    budget = Budget(STEPS)
    cases = []
    for when, threshold in by_condition(ring, branches(solver.threshold, given, budget), given):
        budget.check("cases")
        cases.append(Case(when, threshold))
    cases.sort(key=lambda c: (c.threshold.kind == "never", isinstance(c.when, sympy.Or), c.when != sympy.true))
    return Solved(Cases(unknown, tuple(cases)), tuple(solver.leaves))


class Forms(NamedTuple):
    """A condition in negation normal form, then without max and min, then in terms of the unknown's logarithm."""

    whole: Boolean
    apart: Boolean
    prepared: Boolean


class _Solver:
    def __init__(
        self,
        space: Space,
        unknown: sympy.Symbol,
        forms: Forms,
        logarithm: Logarithm | None,
        of_size: bool,
        assume: tuple[Boolean, ...],
    ) -> None:
        self.space, self.ring, self.logarithm = space, space.ring, logarithm
        self.unknown, self.forms = unknown, forms
        self.factors = Factors(self.ring, unknown, space)
        self.in_logarithm = self.factors
        if logarithm:
            from roofproof.derive.logarithms import RealFactors

            self.in_logarithm = RealFactors(self.ring, logarithm.symbol, of_size, space)
        self.fractions: dict[Relational, tuple[Poly, Poly, list[Poly]]] = {}
        self.leaves: list[Leaf] = []
        self.collected: dict[Relational, Collected] = {}
        self.parts: dict[Relational, Part] = {}  # of the current path
        self.limits = [(c, *limit) for c in assume if (limit := limit_of(c, unknown)) is not None]
        self.extrema: list[Theorem] | None = None  # the elimination of max and min, the same on every path

    def threshold(self, signs: Signs) -> Threshold:
        self.parts = {}
        region, proof = self.region(self.forms.prepared, signs)
        facts = Facts(self.space, signs)
        for written, was, back in (
            (self.forms.apart, self.forms.prepared, self._as_written),
            (self.forms.whole, self.forms.apart, self._with_extrema),
        ):
            if written != was:
                proof = partial(_then, back, proof, facts)
        threshold, idle = self._without_idle(region)
        if idle:
            proof = partial(_then, partial(self._within, threshold, idle), proof, facts)
        self.leaves.append(Leaf(facts, threshold, proof, self.parts))
        return threshold

    def _without_idle(self, region: Region) -> tuple[Threshold, list[tuple[Boolean, Boolean]]]:
        """Return a region without the bounds that the assumptions imply, and each such bound with its assumption."""
        kept, idle = list[Interval](), list[tuple[Boolean, Boolean]]()
        for part in region:
            for given, above, at in self.limits:
                reached, past = (part.low, part.high) if above else (part.high, part.low)
                met = [end for end in (reached, past) if end is not None and _plainly_above(end, at, above)]
                idle += [(related("<" if above else ">", self.unknown, end), given) for end in met]
                if reached in met:  # the interval is empty
                    break
                if past in met:
                    part = (
                        Interval(part.low, None, part.low_closed)
                        if above
                        else Interval(None, part.high, False, part.high_closed)
                    )
            else:
                kept.append(part)
        return threshold_of(tuple(kept)), idle

    def _within(
        self, threshold: Threshold, idle: list[tuple[Boolean, Boolean]], theorem: Theorem, facts: Facts
    ) -> Theorem:
        """Prove where a condition holds, without the bounds that the assumptions imply."""
        pairs = [(self.space.formula(bound), self.space.formula(known)) for bound, known in idle]
        met = [beyond(facts, bound, known) for bound, known in pairs]
        sides = [{"u!": a, "v!": b} for (_, a, b), _ in pairs]
        region = self.space.formula(threshold.holds(self.unknown))
        lemmas = [kernel.instantiate(lemma, side) for side in sides for lemma in trichotomy_exclusions()]
        return kernel.propositional(Formula("<=>", theorem.conclusion[1], region), [theorem, *met, *lemmas])

    def region(self, condition: Boolean, signs: Signs) -> tuple[Region, Proof]:
        """Return the region where the condition holds under these signs, with its proof.

        Raises Split for a sign that is missing.
        """
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
            facts,
            [proof() for proof in proofs],
            self.formula_if_defined(condition),
            self.factors.lies(region),
            self.factors.x,
        )

    def formula_if_defined(self, condition: Boolean) -> Formula:
        """Return a condition as a formula, with the logarithm in place of its name."""
        log = self.logarithm
        put = {} if log is None else {log.symbol.name: with_functions(log2(log.inside))}
        return substitute(self.space.formula_if_defined(condition), put)

    def comparison(self, condition: Relational, signs: Signs) -> tuple[Region, Proof]:
        """Return the region where one comparison holds, with its proof."""
        num, den, cancelled = self.fraction(condition)
        allowed = ALLOWED[condition.rel_op]
        if self.logarithm is not None and self.logarithm.symbol in condition.free_symbols:
            return self.raised(self.logarithm, condition, (num, den, cancelled), signs)
        region, converted = self.factors.region(num, den, allowed, signs)
        for divisor in cancelled:
            nonzero, _ = self.factors.region(divisor, self.ring.constant(1), ALLOWED["!="], signs)
            region = intersection(region, nonzero, Order(self.ring, signs))
        if cancelled or not den.is_constant():
            return region, lambda: converted(
                self.space.formula_if_defined(condition), self.factors.lies(region), cancelled
            )
        if condition not in self.collected:
            self.collected[condition] = collected(self.factors, condition)
        line = self.collected[condition]
        part = Part(line, region, cache(lambda: converted(line.formulas[1], self.factors.lies(region))))
        self.parts[condition] = part
        return region, lambda: part.prove_comparison(self.factors.lies(region))

    def raised(
        self, log: Logarithm, condition: Relational, fraction: tuple[Poly, Poly, list[Poly]], signs: Signs
    ) -> tuple[Region, Proof]:
        """Return the region of the unknown where a comparison in its logarithm holds, with the proof."""
        num, den, cancelled = fraction
        if cancelled or not log.alone(self.ring, num, den):
            raise Undecided(
                "<unknown> occurs inside <what> and outside it, which has no closed form",
                unknown=log.unknown,
                what=log.symbol,
            )
        from roofproof.derive.logarithms import in_powers

        found, converted = self.in_logarithm.region(num, den, ALLOWED[condition.rel_op], signs)
        region = log.region(found)

        def proof() -> Theorem:
            theorem = converted(self.space.formula_if_defined(condition), self.in_logarithm.lies(found))
            named = kernel.instantiate(theorem, {log.symbol.name: with_functions(log2(log.inside))})
            return in_powers(named, self.factors.lies(region), self.factors.x)

        return region, proof

    def _as_written(self, theorem: Theorem, facts: Facts) -> Theorem:
        """Prove where a condition holds in its original form, from the theorem in one logarithm."""
        whole, links = self.space.formula_if_defined(self.forms.apart), []
        for a in comparisons(whole):
            for b in comparisons(theorem.conclusion[1]):
                with suppress(KernelError):
                    links.append(rewritten(facts, a, b))
        return kernel.propositional(Formula("<=>", whole, theorem.conclusion[2]), [*links, theorem])

    def _with_extrema(self, theorem: Theorem, facts: Facts) -> Theorem:
        """Prove where the whole condition holds, from the theorem without max and min."""
        whole = self.forms.whole
        if self.extrema is None:
            found = [r for r in parts_of(whole, Relational) if parts_of(r, sympy.Max, sympy.Min)]
            self.extrema = [without_extrema(r, self.unknown, facts) for r in found]
        goal = Formula("<=>", self.space.formula_if_defined(whole), theorem.conclusion[2])
        return kernel.propositional(goal, [*self.extrema, theorem])

    def fraction(self, condition: Relational) -> tuple[Poly, Poly, list[Poly]]:
        """Return the difference of two sides in lowest terms, and the divisors that cancelled.

        The comparison is false if one of these divisors is zero.
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


def limit_of(condition: Boolean, unknown: sympy.Symbol) -> tuple[bool, sympy.Expr] | None:
    """Return (whether a condition is an upper limit of the unknown, that limit), or None if it is not a limit.

    >>> from roofproof.symbols import dimension
    >>> W, L = dimension("W"), dimension("L")
    >>> limit_of(W <= L, W), limit_of(W <= L, L), limit_of(W <= 2*W*L, W)
    ((True, L), (False, W), None)
    """
    if not isinstance(condition, Relational) or condition.rel_op not in ("<", "<=", ">", ">="):
        return None
    for side, other, upper in ((condition.lhs, condition.rhs, "<"), (condition.rhs, condition.lhs, ">")):
        if side == unknown and unknown not in other.free_symbols:
            return condition.rel_op[0] == upper, other
    return None


def _plainly_above(bound: sympy.Expr, limit: sympy.Expr, above: bool) -> bool:
    """Tell whether a bound lies above (or below) a limit for all sizes. Roots in it count as positive."""
    apart = bound - limit if above else limit - bound
    return not parts_of(apart, sympy.Max, sympy.Min, sympy.CRootOf, exp2) and surely_positive(apart)


def _then(step: Callable[[Theorem, Facts], Theorem], proof: Proof, facts: Facts) -> Theorem:
    return step(proof(), facts)
