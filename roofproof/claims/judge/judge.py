"""The entry point for verifying a claim: it selects the method for the claim and returns the verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from roofproof.claims.in_definitions import unstated
from roofproof.claims.judge.as_written import arguments
from roofproof.claims.judge.by_signs import split_by_sign
from roofproof.claims.judge.case import STEPS, Case
from roofproof.claims.judge.definedness import (
    false_somewhere,
    only_where_defined,
    true_anyway,
    undefined_where,
    where_defined,
)
from roofproof.claims.judge.domain import Domain, domain_of, domain_of_given, formula_of
from roofproof.claims.judge.far_out import refuse_failing_assumptions
from roofproof.claims.judge.preconditions import check_assumptions, check_regime, size_assumptions
from roofproof.claims.judge.quantified import judge_quantified
from roofproof.claims.judge.readings import is_admissible, judged_by_readings
from roofproof.claims.judge.regions import is_region
from roofproof.claims.judge.verdict import Verdict, together
from roofproof.claims.kinds import (
    CONDITIONAL,
    NOT_CHECKABLE,
    REFUTED,
    ROUNDED,
    SILENT,
    UNDECIDED,
    VERIFIED,
    first_known,
)
from roofproof.claims.language import Claim
from roofproof.claims.language.assumed_sizes import assuming, where_assumed
from roofproof.claims.meaning import NoValue
from roofproof.claims.printed import EXACTLY, stated_unit
from roofproof.claims.resolve import names_pi
from roofproof.derive.algebra.budget import Budget, in_words, spend
from roofproof.errors import RoofproofError, Stopped, Undecided, explaining
from roofproof.formula.tree import Call, Comparison, Op, Quantified, Tree, bound_names, is_op, walk_with_values
from roofproof.proofs.kernel.terms import ZERO, Formula, KernelError, Term, variables
from roofproof.proofs.known import ByKernel, Known, Unproved, holds, weakest
from roofproof.sentences import Sentence, joined

BY_SLIP = "its digits agree, but a known mistake gives it exactly"
NOT_ELSEWHERE = "it is not defined elsewhere"
ONLY_THERE = "it is defined only where <what>, which holds at isolated points only"
NOT_FOR_ALL = "it is not defined for all values: it needs <condition>"
A_NAME = "pi is a name here, and not the number 3.14159..."
UNSTATED = "no theorem states this by the definitions of its words"
UNSEARCHED = "not searched to the end"
PART = 4_000  # steps for reading a part of a claim and computing its values


def judge(claim: Claim, oracle: str = "z3", quick: bool = False) -> Verdict:
    """Return the verdict on a claim.

    >>> from roofproof.claims.language.book import book_from_text
    >>> [c] = book_from_text('[[claim]]\\nid = "a"\\nsays = "a + b <= 2 max(a, b)"').claims
    >>> judge(c).kind, judge(c).trust
    ('verified', 'kernel')

    Raises RoofproofError for a claim that is inconsistent, such as one about a format that the chip lacks.
    """
    if claim.proposition is None:
        return Verdict(NOT_CHECKABLE, note=claim.reason)
    node, env = claim.proposition, claim.scope()
    try:
        check_assumptions(env, node)
        if claim.regime is not None:
            check_regime(env, node, claim.regime)
        verdict = ClaimToVerify(claim, oracle, quick).verify_part(assuming(claim))
    except Undecided as reason:
        verdict = Verdict(UNDECIDED, note=reason.said)
    if quick:
        return verdict
    if verdict.exact:
        verdict = replace(verdict, unit=stated_unit(node, env.let))
    notes: list[str] = []
    with explaining():
        notes += size_assumptions(env, node) if verdict.holds else ()
        if names_pi(node, env):
            notes.append(Sentence(A_NAME))
    if verdict.trust == ByKernel.trust:
        unsaid: Sequence[str] = (claim.says,)
        with explaining():
            unsaid = unstated(claim, verdict)
        if unsaid:
            verdict = replace(verdict, unstated=tuple(unsaid))
            if not verdict.note:  # the trust "algebra" already says so
                notes.append(Sentence(UNSTATED))
    return replace(verdict, note=joined("<first>; <second>", (verdict.note, *notes))) if notes else verdict


@dataclass(frozen=True)
class ClaimToVerify:
    """A claim to verify, with the size conditions of its operations among its assumptions."""

    claim: Claim
    oracle: str
    quick: bool

    @property
    def node(self) -> Tree:
        """The statement of the claim."""
        assert self.claim.proposition is not None
        return self.claim.proposition

    @property
    def on_whole_domain(self) -> bool:
        """Whether the claim is verified on its whole domain: not in a regime, and not for one choice of signs."""
        return self.claim.regime is None and not self.claim.environment.signs

    def case(self, node: Tree | None = None) -> Case:
        """Return the case of the claim, or of another statement in its place."""
        claim = self.claim if node is None else replace(self.claim, proposition=node)
        env = claim.scope()
        return Case(claim, env, domain_of(claim, env), self.oracle, self.quick)

    def verify_part(self, claim: Claim) -> Verdict:
        """Return the verdict on a narrower claim, or on a part of the claim."""
        found = first_known(METHODS, replace(self, claim=claim))
        assert found is not None
        return found


def for_all(asked: ClaimToVerify) -> Verdict | None:
    """Return the verdict on `for all` from the verdict on its body. A condition on a bound name refutes it.

    If the body has no value for some values of the bound names, the verdict is `undecided`.
    """
    node = asked.node
    if not isinstance(node, Quantified) or node.quantifier != "for all" or asked.claim.regime is not None:
        return None
    verdict = asked.verify_part(assuming(replace(asked.claim, proposition=node.body)))
    if verdict.kind != CONDITIONAL or not verdict.about.intersection(node.names):
        return verdict
    if verdict.counterexample:
        return replace(verdict, kind=REFUTED, condition=None)
    return Verdict(UNDECIDED, verdict.known, note=Sentence(NOT_FOR_ALL, condition=verdict.condition))


def with_quantifiers(asked: ClaimToVerify) -> Verdict | None:
    """Return the verdict on a claim with `exists` or `for all` in it."""
    if not bound_names(asked.node):
        return None
    case = asked.case(where_assumed(asked.claim.scope(), asked.node))
    verdict = judge_quantified(case)
    try:
        return replace(verdict, known=(*verdict.known, *_read(case, asked.node, verdict)))
    except Undecided as reason:
        return Verdict(UNDECIDED, note=reason.said)


def where_names_are_defined(asked: ClaimToVerify) -> Verdict | None:
    """Return the verdict for names restricted to be nonnegative under roots and positive in logarithms."""
    narrower, said = where_defined(asked.claim) if asked.on_whole_domain else (asked.claim, {})
    if not said or not _leaves_a_region(asked.claim, narrower):
        return None
    verdict = asked.verify_part(narrower)
    if verdict.kind == VERIFIED and (known := true_anyway(asked.case(), asked.node)) is not None:
        return replace(verdict, known=(*verdict.known, *known))
    return _conditional(asked.node, verdict, said) or verdict


def sign_by_sign(asked: ClaimToVerify) -> Verdict | None:
    """Return the verdict on a claim that is verified once for each choice of signs of its names."""
    try:
        return None if asked.claim.environment.signs else split_by_sign(asked.claim, asked.verify_part)
    except Undecided as reason:
        return Verdict(UNDECIDED, note=reason.said)


def as_given(asked: ClaimToVerify) -> Verdict:
    """Return the verdict on a claim part by part, where all of it is defined."""
    claim, node, case = asked.claim, asked.node, asked.case()
    if claim.regime is not None:
        refuse_failing_assumptions(case.domain, claim.regime, claim.given_text)
    verdict = _judged(case, node)
    if verdict.kind == REFUTED and isinstance(node, Call) and (elsewhere := _where_it_fails(asked, case, verdict)):
        return elsewhere
    if verdict.kind == UNDECIDED and claim.regime is None and not case.out_of_steps:
        verdict = _by_its_parts(case, node) or _where_defined(asked, case) or verdict
    where, defined = undefined_where(case, node) if verdict.holds else ({}, ())
    if where:
        with suppress(Undecided):
            case.boolean(node)  # raises an error for an expression without any value, such as log2(0)
        told, names = joined("<first> and <second>", where), frozenset[str]().union(*(w.names for w in where.values()))
        if claim.regime is None or not names.intersection(claim.regime.growing):
            due = [formula_of(case.boolean(w.tree)) for w in where.values() if w.tree is not None]
            if is_region(case.domain, Formula("and", *due)):
                verdict = replace(verdict, kind=CONDITIONAL, condition=told, about=names, note=_elsewhere(node))
            else:
                verdict = Verdict(REFUTED, verdict.known, counterexample={}, note=Sentence(ONLY_THERE, what=told))
        else:
            note = Sentence("it is defined only where <what>, which fails in the limit", what=told)
            verdict = Verdict(UNDECIDED, verdict.known, note=note)
    try:
        rests = case.rests(verdict.holds or not case.quick, _alone(case, node))
        known = (*verdict.known, *rests, *defined, *_read(case, node, verdict))
    except Undecided as reason:
        return Verdict(UNDECIDED, note=reason.said)
    if verdict.kind != UNDECIDED and weakest(known) == Unproved.trust:
        note = Sentence("it would be <kind>, but a part of it is not proved", kind=verdict.kind)
        verdict = Verdict(UNDECIDED, known, exact=verdict.exact, note=note)
    notes = joined("<first>; <second>", dict.fromkeys((verdict.note, *case.notes)))
    return _without_slip(asked, replace(verdict, known=known, note=notes))


METHODS: tuple[Callable[[ClaimToVerify], Verdict | None], ...] = (
    for_all, with_quantifiers, where_names_are_defined, sign_by_sign, as_given,
)  # fmt: skip


def _elsewhere(node: Tree) -> str:
    """Return the note that a claim is not defined elsewhere, unless another part of it may decide it there."""
    while is_op(node, "not"):
        node = node.args[0]
    return NOT_ELSEWHERE if (isinstance(node, Comparison | Call) or is_op(node, "and")) else ""


def _without_slip(asked: ClaimToVerify, verdict: Verdict) -> Verdict:
    """Return `refuted` in place of a coarse `rounded` if a known mistake gives the number exactly."""
    claim = asked.claim
    if verdict.kind != ROUNDED or not verdict.coarse or claim.tolerance:
        return verdict
    from roofproof.claims.mistakes import diagnose

    with explaining():
        if diagnose(claim, _within_budget(asked.oracle), exactly=True) is not None:
            exact = asked.verify_part(replace(claim, tolerance=EXACTLY))
            return replace(exact, note=BY_SLIP) if exact.kind == REFUTED else verdict
    return verdict


def _by_its_parts(case: Case, node: Tree) -> Verdict | None:
    """Return the verdict on a claim that some of its parts decide, even if others have no value."""
    if (known := true_anyway(case, node, elsewhere=False)) is not None:
        return Verdict(VERIFIED, known)
    if (
        not case.quick
        and (found := false_somewhere(case, node)) is not None
        and is_admissible(case, found.counterexample)
    ):
        return Verdict(REFUTED, found.known, counterexample=found.counterexample)
    return None


def _conditional(node: Tree, verdict: Verdict, said: Mapping[str, frozenset[str]]) -> Verdict | None:
    """Return a verdict on a narrower claim as `conditional`, with the added conditions and their names, or None."""
    if verdict.kind not in (VERIFIED, CONDITIONAL):
        return None
    condition = joined("<first> and <second>", dict.fromkeys((*said, verdict.condition or "")))
    about = verdict.about.union(*said.values())
    return replace(verdict, kind=CONDITIONAL, condition=condition, about=about, note=verdict.note or _elsewhere(node))


def _where_defined(asked: ClaimToVerify, case: Case) -> Verdict | None:
    """Return `conditional` for a claim that holds where it is defined, or None if it may fail or is always defined."""
    narrower, said = only_where_defined(case, asked.node)
    if not said or not _leaves_a_region(asked.claim, narrower):
        return None
    return _conditional(asked.node, asked.verify_part(narrower), said)


def _where_it_fails(asked: ClaimToVerify, case: Case, verdict: Verdict) -> Verdict | None:
    """Return the verdict restricted to where a claim is defined, if its counterexample is outside of that."""
    narrower, said = only_where_defined(case, asked.node) if verdict.counterexample else (asked.claim, {})
    if not said or not _leaves_a_region(asked.claim, narrower):
        return None
    point, due = verdict.counterexample or {}, domain_of_given(narrower.environment).assumptions
    if not any(variables(f) <= point.keys() and holds(Formula("not", f), point) for f in due):
        return None
    return asked.verify_part(narrower)


def _read(case: Case, node: Tree, verdict: Verdict) -> tuple[Known, ...]:
    """Return the definitions of the functions in a claim, and proofs that the values used equal the written ones."""
    if case.quick or verdict.kind in SILENT:
        return ()
    everything = walk_with_values([node, *case.env.given.conditions], case.env.let)
    asked = list(arguments(everything))
    if asked:
        asked += case.env.given.conditions
    if node not in case.settled:
        asked += [part for part in _parts(node) if part not in case.settled]
    return (*case.as_written(asked), *case.env.terms.definitions)


def _parts(node: Tree) -> tuple[Tree, ...]:
    """Return the parts of a claim that are verified one by one."""
    if is_op(node, "and"):
        return tuple(p for m in node.args for p in _parts(m))
    if isinstance(node, Comparison):
        return tuple(node.links)
    match node:
        case Op("not", (Op("not", (inner,)),)):
            return _parts(inner)
    return (node,)


def _alone(case: Case, node: Tree) -> set[Call]:
    """Return the calls that are whole parts of a claim and occur nowhere else in it."""
    parts = _parts(node)
    inside = {*walk_with_values([*(p for part in parts for p in part.parts), *case.env.given.conditions], case.env.let)}
    return {part for part in parts if isinstance(part, Call) and part not in inside}


def _leaves_a_region(claim: Claim, narrower: Claim) -> bool:
    """Return whether the conditions for a claim to be defined leave more than isolated points of its domain."""
    whole, part = (domain_of_given(c.environment) for c in (claim, narrower))
    more = [f for f in part.assumptions if f not in whole.assumptions]
    more += [Formula(">" if sign else ">=", Term("v", name), ZERO) for name, sign in _signs(whole, part)]
    return is_region(whole, Formula("and", *more))


def _signs(whole: Domain, part: Domain) -> list[tuple[str, bool]]:
    """Return the names with a narrower sign in a part of a domain, each with whether it must be nonzero."""
    names = [n for n, sign in whole.signs.items() if part.signs.get(n) != sign]
    return [(n, part.signs.get(n) != "nonnegative") for n in names]


def _judged(case: Case, node: Tree) -> Verdict:
    spend(PART)
    while is_op(node, "not") and is_op(inner := node.args[0], "not"):
        node = inner.args[0]
    try:
        if is_op(node, "and"):
            return together(_each(case, node.args))
        if isinstance(node, Comparison) and len(node.relations) > 1:
            return together(_each(case, node.links))
        case.restrict_to_defined(node)
        return _call(case, node) if isinstance(node, Call) else judged_by_readings(case, node)
    except KernelError as limit:
        return Verdict(UNDECIDED, note=Sentence("too large to compute: <limit>", limit=limit))
    except Undecided as problem:
        if isinstance(problem, NoValue) and isinstance(node, Comparison) and node.relations != ("!=",):
            return Verdict(REFUTED, problem.known, counterexample={}, note=problem.said)
        return Verdict(UNDECIDED, note=problem.said)


def _each(case: Case, nodes: Iterable[Tree]) -> list[Verdict]:
    """Return the verdict on every part of a claim, with parts after the step limit undecided."""
    late = Verdict(UNDECIDED, note=Sentence("too many parts to judge in <what>", what=in_words(STEPS)))
    return [late if case.out_of_steps else _judged(case, node) for node in nodes]


def _call(case: Case, node: Call) -> Verdict:
    """Return the verdict on a function that states something, with the point at which it was found to fail."""
    verdict = judged_by_readings(case, node)
    value = case.env.proved_value(node)
    if verdict.kind == REFUTED and value is not None and value.found.point:
        return replace(verdict, counterexample=dict(value.found.point))
    return verdict


def judge_quietly(claim: Claim, oracle: str = "z3", quick: bool = False) -> Verdict:
    """Return the verdict on a claim, which is `undecided` with an error as the reason if there is one.

    >>> from roofproof.claims.language.book import book_from_text
    >>> [c] = book_from_text('[[claim]]\\nid = "a"\\nsays = "ridge(t4, bf16) == 1"').claims
    >>> judge_quietly(c).kind
    'undecided'
    """
    try:
        return judge(claim, oracle, quick)
    except RoofproofError as problem:
        return Verdict(UNDECIDED, note=problem.said)


def judge_with_slip(claim: Claim, oracle: str = "z3") -> Verdict:
    """Return the verdict, and for a refuted claim the mistake that reproduces it, or "none fits".

    >>> from roofproof.claims.language.book import book_from_text
    >>> [c] = book_from_text('[[claim]]\\nid = "a"\\nsays = "flops(matmul) == B D F"').claims
    >>> judge_with_slip(c).slip
    'multiply-add-once'
    """
    from roofproof.claims.mistakes.of_claims import diagnose

    verdict = judge(claim, oracle)
    if verdict.kind != REFUTED or (claim.proposition is not None and bound_names(claim.proposition)):
        return verdict
    budget, slip = Budget(STEPS // 2), UNSEARCHED
    with suppress(Stopped), explaining():
        slip = diagnose(claim, _within_budget(oracle, budget)) or ("none fits" if budget.left else slip)
    return replace(verdict, slip=slip)


def _within_budget(oracle: str, budget: Budget | None = None) -> Callable[[Claim], Verdict]:
    """Return a quick verifier for variants of a claim, which is undecided once the steps for mistakes are used up."""
    budget = budget or Budget(STEPS // 2)

    def tried(variant: Claim) -> Verdict:
        if not budget.left:
            return Verdict(UNDECIDED, note="no steps are left to look for a mistake")
        return judge_quietly(variant, oracle, quick=True)

    return tried
