"""Requests of the pages to roofproof: a kind of request with text fields, answered in JSON.

The worker in the browser calls `in_json`, but nothing here depends on a browser.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from roofproof.errors import RoofproofError, Stopped, quoted, refuse_unknown
from roofproof.export.site import web_claims, web_exercises, web_operations
from roofproof.export.site.labels import LABELS
from roofproof.say import Words, translated

MOST = 4 * 1024 * 1024  # characters of a request, such as a claims file with its fields
KINDS: Mapping[str, Callable[[Mapping[str, str]], dict[str, Any]]] = {
    "operation": web_operations.dimensions,
    "derive": web_operations.derive,
    "proof": web_operations.proof,
    "file": web_operations.file,
    "check": web_exercises.check,
    "exercises": web_exercises.exercises,
    "exercise": web_exercises.exercise,
    "grade": web_exercises.grade_variant,
    "claims": web_claims.claims,
    "verify": web_claims.judged,
    "errata": web_claims.errata,
}


def answer(kind: str, payload: Mapping[str, str]) -> dict[str, Any]:
    """Return the answer to a request, or a one-line `error` if the request cannot be used.

    >>> answer("operation", {"operation": "bf16[B,D], bf16[D,F] -> bf16[B,F]"})["dims"]
    ['B', 'D', 'F']
    >>> answer("operation", {"operation": "aksum"})
    {'error': "unknown operation 'aksum'; did you mean 'sum'?"}
    """
    lang = payload.get("lang", "")
    try:
        refuse_unknown("kind of question", kind, KINDS)
        for key, value in payload.items():
            if not isinstance(value, str):
                raise RoofproofError("<key>: expected text, got <value>", key=quoted(key), value=quoted(value))
        return KINDS[kind]({"lang": "en", **payload})
    except (RoofproofError, Stopped) as problem:
        return {"error": translated(problem.said, "zh" if lang == "zh" else "en")}


def in_json(kind: str, payload: str) -> str:
    """Return the answer to a JSON request as JSON.

    >>> in_json("derive", "[]")
    '{"error": "expected a question as an object of texts"}'
    """
    if len(payload) > MOST:
        return json.dumps({"error": f"the question has {len(payload)} characters; the limit is {MOST}"})
    try:
        given = json.loads(payload)
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        return json.dumps({"error": "expected a question as an object of texts"})
    return json.dumps(answer(kind, given), ensure_ascii=False)


def warm() -> None:
    """Import and compute what the first request needs, so that it is answered as fast as later ones."""
    answer("derive", {"operation": "matmul", "chip": "h100-sxm", "unknown": "B", "at": "D=4096,F=4096"})
    Words("zh", LABELS)
