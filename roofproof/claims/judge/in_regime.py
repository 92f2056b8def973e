"""Claims in a regime: limits, and statements that hold if some symbols are large."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from roofproof.claims.judge.case import Case, in_other_orders, value_known
from roofproof.claims.judge.corrections import certified, derived_side, exact_cases, right_answer
from roofproof.claims.judge.decide_condition import decide_condition
from roofproof.claims.judge.far_out import decide_far_out, eventual_form
from roofproof.claims.judge.residues import fails_by_residue, limits_by_residue
from roofproof.claims.judge.rounding import rounded, rounded_threshold
from roofproof.claims.judge.side_conditions import far_condition, vacuity_note
from roofproof.claims.judge.verdict import Verdict
from roofproof.claims.kinds import APPROXIMATE, REFUTED, UNDECIDED, VERIFIED
from roofproof.claims.printed import shown
from roofproof.derive.algebra.logic import Iff, related
from roofproof.derive.algebra.polynomial import lowest_terms
from roofproof.derive.algebra.text import plain
from roofproof.derive.limits.limits import Limit, OrderMatters, limit, relative_error
from roofproof.derive.limits.regime import Regime
from roofproof.errors import RoofproofError, Undecided
from roofproof.formula.tree import Comparison, Name, Tree, is_op
from roofproof.proofs.kernel.terms import Formula, Term, variables
from roofproof.proofs.oracles.points import Point
from roofproof.sentences import Sentence, joined

NOT_PROVED = "it does not hold; why is not proved for what a slip makes of a claim"
LARGE = 1024  # a lower bound on growing names that is tried if the limit does not decide


def judge_limit(case: Case, node: Comparison) -> Verdict:
    """Return the verdict on `f -> value` in the claim's regime."""
    found, value, rests = case.limit(node)
    if found.value.is_infinite and found.value == value:
        return Verdict(VERIFIED, rests, error_bound=_error(found))
    known = rests
    point: Point = {}
    if not found.value.is_infinite and value.is_finite is not False:
        compared = decide_condition(Formula("=", Term.of(found.value), Term.of(value)), case.domain)
        known, point = (*known, *compared.known), compared.counterexample or {}
        if compared.status == "proved":
            return Verdict(VERIFIED, known, error_bound=_error(found))
    if found.value.is_number and not found.value.is_infinite and value.is_number:
        tolerance, exact = case.claim.tolerance, shown(found.value)
        if near := rounded(found.value, node.operands[1], "->", tolerance, exact, rests):
            return replace(near, error_bound=_error(found))
    return Verdict(REFUTED, known, exact=shown(found.value), counterexample=point)


def approximates(case: Case, left: sympy.Expr, right: sympy.Expr, regime: Regime, printed: Tree) -> Verdict:
    """Return the verdict on `left ~= right` in a regime: their ratio must tend to 1, and the exact error is reported.

    A printed number may also agree with the limit to its digits.
    """
    try:
        ratio = _limit_of_ratio(right / left, regime)
    except OrderMatters as several:
        if case.quick:
            return Verdict(UNDECIDED, note=NOT_PROVED)
        nothing, apart = in_other_orders(right / left, several)
        note = Sentence("their ratio: <note>", note=nothing)
        return Verdict(REFUTED, apart, exact=shown(lowest_terms(left)), counterexample={}, note=note)
    except RoofproofError as problem:
        if (within := _within(case, left, right, regime)) is not None:
            return within
        raise Undecided("whether the two agree as <regime>: <problem>", regime=regime.text, problem=problem) from None
    if case.quick and not right.is_number and ratio.value.is_number and ratio.value != 1:
        return Verdict(UNDECIDED, note=NOT_PROVED)
    known, exact = value_known(ratio, left / right, 1 / ratio.value, case.domain), shown(lowest_terms(left))
    if ratio.value.is_infinite or ratio.value == 0:
        said, rests = (right.is_number and not case.quick and limits_by_residue(left, case.domain, regime)) or ("", [])
        return Verdict(REFUTED, (*known, *rests), exact=exact, counterexample={}, note=said)
    same = decide_condition(Formula("=", Term.of(ratio.value), Term("q", 1, 1)), case.domain, case.oracle, case.steps)
    if same.status == "open":
        raise Undecided("whether <what> is 1: <reason>", what=plain(ratio.value), reason=same.reason)
    if same.status == "proved":
        error = relative_error(right, left)
        bound = Sentence(
            "|error| = <error> of the exact value, which tends to 0 as <regime>", error=plain(error), regime=regime.text
        )
        return Verdict(APPROXIMATE, (*known, *same.known), exact=exact, error_bound=bound)
    if right.is_number and ratio.value.is_number:
        near = rounded(right / ratio.value, printed, "->", case.claim.tolerance, exact, known)
        if near is not None:
            note = Sentence("<note>, in the limit as <regime>", note=near.note, regime=regime.text)
            return replace(near, note=note)
    return Verdict(REFUTED, (*same.known, *known), exact=exact, counterexample=same.counterexample)


