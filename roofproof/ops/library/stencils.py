"""A 7-point stencil swept T times over blocks that stay on chip: fewer bytes, paid for with overlap."""

from __future__ import annotations

from sympy import Eq, Mod

from roofproof.ops.library._entry import Entry, Format
from roofproof.ops.operation import Operation, one_kernel
from roofproof.ops.resources import vector_engine
from roofproof.ops.tensor import Tensor
from roofproof.symbols import dimension

KRISHNAMOORTHY = "Krishnamoorthy et al., Effective Automatic Parallelization of Stencil Computations (2007), section 3"


def blocked_stencil(x: Format = "fp64", compute: str | None = None) -> Operation:
    """T sweeps over an N^3 grid, block by block of b^3: a block is read with a rim of T, which is computed again.

    Sweep t of T leaves a cube of side b + 2 (T - t), at 8 FLOPs a point.

    >>> blocked_stencil().flops.subs(dimension("T"), 1)        # one sweep computes nothing twice
    8*N**3
    >>> blocked_stencil().bytes().factor()                     # (b + 2 T)^3 in and b^3 out, for each of (N/b)^3 blocks
    16*N**3*(T + b)*(4*T**2 + 2*T*b + b**2)/b**3
    """
    N, b, T = map(dimension, "NbT")
    # The sum of (b + 2 i)^3 for i = 0 to T - 1.
    points = T * b**3 + 3 * T * (T - 1) * b**2 + 2 * T * (T - 1) * (2 * T - 1) * b + 2 * T**2 * (T - 1) ** 2
    grid = Tensor("x", (N, N, N), x)
    return one_kernel(
        "blocked-stencil",
        work={compute or vector_engine(x): 8 * N**3 / b**3 * points},
        reads=(Tensor("x", (N, N, N), x, (b + 2 * T) ** 3 / b**3),),
        writes=(Tensor("y", (N, N, N), x),),
        on_chip={"smem": 2 * grid.bytes / N**3 * (b + 2 * T) ** 3},
        source=KRISHNAMOORTHY,
        convention="8 FLOPs a point; overlapped blocks with a rim of T, two copies of a block on chip",
        conditions=(Eq(Mod(N, b), 0),),
        dims=(N, b, T),
    )


ENTRIES = (
    Entry(
        "blocked-stencil",
        blocked_stencil,
        "7-point stencil, T sweeps a block (temporal blocking)",
        KRISHNAMOORTHY,
        sizes="N: grid side, b: block = 8, T: sweeps",
    ),
)
