"""Allowed sizes of an operation: the values of one size that its conditions allow if others are given."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count, islice
from math import gcd, lcm
from typing import TYPE_CHECKING

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.polynomial import Ring
from roofproof.derive.inequalities.cases import Threshold, substitute
from roofproof.derive.regions import Interval, Region, intersection, region_of, threshold_of
from roofproof.derive.roofline.memory_fit import requirements
from roofproof.derive.solve import solve
from roofproof.derive.values import Order
from roofproof.errors import RoofproofError, quoted
from roofproof.ops import Operation
from roofproof.ops.operation import without_factor

if TYPE_CHECKING:
    from roofproof.hardware import Chip

FURTHEST = 10_000  # integers tried if no size bounds their number
LARGEST = 10**18  # the largest number whose divisors are computed


@dataclass(frozen=True, slots=True)
class Allowed:
    """The conditions of an operation on one size, with numbers for all sizes that are given.

    `bounds` are comparisons, `whole` are conditions on remainders, and `open` are conditions that contain sizes that
    are not given. The size must be a multiple of `multiple_of`.

    >>> from roofproof.ops import parse_operation
    >>> fsdp = allowed_sizes(parse_operation("fsdp"), None, "X", {"B": 4096, "D": 24})
    >>> fsdp.whole, fsdp.open
    ((Eq(Mod(4096, X), 0), Eq(Mod(24, X), 0)), ())
    """

    unknown: sympy.Symbol
    bounds: tuple[Boolean, ...] = ()
    whole: tuple[Boolean, ...] = ()
    open: tuple[Boolean, ...] = ()
    multiple_of: int = 1

    @property
    def conditions(self) -> tuple[Boolean, ...]:
        """All conditions on the size except `multiple_of`."""
        return (*self.bounds, *self.whole, *self.open)

    def within(self, threshold: Threshold) -> Threshold:
        """Return the part of a threshold with numeric bounds in which the comparisons hold.

        >>> from roofproof.derive.inequalities.cases import Above
        >>> t = sympy.Symbol("t", positive=True, integer=True)
        >>> print(Allowed(t, (sympy.Le(2 * t, 9, evaluate=False),)).within(Above(sympy.Integer(3))))
        Several(parts=(Above(at=3, strict=True), Below(at=9/2, strict=False)), join='and')
        """
        return threshold_of(self._inside(region_of(threshold)))

    def unimplied_conditions(self, threshold: Threshold) -> tuple[Boolean, ...]:
        """Return the conditions that a threshold with numeric bounds does not imply.

        >>> from roofproof.derive.inequalities.cases import Above
        >>> t = sympy.Symbol("t", positive=True, integer=True)
        >>> both = Allowed(t, (sympy.Ge(t, 4, evaluate=False), sympy.Le(t, 50, evaluate=False)))
        >>> both.unimplied_conditions(Above(sympy.Integer(7))), both.unimplied_conditions(Above(sympy.Integer(3)))
        ((t <= 50,), (t >= 4, t <= 50))
        """
        asked = (b for b in self.bounds if replace(self, bounds=(b,)).within(threshold) != threshold)
        return (*asked, *self.whole, *self.open)

    def _inside(self, region: Region) -> Region:
        for bound in self.bounds:
            there = region_of(solve(bound, self.unknown).at({}))
            region = intersection(region, there, Order(Ring([]), {}))
        return region

    def drop_vacuous_bounds(self, threshold: Threshold) -> Threshold:
        """Return a threshold with numeric bounds, without those that no size allowed by the comparisons lies beyond.

        Sizes are integers of at least 1. Even without comparisons, B > 1/2 always holds, and B < 1/2 never does.

        >>> from roofproof.derive.inequalities.cases import Between
        >>> W = sympy.Symbol("W", positive=True, integer=True)
        >>> windows = Allowed(W, (sympy.Le(W, 4096, evaluate=False),))
        >>> print(*(windows.drop_vacuous_bounds(Between(sympy.Integer(n), sympy.Integer(7551))) for n in (640, 4096)))
        Above(at=640, strict=True) Never()
        """

        from roofproof.derive.inequalities.integers import smallest_integer

        def there(part: Interval) -> bool:
            return smallest_integer(threshold_of(self._inside((part,)))) is not None

        kept: list[Interval] = []
        for p in region_of(threshold):
            if there(p):
                low = p.low is not None and there(Interval(high=p.low, high_closed=not p.low_closed))
                high = p.high is not None and there(Interval(low=p.high, low_closed=not p.high_closed))
                kept.append(replace(p, low=p.low if low else None, low_closed=low and p.low_closed,
                                    high=p.high if high else None, high_closed=high and p.high_closed))  # fmt: skip
        return threshold_of(tuple(kept))

    def integer(self, threshold: Threshold, largest: bool | None = None) -> int | None:
        """Return the integer answer of a threshold, the largest below an upper bound, else the smallest, or None.

        `largest` selects the largest (True) or the smallest (False), whatever the bound.

        >>> from roofproof.derive.inequalities.cases import Above, Below
        >>> X = sympy.Symbol("X", positive=True, integer=True)
        >>> shared = Allowed(X, whole=(sympy.Eq(sympy.Mod(24, X), 0),))
        >>> shared.integer(Below(sympy.Rational(23, 2))), shared.integer(Above(sympy.Integer(24)))   # 1 2 3 4 6 8 12 24
        (8, None)
        """
        down = threshold.kind == "below" if largest is None else largest
        if not self.bounds and not self.whole:
            from roofproof.derive.inequalities.integers import integer_answer, largest_integer, smallest_integer

            if largest is None:
                return integer_answer(threshold, self.multiple_of)
            return (largest_integer if down else smallest_integer)(threshold, self.multiple_of)
        inside = self.within(threshold)
        return next((n for n in self._candidates(inside, down) if self._does(n, inside)), None)

    def _does(self, n: int, inside: Threshold) -> bool:
        holds = inside.holds(sympy.Integer(n)) == sympy.true
        return holds and all(substitute(c, {self.unknown.name: n}) == sympy.true for c in self.whole)

    def _candidates(self, inside: Threshold, down: bool) -> Iterator[int]:
        """Yield the integers to try, best first: only divisors if the size must divide a number."""
        from roofproof.derive.inequalities.integers import largest_integer, smallest_integer

        first, last = (f(inside, self.multiple_of) for f in (smallest_integer, largest_integer))
        if first is None:
            return
        if (size := gcd(*divided_by(self.unknown, self.whole))) > LARGEST:
            raise RoofproofError(f"{quoted(self.unknown)} divides {size}; the limit is {LARGEST}")
        if size:
            yield from sorted((n for n in sympy.divisors(size) if n % self.multiple_of == 0), reverse=down)
        elif last is not None:
            step = -self.multiple_of if down else self.multiple_of
            every = range(last, 0, step) if down else range(first, last + 1, step)
            yield from islice(every, enough := self._enough(inside))
            if len(every) >= enough:
                raise self._given_up(enough)
        elif not down:  # there is no largest
            yield from islice(count(first, self.multiple_of), enough := self._enough(inside))
            raise self._given_up(enough)

    def _enough(self, inside: Threshold) -> int:
        """Return how many consecutive integers to try: one period of the remainders, up to a limit."""
        periods = [_period(c, self.unknown) for c in self.whole]
        one = len(region_of(inside)) == 1  # else the first integers may lie between two parts
        return min(FURTHEST, lcm(self.multiple_of, *periods) // self.multiple_of) if one and all(periods) else FURTHEST

    def _given_up(self, many: int) -> RoofproofError:
        return RoofproofError(f"no {quoted(self.unknown)} among {many} integers meets the conditions")


def _period(condition: Boolean, x: sympy.Symbol) -> int:
    """Return the period of a condition on integers, or 0 if it may have none."""
    if not isinstance(condition, sympy.Eq) or not isinstance(condition.lhs, sympy.Mod):
        return 0
    value, by = condition.lhs.args
    whole = value.is_polynomial(x) and all(c.is_Integer for c in sympy.Poly(value, x).coeffs())
    return int(by) if by.is_Integer and whole else 0


def allowed_sizes(
    op: Operation, chip: Chip | None, unknown: str, at: Mapping[str, int], multiple_of: int = 1
) -> Allowed:
    """Return the values of one size that an operation's conditions and a chip's memories allow, given other sizes.

    >>> from roofproof.ops import parse_operation
    >>> allowed_sizes(parse_operation("sharded-matmul:n=4"), None, "D", {}, 6).multiple_of     # 4 divides D
    12
    """
    x = next(s for s in op.dims if s.name == unknown)
    found: dict[str, list[Boolean]] = {"bounds": [], "whole": [], "open": []}
    for asked in requirements(op, chip):
        if x not in asked.free_symbols:
            continue
        condition = without_factor(substitute(asked, at))
        if condition == sympy.false:  # no size satisfies it, but callers must see which condition it is
            condition = asked.func(*(substitute(part, at) for part in asked.args), evaluate=False)
        if x not in condition.free_symbols:
            continue
        if condition.free_symbols != {x}:
            found["open"].append(condition)
        elif isinstance(condition, sympy.Eq) and isinstance(condition.lhs, sympy.Mod):
            if condition.lhs.args[0] == x and condition.lhs.args[1].is_Integer and condition.rhs == 0:
                multiple_of = lcm(multiple_of, int(condition.lhs.args[1]))
            else:
                found["whole"].append(condition)
        else:
            found["bounds"].append(condition)
    bounds = tuple(c for c in found["bounds"] if not any(_implies(other, c) for other in found["bounds"]))
    whole, left = (tuple(dict.fromkeys(found[key])) for key in ("whole", "open"))
    return Allowed(x, bounds, whole, left, multiple_of)


def _implies(tight: Boolean, loose: Boolean) -> bool:
    """Tell whether two conditions say that the same blocks fit in two memories, with the smaller memory first."""
    same = isinstance(tight, sympy.Le) and isinstance(loose, sympy.Le) and tight.lhs == loose.lhs
    return same and bool(tight.rhs.is_number and loose.rhs.is_number and tight.rhs < loose.rhs)


def divided_by(x: sympy.Symbol, whole: Iterable[Boolean]) -> list[int]:
    """Return the numbers that x itself must divide.

    >>> X = sympy.Symbol("X", positive=True, integer=True)
    >>> divided_by(X, [sympy.Eq(sympy.Mod(24, X), 0), sympy.Eq(sympy.Mod(24, 2 * X), 0)])
    [24]
    """
    pairs = (c.lhs.args for c in whole if isinstance(c, sympy.Eq) and isinstance(c.lhs, sympy.Mod) and c.rhs == 0)
    return [int(size) for size, part in pairs if part == x and size.is_Integer]
