"""Proofs of the three regions: theorems about every schedule, and the limit of the tile's traffic over the bound."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sympy

from roofproof.bounds.lower import Terms, powers_between, to_a_power
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.terms import Formula, Term
from roofproof.proofs.known import ByKernel, Known
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import to_term

if TYPE_CHECKING:
    from roofproof.bounds.regions import Regions


def limit(regions: Regions) -> Known | None:
    """Prove that the ratio tends to its limit, after raising it to a power that makes it a fraction."""
    if regions.ratio is None or regions.tile is None or regions.limit in (None, sympy.oo):
        return None
    g, n = regions.tile.g, regions.root
    ratio, value = sympy.cancel(sympy.expand(regions.ratio**n)), regions.limit**n
    if not value.is_Rational or any(not p.exp.is_Integer for p in ratio.atoms(sympy.Pow)):
        return None
    theorem = kernel.tends(to_term(ratio), [g.name], to_term(value), [g.name])
    return Known(Statement("", (), theorem.conclusion, "ratio"), ByKernel(theorem))


def in_no_memory(regions: Regions) -> Known | None:
    """Prove `R (bytes that move in any memory) >= FLOPs` if R is at least `never_beyond`."""
    nest = regions.nest
    if not regions.full:
        return None
    R, f = to_term(regions.ridge), Term("q", regions.per_product, 1)
    large = Formula(">=", Term("*", R, to_term(regions.full)), f)
    goal = Formula(">=", Term("*", R, to_term(nest.compulsory)), Term("*", f, to_term(nest.points)))
    rest = nest.compulsory - regions.full * nest.points
    signs = [(to_term(nest.points), [0]), (Term("*", R, to_term(rest)), [])]
    names = [regions.ridge.name, *sorted(s.name for s in nest.points.free_symbols)]
    theorem = kernel.arith(goal, [kernel.assume(large)], signs, names)
    return Known(Statement("", (large,), goal, "no-schedule"), ByKernel(theorem))


def no_schedule(regions: Regions) -> Known | None:
    """Prove `R (moved + M/(sigma - 1)) >= FLOPs` for a memory of at most `never_below`."""
    if regions.bound is None:
        return None
    terms = Terms(regions.bound)
    k, f = terms.k, regions.per_product
    R = Term("v", regions.ridge.name)
    small = Formula(">=", Term("*", Term("^", R, k), terms.constant), Term("*", Term("q", f**k, 1), terms.falling))
    flops = Term("*", Term("q", f, 1), terms.points)
    traffic = Term("*", R, terms.whole)
    denied = Formula(">", flops, traffic)
    premises = [kernel.assume(denied), to_a_power(terms), kernel.assume(small)]
    signs = [
        (Term("*", terms.falling, powers_between(flops, traffic, k)), [0]),
        (Term("^", R, k), [1]),
        (Term("^", terms.points, k), [2]),
    ]
    names = sorted({*terms.names, R[1]} - {terms.r[1]})
    false = kernel.arith(Formula("false"), premises, signs, names)
    goal = Formula(">=", traffic, flops)
    theorem = kernel.propositional(goal, [kernel.discharge(false, denied)])
    return Known(Statement("", (*terms.hypotheses, small), goal, "no-schedule"), ByKernel(theorem))


def at_sizes(regions: Regions) -> Known | None:
    """Prove `R moved >= FLOPs` if R times the bound is at least the FLOPs, at any sizes."""
    if regions.bound is None:
        return None
    terms, known = Terms(regions.bound), regions.bound.known
    R = Term("v", regions.ridge.name)
    flops = Term("*", Term("q", regions.per_product, 1), terms.points)
    enough = Formula(">=", Term("*", R, terms.r), Term("+", flops, Term("*", R, terms.X)))
    goal = Formula(">=", Term("*", R, terms.moved), flops)
    assert known.theorem is not None
    premises = [known.theorem, kernel.assume(enough)]
    theorem = kernel.arith(goal, premises, [(R, [0]), (Term("q", 1, 1), [1])], sorted({*terms.names, R[1]}))
    return Known(Statement("", (*known.statement.assumptions, enough), goal, "no-schedule"), ByKernel(theorem))
