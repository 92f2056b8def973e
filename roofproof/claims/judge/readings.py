"""The possible readings of one part of a claim, strongest first. The first one that gives a verdict counts.

in_the_limit        the limit of a function in a regime, for `->` only
at_infinity         the comparison of infinite values
as_it_stands        the statement, at all points of its domain
of_whole_sizes      the statement, at the sizes that its operations can have
far_out             the statement, in its regime, beyond some bound
to_the_digits       the statement, with a printed number that is right to its digits
under_a_condition   the statement, under a condition that the text omits
up_to_search_limit  the statement, at every integer size up to 2^30

If none gives a verdict, the statement is refuted at a point, or undecided.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.claims.judge.case import Case
from roofproof.claims.judge.corrections import right_answer
from roofproof.claims.judge.decide_condition import decide_condition
from roofproof.claims.judge.decide_formula import Finding, refutation
from roofproof.claims.judge.domain import Domain, formula_where_defined
from roofproof.claims.judge.in_regime import approximates, judge_in_regime, judge_limit
from roofproof.claims.judge.rounding import rounded, rounded_everywhere, rounded_formula
from roofproof.claims.judge.side_conditions import side_condition, vacuity_note
from roofproof.claims.judge.verdict import Verdict
from roofproof.claims.kinds import CONDITIONAL, REFUTED, ROUNDED, UNDECIDED, VERIFIED, first_known
from roofproof.claims.language.environment import Environment
from roofproof.claims.printed import both_computed, printed_agreement, printed_number, shown, stated_on_right
from roofproof.derive.algebra.text import plain
from roofproof.derive.inequalities.integers import LAST
from roofproof.derive.limits.regime import Regime
from roofproof.errors import RoofproofError, Undecided
from roofproof.formula.tree import Comparison, Name, Tree
from roofproof.proofs.assumptions import NUMBERS
from roofproof.proofs.kernel.terms import OPAQUE, Formula, Term, variables
from roofproof.proofs.known import ByEveryInteger, ByExactValue, Known, holds, warranted
from roofproof.proofs.oracles.points import Point, coordinate
from roofproof.proofs.oracles.whole_numbers import fails_at
from roofproof.proofs.search.polynomials import terms_with
from roofproof.proofs.statement import Statement
from roofproof.sentences import Sentence

NOT_THERE = "it fails between the sizes that its operations have; whether it fails at these is open"
OF_INTEGERS = "over the integers, as sizes are; not over the reals"
NOT_WHOLE = "it fails where <name> is not a whole number; whether it fails at whole numbers is open"
INFINITE = (sympy.oo, -sympy.oo)


def judged_by_readings(case: Case, node: Tree) -> Verdict:
    """Return the verdict on a part of a claim, from the first reading that gives one."""
    part = Part(case, node)
    return first_known(READINGS, part) or _refuted(part)


@dataclass(eq=False)
class Part:
    """One part of a claim, with the results for it so far."""

    case: Case
    node: Tree

    @cached_property
    def sides(self) -> Sides | None:
        """The sides of an equation with `==` or `~=`, or None for another statement."""
        return sides_of(self.case.env, self.node) if isinstance(self.node, Comparison) else None

    @property
    def is_of_numbers(self) -> bool:
        """Whether it is an equation of two numbers."""
        return self.sides is not None and all(side.is_number for side in self.sides[1:])

    @property
    def is_approximate(self) -> bool:
        """Whether it says that two formulas are approximately equal."""
        return isinstance(self.node, Comparison) and self.node.relations == ("~=",) and not self.is_of_numbers

    @cached_property
    def written(self) -> Formula | None:
        """The formula as written, with `~=` as `=`, or None if the proof checker cannot express it."""
        about = self.sides is not None and self.node.relations == ("~=",)  # type: ignore[attr-defined]
        return self.case.written(replace(self.sides[0], relations=("==",)) if about and self.sides else self.node)

    @cached_property
    def condition(self) -> Boolean:
        """The statement as a SymPy condition."""
        return self.case.boolean(self.node)

    @cached_property
    def said(self) -> Formula:
        """The formula that is decided."""
        if self.written is not None:
            return self.written
        return Formula.of(self.condition) if self.sides is None else Formula("=", *map(Term.of, self.sides[1:]))

    @cached_property
    def found(self) -> Finding:
        """The result whether it holds at all points of the domain."""
        numbers = self.is_of_numbers and not variables(self.said) - NUMBERS
        domain = Domain() if numbers else self.case.domain
        return decide_condition(self.said, domain, self.case.oracle, self.case.steps)

    @cached_property
    def whole(self) -> Finding:
        """The result whether it holds at the sizes of the claim's operations, or open if there are none."""
        case, at = self.case, self.found.counterexample
        sizes = case.over_sizes(case.domain)
        if sizes == case.domain:
            return Finding("open")
        if case.quick and at is not None and _is_whole(at, sizes.integers) and is_admissible(case, at):
            return self.found  # a quick verdict does not report the sizes
        found = decide_condition(self.said, sizes, case.oracle, case.steps)
        return found if found.status != "proved" or sizes.can_hold() else Finding("open")

    @property
    def failing(self) -> Finding:
        """The result with the point at which it fails, at existing sizes if possible."""
        return self.whole if self.whole.status == "refuted" else self.found

    @cached_property
    def regime(self) -> Regime | None:
        """The regime of this part, or None if nothing in it grows, because it must then hold everywhere."""
        regime = self.case.claim.regime
        if self.is_approximate:
            return regime
        names = {s.name for s in self.condition.free_symbols}  # raises an error if it has no value anywhere
        return regime if regime is not None and names.intersection(regime.growing) else None


