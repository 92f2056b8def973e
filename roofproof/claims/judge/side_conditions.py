"""The weakest simple side condition under which a refuted statement is true."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, permutations

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from roofproof.claims.judge.case import Case
from roofproof.claims.judge.corrections import sides
from roofproof.claims.judge.decide_condition import decide_condition
from roofproof.claims.judge.decide_formula import Finding, decide
from roofproof.claims.judge.definedness import compared_with_zero, undefined_where
from roofproof.claims.judge.domain import Domain, defined_where, formula_of, formula_where_defined
from roofproof.claims.judge.far_out import EventualFinding, decide_far_out, eventual_form, without_factor
from roofproof.claims.judge.regions import is_region, is_weakest
from roofproof.claims.judge.verdict import Verdict
from roofproof.claims.kinds import CONDITIONAL
from roofproof.derive.algebra.logic import Iff
from roofproof.derive.algebra.text import plain
from roofproof.derive.limits.regime import Regime
from roofproof.derive.solve import solve
from roofproof.errors import RoofproofError, Undecided
from roofproof.formula.printing import to_text
from roofproof.formula.tree import Call, Tree, is_op
from roofproof.proofs.kernel.terms import Formula, KernelError, atoms_of, variables
from roofproof.proofs.known import Known
from roofproof.proofs.oracles import sampling
from roofproof.proofs.oracles.whole_numbers import holds_from
from roofproof.proofs.provers.thresholds import drop_infeasible
from roofproof.proofs.search.equivalence import match_forms
from roofproof.proofs.search.points import squared_point, squares_of
from roofproof.proofs.translate import to_condition, to_formula, with_functions
from roofproof.sentences import Sentence, joined

Enough = tuple[int, Boolean, tuple[Known, ...]]
MAX_FACTORED = 40  # operations in a polynomial that is factored
FAR_STEPS = 200_000
SOON = 600  # points at which a candidate is tested before a proof
MAX_COMPARED = 4  # names, or arguments of a maximum, that are compared pairwise


def side_condition(case: Case, node: Tree, condition: Boolean, found: Finding) -> Verdict | None:
    """Return `conditional` with a condition that makes the statement true, or None.

    A condition is tried only if it can hold, is not the statement itself, and is not about the name that the statement
    solves for. Among the sufficient ones, a condition is preferred if it is also necessary, and if the statement is
    defined under it.
    """
    if isinstance(node, Call) and node.function in ("increasing", "decreasing") and condition.free_symbols:
        formula = formula_of(condition)  # the value of the function is its condition
        there = is_region(case.over_sizes(case.domain), formula)
        return _conditional(condition, found.known, found) if there else None
    if not condition.free_symbols:
        return None
    try:
        goal = Formula.of(condition) if (written := case.written(node)) is None else written
        defined = defined_where(goal, variables(goal) - case.domain.loose)
    except (Undecided, KernelError):
        return None
    domain = case.domain.where(*defined)
    assumed = _assumed(goal)
    sizes = case.over_sizes(domain)
    enough: list[Enough] = []
    for candidate, chosen in candidates(condition):
        if case.out_of_steps:
            break
        formula = match_forms(to_formula(candidate), goal)
        if formula in (("true",), ("false",)) or _restates(candidate, condition):
            continue
        if sizes.witness(formula, assumed) is None:
            continue  # a fast test
        denied = (*domain.where(formula).assumptions, Formula("not", goal))
        if not domain.signs and squared_point(denied, squares_of(denied) or denied, domain.integers, SOON) is not None:
            continue  # it fails, so skip the search for a proof
        known = decide_condition(goal, domain.where(formula), case.oracle, steps=1_000_000)
        if known.status != "proved" or not is_region(sizes, formula, assumed):
            continue
        if chosen and formula[0] in (">", ">=") and not is_weakest(sizes, formula, goal, assumed):
            continue
        necessary = (
            decide(Formula("not", goal), domain.where(Formula("not", formula)), case.oracle, steps=400_000).status
            == "proved"
        )
        undefined = bool(defined) and case.domain.can_hold(formula, Formula("not", Formula("and", *defined)))
        enough.append((2 * undefined + (not necessary), candidate, known.known))
        if enough[-1][0] == 0:
            break
    if not enough:
        return None
    _, best, proved = _weakest(enough, domain)
    verdict = _conditional(best, (*proved, *found.known), found)
    open_, defined_too = undefined_where(case, node, best)
    verdict = replace(verdict, known=(*verdict.known, *defined_too))
    if not open_:
        return verdict
    due = [formula_of(case.boolean(w.tree)) for w in open_.values() if w.tree is not None]
    if not is_region(sizes.where(*due), to_formula(best), assumed):
        return None
    both = joined("<first> and <second>", (verdict.condition or "", *open_))
    return replace(verdict, condition=both, about=verdict.about.union(*(w.names for w in open_.values())))


def vacuity_note(case: Case, node: Tree, regime: Regime | None = None) -> str:
    """Return a note if the premise of an implication never holds, or no side of `<=>`, in the limit for a regime."""
    if not is_op(node, "=>", "<=>") or case.quick or case.out_of_steps:
        return ""
    premise = node.parts[0]
    try:
        said = case.boolean(premise)
        formula, defined = formula_where_defined(said)
        if regime is not None:
            denied = sympy.Not(said, evaluate=False)
            held = decide_far_out(denied, case.domain, regime, case.oracle, FAR_STEPS).status != "proved"
        else:
            held = case.domain.can_hold(formula, *defined)
    except (RoofproofError, KernelError):
        return ""
    if held:
        return ""
    form = "the premise never holds: <what>" if is_op(node, "=>") else "neither side ever holds: <what>"
    return Sentence(form, what=to_text(premise))


def _weakest(enough: list[Enough], domain: Domain) -> Enough:
    """Return the best sufficient condition. Of two equally good ones, return one that the other implies."""
    best = min(enough, key=lambda known: known[0])
    for other in enough:
        if other[0] == best[0] and other[1] != best[1]:
            follows = decide(to_formula(other[1]), domain.where(to_formula(best[1])), steps=200_000)
            if follows.status == "proved":
                best = other
    return best


def _assumed(goal: Formula) -> Formula:
    """Return the formula that must be satisfiable together with a condition, so that a statement is not vacuous."""
    links = goal.parts if goal.head == "and" else (goal,)
    if all(link.head == "<=>" for link in links):
        return Formula("or", *(side for link in links for side in link.parts))
    if goal.head != "=>":
        return Formula("true")
    premise, conclusion = goal.parts[0], _assumed(goal.parts[1])
    return premise if conclusion == ("true",) else Formula("and", premise, conclusion)


def far_condition(condition: Boolean, found: EventualFinding, regime: Regime, oracle: str) -> Verdict | None:
    """Return `conditional` with a condition, on names that do not grow, under which a statement holds in its regime."""
    if sides(condition):
        return None
    premise, conclusion = condition.args if isinstance(condition, sympy.Implies) else (sympy.true, sympy.false)
    try:
        assumed, said = (to_formula(eventual_form(c, found.domain, regime)) for c in (premise, conclusion))
    except RoofproofError:
        return None
    atoms: list[Formula] = []
    own: list[Formula] = []  # comparisons that the statement itself makes
    atoms_of(found.formula, atoms)
    atoms_of(formula_of(condition), own)
    compared = [x.sides for x in atoms if x.head in (">", "=") and x not in own]
    orders = ((Formula(head, *sides) for head in (">=", ">") for sides in ((a, b), (b, a))) for a, b in compared)
    tried = (
        f for (a, b), some in zip(compared, orders, strict=True) for f in (*some, Formula("not", Formula("=", a, b)))
    )
    ways: list[Enough] = []
    for enough in dict.fromkeys(tried):
        where = found.domain.where(enough)
        if variables(enough).intersection(regime.growing):
            continue  # at one rate D/F is constant, but the condition would be about growing names
        if (
            not is_region(found.domain, enough, assumed)
            or decide(said, where, oracle, steps=200_000).status == "proved"
        ):
            continue  # a condition that implies the conclusion makes the premise irrelevant
        known = decide(found.formula, where, oracle, steps=400_000)
        if known.status == "proved":
            denied = found.domain.where(Formula("not", enough))
            needed = decide(Formula("not", found.formula), denied, oracle, steps=400_000).status == "proved"
            ways.append((not needed, without_factor(to_condition(enough)), known.known))
            if needed:
                break
    if ways:
        _, weakest, proved = min(ways, key=lambda way: way[0])
        return Verdict(
            CONDITIONAL,
            (*proved, *found.known),
            condition=plain(weakest),
            counterexample=found.counterexample,
            about=names_of(weakest),
        )
    return None


def _restates(candidate: Boolean, condition: Boolean) -> bool:
    """Return whether a condition is the statement itself, or its conclusion, up to strictness and a factor.

    `n/2 is an integer` is not, and neither is `x != 0`, which is weaker than `x > 0`.
    """
    while isinstance(condition, sympy.Implies):
        condition = condition.args[1]
    if not isinstance(condition, Relational) or not isinstance(candidate, Relational):
        return bool(candidate == condition)
    if candidate.has(sympy.floor, sympy.ceiling) or (candidate.rel_op == "!=" and condition.rel_op != "!="):
        return False
    names = condition.free_symbols
    difference = sympy.expand(condition.lhs - condition.rhs)
    one = candidate.rel_op != "!=" and len(names) == 1 and candidate.free_symbols == names
    if one and difference.is_polynomial() and sympy.degree(difference) == 1:
        return True  # for integers, `n > 1` is `n >= 2`
    own, other = condition.lhs - condition.rhs, candidate.lhs - candidate.rhs
    return not _out_of_proportion(own, other) and bool(sympy.cancel(own / other).is_number)


def _out_of_proportion(one: sympy.Expr, other: sympy.Expr) -> bool:
    """Return whether three points show that one value is not a constant multiple of another.

    >>> B, D = sympy.symbols("B D", positive=True)
    >>> _out_of_proportion(B + D, 2*B + 2*D), _out_of_proportion(B + D, B + 2*D)
    (False, True)
    """
    try:
        terms = with_functions(one), with_functions(other)
        names = sorted(variables(terms[0]) | variables(terms[1]))
        points = [{name: Fraction(k + 2) ** power for k, name in enumerate(names)} for power in (1, 2, 3)]
        met = [[sampling.value(term, point) for term in terms] for point in points]
    except (RoofproofError, KernelError, sampling.Inexact):
        return False
    return any(a * d != b * c for (a, b), (c, d) in combinations(met, 2))


def _conditional(candidate: Boolean, known: tuple[Known, ...], found: Finding) -> Verdict:
    said: str = plain(candidate)
    if isinstance(candidate, Relational) and candidate.rhs == 0:
        said = compared_with_zero(candidate.lhs, candidate.rel_op)
    if isinstance(candidate, sympy.Eq | sympy.Ne) and isinstance(candidate.lhs, sympy.floor | sympy.ceiling):
        whole = isinstance(candidate, sympy.Eq)
        said = Sentence("<what> is an integer" if whole else "<what> is not an integer", what=plain(candidate.rhs))
    at = found.counterexample
    return Verdict(CONDITIONAL, known, condition=said, counterexample=at, about=names_of(candidate))


def names_of(condition: Boolean) -> frozenset[str]:
    """Return the names in a condition."""
    return frozenset(s.name for s in condition.free_symbols)


def candidates(condition: Boolean) -> Iterator[tuple[Boolean, bool]]:
    """Yield side conditions worth trying: that a threshold exists, a remainder is zero, or one name is larger.

    Each comes with whether it was chosen only by its form and does not follow from solving the statement.
    """
    yield from ((when, False) for when in _of_thresholds(condition))
    yield from ((simple, True) for simple in _simple(condition))


def _of_thresholds(condition: Boolean) -> Iterator[Boolean]:
    """Yield the conditions under which the name that a statement solves for has a threshold."""
    for subject, other in sides(condition):
        try:
            cases = drop_infeasible(solve(other, subject))
        except RoofproofError:
            continue
        for case in cases:
            if case.when != sympy.true:
                yield case.when


def _simple(condition: Boolean) -> Iterator[Boolean]:
    """Yield conditions on signs, on integrality, and on which of two values is larger."""
    solved = {subject for subject, _ in sides(condition)}
    names = sorted(condition.free_symbols, key=str)
    for order in (sympy.Ne, sympy.Ge, sympy.Gt):
        for a in names:
            if not a.is_positive and a not in solved:
                yield order(a, 0, evaluate=False)
    if solved:
        return  # a threshold claim is about its own name, and the orders below would be about it, too
    if isinstance(condition, Iff):  # `A <=> B and C` may mean `A <=> C` where B holds
        for side in condition.args:
            yield from sorted(side.args, key=sympy.default_sort_key) if isinstance(side, sympy.And) else ()
    roundings = sorted(condition.atoms(sympy.floor, sympy.ceiling), key=sympy.default_sort_key)
    if roundings and len(names) == 1 and names[0].is_integer:
        first = holds_from(to_formula(condition, with_functions), names[0].name)
        yield from () if first is None else (sympy.Ge(names[0], first, evaluate=False),)
    for rounded in roundings:
        for relation in (sympy.Eq, sympy.Ne):
            yield relation(rounded, rounded.args[0], evaluate=False)
    for extremum in sorted(condition.atoms(sympy.Max, sympy.Min), key=sympy.default_sort_key):
        for a, b in permutations(extremum.args, 2) if len(extremum.args) <= MAX_COMPARED else ():
            yield sympy.Ge(a, b, evaluate=False)
    yield from _apart(condition)
    if len(names) <= MAX_COMPARED:
        for order in (sympy.Ge, sympy.Gt):
            for a, b in permutations(names, 2):
                yield order(a, b, evaluate=False)
        for order in (sympy.Ge, sympy.Gt):  # not `at most 1`: most statements are true for sizes of 1
            for a in names:
                yield order(a, 1, evaluate=False)


def _apart(condition: Boolean) -> Iterator[Boolean]:
    """Yield that the difference in a strict comparison, or a factor, is not zero, or with roots, that names differ."""
    if not isinstance(condition, Relational) or condition.rel_op not in (">", "<", "!="):
        return
    above = sympy.numer(sympy.together(condition.lhs - condition.rhs))
    if above.is_polynomial() and sympy.count_ops(above) <= MAX_FACTORED:
        if not sympy.expand(above).free_symbols:
            return
        factors = [f for f, _ in sympy.factor_list(above)[1]]
        for f in dict.fromkeys([*factors, sympy.Mul(*factors)]):
            yield sympy.Ne(f, 0, evaluate=False)
    elif len(names := sorted(condition.free_symbols, key=str)) <= MAX_COMPARED:
        yield from (sympy.Ne(a, b, evaluate=False) for a, b in combinations((*names, sympy.S.One), 2))
