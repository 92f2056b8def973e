"""Claims: what others say, read, judged, and explained where it is wrong.

language/   the language of claims: propositions, assumptions, books
judging/    what the engine finds about a claim, how it is known, and the right answer beside a wrong one
functions/  the functions of the language that need the solver
numbers/    numbers as printed, and exact values held against them
slips/      the mistakes people make, and which of them explains a wrong answer
answers/    the answer of a student, judged as the claim that it is
verifying   books verified: every claim judged, in the order of the book
textbooks/  the books of claims that come with the package (TOML)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofproof._lazy import attach

if TYPE_CHECKING:
    from roofproof.claims.answers.student_answer import check_answer as check_answer
    from roofproof.claims.language.book import read_book as read_book
    from roofproof.claims.verifying import verify as verify

__getattr__, __all__ = attach(
    __name__,
    {
        "answers.student_answer": "check_answer",
        "language.book": "read_book",
        "verifying": "verify",
    },
)
