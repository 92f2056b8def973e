"""What every format tells of the right answer: its formula, the derivation behind it, and what a slip is."""

from __future__ import annotations

import sympy

from roofproof.claims.answers.feedback import solution
from roofproof.claims.answers.question import SOLVED, Key
from roofproof.derive.inequalities.cases import bounds
from roofproof.export.latex.conditions import threshold as threshold_tex
from roofproof.export.latex.expressions import latex
from roofproof.export.text.slips import slip_said
from roofproof.export.worked import shown, two_hints, worked_text
from roofproof.formula.logarithm import exp2
from roofproof.teach import Variant
from roofproof.teach.distractors import Distractor
from roofproof.teach.formulas import TexFormula
from roofproof.teach.written import Written


def worked(variant: Variant, lang: str) -> str:
    """Return the derivation of the question asked as plain text."""
    return worked_text(variant.asked, lang)


def hints(variant: Variant, lang: str) -> tuple[Written, ...]:
    """Return the hints of a variant, two at least."""
    own = variant.written_hints(lang)
    if len(own) > 1:
        return own
    plan, begun = two_hints(variant.asked, lang)
    first, *rest = shown(variant.asked, lang)
    before, line, after = begun.partition(first.text) if rest else (begun, "", "")
    tex = TexFormula(f"{first.left} {first.sign} {first.right}".strip())
    return ((plan,), (before, *((tex, after) if line else ())), *own)[-2:]


def exact(variant: Variant) -> str:
    """Return the key without rounding, "" where it was not rounded."""
    said = solution(variant.asked).replace("2**", "2^")
    return "" if said == variant.key or variant.asked.asks == "time" else said


def formula(key: Key, variant: Variant, inline: bool = False) -> str:
    """Return an answer as a formula in TeX, "" for a word or a number; `inline` has no fractions."""
    if key.value is not None and key.value.free_symbols:
        return latex(key.value, inline=inline)
    ends = bounds(key.there) if variant.asked.asks in SOLVED and key.there is not None else ()
    if key.there is not None and any(b.free_symbols or b.has(exp2) for b in ends):
        return threshold_tex(sympy.Symbol(variant.asked.unknown), key.there, inline=inline)
    return ""


def why(wrong: Distractor, lang: str) -> str:
    """Return the slip behind a wrong answer as a sentence, "" where it is only the other word."""
    return slip_said(wrong.slip, lang, wrong.about) if wrong.slip else ""
