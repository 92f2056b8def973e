"""The library: every entry satisfies its laws, and composed operations match published numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import Integer, Max, Rational, log, simplify

from roofproof.errors import RoofproofError
from roofproof.formula.logarithm import log2
from roofproof.ops import Operation, at, entries, parse_operation
from roofproof.ops.tensor import is_obviously_positive
from roofproof.symbols import dimension

L, d, h, k, r, S, B, N = map(dimension, ["L", "d", "h", "k", "r", "S", "B", "N"])


def op(text):
    return parse_operation(text)


@pytest.mark.parametrize("name", sorted(entries()))
def test_every_entry_makes_a_sourced_operation(name):
    entry = entries()[name]
    operation = parse_operation(name)
    assert operation.name == name or entry.family == "network"  # network names include the mesh
    assert entry.about and entry.source and entry.make.__doc__ and operation.source
    assert isinstance(operation, Operation) and operation.demands and operation.dims
    assert all(not amount.is_negative for amount in operation.demands.values())
    assert all(part.parts == () for part in operation.parts)
    if operation.parts:
        assert simplify(sum(part.flops for part in operation.parts) - operation.flops) == 0
        assert simplify(sum(part.bytes() for part in operation.parts) - operation.bytes()) == 0


def test_classic_kernels_have_the_intensities_of_the_roofline_paper():
    assert op("stencil7").flops / op("stencil7").bytes() == Rational(1, 2)
    at_scale = at(op("spmv"), M=10**6, N=10**6, Z=50 * 10**6)
    assert Rational(15, 100) < at_scale.flops / at_scale.bytes() < Rational(1, 6)
    transform = at(op("fft"), N=1024)
    assert transform.flops == 5 * 1024 * 10 and transform.bytes() == 32 * 1024


def test_attention_unfused_against_flash():
    unfused, flash = op("attention-core"), op("flash-attention")
    assert simplify(unfused.flops / unfused.bytes() - 1 / (2 / L + 2 / k)) == 0
    assert flash.flops / flash.bytes() == L / 2
    assert op("attention-core:passes=0").demands == flash.demands
    blocks = op("flash-attention:block=b")
    assert simplify(blocks.bytes() - (4 * L * h * k + 4 * L * h * k * L / dimension("b"))) == 0


@pytest.mark.parametrize(("heads", "tokens", "width"), [(1, 1, 1), (2, 3, 4), (3, 8, 5)])
def test_the_additions_of_causal_attention_one_by_one(heads, tokens, width):
    """A score sums k products, and a result as many as there are visible tokens, with one addition fewer each."""
    additions = products = 0
    for seen in range(1, tokens + 1):
        products += heads * (seen * width + width * seen)
        additions += heads * (seen * (width - 1) + width * (seen - 1))
    causal = at(op("causal-attention"), h=heads, L=tokens, k=width)
    assert causal.exact.flops == products + additions
    assert causal.flops == 2 * products


def test_a_causal_mask_leaves_half_of_the_pairs():
    full, causal = op("flash-attention"), op("causal-attention")
    assert simplify(causal.flops / full.flops - (L + 1) / (2 * L)) == 0
    assert causal.bytes() == full.bytes()
    assert op("causal-attention:block=b").bytes() == op("flash-attention:block=b").bytes()


@pytest.mark.parametrize(("passes", "moved"), [(1, 4), (2, 6), (3, 8)])
def test_each_pass_of_a_softmax_reads_the_row_again(passes, moved):
    assert op(f"softmax:passes={passes}").bytes() == moved * B * N
    assert sum(op(f"softmax:passes={passes}").compute.values()) == 5 * B * N


def test_binary_logarithms_are_exact():
    assert [log2(Integer(n)) for n in (1, 2, 1024)] == [0, 1, 10] and log2(Rational(1, 8)) == -3
    assert str(log2(N)) == "log2(N)" and log2(N).subs(N, 2**50) == 50
    assert log2(Integer(3)).func is log2 and log2(Integer(3)).is_positive is not False
    assert abs(log2(Integer(3)).evalf() - 1.584962500721156) < 1e-12
    assert log2(N).is_nonnegative and simplify(log2(N).rewrite(log) - log(N) / log(2)) == 0
    assert simplify(log2(N).diff(N) - 1 / (N * log(2))) == 0


def test_grouped_heads_share_the_cache():
    decode = op("decode-attention")
    assert simplify(decode.flops / decode.bytes() - r * S / (S + r)) == 0
    assert simplify(op("decode-attention:bf16,int8").bytes() - decode.bytes()) != 0
    assert op("kv-cache").bytes() == 4 * B * N * S * dimension("g") * k


def test_attention_share_of_a_layer():
    share = op("attention").flops / op("transformer-layer").flops
    assert simplify(share - (2 * d + L) / (6 * d + L)) == 0
    assert simplify(share.subs(L, d / 2)) == Rational(5, 13)


def test_a_layer_of_llama_2_7b_has_the_published_weights():
    """With 4 d^2 in attention and 3 d F in the gated network, 32 layers and two embeddings have 6.738e9 weights."""
    weights = [t for t in op("attention").reads if t.name.startswith("w_")]
    weights += [t for t in op("gated-ffn").reads if t.name.startswith("w_")]
    at_7b = {d: 4096, dimension("D"): 4096, dimension("F"): 11008}
    layer = sum(t.elements.subs(at_7b) for t in weights) + 2 * 4096
    assert 32 * layer + 2 * 32000 * 4096 + 4096 == 6_738_415_616


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("attention-core:passes=two", "passes: expected a whole number, got 'two'"),
        ("attention-core:passes=-1", "passes: expected a whole number, got '-1'"),
        ("stencil7:K=3", "unknown argument of stencil7 'K'; known: N, compute, x"),
        (
            "stream-triads",
            "unknown operation 'stream-triads'; did you mean 'stream-triad' or 'stream-add' or 'stream-scale'?",
        ),
    ],
)
def test_refused(text, message):
    with pytest.raises(RoofproofError) as caught:
        parse_operation(text)
    assert str(caught.value) == message


SIZES = st.sampled_from([dimension(name) for name in "BDF"])
AMOUNTS = st.recursive(
    st.one_of(SIZES, st.fractions("-3", "3", max_denominator=4).map(lambda x: Rational(x.numerator, x.denominator))),
    lambda parts: st.one_of(
        st.tuples(parts, parts).map(lambda pair: pair[0] + pair[1]),
        st.tuples(parts, parts).map(lambda pair: pair[0] * pair[1]),
        st.tuples(parts, parts).map(lambda pair: Max(*pair)),
        st.tuples(SIZES, st.sampled_from([-1, Rational(1, 2), 2])).map(lambda pair: pair[0] ** pair[1]),
    ),
    max_leaves=6,
)


@given(AMOUNTS, st.tuples(*[st.integers(1, 40)] * 3))
def test_what_is_plainly_positive_is_positive(amount, sizes):
    at = dict(zip(map(dimension, "BDF"), sizes, strict=True))
    if is_obviously_positive(amount):
        assert amount.subs(at) > 0 and not amount.is_negative


def test_all_flops_are_on_the_unit_that_is_named():
    assert dict(op("softmax@fp32").compute) == {"fp32": 5 * B * N}
    assert dict(op("softmax:fp64").compute) == {"fp64-vector": 4 * B * N, "exp": B * N}
