"""An operation done n times, for the price of writing it once."""

from dataclasses import replace

from sympy import Expr

from roofproof.ops.algebra._common import Size, size
from roofproof.ops.operation import Demand, Operation
from roofproof.ops.tensor import Tensor


def repeat(operation: Operation, n: Size, *, name: str | None = None) -> Operation:
    """Return the operation done n times, one after the other; n may be a symbol.

    >>> from roofproof.ops import einsum
    >>> layers = repeat(einsum("bf16[B,D], bf16[D,F] -> [B,F]"), "L")
    >>> layers.flops                                           # L layers of 2BDF
    2*B*D*F*L

    Every tensor moves n times as often; its own size stays that of one repetition. Raises RoofproofError for
    an n that is no positive integer.
    """
    times = size(n, "repeat")

    def scaled(demand: Demand) -> dict[str, Expr]:
        return {key: amount * times for key, amount in demand.items()}

    def often(tensors: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        return tuple(replace(tensor, times=tensor.times * times) for tensor in tensors)

    return replace(
        operation,
        name=name or f"{times} x {operation.name}",
        compute=scaled(operation.compute),
        exact_compute=None if operation.exact_compute is None else scaled(operation.exact_compute),
        traffic=scaled(operation.traffic),
        reads=often(operation.reads),
        writes=often(operation.writes),
        parts=tuple(repeat(part, times) for part in operation.parts),
    )
