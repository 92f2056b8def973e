"""Losses, selections and scans over rows: few FLOPs or none, so that bytes decide. A comparison is not a FLOP here."""

from __future__ import annotations

from typing import Any

from sympy import Integer

from roofproof.formats import BITS, element_format
from roofproof.ops.library._entry import Entry, Format, whole_argument
from roofproof.ops.library.softmax import on_engines
from roofproof.ops.operation import Operation, one_kernel
from roofproof.ops.resources import vector_engine
from roofproof.ops.tensor import Tensor
from roofproof.symbols import dimension

MILAKOV = "Milakov, Gimelshein, Online normalizer calculation for softmax (2018), section 4"
SATISH = "Satish, Harris, Garland, Designing efficient sorting algorithms for manycore GPUs (2009), section 4"
PODLOZHNYUK = "Podlozhnyuk, Histogram calculation in CUDA (2007)"
MERRILL = "Merrill, Garland, Single-pass parallel prefix scan with decoupled look-back (2016)"


def cross_entropy(x: Format = "bf16", compute: str | None = None) -> Operation:
    """Loss of each of B rows of V scores: log of the sum of exponentials, less the score of the label.

    >>> sum(cross_entropy().compute.values())                  # difference, exponential, sum; log and 2 more a row
    3*B*V
    >>> dict(cross_entropy().compute)                          # the exponential where softmax has it, too
    {'fp32-vector': 2*B*V, 'exp': B*V}
    >>> cross_entropy().bytes()                                # scores once, a label of 4 bytes in, a loss of 4 out
    2*B*V + 8*B
    """
    B, V = dimension("B"), dimension("V")
    return one_kernel(
        "cross-entropy",
        work=on_engines(3 * B * V, B * V, x, compute),
        reads=(Tensor("scores", (B, V), x), Tensor("labels", (B,), "int32")),
        writes=(Tensor("loss", (B,), "fp32"),),
        source=MILAKOV,
        convention="3 FLOPs a score: difference, exponential, sum; comparisons for the maximum not counted",
        exact=on_engines(3 * B * V + 2 * B, B * V, x, compute),
    )


def top_k(x: Format = "bf16") -> Operation:
    """The k largest of each of B rows of V scores, with their places: comparisons, and no FLOP.

    >>> top_k().flops, top_k().bytes()                         # scores in; 2 bytes a score and 4 a place out
    (0, 2*B*V + 6*B*k)
    """
    B, V, k = map(dimension, "BVk")
    return one_kernel(
        "top-k",
        reads=(Tensor("scores", (B, V), x),),
        writes=(Tensor("largest", (B, k), x), Tensor("places", (B, k), "int32")),
        source=MILAKOV,
        convention="comparisons are not FLOPs; a row is read once",
        conditions=(k <= V,),
    )


def sort(x: Format = "fp32", digit: str | int = 8) -> Operation:
    """Radix sort of N keys by `digit` bits at a time: every pass reads and writes each key.

    >>> sort().bytes()                                         # 32 / 8 = 4 passes, 4 bytes in and out
    32*N
    """
    N, bits = dimension("N"), whole_argument(digit, "digit", least=1)
    passes = Integer(-(-BITS[element_format(x)] // bits))
    return one_kernel(
        "sort",
        reads=(Tensor("keys", (N,), x, passes),),
        writes=(Tensor("sorted", (N,), x, passes),),
        source=SATISH,
        convention="no FLOP; a pass over the keys for each digit, its histogram counted on the way",
    )


def histogram(x: Format = "fp32", bins: Format = "int32") -> Operation:
    """How many of N values fall into each of K bins: whole numbers are added, no FLOP; the bins stay on chip.

    >>> histogram().bytes()                                    # 4 bytes a value in, 4 a bin out
    4*K + 4*N
    """
    N, K = dimension("N"), dimension("K")
    return one_kernel(
        "histogram",
        reads=(Tensor("values", (N,), x),),
        writes=(Tensor("counts", (K,), bins),),
        source=PODLOZHNYUK,
        convention="additions of whole numbers are not FLOPs; each value read once",
    )


def prefix_sum(x: Format = "fp32", compute: str | None = None) -> Operation:
    """Sum of each of N values and those before it, in one pass.

    >>> prefix_sum().exact.flops, prefix_sum().bytes()         # an addition for each but the first; in and out
    (N - 1, 8*N)
    """
    N, engine = dimension("N"), compute or vector_engine(x)
    return one_kernel(
        "prefix-sum",
        work={engine: N},
        reads=(Tensor("x", (N,), x),),
        writes=(Tensor("y", (N,), x),),
        source=MERRILL,
        convention="1 FLOP an element; exactly N - 1; read once, written once",
        exact={engine: N - 1},
    )


def count_loss(meter: Any, B: int, V: int) -> None:
    """Log of the sum of exponentials of differences from the largest, and the label's score off it."""
    scores, labels, loss = meter.array("scores", B, V), meter.array("labels", B), meter.result("loss", B)
    for b in range(B):
        _ = labels[b]
        row = [scores[b, i] for i in range(V)]
        top = max(row, key=lambda one: one.value)
        total = None
        for one in row:
            power = (one - top).exp()
            total = power if total is None else total + power
        assert total is not None
        loss[b] = total.root() + top - row[0]  # a root stands for the logarithm: one function


def count_scan(meter: Any, N: int) -> None:
    """Add each value to the sum of those before it."""
    x, y = meter.array("x", N), meter.result("y", N)
    total = x[0]
    y[0] = total
    for i in range(1, N):
        total = total + x[i]
        y[i] = total


def count_bins(meter: Any, N: int, K: int) -> None:
    """Look at every value, and write every bin."""
    values, counts = meter.array("values", N), meter.result("counts", K)
    found = [0] * K
    for i in range(N):
        found[int(values[i].value * 97) % K] += 1
    for j, one in enumerate(found):
        counts[j] = one


def count_largest(meter: Any, B: int, V: int, k: int) -> None:
    """Look at every score; write the largest and their places."""
    scores, largest, places = meter.array("scores", B, V), meter.result("largest", B, k), meter.result("places", B, k)
    for b in range(B):
        row = sorted(((scores[b, i].value, i) for i in range(V)), reverse=True)
        for j, (one, i) in enumerate(row[:k]):
            largest[b, j], places[b, j] = one, i


LINES = ({"N": 1}, {"N": 6})
ENTRIES = (
    Entry(
        "cross-entropy",
        cross_entropy,
        "loss of each row of scores against its label",
        MILAKOV,
        count=count_loss,
        tried=({"B": 2, "V": 4}, {"B": 1, "V": 1}),
        sizes="B: batch, V: vocabulary",
    ),
    Entry(
        "top-k",
        top_k,
        "the k largest of each row",
        MILAKOV,
        count=count_largest,
        tried=({"B": 2, "V": 5, "k": 2}, {"B": 1, "V": 1, "k": 1}),
        sizes="B: batch, V: vocabulary, k: selected",
    ),
    Entry("sort", sort, "radix sort (digit in bits)", SATISH, sizes="N: elements"),
    Entry(
        "histogram",
        histogram,
        "how many values fall into each bin",
        PODLOZHNYUK,
        count=count_bins,
        tried=({"N": 7, "K": 3},),
        sizes="N: elements, K: bins, bins: bins",
    ),
    Entry(
        "prefix-sum",
        prefix_sum,
        "sum of each value and those before it",
        MERRILL,
        count=count_scan,
        tried=LINES,
        sizes="N: elements",
    ),
)
