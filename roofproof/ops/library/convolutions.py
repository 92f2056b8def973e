"""Further convolutions: in three dimensions, transposed, and by Winograd's minimal filtering."""

from __future__ import annotations

from itertools import product
from typing import Any

from sympy import Eq, Integer, Mod

from roofproof.ops.library._entry import Entry, Format, OwnFormat, chosen
from roofproof.ops.library.convolution import DUMOULIN
from roofproof.ops.operation import Operation, one_kernel
from roofproof.ops.tensor import Tensor
from roofproof.symbols import dimension

LAVIN = "Lavin, Gray, Fast Algorithms for Convolutional Neural Networks (2015), section 4.1"


def convolution3d(x: Format = "bf16", w: OwnFormat = None, compute: str | None = None) -> Operation:
    """3-D convolution: N volumes of C channels, K kernels of R x S x T, O x P x Q points out; no padding, stride 1.

    >>> convolution3d().flops                                  # 2 C R S T for each of N K O P Q points
    2*C*K*N*O*P*Q*R*S*T
    """
    N, C, K, out, P, Q, R, S, T = map(dimension, "NCKOPQRST")
    volume = Tensor("x", (N, C, out + R - 1, P + S - 1, Q + T - 1), x)
    kernel, result = Tensor("w", (K, C, R, S, T), w or x), Tensor("y", (N, K, out, P, Q), x)
    points = kernel.elements * N * out * P * Q
    return one_kernel(
        "convolution-3d",
        work={compute or x: 2 * points},
        reads=(volume, kernel),
        writes=(result,),
        source=DUMOULIN,
        convention="2 FLOPs per multiply-add; no padding, every operand read once",
        exact={compute or x: 2 * points - result.elements},
        dims=(N, C, K, out, P, Q, R, S, T),
    )


def transposed(x: Format = "bf16", w: OwnFormat = None, compute: str | None = None) -> Operation:
    """Transposed 2-D convolution: each of H x W points in is spread over R x S points out; stride 1, no padding.

    >>> transposed().flops                                     # 2 R S K for each of N C H W points
    2*C*H*K*N*R*S*W
    """
    N, C, K, H, W, R, S = map(dimension, "NCKHWRS")
    image, kernel = Tensor("x", (N, C, H, W), x), Tensor("w", (C, K, R, S), w or x)
    return one_kernel(
        "transposed-convolution",
        work={compute or x: 2 * image.elements * K * R * S},
        reads=(image, kernel),
        writes=(Tensor("y", (N, K, H + R - 1, W + S - 1), x),),
        source=DUMOULIN,
        convention="2 FLOPs per multiply-add into sums that start at zero; every operand read once",
        dims=(N, C, K, H, W, R, S),
    )


def winograd(x: Format = "bf16", w: OwnFormat = None, m: str | int = 2) -> Operation:
    """3 x 3 convolution as products of (m + 2)^2 points for each m x m points out: F(m, 3), m = 2 or 4.

    >>> winograd().flops                                       # 2 C K (2 + 2)^2 for every 4 points of 2 C K 9
    8*C*K*N*P*Q
    >>> winograd(m=4).flops                                    # 36 products for 16 points: 9/4 of a product each
    9*C*K*N*P*Q/2
    """
    N, C, K, P, Q = map(dimension, "NCKPQ")
    side = int(chosen(str(m), "m", ("2", "4")))  # the sizes whose products the source counts
    tiles = N * P * Q / Integer(side) ** 2
    return one_kernel(
        "winograd-convolution",
        work={x: 2 * C * K * tiles * (side + 2) ** 2},
        reads=(Tensor("x", (N, C, P + 2, Q + 2), x), Tensor("w", (K, C, Integer(3), Integer(3)), w or x)),
        writes=(Tensor("y", (N, K, P, Q), x),),
        source=LAVIN,
        convention="2 FLOPs per multiply-add of the products; transforms of data, kernel and result not counted",
        conditions=tuple(Eq(Mod(each, side), 0) for each in (P, Q)),
        dims=(N, C, K, P, Q),
    )


def count_3d(meter: Any, N: int, C: int, K: int, O: int, P: int, Q: int, R: int, S: int, T: int) -> None:  # noqa: E741
    """Sum over channels and kernel for each point out."""
    x = meter.array("x", N, C, O + R - 1, P + S - 1, Q + T - 1)
    w, y = meter.array("w", K, C, R, S, T), meter.result("y", N, K, O, P, Q)
    for n, f, o, p, q in product(*map(range, (N, K, O, P, Q))):
        total = None
        for c, r, s, t in product(*map(range, (C, R, S, T))):
            term = x[n, c, o + r, p + s, q + t] * w[f, c, r, s, t]
            total = term if total is None else total + term
        y[n, f, o, p, q] = total


def count_spread(meter: Any, N: int, C: int, K: int, H: int, W: int, R: int, S: int) -> None:
    """Add each point in, times the kernel, to the points out."""
    x, w = meter.array("x", N, C, H, W), meter.array("w", C, K, R, S)
    y, sums = meter.result("y", N, K, H + R - 1, W + S - 1), dict[tuple[int, ...], Any]()
    for n, c, f, i, j, r, s in product(*map(range, (N, C, K, H, W, R, S))):
        at = n, f, i + r, j + s
        sums[at] = x[n, c, i, j] * w[c, f, r, s] + sums.get(at, 0)
    for place, total in sums.items():
        y[place] = total


VOLUMES = ({"N": 1, "C": 2, "K": 2, "O": 2, "P": 1, "Q": 2, "R": 2, "S": 1, "T": 2},)
IMAGES = ({"N": 1, "C": 2, "K": 2, "H": 2, "W": 3, "R": 2, "S": 2}, dict.fromkeys("NCKHWRS", 1))
ENTRIES = (
    Entry(
        "convolution-3d",
        convolution3d,
        "3-D convolution",
        DUMOULIN,
        count=count_3d,
        tried=VOLUMES,
        sizes="N: images, C: channels, K: channels, O: image side, P: image side, Q: image side, "
        "R: kernel width, S: kernel width, T: kernel width",
    ),
    Entry(
        "transposed-convolution",
        transposed,
        "transposed 2-D convolution",
        DUMOULIN,
        count=count_spread,
        tried=IMAGES,
        sizes="N: images, C: channels, K: channels, H: image side, W: image side, R: kernel width, S: kernel width",
    ),
    Entry(
        "winograd-convolution",
        winograd,
        "3 x 3 convolution by minimal filtering (m = 2 or 4)",
        LAVIN,
        sizes="N: images, C: channels, K: channels, P: image side, Q: image side",
    ),
)
