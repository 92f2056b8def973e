"""The worked solution as HTML: what is given, lines with the reason beside each, the threshold as cases, the proof."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import sympy
from markupsafe import Markup
from sympy.logic.boolalg import Boolean

from roofproof.derive.inequalities.cases import Cases
from roofproof.export.latex.derivation_lines import Style, approximately, assumed, duration, number, time_of
from roofproof.export.latex.derivations import Piece, sections
from roofproof.export.latex.layout import AlignedLine
from roofproof.export.latex.steps import headed
from roofproof.export.latex.tables import tensor_cells
from roofproof.export.latex.thresholds import fitted
from roofproof.export.outline import Outline
from roofproof.export.site.rendering import template
from roofproof.export.site.sentences import formula, sentence
from roofproof.formula.magnitudes import decimal
from roofproof.hardware import Rate
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
    supposed = [each for row in found.rows("for-all") for each in row.about.supposed]
    return Markup("").join(cases_html(found.op, row.about, lang, supposed) for row in found.rows("cases")[:1])


def cases_html(op: Operation, found: Cases, lang: str = "en", supposed: Sequence[Boolean] = ()) -> Markup:
    """Return cases alone, in the letters of an operation, and what is supposed of its sizes."""
    style = Style(op, lang)
    blocks = list(_cases(style, found))
    if supposed:
        conditions = style.say("list").join(assumed(style, each) for each in supposed)
        blocks.append(_text(style.say("assumed", conditions=conditions)))
    return Markup(template("solution.html.j2").render(sections=[("", blocks)], level=0))


def _sections(style: Style, found: Outline) -> Iterator[tuple[str, list[Block]]]:
    """Yield each part: its heading, and its blocks."""
    for key, blocks in sections(style, found, partial(_blocks, style), _figures, _tensors, _others):
        yield headed(style.say(key)), blocks


def _blocks(style: Style, piece: Piece) -> Iterator[Block]:
    if isinstance(piece, Cases):
        yield from _cases(style, piece)
    else:
        yield _text(piece) if isinstance(piece, str) else _lines(piece)


def _text(tex: str) -> Block:
    return Block("text", text=sentence(" ".join(tex.split())))


def _lines(some: Iterable[AlignedLine]) -> Block:
    rows: list[tuple[Markup, ...]] = []
    for line in some:
        before, sign = (line.left, line.sign) if line.left else (line.sign, "")  # how a line of a proof follows
        for place, right in enumerate(line.right):
            shown = f"{sign} {right}".strip() if place == 0 else right
            shown = f"{{}}{shown}" if shown[:1] in "+-=" else shown  # so that the sign keeps its room
            left, why = (before, line.because) if place == 0 else ("", "")
            rows.append(
                (formula(left, display=True) if left else Markup(""), formula(shown, display=True), sentence(why))
            )
    return Block("lines", tuple(rows))


def _cases(style: Style, cases: Cases) -> Iterator[Block]:
    short, names = fitted(style, cases)
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
    head, rows = tensor_cells(style)
    return Block("table", tuple(tuple(map(sentence, cells)) for cells in rows), tuple(head))


def _others(style: Style, found: Outline) -> Block:
    """Return the ridge point, answer and times under the alternative figures of a chip."""
    others = found.rows("other", "other-time")
    pointed = any(k.statement.kind == "at-point" for k in others[0].known)
    rows = []
    for row in others:
        rate = row.about.rate
        if row.key == "other":
            told = [f"${style.latex(sympy.Symbol(s))} {approximately(v)}$" for s, v in row.ridges.items()]
        else:
            shown = (k.statement.shows for k in row.known[1:])
            told = [f"${time_of(name.name)} {' '.join(duration(t, False))}$" for t, name in shown if t.is_number]
        none = style.say("no-such-size" if row.unmet else "never")
        answer = none if row.integer is None else str(row.integer)
        cells = [Markup.escape(rate.variant or "default"), sentence(style.say("comma").join(told))]
        rows.append((Markup.escape(rate.resource), quantity(rate), *cells, *[Markup.escape(answer)] * pointed))
    head = ["figure", "value", "source", "ridge-head" if others[0].key == "other" else "times"]
    return Block("table", tuple(rows), (*map(style.say, head), *[str(found.unknown)] * pointed))
