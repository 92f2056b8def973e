"""Verdicts as text: a line a claim, a summary, and a report that one can read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from roofproof.claims.kinds import SILENT, UNDECIDED
from roofproof.claims.verifying import summary

if TYPE_CHECKING:
    from roofproof.claims.verifying import Result


def results_table(results: Sequence[Result]) -> str:
    """Return a line for each claim: how it stands against what the book expects, the verdict, what goes with it."""
    width = max((len(r.id) for r in results), default=0)
    lines = []
    for r in results:
        if r.verdict is None:
            lines.append(f"?? {r.id:<{width}}  {r.kind:<13}  {r.problem}")
            continue
        mark = "ok" if r.as_expected else "!!"
        text = f"{mark} {r.id:<{width}}  {r.verdict.kind:<13}  {_short(r)}".rstrip()
        if not r.as_expected:
            text += f"  (expected {r.expect}{', slip ' + r.expected_slip if r.expected_slip else ''})"
        lines.append(text)
    counts = summary(results)
    total = ", ".join(f"{n} {kind}" for kind, n in counts.items())
    wrong = sum(not r.as_expected for r in results)
    lines += ["", f"{len(results)} claims: {total}", "all as expected" if not wrong else f"{wrong} not as expected"]
    return "\n".join(lines)


def _short(result: Result) -> str:
    v = result.verdict
    assert v is not None
    parts = [f"by {v.trust}" if v.kind not in SILENT else ""]
    if v.condition:
        parts.append(f"when {v.condition}")
    if v.exact and v.kind != "verified":
        parts.append(f"exactly {v.exact}")
    if v.error_bound:
        parts.append(v.error_bound)
    if v.kind == "refuted" and v.counterexample:
        parts.append("fails at " + ", ".join(f"{k} = {x}" for k, x in v.counterexample.items()))
    if v.slip and v.slip != "none fits":
        parts.append(f"slip: {v.slip}")
    if v.note:
        parts.append(v.note)
    return "; ".join(p for p in parts if p)


GROUPS = (
    ("refuted", "Errata", "What is wrong, with what is right."),
    ("conditional", "Conditions left out", "True under a side condition that the text does not name."),
    (UNDECIDED, "Open", "What the engine cannot tell."),
    ("unusable", "Unusable", "Claims that could not be read."),
    ("stopped", "Stopped", "Claims that were not judged to the end; a limit of time was over."),
    ("approximate", "True in the limit", "Approximations, each with its exact form and its error."),
    ("rounded", "True to the digits printed", "Rounded figures, each with its exact value."),
    ("verified", "Expected otherwise", "True as it stands, though the book expects another verdict."),
    ("not-checkable", "Not checkable", "Opinions and history, though the book expects another verdict."),
)
"""The verdicts in the order of an errata sheet, with the heading of each and what it means."""


def grouped(results: Sequence[Result]) -> list[tuple[str, str, list[Result]]]:
    """Return heading, explanation and claims of each group, without what simply stands as expected."""
    found = []
    for kind, heading, means in GROUPS:
        some = [r for r in results if r.kind == kind]
        if kind in ("verified", "not-checkable"):
            some = [r for r in some if not r.as_expected]
        if some:
            found.append((heading, means, some))
    return found


def slip_said(slip: str) -> str:
    """Return what a slip is, in words; nothing where none fits.

    >>> slip_said("write-back")
    'the result that is written back to memory was not counted'
    """
    from roofproof.claims.slips import CATALOGUE

    return "; ".join(CATALOGUE[s].says for s in slip.split("+") if s in CATALOGUE)


def report(results: Sequence[Result], title: str = "Verdicts") -> str:
    """Return an errata sheet in Markdown: the summary, then each claim that does not simply stand, with what is right.

    What is wrong comes first, then what needs a condition, what is open, what is true in the limit or rounded.
    """
    counts = summary(results)
    lines = [f"# {_cell(title)}", "", "| verdict | claims |", "|---|---|"]
    lines += [f"| {kind} | {n} |" for kind, n in counts.items()]
    for heading, means, some in grouped(results):
        lines += ["", f"## {heading}", "", means]
        for r in some:
            lines += ["", f"### {_cell(r.id)}", "", *_entry(r)]
    return "\n".join(lines) + "\n"


def _entry(r: Result) -> list[str]:
    lines = [f"- claim: `{r.says}`" if r.says else "- claim: none"]
    if r.source:
        lines.append(f"- source: {_cell(r.source)}")
    if r.verdict is None:
        return [*lines, f"- {r.kind}: {_cell(r.problem)}"]
    v = r.verdict
    lines.append(f"- verdict: **{v.kind}** (by {v.trust})" + ("" if r.as_expected else f", expected {r.expect}"))
    if v.exact:
        lines.append(f"- exactly: `{v.exact}`")
    if v.condition:
        lines.append(f"- true when: `{v.condition}`")
    if v.error_bound:
        lines.append(f"- {_cell(v.error_bound)}")
    if v.counterexample:
        lines.append("- fails at: " + ", ".join(f"`{k} = {x}`" for k, x in v.counterexample.items()))
    if v.slip:
        said = slip_said(v.slip)
        lines.append(f"- slip: {v.slip}" + (f" ({said})" if said else ""))
    if v.note:
        lines.append(f"- {_cell(v.note)}")
    return lines


def _cell(text: str) -> str:
    """Return text from a book without the signs that Markdown would take for its own."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]<>#|!" else c for c in " ".join(text.split()))
