"""Counts in edge cases: padding, views with another element size, regions changed twice, loops without iterations."""

import pytest
import sympy
from cases import Case, at, counted
from functions import V, jax, jnp, lax
from modules import F, nn, torch

from roofproof.errors import RoofproofError
from roofproof.symbols import dimension
from roofproof.trace.aten.entry import traced as traced_torch
from roofproof.trace.jaxpr.entry import traced as traced_jax

pytestmark = pytest.mark.frameworks
B, N = dimension("B"), dimension("N")


def conv(x, w, **how):
    return lax.conv_general_dilated(x, w, **{"window_strides": (1,), "padding": "SAME", **how})


def of_weight(x, w, **how):
    return jax.grad(lambda w: conv(x, w, **how).sum())(w)


def to_float(x):
    return lax.bitcast_convert_type(x, jnp.float32)


def again(x, y):
    x[:, 0] += 1
    x[:, 0] *= 2
    x[:, 1] = y
    x[:, 1] -= 1
    return x


X1 = "x:fp32[B,4,N], w:fp32[8,4,{}]"
JAX = [
    Case("wide", conv, X1.format(7), {"fp32": "64 B (7 N - 12)"}, "48 B N + 896"),
    Case("strided", lambda x, w: conv(x, w, window_strides=(2,)), "x:fp32[B,4,2*N], w:fp32[8,4,3]",
         {"fp32": "64 B (3 N - 1)"}, "64 B N + 384"),
    Case("dilated", lambda x, w: conv(x, w, rhs_dilation=(4,)), X1.format(3), {"fp32": "64 B (3 N - 8)"},
         "48 B N + 384"),
    Case("transposed", lambda x, w: lax.conv_transpose(x, w, (2,), "SAME", dimension_numbers=("NCH", "OIH", "NCH")),
         X1.format(3), {"fp32": "64 B (3 N - 1)"}, "80 B N + 384"),
    Case("gradient of a weight", of_weight, X1.format(3), {"fp32": "64 B (3 N - 2)"}, "16 B N + 384"),
    Case("outer", lambda x, y: jnp.einsum("m,n->mn", x, y), "x:fp32[B], y:fp32[N]", {V: "B N"}, "4 B + 4 N + 4 B N"),
    Case("one in common", lambda x, y: x[:, None] @ y[None, :], "x:fp32[B], y:fp32[N]", {"fp32": "2 B N"},
         "4 B + 4 N + 4 B N"),
    Case("rows of wider numbers", lambda x, i: jnp.take(to_float(x), i, axis=0, mode="clip"),
         "x:uint8[N,4], i:int32[4]", {}, "32 + 4 Min(4, N)"),
    Case("a part of wider numbers", lambda x: to_float(x)[:4] * 2, "x:uint8[N+4,4]", {V: "4"}, "32"),
    Case("the greatest", lambda x, i, y: x.at[i].max(y, mode="clip"), "x:fp32[B], i:int32[N], y:fp32[N]", {V: "N"},
         "8 N + 8 B"),
    Case("a branch that sizes choose", lambda x: lax.switch(1, [jnp.exp, jnp.negative], x), "x:fp32[N]", {V: "N"},
         "8 N"),
]  # fmt: skip
TORCH = [
    Case("strided", nn.Conv1d(4, 8, 3, stride=2, padding=1, bias=False, device="meta"), "input:fp32[B,4,2*N]",
         {"fp32": "64*B*(3*N - 1)"}, "64*B*N + 384"),
    Case("transposed", nn.ConvTranspose1d(4, 8, 4, stride=2, padding=1, bias=False, device="meta"),
         "input:fp32[B,4,N]", {"fp32": "64*B*(4*N - 2)"}, "80*B*N + 512"),
    Case("rows of wider numbers", lambda x, i: x.view(torch.int32)[i], "x:uint8[N,4], i:int64[4]", {},
         "48 + 4*Min(4, N)"),
    Case("again", again, "x:fp32[N,8], y:fp32[N]", {V: "3*N"}, "16*N"),  # the second column is not read
    Case("classes with weights", lambda x, y, w: F.nll_loss(x, y, weight=w), "x:fp32[B,8], y:int64[B], w:fp32[8]",
         {V: "4*B - 1"}, "12*B + 4*Min(8, B) + 4"),
    Case("bags with weights", lambda t, i, w: F.embedding_bag(i, t, per_sample_weights=w, mode="sum"),
         "t:fp32[16,N], i:int64[B,5], w:fp32[B,5]", {V: "9*B*N"}, "60*B + 4*B*N + 4*N*Min(16, 5*B)"),
    Case("one bound", lambda x: x.clamp(min=0) + x.clamp(-1, 1), "x:fp32[N]", {V: "4*N"}, "8*N"),
    Case("both ends", lambda x: torch.aminmax(x, dim=-1), "x:fp32[B,N]", {V: "2*B*(N - 1)"}, "4*B*N + 8*B"),
    # eight per element (mean and variance, and four more) and eight per channel, without the root
    Case("statistics that run", nn.BatchNorm1d(8, device="meta"), "input:fp32[B,8]", {V: "64*B + 64", "exp": "8"},
         "64*B + 64 + 128"),
    Case("heads that share a key", lambda q, k: F.scaled_dot_product_attention(q, k, k),
         "q:bf16[B,4,N,8], k:bf16[B,1,N,8]", {"bf16": "128*B*N^2", "exp": "4*B*N^2", V: "20*B*N^2 - 8*B*N"}, "144*B*N"),
    Case("one query for all", lambda q, k: F.scaled_dot_product_attention(q, k, k), "q:bf16[4,8], k:bf16[B,N,8]",
         {"bf16": "128*B*N", "exp": "4*B*N", V: "20*B*N - 8*B"}, "64 + 16*B*N + 64*B"),
    Case("turned in place", lambda x: x.clone().t_().mul(2), "x:fp32[B,N]", {V: "B*N"}, "8*B*N"),
]  # fmt: skip


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("trace", "case"), [(traced_jax, c) for c in JAX] + [(traced_torch, c) for c in TORCH],
    ids=[f"jax {c.name}" for c in JAX] + [f"torch {c.name}" for c in TORCH],
)  # fmt: skip
def test_counts_by_hand_at_three_points_and_of_a_trace_with_numbers(trace, case):
    found = trace(case.function, case.shapes)
    op = found.operation("fused")
    for sizes in ({B: 2, N: 4}, {B: 5, N: 9}, {B: 3, N: 64}):
        assert all(c.subs(sizes) == sympy.true for c in found.conditions)
        compute = {engine: n.subs(sizes) for engine, n in op.compute.items()}
        assert compute == {engine: counted(text).subs(sizes) for engine, text in case.flops.items()}
        assert op.bytes().subs(sizes) == counted(case.moved).subs(sizes)
        with_numbers = trace(case.function, at(case, sizes)).operation("fused")
        assert (compute, op.bytes().subs(sizes)) == (dict(with_numbers.compute), with_numbers.bytes())


