"""Operations of two to four operands, of several engines and levels, with logarithms and cubes, on three chips.

What each demands is counted by hand beside it, as one who writes kernels would; thresholds and integers are held to a
scan in plain fractions.
"""

from collections.abc import Callable
from fractions import Fraction
from math import ceil, log2

import pytest
import sympy

from roofproof import chip, threshold
from roofproof.derive.roofline.engines import engine
from roofproof.derive.roofline.memory_fit import kernel_memory
from roofproof.errors import RoofproofError
from roofproof.hardware import Chip
from roofproof.ops import at, parse_operation

CHIPS = {name: chip(name) for name in ("h100-sxm", "mi300x", "tpu-v5e")}
Count = Callable[..., int | Fraction]
K = 4096

# the text; the unknown; the other sizes; what it demands of each engine and channel
OPERATIONS: list[tuple[str, str, dict[str, int], dict[str, Count]]] = [
    ("x:bf16[B,D], w:bf16[D,F] -> y:fp32[B,F]", "B", {"D": K, "F": K},
     {"bf16": lambda B, D, F: 2 * B * D * F, "hbm": lambda B, D, F: 2 * B * D + 2 * D * F + 4 * B * F}),
    ("x:fp8[B,D], w:fp8[D,F] -> y:bf16[B,F] @ fp8", "B", {"D": K, "F": K},
     {"fp8": lambda B, D, F: 2 * B * D * F, "hbm": lambda B, D, F: B * D + D * F + 2 * B * F}),
    ("x:int8[B,D], w:int8[D,F] -> y:int32[B,F] @ int8", "F", {"B": K, "D": K},
     {"int8": lambda B, D, F: 2 * B * D * F, "hbm": lambda B, D, F: B * D + D * F + 4 * B * F}),
    ("x:bf16[B,D], w:int8[D,F] -> y:bf16[B,F] @ bf16", "D", {"B": 256, "F": K},
     {"bf16": lambda B, D, F: 2 * B * D * F, "hbm": lambda B, D, F: 2 * B * D + D * F + 2 * B * F}),
    ("x:bf16[G,B,D], w:bf16[G,D,F] -> y:bf16[G,B,F]", "B", {"G": 8, "D": 1024, "F": 1024},
     {"bf16": lambda G, B, D, F: 2 * G * B * D * F, "hbm": lambda G, B, D, F: 2 * G * (B * D + D * F + B * F)}),
    ("x:bf16[B,S,D], w:bf16[D,F] -> y:bf16[B,S,F]", "S", {"B": 2, "D": 1024, "F": K},
     {"bf16": lambda B, S, D, F: 2 * B * S * D * F, "hbm": lambda B, S, D, F: 2 * (B * S * (D + F) + D * F)}),
    # the head size stays in the result, so it is no sum over it: an elementwise product, then one that is summed
    ("q:bf16[h,L,k], K:bf16[h,S,k], V:bf16[h,S,k] -> o:bf16[h,L,k]", "L", {"h": 8, "S": K, "k": 128},
     {"fp32-vector": lambda h, L, S, k: 3 * h * L * S * k, "hbm": lambda h, L, S, k: 4 * h * k * (L + S)}),
    ("x:bf16[B,D], a:bf16[D,r], b:bf16[r,s], c:bf16[s,F] -> y:bf16[B,F]", "B",
     {"D": K, "r": 512, "s": 1024, "F": K},
     {"bf16": lambda B, D, r, s, F: 2 * B * (D * r + r * s + s * F),
      "hbm": lambda B, D, r, s, F: 2 * (B * D + D * r + r * s + s * F + B * F)}),
    ("x:bf16[B,D], (a:bf16[D,r], b:bf16[r,s], c:bf16[s,F]) -> y:bf16[B,F]", "B",
     {"D": K, "r": 64, "s": 128, "F": K},
     {"bf16": lambda B, D, r, s, F: 2 * (D * r * s + D * s * F + B * D * F),
      "hbm": lambda B, D, r, s, F: 2 * (B * D + D * r + r * s + s * F + B * F)}),
    # activations scaled before the product, groups of the weights after it
    ("x:fp8[B,n,G], s:fp32[B,n], w:fp8[n,G,F], t:fp32[n,F] -> y:bf16[B,F] @ fp8", "B",
     {"n": 32, "G": 128, "F": K},
     {"fp8": lambda B, n, G, F: 2 * B * n * G * F, "fp32-vector": lambda B, n, G, F: B * n * G + 2 * B * n * F,
      "hbm": lambda B, n, G, F: B * n * G + 4 * B * n + n * G * F + 4 * n * F + 2 * B * F}),
    ("x:bf16[B,n,G], w:int4[n,G,F], s:bf16[n,F] -> y:bf16[B,F]", "B", {"n": 64, "G": 64, "F": K},
     {"bf16": lambda B, n, G, F: 2 * B * n * G * F, "fp32-vector": lambda B, n, G, F: 2 * B * n * F,
      "hbm": lambda B, n, G, F: 2 * B * n * G + Fraction(n * G * F, 2) + 2 * n * F + 2 * B * F}),
    ("x:bf16[B,D], w:int4/g64:fp16[D,F] -> y:bf16[B,F]", "B", {"D": K, "F": K},
     {"bf16": lambda B, D, F: 2 * B * D * F, "hbm": lambda B, D, F: 2 * B * (D + F) + Fraction(17, 32) * D * F}),
    ("x:mxfp8[B,D], w:mxfp8[D,F] -> y:bf16[B,F] @ bf16", "B", {"D": K, "F": K},
     {"bf16": lambda B, D, F: 2 * B * D * F,
      "hbm": lambda B, D, F: Fraction(33, 32) * D * (B + F) + 2 * B * F}),
    ("a:bf16[M,N], b:bf16[M,N], c:bf16[M,N] -> d:bf16[M,N]", "M", {"N": K},
     {"fp32-vector": lambda M, N: 2 * M * N, "hbm": lambda M, N: 8 * M * N}),
    ("a:bf16[M], b:bf16[N], c:bf16[P] -> t:bf16[M,N,P]", "M", {"N": 64, "P": 64},
     {"fp32-vector": lambda M, N, P: M * N + M * N * P, "hbm": lambda M, N, P: 2 * (M + N + P + M * N * P)}),
    ("q:bf16[B,g,r,k], K:bf16[B,g,S,k], V:bf16[B,g,S,v] -> o:bf16[B,g,r,v]", "r",
     {"B": 4, "g": 8, "S": K, "k": 128, "v": 128},
     {"bf16": lambda B, g, r, k, S, v: 2 * B * g * r * S * (k + v),
      "hbm": lambda B, g, r, k, S, v: 2 * B * g * (r * k + S * k + S * v + r * v)}),
    ("x:bf16[N,C,P], w:bf16[K,C] -> y:bf16[N,K,P]", "C", {"N": 8, "P": 196, "K": 1024},
     {"bf16": lambda N, C, P, K: 2 * N * C * P * K, "hbm": lambda N, C, P, K: 2 * (N * C * P + K * C + N * K * P)}),
    ("h:bf16[L,n], A:bf16[n,m], c:bf16[L,m] -> y:bf16[L]", "L", {"n": 128, "m": 128},
     {"bf16": lambda L, n, m: 2 * L * n * m, "fp32-vector": lambda L, n, m: 2 * L * m,
      "hbm": lambda L, n, m: 2 * (L * n + n * m + L * m + L)}),
    # attention in one kernel: two products, an exponential and four more a score
    ("flops bf16 = 4 L^2 d; flops exp = L^2; flops fp32-vector = 4 L^2; bytes hbm = 8 L d", "L", {"d": 64},
     {"bf16": lambda L, d: 4 * L * L * d, "exp": lambda L, d: L * L, "fp32-vector": lambda L, d: 4 * L * L,
      "hbm": lambda L, d: 8 * L * d}),
    ("flops bf16 = 4 L^2 d; flops exp = L^2; flops fp32-vector = 4 L^2; bytes hbm = 8 L d", "d", {"L": 512},
     {"bf16": lambda L, d: 4 * L * L * d, "exp": lambda L, d: L * L, "fp32-vector": lambda L, d: 4 * L * L,
      "hbm": lambda L, d: 8 * L * d}),
    ("flops bf16 = 2 N^3; bytes hbm = 6 N^2; bytes l2 = N^3/16", "N", {},
     {"bf16": lambda N: 2 * N**3, "hbm": lambda N: 6 * N * N, "l2": lambda N: Fraction(N**3, 16)}),
    ("flops bf16 = 2 N^3; bytes hbm = 6 N^2; bytes vmem = N^3/4 + 2 N^2", "N", {},
     {"bf16": lambda N: 2 * N**3, "hbm": lambda N: 6 * N * N, "vmem": lambda N: Fraction(N**3, 4) + 2 * N * N}),
    ("flops bf16 = 2 B D F; bytes hbm = 2 B D + 2 D F + 2 B F; bytes ici = 2 B F", "B", {"D": 2 * K, "F": 2 * K},
     {"bf16": lambda B, D, F: 2 * B * D * F, "hbm": lambda B, D, F: 2 * (B * D + D * F + B * F),
      "ici": lambda B, D, F: 2 * B * F}),
    ("flops bf16 = 2 B D F; bytes hbm = 2 B D + 2 D F + 2 B F; bytes ici = 2 B F", "D", {"B": K, "F": K},
     {"bf16": lambda B, D, F: 2 * B * D * F, "hbm": lambda B, D, F: 2 * (B * D + D * F + B * F),
      "ici": lambda B, D, F: 2 * B * F}),
    # degree three beside a constant: the tables of a solver, panels of a factorisation
    ("flops bf16 = 2 n^3 + 3 n; bytes hbm = 6 n^2 + 4096", "n", {},
     {"bf16": lambda n: 2 * n**3 + 3 * n, "hbm": lambda n: 6 * n * n + 4096}),
    ("flops fp32-vector = n^3; bytes hbm = 100 n^2 + 10^6 n + 10^9", "n", {},
     {"fp32-vector": lambda n: n**3, "hbm": lambda n: 100 * n * n + 10**6 * n + 10**9}),
    ("flops fp64-vector = n^3/3; bytes hbm = 8 n^2 + 10^6 n", "n", {},
     {"fp64-vector": lambda n: Fraction(n**3, 3), "hbm": lambda n: 8 * n * n + 10**6 * n}),
    # two formats on the matrix unit: their times add up
    ("flops int8 = 2 B D F; flops bf16 = 2 B D r; bytes hbm = D F + 2 D r + B D", "B", {"D": K, "F": K, "r": 256},
     {"int8": lambda B, D, F, r: 2 * B * D * F, "bf16": lambda B, D, F, r: 2 * B * D * r,
      "hbm": lambda B, D, F, r: D * F + 2 * D * r + B * D}),
    ("flops fp32-vector = 8 N; flops tanh = N; bytes hbm = 4 N", "N", {},
     {"fp32-vector": lambda N: 8 * N, "exp": lambda N: N, "hbm": lambda N: 4 * N}),
    ("flops fp32-vector = 20 N k; flops rsqrt = N k; bytes hbm = 16 N + 4 N k", "k", {"N": 10**6},
     {"fp32-vector": lambda N, k: 20 * N * k, "exp": lambda N, k: N * k, "hbm": lambda N, k: 16 * N + 4 * N * k}),
    ("flops fp32-vector = 8 N T; bytes hbm = 8 N", "T", {"N": 10**6},
     {"fp32-vector": lambda N, T: 8 * N * T, "hbm": lambda N, T: 8 * N}),
    ("flops bf16 = 2 N b^3; bytes hbm = 6 N b^2", "b", {"N": 10**4},
     {"bf16": lambda N, b: 2 * N * b**3, "hbm": lambda N, b: 6 * N * b * b}),
    # k of E experts for each of T tokens, every expert touched
    ("flops bf16 = 6 T k D F; bytes hbm = 6 E D F + 4 T k D", "T", {"k": 8, "D": 2048, "F": 1024, "E": 64},
     {"bf16": lambda T, k, D, F, E: 6 * T * k * D * F, "hbm": lambda T, k, D, F, E: 6 * E * D * F + 4 * T * k * D}),
    ("flops bf16 = 6 T k D F; bytes hbm = 6 E D F + 4 T k D", "k", {"T": 512, "D": 2048, "F": 1024, "E": 64},
     {"bf16": lambda T, k, D, F, E: 6 * T * k * D * F, "hbm": lambda T, k, D, F, E: 6 * E * D * F + 4 * T * k * D}),
    ("flops bf16 = 2 B (D F + D^2/2); flops exp = B F; bytes hbm = 2 D F + D^2 + 4 B D", "D", {"B": 512, "F": K},
     {"bf16": lambda B, D, F: 2 * B * D * F + B * D * D, "exp": lambda B, D, F: B * F,
      "hbm": lambda B, D, F: 2 * D * F + D * D + 4 * B * D}),
]  # fmt: skip
SIZES = (4, 6, 2, 8, 10, 12)


