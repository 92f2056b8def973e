"""The algebra: each law, tiling against a simulated loop nest, and errors."""

import itertools

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sympy import Eq, Mod, expand, limit, oo, simplify

from roofproof.errors import RoofproofError
from roofproof.ops import at, backward, einsum, fuse, over, parse_operation, repeat, shard, then, tile, with_formats
from roofproof.ops.operation import one_kernel
from roofproof.symbols import dimension

B, D, F, N, L, n = map(dimension, ["B", "D", "F", "N", "L", "n"])
UP = einsum("x:bf16[B,D], u:bf16[D,F] -> h:bf16[B,F]", "up")
DOWN = einsum("h:bf16[B,F], v:bf16[F,D] -> y:bf16[B,D]", "down")
MATMUL = parse_operation("matmul")
SPLIT = parse_operation("split-matmul")
EXAMPLES = [UP, DOWN, MATMUL, SPLIT, parse_operation("dot"), parse_operation("per-example-weights")]


def total(*demands):
    out = {}
    for demand in demands:
        for key, amount in demand.items():
            out[key] = out.get(key, 0) + amount
    return {key: amount.expand() for key, amount in out.items()}


def expanded(operation):
    return total(operation.demands)


@pytest.mark.parametrize(("one", "two"), list(itertools.product(EXAMPLES, EXAMPLES)))
def test_then_adds_demands_and_keeps_parts(one, two):
    both = then(one, two)
    assert expanded(both) == total(one.demands, two.demands)
    assert both.kernels == (*one.kernels, *two.kernels)
    assert expanded(both.exact) == total(one.exact.demands, two.exact.demands)


def test_then_is_associative():
    left, right = then(then(UP, DOWN), MATMUL), then(UP, then(DOWN, MATMUL))
    assert expanded(left) == expanded(right) and left.parts == right.parts


def test_fuse_drops_the_traffic_between_and_nothing_else():
    fused = fuse(UP, DOWN, "h")
    assert fused.flops == then(UP, DOWN).flops
    assert (then(UP, DOWN).bytes() - fused.bytes()).expand() == 4 * B * F
    assert [t.name for t in fused.tensors] == ["x", "u", "v", "y"]
    assert fuse(UP, DOWN) == fused and fused.parts == ()


@pytest.mark.parametrize("operation", [*EXAMPLES, then(UP, DOWN)])
def test_repeat_multiplies_every_demand(operation):
    assert expanded(repeat(operation, "L")) == {k: (v * L).expand() for k, v in operation.demands.items()}
    assert expanded(repeat(repeat(operation, 2), 3)) == expanded(repeat(operation, 6))
    assert expanded(repeat(operation, 1)) == expanded(operation)
    assert len(repeat(operation, "L").parts) == len(operation.parts)


def test_shard_of_a_summed_dimension_all_reduces_partial_sums():
    cut = shard(MATMUL, D="n")
    assert cut.flops == 2 * B * D * F / n
    assert simplify(cut.bytes("ici") - 2 * (n - 1) / n * 2 * B * F) == 0
    assert (cut.bytes() - (2 * B * D / n + 2 * D * F / n + 2 * B * F)).expand() == 0
    assert cut.conditions == (Eq(Mod(D, n), 0),)
    two = shard(MATMUL, D=2)
    assert two.compute == SPLIT.compute and two.bytes("ici") == SPLIT.bytes("ici")


def test_shard_of_a_kept_dimension_sends_nothing():
    for name in "BF":
        cut = shard(MATMUL, **{name: "n"})
        assert set(cut.demands) == {"bf16", "memory"} and cut.flops == 2 * B * D * F / n
    assert shard(MATMUL, B=1).demands == MATMUL.demands


def test_shard_of_a_sequence_is_the_sequence_of_shards():
    cut = shard(then(UP, DOWN), F="n")
    assert simplify(cut.bytes("ici") - 2 * (n - 1) / n * 2 * B * D) == 0  # the sum of `down` only
    assert [p.demands for p in cut.parts] == [shard(UP, F="n").demands, shard(DOWN, F="n").demands]
    assert simplify(sum(p.flops for p in cut.parts) - cut.flops) == 0


