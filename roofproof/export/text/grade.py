"""The grade of a student's answer in words: what it is worth, where to look, and the solution when it is asked for."""

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
from roofproof.export.text.formatting import about, equals, seconds, shortly
from roofproof.export.words.catalogue import Catalogue
from roofproof.proofs.known import Open

HINTS = 4
LONG = 10**60  # a number of which only the first digits are shown
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
    """Return the feedback for the student; the solution only with `reveal` or at the fourth hint.

    >>> from roofproof import op
    >>> from roofproof.claims.answers.grade import grade
    >>> asked = Question(op("matmul"), asks="flops")
    >>> print(grade_text(grade(asked, "BDF"), asked))
    Wrong.
      read as: FLOPs = B D F
      probably: a multiply-add was counted as one FLOP; it is two
      at B = 256, D = 4096, F = 4096 yours gives 4294967296, the right one 8589934592
    >>> print(grade_text(grade(asked, "BDF"), asked, hint=1))
    Wrong.
      read as: FLOPs = B D F
      look at the FLOPs
    """
    words = Catalogue(lang, "grades")
    if found.grade == "unreadable":
        first, second = nearest(asked, found.read_as)
        return words.say("unreadable", why=found.note, first=first, second=second)
    lines = [words[found.grade], *(f"  {line}" for line in _told(found, asked, words, HINTS if reveal else hint))]
    return "\n".join(lines)


def _told(found: Grade, asked: Question, words: Catalogue, hint: int | None) -> Iterator[str]:
    if found.grade == UNDECIDED:
        yield words.say("read-as", answer=found.read_as)
        yield words.say("stopped", why=found.note or (found.held.why if found.held else ""))
        return
    yield words.say("read-as", answer=found.read_as)
    if found.wrong_link:
        yield words.say("wrong-link", place=str(found.wrong_link), link=found.link)
        if found.before:
            yield words.say("before-link", link=found.before)
    if found.left_line:
        yield words.say("left-line", place=str(found.left_line), line=found.link)
        if found.before:
            yield words.say("before-link", link=found.before)
    if found.note:
        yield words.told(found.note)
    if found.grade in ("right", "digits") or hint is None:
        yield from _plainly(found, asked, words) if found.grade not in ("right", "digits") else ()
        return
    yield from (
        hints(found, asked, words)[:hint]
        if hint < HINTS
        else [*_plainly(found, asked, words), _the_answer(asked, words), *_steps(asked, words)]
    )


def _steps(asked: Question, words: Catalogue) -> Iterator[str]:
    """Yield the derivation of what is asked; of a threshold the steps to it, and to the number at the sizes."""
    from roofproof.claims.answers.proved import basis
    from roofproof.export.explain.steps import explain_steps
    from roofproof.export.to_text import lines_text
    from roofproof.proofs.steps.answer import answer_steps

    if asked.asks in SOLVED and (proved := basis(asked)[0]) is not None:
        keys = ("limit",) if asked.asks == "rule" else ("threshold", "sizes")
        told = (made for made in answer_steps(proved) if made.key in keys)
        yield from lines_text(explain_steps(told), words.language)
    elif asked.asks not in SOLVED:
        from roofproof.export.worked import worked_text

        yield from worked_text(asked, words.language).splitlines()


def _plainly(found: Grade, asked: Question, words: Catalogue, point: AtPoint | None = None) -> Iterator[str]:
    """Yield the slip, or what can be said without one; both sides at a point, where these are formulas."""
    point = point or at_a_point(found, asked)
    if found.slip:
        yield words.say("probably", slip=_slip(found.slip, words, found.about))
        if found.runner_up:
            yield words.say("or-else", slip=_slip(found.runner_up, words))
    else:
        if found.grade == "wrong" and found.said is not None:
            yield words["no-slip"]
        yield from _observed(found, asked, words)
    if point is not None:
        sizes, theirs, ours = point
        shown = words["list"].join(f"{name} = {size}" for name, size in sizes.items())
        yield words.say("at-sizes", sizes=shown, theirs=_number(theirs), ours=_number(ours))


def _slip(name: str, words: Catalogue, about: str = "") -> str:
    from roofproof.export.text.slips import slip_said

    return slip_said(name, words.language, about)


