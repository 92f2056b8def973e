"""A document as HTML, for the pages of the site and for notebooks, with all text escaped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby

import sympy
from markupsafe import Markup, escape

from roofproof.export import doc as d
from roofproof.export.latex.conditions import cases, threshold
from roofproof.export.latex.leaves import Code, Piece, Style, headed, pieces, sentence
from roofproof.export.naming import named
from roofproof.export.to_latex import implied, is_sentence, parted, row_pieces


class OnSite:
    """The markup of a page of the site: formulas for KaTeX, lines on a grid."""

    columns = 3
    lines = Markup('<ol class="lines">{}</ol>')
    line = Markup('<li><span class="left">{}</span><span class="right">{}</span><span class="why">{}</span></li>')

    @staticmethod
    def formula(tex: str, *, large: bool = False) -> Markup:
        r"""Return a formula as HTML that contains its LaTeX, in display style if `large`.

        >>> print(OnSite.formula(r"\frac{BD}{B} < D"))
        <span class="tex">\frac{BD}{B} &lt; D</span>
        """
        return Markup('<span class="tex{}">{}</span>').format(Markup(" large") if large else "", tex)

    @staticmethod
    def words(text: str) -> Markup:
        """Return words as HTML."""
        return Markup("<code>{}</code>").format(text) if isinstance(text, Code) else escape(text)

    @staticmethod
    def part(heading: Markup, inside: Markup, level: int) -> Markup:
        """Return a part of a page with its heading."""
        tag = f"h{level}"
        return Markup('<section class="part">\n<{}>{}</{}>\n{}\n</section>').format(tag, heading, tag, inside)

    @classmethod
    def display(cls, row: d.Display, style: Style) -> Markup:
        """Return cases, each with its condition next to it."""
        rows = []
        for case in row.cases:
            bound = cls.formula(
                threshold(row.cases.unknown, case.threshold, lang=style.lang, order=style.order), large=True
            )
            last = len(row.cases) > 1 and case is row.cases.cases[-1]
            when = () if case.when == sympy.true else (d.say("when"), " ", case.when)
            where = html(d.say("otherwise") if last else when, style, cls)
            item = Markup('<li><span class="bound">{}</span> <span class="where">{}</span></li>')
            rows.append(item.format(bound, where))
        one = " one" if len(rows) == 1 else ""
        return Markup('<ul class="cases{}">\n{}\n</ul>').format(one, Markup("\n").join(rows))


class InNotebook(OnSite):
    """The markup of an answer in a notebook: formulas for MathJax, lines in a table."""

    columns = 2
    lines = Markup("<table>{}</table>")
    line = Markup('<tr><td style="text-align: left">{}</td><td style="text-align: left">{}</td></tr>')

    @staticmethod
    def formula(tex: str, *, large: bool = False) -> Markup:
        """Return a formula between dollar signs."""
        return Markup("$\\displaystyle {}$" if large else "${}$").format(tex)

    @staticmethod
    def words(text: str) -> Markup:
        """Return words as HTML, in which a dollar sign does not begin a formula."""
        return Markup('<span class="tex2jax_ignore mathjax_ignore">{}</span>').format(text)

    @staticmethod
    def part(heading: Markup, inside: Markup, level: int) -> Markup:
        """Return a part of an answer with its heading."""
        return Markup("<p><b>{}</b></p>{}").format(heading, inside) if heading else inside

    @classmethod
    def display(cls, row: d.Display, style: Style) -> Markup:
        """Return cases as one formula."""
        return Markup("<p>{}</p>").format(cls.formula(cases(row.cases, lang=style.lang, order=style.order), large=True))


def to_html(doc: d.Doc, lang: str = "en", level: int = 3, page: type[OnSite] = OnSite) -> Markup:
    """Return a document as HTML, with headings from a given level on.

    >>> from roofproof import op, threshold
    >>> from roofproof.export.explain.threshold import explain
    >>> from roofproof.export.outline import outline
    >>> matmul = op("matmul")
    >>> text = to_html(explain(outline(matmul, None, threshold(matmul, None, "B"), {})))
    >>> print(*(line for line in text.splitlines() if line.startswith("<p>Compute-bound")))
    <p>Compute-bound when <span class="tex">I &gt; R</span>:</p>
    """
    style = Style(lang, doc.order)
    parts = []
    for heading, sections in parted(named(doc)):
        inside = (block for s in sections for block in _section(s, style, page, titled=bool(sections[0].part)))
        shown = pieces(heading, style)
        title = _set(headed(shown) if isinstance(heading, d.Say) else shown, page)
        parts.append(page.part(title, Markup("\n").join(inside), level))
    return Markup("\n").join(parts)


def body_html(doc: d.Doc, lang: str = "en", page: type[OnSite] = OnSite) -> Markup:
    """Return the content of a document as HTML, without its headings."""
    rows = (row for section in named(doc).sections for row in section.rows)
    return Markup("\n").join(_blocks(rows, Style(lang, doc.order), page))


def html(what: d.Inline, style: Style, page: type[OnSite] = OnSite, *, large: bool = False) -> Markup:
    """Return an inline as HTML.

    >>> print(html(d.say("at <sizes>", sizes=("<", d.sizes({"D": 4096}))), Style()))
    at &lt;<span class="tex">D = 4096</span>
    """
    return _set(pieces(what, style), page, large=large)


def _set(shown: Iterable[Piece], page: type[OnSite], *, large: bool = False) -> Markup:
    set_ = (page.formula(text, large=large) if is_formula else page.words(text) for is_formula, text in shown)
    return Markup("").join(set_)


def _section(section: d.Section, style: Style, page: type[OnSite], *, titled: bool) -> Iterator[Markup]:
    if titled and section.heading and not implied(section):
        yield Markup("<p><b>{}</b></p>").format(_set(headed(pieces(section.heading, style)), page))
    yield from _blocks(section.rows, style, page)


def _blocks(rows: Iterable[d.Row], style: Style, page: type[OnSite]) -> Iterator[Markup]:
    for beside, some in groupby(rows, key=lambda row: isinstance(row, d.Line) and not _stands_alone(row)):
        if beside:
            lines = Markup("\n").join(_line(row, style, page) for row in some if isinstance(row, d.Line))
            yield page.lines.format(Markup("\n{}\n").format(lines))
        else:
            yield from (block for row in some for block in _alone(row, style, page))


def _stands_alone(row: d.Line) -> bool:
    return row.right is None and is_sentence(row)


def _line(row: d.Line, style: Style, page: type[OnSite]) -> Markup:
    """Return a line: its subject or how it follows, its content, and its reason, in the columns of the page."""
    why = Markup("") if row.right is None else html(row.right, replace(style, inline=True), page)
    if page.columns == 2:
        return page.line.format(_set(row_pieces(row, style), page, large=True), why)
    left, right = (html(what, style, page, large=True) for what in (row.subject or row.mark, row.left))
    return page.line.format(left, right, why)


def _alone(row: d.Row, style: Style, page: type[OnSite]) -> Iterator[Markup]:
    if isinstance(row, d.Display):
        if row.label:
            yield Markup("<p>{}:</p>").format(page.words(row.label))
        yield page.display(row, style)
    elif isinstance(row, d.Table):
        yield _table(row, style, page)
    else:
        shown = sentence(pieces(row.left, replace(style, inline=True)), style.lang)
        yield Markup("<p>{}</p>").format(_set(shown, page))


def _table(made: d.Table, style: Style, page: type[OnSite]) -> Markup:
    def row(cells: Iterable[d.Inline], tag: str) -> Markup:
        cell = Markup(f"<{tag}>{{}}</{tag}>")
        return Markup("<tr>{}</tr>").format(Markup("").join(cell.format(html(c, style, page)) for c in cells))

    rows = Markup("\n").join([row(made.head, "th"), *(row(each, "td") for each in made.rows)])
    return Markup("<table>\n{}\n</table>").format(rows)
