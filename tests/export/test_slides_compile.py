"""Decks compile as they are: every operation in English, some in Chinese; nothing sticks out, no glyph is missing."""

import re
import shutil
from dataclasses import replace
from functools import cache

import pytest
from test_latex_katex import Looked
from test_latex_katex import katex as katex  # a fixture
from tex_log import faults
from typeset_all import worked

from roofproof import chip, op
from roofproof.export.latex.compiling import compiled
from roofproof.export.slides.decks import deck
from roofproof.export.slides.model import Deck, Frame, Picture
from roofproof.export.slides.writing import beamer, marp

from test_slides import HOSTILE  # isort: skip

pytestmark = pytest.mark.tex

DRAWN = ("matmul", "add", "fsdp-tensor-parallel", "transformer-layer", "fft")  # figures take TeX long
CHINESE = ("matmul", "dot", "embedding", "split-matmul", "fft", "mixture-of-experts", "spmv")


def check(text: str) -> None:
    """Compile a deck and fail on what sticks out of a slide or is missing."""
    engine = "xelatex" if "program = xelatex" in text else "pdflatex"
    if shutil.which(engine) is None:
        pytest.skip(f"NOT COMPILED: {engine} is not installed; see .ci/run for the packages")
    pdf, log = compiled(text)
    assert pdf.startswith(b"%PDF")
    assert faults(log) == []


@cache
def every() -> tuple[tuple[str, tuple[Frame, ...]], ...]:
    return tuple((each.name, deck([(each.name, each.op)], [each.chip]).frames) for each in worked())


def written(lang: str, frames: tuple[Frame, ...]) -> str:
    return beamer(Deck(("A & B",), ("50 %",), lang, frames))


def is_drawn(frame: Frame) -> bool:
    return any(isinstance(block, Picture) for block in frame.blocks)


def test_every_operation_of_the_library() -> None:
    frames = [f for name, some in every() for f in some if name in DRAWN or not is_drawn(f)]
    assert len(every()) > 50 and len(frames) > 350
    check(written("en", tuple(frames)))


def test_some_operations_in_chinese() -> None:
    frames = [
        f for each in worked() if each.name in CHINESE for f in deck([(each.name, each.op)], [each.chip], "zh").frames
    ]
    assert len(frames) > 50
    check(written("zh", tuple(frames)))


def test_many_chips_and_hostile_names() -> None:
    chips = [chip(name) for name in ("tpu-v5e", "tpu-v6e", "h100-sxm", "a100-40gb", "v100-sxm2-32gb", "a10")]
    hostile = replace(chip("tpu-v5e"), name="mine", title=HOSTILE)
    found = deck([("matmul", op("matmul")), (HOSTILE, op("bf16[B,D], int8[D,F] -> bf16[B,F]"))], [*chips, hostile])
    check(beamer(found))


def test_a_slide_that_is_too_full_is_not_passed() -> None:
    with pytest.raises(AssertionError, match="Overfull"):
        check(written("en", every()[0][1]).replace(r"\begin{whole}", r"\rule{1pt}{\paperheight}\begin{whole}", 1))


def test_every_formula_of_the_markdown_parses_in_katex(katex: Looked) -> None:
    formulas = []
    for _, frames in every():
        text = marp(Deck(("T",), (), "en", frames), lambda block: "")
        plain = re.sub(r"`[^`\n]*`", "", text)
        shown = re.findall(r"^\$\$\n(.*?)\n\$\$$", plain, re.MULTILINE | re.DOTALL)
        inline = re.findall(r"(?<![\\$])\$([^$\n]+)\$", re.sub(r"\$\$\n.*?\n\$\$", "", plain, flags=re.DOTALL))
        formulas += [*shown, *inline]
    assert len(formulas) > 1500
    assert katex(sorted(set(formulas))) == []
