"""The worked solution as HTML: what is given, lines with the reason beside each, the threshold as cases, the proof."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import sympy
from markupsafe import Markup

from roofproof.derive.inequalities.cases import Cases
from roofproof.export.latex.derivation_lines import (
    MANY,
    Style,
    approximately,
    assumed,
    counted_from,
    duration,
    lines,
    listed,
    long_convention,
    number,
    tensor_name,
    time_line,
    time_of,
)
from roofproof.export.latex.derivations import status, warnings
from roofproof.export.latex.escaping import escape
from roofproof.export.latex.layout import Line
from roofproof.export.latex.steps import FACTOR, FORMULA, fitted, headed, reason
from roofproof.export.latex.thresholds import fitted as fitted_cases
from roofproof.export.latex.thresholds import left_out, parts
from roofproof.export.latex.words import words
from roofproof.export.outline import TIMES, Outline, Row, Section
from roofproof.export.site.rendering import template
from roofproof.export.site.sentences import formula, sentence
from roofproof.hardware import Rate
from roofproof.hardware.units import decimal
from roofproof.ops import Operation


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a solution: `kind` says which of the others it has, all of it HTML already.

    lines   rows of (left side, sign and right side, reason)
    cases   rows of (bound, condition)
    table   rows under a head
    text    a sentence
    """

    kind: str
    rows: tuple[tuple[Markup, ...], ...] = ()
    head: tuple[str, ...] = ()
    text: Markup | str = ""


def solution_html(found: Outline, lang: str = "en", level: int = 3) -> Markup:
    """Return an outline as HTML whose formulas are marked for KaTeX; headings begin at a level.

    >>> from roofproof import op, threshold
    >>> from roofproof.export.outline import outline
    >>> matmul = op("matmul")
    >>> text = solution_html(outline(matmul, None, threshold(matmul, None, "B"), {}, steps=True))
    >>> print(next(line for line in text.splitlines() if "the proof kernel" in line)[:38])
    <p>For all <span class="tex">B,</span>

    Everything that comes from outside is escaped. Raises RoofproofError for a language that is not written.
    """
    style = Style(found.op, lang)
    return Markup(template("solution.html.j2").render(sections=list(_sections(style, found)), level=level))


def threshold_html(found: Outline, lang: str = "en") -> Markup:
    """Return where an operation is compute-bound, in short: the cases alone, those with symbolic ridge points.

    >>> from roofproof import op, threshold
    >>> from roofproof.export.outline import outline
    >>> matmul = op("matmul")
    >>> "never" in threshold_html(outline(matmul, None, threshold(matmul, None, "B"), {}))
    True
    """
    return Markup("").join(cases_html(found.op, row.about, lang) for row in found.rows("cases")[:1])


def cases_html(op: Operation, found: Cases, lang: str = "en") -> Markup:
    """Return cases alone, in the letters of an operation."""
    blocks = list(_cases(Style(op, lang), found))
    return Markup(template("solution.html.j2").render(sections=[("", blocks)], level=0))


def _sections(style: Style, found: Outline) -> Iterator[tuple[str, list[Block]]]:
    """Yield each part: its heading, and its blocks."""
    say = style.say
    if figures := found.rows("figure"):
        yield say("given"), [_figures(style, [row.about for row in figures])]
    if found.rows("flops", "no-flops"):
        yield say("derivation"), _derivation(style, found)
    if threshold := found.section("threshold"):
        yield say("threshold"), [block for row in threshold for block in _threshold(style, row, found)]
    elif found.op.flops == 0:
        yield say("threshold"), [_text(say("no-flops"))]
    for section in found.sections:
        if section.key.startswith("steps-"):
            yield headed(say(section.key)), list(_steps(style, section))
    if regions := found.rows("longest"):
        made = [[_text(say("resource", name=escape(r.about.resource))), *_cases(style, r.about.cases)] for r in regions]
        yield say("longest"), [block for blocks in made for block in blocks]
    if left := found.rows("left-out"):
        yield say("left-out"), [_text(text) for row in left for text in left_out(style, row)]
    if others := found.rows("other", "other-time"):
        yield say("figures"), [_others(style, found, others)]
    if times := found.rows(*TIMES):
        yield say("times"), [_lines(line for row in times for line in time_line(style, row))]
    if proofs := found.rows("proof", "limit-proof"):
        yield say("status"), [_text(status(style, found, proofs))]


def _derivation(style: Style, found: Outline) -> list[Block]:
    """Return how FLOPs and bytes are counted, and what follows from them."""
    say = style.say
    blocks = [_text(counted_from(style)), _lines(lines(style, found))]
    if counting := long_convention(style):
        blocks.append(_text(say("counted", convention=counting)))
    if len(found.op.tensors) > MANY:
        blocks.append(_tensors(style))
    if taken := found.rows("assumed"):
        blocks.append(_text(say("assumed", conditions=say("list").join(assumed(style, row.about) for row in taken))))
    return [*blocks, *map(_text, warnings(style, found))]