def in_the_limit(part: Part) -> Verdict | None:
    """Return the verdict on the limit of a function in the regime of the claim."""
    limit = isinstance(part.node, Comparison) and part.node.relations == ("->",)
    return judge_limit(part.case, part.node) if limit else None  # type: ignore[arg-type]


def at_infinity(part: Part) -> Verdict | None:
    """Return the verdict on the equality of two values if at least one is infinite."""
    if part.sides is None or not (infinite := [side for side in part.sides[1:] if _is_infinite(side)]):
        return None
    if len(infinite) == 1 and not part.is_of_numbers:
        raise RoofproofError("infinity is compared with '->' only")
    _, left, right = part.sides
    ends: list[Term] = [Term("q", 0 if v.is_finite else 1 if v == sympy.oo else -1 if v == -sympy.oo else 2, 1)
                        for v in (left, right)]  # fmt: skip
    same = Formula("=", *ends)
    says = f"{plain(left)} {'=' if left == right else '!='} {plain(right)}"
    known = Known(Statement(says, (), same if left == right else Formula("not", same)), ByExactValue({}))
    return Verdict(VERIFIED, (known,)) if left == right else Verdict(REFUTED, (known,), exact=shown(left))


def _is_infinite(value: sympy.Expr) -> bool:
    """Return whether a value is infinite. The fast check whether it contains an infinity comes first."""
    return bool(value.has(sympy.oo, -sympy.oo, sympy.zoo) and value.is_infinite)


def as_it_stands(part: Part) -> Verdict | None:
    """Return the verdict if it holds at all points of the domain."""
    case, found = part.case, part.found
    every = case.claim.regime is None and not (part.is_of_numbers or part.is_approximate)
    if part.written is not None and (found.status == "proved" or every):
        case.settled.add(part.node)
    if found.status == "open" and part.is_of_numbers and part.sides is not None:
        left, right = map(plain, part.sides[1:])
        raise Undecided("whether <left> is <right>: <reason>", left=left, right=right, reason=found.reason)
    if found.status != "proved":
        return None
    if part.sides is not None:
        note = "" if part.is_of_numbers else _where(*part.sides[1:])
        return Verdict(VERIFIED, found.known, note=note, claimed=part.written)
    note, links = "", case.links.values()
    with case.explaining():
        note = vacuity_note(case, part.node)
    kind, coarse = ROUNDED if any(link.note for link in links) else VERIFIED, any(link.coarse for link in links)
    return Verdict(kind, found.known, note=note, coarse=coarse, claimed=part.written)


