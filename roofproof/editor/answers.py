"""What an editor is told of a text: what is wrong at which line, the value under the cursor, what may stand there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from roofproof.claims.language.book import book_from_text
from roofproof.claims.language.functions import FUNCTIONS
from roofproof.claims.results import Result
from roofproof.claims.verifying import judged_claim
from roofproof.errors import RoofproofError
from roofproof.export.text.verdicts import what_goes_with
from roofproof.export.words.catalogue import Catalogue
from roofproof.hardware import chip_names
from roofproof.ops import entries
from roofproof.pages.judging import judged_page
from roofproof.pages.written import language_of, page_from_text

BOOK = ".claims.toml"
_CLAIM = re.compile(r"^[ \t]*\[\[claim\]\]", re.MULTILINE)
_IN_PAGE = re.compile(
    r"\{(?:claim|derived)\}`[^`]*$|<!--\s*(?:claim|derived):[^>]*$|\\(?:claim|derived|claimscope)\b.*$"
)
_OF_KEY = re.compile(r"^\s*:?(op|chip)\s*[:=]\s*:?\s*[\"']?[\w.-]*$")


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """What is known of the claim of a line: whether it is as it should be, and the verdict in words."""

    line: int
    holds: bool
    says: str


def diagnostics(text: str, path: str) -> tuple[Diagnostic, ...]:
    """Return the verdict on each claim of a book or a page, with its line, from 1; nothing for other files.

    >>> for each in diagnostics('[[claim]]\\nid = "a"\\nsays = "2 + 2 == 5"', "sums.claims.toml"):
    ...     print(each.line, each.holds, each.says)
    1 False refuted: by kernel; exactly 4  (expected verified)
    """
    try:
        return tuple(_told(text, path))
    except RoofproofError as problem:
        at = re.search(r":(\d+): |\(at line (\d+)", str(problem))
        return (Diagnostic(int(at[1] or at[2]) if at else 1, False, str(problem)),)


def _told(text: str, path: str) -> Iterator[Diagnostic]:
    if path.endswith(BOOK):
        book = book_from_text(text, Path(path).name)
        lines = [text.count("\n", 0, found.start()) + 1 for found in _CLAIM.finditer(text)]
        for k in range(len(book.claims)):
            yield _of(judged_claim(book, k), lines[k] if k < len(lines) else 1)
        for problem in book.problems:
            yield Diagnostic(1, False, str(problem))
    elif (language := language_of(path)) is not None:
        for each in judged_page(page_from_text(text, Path(path).name, language)):
            said = _of(each.result, each.written.line)
            printed = f"{each.shown} = {each.written.says}\n\n" if each.written.kind == "derived" else ""
            yield Diagnostic(said.line, said.holds, printed + said.says)


def _of(result: Result, line: int) -> Diagnostic:
    if result.verdict is None:
        return Diagnostic(line, False, str(result.problem).removeprefix(f"{result.id}: "))
    return Diagnostic(line, result.as_expected, f"{result.kind}: {what_goes_with(result, Catalogue('en', 'verdicts'))}")


def hover(known: Sequence[Diagnostic], line: int) -> str | None:
    """Return the verdicts on the claims of a line, or on the claim that began before it in a book.

    >>> hover([Diagnostic(3, True, "verified"), Diagnostic(9, True, "rounded")], 3)
    'verified'
    """
    return "\n\n".join(each.says for each in known if each.line == line) or None


def completions(text: str, path: str, line: int, column: int) -> list[tuple[str, str, str]]:
    """Return the completions at a place, lines from 1: names, what each is, and what it says.

    >>> [name for name, kind, _ in completions("op: fla", "page.md", 1, 7) if name.startswith("flash")][:1]
    ['flash-attention']
    """
    rows = text.splitlines()
    before = rows[line - 1][:column] if 0 < line <= len(rows) else ""
    key = _OF_KEY.match(before)
    if not path.endswith(BOOK) and key is None and not _IN_PAGE.search(before):
        return []
    found = []
    if key is None or key[1] == "op":
        found += [(entry.name, "operation", entry.about) for entry in entries().values()]
    if key is None or key[1] == "chip":
        found += [(name, "chip", "") for name in chip_names()]
    if key is None:
        found += [(name, "function", function.usage) for name, function in FUNCTIONS.items()]
    return found
