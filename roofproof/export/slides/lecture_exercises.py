"""The exercises of the lecture with their answers."""

from __future__ import annotations

import sympy

from roofproof.derive.inequalities.cases import Never
from roofproof.derive.roofline.ridges import ridge
from roofproof.derive.roofline.times import attainable
from roofproof.export.latex.conditions import threshold
from roofproof.export.latex.derivation_lines import approximately, regime
from roofproof.export.latex.expressions import latex
from roofproof.export.plots import achieved
from roofproof.export.slides.lecture_matmul import INT8, OWN, WEIGHTS
from roofproof.export.slides.lecture_parts import (
    H100,
    INTENSITY,
    RIDGE,
    SQUARE,
    V5E,
    Said,
    at_of,
    equal_sizes,
    figure,
    intensity_of,
    math,
    name,
    order_of,
    rate,
    rule,
    share,
    slash,
    squares,
    tends,
    work,
)
from roofproof.export.slides.model import Block, Bullets, Formula, Frame, Inline, Math, Picture, Text
from roofproof.export.slides.study import Study, integer_of
from roofproof.hardware import any_chip

WIDER = "x:fp32[B,D], w:fp32[D,F] -> z:fp32[B,F] @ bf16"
NARROW = 1024


def exercises(say: Said) -> list[Frame]:
    """Return the questions on two slides, then a slide for each answer."""
    wide, narrow = (math(sympy.Integer(size)) for size in (SQUARE, NARROW))
    gaps = {"wide": wide, "narrow": narrow, "width": narrow}
    answers = {
        "int8": _product(say, work(INT8, "B", squares(SQUARE)), "int8-key"),
        "weights": _product(say, work(WEIGHTS, "B", squares(SQUARE)), "weights-key"),
        "achieved": _achieved(say),
        "own": _own(say),
        "gpu": _gpu(say),
        "wider": _product(say, work(WIDER, "B", squares(SQUARE)), "wider-key"),
        "attention": _attention(say),
        "narrow": _narrow(say),
    }
    asked = [say(f"ask-{key}", **gaps) for key in answers]
    half = len(asked) // 2
    frames = [
        say.frame("exercises-title", Bullets(tuple(asked[:half])), section="exercises-section"),
        say.frame("exercises-more", Bullets(tuple(asked[half:]))),
    ]
    for number, (question, blocks) in enumerate(zip(asked, answers.values(), strict=True), 1):
        shown = blocks if any(isinstance(b, Picture) for b in blocks) else (Text(question), *blocks)
        frames.append(Frame(say("solved", number=number), shown))
    return frames


def _product(say: Said, study: Study, key: str) -> tuple[Block, ...]:
    """Return what a product of matrices comes to: exact intensity, its limit, rule and exact threshold."""
    assert study.proved is not None and study.numbers[0].at_sizes is not None
    found, limit = study.proved.found, study.proved.rules[0].proved.limit
    x, exact = found.unknown, study.numbers[0].at_sizes
    lines = (
        f"{INTENSITY} &= {latex(intensity_of(study.op), order=order_of(study.op))}",
        f"&\\to {latex(tends(study))}",
        f"{RIDGE} &{approximately(found.ceilings[0].ridge)}",
        _above(x, rule(study)),
        _above(x, exact),
    )
    reasons: tuple[Inline, ...] = (
        (), say("by-limit", regime=Math(regime(limit.regime.text))), say("ridge-of", chip=name(study.chip)),
        say("rule-reason"), say("exactly-at", sizes=equal_sizes(squares(SQUARE))),
    )  # fmt: skip
    return Formula(lines, reasons), Text(say(key), key=True)


def _above(x: sympy.Symbol, there: object) -> str:
    return f"{latex(x)} &> {latex(at_of(there), inline=True)} {approximately(at_of(there))}"  # type: ignore[arg-type]


