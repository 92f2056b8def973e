r"""Conditions and thresholds in LaTeX: relations, `and` and `or` as words, cases with the condition of each."""

from collections.abc import Sequence
from functools import partial

import sympy

from roofproof.derive.inequalities.cases import Above, Always, Below, Between, Cases, Never, Outside, Several, Threshold
from roofproof.errors import RoofproofError, quoted
from roofproof.export.latex.expressions import latex
from roofproof.export.latex.measure import width
from roofproof.export.latex.words import words

_RELATIONS = {"==": "=", "!=": r"\neq", "<": "<", "<=": r"\leq", ">": ">", ">=": r"\geq"}


def condition(
    statement: sympy.Basic,
    *,
    lang: str = "en",
    order: Sequence[sympy.Expr] = (),
    siunitx: bool = False,
    inline: bool = False,
) -> str:
    r"""Return a condition: a relation, or several joined by words.

    >>> from roofproof.symbols import dimension, quantity
    >>> (D, F), R = map(dimension, "DF"), quantity("R")
    >>> print(condition(1/D + 1/F < 1/R))
    \frac{1}{D} + \frac{1}{F} < \frac{1}{R}
    >>> print(condition((D > R) & (F > R)))
    D > R \text{ and } F > R

    Raises RoofproofError for a statement that is none of these.
    """
    said = words(lang)
    again = partial(condition, lang=lang, order=order, siunitx=siunitx, inline=inline)
    if isinstance(statement, sympy.core.relational.Relational):
        above = _divides(statement)
        if above is not None:
            return above
        shown = partial(latex, order=order, siunitx=siunitx, inline=inline)
        left, right = shown(statement.lhs), shown(statement.rhs)
        return f"{left} {_RELATIONS[statement.rel_op]} {right}"
    if isinstance(statement, sympy.And):
        joined = rf" \text{{ {said['and']} }} "
        return joined.join(sorted(_grouped(again(a), isinstance(a, sympy.Or)) for a in statement.args))
    if isinstance(statement, sympy.Or):
        joined = rf" \text{{ {said['or']} }} "
        return joined.join(sorted(_grouped(again(a), isinstance(a, sympy.And)) for a in statement.args))
    if isinstance(statement, sympy.Not):
        return rf"\text{{{said['not']} }}({again(statement.args[0])})"
    if statement in (sympy.true, sympy.false):
        return rf"\text{{{said['always' if statement == sympy.true else 'never']}}}"
    raise RoofproofError(f"no LaTeX for {quoted(statement)}: expected a relation, or several joined by and and or")


def condition_rows(
    statement: sympy.Basic, limit: float, *, lang: str = "en", order: Sequence[sympy.Expr] = (), siunitx: bool = False
) -> list[str]:
    r"""Return a condition on rows no wider than a limit in em, broken before `and` and `or`.

    >>> from roofproof.symbols import dimension
    >>> B, D, F = map(dimension, "BDF")
    >>> condition_rows((B > D) & (D > F), 5)
    ['B > D', '\\text{and } D > F']
    """
    whole = condition(statement, lang=lang, order=order, siunitx=siunitx)
    if width(whole) <= limit or not isinstance(statement, sympy.And | sympy.Or):
        return [whole]
    word = words(lang)["and" if isinstance(statement, sympy.And) else "or"]
    rows: list[str] = []
    members = [condition_rows(a, limit - 3, lang=lang, order=order, siunitx=siunitx) for a in statement.args]
    grouped = [isinstance(a, sympy.And | sympy.Or) for a in statement.args]
    for member, group in sorted(zip(members, grouped, strict=True)):
        first, *rest = [f"({member[0]}", *member[1:-1], *member[1:][-1:]] if group else member
        lines = [first, *(rf"\quad {each}" for each in rest)]
        lines[-1] += ")" * group
        if not rows:
            rows = lines
        elif len(lines) == 1 and width(longer := rf"{rows[-1]} \text{{ {word} }} {lines[0]}") <= limit:
            rows[-1] = longer
        else:
            rows += [rf"\text{{{word} }} {lines[0]}", *lines[1:]]
    return rows


