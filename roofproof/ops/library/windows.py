"""Attention over part of the pairs, or without pairs: windows, cached prefixes, latent heads, linear attention.

L new tokens, S keys, h heads of size k, values of size v. FLOPs are those of the products, as for the full one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sympy import Eq, Expr, Le, Mod

from roofproof.ops.combine import at, backward, fuse, then
from roofproof.ops.library._entry import Entry, Format
from roofproof.ops.library.attention import DAO, DAO2, DEEPSEEK, flash_attention
from roofproof.ops.notation.typed_einsum import einsum
from roofproof.ops.operation import Operation, one_kernel
from roofproof.ops.tensor import Tensor
from roofproof.symbols import dimension

BELTAGY = "Beltagy et al., Longformer (2020), section 3.1"
KATHAROPOULOS = "Katharopoulos et al., Transformers are RNNs (2020), section 3.4"
DAO_GU = "Dao, Gu, Transformers are SSMs (2024), section 6"


def _pairs(name: str, pairs: Expr, x: str, source: str, *conditions: Any) -> Operation:
    """A kernel over L queries and S keys in which so many pairs of each head are computed: 4 k FLOPs each."""
    h, L, S, k = map(dimension, "hLSk")
    keys = S if S in pairs.free_symbols else L
    return one_kernel(
        name,
        work={x: (4 * h * k * pairs).expand()},
        reads=(Tensor("q", (h, L, k), x), Tensor("keys", (h, keys, k), x), Tensor("values", (h, keys, k), x)),
        writes=(Tensor("o", (h, L, k), x),),
        again={x: (2 * h * k * pairs).expand()},
        source=source,
        convention="2 FLOPs per multiply-add; only the pairs that the mask leaves; every key read once",
        conditions=conditions,
    )


def sliding_window(x: Format = "bf16") -> Operation:
    """Each of L tokens sees the last W of those up to it, itself among them: W L - W (W - 1)/2 pairs.

    >>> sliding_window().flops.factor()                        # 4 k a pair and head; W = L is the causal one
    2*W*h*k*(2*L - W + 1)
    """
    L, W = dimension("L"), dimension("W")
    return _pairs("sliding-window-attention", W * L - W * (W - 1) / 2, x, BELTAGY, Le(W, L))


def cached_prefix(x: Format = "bf16") -> Operation:
    """L new tokens at the end of S keys, each seeing those up to itself: L S - L (L - 1)/2 pairs, for L <= S.

    >>> cached_prefix().flops.factor()                         # 4 k a pair and head; L = S is the causal one
    -2*L*h*k*(L - 2*S - 1)
    """
    L, S = dimension("L"), dimension("S")
    return _pairs("chunked-prefill-attention", L * S - L * (L - 1) / 2, x, DAO, Le(L, S))


def latent_prefill(x: Format = "bf16") -> Operation:
    """Attention of MLA over many tokens: the latent cache expanded to heads, keys of k + p numbers, values of v.

    >>> latent_prefill().flops.factor()                        # 2 L c h (k + v) to expand; scores and sum of each pair
    2*L*h*(L*k + L*p + L*v + c*k + c*v)
    """
    up = einsum(f"latent:{x}[L,c], w_k_up:{x}[c,h,k] -> expanded:{x}[L,h,k]", "keys up")
    values_up = einsum(f"latent:{x}[L,c], w_v_up:{x}[c,h,v] -> values:{x}[h,L,v]", "values up")
    scores = einsum(f"q:{x}[h,L,e], keys:{x}[h,S,e] -> s:{x}[h,L,S]", "scores")
    values = einsum(f"s:{x}[h,L,S], values:{x}[h,S,v] -> o:{x}[h,L,v]", "sum")
    core = at(fuse(scores, values, "s"), S="L", e=dimension("k") + dimension("p"))
    every = then(up, values_up, core, name="latent-prefill", source=DEEPSEEK)
    return replace(every, convention="2 FLOPs per multiply-add; expanded keys and values written and read once")


def linear_attention(x: Format = "bf16") -> Operation:
    """A state of k by v numbers a head, to which each token adds key times value, and which its query reads.

    >>> linear_attention().flops                               # 2 k v to add, 2 k v to read, for each of L tokens
    4*L*h*k*v
    """
    h, L, k, v = map(dimension, "hLkv")
    return one_kernel(
        "linear-attention",
        work={x: 4 * L * h * k * v},
        reads=(Tensor("q", (h, L, k), x), Tensor("keys", (h, L, k), x), Tensor("values", (h, L, v), x)),
        writes=(Tensor("o", (h, L, v), x),),
        source=KATHAROPOULOS,
        convention="2 FLOPs per multiply-add; the state stays on chip; feature maps not counted",
    )


def ssd(x: Format = "bf16") -> Operation:
    """State-space duality in chunks of c tokens: pairs within a chunk as attention, a state of k by v between chunks.

    >>> ssd().flops.factor()                                   # L c (2k + 2v) within, 2 L k v to the state and from it
    2*L*h*(c*k + c*v + 2*k*v)
    """
    found, c, L = linear_attention(x), dimension("c"), dimension("L")
    h, k, v = map(dimension, "hkv")
    within = 2 * L * c * h * (k + v)
    return replace(
        found.as_one_kernel(work={x: found.flops + within}),
        name="ssd",
        source=DAO_GU,
        convention="2 FLOPs per multiply-add; every pair of a chunk; decays not counted; states stay on chip",
        conditions=(Eq(Mod(L, c), 0),),
    )


def flash_backward(x: Format = "bf16") -> Operation:
    """Backward pass of attention in one kernel: scores again, and two products for each of the two (five in all).

    It reads q, keys, values, the output and its gradient, and a number in fp32 for each row of scores, and writes three
    gradients: 8 arrays of 2 h L k bytes, and 4 h L.

    >>> flash_backward().flops / flash_attention().flops
    5/2
    >>> flash_backward().bytes().expand()
    16*L*h*k + 4*L*h
    """
    return replace(backward(flash_attention(x)), name="flash-attention-backward", source=DAO2)


def _attend(meter: Any, h: int, L: int, S: int, k: int, seen: Any) -> None:
    q, keys, values = (meter.array(n, h, size, k) for n, size in (("q", L), ("keys", S), ("values", S)))
    o = meter.result("o", h, L, k)
    for head in range(h):
        for i in range(L):
            found = [(j, _dot(q, keys, head, i, j, k)) for j in seen(i)]
            for e in range(k):
                total = found[0][1] * 0
                meter.flops["multiply"] -= 1
                for j, score in found:
                    total = total + score * values[head, j, e]
                o[head, i, e] = total


def _dot(q: Any, keys: Any, head: int, i: int, j: int, k: int) -> Any:
    total = q[head, i, 0] * keys[head, j, 0]
    total = total + 0
    for e in range(1, k):
        total = total + q[head, i, e] * keys[head, j, e]
    return total


def count_window(meter: Any, h: int, L: int, k: int, W: int) -> None:
    """Score and sum over the last W tokens."""
    _attend(meter, h, L, L, k, lambda i: range(max(0, i - W + 1), i + 1))


def count_prefix(meter: Any, h: int, L: int, S: int, k: int) -> None:
    """Score and sum over all keys up to a token's own."""
    _attend(meter, h, L, S, k, lambda i: range(S - L + i + 1))


