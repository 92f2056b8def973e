"""Layer norm and RMS norm of B rows of D elements; the scale (and shift) is read once."""

from __future__ import annotations

from roofproof.ops.library._entry import Entry, Format, OwnFormat
from roofproof.ops.library.softmax import on_engines
from roofproof.ops.operation import Operation, one_kernel
from roofproof.ops.resources import vector_engine
from roofproof.ops.tensor import Tensor
from roofproof.symbols import dimension

BA = "Ba, Kiros, Hinton, Layer Normalization (2016), section 3"
ZHANG = "Zhang, Sennrich, Root Mean Square Layer Normalization (2019), section 4"


def _norm(name: str, weights: tuple[str, ...], counted: str, about: str, says: str, source: str) -> Entry:
    """An entry whose FLOPs an element are those that are counted, one a word."""

    def make(x: Format = "bf16", w: OwnFormat = None, compute: str | None = None) -> Operation:
        B, D = dimension("B"), dimension("D")
        each = len(counted.split(", "))
        return one_kernel(
            name,
            work={compute or vector_engine(x): each * B * D},
            reads=(Tensor("x", (B, D), x), *(Tensor(weight, (D,), w or x) for weight in weights)),
            writes=(Tensor("y", (B, D), x),),
            source=source,
            convention=f"{each} FLOPs an element: {counted}; exactly 3 more a row (epsilon, root, reciprocal)",
            exact=on_engines(each * B * D + 3 * B, 2 * B, x, compute),
            loops=(B,),
        )

    make.__doc__ = says
    return Entry(name, make, about, source, sizes="B: batch, D: width")


ENTRIES = (  # exactly 7 B D + 3 B and 4 B D + 3 B; in bf16 4 B D bytes for x and y, 2 D for each of the weights
    _norm(
        "layer-norm",
        ("w_scale", "w_shift"),
        "mean, difference, square, sum, quotient, scale, shift",
        "layer norm, scale and shift",
        "(x - mean) / sqrt(variance + epsilon) times a scale, plus a shift; the row is read once.",
        BA,
    ),
    _norm(
        "rms-norm",
        ("w_scale",),
        "square, sum, quotient, scale",
        "root-mean-square norm, scale",
        "X / sqrt(mean of squares + epsilon) times a scale; the row is read once.",
        ZHANG,
    ),
)
