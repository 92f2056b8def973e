"""An operation against one memory level: its bytes counted where they cross that level, and nowhere else."""

from dataclasses import replace

from roofproof.errors import RoofproofError, quoted
from roofproof.ops.operation import Operation
from roofproof.ops.resources import MEMORY, channel


def over_level(operation: Operation, level: str) -> Operation:
    """Return the operation with its bytes over one level alone: those it states there, or else those of its tensors.

    >>> from roofproof.ops.library.linear_algebra import matmul
    >>> over_level(matmul(), "l2").demands                     # x, w and z lie in the cache, each moved once
    {'bf16': 2*B*D*F, 'l2': 2*B*D + 2*B*F + 2*D*F}
    >>> from roofproof.ops import parse_operation
    >>> over_level(parse_operation("flops bf16 = 2 N^3; bytes hbm = 6 N^2; bytes l2 = N^3/32"), "l2").demands
    {'bf16': 2*N**3, 'l2': N**3/32}

    Raises RoofproofError for an operation that moves no bytes.
    """
    name = channel(level)
    counted = name if name in operation.traffic else MEMORY
    if operation.bytes(counted).is_zero:
        raise RoofproofError(f"{quoted(operation.name)} moves no bytes, so none cross {quoted(level)}")
    return _moved(operation, counted, name)


def _moved(operation: Operation, counted: str, level: str) -> Operation:
    """Return the operation with the bytes counted over one channel, its own and those of its parts, over another."""
    stated = counted == MEMORY or counted in operation.traffic
    return replace(
        operation,
        name=f"{operation.name} over {level}",
        reads=(),
        writes=(),
        traffic={level: operation.bytes(counted)} if stated else {},
        parts=tuple(_moved(part, counted, level) for part in operation.parts),
    )
