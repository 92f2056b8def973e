"""Parts of a deck for use elsewhere: frames under another preamble, and single tables, figures and formulas."""

import re
import shutil
from functools import cache
from pathlib import Path

import pytest
from set_out import derivation

from roofproof import chip, op, threshold
from roofproof.errors import RoofproofError
from roofproof.export.latex.compiling import compiled
from roofproof.export.slides.beamer import frames, write_pieces
from roofproof.export.slides.decks import deck
from roofproof.export.slides.model import Deck, Display, Table

FOREIGN = r"""\documentclass[10pt]{beamer}
\usetheme{Warsaw}
\usepackage{pgfplots}
\definecolor{key}{RGB}{0,120,0}
\begin{document}
\begin{frame}{Mine}x\end{frame}
%s
\end{document}
"""
MINE = r"""\documentclass{beamer}
\usepackage{adjustbox,amsmath,array,booktabs,longtable,siunitx}
\begin{document}
%s
\end{document}
"""


@cache
def made() -> Deck:
    return deck([("matmul", op("matmul"))], [chip("tpu-v5e")])


def test_frames_bring_what_they_need() -> None:
    text = frames(made())
    assert text.count(r"\begin{frame}") == text.count(r"\end{frame}") == len(made().frames)
    assert not re.search(r"\\(?:documentclass|usepackage\b(?!\{pgfplots))|adjustbox|begin\{document", text)


@pytest.mark.slow
@pytest.mark.tex
def test_frames_stand_in_a_foreign_preamble_and_nothing_sticks_out() -> None:
    if shutil.which("pdflatex") is None:
        pytest.skip("NOT COMPILED: TeX is not installed")
    pdf, log = compiled(FOREIGN % frames(made()))
    assert pdf.startswith(b"%PDF")
    assert not re.findall(r"^Overfull", log, re.M)


@pytest.mark.slow
@pytest.mark.tex
@pytest.mark.parametrize(("name", "unknown"), [("matmul", "B"), ("transformer-layer", "L")])
def test_a_derivation_stands_in_the_frames_of_a_foreign_deck(name: str, unknown: str) -> None:
    h100 = chip("h100-sxm")
    text = derivation(op(name), h100, threshold(op(name), h100, unknown), frames=True)
    assert text.count(r"\begin{frame}") == text.count(r"\end{frame}") >= 4 and r"\subsection" not in text
    if shutil.which("pdflatex") is None:
        pytest.skip("NOT COMPILED: TeX is not installed")
    _, log = compiled(MINE % text)
    assert not re.findall(r"^Overfull", log, re.M)


def test_tables_and_formulas_are_written_one_by_one(tmp_path: Path) -> None:
    blocks = [block for frame in made().frames for block in frame.blocks]
    for part, kind, begin in (("table", Table, r"\begin{tabular}"), ("formula", Display, r"\[\begin{aligned}")):
        count = sum(isinstance(block, kind) for block in blocks)
        assert write_pieces(made(), str(tmp_path / f"{part}.tex"), part) == count > 1
        for n in range(1, count + 1):
            assert (tmp_path / f"{part}-{n}.tex").read_text(encoding="utf-8").startswith(begin)
    with pytest.raises(RoofproofError, match=r"expected a name that ends in \.tex$"):
        write_pieces(made(), "a.md", "formula")
