"""A frozen product with a low-rank update beside it (LoRA): both read the same input, and are added up on chip."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from roofproof.ops.combine import beside
from roofproof.ops.library._entry import Entry, Format, OwnFormat
from roofproof.ops.notation.typed_einsum import einsum
from roofproof.ops.operation import Operation

HU = "Hu et al., LoRA (2021), section 4.1"


def lora(x: Format = "bf16", w: OwnFormat = None, adapter: OwnFormat = None) -> Operation:
    """Y = x W + x A B with A of rank r, in one kernel: x is read once, and y is written once.

    >>> lora().flops.expand()                                  # 2BDF for W, 2BDr + 2BrF for the update
    2*B*D*F + 2*B*D*r + 2*B*F*r
    >>> lora().bytes()                                         # x, W, A, B, y, 2 bytes each
    2*B*D + 2*B*F + 2*D*F + 2*D*r + 2*F*r
    """
    a = adapter or x
    base = einsum(f"x:{x}[B,D], w:{w or x}[D,F] -> y:{x}[B,F] @ {x}", "base")
    update = einsum(f"x:{x}[B,D], w_a:{a}[D,r], w_b:{a}[r,F] -> y:{x}[B,F] @ {x}", "update")
    found = beside(base, update, name="lora")
    said = "2 FLOPs per multiply-add; the update is added to the sums of the base"
    return replace(found, source=HU, convention=said)


def count(meter: Any, B: int, D: int, F: int, r: int) -> None:
    """Multiply-adds of the base, of x A, and of that times B into the same sums."""
    x, w, y = meter.array("x", B, D), meter.array("w", D, F), meter.result("y", B, F)
    down, up = meter.array("w_a", D, r), meter.array("w_b", r, F)
    for b in range(B):
        inner = [_into(None, ((x[b, d], down[d, i]) for d in range(D))) for i in range(r)]
        for f in range(F):
            base = _into(None, ((x[b, d], w[d, f]) for d in range(D)))
            y[b, f] = _into(base, ((inner[i], up[i, f]) for i in range(r)))


def _into(total: Any, pairs: Any) -> Any:
    for one, other in pairs:
        total = one * other if total is None else total + one * other
    return total


ENTRIES = (
    Entry(
        "lora",
        lora,
        "matmul with a low-rank update beside it (LoRA)",
        HU,
        count=count,
        tried=({"B": 2, "D": 3, "F": 2, "r": 2}, {"B": 1, "D": 1, "F": 1, "r": 1}),
        sizes="B: batch, D: width, F: width, r: rank",
    ),
)