@given(st.permutations("BDF"), st.tuples(*[st.sampled_from([(4, 1), (4, 2), (4, 4), (6, 3), (3, 1)])] * 3))
@example("DBF", ((4, 2), (4, 2), (4, 2)))  # partial sums are written twice, and read back once
@settings(max_examples=60, deadline=None)
def test_tile_counts_what_a_loop_nest_moves(order, sizes):
    """Simulate the nest with one block of each tensor on chip, and count the elements that cross."""
    whole = {name: size for name, (size, _) in zip("BDF", sizes, strict=True)}
    block = {name: b for name, (_, b) in zip("BDF", sizes, strict=True)}
    tiled = tile(MATMUL, **{name: f"b{name}" for name in order})
    moved = dict.fromkeys(["x", "w", "z read", "z written"], 0)
    held, started = {}, set()
    for point in itertools.product(*(range(whole[name] // block[name]) for name in order)):
        at = dict(zip(order, point, strict=True))
        for tensor, axes in (("x", "BD"), ("w", "DF"), ("z", "BF")):
            want = tuple(at[a] for a in axes)
            elements = block[axes[0]] * block[axes[1]]
            if held.get(tensor) != want:
                if tensor == "z":
                    moved["z read"] += elements * (want in started)
                    moved["z written"] += elements  # the block that leaves, now or at the end
                    started.add(want)
                else:
                    moved[tensor] += elements
                held[tensor] = want
    at = {dimension(k): v for k, v in whole.items()} | {dimension(f"b{k}"): v for k, v in block.items()}
    for tensor in tiled.reads:
        key = "z read" if tensor.name == "z" else tensor.name
        formula = (tensor.times * tensor.elements).subs(at)
        trips = [whole[a] // block[a] for a in "BDF"]
        assert formula >= moved[key]
        if 1 not in trips:
            assert formula == moved[key]
    held_bytes = 2 * (block["B"] * block["D"] + block["D"] * block["F"] + block["B"] * block["F"])
    assert tiled.footprint["vmem"].subs(at) == held_bytes
    assert set(tiled.conditions) == {Eq(Mod(dimension(k), dimension(f"b{k}")), 0) for k in "BDF"}


def test_one_block_is_no_tiling():
    assert tile(MATMUL, B=B, F=F, D=D).demands == MATMUL.demands


def test_the_accumulator_takes_room_on_chip_and_no_traffic():
    wide = tile(einsum("x:bf16[B,D], w:bf16[D,F] -> z:bf16[B,F] acc fp32"), B="b", F="f", D="d")
    b, f, d = map(dimension, "bfd")
    assert (wide.footprint["vmem"] - (2 * b * d + 2 * d * f + 4 * b * f)).expand() == 0


def test_backward_is_two_matmuls():
    step = backward(MATMUL)
    assert step.flops == 4 * B * D * F
    assert [p.writes[0].name for p in step.parts] == ["dx", "dw"]
    assert (step.bytes() - 2 * MATMUL.bytes()).expand() == 0
    assert backward(MATMUL, "w").flops == 2 * B * D * F


def test_backward_of_a_sequence_goes_last_first():
    step = backward(then(UP, DOWN))
    assert step.flops == 2 * then(UP, DOWN).flops
    assert [p.writes[0].name for p in step.parts] == ["dh", "dv", "dx", "du"]


def test_a_tiled_matmul_approaches_the_intensity_of_its_block():
    b, f = dimension("b"), dimension("f")
    tiled = parse_operation("tiled-matmul")
    intensity = simplify(tiled.flops / tiled.bytes())
    assert simplify(intensity - 1 / (1 / b + 1 / f + 1 / D)) == 0
    assert simplify(limit(intensity, D, oo) - b * f / (b + f)) == 0


@pytest.mark.slow
@given(st.integers(1, 5), st.integers(0, 5), st.integers(1, 4))
@settings(max_examples=30, deadline=None)
def test_over_is_the_sum_over_each_size(first, more, size):
    scores = einsum("q:bf16[B,k], keys:int8[B,S,k] -> s:bf16[B,S]")
    both = then(scores, backward(scores))
    every = over(both, "S", first, first + more)
    each = [at(both, S=s) for s in range(first, first + more + 1)]
    assert expanded(every) == total(*(one.demands for one in each))
    assert [expanded(p) for p in every.parts] == [
        total(*(one.parts[i].demands for one in each)) for i in range(len(every.parts))
    ]
    symbolic = over(both, "S", L + 1, L + n)
    assert simplify(symbolic.bytes().subs({L: size, n: 2}) - sum(at(both, S=size + i).bytes() for i in (1, 2))) == 0


def test_with_formats():
    assert with_formats(MATMUL, w="int8").demands == parse_operation("matmul:w=int8").demands
    bytewise = with_formats(MATMUL, "int8", x="int8", w="int8", z="int8")
    assert bytewise.demands == parse_operation("matmul:int8").demands
    reads = [str(t) for p in with_formats(then(UP, DOWN), u="int8").parts for t in p.reads]
    assert reads == ["x:bf16[B,D]", "u:int8[D,F]", "h:bf16[B,F]", "v:bf16[F,D]"]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: fuse(UP, einsum("h:bf16[F,B], v:bf16[F,D] -> y:bf16[B,D]", "down"), "h"),
            "cannot fuse 'h': up writes h:bf16[B,F], down reads h:bf16[F,B]",
        ),
        (
            lambda: fuse(UP, DOWN, "x"),
            "cannot fuse 'x': up does not write it; up writes h:bf16[B,F], down reads h:bf16[B,F], v:bf16[F,D]",
        ),
        (
            lambda: fuse(DOWN, DOWN),
            "nothing to fuse: down writes y:bf16[B,D], down reads h:bf16[B,F], v:bf16[F,D]; give them one name",
        ),
        (lambda: shard(MATMUL, Z=2), "unknown dimension of matmul 'Z'; known: B, D, F"),
        (lambda: shard(MATMUL, D=0), "shard D: expected a positive integer, got '0'"),
        (lambda: shard(MATMUL, D=2.5), "shard D: expected a positive integer, got '2.5'"),
        (lambda: repeat(MATMUL, [2]), "repeat: expected a positive integer, got '[2]'"),
        (lambda: tile(MATMUL, B=None), "tile B: expected a positive integer, got 'None'"),
        (lambda: shard(MATMUL, D="2n"), "shard D: expected a name, a whole number or an expression, got '2n'"),
        (
            lambda: shard(SPLIT, D=2),
            "'split-matmul' has no tensors, so what its shards exchange is not known; "
            "give the sharded operation by its own expressions",
        ),
        (
            lambda: shard(einsum("bf16[4*d,d], bf16[d] -> [4*d]"), d=2),
            "cannot shard d: tensor x1:bf16[4*d,d] has it more than once",
        ),
        (lambda: tile(MATMUL, Q=2), "unknown dimension of matmul 'Q'; known: B, D, F"),
        (lambda: tile(SPLIT, D=2), "tile needs a single einsum, and 'split-matmul' is none"),
        (lambda: backward(SPLIT), "backward needs a single einsum, and 'split-matmul' is none"),
        (
            lambda: tile(einsum("x:bf16[B,D], a:bf16[D,r], b:bf16[r,F] -> [B,F]", "lora"), D=2),
            "tile D: t1[B,r] = x a sums over D and is used before it is done; keep D whole",
        ),
        (
            lambda: tile(einsum("x:bf16[B,D], (a:bf16[D,r], b:bf16[r,F]) -> [B,F]", "lora"), B=2),
            "tile needs a product written without parentheses, every tensor moved once; 'lora' is none",
        ),
        (
            lambda: at(shard(MATMUL, D=3), D=4096),
            "at D=4096: 'matmul, D over 3 chips' needs D divisible by 3, which is false",
        ),
        (
            lambda: at(tile(MATMUL, B="b"), B=100, b=64),
            "at B=100, b=64: 'matmul tiled B=b' needs B divisible by b, which is false",
        ),
        (
            lambda: tile(MATMUL, "smem", 65536, B=256, F=256, D=64),
            "tile B=256, F=256, D=64: the blocks of matmul take 196608 bytes, and smem holds 65536; "
            "give smaller blocks",
        ),
        (
            lambda: at(tile(MATMUL, "smem", 65536, B="b", F="f", D=64), b=256, f=256),
            "at b=256, f=256: 'matmul tiled B=b, F=f, D=64' needs 2*b*f + 128*b + 128*f <= 65536, which is false",
        ),
        (
            lambda: parse_operation("tiled-matmul:b=512,f=512,d=64,holds=65536,memory=smem"),
            "tile B=512, F=512, D=64: the blocks of matmul take 655360 bytes, and smem holds 65536; "
            "give smaller blocks",
        ),
        (lambda: over(MATMUL, "Z", 1, 2), "unknown dimension of matmul 'Z'; known: B, D, F"),
        (lambda: over(parse_operation("fft"), "N", 1, 2), "over N: '5*N*log2(N)' is not a polynomial in N"),
        (
            lambda: backward(einsum("x:bf16[B,D] -> bf16[B]")),
            "gradient of x:bf16[B,D]: index D is in no other tensor, a broadcast and no einsum",
        ),
        (lambda: backward(MATMUL, "q"), "matmul has no operand q"),
        (lambda: repeat(MATMUL, -1), "repeat: expected a positive integer, got '-1'"),
        (lambda: with_formats(MATMUL, v="int8"), "unknown tensor of matmul 'v'; known: w, x, z"),
        (
            lambda: with_formats(then(MATMUL, parse_operation("matmul:int8")), "fp8"),
            "'matmul then matmul' computes in bf16, int8; one format cannot replace all",
        ),
        (lambda: then(), "then needs at least one operation"),
    ],
)
def test_refused(make, message):
    with pytest.raises(RoofproofError) as caught:
        make()
    assert str(caught.value) == message


def test_tensors_that_share_only_a_name_stay_apart():
    other = one_kernel("copy", work={}, reads=(einsum("x:int8[N] -> []").reads[0],))
    both = then(MATMUL, other)
    assert [t.name for t in both.reads] == ["x", "w", "copy.x"]
    assert (both.bytes() - MATMUL.bytes()).expand() == N


@given(st.lists(st.sampled_from(EXAMPLES), min_size=1, max_size=3), st.integers(1, 3))
@settings(max_examples=40, deadline=None)
def test_totals_are_the_sums_of_the_kernels(steps, times):
    """Each demand of a composed operation is the sum over its kernels, each multiplied by its number of runs."""
    made = repeat(then(*steps), times)
    for unit, amount in made.compute.items():
        assert expand(amount - sum(k.times * k.work.get(unit, 0) for k in made.kernels)) == 0
    assert expand(made.bytes() - sum(k.times * k.bytes() for k in made.kernels)) == 0


@pytest.mark.parametrize("text", ["softmax", "flops bf16 = 2 N; flops int8 = N; bytes hbm = N"])
def test_flops_of_several_units_are_not_added(text):
    """They are not added in one kernel or in a sequence, because a FLOP takes a different time on each unit."""
    for made in (parse_operation(text), then(parse_operation(text), MATMUL), repeat(parse_operation(text), "L")):
        with pytest.raises(RoofproofError, match="which are not added; ask for those of one unit"):
            made.flops  # noqa: B018
    assert then(MATMUL, MATMUL).flops == 2 * MATMUL.flops


def test_the_steps_of_collectives_survive_composition():
    layer = repeat(then(MATMUL, parse_operation("all-reduce:n=8")), "L")
    assert layer.hops["ici"] == 14 * dimension("L")  # seven steps to reduce, seven to gather
    assert shard(MATMUL, D=4).hops["ici"] == 6
    unknown = then(layer, parse_operation("flops bf16 = N; bytes nvlink = N"))
    assert not unknown.hops  # the number is not known
