r"""A document in LaTeX: formulas with the reason next to each, displayed cases, parts under headings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby, pairwise

from roofproof.export import doc as d
from roofproof.export.latex.conditions import cases
from roofproof.export.latex.escaping import escape, escape_spaced, within_maths
from roofproof.export.latex.leaves import Code, Piece, Style, headed, pieces, sentence
from roofproof.export.naming import MOST, named
from roofproof.sentences import Sentence

LONG = 30  # most rows of a table on one page
PAGE = 10  # most rows of a table with sentences on one page
ROWS = 6  # most lines of a table with reasons, which is not broken over pages
FRAME = r"""{\setbeamertemplate{frametitle continuation}[from second]
\begin{frame}[allowframebreaks]{%s}
\footnotesize\ifdim38em>\linewidth\scriptsize\fi
%s
\end{frame}}"""
FRAME_ROWS, FRAME_MOST = 6, 18
BREAK = r"\1\\allowbreak{}"  # after an operator in a formula that is set as typed
DISPLAYED, BLANK = r"\displaystyle ", "\\ "
SECTION = "\\subsection*{%s}\n%s"
COLUMNS = (
    r"@{}>{\raggedright}p{.58\linewidth}@{\hspace{.04\linewidth}}"
    r">{\raggedright\arraybackslash}p{.38\linewidth}@{}"
)


def to_latex(doc: d.Doc, lang: str = "en", *, frames: bool = False) -> str:
    r"""Return LaTeX to paste into a document with amsmath, array, adjustbox, booktabs and siunitx.

    >>> from roofproof import op, threshold
    >>> from roofproof.export.explain.threshold import explain
    >>> from roofproof.export.outline import outline
    >>> matmul = op("matmul")
    >>> text = to_latex(explain(outline(matmul, None, threshold(matmul, None, "B"), {})))
    >>> print(*(line for line in text.splitlines() if "$: bf16" in line), sep="\n")
      $\displaystyle \text{bytes} = 2BD$ & read $x$: bf16$[B, D]$ \\[4pt]
      $\displaystyle \quad + 2DF$ & read $w$: bf16$[D, F]$ \\[4pt]
      $\displaystyle \quad + 2BF$ & write $z$: bf16$[B, F]$ \\[4pt]

    With `frames` each part is a Beamer frame, which continues on further frames if it is long.
    """
    style = Style(lang, doc.order, siunitx=True)
    page = FRAME if frames else SECTION
    rows = FRAME_ROWS if frames else ROWS
    parts = []
    for heading, sections in parted(named(doc, FRAME_MOST if frames else MOST)):
        inside = (text for s in sections for text in _section(s, style, rows, titled=bool(sections[0].part)))
        title, text = _set(headed(pieces(heading, style))), "\n".join(inside)
        parts.append(page % (title, text) if title else text)
    return "\n\n".join(parts) + "\n"


def titled(doc: d.Doc, lang: str = "en") -> str:
    r"""Return a document in LaTeX with its title.

    >>> print(titled(d.Doc("dot & more", ())).strip())
    \section*{\raggedright dot \& more}
    """
    return rf"\section*{{\raggedright {inline(doc.title, Style(lang))}}}" + "\n" + to_latex(doc, lang)


def formula_alone(doc: d.Doc, lang: str = "en") -> str:
    r"""Return the threshold of a document as one displayed formula, or its intensity if it has no threshold.

    >>> from roofproof import op
    >>> from roofproof.export.explain.threshold import explain
    >>> from roofproof.export.outline import outline
    >>> print(formula_alone(explain(outline(op("dot"), None, None, {}))).strip())
    \[
    I = \frac{2N - 1}{4N + 2}\ \text{FLOP/B}
    \]
    """
    style = Style(lang, doc.order)
    rows: list[d.Row] = []
    for section in doc.sections:
        if shown := next((row for row in section.rows if isinstance(row, d.Display)), None):
            rows = [shown]
            break
        if isinstance(section.heading, d.Say) and section.heading.form.startswith("intensity"):
            rows += section.rows
    return "\n".join(f"\\[\n{_in_formula(row, style)}\n\\]" for row in rows) + "\n"


def parted(doc: d.Doc) -> Iterator[tuple[d.Inline, list[d.Section]]]:
    """Yield the parts of a document, each with its heading and its sections. Sections without headings are merged."""
    numbered = enumerate(doc.sections)
    for _, some in groupby(numbered, key=lambda pair: pair[1].part.form if pair[1].part else pair[0]):
        first, *more = (section for _, section in some)
        told = [first]
        for section in more:
            both = implied(told[-1]) and implied(section)
            told[-1:] = [replace(told[-1], rows=told[-1].rows + section.rows)] if both else [told[-1], section]
        yield first.part or first.heading, told


def inline(what: d.Inline, style: Style) -> str:
    r"""Return an inline as LaTeX text.

    >>> print(inline(d.say("at <sizes>", sizes=d.sizes({"D": 4096})), Style()))
    at $D = 4096$
    """
    return _set(pieces(what, style))


def to_formula(doc: d.Doc, lang: str = "en") -> str:
    r"""Return the content of a document as one formula, aligned if it has several lines.

    >>> print(to_formula(d.Doc((), (d.Section((), (d.Line(d.say("for all <names>", names=d.Formula("B"))),)),))))
    \text{for all }B
    """
    style = Style(lang, doc.order)
    rows = [_in_formula(row, style) for section in doc.sections for row in section.rows]
    every = r" \\ ".join(f"& {row}" for row in rows)
    return rows[0] if len(rows) == 1 else rf"\begin{{aligned}} {every} \end{{aligned}}"


def _in_formula(row: d.Row, style: Style) -> str:
    if isinstance(row, d.Display):
        return cases(row.cases, lang=style.lang, order=style.order)
    assert isinstance(row, d.Line)
    shown = row_pieces(row, style)
    why = pieces(row.right, replace(style, inline=True)) if row.right else []
    left, right = ("".join(_within(*each) for each in told) for told in (shown, why))
    return f"{left} && {right}" if right else left


def _within(is_formula: bool, text: str) -> str:
    """Return a piece for use within a formula."""
    if is_formula or text.isspace():
        return text
    return BLANK * text.startswith(" ") + rf"\text{{{_words(text.lstrip())}}}"


def _set(shown: Iterable[Piece], before: str = "") -> str:
    return "".join(f"${before}{text}$" if is_formula else _words(text) for is_formula, text in shown)


def _words(text: str) -> str:
    if isinstance(text, Code):
        return rf"\texttt{{{re.sub(r'([*/+(,])(?! )', BREAK, escape(text))}}}"
    return text if text.isspace() else escape_spaced(text)


def _section(section: d.Section, style: Style, most: int, *, titled: bool) -> Iterator[str]:
    if titled and section.heading and not implied(section):
        yield rf"\medskip\noindent\textbf{{{_set(headed(pieces(section.heading, style)))}}}\par"
    for beside, some in groupby(section.rows, key=lambda row: isinstance(row, d.Line) and row.right is not None):
        rows = list(some)
        if beside:
            for k in range(0, len(rows), most):
                yield _table(rows[k : k + most], style)
        else:
            yield from (text for row in rows for text in _alone(row, style))


def implied(section: d.Section) -> bool:
    """Return whether every line of a section states its subject, so that it needs no heading."""
    return all(isinstance(row, d.Line) and row.subject for row in section.rows)


def _table(rows: Iterable[d.Row], style: Style) -> str:
    slashed = replace(style, inline=True)
    lines = [row for row in rows if isinstance(row, d.Line)]
    return two_column_lines(
        [(_fitted(_set(row_pieces(row, style), DISPLAYED)), inline(row.right, slashed)) for row in lines]
    )


def _fitted(text: str) -> str:
    """Return a formula that shrinks to the available width if it has brackets, which TeX cannot break."""
    return rf"\adjustbox{{max width=\linewidth}}{{{text}}}" if r"\left" in text else text


def two_column_lines(cells: Sequence[tuple[str, str]]) -> str:
    r"""Return lines from TeX: formulas, with the reason for each in a second column. TeX breaks both.

    >>> print(two_column_lines([(r"$\displaystyle I = 2$", "FLOPs over bytes")]).splitlines()[1])
      $\displaystyle I = 2$ & FLOPs over bytes \\[4pt]
    """
    high = [bool(re.search(r"\\(?:frac|sqrt)", left)) for left, _ in cells]
    apart = ["14pt" if one and other else "10pt" if one or other else "4pt" for one, other in pairwise([*high, False])]
    told = (rf"  {left} & {right} \\[{gap}]" for (left, right), gap in zip(cells, apart, strict=True))
    return "\n".join([rf"\noindent\begin{{tabular}}{{{COLUMNS}}}", *told, r"\end{tabular}\par"])


def row_pieces(row: d.Line, style: Style) -> list[Piece]:
    """Return the pieces of a line, in one formula with its subject if it has one. Later terms of a sum are indented."""
    if not row.subject:
        return pieces((row.mark, row.left), style)
    shown = (piece for piece in pieces((row.subject, " ", row.left), style) if piece[0] or not piece[1].isspace())
    text = " ".join(text if is_formula else within_maths(text) for is_formula, text in shown)
    return [(True, rf"\quad {text}" if text.startswith("+") else text)]


def _alone(row: d.Row, style: Style) -> Iterator[str]:
    if isinstance(row, d.Display):
        if row.label:
            yield rf"\noindent {escape_spaced(row.label)}:\par"
        shown = cases(row.cases, lang=style.lang, order=style.order, siunitx=style.siunitx)
        yield f"\\[\\adjustbox{{max width=\\linewidth}}{{$\\displaystyle\n{shown}\n$}}\\]"
    elif isinstance(row, d.Table):
        slashed = replace(style, inline=True)
        cells = [[inline(cell, slashed) for cell in each] for each in (row.head, *row.rows)]
        room = "0.38" if "p" not in row.align else f"{0.94 / len(row.align):.2f}"  # float: of a line
        paragraph = rf">{{\raggedright\arraybackslash}}p{{{room}\linewidth}}"
        columns = paragraph + row.align[1:].replace("p", paragraph)
        yield table(cells[0], cells[1:], columns, long=len(row.rows) > (PAGE if "p" in row.align else LONG))
    elif is_sentence(row):
        yield _paragraph(_set(sentence(pieces(row.left, replace(style, inline=True)), style.lang)))
    else:
        yield _paragraph(_set(row_pieces(row, style), DISPLAYED))


def _paragraph(text: str) -> str:
    """Return a paragraph, ragged right if an address in it may be broken, as that leaves lines of any length."""
    return rf"{{\raggedright\noindent {text}\par}}" if r"\allowbreak" in text else rf"\noindent {text}\par"


def is_sentence(row: d.Line) -> bool:
    """Return whether a line is a sentence, not only a formula."""
    left = row.left.typeset if isinstance(row.left, d.TextOrTypeset) else row.left
    first = next((part for part in left if part != "  "), "") if isinstance(left, tuple) else left
    return isinstance(first, d.Say | Sentence)


def table(head: Sequence[str], rows: Sequence[Sequence[str]], columns: str, *, long: bool = False) -> str:
    r"""Return a table from cells that are already TeX.

    >>> print(table(["a", "b"], [["1", "2"]], "lr"))
    \begin{center}
    \begin{tabular}{lr}
      \toprule
      a & b \\
      \midrule
      1 & 2 \\
      \bottomrule
    \end{tabular}
    \end{center}
    """
    around = "longtable" if long else "tabular"
    lines = [rf"\begin{{{around}}}{{{columns}}}", r"  \toprule", rf"  {' & '.join(head)} \\", r"  \midrule"]
    lines += [r"  \endhead"] * long
    lines += [*(rf"  {' & '.join(row)} \\" for row in rows), r"  \bottomrule", rf"\end{{{around}}}"]
    wide = len(head) > 4  # wider than a page in normal size
    if long:
        small = [r"\begingroup\footnotesize\setlength{\tabcolsep}{3pt}", *lines, r"\endgroup"]
        return "\n".join(small if wide else lines)
    box = [r"\begin{adjustbox}{max width=\linewidth}", *lines, r"\end{adjustbox}"]
    return "\n".join([r"\begin{center}", *(box if wide else lines), r"\end{center}"])
