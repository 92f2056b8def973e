"""Slips in counting an operation: each yields operations, with what the slip is about where it is about something."""

from collections.abc import Iterator
from dataclasses import replace

import sympy

from roofproof.ops import Operation, Tensor

WIDTHS = ("int8", "bf16", "fp32")


def multiply_add_once(op: Operation) -> Iterator[Operation]:
    """Yield the operation with half its FLOPs, where they come in pairs: coefficients even, or a sum over a size."""
    terms = [t.as_coeff_Mul() for t in sympy.Add.make_args(sympy.expand(op.flops))]
    if all((c.is_Integer and c % 2 == 0) or len(rest.free_symbols) > 2 for c, rest in terms):
        compute = {name: amount / 2 for name, amount in op.compute.items()}
        yield replace(op, compute=compute, exact_compute=None, parts=())


def bytes_per_element(op: Operation) -> Iterator[Operation]:
    """Yield the operation with every element at one byte, its arithmetic unchanged.

    >>> from roofproof.ops import parse_operation
    >>> [str(v.bytes()) for v in bytes_per_element(parse_operation("dot"))]     # bf16: 4 N + 2 at 2 bytes
    ['2*N + 1']
    """
    yield from _at_width(op, "int8")


def dropped_tensor(op: Operation) -> Iterator[tuple[Operation, str]]:
    """Yield the operation without each of its tensors, those written first, or without one of its two passes.

    >>> from roofproof.ops import parse_operation
    >>> [(about, str(v.bytes())) for v, about in dropped_tensor(parse_operation("dot"))]         # z, x and y at 2 bytes
    [('z', '4*N'), ('x', '2*N + 2'), ('y', '2*N + 2')]
    """
    for name in dict.fromkeys(t.name for t in (*op.writes, *op.reads)):
        reads, writes = (tuple(t for t in ts if t.name != name) for ts in (op.reads, op.writes))
        passes = [(op.reads, writes), (reads, op.writes)] if op.reads != reads and op.writes != writes else []
        for r, w in [(reads, writes), *passes]:
            if r or w or op.traffic:
                yield replace(op, reads=r, writes=w, parts=()), name


def moved_twice(op: Operation) -> Iterator[tuple[Operation, str]]:
    """Yield the operation with each of its tensors moved twice as often.

    >>> from roofproof.ops import parse_operation
    >>> [(about, str(v.bytes())) for v, about in moved_twice(parse_operation("dot"))]           # z, x and y at 2 bytes
    [('z', '4*N + 4'), ('x', '6*N + 2'), ('y', '6*N + 2')]
    """
    for name in dict.fromkeys(t.name for t in (*op.writes, *op.reads)):
        reads, writes = (
            tuple(replace(t, times=2 * t.times) if t.name == name else t for t in ts) for ts in (op.reads, op.writes)
        )
        yield replace(op, reads=reads, writes=writes, parts=()), name


def dropped_size(op: Operation) -> Iterator[tuple[Operation, str]]:
    """Yield the operation without the loop over each of its sizes, where its FLOPs are one product of them.

    A size that divides the FLOPs, such as a number of chips, is no loop.

    >>> from roofproof.ops import parse_operation
    >>> [(about, str(v.flops)) for v, about in dropped_size(parse_operation("matmul"))]
    [('B', '2*D*F'), ('D', '2*B*F'), ('F', '2*B*D')]
    """
    if not op.flops.is_Mul:
        return
    for size in sorted(op.flops.as_numer_denom()[0].free_symbols, key=str):
        compute = {name: amount / size for name, amount in op.compute.items()}
        yield replace(op, compute=compute, exact_compute=None, parts=()), size.name


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


def other_width(op: Operation) -> Iterator[tuple[Operation, str]]:
    """Yield the operation with all its tensors in another format, then with one of them in the format of another.

    >>> from roofproof.ops import parse_operation
    >>> [(about, str(v.bytes())) for v, about in other_width(parse_operation("dot"))]   # bf16: 4 N + 2 at 2 bytes
    [('int8', '2*N + 1'), ('fp32', '8*N + 4')]
    """
    for width in WIDTHS:
        yield from ((changed, width) for changed in _at_width(op, width))
    formats = sorted({t.dtype for t in op.tensors})
    for t in op.tensors:
        for width in formats:
            yield from ((changed, f"{t.name}:{width}") for changed in _at_width(op, width, t.name))


def other_convention(op: Operation) -> Iterator[Operation]:
    """Yield the operation with every addition counted: D products of a sum have D - 1 of them.

    >>> from roofproof.ops import parse_operation
    >>> [sympy.factor(v.flops) for v in other_convention(parse_operation("matmul"))]                # for 2 B D F
    [B*F*(2*D - 1)]
    """
    if op.exact is not op:
        yield replace(op.exact, parts=())


def _at_width(op: Operation, width: str, only: str | None = None) -> Iterator[Operation]:
    """Yield the operation with its tensors, or one of them, in a format, where that changes the bytes."""

    def put(t: Tensor) -> Tensor:
        return replace(t, dtype=width) if only in (None, t.name) else t

    if any(put(t).bytes != t.bytes for t in op.tensors):
        yield replace(op, reads=tuple(map(put, op.reads)), writes=tuple(map(put, op.writes)), parts=())