def _within(case: Case, left: sympy.Expr, right: sympy.Expr, regime: Regime) -> Verdict | None:
    """Return the verdict on `left ~= right` as: eventually |left - right| <= e * right, for every e > 0."""
    e = sympy.Symbol("ε", positive=True)
    close = sympy.And(
        *(related(">=", e * right, d) for d in (left - right, right - left)), related(">", right, sympy.Integer(0))
    )
    found = decide_far_out(close, case.domain, regime, case.oracle, case.steps)
    if found.status == "open":
        return None
    if found.status == "proved":
        return Verdict(APPROXIMATE, found.known, exact=plain(left), note="the relative difference tends to 0")
    point = {n: v for n, v in (found.counterexample or {}).items() if n != e.name}
    return Verdict(REFUTED, found.known, exact=plain(left), counterexample=point)


def _limit_of_ratio(ratio: sympy.Expr, regime: Regime) -> Limit:
    """Return the limit of a ratio, or of its square if the square has no roots and its limit is 1."""
    try:
        return limit(ratio, regime)
    except OrderMatters:
        raise
    except RoofproofError:
        square = sympy.powdenest(sympy.expand_power_base(ratio**2), force=True)
        if not ratio.is_positive or any(p.exp.is_Rational and not p.exp.is_Integer for p in square.atoms(sympy.Pow)):
            raise
        found = limit(square, regime)
        if found.value != 1:
            raise
        return found


def judge_in_regime(case: Case, node: Tree, condition: Boolean, regime: Regime) -> Verdict:
    """Return the verdict on a statement that does not hold at all points, from its eventual form.

    A point with small values refutes nothing here, and a side condition may only be about names that do not grow.
    """
    sizes, grows, note = case.over_sizes(case.domain, parts=False), {*regime.growing}, ""
    found = decide_far_out(condition, sizes if case.quick else case.domain, regime, case.oracle, case.steps)
    if found.status == "refuted" and not case.quick:  # a quick verdict does not report other sizes
        whole = decide_far_out(condition, sizes, regime, case.oracle, case.steps)
        parts = [f for f in case.whole_parts if not variables(f) & grows]
        if whole.status == "refuted" and parts:
            there = decide_far_out(condition, sizes.where(*parts), regime, case.oracle, case.steps)
            whole = there if there.status == "refuted" else whole
        if whole.status != "refuted" or whole.counterexample != found.counterexample:
            found, note = whole, "over the integers"
    if found.status == "open":
        if (fails := fails_by_residue(condition, case.domain, regime)) is not None:
            return Verdict(REFUTED, tuple(fails[1]), counterexample={}, note=fails[0])
        return _beyond(case, condition, regime) or _by_limits(case, condition, regime, found.reason)
    if case.quick and found.status != "proved" and not isinstance(found.limit_condition, Iff):
        return Verdict(REFUTED, found.known)
    if case.quick and found.status == "proved":
        return Verdict(APPROXIMATE, found.known, in_limit=bool(found.limit_condition.free_symbols))
    errors: list[Limit] = []
    with case.explaining():
        errors = _errors(condition, regime)
    bound = joined("<first>; <second>", dict.fromkeys(_error(f) or "" for f in errors)) or None
    rests = tuple(k for f in errors for k in f.value_proofs())
    limit_condition = found.limit_condition
    if found.status == "proved":
        said = Sentence("true where <what>", what=found.beyond) if found.beyond else Sentence("true in the limit")
        if limit_condition.free_symbols:
            said = Sentence("in the limit the statement is <what>", what=plain(limit_condition))
        exact = None
        with case.explaining():
            exact = exact_cases(condition, derived_side(case, node))
            note = joined("<first>; <second>", [note, vacuity_note(case, node, regime)])
        return Verdict(
            APPROXIMATE,
            (*found.known, *rests),
            exact=exact,
            error_bound=bound,
            note=joined("<first>; <second>", [said, note]),
            in_limit=bool(limit_condition.free_symbols),
        )
    if near := rounded_threshold(case, node, limit_condition, rests, bound):
        return near
    if (
        not (case.quick or case.out_of_steps)
        and (weaker := far_condition(condition, found, regime, case.oracle)) is not None
    ):
        return weaker
    exact = None
    with case.explaining():
        right = None if case.quick or case.out_of_steps else _right_in_the_limit(case, node, regime)
        exact = None if case.quick or case.out_of_steps else right_answer(case, node)
        if right:
            exactly = Sentence("exactly <what>", what=exact) if exact else ""
            exact = joined("<first>; <second>", [Sentence("in the limit <what>", what=right), exactly])
    return Verdict(REFUTED, (*found.known, *rests), exact=exact, counterexample=found.counterexample)


