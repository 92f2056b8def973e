r"""A figure as pgfplots source: vector, in the fonts of the document it stands in.

The axes keep their size in centimetres, so that the labels, placed for that size, keep apart.
"""

from collections.abc import Iterable, Iterator

from roofproof.export.latex.escaping import escape, has_chinese
from roofproof.export.plots.palette import GUIDE, INK, SHADES, STROKES
from roofproof.export.plots.scene import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, Axis, Label, Point, Scene
from roofproof.export.plots.texts import FONT_SIZE, Text, plain

PREAMBLE = r"\usepackage{pgfplots}\pgfplotsset{compat=1.16}"
"""What a document needs to set a figure; Chinese texts need ctex too."""

_FONT = rf"\sffamily\linespread{{1}}\fontsize{{{FONT_SIZE:g}}}{{{FONT_SIZE * 1.2:g}}}\selectfont"


def tikzpicture(figure: Scene, title: bool = True) -> str:
    """Return a figure as a `tikzpicture`, with or without its title."""
    return "\n".join(_lines(figure, title))


def document(figure: Scene) -> str:
    r"""Return a figure as a file that compiles alone, and that a document which loads pgfplots takes by `\input`."""
    chinese = any(has_chinese(plain(text)) for text in texts(figure))
    loads = [PREAMBLE, r"\usepackage[fontset=fandol]{ctex}"] if chinese else [PREAMBLE]
    engine = "xelatex" if chinese else "pdflatex"
    return "\n".join(
        [
            f"% Alone: {engine} THIS-FILE. In a document that loads pgfplots: \\input{{THIS-FILE}}.",
            r"\ifdefined\pgfplotsset\let\closing\relax\else",
            r"\documentclass[border=3pt]{standalone}",
            *loads,
            r"\def\closing{\end{document}}",
            r"\begin{document}",
            r"\fi",
            tikzpicture(figure),
            r"\closing",
            "",
        ]
    )


def texts(figure: Scene) -> Iterator[Text]:
    """Yield every text of a figure."""
    yield from (figure.title, figure.x.title, figure.y.title)
    for axis in (figure.x, figure.y):
        yield from (text for _, text in axis.ticks)
    for label in figure.labels:
        yield from label.lines


def _lines(figure: Scene, title: bool) -> Iterator[str]:
    yield rf"\begin{{tikzpicture}}[every node/.style={{font={_FONT}}}]"
    colours = {**{f"rps{i}": c for i, (c, _) in enumerate(STROKES)}, **{f"rpf{i}": c for i, c in enumerate(SHADES)}}
    for name, colour in {**colours, "rpguide": GUIDE[0], "rpink": INK}.items():
        yield rf"\definecolor{{{name}}}{{HTML}}{{{colour}}}"
    above = TOP if title else 0.65
    yield f"\\useasboundingbox (-{LEFT}cm,-{BOTTOM}cm) rectangle ({WIDTH + RIGHT:g}cm,{HEIGHT + above:g}cm);"
    yield r"\begin{axis}["
    yield f"  scale only axis, width={WIDTH}cm, height={HEIGHT}cm, at={{(0,0)}}, anchor=south west, clip=false,"
    yield "  axis on top, axis line style={rpink}, tick style={rpink},"
    yield "  tick align=outside, tick pos=left, axis x line*=bottom, axis y line*=left,"
    yield "  scaled ticks=false, ticklabel style={text=rpink}, xminorticks=false, yminorticks=false,"
    for letter, axis in (("x", figure.x), ("y", figure.y)):
        yield from _axis(letter, axis)
    yield "]"
    for region in figure.regions:
        shade = f"rpf{region.shade % len(SHADES)}"
        fill = f"draw={shade}, line width=0.2pt, fill={shade}"
        yield rf"\addplot[{fill}] coordinates {{{_points(region.points)}}} -- cycle;"
    for curve in figure.curves:
        yield rf"\addplot[{_stroke(curve.stroke)}] coordinates {{{_points(curve.points)}}};"
    for mark in figure.marks:
        colour = "rpguide" if mark.stroke is None else f"rps{mark.stroke % len(STROKES)}"
        yield (
            rf"\addplot[only marks, mark=*, mark size=2.6pt, mark options={{fill={colour}, draw=white, "
            rf"line width=0.6pt}}] coordinates {{{_points([mark.at])}}};"
        )
    for label in figure.labels:
        yield from _label(label)
    yield r"\end{axis}"
    node = rf"\node[text=rpink, font={_FONT}, inner sep=0pt, anchor="
    yield rf"{node}base west] at (-{LEFT - 0.1:g}cm,{HEIGHT + 0.34:g}cm) {{{tex(figure.y.title)}}};"
    yield rf"{node}north] at ({WIDTH / 2:g}cm,-0.62cm) {{{tex(figure.x.title)}}};"
    if title:
        yield rf"{node}base west] at (-{LEFT - 0.1:g}cm,{HEIGHT + 0.86:g}cm) {{\bfseries {tex(figure.title)}}};"
    yield r"\end{tikzpicture}"


def _axis(letter: str, axis: Axis) -> Iterator[str]:
    ticks = ",".join(_number(at) for at, _ in axis.ticks)
    names = ",".join(f"{{{tex(text)}}}" for _, text in axis.ticks)
    mode = f"{letter}mode={'log' if axis.log else 'linear'}"
    yield f"  {mode}, {letter}min={_number(axis.low)}, {letter}max={_number(axis.high)},"
    yield f"  {letter}tick={{{ticks}}}, {letter}ticklabels={{{names}}},"


def _label(label: Label) -> Iterator[str]:
    if label.leader:
        path = " -- ".join(f"(axis cs:{_number(x)},{_number(y)})" for x, y in label.leader)
        yield rf"\draw[{_stroke(label.stroke, thin=True)}] {path};"
    align = "left" if "west" in label.anchor else "right" if "east" in label.anchor else "center"
    ground = "fill=white, fill opacity=0.65, text opacity=1, " if label.backed else ""
    body = r"\\".join(tex(line) for line in label.lines)
    x, y = map(_number, label.at)
    yield (
        rf"\node[anchor={label.anchor}, align={align}, {ground}text=rpink, inner sep=1pt, outer sep=0pt] "
        rf"at (axis cs:{x},{y}) {{{body}}};"
    )


def _stroke(stroke: int | None, thin: bool = False) -> str:
    _, dashes = GUIDE if stroke is None else STROKES[stroke % len(STROKES)]
    name = "rpguide" if stroke is None else f"rps{stroke % len(STROKES)}"
    pattern = " ".join(f"{'off' if i % 2 else 'on'} {length:g}pt" for i, length in enumerate(dashes))
    width = 0.8 if stroke is None or thin else 1.9
    style = f"{name}, line width={width}pt, line join=round"
    return f"{style}, dash pattern={pattern}" if dashes and not thin else style


def tex(text: Text) -> str:
    """Return a text as TeX: names escaped, mathematics between dollar signs."""
    return "".join(
        (" " * piece.startswith(" ") + escape(piece) + " " * piece.endswith(" ")) if isinstance(piece, str)
        else f"${piece.tex}$"
        for piece in text
    )  # fmt: skip


def _points(points: Iterable[Point]) -> str:
    return " ".join(f"({_number(x)},{_number(y)})" for x, y in points)


def _number(value: float) -> str:
    return f"{value:.6g}"
