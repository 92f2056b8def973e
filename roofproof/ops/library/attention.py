"""Kernels too complex for library.toml: attention (unfused, fused, blocked, causal, over caches) and tiled products.

L query tokens, S keys, h heads, g groups of keys and values, r = h/g heads per group, k head size. FLOPs of attention
are those of the two matrix products. As in the sources, the softmax between them is not counted by default.
"""

from __future__ import annotations

from dataclasses import replace

from sympy import Add, Eq, Expr, Integer, Mod

from roofproof.errors import RoofproofError
from roofproof.ops.combine import at, backward, fuse, then, tile
from roofproof.ops.library._entry import Entry, Format, OwnFormat, check_choice, named, sized
from roofproof.ops.notation.operation_file import whole_argument
from roofproof.ops.notation.typed_einsum import einsum
from roofproof.ops.operation import Kernel, Operation
from roofproof.ops.resources import vector_engine
from roofproof.ops.tensor import Tensor
from roofproof.symbols import dimension

HONG = "Hong, Kung, I/O Complexity: The Red-Blue Pebble Game (1981), section 6"
LIN = "Lin et al., AWQ (2023), section 3"
SCALED = "2 FLOPs per multiply-add; the sum of each group times its scales, and added up, on the vector unit"
VASWANI = "Vaswani et al., Attention Is All You Need (2017), section 3"
DAO = "Dao et al., FlashAttention (2022), section 3"
DAO2 = "Dao, FlashAttention-2 (2023), section 3.1"
AINSLIE = "Ainslie et al., GQA (2023), section 2"
DEEPSEEK = "DeepSeek-AI, DeepSeek-V2 (2024), section 2.1"
LEFT = "only the L (L + 1)/2 pairs that the mask leaves"
LEFT_BY_MASKS = "only the pairs that the masks leave"


