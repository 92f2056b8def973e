"""Products of experts alone: rows grouped by expert, with the weights of those that some row was sent to."""

from __future__ import annotations

from roofproof.ops.library._entry import Entry, Format, OwnFormat
from roofproof.ops.library._experts import experts_read, lower_bound, routed, touched_text
from roofproof.ops.operation import Operation, one_kernel
from roofproof.ops.tensor import Tensor
from roofproof.symbols import dimension

GALE = "Gale et al., MegaBlocks (2022), section 3"


def grouped_matmul(x: Format = "bf16", w: OwnFormat = None, touched: str | int = "most") -> Operation:
    """B tokens, each sent to k of E experts with a matrix D by F of its own: 2 k B D F FLOPs.

    `touched` says of how many experts the weights are read, as in `experts_read`: `most`, min(E, k B), `expected`,
    `least`, `all`, or a number.

    >>> grouped_matmul().flops
    2*B*D*F*k
    >>> from roofproof.ops import at
    >>> expected = at(grouped_matmul(touched="expected"), B=2, D=1, F=1, E=4, k=1)
    >>> [t.times for t in expected.reads if t.name == "w"]     # 1 - (3/4)^2 of the experts
    [7/16]
    """
    B, D, F, E, k = map(dimension, "BDFEk")
    share = experts_read(touched) / E
    return one_kernel(
        "grouped-matmul",
        work={x: 2 * B * D * F * k},
        reads=(Tensor("x", (B, D), x, k), Tensor("w", (E, D, F), w or x, share)),
        writes=(Tensor("y", (B, k, F), x),),
        source=GALE,
        convention=f"2 FLOPs per multiply-add; a token read by each of its experts; {touched_text(touched)}",
        conditions=routed(touched),
        lower_bound=lower_bound(touched),
        dims=(B, D, F, E, k),
    )


ENTRIES = (
    Entry(
        "grouped-matmul",
        grouped_matmul,
        "rows grouped by expert (touched: most, expected, least, all)",
        GALE,
        sizes="B: batch, D: width, F: width, E: experts, k: experts a token, touched: experts",
        kernel="x w -> y",
    ),
)
