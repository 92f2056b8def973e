"""Feed-forward networks (plain, gated, with experts), the attention of a layer, and a transformer layer.

B or L tokens, d or D model width, h heads, F hidden width. FLOPs are those of the matrix products. As in the
sources, softmax, norms, activation functions and gates are not counted.
"""

from __future__ import annotations

from dataclasses import replace

from sympy import Expr, Integer, Le, Min
from sympy.logic.boolalg import Boolean

from roofproof.errors import RoofproofError, quoted
from roofproof.ops.combine import at, then
from roofproof.ops.library._entry import Entry, Format, OwnFormat
from roofproof.ops.library.attention import attention_core
from roofproof.ops.notation.operation_file import whole_argument
from roofproof.ops.notation.typed_einsum import einsum
from roofproof.ops.operation import Operation, one_kernel
from roofproof.ops.tensor import Tensor
from roofproof.symbols import dimension

GALE = "Gale et al., MegaBlocks (2022), section 3"
READ = {
    "most": "as many experts read as tokens can choose",
    "expected": "as many experts read as are expected where each token chooses at random",
    "least": "the experts of one token read",
    "all": "every expert read",
}
VASWANI = "Vaswani et al., Attention Is All You Need (2017), section 3"
SHAZEER = "Shazeer, GLU Variants Improve Transformer (2020)"
SHAZEER_MOE = "Shazeer et al., Outrageously Large Neural Networks (2017), section 2"


def ffn(x: Format = "bf16", w: OwnFormat = None) -> Operation:
    """Feed-forward network of two matrices in sequence, with 16 B D^2 FLOPs if F = 4 D.

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
    """Return two products of the same input as one kernel that applies the gate and writes one result."""
    one, other = (einsum(f"x:{x}[B,D], {name}:{w}[D,F] -> h:{x}[B,F] @ {x}", name) for name in (gate, up))
    loops = tuple(other.writes[0].shape)  # not D: both sums would be partial, and h is not a sum of products
    reads = (*other.reads, one.reads[1])
    return then(one, other, name="gate and up").as_one_kernel(reads=reads, writes=other.writes, loops=loops)


def experts_read(touched: str | int) -> Expr:
    """Return how many of E experts have their weights read if each of B tokens chooses k different ones.

    `most` is min(E, k B): the tokens choose as many different experts as possible. `expected` is
    E (1 - (1 - k/E)^B), for k random experts per token. `least` is k: all tokens choose the same experts, which gives a
    lower bound for minimum times. `all` is E. A number is used as given.

    >>> experts_read("most"), experts_read("least"), experts_read("8")
    (Min(E, B*k), k, 8)
    >>> experts_read("banana")
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: touched='banana': expected most, expected, least, all, or a whole number from 1

    `most` makes a threshold safe: a product that is compute-bound with the most bytes is so with fewer, too.
    """
    B, E, k = map(dimension, "BEk")
    reach = {"most": Min(E, k * B), "expected": E * (1 - (1 - k / E) ** B), "least": k, "all": E}
    if touched in reach:
        return reach[str(touched)]
    if not str(touched)[:1].isdigit():
        raise RoofproofError(f"touched={quoted(touched)}: expected {', '.join(reach)}, or a whole number from 1")
    return Integer(whole_argument(touched, "touched", least=1))


def routed(touched: str | int) -> tuple[Boolean, ...]:
    """Return the conditions of routing: k is at most E, and a fixed number of experts read is from k to E.

    >>> routed("most"), routed(8)
    ((k <= E,), (k <= 8, 8 <= E))
    """
    E, k, read = dimension("E"), dimension("k"), experts_read(touched)
    return (Le(k, read), Le(read, E, evaluate=False)) if read.is_Integer else (Le(k, E),)


def touched_text(touched: str | int) -> str:
    """Return the text about the experts read, as answers print it.

    >>> touched_text("most"), touched_text(8)
    ('as many experts read as tokens can choose (touched=most)', '8 experts read (touched=8)')
    """
    return f"{READ.get(str(touched), f'{touched} experts read')} (touched={touched})"


def lower_bound(touched: str | int) -> str:
    """Return the option if it makes the bytes only a lower bound, or an empty string.

    >>> lower_bound("least"), lower_bound("most")
    ('touched=least', '')
    """
    return "touched=least" if touched == "least" else ""


def grouped_matmul(x: Format = "bf16", w: OwnFormat = None, touched: str | int = "most") -> Operation:
    """B tokens, each multiplied by the D by F matrices of k of E experts: 2 k B D F FLOPs.

    `touched` is the number of experts whose weights are read, as in `experts_read`: `most` (min(E, k B)), `expected`,
    `least`, `all`, or a number.

    >>> grouped_matmul().flops
    2*B*D*F*k
    >>> from roofproof.ops import at
    >>> expected = at(grouped_matmul(touched="expected"), B=2, D=1, F=1, E=4, k=1)
    >>> [t.times for t in expected.reads if t.name == "w"]     # 1 - (3/4)^2 of the experts
    [7/16]
    """
    B, D, F, E, k = map(dimension, "BDFEk")
    share = experts_read(touched) / E
    return one_kernel(
        "grouped-matmul",
        work={x: 2 * B * D * F * k},
        reads=(Tensor("x", (B, D), x, k), Tensor("w", (E, D, F), w or x, share)),
        writes=(Tensor("y", (B, k, F), x),),
        source=GALE,
        convention=f"2 FLOPs per multiply-add; a token read by each of its experts; {touched_text(touched)}",
        conditions=routed(touched),
        lower_bound=lower_bound(touched),
        dims=(B, D, F, E, k),
    )


def mixture_of_experts(x: Format = "bf16", w: OwnFormat = None, touched: str | int = "most") -> Operation:
    """For each of B tokens, k of E gated networks of width F, chosen by a router with one matrix.

    `touched` is the number of experts whose weights are read, as in `experts_read`: `most` (min(E, k B)), `expected`,
    `least` (k, for minimum times), `all` (E), or a number.

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

    `bias` is the number of parameters of each expert in addition to its matrices.
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
    Entry(
        "grouped-matmul",
        grouped_matmul,
        "rows grouped by expert (touched: most, expected, least, all)",
        GALE,
        sizes="B: batch, D: width, F: width, E: experts, k: experts a token, touched: experts",
        kernel="x w -> y",
    ),
)
