r"""An errata sheet of a book in LaTeX: every claim that does not simply stand, with what is right and why.

Everything in it comes from a file of claims, so all of it is escaped; values that the engine found are read by its
own grammar before they are set as mathematics.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from roofproof.claims.results import summary
from roofproof.errors import RoofproofError
from roofproof.export.latex.conditions import condition
from roofproof.export.latex.documents import document
from roofproof.export.latex.escaping import escape, escape_spaced
from roofproof.export.latex.expressions import latex, symbol
from roofproof.export.latex.measure import width
from roofproof.export.latex.templates import environment
from roofproof.export.text.slips import slip_said
from roofproof.export.text.verdicts import grouped
from roofproof.export.to_latex import table
from roofproof.export.words.catalogue import Catalogue, translated
from roofproof.sentences import Sentence  # noqa: F401  (for the example)

if TYPE_CHECKING:
    from roofproof.claims.results import Result

WIDEST = 30.0  # em that a correction may take as one formula on a line of text


def errata_sheet(results: Sequence[Result], title: str, lang: str = "en") -> str:
    """Return the sheet as a document; `title` is the book's, any text."""
    by = Catalogue(lang, "verdicts")
    rows = [[escape(by["kind-" + kind]), str(n)] for kind, n in summary(results).items()]
    counts = table([by["verdict"], by["claims"]], rows, "lr")
    filters: dict[str, Callable[..., str]] = {
        "text": escape, "typed": _typed, "formula": partial(typeset, lang=lang), "told": by.told, "symbol": symbol,
        "slip": partial(slip_said, lang=lang),
    }  # fmt: skip
    template = environment("roofproof.export.latex", filters).get_template("errata.tex.j2")
    body = template.render(title=title, counts=counts, groups=grouped(results, lang), by=by)
    return document(body, "", lang=lang, about=f"errata of {title}")


def typeset(text: str, lang: str = "en") -> str:
    r"""Typeset what the engine found: as mathematics where it is a formula, else as it was typed.

    >>> print(typeset(Sentence("<value> against <other>", value="2*k", other="9850/41 (240.244)")))
    $2k$ against $9850/41$ (240.244)
    """
    return translated(text, lang, _formula, escape_spaced)


def _formula(text: str) -> str:
    if value := re.fullmatch(r"(.*) (\([0-9.e+-]+\))", text):  # a decimal beside it
        return f"{_formula(value[1])} {value[2]}"
    from roofproof.claims.language import to_boolean
    from roofproof.formula.reader import read_statement, read_value
    from roofproof.formula.to_sympy import to_value

    for read, turned, show in ((read_value, to_value, latex), (read_statement, to_boolean, condition)):
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
