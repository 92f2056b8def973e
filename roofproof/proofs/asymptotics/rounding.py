"""Eventual truth of comparisons with rounded values: floor(t) lies between t - 1 and t, and is k if k <= t < k + 1."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction
from itertools import product

from roofproof.derive.algebra.budget import PROOF_STEPS, Budget, in_words
from roofproof.errors import Undecided
from roofproof.proofs.asymptotics.signs import EventualCase, eventual_cases
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import Formula, Term, variables
from roofproof.proofs.oracles import sampling
from roofproof.proofs.search.lemmas import cut
from roofproof.proofs.search.polynomials import exchanged

FAR = (Fraction(2**40), Fraction(3**27), Fraction(10**13 + 1))  # sizes at which a rounded value is sampled
MAX_ROUNDED = 10**6
TWO_ENDS = {(True, True): True, (False, False): False}


def cases_of(atom: Formula, growing: Sequence[str], budget: Budget | None = None) -> tuple[EventualCase, ...]:
    """Return the eventual cases of a comparison, as `eventual_cases` does, for terms that may be rounded.

    >>> N = Term("v", "N")
    >>> [case] = cases_of(Formula(">", Term("floor", Term("/", N, Term("q", 6, 1))), Term("q", 100, 1)), ["N"])
    >>> print(case.theorem)
    N > 0, N > 606 |- floor(N/6) > 100

    Raises Undecided when the steps run out: each rounded value doubles the cases.
    """
    rounded = next((t for t in inside_out(atom, ("floor", "ceil")) if variables(t).intersection(growing)), None)
    if rounded is None:
        return eventual_cases(atom, growing)
    budget = budget or Budget(PROOF_STEPS)
    if not budget.left:
        raise Undecided("too many cases in the limit of <what>", what=in_words(budget.steps))
    k = _constant(rounded, growing)
    if k is not None and (found := _by_constant(atom, rounded, k, growing, budget)):
        return found
    return _between_ends(atom, rounded, growing, budget)


def _by_constant(
    atom: Formula, rounded: Term, k: int, growing: Sequence[str], budget: Budget
) -> tuple[EventualCase, ...]:
    """Return the cases of a comparison if t eventually rounds to k, or none if that is not proved."""
    from roofproof.proofs.search.integers import integer_lemmas

    head, t = rounded
    value = Term("q", k, 1)
    low, high = (Formula(">=", t, value), Formula(">", Term("q", k + 1, 1), t)) if head == "floor" else \
                (Formula(">", t, Term("q", k - 1, 1)), Formula(">=", value, t))  # fmt: skip
    bounds = [_one_case(f, growing) for f in (low, high)]
    same = _proved(
        Formula("=", rounded, value), [low, high], budget, integer_lemmas([low, high, Formula("=", rounded, value)], [])
    )
    if same is None or None in bounds:
        return ()
    for bound in bounds:
        assert bound is not None and bound.theorem is not None
        same = cut(same, [bound.theorem])
    at = exchanged(atom, {rounded: value})
    moves = variables(at).intersection(growing)
    cases = (
        cases_of(at, growing, budget)
        if moves
        else tuple(EventualCase((f,), (), f == at, kernel.assume(f)) for f in (at, Formula("not", at)))
    )
    extra = tuple(f for b in bounds if b is not None for f in b.bounds)
    made = []
    for case in cases:
        theorem = None if case.theorem is None else _moved(case.theorem, [same], atom, budget)
        made.append(EventualCase(case.when, (*case.bounds, *extra), None if theorem is None else case.true, theorem))
    return tuple(made)


def _between_ends(atom: Formula, rounded: Term, growing: Sequence[str], budget: Budget) -> tuple[EventualCase, ...]:
    head, t = rounded
    ends = (t, Term("+", t, Term("q", -1 if head == "floor" else 1, 1)))
    relation, a, b = atom
    if relation == "=":
        sides = [cases_of(Formula(">", a, b), growing, budget), cases_of(Formula(">", b, a), growing, budget)]
        return tuple(_never_equal(atom, one, other, budget) for one, other in product(*sides))
    made = []
    for one, other in product(*(cases_of(exchanged(atom, {rounded: end}), growing, budget) for end in ends)):
        true = None if one.true is None or other.true is None else TWO_ENDS.get((one.true, other.true))
        theorem = None
        if true is not None and one.theorem is not None and other.theorem is not None:
            theorem = _moved(one.theorem, [other.theorem], atom, budget)
        known = None if theorem is None else true
        made.append(EventualCase((*one.when, *other.when), (*one.bounds, *other.bounds), known, theorem))
    return tuple(made)


def _never_equal(atom: Formula, one: EventualCase, other: EventualCase, budget: Budget) -> EventualCase:
    larger = one if one.true else other
    when = (*one.when, *other.when)
    if not larger.true or larger.theorem is None:
        return EventualCase(when)
    apart = _proved(Formula("not", atom), [larger.theorem.conclusion], budget)
    return (
        EventualCase(when) if apart is None else EventualCase(when, larger.bounds, False, cut(apart, [larger.theorem]))
    )


def _one_case(bound: Formula, growing: Sequence[str]) -> EventualCase | None:
    """Return the case that a bound eventually holds for all fixed names, or None if it does not."""
    relation, a, b = bound
    wanted = relation == ">"
    [case, *more] = eventual_cases(bound if wanted else Formula(">", b, a), growing) if variables(bound) else ()
    return case if not more and case.true is wanted and not case.when else None


def _moved(theorem: Theorem, others: Sequence[Theorem], atom: Formula, budget: Budget) -> Theorem | None:
    """Derive the comparison, or its negation, from theorems about it at other values."""
    held = theorem.conclusion[0] == ">"
    if atom[0] == "=":
        held = theorem.conclusion[0] == "="
    goal: Formula = atom if held else Formula(">=", atom[2], atom[1]) if atom[0] == ">" else Formula("not", atom)
    made = _proved(goal, [theorem.conclusion, *(t.conclusion for t in others)], budget)
    return made and cut(made, [theorem, *others])


def _proved(
    goal: Formula, assumptions: Sequence[Formula], budget: Budget, lemmas: Sequence[Theorem] = ()
) -> Theorem | None:
    from roofproof.proofs.search.tactics import Search

    formulas = [goal, *assumptions, *(t.conclusion for t in lemmas)]
    return Search(formulas, budget, named=not lemmas).prove(goal, assumptions, lemmas)


def _constant(rounded: Term, growing: Sequence[str]) -> int | None:
    """Return the integer that t seems to round to eventually, or None if it depends on the fixed names."""
    found = set()
    for far, near in product(FAR, (1, 2, 5)):
        point = {n: far if n in growing else Fraction(near) for n in variables(rounded)}
        try:
            found.add(sampling.value(rounded, point))
        except (sampling.Inexact, KeyError):
            return None
    [k, *more] = found
    return None if more or abs(k) > MAX_ROUNDED else int(k)


def inside_out(t: object, heads: Collection[str]) -> Iterator[Term]:
    """Yield each part of a term or formula that has one of the given heads, innermost parts first."""
    if isinstance(t, tuple):
        for part in t:
            yield from inside_out(part, heads)
        if isinstance(t, Term) and t.head in heads:
            yield t
