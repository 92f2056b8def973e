"""Wrong answers that result from common mistakes, each proved different from the key."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

import sympy

from roofproof.claims.answers.grade import grade
from roofproof.claims.answers.question import LABELS, SOLVED, Key, Question, label_times, right_value
from roofproof.claims.mistakes.of_answers import Edit, edits
from roofproof.derive.algebra.text import plain
from roofproof.derive.inequalities.cases import plain_threshold, substitute, with_bounds
from roofproof.derive.roofline.memory_fit import requirements
from roofproof.ops.roles import role_of
from roofproof.proofs.kernel.terms import Formula, Term
from roofproof.proofs.known import ByCounterexample, Known, warranted
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import to_term, with_functions

DIGITS = 4  # digits of a displayed number
LARGEST = 10_000_000  # integers below this are written out in full
SIMPLE = {sympy.Rational(p, q) for q in (3, 6, 9, 12) for p in range(1, q)}
UNITS = {"ridge": " FLOP/B", "intensity": " FLOP/B"}
SECONDS = ((1, "s"), (1000, "ms"), (10**6, "us"), (10**9, "ns"))
NEAR = sympy.Rational(1, 20)  # numbers closer than this look the same with as few digits as students write
FAR = 50  # a number larger or smaller than the key by this factor is obviously wrong
FEWEST = 2  # with fewer wrong answers than this, one that is far from the key is better than none


@dataclass(frozen=True, slots=True)
class Distractor:
    """A wrong answer as a student would write it, the mistake behind it, and the proof that it differs from the key.

    `other` is another mistake that gives the same answer.
    """

    key: Key
    shown: str
    slip: str
    about: str
    differs: Known
    other: str = ""


def distractors(asked: Question, most: int = 4) -> tuple[Distractor, ...]:
    """Return up to `most` wrong answers, likeliest mistakes first, no two of them alike.

    >>> from roofproof import op
    >>> found = distractors(Question(op("matmul"), asks="bytes"), 2)          # 2 bytes: 2 B D + 2 D F + 2 B F
    >>> [(d.shown, d.slip, d.differs.trust) for d in found]
    [('B*D + B*F + D*F', 'bytes-per-element', 'kernel'), ('2*B*D + 2*D*F', 'dropped-tensor:z', 'kernel')]

    The grader itself grades each one `wrong` and names its mistake. No mistake is used twice. A number far from the key
    is used only if there are too few others.
    """
    found: list[Distractor] = []
    far: list[Distractor] = []
    reasons: dict[tuple[str, str], None] = {}
    for key, differs, edit in _wrong(asked):
        if same := next((d for d in found if _alike(key, d.key, asked)), None):
            if edit is not None and _is_another(edit, same) and _equal(key, same.key, asked):
                found[found.index(same)] = replace(same, other=edit.full_name)
            continue
        if len(found) == most:
            if edit is None or edit.of.rare:
                break
            continue
        text = shown(key, asked)
        graded = grade(asked, text)
        explained = graded.slip or asked.asks == "bound"
        reason = graded.slip, graded.about
        if graded.grade != "wrong" or not explained or _alike(key, asked.key, asked):
            continue
        if asked.asks != "bound" and reason in reasons:
            continue
        made = Distractor(key, text, graded.slip, graded.about, differs)
        if _is_far(key, asked):
            far.append(made)
            continue
        reasons[reason] = None
        found.append(made)
    return tuple(found) if len(found) >= FEWEST else (*found, *far[:1])


def _is_another(edit: Edit, than: Distractor) -> bool:
    """Return whether a mistake is a second common one, in the specs of a chip, that gives the same answer."""
    return edit.of.part == "figures" and not edit.of.rare and not than.other and edit.of.name != than.slip


def _is_far(key: Key, asked: Question) -> bool:
    """Return whether a number is far from the key."""
    here, there = right_value(asked.key, asked), right_value(key, asked)
    if here is None or there is None or not all(v.is_Rational and v != 0 for v in (here, there)):
        return False
    return bool(abs(here / there) > FAR or abs(there / here) > FAR)


def shown(key: Key, asked: Question) -> str:
    """Return an answer as a student would write it, with numbers other than integers rounded to four digits.

    >>> from roofproof import chip, op
    >>> asked = Question(op("matmul"), chip("tpu-v5e"), "B", "D, F >> B", asks="rule")              # 197000/819
    >>> shown(asked.key, asked)
    'B > 240.5'
    """
    if asked.asks in ("smallest", "largest") and key.integer is not None:
        return str(key.integer)
    if asked.asks in SOLVED and key.allowed_threshold is not None and not key.label:
        x = next(s for s in asked.op.dims if s.name == asked.unknown)
        when = "" if key.when == sympy.true else f" when {plain(key.when)}"
        return plain_threshold(x, with_bounds(key.allowed_threshold, _rounded)) + when
    if key.label:
        return key.label
    assert key.value is not None
    if asked.asks == "time" and key.value.is_Rational:
        factor, unit = next((each for each in SECONDS if key.value * each[0] >= 1), SECONDS[-1])
        return f"{plain(_rounded(key.value * factor, ROUND_FLOOR))} {unit}"
    cut = ROUND_FLOOR if asked.asks == "memory" else ROUND_HALF_EVEN
    return plain(_rounded(key.value, cut)) + (UNITS.get(asked.asks, "") if key.value.is_number else "")


def is_rounded(key: Key) -> bool:
    """Return whether an answer is a number that is displayed rounded.

    >>> is_rounded(Key(sympy.Rational(1250, 9))), is_rounded(Key(sympy.Integer(250))), is_rounded(Key(label="never"))
    (True, False, False)
    """
    if key.value is None or key.threshold is not None or key.integer is not None:
        return False
    short = _rounded(key.value)
    return short is not key.value and Fraction(str(short)) != Fraction(int(key.value.p), int(key.value.q))


def _rounded(value: sympy.Expr, rounding: str = ROUND_HALF_EVEN) -> sympy.Expr:
    """Return a rational number as a symbol that prints as its decimal, and formulas and simple fractions unchanged."""
    if not value.is_Rational or (value.is_Integer and abs(value) < LARGEST) or value in SIMPLE:
        return value
    number = Decimal(int(value.p)) / Decimal(int(value.q))
    short = Context(DIGITS, rounding).plus(number)
    exactly = Fraction(short) == Fraction(int(value.p), int(value.q))
    text = f"{short.normalize() if exactly else short:g}"
    return sympy.Symbol(text.replace("e+", "e"))


def _wrong(asked: Question) -> Iterator[tuple[Key, Known, Edit | None]]:
    """Yield the wrong keys, each with the proof that it differs from the right one, and its mistake."""
    if asked.asks == "bound":
        yield from ((key, known, None) for key, known in _labels(asked))
        return
    for edit in edits(asked):
        if edit.key is None or edit.of.name in _never(edit.key, asked):
            continue
        if (differs := different(asked.key, edit.key, asked)) is not None:
            yield edit.key, differs, edit


def _never(key: Key, asked: Question) -> tuple[str, ...]:
    """Return mistakes that nobody makes with this question: a prefix in a formula, the reciprocal of a size."""
    if asked.asks == "flops":
        return "prefix", "prefix:binary"
    of_a_formula = key.value is not None and key.value.free_symbols
    if asked.asks in SOLVED:
        return "prefix", "reciprocal"
    return ("prefix",) if of_a_formula else ()


def _labels(asked: Question) -> Iterator[tuple[Key, Known]]:
    """Yield the wrong answers to a question about the bound: each resource whose time is not the longest."""
    times = label_times(asked)
    longest = max(times.values())
    for label in LABELS:
        if label in times and times[label] < longest:
            goal = Formula(">", to_term(longest), to_term(times[label]))
            statement = Statement(f"another resource takes longer: not {label}", (), goal, somewhere=True)
            yield Key(label=label), Known(statement, ByCounterexample({}))


def different(right: Key, wrong: Key, asked: Question) -> Known | None:
    """Prove that an answer is not the key by a point at which the two differ, or return None.

    >>> from roofproof import op
    >>> asked = Question(op("matmul"), asks="flops")
    >>> different(asked.key, Key(value=asked.key.value / 2), asked).warrant.point
    {'B': Fraction(256, 1), 'D': Fraction(4096, 1), 'F': Fraction(4096, 1)}
    """
    pair = right_value(right, asked), right_value(wrong, asked)
    if pair[0] is None or pair[1] is None or (pair[0].is_number and not pair[1].is_number):
        return None  # it contains a size that the question does not name
    names = sorted(pair[0].free_symbols | pair[1].free_symbols, key=str)
    sizes = {s: sympy.Integer(role_of(asked.op, s.name).usual) for s in names}
    point = {s.name: Fraction(int(v)) for s, v in sizes.items()}
    if right.threshold is None:
        goal = Formula("not", Formula("=", *map(with_functions, pair)))
    else:
        here = [substitute(value, {s.name: v for s, v in sizes.items()}) for value in pair]
        if not all(v.is_Rational for v in here):
            return None
        between = sympy.floor(max(here))
        x = asked.unknown or ""
        point[x] = Fraction(int(between))
        unknown = Term("v", x)
        sides = [Formula(">", unknown, with_functions(value)) for value in pair]
        goal = Formula("not", Formula("<=>", *sides))
    sizes_there = {**asked.at, **{name: int(v) for name, v in point.items()}}
    if any(substitute(c, sizes_there) == sympy.false for c in requirements(asked.op, asked.chip)):
        return None  # the operation does not allow these sizes
    about = "the two answers differ"
    return warranted(Statement(about, (), goal, somewhere=True), ByCounterexample(point))


def _alike(one: Key, other: Key, asked: Question) -> bool:
    """Return whether two answers look the same, or are numbers too close to distinguish after rounding."""
    if _equal(one, other, asked):
        return True
    here, there = right_value(one, asked), right_value(other, asked)
    if here is None or there is None or not all(v.is_Rational and v != 0 for v in (here, there)):
        same = here is not None and there is not None and sympy.cancel(here - there) == 0  # two forms of one formula
        return same or shown(one, asked) == shown(other, asked)
    return bool(abs(here / there - 1) < NEAR)


def _equal(one: Key, other: Key, asked: Question) -> bool:
    """Return whether two answers are the same number."""
    here = right_value(one, asked)
    return here is not None and here.is_number and here == right_value(other, asked)
