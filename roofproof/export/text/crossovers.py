"""Predicted thresholds against measured crossovers as a report: Markdown or LaTeX, with the distance in words."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from roofproof.export.latex.documents import document
from roofproof.export.latex.escaping import escape
from roofproof.export.to_latex import table
from roofproof.measured.crossover import Crossover
from roofproof.measured.validation import Validation
from roofproof.say import Words

OFF = {
    (
        "floor",
        False,
    ): "By the figures of the chip the threshold is <ratio> of the measured crossover in the median of <count> shapes, "
    "and agrees in <inside> of them: the intervals meet.",
    ("estimate", False): "By the calibrated ceilings, an estimate, it is <ratio>, and agrees in <inside>.",
    ("floor", True): "By the figures of the chip the threshold is <ratio> of the measured crossover.",
    ("estimate", True): "By the calibrated ceilings, an estimate, it is <ratio>.",
}


def report(found: Sequence[Crossover], held: Validation, lang: str = "en", *, latex: bool = False) -> str:
    """Report predicted and measured crossovers, shape by shape, and how far apart they are; LaTeX is a document.

    >>> from roofproof.hardware import chip
    >>> from roofproof.measured.amounts import demands
    >>> from roofproof.measured.crossover import crossovers
    >>> from roofproof.measured.times import read_times
    >>> from roofproof.measured.validation import validate
    >>> h100, times = chip("h100-sxm"), read_times("examples/measured/gemm_fp16.tsv")
    >>> table = times.on(h100)
    >>> held = validate(table, demands(table, h100), h100.calibration())
    >>> lines = report(crossovers(table, held.found, held.ceilings), held).splitlines()
    >>> print(lines[-5])                                       # computing takes over a little later than that
    By the figures of the chip the threshold is 0.936 of the measured crossover in the median of 34 shapes, and \
agrees in 14 of them: the intervals meet.
    """
    words = Words(lang)
    chip, size = held.found.chip, found[0].size
    title = words.say("Predicted threshold against measured crossover: <chip>", chip=chip.title or chip.name)
    about = [
        words.say(
            "<operation>; <points> measured times, along <size>.",
            operation=words.told(held.found.said),
            points=str(held.points),
            size=size,
        )
    ]
    about.append(
        words.say(
            "Predicted: from where computing takes longer than moving the bytes, solved exactly, by the figures "
            "of the chip (floor) and by the calibrated ceilings (estimate); where these were measured "
            "themselves, the prediction has their interval. Measured: the knee of max(u bytes, v FLOPs) fitted "
            "to the times along <size>; its interval is where it lies when a fifth of them is left out, and "
            "twice its standard error. Prediction and measurement agree where their intervals meet.",
            size=size,
        )
    )
    names = list(found[0].at)
    estimated = any(each.estimate is not None for each in found)
    roof = words["by the figures" if held.found.by_measurement else "floor"]
    head = [*names, roof, *[words["estimate"]] * estimated, words["measured"]]
    rows = [
        [
            *(str(each.at[name]) for name in names),
            str(each.floor),
            *["–" if each.estimate is None else str(each.estimate)] * estimated,
            str(each.measured),
        ]
        for each in found
    ]
    ratio = median(each.floor.value / each.measured.value for each in found)
    inside = sum(each.floor.meets(each.measured) for each in found)
    one = len(found) == 1
    said = [words.say(OFF["floor", one], ratio=f"{ratio:.3g}", count=str(len(found)), inside=str(inside))]
    if estimated:
        ratio, inside = median(each.off for each in found), sum(each.inside for each in found)
        said.append(words.say(OFF["estimate", one], ratio=f"{ratio:.3g}", inside=str(inside)))
    said += [words["The intervals meet: prediction and measurement agree."]] * bool(one and inside) + [
        words[
            "Where the intervals lie apart, what was timed is not the model: its kernels change with the size, "
            "move some bytes more than once, or overlap less."
        ]
    ] * (inside < len(found))
    if latex:
        cells = [[escape(cell).replace("–", "--") for cell in row] for row in rows]
        made = table([escape(name) for name in head], cells, "r" * len(head), long=True)
        body = "\n\n".join([*map(escape, about), made, *map(escape, said)])
        return document(body, escape(title), lang=lang)
    lines = "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---:"] * len(head), *rows))
    return "\n\n".join([f"# {title}", *about, lines, *said]) + "\n"
