"""The engine in a real browser: it derives and proves what it does elsewhere, and runs nobody's script."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from roofproof import chip, op, threshold

pytestmark = pytest.mark.long
Open = Callable[[str], Any]


def proved(page: Any) -> tuple[str, str]:
    page.wait_for_function("() => !document.querySelector('#answer').hasAttribute('aria-busy')")
    return page.inner_text("#integer"), page.inner_text("#trust")


def ask(page: Any, kind: str, **payload: str) -> Any:
    return page.evaluate(
        "async ([kind, payload]) => (await import(new URL('assets/engine.mjs', document.baseURI))).ask(kind, payload)",
        [kind, {"lang": "en", **payload}],
    )


def test_a_threshold_with_its_proof(open_page: Open) -> None:
    page = open_page("operation.html")
    expected = threshold(op("matmul"), chip("h100-sxm"), "B", {"D": 4096, "F": 4096}).found.integer
    assert proved(page) == (f"B = {expected}", "proved by the proof kernel")
    page.click("#proof summary")
    page.wait_for_selector("#lines .katex")
    assert "divide by" in page.inner_text("#lines")
    assert page.locator("#picture svg polyline").count() >= 3
