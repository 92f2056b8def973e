"""The pages with answers to give: a question of one's own, the banks of exercises, and what other pages embed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from roofproof.export.site.live_pages import shared
from roofproof.export.site.pages import Page
from roofproof.teach.bank_file import bank, shipped
from roofproof.teach.exercise import in_language

ASKED = ("threshold", "smallest", "largest", "rule", "intensity", "flops", "bytes", "time", "ridge", "memory", "bound")
"""What can be asked on the page; a share of another operation's FLOPs is for banks and the command line."""
EMBEDDED = (("html", "HTML"), ("myst", "MyST"), ("quarto", "Quarto"))


def service_pages(engine: bool = True) -> list[Page]:
    """Return the pages to answer on; without the engine they are read only, and say so.

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
