"""What every format tells of the right answer: its formula, the derivation behind it, and what a slip is."""

from __future__ import annotations

import sympy

from roofproof.claims.answers.feedback import solution
from roofproof.claims.answers.question import SOLVED, Key
from roofproof.derive.inequalities.cases import bounds
from roofproof.export.latex.conditions import threshold as threshold_tex
from roofproof.export.latex.expressions import latex
from roofproof.export.outline import outline
from roofproof.export.text.slips import slip_said
from roofproof.export.text.solution import rendered
from roofproof.export.words.catalogue import Catalogue
from roofproof.proofs import ProvedThreshold, threshold
from roofproof.teach import Variant
from roofproof.teach.distractors import Distractor


def proved(variant: Variant) -> ProvedThreshold | None:
    """Return the proved threshold behind the key, where one is asked for."""
    asked = variant.asked
    if asked.unknown is None:
        return None
    return threshold(asked.op, asked.chip, asked.unknown, asked.at, asked.regime, share=asked.kept)


def worked(variant: Variant, lang: str) -> str:
    """Return the derivation behind the key as plain text."""
    asked = variant.asked
    return rendered(
        outline(asked.op, asked.chip, proved(variant), asked.at, steps=True), Catalogue(lang, "text", "steps")
    )


def exact(variant: Variant) -> str:
    """Return the key without rounding, "" where it was not rounded."""
    said = solution(variant.asked)
    return "" if said == variant.key or variant.asked.asks == "time" else said


def formula(key: Key, variant: Variant, inline: bool = False) -> str:
    """Return an answer as a formula in TeX, "" for a word or a number; `inline` has no fractions."""
    if key.value is not None and key.value.free_symbols:
        return latex(key.value, inline=inline)
    if variant.asked.asks in SOLVED and key.there is not None and any(b.free_symbols for b in bounds(key.there)):
        return threshold_tex(sympy.Symbol(variant.asked.unknown), key.there, inline=inline)
    return ""


def why(wrong: Distractor, lang: str) -> str:
    """Return the slip behind a wrong answer as a sentence, "" where it is only the other word."""
    return slip_said(wrong.slip, lang, wrong.about) if wrong.slip else ""