def near(found: int | None) -> set[int]:
    around = found or 1
    return {1, 2, 3, 10, 100, 1000, 10**5, 10**8, around, around + 1, max(1, around - 1)}


@pytest.mark.sampled(7)
@pytest.mark.parametrize(
    ("text", "unknown", "sizes", "counts"), OPERATIONS, ids=[f"{o[0]} for {o[1]}" for o in OPERATIONS]
)
def test_it_demands_and_needs_what_one_counts_by_hand(
    text: str, unknown: str, sizes: dict[str, int], counts: dict[str, Count]
) -> None:
    operation = parse_operation(text)
    here = dict(zip((s.name for s in operation.dims), SIZES, strict=False))
    there = {"hbm" if name == "memory" else name: amount for name, amount in at(operation, **here).demands.items()}
    assert there == {name: sympy.Rational(count(**here)) for name, count in counts.items()}
    answered = 0
    for on in CHIPS.values():
        try:
            found = threshold(operation, on, unknown, sizes)
        except RoofproofError as refused:
            assert "has no spec" in str(refused) or "no bandwidth" in str(refused), refused
            continue
        answered += 1
        gone = {left.resource for left in found.found.left_out}
        assert found.found.at_point is not None
        for n in near(found.found.integer):
            assert (found.found.at_point.holds(sympy.Integer(n)) == sympy.true) == computes(
                on, counts, gone, {**sizes, unknown: n}
            ), (text, on.name, n)
    assert answered


