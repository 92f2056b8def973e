"""A site with its engine, served from this machine, and a real browser; what is missing skips the test and says so."""

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
PATIENCE = 120_000  # milliseconds; a machine may be busy
STUDIES = ["--op", "matmul", "--op", "dot", "--chip", "h100-sxm", "--chip", "tpu-v5e"]


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture(scope="package")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small site with the whole engine, in a folder whose name wants quoting."""
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
    """Returns the seconds of work that pages took so far, whatever else the machine does meanwhile."""
    protocol = browser.new_browser_cdp_session()

    def seconds() -> float:
        found = protocol.send("SystemInfo.getProcessInfo")["processInfo"]
        return sum(each["cpuTime"] for each in found if each["type"] == "renderer")

    return seconds


@pytest.fixture(scope="package")
def load() -> Callable[[], float]:
    """Returns how many programs there are to run for each processor; above 0.8 a time of the clock says little."""
    return lambda: os.getloadavg()[0] / (os.cpu_count() or 1)


@pytest.fixture
def open_page(browser: Any, address: str) -> Iterator[Callable[..., Any]]:
    """Opens a page of the site; errors of its scripts, and requests to anywhere else, fail the test in the end."""
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
