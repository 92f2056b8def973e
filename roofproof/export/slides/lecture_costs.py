"""The first half of the lecture: three costs, their bounds, arithmetic intensity, the dot product, the roofline."""

from __future__ import annotations

from dataclasses import replace

import sympy

from roofproof.derive import ridge
from roofproof.derive.roofline.times import attainable, lower
from roofproof.export.latex.derivation_lines import approximately
from roofproof.export.latex.expressions import latex
from roofproof.export.plots import roofline
from roofproof.export.slides.lecture_parts import (
    BANDWIDTH,
    H100,
    INTENSITY,
    LINKS,
    PEAK,
    RIDGE,
    SQUARE,
    V5E,
    V6E,
    Said,
    figure,
    intensity_of,
    math,
    name,
    rate,
    share,
    slash,
    squares,
    tends,
    work,
)
from roofproof.export.slides.model import Bullets, Formula, Frame, Math, Picture, Text
from roofproof.export.text import formatting
from roofproof.hardware import any_chip
from roofproof.ops import parse_operation
from roofproof.ops.algebra import at as at_sizes
from roofproof.proofs import overlap_bounds
from roofproof.symbols import quantity

JOB = "flops bf16 = 1e12"  # the example of the sources
SMALL, LARGE, LONG = 16, 1024, 2**20  # batches on the slope and on the roof; a long vector
UNITS = ("bf16", "fp32-vector")  # a matrix unit cannot do a dot product at its peak; a vector unit does it


def costs(say: Said) -> list[Frame]:
    """Return the slides on the three costs and on the bounds of a time."""
    t_math, t_move, t = (quantity(n) for n in ("T_math", "T_move", "T"))
    flops, moved, sent = (quantity(n) for n in ("FLOPs", "bytes", "sent"))
    link = quantity("W_net")
    kinds = (("cost-compute", flops, PEAK), ("cost-memory", moved, BANDWIDTH), ("cost-network", sent, link))
    rows = [(say(key), say(f"{key}-amount"), say(f"{key}-rate"), slash(a / b)) for key, a, b in kinds]
    chips = [(any_chip(c), LINKS[c]) for c in (V5E, V6E, H100)]
    job = parse_operation(JOB)
    figures = [
        (name(c), figure(rate(c, "bf16")), figure(rate(c, c.memory)), figure(rate(c, link)),
         formatting.seconds(lower(job, c)).removeprefix("= "))
        for c, link in chips
    ]  # fmt: skip
    overlap_bounds(2)  # raises where the kernel does not prove them
    longest, total = sympy.Max(t_math, t_move), t_math + t_move
    return [
        say.frame(
            "costs-title",
            say.table(["cost", "amount", "speed", "time"], rows, "lllc"),
            Text(say("costs-key"), key=True),
            section="costs-title",
        ),
        say.frame(
            "figures-title",
            say.table(
                ["chip", "peak-unit", "memory-unit", "link-unit", say("job-head", flops=figure(job.flops))],
                figures,
                "lcccr",
            ),
            Text(say("figures-said")),
        ),
        say.frame(
            "bounds-title",
            Formula(
                (
                    f"{latex(longest)} \\leq {latex(t)} &\\leq {latex(total)}",
                    f"{latex(total)} &\\leq {latex(2 * longest)}",
                ),
                (say("bounds-overlap"), say("bounds-factor")),
            ),
            Bullets((say("bounds-lower"), say("bounds-upper"))),
            Text(say("bounds-proved")),
        ),
    ]


