"""Proofs line by line for the eye: words, places, widths; no line is wider than a slide, by an estimate and by TeX."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator

import pytest

from roofproof import op, threshold
from roofproof.cli import main
from roofproof.errors import RoofproofError
from roofproof.export.explain.threshold import explain
from roofproof.export.latex.compiling import compiled
from roofproof.export.naming import MOST, expressions, named, size, sums
from roofproof.export.outline import outline, step_sections
from roofproof.export.slides.fitting import Style, fitted_steps
from roofproof.export.slides.model import Deck, Display, Math
from roofproof.export.slides.steps import HEAD, SLIDE, step_blocks, wide
from roofproof.export.slides.terms import SlideWords
from roofproof.export.slides.writing import beamer
from roofproof.ops import entries

LONG = {"prefill", "generate", "decode-step", "training-step"}
NAMES = [name for name in entries() if name not in LONG and "convolution" not in name][::2]
MATMUL = """\
the threshold, step by step
  B*D*F/(B*D + B*F + D*F) > R              computing takes longer
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
  B*D*F/(B*D + B*F + D*F) > R              计算所需时间更长
  <=> B*D*F > R*(B*D + B*F + D*F)          两边乘以 B*D + B*F + D*F > 0
  <=> B*(D*F - R*(D + F)) > R*D*F          把含 B 的项移到一边
  情形 1/D + 1/F < 1/R：
  <=> B > R*D*F/(D*F - R*(D + F))          两边除以 D*F - R*(D + F) > 0
  情形 1/D + 1/F >= 1/R：
  B*(D*F - R*(D + F)) <= 0 且 R*D*F > 0    此情形下的符号
  <=> 永不                                 由上述符号得出
"""


def displays(name: str, lang: str) -> Iterator[Display]:
    for s in op(name).dims:
        try:
            found = threshold(op(name), None, s.name)
        except RoofproofError:
            return
        for section in (each for each in step_sections(found) if each.key != "steps-limit"):  # as on slides
            yield from step_blocks(Style(op(name), lang), SlideWords(lang), section)


@pytest.mark.sampled(7)
@pytest.mark.parametrize("name", NAMES)
def test_no_line_is_wider_than_a_slide(name: str) -> None:
    assert all(wide(block) <= SLIDE for lang in ("en", "zh") for block in displays(name, lang))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("name", ["spmm", "sliding-window-attention"])
def test_every_name_for_short_is_told_on_its_slide(name: str, lang: str) -> None:
    """Those in the condition of a case, too, which stands as text."""
    blocks = list(displays(name, lang))
    assert any(line.startswith(HEAD) for block in blocks for line in block.lines)
    for block in blocks:
        formulas = [*block.lines, *(p.tex for why in block.reasons for p in why if isinstance(p, Math))]
        told = {found[1] for line in block.lines if (found := re.match(r"&\\qquad ([A-Z]) = ", line))}
        used = set(re.findall("[A-Z]", re.sub(r"\\[A-Za-z]+", " ", " ".join(formulas))))
        assert used - {s.name for s in op(name).dims} - {"R"} == told


@pytest.mark.slow
@pytest.mark.tex
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_tex_agrees_that_no_display_is_wider_than_a_slide(lang: str) -> None:
    if shutil.which("xelatex") is None:
        pytest.skip("NOT COMPILED: xelatex is not installed; see .ci/run for the packages")
    blocks = [b for name in ("matmul", "attention", "spmv", "sharded-matmul", "mixture-of-experts")
              for b in displays(name, lang)]  # fmt: skip
    text = beamer(Deck(("T",), (), lang, ()))
    body = "".join(f"\\setbox0\\hbox{{$\\displaystyle\\begin{{aligned}}{shown(b)}\\end{{aligned}}$}}"
                   "\\typeout{WIDE \\the\\wd0\\space of \\the\\textwidth}\n" for b in blocks)  # fmt: skip
    _, log = compiled(text.replace("\\end{document}", f"\\begin{{frame}}{body}\\end{{frame}}\\end{{document}}"))
    found = re.findall(r"WIDE ([\d.]+)pt *of ([\d.]+)pt", log)
    assert len(found) >= len(blocks)
    assert all(float(wide) <= float(whole) for wide, whole in found), found


def shown(block: Display) -> str:
    pairs = zip(block.lines, block.reasons, strict=True)
    return r"\\".join(
        rf"{line}&&\text{{\small {''.join(f'${p.tex}$' if isinstance(p, Math) else str(p) for p in why)}}}"
        for line, why in pairs
    )


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
    assert capsys.readouterr().err == "roofproof: --steps goes with --for: name the dimension to solve for\n"


def test_the_reason_of_a_line_has_its_formulas() -> None:
    [_, section] = step_sections(threshold(op("matmul"), None, "B"))
    shown, _ = fitted_steps(Style(op("matmul"), "en"), section.rows, 20, 12)
    assert shown[1].why == ((False, "multiply by "), (True, "BD + DF + BF > 0"))
