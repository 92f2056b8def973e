"""Sparse matrices beyond one vector: times a dense matrix, sampled dense products, rows of one length (ELL)."""

from __future__ import annotations

from typing import Any

from roofproof.ops.library._entry import Entry, Format
from roofproof.ops.operation import Operation, one_kernel
from roofproof.ops.resources import vector_engine
from roofproof.ops.tensor import Tensor
from roofproof.symbols import dimension

YANG = "Yang, Buluc, Owens, Design Principles for Sparse Matrix Multiplication on the GPU (2018), section 2"
NISA = "Nisa et al., Sampled Dense Matrix Multiplication for High-Performance Machine Learning (2018), section 2"
BELL = "Bell, Garland, Efficient Sparse Matrix-Vector Multiplication on CUDA (2008), section 3.2"


def spmm(x: Format = "fp32", index: Format = "int32", compute: str | None = None) -> Operation:
    """Sparse M by N matrix (CSR, Z nonzeros) times a dense one with F columns: 2 Z F FLOPs.

    >>> spmm().flops
    2*F*Z
    """
    M, N, F, Z = map(dimension, "MNFZ")
    matrix = Tensor("values", (Z,), x), Tensor("columns", (Z,), index), Tensor("rows", (M + 1,), index)
    return one_kernel(
        "spmm",
        work={compute or vector_engine(x): 2 * Z * F},
        reads=(*matrix, Tensor("x", (N, F), x)),
        writes=(Tensor("y", (M, F), x),),
        source=YANG,
        convention="2 FLOPs per nonzero and column; the dense matrix is read once, as if it stayed in cache",
        dims=(M, N, F, Z),
    )


def sddmm(x: Format = "fp32", index: Format = "int32", compute: str | None = None) -> Operation:
    """Product of two dense matrices at the Z places of a sparse one, times its values: 2 K + 1 FLOPs a place, less one.

    >>> sddmm().flops, sddmm().exact.flops.factor()            # K products, K - 1 sums, 1 product more
    (2*K*Z, 2*K*Z)
    """
    M, N, K, Z = map(dimension, "MNKZ")
    places = Tensor("values", (Z,), x), Tensor("columns", (Z,), index), Tensor("rows", (M + 1,), index)
    return one_kernel(
        "sddmm",
        work={compute or vector_engine(x): 2 * K * Z},
        reads=(*places, Tensor("a", (M, K), x), Tensor("b", (N, K), x)),
        writes=(Tensor("y", (Z,), x),),
        source=NISA,
        convention="each FLOP counted; dense matrices are read once, as if they stayed in cache",
        dims=(M, N, K, Z),
    )


def ell(x: Format = "fp64", index: Format = "int32", compute: str | None = None) -> Operation:
    """Sparse matrix in ELL times a vector: every one of M rows padded to k entries, which are all computed.

    >>> ell().flops, ell().bytes()                             # 8 + 4 bytes an entry; 8 N in, 8 M out
    (2*M*k, 12*M*k + 8*M + 8*N)
    """
    M, N, k = map(dimension, "MNk")
    return one_kernel(
        "spmv-ell",
        work={compute or vector_engine(x): 2 * M * k},
        reads=(Tensor("values", (M, k), x), Tensor("columns", (M, k), index), Tensor("x", (N,), x)),
        writes=(Tensor("y", (M,), x),),
        source=BELL,
        convention="2 FLOPs per entry, padding as well; the vector is read once, as if it stayed in cache",
        dims=(M, N, k),
    )


def _rows(meter: Any, M: int, Z: int) -> tuple[Any, Any, list[tuple[int, range]]]:
    """Places dealt out to the rows in turn; every start of a row is read."""
    values, columns, start = meter.array("values", Z), meter.array("columns", Z), meter.array("rows", M + 1)
    bounds = [Z * i // M for i in range(M + 1)]
    for i in range(M + 1):
        _ = start[i]
    return values, columns, [(i, range(bounds[i], bounds[i + 1])) for i in range(M)]


def count_spmm(meter: Any, M: int, N: int, F: int, Z: int) -> None:
    """Add each nonzero times a row of the dense matrix to a row of sums that starts at zero."""
    values, columns, rows = _rows(meter, M, Z)
    x, y = meter.array("x", N, F), meter.result("y", M, F)
    for i, places in rows:
        sums: list[Any] = [0] * F
        for j in places:
            _ = columns[j]
            for f in range(F):
                sums[f] = values[j] * x[j % N, f] + sums[f]
        for f in range(F):
            y[i, f] = sums[f]


def count_sddmm(meter: Any, M: int, N: int, K: int, Z: int) -> None:
    """Dot product of a row of each matrix, times the value there."""
    values, columns, rows = _rows(meter, M, Z)
    a, b, y = meter.array("a", M, K), meter.array("b", N, K), meter.result("y", Z)
    for i, places in rows:
        for j in places:
            _ = columns[j]
            total = a[i, 0] * b[j % N, 0]
            for k in range(1, K):
                total = total + a[i, k] * b[j % N, k]
            y[j] = total * values[j]


def count_ell(meter: Any, M: int, N: int, k: int) -> None:
    """Every entry of a row, padded ones as well, into a sum that starts at zero."""
    values, columns = meter.array("values", M, k), meter.array("columns", M, k)
    x, y = meter.array("x", N), meter.result("y", M)
    for i in range(M):
        total: Any = 0
        for j in range(k):
            _ = columns[i, j]
            total = values[i, j] * x[(i * k + j) % N] + total
        y[i] = total


ENTRIES = (
    Entry(
        "spmm",
        spmm,
        "sparse matrix (CSR) times dense matrix",
        YANG,
        count=count_spmm,
        tried=({"M": 2, "N": 3, "F": 2, "Z": 5}, {"M": 1, "N": 1, "F": 1, "Z": 1}),
        sizes="M: matrix side, N: matrix side, F: width, Z: nonzeros",
        kernel="values columns rows x/N -> y",
    ),
    Entry(
        "sddmm",
        sddmm,
        "dense product at the places of a sparse matrix",
        NISA,
        count=count_sddmm,
        tried=({"M": 3, "N": 2, "K": 3, "Z": 6}, {"M": 1, "N": 1, "K": 1, "Z": 1}),
        sizes="M: matrix side, N: matrix side, K: width, Z: nonzeros",
    ),
    Entry(
        "spmv-ell",
        ell,
        "sparse matrix in rows of one length times vector",
        BELL,
        count=count_ell,
        tried=({"M": 3, "N": 4, "k": 2}, {"M": 1, "N": 1, "k": 1}),
        sizes="M: matrix side, N: matrix side, k: nonzeros a row",
        kernel="values columns x/N -> y",
    ),
)
