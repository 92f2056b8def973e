"""A summary of many grades, by question and by mistake."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from roofproof.claims.kinds import UNDECIDED
from roofproof.export.doc import Doc, Section, Table, say
from roofproof.export.explain.mistakes import mistake_phrase

GRADES = {
    "right": "right",
    "digits": "to its digits",
    "limit": "in the limit",
    "close": "close",
    "wrong": "wrong",
    "unreadable": "unreadable",
    UNDECIDED: "undecided",
}


def explain_grades(lines: Iterable[Mapping[str, str]]) -> Doc:
    """Return two tables: grades by question, and mistakes by frequency.

    >>> from roofproof.export.to_markdown import to_markdown
    >>> graded = [{"question": "q1", "grade": grade, "slip": ""} for grade in ("wrong", "right")]
    >>> print(to_markdown(explain_grades(graded), titled=True).splitlines()[4])
    | q1 | 2 | 1 | 0 | 0 | 0 | 1 | 0 |
    """
    lines = list(lines)
    grades = [g for g in GRADES if g != UNDECIDED or any(line["grade"] == g for line in lines)]
    head = (say("question"), say("answers"), *(say(GRADES[g]) for g in grades))
    rows = ((q, str(n.total()), *(str(n[g]) for g in grades)) for q, n in by_question(lines).items())
    tables = [Table(head, tuple(rows), "l" + "r" * (len(head) - 1))]
    if made := Counter(line["slip"] for line in lines if line["slip"]):
        told = ((mistake_phrase(name), str(n)) for name, n in made.most_common())
        tables.append(Table((say("mistake"), say("times")), tuple(told), "lr"))
    return Doc(say("Grades"), (Section((), tuple(tables)),))


def by_question(lines: Iterable[Mapping[str, str]]) -> dict[str, Counter[str]]:
    """Return the number of answers with each grade, for each question."""
    found: dict[str, Counter[str]] = {}
    for line in lines:
        found.setdefault(line["question"], Counter())[line["grade"]] += 1
    return found
