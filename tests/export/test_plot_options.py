"""Options for the title, width, font and names in a figure."""

import re
import struct
from pathlib import Path
from xml.etree import ElementTree

import pytest

from roofproof.cli import main

PLOT = ("plot", "matmul", "--chip", "tpu-v5e", "--at", "B=64,D=4096,F=4096")


def test_a_figure_has_the_title_width_and_font_that_were_asked_for(tmp_path: Path) -> None:
    svg, png = tmp_path / "a.svg", tmp_path / "a.png"
    for out in (svg, png):
        words = ("--title", "My own figure", "--size", "25.4", "--font", "DejaVu Serif")
        assert main([*PLOT, *words, "-o", str(out)]) == 0
    text = svg.read_text(encoding="utf-8")
    width = re.search(r'<svg[^>]* width="([\d.]+)pt"', text)
    assert width and float(width[1]) == 720  # 25.4 cm are ten inches
    assert "My own figure" in text and "DejaVu Serif" in text
    assert struct.unpack(">I", png.read_bytes()[16:20]) == (3000,)  # at 300 dots an inch


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--size", "wide", "-o", "a.svg"), "--size: expected a width in centimetres from 2 to 200, got 'wide'"),
        (("--size", "16", "-o", "a.pdf"), "--size works only for .svg and .png"),
        (("--font", "No Such", "-o", "a.png"), "the font 'No Such' is not installed"),
        (("--font", "DejaVu Serif", "-o", "a.tex"), "the font of a .tex file is that of the document around it"),
    ],
)
def test_what_cannot_be_had_is_refused(
    words: tuple[str, ...],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([*PLOT, *words]) == 2
    assert message in capsys.readouterr().err and not list(tmp_path.iterdir())


def test_a_title_holds_what_every_reader_takes(tmp_path: Path) -> None:
    out = tmp_path / "a.svg"
    assert main([*PLOT, "--title", "a\x01b <b> & \n two", "-o", str(out)]) == 0
    root = ElementTree.fromstring(out.read_bytes())
    assert root[0].text == "a b <b> & two"


def test_operations_and_chips_of_one_figure_are_all_named(tmp_path: Path) -> None:
    """Operations with the same name are labelled as they were typed, and an einsum has the name in `--name`."""
    both = tmp_path / "both.svg"
    words = ("--kind", "threshold", "--for", "B", "--across", "D", "--at", "F=D")
    assert main(["plot", "matmul", "matmul:int8", *PLOT[2:4], *words, "-o", str(both)]) == 0
    assert {"matmul", "matmul:int8"} <= texts(both)
    chips, ach = ("--chip", "tpu-v5e", "--chip", "h100-sxm"), tmp_path / "achieved.svg"
    at = ("--kind", "achieved", "--for", "B", "--at", "D=4096,F=4096")
    assert main(["plot", "matmul", *chips, *at, "-o", str(ach)]) == 0
    assert {"TPU v5e", "H100 SXM5 80GB"} <= texts(ach) and any("272.55" in each for each in texts(ach))
    named = tmp_path / "named.svg"
    einsum = "x:bf16[B,D], w:bf16[D,F] -> y:bf16[B,F]"
    assert main(["plot", einsum, "--name", "my product", *PLOT[2:], "-o", str(named)]) == 0
    assert any("my product" in each for each in texts(named))


def texts(path: Path) -> set[str]:
    root = ElementTree.parse(path).getroot()
    return {"".join(each.itertext()) for each in root.iter() if each.tag.endswith("text")}
