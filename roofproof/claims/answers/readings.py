"""The ways in which an answer can agree with the key, strongest first. The first one that is proved gives the grade.

as_solution       its bound holds for the same sizes as the bound of the key
as_value          its value is the value of the key (`>` and `>=` may be confused)
to_its_digits     the key lies in the interval given by the digits of the answer
within_tolerance  the values differ by no more than the question allows

If none is proved, the answer is wrong at a point, or undecided. In a regime, the limit of the key is compared, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from math import ceil, floor

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.claims.answers.evaluated_answer import EvaluatedAnswer, one_sided, rational
from roofproof.claims.answers.question import LABELS, SOLVED, Key, Question, label_times
from roofproof.claims.kinds import UNDECIDED, first_known
from roofproof.claims.printed import ORDER, agreement, share_of
from roofproof.derive.algebra.budget import Budget
from roofproof.derive.algebra.exact_comparison import too_long
from roofproof.derive.algebra.polynomial import Poly, Ring
from roofproof.derive.inequalities.cases import Above, Always, Below, Between, Never, Several, Threshold, bounds
from roofproof.derive.limits.limits import limit
from roofproof.derive.regions import region_of
from roofproof.derive.roofline.allowed_sizes import Allowed, divided_by
from roofproof.derive.roofline.memory_fit import no_larger
from roofproof.errors import RoofproofError
from roofproof.proofs.kernel.terms import OPAQUE, ZERO, Formula, KernelError, Term, variables
from roofproof.proofs.known import PROVED, ByCounterexample, ByExactValue, Known, Unproved, by_kernel, warranted
from roofproof.proofs.oracles import sampling
from roofproof.proofs.oracles.near_bounds import points_near_bounds
from roofproof.proofs.oracles.points import Point
from roofproof.proofs.search.polynomials import terms_with
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import to_formula, with_functions

CLOSE = Fraction(1, 20)
ONE_DIGIT = Fraction(1, 20)  # the largest relative error of a one-digit answer
STEPS = 600_000  # of the search for a proof that two answers are equivalent
TRIES = 40  # points that are tried for a formula in several sizes
WHOLE = "smallest", "largest"
LEAST = "time", "memory"  # quantities that are minima, so a lower bound states them as well
_number = Term.rational


@dataclass(frozen=True, slots=True)
class KeyComparison:
    """The result of comparing an answer with a key: the grade, and the known statements behind it.

    >>> from roofproof import op
    >>> asked = Question(op("matmul"), asks="flops")
    >>> worth = graded(EvaluatedAnswer("=", asked.key.value / 2), asked.key, asked)
    >>> worth.grade, worth.known[0].statement.says                          # B D F in place of 2 B D F
    ('wrong', 'not(B*D*F = 2*B*D*F) somewhere')
    """

    grade: str
    said: EvaluatedAnswer
    key: Key
    asked: Question
    known: tuple[Known, ...] = ()

    @property
    def agrees(self) -> bool:
        return self.grade in ("right", "digits")

    @property
    def why(self) -> str:
        """The reason why an answer is undecided."""
        reasons = (k.warrant.reason for k in self.known if isinstance(k.warrant, Unproved))
        return next(reasons, "a formula about which nothing is proved")


@dataclass(eq=False)
class AnswerAndKey:
    """An answer and a key to compare, and the statements that failed so far.

    With `of_all`, they are compared over all integers, not only over allowed sizes. This is needed for mistakes, which
    must give the answer itself, not one that is only equivalent for the few allowed sizes.
    """

    said: EvaluatedAnswer
    key: Key
    asked: Question
    of_all: bool = False
    tried: list[Known] = field(default_factory=list)

    @cached_property
    def whole(self) -> bool:
        """Whether the question asks for an integer."""
        return self.asked.asks in WHOLE and self.key.integer is not None

    @cached_property
    def key_threshold(self) -> Threshold:
        """The threshold of the key."""
        found = self.key.threshold if self.of_all else self.key.allowed_threshold
        assert found is not None
        return found

    @cached_property
    def value(self) -> sympy.Expr | None:
        """The value of the key that corresponds to an answer of this form, or None."""
        said = self.said
        if said.relation in (*LABELS, Never.kind, Always.kind):
            return None
        if self.whole:
            assert self.key.integer is not None
            right = sympy.Integer(self.key.integer)
            if said.is_bare:
                return right
            if said.low is not None or not said.value.is_number or (said.relation[0] == ">") != self.least:
                return None
            return right if "=" in said.relation or rational(said.value) != right else None
        if self.asked.asks in SOLVED:
            ends = bounds(self.key_threshold)
            return ends[0] if len(ends) == 1 and said.low is None and self.same_side(self.key_threshold) else None
        least = said.relation == ">=" and self.asked.asks in LEAST
        return self.key.value if said.relation in "=≈" or least else None

    @property
    def least(self) -> bool:
        return self.asked.asks == "smallest"

    def same_side(self, there: Threshold) -> bool:
        """Return whether an answer bounds the sizes from the same side as a threshold. A plain value fits both."""
        return self.said.relation in "=≈" or {"above": ">", "below": "<"}.get(there.kind) == self.said.relation[0]

    def statements(self) -> Iterator[Statement]:
        """Yield the statements that the answer and the key allow the same sizes, one for each reading of the answer."""
        said, key, asked = self.said, self.key, self.asked
        if said.relation in LABELS:
            yield _longest(said.relation, asked)
        elif said.relation in (Never.kind, Always.kind):  # if the key is an integer, neither is right
            one = key.integer if key.integer is None else sympy.Integer(key.integer)
            there = Between(one, one, False) if one is not None else key.allowed_threshold
            assert there is not None
            yield equivalence(Never() if said.relation == Never.kind else Always(), there, asked.compared, key.when)
        elif self.whole:
            yield from self._of_integer()
        elif asked.asks in SOLVED:
            assert key.threshold is not None
            of_all = self.of_all or (said.is_bare and self.key_threshold.kind == "never")  # a number is not `never`
            for option in _meant(said, self.key_threshold if bounds(self.key_threshold) else key.threshold):
                yield from _same(option, self.key_threshold, asked, key.when, of_all, said.is_bare)

    def _of_integer(self) -> Iterator[Statement]:
        if self.said.is_bare:
            return
        if self.key.allowed_threshold is not None and not self.of_all:
            for option in _meant(self.said, self.key.allowed_threshold):
                yield from _same(option, self.key.allowed_threshold, self.asked, self.key.when, False)
        ending = (Above if self.least else Below)(sympy.Integer(self.key.integer), False)
        [option] = _meant(self.said, ending)
        if all(end.is_number and not too_long(end) for end in bounds(option)):
            yield equivalence(option, ending, Allowed(self.asked.allowed.unknown))

    def holds(self, statement: Statement) -> Known | None:
        """Return a statement as known if it holds, or else keep the result in `tried`."""
        known = prove_or_refute(statement)
        if holds_of(known, statement):
            return known
        self.tried.append(known)
        return None


def as_solution(part: AnswerAndKey) -> tuple[str, Known] | None:
    """Return `right` and its proof, if the answer and the key allow the same sizes."""
    found = (part.holds(statement) for statement in part.statements())
    return next((("right", known) for known in found if known is not None), None)


def as_value(part: AnswerAndKey) -> tuple[str, Known] | None:
    """Return a grade and its proof, if the values are equal: `close` if `>` and `>=` were confused, else `right`."""
    if part.value is None:
        return None
    known = part.holds(equality(part.said.value, part.value, part.key.when))
    if known is None or part.whole or part.asked.asks not in SOLVED or part.said.relation in "=≈":
        return None if known is None else ("right", known)
    return "close" if ("=" in part.said.relation) == part.key_threshold.strict else "right", known  # type: ignore[union-attr]


def to_its_digits(part: AnswerAndKey) -> tuple[str, Known] | None:
    """Return `digits` and its proof, if the key lies in the interval given by the digits of the answer."""
    said, value, whole = part.said, part.value, part.asked.asks in WHOLE
    if value is None or said.printed is None or not _are_numbers(part):
        return None
    if whole and said.relation != "≈" and {*".eE"}.isdisjoint(said.printed) and not part.whole:
        return None
    if part.whole and {*".eE"}.isdisjoint(said.printed):
        return None  # an integer is exact
    right = 1 / value if said.turned else value
    agreed = agreement(rational(right) / said.factor, said.printed)
    if agreed is None or (agreed.digits <= 1 and abs(rational(said.value) / rational(value) - 1) > ONE_DIGIT):
        return None
    ours = with_functions(right / sympy.Rational(said.factor))
    return _by_value("digits", Statement("", (), agreed.says(ours)))


def within_tolerance(part: AnswerAndKey) -> tuple[str, Known] | None:
    """Return `close` and its proof, if two values, or two formulas term by term, are within the tolerance."""
    if part.value is None or part.asked.tolerance == "exact":
        return None
    if part.said.value.is_number and part.value.is_number:
        if not _are_numbers(part):
            return None
        return _by_value("close", _near([(with_functions(part.said.value), with_functions(part.value))], part.asked))
    terms = _terms_beside(part, part.value)
    return _by_value("close", _near(terms, part.asked)) if terms else None


READINGS: tuple[Callable[[AnswerAndKey], tuple[str, Known] | None], ...] = (
    as_solution, as_value, to_its_digits, within_tolerance,
)  # fmt: skip


def graded(said: EvaluatedAnswer, key: Key, asked: Question) -> KeyComparison:
    """Return the comparison of an answer with a key: `right`, `digits`, `limit`, `close`, `wrong`, or `undecided`.

    If the question has a regime, the limit is as right as the exact answer. The exceptions are an integer and a
    label such as `never` at the given sizes, for which the limit gets the grade `limit`.
    """
    exact = exactly(said, key, asked)
    if exact.agrees or key.limit is None:
        return exact
    far_out = exactly(said, key.limit, asked)
    if far_out.agrees:
        ruled = asked.regime and key.integer is None and not key.label
        return far_out if ruled else replace(far_out, grade="limit")
    tends = _tends(AnswerAndKey(said, key, asked))
    return exact if tends is None else replace(exact, grade="limit", known=(tends,))


def exactly(said: EvaluatedAnswer, key: Key, asked: Question, of_all: bool = False) -> KeyComparison:
    """Return the comparison of an answer with a key, ignoring the regime. With `of_all`, it is over all integers."""
    part = AnswerAndKey(said, key, asked, of_all)
    try:
        found = first_known(READINGS, part)
    except RoofproofError:  # a formula that the provers cannot handle
        return KeyComparison(UNDECIDED, said, key, asked)
    if found is not None:
        return KeyComparison(found[0], said, key, asked, (found[1],))
    open_ = any(known.trust == Unproved.trust for known in part.tried)
    return KeyComparison(UNDECIDED if open_ else "wrong", said, key, asked, tuple(part.tried))


def holds_of(known: Known, statement: Statement) -> bool:
    """Return whether a statement is known to hold."""
    return known.trust in PROVED and known.statement.goal == statement.goal


def _by_value(grade: str, statement: Statement) -> tuple[str, Known] | None:
    known = warranted(statement, ByExactValue({}))
    return None if known is None else (grade, known)


def _are_numbers(part: AnswerAndKey) -> bool:
    values = part.said.value, part.value
    return part.asked.tolerance != "exact" and all(v is not None and v.is_number and rational(v) for v in values)


def _longest(label: str, asked: Question) -> Statement:
    """State that the resource of a label takes longest."""
    times = {name: with_functions(taken) for name, taken in label_times(asked).items()}
    longest = [Formula(">=", times[label], other) for other in times.values()] if label in times else [Formula("false")]
    return Statement("", (), Formula("and", *longest) if label in times else longest[0])


def _near(pairs: list[tuple[Term, Term]], asked: Question) -> Statement:
    """State that the values of each pair agree within the tolerance of the question."""
    order = asked.tolerance == ORDER
    share = CLOSE if asked.tolerance == "digits" or order else share_of(asked.tolerance)
    low, high = (Fraction(1, 10), Fraction(10)) if order else (1 - share, 1 + share)
    parts = dict[Formula, None]()
    for ratio in (Term("/", theirs, ours) for theirs, ours in pairs):
        raised = Term("^", ratio, 2) if order else ratio
        near = Formula(">=", raised, _number(low)), Formula(">=", _number(high), raised)
        parts |= dict.fromkeys((Formula(">", ratio, ZERO), *near))
    return Statement("", (), Formula("and", *parts))


def _terms_beside(part: AnswerAndKey, value: sympy.Expr) -> list[tuple[Term, Term]]:
    """Return the ratios of the terms of a formula to those of the right one, or none if the terms differ."""
    said, asked = part.said, part.asked
    of_figures = asked.chip is not None and asked.asks in (*SOLVED, "time")
    if not value.free_symbols or not (said.decimal or of_figures):
        return []
    with suppress(RoofproofError):
        ring = Ring.of(said.value, value)
        theirs, right = (
            {term for side, p in enumerate(ring.fraction(v)) for term in _terms(p, side)} for v in (said.value, value)
        )
        ours = {(side, powers): c for side, powers, c in right}
        their = {(side, powers): c for side, powers, c in theirs}
        if ours.keys() == their.keys():
            ratios = [their[term] / ours[term] for term in sorted(ours)]
            return [(_number(ratio), _number(ratios[0])) for ratio in ratios]
    return []


def _terms(polynomial: Poly, side: int) -> Iterator[tuple[int, tuple[int, ...], Fraction]]:
    for powers, c in polynomial.terms():
        yield side, powers, Fraction(int(c.p), int(c.q))


def _tends(part: AnswerAndKey) -> Known | None:
    """Prove that the quotient of an answer and the key tends to 1 in the regime, or return None."""
    said, key, exact = part.said, part.key, part.key.value
    if exact is not None:
        exact = exact if said.relation in "=≈" else None  # a bound on a value is not a value
    elif (
        key.allowed_threshold is not None
        and len(bounds(key.allowed_threshold)) == 1
        and part.same_side(key.allowed_threshold)
    ):
        [exact] = bounds(key.allowed_threshold)
    if exact is None or part.asked.regime is None or not said.value.free_symbols:
        return None
    with suppress(RoofproofError):
        found = limit(said.value / exact, part.asked.regime)
        return found.tends if found.value == 1 else None
    return None


def _meant(said: EvaluatedAnswer, threshold: Threshold) -> list[Threshold]:
    """Return the solutions that an answer may mean. A plain number may mean a strict bound or not."""
    if said.low is not None:
        return [between(said)]
    if said.relation in "=≈":
        kind = Below if threshold.kind == "below" else Above
        return [kind(said.value, strict) for strict in (True, False)]
    return [(Above if said.relation[0] == ">" else Below)(said.value, "=" not in said.relation)]


def between(said: EvaluatedAnswer) -> Threshold:
    """Return an answer with two bounds as an interval. If only one end is included, round both to integers."""
    low, high, strict = said.low, said.value, said.relation == "<"
    if low is None or said.from_low != strict:
        return Between(low, high, strict)
    if not (low.is_number and high.is_number):
        return Several((Above(low, not said.from_low), Below(high, strict)), "and")
    least, most = rational(low), rational(high)
    first = ceil(least) if said.from_low else floor(least) + 1
    last = ceil(most) - 1 if strict else floor(most)
    return Never() if last < first else Between(sympy.Integer(first), sympy.Integer(last), False)


def without_other_end(said: EvaluatedAnswer, printed: str | None, asked: Question) -> EvaluatedAnswer:
    """Return a chain reduced to one bound, if all allowed sizes meet the other."""
    if said.low is None or asked.asks not in SOLVED or not (said.low.is_number and said.value.is_number):
        return said
    return one_sided(said, printed, asked.compared.drop_vacuous_bounds(between(said)).kind)


def _same(
    a: Threshold, b: Threshold, asked: Question, when: Boolean, of_all: bool, bare: bool = False
) -> Iterator[Statement]:
    """Yield the statements that two solutions agree: for sizes in the allowed range, then only for allowed divisors."""
    any_size, ends = Allowed(asked.allowed.unknown), (*bounds(a), *bounds(b))
    if all(e.is_number for e in ends):
        if not any(map(too_long, ends)):
            yield equivalence(a, b, any_size if of_all else asked.compared)
            if not (bare or of_all) and _ends_with_sizes(a, asked):
                yield equivalence(a, b, asked.allowed)
        return
    order = [c for c in map(no_larger, asked.allowed.open) if c != sympy.true]
    if order and not (bare or of_all):
        yield equivalence(a, b, asked.compared, *order, when)
    elif a.kind != b.kind or len(ends) != 2:
        yield equivalence(a, b, any_size, when)


def _ends_with_sizes(a: Threshold, asked: Question) -> bool:
    """Return whether the ends of a solution are sizes that meet the divisibility conditions."""
    sizes, pieces = asked.allowed, region_of(asked.compared.drop_vacuous_bounds(a))
    ends = [(e, closed) for piece in pieces for e, closed in (piece.start, piece.end) if e is not None]
    if all(e.is_Integer and closed for e, closed in ends) and (sizes.whole or sizes.multiple_of > 1):
        with suppress(RoofproofError):  # too many integers to look at
            return all(sizes.integer(Between(e, e, False)) == e for e, _ in ends)
    return False


def equality(a: sympy.Expr, b: sympy.Expr, when: Boolean = sympy.true) -> Statement:
    """State that two values are equal, for all sizes that meet a condition.

    >>> B = sympy.Symbol("B", positive=True)
    >>> equality(B / (B + 1), 1 / (1 + 1 / B)).says
    'B/(1 + B) = 1/(1 + 1/B)'
    """
    given = () if when == sympy.true else (to_formula(when, with_functions),)
    return Statement("", given, Formula("=", with_functions(a), with_functions(b)))


def equivalence(a: Threshold, b: Threshold, sizes: Allowed, *more: Boolean) -> Statement:
    """State that two solutions hold for the same integers among the allowed sizes.

    >>> B, above = sympy.Symbol("B", positive=True), Above(sympy.Rational(1091, 4))
    >>> equivalence(above, Above(sympy.Integer(273), strict=False), Allowed(B)).says             # 272.75 and 273
    'B > 1091/4 <=> B >= 273 where int(B) and B >= 1'
    """
    x = sizes.unknown
    name, dividends = Term("v", x.name), [Term("q", n, 1) for n in divided_by(x, sizes.whole)]
    others = [c for c in sizes.whole if not divided_by(x, [c])]
    whole = [Formula("int", Term("/", name, Term("q", sizes.multiple_of, 1)))] if sizes.multiple_of > 1 else []
    whole += [Formula("int", Term("/", n, name)) for n in dividends]
    whole += [to_formula(c.replace(sympy.Mod, lambda a, b: a - b * sympy.floor(a / b))) for c in others]
    given = [to_formula(c, with_functions) for c in (*more, *sizes.bounds) if c != sympy.true]
    given += [Formula(">=", n, name) for n in dividends]
    goal = Formula("<=>", *(to_formula(t.holds(x), with_functions) for t in (a, b)))
    if whole:
        goal = Formula("=>", whole[0] if len(whole) == 1 else Formula("and", *whole), goal)
    return Statement("", (*given, Formula("int", name), Formula(">=", name, Term("q", 1, 1))), goal)


def denied(said: Statement) -> Statement:
    """State that a statement fails somewhere.

    >>> denied(equality(sympy.Integer(2), sympy.Integer(3))).says
    'not(2 = 3) somewhere'
    """
    return replace(said, goal=Formula("not", said.goal), somewhere=True)


@lru_cache(maxsize=2_000)
def prove_or_refute(said: Statement) -> Known:
    """Return a statement as known, its negation with a counterexample, or the statement as open.

    >>> B = sympy.Symbol("B", positive=True)
    >>> prove_or_refute(equality(B / (B + 1), 1 / (1 + 1 / B))).trust
    'kernel'
    >>> prove_or_refute(equality(2 * B, B**2)).statement.says, prove_or_refute(equality(2 * B, B**2)).warrant.point
    ('not(2*B = B^2) somewhere', {'B': Fraction(1, 1)})
    """
    if not said.names and (known := warranted(said, ByExactValue({}))) is not None:
        return known
    for point in _where_it_may_fail(said):
        if (known := warranted(denied(said), ByCounterexample(point))) is not None:
            return known
    if said.goal[0] == "=":
        from roofproof.proofs.search.short_proofs import identical

        if (same := identical(said.goal, sorted(variables(said.goal)))) is not None:
            # the two formulas need not agree if a divisor is zero, so nonzero divisors are assumptions
            defined = tuple(h for h in sorted(same.hypotheses) if h[0] == "not")
            if known := by_kernel(replace(said, assumptions=(*said.assumptions, *defined)), same):
                return known
    from roofproof.proofs.provers.statements import Refuted, prove_statement
    from roofproof.proofs.search.integers import prove_whole

    try:
        if not terms_with(OPAQUE, said.goal):
            given, search = list(said.assumptions), Budget(STEPS)
            theorem = prove_whole(said.goal, given, said.integers, search, lambda: None)
            if theorem is not None and (known := by_kernel(said, theorem)) is not None:
                return known
        return prove_statement(said)
    except Refuted as failed:
        return Known(denied(said), ByCounterexample(failed.counterexample))
    except (KernelError, RoofproofError) as outside:
        return Known(said, Unproved(str(outside)))


def _where_it_may_fail(said: Statement) -> Iterator[Point]:
    """Yield points at which a statement may fail: near the numbers that it compares a size with, then any."""
    wanted = [*said.assumptions, Formula("not", said.goal)]
    if not said.names:
        yield {}
        return
    if said.goal[0] != "=":
        [name] = said.integers
        x, rest = Term("v", name), [f for f in said.assumptions if name not in variables(f)]
        others = sorted(said.names - {name})
        met = sampling.find([*rest, *(Formula(">", Term("v", n), ZERO) for n in others)]) if others else {}
        quotients = terms_with(("/",), said.goal)
        steps = [t[2][1] for t in quotients if t[1] == x and t[2][0] == "q"]
        steps += [n for t in quotients if t[2] == x and t[1][0] == "q" for n in sympy.divisors(t[1][1])]
        for k in (1, 8, 64, 512) if others else (1,):
            yield from points_near_bounds(wanted, name, {n: v * k for n, v in (met or {}).items()}, steps, whole=True)
    several = len(said.names) > 1 or said.goal[0] == "="
    if several and (point := sampling.find(wanted, said.integers, tries=TRIES)) is not None:
        yield point
