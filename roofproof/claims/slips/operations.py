"""Slips in counting an operation."""

from collections.abc import Iterator
from dataclasses import replace

from roofproof.ops import Operation


def bytes_per_element(op: Operation) -> Iterator[Operation]:
    """Yield the operation with every element at 1, 2 or 4 bytes, its arithmetic unchanged.

    >>> from roofproof.ops import parse_operation
    >>> [str(v.bytes()) for v in bytes_per_element(parse_operation("dot"))]     # bf16: 4 N + 2 at 2 bytes
    ['2*N + 1', '8*N + 4']
    """
    for dtype in ("int8", "bf16", "fp32"):
        changed = replace(
            op,
            reads=tuple(replace(t, dtype=dtype) for t in op.reads),
            writes=tuple(replace(t, dtype=dtype) for t in op.writes),
            parts=(),
        )
        if changed.tensors != op.tensors:
            yield changed


def no_write_back(op: Operation) -> Iterator[Operation]:
    """Yield the operation without the tensors it writes."""
    if op.writes and op.reads:
        yield replace(op, writes=(), parts=())


def multiply_add_once(op: Operation) -> Iterator[Operation]:
    """Yield the operation with half its FLOPs."""
    yield replace(op, compute={k: v / 2 for k, v in op.compute.items()}, exact_compute=None, parts=())


def footprint(op: Operation) -> Iterator[Operation]:
    """Yield the operation with each tensor moved once, be it read again, or written where it was read.

    >>> from roofproof.ops import parse_operation
    >>> [str(v.bytes()) for v in footprint(parse_operation("axpy"))]            # y is read and written: 24 N
    ['16*N']
    """
    once = {(t.name, t.shape, t.dtype): replace(t, times=1) for t in op.tensors}
    reads = dict.fromkeys(once[t.name, t.shape, t.dtype] for t in op.reads)
    writes = [t for t in dict.fromkeys(once[t.name, t.shape, t.dtype] for t in op.writes) if t not in reads]
    if (*reads, *writes) != op.tensors:
        yield replace(op, reads=tuple(reads), writes=tuple(writes), parts=())