def computes(on: Chip, counts: dict[str, Count], gone: set[str], values: dict[str, int]) -> bool:
    times = dict[str, Fraction]()
    channels = []
    for name, count in counts.items():
        if name in ("hbm", "l2", "vmem", "ici"):
            channels.append(Fraction(count(**values)) / supply_of(on, name))
        elif name not in gone:
            times[engine(name)] = times.get(engine(name), Fraction(0)) + Fraction(count(**values)) / on.peak(name).value
    return max(times.values()) > max(channels)


def supply_of(on: Chip, channel: str) -> Fraction:
    own = {"h100-sxm": "nvlink", "mi300x": "xgmi", "tpu-v5e": "ici"}[on.name] if channel == "ici" else channel
    return on.bandwidth(own).value


@pytest.mark.parametrize("each", [5, 40])
def test_a_logarithm_in_the_flops_is_held_to_powers_of_two(each: int) -> None:
    """each N log2(N) + 3 N FLOPs against 16 N bytes: N above 2^((16 R - 3)/each), compared as whole numbers."""
    operation = parse_operation(f"flops fp32-vector = {each} N log2(N) + 3 N; bytes hbm = 16 N")
    for on in CHIPS.values():
        found = threshold(operation, on, "N").found
        power = (16 * on.peak("fp32-vector").value / on.bandwidth("hbm").value - 3) / each
        assert found.integer is not None
        assert found.integer**power.denominator > 2**power.numerator >= (found.integer - 1) ** power.denominator
        assert ceil(log2(found.integer)) in (ceil(power), ceil(power) + 1)


