"""Step-by-step proofs as displayed: wording, layout, and lines no wider than a slide, by an estimate and by TeX."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator

import pytest
from tex_log import faults

from roofproof import chip, op, threshold
from roofproof.cli import main
from roofproof.errors import RoofproofError
from roofproof.export.explain.slides import LINES
from roofproof.export.explain.threshold import explain
from roofproof.export.latex.compiling import compiled
from roofproof.export.naming import MOST, expressions, named, size, sums
from roofproof.export.outline import outline
from roofproof.export.slides.beamer import beamer
from roofproof.export.slides.decks import deck
from roofproof.export.slides.model import Deck, Display, Frame, Math
from roofproof.export.slides.tex import input_tex
from roofproof.ops import entries

LONG = {"prefill", "generate", "decode-step", "training-step"}
NAMES = [name for name in entries() if name not in LONG and "convolution" not in name][::2]
MATMUL = """\
the threshold, step by step
  B*D*F/(B*D + B*F + D*F) > R              the intensity exceeds the ridge point
  <=> B*D*F > R*(B*D + B*F + D*F)          multiply by B*D + B*F + D*F > 0
  <=> B*(D*F - R*(D + F)) > R*D*F          collect B
  case 1/D + 1/F < 1/R:
  <=> B > R*D*F/(D*F - R*(D + F))          divide by D*F - R*(D + F) > 0
  case 1/D + 1/F >= 1/R:
  B*(D*F - R*(D + F)) <= 0 and R*D*F > 0   the signs in this case
  <=> never                                by these signs
"""
ZH = """\
临界值：逐步推导
  B*D*F/(B*D + B*F + D*F) > R              算术强度高于临界强度
  <=> B*D*F > R*(B*D + B*F + D*F)          两边乘以 B*D + B*F + D*F > 0
  <=> B*(D*F - R*(D + F)) > R*D*F          把含 B 的项移到一边
  情形 1/D + 1/F < 1/R：
  <=> B > R*D*F/(D*F - R*(D + F))          两边除以 D*F - R*(D + F) > 0
  情形 1/D + 1/F >= 1/R：
  B*(D*F - R*(D + F)) <= 0 且 R*D*F > 0    此情形下的符号
  <=> 永不                                 由上述符号得出
"""


def proofs(name: str, lang: str) -> Iterator[Display]:
    """Yield the displays of the proofs on the slides of an operation."""
    try:
        frames = deck([(name, op(name))], [chip("h100-sxm")], lang).frames
    except RoofproofError:
        return
    yield from (b for f in frames if f.part in ("limit", "steps") for b in f.blocks if isinstance(b, Display))


@pytest.mark.sampled(7)
@pytest.mark.parametrize("name", NAMES)
def test_no_slide_has_more_lines_than_it_has_room_for(name: str) -> None:
    assert all(len(block.lines) <= 2 * LINES for lang in ("en", "zh") for block in proofs(name, lang))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("name", ["spmm", "sliding-window-attention", "mixture-of-experts"])
def test_every_name_for_short_is_told_on_its_slide_before_it_is_used(name: str, lang: str) -> None:
    for block in proofs(name, lang):
        told: set[str] = set()
        for line, why in zip(block.lines, block.reasons or ((),) * len(block.lines), strict=True):
            if found := re.match(r"& ([A-Z]) = ", line):
                told.add(found[1])
            formulas = " ".join([line, *(p.tex for p in why if isinstance(p, Math))])
            used = set(re.findall("[A-Z]", re.sub(r"\\(?:text\{[^{}]*\}|[A-Za-z]+)", " ", formulas)))
            assert used - {s.name for s in op(name).dims} - {"R", "I", "M"} <= told


@pytest.mark.slow
@pytest.mark.tex
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_tex_breaks_what_is_wider_than_a_slide(lang: str) -> None:
    if shutil.which("xelatex") is None:
        pytest.skip("NOT COMPILED: xelatex is not installed; see .ci/run for the packages")
    wide = input_tex("I &= " + " + ".join(["2BD"] * 40))
    frame = Frame(("A",), (Display((wide,), (("by hand " * 30,),), derived=True),))
    _, log = compiled(beamer(Deck(("T",), (), lang, (frame,))))
    assert faults(log) == []


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", NAMES[::3])
def test_no_line_of_a_document_is_wider_than_its_page(name: str) -> None:
    for s in op(name).dims:
        try:
            found = threshold(op(name), None, s.name)
        except RoofproofError:
            return
        doc = named(explain(outline(op(name), None, found, {}, steps=True)))
        rows = [row for each in doc.sections if "step by step" in each.heading.form for row in each.rows]
        assert all(size(e) <= MOST or not sums(e) for e in expressions(rows))


@pytest.mark.parametrize(("lang", "lines"), [("en", MATMUL), ("zh", ZH)])
def test_matmul_line_by_line(lang: str, lines: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["derive", "matmul", "--for", "B", "--steps", "--lang", lang]) == 0
    shown = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    wanted = [" ".join(line.split()) for line in lines.splitlines()]
    place = shown.index(wanted[0])
    assert shown[place : place + len(wanted)] == wanted


def test_json_has_each_line_with_its_reason(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["derive", "matmul", "--for", "B", "--steps", "--json"]) == 0
    _, found = json.loads(capsys.readouterr().out)["steps"]
    assert found["lines"][1] == {
        "says": "B*D*F > R*(B*D + B*F + D*F)", "link": "<=>", "reason": "times", "by": ["B*D + B*F + D*F"],
        "claims": [
            "B*D + B*F + D*F > 0",
            "B*D*F = (B*D + B*F + D*F)*((B*D*F)/(B*D + B*F + D*F))",
            "R*(B*D + B*F + D*F) = (B*D + B*F + D*F)*R",
        ],
        "trust": "kernel",
    }  # fmt: skip
    assert [case["when"] for case in found["cases"]] == ["1/F + 1/D < 1/R", "1/F + 1/D >= 1/R"]


def test_steps_need_a_dimension_to_solve_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["derive", "matmul", "--steps"]) == 2
    assert capsys.readouterr().err == "roofproof: --steps requires --for\n"
