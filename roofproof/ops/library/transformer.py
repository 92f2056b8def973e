"""Attention, feed-forward networks and a transformer layer, composed from einsums.

L query tokens, S keys, d model width, h heads, g groups of keys and values, r = h/g heads a group, k head
size, F hidden width. FLOPs are those of the matrix products; softmax and norms are not counted, as in the
sources.
"""

from __future__ import annotations

from dataclasses import replace

from sympy import Integer

from roofproof.ops.algebra import at, fuse, then
from roofproof.ops.library._entry import Entry, whole
from roofproof.ops.notation import einsum
from roofproof.ops.operation import Operation
from roofproof.ops.tensor import Tensor
from roofproof.symbols import dimension

Format = str  # a number format by name; the annotation tells which arguments are formats

VASWANI = "Vaswani et al., Attention Is All You Need (2017), section 3"
DAO = "Dao et al., FlashAttention (2022), section 3"
AINSLIE = "Ainslie et al., GQA (2023), section 2"
SHAZEER = "Shazeer, GLU Variants Improve Transformer (2020)"


def attention_core(x: Format = "bf16", passes: str | int = 4) -> Operation:
    """Scores and weighted sum of h heads over L tokens, the score matrix moved `passes` times.

    Four passes: written, read by the softmax, written by it, read again. No pass is the ideal fused kernel.

    >>> op = attention_core()
    >>> op.flops                                               # 2 L L k and 2 L L k, h times
    4*L**2*h*k
    >>> (op.flops / op.bytes()).simplify()                     # 1/(2/L + 2/k)
    L*k/(2*(L + k))
    """
    count = whole(passes, "passes")
    scores = einsum(f"q:{x}[h,L,k], keys:{x}[h,S,k] -> s:{x}[h,L,S]", "scores", source=VASWANI)
    values = einsum(f"s:{x}[h,L,S], values:{x}[h,S,k] -> o:{x}[h,L,k]", "weighted sum", source=VASWANI)
    core = fuse(scores, values, "s")
    if count:
        matrix = scores.writes[0]
        core = replace(
            core,
            reads=(*core.reads, replace(matrix, times=Integer(count // 2))),
            writes=(*core.writes, replace(matrix, times=Integer(count - count // 2))),
        )
    return replace(at(core, S="L"), name="attention-core")


def flash_attention(x: Format = "bf16", block: str = "") -> Operation:
    """Attention in one kernel; with a `block` of queries, keys and values are read again for each.

    >>> op = flash_attention()
    >>> op.flops / op.bytes()                                  # 4 L L k over 4 times 2 L k bytes
    L/2
    >>> flash_attention(block="b").bytes().expand()            # keys and values once for each of L/b blocks
    4*L**2*h*k/b + 4*L*h*k
    """
    core = attention_core(x, 0)
    if block:
        turns = dimension("L") / (Integer(whole(block, "block")) if block.isdigit() else dimension(block))
        core = replace(core, reads=tuple(replace(t, times=turns) if t.name != "q" else t for t in core.reads))
    return replace(core, name="flash-attention", source=DAO)


def decode_attention(x: Format = "bf16", cache: Format | None = None) -> Operation:
    """One new token of each of B sequences against S cached ones: g groups of r heads share keys and values.

    >>> op = decode_attention()
    >>> (op.flops / op.bytes()).simplify()                     # GQA: r S/(S + r); MHA is r = 1
    S*r/(S + r)
    """
    kv = cache or x
    scores = einsum(f"q:{x}[B,g,r,k], keys:{kv}[B,g,S,k] -> s:{x}[B,g,r,S] @ {x}", "scores", source=AINSLIE)
    values = einsum(f"s:{x}[B,g,r,S], values:{kv}[B,g,S,k] -> o:{x}[B,g,r,k] @ {x}", "sum", source=AINSLIE)
    return replace(fuse(scores, values, "s"), name="decode-attention")


def kv_cache(x: Format = "bf16") -> Operation:
    """Keys and values of S tokens in N layers, read once: 2 N S g k elements a sequence.

    >>> kv_cache().bytes()                                     # 2 tensors of 2 bytes
    4*B*N*S*g*k
    """
    shape = tuple(dimension(name) for name in ("B", "N", "S", "g", "k"))
    return Operation("kv-cache", reads=(Tensor("keys", shape, x), Tensor("values", shape, x)), source=AINSLIE)


def ffn(x: Format = "bf16", w: Format | None = None) -> Operation:
    """Feed-forward network of two matrices, in sequence; 16 B D^2 FLOPs where F = 4 D.

    >>> ffn().flops
    4*B*D*F
    """
    w = w or x
    up = einsum(f"x:{x}[B,D], w_up:{w}[D,F] -> h:{x}[B,F] @ {x}", "up", source=VASWANI)
    down = einsum(f"h:{x}[B,F], w_down:{w}[F,D] -> y:{x}[B,D] @ {x}", "down", source=VASWANI)
    return then(up, down, name="ffn")


def gated_ffn(x: Format = "bf16", w: Format | None = None) -> Operation:
    """Gated feed-forward network (SwiGLU): three matrices; the product with the gate is not counted.

    >>> gated_ffn().flops
    6*B*D*F
    """
    w = w or x
    gate = einsum(f"x:{x}[B,D], w_gate:{w}[D,F] -> g:{x}[B,F] @ {x}", "gate", source=SHAZEER)
    return replace(then(gate, *ffn(x, w).parts, name="gated-ffn"), source=SHAZEER)


def attention(x: Format = "bf16", w: Format | None = None) -> Operation:
    """Attention of a layer over L tokens: projections, scores and weighted sum, output projection.

    >>> attention().flops.expand()                             # 6 L d d + 4 L L d + 2 L d d
    4*L**2*d + 8*L*d**2
    """
    w = w or x
    qkv = einsum(f"x:{x}[L,d], w_qkv:{w}[d,3*e] -> qkv:{x}[L,3*e] @ {x}", "qkv", source=VASWANI)
    out = einsum(f"o:{x}[L,d], w_o:{w}[d,e] -> y:{x}[L,e] @ {x}", "output", source=VASWANI)
    core = at(attention_core(x, 0), k=dimension("d") / dimension("h"))
    return then(at(qkv, e="d"), core, at(out, e="d"), name="attention", source=VASWANI)


def transformer_layer(x: Format = "bf16", w: Format | None = None) -> Operation:
    """A layer over L tokens: attention, then the feed-forward network with F = 4 d.

    >>> layer = transformer_layer()
    >>> (attention().flops / layer.flops).simplify()           # attention's share of the FLOPs
    (L + 2*d)/(L + 6*d)
    """
    network = at(ffn(x, w), B="L", D="d", F=4 * dimension("d"))
    return then(attention(x, w), network, name="transformer-layer", source=VASWANI)


ENTRIES = (
    Entry("attention-core", attention_core, "scores and weighted sum, unfused (passes over the scores)", VASWANI),
    Entry("flash-attention", flash_attention, "scores and weighted sum in one kernel", DAO),
    Entry("decode-attention", decode_attention, "one new token against a cache of S, grouped heads", AINSLIE),
    Entry("kv-cache", kv_cache, "keys and values of every layer, read once", AINSLIE),
    Entry("ffn", ffn, "feed-forward network of two matrices", VASWANI),
    Entry("gated-ffn", gated_ffn, "feed-forward network with a gate (SwiGLU)", SHAZEER),
    Entry("attention", attention, "attention of a layer, projections and all", VASWANI),
    Entry("transformer-layer", transformer_layer, "attention and feed-forward network, F = 4 d", VASWANI),
)
