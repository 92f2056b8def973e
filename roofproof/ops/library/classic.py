"""The kernels of the roofline paper: sparse matrix times vector, 7-point stencil, FFT."""

from __future__ import annotations

from sympy import Integer

from roofproof.errors import RoofproofError, quoted
from roofproof.formula.logarithm import log2
from roofproof.ops.library._entry import Entry, Format
from roofproof.ops.operation import Operation, one_kernel
from roofproof.ops.resources import vector_engine
from roofproof.ops.tensor import Tensor
from roofproof.symbols import dimension

WILLIAMS = "Williams, Waterman, Patterson, Roofline, CACM 52(4) (2009), section 5"


def spmv(x: Format = "fp64", index: Format = "int32", compute: str | None = None) -> Operation:
    """Sparse matrix in CSR times a vector: 2 FLOPs a nonzero, whose value and column are read once.

    M rows, N columns, Z nonzeros.

    >>> spmv().flops, spmv().bytes()                           # 8 + 4 bytes a nonzero, 4 (M + 1), 8 N and 8 M
    (2*Z, 12*M + 8*N + 12*Z + 4)
    """
    m, n, z = map(dimension, "MNZ")
    matrix = Tensor("values", (z,), x), Tensor("columns", (z,), index), Tensor("rows", (m + 1,), index)
    return one_kernel(
        "spmv",
        work={compute or vector_engine(x): 2 * z},
        reads=(*matrix, Tensor("x", (n,), x)),
        writes=(Tensor("y", (m,), x),),
        source=WILLIAMS,
        convention="2 FLOPs per nonzero; the vector is read once, as if it stayed in cache",
        dims=(m, n, z),
    )


def stencil7(x: Format = "fp64", compute: str | None = None) -> Operation:
    """7-point stencil on an N^3 grid: 6 additions and 2 multiplications a point, read once and written once.

    >>> stencil7().flops / stencil7().bytes()                  # 8 FLOPs for 8 + 8 bytes
    1/2
    """
    n = dimension("N")
    return one_kernel(
        "stencil7",
        work={compute or vector_engine(x): 8 * n**3},
        reads=(Tensor("x", (n, n, n), x),),
        writes=(Tensor("y", (n, n, n), x),),
        source=WILLIAMS,
        convention="8 FLOPs a point; neighbours come from cache; no write-allocate traffic, no halo",
    )


def fft(x: Format = "fp64", compute: str | None = None) -> Operation:
    """Complex FFT of N points: 5 N log2 N FLOPs, the data read once and written once.

    >>> fft().bytes()                                          # 2 numbers of 8 bytes, in and out
    32*N
    """
    if x.startswith("complex"):
        raise RoofproofError(f"fft: expected the format of a real part, such as fp32, got {quoted(x)}")
    n = dimension("N")
    return one_kernel(
        "fft",
        work={compute or vector_engine(x): 5 * n * log2(n)},
        reads=(Tensor("x", (n, Integer(2)), x),),
        writes=(Tensor("y", (n, Integer(2)), x),),
        source=WILLIAMS,
        convention="5 N log2 N, the radix-2 count, whatever the algorithm",
    )


ENTRIES = (
    Entry(
        "spmv",
        spmv,
        "sparse matrix (CSR) times vector",
        WILLIAMS,
        sizes="M: matrix side = 1048576, N: matrix side = 1048576, Z: nonzeros",
        kernel="values columns rows x/N -> y",
    ),
    Entry("stencil7", stencil7, "7-point stencil on a cube", WILLIAMS, sizes="N: grid side"),
    Entry("fft", fft, "complex FFT", WILLIAMS, sizes="N: elements"),
)
