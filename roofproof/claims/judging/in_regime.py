"""Claims in a regime: limits, and statements that hold where some symbols are large."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from roofproof.claims.judging.case import Case
from roofproof.claims.judging.corrections import derived_side, exact_cases, one_line
from roofproof.claims.judging.decide_condition import decide_condition
from roofproof.claims.judging.decide_formula import Finding, decide
from roofproof.claims.judging.domain import Domain, formula_of
from roofproof.claims.judging.rounding import rounded, rounded_threshold
from roofproof.claims.judging.verdict import Verdict
from roofproof.claims.kinds import APPROXIMATE, REFUTED, VERIFIED
from roofproof.claims.language.nodes import Comparison, Equivalence, Implication, Name, Node
from roofproof.claims.numbers.exact_text import shown
from roofproof.derive.algebra.text import plain
from roofproof.derive.inequalities.inequality import solve
from roofproof.derive.limits.limits import Limit, limit, relative_error
from roofproof.derive.limits.regime import Regime
from roofproof.derive.roofline.intensities import equal, lowest_terms
from roofproof.errors import RoofproofError, Undecided
from roofproof.proofs.oracles import sampling
from roofproof.proofs.provers.limit_proofs import prove_limit
from roofproof.sentences import Sentence, joined


def judge_limit(case: Case, node: Comparison) -> Verdict:
    """Judge `f -> value` in the claim's regime."""
    found, value, rests = case.limit(node)
    if found.value == value:
        return Verdict(VERIFIED, rests, error_bound=_error(found))
    known = rests
    if not found.value.is_infinite and value.is_finite is not False:
        compared = decide_condition(sympy.Eq(found.value, value, evaluate=False), case.domain)
        known = (*known, *compared.known)
        if compared.status == "proved":
            return Verdict(VERIFIED, known, error_bound=_error(found))
    if found.value.is_number and not found.value.is_infinite and value.is_number:
        tolerance, exact = case.claim.tolerance, shown(found.value)
        if near := rounded(found.value, node.operands[1], "->", tolerance, exact, rests):
            return replace(near, error_bound=_error(found))
    return Verdict(REFUTED, known, exact=shown(found.value), counterexample={})


def approximates(
    case: Case, left: sympy.Expr, right: sympy.Expr, regime: Regime, printed: Node, relation: str
) -> Verdict | None:
    """Judge `left ~= right` in a regime: their ratio must tend to 1; the error is given exactly.

    A number printed for the limit may agree with it to its digits.
    """
    try:
        ratio = _limit_of_ratio(right / left, regime)
    except RoofproofError as problem:
        raise Undecided("whether the two agree as <regime>: <problem>", regime=regime.text, problem=problem) from None
    if ratio.value != 1:
        if relation != "~=" or not right.is_number or not ratio.value.is_number or ratio.value == 0:
            return None
        if not ratio.value.is_finite:
            return None
        known, exact = prove_limit(ratio).value_known(), shown(lowest_terms(left))
        near = rounded(right / ratio.value, printed, "->", case.claim.tolerance, exact, known)
        return near and replace(
            near, note=Sentence("<note>, in the limit as <regime>", note=near.note, regime=regime.text)
        )
    error = relative_error(right, left)
    bound = Sentence(
        "|error| = <error> of the exact value, which tends to 0 as <regime>", error=plain(error), regime=regime.text
    )
    exact = shown(lowest_terms(left))
    return Verdict(APPROXIMATE, prove_limit(ratio).value_known(), exact=exact, error_bound=bound)


def _limit_of_ratio(ratio: sympy.Expr, regime: Regime) -> Limit:
    """Return the limit of a ratio, or of its square where that alone has no root of a sum: 1 if the ratio's is 1."""
    try:
        return limit(ratio, regime)
    except RoofproofError:
        square = sympy.powdenest(sympy.expand_power_base(ratio**2), force=True)
        if not ratio.is_positive or any(p.exp.is_Rational and not p.exp.is_Integer for p in square.atoms(sympy.Pow)):
            raise
        found = limit(square, regime)
        if found.value != 1:
            raise
        return found


def judge_in_regime(case: Case, node: Node, condition: Boolean) -> Verdict | None:
    """Judge a statement by what its comparisons tend to; None where that does not settle it."""
    regime = case.claim.regime
    if regime is None:
        return None
    tending = _Tending(regime)
    try:
        tended = tending.tended(condition)
    except RoofproofError:
        return None
    if not tending.limits:
        return None
    goal, defined = formula_of(tended)
    domain = case.domain.where(*defined)
    known = [k for f in tending.limits for k in prove_limit(f).value_known(growth=f.value == 0)]
    found = decide(goal, domain, case.oracle, case.steps)
    bound = joined("<first>; <second>", dict.fromkeys(_error(f) or "" for f in tending.limits)) or None
    note = ""
    if found.status == "refuted":
        found = decide(goal, case.over_sizes(domain, node), case.oracle, case.steps)
        note = "over the integers"
    if found.status == "proved":
        return Verdict(
            APPROXIMATE,
            (*found.known, *known),
            exact=exact_cases(condition, derived_side(case, node)),
            error_bound=bound,
            note=joined(
                "<first>; <second>", [Sentence("in the limit the statement is <what>", what=plain(tended)), note]
            ),
            in_limit=True,
        )
    near = rounded_threshold(case, node, tended, known, bound)
    if near is not None or found.status != "refuted":
        return near
    right = _right_in_the_limit(case, node, regime)
    exact = exact_cases(condition, derived_side(case, node))
    said = joined(
        "<first>; <second>",
        [
            Sentence("in the limit <what>", what=right) if right else "",
            Sentence("exactly <what>", what=exact) if exact else "",
        ],
    )
    point = _far_point(case, condition, found, regime)
    return Verdict(REFUTED, (*found.known, *known), exact=said or None, counterexample=point)


