"""What turns tokens into vectors that know their place: embedding lookup and rotary embedding."""

from __future__ import annotations

from sympy import Integer

from roofproof.ops.library._entry import Entry, Format, OwnFormat
from roofproof.ops.operation import Operation, one_kernel
from roofproof.ops.resources import vector_engine
from roofproof.ops.tensor import Tensor
from roofproof.symbols import dimension

VASWANI = "Vaswani et al., Attention Is All You Need (2017), section 3.4"
SU = "Su et al., RoFormer (2021), section 3.4.2"


def embedding(x: Format = "bf16", index: Format = "int32") -> Operation:
    """Lookup of T tokens in a table of V rows of D: no FLOP; T rows are read, and T rows written.

    >>> embedding().bytes()                                    # 4 bytes an index, 2 an element in and out
    4*D*T + 4*T
    """
    T, V, D = map(dimension, "TVD")
    return one_kernel(
        "embedding",
        reads=(Tensor("tokens", (T,), index), Tensor("w_embedding", (V, D), x, T / V)),
        writes=(Tensor("y", (T, D), x),),
        source=VASWANI,
        convention="no FLOP; a row is read again for every token that asks for it",
        loops=(T, D),
        dims=(T, V, D),
    )


def rotary(x: Format = "bf16", table: OwnFormat = None, compute: str | None = None) -> Operation:
    """Rotary embedding of T tokens of h heads: each pair of the k elements of a head turned by an angle.

    >>> rotary().flops                                         # 4 products and 2 additions a pair
    3*T*h*k
    >>> rotary().bytes()                                       # 2 bytes: in, out, sines and cosines
    4*T*h*k + 2*T*k
    """
    T, h, k = map(dimension, "Thk")
    half = (T, k / Integer(2))
    return one_kernel(
        "rotary",
        work={compute or vector_engine(x): 3 * T * h * k},
        reads=(Tensor("x", (T, h, k), x), Tensor("cosines", half, table or x), Tensor("sines", half, table or x)),
        writes=(Tensor("y", (T, h, k), x),),
        source=SU,
        convention="6 FLOPs a pair; sines and cosines come from a table read once for all heads",
        loops=(T, h),
        dims=(T, h, k),
    )


ENTRIES = (
    Entry(
        "embedding",
        embedding,
        "embedding lookup",
        VASWANI,
        sizes="T: tokens, V: vocabulary, D: width",
        kernel="tokens w_embedding/V -> y",
    ),
    Entry("rotary", rotary, "rotary position embedding", SU, sizes="T: tokens, h: heads, k: head width"),
)