def _observed(found: Grade, asked: Question, words: Catalogue) -> Iterator[str]:
    with explaining():
        for one in observations(found, asked):
            names = {"names": one.parts["names"].replace(", ", words["list"])} if "names" in one.parts else {}
            yield words.say(one.key, **one.parts | names)


def _number(value: Any) -> str:
    long = any(max(abs(n.p), n.q) >= LONG for n in value.atoms(sympy.Rational))
    return about(value) if long or not (value.is_Integer or len(str(value)) < 24) else equals(value)


def hints(found: Grade, asked: Question, words: Catalogue) -> list[str]:
    """Return four hints, each saying more: where to look, which quantity, the step, the solution."""
    part = part_of(found, asked)
    seen = next(_observed(found, asked, words), "")
    general = words[f"step-{part}"]
    step = (
        _slip(found.slip, words, found.about)
        if found.slip
        else words.say("step-after", seen=seen, step=general)
        if seen
        else general
    )
    return [words[f"look-{part}"], words[f"quantity-{part}"], step, _the_answer(asked, words)]


def _the_answer(asked: Question, words: Catalogue) -> str:
    """Return the right answer, exactly, and in decimals where it is a fraction; a time with its unit."""
    exact, value = words.told(solution(asked)), right_value(asked.key, asked)
    if value is not None and value.is_number:
        timed, cut = asked.asks == "time", ROUND_FLOOR if asked.asks == "memory" else ROUND_HALF_EVEN
        exact += f" s {seconds(value)}" if timed else "" if value.is_Integer else f" {about(value, cut)}"
    if (late := asked.with_start) is not None:
        from roofproof.formula.magnitudes import prefixed

        assert late.kept is not None and late.key.there is not None
        there = str(late.key.integer or "") or shortly(late.allowed.unknown, late.key.there, words)
        exact += words.say("and-with-start", start=prefixed(late.kept.start, "s"), answer=there)
    return words.say("the-answer", answer=exact)


def nearest(asked: Question, so_far: str = "") -> tuple[str, str]:
    """Return two answers that can be read, for what is asked, with the number that was read so far.

    >>> from roofproof import op
    >>> nearest(Question(op("matmul"), unknown="B"), "about 300"), nearest(Question(op("matmul"), unknown="B"))
    (('B > 300', '300'), ('B > 240', 'never'))
    """
    if asked.asks in SOLVED:
        met = re.findall(r"(?<![\w.])[0-9]+(?:\.[0-9]+)?(?![\w.])", so_far)[:2]
        least = asked.asks in ("smallest", "largest")
        sign = "=" if least else "<" if "<" in so_far else ">"
        number = met[0] if len(met) == 1 else "240"
        return f"{asked.unknown} {sign} {number}", number if len(met) == 1 or least else "never"
    return NEAREST[asked.asks]


def grade_record(found: Grade, asked: Question, lang: str = "en") -> dict[str, Any]:
    """Return a grade as data for JSON: what the text says, and the solution."""
    from roofproof.claims.answers.proved import trust_of

    words, right = Catalogue(lang, "grades"), solution(asked)
    point = at_a_point(found, asked) if found.grade not in _SILENT else None
    meant = found.held.asked if found.held else asked
    return {
        "grade": found.grade,
        "read_as": found.read_as,
        "verdict": _VERDICTS[found.grade],
        "trust": Open.trust if found.grade == UNDECIDED else trust_of(found.known, meant),
        "slip": found.slip or None,
        "about": found.about or None,
        "runner_up": found.runner_up or None,
        "hints": [] if found.grade in _SILENT else hints(found, asked, words),
        "says": [] if found.grade in _SILENT else list(_plainly(found, asked, words, point)),
        "at": None if point is None else point[0],
        "theirs": None if point is None else str(point[1]),
        "right": right if point is None else str(point[2]),
        "solution": right,
        "wrong_link": found.wrong_link or None,
        "left_line": found.left_line or None,
        "note": words.told(found.note),
    }


_SILENT = ("right", "digits", "unreadable", UNDECIDED)  # of which there is nothing to hint at
_VERDICTS = {"right": "verified", "digits": "rounded", "limit": "approximate", "close": "refuted", "wrong": "refuted",
             "unreadable": UNDECIDED, UNDECIDED: UNDECIDED}  # fmt: skip
