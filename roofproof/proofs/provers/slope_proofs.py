"""Proving least values, and comparisons of one variable, by the sign of a slope."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from roofproof.derive.algebra.budget import Budget
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import ZERO, Formula, KernelError, Term, minus, substitute
from roofproof.proofs.known import Known, warranted
from roofproof.proofs.oracles.slopes import BySlope, at_the_place, slope, smooth_where
from roofproof.proofs.search import tactics
from roofproof.proofs.search.handelman import terms_with
from roofproof.proofs.search.logarithm_lemmas import logarithm_lemmas
from roofproof.proofs.search.rising_lemmas import rising_lemmas
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import LN2

STEPS = 300_000
LN2_BOUNDS: tuple[Formula, ...] = ((">", LN2, ("q", 693, 1000)), (">", ("q", 694, 1000), LN2))


def least_at(f: Term, x: str, at: Term, given: Sequence[Formula] = ()) -> Known | None:
    """Return that a term is more than at one place wherever its variable is another, None where that is not proved.

    >>> x = ("v", "x")
    >>> known = least_at(("+", ("*", x, x), ("/", ("q", 16, 1), x)), "x", ("q", 2, 1))          # 2 x - 16/x^2
    >>> known.statement.says
    'x = 2 or x*x + 16/x > 2*2 + 16/2'
    """
    goal: Formula = ("or", ("=", ("v", x), at), (">", f, substitute(f, {x: at})))
    return _by_slope(goal, f, x, at, given)


def more_by_slope(goal: Formula, x: str, at: Term, given: Sequence[Formula] = ()) -> Known | None:
    """Return a comparison whose difference is least at a place, where it holds; None where that is not proved.

    >>> x = ("v", "x")
    >>> more_by_slope((">", x, ("log2", x)), "x", ("/", ("q", 1, 1), LN2)).trust                # 1 - 1/(x log(2))
    'algebra'
    """
    return _by_slope(goal, minus(*goal[1:]), x, at, given)


def _by_slope(goal: Formula, difference: Term, x: str, at: Term, given: Sequence[Formula]) -> Known | None:
    with suppress(KernelError):
        turn, name = slope(difference, x), ("v", x)
        below = _proved((">", ZERO, turn), (*given, (">", at, name)))
        above = _proved((">", turn, ZERO), (*given, (">", name, at))) if below is not None else None
        if below is None or above is None:
            return None
        own = list(smooth_where(difference, x))
        smooth = [_proved(f, given) for f in dict.fromkeys([*own, *at_the_place(own, given, x, at)])]
        kept = tuple(t for t in smooth if t is not None)
        return warranted(Statement("", tuple(given), goal), BySlope(x, at, below, above, kept))
    return None


def _proved(goal: Formula, given: Sequence[Formula]) -> Theorem | None:
    numbers = LN2_BOUNDS if LN2 in terms_with(("v",), goal, *given) else ()
    hard = terms_with(("power", "log2"), goal, *given)
    lemmas = [*rising_lemmas([goal, *given]), *logarithm_lemmas([goal, *given])] if hard else []
    formulas = [goal, *given, *numbers, *(t.conclusion for t in lemmas)]
    return tactics.Search(formulas, Budget(STEPS), not lemmas).prove(goal, [*given, *numbers], lemmas)
