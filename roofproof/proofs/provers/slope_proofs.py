"""Proofs of minima, and of comparisons in one variable, by the sign of a slope."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from roofproof.derive.algebra.budget import Budget
from roofproof.derive.algebra.polynomial import terms
from roofproof.proofs.assumptions import LN2
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import ZERO, Formula, KernelError, Term, minus, substitute, variables
from roofproof.proofs.kernel.transcendental import log_of
from roofproof.proofs.known import BySlope, Known, warranted
from roofproof.proofs.oracles.slopes import at_the_place, slope, smooth_where
from roofproof.proofs.search import tactics
from roofproof.proofs.search.logarithms import (
    logarithm_lemmas,
    number_bounds,
    of_primes,
    power_log_links,
    rising_lemmas,
)
from roofproof.proofs.search.polynomials import Ring, terms_with
from roofproof.proofs.search.short_proofs import by_sign
from roofproof.proofs.statement import Statement

STEPS = 300_000
LN2_BOUNDS: tuple[Formula, ...] = (Formula(">", LN2, Term("q", 693, 1000)), Formula(">", Term("q", 694, 1000), LN2))


def least_at(f: Term, x: str, at: Term, given: Sequence[Formula] = ()) -> Known | None:
    """Prove that a term is larger at every other value of its variable than at a given point, or return None.

    >>> x = Term("v", "x")
    >>> f = Term("+", Term("*", x, x), Term("/", Term("q", 16, 1), x))
    >>> known = least_at(f, "x", Term("q", 2, 1))                                               # 2 x - 16/x^2
    >>> known.statement.says
    'x = 2 or x*x + 16/x > 2*2 + 16/2'
    """
    goal = Formula("or", Formula("=", Term("v", x), at), Formula(">", f, substitute(f, {x: at})))
    return _by_slope(goal, f, x, at, given)


def more_by_slope(goal: Formula, x: str, at: Term, given: Sequence[Formula] = ()) -> Known | None:
    """Prove a comparison whose difference is least at a point at which the comparison holds, or return None.

    >>> x = Term("v", "x")
    >>> more_by_slope(Formula(">", x, Term("log2", x)), "x", Term("/", Term("q", 1, 1), LN2)).trust  # 1 - 1/(x log(2))
    'algebra'
    """
    return _by_slope(goal, minus(*goal[1:]), x, at, given)


def in_logarithms(goal: Formula, x: str) -> Theorem | None:
    """Derive a comparison with a power that has the variable in its exponent from the comparison of the logarithms.

    >>> n, two = Term("v", "n"), Term("q", 2, 1)
    >>> print(in_logarithms(Formula(">", Term("power", two, n), Term("^", n, 2)), "n"))
    n > 0 |- n > 2*log2(n) => power(2, n) > n^2
    """
    sides = [t for t in goal[1:] if any(x in variables(p[2]) for p in terms_with(("power",), t))]
    if goal[0] not in (">", ">=") or not sides:
        return None
    [power, *_] = sides
    other = goal[2] if power is goal[1] else goal[1]
    with suppress(KernelError):
        lemmas = [*power_log_links(other, power), *of_primes(other)]
        sides = [_shown(log_of(t, [])) for t in goal.sides]
        found = tactics.prove(Formula("=>", Formula(goal.head, *sides), goal), [], lemmas)
        return None if found is None else tactics.without_given(found)
    return None


def _shown(t: Term) -> Term:
    """Return a sum or product of logarithms without factors 1."""
    match t:
        case ("*", a, ("q", 1, 1)):
            return _shown(a)
        case (head, *parts) if head in ("+", "*"):
            return Term(head, *map(_shown, parts))
    return t


def carried_by_slope(theorem: Theorem, x: str, at: Term, given: Sequence[Formula] = ()) -> Known | None:
    """Prove the conclusion of a theorem whose premise is a comparison that holds where its difference is least."""
    _, comparison, goal = theorem.conclusion
    return _by_slope(goal, minus(*comparison[1:]), x, at, given, theorem)


def _by_slope(
    goal: Formula, difference: Term, x: str, at: Term, given: Sequence[Formula], gives: Theorem | None = None
) -> Known | None:
    with suppress(KernelError):
        turn, name = slope(difference, x), Term("v", x)
        below = _proved(Formula(">", ZERO, turn), (*given, Formula(">", at, name)))
        above = _proved(Formula(">", turn, ZERO), (*given, Formula(">", name, at))) if below is not None else None
        if below is None or above is None:
            return None
        own = list(smooth_where(difference, x))
        smooth = [_proved(f, given) for f in dict.fromkeys([*own, *at_the_place(own, given, x, at)])]
        kept = tuple(t for t in smooth if t is not None)
        return warranted(Statement("", tuple(given), goal), BySlope(x, at, below, above, kept, gives))
    return None


def _proved(goal: Formula, given: Sequence[Formula]) -> Theorem | None:
    numbers = LN2_BOUNDS if LN2 in terms_with(("v",), goal, *given) else ()
    hard = terms_with(("power", "log2"), goal, *given)
    own = [goal, *given]
    lemmas = [*rising_lemmas(own), *logarithm_lemmas(own), *number_bounds(own)] if hard else []
    formulas = [*own, *numbers, *(t.conclusion for t in lemmas)]
    return tactics.Search(formulas, Budget(STEPS), not lemmas).prove(goal, [*given, *numbers], lemmas)


def without_common_factor(goal: Formula) -> Theorem | None:
    """Derive a comparison from the one without the positive factors of its difference, or None if there are no factors.

    >>> n = Term("v", "n")
    >>> print(without_common_factor(Formula(">=", Term("^", n, 2), Term("*", n, Term("log2", n)))))
    n > 0 |- 1*n >= 1*log2(n) => n^2 >= n*log2(n)
    """
    try:
        polynomial = kernel.polynomial(goal, sorted(variables(goal)))
        ring = Ring([polynomial], variables(goal))
        outer, inner = ring.split(ring.poly(polynomial))
        more, less = ({m: s * c for m, c in terms(inner).items() if s * c > 0} for s in (1, -1))
        simpler = Formula(goal.head, *(ring.term(ring.context.from_dict(side)) for side in (more, less)))
        given = None if outer.is_constant() else by_sign(goal, [simpler])
        return None if given is None else kernel.discharge(given, simpler)
    except KernelError:
        return None
