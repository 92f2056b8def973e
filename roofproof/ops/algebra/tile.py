"""A tiled loop nest, of one product or of several in one kernel: what is read again, and what must fit on chip."""

from dataclasses import replace

from sympy import Add, Eq, Expr, Mod, Mul, Symbol

from roofproof.errors import RoofproofError
from roofproof.ops.algebra._common import Size, as_product, axis, positive
from roofproof.ops.notation.contraction import vector_unit
from roofproof.ops.operation import Operation
from roofproof.ops.roles import role
from roofproof.ops.tensor import Tensor


def tile(operation: Operation, memory: str = "vmem", capacity: Size | None = None, **blocks: Size) -> Operation:
    """Return an einsum done block by block, the loops in the order given, outermost first.

    >>> from roofproof.ops.library.linear_algebra import matmul
    >>> tiled = tile(matmul(), B="b", F="f", D="d")
    >>> [(t.name, t.times) for t in tiled.tensors]             # x again for each block of F, w for each of B
    [('x', F/f), ('w', B/b), ('z', 1)]
    >>> tiled.footprint["vmem"]                                # a block of x, w and z, 2 bytes an element
    2*b*d + 2*b*f + 2*d*f

    Of several products the results in between stay on chip as blocks, too, and a step that does not depend on a loop
    is done again in each of its turns, by the same rule as tensors are moved again:

    >>> from roofproof.ops import einsum
    >>> attend = einsum("q:bf16[L,k], keys:bf16[S,k], values:bf16[S,v] -> o:bf16[L,v]")
    >>> flash = tile(attend, "smem", L="b", S="c")             # keys and values again for each block of queries
    >>> flash.footprint["smem"], [t.times for t in flash.tensors]
    (2*b*c + 2*b*k + 2*b*v + 2*c*k + 2*c*v, [1, L/b, L/b, 1])

    A block of a tensor is moved again in every turn of a loop it does not depend on, unless no loop inside
    that one depends on it. Partial sums of an output are written and read back. A block divides its
    dimension (a condition of the answer); a dimension without a block is kept whole. `memory` names the
    capacity the blocks must fit in, and `capacity` its bytes, if known. Raises RoofproofError for a dimension
    that is not there, for blocks that exceed the capacity (where sizes are symbols that is a condition), and for
    a block of a dimension over which a step in between sums: its result would be used before it is complete.
    """
    einsum = as_product(operation, "tile")
    steps = einsum.steps if len(einsum.inputs) > 2 else ()
    order = {axis(operation, name): positive(block, f"tile {name}") for name, block in blocks.items()}
    order = {loop: block for loop, block in order.items() if block != loop}  # a loop of one turn is none
    trips = {loop: loop / block for loop, block in order.items()}

    for step in steps[:-1]:
        for loop in (loop for loop in order if any(loop in s.free_symbols for s in step.summed)):
            why = f"{step} sums over {loop} and is used before it is done"
            raise RoofproofError(f"tile {loop}: {why}; keep {loop} whole")

    def times(shape: tuple[Expr, ...]) -> Expr:
        depends = [any(loop in s.free_symbols for s in shape) for loop in order]
        innermost = max((i for i, own in enumerate(depends) if own), default=-1)
        return Mul(*(trips[loop] for i, loop in enumerate(order) if i < innermost and not depends[i]))

    def block(tensor: Tensor) -> Expr:
        return replace(tensor, shape=tuple(s.xreplace(order) for s in tensor.shape)).bytes

    def again(engine: str, amount: Expr) -> Expr:
        if not steps:
            return amount
        own = (s for s in steps if engine == (vector_unit(einsum.compute) if s.elementwise else einsum.compute))
        return Add(*(s.flops * times((*s.indices, *s.summed)) for s in own))

    output = einsum.output
    passes = times(output.shape)
    reads = tuple(replace(t, times=times(t.shape)) for t in einsum.inputs)
    if passes != 1:
        reads = (*reads, replace(output, times=passes - 1))
    kept = replace(output, dtype=operation.accumulate or output.dtype)
    between = (Tensor(step.result, step.indices, kept.dtype) for step in steps[:-1])
    held = Add(*map(block, (*einsum.inputs, *between, kept)))
    conditions = [Eq(Mod(loop, b), 0) for loop, b in order.items()]
    if capacity is not None:
        fits = held <= positive(capacity, f"capacity of {memory}")
        if fits == False:  # noqa: E712
            shown = ", ".join(f"{loop}={b}" for loop, b in order.items())
            told = f"the blocks of {operation.name} take {held} bytes, and {memory} holds {capacity}"
            raise RoofproofError(f"tile {shown}: {told}; give smaller blocks")
        conditions.append(fits)
    return replace(
        operation,
        name=f"{operation.name} tiled {', '.join(f'{loop}={b}' for loop, b in order.items())}",
        compute={engine: again(engine, amount) for engine, amount in operation.compute.items()},
        exact_compute=None if steps else operation.exact_compute,
        reads=reads,
        writes=(replace(output, times=passes),),
        footprint={memory: held},
        grid=Mul(*(trips[loop] for loop in order if any(loop in s.free_symbols for s in output.shape))),
        conditions=(*operation.conditions, *(c for c in conditions if c != True)),  # noqa: E712
        roles={**operation.roles, **{b.name: role("block") for b in order.values() if isinstance(b, Symbol)}},
    )