def _text(tex: str) -> Block:
    return Block("text", text=sentence(" ".join(tex.split())))


def _lines(some: Iterator[Line]) -> Block:
    rows: list[tuple[Markup, ...]] = []
    for line in some:
        for place, right in enumerate(line.right):
            shown = f"{line.sign} {right}".strip() if place == 0 else right
            shown = f"{{}}{shown}" if shown[:1] in "+-=" else shown  # so that the sign keeps its room
            left, why = (line.left, line.because) if place == 0 else ("", "")
            rows.append(
                (formula(left, display=True) if left else Markup(""), formula(shown, display=True), sentence(why))
            )
    return Block("lines", tuple(rows))


def _threshold(style: Style, row: Row, found: Outline) -> Iterator[Block]:
    """Yield what a row of the threshold says: cases as cases, all else as a sentence."""
    if row.key == "cases":
        if row is found.rows("cases")[0] or not row.about.never:
            yield from _cases(style, row.about)
    else:
        yield from (_text(text) for text in parts(style, row, found))


def _cases(style: Style, cases: Cases) -> Iterator[Block]:
    short, names = fitted_cases(style, cases)
    rows = []
    for case in short:
        bound = formula(style.threshold(short.unknown, case.threshold), display=True)
        alone, last = case.when == sympy.true, len(short) > 1 and case is short.cases[-1]
        where = sentence(
            style.say("otherwise") if last else "" if alone else f"{style.say('when')} ${style.condition(case.when)}$"
        )
        rows.append((bound, where))
    yield Block("cases", tuple(rows))
    if names:
        yield _text(style.say("where-list"))
        yield _lines(style.definitions(names))


def _steps(style: Style, section: Section) -> Iterator[Block]:
    """Yield the lines of a proof, those of a case after its condition."""
    if untold := [row.about for row in section.rows if row.key == "untold"]:
        yield _text(
            headed(style.say("steps-untold", why=escape(words(style.lang).told(untold[0])))) + style.say("stop")
        )
        return
    shown, names = fitted(style, section.rows, FORMULA, FACTOR)
    block: list[Line] = []
    for each in shown:
        if each.step is not None:
            block.append(Line(each.mark, "", (each.formula,), reason(style, each)))
            continue
        if block:
            yield _lines(iter(block))
        yield _text(headed(style.say("steps-case", when=f"${each.formula}$")))
        block = []
    yield _lines(iter(block))
    if names:
        yield _text(headed(style.say("where-list")))
        yield _lines(style.definitions(names))


def quantity(rate: Rate) -> Markup:
    """Return a figure with its unit.

    >>> from roofproof import chip
    >>> print(quantity(chip("tpu-v5e").rate("bf16")))
    <span class="tex">1.97 \\times 10^{14}</span> FLOP/s
    """
    return Markup("{} {}").format(formula(number(decimal(rate.value), False)), rate.unit)


def _figures(style: Style, rates: Sequence[Rate]) -> Block:
    from roofproof.export.words.catalogue import Catalogue

    rows = []
    for r in rates:
        how = Catalogue(style.lang).of_figure(r.convention, r.status)
        rows.append((Markup.escape(r.resource), quantity(r), Markup("{}<br><small>{}</small>").format(how, r.source)))
    return Block("table", tuple(rows), tuple(style.say(key) for key in ("figure", "value", "known")))


def _tensors(style: Style) -> Block:
    rows = []
    for key, some in (("reads", style.op.reads), ("writes", style.op.writes)):
        for t in some:
            times = (
                "" if t.times == 1 else f", {style.say('times-each', times=f'${style.latex(t.times, inline=True)}$')}"
            )
            cells = (style.say(key), tensor_name(t), escape(t.dtype), listed(t.shape, "[", "]") + times)
            rows.append((*map(sentence, cells), formula(style.latex(t.traffic))))
    head = ("moved", "tensor", "format", "shape", "bytes")
    return Block("table", tuple(rows), tuple(style.say(key) for key in head))


def _others(style: Style, found: Outline, others: Sequence[Row]) -> Block:
    """Return what ridge point, answer and times would be with figures that stand beside those in force."""
    pointed = any(k.statement.kind == "at-point" for k in others[0].known)
    rows = []
    for row in others:
        rate = row.about.rate
        if row.key == "other":
            told = [f"${style.latex(s)} {approximately(v)}$" for s, v in row.about.ridges.items()]
        else:
            shown = (k.statement.shows for k in row.known[1:])
            told = [f"${time_of(name.name)} {' '.join(duration(t, False))}$" for t, name in shown if t.is_number]
        answer = style.say("never") if row.integer is None else str(row.integer)
        cells = [Markup.escape(rate.variant or "default"), sentence(style.say("comma").join(told))]
        rows.append((Markup.escape(rate.resource), quantity(rate), *cells, *[Markup.escape(answer)] * pointed))
    head = ["figure", "value", "source", "ridge-head" if others[0].key == "other" else "times"]
    return Block("table", tuple(rows), (*map(style.say, head), *[str(found.unknown)] * pointed))
