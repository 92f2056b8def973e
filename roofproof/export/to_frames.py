r"""A document as the slides of a deck: a frame for each section, with displays, tables, sentences and pictures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby

import sympy

from roofproof.export import doc as d
from roofproof.export.latex.conditions import cases
from roofproof.export.latex.escaping import within_maths
from roofproof.export.latex.leaves import Piece, Style, headed, pieces
from roofproof.export.naming import named
from roofproof.export.slides import model as m
from roofproof.export.slides.tex import input_tex
from roofproof.export.to_latex import is_sentence, row_pieces

MOST = 20  # limit for the names in a formula on a slide that cannot be broken
RELATION = re.compile(r"=|<|>|\\(?:leq|geq|to|approx|sim|iff|implies)(?![A-Za-z])")
LONG = re.compile(  # a side that is only a fraction, before its decimals
    r"(^|[<>=] |\\(?:approx|[gl]eq) )\\frac\{\d{3,}\}\{\d+\} (?:= |\\approx (?=\d*\.\d))"
)


def to_frames(doc: d.Doc, lang: str = "en") -> tuple[m.Frame, ...]:
    r"""Return a document as slides in a language.

    >>> row = d.Line(d.say("for all <names>", names=d.Formula("B")), key=True)
    >>> to_frames(d.Doc((), (d.Section("one & all", (row, d.Line(d.Formula("B", ">", "R")))),)))[0].blocks
    (Text(words=('For all ', Math(tex='B')), key=True), Display(lines=('B &> R',), reasons=()))
    """
    style = Style(lang, doc.order)
    return tuple(_frame(section, style) for section in named(doc, MOST).sections)


def _frame(section: d.Section, style: Style) -> m.Frame:
    shown, picture = [*blocks(section.rows, style)], section.picture
    if picture is not None:
        shown.append(m.Picture(partial(picture.make, style.lang), inline(picture.about, replace(style, inline=True))))
    note = inline(section.note, style)
    return m.Frame(inline(section.heading, style), tuple(shown), note=note, part=str(section.part or ""))


def blocks_of(
    rows: Iterable[d.Row], order: tuple[sympy.Expr, ...], taken: frozenset[str], lang: str
) -> tuple[m.Block, ...]:
    """Return rows as blocks of a slide, without a frame."""
    return to_frames(d.Doc((), (d.Section((), tuple(rows)),), order, taken), lang)[0].blocks


def inline(what: d.Inline, style: Style) -> m.Inline:
    """Return an inline as a sentence of a slide.

    >>> inline(d.say("at <sizes>", sizes=d.sizes({"D": 4096})), Style())
    ('at ', Math(tex='D = 4096'))
    """
    return tuple(map(_piece, pieces(what, style)))


def _piece(piece: Piece) -> str | m.Math | m.Code:
    is_formula, text = piece
    if is_formula:
        return m.Math(input_tex(text))
    return m.Code(text) if isinstance(text, d.Code) else text


def blocks(rows: Sequence[d.Row], style: Style) -> Iterator[m.Block]:
    """Yield rows as blocks: consecutive formulas are one display, and consecutive sentences are bullet points."""
    slashed = replace(style, inline=True)
    for kind, some in groupby(rows, key=_kind):
        each = list(some)
        if kind in ("formula", "derivation"):
            yield _display([row for row in each if isinstance(row, d.Line)], style)
        elif kind == "points" and len(each) > 1:
            yield m.Bullets(tuple(_point(row, slashed) for row in each if isinstance(row, d.Line)))
        else:
            yield from map(partial(_block, style=style), each)


def _kind(row: d.Row) -> str:
    if not isinstance(row, d.Line):
        return type(row).__name__
    if row.right is not None or _is_case(row):
        return "derivation"
    if row.subject:
        return "formula"
    if row.key or _is_heading(row):
        return "sentence"
    return "points" if is_sentence(row) or isinstance(row.left, d.Code) else "formula"


def _is_heading(row: d.Line) -> bool:
    """Return whether a line is a heading for the lines below it."""
    return isinstance(row.left, d.Say) and row.left.form.endswith(":") and not row.left.form.startswith("case ")


def _point(row: d.Line, style: Style) -> m.Inline:
    return tuple(map(_piece, headed(pieces(row.left, style))))


def _block(row: d.Row, style: Style) -> m.Block:
    slashed = replace(style, inline=True)
    match row:
        case d.Display():
            return m.Display((input_tex(cases(row.cases, lang=style.lang, order=style.order)),))
        case d.Table():
            head, *cells = (tuple(inline(cell, slashed) for cell in each) for each in (row.head, *row.rows))
            return m.Table(head, tuple(cells), row.align, row.total)
    shown = pieces(row.left, slashed)
    return m.Text(tuple(map(_piece, headed(shown))), key=row.key)


def _display(rows: Sequence[d.Line], style: Style) -> m.Display:
    """Return lines as one display. The lines of a proof have a sign for how they follow, and a reason next to them."""
    slashed = replace(style, inline=True)
    proof = any(row.right is not None for row in rows) or any(_is_case(row) for row in rows)
    lines, reasons = [], []
    for row in rows:
        lines.append(input_tex(_proof_line(row, style) if proof else aligned(_formula(row_pieces(row, style)))))
        reasons.append(inline(row.right, slashed) if row.right is not None else ())
    return m.Display(tuple(lines), tuple(reasons) if any(reasons) else (), derived=proof)


def _is_case(row: d.Line) -> bool:
    return isinstance(row.left, d.Say) and row.left.form.startswith("case ")


def _proof_line(row: d.Line, style: Style) -> str:
    if _is_case(row):
        return "& " + _formula(pieces(row.left, replace(style, inline=True)))
    shown = LONG.sub(r"\1", _formula(row_pieces(replace(row, mark=()), style)))
    return f"{_formula(pieces(row.mark, style)).strip()} & {shown}".strip()


def _formula(shown: Iterable[Piece]) -> str:
    """Return pieces as one formula."""
    return "".join(
        text if is_formula else r"\ " if text.isspace() else within_maths(text) for is_formula, text in shown
    )


def aligned(formula: str) -> str:
    r"""Return a formula aligned at its first relation outside braces.

    >>> aligned(r"T_{\text{a=b}} \leq 2 = 4"), aligned("2B")
    ('T_{\\text{a=b}} &\\leq 2 = 4', '& 2B')
    """
    depth = 0
    for place, sign in enumerate(formula):
        depth += (sign == "{") - (sign == "}")
        if depth == 0 and RELATION.match(formula, place):
            return f"{formula[:place]}&{formula[place:]}"
    return f"& {formula}"
