"""The documentation on the site: every link leads somewhere, every public name is there, its examples run."""

import importlib
import re
import sys
from functools import cache
from pathlib import Path, PurePosixPath
from posixpath import normpath

import pytest
from test_site_pages import Read

from roofproof.cli import main
from roofproof.errors import RoofproofError
from roofproof.export.site import site
from roofproof.export.site.api_pages import ROOMS, api_pages
from roofproof.export.site.asked_examples import example
from roofproof.export.site.docs_pages import docs_folder, docs_pages, live_link, pictures, written
from roofproof.export.site.pages import rendered
from roofproof.export.site.service_pages import service_pages
from roofproof.export.site.site import assets

FOLDER = docs_folder()
pytestmark = pytest.mark.skipif(FOLDER is None, reason="there is no docs/ beside the package: no checkout")


@cache
def pages() -> dict[str, str]:
    assert FOLDER is not None
    return dict(rendered([*service_pages(), *docs_pages(FOLDER), *api_pages()]))


@pytest.mark.slow
def test_every_link_leads_somewhere() -> None:
    assert FOLDER is not None
    later = {"operation.html", "index.html", "zh/index.html", "katex/katex.min.css", "assets/live.css"}
    there = {*pages(), *assets(), *pictures(FOLDER), *later}
    ids = {path: {given["id"] for _, given in Read(text).tags if "id" in given} for path, text in pages().items()}
    for path, text in pages().items():
        for lead in Read(text).leads:
            if lead.startswith("https://"):
                continue
            target, _, part = lead.partition("#")
            found = normpath(str(PurePosixPath(path).parent / target)) if target else path
            assert found in there, f"{path}: {lead}"
            assert not part or "=" in part or part in ids[found], f"{path}: {lead}"


def test_no_page_runs_text() -> None:
    for path, text in pages().items():
        read = Read(text)
        assert all("src" in given for tag, given in read.tags if tag == "script"), path
        assert not [name for _, given in read.tags for name in given if name.startswith("on")], path
        assert not [lead for lead in read.leads if lead.lower().startswith("javascript:")], path


def test_mark_up_of_html_stays_text() -> None:
    body = written("# T\n\n<script>alert(1)</script>\n\n[x](javascript:alert(1)) <img onerror=x>", []).body
    assert {tag for tag, _ in Read(str(body)).tags} <= {"h1", "p"}


@pytest.mark.parametrize("room", ["roofproof", *(f"roofproof.{room}" for room in ROOMS)])
def test_every_public_name_is_told(room: str) -> None:
    module = importlib.import_module(room)
    wanted = {n for n in module.__all__ if getattr(getattr(module, n), "__module__", "").startswith("roofproof.")}
    told = set(re.findall(r'<h2 id="([^"]+)">', pages()[f"api/{room}.html"]))
    assert told == {name for name in wanted if callable(getattr(module, name))}


def test_without_the_extra_the_documentation_can_be_left_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "markdown_it", None)
    asked = ["site", str(tmp_path / "site"), "--without-engine", "--op", "fft", "--chip", "apple-m4"]
    assert main(asked) == 2
    assert capsys.readouterr().err == (
        "roofproof: markdown-it-py is not installed; cure: pip install 'roofproof[site]', "
        "or leave the documentation out: --without-docs\n"
    )
    monkeypatch.setattr(site, "write_site", lambda folder, ops, chips, more, pages, **_: len(pages))
    assert main([*asked, "--without-docs"]) == 0


def test_a_signature_is_that_of_the_source() -> None:
    assert "answer_html" not in pages()["api/roofproof.html"]
    assert "threshold(op: AnOperation, chip: AChip | None, unknown: AName" in pages()["api/roofproof.html"]
    assert "lambda: " not in "".join(re.findall('<p class="signature">(.*?)</p>', "".join(pages().values())))


def test_a_command_leads_to_the_page_that_answers_it() -> None:
    assert 'href="../operation.html#op=' in "".join(pages().values())
    assert live_link("roofproof check --op matmul --asks flops --answer 'BDF'") == (
        "check.html#op=matmul&asks=flops",
        "check matmul",
    )
    assert live_link("roofproof derive 'unclosed") is None and live_link("pip install roofproof") is None


def test_only_examples_of_public_names_run() -> None:
    assert example({"name": "roofproof.ops.then"}) == {"lines": 5, "differ": 0, "text": ""}
    for name, says in (
        ("os.system", "unknown room 'os'; known: roofproof, "),
        ("roofproof.ops.__import__", "unknown name of roofproof.ops '__import__'; "),
        ("", "unknown room ''; "),
    ):
        with pytest.raises(RoofproofError, match=re.escape(says)):
            example({"name": name})
