"""The right answer next to a wrong or approximate one."""

from __future__ import annotations

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from roofproof.claims.judge.case import Case
from roofproof.claims.printed import both_computed, shown, stated_on_right
from roofproof.derive.algebra.budget import MILLION
from roofproof.derive.algebra.logic import Iff
from roofproof.derive.algebra.text import plain
from roofproof.derive.inequalities.cases import Cases, bounds, plain_threshold
from roofproof.derive.solve import solve
from roofproof.errors import RoofproofError
from roofproof.formula.tree import Call, Comparison, Tree, is_op
from roofproof.proofs.known import ByKernel, ByOracle
from roofproof.proofs.provers.thresholds import certify
from roofproof.sentences import Sentence, joined

STEPS = 2 * MILLION  # for the proof of the right answer


def right_answer(case: Case, node: Tree) -> str | None:
    """Return the right value or formula for a refuted claim, if there is one."""
    if isinstance(node, Comparison):
        equation = node.relations == ("==",)
        node = stated_on_right(node, case.env.let) if equation else node
        left, right = (case.env.to_sympy(o) for o in node.operands)
        if equation and not both_computed(node, case.env.let):
            return shown(left)
        if equation or (left.is_number and right.is_number):
            return Sentence("<value> against <other>", value=shown(left), other=shown(right))
        return None
    return exact_cases(case.boolean(node), derived_side(case, node))


def derived_side(case: Case, node: Tree) -> Boolean | None:
    """Return the side of `compute_bound(...) <=> ...` that roofproof derives, if exactly one side is a call."""
    parts = node.parts if is_op(node, "<=>", "=>") else ()
    called = [part for part in parts if isinstance(part, Call)]
    return case.boolean(called[0]) if len(parts) == 2 and len(called) == 1 else None


def exact_cases(condition: Boolean, derived: Boolean | None = None) -> str | None:
    """Return one side of an equivalence or implication, solved for the name that the other isolates.

    >>> x, a = sympy.symbols("x a", positive=True)
    >>> exact_cases(Iff(2*x > a, x > a))
    'x > a/2'

    If `derived` is given, only that side is solved.
    """
    for subject, other in sides(condition):
        if derived is not None and other != derived:
            continue
        if (said := certified(other, subject)) is not None:
            return said
    return None


def certified(condition: Boolean, unknown: sympy.Symbol) -> str | None:
    """Return a condition solved for a name, marked if it is not proved, or None if no solution is found.

    >>> x, a = sympy.symbols("x a", positive=True)
    >>> certified(a*x > 1 + x, x)                                   # x (a - 1) > 1
    'x > 1/(a - 1) when a > 1; never otherwise'

    Returns None if a name may be zero or negative, because `solve` assumes positive names.
    """
    if not all(s.is_positive for s in (unknown, *condition.free_symbols)):
        return None
    try:
        cases = solve(condition, unknown)
        proved = certify(condition, cases, steps=STEPS).trust in (ByKernel.trust, ByOracle.trust)
    except RoofproofError:
        return None
    return one_line(cases) if proved else Sentence("<what> (not proved)", what=one_line(cases))


def one_line(cases: Cases) -> str:
    """Return cases on one line, with the decimal value after a single numeric bound.

    >>> x, a = sympy.symbols("x a", positive=True)
    >>> one_line(solve(a*x > x + 1, x)), one_line(solve(3*x > 700, x))
    ('x > 1/(a - 1) when a > 1; never otherwise', 'x > 700/3 (233.333)')
    """
    numbers = [b for c in cases for b in bounds(c.threshold) if b.is_Rational]
    told = []
    for place, case in enumerate(cases, 1):
        what = plain_threshold(cases.unknown, case.threshold)
        if len(numbers) == len(cases) == 1 and what.endswith(f" {plain(numbers[0])}"):
            what = what.removesuffix(plain(numbers[0])) + shown(numbers[0])
        if 1 < place == len(cases):
            what = Sentence("<what> otherwise", what=what)
        elif case.when != sympy.true:
            what = Sentence("<what> when <condition>", what=what, condition=plain(case.when))
        told.append(what)
    return joined("<first>; <second>", told)


def sides(condition: Boolean) -> list[tuple[sympy.Symbol, Boolean]]:
    """Return (name, condition) pairs of an equivalence or implication in which one side isolates the name.

    Names isolated on the left of a comparison (`B > R`) come first, then names isolated on the right.
    """
    if not isinstance(condition, Iff | sympy.Implies) or len(condition.args) != 2:
        return []
    found: list[list[tuple[sympy.Symbol, Boolean]]] = [[], []]
    for other, side in (condition.args, condition.args[::-1]):
        if isinstance(side, Relational):
            for place, (a, b) in enumerate(((side.lhs, side.rhs), (side.rhs, side.lhs))):
                if a.is_Symbol and a not in b.free_symbols and a in other.free_symbols:
                    found[place].append((a, other))
    return [*found[0], *found[1]]
