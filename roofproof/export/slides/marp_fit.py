"""How much room a slide of Marp takes, which shrinks nothing by itself: the size of its letters is chosen before."""

import re
from collections.abc import Iterable
from math import ceil

from roofproof.export.latex.measure import width
from roofproof.export.slides.model import Block, Bullets, Code, Display, Frame, Inline, Math, Picture, Table, Text

SIZES = (29, 26, 23, 20, 18, 16, 14)  # of letters, in CSS pixels: the first is that of the default theme
HIGH, WIDE = 565, 1140  # pixels that a slide of 1280 by 720 leaves below its title and between its margins
DRAWN = 520  # pixels of a figure
LINE, TALL = 1.55, 3.3  # em of a line of text, and of a line with a fraction as high as on display
MATH = 1.13  # of the letters around it, which MathJax makes larger
CELL = 0.75  # em around what stands in a cell, above and below; and 1.2 to the left and right


def size(frame: Frame) -> int:
    """Return the size of letters, in pixels, at which a slide holds what it shows.

    >>> size(Frame(("A",), (Text(("One line",)),))), size(Frame(("A",), (Bullets((("a",),) * 20),)))
    (29, 14)
    """
    return next((s for s in SIZES if _high(frame, s) <= HIGH and _wide(frame, s) <= WIDE), SIZES[-1])


def _high(frame: Frame, size: int) -> float:
    return sum(DRAWN if isinstance(block, Picture) else size * _em(block, WIDE / size) for block in frame.blocks)


def _wide(frame: Frame, size: int) -> float:
    """Return the widest of what cannot be broken: formulas on display, and the words of a table."""
    found = [0.0]
    for block in frame.blocks:
        if isinstance(block, Display):
            found.append(MATH * (max(map(width, block.lines)) + max((length(r) for r in block.reasons), default=0) + 2))
        if isinstance(block, Table):
            found.append(sum(_columns(block)) * 0.8)  # the rest is broken into two lines
    return size * max(found)


def _em(block: Block, room: float) -> float:
    match block:
        case Text(words):
            return _lines(words, room) + 0.8
        case Bullets(items):
            return sum(_lines(item, room - 2) + 0.25 for item in items) + 0.8
        case Display(lines):
            return MATH * sum(row_height(line) for line in lines) + 1.2
        case Table(header, rows):
            broken = sum(_columns(block)) > room
            return sum(_row(cells, broken) for cells in (header, *rows)) + 0.8
    return 0.0


def _row(cells: Iterable[Inline], broken: bool) -> float:
    tall = any(isinstance(part, Math) and "displaystyle" in part.tex for cell in cells for part in cell)
    return CELL + (TALL * MATH if tall else LINE * (1 + broken))


def row_height(line: str) -> float:
    """Return the height of a formula on display, in em: the rows of its cases, or one that may hold a fraction."""
    if r"\begin{cases}" in line:
        return sum(2.6 if "frac" in row else 1.5 for row in line.split(r"\\"))
    return 2.6 if re.search(r"\\d?frac", line) else 1.7


def _columns(table: Table) -> list[float]:
    cells = zip(*(table.header, *table.rows), strict=True)
    return [max(map(length, column)) + 1.2 for column in cells]


def _lines(words: Inline, room: float) -> float:
    tall = any(isinstance(part, Math) and "displaystyle" in part.tex for part in words)
    return LINE * ceil(length(words) / room) if not tall else TALL


def length(words: Inline) -> float:
    """Return the width of a sentence, in em."""
    return sum(MATH * width(p.tex) if isinstance(p, Math) else _letters(p.text if isinstance(p, Code) else p)
               for p in words)  # fmt: skip


def _letters(text: str) -> float:
    return sum(1.0 if "\u2e80" <= c <= "\uffef" else 0.58 for c in text)
