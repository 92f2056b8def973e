"""Exported LaTeX compiles unchanged, for every operation in two languages, without overfull boxes or missing glyphs."""

import re
import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest
from tex_log import faults
from typeset_all import Worked, worked

from roofproof import chip
from roofproof.cli import main
from roofproof.derive.on_chips import thresholds
from roofproof.export.explain.comparison import explain_comparison
from roofproof.export.explain.threshold import explain
from roofproof.export.latex.compiling import compiled, engine_for
from roofproof.export.latex.documents import document
from roofproof.export.latex.escaping import escape
from roofproof.export.outline import outline
from roofproof.export.to_latex import titled
from roofproof.hardware import chip_names
from roofproof.ops import parse_operation

pytestmark = pytest.mark.tex

BOOK = r"""
[textbook]
title = "50% of \\LaTeX & B_1 #3 {a} ~ ^ \\input{/etc/passwd}"
[[claim]]
id     = "a-1"
source = "p. 3 \\write18{touch owned} $x^2$ 第三页 🚀"
says   = "flops(matmul) == B D F"
[[claim]]
id     = "limit"
says   = "intensity(matmul) ~= B"
regime = "D, F >> B"
expect = "approximate"
"""


@pytest.fixture(autouse=True)
def engines(request: pytest.FixtureRequest) -> None:
    for engine in ("pdflatex", "xelatex"):
        if shutil.which(engine) is None:
            pytest.skip(f"NOT COMPILED: {engine} is not installed; see .ci/run for the packages")


def check(text: str, most: float = 2.0) -> None:
    """Compile a document, and fail on overfull boxes and missing glyphs."""
    word = r"\\text\{(?:and|or|且|或)\}"  # math mode leaves no space around a word
    glued = re.findall(rf"(?<!\\ ){word}|{word}(?!\\ )", text)
    assert not glued
    pdf, log = compiled(text)
    assert pdf.startswith(b"%PDF")
    assert faults(log, most) == []


def written(some: Iterable[Worked], lang: str) -> str:
    parts = []
    for each in some:
        sizes = {s.name: 64 for s in each.op.dims if each.proved is None or s != each.proved.found.unknown}
        point = sizes if each.name in ("matmul", "dot", "split-matmul") else {}
        parts.append(titled(explain(outline(each.op, each.chip, each.proved, point)), lang))
    return document("\n".join(parts), "", lang=lang)


@pytest.mark.slow
def test_every_operation_in_english() -> None:
    text = written(worked(), "en")
    assert engine_for(text) == "pdflatex"
    check(text)


@pytest.mark.slow
def test_every_operation_in_chinese() -> None:
    text = written(worked(), "zh")
    assert engine_for(text) == "xelatex"
    check(text)


@pytest.mark.slow
def test_a_log_with_faults_is_not_passed() -> None:
    with pytest.raises(AssertionError, match="Overfull"):
        check(document(r"\noindent\rule{20cm}{1pt}", "wide"))
    with pytest.raises(AssertionError, match="Missing character"):
        check(document("中文 and a letter that the fonts lack: ڭ", "glyph"))


@pytest.mark.slow
def test_tables_of_every_chip() -> None:
    chips = [chip(name) for name in chip_names()]
    for lang in ("en", "zh"):
        body = []
        for name, sizes in (("matmul", {"D": 4096, "F": 4096}), ("matmul", {}), ("split-matmul", {"D": 12000})):
            [found] = thresholds(parse_operation(name), "B", chips, sizes)
            body += [titled(explain_comparison(each), lang) for each in (found, found.able())]
        check(document("\n".join(body), "", lang=lang))


@pytest.mark.slow
def test_an_errata_sheet_from_a_hostile_book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No text of a claims file reaches TeX as a command, and its characters are printed as written."""
    monkeypatch.chdir(tmp_path)
    Path("book.toml").write_text(BOOK, encoding="utf-8")
    assert main(["verify", "book.toml", "--report", "out.tex"]) == 1
    text = Path("out.tex").read_text(encoding="utf-8")
    assert r"\textbackslash{}input" in text
    assert not re.search(r"\\(input|write|immediate|openout|catcode|def)\b", text)
    check(text)
    assert not Path("owned").exists()


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="NOT COMPARED: no pdftotext (package poppler-utils)")
def test_every_sign_comes_out_as_it_was_written(tmp_path: Path) -> None:
    import subprocess

    said = r"50% & B_1 #3 $5 \{a} ~ ^ <b> | don't 'q' -- --- ,, ?` \input{x} \write18 ^^5c éüß Čech"
    (tmp_path / "a.pdf").write_bytes(compiled(document(escape(said), ""))[0])
    shown = subprocess.run(["pdftotext", "-layout", "a.pdf", "-"], cwd=tmp_path, capture_output=True, text=True).stdout
    plain = shown.replace("’", "'").replace("‘", "`")
    assert " ".join(plain.split()).removesuffix(" 1") == said


def test_all_latin_letters_that_are_let_through_have_a_glyph() -> None:
    letters = "".join(chr(c) for c in range(0xA1, 0x250) if escape(chr(c)) == chr(c))
    assert "é" in letters and len(letters) > 150
    check(document(" ".join(letters), "letters"))


@pytest.mark.slow
def test_all_chinese_signs_that_are_let_through_have_a_glyph() -> None:
    ranges = (range(0x3000, 0x3020), range(0x4E00, 0xA000), range(0xFF00, 0xFFEF))
    signs = "".join(c for r in ranges for c in map(chr, r) if escape(c) == c and not c.isspace())
    assert len(signs) > 6700
    check(document(signs, "汉字", lang="zh"))


def test_the_command_writes_a_pdf(tmp_path: Path) -> None:
    out = tmp_path / "a.pdf"
    assert main(["derive", "matmul", "--chip", "tpu-v5e", "--for", "B", "--latex", "-o", str(out)]) == 0
    assert out.read_bytes().startswith(b"%PDF")
