r"""The threshold of an operation in LaTeX: symbolic and with the chip's figures, its rule of thumb, the numbers."""

from collections.abc import Iterator, Mapping, Sequence

import sympy
from sympy.core.relational import Relational

from roofproof.derive.inequalities.cases import Above, Below, Case, Cases, Never, Threshold, bounds, with_bounds
from roofproof.derive.roofline.compute_bound import Ceiling
from roofproof.derive.roofline.share import Share, percent
from roofproof.export.latex.conditions import cases
from roofproof.export.latex.derivation_lines import (
    Style,
    approximately,
    assumed,
    duration,
    exceeds,
    intensity_name,
    number,
    regime_listed,
)
from roofproof.export.latex.escaping import escape
from roofproof.export.latex.layout import LINE, Definition, aligned, shortened
from roofproof.export.outline import Outline, Row
from roofproof.export.text.formatting import unsigned
from roofproof.formula.magnitudes import decimal
from roofproof.symbols import quantity

BOUND = 14.0  # em that a bound takes in cases
CONDITION = 17.0  # em that a condition takes


def parts(style: Style, row: Row, found: Outline) -> Iterator[str | Cases]:
    """Yield what one row of a threshold says: sentences, and cases to be displayed."""
    what, said, every = row.about, style.say, found.rows("cases")
    match row.key:
        case "compute-bound":
            yield bound_when(style, what)
            if (share := what[0].share) and what[0].ridge is None:
                scaled = f"${style.latex(what[0].symbol)} = {style.latex(share.factor * quantity('R'), inline=True)}$"
                yield said("kept-factor", symbol=scaled)
        case "sizes":
            yield said("only-at", sizes=sizes(style, what))
        case "cases" if row is every[0] or not what.never:
            yield what
        case "with" if every[-1].about.never:
            yield _never(style, row, next(iter(found.rows("bounded")), None))
        case "with":
            ridges = zip(what, row.known, strict=True)
            values = (f"${style.latex(c.symbol)} = {_number(style, k.statement.shows[0])}$" for c, k in ridges)
            yield said("with", values=said("list").join(values))
        case "free" if not every[-1].about.never:
            yield said("free", names=said("list").join(f"${style.latex(s)}$" for s in what)) + "\n"
        case "rule" if not what.threshold.never:
            where = regime_listed(what.proved.limit.regime.text)
            yield said("rule", regime=where, answer=_rule(style, what.threshold)) + "\n"
        case "started":
            there = row.threshold
            known = said("never") if isinstance(there, Never) else _with_integer(style, row, rounded_off(style, row))
            answer = said("point", sizes=sizes(style, what.point), answer=known) if what.point else known + said("stop")
            start = f"${duration(sympy.Rational(what.share.start), style.siunitx)[1]}$"
            yield said("started", start=start, answer=answer) + "\n"
        case "point" if what.point:
            yield said("point", sizes=sizes(style, what.point), answer=at_point(style, row)) + "\n"


def bound_when(style: Style, ceilings: Sequence[Ceiling], estimate: Share | None = None) -> str:
    """Return the sentence that says when an operation is compute-bound, or keeps a share of the peak."""
    condition = f"${exceeds(style, ceilings)}$"
    if (share := ceilings[0].share) is None:
        return style.say("compute-bound", condition=condition)
    key = "kept" if (estimate or share).ceilings else "kept-of-figures"
    return style.say(key, share=escape(percent(share.value)), condition=condition)


