"""Answers that were once wrong, one kind per test, compared with counts by hand, most on an H100 SXM."""

import re
from fractions import Fraction
from itertools import product

import pytest
import sympy

from roofproof import chip, op, threshold
from roofproof.cli import main
from roofproof.derive.limits.limits import limit
from roofproof.derive.limits.regime import Regime
from roofproof.derive.roofline.engines import compute_unit
from roofproof.errors import RoofproofError
from roofproof.hardware import chip_names
from roofproof.ops import at, parse_operation
from roofproof.symbols import dimension

BF16, VECTOR, HBM, L2 = 989 * 10**12, Fraction("66.9e12"), Fraction("3.35e12"), Fraction("5.5e12")
H100 = "h100-sxm"
LORA = "x:bf16[B,D], a:bf16[D,r], b:bf16[r,F] -> y:bf16[B,F]"
GROUPS = "x:bf16[B,n,G], w:int4[n,G,F], s:bf16[n,F], z:bf16[n,F] -> y:bf16[B,F]"
SQUARE_TILE = "tiled-matmul:b=t,f=t,d=64,memory=smem,holds=232448"


def smallest(text: str, unknown: str, **sizes: int) -> int | None:
    return threshold(parse_operation(text), chip(H100), unknown, sizes).found.integer


def counted(text: str, **sizes: int) -> dict[str, Fraction]:
    """Return the FLOPs of an operation at some sizes, by compute unit."""
    found, flops = at(parse_operation(text), **sizes), dict[str, Fraction]()
    for name in found.compute:
        amount = Fraction(str(found.demands[name]))
        flops[compute_unit(name)] = flops.get(compute_unit(name), Fraction(0)) + amount
    return flops


def test_a_capacity_is_no_rate(capsys: pytest.CaptureFixture[str]) -> None:
    """For l2 the rate counts, not the 50 MiB. `derive` and `grade` refuse a resource without a rate."""
    text = "flops bf16 = 2 B D F; bytes {} = 2 B D F/b"
    assert smallest(text.format("l2"), "b") == BF16 // L2 + 1 == 180
    for place in ("smem-total", "capacity-hbm", "vmem"):
        with pytest.raises(RoofproofError, match=r"is a spec in B; bytes need|has no spec 'vmem'"):
            smallest(text.format(place), "b")
        assert main(["grade", "--op", text.format(place), "--chip", H100, "--for", "b", "--answer", "180"]) == 2
    for answer, grade in (("180", 0), ("1.9e7", 1)):
        asked = ["grade", "--op", text.format("l2"), "--chip", H100, "--for", "b", "--asks", "smallest"]
        assert main([*asked, "--answer", answer]) == grade
    capsys.readouterr()


def test_three_operands_are_multiplied_two_at_a_time() -> None:
    assert counted(LORA, B=3, D=5, F=7, r=2) == {"matrix": 2 * 3 * 2 * (5 + 7)}
    groups = counted(GROUPS, B=3, n=5, G=8, F=7)
    assert groups == {"matrix": 2 * 3 * 5 * 8 * 7, "vector": 3 * 3 * 5 * 7}  # a scale, then a scale that is summed
    attention = counted("q:bf16[h,L,k], K:bf16[h,S,k], V:bf16[h,S,v] -> o:bf16[h,L,v]", h=2, L=3, S=5, k=7, v=11)
    assert attention == {"matrix": 2 * 2 * 3 * 5 * (7 + 11)}


