"""Requests to grade an answer: to a question of the user's own, or to an exercise of a built-in exercise file."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from roofproof.claims.answers.grade import grade
from roofproof.claims.answers.question import Question
from roofproof.errors import RoofproofError, quoted, refuse_unknown
from roofproof.export.explain.grade import HINTS, grade_text
from roofproof.export.explain.worked import hinted
from roofproof.export.grade_records import grade_record
from roofproof.export.to_text import inline_text
from roofproof.ops.notation.sizes import sizes_from
from roofproof.teach import Variant, variants
from roofproof.teach.bank_file import bank, shipped

Asked = Mapping[str, str]
QUESTION = ("op", "of", "chip", "for", "regime", "asks", "tolerance")
LONGEST = 4_000  # characters of an answer


def check(asked: Asked) -> dict[str, Any]:
    """Return the grade of an answer to a question, with the hints up to the requested one.

    >>> found = check({"op": "matmul", "asks": "flops", "answer": "BDF", "lang": "en"})
    >>> found["grade"], found["passed"], found["slip"]                     # a product and an addition each
    ('wrong', False, 'multiply-add-once')

    Raises RoofproofError for a question or an answer that cannot be used.
    """
    at = asked.get("at", "").strip()
    given = {name: asked.get(name, "").strip() for name in QUESTION}
    return _graded(Question.of(given, sizes_from([at]) if at else {}), asked)


def _graded(question: Question, asked: Asked) -> dict[str, Any]:
    text, hint = asked.get("answer", ""), asked.get("hint", "").strip()
    if not text.strip():
        raise RoofproofError("no answer yet; type one")
    if len(text) > LONGEST:
        raise RoofproofError("the answer has <count> characters; the limit is <most>", count=len(text), most=LONGEST)
    if hint not in ("", *map(str, range(1, HINTS + 1))):
        raise RoofproofError("hint <hint>: expected a number from 1 to <most>", hint=quoted(hint), most=HINTS)
    found = grade(question, text)
    said = grade_text(found, question, asked["lang"], int(hint) if hint else None)
    return grade_record(found, question, asked["lang"]) | {"passed": found.passed, "text": said}


def exercises(asked: Asked) -> dict[str, Any]:
    """Return the names of the built-in exercise files, or the exercises of one.

    >>> exercises({"lang": "en"})["banks"]
    ['edge-llm', 'llama-tutorial', 'memory', 'operations', 'rooflines']
    """
    name = asked.get("bank", "")
    if not name:
        return {"banks": shipped()}
    return {"bank": name, "exercises": [each.id for each in bank(_known(name)).exercises]}


def exercise(asked: Asked) -> dict[str, Any]:
    """Return a variant of an exercise, chosen by the seed, as a student sees it (without its key).

    >>> found = exercise({"bank": "rooflines", "id": "q1-bytes", "seed": "1", "lang": "en"})
    >>> sorted(found)
    ['asks', 'id', 'options', 'text']
    """
    made = _variant(asked)
    return {
        "id": made.exercise.id,
        "text": made.text(asked["lang"]),
        "options": list(made.options),
        "asks": made.asked.asks,
    }


def grade_variant(asked: Asked) -> dict[str, Any]:
    """Return the grade of an answer to a variant, with the exercise's own hints up to the requested one in `hinted`.

    >>> one = {"bank": "rooflines", "id": "q1-bytes", "seed": "1", "lang": "en"}
    >>> grade_variant({**one, "answer": _variant(one).key})["passed"]
    True
    """
    made = _variant(asked)
    found = _graded(made.asked, asked)
    hint = int(asked.get("hint", "").strip() or 0)
    told = hinted(made.hints(asked["lang"]), made.asked)[:hint]
    return found | {"hinted": [inline_text(each, asked["lang"]) for each in told]}


def _known(name: str) -> str:
    """Return the name of a built-in exercise file, so that user input never names a file to read."""
    refuse_unknown("exercise file", name, shipped())
    return name


def _variant(asked: Asked) -> Variant:
    seed = asked.get("seed", "0")
    if not (seed.isascii() and seed.isdigit() and len(seed) <= 18):
        raise RoofproofError("seed <seed>: expected a whole number, such as 7", seed=quoted(seed))
    return _find_variant(_known(asked.get("bank", "")), asked.get("id", ""), int(seed))


@lru_cache(maxsize=200)
def _find_variant(name: str, id: str, seed: int) -> Variant:
    found = {each.id: each for each in bank(name).exercises}
    refuse_unknown("exercise", id, found)
    return variants(found[id], 1, seed)[0]
