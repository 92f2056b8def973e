"""An operation done n times, for the price of writing it once."""

from dataclasses import replace

from roofproof.ops.algebra._common import Size, positive
from roofproof.ops.operation import Operation


def repeat(operation: Operation, n: Size, *, name: str | None = None) -> Operation:
    """Return the operation done n times, one after the other; n may be a symbol.

    >>> from roofproof.ops import einsum
    >>> layers = repeat(einsum("bf16[B,D], bf16[D,F] -> [B,F]"), "L")
    >>> layers.flops                                           # L layers of 2BDF
    2*B*D*F*L

    Every tensor moves n times as often; its own size stays that of one repetition. Raises RoofproofError for
    an n that is no positive integer.
    """
    times = positive(n, "repeat")

    return operation.mapped(
        lambda amount: amount * times,
        lambda tensor: replace(tensor, times=tensor.times * times),
        name=name or f"{times} x {operation.name}",
        grid=None,
        hops={link: steps * times for link, steps in operation.hops.items()},
        parts=tuple(repeat(part, times) for part in operation.parts),
    )
