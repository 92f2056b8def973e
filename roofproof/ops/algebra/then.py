"""Operations one after another: their demands add, and the sequence remembers its parts."""

from sympy import Max

from roofproof.errors import RoofproofError
from roofproof.ops.algebra._common import added, merged_tensors
from roofproof.ops.operation import Operation
from roofproof.ops.tensor import Tensor


def then(*operations: Operation, name: str | None = None, source: str = "") -> Operation:
    """Return the operations in sequence.

    >>> from roofproof.ops import einsum
    >>> up = einsum("x:bf16[B,D], u:bf16[D,F] -> h:bf16[B,F]", "up")
    >>> down = einsum("h:bf16[B,F], v:bf16[F,D] -> y:bf16[B,D]", "down")
    >>> both = then(up, down)
    >>> both.flops, len(both.parts)                            # 2BDF + 2BDF
    (4*B*D*F, 2)

    Demands add, as do the steps of collectives. The time of the sequence is the sum of its parts' times, each a
    maximum over resources; the maximum over the added demands is the bound where everything overlaps. Raises
    RoofproofError for none.
    """
    if not operations:
        raise RoofproofError("then needs at least one operation")
    exact = None
    if any(op.exact_compute is not None for op in operations):
        exact = added(op.compute if op.exact_compute is None else op.exact_compute for op in operations)
    taken: dict[str, Tensor] = {}
    places = {place: None for op in operations for place in op.footprint}
    return Operation(
        name or " then ".join(op.name for op in operations),
        compute=added(op.compute for op in operations),
        reads=merged_tensors(((op.name, op.reads) for op in operations), taken),
        writes=merged_tensors(((op.name, op.writes) for op in operations), taken),
        traffic=added(op.traffic for op in operations),
        source=source or "; ".join(dict.fromkeys(op.source for op in operations if op.source)),
        convention="; ".join(dict.fromkeys(op.convention for op in operations if op.convention)),
        exact_compute=exact,
        recompute=added(op.recompute for op in operations),
        parts=tuple(part for op in operations for part in op.parts or (op,)),
        footprint={p: Max(*(op.footprint[p] for op in operations if p in op.footprint)) for p in places},
        conditions=tuple(dict.fromkeys(c for op in operations for c in op.conditions)),
        at_least=next((op.at_least for op in operations if op.at_least), ""),
        kept=tuple({t.name: t for op in operations for t in op.kept}.values()),
        dims=tuple(dict.fromkeys(s for op in operations for s in op.dims)),
        hops=added(op.hops for op in operations) if all(op.hops for op in operations) else {},
        roles={name: role for op in reversed(operations) for name, role in op.roles.items()},
    )
