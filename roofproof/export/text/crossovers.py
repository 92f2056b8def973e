"""Predicted thresholds against measured crossovers as a report: Markdown or LaTeX, with the distance in words."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from roofproof.export.latex.documents import document
from roofproof.export.latex.escaping import escape
from roofproof.export.to_latex import table
from roofproof.export.words.catalogue import Catalogue
from roofproof.measured.crossover import Crossover
from roofproof.measured.validation import Validation


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
    words = Catalogue(lang, "crossover")
    chip, size = held.found.chip, found[0].size
    title = words.say("title", chip=chip.title or chip.name)
    about = [words.say("what", operation=words.told(held.found.said), points=str(held.points), size=size)]
    about.append(words.say("how", size=size))
    names = list(found[0].at)
    estimated = any(each.estimate is not None for each in found)
    roof = words["figures" if held.found.by_measurement else "floor"]
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
    one = "-one" if len(found) == 1 else ""
    said = [words.say(f"floor-off{one}", ratio=f"{ratio:.3g}", count=str(len(found)), inside=str(inside))]
    if estimated:
        ratio, inside = median(each.off for each in found), sum(each.inside for each in found)
        said.append(words.say(f"estimate-off{one}", ratio=f"{ratio:.3g}", inside=str(inside)))
    said += [words["meets"]] * bool(one and inside) + [words["apart"]] * (inside < len(found))
    if latex:
        cells = [[escape(cell).replace("–", "--") for cell in row] for row in rows]
        made = table([escape(name) for name in head], cells, "r" * len(head), long=True)
        body = "\n\n".join([*map(escape, about), made, *map(escape, said)])
        return document(body, escape(title), lang=lang)
    lines = "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---:"] * len(head), *rows))
    return "\n\n".join([f"# {title}", *about, lines, *said]) + "\n"
