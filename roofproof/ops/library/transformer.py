"""Feed-forward networks, plain, gated and of experts; attention of a layer; a transformer layer.

B or L tokens, d or D model width, h heads, F hidden width. FLOPs are those of the matrix products; softmax,
norms, activation functions and gates are not counted, as in the sources.
"""

from __future__ import annotations

from dataclasses import replace

from sympy import Expr, Integer

from roofproof.ops.combine import at, then
from roofproof.ops.library._entry import Entry, Format, OwnFormat
from roofproof.ops.library._experts import experts_read, lower_bound, routed, touched_text
from roofproof.ops.library.attention import attention_core
from roofproof.ops.notation.typed_einsum import einsum
from roofproof.ops.operation import Operation, one_kernel
from roofproof.ops.tensor import Tensor
from roofproof.symbols import dimension

VASWANI = "Vaswani et al., Attention Is All You Need (2017), section 3"
SHAZEER = "Shazeer, GLU Variants Improve Transformer (2020)"
SHAZEER_MOE = "Shazeer et al., Outrageously Large Neural Networks (2017), section 2"


def ffn(x: Format = "bf16", w: OwnFormat = None) -> Operation:
    """Feed-forward network of two matrices, in sequence; 16 B D^2 FLOPs where F = 4 D.

    >>> ffn().flops
    4*B*D*F
    """
    w = w or x
    up = einsum(f"x:{x}[B,D], w_up:{w}[D,F] -> h:{x}[B,F] @ {x}", "up", source=VASWANI)
    down = einsum(f"h:{x}[B,F], w_down:{w}[F,D] -> y:{x}[B,D] @ {x}", "down", source=VASWANI)
    return then(up, down, name="ffn")


def gated_ffn(x: Format = "bf16", w: OwnFormat = None) -> Operation:
    """Gated feed-forward network (SwiGLU): three matrices, the first two in one kernel that applies the gate.

    >>> gated_ffn().flops
    6*B*D*F
    """
    both, down = gate_and_up(x, w or x), ffn(x, w).parts[1]
    return replace(then(both, down, name="gated-ffn"), source=SHAZEER)


def gate_and_up(x: str, w: str, gate: str = "w_gate", up: str = "w_up") -> Operation:
    """Return two products of one input in one kernel that applies the gate: they have one result."""
    one, other = (einsum(f"x:{x}[B,D], {name}:{w}[D,F] -> h:{x}[B,F] @ {x}", name) for name in (gate, up))
    loops = tuple(other.writes[0].shape)  # over D both sums are partial, and h is no sum of products
    reads = (*other.reads, one.reads[1])
    return then(one, other, name="gate and up").as_one_kernel(reads=reads, writes=other.writes, loops=loops)


def mixture_of_experts(x: Format = "bf16", w: OwnFormat = None, touched: str | int = "most") -> Operation:
    """For each of B tokens, k of E gated networks of width F, chosen by a router of one matrix.

    `touched` says of how many experts the weights are read, as in `experts_read`: `most`, min(E, k B), which is k at
    one token and E at many; the `expected` number; the `least`, k, for floors; `all` E; or a number.

    >>> op = mixture_of_experts()
    >>> op.flops                                               # k networks of 6BDF, and the router
    2*B*D*E + 6*B*D*F*k
    >>> [t.times for t in mixture_of_experts(touched="least").reads if t.name == "w_down"]
    [k/E]
    """
    w = w or x
    B, D, F, E, k = map(dimension, "BDFEk")
    router = einsum(f"x:{x}[B,D], w_router:{w}[D,E] -> scores:{x}[B,E] @ {x}", "router")
    every = then(router, expert_kernels(x, w, touched), name="mixture-of-experts", source=SHAZEER_MOE)
    convention = "2 FLOPs per multiply-add; a token is read by each of its experts, whose sum is written once"
    return replace(every, convention=f"{convention}; {touched_text(touched)}", dims=(B, D, F, E, k))


