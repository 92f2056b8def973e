"""The pages on which users answer: a question of their own, the exercise files, and questions to embed elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from roofproof.export.site.live_pages import shared
from roofproof.export.site.pages import Page
from roofproof.teach.bank_file import bank, shipped
from roofproof.teach.exercise import in_language

ASKED = ("threshold", "smallest", "largest", "rule", "intensity", "flops", "bytes", "time", "ridge", "memory", "bound")
"""The kinds of questions on the page. A share of another operation's FLOPs needs an exercise file or the terminal."""
EMBEDDED = (("html", "HTML"), ("myst", "MyST"), ("quarto", "Quarto"))


def service_pages(engine: bool = True) -> list[Page]:
    """Return the pages on which users answer, which are read-only and say so without the browser version.

    >>> [page.path for page in service_pages()]
    ['check.html', 'exercises.html', 'embed.html']
    """

    def check(lang: str) -> Mapping[str, Any]:
        return {**shared(lang, engine), "asked": ASKED}

    def exercises(lang: str) -> Mapping[str, Any]:
        banks = {name: bank(name) for name in shipped()}
        return {
            **shared(lang, engine),
            "banks": banks,
            "told": lambda text: in_language(text, lang),
            "first": lambda e: e.told({name: values[0] for name, values in e.vary.items()}, lang),
        }

    def embed(lang: str) -> Mapping[str, Any]:
        return {**shared(lang, engine), "asked": ASKED, "embedded": EMBEDDED}

    return [
        Page("check.html", "check.html.j2", "check", lambda words: words["Check"], check),
        Page("exercises.html", "exercises.html.j2", "exercises", lambda words: words["Exercises"], exercises),
        Page("embed.html", "embed.html.j2", "embed", lambda words: words["Embed"], embed),
    ]
