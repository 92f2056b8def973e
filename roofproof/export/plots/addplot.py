r"""A figure as pgfplots source: vector graphics in the fonts of the surrounding document. Writing it needs no TeX.

The axes keep their size in centimetres, so that the labels, placed for that size, do not overlap.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from roofproof.export.latex.escaping import escape_spaced, has_chinese
from roofproof.export.latex.expressions import symbol
from roofproof.export.plots.captions import FONT_SIZE, LINE
from roofproof.export.plots.layout import BOTTOM, LEFT, Page, Placed, layout
from roofproof.export.plots.model import Axis, Math, Picture, Point, Text, plain
from roofproof.export.plots.palette import GUIDE, INK, SHADES, STROKES, stroked

PREAMBLE = r"\usepackage{pgfplots}\pgfplotsset{compat=1.16}"
"""The preamble that a document needs for a figure (Chinese texts need ctex, too)."""

_COLOURS = {f"rps{n}": colour for n, (colour, _) in enumerate(STROKES)}
_COLOURS |= {f"rpf{n}": colour for n, colour in enumerate(SHADES)} | {"rpguide": GUIDE[0], "rpink": INK}
_FONT = rf"\sffamily\linespread{{1}}\fontsize{{{FONT_SIZE:g}}}{{{FONT_SIZE * 1.2:g}}}\selectfont"


def document(figure: Picture) -> str:
    r"""Return a figure as a file that compiles on its own, or that a document with pgfplots includes by `\input`.

    Raises RoofproofError if the labels do not fit.
    """
    chinese = any(has_chinese(plain(text)) for text in figure.texts())
    lines = (
        f"% Alone: {'xelatex' if chinese else 'pdflatex'} THIS-FILE. "
        r"In a document that loads pgfplots: \input{THIS-FILE}.",
        r"\ifdefined\pgfplotsset\let\closing\relax\else",
        r"\documentclass[border=3pt]{standalone}",
        PREAMBLE,
        *([r"\usepackage[fontset=fandol]{ctex}"] if chinese else []),
        r"\def\closing{\end{document}}",
        r"\begin{document}",
        r"\fi",
        tikzpicture(figure),
        r"\closing",
    )
    return "\n".join(lines) + "\n"


def tikzpicture(figure: Picture, title: bool = True) -> str:
    """Return a figure as a `tikzpicture`, with or without its title.

    Raises RoofproofError if the labels do not fit.
    """
    return "\n".join(_lines(layout(figure, title)))


def _lines(page: Page) -> Iterator[str]:
    figure, node = page.figure, rf"\node[text=rpink, font={_FONT}, inner sep=0pt, anchor="
    yield rf"\begin{{tikzpicture}}[every node/.style={{font={_FONT}}}]"
    yield from (rf"\definecolor{{{name}}}{{HTML}}{{{colour}}}" for name, colour in _COLOURS.items())
    edges = f"(-{LEFT}cm,-{BOTTOM}cm) rectangle ({page.width - LEFT:g}cm,{page.up + page.top:g}cm)"
    yield rf"\useasboundingbox {edges};"
    yield rf"\begin{{axis}}[scale only axis, width={page.across:.4g}cm, height={page.up:.4g}cm,"
    yield "  at={(0,0)}, anchor=south west, clip=false, axis on top, axis line style={rpink}, tick style={rpink},"
    yield "  tick align=outside, tick pos=left, axis x line*=bottom, axis y line*=left, scaled ticks=false,"
    yield "  ticklabel style={text=rpink}, xminorticks=false, yminorticks=false,"
    for letter, axis, ticks in zip("xy", (figure.x, figure.y), page.ticks(), strict=True):
        yield f"  {_scale(letter, axis)}, {letter}tick={{{','.join(_number(at) for at, _ in ticks)}}},"
        yield f"  {letter}ticklabels={{{','.join(f'{{{_tex(text)}}}' for _, text in ticks)}}},"
    yield "]"
    for area in figure.areas:
        fill = f"draw=rpf{area.shade}, line width=0.2pt, fill=rpf{area.shade}"
        yield rf"\addplot[{fill}] coordinates {{{_points(area.points)}}} -- cycle;"
    for curve in sorted(figure.curves, key=lambda curve: curve.stroke is not None):
        yield rf"\addplot[{_stroke(curve.stroke)}] coordinates {{{_points(curve.points)}}};"
    for mark in figure.marks:
        ink = _ink(mark.stroke)
        how = (
            f"fill=white, draw={ink}, line width=1.4pt" if mark.hollow else f"fill={ink}, draw=white, line width=0.6pt"
        )
        options = f"only marks, mark=*, mark size=2.6pt, mark options={{{how}}}"
        yield rf"\addplot[{options}] coordinates {{{_points([mark.at])}}};"
    for label in page.labels:
        yield from _label(page, label)
    yield r"\end{axis}"
    above = enumerate(reversed(page.above))
    yield from (
        rf"{node}base west] at (-{LEFT - 0.1:g}cm,{page.up + 0.28 + n * LINE:g}cm) {{{_tex(t)}}};" for n, t in above
    )
    yield rf"{node}north] at ({page.across / 2:g}cm,-0.74cm) {{{_tex(figure.x.title)}}};"
    for n, line in enumerate(page.title):
        place = page.up + page.top - 0.42 - n * 0.47
        yield rf"{node}base west] at (-{LEFT - 0.1:g}cm,{place:g}cm) {{\bfseries {_tex(line)}}};"
    yield r"\end{tikzpicture}"


def _label(page: Page, label: Placed) -> Iterator[str]:
    if label.leader:
        yield rf"\draw[{_stroke(label.stroke, thin=True)}] {' -- '.join(_at(page, at) for at in label.leader)};"
    anchor = {"left": "west", "right": "east", "center": "center"}[label.align]
    ground = "fill=white, fill opacity=0.65, text opacity=1, " if label.backed else ""
    how = f"anchor={anchor}, align={label.align}, {ground}text=rpink, inner sep=1pt, outer sep=0pt"
    yield rf"\node[{how}] at {_at(page, label.at)} {{" + r"\\".join(map(_tex, label.lines)) + "};"


def _scale(letter: str, axis: Axis) -> str:
    mode = "log" if axis.base else "linear"
    return f"{letter}mode={mode}, {letter}min={_number(axis.low)}, {letter}max={_number(axis.high)}"


def _tex(text: Text) -> str:
    """Return a text as TeX, with names escaped and mathematics between dollar signs."""
    return "".join(f"${math_tex(piece)}$" if isinstance(piece, Math) else escape_spaced(piece) for piece in text)


def math_tex(piece: Math) -> str:
    r"""Return a piece of mathematics as TeX that matplotlib reads, too.

    >>> print(math_tex(Math("10^-2")), math_tex(Math("d_k")), math_tex(Math("t^2")))
    10^{-2} d_k t^{2}
    """
    base, raised, exponent = piece.partition("^")
    tex = base if re.fullmatch(r"\d+", base) else symbol(base)
    return f"{tex}^{{{exponent}}}" if raised else tex


def _ink(stroke: int | None) -> str:
    return "rpguide" if stroke is None else f"rps{stroke % len(STROKES)}"


def _stroke(stroke: int | None, thin: bool = False) -> str:
    _, width, dashes = stroked(stroke, thin)
    pattern = " ".join(f"{'off' if n % 2 else 'on'} {length:g}pt" for n, length in enumerate(dashes))
    return f"{_ink(stroke)}, line width={width}pt, line join=round" + (f", dash pattern={pattern}" if dashes else "")


def _points(points: Iterable[Point]) -> str:
    return " ".join(f"({_number(x)},{_number(y)})" for x, y in points)


def _at(page: Page, at: Point) -> str:
    x, y = page.data(at)
    return f"(axis cs:{_number(x)},{_number(y)})"


def _number(value: float) -> str:
    return f"{value:.6g}"