@pytest.mark.parametrize(
    ("text", "sizes", "flops", "fixed", "each"),
    [  # FLOPs per row, bytes of the weights with their scales, bytes per row
        (GROUPS, {"n": 32, "G": 128, "F": 4096}, 2 * 4096**2, 4096**2 // 2 + 2 * 2 * 32 * 4096, 4 * 4096),
        ("x:bf16[B,D], w:int4/g128:bf16[D,F] -> y:bf16[B,F]", {"D": 4096, "F": 4096},
         2 * 4096**2, Fraction(33, 64) * 4096**2, 4 * 4096),
        (LORA, {"D": 4096, "F": 4096, "r": 512}, 4 * 512 * 4096, 4 * 512 * 4096, 4 * 4096),
    ],
    ids=["group scales written out", "group scales in the format", "low rank"],
)  # fmt: skip
def test_the_thresholds_of_three_operands_are_those_of_a_scan(text, sizes, flops, fixed, each) -> None:
    does = next(n for n in range(1, 10**4) if n * flops / Fraction(BF16) > (fixed + n * each) / HBM)
    assert smallest(text, "B", **sizes) == does


def test_a_composite_index_is_the_pair_of_its_factors_or_is_asked_about() -> None:
    pair = "x:bf16[B,n,G], w:bf16[n*G,F] -> y:bf16[B,F]"
    assert counted(pair, B=3, n=5, G=8, F=7) == {"matrix": 2 * 3 * 5 * 8 * 7}
    with pytest.raises(RoofproofError, match=r"index n\*G has two readings"):
        op("x:bf16[B,D], w:int4[n*G,F], s:bf16[n,F] -> y:bf16[B,F]")


def test_an_answer_meets_the_conditions_of_its_operation() -> None:
    """A tile of 613 does not meet 256 t + 2 t^2 <= 232448, blocks are whole, and n divides the sharded sizes."""
    fitting = [t for t in range(1, 4097) if 256 * t + 2 * t * t <= 232448 and 4096 % t == 0]
    tile = smallest(SQUARE_TILE, "t", B=4096, D=4096, F=4096)
    assert max(fitting) == 256 and tile is None
    assert smallest("flash-attention:block=1024", "L", h=32, k=128) == 1024
    shards = threshold(op("sharded-matmul"), chip("tpu-v5e"), "n", {"B": 20000, "D": 20000, "F": 20000}).found.integer
    assert shards == 2  # below 3.28, and 3 leaves a remainder of 2


def test_a_block_that_does_not_divide_the_length_is_refused() -> None:
    """Keys and values are read once for each of the L/b blocks of queries, and L/b is an integer."""
    moved = [at(op("flash-attention:block=b"), L=100, b=b, h=1, k=64).bytes("memory") for b in (50, 100)]
    assert moved == [2 * 2 * 100 * 64 * (1 + blocks) for blocks in (2, 1)]
    with pytest.raises(RoofproofError, match="needs L divisible by b, which is false"):
        at(op("flash-attention:block=b"), L=100, b=99)


def test_every_case_of_a_convolution_has_sizes_of_one_or_more() -> None:
    """Each case applies to some of the sizes 1, 4 and 4000, so no case needs P + R < 1."""
    found = threshold(op("convolution"), chip(H100), "K").found.cases
    for case in found:
        names = sorted(case.when.free_symbols, key=str)
        points = product((4000, 4, 1), repeat=len(names))
        assert any(case.when.subs(dict(zip(names, p, strict=True))) == sympy.true for p in points), case


@pytest.mark.parametrize("name", ["softmax", "layer-norm", "rms-norm", "add", "axpy", "adam", "rotary"])
def test_what_is_no_product_runs_on_the_vector_unit(name: str) -> None:
    assert "matrix" not in {compute_unit(f) for f in op(name).compute}


@pytest.mark.parametrize("with_product", ["flops fp32-vector = D F", "flops exp = B S"])
def test_a_product_beside_another_engine_has_a_threshold(with_product: str) -> None:
    text = f"flops bf16 = 2 B D F; {with_product}; bytes hbm = 2 B D + 2 D F + 2 B F"
    rest = {"D": 4096, "F": 4096} | ({"S": 4096} if "S" in with_product else {})
    other = [Fraction(4096**2) / VECTOR, Fraction("4096") / Fraction("3.86496e12")]["exp" in with_product]

    def bound(n: int) -> bool:
        engines = n * 2 * 4096**2 / Fraction(BF16), other * (n if "exp" in with_product else 1)
        return max(engines) > (4 * 4096 * n + 2 * 4096**2) / HBM

    assert smallest(text, "B", **rest) == next(n for n in range(1, 10**5) if bound(n))


def test_the_gradients_of_flash_attention_are_five_products() -> None:
    forward, backward = (counted(n, L=64, h=2, k=16)["matrix"] for n in ("flash-attention", "flash-attention-backward"))
    assert (forward, backward) == (2 * 2 * 64 * 64 * 2 * 16, 5 * 2 * 64 * 64 * 2 * 16)


def test_defaults_take_a_chip_as_it_is() -> None:
    """Defaults use the link of a GPU, the vector unit for Adam, and the compute unit after a colon."""
    for text, unknown in (("sharded-matmul", "D"), ("adam", "P"), ("stream-triad:fp64-vector", "N")):
        assert threshold(parse_operation(text), chip(H100), unknown).trust == "kernel"
    assert len(chip_names()) > 70


def test_logarithms_degree_three_and_pure_movement_are_answered(capsys: pytest.CaptureFixture[str]) -> None:
    per_byte = Fraction("66.9e12") / HBM  # the ridge point of the vector unit
    found = threshold(op("flops fp32-vector = 5 N log2(N); bytes hbm = 16 N"), chip(H100), "N").found
    assert found.integer is not None and per_byte == Fraction(1338, 67)  # 5 log2(N) > 16 times it
    assert (found.integer - 1) ** (5 * 67) <= 2 ** (16 * 1338) < found.integer ** (5 * 67)
    cubic = smallest("flops bf16 = n^3; bytes hbm = n^2 + 5 n + 1000", "n")
    assert cubic == next(n for n in range(1, 10**4) if n**3 * HBM > BF16 * (n * n + 5 * n + 1000))
    assert main(["derive", "stream-copy", "--chip", H100]) == 0
    assert "memory-bound at every size: no FLOPs, only bytes" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "each"),
    [("mxfp4", Fraction(17, 32)), ("mxfp8", Fraction(33, 32)), ("nvfp4", Fraction(9, 16)),
     ("int4/g128:bf16", Fraction(33, 64))],
)  # fmt: skip
def test_formats_carry_their_scales(name: str, each: Fraction) -> None:
    found = at(op(f"x:bf16[B,D], w:{name}[D,F] -> y:bf16[B,F] @ bf16"), B=1, D=256, F=256)
    assert found.bytes("memory") == 2 * 256 + each * 256 * 256 + 2 * 256


