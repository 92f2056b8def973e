"""The parts of a solution that all formats share: hints, the exact answer, its formula, and the mistakes."""

from __future__ import annotations

import sympy

from roofproof.claims.answers.feedback import solution
from roofproof.claims.answers.question import SOLVED, Key
from roofproof.derive.inequalities.cases import bounds
from roofproof.export.doc import Inline, TextOrTypeset, say
from roofproof.export.explain.mistakes import mistake_phrase
from roofproof.export.explain.worked import hinted
from roofproof.export.latex.conditions import threshold as threshold_tex
from roofproof.export.latex.expressions import latex
from roofproof.export.latex.leaves import Style, pieces
from roofproof.export.to_text import inline_text
from roofproof.formula.logarithm import exp2
from roofproof.teach import Variant
from roofproof.teach.distractors import Distractor
from roofproof.teach.formulas import TexFormula
from roofproof.teach.marked_text import MarkedText


def hints(variant: Variant, lang: str) -> tuple[MarkedText, ...]:
    """Return the hints of a variant, at least two."""
    told = hinted(tuple(map(TextOrTypeset, variant.hints(lang), variant.marked_hints(lang))), variant.asked)
    return tuple(each.typeset if isinstance(each, TextOrTypeset) else _written(each, lang) for each in told)


def _written(said: Inline, lang: str) -> MarkedText:
    return tuple(TexFormula(text) if is_formula else text for is_formula, text in pieces(said, Style(lang)))


def exact(variant: Variant) -> str:
    """Return the key without rounding, or "" if it was not rounded."""
    said = solution(variant.asked)
    alike = said == variant.key or variant.asked.asks == "time"
    return "" if alike else said


def formula(key: Key, variant: Variant, inline: bool = False) -> str:
    """Return an answer as a formula in TeX, or "" for a word or a number. With `inline`, fractions have slashes."""
    if key.value is not None and key.value.free_symbols:
        return latex(key.value, inline=inline)
    ends = bounds(key.allowed_threshold) if variant.asked.asks in SOLVED and key.allowed_threshold is not None else ()
    if key.allowed_threshold is not None and any(b.free_symbols or b.has(exp2) for b in ends):
        return threshold_tex(sympy.Symbol(variant.asked.unknown), key.allowed_threshold, inline=inline)
    return ""


def why(wrong: Distractor, lang: str) -> str:
    """Return the mistake behind a wrong answer, or both mistakes if either gives it, or "" for the other word."""
    if not wrong.slip:
        return ""
    said = mistake_phrase(wrong.slip, wrong.about)
    if wrong.other:
        said = say("<first>; or <second>", first=said, second=mistake_phrase(wrong.other))
    return inline_text(said, lang)
