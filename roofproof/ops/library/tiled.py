"""Matrix product block by block, with the on-chip memory its blocks need."""

from __future__ import annotations

from dataclasses import replace

from roofproof.ops.combine import tile
from roofproof.ops.library._entry import Entry, Format, OwnFormat, sized, whole_argument
from roofproof.ops.library.linear_algebra import matmul
from roofproof.ops.operation import Operation

HONG = "Hong, Kung, I/O Complexity: The Red-Blue Pebble Game (1981), section 6"


def tiled_matmul(
    x: Format = "bf16",
    w: OwnFormat = None,
    out: OwnFormat = None,
    compute: str | None = None,
    b: str | int = "b",
    f: str | int = "f",
    d: str | int = "t",
    memory: str = "vmem",
    holds: str | int = "",
) -> Operation:
    """X[B,D] W[D,F] in blocks of b rows and f columns, the sums kept on chip while D goes by in steps of d.

    >>> op = tiled_matmul()
    >>> op.flops / op.bytes()                                  # 1/(1/b + 1/f + 1/D): b f/(b + f) for long D
    2*B*D*F/(2*B*D*F/f + 2*B*D*F/b + 2*B*F)
    >>> op.footprint["vmem"]                                   # a block of x, of w and of z
    2*b*f + 2*b*t + 2*f*t

    `holds` is the capacity in bytes of the on-chip `memory`, if it is to be checked.
    """
    blocks = {"B": sized(b, "b"), "F": sized(f, "f"), "D": sized(d, "d")}
    capacity = None if holds == "" else whole_argument(holds, "holds", least=1)
    tiled = tile(matmul(x, w, out, compute), memory, capacity=capacity, **blocks)
    return replace(tiled, name="tiled-matmul", source=HONG)


ENTRIES = (
    Entry(
        "tiled-matmul",
        tiled_matmul,
        "matrix times matrix in blocks b, f, d (on-chip memory)",
        HONG,
        sizes="B: batch, D: width, F: width, b: block = 128, f: block = 128, t: block = 32, d: block = 32",
    ),
)
