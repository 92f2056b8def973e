"""What of each result somebody needs: turns of a loop that make nothing of it are not done, as of `out[:, -1]`.

From the last step to the first, each says what it needs of its operands. What only lays its operands one after the
other passes on what is needed of it; a loop back over a sequence of whose results the last alone is read turns once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import reduce
from itertools import chain

from sympy import Expr, Integer, Mul, expand

from roofproof.trace.program import ONE, ZERO, Array, Buffer, Equation, Loop, Program, Turns
from roofproof.trace.regions import Box, Digit, Region, places, within
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
            ends = [_boxes(needs[r], r.shape, sizes) for r in stacked if r in needs and not last]
            if (left := _left(Turns(equation.trips, equation.backwards), ends, sizes)) is not None:
                told.append(_said(equation, left, equation.trips))
                equation.slices = tuple((inside, _first(array, left, sizes)) for inside, array in equation.slices)
                equation.trips = left.count
                _shorten(stacked, left.count)
            need(array for _, array in (*equation.carried, *equation.slices))
            need(Array(buffer.shape, buffer.format, buffer) for buffer in equation.captured)
            continue
        turns = None if any(wanted[1:]) else equation.turns
        if turns is not None or equation.axis is not None or equation.along is not None:
            made = equation.outputs[0]
            boxes = _boxes([None] if any(wanted[1:]) else wanted[0], made.shape, sizes)
            if turns is not None and (left := _left(turns, [boxes], sizes)) is not None:
                told.append(_said(equation, left, turns.count))
                equation.inputs = (_first(equation.inputs[0], left, sizes), *equation.inputs[1:])
                equation.compute = {engine: n * left.count / turns.count for engine, n in equation.compute.items()}
                _shorten([made], left.count)
            elif turns is None and boxes != [tuple(Digit(ZERO, n) for n in made.shape)]:
                _narrow(equation, boxes, sizes)
        need(equation.inputs)
    return list(dict.fromkeys(told[::-1]))


def _boxes(regions: Iterable[Region | None], shape: tuple[Expr, ...], sizes: KnownSizes) -> list[Box]:
    """Return boxes of places that have all regions in them; all places where that is not known.

    Where sizes are symbols there is one, as nobody knows how far what several need overlaps.
    """
    whole = tuple(Digit(ZERO, n) for n in shape)
    found = [whole if region is None else places(region, shape, sizes) or whole for region in dict.fromkeys(regions)]
    if whole in found:
        return [whole]
    numbers = all(n.is_Integer for box in found for digit in box for n in (digit.start, digit.count))
    return found if numbers else [_hull(found, shape, sizes)]


def _hull(boxes: Iterable[Box], shape: tuple[Expr, ...], sizes: KnownSizes) -> Box:
    """Return one box that has others in it."""

    def both(a: Box, b: Box) -> Box:
        return tuple(_both(*digits, sizes) for digits in zip(a, b, shape, strict=True))

    return reduce(both, boxes)


def _both(a: Digit, b: Digit, most: Expr, sizes: KnownSizes) -> Digit:
    """Return places that have both in them, from the first on or up to the last where sizes leave open which it is."""
    if a == b:
        return a
    start = a.start if sizes.less(a.start - 1, b.start) else b.start if sizes.less(b.start, a.start) else ZERO
    last = a.last if sizes.less(b.last - 1, a.last) else b.last if sizes.less(a.last, b.last) else most - 1
    return Digit(start, expand(last + 1 - start))


def _left(turns: Turns, needed: Iterable[Iterable[Box]], sizes: KnownSizes) -> Digit | None:
    """Return the places of the turns up to the last one that makes a place within boxes, None for all of them."""
    count: Expr = ZERO
    for box in chain.from_iterable(needed):
        count = sizes.greatest(count, turns.count - box[0].start if turns.backwards else box[0].last + 1)
    if count == 0:
        return None
    count = expand(count)
    if expand(count - turns.count) == 0:
        return None
    return Digit(expand(turns.count - count) if turns.backwards else ZERO, count)


def _said(equation: Equation, left: Digit, turns: Expr) -> str:
    return f"{equation.primitive} at {equation.place} does {left.count} of {turns} turns, as nobody needs the others"


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


def _narrow(equation: Equation, boxes: Sequence[Box], sizes: KnownSizes) -> None:
    """Let a step make what lies in boxes, and all between them, of what is needed of its operands for these."""
    made = equation.outputs[0]
    hull = _hull(boxes, made.shape, sizes)
    inputs: list[Array] = []
    for box in boxes:
        if equation.axis is not None:
            inputs += _side_by_side(equation.inputs, equation.axis, box, sizes)
        for array, axes in zip(equation.inputs, equation.along or (), strict=False):
            whole = [Digit(ZERO, n) for n in array.shape]
            taken = [d if k is None else _along(box, k, d.count) for d, k in zip(whole, axes, strict=True)]
            if array is equation.inputs[0] and equation.shift:
                there = [_there(d, s, n, sizes) for d, s, n in zip(taken, equation.shift, array.shape, strict=True)]
                if None in there:
                    continue
                taken = [digit for digit in there if digit is not None]
            inputs.append(array if taken == whole else _part(array, taken, sizes))
    share = Mul(*(digit.count / n for digit, n in zip(hull, made.shape, strict=True)))
    equation.inputs = tuple(dict.fromkeys(inputs))
    equation.compute = {engine: amount * share for engine, amount in equation.compute.items()}
    made.shape = tuple(digit.count for digit in hull)


def _along(box: Box, axis: int, length: Expr) -> Digit:
    """Return the places of an operand whose axis of this length is an axis of the result, or ~axis backwards."""
    if axis >= 0:
        return box[axis]
    digit = box[~axis]
    return replace(digit, start=expand(length - 1 - digit.last))


def _there(digit: Digit, shift: Expr, length: Expr, sizes: KnownSizes) -> Digit | None:
    """Return which of some places are of an operand that begins after `shift` others, None for none."""
    return within(replace(digit, start=expand(digit.start - shift)), Digit(ZERO, length), sizes)


def _side_by_side(inputs: Iterable[Array], axis: int, box: Box, sizes: KnownSizes) -> Iterator[Array]:
    """Yield what of operands that lie one after the other is needed for a box of what they make."""
    begin: Expr = Integer(0)
    for array in inputs:
        digits = list(box)
        stacked = len(array.shape) < len(box)
        length = ONE if stacked else array.shape[axis]
        there = _there(box[axis], begin, length, sizes)
        if there is not None:
            digits[axis] = there
            if stacked:
                digits.pop(axis)
            yield _part(array, digits, sizes)
        begin = expand(begin + length)
