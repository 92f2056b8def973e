"""A product of sharded tensors: which collectives it needs, their bytes, and what each chip computes.

1. No dimension summed over is cut: every chip multiplies what it has.
2. One operand is cut along it, the other is not: all-gather the one.
3. Both are cut over the same axis: products are partial sums, to be all-reduced, or reduce-scattered where the
   output is cut over that axis.
4. One axis cuts a dimension of each operand that the output keeps: no chip has the blocks off the diagonal, so
   one operand is all-gathered first (the one that the output does not want cut).

Source: Austin et al., How to Scale Your Model (2025), ch. 3, "Computation with sharded arrays".
"""

from dataclasses import dataclass

from sympy import Eq, Expr, Mod, Symbol
from sympy.logic.boolalg import Boolean

from roofproof.errors import RoofproofError, quoted
from roofproof.ops.combine import added
from roofproof.ops.network import collectives
from roofproof.ops.network.collectives import Collective
from roofproof.ops.network.meshes import Mesh
from roofproof.ops.network.topology import SCALING
from roofproof.ops.notation.layout import Axes, Layout, parts, read_layouts
from roofproof.ops.notation.typed_einsum import Einsum, common_format
from roofproof.ops.operation import Operation, one_kernel

_MAKE = {
    "all-gather": collectives.all_gather,
    "reduce-scatter": collectives.reduce_scatter,
    "all-reduce": collectives.all_reduce,
    "all-to-all": collectives.all_to_all,
}


@dataclass(frozen=True, slots=True)
class Communication:
    """A collective that a product needs: its kind, the layout before and after, the axis, the bytes V, and why.

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
    """A product of sharded tensors with what it takes: `communications` before and after the local product.

    `operands` and `product` are the layouts that the local product reads and makes; `output` is the one asked
    for; `cases` says which of the four cases of this module's first lines arose.

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
        """The axes that cut each loop of the local product."""
        found: dict[Symbol, Axes] = {}
        for layout in self.operands:
            found |= {d: axes for d, axes in layout.dims.items() if axes or d not in found}
        return found

    @property
    def busy(self) -> Axes:
        """The axes that divide the work; over the others it is done as often as they are long."""
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
        """What the formulas assume: that each axis divides the dimension it cuts."""
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

        The main memory is read for the operands as they are multiplied, and written for the product; what the
        collectives themselves read and write there is not counted.
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
    """Return a product in the notation of sharded tensors with the collectives inferred.

    >>> for c in sharded_einsum("X[B_X, D_Y] * W[D_Y, F] -> Z[B_X, F]").communications:
    ...     print(c)                                           # each chip along Y holds 2 (B/X) F bytes of sums
    all-reduce over Y: Z[B_X, F]{U_Y} -> Z[B_X, F], 2*B*F/X bytes
    >>> gathered = sharded_einsum("X[B_X, D] * W[D_X, F] -> Z[B_X, F]")
    >>> print(*gathered.communications, gathered.flops)        # 2BDF over X chips
    all-gather over X: W[D_X, F] -> W[D, F], 2*D*F bytes 2*B*D*F/X

    `over` is the mesh; without it each axis in the text is a ring of symbolic size over `ici`. One operand
    alone is laid out anew (`A[I_X, J] -> A[I, J_X]`: an all-to-all). Raises RoofproofError, framed with the
    text, for an axis used twice in a tensor, an unknown axis, or dimensions that do not match.
    """
    operands, output, compute, mesh = read_layouts(text, over)
    try:
        return _Plan(operands, output, mesh).run(compute)
    except RoofproofError as problem:
        raise RoofproofError(f"in {quoted(text, 200)}: {problem}") from None


class _Plan:
    """Layouts as they change, and the communications that change them."""

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
        """Give the dimensions that both operands have the same cut: the leading axes they agree on."""
        first, second = self.operands
        for d in [d for d in first.tensor.shape if d in second.tensor.shape]:
            summed = d not in self.output.tensor.shape
            for i, j in ((0, 1), (1, 0)):
                own, other = self.operands[i].dims[d], self.operands[j].dims[d]
                same = _agreed(own, other)
                if same == own:
                    continue
                if not summed and same == other and not set(own[len(same) :]) & set(self.operands[j].used):
                    self.operands[j] = self.operands[j].cut(d, own)  # the other operand is there whole: a slice
                    continue
                self.cases.add(2)
                apart = f"{d} is cut over {', '.join(own)} here and over {', '.join(other)} there"
                alone = f"{d} is cut in {self.operands[i].tensor.name} alone"
                self.gather(i, d, len(same), apart if other else alone)

    def part_conflicts(self) -> None:
        """No axis may cut two loops: gather the operand that the output does not want cut."""
        for axis in self.operands[0].used:
            # An earlier gather may have taken this axis away too: then it cuts nothing any more.
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
        """Cut loops as the output wants, where no axis is in the way: that takes no bytes and saves FLOPs."""
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
        """Sum over the axes that the output does not leave unreduced, scattered where it is cut over them."""
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
        """Take away the cuts that the output does not want: moved to another dimension, or gathered."""
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
