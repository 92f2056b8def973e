r"""The threshold of an operation in LaTeX: symbolic and with the chip's figures, its rule of thumb, the numbers."""

from collections.abc import Iterator, Mapping

import sympy

from roofproof.derive.algebra.polynomial import Ring
from roofproof.derive.algebra.polynomial import sign as sign_of
from roofproof.derive.inequalities.cases import Above, Below, Case, Cases, Never, Threshold, bounds, with_bounds
from roofproof.derive.limits.limits import limit
from roofproof.derive.limits.regime import Regime
from roofproof.errors import RoofproofError
from roofproof.export.latex.conditions import cases, condition, threshold
from roofproof.export.latex.derivation_lines import Style, approximately, intensity_name, listed, regime
from roofproof.export.latex.layout import LINE, Definition, shortened
from roofproof.proofs import ProvedThreshold

BOUND = 14.0  # em that a bound takes in cases
CONDITION = 17.0  # em that a condition takes


def threshold_text(style: Style, proved: ProvedThreshold) -> str:
    """Return the sentence and the formulas that say where an operation is compute-bound."""
    return "\n".join(_parts(style, proved))


def _parts(style: Style, proved: ProvedThreshold) -> Iterator[str]:
    found, said = proved.found, style.say
    several = len(found.ceilings) > 1
    above = rf" \text{{ {said('and')} }} ".join(
        f"{intensity_name(c.channel, several)} > {style.latex(c.symbol)}" for c in found.ceilings
    )
    yield said("compute-bound", condition=f"${above}$")
    yield from displayed(style, found.symbolic)
    if found.cases != found.symbolic:
        values = said("list").join(
            f"${style.latex(c.symbol)} = {_number(style, c.ridge)}$" for c in found.ceilings if c.ridge is not None
        )
        if all(isinstance(case.threshold, Never) for case in found.cases):
            yield _never(style, proved)
        else:
            yield said("with", values=values)
            yield from displayed(style, found.cases)
    parameters = {s.name for case in found.symbolic for s in case.symbols} - {found.unknown.name}
    free = [s for s in found.op.dims if s != found.unknown and s.name not in parameters]
    if free and len(found.symbolic) == 1:
        yield said("free", names=said("list").join(f"${style.latex(s)}$" for s in free)) + "\n"
    for rule in proved.rules:
        if rule.threshold is not None and not all(isinstance(c.threshold, Never) for c in rule.threshold):
            answer = _rule(style, found.unknown, rule.threshold)
            yield said("rule", regime=listed(regime(rule.proved.limit.regime.text).split(", ")), answer=answer) + "\n"
    if found.at_point is not None and found.point:
        yield said("point", sizes=sizes(style, found.point), answer=at_point(style, proved)) + "\n"


def displayed(style: Style, found: Cases) -> Iterator[str]:
    """Yield cases on display, and what the names stand for that were needed to make them fit."""
    short, names = fitted(style, found)
    text = cases(short, lang=style.lang, order=style.order, siunitx=style.siunitx, split=CONDITION)
    yield f"\\[\n{text}\n\\]"
    if names:
        from roofproof.export.latex.lines import aligned

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
    relations = [r for case in found for r in _relations(case.when)]
    line = LINE - 6 if len(found) == 1 else BOUND
    limits = [line / len(bounds(case.threshold)) for _, case in ends] + [CONDITION - 4] * len(relations)
    pairs = [sympy.Tuple(r.lhs, r.rhs) for r in relations]
    short, names = shortened([*(b for b, _ in ends), *pairs], limits, style.taken | {found.unknown.name}, style.latex)
    places, sides = iter(short[: len(ends)]), iter(short[len(ends) :])
    out = [Case(_with_sides(c.when, sides), with_bounds(c.threshold, lambda _: next(places))) for c in found]
    return Cases(found.unknown, tuple(out)), names


def _relations(statement: sympy.Basic) -> Iterator[sympy.Basic]:
    if isinstance(statement, sympy.core.relational.Relational):
        yield statement
    elif isinstance(statement, sympy.And | sympy.Or | sympy.Not):
        for part in statement.args:
            yield from _relations(part)


def _with_sides(statement: sympy.Basic, where: Iterator[sympy.Basic]) -> sympy.Basic:
    """Return a condition whose relations have the given sides, in order, nothing decided or reordered."""
    if isinstance(statement, sympy.core.relational.Relational):
        return type(statement)(*next(where).args, evaluate=False)
    if isinstance(statement, sympy.And | sympy.Or | sympy.Not):
        return sympy.Basic.__new__(type(statement), *(_with_sides(part, where) for part in statement.args))
    return statement


