"""The blocks that a language model is made of, with a symbol for every size; `sizes` gives them values.

T tokens at once, B sequences, L queries of each, S keys of each. Every size that could come out equal to
another is a symbol of its own until the end, since an einsum tells its loops apart by their sizes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sympy import Expr

from roofproof.ops.combine import Size, at, fuse, then
from roofproof.ops.library._latent import latent
from roofproof.ops.library.transformer import ffn, gated_ffn, mixture_of_experts
from roofproof.ops.models import Model
from roofproof.ops.notation.typed_einsum import einsum
from roofproof.ops.operation import Operation, one_kernel
from roofproof.ops.tensor import Tensor
from roofproof.symbols import dimension

GATE = "w_gate_of_shared"  # the further weight that is multiplied with each token, as the others are not


def layer(
    model: Model, x: str, w: str, cache: str, *, decode: bool, experts: bool, touched: str, window: bool = False
) -> Operation:
    """Return a layer: the vectors of its norms and biases, attention, a feed-forward network or experts.

    With a `window` its attention is over S_w keys, so that it can be told apart from that over S.
    """
    attend = _grouped(x, w, cache, window)
    if model.latent:
        attend = then(*latent(x, w, cache, decode, low_rank=model.latent.query != 0), name="attention")
    if experts:
        steps = [_tokens(mixture_of_experts(x, w, touched), F="F_e", k="A")]
        if model.experts is not None and model.experts.biased:
            [gate] = [t for t in steps[0].reads if t.name.endswith("w_gate")]
            E, width = dimension("E"), 2 * dimension("F_e") + dimension("d")
            own = Tensor("w_bias_experts", (E, width), w, gate.times)
            steps.append(one_kernel("biases of experts", reads=(own,)))
        if model.experts is not None and model.experts.shared != 0:
            shared = _tokens(gated_ffn(x, w), F="F_s")
            steps.append(renamed(shared, {"w_gate": "w_gate_shared", "w_up": "w_up_shared", "w_down": "w_down_shared"}))
        if GATE in model.vectors:
            steps.append(einsum(f"x:{x}[T,d], {GATE}:{w}[d] -> gate:{x}[T] @ {x}", "gate of shared"))
    else:
        steps = [_tokens(gated_ffn(x, w) if model.gated else ffn(x, w), F="F")]
    name = ("layer of experts" if experts else "layer") + " with a window" * window
    return then(vectors(model, w, experts=experts), attend, *steps, name=name)


def vectors(model: Model, w: str, *, experts: bool) -> Operation:
    """Return the reading of a layer's norms and biases: they move bytes and are not counted as FLOPs."""
    d, F, e = map(dimension, ["d", "F", "e"])
    found: dict[str, Expr] = {"w_norm_attention": d, "w_norm_ffn": d}
    if model.norm == "layer":
        found |= {"w_shift_attention": d, "w_shift_ffn": d}
    if model.bias:
        found |= {"w_bias_qkv": e, "w_bias_o": d, "w_bias_up": F, "w_bias_down": d}
    if model.latent:
        found |= {"w_norm_query": dimension("c_q")} if model.latent.query != 0 else {}
        found |= {"w_norm_latent": dimension("c")}
    if experts and model.experts is not None and model.experts.bias:
        found |= {"w_bias_router": dimension("E")}
    found |= {name: dimension(size) for name, size in model.vectors.items() if name != GATE}
    return one_kernel("norms and biases", reads=tuple(Tensor(n, (size,), w) for n, size in found.items()))


def _grouped(x: str, w: str, cache: str, window: bool) -> Operation:
    """Attention with g groups of r heads each: MHA has r = 1, MQA g = 1."""
    S = "S_w" if window else "S"
    qkv = einsum(f"x:{x}[T,d], w_qkv:{w}[d,e] -> qkv:{x}[T,e] @ {x}", "qkv")
    scores = einsum(f"q:{x}[B,g,r,L,k], keys:{cache}[B,g,{S},k] -> s:{x}[B,g,r,L,{S}] @ {x}", "scores")
    values = einsum(f"s:{x}[B,g,r,L,{S}], values:{cache}[B,g,{S},k] -> o:{x}[B,g,r,L,k] @ {x}", "values")
    out = einsum(f"heads:{x}[T,u], w_o:{w}[u,z] -> attended:{x}[T,z] @ {x}", "output")
    core = fuse(scores, values, "s", name="windowed core" if window else "core")
    return then(qkv, core, out, name="attention")


def sizes(model: Model) -> dict[str, Expr]:
    """Return the value of every symbol of the blocks in a model."""
    h, g, k = model.heads, model.kv_heads, model.head
    found: dict[str, Expr] = {"N": model.layers - model.windowed, "N_w": model.windowed}
    found |= {"d": model.d, "h": h, "g": g, "r": h / g, "k": k}
    found |= {"e": (h + 2 * g) * k, "u": h * k, "kv": g * k, "z": model.d, "F": model.hidden}
    found |= {"V": model.vocabulary, "y": model.vocabulary}
    if model.positions is not None:
        found["C"] = model.positions
    if model.experts is not None:
        few = model.experts
        found |= {"E": few.count, "A": few.chosen, "F_e": few.hidden, "F_s": few.hidden * few.shared}
        found |= {"N": model.layers - few.dense_layers - model.windowed, "M": few.dense_layers}
    if model.latent is not None:
        own = model.latent
        found |= {"c_q": own.query, "c": own.cache, "p": own.rope, "v": own.value, "u": h * own.value}
        found |= {"e_q": h * (k + own.rope), "e_c": own.cache + own.rope, "e_kv": h * (k + own.value)}
        found |= {"e_k": k + own.rope}
    return found


def sized(operation: Operation, values: Mapping[str, Size]) -> Operation:
    """Return the operation with those sizes that it has, and its demands multiplied out."""
    present = {str(s) for s in operation.dims}
    return at(operation, **{n: value for n, value in values.items() if n in present and value != 0})


def renamed(operation: Operation, names: dict[str, str]) -> Operation:
    """Return the operation with tensors under other names."""

    def other(tensor: Tensor) -> Tensor:
        return replace(tensor, name=names.get(tensor.name, tensor.name))

    return operation.mapped(lambda amount: amount, other)


def is_weight(tensor: Tensor) -> bool:
    """Return whether a tensor holds weights: it is read, and its name is `w` or begins with `w_`."""
    own = tensor.name.rpartition(".")[2]
    return own == "w" or own.startswith("w_")


def _tokens(network: Operation, **names: str) -> Operation:
    """Return a feed-forward network over T tokens of width d; the width of its output is a symbol of its own."""
    return at(network, B="T", D="d", **names)
