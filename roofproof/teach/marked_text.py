r"""The text of an exercise as its author wrote it: words with formulas and gaps.

`$...$` is a formula, an empty line starts a paragraph, and `{name}` is a gap. Markup of TeX, Markdown and HTML is
rejected, because not every output format could show it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from roofproof.errors import RoofproofError, quoted
from roofproof.teach.formulas import TexFormula, formula

Value = str | int
GAP = re.compile(r"\{([^{}]*)\}")
PARAGRAPH = "\n\n"
_FORMULA = re.compile(r"\$([^$]*)\$")
_REFUSED = re.compile(
    r"\$|\[\[|\\|`|\*\*|__|(?<![A-Za-z0-9_*])\*(?=[^\s*])[^*\n]+(?<=\S)\*(?![A-Za-z0-9_*])|<[A-Za-z/!]|\]\(|&#?\w+;|(?<![\w*_])_\w[^_\n]*_(?![\w*_])|^\s*(?:#{1,6}|>|[-*+]|\d+\.)\s",
    re.M,
)
_RUN_TOGETHER = "$$"
_PARAGRAPH = re.compile(r"(?:\r\n|\r|\n)[ \t]*(?:\r\n|\r|\n)\s*")

_EDGE = re.compile(r"\A[^\S ]+|[^\S ]+\Z")  # a line break next to a formula


MarkedText = tuple[str | TexFormula, ...]


def parse_text(text: str, values: Mapping[str, Value]) -> MarkedText:
    r"""Return a text as words and formulas, with its gaps filled and the item `PARAGRAPH` between paragraphs.

    >>> parse_text("From which $B \\ge {n}$ on is it {bound}?", {"n": 8, "bound": "slow"})
    ('From which ', TexFormula(tex='B \\ge {8}', gaps=('n',)), ' on is it slow?')

    Values of gaps are plain text, whatever characters they contain. Raises RoofproofError for markup and for invalid
    formulas.
    """
    return tuple(_pieces(text.strip(), values))


def unmarked_text(pieces: MarkedText) -> str:
    r"""Return a text as plain text, with formulas in TeX.

    >>> unmarked_text(parse_text(r"Is $B \le {n}$ so?", {"n": 8}))
    'Is $B \\le {8}$ so?'
    """
    return "".join(piece if isinstance(piece, str) else f"${piece.tex}$" for piece in pieces)


def gaps(text: str, values: Mapping[str, Value]) -> set[str]:
    r"""Return the names of the gaps in a text, where braces in a formula are a gap only around a name with values.

    >>> sorted(gaps(r"Is $x_{n} < y_{max}$ over {m}?", {"n": 1}))
    ['m', 'n']
    """
    used: set[str] = set()
    for place, said in enumerate(_parts(text)):
        used.update(formula(said, values).gaps if place % 2 else GAP.findall(said))
    return used


def refuse_gaps(used: Collection[str], values: Collection[str]) -> None:
    """Raise RoofproofError for a gap that has no values."""
    for name in sorted(set(used) - set(values)):
        raise RoofproofError("the gap {<name>} has no values; list them, as vary = { <name> = [1, 2] }", name=name)


def filled(text: str, parameters: Mapping[str, Value]) -> str:
    """Return a text with its gaps filled.

    >>> filled("D = {D}", {"D": 4096})
    'D = 4096'
    """
    return GAP.sub(lambda gap: str(parameters[gap[1]]), text)


def find_markup(text: str) -> str:
    """Return the first markup or formula in a text that must have none, or "".

    >>> find_markup("2 * B"), find_markup("**B**")
    ('', '**')
    """
    found = _FORMULA.search(text) or _REFUSED.search(text)
    return found[0].strip() if found else ""


def _pieces(text: str, values: Mapping[str, Value]) -> Iterator[str | TexFormula]:
    for place, said in enumerate(_parts(text)):
        if place % 2:
            yield formula(said, values)
            continue
        for paragraph, each in enumerate(_PARAGRAPH.split(said)):
            if paragraph:
                yield PARAGRAPH
            if each:
                yield filled(_EDGE.sub(" ", each), values)


def _parts(text: str) -> list[str]:
    """Return words and formulas alternately, starting with words."""
    if markup := _REFUSED.search(_FORMULA.sub("x", text)):
        cure = "write plain text with $formulas$"
        raise RoofproofError(
            "<text> is markup of TeX, Markdown or HTML that is not read; <cure>",
            text=quoted(markup[0].strip()),
            cure=cure,
        )
    if _RUN_TOGETHER in text:
        raise RoofproofError(
            "'<formulas>': formulas run together mean something else; put a word between them", formulas=_RUN_TOGETHER
        )
    return _FORMULA.split(text)
