"""Limits of powers, logarithms and exponentials, confirmed by the series expansion that finds them.

The same expansion is applied to the difference between the function and its limit, which rejects any other limit. This
is not an independent check. Some large values are sampled too. None of this is proved by the kernel.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from roofproof.errors import RoofproofError
from roofproof.proofs.assumptions import NUMBERS, positive
from roofproof.proofs.kernel.terms import Formula, Term, variables
from roofproof.proofs.oracles import sampling
from roofproof.proofs.oracles.points import Point, value_at

FAR, BITS = (64, 256, 1_024), 128


def refusal(goal: Formula, assumptions: Sequence[Formula]) -> str:
    """Return why a limit is not confirmed, or '' if the function minus the value tends to zero by its expansion.

    >>> t = Term("v", "t")
    >>> over = Term("/", Term("log2", t), t)
    >>> refusal(("tends", over, ("t",), ("q", 0, 1)), ()), refusal(("tends", over, ("t",), ("q", 1, 1)), ())
    ('', 'the difference does not tend to zero')

    >>> refusal(("tends", ("/", ("q", 1, 1), ("*", ("q", -1, 1), t)), ("t",), ("q", 0, 1)), ())
    'a denominator may not be positive far out'

    The approach to the limit is also checked at one point of the other names.
    """
    from roofproof.derive.limits.expansion import leading_term, vanishes
    from roofproof.proofs.translate import to_condition, to_expr
    from roofproof.symbols import quantity

    head, *parts = goal
    if head != "tends" or len(parts[1]) != 1:
        return "it is no limit as one positive variable grows"
    f, (grows,), value = parts
    if grows in variables(value) or any(grows in variables(a) for a in assumptions):
        return "the variable that grows is in what must not depend on it"
    try:
        difference, *assumed = (to_expr(f) - to_expr(value), *map(to_condition, assumptions))
        if not vanishes(difference, quantity(grows), assumed):
            return "the difference does not tend to zero"
        if f[:2] == ("/", ("q", 1, 1)) and leading_term(to_expr(f[2]), quantity(grows), assumed)[2] != 1:
            return "a denominator may not be positive far out"  # f -> oo is stated as 1/f -> 0
    except RoofproofError as problem:
        return str(problem)
    return "" if _nearer(f, grows, value, assumptions) else "it does not come nearer at the points looked at"


def _nearer(f: Term, grows: str, value: Term, assumptions: Sequence[Formula]) -> bool:
    """Return whether a function approaches a value as a variable grows, at one point of the other variables."""
    others = sorted(frozenset[str]().union(*map(variables, (f, value, *assumptions))) - {grows, *NUMBERS})
    place = sampling.find([*positive(others), *assumptions], tries=1_000) if others else {}
    if place is None:
        return True
    gaps = []
    for far in FAR:
        point: Point = {**place, grows: Fraction(far)}
        try:
            a, b = (value_at(t, point, BITS) for t in (f, value))
        except ArithmeticError:
            continue
        gaps.append(max(a[1] - b[0], b[1] - a[0]))
    return len(gaps) < 2 or gaps[-1] <= gaps[0] or gaps[-1] < Fraction(1, 1_000)
