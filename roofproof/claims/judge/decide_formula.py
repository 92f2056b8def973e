"""The decision whether a statement is true on its whole domain: proved, refuted at a point, or left open."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

from roofproof.claims.judge.domain import Domain, unsplit
from roofproof.derive.algebra.budget import MILLION, Budget
from roofproof.proofs import Theorem
from roofproof.proofs.assumptions import NUMBERS
from roofproof.proofs.kernel.terms import ZERO, Formula, Term, variables
from roofproof.proofs.known import (
    ByCounterexample,
    ByExactValue,
    ByOracle,
    Known,
    Unproved,
    by_kernel,
    holds,
    warranted,
    weakest,
)
from roofproof.proofs.oracles import sampling, smt
from roofproof.proofs.oracles.intervals import bounds_of
from roofproof.proofs.oracles.near_bounds import points_near_bounds
from roofproof.proofs.oracles.points import Point, near
from roofproof.proofs.search.equivalence import by_functions, power_lemmas
from roofproof.proofs.search.integers import integer_conditions, prove_whole
from roofproof.proofs.search.logarithms import number_bounds
from roofproof.proofs.search.points import irrational_points, squared_point, squares_of
from roofproof.proofs.search.polynomials import terms_with
from roofproof.proofs.statement import Statement

NO_POINT = "no point that can be checked"
Given = Sequence[Formula]
LONG = MILLION // 2  # with at least so many steps, a long search for a proof is worth it
DOUBTED = 600  # points tried before a long search, after which more are tried
NEAR, FAR = 27, 600  # points tried if values are irrational, before and after the search for a proof
MAX_NAMES = 4  # names that are varied while all others have one value
LARGE = 2**20  # a second value for the other names
FUNCTIONS = ("sqrt", "power", "log2")
SQUARED = 2_000  # points tried if roots can be squared away


@dataclass(frozen=True, slots=True)
class Finding:
    """The result for a statement: `proved`, `refuted` at a point, or `open` for a reason, with the facts behind it."""

    status: str
    known: tuple[Known, ...] = ()
    counterexample: Point | None = None
    reason: str = ""

    @property
    def trust(self) -> str:
        """How the result is known: the weakest warrant of its facts."""
        return weakest(self.known) if self.known else Unproved.trust


def decide(
    goal: Formula, domain: Domain, oracle: str = "z3", steps: int = 3 * MILLION, lemmas: Sequence[Theorem] = ()
) -> Finding:
    """Return whether the goal holds at every point of the domain.

    >>> x, y = Term("v", "x"), Term("v", "y")
    >>> decide((">=", ("+", x, y), x), Domain()).status, decide((">=", ("+", x, y), x), Domain()).trust
    ('proved', 'kernel')
    >>> decide(Formula(">", x, y), Domain()).counterexample
    {'x': Fraction(1, 1), 'y': Fraction(1, 1)}
    >>> print(*(known.theorem for known in decide((">=", ("*", x, x), x), Domain(integers=frozenset("x"))).known))
    int(x), x > 0 |- x*x >= x
    >>> root = Term("sqrt", Term("*", x, y))
    >>> decide((">=", ("/", ("+", x, y), ("q", 2, 1)), root), Domain()).known[0].theorem
    x > 0, y > 0 |- (x + y)/2 >= sqrt(x*y)

    `lemmas` are theorems about terms in the goal, under the assumptions of the domain.
    """
    known: list[Known] = []
    reason = ""
    for values, formulas in domain.parts([goal]):
        *given, part = formulas
        mentioned = frozenset[str]().union(*map(variables, formulas))
        names, numbers = mentioned - NUMBERS, sorted(mentioned & NUMBERS)
        integers = sorted(names & domain.integers)
        statement = Statement("", (*given, *integer_conditions(integers)), part)
        denied = [*given, Formula("not", part)]
        if numbers and not names and (exact := warranted(statement, ByExactValue({}))) is not None:
            known.append(exact)  # bounds of numbers such as pi decide it
            continue
        between = [bound for n in numbers for bound in bounds_of(Term("v", n))]
        point: Point | None = sampling.find(denied, integers, tries=150)  # most wrong statements fail soon
        if point is None:
            point = _point_near(denied, sorted(names), integers)
        if point is None:
            point = _near(denied, names, domain, NEAR)
        if point is None:
            doubt = partial(_doubt, denied, sorted(names), integers, steps < LONG)
            try:
                found = _proved(statement, [*given, *between], integers, Budget(2 * steps), doubt, lemmas)
            except CounterexampleFound as met:
                point, found = met.point, None
            if found is None and point is None and not names:  # floor(0/2) + ceil(0/2) = 0
                found = warranted(statement, ByExactValue({}))
            if found is not None:
                known.append(found)
                continue
            if point is None:
                point = sampling.find(denied, integers) or _near(denied, names, domain, FAR)
        if point is None:
            asked = replace(statement, assumptions=(*statement.assumptions, *between))
            answer = smt.refute(*asked.oracle_query(), steps, oracle)
            if answer.said == "unsat":
                known.append(Known(statement, ByOracle(asked.smtlib(), oracle, smt.version(oracle), asked)))
                continue
            found_at = {n: v for n, v in (answer.point or {}).items() if n not in NUMBERS}
            point = found_at if answer.point and all(holds(f, found_at) for f in denied) else None
            if point is None:
                point = next(irrational_points(denied, sorted(names - domain.integers)), None)
            if point is None:
                reason = answer.reason or NO_POINT
                known.append(Known(statement, Unproved(reason)))
                continue
        rational = {n: v for n, v in point.items() if isinstance(v, Fraction)}
        point = sampling.simpler(denied, rational, integers) if len(rational) == len(point) else point
        refuted = refutation(goal, domain, unsplit(point, values))
        if refuted is None:
            return Finding("open", reason=NO_POINT)
        return Finding("refuted", (refuted,), _named_point(point, values, goal))
    return Finding("open", tuple(known), reason=reason) if reason else Finding("proved", tuple(known))


def _proved(
    statement: Statement,
    given: Given,
    integers: Sequence[str],
    budget: Budget,
    doubt: Callable[[], None],
    lemmas: Sequence[Theorem],
) -> Known | None:
    """Prove a statement directly, or with lemmas about the roots, powers and logarithms in it."""
    goal = statement.goal
    functions = terms_with(FUNCTIONS, goal)
    lemmas = [*lemmas, *(power_lemmas(goal, *given) if functions else [])]
    if functions and (found := by_kernel(statement, by_functions(goal, lemmas))) is not None:
        return found
    found = by_kernel(statement, prove_whole(goal, given, integers, budget, doubt))
    if found is None and lemmas:
        lemmas += number_bounds([lemma.conclusion for lemma in lemmas])
        found = by_kernel(statement, prove_whole(goal, given, integers, budget, doubt, lemmas))
    return found


def _point_near(denied: Given, names: Sequence[str], integers: Sequence[str], at: int = 1) -> Point | None:
    """Return a point at which formulas hold and all names but one have the value `at`."""
    for name in names[:MAX_NAMES]:
        others = {n: Fraction(at) for n in names if n != name}
        if (point := next(points_near_bounds(denied, name, others, whole=name in integers), None)) is not None:
            return point
    return None


def _near(denied: Given, names: frozenset[str], domain: Domain, tries: int) -> Point | None:
    """Return a point at which formulas with irrational values hold."""
    if (plain := squares_of(denied)) is not None:  # these are fast to evaluate, so the first search tries them all
        return squared_point(denied, plain, domain.integers, SQUARED) if tries == NEAR else None
    return near(denied, sorted(names), domain.integers, tries)


def refutation(goal: Formula, domain: Domain, point: Point) -> Known | None:
    """Prove that the goal fails at a point of the domain, or return None if it does not.

    >>> half = refutation(Formula(">", Term("v", "x"), Term("q", 1, 1)), Domain(), {"x": Fraction(1, 2)})
    >>> half.statement.says, half.trust
    ('not(x > 1) somewhere', 'kernel')
    """
    denied = Formula("not", goal)
    names = frozenset[str]().union(*map(variables, (denied, *domain.assumptions)))
    loose = {n: sign for n, sign in domain.signs.items() if sign != "positive" and n in names}
    signs = [(Formula(">=", Term("v", n), ZERO) if sign == "nonnegative" else Formula(">", ZERO, Term("v", n)))
             for n, sign in loose.items() if sign != "real"]  # fmt: skip
    whole = [Formula("int", Term("v", n)) for n in sorted(names & domain.integers)]
    given = (*domain.assumptions, *signs, *whole)
    statement = Statement("", given, denied, somewhere=True, reals=frozenset(loose))
    return warranted(statement, ByCounterexample(point))


class CounterexampleFound(Exception):
    """An early end of the search for a proof: a counterexample, or None if a long search is not worth it."""

    def __init__(self, point: Point | None) -> None:
        super().__init__(point)
        self.point = point


def _doubt(denied: Given, names: Sequence[str], integers: Sequence[str], quick: bool) -> None:
    """Raise CounterexampleFound before a long search for a proof, if a point is found or a long search is not due."""
    drawn = sampling.find(denied, integers) if quick else sampling.find(denied, integers, DOUBTED)
    point = _point_near(denied, names, names, LARGE) if drawn is None else drawn  # integers are sizes, too
    if point is not None or quick:
        raise CounterexampleFound(point)


def _named_point(point: Point, values: Mapping[str, Term], goal: Formula) -> Point:
    """Return a point in the names of the domain, without names that are neither in the goal nor in the point."""
    kept = variables(goal) | set(point)
    return dict(sorted((n, v) for n, v in unsplit(point, values).items() if n in kept))
