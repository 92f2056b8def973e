"""A question to a student from the options of `check`, be they words of a command line or keys of a file."""

from __future__ import annotations

from roofproof.claims.answers.question import Question
from roofproof.ops.notation.sizes import sizes_from

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def question_of(given: Mapping[str, str]) -> Question:
    """Return the question that a table of options asks; an empty option is one left out.

    >>> question_of({"op": "matmul", "for": "", "asks": "flops"}).key.value
    2*B*D*F
    """
    return Question.of(given, sizes_from([given["at"]]) if given.get("at") else {})