def intensities(say: Said) -> list[Frame]:
    """Return the slides on arithmetic intensity and on the critical intensity of chips."""
    flops, moved = quantity("FLOPs"), quantity("bytes")
    chips = [any_chip(c) for c in (V5E, V6E, H100)]
    rows = [
        (name(c), Math(f"{figure(rate(c, 'bf16')).tex} / {figure(rate(c, c.memory)).tex}"),
         figure(ridge(c, "bf16")))
        for c in chips
    ]  # fmt: skip
    return [
        say.frame(
            "intensity-title",
            Formula((f"{INTENSITY} &= {latex(flops / moved)}",), (say("intensity-unit"),)),
            Text(say("intensity-means"), key=True),
            section="intensity-title",
        ),
        say.frame(
            "critical-title",
            Formula(
                (
                    f"{latex(flops / PEAK)} > {latex(moved / BANDWIDTH)} "
                    f"&\\Leftrightarrow {latex(flops / moved)} > {latex(PEAK / BANDWIDTH)}",
                    f"&\\Leftrightarrow {INTENSITY} > {RIDGE}",
                ),
            ),
            Bullets((say("above"), say("below"))),
        ),
        say.frame("ridges-title", say.table(["chip", Math("P/W"), say("ridge-head")], rows, "lcr"),
                  Text(say("ridges-key", chip=name(chips[0]), ridge=figure(ridge(chips[0], "bf16"))), key=True)),
    ]  # fmt: skip


def dot_product(say: Said) -> list[Frame]:
    """Return the slides on the dot product."""
    study = work("dot", "N")
    assert study.proved is not None
    found = study.proved.rules[0].proved.limit
    chip, value, limit = study.chip, intensity_of(study.op), tends(study)
    reached = {unit: attainable(rate(chip, unit), rate(chip, chip.memory), limit) / rate(chip, unit) for unit in UNITS}
    critical = {unit: ridge(chip, unit) for unit in UNITS}
    matrix, vector = UNITS
    return [
        say.frame(
            "dot-title",
            say.moved(study.op),
            Text(say("dot-flops", flops=math(study.op.flops))),
            section="dot-section",
        ),
        say.frame(
            "dot-intensity",
            Formula(
                (
                    f"{INTENSITY} &= {latex(value)}",
                    f"{INTENSITY} &\\to {latex(limit)}",
                    f"\\frac{{\\lvert {latex(limit, inline=True)} - {INTENSITY} \\rvert}}{{{INTENSITY}}} "
                    f"&= {latex(found.relative_error)}",
                ),
                ((), say("as-long"), say("error-exact")),
            ),
        ),
        say.frame(
            "dot-fate",
            Formula(
                (
                    f"{INTENSITY} &< {latex(limit, inline=True)}",
                    f"{RIDGE} &{approximately(critical[matrix])}",
                    f"{RIDGE} &{approximately(critical[vector])}",
                ),
                (say("dot-every"), say("dot-matrix", chip=name(chip)), say("dot-vector")),
            ),
            Text(say("dot-key", matrix=share(reached[matrix]), vector=share(reached[vector])), key=True),
            Text(say("dot-why", factor=figure(critical[vector] / limit, 3))),
        ),
    ]


def the_roofline(say: Said) -> list[Frame]:
    """Return the slides on how to read the roofline, and the figure."""
    chip = any_chip(V5E)
    critical = figure(ridge(chip, "bf16"))
    best = sympy.Min(PEAK, INTENSITY * BANDWIDTH)
    large = parse_operation("matmul")
    ops = [
        at_sizes(parse_operation("dot"), N=LONG),
        *(replace(at_sizes(large, B=b, **squares(SQUARE)), name=f"{large.name} B = {b}") for b in (SMALL, LARGE)),
    ]
    return [
        say.frame(
            "roofline-read",
            Formula((f"{latex(quantity('FLOPs') / quantity('T'))} &\\leq {latex(best)}",)),
            Bullets((say("roofline-slope"), say("roofline-flat"), say("roofline-ridge", ridge=critical))),
            section="roofline-section",
        ),
        say.frame(
            "roofline-shown",
            Picture(lambda: roofline(ops, [chip], lang=say.language), say("roofline-about", chip=name(chip))),
        ),
    ]


def sources(say: Said) -> list[Frame]:
    """Return the slide that says where the figures come from."""
    items = []
    for chip in map(any_chip, (V5E, V6E, H100)):
        figures = (chip.rate("bf16"), chip.rate(chip.memory))
        source = "; ".join(dict.fromkeys(r.source.partition(" (prints")[0] for r in figures))
        known = say(figures[0].status.replace(" ", "-"))
        items.append(say("source-of", chip=name(chip), source=source, known=known))
    items.append(say("sources-counted", source=parse_operation("matmul").source))
    return [say.frame("sources-title", Bullets(tuple(items)), section="sources-title")]
