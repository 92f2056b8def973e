"""Work split over chips: sharded products with the collectives they need, and strategies made of such products.

1. No summed dimension is split: every chip multiplies its parts.
2. A summed dimension is split in one operand only: all-gather that operand.
3. A summed dimension is split over the same axis in both: products are partial sums, to be all-reduced, or
   reduce-scattered if the output is split over that axis.
4. One axis splits a dimension of each operand that the output keeps: no chip has the blocks off the diagonal, so
   one operand is all-gathered first (the one that the output does not need split).

The strategies split a feed-forward layer In[B, D] W_in[D, F] W_out[F, D] of B tokens: axis X for the batch, axis Y for
the model, as in the source. strategies.toml lists the products of each. The notation determines the collectives that
each strategy needs, and their bytes.

Sources: Austin et al., How to Scale Your Model (2025), ch. 3, "Computation with sharded arrays", and ch. 5, "How to
parallelize a Transformer for training"; FSDP is ZeRO-3: Rajbhandari et al., ZeRO (2020); tensor parallel: Shoeybi et
al., Megatron-LM (2019).
"""

import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

import sympy
from sympy import Add, Eq, Expr, Integer, Mod, Symbol
from sympy.logic.boolalg import Boolean

from roofproof.errors import RoofproofError, quoted, refuse_unknown
from roofproof.formats import canonical
from roofproof.ops.combine import Size, added, positive
from roofproof.ops.network.collectives import (
    SCALING,
    Amount,
    Collective,
    Ring,
    Topology,
    all_gather,
    all_reduce,
    all_to_all,
    point_to_point,
    reduce_scatter,
)
from roofproof.ops.notation.layout import Axes, Layout, Mesh, mesh, parts, read_layouts
from roofproof.ops.notation.typed_einsum import Einsum, common_format
from roofproof.ops.operation import Operation, one_kernel
from roofproof.ops.tensor import Tensor
from roofproof.symbols import dimension

