"""Convolutions over images: N images, C channels in, K out, a kernel of R x S, P x Q points out.

The input has (P - 1) stride + R rows: no padding, and every element of it is read once.
"""

from __future__ import annotations

from roofproof.ops.library._entry import Entry, Format, whole
from roofproof.ops.operation import Operation
from roofproof.ops.tensor import Tensor
from roofproof.symbols import dimension

DUMOULIN = "Dumoulin, Visin, A guide to convolution arithmetic for deep learning (2016), section 2"
HOWARD = "Howard et al., MobileNets (2017), section 3.1"


def convolution(
    x: Format = "bf16", w: Format | None = None, stride: str | int = 1, compute: str | None = None
) -> Operation:
    """2-D convolution: a matmul of NPQ by CRS by K whose first operand is never stored.

    >>> convolution().flops
    2*C*K*N*P*Q*R*S
    >>> convolution().reads[0].shape                           # P - 1 steps of 1 and a kernel of R
    (N, C, P + R - 1, Q + S - 1)
    """
    C, K = dimension("C"), dimension("K")
    return _convolution("convolution", (C,), (K, C), (K,), x, w, stride, compute, DUMOULIN)


def depthwise_convolution(
    x: Format = "bf16", w: Format | None = None, stride: str | int = 1, compute: str | None = None
) -> Operation:
    """Depthwise 2-D convolution: each of C channels with a kernel of its own.

    >>> depthwise_convolution().flops                          # RS multiply-adds a point and channel
    2*C*N*P*Q*R*S
    """
    C = dimension("C")
    return _convolution("depthwise-convolution", (C,), (C,), (C,), x, w, stride, compute, HOWARD)


def _convolution(
    name: str,
    channels: tuple[object, ...],
    kernels: tuple[object, ...],
    out: tuple[object, ...],
    x: str,
    w: str | None,
    stride: str | int,
    compute: str | None,
    source: str,
) -> Operation:
    N, P, Q, R, S = map(dimension, "NPQRS")
    step = whole(stride, "stride", least=1)
    image = Tensor("x", (N, *channels, step * (P - 1) + R, step * (Q - 1) + S), x)
    kernel = Tensor("w", (*kernels, R, S), w or x)
    result = Tensor("y", (N, *out, P, Q), x)
    points = kernel.elements * N * P * Q
    return Operation(
        name,
        compute={compute or x: 2 * points},
        reads=(image, kernel),
        writes=(result,),
        source=source,
        convention="2 FLOPs per multiply-add; no padding, every operand read once",
        exact_compute={compute or x: 2 * points - result.elements},
        dims=(N, *dict.fromkeys((*channels, *kernels)), P, Q, R, S),
    )


ENTRIES = (
    Entry("convolution", convolution, "2-D convolution (stride)", DUMOULIN),
    Entry("depthwise-convolution", depthwise_convolution, "2-D convolution, channel by channel", HOWARD),
)
