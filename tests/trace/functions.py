"""Realistic JAX functions, with FLOPs and bytes counted by hand."""

from __future__ import annotations

from functools import partial

import pytest
from cases import Case

jax = pytest.importorskip("jax", reason="jax is not installed; cure: pip install 'roofproof[jax]'")
import jax.numpy as jnp  # noqa: E402
from jax import lax, nn  # noqa: E402

E, V, I = "exp", "fp32-vector", "int32-vector"  # noqa: E741


def rms_norm(x, w):
    y = x.astype(jnp.float32)
    return (y * lax.rsqrt(jnp.mean(y * y, -1, keepdims=True) + 1e-6)).astype(x.dtype) * w


def layer_norm(x, w, b):
    mean = jnp.mean(x, -1, keepdims=True)
    y = x - mean
    return y * lax.rsqrt(jnp.mean(y * y, -1, keepdims=True) + 1e-5) * w + b


def attention(q, k, v):
    p = nn.softmax(jnp.einsum("blhk,bshk->bhls", q, k), -1)
    return jnp.einsum("bhls,bshk->blhk", p, v)


def flash(q, k, v):
    with jax.named_scope("kernel:flash"):
        return attention(q, k, v)


def causal(q, k, v):
    s = jnp.einsum("blhk,bshk->bhls", q, k)
    s = jnp.where(jnp.tril(jnp.ones((q.shape[1], q.shape[1]), bool)), s, -jnp.inf)
    return jnp.einsum("bhls,bshk->blhk", nn.softmax(s, -1), v)


def grouped_attention(q, k, v):
    s = jnp.einsum("blgrk,bsgk->bgrls", q, k)
    return jnp.einsum("bgrls,bsgk->blgrk", s, v)


def decode(q, k, v, new, at):
    k = lax.dynamic_update_slice(k, new, (0, at, 0))
    s = jnp.einsum("bk,bsk->bs", q, k)
    return jnp.einsum("bs,bsk->bk", s, v), k


def rotary(x, cos, sin):
    half = x.shape[-1] // 2
    a, b = x[..., :half], x[..., half:]
    return jnp.concatenate([a * cos - b * sin, a * sin + b * cos], -1)


def swiglu(x, w_gate, w_up, w_down):
    return (nn.silu(x @ w_gate) * (x @ w_up)) @ w_down


def mlp_loss(w1, w2, x):
    return jnp.sum(jnp.square(nn.relu(x @ w1) @ w2))


def lora(x, w, a, b):
    return x @ w + (x @ a) @ b


def int4_matmul(x, q, scale, zero):
    w = (q.astype(jnp.bfloat16) - zero[:, None]) * scale[:, None]  # groups of n rows
    return jnp.einsum("bgn,gnf->bf", x, w)


def layers(x, w):
    return lax.scan(lambda h, one: (jnp.tanh(h @ one), None), x, w)[0]


def rnn(h, x, w, u):
    def step(h, x):
        h = jnp.tanh(h @ w + x @ u)
        return h, h

    return lax.scan(step, h, x)[1]


def nested_scan(x, w):
    def outer(h, one):
        return lax.scan(lambda a, _: (a @ one, None), h, None, length=3)[0], None

    return lax.scan(outer, x, w)[0]


def cross_entropy(logits, labels):
    picked = jnp.take_along_axis(logits, labels[:, None], axis=-1)[:, 0]
    return jnp.sum(nn.logsumexp(logits, axis=-1) - picked)


def batch_norm(x, scale, shift):
    mean = jnp.mean(x, 0)
    var = jnp.mean(jnp.square(x - mean), 0)
    return (x - mean) * (lax.rsqrt(var + 1e-5) * scale) + shift


def embedding_bag(table, ids):
    return jnp.sum(table[ids], axis=1)


def moe_dense(x, w, gate):
    return jnp.einsum("bef,be->bf", jnp.einsum("bd,edf->bef", x, w), gate)


def ssd_chunk(a, b, x):
    s = jnp.einsum("ln,sn->ls", a, b)
    return jnp.einsum("ls,sp->lp", jnp.where(jnp.tril(jnp.ones(s.shape, bool)), s, 0), x)


def fibonacci(a, b, n_steps):
    return lax.fori_loop(0, 8, lambda i, ab: (ab[1], ab[0] + ab[1]), (a, b))


