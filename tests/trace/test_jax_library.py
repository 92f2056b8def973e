"""Operations of the library written in jax.numpy, traced and compared term by term.

`but` is the amount by which the program exceeds the library's formula (or falls short), with the reason in a comment.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest
import sympy
from counts import COUNTS
from functions import jax, jnp, lax, layer_norm, rms_norm
from jax.sharding import AbstractMesh
from jax.sharding import PartitionSpec as P

from roofproof import trace
from roofproof.formula.to_sympy import parse_expression
from roofproof.ops import at, entries, parse_operation
from roofproof.symbols import dimension

pytestmark = pytest.mark.frameworks
conv = partial(lax.conv_general_dilated, padding="VALID")


@dataclass(frozen=True)
class Written:
    """The name of an operation of the library, the same operation in jax.numpy, and their differences."""

    name: str
    function: Callable[..., Any]
    shapes: str
    but: Mapping[str, str] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)  # of the library's operation
    where: str = ""
    traffic: str = "fused"
    exact: bool = False  # compared with the exact count of additions

    @property
    def id(self) -> str:
        return self.name


def kernel(name, function):
    def inside(*operands):
        with jax.named_scope(f"kernel:{name}"):
            return function(*operands)

    return inside


def attend(q, keys, values):
    return jnp.einsum("hls,hsk->hlk", jax.nn.softmax(jnp.einsum("hlk,hsk->hls", q, keys), -1), values)


def scores_and_values(q, keys, values):
    return jnp.einsum("hls,hsk->hlk", jnp.einsum("hlk,hsk->hls", q, keys), values)


def attend_backward(q, keys, values, o, rows, do):
    s = jnp.exp(jnp.einsum("hlk,hsk->hls", q, keys) - rows[:, :, None]).astype(q.dtype)
    dv = jnp.einsum("hls,hlk->hsk", s, do)
    ds = s * (jnp.einsum("hlk,hsk->hls", do, values) - (o * do).sum(-1)[:, :, None])
    return jnp.einsum("hls,hsk->hlk", ds, keys), jnp.einsum("hls,hlk->hsk", ds, q), dv


def gated(x, w_up, w_gate, w_down):
    h = kernel("up", lambda x, u, g: (x @ g) * (x @ u))(x, w_up, w_gate)
    return h @ w_down


def attention(x, w_qkv, w_o):
    L, h = x.shape[0], 8
    qkv = (x @ w_qkv).reshape(L, 3, h, -1).transpose(1, 2, 0, 3)
    o = kernel("flash", scores_and_values)(qkv[0], qkv[1], qkv[2])
    return o.transpose(1, 0, 2).reshape(L, -1) @ w_o


def adam(gradient, master, first, second):
    first = 0.9 * first + 0.1 * gradient
    second = 0.99 * second + 0.01 * gradient * gradient
    master = master - 0.001 * (first * 1.1) / (jnp.sqrt(second * 1.01) + 1e-8)
    return master, first, second, master.astype(jnp.bfloat16)


def cross_entropy(scores, labels):
    picked = jnp.take_along_axis(scores, labels[:, None], axis=-1)[:, 0]
    most = scores.max(-1)
    return jnp.log(jnp.exp(scores - most[:, None]).sum(-1)) + most - picked


def groups(x, w, scale):
    return ((jnp.einsum("bng,ngf->bnf", x, w.astype(x.dtype)) * scale).sum(1, dtype=x.dtype)).astype(x.dtype)


def blocks(x, w, x_scale, w_scale):
    parts = jnp.einsum("bng,ngmh->bnmh", x, w, preferred_element_type=jnp.float32)
    return (parts * x_scale[:, :, None, None] * w_scale[:, :, None]).sum(1).astype(jnp.bfloat16)


def recurrent(q, keys, values):
    def step(state, qkv):
        q, k, v = qkv
        state = state + k[:, :, None] * v[:, None, :]
        return state, jnp.einsum("hk,hkv->hv", q, state)

    return lax.scan(step, jnp.zeros((q.shape[1], q.shape[2], values.shape[2]), q.dtype), (q, keys, values))[1]


def stencil(x):
    return 0.5 * x + 0.1 * sum(jnp.roll(x, s, axis) for axis in range(3) for s in (1, -1))


def layers(x, w1, w2):
    return (x @ w1) @ w2


MESH, TWO, GRID = AbstractMesh((4,), ("x",)), AbstractMesh((2,), ("x",)), AbstractMesh((4, 2), ("x", "y"))


def on_chips(function, ins, outs, mesh=MESH):
    split = jax.shard_map(function, mesh=mesh, in_specs=ins, out_specs=outs, check_vma=False)
    split.axes = mesh.axis_names  # each axis is an ici link
    return split


def learnt(x, w1, w2, dy):
    """Run both passes of the layers, and sum the gradients of the weights over the chips."""
    y, back = jax.vjp(layers, x, w1, w2)
    dx, *gradients = back(dy)
    return y, dx, *(lax.psum(g, "x") for g in gradients)


def in_two_ways(x, w1, w2):
    """Apply the layers with weights gathered over x and the hidden width split over y."""
    return lax.psum(layers(x, lax.all_gather(w1, "x", tiled=True), lax.all_gather(w2, "x", axis=1, tiled=True)), "y")


def ring(q, keys, values):
    """Pass keys and values around the ring, so that each chip uses those of all chips."""
    o = 0
    for turn in range(4):
        o = o + scores_and_values(q, keys, values)
        if turn < 3:
            keys, values = (lax.ppermute(t, "x", [(i, (i + 1) % 4) for i in range(4)]) for t in (keys, values))
    return o


def gathered_weights(x, w1, w2):
    return layers(x, lax.all_gather(w1, "x", tiled=True), lax.all_gather(w2, "x", tiled=True))


WRITTEN = [
    Written("add", lambda x, y: x + y, "x:bf16[N], y:bf16[N]"),
    Written("axpy", lambda x, y: 2 * x + y, "x:fp64[N], y:fp64[N]"),
    Written("stream-copy", lambda a: jnp.array(a, copy=True), "a:fp64[N]"),
    Written("stream-scale", lambda c: 3 * c, "c:fp64[N]"),
    Written("stream-add", lambda a, b: a + b, "a:fp64[N], b:fp64[N]"),
    Written("stream-triad", lambda b, c: b + 3 * c, "b:fp64[N], c:fp64[N]"),
    Written("sum", lambda x: x.sum(1), "x:bf16[B,N]", exact=True),
    Written("max", lambda x: x.max(1), "x:bf16[B,N]", exact=True),
    Written("mean:fp32", lambda x: x.mean(1), "x:fp32[B,N]", exact=True),
    Written("softmax", jax.nn.softmax, "x:bf16[B,N]", {"fp32-vector": "B"}, exact=True),  # the maximum with -infinity
    # rsqrt is a root and a reciprocal in one
    Written("layer-norm:fp32", layer_norm, "x:fp32[B,D], w:fp32[D], b:fp32[D]", {"exp": "-B"}, exact=True),
    Written("rms-norm", rms_norm, "x:bf16[B,D], w:bf16[D]", {"exp": "-B"}, exact=True),
    Written("embedding", lambda i, t: jnp.take(t, i, axis=0), "i:int32[T], t:bf16[V,D]", where="T <= V"),
    Written("rotary", lambda x, c, s: jnp.concatenate([
        x[..., : x.shape[-1] // 2] * c[:, None] - x[..., x.shape[-1] // 2 :] * s[:, None],
        x[..., : x.shape[-1] // 2] * s[:, None] + x[..., x.shape[-1] // 2 :] * c[:, None]], -1),
        "x:bf16[T,h,k], c:bf16[T,k/2], s:bf16[T,k/2]"),
    Written("dot", lambda x, y: x @ y, "x:bf16[N], y:bf16[N]", {"bf16": "1"}),  # the library counts N - 1 additions
    Written("matvec", lambda x, w: x @ w, "x:bf16[D], w:bf16[D,F]"),
    Written("matmul", lambda x, w: x @ w, "x:bf16[B,D], w:bf16[D,F]"),
    Written("matmul:bf16,int8,bf16", lambda x, w: x @ w.astype(x.dtype), "x:bf16[B,D], w:int8[D,F]"),
    Written("batched-matmul", lambda x, w: x @ w, "x:bf16[N,B,D], w:bf16[N,D,F]"),
    Written("per-example-weights", lambda x, w: jnp.einsum("bd,bdf->bf", x, w), "x:int8[B,D], w:int8[B,D,F]"),
    Written("convolution", partial(conv, window_strides=(1, 1)), "lhs:bf16[N,C,P+R-1,Q+S-1], rhs:bf16[K,C,R,S]"),
    Written("depthwise-convolution", lambda x, w: conv(x, w[:, None], (1, 1), feature_group_count=x.shape[1]),
            "x:bf16[N,C,P+R-1,Q+S-1], w:bf16[C,R,S]"),
    Written("convolution-3d", partial(conv, window_strides=(1, 1, 1)),
            "lhs:bf16[N,C,O+R-1,P+S-1,Q+T-1], rhs:bf16[K,C,R,S,T]"),
    Written("transposed-convolution", lambda x, w: lax.conv_transpose(
        x, w, (1, 1), "VALID", dimension_numbers=("NCHW", "IOHW", "NCHW")), "x:bf16[N,C,H,W], w:bf16[C,K,3,2]",
        sizes={"R": 3, "S": 2}),
    Written("stencil7", stencil, "x:fp64[N,N,N]", {"fp64-vector": "N^3"}, where="N >= 2"),  # sum() begins with 0
    Written("fft", jnp.fft.fft, "a:complex128[N]"),
    Written("attention-core", scores_and_values, "q:bf16[h,L,k], keys:bf16[h,L,k], values:bf16[h,L,k]",
            {"memory": "-4 L^2 h"}, traffic="kernels"),  # no softmax, which reads and writes the scores once more
    Written("attention-core", attend, "q:bf16[h,L,k], keys:bf16[h,L,k], values:bf16[h,L,k]",
            {"fp32-vector": "4 L^2 h - L h", "exp": "L^2 h"}, traffic="kernels"),  # softmax not counted in the library
    Written("flash-attention", kernel("flash", attend), "q:bf16[h,L,k], keys:bf16[h,L,k], values:bf16[h,L,k]",
            {"fp32-vector": "4 L^2 h - L h", "exp": "L^2 h"}, traffic="kernels"),
    Written("flash-attention-backward", kernel("flash", attend_backward),
            "q:bf16[h,L,k], keys:bf16[h,L,k], values:bf16[h,L,k], o:bf16[h,L,k], rows:fp32[h,L], do:bf16[h,L,k]",
            {"fp32-vector": "3 L^2 h + 2 L h k - L h", "exp": "L^2 h"}, traffic="kernels"),
    Written("decode-attention", lambda q, k, v: jnp.einsum("bgrs,bgsk->bgrk", jnp.einsum("bgrk,bgsk->bgrs", q, k), v),
            "q:bf16[B,g,r,k], k:bf16[B,g,S,k], v:bf16[B,g,S,k]"),
    Written("latent-attention", lambda q, t: jnp.einsum("bhs,bsc->bhc", jnp.einsum("bhx,bsx->bhs", q, t), t[..., :64]),
            "q:bf16[B,h,64+p], t:bf16[B,S,64+p]", sizes={"c": 64}),
    Written("ffn", layers, "x:bf16[B,D], w1:bf16[D,F], w2:bf16[F,D]", traffic="kernels"),
    Written("gated-ffn", gated, "x:bf16[B,D], w_up:bf16[D,F], w_gate:bf16[D,F], w_down:bf16[F,D]",
            {"fp32-vector": "B F"}, traffic="kernels"),  # the product of the two halves
    Written("attention", attention, "x:bf16[L,8*k], w_qkv:bf16[8*k,24*k], w_o:bf16[8*k,8*k]",
            sizes={"h": 8}, traffic="kernels"),
    Written("lora", lambda x, w, a, b: x @ w + (x @ a) @ b, "x:bf16[B,D], w:bf16[D,F], a:bf16[D,r], b:bf16[r,F]",
            {"fp32-vector": "B F"}),  # the sum of the two
    Written("group-quantized-matmul", groups, "x:bf16[B,n,G], w:int4[n,G,F], scale:bf16[n,F]", exact=True,
            but={"bf16": "B F n"}),
    Written("block-scaled-matmul", blocks, "x:e4m3[B,n,G], w:e4m3[n,G,m,H], x_scale:fp32[B,n], w_scale:fp32[n,m]",
            exact=True, but={"fp8": "B H m n"}),  # 2 FLOPs per multiply-add
    Written("adam", adam, "gradient:bf16[P], master:fp32[P], first:fp32[P], second:fp32[P]",
            {"fp32-vector": "-P", "exp": "P"}),  # the root
    Written("cross-entropy:fp32", cross_entropy, "scores:fp32[B,V], labels:int32[B]",
            {"fp32-vector": "B V - 2 B", "exp": "B"}, exact=True),  # the maximum (the logarithm counts as exp)
    Written("top-k:fp32", lambda s: lax.top_k(s, 3), "s:fp32[B,64]", sizes={"V": 64, "k": 3}),
    Written("prefix-sum", jnp.cumsum, "a:fp32[N]", exact=True),
    Written("cholesky", partial(lax.linalg.cholesky, symmetrize_input=False), "x:fp64[N,N]",
            {"fp64-vector": "N^2"}),  # zeros written above the diagonal
    Written("trsm", lambda a, b: lax.linalg.triangular_solve(a, b, left_side=True, lower=True),
            "a:fp64[N,N], b:fp64[N,M]", {"memory": "4 N^2 - 4 N"}),  # the whole square is read
    Written("linear-attention", recurrent, "q:bf16[L,h,k], keys:bf16[L,h,k], values:bf16[L,h,v]",
            {"bf16": "-2 L h k v", "fp32-vector": "2 L h k v"}),  # as written the state is updated on the vector unit
    Written("sharded-matmul", on_chips(lambda x, w: lax.psum(x @ w, "x"), (P(None, "x"), P("x")), P()),
            "x:bf16[B,D], w:bf16[D,F]", sizes={"n": 4}, where="4 divides D"),
    Written("gathered-matmul", on_chips(lambda x, w: lax.all_gather(x, "x", axis=1, tiled=True) @ w,
            (P(None, "x"), P(None, "x")), P(None, "x")), "x:bf16[B,D], w:bf16[D,F]", {"memory": "-3 B D / 2"},
            sizes={"n": 4}, where="4 divides D; 4 divides F"),  # the gathered tensor is not written and read again
    Written("tensor-parallel", on_chips(lambda x, a, b: lax.psum(layers(x, a, b), "x"),
            (P(), P(None, "x"), P("x")), P()), "x:bf16[B,D], a:bf16[D,F], b:bf16[F,D]",
            sizes={"Y": 4}, where="4 divides F"),
    Written("fsdp", on_chips(gathered_weights, (P("x"), P("x"), P("x")), P("x")),
            "x:bf16[B,D], w1:bf16[D,F], w2:bf16[F,D]", sizes={"X": 4}, where="4 divides B; 4 divides D; 4 divides F"),
    Written("split-matmul", on_chips(lambda x, w: lax.psum(x @ w, "x"), (P(None, "x"), P("x")), P(), TWO),
            "x:bf16[B,D], w:bf16[D,F]", where="D even"),
    Written("data-parallel", on_chips(learnt, (P("x"), P(), P(), P("x")), (P("x"), P("x"), P(), P())),
            "x:bf16[B,D], w1:bf16[D,F], w2:bf16[F,D], dy:bf16[B,D]", sizes={"X": 4}, where="4 divides B"),
    Written("fsdp-tensor-parallel", on_chips(in_two_ways, (P("x"), P("x", "y"), P("y", "x")), P("x"), GRID),
            "x:bf16[B,D], w1:bf16[D,F], w2:bf16[F,D]", sizes={"X": 4, "Y": 2},
            where="4 divides B; 4 divides D; F even"),
    Written("ring-attention", on_chips(ring, (P(None, "x"),) * 3, P(None, "x")),
            "q:bf16[h,L,k], keys:bf16[h,L,k], values:bf16[h,L,k]",
            {"fp32-vector": "L h k", "memory": "-3 L h k"},  # sums of partial results, received blocks not stored
            sizes={"n": 4}, where="4 divides L"),
    Written("all-gather", on_chips(lambda x: lax.all_gather(x, "x", tiled=True), P("x"), P()), "x:int8[V]",
            sizes={"n": 4}, where="4 divides V"),
    Written("reduce-scatter", on_chips(lambda x: lax.psum_scatter(x, "x", tiled=True), P(), P("x")), "x:int8[V]",
            sizes={"n": 4}, where="4 divides V"),
    Written("all-reduce", on_chips(lambda x: lax.psum(x, "x"), P(), P()), "x:int8[V]", sizes={"n": 4}),
    Written("all-to-all", on_chips(lambda x: lax.all_to_all(x, "x", 0, 0, tiled=True), P("x"), P("x")),
            "x:int8[16,V/16]", sizes={"n": 4}, where="16 divides V"),
    Written("point-to-point", on_chips(lambda x: lax.ppermute(x, "x", [(0, 1)]), P(), P()), "x:int8[V]"),
    Written("spmv-ell", lambda v, c, x: (v * x[c]).sum(1), "v:fp64[M,k], c:int32[M,k], x:fp64[N]",
            {"fp64-vector": "-M"}, where="N <= M*k"),
    Written("grouped-matmul", lax.ragged_dot, "lhs:bf16[B,D], rhs:bf16[4,D,F], group_sizes:int32[4]",
            {"memory": "8 D F - 2 D F min(4, B) + 16"},  # every expert, and the numbers of rows
            sizes={"E": 4, "k": 1}),
    Written("histogram", lambda v: jnp.zeros(64, jnp.int32).at[v.astype(jnp.int32)].add(1), "v:fp32[N]",
            {"int32-vector": "N"}, sizes={"K": 64}),
    Written("lu", lambda a: lax.linalg.lu(a)[0], "a:fp64[N,N]"),
    Written("transformer-layer", lambda x, w_qkv, w_o, w_up, w_down: layers(attention(x, w_qkv, w_o), w_up, w_down),
            "x:bf16[L,8*k], w_qkv:bf16[8*k,24*k], w_o:bf16[8*k,8*k], w_up:bf16[8*k,32*k], w_down:bf16[32*k,8*k]",
            sizes={"h": 8}, traffic="kernels"),
]  # fmt: skip

MASK = "a mask by `where` counts every pair; that a kernel skips those behind it no program in jax.numpy says"
ROWS = "rows of a length that values tell (CSR) are a loop that no trace counts"
SCHEDULE = "an order of steps on chip, which is no program of jax.numpy"
MODEL = "held to models of Hugging Face in test_layers.py"
NOT_WRITTEN = {
    **dict.fromkeys(("causal-attention", "sliding-window-attention", "chunked-prefill-attention"), MASK),
    **dict.fromkeys(("latent-prefill",), MASK),
    **dict.fromkeys(("spmv", "spmm", "sddmm"), ROWS),
    **dict.fromkeys(("winograd-convolution", "blocked-stencil"), SCHEDULE),
    **dict.fromkeys(("model-layer", "prefill", "decode-step", "generate", "training-step"), MODEL),
    "tiled-matmul": "a kernel in blocks: test_jax_chips.py traces it as a pallas_call",
    "weights": "what is stored; there is no program",
    "kv-cache": "what is stored; there is no program",
    "mixture-of-experts": "its router, gated-ffn and grouped-matmul are written; which rows go where is data",
    "expert-parallel": "which tokens go to which chip is data; all-to-all and grouped-matmul are written",
    "pipeline-parallel": "chips that do different steps at a time are no one program",
    "sort": "a radix sort in passes; jnp.sort is one primitive",
    "ssd": "chunks of attention-core and a state as in linear-attention, which are written",
}


def test_every_operation_of_the_library_is_written_or_it_is_said_why_not():
    written = {case.name.partition(":")[0] for case in WRITTEN}
    assert not written & set(NOT_WRITTEN)
    left = entries().keys() - written - set(NOT_WRITTEN)  # a new operation is checked by its own count
    assert set(NOT_WRITTEN) <= entries().keys() and left <= COUNTS.keys()


@pytest.mark.sampled(7)
@pytest.mark.parametrize(
    "case", WRITTEN, ids=lambda c: f"{c.name}-{c.function.__name__ if hasattr(c.function, '__name__') else ''}"
)
def test_a_program_counts_as_the_library_does(case):
    library = parse_operation(case.name)
    library = at(library.exact if case.exact else library, **case.sizes) if case.sizes else (
        library.exact if case.exact else library
    )  # fmt: skip
    axes = getattr(case.function, "axes", ())
    links = dict.fromkeys(axes, "ici") if axes else None
    found = trace.jax(case.function, case.shapes, where=case.where, traffic=case.traffic, links=links)
    d = dimension("d")
    V = next((s for s in library.dims if s.name == "V"), dimension("V"))  # a number of bytes there, maybe fractional
    there = {name: n.subs({d: 8 * dimension("k"), V: dimension("V")}) for name, n in library.demands.items()}
    there |= {name: there.get(name, 0) + parse_expression(n, dimension) for name, n in case.but.items()}
    if not library.tensors:
        there["memory"] = found.bytes()  # the library has no formula for it
    assert {n: sympy.expand(v) for n, v in there.items() if v != 0} == {
        n: sympy.expand(v) for n, v in found.demands.items()
    }
