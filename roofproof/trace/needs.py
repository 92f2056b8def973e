"""What of each result somebody needs: turns of a loop that make nothing of it are not done, as of `out[:, -1]`.

From the last step to the first, each says what it needs of its operands. What only lays its operands one after the
other passes on what is needed of it; a loop back over a sequence of whose results the last alone is read turns once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sympy import Expr, Integer, expand

from roofproof.trace.program import ONE, ZERO, Array, Buffer, Equation, Loop, Program, Turns
from roofproof.trace.regions import Box, Digit, Region, places
from roofproof.trace.sizes import KnownSizes


def without_dead_turns(program: Program, sizes: KnownSizes) -> list[str]:
    """Leave out the turns whose results nobody needs, and operands of which nothing is; return what is to be said."""
    needs: dict[Buffer, list[Region | None]] = {}
    told: list[str] = []

    def need(arrays: Iterable[Array]) -> None:
        for array in arrays:
            if array.buffer is not None:
                region = array.region if isinstance(array.region, Region) else None
                needs.setdefault(array.buffer, []).append(region)

    need(program.outputs)
    for equation in reversed(program.equations):
        wanted = [needs.get(output, []) for output in equation.outputs]
        if not any(wanted):
            continue
        if isinstance(equation, Loop):
            first = len(equation.carried)
            stacked = [r for r in equation.results[first:] if r is not None]
            last = any(needs.get(r) for r in equation.results[:first] if r is not None)  # of which every turn is needed
            hulls = [_hull(needs[r], r.shape, sizes) for r in stacked if r in needs and not last]
            if (left := _left(Turns(equation.trips, equation.backwards), hulls, sizes)) is not None:
                told.append(_said(equation, left, equation.trips))
                equation.slices = tuple((inside, _first(array, left, sizes)) for inside, array in equation.slices)
                equation.trips = left.count
                _shorten(stacked, left.count)
            need(array for _, array in (*equation.carried, *equation.slices))
            need(Array(buffer.shape, buffer.format, buffer) for buffer in equation.captured)
            continue
        turns = None if any(wanted[1:]) else equation.turns
        hull = _hull(wanted[0], equation.outputs[0].shape, sizes) if turns or equation.axis is not None else None
        if turns is not None and (left := _left(turns, [hull], sizes)) is not None:
            told.append(_said(equation, left, turns.count))
            equation.inputs = (_first(equation.inputs[0], left, sizes), *equation.inputs[1:])
            equation.compute = {engine: n * left.count / turns.count for engine, n in equation.compute.items()}
            _shorten(equation.outputs[:1], left.count)
        elif equation.axis is not None and hull is not None:
            _side_by_side(equation, equation.axis, hull, sizes)
        need(equation.inputs)
    return told[::-1]


def _hull(regions: Iterable[Region | None], shape: tuple[Expr, ...], sizes: KnownSizes) -> Box | None:
    """Return the smallest box of places that has all regions in it, None where that is all or not known."""
    found: Box | None = None
    for region in regions:
        box = None if region is None else places(region, shape, sizes)
        if box is None:
            return None
        found = box if found is None else tuple(_both(a, b, sizes) for a, b in zip(found, box, strict=True))
    whole = tuple(Digit(ZERO, n) for n in shape)
    return None if found == whole else found


def _both(a: Digit, b: Digit, sizes: KnownSizes) -> Digit:
    if a == b:
        return a
    start = sizes.least(a.start, b.start)
    return Digit(start, expand(sizes.greatest(a.last, b.last) + 1 - start))


def _left(turns: Turns, hulls: Sequence[Box | None], sizes: KnownSizes) -> Digit | None:
    """Return the places of the turns up to the last one that makes a place within a hull, None for all of them."""
    if not hulls:
        return None
    count: Expr = ZERO
    for hull in hulls:
        if hull is None:
            return None
        count = sizes.greatest(count, turns.count - hull[0].start if turns.backwards else hull[0].last + 1)
    count = expand(count)
    if expand(count - turns.count) == 0:
        return None
    return Digit(expand(turns.count - count) if turns.backwards else ZERO, count)


def _said(equation: Equation, left: Digit, turns: Expr) -> str:
    return f"{equation.primitive} at {equation.place} turns {left.count} times of {turns}, as nobody needs the rest"


def _shorten(made: Iterable[Buffer], turns: Expr) -> None:
    for buffer in made:
        buffer.shape = (turns, *buffer.shape[1:])


def _first(array: Array, places: Digit, sizes: KnownSizes) -> Array:
    """Return these places of the first axis of an array."""
    return _part(array, [places, *(Digit(ZERO, n) for n in array.shape[1:])], sizes)


def _part(array: Array, places: Sequence[Digit], sizes: KnownSizes) -> Array:
    shape = tuple(digit.count for digit in places)
    part = array.sliced(shape, [digit.start for digit in places], [digit.step for digit in places], sizes)
    return part or array.some(shape, object())


def _side_by_side(equation: Equation, axis: int, hull: Box, sizes: KnownSizes) -> None:
    """Let a step that lays its operands one after the other do so with what is needed of them alone."""
    inputs: list[Array] = []
    begin: Expr = Integer(0)
    for array in equation.inputs:
        digits = list(hull)
        stacked = len(array.shape) < len(hull)
        length = ONE if stacked else array.shape[axis]
        along, last = hull[axis], expand(begin + length - 1)
        if not (sizes.less(along.last, begin) or sizes.less(last, along.start)):
            start = expand(along.start - begin)
            within = sizes.less(-ONE, start) and sizes.less(along.last - 1, last)
            digits[axis] = Digit(start, along.count, along.step) if within else Digit(ZERO, length)
            if stacked:
                digits.pop(axis)
            inputs.append(_part(array, digits, sizes))
        begin = expand(begin + length)
    equation.inputs = tuple(inputs)
    equation.outputs[0].shape = tuple(digit.count for digit in hull)