def estimated(style: Style, share: Share) -> Iterator[str]:
    """Yield what a share is estimated by: the formula of the time, its constants, and where they are from."""
    say, made = style.say, share.ceilings
    a, q = r"\frac{\text{FLOPs}}{e \cdot \text{peak}}", r"\frac{\text{bytes}}{d \cdot \text{bandwidth}}"
    if made is None:
        a, q = r"\frac{\text{FLOPs}}{\text{peak}}", r"\frac{\text{bytes}}{\text{bandwidth}}"
    corners = {"max": rf"\max\Bigl({a},\ {q}\Bigr)", "sum": f"{a} + {q}",
               "root": rf"\sqrt{{\Bigl({a}\Bigr)^2 + \Bigl({q}\Bigr)^2}}"}  # fmt: skip
    start = "t_0 + " if made else ""
    yield say("estimate-time", time=f"${start}{corners[share.corner]}$")
    if made is None:
        yield say("estimate-figures")
        return
    shares = {"compute": made.compute.value, "memory": made.memory.value}
    told = {name: number(decimal(value), style.siunitx) for name, value in shares.items()}
    told["start"] = duration(sympy.Rational(made.start.value), style.siunitx)[1]
    yield say("estimate-shares", **told, level=escape(made.level), points=str(made.points), source=escape(made.source))
    if share.of:
        yield say("estimate-borrowed", of=escape(share.of))


def estimates(style: Style, shares: Sequence[Share]) -> Iterator[str]:
    """Yield once each what the shares of a table are estimated by."""
    for each in {(s.ceilings, s.corner): s for s in shares}.values():
        yield from estimated(style, each)


def displayed(style: Style, found: Cases) -> Iterator[str]:
    """Yield cases on display, and what the names stand for that were needed to make them fit."""
    short, names = fitted(style, found)
    text = cases(short, lang=style.lang, order=style.order, siunitx=style.siunitx, split=CONDITION)
    yield f"\\[\n{text}\n\\]"
    if names:
        yield style.say("where-list")
        yield aligned(list(style.definitions(names)))


def fitted(style: Style, found: Cases) -> tuple[Cases, list[Definition]]:
    """Return cases in which every bound and every condition fits its column, and the names that this needed.

    >>> from roofproof import op, threshold
    >>> found = threshold(op("matmul"), None, "B").found
    >>> fitted(Style(found.op, "en"), found.symbolic)[1]
    []
    """
    ends = [(b, case) for case in found for b in bounds(case.threshold)]
    relations = [r for case in found for r in relations_in(case.when)]
    line = LINE - 6 if len(found) == 1 else BOUND
    limits = [line / len(bounds(case.threshold)) for _, case in ends] + [CONDITION - 4] * len(relations)
    pairs = [sympy.Tuple(r.lhs, r.rhs) for r in relations]
    short, names = shortened([*(b for b, _ in ends), *pairs], limits, style.taken | {found.unknown.name}, style.latex)
    places, sides = iter(short[: len(ends)]), iter(short[len(ends) :])
    out = [Case(with_sides(c.when, sides), with_bounds(c.threshold, lambda _: next(places))) for c in found]
    return Cases(found.unknown, tuple(out)), names


def relations_in(statement: sympy.Basic) -> list[sympy.Basic]:
    """Return the relations in a condition, in the order of its parts."""
    if isinstance(statement, Relational):
        return [statement]
    return [relation for part in statement.args for relation in relations_in(part)]


def with_sides(statement: sympy.Basic, where: Iterator[sympy.Basic]) -> sympy.Basic:
    """Return a condition whose relations have the given sides, in order, nothing decided or reordered."""
    if isinstance(statement, Relational):
        return type(statement)(*next(where).args, evaluate=False)
    if isinstance(statement, sympy.And | sympy.Or | sympy.Not):
        return sympy.Basic.__new__(type(statement), *(with_sides(part, where) for part in statement.args))
    return statement


def left_out(style: Style, row: Row) -> Iterator[str]:
    """Yield a demand without a figure, and below which rates it would take longer than the others."""
    amount = f"${style.latex(row.about.amount, inline=True)}$"
    yield style.say("left-out-demand", amount=amount, engine=escape(row.about.resource))
    for known, (other, _) in zip(row.known, row.about.below, strict=True):
        rate = f"${style.latex(known.statement.shows[0], inline=True)}$"
        yield style.say("left-out-below", other=escape(other), rate=rate)


def sizes(style: Style, point: Mapping[str, int]) -> str:
    """Return sizes as text: `$D = 4096$, $F = 4096$`."""
    return style.say("list").join(_equals(style, sympy.Symbol(name), size) for name, size in point.items())


