"""Claims in a regime: limits, and statements that hold where some symbols are large."""

from __future__ import annotations

from fractions import Fraction

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from roofproof.claims.judging.case import Case
from roofproof.claims.judging.corrections import derived_side, exact_cases, one_line
from roofproof.claims.judging.decide_condition import decide_condition
from roofproof.claims.judging.decide_formula import Finding, decide
from roofproof.claims.judging.domain import Domain
from roofproof.claims.judging.formulas import formula_of
from roofproof.claims.judging.rounded_threshold import rounded_threshold
from roofproof.claims.judging.verdict import Verdict
from roofproof.claims.kinds import APPROXIMATE, REFUTED, ROUNDED, VERIFIED
from roofproof.claims.language.nodes import Comparison, Equivalence, Implication, Name, Node
from roofproof.claims.numbers.exact_text import shown
from roofproof.claims.numbers.printed import known_agreement, printed_agreement
from roofproof.derive.algebra.text import plain
from roofproof.derive.inequalities.inequality import solve
from roofproof.derive.limits.limits import Limit, limit, relative_error
from roofproof.derive.limits.regime import Regime
from roofproof.derive.roofline.intensities import equal, lowest_terms
from roofproof.errors import RoofproofError, Undecided
from roofproof.proofs.oracles import sampling
from roofproof.proofs.provers.limit_proofs import prove_limit


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
        digits = printed_agreement(found.value, node.operands[1], "->", case.claim.tolerance)
        if digits is not None:
            told = (*rests, known_agreement(found.value, node.operands[1], digits))
            return Verdict(ROUNDED, told, exact=shown(found.value), error_bound=_error(found), note=str(digits))
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
        raise Undecided(f"whether the two agree as {regime.text}: {problem}") from None
    if ratio.value != 1:
        if relation != "~=" or not right.is_number or not ratio.value.is_number or ratio.value == 0:
            return None
        if not ratio.value.is_finite:
            return None
        digits = printed_agreement(right / ratio.value, printed, "->", case.claim.tolerance)
        if digits is None:
            return None
        note = f"{digits}, in the limit as {regime.text}"
        known = (*prove_limit(ratio).value_known(), known_agreement(right / ratio.value, printed, digits))
        return Verdict(ROUNDED, known, exact=shown(lowest_terms(left)), note=note)
    error = relative_error(right, left)
    bound = f"|error| = {plain(error)} of the exact value, which tends to 0 as {regime.text}"
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
    assert regime is not None
    limits: list[Limit] = []
    try:
        tended = _tended(condition, regime, limits)
    except RoofproofError:
        return None
    if not limits:
        return None
    goal, defined = formula_of(tended)
    domain = case.domain.where(*defined)
    known = [k for f in limits for k in prove_limit(f).value_known(growth=f.value == 0)]
    found = decide(goal, domain, case.oracle, case.steps)
    bound = "; ".join(dict.fromkeys(_error(f) or "" for f in limits)) or None
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
            note="; ".join(t for t in (f"in the limit the statement is {plain(tended)}", note) if t),
        )
    near = rounded_threshold(case, node, tended, known, bound)
    if near is not None or found.status != "refuted":
        return near
    right = _right_in_the_limit(case, node, regime)
    exact = exact_cases(condition, derived_side(case, node))
    said = "; ".join(t for t in (f"in the limit {right}" if right else "", f"exactly {exact}" if exact else "") if t)
    point = _far_point(case, condition, found, regime)
    return Verdict(REFUTED, (*found.known, *known), exact=said or None, counterexample=point)


def _right_in_the_limit(case: Case, node: Node, regime: Regime) -> str | None:
    """Return what the side of an equivalence or implication that is worked out comes to in the limit."""
    members = node.parts if isinstance(node, Equivalence | Implication) else ()
    for derived, claimed in (members, members[::-1]) if len(members) == 2 else ():
        if isinstance(claimed, Comparison):
            for name in (o.name for o in claimed.operands if isinstance(o, Name)):
                try:
                    tended = _tended(case.boolean(derived), regime, [])
                    return one_line(solve(tended, case.env.symbol(name)))
                except RoofproofError:
                    continue
    return None