def of_whole_sizes(part: Part) -> Verdict | None:
    """Return the verdict if it holds at the sizes that the operations of the claim can have.

    Raises Undecided if it fails only between these sizes.
    """
    if part.is_of_numbers or part.is_approximate or (part.found.status == "open" and part.regime is None):
        return None
    if part.whole.status == "proved":
        return Verdict(VERIFIED, part.whole.known, note=OF_INTEGERS)
    if part.regime is None and not is_admissible(part.case, part.failing.counterexample):
        raise Undecided(NOT_THERE)
    return None


def far_out(part: Part) -> Verdict | None:
    """Return the verdict in the regime of the claim, where a point with small values refutes nothing."""
    if part.is_of_numbers or part.regime is None:
        return None
    if part.is_approximate and part.sides is not None:
        equation, left, right = part.sides
        return approximates(part.case, left, right, part.regime, equation.operands[1])
    return judge_in_regime(part.case, part.node, part.condition, part.regime)


def to_the_digits(part: Part) -> Verdict | None:
    """Return the verdict if a printed number agrees with the other side to its digits."""
    if part.sides is None or not (part.is_of_numbers or part.is_approximate):
        return None
    (equation, left, right), tolerance = part.sides, part.case.claim.tolerance
    if part.is_of_numbers:
        return rounded(left, equation.operands[1], equation.relations[0], tolerance, shown(left))
    if near := rounded_formula(left, right, equation, part.case.domain, tolerance):
        return near
    point = part.found.counterexample or {}
    there = {s: coordinate(point[s.name]).sympy() for s in left.free_symbols | right.free_symbols if s.name in point}
    apart = part.found.status == "refuted" and numbers_apart(equation, left.subs(there), right.subs(there), tolerance)
    return None if apart else rounded_everywhere(left, equation, part.case.domain, tolerance)


def under_a_condition(part: Part) -> Verdict | None:
    """Return the verdict if it holds under a condition that the text omits."""
    case, verdict = part.case, None
    if part.is_of_numbers or part.is_approximate or part.found.status == "open" or case.quick or case.out_of_steps:
        return None
    with case.explaining():
        verdict = side_condition(case, part.node, part.condition, part.failing)
    return verdict


def up_to_search_limit(part: Part) -> Verdict | None:
    """Return the verdict if nothing else decides it and it holds at every integer size up to 2^30."""
    if part.is_of_numbers or part.is_approximate:
        return None
    if part.found.status == "open":
        return _at_whole_sizes(part)
    point = part.failing.counterexample or {}
    sizes = part.case.sizes - part.case.domain.integers
    apart = [n for n in sorted(sizes & point.keys()) if getattr(point[n], "denominator", 0) != 1]
    if not (apart and part.whole.status == "open" and part.whole.reason):
        return None
    if (searched := _at_whole_sizes(part)) is not None:
        return replace(searched, note=OF_INTEGERS) if searched.holds else searched
    return Verdict(UNDECIDED, part.found.known, note=Sentence(NOT_WHOLE, name=apart[0]))


Reading = Callable[[Part], Verdict | None]
READINGS: tuple[Reading, ...] = (
    in_the_limit, at_infinity, as_it_stands, of_whole_sizes, far_out, to_the_digits, under_a_condition,
    up_to_search_limit,
)  # fmt: skip


def _refuted(part: Part) -> Verdict:
    """Return `refuted` with a point at which it fails, or `undecided`."""
    case, found = part.case, part.found if part.is_of_numbers or part.is_approximate else part.failing
    if found.status != "refuted":
        return Verdict(UNDECIDED, found.known, note=found.reason)
    exact, point = None, found.counterexample
    if part.sides is not None and (part.is_of_numbers or part.is_approximate):
        equation, left, right = part.sides
        both = part.is_of_numbers and both_computed(equation, case.env.let)
        exact = f"{shown(left)} against {shown(right)}" if both else shown(left)
        point = {} if part.is_of_numbers else point or {}
    elif not (case.quick or case.out_of_steps):
        with case.explaining():
            exact = right_answer(case, part.node)
    return Verdict(REFUTED, found.known, exact=exact, counterexample=point, claimed=part.written)