def at_point(style: Style, row: Row) -> str:
    """Return the threshold at the sizes asked for, with its decimal value and the integer answer."""
    found, there = row.about, row.threshold
    if isinstance(there, Never):
        failing = [c.when for c in found.cases if not isinstance(c.threshold, Never) and c.when != sympy.true]
        if not failing:
            return style.say("never")
        wanted = style.condition(sympy.Or(*failing), inline=True)
        return style.say("never-there", condition=f"${wanted}$")
    return _with_integer(style, row, f"${valued(style, style.threshold(found.unknown, there, inline=True), there)}$")


def rounded_off(style: Style, row: Row) -> str:
    """Return a threshold, where it is one number in a few digits, which a long root is told by."""
    there, x = row.threshold, row.about.unknown
    if isinstance(there, Above | Below) and there.at.is_number:
        sign = (r"\ge" if isinstance(there, Above) else r"\le") if not there.strict else "<>"[isinstance(there, Above)]
        return f"${style.latex(x)} {sign} {number(unsigned(there.at), style.siunitx)}$"
    return f"${style.threshold(x, there, inline=True)}$"


def _with_integer(style: Style, row: Row, answer: str) -> str:
    found, there = row.about, row.threshold
    allowed, whole = found.allowed, row.integer
    if whole is None and not any(k.statement.kind == "integer" for k in row.known):
        return answer
    integer = f"${style.latex(found.unknown)}$" if whole is None else _equals(style, found.unknown, whole)
    key = "no" if whole is None else "largest" if there.kind == "below" else "smallest"
    step = f"${style.latex(sympy.Integer(allowed.multiple_of))}$"
    kind = f"{key}-multiple" if allowed.multiple_of > 1 else f"{key}-integer" if whole is None else key
    told = style.say(kind, answer=answer, step=step, x=integer)
    said = style.say("list").join(assumed(style, c) for c in allowed.conditions)
    return told + (style.say("such-that", conditions=said) if said else "")


def _equals(style: Style, x: sympy.Symbol, value: int) -> str:
    return f"${style.latex(x)} = {style.latex(sympy.Integer(value))}$"


def _rule(style: Style, found: Cases) -> str:
    said = []
    for case in (c for c in found if not isinstance(c.threshold, Never)):
        bound = style.threshold(found.unknown, case.threshold, inline=True)
        text = f"${valued(style, bound, case.threshold)}$"
        if case.when != sympy.true:
            text += f" {style.say('when')} ${style.condition(case.when, inline=True)}$"
        said.append(text)
    return f" {style.say('or')} ".join(said)


def _number(style: Style, value: sympy.Rational) -> str:
    """Return a number, followed by its decimal value where it is not whole."""
    text = style.latex(value, inline=True)
    return text if value.is_Integer else f"{text} {approximately(value, style.siunitx)}"


def valued(style: Style, text: str, bound: Threshold) -> str:
    """Return a threshold, written as it is, with the decimal value of a bound that is a number and not whole."""
    if isinstance(bound, Above | Below) and bound.at.is_number and not bound.at.is_Integer:
        text += f" {approximately(bound.at, style.siunitx)}"
    return text


def _never(style: Style, row: Row, bounded: Row | None) -> str:
    """State that no size will do on this chip, and why: a bound on an intensity, where one is known."""
    ridges = {
        c.label: f"${style.latex(c.symbol)} {approximately(k.statement.shows[0], style.siunitx)}$"
        for c, k in zip(row.about, row.known, strict=True)
    }
    if bounded is None:
        return style.say("never-plain", ridges=style.say("list").join(ridges.values())) + "\n"
    name = intensity_name(bounded.about, len(ridges) > 1)
    sign = "=" if bounded.known[0].statement.goal[0] == "=" else "<"
    most = f"${name} {sign} {style.latex(bounded.value, inline=True)}$"
    return style.say("never-why", bound=most, ridge=ridges[bounded.about]) + "\n"
