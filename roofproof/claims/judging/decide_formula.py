"""Is a statement true for all values of its domain? Proved, refuted at a point, or left open."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from roofproof.claims.judging.domain import Domain
from roofproof.claims.judging.formulas import UNKNOWN
from roofproof.derive.algebra.budget import MILLION, Budget
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import ZERO, Formula, Term, variables
from roofproof.proofs.known import TRUST
from roofproof.proofs.oracles import sampling, smt
from roofproof.proofs.search import tactics
from roofproof.proofs.search.integer_lemmas import integer_lemmas
from roofproof.proofs.translate import positive

LONG = MILLION // 2  # steps from which on a long search for a proof is worth it


@dataclass(frozen=True, slots=True)
class Finding:
    """What is known of a statement: `proved` (how: trust), `refuted` (where), or `open` (why)."""

    status: str
    trust: str
    counterexample: Mapping[str, Fraction] | None = None
    reason: str = ""
    theorems: tuple[Theorem, ...] = ()


def decide(goal: Formula, domain: Domain, oracle: str = "z3", steps: int = 3 * MILLION) -> Finding:
    """Return whether the goal holds at every point of the domain.

    >>> x, y = ("v", "x"), ("v", "y")
    >>> decide((">=", ("+", x, y), x), Domain()).status, decide((">=", ("+", x, y), x), Domain()).trust
    ('proved', 'kernel')
    >>> decide((">", x, y), Domain()).counterexample
    {'x': Fraction(1, 1), 'y': Fraction(1, 1)}
    """
    trust, theorems, reason = "kernel", [], ""
    for values, formulas in domain.parts([goal]):
        *given, part = formulas
        names = sorted(frozenset[str]().union(*map(variables, formulas)))
        integers = [n for n in names if n in domain.integers]
        denied = [*given, ("not", part)]
        point = sampling.find(denied, integers, tries=150)  # most wrong statements fail soon
        if point is None:
            try:
                theorem = _kernel(
                    part,
                    given,
                    integers,
                    Budget(2 * steps),
                    partial(_doubt, denied, integers, steps < LONG),
                )
            except CounterexampleFound as met:
                point, theorem = met.point, None
            if theorem is not None:
                theorems.append(theorem)
                continue
            point = point or sampling.find(denied, integers)
        if point is None:
            answer = smt.refute([*positive(names), *denied], integers, steps, oracle)
            if answer.said == "unsat":
                trust = max(trust, "smt", key=TRUST.index)
                continue
            point = answer.point if answer.point and _holds(denied, answer.point) else None
            if point is None:
                trust, reason = "undecided", answer.reason or "no point that can be checked"
                continue
        if any(name.endswith(UNKNOWN) for name in point):  # no function need have such values
            return Finding("open", "undecided", reason="it turns on values of functions that are not worked out")
        point = sampling.simpler(denied, point, integers)
        return Finding("refuted", "kernel", _unsplit(point, values, goal))
    if trust == "undecided":
        return Finding("open", "undecided", reason=reason)
    return Finding("proved", trust, theorems=tuple(theorems))


class CounterexampleFound(Exception):
    """A point at which the statement fails, None where a proof is not worth a long search."""

    def __init__(self, point: dict[str, Fraction] | None) -> None:
        super().__init__(point)
        self.point = point


def _doubt(denied: Sequence[Formula], integers: Sequence[str], quick: bool) -> None:
    """Look for such a point before the search for a proof takes long."""
    point = sampling.find(denied, integers)
    if point is not None or quick:
        raise CounterexampleFound(point)


def _kernel(
    goal: Formula,
    given: Sequence[Formula],
    integers: Sequence[str],
    budget: Budget,
    look_for_counterexample: Callable[[], None],
) -> Theorem | None:
    whole = [f for n in integers for f in (("int", ("v", n)), (">=", ("v", n), ("q", 1, 1)))]

    def proved(goal: Formula) -> Theorem | None:
        lemmas = integer_lemmas([goal, *given], integers)
        search = tactics.Search([goal, *given, *whole, *(t.conclusion for t in lemmas)], budget, not lemmas)
        return search.prove(goal, [*given, *whole], lemmas, look_for_counterexample)

    theorem = proved(goal)
    if theorem is None and goal[0] == "=" and integers:  # an equation of rounded values, from both sides
        sides = [s for a, b in (goal[1:], goal[:0:-1]) if (s := proved((">=", a, b))) is not None]
        if len(sides) == 2:
            return kernel.propositional(goal, [*sides, kernel.trichotomy(goal[1], goal[2])])
    return theorem


def _holds(formulas: Sequence[Formula], point: Mapping[str, Fraction]) -> bool:
    try:
        return all(sampling.holds(f, point) for f in formulas)
    except (sampling.Inexact, KeyError):
        return False


def _unsplit(point: Mapping[str, Fraction], values: Mapping[str, Term], goal: Formula) -> dict[str, Fraction]:
    """Return the point in the names of the statement: zeros and signs put back."""
    out = dict(point)
    for name, term in values.items():
        if name in variables(goal) or name in out:
            out[name] = Fraction(0) if term == ZERO else -out.get(name, Fraction(1))
    return dict(sorted(out.items()))
