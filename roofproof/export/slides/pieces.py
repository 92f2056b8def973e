"""Parts of a deck for somebody's own: frames for any preamble, and the figures, formulas and tables one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from roofproof.errors import RoofproofError
from roofproof.export.files import checked_ending, write_together
from roofproof.export.slides.images import Image, images
from roofproof.export.slides.model import Deck, Display, Inline, Picture, Table
from roofproof.export.slides.writing import frames, tex_words

Piece = TypeVar("Piece", Picture, Display, Table)
DRAWN = (".tex", ".svg", ".png", ".pdf")  # of figures; all else is .tex


def write_pieces(deck: Deck, path: str, part: str) -> int:
    """Write the frames of a deck, or each of its figures, formulas or tables, and return how many files that were.

    Where there are several, each has its number at the end of its name. Raises RoofproofError for a name that ends in
    something else, where there is none of them, and for TeX or matplotlib where they are needed.
    """
    ending = checked_ending(path, DRAWN if part == "figure" else (".tex",))
    if part == "frames":
        from roofproof.export.latex.compiling import write_document

        write_document(path, frames(deck), images(deck))
        return 1
    made: list[str | bytes]
    if part == "figure":
        every = [each for each in (block.make() for block in _of(deck, Picture)) if not isinstance(each, Image)]
        made = [each.pgfplots() + "\n" if ending == ".tex" else each.drawn(ending[1:]) for each in every]
    elif part == "table":
        made = [tabular(block) for block in _of(deck, Table)]
    else:
        made = [displayed(block) + "\n" for block in _of(deck, Display)]
    if not made:
        raise RoofproofError("there is no <part> in this deck", part=part)
    stem = path[: -len(ending)]
    names = [path] if len(made) == 1 else [f"{stem}-{n}{ending}" for n in range(1, len(made) + 1)]
    write_together(dict(zip(names, made, strict=True)))
    return len(made)


def _of(deck: Deck, kind: type[Piece]) -> Iterator[Piece]:
    return (block for frame in deck.frames for block in frame.blocks if isinstance(block, kind))


def displayed(block: Display) -> str:
    r"""Return formulas as one display that stands in any document with amsmath.

    >>> from roofproof.export.slides.tex import Tex
    >>> print(displayed(Display((Tex("I &> R"), Tex("B &> 240")), ((), ("by ", "hand")))))
    \[\begin{aligned}
    I &> R \\
    B &> 240 && \text{by hand}
    \end{aligned}\]
    """
    reasons: Sequence[Inline] = block.reasons or ((),) * len(block.lines)
    rows = (
        f"{line} && \\text{{{tex_words(why)}}}" if why else line for line, why in zip(block.lines, reasons, strict=True)
    )
    return "\\[\\begin{aligned}\n" + " \\\\\n".join(rows) + "\n\\end{aligned}\\]"


def tabular(block: Table) -> str:
    r"""Return a table for a document with booktabs.

    >>> print(tabular(Table((("chip",), ("R",)), ((("v5e",), ("240",)),), "lr")))
    \begin{tabular}{@{}lr@{}}
    \toprule
    chip & R \\
    \midrule
    v5e & 240 \\
    \bottomrule
    \end{tabular}
    <BLANKLINE>
    """
    head, *rows = (" & ".join(map(tex_words, row)) + r" \\" for row in (block.header, *block.rows))
    if block.total:
        rows.insert(-1, r"\midrule")
    lines = [rf"\begin{{tabular}}{{@{{}}{block.align}@{{}}}}", r"\toprule", head, r"\midrule", *rows, r"\bottomrule"]
    return "\n".join([*lines, r"\end{tabular}"]) + "\n"