def _right_in_the_limit(case: Case, node: Node, regime: Regime) -> str | None:
    """Return what the side of an equivalence or implication that is worked out comes to in the limit."""
    members = node.parts if isinstance(node, Equivalence | Implication) else ()
    for derived, claimed in (members, members[::-1]) if len(members) == 2 else ():
        if isinstance(claimed, Comparison):
            for name in (o.name for o in claimed.operands if isinstance(o, Name)):
                try:
                    tended = _Tending(regime).tended(case.boolean(derived))
                    return one_line(solve(tended, case.env.symbol(name)))
                except RoofproofError:
                    continue
    return None


def _far_point(case: Case, condition: Boolean, found: Finding, regime: Regime) -> dict[str, Fraction] | None:
    """Return a point far out in the regime at which the statement itself fails, near one where its limit does."""
    goal, _ = formula_of(condition)
    names = {s.name for s in condition.free_symbols}
    near = {k: v for k, v in (found.counterexample or {}).items() if k in names and isinstance(v, Fraction)}
    for power in (10, 14, 20, 30, 40):
        far = {n: Fraction(2**power) for n in names if n in regime.growing}
        point = {**{n: Fraction(1) for n in names}, **near, **far}
        try:
            if sampling.holds(("not", goal), point) and all(sampling.holds(f, point) for f in case.domain.assumptions):
                return dict(sorted(point.items()))
        except (sampling.Inexact, KeyError):
            continue
    return None


@dataclass
class _Tending:
    """What conditions tend to in a regime, and the limits that were taken to tell."""

    regime: Regime
    limits: list[Limit] = field(default_factory=list)

    def grows(self, expr: sympy.Basic) -> bool:
        return any(s.name in self.regime.growing for s in expr.free_symbols)

    def limit(self, expr: sympy.Expr) -> Limit:
        self.limits.append(limit(expr, self.regime))
        return self.limits[-1]

    def tended(self, condition: Boolean) -> Boolean:
        """Return the condition with both sides of each comparison replaced by what they tend to."""
        if not isinstance(condition, Relational):
            return condition.func(*map(self.tended, condition.args)) if condition.args else condition
        if not self.grows(condition):
            return condition
        left, right, relation = condition.lhs, condition.rhs, condition.rel_op
        if 0 in (left, right):
            return self.by_difference(condition)
        ratio = limit(left / right, self.regime)
        if ratio.value.is_infinite or ratio.value == 0:
            self.limits.append(ratio)
            if relation in ("==", "!="):
                return sympy.true if relation == "!=" else sympy.false
            if not (left.is_positive and right.is_positive):
                return self.by_difference(condition)
            larger = ratio.value.is_infinite
            return sympy.true if larger == (relation in (">", ">=")) else sympy.false
        if self.grows(left):
            first = limit(left, self.regime)
            if first.value.is_infinite or first.value == 0:
                if not (left.is_positive and right.is_positive):
                    return self.by_difference(condition)
                self.limits.append(ratio)
                return self.compared(condition, ratio.value, sympy.Integer(1))
            self.limits.append(first)
            left = first.value
        return self.compared(condition, left, self.limit(right).value if self.grows(right) else right)

    def compared(self, condition: Relational, left: sympy.Expr, right: sympy.Expr) -> Boolean:
        """Return the comparison of two limits; where they are the same, they do not tell which side is larger."""
        if condition.rel_op in ("==", "!=") or not equal(left, right):
            return condition.func(left, right, evaluate=False)
        try:
            return self.by_difference(condition)
        except Undecided:  # the difference tends to zero, but may be of one sign all the way
            for said in (condition, condition.negated):
                if decide_condition(said, Domain(), steps=500_000).status == "proved":
                    return sympy.true if said == condition else sympy.false
            raise

    def by_difference(self, condition: Relational) -> Boolean:
        """Return what a comparison comes to where a side may be negative: a ratio would not tell which is larger."""
        found = self.limit(condition.lhs - condition.rhs)
        value = found.value
        if value == 0 and found.growth is not None:  # from which side it comes to zero
            value = found.growth
        if not (value.is_extended_positive or value.is_extended_negative) or condition.rel_op in ("==", "!="):
            raise Undecided("the sides of a comparison come to the same in the regime")
        return sympy.true if bool(value.is_extended_positive) == (condition.rel_op in (">", ">=")) else sympy.false


def _error(found: Limit) -> str | None:
    if found.relative_error is None:
        return None
    error = plain(found.relative_error)
    return Sentence("|error| = <error> of the exact value", error=error) if found.relative_error != 0 else None
