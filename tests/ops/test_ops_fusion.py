"""Several products in one kernel, block by block: bytes moved and work repeated, against a simulation of the loops."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roofproof.errors import RoofproofError
from roofproof.hardware import chip
from roofproof.ops import at, einsum, fuse, parse_operation, repeat, tile
from roofproof.ops.combine import beside
from roofproof.proofs import threshold
from roofproof.symbols import dimension

SIZES = {"L": 4, "S": 6, "k": 3, "v": 2}
DIVISORS = {n: [d for d in range(1, n) if n % d == 0] for n in (2, 3, 4, 6)}
TENSORS = {"q": "Lk", "keys": "Sk", "values": "Sv", "o": "Lv"}
STEPS = {"scores": ("LSk", 2), "sum": ("LSv", 2)}  # the loops of each product, and FLOPs per point
ATTEND = "q:fp32[L,k], keys:fp32[S,k], values:fp32[S,v] -> o:fp32[L,v]"


def run(blocks):
    """Run the loops over blocks with one block of each tensor on chip, and do a product whenever its block changes."""
    trips = [range(SIZES[i] // b) for i, b in blocks.items()]
    held, moved, flops = {}, dict.fromkeys(TENSORS, 0), 0
    for turn in product(*trips):
        at_turn = dict(zip(blocks, turn, strict=True))
        for name, axes in TENSORS.items():
            own = tuple(at_turn[i] for i in axes if i in at_turn)
            if held.get(name) != own:
                held[name], size = own, 1
                for i in axes:
                    size *= blocks.get(i, SIZES[i])
                moved[name] += size
        for name, (axes, each) in STEPS.items():
            own = tuple(at_turn[i] for i in axes if i in at_turn)
            if held.get(name) != own:
                held[name], points = own, each
                for i in axes:
                    points *= blocks.get(i, SIZES[i])
                flops += points
    return moved, flops


@given(st.permutations("LSv"), st.integers(1, 3), st.data())
@settings(max_examples=60)
def test_a_tiled_kernel_moves_and_computes_what_its_loops_do(order, how_many, data):
    blocks = {i: data.draw(st.sampled_from(DIVISORS[SIZES[i]])) for i in order[:how_many]}
    operation = at(tile(einsum(ATTEND), "smem", **blocks), **SIZES)
    moved, flops = run(blocks)
    read = {t.name: int(t.times * t.elements) for t in operation.reads if t.name != "o"}
    assert read == {name: n for name, n in moved.items() if name != "o"}
    [output] = operation.writes
    assert output.times * output.elements == moved["o"]
    assert operation.flops == flops


def test_the_footprint_has_a_block_of_each_tensor_and_of_the_scores():
    tiled = at(tile(einsum(ATTEND), "smem", L=2, S=3), **SIZES)
    assert tiled.footprint["smem"] == 4 * (2 * 3 + 3 * 3 + 3 * 2 + 2 * 3 + 2 * 2)


def test_the_library_s_attention_in_blocks_is_the_tiled_product():
    found = at(parse_operation("flash-attention:block=b,keys=c,memory=vmem"), h=1, L=8, k=2, b=4, c=2)
    assert found.footprint == {"vmem": 2 * (2 * 4 * 2 + 2 * 2 * 2 + 4 * 2)}
    assert found.bytes() == 4 * 8 * 2 + 4 * 8 * 8 * 2 // 4 and found.flops == 4 * 8 * 8 * 2
    with pytest.raises(RoofproofError, match=r"^flash-attention keys=c: give the block of queries as well"):
        parse_operation("flash-attention:keys=c")


def test_blocks_of_queries_fit_in_the_memory_of_a_chip():
    """640 b + 32768 bytes fit in the 227 KB of an SM up to b = 313, so the largest power of two is 256."""
    op, h100 = parse_operation("flash-attention:block=b,keys=64"), chip("h100-sxm")
    found = threshold(op, h100, "b", {"L": 8192, "k": 128, "h": 32}).found
    room = int(h100.capacity("smem").value)
    assert 640 * 256 + 32768 <= room < 640 * 512 + 32768
    assert found.integer is None  # compute-bound only above 306.26, and 512 does not fit


def test_siblings_read_their_input_once_and_add_up():
    base = einsum("x:bf16[B,D], w:bf16[D,F] -> y:bf16[B,F]", "base")
    update = einsum("x:bf16[B,D], a:bf16[D,r], b:bf16[r,F] -> y:bf16[B,F]", "update")
    both = beside(base, update)
    names = [t.name for t in both.tensors]
    assert sorted(names) == sorted(set(names)) and all(t.times == 1 for t in both.tensors)
    assert (both.flops - base.flops - update.flops).expand() == 0
    B, F = both.writes[0].shape
    assert (both.exact.flops - base.exact.flops - update.exact.flops - B * F).expand() == 0
    with pytest.raises(RoofproofError, match=r"^nothing to fuse: base and other have no tensor in common"):
        beside(base, einsum("u:bf16[B], v:bf16[B] -> z:bf16[]", "other"))


def test_what_two_products_of_one_kernel_both_read_is_read_once():
    scores = einsum("q:bf16[h,c], latent:bf16[S,c] -> s:bf16[h,S]")
    values = einsum("s:bf16[h,S], latent:bf16[S,c] -> o:bf16[h,c]")
    h, c, S = map(dimension, "hcS")
    assert (fuse(scores, values).bytes() - (2 * S * c + 4 * h * c)).expand() == 0
    again = fuse(scores, repeat(values, 3), "s")  # three times if one of them reads it three times
    assert {t.name: t.times for t in again.reads}["latent"] == 3