def sizes(style: Style, point: Mapping[str, int]) -> str:
    """Return sizes as text: `$D = 4096$, $F = 4096$`."""
    return style.say("list").join(_equals(style, sympy.Symbol(name), size) for name, size in point.items())


def at_point(style: Style, proved: ProvedThreshold) -> str:
    """Return the threshold at the sizes asked for, with its decimal value and the integer answer."""
    found = proved.found
    assert found.at_point is not None
    if isinstance(found.at_point, Never):
        failing = [c.when for c in found.cases if not isinstance(c.threshold, Never) and c.when != sympy.true]
        if not failing:
            return style.say("never")
        wanted = condition(sympy.Or(*failing), lang=style.lang, siunitx=style.siunitx, inline=True)
        return style.say("never-there", condition=f"${wanted}$")
    answer = f"${_valued(style, found.unknown, found.at_point)}$"
    if found.integer is None:
        return answer
    integer = _equals(style, found.unknown, found.integer)
    key = "largest" if found.at_point.kind == "below" else "smallest"
    if found.multiple_of > 1:
        step = style.latex(sympy.Integer(found.multiple_of))
        return style.say(f"{key}-multiple", answer=answer, step=f"${step}$", x=integer)
    return style.say(key, answer=answer, x=integer)


def _equals(style: Style, x: sympy.Symbol, value: int) -> str:
    return f"${style.latex(x)} = {style.latex(sympy.Integer(value))}$"


def _rule(style: Style, x: sympy.Symbol, found: Cases) -> str:
    some = [c for c in found if not isinstance(c.threshold, Never)]
    said = []
    for case in some:
        text = f"${_valued(style, x, case.threshold)}$"
        if case.when != sympy.true:
            where = condition(case.when, lang=style.lang, siunitx=style.siunitx, inline=True)
            text += f" {style.say('when')} ${where}$"
        said.append(text)
    return f" {style.say('or')} ".join(said) or style.say("never")


def _number(style: Style, value: sympy.Rational) -> str:
    """Return a number, followed by its decimal value where it is not whole."""
    text = style.latex(value, inline=True)
    return text if value.is_Integer else f"{text} {approximately(value, style.siunitx)}"


def _valued(style: Style, x: sympy.Symbol, bound: Threshold) -> str:
    text = threshold(x, bound, lang=style.lang, order=style.order, siunitx=style.siunitx, inline=True)
    if isinstance(bound, Above | Below) and bound.at.is_number and not bound.at.is_Integer:
        text += f" {approximately(bound.at, style.siunitx)}"
    return text


def _never(style: Style, proved: ProvedThreshold) -> str:
    """Return that no size will do on this chip, and why: a bound on an intensity, where one is seen."""
    ceilings = proved.found.ceilings
    ridges = []
    for c in ceilings:
        assert c.ridge is not None
        ridge = f"${style.latex(c.symbol)} {approximately(c.ridge, style.siunitx)}$"
        if (bound := largest_intensity(c.intensity)) is not None and bound[1] <= c.ridge:
            name = intensity_name(c.channel, len(ceilings) > 1)
            most = f"${name} {bound[0]} {style.latex(bound[1], inline=True)}$"
            return style.say("never-why", bound=most, ridge=ridge) + "\n"
        ridges.append(ridge)
    return style.say("never-plain", ridges=style.say("list").join(ridges)) + "\n"


def largest_intensity(value: sympy.Expr) -> tuple[str, sympy.Rational] | None:
    """Return what an intensity stays below at all sizes, where it tends to a number as all of them grow.

    >>> from roofproof.symbols import dimension
    >>> N = dimension("N")
    >>> largest_intensity(N/(2*N + 1)), largest_intensity(N)       # 1/2 - N/(2 N + 1) = 1/(4 N + 2) > 0
    (('<', 1/2), None)
    """
    if value.is_Rational:
        return "=", value
    names = tuple(sorted(s.name for s in value.free_symbols))
    try:
        found = limit(value, Regime.of(names)).value
        if not found.is_Rational:
            return None
        ring = Ring.of(found - value)
        above, below = ring.fraction(found - value)
    except RoofproofError:
        return None
    positive = sign_of(above), sign_of(below)
    return ("<", found) if None not in positive and positive[0] == positive[1] else None