def pool(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


def conv(x, w, **how):
    return lax.conv_general_dilated(x, w, dimension_numbers=("NHWC", "HWIO", "NHWC"), padding="VALID", **how)


def stencil(x):
    return (jnp.roll(x, 1, 0) + jnp.roll(x, -1, 0) + jnp.roll(x, 1, 1) + jnp.roll(x, -1, 1)) * 0.25


def momentum(w, m, g):
    m = 0.9 * m + g
    return w - 0.1 * m, m


def adam(w, m, v, g):
    m = 0.9 * m + 0.1 * g
    v = 0.99 * v + 0.01 * g * g
    return w - 0.001 * m / (jnp.sqrt(v) + 1e-8), m, v


def positions(x):
    """Apply a rotary embedding with angles that are computed here."""
    half = x.shape[-1] // 2
    angles = jnp.arange(x.shape[1], dtype=jnp.float32)[:, None] * jnp.exp(-jnp.arange(half, dtype=jnp.float32) / half)
    cos, sin = (t[:, None].astype(x.dtype) for t in (jnp.cos(angles), jnp.sin(angles)))
    return rotary(x.reshape(*x.shape[:2], -1, x.shape[-1]), cos, sin).reshape(x.shape)


def block(x, wq, wk, wv, wo, w_gate, w_up, w_down, norm_1, norm_2):
    """Apply a transformer block: grouped heads, rotary embedding, a causal mask, RMS norms and a gated network."""
    y = rms_norm(x, norm_1)
    q = positions(jnp.einsum("bld,dgrk->blgrk", y, wq))
    k, v = positions(jnp.einsum("bld,dgk->blgk", y, wk)), jnp.einsum("bld,dgk->blgk", y, wv)
    with jax.named_scope("kernel:flash"):
        s = jnp.einsum("blgrk,bsgk->bgrls", q, k)
        s = jnp.where(jnp.tril(jnp.ones((x.shape[1], x.shape[1]), bool)), s, -jnp.inf)
        o = jnp.einsum("bgrls,bsgk->blgrk", nn.softmax(s, -1), v)
    x = x + jnp.einsum("blgrk,grkd->bld", o, wo)
    return x + swiglu(rms_norm(x, norm_2), w_gate, w_up, w_down)


BLOCK = (
    "x:bf16[B,L,d], wq:bf16[d,g,r,k], wk:bf16[d,g,k], wv:bf16[d,g,k], wo:bf16[g,r,k,d], w_gate:bf16[d,F], "
    "w_up:bf16[d,F], w_down:bf16[F,d], norm_1:bf16[d], norm_2:bf16[d]"
)


def stacked(x, *weights):
    """Apply any number of such blocks in sequence."""
    return lax.scan(lambda h, w: (block(h, *w), None), x, weights)[0]


W = jnp.ones((128, 64), jnp.bfloat16)
MM, MB = "2 B D F", "2 B D + 2 D F + 2 B F"

CASES = [
    # products
    Case("matmul", lambda x, w: x @ w, "x:bf16[B,D], w:bf16[D,F]", {"bf16": MM}, MB),
    Case("matmul-fp8", lambda x, w: lax.dot(x, w, preferred_element_type=jnp.bfloat16), "x:e4m3[B,D], w:e4m3[D,F]",
         {"fp8": MM}, "B D + D F + 2 B F"),
    Case("matmul-int8", lambda x, w: lax.dot(x, w, preferred_element_type=jnp.int32), "x:int8[B,D], w:int8[D,F]",
         {"int8": MM}, "B D + D F + 4 B F"),
    Case("matvec", lambda w, x: w @ x, "w:fp32[F,D], x:fp32[D]", {"fp32": "2 D F"}, "4 D F + 4 D + 4 F"),
    Case("outer", lambda x, y: jnp.outer(x, y), "x:fp32[M], y:fp32[N]", {V: "M N"}, "4 M + 4 N + 4 M N"),
    Case("dot", lambda x, y: x @ y, "x:fp32[N], y:fp32[N]", {"fp32": "2 N"}, "8 N + 4"),
    Case("batched", lambda x, y: x @ y, "x:bf16[n,B,D], y:bf16[n,D,F]", {"bf16": "2 n B D F"},
         "2 n B D + 2 n D F + 2 n B F"),
    Case("vmap", jax.vmap(lambda x, w: w @ x, (0, None)), "x:bf16[B,D], w:bf16[F,D]", {"bf16": MM}, MB),
    Case("transposed", lambda x, w: x @ w.T, "x:bf16[B,D], w:bf16[F,D]", {"bf16": MM}, MB),
    Case("chain", lambda x, a, b: (x @ a) @ b, "x:bf16[B,D], a:bf16[D,r], b:bf16[r,F]",
         {"bf16": "2 B D r + 2 B r F"}, "2 B D + 2 D r + 2 r F + 2 B F"),
    Case("lora", lora, "x:bf16[B,D], w:bf16[D,F], a:bf16[D,r], b:bf16[r,F]",
         {"bf16": "2 B D F + 2 B D r + 2 B r F", V: "B F"}, "2 B D + 2 D F + 2 D r + 2 r F + 2 B F"),
    Case("int4-weights", int4_matmul, "x:bf16[B,G,n], q:int4[G,n,F], scale:bf16[G,F], zero:bf16[G,F]",
         {"bf16": "2 B F G n", V: "2 F G n"}, "2 B G n + F G n / 2 + 4 F G + 2 B F"),
    Case("captured", lambda x: x @ W, "x:bf16[B,128]", {"bf16": "16384 B"}, "256 B + 16384 + 128 B"),
    Case("row-scale", lambda x, s: jnp.einsum("bd,b->bd", x, s), "x:bf16[B,D], s:bf16[B]", {V: "B D"}, "4 B D + 2 B"),
    Case("moe-dense", moe_dense, "x:bf16[B,D], w:bf16[e,D,F], gate:bf16[B,e]", {"bf16": "2 B D F e + 2 B F e"},
         "2 B D + 2 D F e + 2 B e + 2 B F"),
    Case("ragged", lambda x, w, n: lax.ragged_dot(x, w, n), "x:bf16[T,D], w:bf16[4,D,F], n:int32[4]",
         {"bf16": "2 T D F"}, "2 T D + 8 D F + 16 + 2 T F"),
    # attention and networks
    Case("attention", attention, "q:bf16[B,L,h,k], k:bf16[B,S,h,k], v:bf16[B,S,h,k]",
         {"bf16": "4 B L S h k", E: "B L S h", V: "4 B L S h - B L h"}, "4 B L h k + 4 B S h k"),
    Case("flash", flash, "q:bf16[B,L,h,k], k:bf16[B,S,h,k], v:bf16[B,S,h,k]",
         {"bf16": "4 B L S h k", E: "B L S h", V: "4 B L S h - B L h"}, "4 B L h k + 4 B S h k"),
    Case("causal", causal, "q:bf16[B,L,h,k], k:bf16[B,L,h,k], v:bf16[B,L,h,k]",
         {"bf16": "4 B L^2 h k", E: "B L^2 h", V: "5 B L^2 h - B L h"}, "8 B L h k"),
    Case("grouped-attention", grouped_attention, "q:bf16[B,L,g,r,k], k:bf16[B,S,g,k], v:bf16[B,S,g,k]",
         {"bf16": "4 B L S g r k"}, "4 B L g r k + 4 B S g k"),
    Case("decode", decode, "q:bf16[B,k], k:bf16[B,S,k], v:bf16[B,S,k], new:bf16[B,1,k], at:int32[]",
         {"bf16": "4 B S k"}, "2 B k + 4 B S k + 2 B k + 4 + 2 B k + 2 B k"),
    Case("rotary", rotary, "x:fp32[T,h,k], cos:fp32[T,1,k/2], sin:fp32[T,1,k/2]", {V: "3 T h k"}, "8 T h k + 4 T k"),
    Case("swiglu", swiglu, "x:bf16[B,D], w_gate:bf16[D,F], w_up:bf16[D,F], w_down:bf16[F,D]",
         {"bf16": "6 B D F", E: "B F", V: "2 B F"}, "4 B D + 6 D F"),
    Case("softmax", nn.softmax, "x:bf16[B,N]", {E: "B N", V: "4 B N - B"}, "4 B N"),
    Case("log-softmax", nn.log_softmax, "x:fp32[B,N]", {E: "B N + B", V: "4 B N - B"}, "8 B N"),
    Case("rms-norm", rms_norm, "x:bf16[B,D], w:bf16[D]", {E: "B", V: "4 B D + B"}, "4 B D + 2 D"),
    Case("layer-norm", layer_norm, "x:fp32[B,D], w:fp32[D], b:fp32[D]", {E: "B", V: "7 B D + B"}, "8 B D + 8 D"),
    Case("batch-norm", batch_norm, "x:fp32[B,D], scale:fp32[D], shift:fp32[D]", {E: "D", V: "7 B D + 2 D"},
         "8 B D + 8 D"),
    Case("relu", nn.relu, "x:bf16[N]", {V: "N"}, "4 N"),
    Case("gelu-erf", partial(nn.gelu, approximate=False), "x:fp32[N]", {E: "N", V: "4 N"}, "8 N"),
    Case("silu", nn.silu, "x:bf16[N]", {E: "N", V: "N"}, "4 N"),
    Case("cross-entropy", cross_entropy, "logits:fp32[B,N], labels:int32[B]", {E: "B N + B", V: "3 B N + 5 B - 1"},
         "4 B N + 4 B + 4"),
    Case("embedding", lambda t, i: jnp.take(t, i, axis=0), "t:bf16[V,D], i:int32[T]", {}, "4 T D + 4 T", "T <= V"),
    Case("embedding-bag", embedding_bag, "table:fp32[1000,D], ids:int32[B,4]", {V: "3 B D"},
         "16 B + 4 B D + 16 D min(B, 250)"),
    Case("block", block, BLOCK, {
        "bf16": "4 B L d g r k + 4 B L d g k + 4 B L^2 g r k + 6 B L d F",
        E: "2 B L + B L^2 g r + B L F + L k + L k + k",  # two roots, scores, gates, angles of q and k and their rates
        V: "10 B L d + 2 B L + 3 B L g r k + 3 B L g k + 5 B L^2 g r - B L g r + 2 B L F + L k + 2 k",
    }, "4 B L d + 4 d g r k + 4 d g k + 6 d F + 4 d", "k even"),
    # loops
    Case("layers", layers, "x:bf16[B,D], w:bf16[N,D,D]", {"bf16": "2 N B D^2", E: "N B D"}, "4 B D + 2 N D^2"),
    Case("rnn", rnn, "h:bf16[B,D], x:bf16[N,B,I], w:bf16[D,D], u:bf16[I,D]",
         {"bf16": "2 N B D^2 + 2 N B D I", V: "N B D", E: "N B D"}, "2 B D + 2 N B I + 2 D^2 + 2 I D + 2 N B D"),
    Case("nested-scan", nested_scan, "x:bf16[B,D], w:bf16[N,D,D]", {"bf16": "6 N B D^2"}, "4 B D + 2 N D^2"),
    Case("fori", lambda x: lax.fori_loop(0, x.shape[1], lambda i, a: a + x[:, i], jnp.zeros_like(x[:, 0])),
         "x:fp32[B,L,D]", {V: "B L D"}, "4 B L D + 4 B D"),
    Case("cache-in-a-loop", lambda c, u: lax.fori_loop(0, u.shape[0], lambda i, c: c.at[i].set(2 * u[i]), c),
         "c:fp32[S,D], u:fp32[S,D]", {V: "S D"}, "8 S D"),
    Case("two-carries", lambda a, b: lax.fori_loop(0, 8, lambda i, c: (c[1], c[0] + c[1]), (a, b)),
         "a:fp32[N], b:fp32[N]", {V: "8 N"}, "16 N"),
    # gradients
    Case("grad", jax.grad(mlp_loss, (0, 1)), "w1:bf16[D,F], w2:bf16[F,D], x:bf16[B,D]",
         {"bf16": "10 B D F", V: "3 B F + 2 B D"}, "2 B D + 8 D F"),
    Case("value-and-grad", jax.value_and_grad(lambda w, x: jnp.sum(x @ w)), "w:fp32[D,F], x:fp32[B,D]",
         {"fp32": "4 B D F", V: "B F - 1"}, "4 B D + 8 D F + 4"),
    Case("remat", jax.grad(lambda w, v, x: jnp.sum(jax.checkpoint(lambda h: jnp.sin(h @ v) @ v)(jnp.sin(x @ w))), 0),
         "w:fp32[D,D], v:fp32[D,D], x:fp32[B,D]", {"fp32": "10 B D^2", E: "3 B D", V: "2 B D"}, "4 B D + 12 D^2"),
    Case("scan-grad", jax.grad(lambda w, x: jnp.sum(layers(x, w))), "w:fp32[N,D,D], x:fp32[B,D]",
         {"fp32": "6 N B D^2", E: "N B D", V: "4 N B D"}, "8 N D^2 + 4 B D"),
    # elementwise, reductions, movement
    Case("axpy", lambda x, y: 2.0 * x + y, "x:fp32[N], y:fp32[N]", {V: "2 N"}, "12 N"),
    Case("fp64", lambda x, y: x * y, "x:fp64[N], y:fp64[N]", {"fp64-vector": "N"}, "24 N"),
    Case("power", lambda x: x**5, "x:fp32[N]", {V: "3 N"}, "8 N"),
    Case("sum", lambda x: jnp.sum(x, 1), "x:fp32[B,N]", {V: "B N - B"}, "4 B N + 4 B"),
    Case("mean-square", lambda x: jnp.mean(x * x), "x:fp32[B,N]", {V: "2 B N"}, "4 B N + 4"),
    Case("argmax", lambda x: jnp.argmax(x, 1), "x:fp32[B,N]", {V: "B N - B"}, "4 B N + 4 B"),
    Case("cumsum", lambda x: jnp.cumsum(x, 1), "x:fp32[B,N]", {V: "B N - B"}, "8 B N"),
    Case("variance", lambda x: jnp.sum((x - jnp.sum(x) / 2) ** 2), "x:fp32[N]", {V: "4 N - 1"}, "4 N + 4"),
    Case("where", lambda p, x, y: jnp.where(p, x, y), "p:bool[N], x:fp32[N], y:fp32[N]", {V: "N"}, "13 N"),
    Case("clip", lambda x: jnp.clip(x, -1.0, 1.0), "x:fp32[N]", {V: "2 N"}, "8 N"),
    Case("stencil", stencil, "x:fp32[M,N]", {V: "4 M N"}, "8 M N", "M >= 2; N >= 2"),
    Case("transpose", lambda x: x.T, "x:bf16[M,N]", {}, "4 M N"),
    Case("unchanged", lambda x, y: (x, y + 1), "x:fp32[N], y:fp32[N]", {V: "N"}, "8 N"),
    Case("reshape", lambda x: x.reshape(-1), "x:fp32[M,N]", {}, "0"),
    Case("cast", lambda x: x.astype(jnp.bfloat16), "x:fp32[N]", {}, "6 N"),
    Case("stack", lambda x, y: jnp.stack([x, y]), "x:fp32[N], y:fp32[N]", {}, "16 N"),
    Case("pad", lambda x: jnp.pad(x, ((1, 1), (0, 0))), "x:fp32[M,N]", {}, "8 M N + 8 N"),
    Case("broadcast", lambda x: jnp.broadcast_to(x, (7, x.shape[0])), "x:fp32[N]", {}, "32 N"),
    Case("half", lambda x: x[:, : x.shape[1] // 2] * 2, "x:fp32[M,N]", {V: "M N / 2"}, "4 M N", "N even"),
    Case("zeros", lambda x: jnp.zeros_like(x), "x:fp32[N]", {}, "4 N"),
    Case("dead", lambda x, w: (x @ w, x + 1)[1], "x:fp32[N,N], w:fp32[N,N]", {V: "N^2"}, "8 N^2"),
    Case("scatter-add", lambda x, i, u: x.at[i].add(u), "x:fp32[V,D], i:int32[T], u:fp32[T,D]", {V: "T D"},
         "12 T D + 4 T", "T <= V"),
    Case("sort", lambda x: jnp.sort(x, -1), "x:fp32[B,N]", {}, "8 B N"),
    Case("top-k", lambda x: lax.top_k(x, 2)[0], "x:fp32[B,64]", {}, "256 B + 8 B"),
    Case("dropout", lambda x, key: jnp.where(jax.random.bernoulli(jax.random.wrap_key_data(key), 0.5, x.shape), x, 0.0),
         "x:fp32[N], key:uint32[2]", {V: "6 N", I: "121 N / 2"}, "8 N + 8"),
    # convolutions, transforms, updates of weights
    Case("convolution", partial(conv, window_strides=(1, 1)), "x:fp32[N,P,Q,C], w:fp32[3,3,C,K]",
         {"fp32": "18 N C K (P - 2) (Q - 2)"},
         "4 N P Q C + 36 C K + 4 N K (P - 2) (Q - 2)", "P >= 3; Q >= 3"),
    Case("depthwise", lambda x, w: conv(x, w, window_strides=(1, 1), feature_group_count=8),
         "x:fp32[N,P,P,8], w:fp32[3,3,1,8]", {"fp32": "144 N (P - 2)^2"},
         "32 N P^2 + 288 + 32 N (P - 2)^2", "P >= 3"),
    Case("pool", pool, "x:fp32[N,2*P,2*Q,C]", {V: "3 N P Q C"}, "20 N P Q C"),
    Case("momentum", momentum, "w:fp32[N], m:fp32[N], g:fp32[N]", {V: "4 N"}, "20 N"),
    Case("adam", adam, "w:fp32[N], m:fp32[N], v:fp32[N], g:fp32[N]", {V: "11 N", E: "N"}, "28 N"),
    Case("ssd-chunk", ssd_chunk, "a:bf16[L,n], b:bf16[L,n], x:bf16[L,p]", {"bf16": "2 L^2 n + 2 L^2 p", V: "L^2"},
         "4 L n + 4 L p"),
]  # fmt: skip
