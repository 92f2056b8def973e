"""A tiled loop nest: what is read again, and what must fit on chip."""

from dataclasses import replace

from sympy import Add, Eq, Expr, Mod, Mul

from roofproof.errors import RoofproofError
from roofproof.ops.algebra._common import Size, as_einsum, axis, positive
from roofproof.ops.operation import Operation
from roofproof.ops.tensor import Tensor


def tile(operation: Operation, memory: str = "vmem", capacity: Size | None = None, **blocks: Size) -> Operation:
    """Return an einsum done block by block, the loops in the order given, outermost first.

    >>> from roofproof.ops.library.linear_algebra import matmul
    >>> tiled = tile(matmul(), B="b", F="f", D="d")
    >>> [(t.name, t.times) for t in tiled.tensors]             # x again for each block of F, w for each of B
    [('x', F/f), ('w', B/b), ('z', 1)]
    >>> tiled.footprint["vmem"]                                # a block of x, w and z, 2 bytes an element
    2*b*d + 2*b*f + 2*d*f

    A block of a tensor is moved again in every turn of a loop it does not depend on, unless no loop inside
    that one depends on it. Partial sums of an output are written and read back. A block divides its
    dimension (a condition of the answer); a dimension without a block is kept whole. `memory` names the
    capacity the blocks must fit in, and `capacity` its bytes, if known. Raises RoofproofError for a dimension
    that is not there, and for blocks that exceed the capacity; where sizes are symbols that is a condition.
    """
    einsum = as_einsum(operation, "tile")
    order = {axis(operation, name): positive(block, f"tile {name}") for name, block in blocks.items()}
    trips = {loop: loop / block for loop, block in order.items()}

    def times(tensor: Tensor) -> Expr:
        depends = [any(loop in s.free_symbols for s in tensor.shape) for loop in order]
        innermost = max((i for i, own in enumerate(depends) if own), default=-1)
        return Mul(*(trips[loop] for i, loop in enumerate(order) if i < innermost and not depends[i]))

    def block(tensor: Tensor) -> Expr:
        return replace(tensor, shape=tuple(s.subs(order) for s in tensor.shape)).bytes

    output = einsum.output
    passes = times(output)
    reads = tuple(replace(t, times=times(t)) for t in einsum.inputs)
    if passes != 1:
        reads = (*reads, replace(output, times=passes - 1))
    kept = replace(output, dtype=operation.accumulate or output.dtype)
    held = Add(*map(block, (*einsum.inputs, kept)))
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
        reads=reads,
        writes=(replace(output, times=passes),),
        footprint={memory: held},
        conditions=(*operation.conditions, *(c for c in conditions if c != True)),  # noqa: E712
    )