def count_state(meter: Any, h: int, L: int, k: int, v: int) -> None:
    """Add key times value to the state, and read it with the query."""
    q, keys, values = meter.array("q", h, L, k), meter.array("keys", h, L, k), meter.array("values", h, L, v)
    o = meter.result("o", h, L, v)
    for head in range(h):
        state: dict[tuple[int, int], Any] = {}
        for t in range(L):
            out: list[Any] = [0] * v
            for a in range(k):
                for b in range(v):
                    new = keys[head, t, a] * values[head, t, b]
                    state[a, b] = new + (state[a, b] if t else 0)
                    read = q[head, t, a] * state[a, b]
                    out[b] = read + out[b]
            for b in range(v):
                o[head, t, b] = out[b]


WINDOWS = ({"h": 2, "L": 4, "k": 2, "W": 2}, {"h": 1, "L": 3, "k": 1, "W": 3}, {"h": 1, "L": 1, "k": 2, "W": 1})
PREFIXES = ({"h": 2, "L": 2, "S": 4, "k": 2}, {"h": 1, "L": 3, "S": 3, "k": 1})
STATES = ({"h": 2, "L": 3, "k": 2, "v": 3}, {"h": 1, "L": 1, "k": 1, "v": 1})
ENTRIES = (
    Entry(
        "sliding-window-attention",
        sliding_window,
        "each token with the W before it, in one kernel",
        BELTAGY,
        count=count_window,
        tried=WINDOWS,
        sizes="h: heads, L: sequence, k: head width, W: window",
    ),
    Entry(
        "chunked-prefill-attention",
        cached_prefix,
        "L new tokens after a cache, each with those up to it",
        DAO,
        count=count_prefix,
        tried=PREFIXES,
        sizes="h: heads, L: sequence, k: head width, S: sequence",
    ),
    Entry(
        "latent-prefill",
        latent_prefill,
        "MLA over many tokens, the latent cache expanded to heads",
        DEEPSEEK,
        sizes="L: sequence, c: latent width, h: heads = 128, k: head width, v: head width, p: rotary width",
        kernel="latent w_k_up w_v_up q -> o",
    ),
    Entry(
        "linear-attention",
        linear_attention,
        "a state of k by v a head in place of pairs",
        KATHAROPOULOS,
        count=count_state,
        tried=STATES,
        sizes="h: heads, L: sequence, k: head width, v: head width",
    ),
    Entry(
        "ssd",
        ssd,
        "state-space duality in chunks (Mamba-2)",
        DAO_GU,
        sizes="h: heads, L: sequence, k: state width, v: head width, c: chunk",
    ),
    Entry(
        "flash-attention-backward",
        flash_backward,
        "gradients of attention in one kernel, scores again",
        DAO2,
        sizes="h: heads, L: sequence, k: head width",
    ),
)