def fits(on: Chip, held: int) -> bool:
    return held <= on.capacity(kernel_memory(on, "smem")).value


# the text; the unknown; the sizes; FLOPs, bytes; whether a size meets what the blocks ask for
BLOCKED: list[tuple[str, str, dict[str, int], Count, Count, Callable[[Chip, int], bool]]] = [
    ("tiled-matmul:b=t,f=t,d=32", "t", {"B": 6144, "D": 6144, "F": 6144},
     lambda t: 2 * 6144**3, lambda t: 2 * (2 * Fraction(6144**3, t) + 6144**2),
     lambda on, t: 6144 % t == 0 and fits(on, 2 * (2 * 32 * t + t * t))),
    ("tiled-matmul:b=t,f=256,d=32", "t", {"B": 6144, "D": 6144, "F": 6144},
     lambda t: 2 * 6144**3, lambda t: 2 * (Fraction(6144**3, 256) + Fraction(6144**3, t) + 6144**2),
     lambda on, t: 6144 % t == 0 and fits(on, 2 * (32 * t + 32 * 256 + 256 * t))),
    ("flash-attention:block=b", "b", {"L": 6144, "h": 16, "k": 128},
     lambda b: 4 * 16 * 128 * 6144**2, lambda b: 2 * 16 * 128 * (2 * 6144 + 2 * Fraction(6144**2, b)),
     lambda on, b: 6144 % b == 0),
    ("flash-attention:block=b,keys=64", "b", {"L": 6144, "h": 16, "k": 128},
     lambda b: 4 * 16 * 128 * 6144**2, lambda b: 2 * 16 * 128 * (2 * 6144 + 2 * Fraction(6144**2, b)),
     lambda on, b: 6144 % b == 0 and fits(on, 2 * (2 * b * 128 + 2 * 64 * 128 + b * 64))),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "unknown", "sizes", "flops", "moved", "allowed"), BLOCKED, ids=[b[0] for b in BLOCKED]
)
def test_blocks_divide_what_they_cut_and_fit(text, unknown, sizes, flops, moved, allowed) -> None:
    for on in CHIPS.values():
        found = threshold(parse_operation(text), on, unknown, sizes).found
        peak, rate = on.peak("bf16").value, on.bandwidth("hbm").value
        scan = (n for n in range(1, 6145) if allowed(on, n) and flops(n) / peak > moved(n) / rate)
        assert found.integer == next(scan, None), (text, on.name)
