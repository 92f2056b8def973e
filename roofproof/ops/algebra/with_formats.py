"""The same operation in other number formats."""

from dataclasses import replace

from sympy import Add

from roofproof.errors import RoofproofError, quoted, refuse_unknown
from roofproof.formats import is_complex
from roofproof.ops.operation import Demand, Operation
from roofproof.ops.tensor import Tensor


def with_formats(operation: Operation, compute: str | None = None, **formats: str) -> Operation:
    """Return the operation with tensors, by name, in other formats, and its arithmetic in `compute`.

    >>> from roofproof.ops.library.linear_algebra import matmul
    >>> with_formats(matmul(), w="int8").bytes()               # weights of one byte
    2*B*D + 2*B*F + D*F

    Raises RoofproofError for a tensor that is not there, an unknown format, arithmetic in several formats, and for
    blocks on chip, whose room was that of other formats.
    """
    if operation.footprint and formats:
        raise RoofproofError(f"the blocks of {quoted(operation.name)} were made for its formats; change these first")
    names = {tensor.name for tensor in operation.tensors}
    for name in formats:
        refuse_unknown(f"tensor of {operation.name}", name, names)
    if any(is_complex(t.dtype) != is_complex(formats.get(t.name, t.dtype)) for t in operation.tensors):
        raise RoofproofError("complex numbers have other FLOPs than real ones; write the operation anew")

    def changed(tensors: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        return tuple(replace(t, dtype=formats.get(t.name, t.dtype)) for t in tensors)

    def moved(demand: Demand) -> Demand:
        if compute is None:
            return demand
        if len(demand) > 1:
            computes = f"{quoted(operation.name)} computes in {', '.join(demand)}"
            raise RoofproofError(f"{computes}; one format cannot replace all")
        return {compute: Add(*demand.values())}

    def part(one: Operation) -> Operation:
        return with_formats(one, compute, **{t.name: formats[t.name] for t in one.tensors if t.name in formats})

    return replace(
        operation,
        compute=moved(operation.compute),
        exact_compute=None if operation.exact_compute is None else moved(operation.exact_compute),
        recompute=moved(operation.recompute),
        reads=changed(operation.reads),
        writes=changed(operation.writes),
        kept=changed(operation.kept),
        parts=tuple(map(part, operation.parts)),
    )
