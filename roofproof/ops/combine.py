"""Functions that combine operations: each takes operations and returns a new one, as a list of kernels.

`at` substitutes sizes. `then` and `repeat` run kernels one after the other, and `over` sums over a loop. `fuse`,
`beside` and `tile` make one kernel. `shard` splits the work over chips. `backward` returns the backward pass.
`with_formats` and `over_level` change the number formats and the memory level that is counted.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import TypeAlias

import sympy
from sympy import (
    Add,
    Eq,
    Expr,
    Integer,
    Le,
    Max,
    Mod,
    Mul,
    Poly,
    Symbol,
    SympifyError,
    degree,
    fraction,
    summation,
    sympify,
)
from sympy.logic.boolalg import Boolean

from roofproof.errors import RoofproofError, quoted, refuse_unknown, unknown
from roofproof.formats import is_complex
from roofproof.ops.notation.at_sizes import at_sizes
from roofproof.ops.notation.contraction import vector_unit
from roofproof.ops.notation.typed_einsum import Einsum
from roofproof.ops.operation import Demand, Kernel, Operation, added, tensor_names
from roofproof.ops.resources import MEMORY, channel
from roofproof.ops.roles import Role, role
from roofproof.ops.tensor import Tensor, is_positive
from roofproof.symbols import dimension

__all__ = [
    "Size", "added", "at", "axis", "backward", "beside", "fuse", "gradients", "over", "over_level", "positive",
    "product_of", "repeat", "shard", "then", "tile", "with_formats",
]  # fmt: skip

Size: TypeAlias = int | str | Expr


def positive(value: Size, what: str) -> Expr:
    """Return a positive integer size from a number, an expression, or the name of a new dimension."""
    if isinstance(value, str):
        if not value.isidentifier() or not value.isascii():
            raise RoofproofError(f"{what}: expected a name, a whole number or an expression, got {quoted(value)}")
        return dimension(value)
    try:
        exact = sympify(value, strict=True) if not isinstance(value, float) else None
    except SympifyError:  # not a number, for example a list or a topology
        exact = None
    if exact is None or not exact.is_positive or exact.is_integer is False:
        raise RoofproofError(f"{what}: expected a positive integer, got {quoted(value)}")
    return exact


def axis(operation: Operation, name: str | Symbol) -> Symbol:
    """Return the dimension with that name, or raise RoofproofError with the dimensions of the operation."""
    for symbol in operation.dims:
        if str(symbol) == str(name):
            return symbol
    raise unknown("dimension", str(name), map(str, operation.dims), of=operation.name)


def product_of(operation: Operation, what: str, operands: int | None = 2) -> Einsum:
    """Return the einsum of an operation, with at most `operands` inputs. Errors begin with `what`, the caller."""
    found = operation.product
    reads = len(operation.reads)
    if operands is not None and reads > operands:
        several = f"is one of {reads} tensors"
        raise RoofproofError(f"{what} needs a product of two tensors, and {quoted(operation.name)} {several}")
    if reads > 2 and (found is None or found.order is not None) and not operation.parts:
        none = f"every tensor moved once; {quoted(operation.name)} is none"
        raise RoofproofError(f"{what} needs a product written without parentheses, {none}")
    if found is None:
        raise RoofproofError(f"{what} needs a single einsum, and {quoted(operation.name)} is none")
    return found


# --- sizes and sequences ----------------------------------------------------------------------------


def at(operation: Operation, **sizes: Size) -> Operation:
    """Return the operation with sizes substituted for dimensions, all at once.

    >>> from roofproof.ops import parse_operation
    >>> at(parse_operation("matmul"), D=4096, F="D").flops                      # 2 B 4096 D
    8192*B*D

    Raises RoofproofError for an unknown dimension, a size that is not a positive integer, or sizes that violate
    a condition of the operation, such as a shard that does not divide them.
    """
    new = {axis(operation, name): positive(value, f"at {name}") for name, value in sizes.items()}
    for condition in operation.conditions:
        if at_sizes(condition, new) == False:  # noqa: E712
            given = ", ".join(f"{s}={value}" for s, value in new.items() if s in condition.free_symbols)
            raise RoofproofError(f"at {given}: {quoted(operation.name)} needs {_in_words(condition)}, which is false")

    def substituted(amount: Expr) -> Expr:
        return at_sizes(amount, new)

    conditions = map(substituted, operation.conditions)
    return operation.mapped(
        substituted,
        lambda tensor: tensor.mapped(substituted),
        {s for pair in new.items() for e in pair for s in e.free_symbols},
        conditions=tuple(c for c in conditions if c != True),  # noqa: E712
        roles=_roles(operation, new),
    )


def _in_words(condition: Boolean) -> str:
    if isinstance(condition, Eq) and isinstance(condition.lhs, Mod) and condition.rhs == 0:
        whole, part = condition.lhs.args
        return f"{whole} divisible by {part}"
    return str(condition)


def _roles(operation: Operation, new: dict[Symbol, Expr]) -> dict[str, Role]:
    """Return the roles of the remaining sizes. A renamed size keeps its role."""
    names = {str(s): str(value) for s, value in new.items()}
    kept = {name: role for name, role in operation.roles.items() if name not in names}
    return {names[name]: role for name, role in operation.roles.items() if names.get(name, "").isidentifier()} | kept


def then(*operations: Operation, name: str | None = None, source: str = "") -> Operation:
    """Return a sequence of operations as one operation.

    >>> from roofproof.ops import einsum
    >>> up = einsum("x:bf16[B,D], u:bf16[D,F] -> h:bf16[B,F]", "up")
    >>> down = einsum("h:bf16[B,F], v:bf16[F,D] -> y:bf16[B,D]", "down")
    >>> both = then(up, down)
    >>> both.flops, len(both.kernels)                          # 2BDF + 2BDF
    (4*B*D*F, 2)

    Demands add, as do the steps of collectives. The time of the sequence is the sum of its kernels' times, each a
    maximum over resources. If everything overlaps, the bound is the maximum over the added demands. Raises
    RoofproofError if no operation is given.
    """
    if not operations:
        raise RoofproofError("then needs at least one operation")
    return Operation(
        name or " then ".join(op.name for op in operations),
        tuple(kernel for op in operations for kernel in op.kernels),
        conditions=tuple(dict.fromkeys(c for op in operations for c in op.conditions)),
        source=source or "; ".join(dict.fromkeys(op.source for op in operations if op.source)),
        convention="; ".join(dict.fromkeys(op.convention for op in operations if op.convention)),
        lower_bound=next((op.lower_bound for op in operations if op.lower_bound), ""),
        dims=tuple(dict.fromkeys(s for op in operations for s in op.dims)),
        roles={name: role for op in reversed(operations) for name, role in op.roles.items()},
    )


def repeat(operation: Operation, n: Size, *, name: str | None = None) -> Operation:
    """Return the operation repeated n times in sequence, where n may be a symbol.

    >>> from roofproof.ops import einsum
    >>> layers = repeat(einsum("bf16[B,D], bf16[D,F] -> [B,F]"), "L")
    >>> layers.flops                                           # L layers of 2BDF
    2*B*D*F*L

    Every tensor moves n times as often and keeps its size. Raises RoofproofError for an n that is not a positive
    integer.
    """
    times = positive(n, "repeat")
    return operation.map_kernels(
        lambda k: replace(k, times=k.times * times), name=name or f"{times} x {operation.name}"
    )


def over(operation: Operation, name: str, first: Size, last: Size) -> Operation:
    """Return the operation summed over the values of a dimension from `first` to `last`, in closed form.

    >>> from roofproof.ops import einsum
    >>> from roofproof.symbols import dimension
    >>> L, t = dimension("L"), dimension("t")
    >>> scores = einsum("q:bf16[k], keys:bf16[S,k] -> s:bf16[S]")
    >>> over(scores, "S", L + 1, L + t).flops.factor()         # sum of 2 k (L + i) for i = 1 to t
    k*t*(2*L + t + 1)
    >>> over(scores, "S", 3, 6).tensors[0].traffic              # 2 k bytes of q in each of the four steps
    8*k

    A tensor has its size at the last value, and its `times` is chosen so that its traffic is the sum. A kernel
    represents all its runs, so its time is a lower bound on the sum of their times. Conditions of the operation
    are assumed for the first and the last value, and the last value is assumed not to be less than the first:

    >>> over(scores, "S", "a", "b").conditions
    (a <= b,)

    Raises RoofproofError for an unknown dimension, an empty range, a demand that is not a polynomial in the dimension,
    and a condition that both ends may satisfy but not the values in between, such as divisibility.
    """
    index = axis(operation, name)
    start, end = positive(first, f"over {name}"), positive(last, f"over {name}")
    ordered = Le(start, end)
    if ordered == sympy.false:
        raise RoofproofError(f"over {name}: there is no {name} from {start} to {end}")
    conditions = dict.fromkeys(
        c for old in operation.conditions for c in _at_both_ends(operation, old, index, start, end)
    )
    if not is_positive(end - start + 1):
        conditions[ordered] = None
    return operation.map_kernels(
        lambda kernel: _summed(kernel, index, start, end),
        name=f"{operation.name}, {index} from {start} to {end}",
        conditions=tuple(c for c in conditions if c != sympy.true),
    )


def _at_both_ends(
    operation: Operation, condition: Boolean, index: Symbol, first: Expr, last: Expr
) -> tuple[Boolean, ...]:
    """Return a condition at both ends of a loop, or raise RoofproofError if it may fail in between."""
    if index not in condition.free_symbols:
        return (condition,)
    gap = condition.lhs - condition.rhs
    if condition.has(Mod) or not gap.is_polynomial(index) or degree(gap, index) > 1:
        why = f"{quoted(operation.name)} assumes {condition}, which is not known of every {index}"
        raise RoofproofError(f"over {index}: {why} in between")
    ends = [condition.subs(index, end) for end in (first, last)]
    if sympy.false in ends:
        where = (first, last)[ends.index(sympy.false)]
        why = f"{quoted(operation.name)} assumes {condition}, which is false at {where}"
        raise RoofproofError(f"over {index}: {why}")
    return tuple(ends)


def _summed(kernel: Kernel, index: Symbol, first: Expr, last: Expr) -> Kernel:
    """Return one kernel that represents the runs of a kernel at each value of a size."""

    def total(amount: Expr) -> Expr:
        amount = amount * kernel.times
        if index not in amount.free_symbols:
            return amount * (last - first + 1)
        if not amount.is_polynomial(index):
            raise RoofproofError(f"over {index}: {quoted(amount)} is not a polynomial in {index}")
        terms = Poly(amount, index).terms()
        return sum((c * summation(index**power, (index, first, last)) for (power,), c in terms), start=0 * last)

    def ended(tensor: Tensor) -> Tensor:
        at_end = replace(tensor, shape=tuple(s.subs(index, last) for s in tensor.shape))
        return replace(at_end, times=(total(tensor.traffic) / at_end.bytes).factor())  # a sum would not cancel

    changed = {index} | first.free_symbols | last.free_symbols
    summed = replace(kernel, product=None, on_chip={}, blocks=None).mapped(total, ended, changed)
    held = {place: amount.subs(index, last) for place, amount in kernel.on_chip.items()}
    return replace(summed, on_chip=held, times=Integer(1))


# --- one kernel from several ------------------------------------------------------------------------


def fuse(first: Operation, second: Operation, *between: str, name: str | None = None) -> Operation:
    """Return two operations fused into one kernel, in which the named tensors stay on chip and move no bytes.

    >>> from roofproof.ops import einsum
    >>> up = einsum("x:bf16[B,D], u:bf16[D,F] -> h:bf16[B,F]", "up")
    >>> down = einsum("h:bf16[B,F], v:bf16[F,D] -> y:bf16[B,D]", "down")
    >>> (then(up, down).bytes() - fuse(up, down, "h").bytes())  # h: written once, read once, 2 bytes each
    4*B*F
    >>> scores = einsum("q:bf16[h,c], latent:bf16[S,c] -> s:bf16[h,S]")
    >>> fuse(scores, einsum("s:bf16[h,S], latent:bf16[S,c] -> o:bf16[h,c]")).bytes()   # q, o, and the cache once
    2*S*c + 4*c*h

    The FLOPs stay the same, and a tensor that both read is read once. Without names, every tensor that `first` writes
    and `second` reads is kept on chip. Raises RoofproofError if there is none, or if the two sides disagree on shape
    or format.
    """
    written = {tensor.name: tensor for tensor in first.writes}
    chosen = _between(first, second, between)
    _check_one_kernel((first, second))
    ahead = first.as_one_kernel(writes=tuple(t for t in first.writes if t.name not in chosen))
    after = second.as_one_kernel(reads=tuple(t for t in second.reads if t.name not in chosen))
    both = {t.name: t for t in ahead.reads}
    twice = {t.name: Max(t.times, both[t.name].times) for t in after.reads if _same(both.get(t.name), t)}
    fused = then(ahead, after, name=name or f"{first.name} fused with {second.name}")
    return fused.as_one_kernel(
        reads=tuple(replace(t, times=twice.get(t.name, t.times)) for t in fused.reads),
        again=added((first.compute, ahead.kernel.again, after.kernel.again)),  # their results were not kept
        loops=_loops(ahead, after, [written[name] for name in chosen]),
    )


def _between(first: Operation, second: Operation, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the tensors that can stay on chip between two operations, or raise RoofproofError."""
    written = {tensor.name: tensor for tensor in first.writes}
    read = {tensor.name: tensor for tensor in second.reads}
    writes, reads = (", ".join(map(str, side.values())) or "no tensor" for side in (written, read))
    sides = f"{first.name} writes {writes}, {second.name} reads {reads}"
    chosen = names or tuple(n for n in written if n in read)
    if not chosen:
        raise RoofproofError(f"nothing to fuse: {sides}; give them one name")
    for tensor in chosen:
        if tensor not in written or tensor not in read:
            side = f"{first.name} does not write" if tensor not in written else f"{second.name} does not read"
            raise RoofproofError(f"cannot fuse {quoted(tensor)}: {side} it; {sides}")
        one, other = written[tensor], read[tensor]
        if not _same(one, other):
            differ = f"{first.name} writes {one}, {second.name} reads {other}"
            raise RoofproofError(f"cannot fuse {quoted(tensor)}: {differ}")
        if one.times != 1 and tensor in {t.name for t in first.reads}:
            sums = f"{first.name} writes partial sums of it and reads them back"
            raise RoofproofError(f"cannot fuse {quoted(tensor)}: {sums}; tile it so that each is complete")
    return chosen


