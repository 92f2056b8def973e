r"""Conditions and thresholds in LaTeX: relations, `and` and `or` as words, cases with their conditions."""

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Unpack

import sympy

from roofproof.derive.inequalities.cases import Above, Below, Between, Cases, Outside, Several, Threshold
from roofproof.errors import RoofproofError, quoted
from roofproof.export.latex.expressions import Notation, latex
from roofproof.export.latex.words import between, words

_APART = "[2.5ex]"  # space below a row, without which displayed fractions would touch
_RELATIONS = {"==": "=", "!=": r"\neq", "<": "<", "<=": r"\leq", ">": ">", ">=": r"\geq"}


def condition(statement: sympy.Basic, *, lang: str = "en", **notation: Unpack[Notation]) -> str:
    r"""Return a condition: a relation, or several joined by words.

    >>> from roofproof.symbols import dimension, quantity
    >>> (D, F), R = map(dimension, "DF"), quantity("R")
    >>> print(condition(1/D + 1/F < 1/R))
    \frac{1}{D} + \frac{1}{F} < \frac{1}{R}
    >>> print(condition((D > R) & (F > R)))
    D > R \text{ and } F > R

    Raises RoofproofError for any other statement.
    """
    if isinstance(statement, sympy.core.relational.Relational):
        if divides(statement):
            whole, part = statement.lhs.args
            return rf"{latex(part)} \mid {latex(whole)}"
        if isinstance(statement.lhs, sympy.Mod):
            return rf"{latex(statement.lhs.args[0])} \bmod {latex(statement.lhs.args[1])} = {latex(statement.rhs)}"
        return f"{latex(statement.lhs, **notation)} {_RELATIONS[statement.rel_op]} {latex(statement.rhs, **notation)}"
    said = words(lang)
    again = partial(condition, lang=lang, **notation)
    if isinstance(statement, sympy.And | sympy.Or):
        parts = (
            rf"\left({again(a)}\right)" if isinstance(a, sympy.And | sympy.Or) else again(a) for a in statement.args
        )
        return between(said[_joint(statement)]).join(sorted(parts))
    if isinstance(statement, sympy.Not):
        return rf"\text{{{said['not']} }}({again(statement.args[0])})"
    if statement in (sympy.true, sympy.false):
        return rf"\text{{{said['always' if statement == sympy.true else 'never']}}}"
    raise RoofproofError(f"no LaTeX for {quoted(statement)}: expected a relation, or several joined by and and or")


def divides(statement: sympy.Basic) -> bool:
    """Return whether a condition states that one size divides another: B mod b = 0."""
    return isinstance(statement, sympy.Equality) and isinstance(statement.lhs, sympy.Mod) and statement.rhs == 0


def _joint(statement: sympy.Basic) -> str:
    return "and" if isinstance(statement, sympy.And) else "or"


def threshold(
    unknown: sympy.Symbol,
    bound: Threshold,
    *,
    lang: str = "en",
    shown: Callable[[sympy.Expr], str] | None = None,
    form: str = "fraction",
    **notation: Unpack[Notation],
) -> str:
    r"""Return a threshold: `B > 240`, `1 < B < 4`, the word for never or always.

    >>> from roofproof.symbols import dimension
    >>> from roofproof.derive.inequalities.cases import Never
    >>> B = dimension("B")
    >>> print(threshold(B, Between(sympy.Integer(1), sympy.Rational(7, 2))), threshold(B, Never()))
    1 < B < \frac{7}{2} \text{never}

    The bounds are formatted by `latex` in that `form`, or by `shown`.
    """
    said, x = words(lang), latex(unknown)
    shown = shown or partial(latex, form=form, **notation)

    def sign(strict: bool, relation: str) -> str:
        return relation if strict else _RELATIONS[f"{relation}="]

    match bound:
        case Above(at, strict):
            return f"{x} {sign(strict, '>')} {shown(at)}"
        case Below(at, strict):
            return f"{x} {sign(strict, '<')} {shown(at)}"
        case Between(low, high, strict):
            return f"{shown(low)} {sign(strict, '<')} {x} {sign(strict, '<')} {shown(high)}"
        case Outside(low, high, strict):
            sides = f"{x} {sign(strict, '<')} {shown(low)}", f"{x} {sign(strict, '>')} {shown(high)}"
            return between(said["or"]).join(sides)
        case Several(parts, join):
            told = (threshold(unknown, part, lang=lang, shown=shown) for part in parts)
            return between(said[join]).join(told)
    return rf"\text{{{said[bound.kind]}}}"


def cases(found: Cases, *, lang: str = "en", form: str = "fraction", **notation: Unpack[Notation]) -> str:
    r"""Return a threshold as cases, each with its condition.

    >>> from roofproof.symbols import dimension, quantity
    >>> B, D, R = dimension("B"), dimension("D"), quantity("R")
    >>> from roofproof.derive.inequalities.cases import Case, Never
    >>> print(cases(Cases(B, (Case(D > R, Above(R*D/(D - R))), Case(D <= R, Never())))))
    \begin{cases}
      B > \dfrac{RD}{D - R} & \text{when}\ D > R, \\
      \text{never} & \text{otherwise}.
    \end{cases}

    A single case without a condition has no braces.
    """
    said = words(lang)
    if len(found) == 1 and found.cases[0].when == sympy.true:
        return threshold(found.unknown, found.cases[0].threshold, lang=lang, form=form, **notation)
    rows, displayed = [], notation.copy()
    displayed["display"] = len(found) > 1
    for case in found:
        bound = threshold(found.unknown, case.threshold, lang=lang, form=form, **displayed)
        if len(found) > 1 and case is found.cases[-1]:
            where = rf"\text{{{said['otherwise']}}}"
        else:
            where = rf"\text{{{said['when']}}}\ {condition(case.when, lang=lang, **notation)}"
        rows.append(f"  {bound} & {where}")
    comma, stop = (", ", ".") if said.language == "en" else (" ", "")  # a formula in Chinese ends without punctuation
    ends = [f"{comma}\\\\" + (_APART if "dfrac" in a and "dfrac" in b else "") for a, b in pairwise(rows)] + [stop]
    return "\n".join(("\\begin{cases}", *map("".join, zip(rows, ends, strict=True)), "\\end{cases}"))
