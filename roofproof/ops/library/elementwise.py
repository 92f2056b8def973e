"""Elementwise kernels: one or two FLOPs an element, so that bytes decide.

N elements, on the vector unit. STREAM counts each array once per access and no write-allocate traffic, in fp64.
"""

from __future__ import annotations

from roofproof.formats import is_complex, real_part
from roofproof.ops.library._entry import Entry, Format
from roofproof.ops.operation import Operation, one_kernel
from roofproof.ops.resources import vector_engine
from roofproof.ops.tensor import Tensor
from roofproof.symbols import dimension

STREAM = "McCalpin, STREAM: Sustainable Memory Bandwidth (1995), counting rules"
PLAIN = "counted: each operand read once, the result written once"
OF_REAL = "an addition and a multiplication are one FLOP each"
OF_COMPLEX = "of complex numbers an addition is 2 FLOPs, a multiplication 6"
COMPLEX = {"+": 2, "*": 6}


def _kernel(name: str, usual: Format, does: str, arrays: str, about: str, says: str) -> Entry:
    """An entry from what it does with an element, such as `*+`, and its arrays: `xy z` reads x and y, and writes z."""

    def make(x: Format = usual, compute: str | None = None) -> Operation:
        reads, writes = ([Tensor(array, (dimension("N"),), x) for array in side] for side in arrays.split())
        flops = sum(COMPLEX[each] if is_complex(x) else 1 for each in does)
        return one_kernel(
            name,
            work={compute or vector_engine(real_part(x)): flops * dimension("N")},
            reads=tuple(reads),
            writes=tuple(writes),
            source=source,
            convention=(OF_COMPLEX if is_complex(x) else OF_REAL) + "; no write-allocate traffic",
            loops=(dimension("N"),),
        )

    source = STREAM if name.startswith("stream") else PLAIN
    make.__doc__ = says
    return Entry(name, make, about, source, sizes="N: elements", complex=True)


ENTRIES = (  # bytes: 2 an element of an array in bf16, 8 in fp64, so 24 N for the triad, and an intensity of 2/24
    _kernel("add", "bf16", "+", "xy z", "sum of two vectors", "Sum of two vectors, z = x + y."),
    _kernel(
        "axpy", "fp64", "*+", "xy y", "a x + y, in place", "y = a x + y: two FLOPs an element; y is read and written."
    ),
    _kernel("stream-copy", "fp64", "", "a c", "STREAM copy", "STREAM copy, c = a: no FLOP."),
    _kernel("stream-scale", "fp64", "*", "c b", "STREAM scale", "STREAM scale, b = q c."),
    _kernel("stream-add", "fp64", "+", "ab c", "STREAM add", "STREAM add, c = a + b."),
    _kernel("stream-triad", "fp64", "*+", "bc a", "STREAM triad", "STREAM triad, a = b + q c: 2 FLOPs for 24 bytes."),
)
