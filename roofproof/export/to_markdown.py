"""A document in Markdown, with its formulas for KaTeX or MathJax."""

from __future__ import annotations

from collections.abc import Iterator

from roofproof.export import doc as d
from roofproof.export.latex.conditions import cases
from roofproof.export.latex.leaves import Style, pieces
from roofproof.export.to_text import inline_text


def to_markdown(doc: d.Doc, lang: str = "en") -> str:
    """Return a document in Markdown: its sentences and cases, and its tables.

    >>> doc = d.Doc((), (d.Section((), (d.Line(d.say("chip")), d.Table(("a", "b"), (("1", "2|3"),), "lr"))),))
    >>> print(to_markdown(doc))
    chip
    <BLANKLINE>
    | a | b |
    |---|---|
    | 1 | 2\\|3 |
    """
    style = Style(lang, doc.order, inline=True)
    return "\n\n".join(text for section in doc.sections for row in section.rows for text in _row(row, style))


def _row(row: d.Row, style: Style) -> Iterator[str]:
    if isinstance(row, d.Display):
        yield f"$$\n{cases(row.cases, lang=style.lang, order=style.order)}\n$$"
    elif isinstance(row, d.Table):
        rows = [[inline_text(cell, style.lang).replace("|", "\\|") for cell in each] for each in (row.head, *row.rows)]
        lines = [f"| {' | '.join(cells)} |" for cells in rows]
        yield "\n".join([lines[0], "|" + "---|" * len(row.head), *lines[1:]])
    elif text := "".join(f"${text}$" if is_formula else text for is_formula, text in pieces(row.left, style)):
        yield text
