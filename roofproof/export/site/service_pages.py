"""The pages with answers to give: a question of one's own, the banks of exercises, and what other pages embed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from roofproof.export.site.pages import Page
from roofproof.export.words.catalogue import Catalogue
from roofproof.hardware import chip_names
from roofproof.ops import entries
from roofproof.teach.bank_file import bank, shipped
from roofproof.teach.exercise import Exercise

ASKED = ("threshold", "smallest", "largest", "rule", "intensity", "flops", "bytes", "time", "ridge", "bound")
"""What can be asked on the page; a share of another operation's FLOPs is for banks and the command line."""
EMBEDDED = (("html", "HTML"), ("myst", "MyST"), ("quarto", "Quarto"), ("marp", "Marp"))


def service_pages(engine: bool = True) -> list[Page]:
    """Return the pages to answer on; without the engine they are read only, and say so.

    >>> [page.path for page in service_pages()]
    ['check.html', 'exercises.html', 'embed.html']
    """

    def shared(lang: str) -> dict[str, Any]:
        return {
            "live": Catalogue(lang, "live"), "engine": engine, "operations": sorted(entries()), "chips": chip_names(),
        }  # fmt: skip

    def check(lang: str) -> Mapping[str, Any]:
        return {**shared(lang), "asked": ASKED}

    def exercises(lang: str) -> Mapping[str, Any]:
        banks = {name: bank(name) for name in shipped()}
        return {
            **shared(lang),
            "banks": banks,
            "told": lambda text: _told(text, lang),
            "first": lambda e: _first(e, lang),
        }

    def embed(lang: str) -> Mapping[str, Any]:
        return {**shared(lang), "asked": ASKED, "embedded": EMBEDDED}

    return [
        Page("check.html", "check.html.j2", "check", lambda words: words["check"], check),
        Page("exercises.html", "exercises.html.j2", "exercises", lambda words: words["exercises"], exercises),
        Page("embed.html", "embed.html.j2", "embed", lambda words: words["embed"], embed),
    ]


def _told(text: Mapping[str, str], lang: str) -> str:
    return text.get(lang) or next(iter(text.values()))


def _first(exercise: Exercise, lang: str) -> str:
    """Return the text of an exercise with the first value of each parameter, to be read before the engine is there."""
    return exercise.told({name: values[0] for name, values in exercise.vary.items()}, lang)