def _far_point(case: Case, condition: Boolean, found: Finding, regime: Regime) -> dict[str, Fraction] | None:
    """Return a point far out in the regime at which the statement itself fails, near one where its limit does."""
    goal, _ = formula_of(condition)
    names = {s.name for s in condition.free_symbols}
    near = {k: v for k, v in (found.counterexample or {}).items() if k in names}
    for power in (10, 14, 20, 30, 40):
        far = {n: Fraction(2**power) for n in names if n in regime.growing}
        point = {**{n: Fraction(1) for n in names}, **near, **far}
        try:
            if sampling.holds(("not", goal), point) and all(sampling.holds(f, point) for f in case.domain.assumptions):
                return dict(sorted(point.items()))
        except (sampling.Inexact, KeyError):
            continue
    return None


def _tended(condition: Boolean, regime: Regime, limits: list[Limit]) -> Boolean:
    """Return the condition with both sides of each comparison replaced by what they tend to."""
    if isinstance(condition, Relational):
        names = {s.name for s in condition.free_symbols}
        if not names & set(regime.growing):
            return condition
        if 0 in (condition.lhs, condition.rhs):
            return _by_difference(condition, regime, limits)
        ratio = limit(condition.lhs / condition.rhs, regime)
        if ratio.value.is_infinite or ratio.value == 0:
            limits.append(ratio)
            if condition.rel_op in ("==", "!="):
                return sympy.true if condition.rel_op == "!=" else sympy.false
            if not (condition.lhs.is_positive and condition.rhs.is_positive):
                return _by_difference(condition, regime, limits)
            larger = ratio.value.is_infinite
            return sympy.true if larger == (condition.rel_op in (">", ">=")) else sympy.false
        if not {s.name for s in condition.lhs.free_symbols} & set(regime.growing):
            right = limit(condition.rhs, regime)
            limits.append(right)
            return _compared(condition, condition.lhs, right.value, regime, limits)
        left = limit(condition.lhs, regime)
        if left.value.is_infinite or left.value == 0:
            if not (condition.lhs.is_positive and condition.rhs.is_positive):
                return _by_difference(condition, regime, limits)
            limits.append(ratio)
            return _compared(condition, ratio.value, sympy.Integer(1), regime, limits)
        limits.append(left)
        right_side = condition.rhs
        if {s.name for s in right_side.free_symbols} & set(regime.growing):
            right = limit(right_side, regime)
            limits.append(right)
            right_side = right.value
        return _compared(condition, left.value, right_side, regime, limits)
    if condition in (sympy.true, sympy.false):
        return condition
    parts = [_tended(a, regime, limits) for a in condition.args]
    return condition.func(*parts)


def _compared(
    condition: Relational, left: sympy.Expr, right: sympy.Expr, regime: Regime, limits: list[Limit]
) -> Boolean:
    """Return the comparison of two limits; where they are the same, they do not tell which side is larger."""
    if condition.rel_op in ("==", "!=") or not equal(left, right):
        return condition.func(left, right, evaluate=False)
    try:
        return _by_difference(condition, regime, limits)
    except Undecided:  # the difference tends to zero, but may be of one sign all the way
        for said in (condition, condition.negated):
            if decide_condition(said, Domain(), steps=500_000).status == "proved":
                return sympy.true if said == condition else sympy.false
        raise


def _by_difference(condition: Relational, regime: Regime, limits: list[Limit]) -> Boolean:
    """Return what a comparison comes to where a side may be negative: a ratio would not tell which is larger."""
    limits.append(limit(condition.lhs - condition.rhs, regime))
    value = limits[-1].value
    if value == 0 and limits[-1].growth is not None:  # from which side it comes to zero
        value = limits[-1].growth
    if not (value.is_extended_positive or value.is_extended_negative) or condition.rel_op in ("==", "!="):
        raise Undecided("the sides of a comparison come to the same in the regime")
    return sympy.true if bool(value.is_extended_positive) == (condition.rel_op in (">", ">=")) else sympy.false


def _error(found: Limit) -> str | None:
    if found.relative_error is None:
        return None
    return f"|error| = {plain(found.relative_error)} of the exact value" if found.relative_error != 0 else None
