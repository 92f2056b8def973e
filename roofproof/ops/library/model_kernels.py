"""The kernels of the layer parts of a language model, and the tensors cached for them.

T tokens at once, L of each of B sequences, with S keys each. All other sizes are those of the part. The projections q,
k and v of the same input are one product (Shoeybi et al., Megatron-LM, section 3). Gate and up are one kernel that
applies the gate and writes one result (Shazeer, GLU Variants Improve Transformer, section 2).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from sympy import Expr, Integer

from roofproof.ops.combine import Size, at, fuse, then
from roofproof.ops.library.attention import latent_attention
from roofproof.ops.library.transformer import expert_kernels, gate_and_up
from roofproof.ops.models.parts import Attention, Latent, LayerPart
from roofproof.ops.notation.typed_einsum import einsum
from roofproof.ops.operation import Operation, one_kernel
from roofproof.ops.tensor import Tensor
from roofproof.symbols import dimension

PLAIN = ("attention", "network", "experts")  # parts whose kernels get no prefix
TENSORS = {  # for each product: its input, its result, and the name of its kernel
    "w_qkv": ("x", "qkv", "qkv"),
    "w_o": ("heads", "attended", "output"),
    "w_up": ("x", "h", "up"),
    "w_down": ("h", "y", "down"),
}


def part_operation(part: LayerPart, x: str, w: str, cache: str, *, decode: bool, touched: str) -> Operation:
    """Return the operation of a part for T tokens. T, B, L and `keys(part)` stay symbols."""
    read = tuple(Tensor(n, (size,), w) for n, size in part.vectors.items())
    steps = [one_kernel("norms and biases", reads=read)]
    products = [*_products(part, x, w)]
    behind = [step for step in products if step.name.startswith(("output", "o "))]
    steps += [step for step in products if step not in behind]
    if part.attention is not None:
        steps += _attention(keys(part), part.attention, x, w, cache, decode)
    steps += behind
    if (few := part.experts) is not None:
        experts = expert_kernels(x, w, touched, matrices=int(few.matrices), bias=few.bias)
        steps.append(at(experts, B="T", D=few.width, F=few.hidden, E=few.count, k=few.chosen))
    if part.recurrence != 0:
        steps.append(one_kernel("recurrence", {x: dimension("T") * part.recurrence}))
    every = then(*steps, name=part.name)
    return every.map_kernels(lambda kernel: replace(kernel, name=f"{label(part)}{kernel.name}"))


def label(part: LayerPart) -> str:
    """Return the prefix for the names of a part's kernels."""
    return "" if part.name in PLAIN else f"{part.name} "


def keys(part: LayerPart) -> str:
    """Return the symbol for the number of keys that a token of a part sees: S if it sees all of them."""
    return "S" if part.attention is None or part.attention.whole else f"S_{part.name}"


def cached_tensors(parts: Sequence[LayerPart], x: str, S: Expr, *, read: bool = False) -> tuple[Tensor, ...]:
    """Return the cached keys and values of B sequences of S tokens, or with `read` those that the last token reads."""
    B, found = dimension("B"), list[Tensor]()
    for part in parts:
        heads, n = part.attention, part.count
        if heads is None:
            continue
        seen = heads.seen(S) if read else heads.stored_keys(S)
        each: dict[str, tuple[Expr, ...]]
        if heads.latent is not None:
            each = {"latent": (heads.latent.cache,), "keys with position": (heads.latent.rope,)}
        else:
            each = {"keys": (heads.groups, heads.key)}
            each |= {} if heads.shared else {"values": (heads.groups, heads.value)}
        found += [Tensor(f"{label(part)}{name}", (B, n, seen, *shape), x) for name, shape in each.items()]
        if heads.index_heads != 0:
            share = heads.far(S) / S
            found.append(Tensor(f"{label(part)}keys of the index", (B, n, S, heads.index_width), x, share))
    return tuple(found)


def states(parts: Sequence[LayerPart], x: str, *, renewed: bool = False) -> tuple[Tensor, ...]:
    """Return the fixed-size states of B sequences, or with `renewed` the parts of them that one token updates."""
    B, found = dimension("B"), []
    for part in parts:
        if part.state != 0:
            found.append(Tensor(f"state of {part.name}", (B, part.count, part.state), "fp32"))
        if part.trail != 0:
            own = Integer(1) / part.steps if renewed else Integer(1)
            shape = (B, part.count, part.steps, part.trail)
            found.append(Tensor(f"state of the convolution of {part.name}", shape, x, own))
    return tuple(found)


def is_weight(tensor: Tensor) -> bool:
    """Return whether an input tensor holds weights: its name is `w` or begins with `w_`."""
    own = tensor.name.rpartition(".")[2]
    return own == "w" or own.startswith("w_")


def sized(operation: Operation, values: Mapping[str, Size]) -> Operation:
    """Return the operation with sizes substituted, ignoring those of dimensions that it does not have."""
    present = {str(s) for s in operation.dims}
    return at(operation, **{n: value for n, value in values.items() if n in present})


def _products(part: LayerPart, x: str, w: str) -> Iterator[Operation]:
    """Yield the products of every token with weights, one kernel each."""
    left = _joined(part.products)
    for name, (rows, columns) in left.items():
        other = name.replace("w_gate", "w_up", 1)
        if other != name and left.get(other) == (rows, columns):
            both = at(gate_and_up(x, w, name, other), B="T", D=rows, F=columns)
            yield replace(both, name=f"gate and up{_suffix(name, 'w_gate')}")
        elif not (name.startswith("w_up") and left.get(name.replace("w_up", "w_gate", 1)) == (rows, columns)):
            yield _product(name, rows, columns, x, w)


