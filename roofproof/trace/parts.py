"""Which places of its operands a step takes for some places of its result.

A box says of each axis which places: a `Digit`, or `Unknown` ones of which only the number is known. A rule says of
each axis of an operand how its places follow from those of the result: an axis of the result (~k backwards), None for
all of it, or one of the kinds below. A step that only lays its operands side by side has an axis for that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from sympy import Expr, Integer, Mul, ceiling, expand, floor

from roofproof.trace.program import ONE, ZERO, Array, Equation
from roofproof.trace.regions import Digit, Region, UndecidedError, joint, row_major
from roofproof.trace.sizes import KnownSizes


@dataclass(frozen=True)
class Unknown:
    """So many places of an axis, nobody says which."""

    count: Expr


@dataclass(frozen=True)
class Chosen:
    """So many places that values choose; one, where only some of the result is needed."""

    many: Expr = ONE


@dataclass(frozen=True)
class Kept:
    """The places of an axis of the result, of which this share is kept in the mean."""

    axis: int
    share: Expr


@dataclass(frozen=True)
class Upto:
    """All places up to those of an axis of the result, as a running sum takes; backwards from these on."""

    axis: int
    backwards: bool = False


@dataclass(frozen=True)
class Grouped:
    """All places where all of an axis of the result are needed, else so many at least."""

    axis: int
    least: Expr = ONE


@dataclass(frozen=True)
class Windowed:
    """The places of windows of `taps`, each `stride` after the one before; place 0 of the result begins `before`."""

    axis: int
    taps: Expr
    before: Expr
    stride: int = 1
    apart: int = 1


@dataclass(frozen=True)
class Spread:
    """The places whose `taps`, `stride` after those of the place before, meet a place of the result."""

    axis: int
    taps: Expr
    before: Expr
    stride: int = 1
    apart: int = 1


Axis: TypeAlias = int | Chosen | Kept | Upto | Grouped | Windowed | Spread | None
Along: TypeAlias = tuple[tuple[Axis, ...], ...]
Box: TypeAlias = tuple[Digit | Unknown, ...]


def whole(shape: Sequence[Expr]) -> Box:
    """Return the box of all places."""
    return tuple(Digit(ZERO, n) for n in shape)


def count(box: Box) -> Expr:
    """Return how many places a box has."""
    return Mul(*(digit.count for digit in box))


def operands(equation: Equation, box: Box, sizes: KnownSizes) -> Iterator[tuple[int, Array, Box]]:
    """Yield which places of which operands a step needs for certain for a box of its first result.

    Raises UndecidedError where sizes leave that open of an operand that is laid beside others or padded.
    """
    made = equation.outputs[0].shape
    if equation.axis is not None:
        yield from _side_by_side(equation, equation.axis, box, sizes)
        return
    for k, (array, axes) in enumerate(zip(equation.inputs, equation.along or (), strict=False)):
        found = [_taken(axis, box, made, n, sizes) for axis, n in zip(axes, array.shape, strict=True)]
        if k == 0 and equation.shift:
            found = [
                d if isinstance(d, Unknown) or d is None else _there(d, s, n, sizes)
                for d, s, n in zip(found, equation.shift, array.shape, strict=True)
            ]
        if None not in found:
            yield k, array, tuple(d for d in found if d is not None)


def _taken(axis: Axis, box: Box, made: Sequence[Expr], length: Expr, sizes: KnownSizes) -> Digit | Unknown | None:
    """Return the places along one axis of an operand that a box of the result takes for certain."""
    all_of_it = Digit(ZERO, length)
    match axis:
        case None:
            return all_of_it
        case Chosen(many):
            return Unknown(many if box == whole(made) else ONE)
        case int():
            digit = box[axis if axis >= 0 else ~axis]
            if axis >= 0 or isinstance(digit, Unknown):
                return digit
            return replace(digit, start=expand(length - 1 - digit.last))
    digit = box[axis.axis]
    if isinstance(axis, Kept):
        return Unknown(axis.share * digit.count)
    if digit == Digit(ZERO, made[axis.axis]):
        return all_of_it
    if isinstance(axis, Upto):
        if isinstance(digit, Unknown):
            return Digit(expand(length - digit.count) if axis.backwards else ZERO, digit.count)
        return (
            Digit(digit.start, expand(length - digit.start)) if axis.backwards else Digit(ZERO, expand(digit.last + 1))
        )
    if isinstance(axis, Grouped):
        return Unknown(axis.least)
    if isinstance(digit, Unknown):
        return Unknown(ONE)
    found = _of_windows(axis, digit) if isinstance(axis, Windowed) else _of_spread(axis, digit)
    try:
        return Unknown(ONE) if found is None else joint(found, all_of_it, sizes) or Unknown(ONE)
    except UndecidedError:
        return Unknown(ONE)


def _of_windows(axis: Windowed, digit: Digit) -> Digit | None:
    """Return the places of windows that follow each other without a gap; of others the first of each."""
    stride, start = axis.stride * digit.step, digit.start * axis.stride - axis.before
    joined = digit.count == 1 or (axis.taps - stride).is_nonnegative or stride == 1
    if joined and (axis.apart == 1 or axis.taps == 1):
        return Digit(expand(start), expand((digit.count - 1) * stride + axis.taps))
    return Digit(expand(start), digit.count, stride) if axis.before == 0 else None


def _of_spread(axis: Spread, digit: Digit) -> Digit | None:
    if axis.apart != 1 or digit.step != 1 or not all(n.is_Integer for n in (axis.taps, axis.before, *_ends(digit))):
        return None
    start, last = _ends(digit)
    first, end = ceiling((start + axis.before - axis.taps + 1) / axis.stride), floor((last + axis.before) / axis.stride)
    return Digit(first, end - first + 1) if end >= first else None


def _ends(digit: Digit) -> tuple[Expr, Expr]:
    return digit.start, digit.last


def _there(digit: Digit, shift: Expr, length: Expr, sizes: KnownSizes) -> Digit | None:
    """Return which of some places are of an operand that begins after `shift` others; None for none."""
    return joint(replace(digit, start=expand(digit.start - shift)), Digit(ZERO, length), sizes)


def _side_by_side(equation: Equation, axis: int, box: Box, sizes: KnownSizes) -> Iterator[tuple[int, Array, Box]]:
    """Yield what of operands that lie one after the other is needed for a box of what they make."""
    begin: Expr = Integer(0)
    every = box[axis] == Digit(ZERO, equation.outputs[0].shape[axis])
    for k, array in enumerate(equation.inputs):
        stacked = len(array.shape) < len(box)
        length = ONE if stacked else array.shape[axis]
        digit = box[axis]
        there = Digit(ZERO, length) if every else None
        if not every and isinstance(digit, Digit):
            there = _there(digit, begin, length, sizes)
        if there is not None:
            yield (
                k,
                array,
                tuple(d for i, d in enumerate((*box[:axis], there, *box[axis + 1 :])) if not stacked or i != axis),
            )
        begin = expand(begin + length)


def region_of(box: Sequence[Digit], shape: Sequence[Expr]) -> Region:
    """Return the addresses of a box of an array that lies row by row."""
    strides = row_major(shape)
    offset = sum((d.start * s for d, s in zip(box, strides, strict=True)), ZERO)
    return Region.of(offset, [d.count for d in box], [d.step * s for d, s in zip(box, strides, strict=True)])
