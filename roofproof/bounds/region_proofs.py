"""What three regions rest on: theorems about every schedule, and the limit of what the tile moves over the bound."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sympy

from roofproof.bounds.lower import Terms, powers_between, to_a_power
from roofproof.bounds.nests import nest_of
from roofproof.errors import Undecided
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.terms import Formula, Term
from roofproof.proofs.known import ByKernel, Known
from roofproof.proofs.provers.roofline import ridge
from roofproof.proofs.search import tactics
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import to_term

if TYPE_CHECKING:
    from roofproof.bounds.regions import Regions
    from roofproof.derive.roofline.compute_bound import Ceiling
    from roofproof.ops import Operation


def limit(regions: Regions) -> Known | None:
    """Return that the ratio, to a power that makes it a fraction, tends to its limit."""
    if regions.ratio is None or regions.tile is None or regions.limit in (None, sympy.oo):
        return None
    g, n = regions.tile.g, regions.root
    ratio, value = sympy.cancel(sympy.expand(regions.ratio**n)), regions.limit**n
    if not value.is_Rational or any(not p.exp.is_Integer for p in ratio.atoms(sympy.Pow)):
        return None
    theorem = kernel.tends(to_term(ratio), [g.name], to_term(value), [g.name])
    return Known(Statement("", (), theorem.conclusion, "ratio"), ByKernel(theorem))


def in_no_memory(regions: Regions) -> Known | None:
    """Return `R (bytes that move in any memory) >= FLOPs` where R is at least `never_beyond`."""
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
    """Return `R (moved + M/(sigma - 1)) >= FLOPs` in a memory of no more than `never_below`."""
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


def memory_needed(op: Operation, ceiling: Ceiling) -> tuple[Known, Known, Known]:
    """Return the ridge point, that no schedule is compute-bound in so small a memory, and how small that is.

    >>> from roofproof import chip, op
    >>> from roofproof.derive.roofline.compute_bound import ceilings
    >>> matmul = op("matmul")
    >>> memory_needed(matmul, ceilings(matmul, chip("bf16=200 TFLOP/s, hbm=1 TB/s"))[0])[2].statement.says
    'M = 320000'
    """
    from roofproof.bounds.regions import regions_of

    regions = regions_of(nest_of(op))
    every = no_schedule(regions)
    assert regions.bound is not None and every is not None and ceiling.ridge is not None
    terms = Terms(regions.bound)
    R: Term = ("v", regions.ridge.name)
    edge: Formula = ("=", *every.statement.assumptions[-1][1:])
    here: Formula = ("=", R, to_term(ceiling.ridge))
    assert regions.never_below is not None
    value = regions.never_below.subs(regions.ridge, ceiling.ridge)
    goal: Formula = ("=", terms.M, to_term(value))
    theorem = tactics.prove(goal, [here, edge])
    if theorem is None:
        raise Undecided("the memory that <op> needs is not proved", op=op.name)
    return ridge(ceiling), every, Known(Statement("M", (here, edge), goal, "memory", shows=(value,)), ByKernel(theorem))


def at_sizes(regions: Regions) -> Known | None:
    """Return `R moved >= FLOPs` where R times the bound is, at any sizes."""
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
