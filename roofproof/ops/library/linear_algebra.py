"""Dot product, matrix-vector and matrix-matrix products, in any mix of formats.

Letters as in the sources: B batch, D the dimension summed over, F output features, N length. The convention
is 2 FLOPs per multiply-add, except for the dot product, which the sources count exactly (2N - 1).
"""

from __future__ import annotations

from roofproof.ops.library._entry import Entry, Format, OwnFormat
from roofproof.ops.notation.typed_einsum import einsum
from roofproof.ops.operation import Operation, one_kernel
from roofproof.ops.tensor import Tensor
from roofproof.symbols import dimension

SCALING = "Austin et al., How to Scale Your Model (2025), ch. 1, All About Rooflines"


def dot(x: Format = "bf16", y: OwnFormat = None, out: OwnFormat = None, compute: str | None = None) -> Operation:
    """Dot product of two vectors: N products and N - 1 additions; 2N inputs and one output.

    >>> dot().flops, dot().bytes()                             # bf16: 2N + 2N + 2 bytes
    (2*N - 1, 4*N + 2)
    """
    text = f"x:{x}[N], y:{y or x}[N] -> z:{out or ''}[]"
    return einsum(text, "dot", exact=True, source=SCALING, compute=compute)


def matmul(x: Format = "bf16", w: OwnFormat = None, out: OwnFormat = None, compute: str | None = None) -> Operation:
    """Matrix product X[B,D] W[D,F]: 2BDF FLOPs, each matrix moved once.

    >>> matmul().flops, matmul().bytes()
    (2*B*D*F, 2*B*D + 2*B*F + 2*D*F)
    >>> matmul(w="int8").bytes()                               # int8 weights: one byte each
    2*B*D + 2*B*F + D*F
    """
    return einsum(f"x:{x}[B,D], w:{w or x}[D,F] -> z:{out or ''}[B,F]", "matmul", source=SCALING, compute=compute)


def _product(name: str, shapes: str, about: str, says: str, usual: Format = "bf16", source: str = SCALING) -> Entry:
    """An entry like the matmul: the shapes of x, w and z, apart by blanks."""

    def make(x: Format = usual, w: OwnFormat = None, out: OwnFormat = None, compute: str | None = None) -> Operation:
        left, right, result = shapes.split()
        return einsum(f"x:{x}{left}, w:{w or x}{right} -> z:{out or ''}{result}", name, source=source, compute=compute)

    make.__doc__ = says
    return Entry(name, make, about, SCALING, sizes="N: batch = 32, B: batch, D: width, F: width", complex=True)


def split_matmul(x: Format = "bf16", link: str = "ici") -> Operation:
    """Matmul with D split over two chips: each does half, and sends its partial sums [B,F] to the other.

    Counted per chip: compute and link only, as the source does; `shard` gives the main memory too.

    >>> split_matmul().demands                                 # half of 2BDF; 2 bytes each for BF sums
    {'bf16': B*D*F, 'ici': 2*B*F}
    """
    B, D, F = dimension("B"), dimension("D"), dimension("F")
    return one_kernel(
        "split-matmul",
        work={x: B * D * F},
        links={link: Tensor("partial", (B, F), x).bytes},
        source=SCALING,
        convention="per chip of two; 2 FLOPs per multiply-add; bytes per direction of the link",
        dims=(B, D, F),
    )


EACH = "Each example of the batch has weights of its own, so no weight is used twice."
FOURTH = SCALING + ", question 4"
OWN = "N matrix products, each with matrices of its own; its intensity is that of one."

ENTRIES = (  # the product at batch 1: 2 D F; of N: 2 N B D F; of weights an example each: 2 B D F for B D F weights
    Entry("dot", dot, "dot product of two vectors", SCALING, sizes="N: elements", complex=True),
    _product("matvec", "[D] [D,F] [F]", "vector times matrix", "Vector times matrix: the matmul at batch 1."),
    Entry("matmul", matmul, "matrix times matrix", SCALING, sizes="B: batch, D: width, F: width", complex=True),
    _product("batched-matmul", "[N,B,D] [N,D,F] [N,B,F]", "N products of matrices of their own", OWN),
    _product("per-example-weights", "[B,D] [B,D,F] [B,F]", "each example has weights of its own", EACH, "int8", FOURTH),
    Entry(
        "split-matmul",
        split_matmul,
        "matmul with D split over two chips, per chip",
        SCALING,
        sizes="B: batch, D: width, F: width",
    ),
)
