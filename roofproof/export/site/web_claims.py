"""Requests about a pasted or loaded claims file: its claims, the verdict on each, and the errata report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from roofproof.claims.kinds import SILENT
from roofproof.claims.language.book import Book, Unusable, book_from_text
from roofproof.claims.results import Result, summary
from roofproof.claims.verifying import judged_claim
from roofproof.errors import RoofproofError, quoted
from roofproof.export.doc import say
from roofproof.export.explain.verdicts import KINDS, explain_report, result_details
from roofproof.export.latex.leaves import Style
from roofproof.export.to_html import html
from roofproof.export.to_markdown import to_markdown
from roofproof.export.to_text import inline_text
from roofproof.proofs.known import PRINTED
from roofproof.say import translated

Asked = Mapping[str, str]


@dataclass
class _Open:
    """The open claims file and its verdicts so far, which the errata report needs together."""

    text: str = ""
    book: Book | None = None
    results: dict[int, Result] = field(default_factory=dict)


_open = _Open()


def _book(asked: Asked) -> Book:
    text = asked.get("text", "")
    if not text.strip():
        raise RoofproofError("no claims yet; paste a claims file (TOML), or load one")
    if _open.book is None or _open.text != text:
        _open.book, _open.text, _open.results = book_from_text(text, asked.get("name", "book")), text, {}
    return _open.book


def claims(asked: Asked) -> dict[str, Any]:
    """Return the title of a claims file, the problems of the file itself, and each claim as written.

    >>> claims({"text": '[[claim]]\\nid = "sum"\\nsays = "1 + 1 == 3"', "lang": "en"})["claims"]
    [{'id': 'sum', 'says': '1 + 1 == 3', 'source': ''}]

    Raises RoofproofError for text that is not a claims file.
    """
    book = _book(asked)
    return {
        "title": book.title,
        "problems": [translated(problem, asked["lang"]) for problem in book.problems],
        "claims": [
            {"id": c.id, "says": "" if isinstance(c, Unusable) else c.says, "source": getattr(c, "source", "")}
            for c in book.claims
        ],
    }


def judged(asked: Asked) -> dict[str, Any]:
    """Return the verdict on one claim of a claims file, by its number from 0.

    >>> found = judged({"text": '[[claim]]\\nid = "sum"\\nsays = "1 + 1 == 3"', "number": "0", "lang": "en"})
    >>> found["verdict"], found["exact"], found["as_expected"]
    ('refuted', '2', False)

    Raises RoofproofError if there is no claim with this number.
    """
    book, number = _book(asked), asked.get("number", "")
    if not (number.isascii() and number.isdigit() and len(number) < 6 and int(number) < len(book.claims)):
        raise RoofproofError(
            "claim <number>: expected a number from 0 to <most>", number=quoted(number), most=len(book.claims) - 1
        )
    found = _open.results[int(number)] = judged_claim(book, int(number))
    lang = asked["lang"]
    known = say(PRINTED[found.verdict.trust]) if found.verdict is not None and found.kind not in SILENT else ""
    told = {name: inline_text(each, lang) for name, each in (("kind", say(KINDS[found.kind])), ("known", known))}
    return found.record() | told | {"html": html(result_details(found, trust=False), Style(lang, inline=True))}


def errata(asked: Asked) -> dict[str, Any]:
    """Return the errata report on the claims verified so far, in Markdown, and the number of claims per verdict.

    >>> errata({"text": '[[claim]]\\nid = "a"\\nsays = "1 == 1"', "lang": "en"})["text"].splitlines()[0]
    '# Verdicts on book'
    """
    book, lang = _book(asked), asked["lang"]
    results = [_open.results[k] for k in sorted(_open.results)]
    text = to_markdown(explain_report(results, book.title, book.ops), lang, titled=True) + "\n"
    return {"name": "errata.md", "text": text, "summary": summary(results)}
