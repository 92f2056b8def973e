"""Convolutions over images: N images, C channels in, K out, a kernel of R x S, P x Q points out.

The input has (P - 1) stride + R rows: no padding, and every element of it is read once.
"""

from __future__ import annotations

from roofproof.ops.library._entry import Entry, Format, OwnFormat, whole_argument
from roofproof.ops.operation import Operation, one_kernel
from roofproof.ops.tensor import Tensor
from roofproof.symbols import dimension

DUMOULIN = "Dumoulin, Visin, A guide to convolution arithmetic for deep learning (2016), section 2"
HOWARD = "Howard et al., MobileNets (2017), section 3.1"


def _convolution(name: str, kernels: str, out: str, about: str, says: str, source: str) -> Entry:
    """An entry from the dimensions, of one letter, that a kernel and the image out have beside R x S and P x Q."""

    def make(x: Format = "bf16", w: OwnFormat = None, stride: str | int = 1, compute: str | None = None) -> Operation:
        N, C, P, Q, R, S = map(dimension, "NCPQRS")
        step = whole_argument(stride, "stride", least=1)
        image = Tensor("x", (N, C, step * (P - 1) + R, step * (Q - 1) + S), x)
        kernel = Tensor("w", (*map(dimension, kernels), R, S), w or x)
        result = Tensor("y", (N, *map(dimension, out), P, Q), x)
        points = kernel.elements * N * P * Q
        return one_kernel(
            name,
            work={compute or x: 2 * points},
            reads=(image, kernel),
            writes=(result,),
            source=source,
            convention="2 FLOPs per multiply-add; no padding, every operand read once",
            exact={compute or x: 2 * points - result.elements},
            dims=(N, C, *map(dimension, out), P, Q, R, S),
        )

    make.__doc__ = says
    sizes = "N: images, C: channels, K: channels, P: image side, Q: image side, R: kernel width, S: kernel width"
    return Entry(name, make, about, source, sizes=sizes)


DENSE = "2-D convolution: a matmul of NPQ by CRS by K whose first operand is never stored."
DEPTHWISE = "Depthwise 2-D convolution: each of C channels with a kernel of its own."
ENTRIES = (  # 2 C K N P Q R S FLOPs, and 2 C N P Q R S
    _convolution("convolution", "KC", "K", "2-D convolution (stride)", DENSE, DUMOULIN),
    _convolution("depthwise-convolution", "C", "C", "2-D convolution, channel by channel", DEPTHWISE, HOWARD),
)
