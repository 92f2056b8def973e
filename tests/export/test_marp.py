"""Courses as Marp shows them: rendered in a browser, no slide holds more than there is room for.

Marp comes from npm into a temporary folder, the browser is Chromium; formulas are SVG within the page.
"""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from roofproof.export.slides.course_deck import course_deck
from roofproof.export.slides.marp_fit import size
from roofproof.export.slides.model import Bullets, Deck, Frame, Table, Text
from roofproof.export.slides.writing import inlined, marp
from roofproof.teach.course_file import course, shipped_courses

LOOK = """
const puppeteer = require("puppeteer-core");
(async () => {
  const browser = await puppeteer.launch({ executablePath: process.argv[2], args: ["--no-sandbox"] });
  const page = await browser.newPage();
  await page.goto("file://" + process.argv[3], { waitUntil: "load", timeout: 60000 });
  await page.evaluate(() => document.fonts.ready);
  console.log(JSON.stringify(await page.evaluate(() => [...document.querySelectorAll("section")].map((s) => ({
    title: (s.querySelector("h1,h2") || {}).textContent,
    over: [s.scrollHeight - s.clientHeight, s.scrollWidth - s.clientWidth],
  })))));
  await browser.close();
})();
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which Marp is installed."""
    if browser() is None or shutil.which("npm") is None:
        pytest.skip("NOT RENDERED BY MARP: node, npm and chromium are needed; cure: apt install npm chromium")
    home = tmp_path_factory.mktemp("marp")
    install = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "@marp-team/marp-cli@^4"]
    done = subprocess.run(install, cwd=home, capture_output=True, text=True, timeout=300)
    if done.returncode:
        pytest.skip(f"NOT RENDERED BY MARP: npm could not install it: {done.stderr.strip()[-200:]}")
    (home / "look.cjs").write_text(LOOK)
    return home


def browser() -> str | None:
    return shutil.which("chromium") or shutil.which("google-chrome")


def too_full(home: Path, text: str) -> tuple[int, list[dict[str, object]]]:
    """Return how many slides Marp makes of a text, and those of which something sticks out."""
    (home / "deck.md").write_text(text, encoding="utf-8")
    command = [home / "node_modules/.bin/marp", "--html", "deck.md", "-o", "deck.html"]
    subprocess.run(command, cwd=home, check=True, capture_output=True, timeout=120, env={**os.environ, "CI": "1"})
    page = home / "deck.html"
    assert not re.search(r"url\(\W*https?:|<link[^>]*https?:|src=.https?:", page.read_text("utf-8")), "needs no net"
    done = subprocess.run(["node", "look.cjs", str(browser()), str(page)], cwd=home, check=True, capture_output=True,
                          text=True, timeout=120)  # fmt: skip
    slides = json.loads(done.stdout)
    return len(slides), [each for each in slides if max(each["over"]) > 1]


@pytest.mark.long
@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("name", shipped_courses())
def test_no_slide_of_a_course_is_too_full(home: Path, name: str, lang: str) -> None:
    deck = course_deck(course(name), lang)
    assert too_full(home, marp(deck, inlined)) == (len(deck.frames) + 1, [])


@pytest.mark.long
def test_a_slide_that_is_too_full_is_seen(home: Path) -> None:
    full = Frame(("Full",), (Bullets((("one line",),) * 12),))
    text = marp(Deck(("T",), (), "en", (full,)), inlined)
    assert too_full(home, text)[1] == []
    ((found,),) = (too_full(home, re.sub("size-[0-9]+ -->", "size-29 -->", text))[1],)
    assert found["title"] == "Full"


def test_the_letters_are_as_large_as_there_is_room_for() -> None:
    short, long = (("a word",), ("a line of several words, which is longer than the slide is wide " * 2,))
    assert [size(Frame(("T",), (Bullets((short,) * n),))) for n in (1, 11, 13, 20)] == [29, 26, 23, 14]
    assert size(Frame(("T",), (Bullets((long,) * 6),))) < size(Frame(("T",), (Bullets((short,) * 6),)))
    wide = Table((long, short), ((short, short),), "ll")
    assert size(Frame(("T",), (wide, Text(short)))) < 29
