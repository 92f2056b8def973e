"""The gradients of an einsum: one einsum for each operand."""

from __future__ import annotations

from dataclasses import replace

from roofproof.errors import RoofproofError
from roofproof.ops.algebra._einsum import as_einsum
from roofproof.ops.algebra.then import then
from roofproof.ops.notation import Einsum
from roofproof.ops.operation import Operation


def backward(operation: Operation, *wrt: str) -> Operation:
    """Return the backward pass: the gradient of each operand from that of the output and the other operands.

    >>> from roofproof.ops.library.linear_algebra import matmul
    >>> backward(matmul()).flops                               # dx = dz w^T and dw = x^T dz: 2BDF each
    4*B*D*F

    `wrt` names the operands that need a gradient; all of them without it. Raises RoofproofError for a
    sequence, or an operand with an index that only it has (its gradient is a broadcast, no einsum).
    """
    einsum = as_einsum(operation, "backward")
    gradient = replace(einsum.output, name=f"d{einsum.output.name}")
    passes = []
    for operand in einsum.inputs:
        if wrt and operand.name not in wrt:
            continue
        others = tuple(t for t in einsum.inputs if t.name != operand.name)
        known = {s for t in (gradient, *others) for s in t.shape}
        alone = [s for s in operand.shape if s != 1 and s not in known]
        if alone:
            raise RoofproofError(
                f"gradient of {operand}: index {alone[0]} is in no other tensor, a broadcast and no einsum"
            )
        into = replace(operand, name=f"d{operand.name}")
        step = Einsum((gradient, *others), into, einsum.compute, einsum.accumulate)
        passes.append(step.operation(f"{operation.name} backward {into.name}", source=operation.source))
    unknown = set(wrt) - {t.name for t in einsum.inputs}
    if unknown or not passes:
        raise RoofproofError(f"{operation.name} has no operand {sorted(unknown)[0] if unknown else ''}")
    return then(*passes, name=f"{operation.name} backward")