def _achieved(say: Said) -> tuple[Block, ...]:
    wide, narrow = (work(WEIGHTS, "B", squares(size)) for size in (SQUARE, NARROW))
    factor = at_of(narrow.numbers[0].at_sizes) / at_of(wide.numbers[0].at_sizes)  # type: ignore[arg-type]
    return (
        Picture(
            lambda: achieved(wide.op, wide.chip, "B", [squares(SQUARE), squares(NARROW)], lang=say.language),
            say("achieved-about", chip=name(wide.chip)),
        ),
        Text(say("achieved-key", factor=figure(factor, 3))),
    )


def _own(say: Said) -> tuple[Block, ...]:
    study = work(OWN, "B", squares(SQUARE))
    assert study.proved is not None and study.never
    lines = (
        f"{INTENSITY} &= {latex(intensity_of(study.op))}",
        f"&\\to {latex(tends(study))}",
        f"{RIDGE} &{approximately(study.proved.found.ceilings[0].ridge)}",
    )
    limit = study.proved.rules[0].proved.limit
    reasons = (
        say("own-why"), say("by-limit", regime=Math(regime(limit.regime.text))), say("ridge-of", chip=name(study.chip)),
    )  # fmt: skip
    return Formula(lines, reasons), Text(say("own-key", most=math(tends(study))), key=True)


def _gpu(say: Said) -> tuple[Block, ...]:
    study = work("matmul", "B", squares(SQUARE), [H100])
    exact = study.numbers[0].at_sizes
    assert study.proved is not None and exact is not None
    x = study.proved.found.unknown
    peak, bandwidth = rate(study.chip, "bf16"), rate(study.chip, study.chip.memory)
    lines = (
        f"{RIDGE} &= \\frac{{{figure(peak).tex}}}{{{figure(bandwidth).tex}}} {approximately(peak / bandwidth)}",
        _above(x, rule(study)),
        _above(x, exact),
    )
    reasons = (say("ridge-of", chip=name(study.chip)), say("rule-reason"),
               say("exactly-at", sizes=equal_sizes(squares(SQUARE))))  # fmt: skip
    wrong = figure(ridge(study.chip, "bf16-sparse"), 4)
    return Formula(lines, reasons), Text(say("gpu-key", wrong=wrong), key=True)


def _attention(say: Said) -> tuple[Block, ...]:
    rows: list[tuple[Inline | str | Math, ...]] = []
    heads: dict[str, int] = {}
    for key, op, unknown in (
        ("unfused", "attention-core", "L"), ("fused", "flash-attention", "L"), ("decoding", "decode-attention", "S")
    ):  # fmt: skip
        study = work(op, unknown)
        heads |= {k: v for k, v in study.sizes.items() if k in ("k", "r")}
        assert study.proved is not None
        there = study.numbers[0].at_sizes
        x = study.proved.found.unknown
        answer: Inline | Math = (
            say("never") if there is None or isinstance(there, Never) else Math(f"{latex(x)} \\geq {integer_of(there)}")
        )
        rows.append((say(key), slash(intensity_of(study.op)), answer))
    chip = any_chip(V5E)
    k, r = (math(sympy.Integer(heads[n])) for n in ("k", "r"))
    return (
        say.table(["", Math("I"), "needs-head"], rows, "lcc"),
        Text(say("attention-key"), key=True),
        Text(say("attention-said", k=k, r=r, chip=name(chip))),
    )


def _narrow(say: Said) -> tuple[Block, ...]:
    study = work("split-matmul", "D")
    assert study.proved is not None
    found = study.proved.found
    x, critical = found.unknown, found.ceilings[0].ridge
    value = intensity_of(study.op, "ici")
    here = value.subs(x, NARROW)
    peak = rate(study.chip, "bf16")
    reached = attainable(peak, rate(study.chip, "ici"), here) / peak
    needed = found.cases.cases[0].threshold
    lines = (
        f"{INTENSITY} &= {latex(value, inline=True)} = {latex(here)}",
        f"{RIDGE} &{approximately(critical)}",
        f"{threshold(x, needed, inline=True).replace('>', '&>', 1)} {approximately(at_of(needed))}",
    )
    reasons = (say("narrow-link"), say("ridge-of", chip=name(study.chip)), say("needs-head"))
    return Formula(lines, reasons), Text(say("narrow-key", share=share(reached)), key=True)