def _stacked(rows: Sequence[str]) -> str:
    return r"\begin{aligned} & " + r" \\ & ".join(rows) + r" \end{aligned}"


def threshold(
    unknown: sympy.Symbol,
    bound: Threshold,
    *,
    lang: str = "en",
    form: str = "fraction",
    order: Sequence[sympy.Expr] = (),
    siunitx: bool = False,
    display: bool = False,
    inline: bool = False,
) -> str:
    r"""Return a threshold: `B > 240`, `1 < B < 4`, the word for never or always.

    >>> from roofproof.symbols import dimension
    >>> B = dimension("B")
    >>> print(threshold(B, Between(sympy.Integer(1), sympy.Rational(7, 2))), threshold(B, Never()))
    1 < B < \frac{7}{2} \text{never}

    The bounds are written as `latex` writes them in that `form`.
    """
    said = words(lang)
    shown = partial(latex, form=form, order=order, siunitx=siunitx, display=display, inline=inline)
    again = partial(
        threshold, unknown, lang=lang, form=form, order=order, siunitx=siunitx, display=display, inline=inline
    )
    x = latex(unknown)
    match bound:
        case Above(at, strict):
            return f"{x} {'>' if strict else _RELATIONS['>=']} {shown(at)}"
        case Below(at, strict):
            return f"{x} {'<' if strict else _RELATIONS['<=']} {shown(at)}"
        case Between(low, high, strict):
            sign = "<" if strict else _RELATIONS["<="]
            return f"{shown(low)} {sign} {x} {sign} {shown(high)}"
        case Outside(low, high, strict):
            return rf"{again(Below(low, strict))} \text{{ {said['or']} }} {again(Above(high, strict))}"
        case Several(parts, join):
            return rf" \text{{ {said[join]} }} ".join(again(part) for part in parts)
        case Always() | Never():
            return rf"\text{{{said[bound.kind]}}}"


def cases(
    found: Cases,
    *,
    lang: str = "en",
    form: str = "fraction",
    order: Sequence[sympy.Expr] = (),
    siunitx: bool = False,
    split: float = 1000.0,
) -> str:
    r"""Return a threshold with the condition under which each case holds.

    >>> from roofproof.symbols import dimension, quantity
    >>> B, D, R = dimension("B"), dimension("D"), quantity("R")
    >>> from roofproof.derive.inequalities.cases import Case
    >>> print(cases(Cases(B, (Case(D > R, Above(R*D/(D - R))), Case(D <= R, Never())))))
    \begin{cases}
      B > \dfrac{RD}{D - R} & \text{when}\ D > R, \\
      \text{never} & \text{otherwise}.
    \end{cases}

    One case that holds everywhere is written without braces; conditions wider than `split`, in em, take several rows.
    """
    said = words(lang)
    bound = partial(
        threshold, found.unknown, lang=lang, form=form, order=order, siunitx=siunitx, display=len(found) > 1
    )
    if len(found) == 1 and found.cases[0].when == sympy.true:
        return bound(found.cases[0].threshold)
    rows = []
    for case in found:
        if len(found) > 1 and case is found.cases[-1]:
            where = rf"\text{{{said['otherwise']}}}"
        else:
            pieces = condition_rows(case.when, split, lang=lang, order=order, siunitx=siunitx)
            stacked = pieces[0] if len(pieces) == 1 else _stacked(pieces)
            where = rf"\text{{{said['when']}}}\ {stacked}"
        rows.append(f"  {bound(case.threshold)} & {where}")
    return "\\begin{cases}\n" + ", \\\\\n".join(rows) + ".\n\\end{cases}"


def _grouped(text: str, group: bool) -> str:
    return rf"\left({text}\right)" if group else text


def _divides(statement: sympy.Basic) -> str | None:
    r"""Return `b \mid B` for B mod b = 0."""
    if isinstance(statement, sympy.Equality) and isinstance(statement.lhs, sympy.Mod) and statement.rhs == 0:
        whole, part = statement.lhs.args
        return rf"{latex(part)} \mid {latex(whole)}"
    return None
