"""Products whose operands carry scales: fp8 in blocks, weights in groups of four bits.

n groups of G elements each make up the dimension that is summed over. Products go to the matrix unit; the sums of each
group are scaled on the vector unit.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from roofproof.ops.library._entry import Entry, Format
from roofproof.ops.notation.typed_einsum import einsum
from roofproof.ops.operation import Operation

LIU = "DeepSeek-AI, DeepSeek-V3 (2024), section 3.3.2"
LIN = "Lin et al., AWQ (2023), section 3"

SCALED = "2 FLOPs per multiply-add; the sum of each group times its scales, and added up, on the vector unit"


def block_scaled(x: Format = "fp8", scale: Format = "fp32", out: Format = "bf16") -> Operation:
    """Matmul in fp8 with a scale for each group of a row of x, and for each block of w: G = H = 128 in the source.

    x has n groups of G elements a row (1 by 128), w has n by m blocks of G by H (128 by 128), each with one scale.

    >>> op = block_scaled()
    >>> op.compute["fp8"], op.compute["fp32-vector"]           # F = m H columns: 2 B nG F; 2 scales a sum, added
    (2*B*G*H*m*n, 3*B*H*m*n)
    >>> op.bytes()                                             # B nG + nG mH; 4 for each of B n and n m; 2 B mH
    B*G*n + 2*B*H*m + 4*B*n + G*H*m*n + 4*m*n
    """
    text = f"x:{x}[B,n,G], w:{x}[n,G,m,H], x_scale:{scale}[B,n], w_scale:{scale}[n,m] -> y:{out}[B,m,H]"
    return replace(einsum(text, source=LIU), name="block-scaled-matmul", convention=SCALED)


def group_quantized(x: Format = "bf16", w: Format = "int4", scale: Format = "bf16", zero: str = "") -> Operation:
    """Matmul with weights of a few bits, a scale for each group of a column, and a `zero` point if a format is given.

    >>> group_quantized().bytes()                              # half a byte a weight, and 2 bytes a group
    2*B*F + 2*B*G*n + F*G*n/2 + 2*F*n
    """
    text = f"x:{x}[B,n,G], w:{w}[n,G,F], scale:{scale}[n,F] -> y:{x}[B,F] @ {x}"
    if zero:
        text = text.replace(" ->", f", zero:{zero}[n,F] ->")
    return replace(einsum(text, source=LIN), name="group-quantized-matmul", convention=SCALED)


def count_blocks(meter: Any, B: int, n: int, G: int, m: int, H: int) -> None:
    """Sums of each group, times both scales, added up."""
    x, w, y = meter.array("x", B, n, G), meter.array("w", n, G, m, H), meter.result("y", B, m, H)
    of_row, of_block = meter.array("x_scale", B, n), meter.array("w_scale", n, m)
    for b in range(B):
        for block in range(m):
            for f in range(H):
                total = None
                for i in range(n):
                    part = x[b, i, 0] * w[i, 0, block, f]
                    for g in range(1, G):
                        part = part + x[b, i, g] * w[i, g, block, f]
                    part = part * of_row[b, i] * of_block[i, block]
                    total = part if total is None else total + part
                y[b, block, f] = total


def count_groups(meter: Any, B: int, n: int, G: int, F: int) -> None:
    """Sums of each group, times its scale, added up."""
    x, w, y = meter.array("x", B, n, G), meter.array("w", n, G, F), meter.result("y", B, F)
    scale = meter.array("scale", n, F)
    for b in range(B):
        for f in range(F):
            total = None
            for i in range(n):
                part = x[b, i, 0] * w[i, 0, f]
                for g in range(1, G):
                    part = part + x[b, i, g] * w[i, g, f]
                part = part * scale[i, f]
                total = part if total is None else total + part
            y[b, f] = total


TRIED = ({"B": 2, "n": 3, "G": 2, "F": 2}, {"B": 1, "n": 1, "G": 1, "F": 1})
BLOCKS = ({"B": 2, "n": 3, "G": 2, "m": 2, "H": 3}, {"B": 1, "n": 1, "G": 1, "m": 1, "H": 1})
ENTRIES = (
    Entry(
        "block-scaled-matmul",
        block_scaled,
        "fp8 matmul with a scale a block",
        LIU,
        count=count_blocks,
        tried=BLOCKS,
        sizes="B: batch, n: groups a row, G: group, m: groups a row, H: group",
    ),
    Entry(
        "group-quantized-matmul",
        group_quantized,
        "matmul with int4 weights and a scale a group",
        LIN,
        count=count_groups,
        tried=TRIED,
        sizes="B: batch, n: groups a row, G: group, F: width",
    ),
)