def expert_kernels(
    x: str,
    w: str,
    touched: str | int,
    *,
    matrices: int = 3,
    bias: Expr = Integer(0),  # noqa: B008  (never changes)
) -> Operation:
    """Return the kernels of k of E experts for each of B tokens, with a gate if they have three matrices.

    `bias` are the numbers that each expert has beside its matrices.
    """
    B, D, F, E, k = map(dimension, "BDFEk")
    share = experts_read(touched) / E
    token, hidden = Tensor("x", (B, D), x, k), Tensor("h", (B, k, F), x)
    into = ("w_gate", "w_up") if matrices == 3 else ("w_up",)
    first = one_kernel(
        "experts' gate and up" if matrices == 3 else "experts' up",
        {x: 2 * len(into) * B * D * F * k},
        reads=(token, *(Tensor(name, (E, D, F), w, share) for name in into)),
        writes=(hidden,),
        loops=(B, F),
    )
    second = one_kernel(
        "experts' down",
        {x: 2 * B * D * F * k},
        reads=(hidden, Tensor("w_down", (E, F, D), w, share)),
        writes=(Tensor("y", (B, D), x),),
        loops=(B, D, F),
    )
    kernels = [first, second]
    if bias != 0:
        kernels.append(one_kernel("biases of experts", reads=(Tensor("w_bias_experts", (E, bias), w, share),)))
    every = then(*kernels, name="experts")
    return replace(every, conditions=routed(touched), lower_bound=lower_bound(touched))


def attention(x: Format = "bf16", w: OwnFormat = None) -> Operation:
    """Attention of a layer over L tokens: projections, scores and weighted sum, output projection.

    >>> attention().flops.expand()                             # 6 L d d + 4 L L d + 2 L d d
    4*L**2*d + 8*L*d**2
    """
    w = w or x
    qkv = einsum(f"x:{x}[L,d], w_qkv:{w}[d,3*e] -> qkv:{x}[L,3*e] @ {x}", "qkv", source=VASWANI)
    out = einsum(f"o:{x}[L,d], w_o:{w}[d,e] -> y:{x}[L,e] @ {x}", "output", source=VASWANI)
    core = at(attention_core(x, 0), k=dimension("d") / dimension("h"))
    return then(at(qkv, e="d"), core, at(out, e="d"), name="attention", source=VASWANI)


def transformer_layer(x: Format = "bf16", w: OwnFormat = None) -> Operation:
    """A layer over L tokens: attention, then the feed-forward network with F = 4 d.

    >>> layer = transformer_layer()
    >>> (attention().flops / layer.flops).simplify()           # attention's share of the FLOPs
    (L + 2*d)/(L + 6*d)
    """
    network = at(ffn(x, w), B="L", D="d", F=4 * dimension("d"))
    return then(attention(x, w), network, name="transformer-layer", source=VASWANI)


ENTRIES = (
    Entry(
        "ffn",
        ffn,
        "feed-forward network of two matrices",
        VASWANI,
        sizes="B: batch, D: width, F: width",
        kernel="x w_up w_down -> y",
    ),
    Entry(
        "gated-ffn",
        gated_ffn,
        "feed-forward network with a gate (SwiGLU)",
        SHAZEER,
        sizes="B: batch, D: width, F: width",
        kernel="x w_up w_gate w_down -> y",
    ),
    Entry(
        "mixture-of-experts",
        mixture_of_experts,
        "k of E gated networks for each token",
        SHAZEER_MOE,
        sizes="B: batch, D: width, F: width, E: experts, k: experts a token, touched: experts",
        kernel="x w_router w_gate w_up w_down -> y",
    ),
    Entry(
        "attention",
        attention,
        "attention of a layer, projections and all",
        VASWANI,
        sizes="L: sequence, d: width, h: heads",
        kernel="x w_qkv w_o -> y",
    ),
    Entry(
        "transformer-layer",
        transformer_layer,
        "attention and feed-forward network, F = 4 d",
        VASWANI,
        sizes="L: sequence, d: width, h: heads",
        kernel="x w_qkv w_o w_up w_down -> y",
    ),
)
