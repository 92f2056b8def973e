"""Whole language models: weights, key-value cache, prefill, one decode step, t generated tokens.

B sequences of L tokens, S keys that a decode step attends to (including its own token), t generated tokens. The
sizes of a model come from its configuration, or stay symbols (`standard`). FLOPs are those of the matrix products,
2 per multiply-add. Norms, rotary embedding, softmax, activation functions and residual additions are fused into them
and move only their weights. The core of attention is one kernel.

A minimum time leaves out all traffic that a schedule could avoid: in the layers only weights and cache move, each
once. Chips that split every layer (tensor parallel) sum the results of each of its two halves. Chips that split the
sequences (data parallel) sum their gradients. An all-reduce sends at least 2 (n - 1)/n of an array.

Sources: Shoeybi et al., Megatron-LM (2019), section 3, for the sums of a layer; Patarasuk, Yuan (2009), theorem 1, for
the bytes of an all-reduce if no switch adds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sympy import Eq, Expr, Integer, Mod, Rational

from roofproof.errors import RoofproofError, quoted
from roofproof.formats import bytes_per_element
from roofproof.ops.combine import added, over, positive, repeat, then
from roofproof.ops.library._entry import Entry, Format, OwnFormat, check_choice
from roofproof.ops.library._entry import sized as size_of
from roofproof.ops.library.attention import AINSLIE, LEFT_BY_MASKS, masked
from roofproof.ops.library.model_kernels import cached_tensors, is_weight, keys, label, part_operation, sized, states
from roofproof.ops.library.transformer import touched_text
from roofproof.ops.models import Model
from roofproof.ops.models import model as configuration
from roofproof.ops.network.collectives import Ring, all_reduce
from roofproof.ops.notation.typed_einsum import einsum
from roofproof.ops.operation import Kernel, Operation, one_kernel
from roofproof.ops.tensor import Tensor
from roofproof.symbols import dimension

PRODUCTS = "2 FLOPs per multiply-add of the matrix products"
FUSED = "traffic fused: weights, cache, tokens and optimiser state once, nothing between"
RECURRENT = "a state renewed and read at each token, one after the other"
PER_CHIP = "per chip; bytes per direction of a link"
CACHE = {"tokens", "keys", "values", "latent", "state"}  # words in the names of tensors kept for each sequence
POPE = "Pope et al., Efficiently Scaling Transformer Inference (2022), section 2"
CONVENTION = f"{PRODUCTS}; each weight that is used read once; attention in one kernel"
UNQUANTIZED = ("bf16", "fp16", "fp32")


def forward(
    model: Model, x: str, w: str, cache: str, *, decode: bool = False, every_logit: bool = False, touched: str = "most"
) -> Operation:
    """Return the forward pass with a symbol for every size: T tokens, L queries and S keys per sequence."""
    stack = [repeat(one, n, name=one.name) for one, n in _layers(model, x, w, cache, decode, touched)]
    return then(_embedding(model, x, w), *stack, _head(model, x, w, every_logit), name="forward")


def _layers(model: Model, x: str, w: str, cache: str, decode: bool, touched: str) -> list[tuple[Operation, Expr]]:
    """Return each part of the layers with the number of layers that have it."""
    return [(part_operation(p, x, w, cache, decode=decode, touched=touched), p.count) for p in model.parts]


def ends(model: Model) -> dict[str, Expr]:
    """Return the sizes of the embedding and the head."""
    positions = {} if model.positions is None else {"C": model.positions}
    return {"d": model.d, "z": model.d, "V": model.vocabulary, **positions}


def _embedding(model: Model, x: str, w: str) -> Operation:
    T, V, d, L, C = map(dimension, "TVdLC")
    reads = [Tensor("tokens", (T,), "int32"), Tensor("w_embedding", (V, d), w, T / V)]
    if model.positions is not None:
        reads.append(Tensor("w_positions", (C, d), w, L / C))
    return one_kernel("embedding", reads=tuple(reads), writes=(Tensor("x", (T, d), x),))


def _head(model: Model, x: str, w: str, every_logit: bool) -> Operation:
    """Return the last norm and the logits, for every token or for the last token of each sequence."""
    tokens, d = "T" if every_logit else "B", dimension("d")
    norms = [Tensor(n, (d,), w) for n in ("w_norm_last", "w_shift_last")[: 2 if model.norm == "layer" else 1]]
    table = f"w_embedding:{w}[V,d]" if model.tied else f"w_head:{w}[V,d]"
    logits = einsum(f"last:{x}[{tokens},d], {table} -> logits:{x}[{tokens},V] @ {x}", "head")
    return then(one_kernel("last norm", reads=tuple(norms)), logits, name="head")


def named(operation: Operation, name: str, source: str, said: str = CONVENTION) -> Operation:
    """Return the operation with a name, source and convention, and with its FLOPs expanded."""

    def expanded(kernel: Kernel) -> Kernel:
        return kernel.on_units(lambda demand: {unit: amount.expand() for unit, amount in demand.items()})

    return operation.map_kernels(expanded, name=name, source=source, convention=said)


def of_kernels(model: Model, touched: str) -> str:
    """Return the counting convention of a pass, including that of experts if the model has any."""
    said = [CONVENTION, *([RECURRENT] if any(p.recurrence != 0 for p in model.parts) else [])]
    return "; ".join([*said, *([touched_text(touched)] if model.mixture else [])])


def weights(model: str = "standard", w: OwnFormat = None) -> Operation:
    """All weights of a model, read once.

    >>> weights("llama-2-7b").bytes() / 2                      # two bytes each
    6738415616
    """
    chosen_model = configuration(model)
    w = own_format(chosen_model, "bf16", w)
    return named(_weights(chosen_model, w), "weights", chosen_model.source)


def _weights(model: Model, w: str) -> Operation:
    def once(operation: Operation) -> Operation:
        held = {t.name: replace(t, times=Integer(1)) for t in operation.reads if is_weight(t)}
        return one_kernel(operation.name, reads=tuple(held.values()))

    x = "bf16"  # the format of activations, which are left out
    outside = once(then(_embedding(model, x, w), _head(model, x, w, False), name="ends"))
    stack = [repeat(once(one), n) for one, n in _layers(model, x, w, x, False, "all")]
    return sized(then(outside, *stack), ends(model)).as_one_kernel()


def parameters(model: Model | str) -> Expr:
    """Return the number of weights of a model, summed over its tensors.

    >>> parameters("llama-2-7b")
    6738415616
    >>> parameters("standard")                                 # 12 d^2 per layer, two tables, the norms
    N*(12*d**2 + 2*d) + 2*V*d + d

    Raises RoofproofError for an unknown model.
    """
    found = configuration(model) if isinstance(model, str) else model
    held = _weights(found, "int8")
    return sum((t.times * t.elements for t in held.reads), Integer(0)).expand().collect(dimension("N"))


def active_parameters(model: Model | str, *, embedding: bool = True) -> Expr:
    """Return the number of weights that one token uses: only the chosen experts, and optionally the embedding table.

    >>> active_parameters("mixtral-8x7b")                      # 2 of 8 experts
    12879925248

    Raises RoofproofError for an unknown model.
    """
    found = configuration(model) if isinstance(model, str) else model
    step = sized(forward(found, "int8", "int8", "int8", touched="least"), ends(found))
    used = (t for t in step.reads if is_weight(t) and t.name not in ("w_embedding", "w_positions"))
    total = sum((t.times * t.elements for t in used), Integer(0))
    tables = {t.name: t.elements for t in step.reads if t.name in ("w_embedding", "w_positions")}
    if embedding or found.tied:
        total += sum(tables.values(), Integer(0))
    return total.expand().collect(dimension("N"))


def kv_cache(x: OwnFormat = None, model: str = "") -> Operation:
    """Keys and values of S tokens in N layers, read once: 2 N S g k elements per sequence.

    >>> kv_cache().bytes()                                     # 2 tensors of 2 bytes
    4*B*N*S*g*k
    >>> kv_cache(model="llama-2-7b").bytes()                   # 4 * 32 layers * 32 heads * 128: half a mebibyte
    524288*B*S
    >>> kv_cache(model="deepseek-v3").bytes()                  # 2 bytes * 61 layers * (512 + 64)
    70272*B*S
    """
    found = configuration(model) if model else None
    x, S = cache_format(found, "bf16", x), dimension("S")
    if found is None:
        shape = tuple(map(dimension, "BNSgk"))
        held: tuple[Tensor, ...] = (Tensor("keys", shape, x), Tensor("values", shape, x))
    else:
        held = (*cached_tensors(found.parts, x, S), *states(found.parts, x))
    return one_kernel("kv-cache", reads=held, source=found.source if found else AINSLIE, convention="read once")


def model_layer(
    model: str = "standard", x: Format = "bf16", w: OwnFormat = None, mask: str = "full", touched: str = "most"
) -> Operation:
    """One layer of a model over B sequences of L tokens: norms, attention, and network or experts.

    >>> model_layer().flops.expand()
    4*B*L**2*d + 24*B*L*d**2
    >>> model_layer("llama-3-8b").flops.expand()               # grouped heads, three matrices
    16384*B*L**2 + 436207616*B*L
    """
    found, B, L = configuration(model), dimension("B"), dimension("L")
    parts = {part.name: part for part in found.parts}
    if not parts.keys() <= {"windowed", "attention", "network", "experts"}:
        raise RoofproofError(f"{found.name} has layers of several kinds; ask for a pass: prefill, or decode-step")
    own = own_format(found, x, w)
    halves = (parts.get("attention") or parts["windowed"], parts.get("experts") or parts["network"])
    one = then(*(part_operation(p, x, own, x, decode=False, touched=touched) for p in halves), name="layer")
    return named(
        sized(with_mask(one, found, mask), ends(found) | {"T": B * L}),
        "model-layer",
        found.source,
        of_kernels(found, touched),
    )


def own_format(found: Model, x: str, w: str | None) -> str:
    """Return the format of the weights. Raises RoofproofError if they are stored quantized and none is given."""
    if found.unquantized and w not in UNQUANTIZED:
        raise RoofproofError(
            "weights of <name> are quantized (<stored>), but not <others>; roofproof counts one format of weights, "
            "such as w=bf16 for all", name=found.name, stored=quoted(found.stored), others=found.unquantized,
        )  # fmt: skip
    if w is None and found.stored:
        raise RoofproofError(
            "weights of <name> are quantized (<stored>); choose the weight format, such as w=fp8, w=mxfp4 or w=bf16",
            name=found.name, stored=quoted(found.stored),
        )  # fmt: skip
    return w or x


def cache_format(found: Model | None, x: str, cache: str | None) -> str:
    """Return the format of keys and values. Raises RoofproofError if they are stored quantized and none is given."""
    if cache is None and found is not None and found.cache_stored:
        stored = f"{found.name} stores its keys and values as {found.cache_stored} says"
        raise RoofproofError(f"{stored}; say in which format they are counted, as in kv-cache:fp8 or cache=fp8")
    return cache or x


def prefill(
    model: str = "standard",
    x: Format = "bf16",
    w: OwnFormat = None,
    mask: str = "full",
    touched: str = "most",
    traffic: str = "kernels",
    tensor: str | int = 1,
    data: str | int = 1,
    link: str = "ici",
    data_link: str = "",
) -> Operation:
    """B sequences of L tokens at once, with the logits of the last token of each.

    `mask` selects the pairs of tokens that are computed: `full` for all L^2 (the usual convention), or `causal`. With
    `kernels` as `traffic`, each product writes its result. With `fused`, only weights and tokens are read and the cache
    is written, which no fusion avoids, and `tensor` chips split every layer and `data` groups of them the sequences.

    >>> op = prefill()                                         # 24 L d^2 + 4 L^2 d per layer, and the head
    >>> op.flops.expand()
    4*B*L**2*N*d + 24*B*L*N*d**2 + 2*B*V*d
    """
    found, B, L = configuration(model), dimension("B"), dimension("L")
    w = own_format(found, x, w)
    if found.cache_stored:
        stored = f"{found.name} stores its keys and values as {found.cache_stored} says"
        raise RoofproofError(f"{stored}; a prefill counts them in the format of the activations alone")
    op = with_mask(forward(found, x, w, x, touched=touched), found, mask)
    if by_kernels(traffic, tensor, data):
        return named(sized(op, ends(found) | {"T": B * L}), "prefill", found.source, of_kernels(found, touched))
    op = sized(
        inference(op, found, (), (*cached_tensors(found.parts, x, L), *states(found.parts, x))),
        ends(found) | {"T": B * L},
    )
    chips = Chips.read(found, tensor, data, link, data_link)
    said = chips.convention(touched, mask)
    return named(chips.share(op, B * L, x, passes=1), "prefill", found.source, said)


def with_mask(operation: Operation, found: Model, mask: str) -> Operation:
    """Return the operation with as many keys as queries, and without masked pairs if `mask` is `causal`."""
    L = dimension("L")
    attending = [(p, p.attention) for p in found.parts if p.attention is not None]
    equal = sized(operation, {"S": L} | {keys(part): heads.unmasked_keys(L) for part, heads in attending})
    if check_choice(mask, "mask", ("full", "causal")) == "full":
        return equal
    shares = {
        f"{label(p)}core": heads.pairs(L) / (L * heads.unmasked_keys(L)) for p, heads in attending if not heads.whole
    }
    compressed = [(p, heads) for p, heads in attending if heads.index_heads != 0 and heads.rate != 1]
    shares |= {f"{label(p)}index core": heads.compressed_pairs(L) / (L * heads.far(L)) for p, heads in compressed}
    return equal.map_kernels(lambda k: masked(k, shares.get(k.name)) if k.name.endswith("core") else k)


def decode_step(
    model: str = "standard",
    x: Format = "bf16",
    w: OwnFormat = None,
    cache: OwnFormat = None,
    touched: str = "most",
    traffic: str = "kernels",
    tensor: str | int = 1,
    data: str | int = 1,
    link: str = "ici",
    data_link: str = "",
) -> Operation:
    """One new token of each of B sequences, attending to S keys. The cache and every weight in use are read once.

    `touched`, the number of experts in use, is as in `mixture-of-experts`. Other arguments are as in `prefill`.

    >>> decode_step().flops.expand()                           # 24 d^2 + 4 S d per layer and sequence, and the head
    4*B*N*S*d + 24*B*N*d**2 + 2*B*V*d
    >>> decode_step("llama-2-7b", traffic="fused").bytes().expand().coeff(dimension("S"))       # keys and values
    524288*B
    """
    found, S, B = configuration(model), dimension("S"), dimension("B")
    w, cache = own_format(found, x, w), cache_format(found, x, cache)
    op = forward(found, x, w, cache, decode=True, touched=touched)
    values = ends(found) | {"T": B, "L": Integer(1)}
    values |= {keys(p): p.attention.seen(S) for p in found.parts if p.attention is not None}
    if by_kernels(traffic, tensor, data):
        return named(sized(op, values), "decode-step", found.source, of_kernels(found, touched))
    near = cached_tensors(found.parts, cache, S, read=True)
    held = [(t, t.shape[2]) for t in near if t.times == 1]
    whole = [t for t in near if t.times != 1]  # several tokens make a key, and the newest may not make one
    before, newest = (tuple(replace(t, times=at(n) / n) for t, n in held) for at in (lambda n: n - 1, lambda _: 1))
    state, renewed = states(found.parts, cache), states(found.parts, cache, renewed=True)
    op = sized(inference(op, found, (*before, *whole, *state), (*newest, *renewed)), values)
    chips = Chips.read(found, tensor, data, link, data_link)
    return named(chips.share(op, B, x, passes=1), "decode-step", found.source, chips.convention(touched))


def generate(
    model: str = "standard", x: Format = "bf16", w: OwnFormat = None, cache: OwnFormat = None, tokens: str | int = "t"
) -> Operation:
    """Prefill of L tokens, then t decode steps, the i-th of which attends to L + i keys.

    >>> op = generate()                                        # sum of L + i for i = 1 to t is L t + t (t + 1)/2
    >>> (op.flops - prefill().flops).expand().coeff(dimension("V"))
    2*B*d*t
    >>> (op.flops - prefill().flops).expand().subs(dimension("V"), 0).factor()
    2*B*N*d*t*(2*L + 12*d + t + 1)
    """
    found, L = configuration(model), dimension("L")
    t = positive(size_of(tokens, "tokens"), "tokens")
    steps = over(decode_step(model, x, w, cache), "S", L + 1, L + t)
    op = then(prefill(model, x, w), replace(steps, name=f"{t} decode steps"), name="generate")
    return named(op, "generate", found.source)


def inference(op: Operation, model: Model, reads: tuple[Tensor, ...], writes: tuple[Tensor, ...]) -> Operation:
    """Return a pass with the least traffic: its weights, `reads` and `writes` of the cache, and tokens in and out.

    An embedding table that is only used for lookups is not counted, as tokens may be equal.
    """
    B = dimension("B")
    [tokens] = [t for t in op.reads if t.name == "tokens"]
    weights = [t for t in op.reads if is_weight(t) and (model.tied or t.name != "w_embedding")]
    weights = [replace(t, times=Integer(1)) if t.name == "w_embedding" else t for t in weights]
    out = Tensor("next tokens", (B,), "int32")
    return op.as_one_kernel(reads=(tokens, *weights, *reads), writes=(*writes, out), exact=None)


@dataclass(frozen=True, slots=True)
class Chips:
    """The numbers of chips that split every layer and of groups of chips that split the sequences, and their links.

    >>> from roofproof.ops.models import model
    >>> Chips.read(model("llama-3-8b"), "8", 1, "nvlink", "").tensor
    8
    """

    model: Model
    tensor: Expr
    data: Expr
    link: str
    data_link: str

    @classmethod
    def read(cls, model: Model, tensor: str | int, data: str | int, link: str, data_link: str) -> Chips:
        """Return the chips for arguments as text. Raises RoofproofError if they do not divide the heads."""
        n, m = (positive(size_of(given, what), what) for given, what in ((tensor, "tensor"), (data, "data")))
        heads = model.attention.heads
        if (heads / n).is_integer is False and n.is_Integer:
            raise RoofproofError(f"tensor={n}: {n} chips do not divide the {heads} heads of {model.name}")
        return cls(model, n, m, link, data_link or link)

    @property
    def alone(self) -> bool:
        """Whether there is only one chip."""
        return bool(self.tensor == 1 and self.data == 1)

    def convention(self, touched: str, mask: str = "") -> str:
        """Return the counting convention, including the options that affect it."""
        said = [PRODUCTS]
        if mask:
            said += [LEFT_BY_MASKS if mask == "causal" else "all pairs of tokens"]
        if any(part.recurrence != 0 for part in self.model.parts):
            said += [RECURRENT]
        if self.model.mixture:
            said += [touched_text(touched)]
        return "; ".join([*said, FUSED, *([] if self.alone else [PER_CHIP])])

    def share(self, op: Operation, tokens: Expr, x: str, passes: int, gradients: Expr | None = None) -> Operation:
        """Return one chip's share of a pass over `tokens` tokens, or the pass itself for a single chip.

        The results of the layers are all-reduced `passes` times. `gradients` bytes are all-reduced over the groups.
        """
        if self.alone:
            return op
        n, m = self.tensor, self.data

        def cut(tensor: Tensor) -> Tensor:
            own = CACHE & {*tensor.name.split()}
            return replace(tensor, times=tensor.times / (n * m if own else n))

        traffic = [op.traffic]
        if n != 1:
            size = tokens / m * self.model.d * Rational(bytes_per_element(x))
            sums = all_reduce(n, size, Ring(self.link)).demand
            traffic += [{link: passes * self.model.halves * moved for link, moved in sums.items()}]
        if m != 1 and gradients is not None:
            traffic += [all_reduce(m, gradients / n, Ring(self.data_link)).demand]
        whole = [Eq(Mod(dimension("B"), m), 0), Eq(Mod(self.model.attention.heads, n), 0)]
        shared = op.as_one_kernel(
            work={name: amount / (n * m) for name, amount in op.compute.items()},
            exact=None,
            reads=tuple(map(cut, op.reads)),
            writes=tuple(map(cut, op.writes)),
            links=added(traffic),
        )
        return replace(shared, conditions=(*op.conditions, *(c for c in whole if c != True)), dims=())  # noqa: E712


def by_kernels(traffic: str, tensor: str | int, data: str | int) -> bool:
    """Return whether `traffic` is `kernels`. Several chips are an error then, as activation traffic is not split."""
    kernels = check_choice(traffic, "traffic", ("kernels", "fused")) == "kernels"
    if kernels and (str(tensor), str(data)) != ("1", "1"):
        raise RoofproofError("tensor= and data= require traffic=fused")
    return kernels


ENTRIES = (
    Entry("weights", weights, "every weight of a model", POPE, sizes="V: vocabulary, d: width, N: layers"),
    Entry(
        "kv-cache",
        kv_cache,
        "keys and values of every layer, read once",
        AINSLIE,
        sizes="B: batch, N: layers, S: sequence, g: groups, k: head width",
    ),
    Entry(
        "model-layer",
        model_layer,
        "a layer of a model over L tokens (mask: full or causal)",
        POPE,
        sizes="d: width, B: batch, L: sequence, h: heads, touched: experts",
    ),
    Entry(
        "prefill",
        prefill,
        "a model over L tokens (mask: full or causal)",
        POPE,
        sizes="V: vocabulary, d: width, B: batch, L: sequence, N: layers, h: heads, "
        "tensor: chips, data: chips, touched: experts",
    ),
    Entry(
        "decode-step",
        decode_step,
        "a model, one new token against S keys",
        POPE,
        sizes="V: vocabulary, d: width, B: batch, S: sequence, N: layers, h: heads, "
        "tensor: chips, data: chips, touched: experts",
    ),
    Entry(
        "generate",
        generate,
        "prefill, then t tokens in a growing context",
        POPE,
        sizes="V: vocabulary, d: width, B: batch, L: sequence, N: layers, h: heads, t: tokens = 128, tokens: tokens",
    ),
)
