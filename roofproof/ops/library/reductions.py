"""Reductions of each of B rows of N elements to one number: one FLOP an element, so that bytes decide."""

from __future__ import annotations

from dataclasses import replace

from roofproof.ops.library._entry import Entry, Format
from roofproof.ops.notation.typed_einsum import einsum
from roofproof.ops.operation import Operation
from roofproof.symbols import dimension

PLAIN = "counted: each element read once, one result a row written"
CONVENTION = "1 FLOP an element; exactly N - 1 a row"


def _rows(name: str, x: str, out: str | None, compute: str | None) -> Operation:
    at = f" @ {compute}" if compute else ""
    return replace(einsum(f"x:{x}[B,N] -> z:{out or ''}[B]{at}", name, source=PLAIN), convention=CONVENTION)


def total(x: Format = "bf16", out: Format | None = None, compute: str | None = None) -> Operation:
    """Sum of each row.

    >>> total().flops, total().exact.flops                     # an addition an element; the first is free
    (B*N, B*N - B)
    """
    return _rows("sum", x, out, compute)


def maximum(x: Format = "bf16", out: Format | None = None, compute: str | None = None) -> Operation:
    """Maximum of each row; a comparison is one FLOP.

    >>> maximum().flops / maximum().bytes()                    # BN over 2 bytes an element and 2 a row
    B*N/(2*B*N + 2*B)
    """
    return _rows("max", x, out, compute)


def mean(x: Format = "bf16", out: Format | None = None, compute: str | None = None) -> Operation:
    """Mean of each row: N - 1 additions and a division, N FLOPs a row exactly.

    >>> mean().flops, mean().exact.flops, mean().bytes()
    (B*N, B*N, 2*B*N + 2*B)
    """
    op = _rows("mean", x, out, compute)
    exact = dict.fromkeys(op.compute, dimension("B") * dimension("N"))
    return replace(op, exact_compute=exact, convention="1 FLOP an element: N - 1 additions and a division a row")


ENTRIES = (
    Entry("sum", total, "sum of each row", PLAIN),
    Entry("max", maximum, "maximum of each row", PLAIN),
    Entry("mean", mean, "mean of each row", PLAIN),
)
