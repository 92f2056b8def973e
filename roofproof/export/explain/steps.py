"""A proof line by line, with the reason for each line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import sympy

from roofproof.export.doc import Decimal, Doc, Formula, Inline, Line, Mark, Regime, Section, TextOrTypeset, between, say
from roofproof.export.numbers import about
from roofproof.export.outline import Row, sections_of
from roofproof.export.outline import Section as Outlined
from roofproof.proofs.steps import lines
from roofproof.proofs.steps.step import NoSteps, Reason, Step, Steps
from roofproof.sentences import Resource

HEADINGS = {
    "steps-limit": "the limit, step by step",
    "steps-threshold": "the threshold, step by step",
    "steps-sizes": "the number, step by step",
    "steps-optimum": "the optimum, step by step",
    "steps-claim": "the claim, step by step",
}
REASONS = {
    Reason.COMPUTE_BOUND: "the intensity exceeds the ridge point",
    Reason.KEPT: "the share is kept",
    Reason.TIMES: "multiply by $<by> > 0$",
    Reason.DIVIDE: "divide by $<by> > 0$",
    Reason.TURN: "divide by $<by> < 0$: the sign turns",
    Reason.COLLECT: "collect $<by>$",
    Reason.ADD: "add $<by>$ to both sides",
    Reason.SQUARE: "complete the square",
    Reason.ROOT: "square roots of both sides",
    Reason.POWER: "two to the power of both sides",
    Reason.SIGNS: "the signs in this case",
    Reason.DECIDED: "by these signs",
    Reason.CASE: "the case settles $<line>$",
    Reason.STANDS: "as it stands",
    Reason.JOIN: "both together",
    Reason.FIGURE: "substitute <values>",
    Reason.SIZES: "substitute <values>",
    Reason.INTEGER: "$<by>$ is a whole number",
    Reason.ISOLATED: "the roots of the polynomial, isolated",
    Reason.SEARCHED: "every whole number looked at, in blocks",
    Reason.ALLOWED: "where $<what>$",
    Reason.BEST: "whole numbers there",
    Reason.FORMULA: "the roots of the quadratic",
    Reason.SUPPOSED: "suppose this",
    Reason.MEANS: "what it stands for",
    Reason.COMPARED: "both sides computed",
    Reason.FOLLOWS: "hence, as all of it is positive",
    Reason.DIFFERENCE: "the difference, factored",
    Reason.SQUARE_SIGN: "no factor of it is negative",
    Reason.LEAST: "so this is a bound",
    Reason.TAKEN: "at <values>",
    Reason.FUNCTION: "the intensity",
    Reason.RECIPROCAL: "the reciprocal",
    Reason.FRACTION: "divide above and below by $<by>$",
    Reason.FAR_OUT: "in the limit, where $<what>$",
    Reason.VANISH: "as $<regime>$",
    Reason.LIMIT: "hence, as $<regime>$",
    Reason.ERROR: "relative error of $<by>$, exactly",
}
"""The wording of each reason."""
FIRST = (Reason.COMPUTE_BOUND, Reason.KEPT, Reason.SIZES, Reason.SUPPOSED)
"""The reasons of a first line, which has no sign in front because it follows from no other line."""


def explain_steps(told: Iterable[Steps | NoSteps]) -> Doc:
    """Return proofs as a document, with the subject and the lines of each.

    >>> from roofproof.export.to_text import section_text
    >>> [told] = explain_steps([NoSteps("limit", "the limit uses a series expansion", "f")]).sections
    >>> print(*section_text(told, "en"), sep="\\n")
    the limit, step by step: f
      no step-by-step proof: the limit uses a series expansion
    """
    return Doc((), tuple(_with_subject(section) for section in sections_of(told)))


def _with_subject(section: Outlined) -> Section:
    heading = say(HEADINGS[section.key])
    about = say("<heading>: <about>", heading=heading, about=section.about) if section.about else heading
    return Section(about, step_rows(section.rows))


def step_rows(rows: Iterable[Row]) -> tuple[Line, ...]:
    """Return the lines of a proof and the conditions of its cases, or the reason why there is no proof."""
    return tuple(map(row_line, rows))


def row_line(row: Row) -> Line:
    """Return a row of a proof as a line."""
    if row.key == "untold":
        return Line(say("no step-by-step proof: <why>", why=row.about))
    if row.key == "branch":
        return Line(say("case <when>:", when=row.about))
    step: Step = row.about
    mark: tuple[Inline, ...] = (", ".join(f"({n})" for n in row.follows), " ") if row.follows else ()
    mark += (Formula(step.link), " ") if step.link and step.reason not in FIRST else ()
    left = (line_phrase(step.line), f"  ({row.number})") if row.number else line_phrase(step.line)
    return Line(left, reason(step), mark=mark)


def line_phrase(line: lines.Line) -> Inline:
    """Return a line of a proof in words if it joins others or states an integer answer, or else unchanged.

    >>> B = sympy.Symbol("B")
    >>> line_phrase(lines.Best(B, None, True, lines.Formula("true"))).form
    'no <answer> does'
    """
    match line:
        case lines.Both(parts):
            every = (("(", line_phrase(p), ")") if isinstance(p, lines.Either) else line_phrase(p) for p in parts)
            return between(every, say(" and "))
        case lines.Either(parts):
            return between(map(line_phrase, parts), say(" or "))
        case lines.Best(x, None):
            return say("no <answer> does", answer=x)
        case lines.Best(x, answer, largest):
            form = "the largest <answer>" if largest else "the smallest <answer>"
            return say(form, answer=Formula(x, "=", answer))
    return line


def reason(step: Step) -> Inline:
    """Return the reason of a line in words.

    >>> from roofproof.proofs.steps.step import stepped
    >>> from roofproof.symbols import quantity
    >>> a, x, y = quantity("a"), quantity("x"), quantity("y")
    >>> told = reason(stepped(lines.Relation(a*x, ">", y), lines.Relation(x, ">", y/a), Reason.DIVIDE, (a,)))
    >>> told.form, told.parts
    ('divide by $<by> > 0$', {'by': a})
    """
    return say(reason_form(step), **parts(step))


def reason_form(step: Step) -> str:
    """Return the template for the words of a reason."""
    multiple = len(step.by) > 1 and step.by[1] != 1
    match step.reason:
        case Reason.COMPUTE_BOUND if step.by:
            return "<engine> takes longer than <channel>"
        case Reason.FUNCTION if isinstance(step.line, lines.Relation) and not str(step.line.left).startswith("I"):
            return REASONS[Reason.MEANS]
        case Reason.JOIN if isinstance(step.before, lines.Either):
            return "none of them can hold" if step.line.formula == ("false",) else "one of them is enough"
        case Reason.SUPPOSED if step.by:
            return "for any $<by>$"
        case Reason.INTEGER if multiple:
            return "$<by>$ is a multiple of $<step>$"
        case Reason.BEST if len(step.by) > 2:
            return "whole numbers such that $<what>$"
        case Reason.BEST if multiple:
            return "multiples of $<step>$"
    return REASONS[step.reason]


def parts(step: Step) -> dict[str, Inline]:
    """Return the values for the placeholders of a reason."""
    match step.reason:
        case Reason.FIGURE | Reason.SIZES | Reason.TAKEN:
            return {"values": between(_substituted_values(step), say(", "))}
        case Reason.CASE:
            return {"line": line_phrase(step.before or step.line)}
        case Reason.VANISH | Reason.LIMIT:
            assert isinstance(step.line, lines.Tends)
            return {"regime": Regime(step.line.regime)}
        case Reason.COMPUTE_BOUND if step.by:
            engine, channel = (Mark(Resource(name), str(name)) for name in step.by)
            return {"engine": engine, "channel": channel}
        case Reason.INTEGER if len(step.by) > 1:
            return dict(zip(("by", "step"), step.by, strict=True))
        case Reason.ALLOWED | Reason.FAR_OUT:
            return {"what": sympy.And(*step.by, evaluate=False)}
        case Reason.BEST:
            x, multiple, *whole = step.by
            every = [*whole, *([sympy.Eq(sympy.Mod(x, multiple), 0)] if multiple != 1 else [])]
            return {"step": multiple, **({"what": sympy.And(*every, evaluate=False)} if whole else {})}
        case Reason.SQUARE:
            return {}
    return {"by": step.by[0]} if step.by else {}


def _substituted_values(step: Step) -> Iterator[Formula]:
    """Yield the values that a line substitutes, with a decimal and its correct sign if they are not integers."""
    for name, value in zip(step.by[::2], step.by[1::2], strict=True):
        if not value.is_number or value.is_Integer:
            yield Formula(str(name), "=", value)
        elif step.reason is Reason.FIGURE and value.is_Rational:
            yield Formula(str(name), TextOrTypeset(f"= {value} {about(value)}", Decimal(value)))
        else:
            yield Formula(str(name), "=", value, Decimal(value))