def _joined(products: Mapping[str, tuple[Expr, Expr]]) -> dict[str, tuple[Expr, Expr]]:
    """Return the products, with queries, keys and values joined into one if they have the same rows."""
    of = [n for n in ("w_q", "w_k", "w_v") if n in products]
    if len(of) < 2 or len({products[n][0] for n in of}) > 1:
        return dict(products)
    one = "w_" + "".join(n.removeprefix("w_") for n in of)
    joined = {one: (products[of[0]][0], sum((products[n][1] for n in of), Integer(0)))}
    return joined | {name: shape for name, shape in products.items() if name not in of}


def _product(name: str, rows: Expr, columns: Expr, x: str, w: str) -> Operation:
    usual = next((n for n in TENSORS if name == n or name.startswith(f"{n}_shared")), name)
    into, result, kernel = TENSORS.get(usual, ("x", "y", name.removeprefix("w_").replace("_", " ")))
    one = einsum(f"{into}:{x}[T,a], {name}:{w}[a,b] -> {result}:{x}[T,b] @ {x}", f"{kernel}{_suffix(name, usual)}")
    return at(one, a=rows, b=columns)


def _suffix(name: str, usual: str) -> str:
    return name.removeprefix(usual).replace("_shared", " of shared")


def _attention(S: str, heads: Attention, x: str, w: str, cache: str, decode: bool) -> list[Operation]:
    """Return the kernels of attention over S keys."""
    found = []
    if heads.index_heads != 0:
        B, L, every = map(dimension, "BLS")
        n, m = heads.index_heads, heads.index_width
        chosen = one_kernel(
            "index core",
            {x: 2 * B * L * heads.far(every) * n * m},
            reads=(
                Tensor("index queries", (B, L, n, m), x),
                Tensor("index keys", (B, every, m), cache, heads.far(every) / every),
            ),
            writes=(Tensor("chosen keys", (B, L, dimension(S)), "int32"),),
        )
        found.append(chosen)
    if heads.latent is not None:
        return [*found, *_latent(S, heads, heads.latent, x, w, cache, decode)]
    scores = einsum(f"q:{x}[B,g,r,L,k], keys:{cache}[B,g,{S},k] -> s:{x}[B,g,r,L,{S}] @ {x}", "scores")
    values = einsum(f"s:{x}[B,g,r,L,{S}], values:{cache}[B,g,{S},v] -> o:{x}[B,g,r,L,v] @ {x}", "values")
    fused = fuse(scores, values, "s", name="core")
    if heads.shared:
        fused = fused.as_one_kernel(reads=tuple(t for t in fused.reads if t.name != "values"))
    return [*found, at(fused, g=heads.groups, r=heads.heads / heads.groups, k=heads.key, v=heads.value)]


def _latent(S: str, heads: Attention, own: Latent, x: str, w: str, cache: str, decode: bool) -> Iterator[Operation]:
    """Yield the kernels of latent attention: expanded to heads for many queries, in the latent space for one.

    Queries come from their own latent space if its rank is not zero.
    """
    sizes = {"h": heads.heads, "k": heads.key, "c_q": own.query, "c": own.cache, "p": own.rope, "v": own.value}
    sizes |= {"e_q": heads.heads * (heads.key + own.rope), "e_c": own.cache + own.rope}
    sizes |= {"e_kv": heads.heads * (heads.key + own.value), "e_k": heads.key + own.rope}
    sizes |= {"u": heads.heads * own.value}
    for step in _latent_steps(x, w, cache, decode, low_rank=own.query != 0):
        yield sized(sized(step, sizes), {"S": S} if S != "S" else {})


def _latent_steps(x: str, w: str, cache: str, decode: bool, *, low_rank: bool) -> Iterator[Operation]:
    if low_rank:
        yield einsum(f"x:{x}[T,d], w_q_down:{w}[d,c_q] -> cq:{x}[T,c_q] @ {x}", "query down")
        yield einsum(f"cq:{x}[T,c_q], w_q_up:{w}[c_q,e_q] -> q:{x}[T,e_q] @ {x}", "query up")
    else:
        yield einsum(f"x:{x}[T,d], w_q:{w}[d,e_q] -> q:{x}[T,e_q] @ {x}", "query")
    yield einsum(f"x:{x}[T,d], w_kv_down:{w}[d,e_c] -> ckv:{cache}[T,e_c] @ {x}", "latent down")
    if decode:
        yield einsum(f"qn:{x}[T,h,k], w_k_up:{w}[h,k,c] -> qc:{x}[T,h,c] @ {x}", "query into latent")
        yield replace(latent_attention(x, cache), name="core")
        yield einsum(f"oc:{x}[T,h,c], w_v_up:{w}[h,c,v] -> ov:{x}[T,h,v] @ {x}", "latent to values")
    else:
        yield einsum(f"latent:{cache}[T,c], w_kv_up:{w}[c,e_kv] -> kv:{x}[T,e_kv] @ {x}", "latent up")
        scores = einsum(f"qs:{x}[B,h,L,e_k], keys:{x}[B,h,S,e_k] -> s:{x}[B,h,L,S] @ {x}", "scores")
        values = einsum(f"s:{x}[B,h,L,S], values:{x}[B,h,S,v] -> o:{x}[B,h,L,v] @ {x}", "values")
        yield fuse(scores, values, "s", name="core")
    yield einsum(f"heads:{x}[T,u], w_o:{w}[u,z] -> attended:{x}[T,z] @ {x}", "output")