def is_admissible(case: Case, at: Point | None) -> bool:
    """Return whether the operations exist at the sizes of a point, as far as the point gives these."""
    point = at or {}
    return all(holds(f, point) for f in case.whole_parts if variables(f) <= point.keys())


def _is_whole(point: Point, names: Iterable[str]) -> bool:
    """Return whether a point has positive integers for all of the given names that it contains."""
    values = [point[name] for name in names if name in point]
    return all(isinstance(v, Fraction) and v.denominator == 1 and v > 0 for v in values)


def _at_whole_sizes(part: Part) -> Verdict | None:
    """Return the verdict on a statement about one size of an operation, with rounding, a power or a logarithm.

    If bounds on blocks of integers prove it for all up to 2^30, this range is the condition, unless the assumptions
    imply it. Returns None for other statements, and if the bounds do not decide.
    """
    case, written = part.case, part.written
    if case.quick or written is None or case.claim.regime is not None or not terms_with(OPAQUE, written):
        return None
    domain = case.over_sizes(case.domain)
    names = frozenset[str]().union(*map(variables, (written, *domain.assumptions)))
    if len(names) != 1 or not names <= case.sizes:
        return None
    [name] = names
    size = Term("v", name)
    goal = Formula("=>", Formula("and", *domain.assumptions), written) if domain.assumptions else written
    _, at = fails_at(goal, name, 1, LAST)
    if at is not None:
        point = {name: Fraction(at)}
        refuted = refutation(written, domain, point)
        return None if refuted is None else Verdict(REFUTED, (refuted,), counterexample=point, claimed=written)
    last = Formula(">=", Term("q", LAST, 1), size)
    between = (Formula("int", size), Formula(">=", size, Term("q", 1, 1)), last)
    known = warranted(Statement("", between, goal), ByEveryInteger(name, 1, LAST))
    if known is None:
        return None
    if not domain.can_hold(Formula("not", last)):
        return Verdict(VERIFIED, (known,), claimed=written)
    return Verdict(CONDITIONAL, (known,), condition=f"{name} <= {LAST}", about=names)


Sides = tuple[Comparison, sympy.Expr, sympy.Expr]  # an equation with its printed number last, and its two sides


def sides_of(env: Environment, node: Comparison) -> Sides | None:
    """Return an equation and both of its sides, with a printed number last, or None for another statement."""
    if node.relations not in (("==",), ("~=",)):
        return None
    node = stated_on_right(_with_numbers(stated_on_right(node, env.let), env), env.let)
    left, right = (env.to_sympy(o) for o in node.operands)
    return node, left, right


def numbers_apart(node: Comparison, left: sympy.Expr, right: sympy.Expr, tolerance: str) -> bool:
    """Return whether two numbers that are claimed to be equal differ, even to the digits of a printed one.

    >>> from roofproof.formula.reader import read_statement
    >>> said = [read_statement(f"1/3 ~= {said}") for said in ("0.33", "0.34", "0.30", "x")]
    >>> [numbers_apart(*sides_of(Environment(), node), "") for node in said]
    [False, True, True, False]
    """
    if not (left.is_Rational and right.is_Rational) or left == right:
        return False
    return printed_agreement(left, node.operands[1], node.relations[0], tolerance) is None


def _with_numbers(node: Comparison, env: Environment) -> Comparison:
    """Return the comparison with each name of a printed number replaced by that number."""
    let = env.let
    printed = (let[o.name] if isinstance(o, Name) and o.name in let else o for o in node.operands)
    return replace(
        node, operands=tuple(p if printed_number(p) else o for p, o in zip(printed, node.operands, strict=True))
    )


def _where(left: sympy.Expr, right: sympy.Expr) -> str:
    """Return a note if a side of an equation is not defined everywhere."""
    try:
        defined = formula_where_defined(sympy.Eq(left, right, evaluate=False))[1]
    except Undecided:
        return ""
    return "wherever both sides are defined" if defined else ""
