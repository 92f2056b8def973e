"""Minima by the slope: a function that falls before a point and rises after it is least there.

The kernel proves the sign of the slope. It does not prove the rules of calculus: the slope itself, and that its sign
determines where the function rises.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from roofproof.proofs.assumptions import LN2, NUMBERS, ONE, TWO
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import ZERO, Formula, KernelError, Term, minus, substitute, variables
from roofproof.proofs.oracles.points import holds


def slope(t: Term, x: str) -> Term:
    """Return the derivative of a term with respect to a variable.

    >>> slope(Term("*", Term("v", "a"), Term("^", Term("v", "x"), 3)), "x")                                   # a 3 x^2
    ('*', ('v', 'a'), ('*', ('q', 3, 1), ('^', ('v', 'x'), 2)))
    >>> slope(Term("log2", Term("v", "x")), "x")                                                      # 1/(x log(2))
    ('/', ('q', 1, 1), ('*', ('v', 'x'), ('v', 'log(2)')))

    Raises KernelError for a term without a slope, such as a maximum or a rounded value.
    """
    if x not in variables(t):
        return ZERO
    match t:
        case ("v", _):
            return ONE
        case ("+", *parts):
            return _sum([slope(p, x) for p in parts])
        case ("*", *parts):
            return _sum([_product([*parts[:k], slope(p, x), *parts[k + 1 :]]) for k, p in enumerate(parts)])
        case ("/", above, below):
            first, second = (_product([a, slope(b, x)]) for a, b in ((below, above), (above, below)))
            return Term("/", first if second == ZERO else minus(first, second), Term("^", below, 2))
        case ("^", base, n):
            return _product(
                [Term("q", n, 1), Term("^", base, n - 1) if n > 2 else base if n == 2 else ONE, slope(base, x)]
            )
        case ("sqrt", inside):
            return Term("/", slope(inside, x), Term("*", TWO, t))
        case ("log2", inside):
            return Term("/", slope(inside, x), Term("*", inside, LN2))
        case ("power", base, exponent) if x not in variables(exponent):
            return Term("/", _product([exponent, t, slope(base, x)]), base)
        case ("power", base, exponent) if x not in variables(base):
            return _product([t, LN2, Term("log2", base), slope(exponent, x)])
    raise KernelError(f"no slope of {t[0]}")


def _sum(parts: Sequence[Term]) -> Term:
    kept = [p for p in parts if p != ZERO]
    return Term("+", *kept) if len(kept) > 1 else kept[0] if kept else ZERO


def _product(parts: Sequence[Term]) -> Term:
    kept = [p for p in parts if p != ONE]
    return ZERO if ZERO in kept else Term("*", *kept) if len(kept) > 1 else kept[0] if kept else ONE


def smooth_where(t: Term, x: str) -> Iterator[Formula]:
    """Yield the conditions for a term to have a slope: nonzero divisors, positive arguments of roots and logarithms.

    >>> list(smooth_where(Term("/", Term("sqrt", Term("v", "x")), Term("v", "a")), "x"))
    [('not', ('=', ('v', 'a'), ('q', 0, 1))), ('>', ('v', 'x'), ('q', 0, 1))]
    """
    if t[0] == "/":
        yield Formula("not", Formula("=", t[2], ZERO))
    for part in t.parts:
        yield from smooth_where(part, x)
    if t[0] in ("sqrt", "log2", "power"):
        yield Formula(">", t[1], ZERO)


class StatementLike(Protocol):
    """The attributes of a statement that a warrant reads."""

    @property
    def goal(self) -> Formula: ...
    @property
    def assumptions(self) -> tuple[Formula, ...]: ...
    @property
    def somewhere(self) -> bool: ...
    @property
    def reals(self) -> frozenset[str]: ...
    def positive(self) -> list[Formula]: ...


def refusal(
    statement: StatementLike,
    variable: str,
    c: Term,
    below: Theorem,
    above: Theorem,
    smooth: Sequence[Theorem],
    gives: Theorem | None = None,
) -> str:
    """Return why theorems about the slope on both sides of a point do not warrant a statement, or '' if they do."""
    x = Term("v", variable)
    goal = statement.goal
    if gives is not None:
        if gives.conclusion[0] != "=>" or gives.conclusion[2] != goal:
            return "the theorem gives another statement"
        if not _follows(gives, (*statement.assumptions, *statement.positive())):
            return "the theorem assumes more"
        goal = gives.conclusion[1]
    if statement.somewhere or statement.reals or variable in variables(c):
        return "a slope is taken for all positive values of the variable"
    match goal:
        case ("or", ("=", left, right), (">", f, least)) if (left, right) == (x, c):
            difference = f
            if least != substitute(f, {variable: c}):
                return "it is not the value at the place"
        case (">" | ">=" as relation, f, g):
            difference = minus(f, g)
            left_out = any((">", *pair) in statement.assumptions for pair in ((x, c), (c, x)))
            sides = (substitute(t, {variable: c}) for t in (f, g))
            there = Formula(">=" if left_out else relation, *sides)
            if variables(there) - NUMBERS or not holds(there, {}):
                return "it is not so at the place"
        case _:
            return "it does not compare values"
    if any(variable in variables(a) and not _bound(a, x) for a in statement.assumptions):
        return "what is assumed may leave gaps"
    try:
        turn = slope(difference, variable)
    except KernelError as problem:
        return str(problem)
    given = (*statement.assumptions, *statement.positive())
    for theorem, goal, more in (
        (below, Formula(">", ZERO, turn), Formula(">", c, x)),
        (above, Formula(">", turn, ZERO), Formula(">", x, c)),
    ):
        if theorem.conclusion != goal or not _follows(theorem, (*given, more)):
            return "the sign of the slope is not proved"
    said = {t.conclusion for t in smooth if _follows(t, given)}
    own = list(smooth_where(difference, variable))
    needed = {*own, *at_the_place(own, statement.assumptions, variable, c)}
    return "" if needed <= said | set(given) else "that there is a slope everywhere is not proved"


def at_the_place(smooth: Sequence[Formula], given: Sequence[Formula], x: str, c: Term) -> Iterator[Formula]:
    """Yield the conditions on a point: there is a slope, and it lies in the range of the variable or at its end.

    >>> list(at_the_place([], [Formula(">", Term("v", "x"), Term("q", 3, 1))], "x", Term("v", "c")))
    [('>', ('v', 'c'), ('q', 0, 1)), ('>=', ('v', 'c'), ('q', 3, 1))]
    """
    yield Formula(">", c, ZERO)
    yield from (substitute(f, {x: c}) for f in smooth)
    yield from (substitute(Formula(">=", *f[1:]), {x: c}) for f in given if x in variables(f))


def _bound(assumed: Formula, x: Term) -> bool:
    """Return whether an assumption bounds the variable by a number."""
    return assumed[0] in (">", ">=") and x in assumed[1:] and any(side[0] == "q" for side in assumed[1:])


def _follows(theorem: Theorem, given: Sequence[Formula]) -> bool:
    """Return whether a theorem assumes only the given formulas and true facts about numbers such as `log(2)`."""
    return all(h in given or (not variables(h) - NUMBERS and holds(h, {})) for h in theorem.hypotheses)
