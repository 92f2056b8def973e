"""A bound on an integer moved to where a logarithm turns, between the same two integers: N >= 1025 as N > 2^10."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from fractions import Fraction

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.exact_comparison import floor_of
from roofproof.derive.inequalities.cases import Above
from roofproof.derive.inequalities.integers import smallest_integer
from roofproof.derive.solve import solve
from roofproof.errors import RoofproofError
from roofproof.formula.logarithm import log2
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import Formula, Term
from roofproof.proofs.search import tactics
from roofproof.proofs.search.integer_lemmas import integer_lemmas
from roofproof.proofs.search.logarithm_lemmas import power_bounds
from roofproof.proofs.search.polynomials import terms_with
from roofproof.proofs.translate import to_formula, with_functions


def bounds_moved(
    condition: Boolean, x: sympy.Symbol, ends: Sequence[sympy.Expr]
) -> Iterator[tuple[Boolean, list[Theorem]]]:
    """Yield a condition with the bounds on an integer at some ends, and the theorems that they say the same of it.

    >>> N = sympy.Symbol("N", positive=True)
    >>> claimed = sympy.Equivalent(sympy.Gt(log2(N), 10, evaluate=False), N >= 1025, evaluate=False)
    >>> [moved, *_] = [(moved, str(*same)) for moved, same in bounds_moved(claimed, N, [sympy.Integer(1024)])]
    >>> moved
    (Equivalent(N > 1024, log2(N) > 10), 'N > 0, int(N) |- N >= 1025 <=> N > 1024')

    Both ways are tried, the end excluded and included; nothing is yielded where no bound can be moved.
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
    """Return the relation with its bound at the end, and that both say the same of an integer; else None."""
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
    """Return the theorem that two bounds say the same of an integer; `first` is the least one above them."""
    n, below = Term("v", x.name), Term("q", first - 1, 1)
    old, new = (to_formula(r, with_functions) for r in (relation, moved))
    step = integer_lemmas([Formula(">", n, below)], [x.name])[:2]
    beside = [
        t for t in power_bounds([new], map(Fraction, (first - 1, first))) if not terms_with(("log2",), t.conclusion)
    ]
    return tactics.prove(Formula("<=>", old, new), [Formula("int", n)], [*step, *beside])