TRAINING = "Austin et al., How to Scale Your Model (2025), ch. 5"
Over = Topology | Mapping[str, Topology] | None
LEPIKHIN = "Lepikhin et al., GShard (2020), section 3; Austin et al., How to Scale Your Model (2025), ch. 5"
HUANG = "Huang et al., GPipe (2019), section 2.3"
_MAKE: dict[str, Callable[..., Collective]] = {
    "all-gather": all_gather, "reduce-scatter": reduce_scatter, "all-reduce": all_reduce, "all-to-all": all_to_all,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Communication:
    """A collective that a product needs: its kind, the layouts before and after, the axis, the bytes V, and a reason.

    >>> [step] = sharded_einsum("A[I_X, J] -> A[I, J]").communications
    >>> step.kind, step.size, step.because
    ('all-gather', 2*I*J, 'the output does not want I cut over X')
    """

    kind: str
    before: Layout
    after: Layout
    axis: str
    size: Expr
    because: str

    def __str__(self) -> str:
        return f"{self.kind} over {self.axis}: {self.before} -> {self.after}, {self.size} bytes"


@dataclass(frozen=True, slots=True)
class ShardedEinsum:
    """A product of sharded tensors with the `communications` it needs before and after the local product.

    `operands` and `product` are the layouts that the local product reads and writes. `output` is the requested
    layout. `cases` lists which of the four cases in the docstring of this module occurred.

    >>> plan = sharded_einsum("A[I, J_X] * B[J_X, K] -> C[I, K_X]")
    >>> plan.cases, plan.flops, str(plan.product)
    ((3,), 2*I*J*K/X, 'C[I, K]{U_X}')
    """

    operands: tuple[Layout, ...]
    product: Layout
    output: Layout
    mesh: Mesh
    communications: tuple[Communication, ...]
    cases: tuple[int, ...]
    einsum: Einsum

    @property
    def loops(self) -> dict[Symbol, Axes]:
        """The axes that split each loop of the local product."""
        found: dict[Symbol, Axes] = {}
        for layout in self.operands:
            found |= {d: axes for d, axes in layout.dims.items() if axes or d not in found}
        return found

    @property
    def busy(self) -> Axes:
        """The axes that split the work. Over the other axes it is replicated."""
        return tuple(axis for axes in self.loops.values() for axis in axes)

    @property
    def flops(self) -> Expr:
        """FLOPs of one chip."""
        return self.einsum.flops / parts(self.busy, self.mesh)

    @property
    def collectives(self) -> tuple[Collective, ...]:
        """The communications as collectives over the networks of the mesh, in order."""
        return tuple(
            _MAKE[c.kind](self.mesh.size(c.axis), c.size, self.mesh.networks[c.axis]) for c in self.communications
        )

    @property
    def conditions(self) -> tuple[Boolean, ...]:
        """The assumptions of the formulas: each axis divides the dimension that it splits."""
        changed = (layout for c in self.communications for layout in (c.before, c.after))
        every = (*self.operands, self.product, self.output, *changed)
        cuts = {(d, parts(axes, self.mesh)): None for layout in every for d, axes in layout.dims.items() if axes}
        divides = (Eq(Mod(d, n), 0) for d, n in cuts)
        more = (c for collective in self.collectives for c in collective.conditions)
        return tuple(dict.fromkeys(c for c in (*divides, *more) if c != True))  # noqa: E712

    def operation(self, name: str | None = None) -> Operation:
        """Return the work of one chip: its share of the product, and bytes over the links.

        >>> op = sharded_einsum("x[B, D_n] * w[D_n, F] -> z[B, F]").operation()
        >>> op.demands                                         # 2 (n - 1)/n of the 2BF bytes of partial sums
        {'bf16': 2*B*D*F/n, 'memory': 2*B*D/n + 2*B*F + 2*D*F/n, 'ici': 4*B*F*(n - 1)/n}

        The main memory traffic is that of the local product, which reads its operands and writes its result. The
        reads and writes of the collectives are not counted.
        """
        busy = {self.einsum.compute: self.flops} if self.flops != 0 else {}
        return one_kernel(
            name or str(self),
            work=busy,
            reads=tuple(layout.local(self.mesh) for layout in self.operands) if busy else (),
            writes=(self.product.local(self.mesh),) if busy else (),
            links=added(collective.demand for collective in self.collectives),
            source=SCALING,
            convention=f"{self.einsum.convention}; per chip; bytes per direction of a link",
            conditions=self.conditions,
        )

    def __str__(self) -> str:
        return f"{' * '.join(map(str, self.operands))} -> {self.output}"


def sharded_einsum(text: str, over: Mesh | None = None) -> ShardedEinsum:
    """Return a product in the notation of sharded tensors, with its collectives inferred.

    >>> for c in sharded_einsum("X[B_X, D_Y] * W[D_Y, F] -> Z[B_X, F]").communications:
    ...     print(c)                                           # each chip along Y holds 2 (B/X) F bytes of sums
    all-reduce over Y: Z[B_X, F]{U_Y} -> Z[B_X, F], 2*B*F/X bytes
    >>> gathered = sharded_einsum("X[B_X, D] * W[D_X, F] -> Z[B_X, F]")
    >>> print(*gathered.communications, gathered.flops)        # 2BDF over X chips
    all-gather over X: W[D_X, F] -> W[D, F], 2*D*F bytes 2*B*D*F/X

    `over` is the mesh. Without it each axis in the text is a ring of symbolic size over `ici`. A single operand
    is resharded (`A[I_X, J] -> A[I, J_X]`: an all-to-all). Raises RoofproofError, which quotes the text, for an
    axis used twice in a tensor, an unknown axis, or dimensions that do not match.
    """
    operands, output, compute, mesh = read_layouts(text, over)
    try:
        return _Plan(operands, output, mesh).run(compute)
    except RoofproofError as problem:
        raise RoofproofError(f"in {quoted(text, 200)}: {problem}") from None


class _Plan:
    """The current layouts, and the communications so far."""

    def __init__(self, operands: tuple[Layout, ...], output: Layout, over: Mesh) -> None:
        self.operands, self.output, self.mesh = list(operands), output, over
        self.done: list[Communication] = []
        self.cases: set[int] = set()
        self.check()

    def check(self) -> None:
        tensors = [layout.tensor for layout in self.operands]
        told = "; ".join(f"{t.name} has {', '.join(map(str, t.shape)) or 'none'}" for t in tensors)
        for d in self.output.tensor.shape:
            if not any(d in t.shape for t in tensors):
                raise RoofproofError(f"dimension {d} of {self.output.tensor.name} is in no operand; {told}")
        for layout in self.operands:
            for d in layout.tensor.shape:
                if d not in self.output.tensor.shape and sum(d in t.shape for t in tensors) < 2:
                    alone = f"is in no other operand and not in {self.output.tensor.name}"
                    raise RoofproofError(f"dimension {d} of {layout.tensor.name} {alone}; {told}")
            if layout.partial and len(self.operands) > 1:
                raise RoofproofError(f"{layout} holds partial sums; reduce it before a product")

    def run(self, compute: str | None) -> ShardedEinsum:
        if len(self.operands) == 1:
            [start] = self.operands
            busy: Axes = start.partial
            result = Layout(self.output.tensor, tuple(start.dims[d] for d in self.output.tensor.shape), busy)
        else:
            self.align()
            self.part_conflicts()
            self.slice_for_output()
            result = self.multiply()
        inputs = tuple(layout.tensor for layout in self.operands)
        einsum = Einsum(inputs, self.output.tensor, compute or common_format([t.dtype for t in inputs]))
        operands = tuple(self.operands)
        self.lay_out(self.reduce(result))
        return ShardedEinsum(
            operands, result, self.output, self.mesh, tuple(self.done), tuple(sorted(self.cases)) or (1,), einsum
        )

    # --- before the product -------------------------------------------------------------------------

    def align(self) -> None:
        """Split the dimensions that both operands have in the same way: over the leading axes on which they agree."""
        first, second = self.operands
        for d in [d for d in first.tensor.shape if d in second.tensor.shape]:
            summed = d not in self.output.tensor.shape
            for i, j in ((0, 1), (1, 0)):
                own, other = self.operands[i].dims[d], self.operands[j].dims[d]
                same = _agreed(own, other)
                if same == own:
                    continue
                if not summed and same == other and not set(own[len(same) :]) & set(self.operands[j].used):
                    self.operands[j] = self.operands[j].cut(d, own)  # the other operand is complete: take a slice
                    continue
                self.cases.add(2)
                apart = f"{d} is cut over {', '.join(own)} here and over {', '.join(other)} there"
                alone = f"{d} is cut in {self.operands[i].tensor.name} alone"
                self.gather(i, d, len(same), apart if other else alone)

    def part_conflicts(self) -> None:
        """Resolve axes that split two loops: gather the operand that the output does not need split."""
        for axis in self.operands[0].used:
            # An earlier gather may have removed this axis, too.
            cut = [next((d for d, axes in layout.dims.items() if axis in axes), None) for layout in self.operands]
            if None in cut or cut[0] == cut[1]:
                continue
            wanted = next((d for d, axes in self.output.dims.items() if axis in axes), None)
            loser = 0 if wanted == cut[1] else 1
            where: Axes = self.operands[loser].dims[cut[loser]]
            self.cases.add(4)
            self.gather(loser, cut[loser], where.index(axis), f"{axis} cuts {cut[0]} and {cut[1]}, both kept")

    def gather(self, i: int, d: Symbol, keep: int, because: str) -> None:
        while len(axes := self.operands[i].dims[d]) > keep:
            self.operands[i] = self.collect(self.operands[i], d, axes, because)

    def collect(self, before: Layout, d: Symbol, axes: Axes, because: str) -> Layout:
        after = before.cut(d, axes[:-1])
        self.done.append(Communication("all-gather", before, after, axes[-1], after.local(self.mesh).bytes, because))
        return after

    def slice_for_output(self) -> None:
        """Split loops as the output needs if the axes are free: that moves no bytes and saves FLOPs."""
        for d, wanted in self.output.dims.items():
            have = next(layout.dims[d] for layout in self.operands if d in layout.dims)
            more = wanted[len(have) :]
            if not more or wanted[: len(have)] != have or any(set(more) & set(o.used) for o in self.operands):
                continue
            self.operands = [o.cut(d, wanted) if d in o.dims else o for o in self.operands]

    def multiply(self) -> Layout:
        cut = {d: axes for layout in self.operands for d, axes in layout.dims.items()}
        summed = [d for d in self.operands[0].dims if d not in self.output.tensor.shape]
        partial = tuple(axis for d in summed for axis in cut[d])
        if partial:
            self.cases.add(3)
        return Layout(self.output.tensor, tuple(cut[d] for d in self.output.tensor.shape), partial)

    # --- after the product --------------------------------------------------------------------------

    def reduce(self, have: Layout) -> Layout:
        """Sum over the axes that the output does not leave unreduced, by reduce-scatter if it is split over them."""
        for axis in self.output.partial:
            if axis not in have.partial:
                due = f"{self.output} is to hold partial sums over {axis}"
                raise RoofproofError(f"{due}, but nothing is summed over it")
        scattered = True
        while scattered:
            scattered = False
            for axis in have.partial:
                for d, wanted in self.output.dims.items():
                    if wanted[: len(have.dims[d]) + 1] == (*have.dims[d], axis):
                        have, scattered = self.sum(have, axis, d), True
                        break
        for axis in have.partial:
            if axis not in self.output.partial:
                have = self.sum(have, axis, None)
        return have

    def sum(self, before: Layout, axis: str, d: Symbol | None) -> Layout:
        left = tuple(a for a in before.partial if a != axis)
        after = Layout(before.tensor, before.axes, left)
        if d is not None:
            after = after.cut(d, (*before.dims[d], axis))
        kind = "all-reduce" if d is None else "reduce-scatter"
        size = before.local(self.mesh).bytes
        self.done.append(Communication(kind, before, after, axis, size, f"partial sums over {axis}"))
        return after

    def lay_out(self, have: Layout) -> None:
        """Remove the splits that the output does not have, by moving them to another dimension or by gathering."""
        while extra := [d for d, axes in have.dims.items() if self.output.dims[d][: len(axes)] != axes]:
            moves = [(d, e) for d in extra for e, wanted in self.output.dims.items()
                     if wanted[: len(have.dims[e]) + 1] == (*have.dims[e], have.dims[d][-1])]  # fmt: skip
            if not moves:
                d = extra[0]
                have = self.collect(have, d, have.dims[d], f"the output does not want {d} cut over {have.dims[d][-1]}")
                continue
            d, e = moves[0]
            axis = have.dims[d][-1]
            after = have.cut(d, have.dims[d][:-1]).cut(e, (*have.dims[e], axis))
            size = have.local(self.mesh).bytes * self.mesh.size(axis)
            self.done.append(Communication("all-to-all", have, after, axis, size, f"{axis} moves from {d} to {e}"))
            have = after


def _agreed(one: Axes, other: Axes) -> Axes:
    n = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return one[:n]


@dataclass(frozen=True, slots=True)
class Strategy:
    """A sequence of sharded products, with the FLOPs and the link traffic of one chip.

    >>> layer = fsdp()
    >>> layer.flops, layer.demand                              # 4BDF/X; both weights gathered: (X - 1)/X of 4DF
    (4*B*D*F/X, {'ici': 4*D*F*(X - 1)/X})
    """

    name: str
    products: tuple[ShardedEinsum, ...]
    mesh: Mesh

    @property
    def flops(self) -> Expr:
        """FLOPs of one chip."""
        return Add(*(product.flops for product in self.products))

    @property
    def communications(self) -> tuple[Communication, ...]:
        """Every collective with its tensor, in order."""
        return tuple(c for product in self.products for c in product.communications)

    @property
    def collectives(self) -> tuple[Collective, ...]:
        """Every collective with its load, in order."""
        return tuple(c for product in self.products for c in product.collectives)

    def along(self, axis: str) -> dict[str, Expr]:
        """Return the bytes over each link that the collectives along one axis of the mesh move.

        Raises RoofproofError for an unknown axis.
        """
        self.mesh.size(axis)
        pairs = zip(self.communications, self.collectives, strict=True)
        return added(collective.demand for c, collective in pairs if c.axis == axis)

    @property
    def demand(self) -> dict[str, Expr]:
        """The bytes over each link, summed over all axes."""
        return added(collective.demand for collective in self.collectives)

    def operation(self) -> Operation:
        """Return the strategy as an operation of one chip: its FLOPs and link traffic, without the main memory."""
        [compute] = {product.einsum.compute for product in self.products}
        conditions = dict.fromkeys(c for product in self.products for c in product.conditions)
        return one_kernel(
            self.name,
            work={compute: self.flops},
            links=self.demand,
            source=TRAINING,
            convention="2 FLOPs per multiply-add; per chip; bytes per direction of a link; main memory left out",
            conditions=tuple(conditions),
            dims=tuple(d for product in self.products for d in product.loops),
        )


def data_parallel(X: Size = "X", over: Over = None, part: str = "step") -> Strategy:
    """Return data parallelism over X chips: the batch is split, and gradients are all-reduced in the backward pass.

    >>> data_parallel(part="forward").demand, data_parallel(part="backward").demand   # 2 (X-1)/X of 2DF, twice
    ({}, {'ici': 8*D*F*(X - 1)/X})

    `part` is "forward", "backward" or "step" (both). `over` is the topology of the mesh. Raises RoofproofError for
    another part, or more chips than the topology joins.
    """
    return _strategy("data-parallel", part, over, X=X)


def fsdp(X: Size = "X", over: Over = None, part: str = "forward") -> Strategy:
    """Return FSDP over X chips: batch and weights are split, weights gathered for use, gradients reduce-scattered.

    >>> fsdp(part="step").demand == data_parallel(part="step").demand      # no: FSDP also gathers in the forward pass
    False

    Arguments and errors as for `data_parallel`.
    """
    return _strategy("fsdp", part, over, X=X)


def tensor_parallel(Y: Size = "Y", over: Over = None, part: str = "forward") -> Strategy:
    """Return tensor parallelism over Y chips: activations are gathered before and reduce-scattered after the layer.

    >>> tensor_parallel().demand                               # (Y - 1)/Y of 2BD, twice
    {'ici': 4*B*D*(Y - 1)/Y}

    Arguments and errors as for `data_parallel`.
    """
    return _strategy("tensor-parallel", part, over, Y=Y)


def fsdp_tensor_parallel(X: Size = "X", Y: Size = "Y", over: Over = None, part: str = "forward") -> Strategy:
    """Return FSDP over X with tensor parallelism over Y: each moves tensors that the other has already split.

    >>> mixed = fsdp_tensor_parallel()
    >>> mixed.along("X"), mixed.along("Y")                     # weights 4DF/Y, activations 4BD/X
    ({'ici': 4*D*F*(X - 1)/(X*Y)}, {'ici': 4*B*D*(Y - 1)/(X*Y)})

    Arguments and errors as for `data_parallel`.
    """
    return _strategy("fsdp-tensor-parallel", part, over, X=X, Y=Y)


def _strategy(name: str, part: str, over: Over, **sizes: Size) -> Strategy:
    parts = {"forward": ("forward",), "backward": ("backward",), "step": ("forward", "backward")}
    refuse_unknown("part of a step", part, parts)
    cut = mesh(over, **sizes)
    products = tuple(sharded_einsum(text, cut) for one in parts[part] for text in _products()[name][one])
    return Strategy(f"{name} {part}", products, cut)


@cache
def _products() -> dict[str, dict[str, list[str]]]:
    with open(os.path.join(os.path.dirname(__file__), "strategies.toml"), "rb") as file:
        return tomllib.load(file)


@dataclass(frozen=True, slots=True)
class ExpertParallel:
    """Two all-to-alls, `dispatch` and `combine`, around the experts' products, per chip, with balanced routing.

    >>> expert_parallel(Z=4, k=2).dispatch.size                # 2 bytes for each of B D, sent to 2 experts
    4*B*D
    """

    flops: Expr
    dispatch: Collective
    combine: Collective
    compute: str

    def operation(self) -> Operation:
        """Return the forward pass as an operation of one chip: FLOPs and link traffic, without the main memory."""
        return one_kernel(
            "expert-parallel forward",
            work={self.compute: self.flops},
            links=added((self.dispatch.demand, self.combine.demand)),
            source=LEPIKHIN,
            convention="balanced routing; 2 FLOPs per multiply-add; per chip; bytes per direction of a link",
            conditions=self.dispatch.conditions,
        )


def expert_parallel(
    Z: Size = "Z", k: Size = "k", over: Topology | None = None, dtype: str = "bf16", matrices: int = 2
) -> ExpertParallel:
    """Return the forward pass of B tokens, each sent to k experts, with the experts split over Z chips.

    >>> op = expert_parallel().operation()
    >>> op.flops                                               # 2 matrices, 2 FLOPs: 4 k B D F over Z chips
    4*B*D*F*k/Z
    >>> op.bytes("ici")                                        # 2 k B D bytes there and back, (Z - 1)/(2 Z) of each
    2*B*D*k*(Z - 1)/Z

    The number of experts does not matter: it changes the weights, not the cost of a token. `matrices` is 3 for
    gated experts. Raises RoofproofError for sizes that are not positive integers.
    """
    chips = positive(Z, "chips")
    B, D, F, chosen = dimension("B"), dimension("D"), dimension("F"), positive(k, "experts of a token")
    sent = chosen * Tensor("tokens", (B, D), dtype).bytes
    network = Ring() if over is None else over
    flops = Integer(2) * positive(matrices, "matrices") * chosen * B * D * F / chips
    there = all_to_all(chips, sent, network)
    return ExpertParallel(flops, there, all_to_all(chips, sent, network), canonical(dtype))


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A pipeline of p stages and m microbatches, with one unit of time per stage and microbatch.

    >>> line = pipeline(p=4, m=12)
    >>> line.slots, line.bubble, line.overhead                 # 4 - 1 + 12 slots, 12 of them busy: 3/15 and 3/12
    (15, 1/5, 1/4)
    """

    stages: Expr
    microbatches: Expr

    @property
    def slots(self) -> Expr:
        """The units of time from the first microbatch in to the last one out: m + p - 1."""
        return self.microbatches + self.stages - 1

    @property
    def bubble(self) -> Expr:
        """The fraction of the time that a stage idles: (p - 1)/(m + p - 1)."""
        return sympy.factor_terms((self.slots - self.microbatches) / self.slots)

    @property
    def overhead(self) -> Expr:
        """The idle time relative to the busy time: (p - 1)/m, the other usual meaning of bubble."""
        return (self.slots - self.microbatches) / self.microbatches

    @property
    def slowdown(self) -> Expr:
        """The time relative to stages that never idle: (m + p - 1)/m."""
        return self.slots / self.microbatches

    def operation(self, over: Topology | None = None, dtype: str = "bf16") -> Operation:
        """Return the forward pass of N feed-forward layers as an operation of one chip, without the main memory.

        >>> stage = pipeline(p=4).operation()
        >>> stage.flops, stage.bytes("ici")                    # N/4 layers of 4BDF; the B tokens of width D sent once
        (B*D*F*N, 2*B*D)

        A chip idles while the pipeline fills and drains, so the time is `slowdown` times as long.
        """
        B, D, F, N = map(dimension, "BDFN")
        sent = self.transfer(Tensor("tokens", (B, D), dtype).bytes, over)
        return one_kernel(
            "pipeline-parallel forward",
            work={dtype: 4 * B * D * F * N / self.stages},
            links={link: sympy.expand(moved * self.microbatches) for link, moved in sent.demand.items()},
            source=HUANG,
            convention="2 FLOPs per multiply-add; per chip; bytes per direction of a link; the bubble is not counted",
            conditions=tuple(c for c in (Eq(Mod(N, self.stages), 0), Eq(Mod(B, self.microbatches), 0)) if c != True),  # noqa: E712
            dims=(B, D, F, N),
        )

    def transfer(self, V: Amount = "V", over: Topology | None = None) -> Collective:
        """Return the transfer of one microbatch from a stage to the next. V is the bytes of the whole batch.

        >>> pipeline(p=4, m=8).transfer().demand               # an eighth of the batch at a time
        {'ici': V/8}
        """
        whole = point_to_point(V, 1, over)
        return point_to_point(whole.size / self.microbatches, 1, whole.over)


def pipeline(p: Size = "p", m: Size = "m") -> Pipeline:
    """Return the pipeline of p stages and m microbatches.

    >>> pipeline().bubble
    (p - 1)/(m + p - 1)

    It applies to a forward pass, and to a forward pass followed by a backward pass (GPipe). Raises RoofproofError for
    counts that are not positive integers. Source: Huang et al., GPipe (2019), section 2.3.
    """
    return Pipeline(positive(p, "stages"), positive(m, "microbatches"))
