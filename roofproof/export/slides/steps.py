"""The lines of a proof on a slide: one display, a reason beside each line, a row for the condition of each case."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

import sympy

from roofproof.export.explain.steps import row_said
from roofproof.export.latex.expressions import latex
from roofproof.export.latex.layout import Definition
from roofproof.export.latex.leaves import approximately
from roofproof.export.latex.measure import width
from roofproof.export.outline import Section
from roofproof.export.slides.fitting import StepLine, Style, fitted_steps
from roofproof.export.slides.model import Code, Display, Inline, Math
from roofproof.export.slides.terms import SlideWords
from roofproof.export.slides.tex import tex_lines
from roofproof.export.to_text import inline_text
from roofproof.proofs.derivation import Derivation
from roofproof.proofs.steps.step import Reason
from roofproof.say import in_language
from roofproof.sentences import filled

LIMITS = ((18.0, 8.5), (15.0, 7.0), (12.0, 5.5), (9.0, 4.0))  # em of a formula in a line, and in a reason, in turn
SLIDE = 33.0  # em that a slide is wide, of the font of its formulas
SMALL, GAP = 0.9, 2.0  # size of reasons, and em before them
ROWS, MOST = 7, 9  # lines that a slide shows, and at most where they belong together
INDENT = r"\qquad"
COMMAND = r"\\text\{[^{}$]*\}|\\[A-Za-z]+"  # no letter of which is a name; a case has its formula in its text
LONG = re.compile(  # all that stands on a side, before its decimals
    r"(^|[<>=] |\\(?:approx|[gl]eq) )\\frac\{\d{3,}\}\{\d+\} (?:= |\\approx (?=\d*\.\d))"
)
HEAD = r"&\rlap{\text{"  # a case, which does not push the reasons to the right


def step_blocks(style: Style, words: SlideWords, section: Section) -> Iterator[Display]:
    """Yield the lines of a proof as displays of a slide each: cases are not torn; nothing where one has too many lines.

    >>> from roofproof import op, threshold
    >>> from roofproof.export.outline import step_sections
    >>> matmul = op("matmul")
    >>> [_, section] = step_sections(threshold(matmul, None, "B"))
    >>> block, never = step_blocks(Style(matmul, "en"), SlideWords("en"), section)
    >>> block.lines[2], block.reasons[2]                                   # B D F - R B D - R B F > R D F
    ('&\\\\iff B(DF - R(D + F)) > RDF', ('collect ', Math(tex='B')))
    """
    if not section.rows or section.rows[0].key == "untold":
        return
    proof = Derivation(tuple(k for row in section.rows for k in row.known))
    for formula, factor in LIMITS:
        shown, names = fitted_steps(style, section.rows, formula, factor)
        made: list[list[StepLine]] = [[]]
        for part in _parts(shown):
            if made[-1] and len(made[-1]) + len(part) > ROWS:
                made.append([])
            made[-1] += part
        blocks = [b for rows in made for b in _torn(style, words, proof, rows, names, formula)]
        if all(len(block.lines) <= MOST and wide(block) <= SLIDE for block in blocks):
            yield from blocks
            return


def untold(words: SlideWords, section: Section, command: Code) -> Inline:
    """Return why a proof is not on slides: it is not told line by line, or its lines do not fit.

    >>> words = SlideWords("en")
    >>> untold(words, Section("steps-threshold", ()), Code("roofproof derive matmul --for B"))[-1].text
    'roofproof derive matmul --for B --steps'
    """
    for row in section.rows:
        if row.key == "untold":
            return (inline_text(row_said(row).left, words.language),)
    return words(
        "<count> lines, too many or too wide for a slide; all of them: <command>",
        count=len(section.rows),
        command=Code(f"{command.text} --steps"),
    )


def wide(block: Display) -> float:
    """Return the width of a display, in em: its widest formula, and its widest reason beside it.

    >>> from roofproof.export.slides.tex import given
    >>> line = (given("&B > R"),)
    >>> wide(Display(line, (("by these signs",),))) > wide(Display(line, ((),)))
    True
    """
    rows = [width(line.replace("&", "")) for line in block.lines if not line.startswith(HEAD)]
    heads = [width(rf"\text{{{line.removeprefix(HEAD).removesuffix('}}')}}}")
             for line in block.lines if line.startswith(HEAD)]  # fmt: skip
    reasons = ["".join(f"${p.tex}$" if isinstance(p, Math) else str(p) for p in why) for why in block.reasons]
    beside = max((width(rf"\text{{{text}}}") for text in reasons if text), default=0)
    return max(max(rows, default=0) + (GAP + SMALL * beside if beside else 0), *heads, 0)


def _parts(shown: Sequence[StepLine]) -> Iterator[list[StepLine]]:
    """Yield what all cases share, and each case with its condition."""
    starts = [0, *(k for k, each in enumerate(shown) if each.step is None and k), len(shown)]
    yield from ([*shown[a:b]] for a, b in pairwise(starts))


def _torn(
    style: Style,
    words: SlideWords,
    proof: Derivation,
    rows: Sequence[StepLine],
    names: Sequence[Definition],
    limit: float,
) -> list[Display]:
    """Return lines as one display, or those of one case as two, where they are too many with what they abbreviate."""
    whole = _block(style, words, proof, rows, names, limit)
    if len(whole.lines) <= MOST or len(rows) < 4 or any(each.step is None for each in rows[1:]):
        return [whole]
    middle = (len(rows) + 1) // 2
    return [_block(style, words, proof, part, names, limit) for part in (rows[:middle], rows[middle:])]


def _block(
    style: Style,
    words: SlideWords,
    proof: Derivation,
    rows: Sequence[StepLine],
    names: Sequence[Definition],
    limit: float,
) -> Display:
    """Return lines of what a proof knows, with what the names in them stand for."""
    lines, reasons = [_line(style, each) for each in rows], [_reason(words, proof, each) for each in rows]
    for name, expression in reversed(names):
        tex = style.latex(name)
        told = [*lines, *(part.tex for why in reasons for part in why if isinstance(part, Math))]
        if any(re.search(rf"{re.escape(tex)}(?![_'])", re.sub(COMMAND, " ", line)) for line in told):
            first, *more = style.broken(expression, limit)
            lines += [rf"&{INDENT} {tex} = {first}", *(rf"&{INDENT} \quad {row}" for row in more)]
            reasons += [(in_language("for short", style.lang),), *(() for _ in more)]
    return Display(tex_lines(proof, lambda _: lines), tuple(reasons), derived=True)


def _line(style: Style, each: StepLine) -> str:
    if each.step is None:
        return rf"{HEAD}{filled(in_language('case <when>:', style.lang), {'when': f'${each.formula}$'})}}}}}"
    if figures := _long_figures(each):
        shown = (f"{style.latex(name)} {approximately(value)}" for name, value in figures)
        return rf"&{INDENT} {', '.join(shown)}"
    mark = each.mark or INDENT
    return f"&{mark} " + LONG.sub(r"\1", each.formula)


def _long_figures(each: StepLine) -> list[tuple[sympy.Basic, sympy.Expr]]:
    """Return the figures that a line puts in, where these are long fractions: it is they that are told then."""
    if each.step is None or each.step.reason != Reason.FIGURE or not each.step.linked:
        return []
    values = [*zip(each.step.by[::2], each.step.by[1::2], strict=True)]
    return values if any(LONG.match(f"{latex(value)} = ") for _, value in values) else []


def _reason(words: SlideWords, proof: Derivation, each: StepLine) -> Inline:
    if each.step is None:
        return ()
    if _long_figures(each):
        return words("ridge point")
    formulas = map(Math, tex_lines(proof, lambda _: [text for is_formula, text in each.why if is_formula]))
    return tuple(next(formulas) if is_formula else text for is_formula, text in each.why)
