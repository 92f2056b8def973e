"""Convolutions: the number of pairs of a weight and an input element. Zeros from padding or dilation do not count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from math import gcd
from typing import Any, NamedTuple

from sympy import Add, Expr, Integer, Max, Mul, ceiling, floor

from roofproof.errors import RoofproofError
from roofproof.ops.tensor import is_positive
from roofproof.trace.ordering import at_most
from roofproof.trace.parts import Along, Axis, Chosen, Grouped, Spread, Windowed
from roofproof.trace.program import Array, Buffer
from roofproof.trace.regions import Digit, Region
from roofproof.trace.registry import Step
from roofproof.trace.sizes import KnownSizes

MOST = 10**6  # pairs that are counted one by one
TAPS = 1000  # places along an axis that are counted one by one, each against symbolic sizes


class Window(NamedTuple):
    """Windows along an axis: `many` of them, `stride` apart, each of `taps` places `apart` from one another."""

    axis: int
    many: Expr
    taps: Expr
    before: Expr | int = 0
    stride: int = 1
    apart: int = 1

    def places(self, size: Expr) -> Digit | tuple[int, Digit | None]:
        """Return the places of an axis that windows cover, or their number and the first places of the windows.

        >>> three = Integer(3)
        >>> Window(0, three, Integer(1), stride=2).places(Integer(6))      # 0, 2, 4
        Digit(start=0, count=3, step=2)
        >>> Window(0, three, Integer(2), stride=3).places(Integer(9))      # 0, 1, 3, 4, 6, 7
        (6, Digit(start=0, count=3, step=3))
        """
        if not all(isinstance(n, int) or n.is_Integer for n in (size, *self[1:])) or self.many * self.taps > MOST:
            alone = self.taps == 1 and self.before == 0
            return Digit(Integer(0), self.many, Integer(self.stride)) if alone else Digit(Integer(0), size)
        firsts = [k * self.stride - int(self.before) for k in range(int(self.many))]
        found = sorted({p for f in firsts for k in range(int(self.taps)) if 0 <= (p := f + k * self.apart) < size})
        steps = {b - a for a, b in pairwise(found)}
        if len(steps) < 2:
            return Digit(Integer(found[0] if found else 0), Integer(len(found)), Integer(*steps or (1,)))
        whole = self.before == 0 and self.apart == 1 and self.stride > self.taps
        return len(found), Digit(Integer(0), self.many, Integer(self.stride)) if whole else None


def seen(array: Array, windows: Sequence[Window], along: Along | None, sizes: KnownSizes) -> tuple[Array, Along | None]:
    """Return the part of an array that windows cover, or all of it if unknown, and how its places map to the result."""
    shape, steps, starts = list(array.shape), [1] * len(array.shape), [Integer(0)] * len(array.shape)
    axes: list[Axis] = list(along[0]) if along else []
    taps: list[tuple[Expr, int]] = []
    strides, known = array.known_strides, True
    for window in windows:
        found = window.places(array.shape[window.axis])
        if axes and isinstance(at := axes[window.axis], Windowed):
            axes[window.axis] = _after_the_cut(at, found)
        if isinstance(found, tuple):
            many, first = found
            if first is None:
                known, shape[window.axis] = False, Integer(many)
                continue
            taps.append((window.taps, window.axis))
            found = first
        shape[window.axis], steps[window.axis], starts[window.axis] = found.count, int(found.step), found.start
    if tuple(shape) == array.shape:
        return array, along
    along = (tuple(axes), *along[1:]) if along else None
    part = array.sliced(tuple(shape), starts, steps, sizes) if known else None
    if part is None or strides is None or part.strides is None:
        return array.some((*shape, *(n for n, _ in taps)), object()), None
    if taps and isinstance(part.region, Region):
        each = [strides[axis] for _, axis in taps]
        region = Region.of(part.offset, (*part.shape, *(n for n, _ in taps)), (*part.strides, *each), sizes)
        return replace(part, region=region), None
    return part, along


def _after_the_cut(at: Windowed, found: Digit | tuple[int, Digit | None]) -> Axis:
    """Return how the places of an axis map to the result if only the covered ones are left."""
    if isinstance(found, tuple):
        return Grouped(at.axis)
    return replace(at, before=at.before + found.start) if found.step == 1 else at.axis


class Side(NamedTuple):
    """One spatial axis of a convolution: its axes in the input, the weights and the result, and its geometry.

    A transposed convolution is described as the convolution from its result to its input, so `size` is that of its
    result.
    """

    axes: tuple[int, int, int]
    size: Expr
    taps: Expr
    results: Expr
    before: Expr | int
    after: Expr | int
    stride: int
    spread: int
    apart: int


class Sides(NamedTuple):
    """A convolution of either framework: its operands, its batch and channel axes, and its spatial axes."""

    x: Array
    w: Array
    outer: Expr  # results without their spatial axes, times the channels of a weight
    fan_in: Expr  # most products of one element of the result
    sides: tuple[Side, ...]
    batch: tuple[int, int | None]  # its axis in the input and in the result
    made: tuple[int, int]  # the channel axes of the input and of the result
    weights: tuple[int, int]  # the output and input channel axes of the weights
    groups: int
    transposed: bool

    @classmethod
    def of_jax(cls, step: Step) -> Sides:
        x, w, made, params = *step.inputs[:2], step.outputs[0], step.params
        numbers = params["dimension_numbers"]
        channels = w.shape[numbers.rhs_spec[1]]
        every = zip(numbers.lhs_spec[2:], numbers.rhs_spec[2:], numbers.out_spec[2:], strict=True)
        found = tuple(
            Side(axes, x.shape[axes[0]], w.shape[axes[1]], made.shape[axes[2]], *params["padding"][k],
                 *(params[p][k] for p in ("window_strides", "lhs_dilation", "rhs_dilation")))
            for k, axes in enumerate(every)
        )  # fmt: skip
        outer = made.shape[numbers.out_spec[0]] * made.shape[numbers.out_spec[1]] * channels
        batch = numbers.out_spec[0] if params.get("batch_group_count", 1) == 1 else None
        taps = Mul(*(side.taps for side in found))
        return cls(
            x, w, outer, channels * taps, found, (numbers.lhs_spec[0], batch),
            (numbers.lhs_spec[1], numbers.out_spec[1]), (numbers.rhs_spec[0], numbers.rhs_spec[1]),
            params.get("feature_group_count", 1), False,
        )  # fmt: skip

    @classmethod
    def of_torch(cls, step: Step, made: Array | Buffer | None = None) -> Sides:
        x, w, params = step.params["input"], step.params["weight"], step.params
        made = made or step.outputs[0]
        axes = len(w.shape) - 2
        stride, padding, dilation = (
            v if len(v) == axes else v * axes for v in (params[p] for p in ("stride", "padding", "dilation"))
        )
        large, small = (made, x) if params["transposed"] else (x, made)
        found = tuple(
            Side((k + 2,) * 3, large.shape[k + 2], w.shape[k + 2], small.shape[k + 2], padding[k], padding[k],
                 stride[k], 1, dilation[k])
            for k in range(axes)
        )  # fmt: skip
        taps = Mul(*(_at_most(side) if params["transposed"] else side.taps for side in found))
        channels = w.shape[0] / params["groups"] if params["transposed"] else w.shape[1]
        return cls(
            x, w, small.shape[0] * small.shape[1] * w.shape[1], channels * taps, found, (0, 0), (1, 1),
            (1, 0) if params["transposed"] else (0, 1), params["groups"], params["transposed"],
        )  # fmt: skip

    def taps(self) -> list[Taps]:
        return [
            Taps(s.taps, s.results, s.size, s.before, s.after, s.stride, s.apart, s.spread) for s in self.sides
        ]  # fmt: skip

    def windows(self) -> list[Window]:
        """Return the windows over the input, for the axes without input dilation."""
        return [
            Window(s.axes[0], s.results, s.taps, s.before, s.stride, s.apart)
            for s in self.sides
            if s.spread == 1 and not self.transposed
        ]

    def cut(self) -> bool:
        """Return whether a transposed convolution crops its result so far that elements may meet no weight."""
        far = (at_most(Integer(1) * s.before, (s.taps - 1) * s.apart) != s.before for s in self.sides)
        return self.transposed and any(far)

    def along(self) -> Along:
        """Return how places of the input and of the weights map to places of the result."""
        x: list[Axis] = [None] * len(self.x.shape)
        w: list[Axis] = [None] * len(self.w.shape)
        here, made = self.made
        x[self.batch[0]] = Chosen() if self.batch[1] is None else self.batch[1]
        x[here] = None if self.groups == 1 else Grouped(made)
        out, into = self.weights
        w[out] = made if self.groups == 1 or not self.transposed else Grouped(made)
        w[into] = None if self.groups == 1 or not self.transposed else Grouped(made)
        for s in self.sides:
            size, taps, result = s.axes
            padded = (s.before, s.after, s.spread) != (0, 0, 1) or self.transposed
            w[taps] = Grouped(result, Integer(0)) if padded else None
            numbers = all(isinstance(n, int) or n.is_Integer for n in (s.stride, s.apart))
            kind = Spread if self.transposed else Windowed
            x[size] = Grouped(result)
            if s.spread == 1 and numbers:
                x[size] = kind(result, s.taps, Integer(1) * s.before, int(s.stride), int(s.apart))
        return tuple(x), tuple(w)


def _at_most(side: Side) -> Expr:
    """Return the largest number of taps of a transposed convolution that meet one place of its result."""
    return ceiling(side.taps / (side.stride // gcd(side.stride, side.apart)))


def multiplied(sides: Sides, holds: list[Expr]) -> Expr:
    """Return the number of pairs of a weight and an element. `holds` collects terms that must not be negative."""
    total = sides.outer
    for s in sides.sides:
        total *= pairs(s.size, s.taps, s.results, s.before, s.after, s.stride, s.spread, s.apart, holds)
    return total


class Taps(NamedTuple):
    """Weights along an axis. Weight k of `many` meets place a `stride` + k `apart` - `before` for each a below `turns`.

    `places` is the number of elements, which are `spread` apart.
    """

    many: Expr
    turns: Expr
    places: Expr
    before: Expr | int = 0
    after: Expr | int = 0
    stride: int = 1
    apart: int = 1
    spread: int = 1

    def met(self, sizes: KnownSizes) -> Expr:
        """Return the number of weights that certainly meet an element: one of three for one place with padding.

        >>> one = Integer(1)
        >>> Taps(Integer(3), one, one, before=1).met(KnownSizes(()))
        1
        """
        if (
            not (isinstance(self.many, int) or self.many.is_Integer)
            or self.many > TAPS
            or 1 not in (self.stride, self.spread)
        ):
            return Integer(1)
        return Integer(sum(self._meets(k, sizes) for k in range(int(self.many))))

    def _meets(self, k: int, sizes: KnownSizes) -> bool:
        apart = k * self.apart - self.before
        if self.spread == 1:  # the first window that does not start before the first place
            turn = self._after(-apart, self.stride, sizes)
            place = turn * self.stride + apart
        else:
            place = self._after(apart, self.spread, sizes)
            turn = place * self.spread - apart
        inside = sizes.less(Integer(-1), place) and sizes.less(place, self.places)
        return inside and sizes.less(Integer(-1), turn) and sizes.less(turn, self.turns)

    @staticmethod
    def _after(distance: Expr, step: int, sizes: KnownSizes) -> Expr:
        distance = Integer(1) * distance
        if sizes.less(distance, Integer(1)):
            return Integer(0)
        return ceiling(distance / step)


def pairs(
    size: Expr, taps: Expr, results: Expr, before: Any, after: Any, stride: int = 1, spread: int = 1, apart: int = 1,
    holds: list[Expr] | None = None,
) -> Expr:  # fmt: skip
    """Return the number of pairs of a weight and an element along one axis.

    >>> five, three = Integer(5), Integer(3)
    >>> pairs(five, three, three, 0, 0), pairs(five, three, five, 1, 1)      # valid; same: 15 less one on each side
    (9, 13)
    >>> pairs(five, three, Integer(7), 2, 2)                                # full: each weight meets each element
    15
    >>> from roofproof.symbols import dimension
    >>> H, R = dimension("H"), dimension("R")
    >>> pairs(H, R, H + R - 1, R - 1, R - 1).expand(), pairs(H, three, H, 1, 1)
    (H*R, 3*H - 2)
    >>> needed = []
    >>> pairs(H, Integer(7), H, 3, 3, holds=needed), needed                # if H is 1, the sides overlap
    (7*H - 12, [H - 3, H - 2, H - 1, H, H - 1, H - 2, H - 3])

    `before` and `after` are the padding. `holds` collects terms that must not be negative. Raises RoofproofError if
    symbolic sizes leave the effect of padding open.
    """
    before, after = (Integer(n) if isinstance(n, int) else n for n in (before, after))
    needed: list[Expr] = [] if holds is None else holds
    if not before and not after and spread == 1:
        return taps * results
    if all(n.is_Integer for n in (size, taps, results, before, after)) and taps * results <= MOST:
        last = (int(size) - 1) * spread
        at = (o * stride + r * apart - int(before) for o in range(int(results)) for r in range(int(taps)))
        return Integer(sum(1 for i in at if 0 <= i <= last and i % spread == 0))
    if isinstance(results, Max) and 0 in results.args and len(results.args) == 2:
        results = Add(*results.args)
        needed.append(results)
    few, many, step, other = (taps, results, stride, apart) if taps.is_Integer else (results, taps, apart, stride)
    if few.is_Integer and few <= TAPS and 1 in (step, spread):
        return Add(*(_places(size, many, before - k * other, step, spread, needed) for k in range(int(few))))
    plain = stride == spread == apart == 1
    if plain and all(_fits(n, taps) and _fits(n, results) for n in (before, after)):
        return taps * results - before * (before + 1) / 2 - after * (after + 1) / 2
    raise _open()


def _open() -> RoofproofError:
    return RoofproofError(
        "what the padding of a convolution adds is open here; give numbers for its sizes, or say what divides them, "
        "such as 'N even'"
    )


def _fits(part: Expr, whole: Expr) -> bool:
    return bool(part.is_nonnegative and (is_positive(whole - part) or (whole - part).is_nonnegative))


def _places(size: Expr, many: Expr, before: Expr, step: int, spread: int, needed: list[Expr]) -> Expr:
    """Return the number of k below `many` for which place k step - before is 0, spread, ... or (size - 1) spread.

    One of `step` and `spread` is 1, so these k (or, if `spread` is not 1, these elements) are consecutive.
    """
    if spread == 1:
        each, first, until, most = step, before / step, size - 1 + before, many
    else:
        each, first, until, most = spread, -before / spread, many - 1 - before, size
    start = ceiling(first) if is_positive(first) else Integer(0)
    if start == 0 and not (first.is_nonpositive or is_positive(1 - first)):
        raise _open()
    ends = (until / each).expand()  # rounded down below
    gap = (_unrounded(most - 1) - ends).expand()  # floors compare as their arguments do
    if gap.is_nonnegative or is_positive(gap):
        end = floor(ends) + 1
        needed.append((until - each * (start - 1)).expand())
    elif gap.is_nonpositive or is_positive(-gap):
        end = most
        needed.append((most - start).expand())
    else:
        raise _open()
    return end - start


def _unrounded(size: Expr) -> Expr:
    """Return a number whose floor is the given integer: itself, or the integer with its only floor removed."""
    terms = Add.make_args(size.expand())
    rounded = [t for t in terms if t.has(floor)]
    if not rounded:
        return size
    if len(rounded) == 1 and isinstance(rounded[0], floor):
        return size - rounded[0] + rounded[0].args[0]
    raise _open()