def attention_core(x: Format = "bf16", passes: str | int = 4) -> Operation:
    """Scores and weighted sum of h heads over L tokens, with the score matrix moved `passes` times.

    The four passes are a write, a read and a write by the softmax, and a read. Zero passes is the ideal fused kernel.

    >>> op = attention_core()
    >>> op.flops                                               # 2 L L k and 2 L L k, h times
    4*L**2*h*k
    >>> (op.flops / op.bytes()).simplify()                     # 1/(2/L + 2/k)
    L*k/(2*(L + k))
    """
    count = whole_argument(passes, "passes")
    scores = einsum(f"q:{x}[h,L,k], keys:{x}[h,S,k] -> s:{x}[h,L,S]", "scores", source=VASWANI)
    values = einsum(f"s:{x}[h,L,S], values:{x}[h,S,k] -> o:{x}[h,L,k]", "weighted sum", source=VASWANI)
    core = fuse(scores, values, "s")
    if count:
        matrix = scores.writes[0]
        core = core.as_one_kernel(
            reads=(*core.reads, replace(matrix, times=Integer(count // 2))),
            writes=(*core.writes, replace(matrix, times=Integer(count - count // 2))),
        )
        return replace(at(core, S="L"), name="attention-core")
    return replace(at(_with_statistics(core), S="L"), name="attention-core")


def flash_attention(
    x: Format = "bf16", block: str = "", keys: str = "", memory: str = "smem", softmax: str = "left-out"
) -> Operation:
    """Attention in one kernel. With a `block` of queries, keys and values are read again for each of L/block blocks.

    The softmax between the products is left out, as in most sources, or `counted` on its compute units.

    >>> op = flash_attention()
    >>> op.flops / op.bytes()                                  # 4 L L k over 4 times 2 L k bytes
    L/2
    >>> blocked = flash_attention(block="b")
    >>> blocked.bytes().expand(), blocked.conditions           # keys and values once for each of ceil(L/b) = L/b blocks
    (4*L**2*h*k/b + 4*L*h*k, (Eq(Mod(L, b), 0),))

    The block has to divide L, so that no block is partly empty. With a block of `keys` as well, the bytes in the
    on-chip `memory` are counted: blocks of queries, keys, values and sums, and one block of scores.

    >>> flash_attention(block="b", keys="c").footprint["smem"].expand()    # 2 b k + 2 c k + b c numbers of 2 bytes
    2*b*c + 4*b*k + 4*c*k
    >>> counted = flash_attention(softmax="counted")           # an exponential and 4 FLOPs for each of h L^2 scores
    >>> counted.compute["exp"], counted.compute["fp32-vector"]
    (L**2*h, 4*L**2*h)
    """
    if keys and not block:
        raise RoofproofError(f"flash-attention keys={keys}: give the block of queries as well, as in block=b")
    if keys:
        text = f"q:{x}[h,L,k], keys:{x}[h,S,k], values:{x}[h,S,v] -> o:{x}[h,L,v]"
        tiled = tile(einsum(text), memory, h=1, L=sized(block, "block"), S=sized(keys, "keys"))
        said = "2 FLOPs per multiply-add; a head at a time, keys and values again for each block of queries"
        core = replace(at(_with_statistics(tiled), S="L", v="k"), name="flash-attention", source=DAO, convention=said)
        return _with_softmax(core, x, softmax)
    core = _with_softmax(attention_core(x, 0), x, softmax)
    if block:
        L, b = dimension("L"), Integer(whole_argument(block, "block", least=1)) if block.isdigit() else dimension(block)
        reads = tuple(replace(t, times=L / b) if t.name != "q" else t for t in core.reads)
        core = replace(core.as_one_kernel(reads=reads), conditions=() if b == 1 else (Eq(Mod(L, b), 0),))
    return replace(core, name="flash-attention", source=DAO)


def _with_statistics(core: Operation) -> Operation:
    """Return a core with `saved` set to the output and log(sum(exp)) of each row of scores, in fp32."""
    (output,) = core.writes
    return core.as_one_kernel(saved=(output, Tensor("row_statistics", output.shape[:-1], "fp32")))


def _with_softmax(core: Operation, x: str, softmax: str) -> Operation:
    """Return a core over h L^2 scores, with the softmax on its compute units if it is to be counted."""
    if check_choice(softmax, "softmax", ("left-out", "counted")) == "left-out":
        return replace(core, convention=f"{core.convention}; the softmax is not counted")
    scores = dimension("h") * dimension("L") ** 2
    compute = {**core.compute, vector_engine(x): 4 * scores, "exp": scores}
    return replace(core.as_one_kernel(work=compute, exact=None), convention=f"{core.convention}; softmax 5 a score")


def decode_attention(x: Format = "bf16", cache: OwnFormat = None) -> Operation:
    """A new token of each of B sequences attends to S cached ones. Each of g groups of r heads shares keys and values.

    >>> op = decode_attention()
    >>> (op.flops / op.bytes()).simplify()                     # GQA: r S/(S + r); MHA is r = 1
    S*r/(S + r)
    """
    kv = cache or x
    scores = einsum(f"q:{x}[B,g,r,k], keys:{kv}[B,g,S,k] -> s:{x}[B,g,r,S] @ {x}", "scores", source=AINSLIE)
    values = einsum(f"s:{x}[B,g,r,S], values:{kv}[B,g,S,k] -> o:{x}[B,g,r,k] @ {x}", "sum", source=AINSLIE)
    return replace(fuse(scores, values, "s"), name="decode-attention")


def causal_attention(x: Format = "bf16", block: str = "") -> Operation:
    """Attention in one kernel. Each token attends to itself and earlier tokens: L (L + 1)/2 pairs instead of L^2.

    >>> op = causal_attention()
    >>> op.flops.factor()                                      # 4 k for each of L (L + 1)/2 pairs and h heads
    2*L*h*k*(L + 1)
    >>> (op.flops / op.bytes()).simplify()                     # half of the L/2 of full attention, plus 1/4
    L/4 + 1/4
    """
    said = f"2 FLOPs per multiply-add; {LEFT}"
    return flash_attention(x, block).map_kernels(masked, name="causal-attention", source=DAO2, convention=said)


def masked(core: Kernel, share: Expr | None = None) -> Kernel:
    """Return a core over L tokens and L keys that computes only the pairs under the diagonal: (L + 1)/(2 L) of all.

    `share` replaces this fraction for masks that leave fewer pairs. Every key is still read. Blocks on the diagonal
    compute a little more, which is not counted.
    """
    L = dimension("L")
    left = (L + 1) / (2 * L) if share is None else share
    made = Add(*(t.times * t.elements for t in core.writes))  # each a sum, whose first term needs no addition
    exact = core.exact and {n: ((a + made) * left - made).expand() for n, a in core.exact.items()}
    return replace(
        core,
        work={name: (amount * left).expand() for name, amount in core.work.items()},
        again={name: (amount * left).expand() for name, amount in core.again.items()},
        exact=exact,
        product=None,
    )


def latent_attention(x: Format = "bf16", cache: OwnFormat = None) -> Operation:
    """One new token of each of B sequences attends to a latent cache (MLA): c numbers per token, and p with position.

    The h queries are projected into the latent space first, so all heads read the same cache.

    >>> op = latent_attention()
    >>> op.flops.factor()                                      # h S (c + p) for scores, h S c for the sum, twice
    2*B*S*h*(2*c + p)
    >>> op.reads[1].shape                                      # shared by all heads
    (B, S, c + p)
    """
    scores = einsum(f"q:{x}[B,h,e], latent:{cache or x}[B,S,e] -> s:{x}[B,h,S] @ {x}", "scores")
    values = einsum(f"s:{x}[B,h,S], v:{cache or x}[B,S,c] -> o:{x}[B,h,c] @ {x}", "sum")
    core = fuse(scores, values, "s")
    c = dimension("c")
    core = at(core.as_one_kernel(reads=tuple(t for t in core.reads if t.name != "v")), e=c + dimension("p"))
    convention = f"{scores.convention}; the cache is read once"
    return replace(core, name="latent-attention", source=DEEPSEEK, convention=convention)


def latent_prefill(x: Format = "bf16") -> Operation:
    """MLA over many tokens: the latent cache is expanded to keys of k + p numbers and values of v numbers per head.

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


def flash_backward(x: Format = "bf16") -> Operation:
    """Backward pass of attention in one kernel: the scores again, and two products for each of the two (five in all).

    It reads q, keys, values, the output and its gradient, and one fp32 number per row of scores. It writes three
    gradients. That is 8 arrays of 2 h L k bytes, plus 4 h L bytes.

    >>> flash_backward().flops / flash_attention().flops
    5/2
    >>> flash_backward().bytes().expand()
    16*L*h*k + 4*L*h
    """
    return replace(backward(flash_attention(x)), name="flash-attention-backward", source=DAO2)


def group_quantized(x: Format = "bf16", w: Format = "int4", scale: Format = "bf16", zero: str = "") -> Operation:
    """Matmul with low-bit weights, a scale for each group of a column, and a `zero` point if its format is given.

    >>> group_quantized().bytes()                              # half a byte per weight, and 2 bytes per group
    2*B*F + 2*B*G*n + F*G*n/2 + 2*F*n
    """
    text = f"x:{x}[B,n,G], w:{w}[n,G,F], scale:{scale}[n,F] -> y:{x}[B,F] @ {x}"
    if zero:
        text = text.replace(" ->", f", zero:{zero}[n,F] ->")
    return replace(einsum(text, source=LIN), name="group-quantized-matmul", convention=SCALED)


def tiled_matmul(
    x: Format = "bf16",
    w: OwnFormat = None,
    out: OwnFormat = None,
    compute: str | None = None,
    b: str | int = "b",
    f: str | int = "f",
    d: str | int = "t",
    memory: str = "vmem",
    holds: str | int = "",
) -> Operation:
    """X[B,D] W[D,F] in blocks of b rows and f columns, with the sums kept on chip over the steps of d along D.

    >>> op = tiled_matmul()
    >>> op.flops / op.bytes()                                  # 1/(1/b + 1/f + 1/D): b f/(b + f) for long D
    2*B*D*F/(2*B*D*F/f + 2*B*D*F/b + 2*B*F)
    >>> op.footprint["vmem"]                                   # a block of x, of w and of z
    2*b*f + 2*b*t + 2*f*t

    `holds` is the capacity in bytes of the on-chip `memory`, if it is to be checked.
    """
    blocks = {"B": sized(b, "b"), "F": sized(f, "f"), "D": sized(d, "d")}
    capacity = None if holds == "" else whole_argument(holds, "holds", least=1)
    product = named("matmul")
    assert product is not None
    tiled = tile(product(x=x, w=w, out=out, compute=compute), memory, capacity=capacity, **blocks)
    return replace(tiled, name="tiled-matmul", source=HONG)


ENTRIES = (
    Entry(
        "attention-core",
        attention_core,
        "scores and weighted sum, unfused (passes over the scores)",
        VASWANI,
        sizes="h: heads, L: sequence, k: head width",
        kernel="q keys values -> o",
    ),
    Entry(
        "flash-attention",
        flash_attention,
        "scores and weighted sum in one kernel (block of queries, of keys)",
        DAO,
        sizes="h: heads, L: sequence, k: head width, block: block, keys: block",
    ),
    Entry(
        "causal-attention",
        causal_attention,
        "the same, each token with those before it",
        DAO2,
        sizes="h: heads, L: sequence, k: head width, block: block",
    ),
    Entry(
        "decode-attention",
        decode_attention,
        "one new token against a cache of S, grouped heads",
        AINSLIE,
        sizes="B: batch, g: groups, r: heads a group, k: head width, S: sequence",
    ),
    Entry(
        "latent-attention",
        latent_attention,
        "one new token against a latent cache of S (MLA)",
        DEEPSEEK,
        sizes="B: batch, h: heads = 128, S: sequence, c: latent width, p: rotary width",
    ),
    Entry(
        "tiled-matmul",
        tiled_matmul,
        "matrix times matrix in blocks b, f, d (on-chip memory)",
        HONG,
        sizes="B: batch, D: width, F: width, b: block = 128, f: block = 128, t: block = 32, d: block = 32",
        family="linear_algebra",
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
        "flash-attention-backward",
        flash_backward,
        "gradients of attention in one kernel, scores again",
        DAO2,
        sizes="h: heads, L: sequence, k: head width",
    ),
    Entry(
        "group-quantized-matmul",
        group_quantized,
        "matmul with int4 weights and a scale a group",
        LIN,
        sizes="B: batch, n: groups a row, G: group, F: width",
        family="quantized",
    ),
)
