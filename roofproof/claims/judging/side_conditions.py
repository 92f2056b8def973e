"""The weakest simple side condition under which a refuted statement is true."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from roofproof.claims.judging.case import Case
from roofproof.claims.judging.corrections import sides
from roofproof.claims.judging.decide_formula import Finding, decide
from roofproof.claims.judging.domain import formula_of
from roofproof.claims.judging.verdict import Verdict
from roofproof.claims.kinds import CONDITIONAL
from roofproof.claims.language.nodes import Call, Node
from roofproof.derive.algebra.text import plain
from roofproof.derive.inequalities.inequality import solve
from roofproof.errors import RoofproofError, Undecided
from roofproof.proofs.known import Known
from roofproof.proofs.provers.thresholds import without_impossible
from roofproof.proofs.translate import to_formula
from roofproof.sentences import Sentence

MAX_COMPARED = 4  # names, or arguments of a maximum, each of which is compared with each


def side_condition(case: Case, node: Node, condition: Boolean, found: Finding) -> Verdict | None:
    """Return `conditional` with a condition that makes the statement true, or None.

    A condition is tried only if it can hold, is not the statement itself, and says nothing about the name that
    the statement solves for; of those that suffice one is taken under which the statement is defined and which is
    necessary, too, if there is one.
    """
    if isinstance(node, Call) and node.function in ("increasing", "decreasing") and condition.free_symbols:
        return _conditional(condition, found.known, found)  # the function says itself where it holds
    try:
        goal, defined = formula_of(condition)
    except Undecided:
        return None
    domain = case.domain.where(*defined)
    enough: list[tuple[int, Boolean, tuple[Known, ...]]] = []
    for candidate in candidates(condition):
        if case.late:
            break
        formula = to_formula(candidate)
        if formula in (("true",), ("false",)) or _restates(candidate, condition) or not domain.can_hold(formula):
            continue
        known = decide(goal, domain.where(formula), case.oracle, steps=1_000_000)
        if known.status != "proved":
            continue
        necessary = decide(("not", goal), domain.where(("not", formula)), case.oracle, steps=400_000).status == "proved"
        undefined = bool(defined) and case.domain.can_hold(formula, ("not", ("and", *defined)))
        enough.append((2 * undefined + (not necessary), candidate, known.known))
        if enough[-1][0] == 0:
            break
    if not enough:
        return None
    _, best, proved = min(enough, key=lambda known: known[0])
    return _conditional(best, (*proved, *found.known), found)


def _restates(candidate: Boolean, condition: Boolean) -> bool:
    """Tell whether a condition is the statement itself, up to strictness and a factor; `n/2 is an integer` is not."""
    if not isinstance(condition, Relational) or not isinstance(candidate, Relational):
        return bool(candidate == condition)
    if candidate.has(sympy.floor, sympy.ceiling):
        return False
    ratio = sympy.cancel((condition.lhs - condition.rhs) / (candidate.lhs - candidate.rhs))
    return bool(ratio.is_number)


def _conditional(candidate: Boolean, known: tuple[Known, ...], found: Finding) -> Verdict:
    said = plain(candidate)
    if isinstance(candidate, sympy.Eq | sympy.Ne) and isinstance(candidate.lhs, sympy.floor | sympy.ceiling):
        whole = isinstance(candidate, sympy.Eq)
        said = Sentence("<what> is an integer" if whole else "<what> is not an integer", what=plain(candidate.rhs))
    return Verdict(CONDITIONAL, known, condition=said, counterexample=found.counterexample)


def candidates(condition: Boolean) -> Iterator[Boolean]:
    """Yield side conditions worth trying: when a threshold exists, when a remainder is zero, which is larger."""
    for subject, other in sides(condition):
        try:
            cases = without_impossible(solve(other, subject))
        except RoofproofError:
            continue
        for case in cases:
            if case.when != sympy.true:
                yield case.when
    if sides(condition):
        return  # a threshold claim is about its own name; the orders below would be about that
    for rounded in sorted(condition.atoms(sympy.floor, sympy.ceiling), key=sympy.default_sort_key):
        for relation in (sympy.Eq, sympy.Ne):
            yield relation(rounded, rounded.args[0], evaluate=False)
    for extremum in sorted(condition.atoms(sympy.Max, sympy.Min), key=sympy.default_sort_key):
        for a, b in permutations(extremum.args, 2) if len(extremum.args) <= MAX_COMPARED else ():
            yield sympy.Ge(a, b, evaluate=False)
    names = sorted(condition.free_symbols, key=str)
    for order in (sympy.Ne, sympy.Ge, sympy.Gt):
        for a in names:
            if not a.is_positive:
                yield order(a, 0, evaluate=False)
    if len(names) <= MAX_COMPARED:
        for order in (sympy.Ge, sympy.Gt):
            for a, b in permutations(names, 2):
                yield order(a, b, evaluate=False)
        for order in (sympy.Ge, sympy.Gt):  # not `at most 1`: most things are true of sizes of 1
            for a in names:
                yield order(a, 1, evaluate=False)
