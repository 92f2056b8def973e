"""An operation at given sizes: dimensions replaced by numbers, other dimensions, or expressions."""

from __future__ import annotations

from dataclasses import replace

from sympy import Expr

from roofproof.ops.algebra._common import Size, axis, size
from roofproof.ops.operation import Demand, Operation
from roofproof.ops.tensor import Tensor


def at(operation: Operation, **sizes: Size) -> Operation:
    """Return the operation with dimensions replaced everywhere, all at once.

    >>> from roofproof.ops.library.linear_algebra import matmul
    >>> at(matmul(), D=4096, F="D").flops                      # 2 B 4096 D
    8192*B*D

    Raises RoofproofError for a dimension that is not there, or a size that is no positive integer.
    """
    new = {axis(operation, name): size(value, f"at {name}") for name, value in sizes.items()}
    return _replaced(operation, new)


def _replaced(operation: Operation, new: dict[Expr, Expr]) -> Operation:
    def put(demand: Demand) -> dict[str, Expr]:
        return {key: amount.subs(new, simultaneous=True) for key, amount in demand.items()}

    def reshaped(tensors: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        return tuple(
            replace(
                t,
                shape=tuple(s.subs(new, simultaneous=True) for s in t.shape),
                times=t.times.subs(new, simultaneous=True),
            )
            for t in tensors
        )

    conditions = tuple(c.subs(new, simultaneous=True) for c in operation.conditions)
    return replace(
        operation,
        compute=put(operation.compute),
        exact_compute=None if operation.exact_compute is None else put(operation.exact_compute),
        reads=reshaped(operation.reads),
        writes=reshaped(operation.writes),
        traffic=put(operation.traffic),
        footprint=put(operation.footprint),
        parts=tuple(_replaced(part, new) for part in operation.parts),
        conditions=tuple(c for c in conditions if c != True),  # noqa: E712
    )
