r"""Formulas that fit a slide: long sums are broken, parts of fractions get a name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import sympy

from roofproof.derive.inequalities.cases import Cases, bounds
from roofproof.export import doc as d
from roofproof.export.explain.steps import line_said, step_rows
from roofproof.export.explain.threshold import notation
from roofproof.export.latex import leaves
from roofproof.export.latex.conditions import condition, threshold
from roofproof.export.latex.expressions import latex
from roofproof.export.latex.layout import LINE, Definition, broken, shortened
from roofproof.export.latex.measure import width
from roofproof.export.latex.words import words
from roofproof.export.naming import expressions, mapped
from roofproof.export.outline import Row
from roofproof.ops import Operation
from roofproof.proofs.steps.lines import leaves as leaves_of
from roofproof.proofs.steps.step import Step

BOUND = 14.0  # em that a bound takes in cases
CONDITION = 17.0  # em that a condition takes
SIGN, AND = 1.4, 2.2  # em of a sign of relation, and of a word between two


class Style:
    """How formulas are written in one deck: language, the order of terms that the tensors give, names that are taken.

    >>> from roofproof import op
    >>> style = Style(op("matmul"), "en")
    >>> print(style.latex(op("matmul").bytes()))
    2BD + 2DF + 2BF
    """

    def __init__(self, op: Operation, lang: str) -> None:
        self.order, taken = notation(op)
        self.op, self.lang, self.taken = op, lang, set(taken)
        self.say = words(lang).say
        self.latex: Callable[..., str] = partial(latex, order=self.order)
        self.condition: Callable[..., str] = partial(condition, lang=lang, order=self.order)
        self.threshold: Callable[..., str] = partial(threshold, lang=lang, order=self.order)

    @property
    def leaves(self) -> leaves.Style:
        """How the leaves of a document are written."""
        return leaves.Style(self.lang, self.order)

    def broken(self, expression: sympy.Expr, limit: float) -> tuple[str, ...]:
        """Return an expression on rows no wider than a limit, where it can be broken."""
        return tuple(broken(expression, limit, order=self.order))


def fitted(style: Style, found: Cases) -> tuple[Cases, list[Definition]]:
    """Return cases in which every bound and every condition fits its column, and the names that this needed.

    >>> from roofproof import op, threshold
    >>> found = threshold(op("matmul"), None, "B").found
    >>> fitted(Style(found.op, "en"), found.symbolic)[1]
    []
    """
    line = LINE - 6 if len(found) == 1 else BOUND
    limits = []
    for case in found:
        limits += [(CONDITION - 4) / 2] * len(expressions(case.when))
        limits += [line / len(ends) for ends in [bounds(case.threshold)] for _ in ends]
    display = d.Display(found)
    short, names = shortened(expressions(display), limits, style.taken | {found.unknown.name}, style.latex)
    return _with(display, short).cases, names


def _with(what: d.Inline, shown: Iterable[sympy.Expr]) -> d.Inline:
    """Return a row or a leaf that shows others in the place of its expressions, in order."""
    put = iter(shown)
    return mapped(what, lambda _: next(put))


@dataclass(frozen=True, slots=True)
class StepLine:
    """A line for the eye: how it follows, its formula, and the words and formulas of its reason.

    Without a step it is the condition of a case.
    """

    mark: str
    formula: str
    step: Step | None
    why: tuple[leaves.Piece, ...]


def fitted_steps(
    style: Style, rows: Sequence[Row], most: float, factor: float
) -> tuple[list[StepLine], list[Definition]]:
    """Return lines no wider than `most` em, reasons with formulas no wider than `factor`, and the names this needed.

    >>> from roofproof import op, threshold
    >>> from roofproof.export.outline import step_sections
    >>> matmul = op("matmul")
    >>> [_, section] = step_sections(threshold(matmul, None, "B"))
    >>> shown, names = fitted_steps(Style(matmul, "en"), section.rows, 10, 6)
    >>> names, shown[1].formula
    ([(P, D*F - R*(D + F)), (Q, B*D + B*F + D*F)], 'BDF > QR')
    """
    lines = step_rows(rows)
    asked = [pair for row, line in zip(rows, lines, strict=True) for pair in _asked(style, row, line, most)]
    beside = [(e, factor) for line in lines for e in expressions(line.right)]
    taken = style.taken | {s.name for each, _ in asked for s in each.free_symbols}
    every, limits = zip(*asked, *beside, strict=True)
    short, names = shortened(every, limits, taken, style.latex)
    left = iter([e for each in short[: len(asked)] for e in each.args])
    right = iter(short[len(asked) :])
    made = (d.Line(_with(line.left, left), _with(line.right, right), mark=line.mark) for line in lines)
    return [_line(style, row, line) for row, line in zip(rows, made, strict=True)], names


def _asked(style: Style, row: Row, line: d.Line, most: float) -> list[tuple[sympy.Tuple, float]]:
    """Return the formulas of a line, each with how wide it may be: what one leaves free the others may take."""
    if row.key == "branch":
        shown = expressions(line.left)
        return [(sympy.Tuple(a, b), most / 2) for a, b in zip(shown[::2], shown[1::2], strict=True)]
    parts = [sympy.Tuple(*expressions(line_said(each))) for each in leaves_of(row.about.line)]
    wide = [sum(width(style.latex(e)) for e in part) + SIGN for part in parts]
    free = most - sum(wide) - AND * (len(parts) - 1)
    return [(part, max(own + free - SIGN, 5 - SIGN)) for part, own in zip(parts, wide, strict=True)]


def _line(style: Style, row: Row, line: d.Line) -> StepLine:
    if row.key == "branch":
        slashed = leaves.Style(style.lang, style.order, inline=True)
        return StepLine("", leaves.math(line.left.parts["when"], slashed), None, ())
    mark = "".join(text for is_formula, text in leaves.pieces(line.mark, style.leaves) if is_formula)
    if row.follows:
        mark = rf"\overset{{{', '.join(f'({n})' for n in row.follows)}}}{{{mark or ':'}}}"
    why = leaves.pieces(line.right, leaves.Style(style.lang, style.order, inline=True))
    return StepLine(mark, leaves.math(line.left, style.leaves), row.about, tuple(why))