def _right_in_the_limit(case: Case, node: Tree, regime: Regime) -> str | None:
    """Return the derived side of an equivalence or implication in the limit."""
    members = node.parts if is_op(node, "<=>", "=>") else ()
    for derived, claimed in (members, members[::-1]) if len(members) == 2 else ():
        if isinstance(claimed, Comparison):
            for name in (o.name for o in claimed.operands if isinstance(o, Name)):
                said = case.boolean(derived)
                try:
                    limit_condition = eventual_form(said, case.domain, regime)
                    same = decide_far_out(Iff(said, limit_condition), case.domain, regime, case.oracle, case.steps)
                    if (
                        same.status == "proved"
                        and (found := certified(limit_condition, case.env.symbol(name))) is not None
                    ):
                        return found
                except RoofproofError:
                    continue
    return None


def _errors(condition: Boolean, regime: Regime) -> list[Limit]:
    """Return the limits of the growing sides of comparisons, or of their ratio, if these have a relative error."""
    found: list[Limit] = []
    for link in sorted(condition.atoms(Relational), key=sympy.default_sort_key):
        sides = [s for s in (link.lhs, link.rhs) if any(t.name in regime.growing for t in s.free_symbols)]
        try:
            limits = [limit(s, regime) for s in sides]
            if any(f.value.is_infinite or f.value == 0 for f in limits):
                limits = [limit(link.lhs / link.rhs, regime)] if link.rhs != 0 else []
        except RoofproofError:
            continue
        found += [f for f in limits if f.value.is_finite and f.relative_error]
    return found


def _beyond(case: Case, condition: Boolean, regime: Regime) -> Verdict | None:
    """Return the verdict on a statement that is proved wherever all growing names are large, or None if it is not."""
    names = [n for n in regime.growing if n in {s.name for s in condition.free_symbols}]
    if regime.shrinking or not names:
        return None
    large = tuple(Formula(">=", Term("v", n), Term("q", LARGE, 1)) for n in names)
    found = decide_condition(Formula.of(condition), case.domain.where(*large), case.oracle, case.steps)
    if found.status != "proved":
        return None
    what = " and ".join(f"{n} >= {LARGE}" for n in names)
    return Verdict(APPROXIMATE, found.known, note=Sentence("true where <what>", what=what))


def _by_limits(case: Case, condition: Boolean, regime: Regime, reason: str) -> Verdict:
    """Return the verdict from limits of ratios other than 1 and of differences other than 0, also infinite ones."""
    tending = _Tending(regime)
    try:
        tended = tending.tended(condition)
    except RoofproofError:
        raise Undecided(
            "it is false at some points; whether it holds as <regime> is open: <reason>",
            regime=regime.text,
            reason=reason,
        ) from None
    known = [k for f in tending.limits for k in f.value_proofs(growth=f.value == 0)]
    found = decide_condition(Formula.of(tended), case.domain, case.oracle, case.steps)
    if found.status == "open":
        raise Undecided(found.reason)
    if found.status == "refuted":
        return Verdict(REFUTED, (*found.known, *known), counterexample=found.counterexample)
    return Verdict(
        APPROXIMATE,
        (*found.known, *known),
        note=Sentence("in the limit the statement is <what>", what=plain(tended)),
        in_limit=True,
    )


@dataclass
class _Tending:
    """The truth of comparisons in a regime according to limits, and the limits that were used."""

    regime: Regime
    limits: list[Limit] = field(default_factory=list)

    def tended(self, condition: Boolean) -> Boolean:
        """Return the condition with each growing comparison decided, or raise Undecided if the limits are equal."""
        if not isinstance(condition, Relational):
            return condition.func(*map(self.tended, condition.args)) if condition.args else condition
        if not any(s.name in self.regime.growing for s in condition.free_symbols):
            return condition
        larger = self.larger(condition.lhs, condition.rhs)
        relation = condition.rel_op
        if relation in ("==", "!="):
            return sympy.true if relation == "!=" else sympy.false
        return sympy.true if larger == (relation in (">", ">=")) else sympy.false

    def larger(self, left: sympy.Expr, right: sympy.Expr) -> bool:
        """Return whether the left side is eventually the larger one."""
        if left.is_positive and right.is_positive:
            ratio = limit(left / right, self.regime)
            if (ratio.value.is_infinite or ratio.value.is_number) and ratio.value != 1:
                self.limits.append(ratio)
                return bool(ratio.value > 1)
        found = limit(left - right, self.regime)
        value = found.growth if found.value == 0 and found.growth is not None else found.value
        if not (value.is_extended_positive or value.is_extended_negative):
            raise Undecided("the two sides of a comparison have the same limit in the regime")
        self.limits.append(found)
        return bool(value.is_extended_positive)


def _error(found: Limit) -> str | None:
    if found.relative_error is None:
        return None
    error = plain(found.relative_error)
    return Sentence("|error| = <error> of the exact value", error=error) if found.relative_error != 0 else None
