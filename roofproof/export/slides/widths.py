"""How wide and how high words and formulas are on a slide, as estimated, in em."""

import re

from roofproof.export.latex.measure import width
from roofproof.export.slides.model import Code, Inline, Math

MATH = 1.13  # of the letters around it, which a formula is larger than


def row_height(line: str) -> float:
    """Return the height of a formula on display, in em: the rows of its cases, or one that may hold a fraction."""
    if r"\begin{cases}" in line:
        return sum(2.6 if "frac" in row else 1.5 for row in line.split(r"\\"))
    return 2.6 if re.search(r"\\d?frac", line) else 1.7


def length(words: Inline) -> float:
    """Return the width of a sentence, in em."""
    return sum(MATH * width(p.tex) if isinstance(p, Math) else _letters(p.text if isinstance(p, Code) else p)
               for p in words)  # fmt: skip


def _letters(text: str) -> float:
    return sum(1.0 if "\u2e80" <= c <= "\uffef" else 0.58 for c in text)
