"""Work that chips can share: shards simulated on integers, and errors for exchanges that are not known."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sympy import Eq, Le, Mod

from roofproof.errors import RoofproofError
from roofproof.ops import (
    at,
    backward,
    beside,
    einsum,
    entries,
    fuse,
    over,
    parse_operation,
    repeat,
    shard,
    then,
    tile,
    with_formats,
)
from roofproof.symbols import dimension

B, D, F, L, W, a, b, k, m, n, t = map(dimension, ["B", "D", "F", "L", "W", "a", "b", "k", "m", "n", "t"])
UP = einsum("x:bf16[B,D], u:bf16[D,F] -> h:bf16[B,F]", "up")
DOWN = einsum("h:bf16[B,F], v:bf16[F,D] -> y:bf16[B,D]", "down")
ONWARD = einsum("h:bf16[B,F], v:bf16[F,E] -> y:bf16[B,E]", "onward")

axes = st.lists(st.sampled_from("abcd"), min_size=1, max_size=3, unique=True).map("".join)


def product(left, right, result, names):
    texts = [f"{name}:bf16[{','.join(shape)}]" for name, shape in zip(names, (left, right, result), strict=True)]
    return einsum(f"{texts[0]}, {texts[1]} -> {texts[2]}")


@pytest.mark.slow
@given(axes, axes, axes, axes, axes, st.sampled_from("abcd"), st.randoms(use_true_random=False))
def test_shares_of_one_kernel_add_up_to_the_whole(left, right, between, other, result, cut, rng):
    """Each chip computes with its half of every tensor, and their results concatenated or added give the whole."""
    between = "".join(i for i in between if i in left + right)
    result = "".join(i for i in result if i in between + other)
    assume(between and cut in left + right + other)
    kernel = fuse(product(left, right, between, "xuh"), product(between, other, result, "hvy"))
    shapes = (left, right, other)
    values = [np.array([rng.randrange(9) for _ in range(4 ** len(s))]).reshape([4] * len(s)) for s in shapes]

    def computed(x, u, v):
        return np.einsum(f"{between},{other}->{result}", np.einsum(f"{left},{right}->{between}", x, u), v)

    def half(array, shape, i):
        return array.take(range(2 * i, 2 * i + 2), shape.index(cut)) if cut in shape else array

    try:
        part = shard(kernel, **{cut: 2})
    except RoofproofError:
        assume(False)
    parts = [computed(*(half(v, s, i) for v, s in zip(values, shapes, strict=True))) for i in (0, 1)]
    whole = np.concatenate(parts, result.index(cut)) if cut in result else parts[0] + parts[1]
    assert (whole == computed(*values)).all()
    assert ("ici" in part.demands) == (cut not in result)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", entries())
def test_chips_together_do_no_less_than_the_whole(name):
    """Attention cannot be split along its tokens, since four chips with L/4 tokens would do a quarter of the work."""
    operation = parse_operation(name)
    for dim in operation.dims:
        try:
            part = shard(operation, **{dim.name: 4})
        except RoofproofError as refused:
            assert "cannot shard" in str(refused) or "has no tensors" in str(refused)
            continue
        for engine, amount in operation.compute.items():
            whole, one = (float(f.subs({s: 64 for s in operation.dims})) for f in (amount, part.compute[engine]))
            assert 4 * one >= whole - 4, (name, dim)  # 2 N - 1 is 4 (2 N/4 - 1) plus 3 sums of the all-reduce


@pytest.mark.parametrize(
    ("name", "dim"),
    [
        ("flash-attention", "L"),  # needs the keys of all tokens
        ("flash-attention", "k"),  # the scores are sums over it
        ("causal-attention", "L"),
        ("sliding-window-attention", "L"),
        ("softmax", "N"),  # needs the maximum and the sum of a row
        ("layer-norm", "D"),
        ("fft", "N"),
        ("prefix-sum", "N"),
        ("gated-ffn", "D"),  # the gate needs complete sums
        ("lora", "r"),  # each chip would add the base
        ("transformer-layer", "L"),
    ],
)
def test_what_shards_would_exchange_unseen_is_refused(name, dim):
    with pytest.raises(RoofproofError, match=f"cannot shard {dim}: .*give the sharded operation by its own"):
        shard(parse_operation(name), **{dim: 4})


def test_a_sum_that_a_later_product_needs_whole_is_not_cut():
    with pytest.raises(RoofproofError, match="cannot shard D"):
        shard(fuse(UP, DOWN), D=4)
    assert shard(fuse(UP, ONWARD), D=4).bytes("ici") == 3 * B * dimension("E")  # 2 * 3/4 * 2 B E: the second is linear
    assert shard(then(UP, DOWN), D=4).bytes("ici") == 3 * B * F  # h is written, and all-reduced
    assert "ici" not in shard(fuse(UP, DOWN), B=4).demands


def test_partial_sums_that_are_read_back_are_no_result_to_be_reduced():
    with pytest.raises(RoofproofError, match="cannot shard D"):
        shard(tile(parse_operation("matmul"), D="d", B="b"), D=4)
    assert shard(tile(parse_operation("matmul"), B="b", D="d"), B=4).flops == B * D * F / 2


def test_what_is_assumed_is_assumed_of_the_part():
    tiled = parse_operation("tiled-matmul:b=128,f=128,d=64")
    assert Eq(Mod(B, 512), 0) in shard(tiled, B=4).conditions  # 128 divides B/4
    assert shard(tiled, B=4).grid == tiled.grid / 4
    assert Eq(Mod(D, m * n), 0) in shard(shard(parse_operation("matmul"), D="n"), D="m").conditions
    with pytest.raises(RoofproofError, match="needs B divisible by 512"):
        at(shard(tiled, B=4), B=128)


def test_what_is_done_for_each_value_is_assumed_of_each():
    window = parse_operation("sliding-window-attention")
    assert over(window, "L", "a", "b").conditions == (Le(W, a), Le(W, b), Le(a, b))
    assert over(parse_operation("matmul"), "B", a, a + t).conditions == ()  # there is a last value as t >= 1
    with pytest.raises(RoofproofError, match="over B: there is no B from 5 to 3"):
        over(parse_operation("matmul"), "B", 5, 3)
    with pytest.raises(RoofproofError, match=r"over D: .*which is not known of every D in between"):
        over(parse_operation("sharded-matmul:n=4"), "D", 4, 8)
    assert over(tile(parse_operation("matmul"), F="f"), "B", 1, "t").grid is None
    with pytest.raises(RoofproofError, match="over L: 'sliding-window-attention' assumes 8 <= L, which is false at 4"):
        over(at(window, W=8), "L", 4, 64)


def test_gradients_assume_what_the_operation_does():
    assert backward(parse_operation("sliding-window-attention")).conditions == (Le(W, L),)
    assert backward(tile(parse_operation("matmul"), D="d")).conditions == (Eq(Mod(D, dimension("d")), 0),)


def test_blocks_are_put_in_all_at_once():
    assert tile(parse_operation("matmul"), B="D", D="k").footprint["vmem"] == 2 * D * k + 2 * D * F + 2 * F * k


def test_layers_reduce_their_sums_each():
    assert shard(repeat(then(UP, DOWN), 3), D=4).bytes("ici") == 9 * B * F


def test_blocks_of_two_operations_in_one_kernel_are_not_the_larger_ones():
    """Blocks of both together need 768 KiB, but were once accepted for a memory of only 512 KiB."""
    gate = einsum("x:bf16[B,D], v:bf16[D,F] -> g:bf16[B,F]", "gate")
    for make in (lambda: beside(tile(UP, B="b"), tile(gate, B="b")), lambda: fuse(tile(UP, B="b"), tile(DOWN, B="b"))):
        with pytest.raises(RoofproofError, match="keep blocks in vmem, and what one kernel holds of both at once"):
            make()
    assert then(tile(UP, B=8), tile(gate, B=8)).footprint == tile(UP, B=8).footprint  # one after the other
    assert beside(tile(UP, "smem", B="b"), gate).footprint == tile(UP, "smem", B="b").footprint


def test_blocks_in_other_formats_are_made_anew():
    """A block of w in fp32 is twice as large as in bf16, but once had the same footprint."""
    matmul = parse_operation("matmul")
    with pytest.raises(
        RoofproofError, match="the blocks of 'matmul tiled B=b' were made for its formats; change these"
    ):
        with_formats(tile(matmul, B="b"), w="fp32")
    wide = tile(with_formats(matmul, w="fp32"), B=b)
    assert wide.footprint["vmem"] == 2 * b * D + 4 * D * F + 2 * b * F


def test_partial_sums_read_back_do_not_stay_on_chip():
    tiled = tile(UP, D="d", B="b", F="f")  # h is written D/d times, and read back in between
    with pytest.raises(RoofproofError, match=r"cannot fuse 'h': up tiled .* writes partial sums of it"):
        fuse(tiled, DOWN)
    assert "h" not in {t.name for t in fuse(tile(UP, B="b", F="f"), DOWN).tensors}


def test_gradients_of_a_share_are_those_of_the_whole_shared():
    """Each of four chips has a part of the rows, so the gradient of the weights is a sum over chips."""
    assert shard(backward(UP), B=4).bytes("ici") == 3 * D * F  # 2 * 3/4 * (2*D*F bytes)
    with pytest.raises(RoofproofError, match="is a share of the work, whose gradients may be sums over chips"):
        backward(shard(UP, B=4))
