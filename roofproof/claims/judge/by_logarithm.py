"""Conditions with logarithms of a name, which are solved for the name and then proved like thresholds, or refuted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from itertools import islice, pairwise
from math import ceil, floor

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from roofproof.claims.judge.decide_formula import Finding, refutation
from roofproof.claims.judge.domain import Domain, at_values
from roofproof.derive.algebra.budget import Budget
from roofproof.derive.algebra.exact_comparison import floor_of, too_long
from roofproof.derive.inequalities.cases import Above, bounds
from roofproof.derive.inequalities.integers import smallest_integer
from roofproof.derive.solve import solve
from roofproof.errors import RoofproofError
from roofproof.formula.logarithm import exp2, log2
from roofproof.proofs import Theorem
from roofproof.proofs.kernel.terms import Formula, Term
from roofproof.proofs.known import PROVED, Known, by_kernel, holds
from roofproof.proofs.oracles import sampling
from roofproof.proofs.provers.statements import Refuted, prove_statements
from roofproof.proofs.provers.thresholds import powers_met
from roofproof.proofs.search import tactics
from roofproof.proofs.search.equivalence import restate
from roofproof.proofs.search.integers import integer_lemmas
from roofproof.proofs.search.logarithms import power_bounds, simplest_between
from roofproof.proofs.search.polynomials import terms_with
from roofproof.proofs.search.short_proofs import by_truth_table
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import to_formula, with_functions

STEPS = 500_000
PLACES = 9  # points for the names other than the one that is solved for
DIGITS = 1_500  # digits of a bound, enough to choose a number next to it


def by_logarithm(condition: Boolean, domain: Domain, written: Formula) -> Finding | None:
    """Return whether a formula holds wherever it is defined, or None if it has no logarithm or no answer is found.

    `condition` is the same formula as a SymPy condition.

    >>> from roofproof.proofs.translate import to_condition
    >>> N, more = Term("v", "N"), Formula(">", Term("log2", Term("v", "N")), Term("q", 64, 1))
    >>> claims = [Formula("<=>", more, Formula(">", N, Term("q", 2**k, 1))) for k in (64, 63)]
    >>> right, wrong = (by_logarithm(to_condition(claim), Domain(), claim) for claim in claims)
    >>> right.trust, wrong.counterexample
    ('kernel', {'N': Fraction(9223372036854775809, 1)})
    """
    unknowns = sorted({s for f in condition.atoms(log2) for s in f.free_symbols}, key=str)
    if not unknowns or domain.signs or not all(s.is_positive for s in condition.free_symbols):
        return None
    condition = condition.replace(lambda p: p.is_Pow and p.base == 2 and p.exp.free_symbols, lambda p: exp2(p.exp))
    for point in (p for x in unknowns for p in _between_bounds(condition, x, domain)):
        if (known := refutation(written, domain, point)) is not None:
            return Finding("refuted", (known,), point)
    known = _proved(condition, written, unknowns, domain) or _as_written(condition, written, unknowns, domain)
    return None if known is None else Finding("proved", (known,))


def _as_written(condition: Boolean, written: Formula, unknowns: list[sympy.Symbol], domain: Domain) -> Known | None:
    """Prove a written formula from SymPy's form of it, which for integers may be proved for positive reals."""
    try:
        form = to_formula(condition, with_functions)
    except RoofproofError:
        return None
    known = _proved(condition, form, unknowns, domain) if form != written else None
    known = known or _proved_of_integers(condition, form, unknowns, domain)
    theorem = None if known is None or known.theorem is None else restate(known.theorem, written, domain.assumptions)
    return None if theorem is None or known is None else by_kernel(replace(known.statement, goal=written), theorem)


def _proved_of_integers(
    condition: Boolean, goal: Formula, unknowns: list[sympy.Symbol], domain: Domain
) -> Known | None:
    """Prove a condition on integers from one on positive reals whose bounds lie between the same integers."""
    for x in (x for x in unknowns if x.name in domain.integers):
        turns = [b for r in condition.atoms(Relational) if r.has(log2) for b in _ends(r, x) if not too_long(b)]
        for moved, same in bounds_moved(condition, x, turns):
            known = _proved(moved, to_formula(moved, with_functions), unknowns, domain)
            held = None if known is None or known.theorem is None else by_truth_table(goal, [known.theorem, *same])
            if known is not None and held is not None:
                return by_kernel(replace(known.statement, goal=goal), held)
    return None


def _proved(condition: Boolean, goal: Formula, unknowns: list[sympy.Symbol], domain: Domain) -> Known | None:
    hints: list[Formula] = []
    for x in unknowns:
        with suppress(RoofproofError):
            hints += powers_met(condition, x)
    whole = [
        f
        for n in sorted(domain.integers)
        for f in (Formula("int", Term("v", n)), Formula(">=", Term("v", n), Term("q", 1, 1)))
    ]
    statement = Statement("", (*domain.assumptions, *whole), goal)
    try:
        found = prove_statements([statement], budget=Budget(STEPS), hints=hints) if hints else ()
    except Refuted:
        return None
    return next((known for known in found if known.trust in PROVED), None)


