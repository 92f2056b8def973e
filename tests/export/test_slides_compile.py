"""Decks compile unchanged: every operation in English and some in Chinese, without overfull boxes or missing glyphs."""

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
from roofproof.export.latex.compiling import compiled, engine_for
from roofproof.export.slides.beamer import beamer
from roofproof.export.slides.decks import deck
from roofproof.export.slides.markdown import markdown
from roofproof.export.slides.model import Deck, Frame, Picture

from test_slides import HOSTILE  # isort: skip

pytestmark = pytest.mark.tex

DRAWN = ("matmul", "add", "fsdp-tensor-parallel", "transformer-layer", "fft")  # TeX is slow with figures
CHINESE = ("matmul", "dot", "embedding", "split-matmul", "fft", "mixture-of-experts", "spmv")


def typeset(text: str) -> tuple[bytes, str]:
    """Return the PDF and the log of a deck, or skip the test without TeX."""
    if shutil.which(engine_for(text)) is None:
        pytest.skip(f"NOT COMPILED: {engine_for(text)} is not installed; see .ci/run for the packages")
    return compiled(text)


def check(text: str) -> None:
    """Compile a deck, and fail on overfull boxes and missing glyphs."""
    pdf, log = typeset(text)
    assert pdf.startswith(b"%PDF")
    assert faults(log) == []


@cache
def frames_of(name: str) -> tuple[Frame, ...]:
    return next(deck([(each.name, each.op)], [each.chip]).frames for each in worked() if each.name == name)


def some(part: int) -> tuple[str, ...]:
    """Return the name of every `part`-th operation, and the names of those with a figure."""
    names = [each.name for each in worked()]
    assert len(names) > 50
    return tuple(n for k, n in enumerate(names) if k % part == part // 2 or n in DRAWN)


def written(lang: str, frames: tuple[Frame, ...]) -> str:
    return beamer(Deck(("A & B",), ("50 %",), lang, frames))


def is_drawn(frame: Frame) -> bool:
    return any(isinstance(block, Picture) for block in frame.blocks)


PARTS = pytest.mark.parametrize("part", [8, pytest.param(1, marks=pytest.mark.long)])


@pytest.mark.slow
@PARTS
def test_operations_of_the_library(part: int) -> None:
    frames = [f for name in some(part) for f in frames_of(name) if name in DRAWN or not is_drawn(f)]
    assert len(frames) > 500 / part
    check(written("en", tuple(frames)))


@pytest.mark.slow
def test_some_operations_in_chinese() -> None:
    frames = [
        f for each in worked() if each.name in CHINESE for f in deck([(each.name, each.op)], [each.chip], "zh").frames
    ]
    assert len(frames) > 50
    check(written("zh", tuple(frames)))


@pytest.mark.slow
def test_many_chips_and_hostile_names() -> None:
    chips = [chip(name) for name in ("tpu-v5e", "tpu-v6e", "h100-sxm", "a100-40gb", "v100-sxm2-32gb", "a10")]
    hostile = replace(chip("tpu-v5e"), name="mine", title=HOSTILE)
    found = deck([("matmul", op("matmul")), (HOSTILE, op("bf16[B,D], int8[D,F] -> bf16[B,F]"))], [*chips, hostile])
    check(beamer(found))


@pytest.mark.slow
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_letters_of_formulas_come_from_the_fonts_of_mathematics(lang: str) -> None:
    """Otherwise Beamer takes them from a text font in XeTeX, in which an I touches the bar next to it."""
    begin = r"\begin{document}"
    text = written(lang, ()).replace(begin, begin + r"\typeout{I has the code \number\mathcode`I.}")
    assert f"I has the code {0x7100 + ord('I')}." in typeset(text)[1]


@pytest.mark.slow
def test_a_slide_that_is_too_full_is_not_passed() -> None:
    with pytest.raises(AssertionError, match="Overfull"):
        check(written("en", frames_of("matmul")).replace(r"\whole{", r"\rule{1pt}{\paperheight}\whole{", 1))


@pytest.mark.slow
@PARTS
def test_every_formula_of_the_markdown_parses_in_katex(katex: Looked, part: int) -> None:
    formulas = []
    for name in some(part):
        text = markdown("paper.md.j2", Deck(("T",), (), "en", frames_of(name)), lambda block: "", spoken=False)
        plain = re.sub(r"`[^`\n]*`", "", text)
        shown = re.findall(r"^\$\$\n(.*?)\n\$\$$", plain, re.MULTILINE | re.DOTALL)
        inline = re.findall(r"(?<![\\$])\$([^$\n]+)\$", re.sub(r"\$\$\n.*?\n\$\$", "", plain, flags=re.DOTALL))
        formulas += [*shown, *inline]
    assert len(formulas) > 1500 / part
    assert katex(sorted(set(formulas))) == []
