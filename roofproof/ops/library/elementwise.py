"""Elementwise kernels: one or two FLOPs an element, so that bytes decide.

N elements. STREAM counts each array once per access and no write-allocate traffic, in fp64.
"""

from __future__ import annotations

from roofproof.ops.library._entry import Entry, Format
from roofproof.ops.operation import Operation
from roofproof.ops.tensor import Tensor
from roofproof.symbols import dimension

STREAM = "McCalpin, STREAM: Sustainable Memory Bandwidth (1995), counting rules"
PLAIN = "counted: each operand read once, the result written once"


def _kernel(name: str, flops: int, reads: str, writes: str, x: str, compute: str | None, source: str) -> Operation:
    n = dimension("N")
    return Operation(
        name,
        compute={compute or x: flops * n},
        reads=tuple(Tensor(tensor, (n,), x) for tensor in reads),
        writes=tuple(Tensor(tensor, (n,), x) for tensor in writes),
        source=source,
        convention="an addition and a multiplication are one FLOP each; no write-allocate traffic",
    )


def add(x: Format = "bf16", compute: str | None = None) -> Operation:
    """Sum of two vectors, z = x + y.

    >>> add().flops, add().bytes()                             # bf16: 2 reads and 1 write of 2 bytes
    (N, 6*N)
    """
    return _kernel("add", 1, "xy", "z", x, compute, PLAIN)


def axpy(x: Format = "fp64", compute: str | None = None) -> Operation:
    """y = a x + y: two FLOPs an element; y is read and written.

    >>> axpy().flops, axpy().bytes()                           # fp64: 3 times 8 bytes
    (2*N, 24*N)
    """
    return _kernel("axpy", 2, "xy", "y", x, compute, PLAIN)


def stream_copy(x: Format = "fp64", compute: str | None = None) -> Operation:
    """STREAM copy, c = a: no FLOP.

    >>> stream_copy().bytes()
    16*N
    """
    return _kernel("stream-copy", 0, "a", "c", x, compute, STREAM)


def stream_scale(x: Format = "fp64", compute: str | None = None) -> Operation:
    """STREAM scale, b = q c.

    >>> stream_scale().flops, stream_scale().bytes()
    (N, 16*N)
    """
    return _kernel("stream-scale", 1, "c", "b", x, compute, STREAM)


def stream_add(x: Format = "fp64", compute: str | None = None) -> Operation:
    """STREAM add, c = a + b.

    >>> stream_add().flops, stream_add().bytes()
    (N, 24*N)
    """
    return _kernel("stream-add", 1, "ab", "c", x, compute, STREAM)


def stream_triad(x: Format = "fp64", compute: str | None = None) -> Operation:
    """STREAM triad, a = b + q c: 2 FLOPs for 24 bytes.

    >>> stream_triad().flops / stream_triad().bytes()
    1/12
    """
    return _kernel("stream-triad", 2, "bc", "a", x, compute, STREAM)


ENTRIES = (
    Entry("add", add, "sum of two vectors", PLAIN),
    Entry("axpy", axpy, "a x + y, in place", PLAIN),
    Entry("stream-copy", stream_copy, "STREAM copy", STREAM),
    Entry("stream-scale", stream_scale, "STREAM scale", STREAM),
    Entry("stream-add", stream_add, "STREAM add", STREAM),
    Entry("stream-triad", stream_triad, "STREAM triad", STREAM),
)
