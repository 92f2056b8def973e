"""Pictures in exercises: the author's SVG or the roofline of the question, in every format, with what it shows."""

import re
import shutil
from base64 import b64decode
from html import unescape
from pathlib import Path

import pytest

from roofproof.errors import RoofproofError
from roofproof.export.banks import bank_format, formats
from roofproof.export.latex.compiling import compiled
from roofproof.teach import bank, variants

HEAD = '[[exercise]]\nid = "a"\ntext = "Which is it?"\nop = "matmul"\nchip = "tpu-v5e"\nasks = "bound"\n'
AT = 'at = { B = "{B}", D = 4096, F = 4096 }\nvary = { B = [16, 1024] }\n'
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="5" height="5"/></svg>'
DRAWN = 'figure = { kind = "roofline", alt = "a \\"roof\\" & B = {B}" }\n'
GIVEN = 'figure = { file = "mine.svg", alt = "a \\"roof\\" & B = {B}" }\n'


def exported(name: str, figure: str, home: Path) -> dict[str, str]:
    (home / "mine.svg").write_text(SVG)
    (home / "b.toml").write_text(HEAD + AT + figure)
    found = bank(str(home / "b.toml"))
    made = [v for each in found.exercises for v in variants(each, 2, 0)]
    return {file: text for file, (text, _) in bank_format(name)(found, made, "en").items() if "solutions" not in file}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("figure", [DRAWN, GIVEN], ids=["drawn", "given"])
@pytest.mark.parametrize("name", formats())
def test_a_picture_is_in_every_format_with_what_it_shows(name: str, figure: str, tmp_path: Path) -> None:
    if figure == DRAWN:
        pytest.importorskip("matplotlib")
    files = exported(name, figure, tmp_path)
    text = "\n".join(files.values())
    if name == "latex":
        assert len(re.findall(r"\\begin\{tikzpicture\}|\\fbox", text)) == 2
        assert ("pgfplots" in text) == (figure == DRAWN) != (r'a "roof" \& B = 16' in text)
        return
    if name == "myst":
        named = re.findall(r'!\[a "roof" \\& B \\= \d+\]\((.*?)\)', text)
        assert len(named) == 2 and all("<svg" in files[file] for file in named)
        assert len(set(named)) == (2 if figure == DRAWN else 1)  # one file, however often it is shown
        return
    if name == "gift":
        text = re.sub(r"\\([~=#{}:\\])", r"\1", text)
    tags = re.findall(r'<img alt="([^"]*)" src="data:image/svg\+xml;base64,([^"]*)">', text.replace('\\"', '"'))
    assert {unescape(alt) for alt, _ in tags} == {'a "roof" & B = 16', 'a "roof" & B = 1024'}
    assert all("<svg" in b64decode(coded).decode() for _, coded in tags)


@pytest.mark.tex
@pytest.mark.parametrize("figure", [DRAWN, GIVEN], ids=["drawn", "given"])
def test_a_sheet_with_a_picture_compiles(figure: str, tmp_path: Path) -> None:
    if shutil.which("pdflatex") is None:
        pytest.skip("NOT COMPILED: TeX is not installed")
    assert compiled(exported("latex", figure, tmp_path)["sheet-001.tex"])[0].startswith(b"%PDF")


REFUSED = {
    'figure = { kind = "roofline" }': "no alt; write what it shows, for those who do not see it: alt = \"...\"",
    'figure = { alt = "x" }': 'expected file = "roof.svg" or kind = "roofline", one of them',
    'figure = { kind = "pie", alt = "x" }': 'expected file = "roof.svg" or kind = "roofline", one of them',
    'figure = { file = "../up.svg", alt = "x" }': "'../up.svg' is no .svg file beside the bank",
    'figure = { file = "/etc/passwd", alt = "x" }': "'/etc/passwd' is no .svg file beside the bank",
    'figure = { file = "b.toml", alt = "x" }': "'b.toml' is no .svg file beside the bank",
    'figure = { file = "link.svg", alt = "x" }': "'link.svg' is no .svg file beside the bank",
    'figure = { file = "none.svg", alt = "x" }': "cannot read figure",
    'figure = { file = "text.svg", alt = "x" }': "'text.svg' holds no SVG of at most 1048576 bytes",
    'figure = { file = "runs.svg", alt = "x" }': "'runs.svg' holds 'onload='; take it out",
    'figure = { file = "mine.svg", alt = "{y}" }': "the gap {y} has no values",
}  # fmt: skip


@pytest.mark.parametrize("figure", REFUSED, ids=range(len(REFUSED)))
def test_what_is_no_picture_is_refused_in_one_line(figure: str, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    for name, text in (
        ("home/mine.svg", SVG),
        ("up.svg", SVG),
        ("home/text.svg", "x"),
        ("home/runs.svg", "<svg onload=x>"),
    ):
        (tmp_path / name).write_text(text)
    (home / "link.svg").symlink_to(tmp_path / "up.svg")
    (home / "b.toml").write_text(HEAD + AT + figure)
    with pytest.raises(RoofproofError) as refused:
        bank(str(home / "b.toml"))
    assert REFUSED[figure] in str(refused.value) and "\n" not in str(refused.value)
    assert "b.toml, line 1: " in str(refused.value)
