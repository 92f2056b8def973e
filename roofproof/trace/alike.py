"""Rules for what primitives of JAX and operators of PyTorch have in common; the conventions are those of `counting`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sympy import Add, Expr, Mul

from roofproof.errors import RoofproofError
from roofproof.ops.notation.logarithm import log2
from roofproof.trace.counting import Counted, each, numbers, sums_of
from roofproof.trace.program import ONE, ZERO, Along, Array
from roofproof.trace.registry import Step

ZEROS, LOW, LITTLE = "zeros", "low", 1  # what masks leave; what is below -1 may be low enough that exp makes zero of it
ENDS = ("any", "all", "reduce_or", "reduce_and")  # which one element may decide


def special(step: Step) -> Counted:
    """Count a function with an engine of its own, one an element."""
    if step.inputs[0].format.startswith("complex"):
        raise RoofproofError(f"{step.primitive} of complex numbers has no rule")
    return Counted({"exp": step.outputs[0].elements}, along=each(step))


def products(power: float) -> int:
    """Return the products of x**n by repeated squaring: one for each bit after the first, one for each further bit set.

    >>> products(2), products(5), products(-1)
    (1, 3, 1)
    """
    n = abs(int(power))
    return max(n.bit_length() - 1, 0) + max(n.bit_count() - 1, 0) + (power < 0)


def reduction(step: Step) -> Counted:
    """Return the additions, or comparisons, that leave one number of many."""
    both = 2 if step.primitive == "aminmax" else 1
    work = sums_of(step, (step.inputs[0].elements - step.outputs[0].elements) * both)
    if step.primitive in ENDS:
        return Counted(work, least={0: step.outputs[0].elements}, spared={})
    return Counted(work, along=kept(step) if len(step.inputs) == len(step.outputs) == 1 else None)


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
    """Return what a number is to a sum or a product that need not look at it: zeros, or low; both where nobody knows.

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


def kept(step: Step) -> Along | None:
    """Return which axes of what is summed are still there, None where that is not said.

    >>> from roofproof.symbols import dimension
    >>> from roofproof.trace.program import Array, Buffer
    >>> B, D = dimension("B"), dimension("D")
    >>> kept(Step("sum", {"dim": (-1,)}, (Array((B, D), "bf16"),), (Buffer((B,), "bf16"),)))
    ((0, None),)
    """
    shape = step.inputs[0].shape
    axes = step.params.get("axes", step.params.get("dim"))
    if axes is None or axes == ():
        return None
    gone = {axis % len(shape) for axis in (axes if isinstance(axes, tuple) else (axes,))}
    stays = len(step.outputs[0].shape) == len(shape)
    left = iter(range(len(shape)))
    return (tuple(None if (k in gone) else (k if stays else next(left)) for k in range(len(shape))),)


def scan(step: Step) -> Counted:
    """Return the additions, or comparisons, of all beginnings of an axis."""
    taken = step.inputs[0]
    axis = step.params["axis" if "axis" in step.params else "dim"]
    return Counted(sums_of(step, taken.elements - taken.elements / taken.shape[axis]), "alone")


def sort(_: Step) -> Counted:
    """Count a step that computes nothing and stands alone."""
    return Counted(kind="alone")


def free(_: Step) -> Counted:
    """Count a step that computes nothing."""
    return Counted()


def laid(step: Step) -> Counted:
    """Return that a step lays its operands side by side along an axis, or copies the one that it has."""
    shape = step.outputs[0].shape
    if step.primitive in ("concatenate", "cat", "stack"):
        return Counted(axis=step.params.get("dimension", step.params.get("dim", 0)) % len(shape))
    return Counted(along=each(step) if len(step.inputs) == 1 else None)


def gather(step: Step) -> Counted:
    """Count a step that takes elements of its first operand where the others say, which may be the same each time."""
    address = frozenset(range(1, len(step.inputs)))
    row = None
    if step.primitive == "gather" and "index" in step.params:  # one of each row where there are as many
        row, shapes = (
            step.params["dim"] % max(len(step.inputs[0].shape), 1),
            (step.inputs[0].shape, step.inputs[1].shape),
        )
        row = None if any(n != m for k, (n, m) in enumerate(zip(*shapes, strict=False)) if k != row) else row
    elif (numbers := step.params.get("dimension_numbers")) is not None and len(numbers.start_index_map) == 1:
        others = len(step.inputs[0].shape) - 1
        row = numbers.start_index_map[0] if len(numbers.operand_batching_dims) == others else None
    return Counted(gathered={0: step.outputs[0].elements}, repeats={0: _chosen(step)}, address=address, row=row)


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


def fft(step: Step, axes: Iterable[int]) -> Counted:
    """Return 5 N log2 N for N complex numbers, half of it where one side is real (radix 2)."""
    taken, made = step.inputs[0], step.outputs[0]
    real = next((side for side in (taken, made) if not side.format.startswith("complex")), None)
    whole = real or made
    flops = 5 * whole.elements * Add(*(log2(whole.shape[axis]) for axis in axes))
    return Counted({numbers(whole.format)[0]: flops / 2 if real is not None else flops}, "alone")


def cholesky(step: Step) -> Counted:
    """Return n^3/3 for a matrix of order n."""
    taken = step.inputs[0]
    return Counted({taken.format: taken.elements * taken.shape[-1] / 3}, "alone")


def triangular(step: Step) -> Counted:
    """Return n^2 for each right side of a triangular matrix of order n."""
    matrix, right = step.inputs[:2]
    return Counted({matrix.format: right.elements * matrix.shape[-1]}, "alone")
