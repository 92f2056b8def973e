"""Several chips in the lecture: one product over two of them, then over a ring."""

from __future__ import annotations

import sympy

from roofproof.derive.inequalities.cases import Above, substitute
from roofproof.derive.inequalities.inequality import solve
from roofproof.derive.inequalities.integers import smallest_integer
from roofproof.derive.roofline.ridges import ridge
from roofproof.export.latex.conditions import threshold
from roofproof.export.latex.derivation_lines import approximately
from roofproof.export.latex.expressions import latex
from roofproof.export.plots import regions
from roofproof.export.slides.lecture_parts import (
    BANDWIDTH,
    INTENSITY,
    PEAK,
    RIDGE,
    SQUARE,
    V5E,
    Said,
    at_of,
    figure,
    intensity_of,
    math,
    name,
    order_of,
    slash,
    squares,
    work,
)
from roofproof.export.slides.model import Formula, Frame, Math, Picture, Text
from roofproof.export.slides.study import Study
from roofproof.symbols import quantity

CHIPS = (2, 4, 8, 16)  # in the ring
LINK = quantity("W_net")


def _ring(chip: str) -> tuple[Study, Above, sympy.Symbol]:
    """Return the product over a ring, the least width it needs against the link, and the symbol of that ridge point."""
    ring = work("sharded-matmul", "D", chips=[chip])
    assert ring.proved is not None
    over = next(c for c in ring.proved.found.ceilings if c.channel == "ici")
    needed = solve(over.symbolic, ring.proved.found.unknown).cases[0].threshold
    assert isinstance(needed, Above)
    return ring, needed, over.symbol


def several_chips(say: Said) -> list[Frame]:
    """Return the slides on one matrix product over two chips, then over a ring of them."""
    one, two = work("matmul", "B", squares(SQUARE)), work("split-matmul", "D")
    assert two.proved is not None and one.proved is not None
    op, chip, x = two.op, two.chip, two.proved.found.unknown
    speed = {"bf16": PEAK, "memory": BANDWIDTH, "ici": LINK}

    def took(each: Study, channel: str) -> Math:
        return slash(each.op.demands[channel] / speed[channel], order=order_of(each.op) if each is one else ())

    ring, needed, channel = _ring(V5E)
    critical = ridge(chip, "bf16", "ici")
    found, here = two.proved.found.symbolic.cases[0].threshold, two.proved.found.cases.cases[0].threshold
    in_short = sympy.factor(at_of(needed).subs(channel, RIDGE))
    rows = []
    for count in CHIPS:
        at = substitute(at_of(needed), {"n": count, channel.name: critical})
        whole = sympy.Integer(smallest_integer(Above(at)))
        rows.append((math(sympy.Integer(count)), figure(at, 7), math(whole)))
    return [
        say.frame(
            "chips-split",
            say.table(
                ["", "one-chip-head", "two-chips-head"],
                [
                    (say("compute"), took(one, "bf16"), took(two, "bf16")),
                    (say("waiting"), took(one, "memory"), took(two, "ici")),
                    (say("over-channel"), say("memory"), say("link-short")),
                ],
                "lcc",
            ),
            Text(say("chips-how")),
            section="chips-section",
        ),
        say.frame(
            "chips-threshold",
            Formula(
                (
                    f"{INTENSITY} &= {latex(intensity_of(op, 'ici'))}",
                    f"{threshold(x, found, inline=True).replace('>', '&>', 1)}",
                    f"{threshold(x, here, inline=True).replace('>', '&>', 1)} {approximately(at_of(here))}",
                ),
                (say("chips-link"), (Math(f"{RIDGE} = {latex(PEAK / LINK)}"),), (name(chip),)),
            ),
            Text(say("chips-key"), key=True),
        ),
        say.frame(
            "ring-title",
            Formula((f"{x} > {latex(in_short)}",), (say("ring-how"),)),
            say.table(["chips-n", (Math("D"), " >"), "width-integer"], rows, "rrr"),
            Text(say("ring-said", chip=name(chip))),
        ),
        say.frame(
            "ring-map",
            Picture(
                lambda: regions(ring.op, chip, "B", "D", {"F": "D", "n": CHIPS[1]}, lang=say.language),
                say("ring-map-about", chip=name(chip)),
            ),
            count=math(sympy.Integer(CHIPS[1])),
        ),
    ]