def test_where_the_sides_of_a_padding_meet_is_left_out():
    assert traced_jax(conv, X1.format(7)).conditions == (sympy.Ge(N, 3, evaluate=False),)
    with pytest.raises(RoofproofError, match="what the padding of a convolution adds is open here"):
        traced_jax(lambda x, w: conv(x, w, window_strides=(2,), padding=[(1, 1)]), "x:fp32[B,4,N], w:fp32[8,4,M]")
    with pytest.raises(RoofproofError, match="or say what divides them, such as 'N even'"):
        traced_jax(lambda x, w: conv(x, w, window_strides=(2,)), X1.format(3))
    even = traced_jax(lambda x, w: conv(x, w, window_strides=(2,)), X1.format(3), where="N even").operation("fused")
    assert (even.compute["fp32"] - 64 * B * (3 * N / 2 - 1)).expand() == 0


def repeated(first, last, step):
    return lambda x, w: lax.while_loop(lambda c: c[0] < last(x), lambda c: (c[0] + step, c[1] @ w), (first, x))[1]


def test_a_loop_that_never_turns_does_nothing_and_one_that_may_not_turn_is_held_to():
    shapes = "x:fp32[B,8], w:fp32[8,8]"
    assert traced_jax(repeated(5, lambda x: 3, 1), shapes).program.equations == []
    never = traced_jax(lambda x, w: lax.scan(lambda c, _: (c @ w, None), x, None, length=0)[0], shapes)
    assert never.program.equations == []
    for nothing in (traced_jax(lambda x: x[:0].sum(), "x:fp32[8]"), traced_torch(lambda x: x[:0].sum(), "x:fp32[8]")):
        assert not nothing.operation("fused").compute
    found = traced_jax(lambda x, w: lax.fori_loop(0, x.shape[0] - 5, lambda i, c: c @ w, x), shapes)
    assert (found.operation("fused").compute["fp32"] - 128 * B * (B - 5)).expand() == 0
    assert found.conditions == (sympy.Ge(B, 6, evaluate=False),)


@pytest.mark.parametrize(("last", "step"), [(10.0, 1.5), (2.5, 1.0)])
def test_a_loop_that_counts_by_fractions_is_refused(last, step):
    with pytest.raises(RoofproofError, match="the number of iterations depends on a value"):
        traced_jax(repeated(0.0, lambda x: last, step), "x:fp32[B,8], w:fp32[8,8]")


class Placed(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("at", torch.arange(64)[None])
        self.of = nn.Embedding(64, 8)

    def forward(self, x):
        return x + self.of(self.at[:, : x.shape[1]])


def test_a_size_that_is_cut_off_at_another_is_at_most_that():
    found = traced_torch(Placed(), "x:fp32[B,N,8]")
    assert set(found.conditions) == {
        sympy.Ge(B, 2, evaluate=False), sympy.Ge(N, 2, evaluate=False), sympy.Le(N, 64, evaluate=False)
    }  # fmt: skip


LAYER = nn.Linear(8, 8)


def mixed(x):
    with torch.autocast("cuda", dtype=torch.bfloat16):
        return LAYER(x)


def not_mixed(x):
    with torch.autocast("cuda", enabled=False):
        return LAYER(x)


def of_mean(x, i, y):
    return x.scatter_reduce(0, i, y, "mean")


def rounded(x):
    return torch.fake_quantize_per_tensor_affine(x, 0.1, 0, -8, 7)


def by_numbers(x):
    raise RuntimeError("SymInt.cpp:40: SymIntArrayRef expected to contain only concrete integers")


def test_formats_that_would_not_be_those_of_the_program_are_refused():
    assert traced_torch(not_mixed, "x:fp32[B,8]").operation("fused").compute["fp32"] == 128 * B
    for function, shapes, message in (
        (mixed, "x:fp32[B,8]", "autocast for cuda ignores tensors without values on cpu; convert the module"),
        (by_numbers, "x:fp32[B]", "a size that is a symbol is used as a value here; give it a number"),
        (of_mean, "x:fp32[8], i:int64[4], y:fp32[4]", "by a mean has no rule"),
        (rounded, "x:fp32[B]", "write it with other operators"),
        (torch.jit.script(nn.ReLU()), "input:fp32[B]", "a scripted module is not traced"),
    ):  # fmt: skip
        with pytest.raises(RoofproofError, match=message):
            traced_torch(function, shapes)
