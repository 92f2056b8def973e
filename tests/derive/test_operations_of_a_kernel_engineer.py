"""Twenty operations that the library does not have, as a kernel engineer would write them, on three chips.

Each has its FLOPs per compute unit and its bytes, counted by hand. The thresholds are compared with exact evaluation
in fractions at many integers.
"""

from collections.abc import Callable
from fractions import Fraction

import pytest
import sympy

from roofproof import chip, op, threshold
from roofproof.derive.roofline.engines import compute_unit
from roofproof.errors import RoofproofError
from roofproof.ops import at

CHIPS = {name: chip(name) for name in ("h100-sxm", "mi300x", "tpu-v5e")}
Amount = int | Fraction
Count = Callable[..., Amount]

# the text, the unknown, the other sizes, FLOPs by format, bytes
OPERATIONS: list[tuple[str, str, dict[str, int], dict[str, Count], Count]] = [
    # SwiGLU after both products: silu is an exponential and three operations, followed by a product with the other half
    ("flops fp32-vector = 4 N; flops exp = N; bytes hbm = 6 N", "N", {},
     {"fp32-vector": lambda N: 4 * N, "exp": lambda N: N}, lambda N: 6 * N),
    # gravity: 17 operations and a reciprocal root per pair
    ("flops fp32-vector = 17 N^2; flops rsqrt = N^2; bytes hbm = 28 N", "N", {},
     {"fp32-vector": lambda N: 17 * N * N, "exp": lambda N: N * N}, lambda N: 28 * N),
    # tanh and exp on one unit
    ("flops exp = N n; flops tanh = N; bytes hbm = 8 N", "n", {"N": 10**6},
     {"exp": lambda N, n: N * n + N}, lambda N, n: 8 * N),
    ("x:bf16[B,D], a:bf16[D,r], b:bf16[r,F] -> y:bf16[B,F]", "B", {"D": 4096, "F": 4096, "r": 512},
     {"bf16": lambda B, D, F, r: 2 * B * r * (D + F)}, lambda B, D, F, r: 2 * (B * D + D * r + r * F + B * F)),
    ("x:bf16[B,D], (a:bf16[D,r], b:bf16[r,F]) -> y:bf16[B,F]", "B", {"D": 4096, "F": 4096, "r": 16},
     {"bf16": lambda B, D, F, r: 2 * D * F * (r + B)}, lambda B, D, F, r: 2 * (B * D + D * r + r * F + B * F)),
    # scores of grouped queries, written out
    ("q:bf16[B,g,r,k], K:bf16[B,g,S,k] -> s:bf16[B,g,r,S]", "k", {"B": 1, "g": 8, "S": 4096, "r": 512},
     {"bf16": lambda B, g, r, k, S: 2 * B * g * r * k * S}, lambda B, g, r, k, S: 2 * B * g * (r * k + S * k + r * S)),
    # scales: two bytes for each 128 weights of four bits, then a byte for each 32, then a byte for each 16
    ("x:bf16[B,D], w:int4/g128:bf16[D,F] -> y:bf16[B,F]", "B", {"D": 4096, "F": 4096},
     {"bf16": lambda B, D, F: 2 * B * D * F}, lambda B, D, F: 2 * B * (D + F) + D * F * Fraction(33, 64)),
    ("x:mxfp8[B,D], w:mxfp4[D,F] -> y:bf16[B,F] @ bf16", "B", {"D": 4096, "F": 4096},
     {"bf16": lambda B, D, F: 2 * B * D * F},
     lambda B, D, F: B * D * Fraction(33, 32) + D * F * Fraction(17, 32) + 2 * B * F),
    ("x:nvfp4[B,D], w:nvfp4[D,F] -> y:bf16[B,F] @ bf16", "B", {"D": 4096, "F": 4096},
     {"bf16": lambda B, D, F: 2 * B * D * F}, lambda B, D, F: (B * D + D * F) * Fraction(9, 16) + 2 * B * F),
    # an outer product, rows scaled by one number each, row sums: no sums of products
    ("a:bf16[M], b:bf16[N] -> c:bf16[M,N]", "M", {"N": 4096},
     {"fp32-vector": lambda M, N: M * N}, lambda M, N: 2 * (M + N + M * N)),
    ("x:bf16[B,D], s:bf16[B] -> y:bf16[B,D]", "D", {"B": 64},
     {"fp32-vector": lambda B, D: B * D}, lambda B, D: 2 * (2 * B * D + B)),
    ("x:bf16[B,D] -> y:bf16[B]", "D", {"B": 64}, {"fp32-vector": lambda B, D: B * D}, lambda B, D: 2 * (B * D + B)),
    ("x:bf16[N,D], w:bf16[N,D,F] -> y:bf16[N,F]", "N", {"D": 64, "F": 64},
     {"bf16": lambda N, D, F: 2 * N * D * F}, lambda N, D, F: 2 * N * (D + D * F + F)),
    # a tensor of rank three times two factors: a matrix product, then its result scaled and summed
    ("t:bf16[i,j,k], b:bf16[j,r], c:bf16[k,r] -> g:bf16[i,r]", "r", {"i": 512, "j": 512, "k": 512},
     {"bf16": lambda i, j, k, r: 2 * i * j * k * r, "fp32-vector": lambda i, j, k, r: 2 * i * k * r},
     lambda i, j, k, r: 2 * (i * j * k + j * r + k * r + i * r)),
    ("flops fp32-vector = 2 n N; bytes hbm = 8 N + 4 n", "n", {"N": 10**6},
     {"fp32-vector": lambda n, N: 2 * n * N}, lambda n, N: 8 * N + 4 * n),
    ("q:bf16[Q,D], db:bf16[N,D] -> s:bf16[Q,N]", "Q", {"N": 10**6, "D": 768},
     {"bf16": lambda Q, N, D: 2 * Q * N * D}, lambda Q, N, D: 2 * (Q * D + N * D + Q * N)),
    # an eight-bit cache, converted to bf16 on the fly
    ("flops bf16 = 4 B r S k; flops fp32-vector = 2 B S k; bytes hbm = 2 B S k + 4 B r k", "r",
     {"B": 8, "S": 4096, "k": 128},
     {"bf16": lambda B, r, S, k: 4 * B * r * S * k, "fp32-vector": lambda B, r, S, k: 2 * B * S * k},
     lambda B, r, S, k: 2 * B * S * k + 4 * B * r * k),
    # five Newton-Schulz steps on m by n: X X^T, its square, their sum times X
    ("flops bf16 = 5 (4 m^2 n + 2 m^3); bytes hbm = 5 (8 m n + 4 m^2)", "m", {"n": 4096},
     {"bf16": lambda m, n: 5 * (4 * m * m * n + 2 * m**3)}, lambda m, n: 5 * (8 * m * n + 4 * m * m)),
    # a quarter of the blocks of the weights
    ("flops bf16 = B D F/2; bytes hbm = 2 B D + D F/2 + 2 B F", "B", {"D": 4096, "F": 4096},
     {"bf16": lambda B, D, F: Fraction(B * D * F, 2)}, lambda B, D, F: 2 * B * (D + F) + Fraction(D * F, 2)),
    # 8-bit weights times bf16 activations, and the rest in 8 bits: two formats on one compute unit
    ("flops bf16 = 2 B D F; flops int8 = 6 B D F; bytes hbm = 4 B D + 4 D F", "B", {"D": 4096, "F": 4096},
     {"bf16": lambda B, D, F: 2 * B * D * F, "int8": lambda B, D, F: 6 * B * D * F},
     lambda B, D, F: 4 * B * D + 4 * D * F),
]  # fmt: skip
SIZES = (2, 3, 5, 7, 11)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("text", "unknown", "sizes", "flops", "moved"), OPERATIONS, ids=[o[0] for o in OPERATIONS])
def test_it_demands_and_needs_what_one_counts_by_hand(
    text: str, unknown: str, sizes: dict[str, int], flops: dict[str, Count], moved: Count
) -> None:
    operation = op(text)
    here = dict(zip((s.name for s in operation.dims), SIZES, strict=False))
    there = at(operation, **here)
    assert dict(there.compute) == {name: count(**here) for name, count in flops.items()}
    assert there.bytes() == sympy.Rational(moved(**here))
    answered = 0
    for on in CHIPS.values():
        try:
            found = threshold(operation, on, unknown, sizes)
        except RoofproofError as refused:
            assert "has no spec" in str(refused)
            continue
        answered += 1
        assert found.trust == "kernel" and found.found.at_point is not None
        gone = {left.resource for left in found.found.left_out}

        def computes(n: int, on=on, gone=gone) -> bool:  # type: ignore[no-untyped-def]
            values, times = {**sizes, unknown: n}, dict[str, Fraction]()
            for name, count in flops.items():
                if name not in gone:
                    times[compute_unit(name)] = (
                        times.get(compute_unit(name), Fraction(0)) + count(**values) / on.peak(name).value
                    )
            return max(times.values()) > moved(**values) / on.bandwidth("hbm").value

        near = found.found.integer or 1
        for n in {1, 2, 3, 10, 100, 1000, 10**5, 10**8, near, near + 1, max(1, near - 1)}:
            assert (found.found.at_point.holds(sympy.Integer(n)) == sympy.true) == computes(n), (text, on.name, n)
    assert answered


def test_names_of_functions_are_one_unit_and_one_of_them_twice_is_refused() -> None:
    both = op("flops exp = 3 N; flops rsqrt = N; flops tanh = 2 N; bytes hbm = 4 N")
    assert {name: str(amount) for name, amount in both.compute.items()} == {"exp": "6*N"}
    with pytest.raises(RoofproofError, match="flops exp is given twice"):
        op("flops rsqrt = 3 N; flops rsqrt = N; bytes hbm = 4 N")
