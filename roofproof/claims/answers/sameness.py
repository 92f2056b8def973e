"""Whether an answer is the right one, as known: by a theorem, by exact numbers, or refuted at a point."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from math import floor
from typing import TYPE_CHECKING

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.derive.inequalities.cases import Threshold
from roofproof.derive.roofline.allowed_sizes import Allowed, divided_by
from roofproof.errors import RoofproofError
from roofproof.proofs.kernel.terms import Formula, KernelError, Term, variables
from roofproof.proofs.known import (
    ByCounterexample,
    ByEveryInteger,
    ByExactValue,
    Known,
    Open,
    by_kernel,
    holds,
    warranted,
)
from roofproof.proofs.oracles import sampling
from roofproof.proofs.provers.statements import Refuted, prove_statement
from roofproof.proofs.search.polynomials import terms_with
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import to_formula, with_functions

if TYPE_CHECKING:
    from roofproof.proofs.oracles.points import Point

STEPS = 300_000  # of the search for a proof that two answers say the same
FEW = 20_000  # integers that are looked at one by one
TRIES = 40  # points looked at where a formula is asked of several sizes


def equality(a: sympy.Expr, b: sympy.Expr, when: Boolean = sympy.true) -> Statement:
    """State that two values are equal, for all sizes that meet a condition.

    >>> B = sympy.Symbol("B", positive=True)
    >>> equality(B / (B + 1), 1 / (1 + 1 / B)).says
    'B/(1 + B) = 1/(1 + 1/B)'
    """
    goal = Formula("=", with_functions(a), with_functions(b))
    return Statement("", tuple(f for f in (to_formula(when, with_functions),) if f != ("true",)), goal)


def equivalence(a: Threshold, b: Threshold, sizes: Allowed, *more: Boolean) -> Statement:
    """State that two solutions hold for the same integers, among those that sizes may be.

    >>> from roofproof.derive.inequalities.cases import Above
    >>> B, above = sympy.Symbol("B", positive=True), Above(sympy.Rational(1091, 4))
    >>> equivalence(above, Above(sympy.Integer(273), strict=False), Allowed(B)).says             # 272.75 and 273
    'B > 1091/4 <=> B >= 273 where int(B) and B >= 1'
    """
    x, whole = sizes.unknown, list[Formula]()
    name = Term("v", x.name)
    given = [to_formula(c, with_functions) for c in (*more, *sizes.bounds)]
    goal = Formula("<=>", *(to_formula(t.holds(x), with_functions) for t in (a, b)))
    if sizes.multiple_of > 1:
        whole.append(Formula("int", Term("/", name, Term("q", sizes.multiple_of, 1))))
    for size in divided_by(x, sizes.whole):
        whole.append(Formula("int", Term("/", Term("q", size, 1), name)))
        given.append(Formula(">=", Term("q", size, 1), name))
    for other in (c for c in sizes.whole if not divided_by(x, [c])):
        whole.append(to_formula(other.replace(sympy.Mod, lambda a, b: a - b * sympy.floor(a / b))))
    if whole:
        goal = Formula("=>", whole[0] if len(whole) == 1 else Formula("and", *whole), goal)
    return Statement(
        "", (*(f for f in given if f != ("true",)), Formula("int", name), Formula(">=", name, Term("q", 1, 1))), goal
    )


def denied(said: Statement) -> Statement:
    """State that a statement fails somewhere.

    >>> denied(equality(sympy.Integer(2), sympy.Integer(3))).says
    'not(2 = 3) somewhere'
    """
    return replace(said, goal=Formula("not", said.goal), somewhere=True)


@lru_cache(maxsize=2_000)
def settled(said: Statement) -> Known:
    """Return a statement as known, or where it fails, or that neither was found.

    >>> B = sympy.Symbol("B", positive=True)
    >>> settled(equality(B / (B + 1), 1 / (1 + 1 / B))).trust
    'kernel'
    >>> settled(equality(2 * B, B**2)).statement.says, settled(equality(2 * B, B**2)).warrant.point
    ('not(2*B = B^2) somewhere', {'B': Fraction(1, 1)})
    """
    if not said.names:
        known = warranted(said, ByExactValue({})) or warranted(denied(said), ByCounterexample({}))
        return known or _decided(said)
    if (failed := next(_failures(said), None)) is not None:
        return failed
    if (
        said.goal[0] == "=>"
        and (most := min(_dividends(said.goal, Term("v", said.integers[0])), default=FEW + 1)) <= FEW
    ):
        return warranted(said, ByEveryInteger(said.integers[0], 1, most)) or _decided(said)
    if said.goal[0] != "=":
        return _decided(said)
    from roofproof.proofs.search.short_proofs import identical

    if (same := identical(said.goal, sorted(variables(said.goal)))) is not None:
        # where a divisor is zero a formula has no value, and the two need not have the same one
        defined = tuple(h for h in sorted(same.hypotheses) if h[0] == "not")
        known = by_kernel(replace(said, assumptions=(*said.assumptions, *defined)), same)
        return known or _decided(said)
    return _decided(said)


def _failures(said: Statement) -> Iterator[Known]:
    """Yield where a statement fails: beside the numbers that it compares a size with, or at a point that is met."""
    wanted = [*said.assumptions, Formula("not", said.goal)]
    for point in _beside_ends(said) if said.goal[0] != "=" else ():
        if all(holds(f, point) for f in wanted) and (known := warranted(denied(said), ByCounterexample(point))):
            yield known
    if len(said.names) > 1 or said.goal[0] == "=":
        met = sampling.find(wanted, said.integers, tries=TRIES)
        if met is not None and (known := warranted(denied(said), ByCounterexample(met))) is not None:
            yield known


def _beside_ends(said: Statement) -> Iterator[Point]:
    """Yield points at which the size that is asked for lies beside each number that it is compared with."""
    [name] = said.integers
    x, others = Term("v", name), sorted(said.names - {name})
    given = [f for f in said.assumptions if name not in variables(f)]
    found = sampling.find([*given, *(Formula(">", Term("v", n), Term("q", 0, 1)) for n in others)]) if others else {}
    for k in (1, 8, 64, 512) if others else (1,):
        point = None if found is None else {n: v * k for n, v in found.items()}
        if point is None or not all(holds(f, point) for f in given):
            continue
        tried = {1}
        for side in _compared(said.goal, x):
            with suppress(ArithmeticError, KernelError, KeyError):
                value, steps = sampling.value(side, point), [1, *_steps(said.goal, x)]
                tried |= {(floor(value / step) + k) * step for step in steps for k in (-1, 0, 1, 2)}
        for size in _dividends(said.goal, x):
            tried |= set(sympy.divisors(size))
        yield from ({**point, name: Fraction(n)} for n in sorted(tried) if n >= 1)


def _dividends(f: Formula, x: Term) -> list[int]:
    """Return the numbers that a size divides, as the formula has it."""
    return [t[1][1] for t in terms_with(("/",), f) if t[1][0] == "q" and t[2] == x]


def _steps(f: Formula, x: Term) -> list[int]:
    """Return the numbers that a size is a multiple of, as the formula has it."""
    return [t[2][1] for t in terms_with(("/",), f) if t[1] == x and t[2][0] == "q"]


def _compared(f: Formula, x: Term) -> Iterator[Term]:
    if f[0] in (">", ">=", "=") and x in f[1:]:
        yield from (side for side in f[1:] if side != x)
    elif f[0] in ("and", "or", "not", "<=>", "=>"):
        for part in f[1:]:
            yield from _compared(part, x)


def _decided(said: Statement) -> Known:
    """Decide a statement as the judge of claims does, or by a search where it has logarithms."""
    try:
        if terms_with(("log2", "power"), said.goal):
            return prove_statement(said)
        from roofproof.claims.judge.decide_formula import decide  # a fifth of the start, for few answers
        from roofproof.claims.judge.domain import Domain, defined_where

        whole = {
            f
            for n in said.integers
            for f in (Formula("int", Term("v", n)), Formula(">=", Term("v", n), Term("q", 1, 1)))
        }
        given = tuple(f for f in said.assumptions if f not in whole)
        defined = defined_where(said.goal, sorted(said.names))
        domain = Domain(integers=frozenset(said.integers), assumptions=(*given, *defined))
        found = decide(said.goal, domain, steps=STEPS)
        return found.known[0] if len(found.known) == 1 else Known(said, Open(found.reason))
    except Refuted as failed:
        return Known(denied(said), ByCounterexample(failed.counterexample))
    except (KernelError, RoofproofError) as outside:
        return Known(said, Open(str(outside)))
