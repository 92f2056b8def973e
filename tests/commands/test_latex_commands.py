"""LaTeX output of `derive`: formulas to paste, documents in each language, and the exact error messages."""

from pathlib import Path

import pytest
from tex_log import faults

from roofproof.cli import main
from roofproof.errors import RoofproofError
from roofproof.export.latex import compiling
from roofproof.export.latex.compiling import compiled

MATMUL = ("derive", "matmul", "--chip", "tpu-v5e", "--for", "B", "--latex")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(list(words))
    out, err = capsys.readouterr()
    return status, out, err


def test_the_formula_alone(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = said(capsys, *MATMUL, "--part", "formula")
    assert (status, err) == (0, "") and out.count(r"\[") == 1 and r"\subsection" not in out
    assert r"B > \dfrac{RDF}{DF - R(D + F)}" in out and r"\text{never}" in out
    _, out, _ = said(capsys, "derive", "matmul", "--latex", "--part", "formula")
    assert out.splitlines()[-2:] == [r"I = \frac{BDF}{BD + DF + BF}\ \text{FLOP/B}", r"\]"]


def test_a_document_in_each_language(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, *MATMUL, "-o", "a.tex") == (0, "", "")
    assert said(capsys, *MATMUL, "-o", "z.tex", "--lang", "zh") == (0, "", "")
    english, chinese = Path("a.tex").read_text(), Path("z.tex").read_text()
    assert r"\documentclass[11pt,a4paper]{article}" in english
    assert "% !TeX program = xelatex\n\\documentclass[11pt,a4paper,UTF8]{ctexart}" in chinese
    assert "计算受限当且仅当" in chinese and "每次乘加 2 FLOP" in chinese
    assert "Compute-bound" not in chinese


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((*MATMUL, "--lang", "fr"), "unknown language 'fr'; known: en, zh"),
        (("derive", "matmul", "-o", "x.tex"), "-o requires --latex"),
        (("derive", "matmul", "--json", "--lang", "zh"), "--lang 须与 --latex 同用"),
        ((*MATMUL, "--json"), "use only one of --json, --latex"),
        (
            (*MATMUL, "-o", "no/such/x.tex"),
            "cannot write 'no/such/x.tex': No such file or directory; name a file in a folder you own",
        ),
        (
            ("derive", "--as", "table", "matmul", "--for", "B"),
            "no chips to compare; name some, as in --chip tpu-v5e --chip h100-sxm, or --chip all",
        ),
        (
            ("derive", "--as", "table", "matmul", "--for", "B", "--chip", "tpu-v5e", "--latex", "--markdown"),
            "use only one of --markdown, --latex",
        ),
        (("derive", "--as", "table", "dot", "--for", "B", "--chip", "tpu-v5e"), "unknown dimension 'B'; known: N"),
        (
            ("derive", "--as", "table", "embedding", "--for", "T", "--chip", "tpu-v5e"),
            "operation 'embedding' has no FLOPs; a threshold compares one format's FLOPs with the bytes moved",
        ),
        (
            ("derive", "--as", "table", "matmul:int2", "--for", "B", "--chip", "all"),
            "no chip has the specs for matmul: int2",
        ),
    ],
)
def test_messages(words: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, *words) == (2, "", f"roofproof: {message}\n")
    assert list(Path().iterdir()) == []  # nothing is left behind


def test_missing_tex_is_named_with_its_package(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiling.shutil, "which", lambda name: None)
    status, _, err = said(capsys, *MATMUL, "-o", "a.pdf")
    package = "on Debian and Ubuntu it is in texlive-latex-recommended and lmodern"
    assert (status, err) == (2, f"roofproof: pdflatex is not installed; {package}, or write a .tex file\n")
    assert not Path("a.pdf").exists()


@pytest.mark.parametrize(
    ("log", "message"),
    [
        (
            "! LaTeX Error: File `siunitx.sty' not found.",
            "TeX lacks siunitx.sty; on Debian and Ubuntu it is in texlive-science, or write a .tex file",
        ),
        (
            '! Package fontspec Error: The font "FandolSong" cannot be found.',
            "TeX lacks the font 'FandolSong'; on Debian and Ubuntu it is in texlive-lang-chinese, or write a .tex file",
        ),
        ("! Undefined control sequence.\nl.3 \\x", "xelatex refused the document: Undefined control sequence."),
    ],
)
def test_what_a_log_says(log: str, message: str) -> None:
    assert str(compiling._failure("xelatex", log)) == message


@pytest.mark.tex
def test_shell_commands_are_off(home: Path) -> None:
    """Even a handwritten document cannot run shell commands."""
    command = rf"\immediate\write18{{touch {home / 'owned'}}}"
    text = rf"\documentclass{{article}}\begin{{document}}{command}a\end{{document}}"
    try:
        _, log = compiled(text)
    except RoofproofError as problem:
        pytest.skip(f"NOT COMPILED: {problem}")
    assert faults(log) == [] and not (home / "owned").exists()
