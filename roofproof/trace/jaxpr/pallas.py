"""Pallas kernels. The body runs once for each block of the grid, and a block moves again when its index changes.

The innermost loop of the grid is the fastest. A block of an operand is fetched again at each iteration of the loops
down to the innermost one that its index map depends on. This is the rule of `ops.combine.tile`. A result is written
back as often. If prefetched values choose the blocks, each iteration of the loops that index them is assumed to choose
another one. The blocks of all operands and the scratch are on chip at the same time, without a second buffer for each.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Mapping
from typing import Any

from sympy import Expr, Integer, Mul

from roofproof.errors import RoofproofError
from roofproof.trace.dtypes import format_of
from roofproof.trace.jaxpr.references import body
from roofproof.trace.jaxpr.walk import Walk, opened
from roofproof.trace.program import Array, Buffer, Equation, Place, add_demand
from roofproof.trace.registry import added
from roofproof.trace.work import unruled

ON_CHIP = "vmem"


def pallas_call(walk: Walk, eqn: Any, inputs: list[Array], place: Place, scope: str) -> list[Array]:
    """Add a kernel with its traffic, its on-chip memory, and its body once for each block."""
    params = eqn.params
    mapping = params["grid_mapping"]
    dynamic = iter(inputs[: mapping.num_dynamic_grid_bounds])
    operands = inputs[mapping.num_dynamic_grid_bounds :]
    grid = _grid([next(dynamic) if not isinstance(n, int) else n for n in mapping.grid], place)
    if params.get("input_output_aliases"):
        raise unruled("pallas_call", place, "a kernel whose results lie where its operands are has no rule")
    blocks = mapping.block_mappings
    operands = [walk.materialized(a, place) for a in operands]
    outputs = walk.buffers(eqn)
    moves: list[tuple[Buffer, Expr, bool]] = []
    held: Expr = Integer(0)
    jaxpr = params["jaxpr"]
    chosen = mapping.num_index_operands  # values that choose blocks, each read once
    moves += [(a.buffer, a.elements, False) for a in operands[:chosen] if a.buffer is not None]
    given = operands[chosen:]
    for k, block in enumerate(blocks):
        write = k >= len(given)
        buffer = outputs[k - len(given)] if write else given[k].buffer
        size = Mul(*(_extent(walk, n, place) for n in block.block_shape))
        turns = Mul(*grid[: _innermost(block, len(grid)) + 1])
        if buffer is not None and not _in_place(block):
            moves.append((buffer, turns * size, write))
            held += size * buffer.width
    for variable in jaxpr.invars[chosen + len(blocks) :]:  # scratch
        inner = getattr(variable.aval, "inner_aval", variable.aval)
        if hasattr(inner, "dtype") and hasattr(inner, "shape") and "sem" not in str(inner.dtype):
            scratch = Buffer(tuple(map(walk.sizes.of_jax, inner.shape)), format_of(inner.dtype))
            held += scratch.bytes
    compute = _body(walk, jaxpr, grid, place)
    name = str(params.get("name") or "pallas_call")
    walk.program.equations.append(
        Equation(
            "pallas_call" if not name.isidentifier() else f"pallas_call {name}", tuple(operands), outputs,
            place, compute={engine: n * Mul(*grid) for engine, n in compute.items()}, kind="apart", moves=tuple(moves),
            footprint={ON_CHIP: held} if held != 0 else {},
        )
    )  # fmt: skip
    return [Array(b.shape, b.format, b) for b in outputs]


def with_blocks(trace: Callable[[], Any]) -> Any:
    """Run a trace with symbolic block sizes, or else with dynamic grids, as JAX does not allow both at once."""
    core = sys.modules.get("jax._src.pallas.core")
    if core is None:
        return trace()
    try:
        with core.pallas_export_experimental(True):
            return trace()
    except AssertionError as problem:
        if core.__file__ not in [frame.filename for frame in traceback.extract_tb(problem.__traceback__)]:
            raise
    return trace()


def _grid(sizes: list[Any], place: Place) -> list[Expr]:
    """Return the iterations of each loop of a grid. A rule gives those of a loop that is computed at run time."""
    found = [Integer(n) if isinstance(n, int) else n.known for n in sizes]
    rule = added("pallas_call", place)
    if found.count(None) == 1 and rule is not None and rule.trips is not None:
        return [rule.trips if n is None else n for n in found]
    if None in found:
        raise RoofproofError(
            "<place>: how often a loop of this grid turns is computed when it runs; give it by "
            "roofproof.trace.rule('pallas_call', trips='...', where='<place>')", place=place,
        )  # fmt: skip
    return found


def _extent(walk: Walk, size: Any, place: Place) -> Expr:
    """Return the number of elements of a block along an axis: 1 if the axis is squeezed."""
    if hasattr(size, "block_size"):
        if type(size).__name__ not in ("Blocked", "Squeezed"):
            raise unruled("pallas_call", place, f"blocks of the kind {type(size).__name__} have no rule")
        return walk.sizes.of_jax(size.block_size)
    return Integer(1) if type(size).__name__ == "Squeezed" or size is None else walk.sizes.of_jax(size)


def _in_place(block: Any) -> bool:
    """Return whether an operand stays in main memory, so that the kernel copies from it itself."""
    return "any" in str(getattr(block.ref_aval, "memory_space", "")).lower()


def _innermost(block: Any, axes: int) -> int:
    """Return the last axis of the grid that the index of a block depends on, or -1 if there is none."""
    jaxpr, _ = opened(block.index_map_jaxpr)
    depends: dict[Any, set[int]] = {v: {k} for k, v in enumerate(jaxpr.invars[:axes])}
    for eqn in jaxpr.eqns:
        taken = set().union(*(depends.get(v, set()) for v in eqn.invars if not hasattr(v, "val")))
        depends |= dict.fromkeys(eqn.outvars, taken)
    used = set().union(*(depends.get(v, set()) for v in jaxpr.outvars if not hasattr(v, "val")))
    return max(used, default=-1)


def _body(walk: Walk, jaxpr: Any, grid: list[Expr], place: Place) -> Mapping[str, Expr]:
    """Return the average work of the body of a kernel for one block."""
    try:
        program = body(walk, jaxpr, grid, place)
    except RoofproofError as problem:
        raise RoofproofError(f"{problem} (in a kernel)") from None
    total: dict[str, Expr] = {}
    for equation, times in program.all_equations():
        add_demand(total, equation.compute, times)
    return total
