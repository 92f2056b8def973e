r"""An errata sheet of a book in LaTeX: every claim that does not simply stand, with what is right and why.

Everything in it comes from a file of claims, so all of it is escaped; values that the engine found are read by its
own grammar before they are set as mathematics.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from roofproof.claims.verifying import summary
from roofproof.errors import RoofproofError
from roofproof.export.latex.conditions import condition
from roofproof.export.latex.documents import document
from roofproof.export.latex.escaping import escape, escape_spaced
from roofproof.export.latex.expressions import latex, symbol
from roofproof.export.latex.measure import width
from roofproof.export.latex.tables import table
from roofproof.export.latex.words import say
from roofproof.export.text.verdicts import grouped, slip_said

if TYPE_CHECKING:
    from roofproof.claims.verifying import Result

WIDEST = 30.0  # em that a correction may take as one formula on a line of text


def errata_sheet(results: Sequence[Result], title: str) -> str:
    """Return the sheet as a document; `title` is the book's, any text."""
    body = [rf"\section*{{\raggedright Verdicts on {escape(title)}}}"]
    counts = [[escape(kind), str(n)] for kind, n in summary(results).items()]
    body.append(table(["verdict", "claims"], counts, "lr"))
    for heading, means, some in grouped(results):
        body += [rf"\section*{{{escape(heading)}}}", escape(means), *(_entry(r) for r in some)]
    return document("\n\n".join(body), "", about=f"errata of {title}")


def _entry(r: Result) -> str:
    source = rf"\quad {escape(r.source)}" if r.source else ""
    rows = [("claim", _typed(r.says) if r.says else "none")]
    if r.verdict is None:
        rows.append((r.kind, escape(r.problem)))
    else:
        v = r.verdict
        expected = "" if r.as_expected else f", expected {escape(r.expect)}"
        rows.append(("verdict", rf"\textbf{{{escape(v.kind)}}}, by {say('en', f'by-{v.trust}')}{expected}"))
        rows += [("correct", typeset(v.exact))] if v.exact else []
        rows += [("true when", typeset(v.condition))] if v.condition else []
        rows += [("error", escape(v.error_bound))] if v.error_bound else []
        if v.counterexample:
            point = (f"${symbol(k)} = {typeset(str(x)).strip('$')}$" for k, x in v.counterexample.items())
            rows.append(("fails at", ", ".join(point)))
        if v.slip:
            rows.append(("slip", escape(slip_said(v.slip) or v.slip)))
        rows += [("note", escape(v.note))] if v.note else []
    items = "\n".join(rf"  \item[{word}] {text}" for word, text in rows)
    head = rf"\subsection*{{\raggedright {escape(r.id)}{source}}}"
    return f"{head}\n\\begin{{description}}\\setlength{{\\itemsep}}{{0pt}}\\raggedright\n{items}\n\\end{{description}}"


def typeset(text: str) -> str:
    r"""Return what the engine found, in mathematics where it is a formula, else as it was typed.

    >>> print(typeset("B > R*D/(D - R) when D > R; never otherwise"))
    $B > DR/(D - R)$ when $D > R$; never otherwise
    >>> print(typeset("9850/41 (240.244)"), typeset("2*k against k"))
    $9850/41$ (240.244) $2k$ against $k$
    """
    pieces = re.split(r"(; | against | when | \([0-9.e+-]+\))", text)
    return "".join(escape_spaced(p) if i % 2 else _formula(p) for i, p in enumerate(pieces))


def _formula(text: str) -> str:
    if not text:
        return ""
    if re.fullmatch("(never|always)( otherwise)?|otherwise", text):
        return text
    word = re.search("^(.*?)( otherwise)$", text)
    if word:
        return _formula(word[1]) + word[2]
    from roofproof.claims.language import read_expression, read_proposition, to_boolean, to_sympy

    for read, turned, show in ((read_expression, to_sympy, latex), (read_proposition, to_boolean, condition)):
        try:
            shown = show(turned(read(text)), inline=True)
            return f"${shown}$" if width(shown) <= WIDEST else _typed(text)
        except RoofproofError:
            continue
    return _typed(text)


def _typed(text: str) -> str:
    """Return text in a typewriter face, with places to break long formulas."""
    broken = re.sub(r"([*/+(,])(?! )", r"\1\\allowbreak{}", escape(text))
    return rf"\texttt{{{broken}}}"