def _between_bounds(condition: Boolean, x: sympy.Symbol, domain: Domain) -> Iterator[dict[str, Fraction]]:
    """Yield points at which the condition fails, next to the bounds that its comparisons set on a name."""
    others = sorted({s.name for s in condition.free_symbols} - {x.name})
    for place in islice(sampling.points(others), PLACES) if others else [{}]:
        at = {s: sympy.Rational(place[s.name]) for s in condition.free_symbols - {x}}
        if (there := at_values(condition, at)) is None:
            continue
        for n in _points_near(_bounds(there, x)):
            point = {**place, x.name: n}
            if all(point[name].denominator == 1 for name in domain.integers & point.keys()) and holds(
                Formula("not", to_formula(condition, with_functions)), point
            ):
                yield point


def _bounds(condition: Boolean, x: sympy.Symbol) -> list[Fraction]:
    found: set[Fraction] = set()
    for relation in condition.atoms(Relational):
        for end in _ends(relation, x):
            if end.is_Rational:
                found.add(Fraction(int(end.p), int(end.q)))
            elif not too_long(end):
                # A real root of a cubic may be written with imaginary numbers.
                near, _ = sympy.N(end, DIGITS).as_real_imag()  # float: beside the bound; decided exactly there
                found.add(Fraction(str(near)))
    return sorted(found)


def _ends(relation: Relational, x: sympy.Symbol) -> list[sympy.Expr]:
    """Return the numeric bounds that a comparison sets on a name."""
    with suppress(RoofproofError):
        return [b for c in solve(relation, x) for b in bounds(c.threshold) if not b.free_symbols]
    return []


def _points_near(ends: list[Fraction]) -> Iterator[Fraction]:
    """Yield numbers below, between and above the ends. Short ones come first, as an end may have many digits.

    >>> print(*_points_near([Fraction(-3), Fraction(1, 2), Fraction(7)]))          # as names are positive
    1 6 3 8 1/3 1/2 7 1/4 14
    """
    ends = [end for end in ends if end > 0] or [Fraction(1)]
    for low, high in pairwise(ends):
        yield from (Fraction(n) for n in dict.fromkeys((floor(low) + 1, ceil(high) - 1)) if low < n < high)
        yield simplest_between(low + (high - low) / 4, high - (high - low) / 4)
    yield from (Fraction(floor(ends[-1]) + 1), simplest_between(ends[0] / 2, ends[0] * 3 / 4))
    yield from (*ends, ends[0] / 2, 2 * ends[-1])


def bounds_moved(
    condition: Boolean, x: sympy.Symbol, ends: Sequence[sympy.Expr]
) -> Iterator[tuple[Boolean, list[Theorem]]]:
    """Yield a condition whose bounds on an integer are moved to some ends, with theorems that both are equivalent.

    >>> N = sympy.Symbol("N", positive=True)
    >>> claimed = sympy.Equivalent(sympy.Gt(log2(N), 10, evaluate=False), N >= 1025, evaluate=False)
    >>> [moved, *_] = [(moved, str(*same)) for moved, same in bounds_moved(claimed, N, [sympy.Integer(1024)])]
    >>> moved
    (Equivalent(N > 1024, log2(N) > 10), 'N > 0, int(N) |- N >= 1025 <=> N > 1024')

    Both ways are tried, with the end excluded and included. Nothing is yielded if no bound can be moved.
    """
    plain = sorted((r for r in condition.atoms(Relational) if _bounds_alone(r, x)), key=sympy.default_sort_key)
    for strict in (True, False):
        same: dict[Relational, tuple[Boolean, Theorem]] = {}
        for relation in plain:
            for end in ends:
                if moved := _moved(relation, x, end, strict):
                    same[relation] = moved
        if same:
            yield condition.xreplace({r: m for r, (m, _) in same.items()}), [t for _, t in same.values()]


def _bounds_alone(relation: Relational, x: sympy.Symbol) -> bool:
    return relation.free_symbols == {x} and not relation.has(log2) and relation.rel_op in ("<", "<=", ">", ">=")


def _moved(relation: Relational, x: sympy.Symbol, end: sympy.Expr, strict: bool) -> tuple[Boolean, Theorem] | None:
    """Return the relation with its bound moved to the end, and the theorem that both agree on integers, or None."""
    up = relation.rel_op in (">", ">=")
    with suppress(RoofproofError):
        for case in solve(relation if up else relation.negated, x):
            first = smallest_integer(case.threshold) if isinstance(case.threshold, Above) else None
            low, high = floor_of(end), -floor_of(-end)
            if first is not None and first == (low + 1 if strict else high):
                above = Above(sympy.Integer(low) if low == high else end, strict).holds(x)
                moved = above if up else sympy.Not(above)
                same = _same(relation, moved, x, first)
                return None if same is None else (moved, same)
    return None


def _same(relation: Relational, moved: Boolean, x: sympy.Symbol, first: int) -> Theorem | None:
    """Return the theorem that two bounds agree on integers. `first` is the smallest integer above them."""
    n, below = Term("v", x.name), Term("q", first - 1, 1)
    old, new = (to_formula(r, with_functions) for r in (relation, moved))
    step = integer_lemmas([Formula(">", n, below)], [x.name])[:2]
    beside = [
        t for t in power_bounds([new], map(Fraction, (first - 1, first))) if not terms_with(("log2",), t.conclusion)
    ]
    return tactics.prove(Formula("<=>", old, new), [Formula("int", n)], [*step, *beside])
