"""Removal of unused work: steps, loop iterations, and parts of results, as for `out[:, -1]`.

From the last step to the first, each step states the parts of its operands that it needs. A concatenation passes on the
parts that are needed of its result. A backward loop over a sequence runs once if only its last result is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import reduce
from itertools import chain

from sympy import Expr, expand

from roofproof.trace.parts import Kept, count, operands
from roofproof.trace.program import ZERO, Array, Buffer, Equation, Iterations, Loop, Program
from roofproof.trace.regions import Box, Digit, Region, UndecidedError, places
from roofproof.trace.sizes import KnownSizes


def alive(program: Program) -> list[Equation]:
    """Drop the equations whose results are not needed, and return the dropped ones that compute something."""
    needed = {a.buffer for a in program.outputs if a.buffer is not None}
    kept: list[Equation] = []
    for equation in reversed(program.equations):
        if needed.intersection(equation.outputs):
            needed.update(equation.needed)
            kept.append(equation)
    left = set(map(id, kept))
    dropped = [e for e in program.equations if e.compute and id(e) not in left]
    program.equations[:] = reversed(kept)
    return dropped


def trim_loops(program: Program, sizes: KnownSizes) -> list[str]:
    """Drop unneeded loop iterations and unneeded parts of operands, and return notes about the iterations."""
    needs: dict[Buffer, list[Region | None]] = {}
    notes: list[str] = []

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
            notes += _shorter_loop(equation, needs, sizes)
            need(array for _, array in (*equation.carried, *equation.slices))
            need(Array(buffer.shape, buffer.format, buffer) for buffer in equation.captured)
            continue
        if equation.iterations is not None or _places_known(equation):
            made = equation.outputs[0]
            boxes = _boxes([None] if any(wanted[1:]) else wanted[0], made.shape, sizes)
            if equation.iterations is not None:
                notes += [] if any(wanted[1:]) else _shorter(equation, equation.iterations, boxes, sizes)
            elif boxes != [_all(made.shape)]:
                _narrow(equation, boxes, sizes)
        need(equation.inputs)
    return list(dict.fromkeys(notes[::-1]))


def _places_known(equation: Equation) -> bool:
    """Return whether each place of a result depends on known places of the operands, whatever the values are."""
    if equation.axis is not None:
        return True
    plain = all(isinstance(axis, int | Kept | None) for axes in equation.along or () for axis in axes)
    return equation.along is not None and plain and not equation.whole


def _shorter_loop(loop: Loop, needs: dict[Buffer, list[Region | None]], sizes: KnownSizes) -> list[str]:
    """Drop the iterations of a loop after the last one whose results are needed."""
    first = len(loop.carried)
    stacked = [r for r in loop.results[first:] if r is not None]
    if any(needs.get(r) for r in loop.results[:first] if r is not None):  # these need every iteration
        return []
    ends = [_boxes(needs[r], r.shape, sizes) for r in stacked if r in needs]
    left = _kept_iterations(Iterations(loop.trips, loop.backwards), ends, sizes)
    if left is None:
        return []
    note = _note(loop, left, loop.trips)
    loop.slices = tuple((inside, _first(array, left, sizes)) for inside, array in loop.slices)
    loop.trips = left.count
    _shorten(stacked, left)
    return [note]


def _shorter(equation: Equation, turns: Iterations, boxes: Sequence[Box], sizes: KnownSizes) -> list[str]:
    """Drop the time steps of a recurrence after the last one whose results are needed."""
    left = _kept_iterations(turns, [boxes], sizes)
    if left is None:
        return []
    equation.inputs = (_first(equation.inputs[0], left, sizes), *equation.inputs[1:])
    equation.compute = {engine: n * left.count / turns.count for engine, n in equation.compute.items()}
    _shorten(equation.outputs[:1], left)
    return [_note(equation, left, turns.count)]


def _all(shape: Sequence[Expr]) -> Box:
    return tuple(Digit(ZERO, n) for n in shape)


def _boxes(regions: Iterable[Region | None], shape: tuple[Expr, ...], sizes: KnownSizes) -> list[Box]:
    """Return boxes of places that contain all regions, or all places if that is unknown.

    For symbolic sizes there is one box, since the overlap of several is unknown.
    """
    whole = _all(shape)
    found = [whole if region is None else places(region, shape, sizes) or whole for region in dict.fromkeys(regions)]
    if whole in found:
        return [whole]
    numbers = all(n.is_Integer for box in found for digit in box for n in (digit.start, digit.count))
    return found if numbers else [_hull(found, shape, sizes)]


def _hull(boxes: Iterable[Box], shape: tuple[Expr, ...], sizes: KnownSizes) -> Box:
    """Return one box that contains the others."""

    def both(a: Box, b: Box) -> Box:
        return tuple(_both(*digits, sizes) for digits in zip(a, b, shape, strict=True))

    return reduce(both, boxes)


def _both(a: Digit, b: Digit, most: Expr, sizes: KnownSizes) -> Digit:
    """Return places that contain both, up to the end of the axis on a side where the sizes do not order them."""
    if a == b:
        return a
    start = a.start if sizes.less(a.start - 1, b.start) else b.start if sizes.less(b.start, a.start) else ZERO
    last = a.last if sizes.less(b.last - 1, a.last) else b.last if sizes.less(a.last, b.last) else most - 1
    return Digit(start, expand(last + 1 - start))


def _kept_iterations(turns: Iterations, needed: Iterable[Iterable[Box]], sizes: KnownSizes) -> Digit | None:
    """Return the iterations up to the last one that makes a needed place, or None if all are kept."""
    count: Expr = ZERO
    for box in chain.from_iterable(needed):
        count = sizes.greatest(count, turns.count - box[0].start if turns.backwards else box[0].last + 1)
    if count == 0:
        return None
    count = expand(count)
    if expand(count - turns.count) == 0:
        return None
    return Digit(expand(turns.count - count) if turns.backwards else ZERO, count)


def _note(equation: Equation, left: Digit, turns: Expr) -> str:
    return f"{equation.primitive} at {equation.place} does {left.count} of {turns} turns, as nobody needs the others"


def _cut(buffer: Buffer, box: Box) -> None:
    """Shrink a buffer to a box of its former shape."""
    buffer.cut = buffer.shape, tuple(box)
    buffer.shape = tuple(digit.count for digit in box)


def _shorten(made: Iterable[Buffer], turns: Digit) -> None:
    for buffer in made:
        _cut(buffer, (turns, *_all(buffer.shape[1:])))


def _first(array: Array, places: Digit, sizes: KnownSizes) -> Array:
    """Return the given places along the first axis of an array."""
    return part_of(array, [places, *_all(array.shape[1:])], sizes)


def part_of(array: Array, places: Sequence[Digit], sizes: KnownSizes) -> Array:
    """Return a box of an array, or as many elements at unknown places if its location is unknown."""
    shape = tuple(digit.count for digit in places)
    part = array.sliced(shape, [digit.start for digit in places], [digit.step for digit in places], sizes)
    return part or array.some(shape, object())


def _narrow(equation: Equation, boxes: Sequence[Box], sizes: KnownSizes) -> None:
    """Shrink the result of a step to the hull of some boxes, and its operands to the parts that the boxes need."""
    made = equation.outputs[0]
    hull = _hull(boxes, made.shape, sizes)
    try:
        inputs = dict.fromkeys(_inputs(equation, boxes, sizes))
    except UndecidedError:
        return
    equation.inputs = tuple(inputs)
    share = count(hull) / made.elements
    equation.compute = {engine: amount * share for engine, amount in equation.compute.items()}
    _cut(made, hull)
    equation.boxes = len(boxes)
    if len(boxes) > 1 or equation.shift:
        equation.along, equation.axis, equation.shift = None, None, ()


def _inputs(equation: Equation, boxes: Iterable[Box], sizes: KnownSizes) -> Iterator[Array]:
    """Yield the parts of the operands that the boxes of a result are made of."""
    plain = None
    if equation.along is not None:
        plain = tuple(tuple(axis.axis if isinstance(axis, Kept) else axis for axis in axes) for axes in equation.along)
    step = replace(equation, along=plain)
    for box in boxes:
        for _, array, taken in operands(step, box, sizes):
            digits = [digit for digit in taken if isinstance(digit, Digit)]
            yield array if digits == [*_all(array.shape)] else part_of(array, digits, sizes)
