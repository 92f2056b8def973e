"""Regions of a buffer, as offsets and strides, and the number of elements in their union.

A region is a set of addresses: an offset and axes, each with a count and a stride. Views of one array (slices,
transposes, reshapes) are regions of one buffer. If several steps read it, the union of their regions moves once. Over a
basis of strides, each a multiple of the one before, a region is a box of digits. Boxes intersect digit by digit, so
their union is counted exactly, by minima and maxima if symbolic sizes leave an overlap open.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cmp_to_key
from itertools import combinations, pairwise
from math import gcd
from typing import TypeAlias

import sympy
from sympy import Expr, Integer, Mul

from roofproof.errors import RoofproofError
from roofproof.trace.ordering import at_most, smaller
from roofproof.trace.sizes import KnownSizes

ZERO, ONE = Integer(0), Integer(1)
MOST_STEPS = 5_000  # of inclusion and exclusion
MOST_ADDRESSES = 2**20  # checked one by one, if sizes are numbers
Axis: TypeAlias = tuple[Expr, Expr]  # count and stride


@dataclass(frozen=True, slots=True)
class Region:
    """Addresses of a buffer, in elements: an offset and axes of (count, stride), the smallest stride first.

    >>> from roofproof.symbols import dimension
    >>> B, D = dimension("B"), dimension("D")
    >>> rows = Region.of(ZERO, (B, D), (D, ONE))               # B rows of D are one run of B D
    >>> rows.axes, rows == Region.of(ZERO, (D, B), (ONE, D))   # and so is the transpose
    (((B*D, 1),), True)
    """

    offset: Expr
    axes: tuple[Axis, ...]

    @classmethod
    def of(
        cls, offset: Expr, shape: Sequence[Expr], strides: Sequence[Expr], sizes: KnownSizes | None = None
    ) -> Region:
        """Return the region of a view with this offset, shape and strides."""
        sizes = sizes or KnownSizes(())
        axes: list[Axis] = []
        for n, s in zip(shape, strides, strict=True):
            if n != 1 and s != 0:
                if s.could_extract_minus_sign():  # read backwards
                    offset, s = offset + (n - 1) * s, -s
                axes.append((n, s))
        return cls(sympy.expand(offset), _merged(axes, sizes))

    @property
    def elements(self) -> Expr:
        """The number of elements, without those that overlapping axes reach twice."""
        count = Mul(*(n for n, _ in self.axes))
        for (m, t), (n, s) in pairwise(self.axes):
            if len(self.axes) == 2 and (step := _quotient(s, t)) is not None and not _disjoint(m * t, s):
                return sympy.Min(count, (n - 1) * step + m)
        return count


@dataclass(frozen=True, slots=True)
class UnlocatedElements:
    """A number of elements of a buffer, at unknown places. `key` distinguishes them from others, unless it is None.

    `fewest` is the least number of different elements, if some may be named twice.
    """

    elements: Expr
    key: object
    fewest: Expr | None = None

    @property
    def anywhere(self) -> bool:
        """Whether they may be among any others that are read."""
        return self.key is None


def _disjoint(reach: Expr, stride: Expr) -> bool:
    return bool(smaller(reach, stride) == reach)


def _order(a: Expr, b: Expr) -> int:
    return 0 if a == b or (least := smaller(a, b)) is None else -1 if least == a else 1


def _merged(axes: list[Axis], sizes: KnownSizes) -> tuple[Axis, ...]:
    """Return axes in order of their strides, with contiguous and overlapping ones merged."""

    ordered = cmp_to_key(_order)
    left = sorted(reversed(axes), key=lambda axis: ordered(axis[1]))
    found: list[Axis] = []
    for n, s in left:
        if found:
            m, t = found[-1]
            step = _quotient(s, t)
            if sympy.expand(m * t - s) == 0:
                found[-1] = (sympy.expand(m * n), t)
                continue
            if step is not None and sizes.less(step - 1, m):
                found[-1] = (sympy.expand((n - 1) * step + m), t)  # windows that overlap
                continue
        found.append((n, s))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Digit:
    """Places along one stride of a basis: `count` of them, `step` apart, from `start` on."""

    start: Expr
    count: Expr
    step: Expr = ONE

    @property
    def end(self) -> Expr:
        return sympy.expand(self.start + self.count * self.step)

    @property
    def last(self) -> Expr:
        return self.end - self.step


Box: TypeAlias = tuple[Digit, ...]


def union(regions: Iterable[Region], sizes: KnownSizes) -> Expr | None:
    """Return the number of elements in the union of the regions, or None if that is undecided.

    >>> from roofproof.symbols import dimension
    >>> B, D, n, m = map(dimension, "BDnm")
    >>> first = Region.of(ZERO, (n, D), (D, ONE))              # the first n rows, and the first m
    >>> union([first, Region.of(ZERO, (m, D), (D, ONE))], KnownSizes(()))
    D*m + D*n - D*Min(m, n)
    >>> even, odd = (Region.of(Integer(k), (B,), (Integer(2),)) for k in (0, 1))
    >>> union([even, odd, even], KnownSizes(()))
    2*B
    """
    distinct = list(dict.fromkeys(r for r in regions if r.elements != 0))
    if len(distinct) < 2:
        return sympy.Add(*(r.elements for r in distinct))
    for basis in _bases(distinct):
        boxes = [_box(r, basis, sizes) for r in distinct]
        known = [b for b in boxes if b is not None]
        if len(known) == len(boxes):
            try:
                return sympy.expand(_Count(sizes).union(_joined(known)))
            except UndecidedError:
                continue
    numbers = all(n.is_Integer for r in distinct for axis in r.axes for n in (r.offset, *axis))
    if numbers and sum(r.elements for r in distinct) <= MOST_ADDRESSES:
        return Integer(len(set().union(*map(_addresses, distinct))))
    return None


def _addresses(region: Region) -> set[int]:
    found = {int(region.offset)}
    for n, s in region.axes:
        found = {a + int(s) * i for a in found for i in range(int(n))}
    return found


class UndecidedError(Exception):
    """The error if sizes leave the intersection of two digits open, or if there are too many boxes."""


def _bases(regions: Iterable[Region]) -> Iterable[tuple[Expr, ...]]:
    """Yield bases of strides, each stride a multiple of the one before, the finest basis first."""
    strides = list(dict.fromkeys(s for r in regions for _, s in r.axes if s != 1))
    strides.sort(key=cmp_to_key(_order))
    for many in range(min(len(strides), 6), -1, -1):
        for chosen in combinations(strides, many):
            basis = (ONE, *chosen)
            if all(_quotient(b, a) is not None for a, b in pairwise(basis)):
                yield basis


def _quotient(a: Expr, b: Expr, sizes: KnownSizes | None = None) -> Expr | None:
    """Return a quotient of sizes that is an integer for all sizes or by the conditions, or None for any other."""
    found = sympy.cancel(a / b)
    if sizes is not None and sympy.fraction(found)[1].is_number and sizes.divides(b, a):
        return found
    numbers = (term.as_coeff_Mul()[0] for term in sympy.Add.make_args(sympy.expand(found)))
    return found if sympy.fraction(found)[1] == 1 and all(n.is_Integer for n in numbers) else None


def _box(region: Region, basis: tuple[Expr, ...], sizes: KnownSizes) -> Box | None:
    """Return a region as digits over a basis, or None if it is not a box of them."""
    starts, rest = [], sympy.Add.make_args(sympy.expand(region.offset))
    for stride in reversed(basis):
        if stride == 1:  # places are integers, whatever their terms
            starts.append(sympy.Add(*rest))
            break
        whole = [q for t in rest if (q := _quotient(t, stride, sizes)) is not None]
        rest = tuple(t for t in rest if _quotient(t, stride, sizes) is None)
        if rest and all(t.is_Integer for t in (*rest, stride)):  # 7 = 1 * 4 + 3
            whole, rest = [*whole, sympy.Add(*rest) // stride], (sympy.Add(*rest) % stride,)
        starts.append(sympy.Add(*whole))
    starts.reverse()
    radices = [sympy.cancel(b / a) for a, b in pairwise(basis)]
    for i, radix in enumerate(radices):  # 5 at a radix of 4 carries 1
        if starts[i].is_Integer and radix.is_Integer and i + 1 < len(basis):
            starts[i + 1] += starts[i] // radix
            starts[i] %= radix
        elif sizes.less(starts[i], ZERO):  # a negative digit borrows 1
            starts[i + 1] -= 1
            starts[i] += radix
        if not (starts[i] == 0 or (sizes.less(-ONE, starts[i]) and sizes.less(starts[i], radix))):
            return None
    digits: list[Digit | None] = [None] * len(basis)
    for n, s in region.axes:
        i, step = _place(s, basis)
        while n != 1:
            if digits[i] is not None:
                return None
            if i == len(radices) or sizes.less(starts[i] + (n - 1) * step, radices[i]):
                digits[i] = Digit(starts[i], n, step)
                break
            turns = _quotient(n, radices[i], sizes)
            if step != 1 or starts[i] != 0 or turns is None:
                return None
            digits[i] = Digit(ZERO, radices[i])
            n, i = turns, i + 1
    return tuple(d or Digit(start, ONE) for d, start in zip(digits, starts, strict=True))


def places(region: Region, shape: Sequence[Expr], sizes: KnownSizes) -> Box | None:
    """Return the places of a region along each axis of a row-major array, or None if they are not a box.

    >>> T, B = Integer(5), Integer(3)
    >>> last = Region.of(4 * B, (B,), (ONE,))                  # x[-1] of x[5, 3]
    >>> [int(digit.start) for digit in places(last, (T, B), KnownSizes(()))]
    [4, 0]
    """
    strides = row_major(shape)
    axes = [k for k in reversed(range(len(shape))) if shape[k] != 1]
    found = _box(region, tuple(strides[k] for k in axes) or (ONE,), sizes)
    if found is None:
        return None
    digits = dict(zip(axes, found, strict=False))
    return tuple(digits.get(k, Digit(ZERO, ONE)) for k in range(len(shape)))


def _place(stride: Expr, basis: tuple[Expr, ...]) -> tuple[int, Expr]:
    for i in range(len(basis) - 1, -1, -1):
        if (step := _quotient(stride, basis[i])) is not None:
            return i, step
    raise AssertionError("one divides every stride")


def _joined(boxes: Iterable[Box]) -> list[Box]:
    """Return distinct boxes, with adjacent ones along one digit merged: x[0], x[1], ... are a run.

    >>> _joined([(Digit(Integer(k), ONE), Digit(ZERO, Integer(2))) for k in (2, 0, 1)])
    [(Digit(start=0, count=3, step=1), Digit(start=0, count=2, step=1))]
    """
    left = list(dict.fromkeys(boxes))
    for i in range(len(left[0])):
        rows: dict[object, dict[Expr, Box]] = {}
        found: list[Box] = []
        for box in left:
            row = rows.setdefault((box[:i], box[i].step, box[i + 1 :]), {})
            if box[i].start in row:
                found.append(box)
            row.setdefault(box[i].start, box)
        for row in rows.values():
            ends = {box[i].end for box in row.values()}
            for first in [box for start, box in row.items() if start not in ends]:
                digit = first[i]
                while digit.end != digit.start and digit.end in row:
                    digit = replace(digit, count=digit.count + row.pop(digit.end)[i].count)
                found.append((*first[:i], digit, *first[i + 1 :]))
        left = found
    return left


class _Count:
    """A counter of unions of boxes, by inclusion and exclusion in a limited number of steps."""

    def __init__(self, sizes: KnownSizes) -> None:
        self.sizes, self.steps = sizes, 0

    def union(self, boxes: list[Box]) -> Expr:
        total: Expr = ZERO
        while boxes:
            self.steps += len(boxes)
            if self.steps > MOST_STEPS:
                raise UndecidedError
            first, *boxes = boxes
            common = dict.fromkeys(met for other in boxes if (met := self.meet(first, other)) is not None)
            if first in common:  # another box contains it
                continue
            total += Mul(*(digit.count for digit in first)) - self.union(list(common))
        return total

    def meet(self, one: Box, other: Box) -> Box | None:
        """Return the intersection of two boxes, or None if it is empty."""
        found = []
        for a, b in zip(one, other, strict=True):
            digit = self.digit(a, b)
            if digit is None:
                return None
            found.append(digit)
        return tuple(found)

    def digit(self, a: Digit, b: Digit) -> Digit | None:
        """Return the common places of two digits, or None if there are none."""
        if a == b:
            return a
        if all(n.is_Integer for d in (a, b) for n in (d.start, d.count, d.step)):
            return self._numbers(a, b)
        if self._before(a.end - a.step + 1, b.start) or self._before(b.end - b.step + 1, a.start):
            return None
        if a.count == 1 or b.count == 1:  # one place has no step of its own
            a, b = (replace(d, step=other.step) if d.count == 1 else d for d, other in ((a, b), (b, a)))
        if a.step == b.step:
            gap = sympy.expand(b.start - a.start) / a.step
            if a.step != 1 and _quotient(gap, ONE, self.sizes) is None:
                if gap.is_Rational:
                    return None
                raise UndecidedError
            least = self.sizes.greatest(a.start, b.start)
            count = (self._least(a.end, b.end) - least) / a.step
            count = sympy.expand(count)
            return Digit(least, count if self.sizes.less(ZERO, count) else self.sizes.greatest(ZERO, count), a.step)
        run, few = (a, b) if a.step == 1 else (b, a)
        if run.step == 1 and self._before(run.start, few.start) and self._before(few.last + 1, run.end):
            return few
        raise UndecidedError

    def _before(self, a: Expr, b: Expr) -> bool:
        return a == b or self.sizes.less(a - 1, b)

    def _least(self, a: Expr, b: Expr) -> Expr:
        return a if self._before(a, b) else b if self._before(b, a) else at_most(a, b)

    @staticmethod
    def _numbers(a: Digit, b: Digit) -> Digit | None:
        """Return the intersection of two progressions of numbers, by the Chinese remainder theorem."""
        s, t = int(a.step), int(b.step)
        apart = int(b.start - a.start)
        g = gcd(s, t)
        if apart % g:
            return None
        both = s * t // g
        first = int(a.start) + s * (apart // g * pow(s // g, -1, t // g) % (t // g))
        least = max(int(a.start), int(b.start))
        first += -(-(least - first) // both) * both if first < least else 0
        last = min(int(a.last), int(b.last))
        return Digit(Integer(first), Integer((last - first) // both + 1), Integer(both)) if first <= last else None


def joint(one: Digit, other: Digit, sizes: KnownSizes) -> Digit | None:
    """Return the common places of two digits, or None. Raises UndecidedError if sizes leave them open.

    >>> joint(Digit(Integer(-1), Integer(3), Integer(2)), Digit(ZERO, Integer(2)), KnownSizes(()))    # -1, 1, 3
    Digit(start=1, count=1, step=2)
    """
    return _Count(sizes).digit(one, other)


def elements_of(regions: Iterable[Region], name: str, sizes: KnownSizes) -> Expr:
    """Return the number of elements in the union of the regions.

    >>> elements_of([Region(ZERO, ((Integer(4), ONE),)), Region(Integer(2), ((Integer(4), ONE),))], "c", KnownSizes(()))
    6

    Raises RoofproofError if sizes leave open how far they overlap.
    """
    found = union(regions, sizes)
    if found is None:
        raise RoofproofError(
            "how far the parts of <name> that are read overlap is open; give sizes a number, or conditions by --where",
            name=name or "an array",
        )
    return found


def row_major(shape: Sequence[Expr]) -> tuple[Expr, ...]:
    """Return the strides of a row-major array.

    >>> row_major((Integer(2), Integer(3), Integer(4)))
    (12, 4, 1)
    """
    return tuple(Mul(*shape[k + 1 :]) for k in range(len(shape)))


def reshaped(shape: Sequence[Expr], strides: Sequence[Expr], new: Sequence[Expr]) -> tuple[Expr, ...] | None:
    """Return the strides of a view in another shape, or None if no strides locate its elements.

    >>> reshaped((Integer(6), Integer(4)), (ONE, Integer(6)), (Integer(2), Integer(3), Integer(4)))    # a transpose
    (3, 1, 6)
    >>> reshaped((Integer(6), Integer(4)), (ONE, Integer(6)), (Integer(24),)) is None
    True
    """
    runs: list[Axis] = []  # innermost axis first
    for n, s in zip(reversed(shape), reversed(strides), strict=True):
        if n == 1:
            continue
        if runs and sympy.expand(runs[-1][0] * runs[-1][1] - s) == 0 and s != 0:
            runs[-1] = (runs[-1][0] * n, runs[-1][1])
        else:
            runs.append((n, s))
    found: list[Expr] = []
    left, stride = runs.pop(0) if runs else (ONE, ONE)
    for n in reversed(new):
        if n == 1:
            found.append(ZERO)
            continue
        if sympy.expand(left - 1) == 0 and runs:
            left, stride = runs.pop(0)
        if (rest := _quotient(left, n)) is None:
            return None
        found.append(stride)
        left, stride = rest, stride * n
    return tuple(reversed(found)) if not runs and sympy.expand(left - 1) == 0 else None
