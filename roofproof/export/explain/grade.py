"""Feedback on a student's answer: its grade, hints, and the solution on request."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import ROUND_FLOOR, ROUND_HALF_EVEN
from typing import Any

import sympy

from roofproof.claims.answers.feedback import AtPoint, at_a_point, observations, part_of, solution
from roofproof.claims.answers.grade import Grade
from roofproof.claims.answers.question import SOLVED, Question, right_value
from roofproof.claims.kinds import UNDECIDED
from roofproof.errors import explaining
from roofproof.export.doc import (
    Bounded,
    Decimal,
    Doc,
    Formula,
    Inline,
    Line,
    Message,
    Seconds,
    Section,
    TextOrTypeset,
    between,
    say,
)
from roofproof.export.explain.mistakes import mistake_phrase
from roofproof.export.numbers import about, equals
from roofproof.export.to_text import indented_text

HINTS = 4
LONG = 10**60  # numbers from here on are printed with only their first digits
WORTH = {
    "right": "Right.",
    "digits": "Right to the digits given.",
    "limit": "Right in the limit, not exactly.",
    "close": "Close, within the tolerance, but not right to the digits given.",
    "wrong": "Wrong.",
    UNDECIDED: "Undecided: whether this is right could not be proved.",
}
OF_LIMITS = {"limit-for-exact": WORTH["limit"], "exact-for-limit": "Exact, where the rule of thumb was asked for."}
OBSERVED = {
    "times-as-large": "it is <factor> times as large as the right answer",
    "times-too-small": "the right answer is <factor> times as large",
    "too-large-by": "it is too large by <share> %",
    "too-small-by": "it is too small by <share> %",
    "too-large": "it is too large",
    "too-small": "it is too small",
    "terms-missing": "what is missing: <terms>",
    "terms-extra": "what is too much: <terms>",
    "agree": "the two formulas agree for large <name>",
    "other-way": "the inequality points the other way",
    "not-never": "there are sizes at which it holds",
    "not-always": "there are sizes at which it does not hold",
    "no-such-size": "the right answer does not depend on <names>",
    "size-missing": "the right answer depends on <names>, too",
}
LOOK = {
    "flops": "look at the FLOPs",
    "bytes": "look at the bytes that are moved",
    "figures": "look at the specs of the chip",
    "units": "look at the units",
    "limit": "look at what is exact and what holds in the limit",
    "relation": "look at the direction of the inequality and at its end",
    "times": "look at the two times",
    "quotient": "look at what is divided by what",
}
QUANTITY = {
    "flops": "how many FLOPs are there for each element of the result?",
    "bytes": "which tensors are moved, and how many bytes has each element?",
    "figures": "which peak and which bandwidth does this operation use, and in which direction?",
    "units": "which prefix does the result have: 10^3, 10^6, 2^20, milli?",
    "limit": "is the exact value asked for, or what it tends to?",
    "relation": "on which side of the bound is the operation compute-bound, and is the bound itself in it?",
    "times": "how long does computing take, and how long does moving the bytes?",
    "quotient": "the intensity is FLOPs over bytes; the ridge point is FLOP/s over bytes/s",
}
STEP = {
    "flops": "multiply the sizes of all loops; each multiply-add is two FLOPs",
    "bytes": "for each tensor read or written, multiply its sizes by the bytes of an element, and add",
    "figures": "take the peak of the format that is multiplied, and the bandwidth of the level that is crossed",
    "units": "write each quantity in FLOP/s, byte/s and seconds before you divide",
    "limit": "divide by what grows, and see which terms vanish",
    "relation": "compare the two times, FLOPs over peak and bytes over bandwidth: which one is longer?",
    "times": "compare FLOPs over peak and bytes over bandwidth: which one takes longer?",
    "quotient": "divide the FLOPs by all bytes moved; to find a size, set the quotient "
    "equal to the ridge point and solve",
}
NEAREST = {
    "bound": ("memory-bound", "compute-bound"),
    "flops": ("2*B*D*F", "4.29e9"),
    "bytes": ("2*B*D + 2*D*F", "34 MiB"),
    "memory": ("681 KiB", "8*R^2"),
    "time": ("43.5 us", "1.9e-3 s"),
    "ridge": ("240.5 FLOP/B", "197/0.819"),
    "intensity": ("B*D*F/(B*D + D*F)", "1/6"),
    "share": ("3/4", "42.9 %"),
}


def grade_text(found: Grade, asked: Question, lang: str = "en", hint: int | None = None, reveal: bool = False) -> str:
    """Return the feedback for a student as text, with the solution only if `reveal` or at the fourth hint."""
    return indented_text(explain_grade(found, asked, HINTS if reveal else hint), lang)


def explain_grade(found: Grade, asked: Question, hint: int | None = None) -> Doc:
    """Return the feedback for a student, with the solution as the fourth hint.

    >>> from roofproof import op
    >>> from roofproof.claims.answers.grade import grade
    >>> asked = Question(op("matmul"), asks="flops")
    >>> print(indented_text(explain_grade(grade(asked, "BDF"), asked)))
    Wrong. Probable mistake: a multiply-add was counted as one FLOP; it is two
      read as: FLOPs = B D F
      at B = 256, D = 4096, F = 4096 yours gives 4294967296, the right one 8589934592
    >>> print(indented_text(explain_grade(grade(asked, "BDF"), asked, hint=1)))
    Wrong.
      read as: FLOPs = B D F
      look at the FLOPs
    """
    if found.grade == "unreadable":
        first, second = example_answers(asked, found.read_as)
        form = "The answer could not be read: <why>; accepted forms: <first>, <second>"
        return Doc(say(form, why=Message(found.note), first=first, second=second), ())
    rows = tuple(map(Line, _feedback(found, asked, hint)))
    passed = found.grade in ("right", "digits", UNDECIDED)
    steps = () if passed or hint is None or hint < HINTS else tuple(_derivation(asked))
    return Doc(_answer(found, asked, hint), (Section((), rows), *steps))


def _answer(found: Grade, asked: Question, hint: int | None) -> Inline:
    """Return the grade of an answer, with the probable mistake unless a hint was requested."""
    worth = say(WORTH[found.grade])
    if found.grade == "close" and asked.asks in ("smallest", "largest"):  # a tolerance does not apply to integers
        worth = say("Close, but not the right integer.")
    if found.grade == "limit" and found.slip in OF_LIMITS:
        return say(OF_LIMITS[found.slip])
    if not found.slip or found.grade in ("right", "digits", UNDECIDED) or not (hint is None or hint >= HINTS):
        return worth
    mistake = mistake_phrase(found.slip, found.about)
    return say("<grade> Probable mistake: <slip>", grade=worth, slip=mistake)


def _feedback(found: Grade, asked: Question, hint: int | None) -> Iterator[Inline]:
    yield say("read as: <answer>", answer=Message(found.read_as))
    if found.grade == UNDECIDED:
        yield say("why: <why>", why=Message(found.note or (found.held.why if found.held else "")))
        return
    if found.wrong_link:
        yield say("equation <place> of the chain is wrong: <link>", place=str(found.wrong_link), link=found.link)
    if found.left_line:
        yield say("line <place> leaves the derivation: <line>", place=str(found.left_line), line=found.link)
    if found.before and (found.wrong_link or found.left_line):
        yield say("up to there it is right: <link>", link=found.before)
    if found.note:
        yield Message(found.note)
    if found.grade in ("right", "digits"):
        return
    if hint is None or hint >= HINTS:
        said = feedback(found, asked)
        if found.slip:
            next(said)  # the heading already names the mistake
        yield from said
    if hint is not None:
        yield from hints(found, asked)[:hint] if hint < HINTS else [_the_answer(asked)]


def _derivation(asked: Question) -> Iterator[Section]:
    """Yield the worked solution of a question, which for a threshold is the proof line by line."""
    from roofproof.claims.answers.proved import basis
    from roofproof.export.explain.steps import explain_steps
    from roofproof.export.explain.worked import explain_worked
    from roofproof.proofs.steps.answer import answer_steps

    if asked.asks not in SOLVED:
        yield from explain_worked(asked).sections
    elif (proved := basis(asked)[0]) is not None:
        keys = ("limit",) if asked.asks == "rule" else ("threshold", "sizes")
        yield from explain_steps(made for made in answer_steps(proved) if made.key in keys).sections


def feedback(found: Grade, asked: Question, point: AtPoint | None = None) -> Iterator[Inline]:
    """Yield the mistake, or observations if no mistake fits, and the values of both formulas at a point."""
    point = point or at_a_point(found, asked)
    if found.slip:
        yield say("probable mistake: <slip>", slip=mistake_phrase(found.slip, found.about))
        if found.runner_up:
            yield say("or: <slip>", slip=mistake_phrase(found.runner_up))
    else:
        if found.grade == "wrong" and found.said is not None:
            yield say("no common mistake gives this answer")
        yield from _observed(found, asked)
    if point is not None:
        sizes, theirs, ours = point
        if found.grade == "limit" and 100 * abs(theirs - ours) < ours:
            return  # the two values look alike
        every = between((Formula(name, "=", size) for name, size in sizes.items()), say(", "))
        form = "at <sizes> yours gives <theirs>, the right one <ours>"
        yield say(form, sizes=every, theirs=_number(theirs), ours=_number(ours))


def _observed(found: Grade, asked: Question) -> Iterator[Inline]:
    with explaining():
        for one in observations(found, asked):
            parts: dict[str, Inline] = dict(one.parts)
            if "names" in parts:
                parts["names"] = between(one.parts["names"].split(", "), say(", "))
            yield say(OBSERVED[one.key], **parts)


def _number(value: Any) -> Inline:
    long = any(max(abs(n.p), n.q) >= LONG for n in value.atoms(sympy.Rational))
    if long or not (value.is_Integer or len(str(value)) < 24):
        return TextOrTypeset(about(value), Decimal(value))
    return TextOrTypeset(equals(value), value if value.is_Integer else Formula(value, Decimal(value)))


def hints(found: Grade, asked: Question) -> list[Inline]:
    """Return four hints of increasing detail: where to look, which quantity, the step, the solution."""
    part = part_of(found, asked)
    step: Inline = say(STEP[part])
    if found.slip:
        step = mistake_phrase(found.slip, found.about)
    elif (seen := next(_observed(found, asked), None)) is not None:
        step = say("<seen>; <step>", seen=seen, step=step)
    return [say(LOOK[part]), say(QUANTITY[part]), step, _the_answer(asked)]


def _the_answer(asked: Question) -> Inline:
    """Return the right answer: exact, with a decimal if it is a fraction, and a time with its unit."""
    answer: list[Inline] = [solution(asked)]
    value = right_value(asked.key, asked)
    if value is not None and value.is_number:
        if asked.asks == "time":
            answer += [" s ", Seconds(value)]
        elif not value.is_Integer:
            cut = ROUND_FLOOR if asked.asks == "memory" else ROUND_HALF_EVEN
            answer += [" ", TextOrTypeset(about(value, cut), Decimal(value))]
    if (late := asked.with_start) is not None:
        assert late.kept is not None and late.key.allowed_threshold is not None
        there: Inline = late.key.integer or Bounded(late.allowed.unknown, late.key.allowed_threshold, short=True)
        start = Seconds(late.kept.start, bare=True)
        answer.append(say("; with the start of <start> counted: <answer>", start=start, answer=there))
    return say("the right answer: <answer>", answer=tuple(answer))


def example_answers(asked: Question, so_far: str = "") -> tuple[str, str]:
    """Return two example answers to a question, with the number that the student wrote, if there is one.

    >>> from roofproof import op
    >>> asked = Question(op("matmul"), unknown="B")
    >>> example_answers(asked, "about 300"), example_answers(asked)
    (('B > 300', '300'), ('B > 240', 'never'))
    """
    if asked.asks in SOLVED:
        met = re.findall(r"(?<![\w.])[0-9]+(?:\.[0-9]+)?(?![\w.])", so_far)[:2]
        least = asked.asks in ("smallest", "largest")
        sign = "=" if least else "<" if "<" in so_far else ">"
        number = met[0] if len(met) == 1 else "240"
        return f"{asked.unknown} {sign} {number}", number if len(met) == 1 or least else "never"
    return NEAREST[asked.asks]
