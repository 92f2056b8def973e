"""A summary of many grades, by question and by slip: Markdown, and a picture beside it."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from unicodedata import east_asian_width

from roofproof.claims.kinds import UNDECIDED
from roofproof.errors import RoofproofError
from roofproof.export.text.slips import slip_said
from roofproof.export.words.catalogue import Catalogue
from roofproof.rooms import need

GRADES = ("right", "digits", "limit", "close", "wrong", "unreadable", UNDECIDED)
COLOURS = {"right": "#009E73", "digits": "#56B4E9", "limit": "#0072B2", "close": "#F0E442", "wrong": "#D55E00",
           "unreadable": "#999999", "undecided": "#000000"}  # fmt: skip
"""The palette of Okabe and Ito, which colour-blind readers tell apart."""
BARS = 200  # questions in a picture


def summed_up(
    lines: Sequence[Mapping[str, str]], out: str, lang: str = "en"
) -> tuple[dict[str, str | bytes], list[str]]:
    """Return the contents of FILE.md and FILE.svg beside a file of grades, by name, and what to say of them."""
    words = Catalogue(lang, "grades")
    base = Path(out).with_suffix("")
    files: dict[str, str | bytes] = {f"{base}.md": summary(lines, words)}
    told = [words.say("graded", count=str(len(lines)), file=out)]
    try:
        files[f"{base}.svg"] = picture(lines, words)
    except RoofproofError as problem:
        told.append(words.say("no-picture", why=str(problem)))
    return files, told


def summary(lines: Iterable[Mapping[str, str]], words: Catalogue) -> str:
    """Return two tables in Markdown: grades by question, and slips by how often they were made.

    >>> graded = [{"question": "q1", "grade": grade, "slip": ""} for grade in ("wrong", "right")]
    >>> print(summary(graded, Catalogue("en", "grades")).splitlines()[4])
    | q1 | 2 | 1 | 0 | 0 | 0 | 1 | 0 |
    """
    lines = list(lines)
    grades = _given(lines)
    heads = [words["question"], words["total"], *(words[f"grade-{g}"] for g in grades)]
    rows = [f"# {words['summary']}", "", f"| {' | '.join(heads)} |", f"|---|{'---:|' * (len(heads) - 1)}"]
    for question, counts in by_question(lines).items():
        cells = [_cell(question), str(counts.total()), *(str(counts[g]) for g in grades)]
        rows.append(f"| {' | '.join(cells)} |")
    slips = Counter(line["slip"] for line in lines if line["slip"])
    if slips:
        rows += ["", f"| {words['slip']} | {words['times']} |", "|---|---:|"]
        rows += [f"| {_cell(slip_said(slip, words.language))} | {n} |" for slip, n in slips.most_common()]
    return "\n".join(rows) + "\n"


def by_question(lines: Iterable[Mapping[str, str]]) -> dict[str, Counter[str]]:
    """Return the number of answers with each grade, for each question."""
    found: dict[str, Counter[str]] = {}
    for line in lines:
        found.setdefault(line["question"], Counter())[line["grade"]] += 1
    return found


def _given(lines: Iterable[Mapping[str, str]]) -> list[str]:
    """Return the grades to show: `undecided` only where it was given."""
    return [g for g in GRADES if g != UNDECIDED or any(line["grade"] == g for line in lines)]


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")


def picture(lines: Sequence[Mapping[str, str]], words: Catalogue) -> bytes:
    """Return a bar for each question, in the colours of its grades, as SVG.

    Raises RoofproofError without matplotlib, where no font has the signs, and for more bars than can be read.
    """
    need("roofproof.export.plots")
    from roofproof.export.plots.drawing import settings

    questions = by_question(lines)
    if len(questions) > BARS:
        raise RoofproofError(f"{len(questions)} questions; at most {BARS} are drawn")
    names = [_short(q) for q in questions]
    labels = {g: words[f"grade-{g}"] for g in GRADES}
    with settings("".join([*names, *labels.values(), words["answers"]])):
        from matplotlib.figure import Figure
        from matplotlib.ticker import MaxNLocator

        figure = Figure(figsize=(8, 1.2 + 0.34 * len(questions)), layout="constrained")
        axes = figure.subplots()
        left = [0] * len(questions)
        for grade, label in labels.items():
            widths = [counts[grade] for counts in questions.values()]
            if any(widths):
                axes.barh(range(len(questions)), widths, left=left, color=COLOURS[grade], label=label)
                left = [a + b for a, b in zip(left, widths, strict=True)]
        axes.set_yticks(range(len(questions)), [n.replace("$", r"\$") for n in names])
        axes.invert_yaxis()
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_xlabel(words["answers"])
        axes.spines[["top", "right"]].set_visible(False)
        figure.legend(loc="outside upper center", ncols=len(GRADES), frameon=False, columnspacing=1.2, handlelength=1.2)
        drawn = io.BytesIO()
        figure.savefig(drawn, format="svg", metadata={"Date": None, "Creator": None})
        return drawn.getvalue()


def _short(name: str) -> str:
    """Return a name that leaves room for the bars: a Chinese sign is as wide as two letters."""
    kept, room = "", 32
    for sign in " ".join(name.split()):
        room -= 2 if east_asian_width(sign) in "WF" else 1
        if room < 1:
            return f"{kept}…"
        kept += sign
    return kept