def _same(one: Tensor | None, other: Tensor) -> bool:
    return one is not None and (one.shape, one.dtype) == (other.shape, other.dtype)


def _loops(first: Operation, second: Operation, between: list[Tensor]) -> tuple[Symbol, ...]:
    """Return the loops of the fused kernel. A size that `first` sums over stays one if `second` takes partial sums."""
    kept = set.intersection(*({s for size in tensor.shape for s in size.free_symbols} for tensor in between))
    linear = set(second.dims) <= set(second.loops)
    known = (s for s in (*first.loops, *second.loops) if all(s in o.loops or s not in o.dims for o in (first, second)))
    return tuple(
        s for s in dict.fromkeys(known) if s in kept or s not in first.dims or (linear and s not in second.dims)
    )


def _check_one_kernel(operations: Iterable[Operation]) -> None:
    """Raise RoofproofError if two operations keep blocks in the same memory: their joint footprint is not known."""
    places: dict[str, Operation] = {}
    for operation in operations:
        for place in operation.footprint:
            if (other := places.setdefault(place, operation)) is not operation:
                both = f"{quoted(other.name)} and {quoted(operation.name)} keep blocks in {place}"
                raise RoofproofError(f"cannot fuse: {both}, and what one kernel holds of both at once is not known")


def beside(*operations: Operation, name: str | None = None) -> Operation:
    """Return several operations as one kernel, in which each tensor that they share moves once.

    >>> from roofproof.ops import einsum
    >>> base = einsum("x:bf16[B,D], w:bf16[D,F] -> y:bf16[B,F]", "base")
    >>> gate = einsum("x:bf16[B,D], v:bf16[D,F] -> g:bf16[B,F]", "gate")
    >>> both = beside(base, gate)                              # x once: 2 BD instead of 4 BD
    >>> (base.bytes() + gate.bytes() - both.bytes(), both.flops)
    (2*B*D, 4*B*D*F)

    Results of the same name are one sum: a later operation accumulates onto the result of an earlier one. Raises
    RoofproofError if nothing is shared.
    """
    first, *others = operations
    shared = {t.name for t in first.tensors}
    for other in others:
        if not shared & {t.name for t in other.tensors}:
            none = f"{first.name} and {other.name} have no tensor in common"
            raise RoofproofError(f"nothing to fuse: {none}; give what they share one name")
        shared |= {t.name for t in other.tensors}
    _check_one_kernel(operations)
    kinds: dict[str, Tensor] = {}
    times: dict[str, list[Expr]] = {}
    for t in (t for op in operations for t in op.tensors):
        kept = kinds.setdefault(t.name, t)
        if not _same(kept, t):
            raise RoofproofError(f"cannot fuse {quoted(t.name)}: {kept} and {t}; give them one shape and format")
        times.setdefault(t.name, []).append(t.times)

    def once(tensors: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        return tuple(replace(t, times=Max(*times[t.name])) for t in tensors)

    joined = then(*operations, name=name or " beside ".join(op.name for op in operations))
    return joined.as_one_kernel(
        exact=_exact_beside(joined, first, others),
        reads=once(joined.reads),
        writes=once(joined.writes),
        loops=tuple(s for s in first.loops if all(s in op.loops for op in others)),
    )


def _exact_beside(joined: Operation, first: Operation, others: list[Operation]) -> Demand | None:
    """Return the exact FLOPs. Accumulating onto an earlier sum takes one more addition per element."""
    if joined.exact_compute is None:
        return None
    known, more = {t.name for t in first.writes}, list[Demand]()
    for op in others:
        both = [t.elements for t in op.writes if t.name in known]
        more += [{next(iter(op.compute)): Add(*both)}] if both and op.compute else []
        known |= {t.name for t in op.writes}
    return added([joined.exact_compute, *more])


def tile(operation: Operation, memory: str = "vmem", capacity: Size | None = None, **blocks: Size) -> Operation:
    """Return an einsum computed block by block, with the loops in the given order, outermost first.

    >>> from roofproof.ops import parse_operation
    >>> tiled = tile(parse_operation("matmul"), B="b", F="f", D="d")
    >>> [(t.name, t.times) for t in tiled.tensors]             # x again for each block of F, w for each of B
    [('x', F/f), ('w', B/b), ('z', 1)]
    >>> tiled.footprint["vmem"]                                # a block of x, w and z, 2 bytes per element
    2*b*d + 2*b*f + 2*d*f

    In a chain of products the intermediate results also stay on chip as blocks. A step that does not depend on a loop
    is repeated in each of its iterations, by the same rule as for moving tensors:

    >>> from roofproof.ops import einsum
    >>> attend = einsum("q:bf16[L,k], keys:bf16[S,k], values:bf16[S,v] -> o:bf16[L,v]")
    >>> flash = tile(attend, "smem", L="b", S="c")             # keys and values again for each block of queries
    >>> flash.footprint["smem"], [t.times for t in flash.tensors]
    (2*b*c + 2*b*k + 2*b*v + 2*c*k + 2*c*v, [1, L/b, L/b, 1])

    A block of a tensor is moved again in every iteration of a loop it does not depend on, unless it depends on
    no loop inside that one either. Partial sums of an output are written and read back. A block must divide its
    dimension, which is a condition of the answer. A dimension without a block is kept whole. `memory` is the
    memory that must hold the blocks, and `capacity` its size in bytes, if known. Raises RoofproofError for an
    unknown dimension and for blocks that exceed the capacity (a condition if sizes are symbols). Also raises it
    for a block of a dimension that an intermediate step sums over, as its result would be used before it is complete.
    """
    einsum = product_of(operation, "tile", operands=None)
    steps = einsum.steps if len(einsum.inputs) > 2 else ()
    order = {axis(operation, name): positive(block, f"tile {name}") for name, block in blocks.items()}
    order = {loop: block for loop, block in order.items() if block != loop}  # a single block needs no loop
    trips = {loop: loop / block for loop, block in order.items()}

    for step in steps[:-1]:
        for loop in (loop for loop in order if any(loop in s.free_symbols for s in step.summed)):
            why = f"{step} sums over {loop} and is used before it is done"
            raise RoofproofError(f"tile {loop}: {why}; keep {loop} whole")

    def times(shape: tuple[Expr, ...]) -> Expr:
        depends = [any(loop in s.free_symbols for s in shape) for loop in order]
        innermost = max((i for i, own in enumerate(depends) if own), default=-1)
        return Mul(*(trips[loop] for i, loop in enumerate(order) if i < innermost and not depends[i]))

    def block(tensor: Tensor) -> Expr:
        return replace(tensor, shape=tuple(s.xreplace(order) for s in tensor.shape)).bytes

    def again(engine: str, amount: Expr) -> Expr:
        if not steps:
            return amount
        own = (s for s in steps if engine == (vector_unit(einsum.compute) if s.elementwise else einsum.compute))
        return Add(*(s.flops * times((*s.indices, *s.summed)) for s in own))

    output = einsum.output
    passes = times(output.shape)
    reads = tuple(replace(t, times=times(t.shape)) for t in einsum.inputs)
    if passes != 1:
        reads = (*reads, replace(output, times=passes - 1))
    kept = replace(output, dtype=einsum.accumulate or output.dtype)
    between = (Tensor(step.result, step.indices, kept.dtype) for step in steps[:-1])
    held = Add(*map(block, (*einsum.inputs, *between, kept)))
    conditions = [Eq(Mod(loop, b), 0) for loop, b in order.items()]
    shown = ", ".join(f"{loop}={b}" for loop, b in order.items())
    if capacity is not None:
        fits = held <= positive(capacity, f"capacity of {memory}")
        if fits == False:  # noqa: E712
            why = f"the blocks of {operation.name} take {held} bytes, and {memory} holds {capacity}"
            raise RoofproofError(f"tile {shown}: {why}; give smaller blocks")
        conditions.append(fits)
    once = not steps and all(t.times == 1 for t in reads)
    tiled = operation.as_one_kernel(
        product=einsum if once else None,
        work={engine: again(engine, amount) for engine, amount in operation.compute.items()},
        exact=None if steps else operation.exact_compute,
        reads=reads,
        writes=(replace(output, times=passes),),
        on_chip={memory: held},
        blocks=Mul(*(trips[loop] for loop in order if any(loop in s.free_symbols for s in output.shape))),
    )
    return replace(
        tiled,
        name=f"{operation.name} tiled {shown}",
        conditions=(*operation.conditions, *(c for c in conditions if c != True)),  # noqa: E712
        roles={**operation.roles, **{b.name: role("block") for b in order.values() if isinstance(b, Symbol)}},
    )


# --- several chips ----------------------------------------------------------------------------------


def shard(operation: Operation, link: str = "ici", **axes: Size) -> Operation:
    """Return the work of one of n chips that split a dimension: `shard(op, D=n)`.

    >>> from roofproof.ops import parse_operation
    >>> half = shard(parse_operation("matmul"), D=2)
    >>> half.flops, half.bytes("ici")                          # 2BDF/2; 2(n-1)/n = 1 times 2BF bytes of z
    (B*D*F, 2*B*F)
    >>> half.conditions
    (Eq(Mod(D, 2), 0),)

    If an output lacks the dimension, the chips hold partial sums of it. A ring all-reduce then sends 2 (n - 1)/n
    times the output over `link`, in bytes per direction and chip. The n - 1 additions of the all-reduce are not
    counted. The answer assumes that n divides the dimension. Raises RoofproofError for an unknown dimension, one
    that a tensor has twice, and one that is not known to be a loop of a product. For example, chips that split the
    tokens of attention need all keys, and chips that split the rows of a softmax exchange their sums.
    """
    for name, count in axes.items():
        operation = _cut(operation, axis(operation, name), positive(count, f"shard {name}"), link)
    return operation


def _cut(operation: Operation, cut: Symbol, n: Expr, link: str) -> Operation:
    if not operation.tensors:
        lacks = f"{quoted(operation.name)} has no tensors, so what its shards exchange is not known"
        raise RoofproofError(f"{lacks}; give the sharded operation by its own expressions")
    for tensor in operation.tensors:
        holding = [s for s in tensor.shape if cut in s.free_symbols]
        if len(holding) > 1 or any(cut in (s / cut).free_symbols for s in holding):
            raise RoofproofError(f"cannot shard {cut}: tensor {tensor} has it more than once")
    conditions = [*(_of_a_part(c, cut, n) for c in operation.conditions), Eq(Mod(cut, n), 0)]
    return operation.map_kernels(
        lambda kernel: _cut_kernel(kernel, cut, n, link) if cut in kernel.symbols else kernel,
        name=f"{operation.name}, {cut} over {n} chips",
        convention=f"{operation.convention}; per chip; ring all-reduce, bytes per direction".lstrip("; "),
        conditions=tuple(dict.fromkeys(c for c in conditions if c != True)),  # noqa: E712
    )


def _cut_kernel(kernel: Kernel, cut: Symbol, n: Expr, link: str) -> Kernel:
    """Return one chip's share of a kernel, with the all-reduce of its partial sums."""
    holding = [any(cut in s.free_symbols for s in tensor.shape) for tensor in kernel.writes]
    again = {tensor.name for tensor in kernel.reads} & {tensor.name for tensor in kernel.writes}
    amounts = [*kernel.work.values(), kernel.bytes(), *kernel.links.values(), kernel.times]
    linear = all(amount.is_polynomial(cut) and degree(amount, cut) <= 1 for amount in amounts if amount != 0)
    if not (cut in kernel.loops and linear and (all(holding) or (len(holding) == 1 and not again))):
        raise RoofproofError(
            f"cannot shard {cut}: what the shards of {quoted(kernel.name)} exchange is not known; "
            "give the sharded operation by its own expressions"
        )

    def less(amount: Expr) -> Expr:
        return amount.subs(cut, cut / n)

    part = kernel.mapped(less, lambda tensor: tensor.mapped(less))
    sums = _partial_sums(kernel, cut, n, link)
    steps = {link: kernel.steps.get(link, Integer(0)) + 2 * (n - 1)} if sums else {}
    return replace(part, links=added([part.links, sums]), steps={**part.steps, **steps})


def _of_a_part(condition: Boolean, cut: Symbol, n: Expr) -> Boolean:
    """Return a condition for the part of one chip: `t divides D` becomes `n t divides D`."""
    if isinstance(condition, Eq) and isinstance(condition.lhs, Mod) and condition.rhs == 0:
        whole, part = condition.lhs.args
        if cut not in part.free_symbols and cut not in (whole / cut).free_symbols:
            return Eq(Mod(whole, part * n), 0)
    return condition.subs(cut, cut / n)


def _partial_sums(kernel: Kernel, cut: Symbol, n: Expr, link: str) -> dict[str, Expr]:
    if not any(cut in s.free_symbols for tensor in kernel.reads for s in tensor.shape):
        return {}
    partial = [t for t in kernel.writes if not any(cut in s.free_symbols for s in t.shape)]
    amount = sum((2 * (n - 1) / n * tensor.traffic for tensor in partial), Integer(0))
    return {link: amount} if amount != 0 else {}


# --- gradients --------------------------------------------------------------------------------------


def backward(operation: Operation, *wrt: str) -> Operation:
    """Return the backward pass: the gradient of each operand, from the output gradient and the other operands.

    >>> from roofproof.ops import parse_operation
    >>> backward(parse_operation("matmul")).flops                               # dx = dz w^T and dw = x^T dz: 2BDF each
    4*B*D*F

    A sequence of einsums is reversed. A kernel of several products is handled by `gradients`. `wrt` names the operands
    of an einsum that need a gradient (default: all). Raises RoofproofError if the operation is not an einsum, or if an
    operand has an index that no other tensor has (its gradient is a broadcast, not an einsum).
    """
    if operation.parts and not wrt:
        found = then(*(backward(part) for part in reversed(operation.parts)), name=f"{operation.name} backward")
    elif operation.kernel.again and not wrt:
        return gradients(operation)
    else:
        found = then(*_gradients_of_operands(operation, wrt), name=f"{operation.name} backward")
    return replace(found, conditions=operation.conditions, roles=operation.roles)


def _gradients_of_operands(operation: Operation, wrt: tuple[str, ...]) -> list[Operation]:
    einsum = product_of(operation, "backward")
    if any(fraction(size)[1] != 1 for tensor in operation.tensors for size in tensor.shape):
        shared = f"{quoted(operation.name)} is a share of the work, whose gradients may be sums over chips"
        raise RoofproofError(f"{shared}; go backward first, then share: shard(backward(...), ...)")
    gradient = replace(einsum.output, name=f"d{einsum.output.name}")
    passes = []
    for operand in (t for t in einsum.inputs if not wrt or t.name in wrt):
        others = tuple(t for t in einsum.inputs if t.name != operand.name)
        known = {s for t in (gradient, *others) for s in t.shape}
        alone = [s for s in operand.shape if s != 1 and s not in known]
        if alone:
            why = f"index {alone[0]} is in no other tensor, a broadcast and no einsum"
            raise RoofproofError(f"gradient of {operand}: {why}")
        into = replace(operand, name=f"d{operand.name}")
        step = Einsum((gradient, *others), into, einsum.compute, einsum.accumulate)
        passes.append(step.operation(f"{operation.name} backward {into.name}", source=operation.source))
    missing = set(wrt) - {t.name for t in einsum.inputs}
    if missing or not passes:
        raise RoofproofError(f"{operation.name} has no operand {sorted(missing)[0] if missing else ''}")
    return passes


def gradients(operation: Operation, again: bool = True) -> Operation:
    """Return the backward pass of a kernel of several products, as one kernel.

    Each product becomes two products. Those whose results stayed on chip are also computed again, unless `again` is
    false. A fused kernel reads its operands, its `saved` tensors and the gradients of its results, and writes the
    gradients of its operands. A kernel without products reads no operands. Integers (token indices) have no gradient.

    >>> from roofproof.ops import parse_operation
    >>> core = parse_operation("flash-attention")
    >>> gradients(core).flops / core.flops                     # scores again, and 2 products for each of the 2
    5/2
    >>> [t.name for t in gradients(core).reads]                # o is needed for the row sums of o * do
    ['q', 'keys', 'values', 'o', 'row_statistics', 'do']

    Source: Dao et al., FlashAttention (2022), appendix B.4, for the products of its backward pass; Dao,
    FlashAttention-2 (2023), section 3.1.2, for the tensors that it reads.
    """

    def gradient(tensors: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        return tuple(replace(t, name=f"d{t.name}") for t in tensors if not t.dtype.startswith("int"))

    def back(kernel: Kernel) -> Kernel:
        twice = {name: Integer(2) * amount for name, amount in kernel.work.items()}
        return Kernel(
            f"{kernel.name} backward",
            added([twice, kernel.again] if again else [twice]),
            reads=(*(kernel.reads if kernel.work else ()), *kernel.saved, *gradient(kernel.writes)),
            writes=gradient(kernel.reads),
            times=kernel.times,
        )

    return replace(
        operation,
        name=f"{operation.name} backward",
        kernels=(back(operation.kernel if operation.parts else operation.kernels[0]),),
    )


# --- formats and memory levels ----------------------------------------------------------------------


def with_formats(operation: Operation, compute: str | None = None, **formats: str) -> Operation:
    """Return the operation with the named tensors in other formats, and its arithmetic in `compute`.

    >>> from roofproof.ops import parse_operation
    >>> with_formats(parse_operation("matmul"), w="int8").bytes()               # weights of one byte
    2*B*D + 2*B*F + D*F

    Raises RoofproofError for an unknown tensor or format, arithmetic in several formats, and blocks on chip, whose
    bytes were counted in the old formats.
    """
    if operation.footprint and formats:
        raise RoofproofError(f"the blocks of {quoted(operation.name)} were made for its formats; change these first")
    names = {tensor.name for tensor in operation.tensors}
    for name in formats:
        refuse_unknown("tensor", name, names, of=operation.name)
    if any(is_complex(t.dtype) != is_complex(formats.get(t.name, t.dtype)) for t in operation.tensors):
        raise RoofproofError("complex numbers have other FLOPs than real ones; write the operation anew")

    def moved(demand: Demand) -> Demand:
        if compute is None or not demand:
            return demand
        if len(demand) > 1:
            computes = f"{quoted(operation.name)} computes in {', '.join(demand)}"
            raise RoofproofError(f"{computes}; one format cannot replace all")
        return {compute: Add(*demand.values())}

    moved(operation.compute)  # reject several formats of the whole operation, too
    kernels = []
    for kernel, of in zip(operation.kernels, tensor_names(operation.kernels), strict=True):

        def changed(tensor: Tensor, of: dict[str, str] = of) -> Tensor:
            return replace(tensor, dtype=formats.get(of.get(tensor.name, tensor.name), tensor.dtype))

        product = kernel.product and replace(kernel.product, compute=compute or kernel.product.compute)
        moved_kernel = replace(kernel.on_units(moved), product=product)
        kernels.append(moved_kernel.mapped(lambda amount: amount, changed))
    return replace(operation, kernels=tuple(kernels))


def over_level(operation: Operation, level: str) -> Operation:
    """Return the operation with bytes over one memory level only: those it states there, or those of its tensors.

    >>> from roofproof.ops import parse_operation
    >>> over_level(parse_operation("matmul"), "l2").demands    # x, w and z are in the cache, each moved once
    {'bf16': 2*B*D*F, 'l2': 2*B*D + 2*B*F + 2*D*F}
    >>> over_level(parse_operation("flops bf16 = 2 N^3; bytes hbm = 6 N^2; bytes l2 = N^3/32"), "l2").demands
    {'bf16': 2*N**3, 'l2': N**3/32}

    Raises RoofproofError for an operation that moves no bytes.
    """
    name = channel(level)
    counted = name if name in operation.traffic else MEMORY
    if operation.bytes(counted).is_zero:
        raise RoofproofError(
            "<name> moves no bytes, so none cross <level>", name=quoted(operation.name), level=quoted(level)
        )

    def kernel(one: Kernel) -> Kernel:
        stated = counted == MEMORY or counted in one.links
        links = {name: one.bytes(counted)} if stated else {}
        return replace(one, reads=(), writes=(), links=links, steps={}, product=None)

    return operation.map_kernels(kernel, name=f"{operation.name} over {name}")