@pytest.mark.parametrize("sweeps", [2, 16, 64])
def test_a_block_of_which_none_fits_has_no_integer(sweeps: int) -> None:
    """SymPy simplifies 16 (b + 128)^3 <= 233472 to false, and the condition was once lost for that reason."""
    found = threshold(parse_operation("blocked-stencil"), chip(H100), "b", {"N": 4096, "T": sweeps}).found
    fits = [b for b in range(1, 4097) if 4096 % b == 0 and 16 * (b + 2 * sweeps) ** 3 <= 233472]
    bound = [b for b in fits if found.at_point.holds(sympy.Integer(b)) == sympy.true]
    assert found.integer == min(bound, default=None) and bool(fits) == (sweeps < 12)


def test_an_isolated_root_is_printed_in_digits_and_not_by_the_name_it_has_in_the_proof(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["derive", "blocked-stencil", "--chip", H100, "--for", "T", "--at", "N=512,b=8", "--full"]) == 0
    text = capsys.readouterr().out
    assert "root" not in text and text.count("T > 38.012…") == 4


def test_a_growing_size_within_what_the_kernel_does_not_take_apart_leaves_the_limit_unproved() -> None:
    """|8 K B - K| is not a fixed factor, unlike c in c K, because K grows both inside and outside it."""
    K, B = dimension("K"), dimension("B")
    moved = (K * B + 1) * (sympy.Abs(8 * K * B - K) + K**2)
    for regime, growth, trust in (("K -> oo", 1 / K**2, "undecided"), ("B -> oo", 1 / (8 * B * K), "algebra")):
        found = limit(K * B / moved, Regime(regime))
        assert (found.value, found.growth) == (0, growth) and found.trust == trust


@pytest.mark.parametrize(
    ("text", "sizes", "told"),
    [
        # a root in the condition of a case, and a limit without a logarithm, both shown line by line
        ("flops bf16 = max(N^2, 3 M); bytes hbm = N + M", "M=100", "N > R/2 + sqrt(R*M + R^2/4)"),
        ("flops bf16 = abs(N - M); bytes hbm = N", "M=100", "N < M/(R + 1)"),
        # log2(50) is compared with numbers to find the slowest compute unit, and a case it rules out has roots of -1
        ("flops bf16 = 5 N; flops fp32-vector = log2(M) K N^2 + M; bytes hbm = 2 log2(M) N^2 + 2 M N^2", "K=1000,M=50",
         "at K = 1000, M = 50: always"),
    ],
)  # fmt: skip
def test_what_ended_in_a_traceback_is_told(
    text: str, sizes: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    chip_text = "bf16=100 FLOP/s, fp32-vector=10 FLOP/s, hbm=7 B/s"
    assert main(["derive", text, "--chip", chip_text, "--for", "N", "--at", sizes, "--steps"]) == 0
    assert told in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "sizes", "flops", "moved"),
    [
        ("matmul", "B=512,D=4096,F=4096", "17179869184", "41943040"),
        ("matmul", "B=512", "1024*D*F", "1024*D + 1024*F + 2*D*F"),
        ("prefill:mask=causal", "B=1,L=5,N=1,d=4,V=7,h=2", "2216", None),  # 15 pairs of tokens, 16 FLOPs each
    ],
)
def test_sizes_are_put_in_where_no_chip_is_named(text, sizes, flops, moved, capsys) -> None:
    assert main(["derive", text, "--at", sizes, "--full"]) == 0
    told = capsys.readouterr().out
    assert f"\n  {flops}    bf16" in told and (moved is None or f"\n  {moved}    total" in told)


@pytest.mark.parametrize("peak", [1, 7, 30, 240, Fraction("295.5")])
def test_the_digits_of_an_isolated_root_are_cut_off_and_never_rounded(
    peak: Fraction, capsys: pytest.CaptureFixture[str]
) -> None:
    """At the printed digits N^3 + N is below peak (N^2 + 5), and one unit more in the last place it is above."""
    asked = ["derive", "flops bf16 = N^3 + N; bytes hbm = N^2 + 5", "--chip", f"bf16={float(peak)} FLOP/s, hbm=1 B/s"]
    said = []
    for form in ([], ["--latex"]):
        assert main([*asked, "--for", "N", *form]) == 0
        text = capsys.readouterr().out
        assert "root" not in text and "CRootOf" not in text
        [shown] = {a or b for a, b in re.findall(r"N > (?:([\d.]+)…|\\num\{([\d.]+)\}\\ldots)", text)}
        said.append(shown)
    assert said[0] == said[1]
    low, places = Fraction(said[0]), len(said[0].partition(".")[2])
    assert places >= 1 and len(said[0].replace(".", "").lstrip("0")) >= 5
    above = [n**3 + n - peak * (n**2 + 5) for n in (low, low + Fraction(1, 10**places))]
    assert above[0] < 0 < above[1]
