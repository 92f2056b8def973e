"""Fixtures for a site with its engine, served locally, and a real browser. A missing tool skips the test."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from roofproof.cli import main
from roofproof.errors import RoofproofError

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE = 120_000  # milliseconds, enough for a busy machine
STUDIES = ["--op", "matmul", "--op", "dot", "--chip", "h100-sxm", "--chip", "tpu-v5e"]


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture(scope="package")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a small site with the whole engine, in a folder whose name needs quoting."""
    from roofproof.export.site.packing import engine_files

    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    try:
        engine_files()
    except RoofproofError as problem:
        pytest.skip(str(problem))
    home = tmp_path_factory.mktemp("served")
    assert main(["site", str(home / "a b" / "站点"), *STUDIES]) == 0
    return home / "a b" / "站点"


@pytest.fixture(scope="package")
def address(site: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site.parents[1])))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/a%20b/%E7%AB%99%E7%82%B9/"
    server.shutdown()


@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("no Chromium is installed")
    with playwright.sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=chromium, args=FLAGS)
        yield launched
        launched.close()


@pytest.fixture(scope="package")
def worked(browser: Any) -> Callable[[], float]:
    """Return a function that reads the CPU seconds used by pages so far, whatever the load on the machine."""
    protocol = browser.new_browser_cdp_session()

    def seconds() -> float:
        found = protocol.send("SystemInfo.getProcessInfo")["processInfo"]
        return sum(each["cpuTime"] for each in found if each["type"] == "renderer")

    return seconds


@pytest.fixture(scope="package")
def load() -> Callable[[], float]:
    """Return a function that reads the load per processor. Above 0.8, wall-clock times mean little."""
    return lambda: os.getloadavg()[0] / (os.cpu_count() or 1)


@pytest.fixture
def open_page(browser: Any, address: str) -> Iterator[Callable[..., Any]]:
    """Yield a function that opens a page. Script errors and requests to other hosts fail the test at its end."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    context.set_default_timeout(PATIENCE)
    wrong: list[str] = []
    context.on(
        "request", lambda asked: None if asked.url.startswith((address, "blob:", "data:")) else wrong.append(asked.url)
    )

    def opened(path: str) -> Any:
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
        page.on("dialog", lambda dialog: wrong.append(dialog.message))
        page.goto(address + path)
        return page

    yield opened
    context.close()
    assert not wrong
