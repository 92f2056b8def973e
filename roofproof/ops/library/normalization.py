"""Layer norm and RMS norm of B rows of D elements; the scale (and shift) is read once."""

from __future__ import annotations

from roofproof.ops.library._entry import Entry, Format
from roofproof.ops.operation import Operation
from roofproof.ops.tensor import Tensor
from roofproof.symbols import dimension

BA = "Ba, Kiros, Hinton, Layer Normalization (2016), section 3"
ZHANG = "Zhang, Sennrich, Root Mean Square Layer Normalization (2019), section 4"


def layer_norm(x: Format = "bf16", w: Format | None = None, compute: str | None = None) -> Operation:
    """(x - mean) / sqrt(variance + epsilon) times a scale, plus a shift; the row is read once.

    >>> layer_norm().flops, layer_norm().exact.flops           # 7 an element and 3 a row
    (7*B*D, 7*B*D + 3*B)
    >>> layer_norm().bytes()                                   # 2 bytes: x in, y out, scale and shift
    4*B*D + 4*D
    """
    return _norm("layer-norm", 7, ("w_scale", "w_shift"), x, w or x, compute, BA)


def rms_norm(x: Format = "bf16", w: Format | None = None, compute: str | None = None) -> Operation:
    """X / sqrt(mean of squares + epsilon) times a scale; the row is read once.

    >>> rms_norm().flops, rms_norm().exact.flops               # 4 an element and 3 a row
    (4*B*D, 4*B*D + 3*B)
    """
    return _norm("rms-norm", 4, ("w_scale",), x, w or x, compute, ZHANG)


COUNTED = {
    7: "7 FLOPs an element: mean, difference, square, sum, quotient, scale, shift",
    4: "4 FLOPs an element: square, sum, quotient, scale",
}


def _norm(
    name: str, each: int, weights: tuple[str, ...], x: str, w: str, compute: str | None, source: str
) -> Operation:
    B, D = dimension("B"), dimension("D")
    return Operation(
        name,
        compute={compute or x: each * B * D},
        reads=(Tensor("x", (B, D), x), *(Tensor(weight, (D,), w) for weight in weights)),
        writes=(Tensor("y", (B, D), x),),
        source=source,
        convention=f"{COUNTED[each]}; exactly 3 more a row (epsilon, root, reciprocal)",
        exact_compute={compute or x: each * B * D + 3 * B},
    )


ENTRIES = (
    Entry("layer-norm", layer_norm, "layer norm, scale and shift", BA),
    Entry("rms-norm", rms_norm, "root-mean-square norm, scale", ZHANG),
)
