"""Verdicts as text: a line a claim, a summary, and a report that one can read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from roofproof.claims.kinds import SILENT, UNDECIDED
from roofproof.claims.results import counted, summary
from roofproof.export.text.slips import slip_said
from roofproof.export.words.catalogue import Catalogue
from roofproof.sentences import columns, padded

if TYPE_CHECKING:
    from roofproof.claims.results import Result


def results_table(results: Sequence[Result], lang: str = "en") -> str:
    """Return a line for each claim: how it stands against what the book expects, the verdict, what goes with it."""
    words = Catalogue(lang, "verdicts")
    width = max((columns(r.id) for r in results), default=0)
    lines = []
    for r in results:
        lines.append(result_line(r, words, width))
        if r.verdict is None:
            continue
        lines += [f"     {words.told(line)}" for line in r.read_back]
        if r.steps:
            from roofproof.export.explain.steps import explain_steps
            from roofproof.export.to_text import lines_text

            lines += [f"     {line}" for line in lines_text(explain_steps(r.steps), lang)]
    return "\n".join([*lines, "", counts_line(results, words)])


def counts_line(results: Sequence[Result], words: Catalogue) -> str:
    """Return how many claims were checked, how many of them are right and wrong, and how many were not checked."""
    counts = {kind: n for kind, n in counted(results).items() if n or kind == "checked"}
    said = {kind: words.say(f"count-{kind}", count=str(n)) for kind, n in counts.items()}
    judged = [said.pop(kind) for kind in ("right", "wrong") if kind in said]
    checked = said.pop("checked")
    head = words.say("counts", checked=checked, judged=words["separator"].join(judged)) if judged else checked
    return words["semicolon"].join([head, *said.values()])


def result_line(r: Result, words: Catalogue, width: int = 0) -> str:
    """Return one line for a claim: whether it is as the book expects, the verdict and what goes with it."""
    if r.verdict is None:
        return f"?? {padded(r.id, width)}  {padded(words['kind-' + r.kind], 13)}  {words.told(r.problem)}"
    mark = "--" if r.draft else "ok" if r.as_expected else "!!"
    line = f"{mark} {padded(r.id, width)}  {padded(words['kind-' + r.verdict.kind], 13)}  {_short(r, words)}"
    return line.rstrip() + _expected(r, words)


def what_goes_with(r: Result, words: Catalogue) -> str:
    """Return the details of a verdict: its warrant, what is right, where it fails; or why there is none."""
    return words.told(r.problem) if r.verdict is None else f"{_short(r, words)}{_expected(r, words)}".strip()


def _expected(r: Result, words: Catalogue) -> str:
    if r.as_expected:
        return ""
    key = "expected-slip" if r.expected_slip else "expected-short"
    return words.say(key, kind=words["kind-" + r.expect], slip=r.expected_slip or "")


def _short(result: Result, words: Catalogue) -> str:
    v = result.verdict
    assert v is not None
    parts = [words.say("by-short", how=words["how-" + v.trust]) if v.kind not in SILENT else ""]
    if v.condition:
        parts.append(words.say("when-short", condition=v.condition))
    if v.exact and v.kind != "verified":
        parts.append(words.say("exactly-short", value=v.exact))
    if v.error_bound:
        parts.append(words.told(v.error_bound))
    if v.kind == "refuted" and v.counterexample:
        parts.append(words.say("fails-at", sizes=", ".join(f"{k} = {x}" for k, x in v.counterexample.items())))
    if (slip := v.slip) and slip != "none fits":
        said = slip_said(slip, words.language) if words.language != "en" else ""
        parts.append(words.say("slip-short", slip=said or slip))
    if v.note:
        parts.append(words.told(v.note))
    return words["semicolon"].join(p for p in parts if p)


GROUPS = (
    "refuted",
    "conditional",
    UNDECIDED,
    "unusable",
    "stopped",
    "approximate",
    "rounded",
    "verified",
    "not-checkable",
)
"""The verdicts in the order of an errata sheet."""


def grouped(results: Sequence[Result], lang: str = "en") -> list[tuple[str, str, list[Result]]]:
    """Return heading, explanation and claims of each group, without what simply stands as expected."""
    found, words = [], Catalogue(lang, "verdicts")
    for kind in GROUPS:
        some = [r for r in results if r.kind == kind]
        if kind in ("verified", "not-checkable"):
            some = [r for r in some if not r.as_expected]
        if some:
            found.append((words["head-" + kind], words["means-" + kind], some))
    return found


def report(results: Sequence[Result], title: str = "Verdicts", lang: str = "en") -> str:
    """Return an errata sheet in Markdown: the summary, then each claim that does not simply stand, with what is right.

    What is wrong comes first, then what needs a condition, what is open, what is true in the limit or rounded.
    """
    words = Catalogue(lang, "verdicts")
    lines = [f"# {_cell(title)}", "", f"| {words['verdict']} | {words['claims']} |", "|---|---|"]
    lines += [f"| {words['kind-' + kind]} | {n} |" for kind, n in summary(results).items()]
    for heading, means, some in grouped(results, lang):
        lines += ["", f"## {heading}", "", means]
        for r in some:
            lines += ["", f"### {_cell(r.id)}", "", *_entry(r, words)]
    return "\n".join(lines) + "\n"


def _entry(r: Result, words: Catalogue) -> list[str]:
    lines = [words.say("line-claim", claim=f"`{r.says}`" if r.says else words["none"])]
    if r.source:
        lines.append(words.say("line-source", source=_cell(r.source)))
    if r.verdict is None:
        return [*lines, words.say("line-problem", kind=words["kind-" + r.kind], problem=_cell(words.told(r.problem)))]
    v = r.verdict
    verdict = words.say("line-verdict", kind=words["kind-" + v.kind], how=words["how-" + v.trust])
    lines.append(verdict + ("" if r.as_expected else words.say("line-expected", kind=words["kind-" + r.expect])))
    if v.exact:
        lines.append(words.say("line-exactly", value=v.exact))
    if v.condition:
        lines.append(words.say("line-when", condition=v.condition))
    if v.error_bound:
        lines.append(f"- {_cell(words.told(v.error_bound))}")
    if v.counterexample:
        lines.append(words.say("line-fails", sizes=", ".join(f"`{k} = {x}`" for k, x in v.counterexample.items())))
    if v.slip:
        said = slip_said(v.slip, words.language)
        lines.append(words.say("line-slip-said" if said else "line-slip", slip=v.slip, said=said))
    if v.note:
        lines.append(f"- {_cell(words.told(v.note))}")
    return lines


def _cell(text: str) -> str:
    """Return text from a book without the signs that Markdown would take for its own."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]<>#|!" else c for c in " ".join(text.split()))
