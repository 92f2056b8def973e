"""Where a claim is not defined: its divisors, roots and logarithms, as written.

An algebra system cancels `(x - y)/(x - y)` and so hides that the claim is undefined where x = y. So the obligations
are read from the tree of the claim. Each one holds on the whole domain, or becomes a condition of the verdict.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from roofproof.claims.judge.as_written import values
from roofproof.claims.judge.case import Case
from roofproof.claims.judge.decide_condition import decide_condition
from roofproof.claims.judge.decide_formula import Finding
from roofproof.claims.judge.domain import Domain, formula_where_defined
from roofproof.claims.judge.far_out import decide_far_out
from roofproof.claims.judge.obligations import EACH, VALUE, needs, obligations, of_each
from roofproof.claims.language import Claim
from roofproof.derive.algebra.text import plain
from roofproof.errors import RoofproofError, Undecided
from roofproof.formula.printing import to_text
from roofproof.formula.to_sympy import joined
from roofproof.formula.tree import Comparison, Name, Op, Quantified, Tree, is_op, literal, names_in
from roofproof.proofs.from_tree import from_formula
from roofproof.proofs.kernel.terms import ZERO, Formula, KernelError, variables
from roofproof.proofs.known import Known, holds
from roofproof.proofs.search.short_proofs import is_plain
from roofproof.proofs.translate import to_formula, with_functions

MAX_NEEDS = 5  # conditions for having a value. Each doubles the number of cases
_STRENGTH = ("real", "nonnegative", "positive")
_NARROWER = {">=": "nonnegative", ">": "positive"}


class Needed(NamedTuple):
    """A condition under which a claim is defined: its tree, None if a premise guards it, and its names."""

    tree: Tree | None
    names: frozenset[str]


def where_defined(claim: Claim) -> tuple[Claim, dict[str, frozenset[str]]]:
    """Return a claim with names nonnegative under roots and positive in logarithms, and these conditions with names.

    >>> from roofproof.claims.language.book import book_from_text
    >>> [c] = book_from_text('[[claim]]\\nid = "a"\\nsays = "log2(x^2) == 2 log2(x)"\\ngiven = "x real"').claims
    >>> narrower, said = where_defined(c)
    >>> narrower.given.domain("x").sign, said
    ('positive', {'x > 0': frozenset({'x'})})
    """
    domains, said = dict(claim.given.domains), dict[str, str]()
    let = claim.environment.let
    for under, relation, part in obligations(claim.proposition, let) if claim.proposition else ():
        if under or not isinstance(part, Name) or part.name in let or relation not in _NARROWER:
            continue
        own = claim.given.domain(part.name)
        if _STRENGTH.index(domains.get(part.name, own).sign) < _STRENGTH.index(_NARROWER[relation]):
            domains[part.name] = replace(own, sign=_NARROWER[relation])
            said[part.name] = f"{part.name} {relation} 0"
    if not said:
        return claim, {}
    given = replace(claim.given, domains=MappingProxyType(domains))
    narrower = replace(claim, given=given, environment=replace(claim.environment, given=given, _values={}))
    return narrower, {text: frozenset([name]) for name, text in said.items()}


def undefined_where(
    case: Case, node: Tree, where: Boolean | None = None
) -> tuple[dict[str, Needed], tuple[Known, ...]]:
    """Return the conditions for a claim to be defined that its domain does not imply, and the proofs of the others.

    The conditions are in words, and as trees if no premise guards them. `where` is an extra condition on the claim.
    A value is needed only if the truth of the claim depends on it. So `a < 3 => solve(x + a == 3, x) < 3` is true at
    a = 4, and `1/(x - 1) > 0 or x <= 1` at 1. In a regime, a claim must be defined in the limit only.
    """
    found: dict[str, Needed] = {}
    rests: list[Known] = []
    each_term = False  # whether a condition is about each term of a sum, which no comparison can state
    for under, relation, part in obligations(node, case.env.let):
        try:
            if _plainly(case, relation, part):
                continue
            if relation == VALUE:
                each = [p for p in under if of_each((), p)]
                for condition in case.env.where(part):
                    known = _holds_there(case, condition, [*map(case.boolean, each)], where)
                    if known is None:
                        each_term |= bool(each)
                        said = from_formula(to_formula(condition, with_functions))
                        found[plain(condition)] = Needed(None if under else said, _names(condition))
                    rests += known or ()
                continue
            guards = [
                p for p in under if all(r != VALUE and _plainly(case, r, q) for _, r, q in obligations(p, case.env.let))
            ]
            known = _known(case, relation, part, guards, where)  # plainly defined guards cannot be circular
            if known is None:
                each_term |= of_each(under, part)
                condition = None if under else Comparison((part, literal(0)), (relation,))
                found[_condition_text(case, under, relation, part)] = Needed(condition, _names(case.env.to_sympy(part)))
            rests += known or ()
        except RoofproofError:
            continue  # the verification of the claim itself reports this error
    if found and not each_term and (known := true_anyway(case, node, where)) is not None:
        return {}, (*rests, *known)
    return found, tuple(rests)


def true_anyway(
    case: Case, node: Tree, where: Boolean | None = None, elsewhere: bool = True
) -> tuple[Known, ...] | None:
    """Return proofs that a compound statement is true where parts have no value, if it is true `elsewhere`, or None."""
    if not is_op(node, "not", "and", "or", "=>", "<=>"):
        return None
    domain = case.given if where is None else case.given.where(*formulas_of(where))
    try:
        needs = needs_of(case, node)
        if case.claim.regime is not None:
            return _holds_there(case, _enough(case, node), [], where) if {*needs} <= {*case.env.where(node)} else None
        goal = _enough(case, node) if elsewhere else case.env.condition_of(node, where=partial(needs_of, case))
        found = decide_by_needs(goal, needs, domain, case.oracle, case.steps)
    except (RoofproofError, KernelError):
        return None
    return found.known if found.status == "proved" else None


def false_somewhere(case: Case, node: Tree) -> Finding | None:
    """Return a point where a compound statement is false, even if parts of it have no value there."""
    if not is_op(node, "not", "and", "or", "=>", "<=>"):
        return None
    try:
        if not (needs := needs_of(case, node)):  # all parts have values, so it was decided already
            return None
        denied = sympy.Not(case.env.condition_of(node, False, partial(needs_of, case)), evaluate=False)
        found = decide_by_needs(denied, needs, case.over_sizes(case.given), case.oracle, case.steps)
    except (RoofproofError, KernelError):
        return None
    return found if found.status == "refuted" else None


def _enough(case: Case, node: Tree) -> Boolean:
    """Return a condition under which a statement is true everywhere, if it is true where all its parts have values."""
    match node:
        case Op("=>", (premise, conclusion)) if not needs_of(case, premise) and (due := needs_of(case, conclusion)):
            return joined(sympy.Or, [sympy.Not(case.boolean(premise), evaluate=False), joined(sympy.And, [*due])])
    return case.env.condition_of(node, where=partial(needs_of, case))


def needs_of(case: Case, node: Tree) -> tuple[Boolean, ...]:
    """Return the conditions under which a statement of a claim has a value, except those that follow from signs."""
    return needs(case.env, node, partial(_plainly, case))


def only_where_defined(case: Case, node: Tree) -> tuple[Claim, dict[str, frozenset[str]]]:
    """Return the claim with its conditions for being defined added to `given`, and these conditions in words.

    Single names are left to `where_defined`. Conditions that a premise guards or that are given are not added.
    """
    there, due = case.claim.given.conditions, undefined_where(case, node)[0]
    found = {said: each for said, each in due.items() if each.tree is not None and each.tree not in there}
    trees = (each.tree for each in found.values() if each.tree is not None)
    given = replace(case.claim.given, conditions=(*there, *trees))
    environment = replace(case.claim.environment, given=given, _values={})
    return replace(case.claim, given=given, environment=environment), {said: each.names for said, each in found.items()}


def _names(value: sympy.Basic) -> frozenset[str]:
    return frozenset(s.name for s in value.free_symbols)


def _condition_text(case: Case, under: tuple[Tree, ...], relation: str, part: Tree) -> str:
    """Return a condition in words, for all terms if it is about the terms of a sum."""
    each = tuple(n for n in names_in(part) if n.endswith(EACH))
    if not each:
        return compared_with_zero(case.env.to_sympy(part), relation)
    within = tuple(p for p in under if {*each} & {*names_in(p)})
    due = Comparison((part, literal(0)), (relation,))
    return to_text(Quantified("for all", each, ("integer",), Op("=>", (Op("and", within), due))))


def _known(
    case: Case, relation: str, part: Tree, guards: list[Tree], where: Boolean | None
) -> tuple[Known, ...] | None:
    """Return proofs of an obligation on a part, at all points or in the limit of the regime, or None if it is open."""
    said: Tree = Comparison((part, literal(0)), (relation,))
    if guards:
        said = Op("=>", (guards[0] if len(guards) == 1 else Op("and", tuple(guards)), said))
    not_zero = sympy.Rel(case.env.to_sympy(part), 0, relation, evaluate=False)
    return _holds_there(case, not_zero, [*map(case.boolean, guards)], where, said)


def _holds_there(
    case: Case, condition: Boolean, premises: list[Boolean], where: Boolean | None, said: Tree | None = None
) -> tuple[Known, ...] | None:
    """Return proofs that a condition holds on the domain of a claim or in the limit of its regime, or None if open.

    `said` is the tree of the condition with its premises. It is decided where the functions in it have values.
    """
    premises = [*premises, *([] if where is None else [where])]
    goal: Boolean = sympy.Implies(sympy.And(*premises), condition, evaluate=False) if premises else condition
    domain = case.given if said is None else case.domain
    written = None if said is None or where is not None else case.written(said)
    found = decide_condition(Formula.of(goal) if written is None else written, domain, case.oracle, case.steps)
    if found.status == "proved":
        return found.known
    regime = case.claim.regime
    if regime is None:
        return None
    far = decide_far_out(goal, domain, regime, case.oracle, case.steps)
    return (*far.known, *case.as_written(values(said) if said else ())) if far.status == "proved" else None


def _plainly(case: Case, relation: str, part: Tree) -> bool:
    """Return whether an obligation on a part follows from the signs of the names only."""
    if relation == VALUE:
        return not case.env.where(part)
    try:
        term = case.env.terms.term(part)
    except (RoofproofError, KernelError):
        value = case.env.to_sympy(part)  # the proof checker cannot express it
        return bool(value.is_positive or not value.free_symbols)
    goal = Formula(">", term, ZERO)
    if not variables(term):
        return holds(Formula("not", Formula("=", term, ZERO)) if relation == "!=" else (relation, term, ZERO), {})
    if is_plain(goal, [n for n in variables(term) if case.domain.signs.get(n, "positive") == "positive"]):
        return True
    return relation == ">=" and term[0] == "v" and case.domain.signs.get(term[1]) == "nonnegative"


def compared_with_zero(value: sympy.Expr, relation: str) -> str:
    """Return a comparison with zero as text, with `x != y` for x - y != 0.

    >>> x, y = sympy.symbols("x y")
    >>> compared_with_zero(y - x, "!="), compared_with_zero(x*y, ">")
    ('y != x', 'x*y > 0')
    """
    if value.is_Add and len(value.args) == 2:
        first, second = sorted(value.args, key=lambda a: (a.could_extract_minus_sign(), not a.is_Symbol, str(a)))
        if second.could_extract_minus_sign():
            return f"{plain(first)} {relation} {plain(-second)}"
    return f"{plain(value)} {relation} 0"


def decide_by_needs(goal: Boolean, needs: Iterable[Boolean], domain: Domain, oracle: str, steps: int) -> Finding:
    """Decide a statement that contains conditions for having a value, in each case of these being met or not.

    >>> x = sympy.Symbol("x", positive=True)
    >>> need = sympy.Ne(x - 1, 0)
    >>> goal = sympy.Or(sympy.And(need, 1/(x - 1) > 0), x <= 1)            # true at x = 1, by its second part
    >>> decide_by_needs(goal, [need], Domain(), "z3", 100_000).status
    'proved'
    >>> decide_by_needs(sympy.Or(sympy.And(need, 1/(x - 1) > 0), x < 1), [need], Domain(), "z3", 100_000).status
    'refuted'
    """
    there = goal.atoms(Relational)
    needs = [need for need in needs if need in there]
    if not needs or goal in (sympy.true, sympy.false):
        return decide_condition(Formula.of(goal), domain, oracle, steps)
    if len(needs) > MAX_NEEDS:
        raise Undecided("more than <most> conditions for parts to be defined", most=MAX_NEEDS)
    first, *rest = needs
    known: tuple[Known, ...] = ()
    formulas = formulas_of(first)
    unmet = Formula("not", Formula("and", *formulas))
    for met, part in ((True, domain.where(*formulas)), (False, domain.where(unmet))):
        if not part.can_hold():
            continue
        found = decide_by_needs(_with_truth_value(goal, first, met), rest, part, oracle, steps)
        if found.status != "proved":
            return found
        known += found.known
    return Finding("proved", known)


def formulas_of(condition: Boolean) -> tuple[Formula, ...]:
    """Return a condition as a formula, preceded by the conditions for it to be defined."""
    formula, defined = formula_where_defined(condition)
    return (*defined, formula)


def _with_truth_value(said: Boolean, need: Boolean, met: bool) -> Boolean:
    """Return a statement with a condition replaced by true or false, without the parts that become irrelevant."""
    if said == need:
        return sympy.true if met else sympy.false
    if isinstance(said, sympy.Not):
        inner = _with_truth_value(said.args[0], need, met)
        return sympy.Not(inner) if inner in (sympy.true, sympy.false) else sympy.Not(inner, evaluate=False)
    if not isinstance(said, sympy.And | sympy.Or):
        return said
    decides = sympy.false if isinstance(said, sympy.And) else sympy.true
    parts = [_with_truth_value(part, need, met) for part in said.args]
    if decides in parts:
        return decides
    parts = [part for part in parts if part not in (sympy.true, sympy.false)]
    return joined(said.func, parts) if parts else sympy.Not(decides)
