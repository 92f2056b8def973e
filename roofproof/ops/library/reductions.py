"""Reductions of each of B rows of N elements to one number: one FLOP an element, so that bytes decide."""

from __future__ import annotations

from dataclasses import replace

from roofproof.ops.library._entry import Entry, Format, OwnFormat
from roofproof.ops.notation.typed_einsum import einsum
from roofproof.ops.operation import Operation
from roofproof.ops.resources import vector_engine
from roofproof.symbols import dimension

PLAIN = "counted: each element read once, one result a row written"


def _rows(name: str, about: str, says: str, last: str = "") -> Entry:
    """An entry that takes N - 1 FLOPs a row, and one more where something comes last."""

    def make(x: Format = "bf16", out: OwnFormat = None, compute: str | None = None) -> Operation:
        found = einsum(f"x:{x}[B,N] -> z:{out or x}[B]", name, source=PLAIN, compute=compute or vector_engine(x))
        if last:
            every = dict.fromkeys(found.compute, dimension("B") * dimension("N"))
            return replace(found.as_one_kernel(exact=every), convention=f"1 FLOP an element: N - 1 {last} a row")
        return replace(found, convention="1 FLOP an element; exactly N - 1 a row")

    make.__doc__ = says
    return Entry(name, make, about, PLAIN, sizes="B: batch, N: width")


MEAN = "Mean of each row: N - 1 additions and a division, N FLOPs a row exactly."
ENTRIES = (  # B N FLOPs in all, and 2 B N + 2 B bytes in bf16; exactly, the first element of a sum is free: B N - B
    _rows("sum", "sum of each row", "Sum of each row."),
    _rows("max", "maximum of each row", "Maximum of each row; a comparison is one FLOP."),
    _rows("mean", "mean of each row", MEAN, last="additions and a division"),
)
