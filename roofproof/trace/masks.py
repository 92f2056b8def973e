"""What values choose of an operand: by a mask, by an index of each row; what a triangle has."""

from __future__ import annotations

from collections.abc import Sequence

from sympy import Expr, Mul

from roofproof.trace.counting import Counted, each, numbers
from roofproof.trace.program import ONE, ZERO, Array
from roofproof.trace.registry import Step

ZEROS, FEW, LOW = "zeros", "few", "low"  # what masks leave; zeros but for a few, as in a row of softmax
LITTLE = 1  # what is below -1 may be low enough that exp makes zero of it


def masked(step: Step, times: int, mask: Array, values: Sequence[object]) -> Counted:
    """Count a selection, which needs nothing of what a mask hides, as it may hide either side everywhere.

    A condition that sizes determine once for all elements is no mask.
    """
    made = step.outputs[0]
    work = {numbers(made.format)[0]: times * made.elements}
    if mask.buffer is None and (mask.elements == 1 or (mask.form is not None and "iota" not in str(mask.form))):
        return Counted(work, along=each(step))
    hidden = {k: ZERO for k, a in enumerate(step.inputs) if a is not mask}
    constants = [left(value) for value in values if not (isinstance(value, Array) and value.buffer is not None)]
    leaves = tuple(dict.fromkeys(kind for kinds in constants for kind in kinds))
    return Counted(work, along=each(step), least=hidden, spared={}, leaves=leaves)


def left(value: object) -> tuple[str, ...]:
    """Return how a sum or product treats masked numbers: as zeros, or as low; both where that is unknown.

    >>> left(0.0), left(float("-inf")), left(1), left(None)
    (('zeros',), ('low',), (), ('zeros', 'low'))
    """
    if isinstance(value, Array):
        made = value.form if isinstance(value.form, tuple) else None
        value = value.known if value.known is not None or made is None or len(made[2]) != 1 else made[2][0]
    if isinstance(value, int | float | Expr) and getattr(value, "is_number", True):
        return (ZEROS,) if value == 0 else (LOW,) if bool(value < -LITTLE) else ()
    return ZEROS, LOW


def triangle(step: Step) -> Expr:
    """Return how many elements of matrices there are in a triangle, none where sizes leave that open."""
    *others, n, m = step.inputs[0].shape
    if n != m or step.params.get("diagonal", 0) != 0:
        return ZERO
    return Mul(*others) * n * (n + 1) / 2


def row_of(step: Step) -> int | None:
    """Return the axis along which a gather takes one of each row, None where it takes otherwise."""
    row: int | None = None
    if step.primitive == "gather" and "index" in step.params:  # one of each row where there are as many
        row, shapes = (
            step.params["dim"] % max(len(step.inputs[0].shape), 1),
            (step.inputs[0].shape, step.inputs[1].shape),
        )
        row = None if any(n != m for k, (n, m) in enumerate(zip(*shapes, strict=False)) if k != row) else row
    elif (numbers := step.params.get("dimension_numbers")) is not None and len(numbers.start_index_map) == 1:
        others = len(step.inputs[0].shape) - 1
        row = numbers.start_index_map[0] if len(numbers.operand_batching_dims) == others else None
    return row


def gather(step: Step) -> Counted:
    """Count a step that takes elements of its first operand where the others say, which may be the same each time."""
    address = frozenset(range(1, len(step.inputs)))
    filled = drops(step)
    return Counted(
        gathered={0: step.outputs[0].elements},
        repeats={0: _chosen(step)},
        address=address,
        row=row_of(step),
        least={0: ZERO} if filled else {},
        leaves=left(step.params["fill_value"]) if filled and step.params["fill_value"] is not None else None,
    )


def drops(step: Step) -> bool:
    """Tell whether indices of JAX that lie outside take nothing of an operand, and change nothing of it."""
    return "FILL" in str(step.params.get("mode"))


def _chosen(step: Step) -> Expr:
    """Return how many times each element of a row is chosen anew."""
    if step.primitive == "gather" and "dimension_numbers" in step.params:  # of JAX: the last axis of indices is a place
        batches = step.params["dimension_numbers"].start_indices_batching_dims
        return Mul(*(n for k, n in enumerate(step.inputs[1].shape[:-1]) if k not in batches))
    if step.primitive == "gather":  # along one axis
        return Mul(*step.params["index"].shape[step.params["dim"] :][:1])
    if step.primitive in ("index", "_unsafe_index"):
        return places([index for index in step.params["indices"] if index is not None])
    return ONE if step.primitive == "dynamic_slice" else Mul(*step.inputs[1].shape)


def places(indices: Sequence[Array]) -> Expr:
    """Return how many places indices name that are broadcast to one shape."""
    ranks = range(1, 1 + max(len(i.shape) for i in indices))
    return Mul(*(max((i.shape[-k] for i in indices if len(i.shape) >= k), key=lambda n: n != 1) for k in ranks))
