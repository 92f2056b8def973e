"""Matrix multiplication in the lecture: intensity, limit, threshold, rule and truth; and the summary."""

from __future__ import annotations

import sympy

from roofproof.derive.inequalities.cases import Never, Threshold
from roofproof.export.latex.conditions import cases, condition, threshold
from roofproof.export.latex.derivation_lines import approximately, regime
from roofproof.export.latex.expressions import latex
from roofproof.export.plots import threshold_curve
from roofproof.export.slides.lecture_parts import (
    ABOUT,
    H100,
    INTENSITY,
    PEAK,
    SQUARE,
    Said,
    at_of,
    equal_sizes,
    figure,
    intensity_of,
    math,
    name,
    order_of,
    rule,
    shape,
    share,
    slash,
    squares,
    tends,
    work,
)
from roofproof.export.slides.model import Formula, Frame, Inline, Math, Picture, Table, Text
from roofproof.export.slides.study import Study, exact_share, integer_of
from roofproof.symbols import quantity

SIZES = (256, 1024, 2048, 4096, 8192, 16384)  # D = F of the table
INT8 = "x:int8[B,D], w:int8[D,F] -> z:int8[B,F]"
WEIGHTS = "x:bf16[B,D], w:int8[D,F] -> z:bf16[B,F] @ bf16"
OWN = "x:int8[B,D], w:int8[B,D,F] -> z:int8[B,F]"


def matmul(say: Said) -> list[Frame]:
    """Return the slides on matrix multiplication: intensity, limit with its error, threshold, rule and truth."""
    study = work("matmul", "B", squares(SQUARE))
    assert study.proved is not None
    op, found, limit = study.op, study.proved.found, study.proved.rules[0].proved.limit
    order, value, tend = order_of(op), intensity_of(op), tends(study)
    needed, said = study.numbers[0].at_sizes, rule(study)
    assert needed is not None
    sizes = {**squares(SQUARE), "B": integer_of(said)}
    x = found.unknown
    shapes = {t.name: shape(t.shape) for t in (*op.reads, *op.writes)}
    quotient = rf"\frac{{{latex(op.flops)}}}{{{latex(op.bytes('memory'), order=order)}}}"
    return [
        say.frame(
            "matmul-title",
            Text(say("matmul-what", **{f"shape_{key}": each for key, each in shapes.items()})),
            say.moved(op),
            Text(say("matmul-flops", flops=math(op.flops))),
            section="matmul-title",
        ),
        say.frame("matmul-intensity", Formula((f"{INTENSITY} &= {quotient}", f"&= {latex(value, order=order)}"))),
        say.frame(
            "matmul-limit",
            Formula(
                (
                    f"{INTENSITY} &\\to {latex(tend)}",
                    f"\\frac{{{latex(tend)} - {INTENSITY}}}{{{INTENSITY}}} &= {latex(limit.relative_error)}",
                ),
                ((*say("when"), " ", Math(regime(limit.regime.text))), say("error-exact")),
            ),
            Text(say("matmul-key"), key=True),
            Text(say("matmul-error", sizes=equal_sizes(sizes), share=share(exact_share(study, sizes)))),
        ),
        say.frame(
            "matmul-threshold",
            Formula((cases(found.symbolic, lang=say.language, form="reciprocal"),)),
            Text(say("matmul-condition", condition=Math(condition(found.symbolic.cases[0].when, inline=True)))),
            Text(say("matmul-proved", how=say(study.proved.trust))),
        ),
        say.frame(
            "matmul-numbers",
            Formula(
                (
                    f"{threshold(x, said, inline=True).replace('>', '&>', 1)} {_about(said)}",
                    f"{threshold(x, needed, inline=True).replace('>', '&>', 1)} {_about(needed)}",
                ),
                (say("by-rule"), say("exactly-at", sizes=equal_sizes(squares(SQUARE)))),
            ),
            Text(say("matmul-integers", chip=name(study.chip), rule=math(sympy.Integer(integer_of(said))),
                     exact=math(sympy.Integer(integer_of(needed)))), key=True),
        ),
        say.frame("matmul-table", _by_size(say, study), Text(say("matmul-table-said", chip=name(study.chip)))),
        say.frame(
            "matmul-curve",
            Picture(
                lambda: threshold_curve(op, [study.chip], "B", "D", {"F": "D"}, lang=say.language),
                say("matmul-curve-about", chip=name(study.chip)),
            ),
        ),
    ]  # fmt: skip


def _about(there: Threshold) -> str:
    return approximately(at_of(there))


def _by_size(say: Said, study: Study) -> Table:
    assert study.proved is not None
    found = study.proved.found
    at_rule = at_of(rule(study))
    rows: list[tuple[Inline | str | Math, ...]] = []
    for size in SIZES:
        there = found.cases.at(squares(size))
        if isinstance(there, Never):
            rows.append((math(sympy.Integer(size)), say("never"), say("never"), ""))
            continue
        at = at_of(there)
        whole = sympy.Integer(integer_of(there))
        rows.append((math(sympy.Integer(size)), figure(at), math(whole), figure(at / at_rule, 3)))
    head: list[str | Math | Inline] = [Math("D = F"), (Math("B"), " >"), say("integer"), say("truth-over-rule")]
    return say.table(head, rows, "rrrr")


def summary(say: Said) -> list[Frame]:
    """Return the three formulas and the table of rules against the truth."""
    t, t_math, t_move, flops, moved = (quantity(n) for n in ("T", "T_math", "T_move", "FLOPs", "bytes"))
    studies = [
        ("dot", work("dot", "N")),
        ("own", work(OWN, "B", squares(SQUARE))),
        ("bf16", work("matmul", "B", squares(SQUARE))),
        ("int8", work(INT8, "B", squares(SQUARE))),
        ("weights", work(WEIGHTS, "B", squares(SQUARE))),
        ("gpu", work("matmul", "B", squares(SQUARE), [H100])),
        ("two", work("split-matmul", "D")),
    ]
    return [
        say.frame(
            "three-formulas",
            Formula(
                (
                    f"{latex(sympy.Max(t_math, t_move))} \\leq {latex(t)} &\\leq {latex(t_math + t_move)}",
                    f"{INTENSITY} &= {latex(flops / moved)}",
                    f"{INTENSITY} &> {latex(PEAK / quantity('W'))}",
                ),
                (say("formula-time"), say("formula-intensity"), say("formula-bound")),
            ),
            section="summary-section",
        ),
        say.frame(
            "summary-title",
            say.table(
                ["operation", "chip", say("intensity-short"), "rule-head",
                 say("exact-head", sizes=equal_sizes(squares(SQUARE)))],
                [_line(say, key, each) for key, each in studies], "llccr",
            ),
        ),
    ]  # fmt: skip


def _line(say: Said, key: str, study: Study) -> tuple[Inline | str | Math, ...]:
    """Return a line of the summary: what the intensity tends to, the rule, the smallest size that will do."""
    assert study.proved is not None
    x, there = study.proved.found.unknown, study.numbers[0].at_sizes
    start = (say(f"case-{key}"), name(study.chip))
    if there is None or isinstance(there, Never):
        return *start, slash(tends(study)), say("never"), say("never")
    ruled = rule(study) if study.proved.rules else there
    value = tends(study) if study.proved.rules else intensity_of(study.op, study.proved.found.ceilings[0].channel)
    exact = Math(f"{latex(x)} \\geq {integer_of(there)}")
    return *start, slash(value), Math(f"{latex(x)} > {figure(at_of(ruled)).tex.removeprefix(ABOUT)}"), exact
