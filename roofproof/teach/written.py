r"""A text of an exercise as its author wrote it: words, some of them marked, with formulas and gaps in it.

Marked are `**strong**`, `*emphasis*` and `code` between two backticks; `$...$` is a formula, an empty line begins a
paragraph, and `{name}` is a gap. Other markup of TeX, Markdown and HTML is refused: not every format would show it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from roofproof.claims.answers.question import Question
from roofproof.errors import RoofproofError, quoted
from roofproof.teach.formulas import TexFormula, formula

Value = str | int
GAP = re.compile(r"\{([^{}]*)\}")
PARAGRAPH = "\n\n"
_MARKED = re.compile(
    r"\$(?P<formula>[^$]*)\$|`(?P<code>[^`$\n]+)`|\*\*(?=[^\s*])(?P<strong>[^*]+)(?<=\S)\*\*"
    r"|(?<![A-Za-z0-9_*])\*(?=[^\s*])(?P<emphasis>[^*\n]+)(?<=\S)\*(?![A-Za-z0-9_*])"
)
_REFUSED = re.compile(
    r"\$|\[\[|\\|`|\*\*|__|<[A-Za-z/!]|\]\(|&#?\w+;|(?<![\w*_])_\w[^_\n]*_(?![\w*_])|^\s*(?:#{1,6}|>|[-*+]|\d+\.)\s",
    re.M,
)
_RUN_TOGETHER = re.compile(r"\$\$|``|\*\*\*")
_PARAGRAPH = re.compile(r"(?:\r\n|\r|\n)[ \t]*(?:\r\n|\r|\n)\s*")

_EDGE = re.compile(r"\A[^\S ]+|[^\S ]+\Z")  # the end of a line beside a formula


@dataclass(frozen=True, slots=True)
class TextRun:
    """Words of a text, plain or marked as `strong`, `emphasis` or `code`; `PARAGRAPH` alone begins a paragraph."""

    text: str
    mark: str = ""


@dataclass(frozen=True, slots=True)
class SvgPicture:
    """A picture in a text: what it shows in words, and its SVG, "" where it is the roofline of the question `asked`."""

    alt: str
    svg: str
    asked: Question


Written = tuple[TextRun | TexFormula | SvgPicture, ...]


def written(text: str, values: Mapping[str, Value]) -> Written:
    r"""Return a text taken apart, its gaps filled.

    >>> for piece in written("From which $B \\ge {n}$ on is `mlp` *not* {bound}?", {"n": 8, "bound": "slow"}):
    ...     print(piece)
    TextRun(text='From which ', mark='')
    TexFormula(tex='B \\ge {8}', plain='B >= 8', gaps=('n',))
    TextRun(text=' on is ', mark='')
    TextRun(text='mlp', mark='code')
    TextRun(text=' ', mark='')
    TextRun(text='not', mark='emphasis')
    TextRun(text=' slow?', mark='')

    What fills a gap is text, whatever signs it holds. Raises RoofproofError for markup that is not read, and for a
    formula that is not.
    """
    return tuple(_pieces(text.strip(), values))


def unmarked_text(pieces: Written) -> str:
    r"""Return a text without its marks, formulas in ASCII, of a picture what it shows.

    >>> unmarked_text(written(r"Is **$B \le {n}$** so?", {"n": 8}))
    'Is B <= 8 so?'
    """
    return "".join(
        f"[{piece.alt}]"
        if isinstance(piece, SvgPicture)
        else piece.plain
        if isinstance(piece, TexFormula)
        else piece.text
        for piece in pieces
    )


def gaps(text: str, values: Mapping[str, Value]) -> set[str]:
    r"""Return the names of the gaps in a text; in a formula only braces about a name that has values are one.

    >>> sorted(gaps(r"Is $x_{n} < y_{max}$ over {m}?", {"n": 1}))
    ['m', 'n']
    """
    used: set[str] = set()
    for mark, said in _parts(text):
        used.update(formula(said, values).gaps if mark == "formula" else GAP.findall(said))
    return used


def refuse_gaps(used: Collection[str], values: Collection[str]) -> None:
    """Raise RoofproofError for a gap that has no values."""
    for name in sorted(set(used) - set(values)):
        raise RoofproofError(f"the gap {{{name}}} has no values; list them, as vary = {{ {name} = [1, 2] }}")


def filled(text: str, parameters: Mapping[str, Value]) -> str:
    """Return a text with its gaps filled.

    >>> filled("D = {D}", {"D": 4096})
    'D = 4096'
    """
    return GAP.sub(lambda gap: str(parameters[gap[1]]), text)


def refused(text: str) -> str:
    """Return the markup in a text that is to have none, or "".

    >>> refused("2 * B"), refused("**B**")
    ('', '**B**')
    """
    found = _MARKED.search(text) or _REFUSED.search(text)
    return found[0].strip() if found else ""


def _pieces(text: str, values: Mapping[str, Value]) -> Iterator[TextRun | TexFormula]:
    for mark, said in _parts(text):
        if mark == "formula":
            yield formula(said, values)
            continue
        for place, each in enumerate(_PARAGRAPH.split(said)):
            if place:
                yield TextRun(PARAGRAPH)
            if each:
                yield TextRun(filled(_EDGE.sub(" ", each), values), mark)


def _parts(text: str, within: str = "") -> Iterator[tuple[str, str]]:
    """Yield the marks of a text and what is marked, formulas inside of others too."""
    if markup := _REFUSED.search(_MARKED.sub("x", text)):
        cure = "there are $formulas$, **strong**, *emphasis* and `code`"
        raise RoofproofError(f"{quoted(markup[0].strip())} is markup of TeX, Markdown or HTML that is not read; {cure}")
    if beside := _RUN_TOGETHER.search(text):
        raise RoofproofError(f"{quoted(beside[0])}: marks run together mean something else; put a word between them")
    end = 0
    for found in _MARKED.finditer(text):
        if found.start() > end:
            yield within, text[end : found.start()]
        end = found.end()
        mark = str(found.lastgroup)
        if mark in ("formula", "code"):
            yield mark, found[mark]
        else:
            yield from _parts(found[mark], mark)
    if end < len(text):
        yield within, text[end:]
