"""Factorisations of a matrix in blocks of b columns: LU, Cholesky, triangular solve. With b = N each moves once.

Right-looking: after each block of columns all that is left of the matrix is read and written again.
"""

from __future__ import annotations

from typing import Any

from sympy import Eq, Expr, Integer, Mod

from roofproof.ops.library._entry import Entry, Format, sized
from roofproof.ops.operation import Operation, one_kernel
from roofproof.ops.tensor import Tensor
from roofproof.symbols import dimension

GOLUB = "Golub, Van Loan, Matrix Computations, 4th ed. (2013), sections 3.1, 3.2, 4.2"


def _block(b: str | int) -> Expr:
    size = sized(b, "b")
    return dimension(size) if isinstance(size, str) else Integer(size)


def lu(x: Format = "fp64", b: str | int = "N", compute: str | None = None) -> Operation:
    """LU factorisation without pivoting: 2 N^3/3 FLOPs; exactly N (N - 1) (4 N + 1)/6.

    >>> lu().flops, lu().bytes()                               # in place: 8 bytes in and out
    (2*N**3/3, 16*N**2)
    >>> lu(b="b").bytes().factor()                             # the sum of (N - i b)^2, i = 0 to N/b - 1, in and out
    8*N*(N + b)*(2*N + b)/(3*b)
    """
    N, block = dimension("N"), _block(b)
    times = (N + block) * (2 * N + block) / (6 * block * N)
    exact = N * (N - 1) / 2 + N * (N - 1) * (2 * N - 1) / 3
    return _factorization("lu", Integer(2) / 3 * N**3, exact, times, block, x, compute)


def cholesky(x: Format = "fp64", b: str | int = "N", compute: str | None = None) -> Operation:
    """Cholesky factorisation of a symmetric matrix, lower half: N^3/3 FLOPs; exactly N (N + 1) (2 N + 1)/6.

    >>> cholesky().flops
    N**3/3
    >>> cholesky(b="b").bytes().factor()                       # b^2 m (m + 1)/2 left, m = N/b to 1, in and out
    8*N*(N + b)*(N + 2*b)/(3*b)
    """
    N, block = dimension("N"), _block(b)
    times = (N + block) * (N + 2 * block) / (6 * block * N)
    exact = N * (N + 1) * (2 * N + 1) / 6
    return _factorization("cholesky", N**3 / 3, exact, times, block, x, compute)


def _factorization(
    name: str, flops: Expr, exact: Expr, times: Expr, block: Expr, x: str, compute: str | None
) -> Operation:
    N = dimension("N")
    matrix = Tensor("a", (N, N), x, times.subs(block, N) if block == N else times)
    return one_kernel(
        name,
        work={compute or x: flops},
        reads=(matrix,),
        writes=(matrix,),
        source=GOLUB,
        convention="the leading term, as usual; a division or a root is one FLOP; no pivoting",
        exact={compute or x: exact.expand()},
        conditions=() if block == N else (Eq(Mod(N, block), 0),),
    )


def trsm(x: Format = "fp64", compute: str | None = None) -> Operation:
    """Solve L X = B for M right-hand sides with a triangular L: N^2 M FLOPs exactly.

    >>> trsm().flops                                           # N (N - 1) M for products and sums, N M divisions
    M*N**2
    """
    N, M = dimension("N"), dimension("M")
    right = Tensor("b", (N, M), x)
    return one_kernel(
        "trsm",
        work={compute or x: N**2 * M},
        reads=(Tensor("l", (N * (N + 1) / 2,), x), right),
        writes=(right,),
        source=GOLUB,
        convention="each FLOP counted, a division is one; the triangle is read once, the solution overwrites b",
        dims=(N, M),
    )


def count_lu(meter: Any, N: int) -> None:
    """Divide the column below the diagonal, and take its outer product with the row off the rest."""
    a, out = meter.array("a", N, N), meter.result("a", N, N)
    m = {(i, j): a[i, j] for i in range(N) for j in range(N)}
    for k in range(N):
        for i in range(k + 1, N):
            m[i, k] = m[i, k] / m[k, k]
            for j in range(k + 1, N):
                m[i, j] = m[i, j] - m[i, k] * m[k, j]
    for at, one in m.items():
        out[at] = one


def count_trsm(meter: Any, N: int, M: int) -> None:
    """Forward substitution, column by column."""
    triangle, b, out = meter.array("l", N * (N + 1) // 2), meter.array("b", N, M), meter.result("b", N, M)
    for j in range(M):
        found: list[Any] = []
        for i in range(N):
            rest = b[i, j]
            for k in range(i):
                rest = rest - triangle[i * (i + 1) // 2 + k] * found[k]
            found.append(rest / triangle[i * (i + 1) // 2 + i])
            out[i, j] = found[-1]


ENTRIES = (
    Entry(
        "lu",
        lu,
        "LU factorisation (b columns at a time)",
        GOLUB,
        count=count_lu,
        tried=({"N": 1}, {"N": 4}),
        sizes="N: matrix side, b: block",
    ),
    Entry(
        "cholesky", cholesky, "Cholesky factorisation (b columns at a time)", GOLUB, sizes="N: matrix side, b: block"
    ),
    Entry(
        "trsm",
        trsm,
        "triangular solve for M right-hand sides",
        GOLUB,
        count=count_trsm,
        tried=({"N": 3, "M": 2}, {"N": 1, "M": 1}),
        sizes="N: matrix side, M: right-hand sides",
    ),
)
