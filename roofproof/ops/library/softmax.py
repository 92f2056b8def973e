"""Softmax of each of B rows of N elements, with the number of times the row is read as a parameter."""

from __future__ import annotations

from dataclasses import replace

from sympy import Expr, Integer

from roofproof.ops.library._entry import Entry, Format, whole_argument
from roofproof.ops.operation import Operation, one_kernel
from roofproof.ops.resources import vector_engine
from roofproof.ops.tensor import Tensor
from roofproof.symbols import dimension

MILAKOV = "Milakov, Gimelshein, Online normalizer calculation for softmax (2018), sections 2 and 3"


def softmax(x: Format = "bf16", passes: str | int = 1, compute: str | None = None) -> Operation:
    """Softmax of each row, which is read `passes` times and written once.

    Three passes: maximum, sum of exponentials, quotient (the safe softmax); two: maximum and sum together
    (the online one); one: the row stays on chip.

    >>> sum(softmax().compute.values()), softmax().bytes()                     # 5 FLOPs an element; 2 bytes in, 2 out
    (5*B*N, 4*B*N)
    >>> dict(softmax().compute)                                # one of them an exponential
    {'fp32-vector': 4*B*N, 'exp': B*N}
    >>> softmax(passes=3).bytes()                              # 3 reads and a write
    8*B*N
    """
    B, N = dimension("B"), dimension("N")
    row = Tensor("x", (B, N), x)
    return one_kernel(
        "softmax",
        work=on_engines(5 * B * N, B * N, x, compute),
        reads=(replace(row, times=Integer(whole_argument(passes, "passes", least=1))),),
        writes=(Tensor("y", (B, N), x),),
        source=MILAKOV,
        convention="5 FLOPs an element: maximum, difference, exponential, sum, quotient; exactly 5N - 2 a row",
        exact=on_engines(5 * B * N - 2 * B, B * N, x, compute),
        loops=(B,),
    )


def on_engines(flops: Expr, special: Expr, x: str, compute: str | None) -> dict[str, Expr]:
    """Return FLOPs on the vector unit, `special` of them on that for special functions; or all where the author says.

    >>> on_engines(Integer(5), Integer(1), "bf16", None), on_engines(Integer(5), Integer(1), "bf16", "bf16")
    ({'fp32-vector': 4, 'exp': 1}, {'bf16': 5})
    """
    return {compute: flops} if compute else {vector_engine(x): flops - special, "exp": special}


ENTRIES = (Entry("softmax", softmax, "softmax of each row (passes over it)", MILAKOV, sizes="B: batch, N: width"),)
