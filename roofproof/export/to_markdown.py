"""A document in Markdown, with its formulas for KaTeX or MathJax, and all other text escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from roofproof.export import doc as d
from roofproof.export.latex.conditions import cases
from roofproof.export.latex.leaves import Code, Piece, Style, headed, pieces
from roofproof.export.to_text import inline_text


def to_markdown(doc: d.Doc, lang: str = "en", *, titled: bool = False) -> str:
    """Return a document in Markdown: its headings, sentences, cases and tables, and its title if `titled`.

    >>> doc = d.Doc((), (d.Section((), (d.Line(d.say("chip")), d.Table(("a", "b"), (("1", "2|3"),), "lr"))),))
    >>> print(to_markdown(doc))
    chip
    <BLANKLINE>
    | a | b |
    |---|---|
    | 1 | 2\\|3 |
    """
    style = Style(lang, doc.order, inline=True)
    title = [f"# {_set(pieces(doc.title, style))}"] if titled else []
    return "\n\n".join([*title, *_blocks(doc, style)])


def _blocks(doc: d.Doc, style: Style) -> Iterator[str]:
    part: d.Inline = ()
    for section in doc.sections:
        if section.part and section.part != part:
            yield f"## {_set(headed(pieces(section.part, style)))}"
        part = section.part
        if section.heading:
            yield f"{'###' if part else '##'} {_set(headed(pieces(section.heading, style)))}"
        listed = "- " if part and section.heading else ""
        texts = [f"{listed}{text}" for row in section.rows for text in _row(row, style)]
        yield from ["\n".join(texts)] if listed else texts


def _row(row: d.Row, style: Style) -> Iterator[str]:
    if isinstance(row, d.Display):
        yield f"$$\n{cases(row.cases, lang=style.lang, order=style.order)}\n$$"
    elif isinstance(row, d.Table):
        rows = [[_cell(inline_text(cell, style.lang)) for cell in each] for each in (row.head, *row.rows)]
        lines = [f"| {' | '.join(cells)} |" for cells in rows]
        yield "\n".join([lines[0], "|" + "---|" * len(row.head), *lines[1:]])
    elif text := _set(pieces((row.subject, " ", row.left) if row.subject else (row.mark, row.left), style)):
        why = _set(pieces(row.right, style)) if row.right else ""
        yield f"- {text}, {why}" if why else text


def _cell(text: str) -> str:
    """Return the text of a cell, with characters that end a cell or begin a tag escaped."""
    return re.sub("<(?=[A-Za-z/!])", "&lt;", " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|"))


def _set(shown: Iterable[Piece]) -> str:
    return "".join(f"${text}$" if is_formula else _words(text) for is_formula, text in shown)


def _words(text: str) -> str:
    """Return words with the special characters of Markdown escaped, and typed text as code."""
    if isinstance(text, Code):
        return f"`{' '.join(text.split())}`"
    return "".join(f"\\{sign}" if sign in "\\`*_{}[]<>#|!$" else sign for sign in text)
