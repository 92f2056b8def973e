r"""Proofs line by line in LaTeX: formulas that fit, aligned, the reason for each beside it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.derive.inequalities.cases import bounds, with_bounds
from roofproof.export.latex.derivation_lines import Style, approximately, listed, regime
from roofproof.export.latex.escaping import escape
from roofproof.export.latex.expressions import latex
from roofproof.export.latex.layout import LEAST, LINE, AlignedLine, Definition, shortened
from roofproof.export.latex.measure import width
from roofproof.export.latex.thresholds import relations_in, valued, with_sides
from roofproof.export.latex.words import between, words
from roofproof.export.outline import Row, Section
from roofproof.export.text.steps import Name, best_key, parts, reason_key
from roofproof.proofs.steps.lines import Best, Both, Bound, Either, Line, Relation, Tends, leaves
from roofproof.proofs.steps.step import Reason, Step

MARKS = {"<=>": r"\iff", "=>": r"\implies"}
FORMULA = LINE - LEAST - 4.5  # em that a line takes beside its reason
SIGN, AND = 1.4, 2.2  # em of a sign of relation, and of a word between two
FACTOR = 11.5  # em that a formula takes in a reason


@dataclass(frozen=True, slots=True)
class StepLine:
    """A line for the eye: how it follows, its formula, and what fills the gaps of its reason, in mathematics.

    Without a step it is the condition of a case.
    """

    mark: str
    formula: str
    step: Step | None
    gaps: dict[str, str]


def step_pieces(style: Style, section: Section) -> Iterator[str | list[AlignedLine]]:
    """Yield the sentences and the blocks of lines that tell a proof.

    >>> from roofproof import op, threshold
    >>> from roofproof.export.outline import step_sections
    >>> from roofproof.export.latex.layout import aligned
    >>> matmul = op("matmul")
    >>> [_, section] = step_sections(threshold(matmul, None, "B"))
    >>> rows = next(p for p in step_pieces(Style(matmul, "en"), section) if isinstance(p, list))
    >>> print(aligned(rows).splitlines()[2])                                         # times BD + DF + BF > 0
        &\\iff BDF > R(BD + DF + BF) && \\text{multiply by $BD + DF + BF > 0$} \\\\
    """
    untold = [row.about for row in section.rows if row.key == "untold"]
    if untold:
        yield headed(style.say("steps-untold", why=escape(words(style.lang).told(untold[0]))) + style.say("stop"))
        return
    shown, names = fitted(style, section.rows, FORMULA, FACTOR)
    block: list[AlignedLine] = []
    for each in shown:
        if each.step is not None:
            block.append(AlignedLine("", each.mark, (each.formula,), reason(style, each)))
            continue
        if block:
            yield block
        yield headed(style.say("steps-case", when=f"${each.formula}$"))
        block = []
    yield block
    if names:
        yield headed(style.say("where-list"))
        yield list(style.definitions(names))


def headed(text: str) -> str:
    """Return a text as it stands at the beginning of a line.

    >>> headed("the limit")
    'The limit'
    """
    return text[:1].upper() + text[1:]


def reason(style: Style, shown: StepLine) -> str:
    """Return the reason of a line as text with formulas in it."""
    assert shown.step is not None
    return style.say(reason_key(shown.step), **shown.gaps)


def fitted(style: Style, rows: Sequence[Row], most: float, factor: float) -> tuple[list[StepLine], list[Definition]]:
    """Return lines no wider than `most` em, reasons with formulas no wider than `factor`, and the names this needed.

    >>> from roofproof import op, threshold
    >>> from roofproof.export.outline import step_sections
    >>> matmul = op("matmul")
    >>> [_, section] = step_sections(threshold(matmul, None, "B"))
    >>> shown, names = fitted(Style(matmul, "en"), section.rows, 10, 6)
    >>> names, shown[1].formula
    ([(P, D*F - R*(D + F)), (Q, B*D + B*F + D*F)], 'BDF > QR')
    """
    asked = [pair for row in rows for pair in _asked(row, most, factor)]
    short, names = shortened(
        [e for e, _ in asked], [limit for _, limit in asked], style.taken | _names(rows), style.latex
    )
    return [_shown(style, row, iter_) for row, iter_ in _dealt(rows, short, most, factor)], names


def _names(rows: Iterable[Row]) -> set[str]:
    return {s.name for row in rows if row.key == "step" for e in row.about.line.shows for s in e.free_symbols}


def _dealt(
    rows: Sequence[Row], short: Sequence[sympy.Basic], most: float, factor: float
) -> Iterator[tuple[Row, Iterator[sympy.Basic]]]:
    """Yield each row with its own part of the expressions."""
    place = 0
    for row in rows:
        count = len(_asked(row, most, factor))
        yield row, iter(short[place : place + count])
        place += count


def _asked(row: Row, most: float, factor: float) -> list[tuple[sympy.Basic, float]]:
    """Return the formulas that a row shows, and how wide each may be."""
    if row.key == "branch":
        return [(sympy.Tuple(r.lhs, r.rhs), most / 2) for r in relations_in(row.about)]
    step: Step = row.about
    found = _line_asked(step.line, most)
    for gap in parts(step).values():
        if isinstance(gap, sympy.Expr):
            found.append((gap, factor))
        elif isinstance(gap, Relation | Both | Either):
            found += _line_asked(gap, factor)
    return found


def _line_asked(line: Line, most: float) -> list[tuple[sympy.Basic, float]]:
    match line:
        case Both() | Either():
            several = list(leaves(line))
            wide = [sum(width(latex(e)) for e in r.shows) + SIGN for r in several]
            free = most - sum(wide) - AND * (len(several) - 1)
            asked = (_line_asked(r, max(own + free, 5)) for r, own in zip(several, wide, strict=True))
            return [pair for each in asked for pair in each]
        case Best():
            return []
        case Bound(_, threshold):
            found = bounds(threshold)
            return [(b, (most - 3) / len(found)) for b in found]
    return [(sympy.Tuple(*line.shows), most - SIGN)]


def _shown(style: Style, row: Row, short: Iterator[sympy.Basic]) -> StepLine:
    if row.key == "branch":
        return StepLine("", style.condition(with_sides(row.about, short), inline=True), None, {})
    step: Step = row.about
    formula = _line(style, step.line, short)
    gaps = {}
    for name, gap in parts(step).items():
        if isinstance(gap, sympy.Expr):
            gaps[name] = style.latex(next(short), inline=True)
        elif isinstance(gap, Relation | Both | Either):
            gaps[name] = _line(style, gap, short)
        elif isinstance(gap, Boolean):
            gaps[name] = style.condition(gap, inline=True)
        elif isinstance(gap, Name):
            gaps[name] = rf"\text{{{escape(gap)}}}"
        elif isinstance(gap, tuple):
            gaps[name] = listed([_put(style, n, v, step.reason) for n, v in gap])
        else:
            gaps[name] = regime(str(gap))
    first = step.reason in (Reason.COMPUTE_BOUND, Reason.KEPT, Reason.SIZES, Reason.SUPPOSED) or not step.link
    mark = "" if first else MARKS[step.link]
    if row.follows:
        mark = rf"\overset{{{', '.join(f'({n})' for n in row.follows)}}}{{{mark or ':'}}}"
    return StepLine(mark, rf"{formula} \quad ({row.number})" if row.number else formula, step, gaps)


def _put(style: Style, name: object, value: sympy.Expr, reason: Reason) -> str:
    """Return the value substituted for a name: a figure as a decimal, with its true sign, all else as it is."""
    left = style.latex(sympy.Symbol(str(name)))
    if reason is Reason.FIGURE and value.is_Rational and not value.is_Integer:
        return f"{left} {approximately(value, style.siunitx)}"
    return f"{left} = {style.latex(value, inline=True)}"


def _line(style: Style, line: Line, short: Iterator[sympy.Basic]) -> str:
    """Return the text of a line, with the expressions that fit."""
    match line:
        case Both(several):
            sides = (
                rf"({_line(style, r, short)})" if isinstance(r, Either) else _line(style, r, short) for r in several
            )
            return between(style.say("and")).join(sides)
        case Either(several):
            return between(style.say("or")).join(_line(style, r, short) for r in several)
        case Best(x, answer, largest):
            shown = style.latex(x) if answer is None else f"{style.latex(x)} = {answer}"
            return rf"\text{{{style.say(best_key(answer, largest=largest), answer=f'${shown}$')}}}"
        case Bound(unknown, threshold):
            text = style.threshold(unknown, with_bounds(threshold, lambda _: next(short)))
            return valued(style, text, threshold)
        case Tends():
            left, right = next(short).args
            value = r"\infty" if right == sympy.oo else style.latex(right)
            return rf"{style.latex(left)} \to {value}"
    left, right = next(short).args
    signs = {">=": r"\geq", "<=": r"\leq"}
    return f"{style.latex(left)} {signs.get(line.sign, line.sign)} {style.latex(right)}"
