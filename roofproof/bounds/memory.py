"""The least memory with which some schedule of a product can be compute-bound."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofproof.bounds.lower import Terms
from roofproof.bounds.nests import nest_of
from roofproof.bounds.region_proofs import no_schedule
from roofproof.bounds.regions import regions_of
from roofproof.errors import Undecided
from roofproof.proofs.kernel.terms import Formula, Term
from roofproof.proofs.known import ByKernel, Known
from roofproof.proofs.provers.roofline import ridge
from roofproof.proofs.search import tactics
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import to_term
from roofproof.symbols import sizes_in

if TYPE_CHECKING:
    from roofproof.derive.roofline.compute_bound import Ceiling
    from roofproof.ops import Operation


def memory_needed(op: Operation, ceiling: Ceiling) -> tuple[Known, Known, Known]:
    """Return the ridge point, the theorem that no schedule is compute-bound up to a memory size, and that size.

    >>> from roofproof import chip, op
    >>> from roofproof.derive.roofline.compute_bound import ceilings
    >>> matmul = op("matmul")
    >>> memory_needed(matmul, ceilings(matmul, chip("bf16=200 TFLOP/s, hbm=1 TB/s"))[0])[2].statement.says
    'M = 320000'
    """
    regions = regions_of(nest_of(op))
    every = no_schedule(regions)
    assert regions.bound is not None and every is not None and ceiling.ridge is not None
    terms = Terms(regions.bound)
    R = Term("v", regions.ridge.name)
    edge = Formula("=", *every.statement.assumptions[-1][1:])
    here = Formula("=", R, to_term(ceiling.ridge))
    assert regions.never_below is not None
    value = regions.never_below.subs(regions.ridge, ceiling.ridge)
    goal = Formula("=", terms.M, to_term(value))
    theorem = tactics.prove(goal, [here, edge])
    if theorem is None:
        raise Undecided("the memory that <op> needs is not proved", op=op.name)
    return (
        ridge(ceiling),
        every,
        Known(Statement("M", (here, edge), goal, "memory", sizes=sizes_in(value)), ByKernel(theorem)),
    )
