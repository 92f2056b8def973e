"""The engine in a real browser: it derives and proves the same results as the library, and runs no injected script."""

from __future__ import annotations

import gzip
import json
from base64 import b64decode
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import pytest

import roofproof.claims
from roofproof import chip, op, threshold
from roofproof.claims.verifying import verify
from roofproof.export.site.answers import answer

pytestmark = pytest.mark.long
Open = Callable[[str], Any]
BOOKS = sorted((Path(roofproof.claims.__file__).parent / "textbooks").glob("*.toml"))
HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "'\"><script>alert(1)</script>",
    "javascript:alert(1)",
    "\\href{javascript:alert(1)}{x}",
]


def proved(page: Any) -> tuple[str, str]:
    page.wait_for_function("() => !document.querySelector('#answer').hasAttribute('aria-busy')")
    return page.inner_text("#integer"), page.inner_text("#trust")


def ask(page: Any, kind: str, **payload: str) -> Any:
    return page.evaluate(
        """async ([kind, payload]) => {
          const engine = new URL(`${document.body.dataset.root}assets/engine.mjs`, document.baseURI);
          return (await import(engine)).ask(kind, payload);
        }""",
        [kind, {"lang": "en", **payload}],
    )


def test_a_threshold_with_its_proof(open_page: Open) -> None:
    page = open_page("operation.html")
    expected = threshold(op("matmul"), chip("h100-sxm"), "B", {"D": 4096, "F": 4096}).found.integer
    assert proved(page) == (f"B = {expected}", "proved by the proof checker")
    page.click("#proof summary")
    page.wait_for_selector("#lines .katex")
    assert "divide by" in page.inner_text("#lines")
    assert page.locator("#picture svg polyline").count() >= 3


def test_a_number_that_moves_is_marked_until_it_is_proved(open_page: Open) -> None:
    """While arrow keys move the slider, the mark appears before each proof and disappears with it."""
    page = open_page("operation.html#op=matmul&chip=tpu-v5e&for=B&at=B=512,D=4096,F=4096")
    first = proved(page)
    page.evaluate(
        """() => {
          window.seen = [];
          new MutationObserver(() => seen.push([pending.hidden, trust.hidden, integer.textContent]))
            .observe(document.querySelector("#answer"), { attributes: true, subtree: true, childList: true });
        }"""
    )
    for _ in range(4):
        page.press("#slide-D", "ArrowRight")
    page.wait_for_function("() => document.querySelector('#slide-D').getAttribute('aria-valuetext') === '8192'")
    last = proved(page)
    expected = threshold(op("matmul"), chip("tpu-v5e"), "B", {"D": 8192, "F": 4096}).found.integer
    assert last == (f"B = {expected}", "proved by the proof checker") != first
    seen = page.evaluate("seen")
    assert [False, True, first[0]] in seen  # the old number, marked
    assert not [each for each in seen if each[0] is each[1] is False]  # never the mark and a trust together
    page.press("#slide-hbm", "ArrowRight")
    page.wait_for_selector("#reset:not([hidden])")
    assert proved(page)[0] != last[0]
    page.select_option("[name=unknown]", "D")
    page.wait_for_function("() => integer.textContent.startsWith('D')")
    page.fill("[name=operation]", "bf16[B,D], bf16[B,D] -> bf16[B]")
    page.wait_for_function("() => integer.textContent === 'never compute-bound'")


@pytest.mark.parametrize("what", ["coq", "latex", "deck", "json", "text"])
def test_files_are_those_of_the_library(open_page: Open, what: str) -> None:
    page = open_page("operation.html#op=dot&chip=tpu-v5e&for=N&at=N=128") if what == "coq" else None
    asked = {"operation": "matmul", "chip": "tpu-v5e", "unknown": "B", "at": "D=4096,F=4096", "what": what}
    if page is None:
        page = open_page("operation.html")
        assert ask(page, "file", **asked) == answer("file", {**asked, "lang": "en"})
        return
    proved(page)
    with page.expect_download() as taken:
        page.click("[data-file=coq]")
    made = answer("file", {"operation": "dot", "chip": "tpu-v5e", "unknown": "N", "what": "coq"})
    assert taken.value.suggested_filename == made["name"]
    assert taken.value.path().read_bytes() == b64decode(made["base64"])


def test_every_verdict_is_the_one_given_elsewhere(open_page: Open) -> None:
    """Every claim in the shipped claims files has the same verdict, trust, value, condition and mistake."""
    page = open_page("book.html")
    judged = {"verdict", "trust", "exact", "condition", "counterexample", "error_bound", "note", "as_expected"}
    judged |= {"slip", "slip_detail"}
    elsewhere = iter(verify([*map(str, BOOKS)]))
    count = 0
    for book in BOOKS:
        text = book.read_text(encoding="utf-8")
        total = len(ask(page, "claims", text=text)["claims"])
        found = page.evaluate(
            """async ([text, total]) => {
              const { ask } = await import(new URL("assets/engine.mjs", document.baseURI));
              const found = [];
              for (let k = 0; k < total; k++) found.push(await ask("verify", { text, number: String(k), lang: "en" }));
              return found;
            }""",
            [text, total],
        )
        for each in found:
            expected = next(elsewhere).record()
            assert {k: each[k] for k in judged} == {k: json.loads(json.dumps(expected[k])) for k in judged}, each["id"]
            count += 1
    assert count == 321


