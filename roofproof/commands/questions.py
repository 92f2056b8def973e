"""Questions to students, built from the options of `grade` on a command line or in a file."""

from __future__ import annotations

from roofproof.claims.answers.question import Question
from roofproof.ops.notation.sizes import sizes_from

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def question_of(given: Mapping[str, str]) -> Question:
    """Return the question for a table of options. An empty option counts as omitted.

    >>> question_of({"op": "matmul", "for": "", "asks": "flops"}).key.value
    2*B*D*F
    """
    return Question.of(given, sizes_from([given["at"]]) if given.get("at") else {})
