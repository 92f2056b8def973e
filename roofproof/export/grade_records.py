"""The grade of an answer as a JSON record, with the content of the text output and the solution."""

from __future__ import annotations

from typing import Any

from roofproof.claims.answers.feedback import at_a_point, solution
from roofproof.claims.answers.grade import Grade
from roofproof.claims.answers.question import Question
from roofproof.claims.kinds import UNDECIDED
from roofproof.export.doc import Message
from roofproof.export.explain.grade import feedback, hints
from roofproof.export.to_text import inline_text
from roofproof.proofs.known import Unproved


def grade_record(found: Grade, asked: Question, lang: str = "en") -> dict[str, Any]:
    """Return a grade as data for JSON, with the content of the text output and the solution."""
    from roofproof.claims.answers.proved import trust_of

    right = solution(asked)
    point = at_a_point(found, asked) if found.grade not in _SILENT else None
    meant = found.held.asked if found.held else asked
    return {
        "grade": found.grade,
        "read_as": found.read_as,
        "verdict": _VERDICTS[found.grade],
        "trust": Unproved.trust if found.grade == UNDECIDED else trust_of(found.known, meant),
        "slip": found.slip or None,
        "about": found.about or None,
        "runner_up": found.runner_up or None,
        "hints": [] if found.grade in _SILENT else [inline_text(each, lang) for each in hints(found, asked)],
        "says": [] if found.grade in _SILENT else [inline_text(each, lang) for each in feedback(found, asked, point)],
        "at": None if point is None else point[0],
        "theirs": None if point is None else str(point[1]),
        "right": right if point is None else str(point[2]),
        "solution": right,
        "wrong_link": found.wrong_link or None,
        "left_line": found.left_line or None,
        "note": inline_text(Message(found.note), lang),
    }


_SILENT = ("right", "digits", "unreadable", UNDECIDED)  # grades without hints
_VERDICTS = {"right": "verified", "digits": "rounded", "limit": "approximate", "close": "refuted", "wrong": "refuted",
             "unreadable": UNDECIDED, UNDECIDED: UNDECIDED}  # fmt: skip
