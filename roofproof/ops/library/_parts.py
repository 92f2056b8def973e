"""Operations of the parts that layers of several kinds are made of, and what is cached for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sympy import Expr, Integer

from roofproof.ops.combine import at, fuse, then
from roofproof.ops.library._experts import experts_read
from roofproof.ops.library._latent import latent
from roofproof.ops.models.parts import Attention, LayerPart, Routed
from roofproof.ops.notation.typed_einsum import einsum
from roofproof.ops.operation import Operation, one_kernel
from roofproof.ops.tensor import Tensor
from roofproof.symbols import dimension


def part_operation(part: LayerPart, x: str, w: str, cache: str, *, decode: bool, touched: str) -> Operation:
    """Return the operation of a part for T tokens, L of each of B sequences; other sizes but its `keys` are numbers."""
    read = tuple(Tensor(f"{part.name}.{n}", (size,), w) for n, size in part.vectors.items())
    steps = [one_kernel(f"{part.name} norms and biases", reads=read)]
    steps += [_product(part, name, x, w) for name in part.products]
    if part.attention is not None:
        steps += _attention(part.name, keys(part), part.attention, x, w, cache, decode)
    if part.experts is not None:
        steps += _experts(part.name, part.experts, x, w, touched)
    if part.recurrence != 0:
        T = dimension("T")
        steps.append(one_kernel(f"{part.name} recurrence", work={x: T * part.recurrence}))
    return then(*steps, name=part.name)


def keys(part: LayerPart) -> str:
    """Return the symbol of how many keys a token of a part sees: S where it sees all of them."""
    return "S" if part.attention is None or part.attention.whole else f"S_{part.name}"


def core(part: str) -> str:
    """Return the name of the kernel of attention of a part."""
    return f"{part} core"


def index(part: str) -> str:
    """Return the name of the index of a part, as of a part of its own."""
    return f"{part} index"


def kept(parts: Sequence[LayerPart], x: str, S: Expr, *, read: bool = False) -> tuple[Tensor, ...]:
    """Return the keys and values that are kept of S tokens of B sequences, or those that the last one reads."""
    B, found = dimension("B"), []
    for part in parts:
        heads, n = part.attention, part.count
        if heads is None:
            continue
        seen = heads.seen(S) if read else heads.held(S)
        each: dict[str, tuple[Expr, ...]]
        if heads.latent is not None:
            each = {"latent": (heads.latent.cache,), "keys with position": (heads.latent.rope,)}
        else:
            each = {"keys": (heads.groups, heads.key)}
            each |= {} if heads.shared else {"values": (heads.groups, heads.value)}
        found += [Tensor(f"{name} of {part.name}", (B, n, seen, *shape), x) for name, shape in each.items()]
        if heads.index_heads != 0:
            share = heads.far(S) / S
            found.append(Tensor(f"keys of the index of {part.name}", (B, n, S, heads.index_width), x, share))
    return tuple(found)


def states(parts: Sequence[LayerPart], x: str, *, renewed: bool = False) -> tuple[Tensor, ...]:
    """Return the state of B sequences whatever their length, or what of it a token renews: of a trail, its own."""
    B, found = dimension("B"), []
    for part in parts:
        if part.state != 0:
            found.append(Tensor(f"state of {part.name}", (B, part.count, part.state), "fp32"))
        if part.trail != 0:
            own = Integer(1) / part.steps if renewed else Integer(1)
            shape = (B, part.count, part.steps, part.trail)
            found.append(Tensor(f"state of the convolution of {part.name}", shape, x, own))
    return tuple(found)


def _product(part: LayerPart, name: str, x: str, w: str) -> Operation:
    rows, columns = part.products[name]
    one = einsum(f"x:{x}[T,a], {name}:{w}[a,b] -> y:{x}[T,b] @ {x}", f"{part.name} {name[2:]}")
    return at(_named(one, part.name), a=rows, b=columns)


def _named(operation: Operation, part: str) -> Operation:
    """The operation with the part before the names of its weights."""

    def named(tensor: Tensor) -> Tensor:
        return replace(tensor, name=f"{part}.{tensor.name}") if tensor.name.startswith("w_") else tensor

    return operation.mapped(lambda amount: amount, named)


def _attention(part: str, S: str, heads: Attention, x: str, w: str, cache: str, decode: bool) -> list[Operation]:
    found = []
    if heads.index_heads != 0:
        B, L, every = map(dimension, "BLS")
        n, m = heads.index_heads, heads.index_width
        chosen = one_kernel(
            core(index(part)),
            work={x: 2 * B * L * heads.far(every) * n * m},
            reads=(
                Tensor("index queries", (B, L, n, m), x),
                Tensor("index keys", (B, every, m), cache, heads.far(every) / every),
            ),
            writes=(Tensor("chosen keys", (B, L, dimension(S)), "int32"),),
        )
        found.append(chosen)
    if heads.latent is not None:
        own = heads.latent
        sizes = {"h": heads.heads, "k": heads.key, "c_q": own.query, "c": own.cache, "p": own.rope, "v": own.value}
        sizes |= {"e_q": heads.heads * (heads.key + own.rope), "e_c": own.cache + own.rope}
        sizes |= {"e_kv": heads.heads * (heads.key + own.value), "e_k": heads.key + own.rope}
        sizes |= {"u": heads.heads * own.value}
        for step in latent(x, w, cache, decode, low_rank=own.query != 0):
            sized = at(step, **{n: size for n, size in sizes.items() if n in {str(s) for s in step.dims}})
            present = {str(s) for s in sized.dims}
            moved = at(sized, S=S) if "S" in present and S != "S" else sized
            named = _named(moved, part)
            found.append(replace(named, name=core(part) if step.name == "core" else f"{part} {step.name}"))
        return found
    scores = einsum(f"q:{x}[B,g,r,L,k], keys:{cache}[B,g,{S},k] -> s:{x}[B,g,r,L,{S}] @ {x}", "scores")
    values = einsum(f"s:{x}[B,g,r,L,{S}], values:{cache}[B,g,{S},v] -> o:{x}[B,g,r,L,v] @ {x}", "values")
    fused = fuse(scores, values, "s", name=core(part))
    if heads.shared:
        fused = fused.as_one_kernel(reads=tuple(t for t in fused.reads if t.name != "values"))
    return [*found, at(fused, g=heads.groups, r=heads.heads / heads.groups, k=heads.key, v=heads.value)]


def _experts(part: str, few: Routed, x: str, w: str, touched: str) -> list[Operation]:
    T = dimension("T")
    read = experts_read(touched).subs({dimension("B"): T, dimension("E"): few.count, dimension("k"): few.chosen})
    share, inner = read / few.count, (few.matrices - 1) * few.hidden
    into = Tensor(f"{part}.w_experts_in", (few.count, few.width, inner), w, share)
    out = Tensor(f"{part}.w_experts_out", (few.count, few.hidden, few.width), w, share)
    hidden = Tensor("h", (T, few.chosen, few.hidden), x)
    each = 2 * T * few.chosen * few.width
    first = one_kernel(
        f"{part} experts in",
        work={x: each * inner},
        reads=(Tensor("x", (T, few.width), x, few.chosen), into),
        writes=(hidden,),
    )
    second = one_kernel(
        f"{part} experts out",
        work={x: each * few.hidden},
        reads=(hidden, out),
        writes=(Tensor("y", (T, few.width), x),),
    )
    return [first, second]
