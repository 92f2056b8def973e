"""The grade of an answer: what was read, held to the key by exact arithmetic."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor

import sympy

from roofproof.claims.answers.question import SOLVED, Key, Question
from roofproof.claims.answers.said import Answer, Link
from roofproof.claims.language.nodes import Number, walk
from roofproof.claims.language.sympy_form import to_sympy
from roofproof.claims.language.units import BYTE, FLOP, PLAIN, SECOND, per
from roofproof.claims.numbers.significant_digits import ORDER, agreement, share_of
from roofproof.derive.algebra.exact_comparison import too_long
from roofproof.derive.algebra.logic import Iff
from roofproof.derive.algebra.polynomial import Poly, Ring
from roofproof.derive.inequalities.cases import Above, Below, Between, Never, Several, Threshold, bounds, substitute
from roofproof.derive.inequalities.intervals import region_of
from roofproof.derive.limits.limits import limit
from roofproof.derive.roofline.allowed_sizes import Allowed
from roofproof.derive.roofline.memory_fit import no_larger
from roofproof.errors import RoofproofError
from roofproof.ops.notation.logarithm import exp2
from roofproof.proofs.kernel.terms import KernelError

CLOSE = Fraction(1, 20)
ONE_DIGIT = Fraction(1, 20)  # as far as a single digit may be off in a student's answer
STEPS = 300_000  # for the proof that two answers say the same
MAX_DEGREE = 24  # of a formula: expanding takes long beyond it
UNITS = {"intensity": per(FLOP, BYTE), "ridge": per(FLOP, BYTE), "flops": FLOP, "bytes": BYTE, "time": SECOND}


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

    def number(self) -> Fraction | None:
        """The value as a fraction, where it is a rational number."""
        return Fraction(int(self.value.p), int(self.value.q)) if self.value.is_Rational else None


def said_by(answer: Answer, asked: Question) -> Said:
    """Return what the last link of an answer comes to."""
    low = None if answer.below is None else _value(answer.below[1], asked)
    link = answer.value
    factor = link.unit.factor if link.unit else Fraction(1)
    decimal = any(isinstance(n, Number) and set(n.text) & set(".e") for n in walk(link.node))
    from_low = answer.below is not None and answer.below[0] == ">="
    said = Said(answer.relation, _value(link, asked), link.printed, factor, low, decimal, from_low)
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


def _value(link: Link, asked: Question) -> sympy.Expr:
    value = to_sympy(link.node, asked.symbols.__getitem__)
    value = value.replace(lambda p: p.is_Pow and p.base == 2 and p.exp.free_symbols, lambda p: exp2(p.exp))
    if _degree(value) > MAX_DEGREE:
        raise RoofproofError("a formula of too high a degree; at most <most> is read", most=MAX_DEGREE)
    if value.has(sympy.Max, sympy.Min):  # which is larger is seen once products are written out
        extreme = sympy.Max, sympy.Min
        value = value.replace(lambda v: isinstance(v, extreme), lambda v: v.func(*map(sympy.expand, v.args)))
    if link.unit:
        value = value * sympy.Rational(link.unit.factor)
    return substitute(value, {n: v for n, v in asked.at.items() if n != asked.unknown})


def _degree(value: sympy.Expr) -> int:
    """Return a bound on the degree of a formula; one beyond all that is read where a size stands in an exponent."""
    if value.is_Pow:
        base, power = value.args
        return _degree(base) * ceil(abs(power)) if power.is_Rational else MAX_DEGREE + 1
    degrees = [_degree(a) for a in value.args]
    return sum(degrees) if value.is_Mul else max(degrees, default=int(value.is_Symbol))


def has_wrong_unit(link: Link, asked: Question) -> bool:
    """Tell whether the unit of a value is that of another quantity: seconds for bytes."""
    if link.unit is None or link.unit.dimension == PLAIN:
        return False
    return UNITS.get(asked.asks, PLAIN) != link.unit.dimension


def graded(said: Said, key: Key, asked: Question) -> str:
    """Return `right`, `digits`, `limit`, `close` or `wrong` for what an answer comes to."""
    grade = exactly(said, key, asked)
    if grade in ("right", "digits"):
        return grade
    if key.limit is not None and exactly(said, key.limit, asked) in ("right", "digits"):
        return "limit"
    if key.limit is None or not _same_limit(said, key, asked):
        return grade
    return "limit"


def exactly(said: Said, key: Key, asked: Question, of_all: bool = False) -> str:
    """Return the grade without regard to the regime; with `of_all`, over integers that are no sizes, too.

    A slip gives an answer, and not another one that is the same for the few sizes that there are.
    """
    if asked.asks in ("smallest", "largest"):
        return _bounded(said, key, asked, True) if key.integer is None else _whole(said, key.integer, asked, of_all)
    if asked.asks in SOLVED:
        return _bounded(said, key, asked, of_all)
    return "wrong" if key.value is None or said.relation not in "=≈" else near(said, key.value, asked)


def near(said: Said, value: sympy.Expr, asked: Question) -> str:
    """Return the grade of a value held to the exact one."""
    if not value.is_number or not said.value.is_number:
        return _formula(said, value, asked)
    if said.value == value:
        return "right"
    exact = rational(value)
    claimed = rational(said.value)
    if exact == claimed:  # sixty digits agree: equal, or not told apart
        return "right" if same(said.value, value) else "wrong"
    if exact == 0 or claimed == 0:
        return "wrong"
    off = abs(claimed / exact - 1)
    if said.printed is not None and asked.tolerance != "exact":
        agrees = agreement(exact / said.factor, said.printed)
        if agrees is not None and (agrees.digits > 1 or off <= ONE_DIGIT):
            return "digits"
    if asked.tolerance == "exact":
        return "wrong"
    return "close" if _tolerated(claimed / exact, asked) else "wrong"


def _tolerated(ratio: Fraction, asked: Question) -> bool:
    """Tell whether so many times the right value is near enough by the tolerance of the question."""
    if asked.tolerance == "exact" or ratio <= 0:
        return False
    if asked.tolerance == ORDER:
        return Fraction(1, 10) <= ratio**2 <= 10
    return abs(ratio - 1) <= (CLOSE if asked.tolerance == "digits" else share_of(asked.tolerance))


def rational(value: sympy.Expr) -> Fraction:
    """Return a number as a fraction; an irrational one to sixty digits, which no printed number has."""
    if not value.is_Rational:
        value = sympy.Rational(str(sympy.N(value, 60)))  # float: sixty digits, compared with printed ones only
    return Fraction(int(value.p), int(value.q))


def same(a: sympy.Expr, b: sympy.Expr) -> bool:
    """Tell whether two formulas are equal for all sizes."""
    try:
        ring = Ring.of(a, b)
        (p, q), (r, s) = ring.fraction(a), ring.fraction(b)
        return bool(p * s == r * q)
    except RoofproofError:
        return bool(sympy.simplify(a - b) == 0)


def _formula(said: Said, value: sympy.Expr, asked: Question) -> str:
    """Return the grade of a formula: `close` has the terms of the right one, with figures rounded in them."""
    if same(said.value, value):
        return "right"
    of_figures = asked.chip is not None and asked.asks in (*SOLVED, "time")
    if not (said.decimal or of_figures) or not said.value.free_symbols:
        return "wrong"
    try:
        ring = Ring.of(said.value, value)
        (p, q), (r, s) = ring.fraction(said.value), ring.fraction(value)
    except RoofproofError:
        return "wrong"
    theirs, right = [{**_terms(a, "above"), **_terms(b, "below")} for a, b in ((p, q), (r, s))]
    if theirs.keys() != right.keys():
        return "wrong"
    ratios = [theirs[term] / right[term] for term in right]
    return "close" if all(_tolerated(ratio / ratios[-1], asked) for ratio in ratios) else "wrong"


def _terms(polynomial: Poly, side: str) -> dict[tuple[str, tuple[int, ...]], Fraction]:
    """Return the coefficients of a polynomial by side of the quotient and exponents."""
    return {(side, exponents): Fraction(int(c.p), int(c.q)) for exponents, c in polynomial.terms()}


def _same_limit(said: Said, key: Key, asked: Question) -> bool:
    """Tell whether a formula is right in the regime: the quotient of the two tends to 1."""
    exact = key.value
    if exact is None and key.there is not None and len(bounds(key.there)) == 1:
        if not _direction(said.relation, key.there):
            return False
        [exact] = bounds(key.there)
    elif said.relation not in "=≈":  # a bound on a value is no value
        return False
    if exact is None or not said.value.free_symbols or asked.regime is None:
        return False
    try:
        return bool(limit(said.value / exact, asked.regime).value == 1)
    except RoofproofError:
        return False


def _direction(relation: str, threshold: Threshold) -> bool:
    return relation in "=≈" or {"above": ">", "below": "<"}.get(threshold.kind, "") == relation[0]


def _bounded(said: Said, key: Key, asked: Question, of_all: bool) -> str:
    threshold = key.threshold if of_all else key.there
    assert threshold is not None and key.threshold is not None
    exact = bounds(threshold)
    options = _sets(said, threshold if exact else key.threshold)
    if not options:
        return "wrong"
    bare = said.low is None and said.relation in "=≈"
    of_all = of_all or (bare and threshold.kind == "never")  # no number is the bound where there is none
    sizes = Allowed(asked.allowed.unknown) if of_all else asked.compared
    if any(_equal(o, threshold, sizes) for o in options):
        return "right"
    if not (bare or of_all) and any(_of_parts(o, threshold, asked) for o in options):
        return "right"
    if not (bare or of_all) and any(_proved_equal(o, key, asked) for o in options):
        return "right"
    if len(exact) != 1 or said.low is not None or not _direction(said.relation, threshold):
        return "wrong"
    grade = near(said, exact[0], asked)
    if grade == "right" and said.relation not in "=≈" and ("=" in said.relation) == threshold.strict:  # type: ignore[union-attr]
        return "close"  # the number is right; the boundary value was wrongly included or excluded
    return grade


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


def _equal(a: Threshold, b: Threshold, sizes: Allowed) -> bool:
    """Tell whether two solutions hold for the same sizes."""
    if a == b:
        return True
    ends = (*bounds(a), *bounds(b))
    if not all(e.is_number for e in ends) or any(map(too_long, ends)):
        return False
    a, b = sizes.bare(a), sizes.bare(b)
    if b.kind in ("outside", "several"):
        return a == b
    ours, theirs = ((sizes.integer(t, False), sizes.integer(t, True)) for t in (a, b))
    return ours == theirs


def _of_parts(a: Threshold, b: Threshold, asked: Question) -> bool:
    """Tell whether a solution ends with sizes that divide what they must, and is right of all those that do."""
    sizes = asked.allowed
    if not all(e.is_number and not too_long(e) for e in bounds(a)):
        return False
    a = asked.compared.bare(a)
    ends = [(end, closed) for p in region_of(a) for end, closed in (p.start, p.end) if end is not None]
    if not (sizes.whole or sizes.multiple_of > 1) or not all(end.is_Integer and closed for end, closed in ends):
        return False
    with suppress(RoofproofError):  # too many integers to look at
        return all(sizes.integer(Between(e, e, False)) == e for e, _ in ends) and _equal(a, b, sizes)
    return False


def _proved_equal(a: Threshold, key: Key, asked: Question) -> bool:
    """Tell whether a formula is proved to say what the key says, of the sizes that the operation compares with it."""
    open_ = [c for c in map(no_larger, asked.allowed.open) if c != sympy.true]
    if not open_ or key.threshold is None:
        return False
    from roofproof.claims.judging.decide_condition import decide_condition  # half of the start, for few answers
    from roofproof.claims.judging.domain import Domain, formula_of

    x = asked.allowed.unknown
    try:
        there = Domain().where(*(formula_of(c)[0] for c in (*open_, *asked.compared.bounds, key.when)))
        return decide_condition(Iff(key.threshold.holds(x), a.holds(x)), there, steps=STEPS).status == "proved"
    except (RoofproofError, KernelError):
        return False


def _whole(said: Said, right: int, asked: Question, of_all: bool) -> str:
    """Return the grade of a smallest or largest integer: the number, or the bound that has it at its end."""
    least, there = asked.asks == "smallest", asked.key.there
    if there is not None and not of_all and (said.low is not None or said.relation not in "=≈"):
        options = _sets(said, there)
        if any(_equal(o, there, asked.compared) or _of_parts(o, there, asked) for o in options):
            return "right"
    if said.low is not None or (said.relation not in "=≈" and (said.relation[0] == ">") != least):
        return "wrong"
    value = said.value
    if not value.is_number:
        return "wrong"
    number = rational(value)
    end = number
    if said.relation not in "=≈":
        strict = "=" not in said.relation
        end = (
            Fraction(floor(number) + 1 if strict else ceil(number))
            if least
            else Fraction(ceil(number) - 1 if strict else floor(number))
        )
    if end == right:
        return "right"
    if end != number and number == right:
        return "wrong"  # the number is right, and left out
    return near(Said("=", value, said.printed, said.factor), sympy.Integer(right), asked)
