"""The verdict on a student's answer, in words a student understands."""

from __future__ import annotations

from roofproof.claims.judging.verdict import Report, Verdict

OPENING = {
    "verified": "Right.",
    "rounded": "Right to the digits given.",
    "approximate": "Right in the limit only.",
    "conditional": "Right, but a condition is missing.",
    "refuted": "Wrong.",
    "undecided": "Undecided: the engine cannot tell.",
    "not-checkable": "Not checkable.",
}


def answer_text(verdict: Verdict | Report) -> str:
    """Return what to tell the student.

    >>> print(answer_text(Report("refuted", "kernel", exact="B > 240", slip="write-back")))
    Wrong.
      the right answer: B > 240
      probably: the result that is written back to memory was not counted
      known by: kernel
    """
    from roofproof.claims.slips import CATALOGUE

    lines = [OPENING[verdict.kind]]
    if verdict.exact:
        lines.append(f"  {'the right answer' if verdict.kind == 'refuted' else 'exactly'}: {verdict.exact}")
    if verdict.condition:
        lines.append(f"  it holds when: {verdict.condition}")
    if verdict.error_bound:
        lines.append(f"  {verdict.error_bound}")
    if verdict.counterexample:
        lines.append("  it fails at: " + ", ".join(f"{k} = {v}" for k, v in verdict.counterexample.items()))
    if verdict.slip:
        said = [CATALOGUE[s].says for s in verdict.slip.split("+") if s in CATALOGUE]
        lines.append(f"  probably: {'; and '.join(said)}" if said else "  no usual slip explains it")
    if verdict.note and not verdict.in_limit:  # the opening says so
        lines.append(f"  note: {verdict.note}")
    lines.append(f"  known by: {verdict.trust}")
    return "\n".join(lines)
