"""The grade of an answer: what was read, held to the key by exact arithmetic."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.claims.answers.parsed import Answer, Link
from roofproof.claims.answers.question import LABELS, SOLVED, Key, Question, label_times
from roofproof.claims.answers.sameness import equality, equivalence, settled
from roofproof.claims.answers.unsolved import bound_of
from roofproof.claims.kinds import UNDECIDED
from roofproof.claims.printed import ORDER, agreement, share_of
from roofproof.derive.algebra.exact_comparison import too_long
from roofproof.derive.algebra.polynomial import Poly, Ring
from roofproof.derive.inequalities.cases import (
    Above,
    Always,
    Below,
    Between,
    Never,
    Several,
    Threshold,
    bounds,
    substitute,
)
from roofproof.derive.limits.limits import limit
from roofproof.derive.regions import region_of
from roofproof.derive.roofline.allowed_sizes import Allowed
from roofproof.derive.roofline.memory_fit import no_larger
from roofproof.errors import RoofproofError
from roofproof.formula.logarithm import exp2
from roofproof.formula.to_sympy import to_value
from roofproof.formula.tree import Number, walk
from roofproof.formula.units import BYTE, FLOP, PLAIN, SECOND, Dimension, per, unit_of
from roofproof.ops.roles import role_of, roles
from roofproof.proofs.assumptions import ONE
from roofproof.proofs.kernel.terms import ZERO, Formula, Term
from roofproof.proofs.known import PROVED, ByExactValue, Known, Open, Unwarranted, warranted
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import with_functions

CLOSE = Fraction(1, 20)
ONE_DIGIT = Fraction(1, 20)  # as far as a single digit may be off in a student's answer
MAX_DEGREE = 24  # of a formula: expanding takes long beyond it
UNITS = {"intensity": per(FLOP, BYTE), "ridge": per(FLOP, BYTE), "flops": FLOP, "bytes": BYTE, "memory": BYTE,
         "time": SECOND}  # fmt: skip
_number = Term.rational


@dataclass(frozen=True, slots=True)
class Said:
    """What an answer comes to: a relation and a value, with the digits written where it is a bare number."""

    relation: str
    value: sympy.Expr
    printed: str | None = None
    factor: Fraction = Fraction(1)  # of the unit, by which the digits count
    low: sympy.Expr | None = None
    decimal: bool = False  # a number with a point, or in powers of ten, stands in a formula
    from_low: bool = False  # the lower bound itself is counted in
    turned: bool = False  # the digits are those of one over the value

    def number(self) -> Fraction | None:
        """The value as a fraction, where it is a rational number."""
        return Fraction(int(self.value.p), int(self.value.q)) if self.value.is_Rational else None


def said_by(answer: Answer, asked: Question) -> Said:
    """Evaluate the last link of an answer."""
    low = None if answer.below is None else _value(answer.below[1], asked)
    link = answer.value
    factor = link.unit.factor if link.unit else Fraction(1)
    decimal = any(isinstance(n, Number) and set(n.text) & set(".e") for n in walk(link.node))
    from_low = answer.below is not None and answer.below[0] == ">="
    if answer.other is not None:
        relation, end = bound_of(_value(answer.other, asked), answer.relation, _value(link, asked), asked)
        return Said(relation, end, _digits_of(end, answer), decimal=decimal)
    turned = is_reciprocal(link, asked)
    said = Said(answer.relation, _value(link, asked), link.printed, factor, low, decimal, from_low, turned)
    return said if answer.below is None else _one_sided(said, answer.below[1].printed, asked)


def _one_sided(said: Said, printed: str | None, asked: Question) -> Said:
    """Return a chain as the bound that it comes to where no size lies beyond the other one."""
    if asked.asks not in SOLVED or said.low is None or not (said.low.is_number and said.value.is_number):
        return said
    match asked.compared.bare(_between(said)):
        case Above():
            return Said(">=" if said.from_low else ">", said.low, printed, decimal=said.decimal)
        case Below():
            return replace(said, low=None, from_low=False)
    return said


def _digits_of(end: sympy.Expr, answer: Answer) -> str | None:
    """Return the digits of a bound that stand in an inequality, `B^2 > 345 B`."""
    written = [n for link in (answer.other, answer.value) if link for n in walk(link.node) if isinstance(n, Number)]
    return next((n.text for n in written if end.is_Rational and n.value == rational(end)), None)


def _value(link: Link, asked: Question) -> sympy.Expr:
    value = to_value(link.node, asked.symbols.__getitem__)
    value = value.replace(lambda p: p.is_Pow and p.base == 2 and p.exp.free_symbols, lambda p: exp2(p.exp))
    if _degree(value) > MAX_DEGREE:
        raise RoofproofError("a formula of too high a degree; at most <most> is read", most=MAX_DEGREE)
    if value.has(sympy.Max, sympy.Min):  # which is larger is seen once products are written out
        extreme = sympy.Max, sympy.Min
        value = value.replace(lambda v: isinstance(v, extreme), lambda v: v.func(*map(sympy.expand, v.args)))
    if link.unit:
        value = value * sympy.Rational(link.unit.factor)
        if is_reciprocal(link, asked) and value != 0:
            value = 1 / value
    return substitute(value, {n: v for n, v in asked.at.items() if n != asked.unknown})


def _degree(value: sympy.Expr) -> int:
    """Return a bound on the degree of a formula, in which a power whose exponent is no fraction is not multiplied out.

    >>> n, B = sympy.symbols("n B", positive=True)
    >>> _degree(n**3 * (1 - 1 / n) ** 2), _degree(n * (1 - 1 / n) ** B), _degree(2 ** sympy.sqrt(3))     # 3 + 2, 1 + 1
    (5, 2, 0)
    """
    if value.is_Pow and value.exp.is_Rational:
        power: int = ceil(abs(value.exp))
        return _degree(value.base) * power
    if isinstance(value, sympy.Pow | exp2) and not _is_worked_out(value):
        return MAX_DEGREE + 1
    degrees = [_degree(a) for a in value.args]
    return sum(degrees) if value.is_Mul else max(degrees, default=int(value.is_Symbol))


def _is_worked_out(power: sympy.Expr) -> bool:
    """Tell whether a power is one of few digits wherever its sizes are small: no tower."""
    base, exponent = power.args if power.is_Pow else (sympy.Integer(2), *power.args)
    if any(inner.args[-1].free_symbols for inner in exponent.atoms(sympy.Pow, exp2)):
        return False
    if not power.is_Pow:
        return True
    if exponent.free_symbols:
        at_one = exponent.subs(dict.fromkeys(exponent.free_symbols, 1))
        return _degree(exponent) <= 2 and bool(abs(at_one) <= MAX_DEGREE)
    return base.is_number or bool(abs(exponent) <= MAX_DEGREE)


def wanted_unit(asked: Question) -> Dimension:
    """Return the dimension of what is asked; a message is counted in bytes."""
    return BYTE if asked.against is not None else UNITS.get(asked.asks, PLAIN)


def has_wrong_unit(link: Link, asked: Question) -> bool:
    """Tell whether the unit of a value is that of another quantity or counts things: seconds for bytes, bytes/token."""
    if link.unit is None or link.unit.text == "%":
        return False
    words = [unit_of(word) for word in link.unit.text.split("/")]
    counts = any(u is not None and u.dimension == PLAIN for u in words)
    return counts or (wanted_unit(asked) != link.unit.dimension and not is_reciprocal(link, asked))


def is_reciprocal(link: Link, asked: Question) -> bool:
    """Tell whether a value is in bytes per FLOP where FLOPs per byte are asked for."""
    return link.unit is not None and asked.asks in ("intensity", "ridge") and link.unit.dimension == per(BYTE, FLOP)


COUNTED = {  # what a word counts, by the roles of a size
    "chips": {"chips"},
    "heads": {"heads", "heads a group"},
    "elements": {*roles()} - {"chips", "heads", "heads a group", "layers", "experts", "experts a token"},
    "things": {"batch", "tokens", "sequence", "window", "block", "chunk", "images", "size"},
}


def is_counted(word: str, asked: Question) -> bool:
    """Tell whether a word such as tokens or chips counts what is asked; of bytes, FLOPs and times none does."""
    if asked.asks not in SOLVED or asked.unknown is None or asked.against is not None:
        return False
    return word == "any" or role_of(asked.op, asked.unknown).name in COUNTED[word]


@dataclass(frozen=True, slots=True)
class Held:
    """An answer held to a key: the grade, and what is known that makes it so.

    A right answer rests on the statement that it is the key, one to its digits on where these say that the key lies, a
    wrong one on where the statement fails. Raises Unwarranted where what is known says something else.

    >>> from roofproof import op
    >>> asked = Question(op("matmul"), asks="flops")
    >>> held = graded(Said("=", asked.key.value / 2), asked.key, asked)
    >>> held.grade, held.known[0].statement.says                          # B D F for 2 B D F
    ('wrong', 'not(B*D*F = 2*B*D*F) somewhere')
    >>> replace(held, grade="right")
    Traceback (most recent call last):
    roofproof.proofs.known.Unwarranted: 'right' is not warranted by 'not(B*D*F = 2*B*D*F) somewhere'
    """

    grade: str
    said: Said
    key: Key
    asked: Question
    known: tuple[Known, ...] = ()
    of_all: bool = False

    def __post_init__(self) -> None:
        if not self._is_warranted():
            says = " and ".join(repr(k.statement.says) for k in self.known) or "nothing"
            raise Unwarranted(f"{self.grade!r} is not warranted by {says}")

    @property
    def agrees(self) -> bool:
        return self.grade in ("right", "digits")

    @property
    def why(self) -> str:
        """Why nothing is known of the answer, where that is so."""
        reasons = [k.warrant.reason for k in self.known if isinstance(k.warrant, Open)]
        return reasons[0] if reasons else "a formula of which nothing is proved"

    def _is_warranted(self) -> bool:
        if self.grade == UNDECIDED:
            return True
        due = sought(self.said, self.key, self.asked, self.of_all)
        right = {s.goal for s in due.solutions}
        if due.same is not None and not _misses_end(self.said, self.key, self.asked, self.of_all):
            right.add(due.same.goal)
        said = {k.statement.goal for k in self.known if k.trust in PROVED}
        if self.grade == "wrong":
            return {Formula("not", s.goal) for s in due} <= said
        near = {s.goal for s in (due.printed, due.within) if s is not None}
        tends = any(k.statement.goal[0] == "tends" and k.statement.goal[3] == ONE for k in self.known)
        match self.grade:
            case "right":
                return bool(right & said)
            case "digits":
                return due.printed is not None and due.printed.goal in said
            case "limit":
                return tends or bool((right | near) & said)
        return bool((near | {s.goal for s in due}) & said)


@dataclass(frozen=True, slots=True)
class Sought:
    """What would have to be known of an answer: that its solution, or its value, is that of the key; or is near it."""

    solutions: tuple[Statement, ...] = ()
    same: Statement | None = None
    printed: Statement | None = None
    within: Statement | None = None

    def __iter__(self) -> Iterator[Statement]:
        yield from self.solutions
        if self.same is not None:
            yield self.same


def graded(said: Said, key: Key, asked: Question) -> Held:
    """Return the answer held to a key: `right`, `digits`, `limit`, `close`, `wrong`, or `undecided`.

    A regime that is given asks for its limit as well, which is as right as the exact answer; an integer is exact, and
    so is `never` at the sizes given, which the limit contradicts.
    """
    held = exactly(said, key, asked)
    if held.agrees or key.limit is None:
        return held
    far_out = exactly(said, key.limit, asked)
    if far_out.agrees:
        ruled = asked.regime and key.integer is None and not key.label
        return far_out if ruled else replace(far_out, grade="limit")
    tends = _same_limit(said, key, asked)
    return held if tends is None else replace(held, grade="limit", known=(tends,))


def exactly(said: Said, key: Key, asked: Question, of_all: bool = False) -> Held:
    """Return the grade without regard to the regime; with `of_all`, over integers that are no sizes, too.

    A slip gives an answer, and not another one that is the same for the few sizes that there are.
    """
    try:
        due = sought(said, key, asked, of_all)
    except RoofproofError:  # a formula that nothing is proved of
        return Held(UNDECIDED, said, key, asked, (), of_all)
    found: list[Known] = []

    def held(grade: str, *known: Known) -> Held:
        return Held(grade, said, key, asked, known, of_all)

    for statement in due.solutions:
        found.append(settled(statement))
        if holds_of(found[-1], statement):
            return held("right", found[-1])
    if due.same is not None:
        same = settled(due.same)
        if holds_of(same, due.same):  # the boundary value may be wrongly included or excluded
            return held("close" if _misses_end(said, key, asked, of_all) else "right", same)
        found.append(same)
    for grade, near in (("digits", due.printed), ("close", due.within)):
        if near is not None and (known := warranted(near, ByExactValue({}))) is not None:
            return held(grade, known)
    return held(UNDECIDED if any(k.trust == Open.trust for k in found) else "wrong", *found)


def holds_of(known: Known, statement: Statement) -> bool:
    """Tell whether a statement is known to hold."""
    return known.trust in PROVED and known.statement.goal == statement.goal


@lru_cache(maxsize=1_000)
def sought(said: Said, key: Key, asked: Question, of_all: bool = False) -> Sought:
    """Return the statements by which an answer would be the key, or near it.

    >>> from roofproof import chip, op
    >>> asked = Question(op("matmul"), chip("tpu-v5e"), "B", at={"D": 4096, "F": 4096})
    >>> print(*(s.says for s in sought(Said(">=", sympy.Integer(273)), asked.key, asked)), sep="\\n")
    B >= 273 <=> B > 50432000/185039 where int(B) and B >= 1
    273 = 50432000/185039
    """
    if said.relation in LABELS:
        return Sought((_longest(said.relation, asked),))
    if said.relation in (Never.kind, Always.kind):
        return Sought((_for_all(said.relation, key, asked),))
    if asked.asks in ("smallest", "largest") and key.integer is not None:
        solutions, value = _of_integer(said, key, asked, of_all)
        said = replace(said, relation="=")
    elif asked.asks in SOLVED:
        solutions, value = _of_solutions(said, key, asked, of_all)
    else:
        solutions, value = (), key.value if said.relation in "=≈" else None
    if value is None:
        return Sought(solutions)
    return Sought(solutions, equality(said.value, value, key.when), *_near(said, value, asked))


def _longest(label: str, asked: Question) -> Statement:
    """State that what a word names takes longest."""
    times = {name: with_functions(taken) for name, taken in label_times(asked).items()}
    if label not in times:
        return Statement("", (), Formula("false"))
    return Statement("", (), Formula("and", *(Formula(">=", times[label], other) for other in times.values())))


def _for_all(label: str, key: Key, asked: Question) -> Statement:
    """State that a solution is none, or all sizes; an integer that is asked for is neither."""
    option = Never() if label == Never.kind else Always()
    there = key.there
    if key.integer is not None:
        there = Between(sympy.Integer(key.integer), sympy.Integer(key.integer), False)
    assert there is not None
    return equivalence(option, there, asked.compared, key.when)


def _near(said: Said, value: sympy.Expr, asked: Question) -> tuple[Statement | None, Statement | None]:
    """State that a value is another one to the digits written, and that it is within the tolerance of the question."""
    if not (value.is_number and said.value.is_number):
        return None, _near_formula(said, value, asked)
    exact, claimed = rational(value), rational(said.value)
    if 0 in (exact, claimed) or asked.tolerance == "exact":
        return None, None
    rounded = (
        asked.asks not in ("smallest", "largest") or said.relation == "≈" or bool(set(said.printed or "") & {*".eE"})
    )
    right = 1 / value if said.turned else value
    agrees = agreement(rational(right) / said.factor, said.printed) if said.printed is not None and rounded else None
    if agrees is not None and agrees.digits <= 1 and abs(claimed / exact - 1) > ONE_DIGIT:
        agrees = None
    ours = with_functions(right / sympy.Rational(said.factor))
    printed = None if agrees is None else Statement("", (), agrees.says(ours))
    return printed, _tolerated([(with_functions(said.value), with_functions(value))], asked)


def _tolerated(pairs: list[tuple[Term, Term]], asked: Question) -> Statement:
    """State that each first value of some pairs is as near its second one as the tolerance of the question has it."""
    if asked.tolerance == ORDER:
        low, high, power = Fraction(1, 10), Fraction(10), 2
    else:
        share = CLOSE if asked.tolerance == "digits" else share_of(asked.tolerance)
        low, high, power = 1 - share, 1 + share, 1
    parts: list[Formula] = []
    for theirs, ours in pairs:
        ratio = Term("/", theirs, ours)
        raised = ratio if power == 1 else Term("^", ratio, power)
        parts += [Formula(">", ratio, ZERO), Formula(">=", raised, _number(low)), Formula(">=", _number(high), raised)]
    return Statement("", (), Formula("and", *dict.fromkeys(parts)))


def rational(value: sympy.Expr) -> Fraction:
    """Return a number as a fraction; an irrational one to sixty digits, which no printed number has."""
    if not value.is_Rational:
        value = sympy.Rational(str(sympy.N(value, 60)))  # float: sixty digits, compared with printed ones only
    return Fraction(int(value.p), int(value.q))


def _near_formula(said: Said, value: sympy.Expr, asked: Question) -> Statement | None:
    """State that a formula has the terms of the right one, with figures rounded in them."""
    of_figures = asked.chip is not None and asked.asks in (*SOLVED, "time")
    if not (said.decimal or of_figures) or not value.free_symbols or asked.tolerance == "exact":
        return None
    try:
        ring = Ring.of(said.value, value)
        (p, q), (r, s) = ring.fraction(said.value), ring.fraction(value)
    except RoofproofError:
        return None
    theirs, right = [{**_terms(a, "above"), **_terms(b, "below")} for a, b in ((p, q), (r, s))]
    if theirs.keys() != right.keys():
        return None
    ratios = [theirs[term] / right[term] for term in right]
    return _tolerated([(_number(ratio), _number(ratios[-1])) for ratio in ratios], asked)


def _terms(polynomial: Poly, side: str) -> dict[tuple[str, tuple[int, ...]], Fraction]:
    """Return the coefficients of a polynomial by side of the quotient and exponents."""
    return {(side, exponents): Fraction(int(c.p), int(c.q)) for exponents, c in polynomial.terms()}


def _same_limit(said: Said, key: Key, asked: Question) -> Known | None:
    """Prove that a formula is right in the regime, where it is: the quotient of the two tends to 1."""
    exact = key.value
    if exact is None and key.there is not None and len(bounds(key.there)) == 1:
        if not _direction(said.relation, key.there):
            return None
        [exact] = bounds(key.there)
    elif said.relation not in "=≈":  # a bound on a value is no value
        return None
    if exact is None or not said.value.free_symbols or asked.regime is None:
        return None
    try:
        found = limit(said.value / exact, asked.regime)
        return found.tends if found.value == 1 else None
    except RoofproofError:
        return None


def _direction(relation: str, threshold: Threshold) -> bool:
    return relation in "=≈" or {"above": ">", "below": "<"}.get(threshold.kind, "") == relation[0]


def _of_integer(said: Said, key: Key, asked: Question, of_all: bool) -> tuple[tuple[Statement, ...], sympy.Expr | None]:
    """Return the integer that an answer states: as a number, or as the end of a bound."""
    assert key.integer is not None
    least, there, right = asked.asks == "smallest", key.there, sympy.Integer(key.integer)
    bare = said.low is None and said.relation in "=≈"
    due: list[Statement] = []
    if there is not None and not of_all and not bare:
        due += [s for option in _sets(said, there) for s in _solutions(option, there, asked, key.when, of_all)]
    if bare:
        return tuple(due), right
    ending = (Above if least else Below)(right, False)
    [option] = _sets(said, ending)
    if all(end.is_number and not too_long(end) for end in bounds(option)):
        due.append(equivalence(option, ending, Allowed(asked.allowed.unknown)))
    if said.low is not None or (said.relation[0] == ">") != least or not said.value.is_number:
        return tuple(due), None
    return tuple(due), None if "=" not in said.relation and rational(said.value) == right else right


def _of_solutions(
    said: Said, key: Key, asked: Question, of_all: bool
) -> tuple[tuple[Statement, ...], sympy.Expr | None]:
    """Return the threshold that an answer states: as a solution, or as the number at its one end."""
    threshold = key.threshold if of_all else key.there
    assert threshold is not None and key.threshold is not None
    exact = bounds(threshold)
    bare = said.low is None and said.relation in "=≈"
    of_all = of_all or (bare and threshold.kind == "never")  # no number is the bound where there is none
    options = _sets(said, threshold if exact else key.threshold)
    due = [s for option in options for s in _solutions(option, threshold, asked, key.when, of_all, bare)]
    one = len(exact) == 1 and said.low is None and _direction(said.relation, threshold)
    return tuple(due), exact[0] if one else None


def _solutions(
    a: Threshold, b: Threshold, asked: Question, when: Boolean, of_all: bool, bare: bool = False
) -> Iterator[Statement]:
    """Yield that two solutions are the same: of all sizes that compare as they must, of those that also divide."""
    x, ends = asked.allowed.unknown, (*bounds(a), *bounds(b))
    if not all(e.is_number for e in ends):
        open_ = [c for c in map(no_larger, asked.allowed.open) if c != sympy.true]
        if open_ and not (bare or of_all):
            yield equivalence(a, b, asked.compared, *open_, when)
        elif a.kind != b.kind or len(ends) != 2:
            yield equivalence(a, b, Allowed(x), when)
    elif not any(map(too_long, ends)):
        yield equivalence(a, b, Allowed(x) if of_all else asked.compared)
        if not (bare or of_all) and _ends_with_sizes(a, asked):
            yield equivalence(a, b, asked.allowed)


def _ends_with_sizes(a: Threshold, asked: Question) -> bool:
    """Tell whether a solution ends with sizes that divide what they must."""
    sizes = asked.allowed
    ends = [
        (end, closed) for p in region_of(asked.compared.bare(a)) for end, closed in (p.start, p.end) if end is not None
    ]
    if not (sizes.whole or sizes.multiple_of > 1) or not all(end.is_Integer and closed for end, closed in ends):
        return False
    with suppress(RoofproofError):  # too many integers to look at
        return all(sizes.integer(Between(e, e, False)) == e for e, _ in ends)
    return False


def _misses_end(said: Said, key: Key, asked: Question, of_all: bool) -> bool:
    """Tell whether a bound with the right number includes its end where the key does not, or the other way round."""
    if asked.asks not in SOLVED or (asked.asks in ("smallest", "largest") and key.integer is not None):
        return False
    threshold = key.threshold if of_all else key.there
    return said.relation not in "=≈" and ("=" in said.relation) == threshold.strict  # type: ignore[union-attr]


def _sets(said: Said, threshold: Threshold) -> list[Threshold]:
    """Return the solutions that an answer may mean; the strictness of a bare number is not judged."""
    v = said.value
    if said.low is not None:
        return [_between(said)]
    if said.relation in "=≈":
        kind = Below if threshold.kind == "below" else Above
        return [kind(v, True), kind(v, False)]
    return [(Above if said.relation[0] == ">" else Below)(v, "=" not in said.relation)]


def _between(said: Said) -> Threshold:
    """Return an interval; one end of two counted in is made integer, as sizes are integers."""
    low, high, strict = said.low, said.value, said.relation == "<"
    if low is None or said.from_low == (not strict):
        return Between(low, high, strict)
    if not (low.is_number and high.is_number):
        return Several((Above(low, not said.from_low), Below(high, strict)), "and")
    first = ceil(rational(low)) if said.from_low else floor(rational(low)) + 1
    last = ceil(rational(high)) - 1 if strict else floor(rational(high))
    return Between(sympy.Integer(first), sympy.Integer(last), False) if first <= last else Never()