def test_a_book_is_judged_in_the_page(open_page: Open) -> None:
    page = open_page("zh/book.html")
    page.click("#example")
    page.click("#judge")
    page.wait_for_selector("#errata:not([hidden])")
    assert page.locator("#rows tr").count() == 3
    assert page.inner_text("#done") == "已判定 3 / 3 条"
    assert page.inner_text("#sheet").startswith("# 对《Three claims")
    page.fill("textarea", "not [ toml")
    page.click("#judge")
    page.wait_for_function("() => problem.textContent.includes('TOML')")
    assert "\n" not in page.inner_text("#problem").strip()


def test_no_box_runs_what_is_typed(open_page: Open) -> None:
    page = open_page("operation.html")
    proved(page)
    for box in ("operation", "chip"):
        kept = page.input_value(f"[name={box}]")
        for text in HOSTILE:
            page.fill(f"[name={box}]", text)
            page.wait_for_function("() => problem.textContent !== ''")
            page.fill(f"[name={box}]", kept)
            page.wait_for_function("() => problem.textContent === ''")
    page.fill(".slider input[type=text]", HOSTILE[0])
    page.press(".slider input[type=text]", "Tab")
    page.wait_for_function("() => problem.textContent.startsWith('size ')")
    other = open_page("operation.html#op=" + HOSTILE[0] + "&chip=<svg onload=alert(1)>&at=<b>=1&for=<i>")
    other.wait_for_function("() => problem.textContent !== ''")
    book = open_page("book.html")
    book.fill(
        "textarea",
        f"[[claim]]\nid = '{HOSTILE[0]}'\nsays = '1 + 1 == 3'\n[textbook]\ntitle = '<script>alert(1)</script>'",
    )
    book.click("#judge")
    book.wait_for_selector("#errata:not([hidden])")
    for each in (page, other, book):
        assert each.evaluate("document.querySelectorAll('main img, main script, main iframe').length") == 0


def test_offline_in_two_tabs_at_once(open_page: Open) -> None:
    came: list[str] = []
    open_page("index.html").context.on("requestfinished", lambda asked: came.append(asked.url.rpartition("/")[2]))
    one, two = open_page("operation.html"), open_page("zh/operation.html")
    assert proved(one)[0] == proved(two)[0]
    while came.count("z3.bin") < 2:  # both tabs have every file that they may need next
        one.wait_for_timeout(200)
    one.context.set_offline(True)
    for page, sizes in ((one, "D=512,F=8192"), (two, "D=8192,F=512")):
        found = ask(page, "derive", operation="matmul", chip="h100-sxm", unknown="B", at=sizes)
        assert found["trust"] == "kernel"


def test_from_a_file_pages_are_read_and_the_engine_says_what_it_needs(browser: Any, site: Path) -> None:
    page = browser.new_page()
    page.goto((site / "index.html").as_uri())
    assert page.inner_text("h1")
    page.goto((site / "book.html").as_uri())
    assert page.inner_text("h1")
    page.close()


def test_size_and_memory_are_held(open_page: Open, site: Path, browser: Any) -> None:
    engine = sum(path.stat().st_size for path in (site / "engine").iterdir())
    sent = sum(len(gzip.compress(path.read_bytes())) for path in (site / "engine").iterdir() if path.name != "z3.bin")
    whole = sum(path.stat().st_size for path in site.rglob("*") if path.is_file())
    print(f"engine {sent / 1e6:.1f} MB before the first proof, {engine / 1e6:.1f} MB in all; site {whole / 1e6:.1f} MB")
    assert sent < 20e6
    assert engine < 31e6
    page = open_page("operation.html")
    proved(page)
    ask(page, "file", operation="matmul", chip="h100-sxm", unknown="B", what="deck")
    found = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    sizes = [resident(each["id"]) for each in found if each["type"] == "renderer"]
    print(f"memory of the page and its engine {max(sizes) / 1e6:.0f} MB")
    assert max(sizes) < 500e6


def resident(process: int) -> int:
    """Return the proportional set size of a process in bytes: its private memory and its share of common pages."""
    rows = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    return sum(int(row.split()[1]) * 1024 for row in rows if row.startswith("Pss:"))


def test_times(open_page: Open, worked: Callable[[], float], load: Callable[[], float]) -> None:
    """CPU times always have limits, and wall-clock times only if nothing else runs on this machine."""
    proved(open_page("operation.html"))
    before = worked()
    page = open_page("operation.html")
    page.wait_for_selector("[data-stage=ready]")
    ready, loading = page.evaluate("performance.now()"), worked() - before
    proved(page)
    before = worked()
    taken = page.evaluate(
        """async () => {
          const { ask } = await import(new URL("assets/engine.mjs", document.baseURI));
          const taken = [];
          for (let k = 1; k <= 31; k++) {
            const begin = performance.now();
            const at = `D=${4096 + 64 * k},F=4096`;
            await ask("derive", { operation: "matmul", chip: "h100-sxm", unknown: "B", at, place: "128", lang: "en" });
            taken.push(performance.now() - begin);
          }
          return taken;
        }"""
    )
    work = (worked() - before) / len(taken)
    print(f"engine ready {ready / 1000:.1f} s, {loading:.1f} s of work; load {load():.1f} a processor")
    print(f"slider to proof {median(taken):.0f} ms, {work * 1000:.0f} ms of work each")
    assert loading < 15
    assert work < 0.1
    if load() > 0.8:
        pytest.skip(f"the machine is busy: load {load():.1f} a processor")
    assert ready < 5_000
    assert median(taken) < 100
