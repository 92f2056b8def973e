r"""Where formulas stand in a document: `$...$`, `$$...$$`, `\(...\)`, `\[...\]` and the environments of mathematics.

Code, comments, the head of the page and verbatim text are passed over. Nothing is rendered and nothing is run.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from roofproof.claims.language.latex_macros import FRAMES, ROWED
from roofproof.errors import RoofproofError

MAX_FORMULA = 10_000  # characters
MAX_FORMULAS = 2_000
BLANKS = "blanks inside '$ ... $': a formula here, money there; write '$...$' without them"
AFTER = 40  # characters after a formula, where its unit may stand

_ENVIRONMENTS = "|".join((*FRAMES, *ROWED))
_MARKDOWN = re.compile(
    r"(?P<fence>^[ >]*(?:`{3,}|~{3,})[^\n]*)|(?P<code>`+)|(?P<skip><!--)|(?P<open>\$\$|\\\\\[|\\\[|\\\\\(|\\\()"
    rf"|\\begin\{{(?P<environment>(?:{_ENVIRONMENTS})\*?)\}}|(?P<escaped>\\.)|(?P<dollar>\$)",
    re.MULTILINE,
)
_TEX = re.compile(
    r"\\begin\{(?P<verbatim>verbatim\*?|lstlisting|minted|comment)\}|\\verb\*?(?P<verb>[^A-Za-z\s])|(?P<comment>%)"
    r"|(?P<twice>\\\\)|(?P<open>\$\$|\\\[|\\\()"
    rf"|\\begin\{{(?P<environment>(?:{_ENVIRONMENTS})\*?)\}}|(?P<escaped>\\.)|(?P<dollar>\$)"
)
_CLOSERS = {"$$": "$$", r"\[": r"\]", r"\(": r"\)", r"\\[": r"\\]", r"\\(": r"\\)"}
_HEAD = re.compile(r"\A---[ \t]*\n.*?^---[ \t]*$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class SourceFormula:
    """A formula as it stands in a document: its text, the line of each part, whether it is displayed."""

    text: str
    start: int  # offset of the text in the document
    line: int
    display: bool
    after: str = ""
    problem: str = ""  # why it is no formula: it is never closed
    stop: int = 0  # offset after its closing sign


def formulas(text: str, tex: bool = False) -> list[SourceFormula]:
    r"""Return the formulas of a document in order.

    >>> for found in formulas("The rule is $B > 240$ tokens.\n\n`$HOME` costs \\$5\n\n\\[ I = B \\]."):
    ...     print(found.line, found.display, found.text, found.after)
    1 False B > 240  tokens.
    5 True  I = B  .

    Raises RoofproofError for more than 2,000 of them.
    """
    breaks = [i for i, sign in enumerate(text) if sign == "\n"]
    found: list[SourceFormula] = []
    for start, end, stop, display, problem in _spans(text, tex):
        inside = text[start:end]
        if not tex and re.search(r"^[ \t]*>[^\n]*\Z", text[text.rfind("\n", 0, start) + 1 : start]):
            inside = re.sub(r"\n[ \t]*>", lambda quote: "\n" + " " * (len(quote[0]) - 1), inside)
        after = text[stop : stop + AFTER].partition("\n")[0]
        found.append(SourceFormula(inside, start, bisect_right(breaks, start - 1) + 1, display, after, problem, stop))
        if len(found) > MAX_FORMULAS:
            raise RoofproofError(f"more than {MAX_FORMULAS} formulas; split the document")
    return found


def _spans(text: str, tex: bool) -> Iterator[tuple[int, int, int, bool, str]]:
    """Yield where each formula begins and ends, where its closing sign ends, if it is displayed, what is wrong."""
    head = None if tex else _HEAD.match(text)
    at = head.end() if head else 0
    pattern = _TEX if tex else _MARKDOWN
    while found := pattern.search(text, at):
        start, sign = found.end(), found[0]
        at = start
        match found.lastgroup:
            case "open":
                closer = _CLOSERS[sign]
                end = text.find(closer, start, start + MAX_FORMULA)
                if end < 0:
                    yield start, start, start, True, f"'{sign}' is never closed by '{closer}'"
                else:
                    at = end + len(closer)
                    yield start, end, at, sign[-1] != "(", ""
            case "environment":
                closer = rf"\end{{{found['environment']}}}"
                end = text.find(closer, start, start + MAX_FORMULA)
                if end < 0:
                    yield start, start, start, True, f"'{sign}' is never closed by '{closer}'"
                else:
                    at = end + len(closer)
                    yield found.start(), at, at, True, ""
            case "dollar":
                end, doubt = _closing_dollar(text, start, tex)
                if end > 0:
                    at = end + 1
                    yield start, end, at, False, doubt
            case "fence":
                mark = sign.lstrip(" >")
                fence = mark[: len(mark) - len(mark.lstrip(mark[0]))]
                end = _line_of(text, fence, start)
                if mark[len(fence) :].strip() in ("math", "{math}"):
                    yield start, end, end, True, ""
                at = min(end + len(fence), len(text))
            case "code":
                paragraph = text.find("\n\n", start, start + MAX_FORMULA)
                last = paragraph if paragraph > 0 else start + MAX_FORMULA
                closing = re.compile(rf"(?<!`){sign}(?!`)").search(text, start, last)
                at = closing.end() if closing else start
            case "skip" | "verbatim":
                closer = "-->" if sign == "<!--" else rf"\end{{{found['verbatim']}}}"
                end = text.find(closer, start)
                at = len(text) if end < 0 else end + len(closer)
            case "comment" | "verb":
                end = text.find("\n" if sign == "%" else found["verb"], start)
                at = len(text) if end < 0 else end + 1


def _closing_dollar(text: str, start: int, tex: bool) -> tuple[int, str]:
    """Return where the `$` stands that closes a formula, -1 where the sign at its start is one of money; and a doubt.

    In Markdown as in pandoc: no blank after the first, none before the last, no digit after it; no code or empty line
    in between. Where both blanks stand there, other programs show a formula: that is a doubt.
    """
    blank = not tex and text[start : start + 1].strip() == ""
    for found in re.compile(r"\\.|\$|`|\n[ \t]*\n", re.DOTALL).finditer(text, start, start + MAX_FORMULA):
        if found[0] == "$":
            apart = not text[found.start() - 1].strip()
            money = text[found.end() : found.end() + 1].isdigit() or apart != blank
            return (-1 if money and not tex else found.start()), (BLANKS if blank else "")
        if found[0][0] in "\n`":
            break
    return -1, ""


def _line_of(text: str, fence: str, start: int) -> int:
    """Return where a line begins with a fence, the end of the text where none does."""
    found = re.compile(rf"^[ >]*{fence}", re.MULTILINE).search(text, start)
    return found.end() - len(fence) if found else len(text)
