"""The gradients of an einsum, of a sequence of them, or of a kernel that keeps what passes between its products."""

from dataclasses import replace

from sympy import Integer, fraction

from roofproof.errors import RoofproofError, quoted
from roofproof.ops.algebra._common import added, as_einsum, is_einsum
from roofproof.ops.algebra.then import then
from roofproof.ops.notation.typed_einsum import Einsum
from roofproof.ops.operation import Operation
from roofproof.ops.tensor import Tensor


def backward(operation: Operation, *wrt: str) -> Operation:
    """Return the backward pass: the gradient of each operand from that of the output and the other operands.

    >>> from roofproof.ops.library.linear_algebra import matmul
    >>> backward(matmul()).flops                               # dx = dz w^T and dw = x^T dz: 2BDF each
    4*B*D*F

    A sequence of einsums goes backwards, last first; a kernel of several products is as in `gradients`. `wrt` names
    the operands of an einsum that need a gradient; all of them without it. Raises RoofproofError for what is no
    einsum, or an operand with an index that only it has (its gradient is a broadcast, no einsum).
    """
    if operation.parts and not wrt:
        found = then(*(backward(part) for part in reversed(operation.parts)), name=f"{operation.name} backward")
        return replace(found, conditions=operation.conditions, roles=operation.roles)
    if operation.recompute and not wrt:
        return gradients(operation)
    einsum = as_einsum(operation, "backward")
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
    unknown = set(wrt) - {t.name for t in einsum.inputs}
    if unknown or not passes:
        raise RoofproofError(f"{operation.name} has no operand {sorted(unknown)[0] if unknown else ''}")
    found = then(*passes, name=f"{operation.name} backward")
    return replace(found, conditions=operation.conditions, roles=operation.roles)


def gradients(operation: Operation, again: bool = True) -> Operation:
    """Return the backward pass of a kernel made of products: of an einsum as above, of a fused one in one kernel.

    Each product has two in the backward pass; those whose result stayed on chip are done once more, unless `again` is
    false. A fused kernel reads its operands, what it has `kept` and the gradients of its results, and writes the
    gradients of its operands; one without products reads no operand. Whole numbers (token indices) have no gradient.

    >>> from roofproof.ops.library.attention import flash_attention
    >>> gradients(flash_attention()).flops / flash_attention().flops   # scores again, and 2 products for each of the 2
    5/2
    >>> [t.name for t in gradients(flash_attention()).reads]   # with o the sum of a row of its gradient is formed
    ['q', 'keys', 'values', 'o', 'row_statistics', 'do']

    Source: Dao et al., FlashAttention (2022), appendix B.4, for the products of its backward pass; Dao,
    FlashAttention-2 (2023), section 3.1.2, for what it reads.
    """
    if is_einsum(operation):
        return backward(operation)

    def gradient(tensors: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        return tuple(replace(t, name=f"d{t.name}") for t in tensors if not t.dtype.startswith("int"))

    operands = operation.reads if operation.compute else ()
    twice = {name: Integer(2) * amount for name, amount in operation.compute.items()}
    return Operation(
        f"{operation.name} backward",
        compute=added([twice, operation.recompute] if again else [twice]),
        reads=(*operands, *operation.kept, *gradient(operation.writes)),
        writes=gradient(operation.reads),
        source=operation.source,
        convention=operation.convention,
        conditions=operation.conditions,
        at_least=operation.at_least,
        dims=operation.dims,
        roles=operation.roles,
    )
