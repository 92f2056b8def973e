"""Rules for what primitives of JAX and operators of PyTorch have in common; the conventions are those of `counting`."""

from __future__ import annotations

from collections.abc import Iterable

from sympy import Add, Expr

from roofproof.errors import RoofproofError
from roofproof.formula.logarithm import log2
from roofproof.trace.counting import Counted, each, numbers, sums_of
from roofproof.trace.dtypes import Truth
from roofproof.trace.program import ZERO, Along
from roofproof.trace.registry import Step


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


def one(power: float) -> dict[int, Expr]:
    """Return the reads of a power: what is raised to the power of zero need not be read.

    >>> one(0), one(2)
    ({0: 0}, {})
    """
    return {} if power else {0: ZERO}


def reduction(step: Step) -> Counted:
    """Return the additions, or comparisons, that leave one number of many."""
    both = 2 if step.primitive == "aminmax" else 1
    work = sums_of(step, (step.inputs[0].elements - step.outputs[0].elements) * both)
    truths = isinstance(step.inputs[0].format, Truth) and "sum" not in step.primitive
    if truths or step.primitive in ("any", "all", "reduce_or", "reduce_and"):  # one element may decide
        return Counted(work, least={0: step.outputs[0].elements}, spared={})
    return Counted(work, along=kept(step) if len(step.inputs) == len(step.outputs) == 1 else None)


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
    """Count a step that concatenates its operands along an axis, or copies the only one."""
    shape = step.outputs[0].shape
    if step.primitive in ("concatenate", "cat", "stack"):
        return Counted(axis=step.params.get("dimension", step.params.get("dim", 0)) % len(shape))
    return Counted(along=each(step) if len(step.inputs) == 1 else None)


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
    n = taken.shape[-1]
    return Counted({taken.format: taken.elements * n / 3}, "alone", least={0: taken.elements * (n + 1) / (2 * n)})


def triangular(step: Step) -> Counted:
    """Return n^2 for each right side of a triangular matrix of order n."""
    matrix, right = step.inputs[:2]
    n = matrix.shape[-1]
    ones = step.params.get("unitriangular", step.params.get("unit_diagonal", False))
    read = matrix.elements * (n - 1 if ones else n + 1) / (2 * n)
    return Counted({matrix.format: right.elements * n}, "alone", least={0: read})
