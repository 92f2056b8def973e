"""Recognition of slices that JAX writes as gathers because their sizes are symbols, from the form of their indices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sympy import Expr

from roofproof.trace.program import ONE, ZERO, Array

LINEAR = ("convert_element_type", "broadcast_in_dim", "reshape", "squeeze", "expand_dims", "copy")
Slice = tuple[list[Expr], tuple[Expr, ...], list[Expr], list[int | None]]  # starts, shape, steps, source of each axis


def form(name: str, params: Mapping[str, Any], inputs: Sequence[Array]) -> object:
    """Return the form of an integer array that depends only on sizes, or None if the form of an input is unknown.

    >>> counted = Array((ONE,), "int32", form=form("iota", {"dimension": 0}, ()))
    >>> form("neg", {}, [counted]) == form("neg", {}, [counted]), form("neg", {}, [Array((), "int32")])
    (True, None)
    """
    parts = tuple(a.known if a.known is not None else a.form for a in inputs)
    return None if None in parts else (name, str(sorted(params.items())), parts)


def slice_of(name: str, params: Mapping[str, Any], inputs: Sequence[Array], shape: tuple[Expr, ...]) -> Slice | None:
    """Return a gather as a slice, with the slice axis of each result axis, or None if it is not a slice."""
    axes = range(len(inputs[0].shape))
    if name == "dynamic_slice":
        starts = [a.known for a in inputs[1:]]
        return None if None in starts else (starts, shape, [ONE for _ in axes], [*axes])
    numbers = params["dimension_numbers"]
    if getattr(numbers, "operand_batching_dims", ()):
        return None
    place = dict(zip(numbers.start_index_map, range(len(axes)), strict=False))
    there = tuple(params["slice_sizes"])
    there = tuple(n if isinstance(n, Expr) else ONE * n for n in there)
    left = [k for k in axes if k not in numbers.collapsed_slice_dims]
    if len(inputs[1].shape) == 1:
        found = _numbers(inputs[1])
        if found is None or len(found) != len(place):
            return None
        return [found[place[k]] if k in place else ZERO for k in axes], there, [ONE for _ in axes], [*left]
    if len(inputs[1].shape) != 2 or len(place) != 1 or (line := _line(inputs[1].form)) is None:
        return None
    (axis,) = place
    if axis in left or there[axis] != 1:
        return None
    start, step = line
    shape_there = tuple(inputs[1].shape[0] if k == axis else there[k] for k in axes)
    kept, others = [], iter(left)
    for k in range(len(shape)):
        kept.append(next(others) if k in numbers.offset_dims else axis)
    starts = [start if k == axis else ZERO for k in axes]
    return starts, shape_there, [step if k == axis else ONE for k in axes], [*kept]


def _numbers(array: Array) -> list[Expr] | None:
    """Return the numbers in a short array of indices, or None if they are unknown."""
    if array.known is not None:
        return [array.known]
    if isinstance(array.form, tuple) and array.form[0] == "concatenate":
        parts = array.form[2]
        return [*parts] if all(isinstance(k, Expr) for k in parts) else None
    return None


def _line(made: object) -> tuple[Expr, Expr] | None:
    """Return evenly spaced indices as the first one and the step, or None for others."""
    if isinstance(made, Expr):
        return made, ZERO
    if not isinstance(made, tuple):
        return None
    name, _, parts = made[0], made[1], made[2] if len(made) > 2 else ()
    if name == "iota":
        return ZERO, ONE
    lines = [_line(part) for part in parts] if isinstance(parts, tuple) else [None]
    if None in lines:
        return None
    match name, lines:
        case (_, [line]) if name in LINEAR:
            return line
        case ("add", [(a, s), (b, t)]):
            return a + b, s + t
        case ("mul", [(a, s), (b, t)]) if s == 0 or t == 0:
            return a * b, a * t + b * s
    return None
