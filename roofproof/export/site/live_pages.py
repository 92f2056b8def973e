"""The pages that compute in the browser: an operation with sliders for its sizes, and a claims file to verify."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from roofproof.export.site.labels import LABELS
from roofproof.export.site.pages import Page
from roofproof.hardware import chip_names
from roofproof.ops import entries
from roofproof.say import Words

EXAMPLE = """\
[textbook]
title = "Three claims about a matmul on an H100"

[[claim]]
id = "rule"
says = "compute_bound(matmul, h100-sxm) <=> B > 295"

[[claim]]
id = "exact"
says = "intensity(matmul) == B D F / (B D + B F + D F)"

[[claim]]
id = "limit"
says = "intensity(matmul) -> B"
regime = "D, F >> B"
"""
"""The claims that the page of claims starts with: one wrong, one exact, and one true in the limit."""
TAKEN = ("coq", "latex", "deck", "json", "text")


def shared(lang: str, engine: bool) -> dict[str, Any]:
    """Return the values shared by all pages that compute in the browser."""
    return {
        "live": Words(lang, LABELS), "engine": engine, "operations": sorted(entries()), "chips": chip_names(),
    }  # fmt: skip


def live_pages(engine: bool = True) -> list[Page]:
    """Return the pages that compute in the browser, which say so if the site is written without the browser version.

    >>> [page.path for page in live_pages()]
    ['operation.html', 'book.html']
    """

    def shows(lang: str) -> Mapping[str, Any]:
        return {**shared(lang, engine), "example": EXAMPLE, "taken": TAKEN}

    return [
        Page(f"{name}.html", f"{name}.html.j2", part, lambda words, part=part: words[part], shows)  # type: ignore[misc]
        for name, part in (("operation", "live"), ("book", "book"))
    ]
