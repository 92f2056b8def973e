"""The places of its operands that a step needs for given places of its result.

A box gives the places along each axis: a `Digit`, or `Unknown` places of which only the number is known. A rule states
how the places of each operand axis follow from those of the result. They are those of an axis of the result (~k if
reversed), all places (None), or one of the kinds below. A concatenation has only the axis along which it joins its
operands.
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
    """A number of places along an axis, at unknown positions."""

    count: Expr


@dataclass(frozen=True)
class Chosen:
    """A number of places that values choose, or one place if only part of the result is needed."""

    many: Expr = ONE


@dataclass(frozen=True)
class Kept:
    """The places of an axis of the result, of which this share is kept on average."""

    axis: int
    share: Expr


@dataclass(frozen=True)
class Upto:
    """All places up to those of an axis of the result, as for a running sum, or from these on if `backwards`."""

    axis: int
    backwards: bool = False


@dataclass(frozen=True)
class Grouped:
    """All places if all of an axis of the result is needed, else at least `least` places."""

    axis: int
    least: Expr = ONE


@dataclass(frozen=True)
class Windowed:
    """The places of windows of `taps` places, `stride` apart. The first window begins at -`before`."""

    axis: int
    taps: Expr
    before: Expr
    stride: int = 1
    apart: int = 1


@dataclass(frozen=True)
class Spread:
    """The places whose `taps` meet a place of the result. Those of successive places are `stride` apart."""

    axis: int
    taps: Expr
    before: Expr
    stride: int = 1
    apart: int = 1


Axis: TypeAlias = int | Chosen | Kept | Upto | Grouped | Windowed | Spread | None
Along: TypeAlias = tuple[tuple[Axis, ...], ...]
Box: TypeAlias = tuple[Digit | Unknown, ...]


def full_box(shape: Sequence[Expr]) -> Box:
    """Return the box of all places."""
    return tuple(Digit(ZERO, n) for n in shape)


def count(box: Box) -> Expr:
    """Return the number of places in a box."""
    return Mul(*(digit.count for digit in box))


def operands(equation: Equation, box: Box, sizes: KnownSizes) -> Iterator[tuple[int, Array, Box]]:
    """Yield the places of each operand that a step needs for certain for a box of its first result.

    Raises UndecidedError if the sizes leave that open for a concatenated or padded operand.
    """
    made = equation.outputs[0].shape
    if equation.axis is not None:
        yield from _side_by_side(equation, equation.axis, box, sizes)
        return
    for k, (array, axes) in enumerate(zip(equation.inputs, equation.along or (), strict=False)):
        found = [_needed_digit(axis, box, made, n, sizes) for axis, n in zip(axes, array.shape, strict=True)]
        if k == 0 and equation.shift:
            found = [
                d if isinstance(d, Unknown) or d is None else _shifted_digit(d, s, n, sizes)
                for d, s, n in zip(found, equation.shift, array.shape, strict=True)
            ]
        if None not in found:
            yield k, array, tuple(d for d in found if d is not None)


def _needed_digit(
    axis: Axis, box: Box, made: Sequence[Expr], length: Expr, sizes: KnownSizes
) -> Digit | Unknown | None:
    """Return the places along one axis of an operand that a box of the result needs for certain."""
    all_of_it = Digit(ZERO, length)
    match axis:
        case None:
            return all_of_it
        case Chosen(many):
            return Unknown(many if box == full_box(made) else ONE)
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
    """Return the places of windows without gaps between them, or else the first place of each window."""
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


def _shifted_digit(digit: Digit, shift: Expr, length: Expr, sizes: KnownSizes) -> Digit | None:
    """Return the given places that fall into an operand that begins after `shift` others, or None for none."""
    return joint(replace(digit, start=expand(digit.start - shift)), Digit(ZERO, length), sizes)


def _side_by_side(equation: Equation, axis: int, box: Box, sizes: KnownSizes) -> Iterator[tuple[int, Array, Box]]:
    """Yield the parts of concatenated operands that a box of the result needs."""
    begin: Expr = Integer(0)
    every = box[axis] == Digit(ZERO, equation.outputs[0].shape[axis])
    for k, array in enumerate(equation.inputs):
        stacked = len(array.shape) < len(box)
        length = ONE if stacked else array.shape[axis]
        digit = box[axis]
        there = Digit(ZERO, length) if every else None
        if not every and isinstance(digit, Digit):
            there = _shifted_digit(digit, begin, length, sizes)
        if there is not None:
            yield (
                k,
                array,
                tuple(d for i, d in enumerate((*box[:axis], there, *box[axis + 1 :])) if not stacked or i != axis),
            )
        begin = expand(begin + length)


def region_of(box: Sequence[Digit], shape: Sequence[Expr]) -> Region:
    """Return the region of a box of a row-major array."""
    strides = row_major(shape)
    offset = sum((d.start * s for d, s in zip(box, strides, strict=True)), ZERO)
    return Region.of(offset, [d.count for d in box], [d.step * s for d, s in zip(box, strides, strict=True)])
