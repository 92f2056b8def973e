"""A bar chart of many grades, with a bar for each question."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from unicodedata import east_asian_width

from roofproof.errors import RoofproofError
from roofproof.export.doc import say
from roofproof.export.explain.grades import GRADES, by_question
from roofproof.export.plots.drawing import settings
from roofproof.export.to_text import inline_text

COLOURS = {"right": "#009E73", "digits": "#56B4E9", "limit": "#0072B2", "close": "#F0E442", "wrong": "#D55E00",
           "unreadable": "#999999", "undecided": "#000000"}  # fmt: skip
"""The palette of Okabe and Ito, which colour-blind readers can distinguish."""
BARS = 200  # questions in one chart


def picture(lines: Sequence[Mapping[str, str]], lang: str = "en") -> bytes:
    """Return a bar chart as SVG, with a bar for each question in the colours of its grades.

    Raises RoofproofError if matplotlib is missing, if no font has the characters, and for too many bars to read.
    """
    questions = by_question(lines)
    if len(questions) > BARS:
        raise RoofproofError("<count> questions; at most <most> are drawn", count=len(questions), most=BARS)
    names = [_short(q) for q in questions]
    labels = {g: inline_text(say(said), lang) for g, said in GRADES.items()}
    answers = inline_text(say("answers"), lang)
    with settings("".join([*names, *labels.values(), answers])):
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
        axes.set_xlabel(answers)
        axes.spines[["top", "right"]].set_visible(False)
        figure.legend(loc="outside upper center", ncols=len(GRADES), frameon=False, columnspacing=1.2, handlelength=1.2)
        drawn = io.BytesIO()
        figure.savefig(drawn, format="svg", metadata={"Date": None, "Creator": None})
        return drawn.getvalue()


def _short(name: str) -> str:
    """Return a name, cut to leave room for the bars. A Chinese character is as wide as two letters."""
    kept, room = "", 32
    for sign in " ".join(name.split()):
        room -= 2 if east_asian_width(sign) in "WF" else 1
        if room < 1:
            return f"{kept}…"
        kept += sign
    return kept
