"""The einsum that an operation is, for the transformations that need its loops."""

from roofproof.errors import RoofproofError, quoted
from roofproof.ops.notation.typed_einsum import Einsum
from roofproof.ops.operation import Operation


def as_einsum(operation: Operation, what: str) -> Einsum:
    """Return the einsum that an operation is, or refuse: `what` says what needed it."""
    plain = not operation.parts and not operation.traffic and len(operation.writes) == 1
    if plain and operation.reads and len(operation.compute) == 1 and all(t.times == 1 for t in operation.tensors):
        (compute,) = operation.compute
        found = Einsum(operation.reads, operation.writes[0], compute, operation.accumulate)
        if operation.flops in (found.flops, found.exact_flops):
            return found
    raise RoofproofError(f"{what} needs a single einsum, and {quoted(operation.name)} is none")


def is_einsum(operation: Operation) -> bool:
    """Return whether an operation is a single einsum, no more and no less."""
    try:
        as_einsum(operation, "")
    except RoofproofError:
        return False
    return True
