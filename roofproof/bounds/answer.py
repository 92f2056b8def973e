"""Lower bounds on the traffic of an operation, the best tile and the regions, in one answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import sympy

from roofproof.answer import Answer
from roofproof.bounds.lower import LowerBound, compulsory, lower_bounds, memory_symbol
from roofproof.bounds.nests import Nest, nest_of, relaxed
from roofproof.bounds.regions import TILE, Regions, regions_of
from roofproof.bounds.tile import Tile
from roofproof.derive.inequalities.cases import substitute
from roofproof.errors import RoofproofError
from roofproof.formula.magnitudes import decimal
from roofproof.hardware import Chip
from roofproof.hardware.resources import MAIN_MEMORIES
from roofproof.ops import Operation
from roofproof.proofs.derivation import Derivation

FINEST = 1 << 20  # the scale of a tile is found to within 1/FINEST


@dataclass(frozen=True, repr=False)
class Bound(Answer):
    """The bounds of an operation, its best tile and the three regions, in closed form and at a given memory and sizes.

    >>> from roofproof.hardware import chip
    >>> from roofproof.ops import parse_operation
    >>> found = bound(parse_operation("matmul"), chip=chip("h100-sxm"), level="smem")
    >>> found.bytes, found.integer_sides                       # 2 (340^2 + 2 340) = 232560 of 233472 bytes
    (Fraction(233472, 1), {B: 340, F: 340})
    >>> found.region                                           # 8 R^2 = 697 thousand bytes would be needed
    'no schedule'
    >>> found.derivation.trust
    'kernel'
    >>> print(bound(parse_operation("matmul")).latex())        # M > 8 R (R + 1): a tile gets by with so much
    \\begin{aligned} & Q \\geq 2BD + 2BF + 2DF \\\\ & Q \\geq \\frac{4BDF\\sqrt{2}}{\\sqrt{M}} - 2M \\\\ \
& M \\leq 8R^2 && \\text{no schedule is compute-bound} \\\\ & M > 8R(R + 1) && \\text{this tile is \
compute-bound} \\end{aligned}
    """

    words = "roofproof.export.explain.bound"
    nest: Nest
    memory: sympy.Symbol
    bytes: Fraction | None = None
    chip: Chip | None = None
    level: str = ""
    engine: str = ""
    at: Mapping[str, int] | None = None
    relaxed: tuple[str, ...] = ()  # indices relaxed to a single loop, which leaves bounds but no tile

    def __repr__(self) -> str:
        return ", ".join(f"Q >= {bound.value}" for bound in self.lower)

    @cached_property
    def lower(self) -> tuple[LowerBound, ...]:
        """The lower bounds that decrease with the memory."""
        return lower_bounds(self.nest, self.memory)

    @cached_property
    def regions(self) -> Regions:
        """The three regions."""
        found = regions_of(self.nest, self.memory)
        return replace(found, tile=None) if self.relaxed else found

    @property
    def tile(self) -> Tile | None:
        """The best tile in closed form, or None if there is none."""
        return self.regions.tile

    @property
    def once(self) -> bool:
        """Whether each element is used once, so that all schedules move the same bytes."""
        return len(self.nest.everywhere) == len(self.nest.lengths)

    @property
    def ridge(self) -> Fraction | None:
        """The ridge point of the compute unit and the main memory, in FLOPs per byte."""
        if self.chip is None:
            return None
        return self.chip.peak(self.engine).value / self.chip.bandwidth(self.chip.memory).value

    @property
    def region(self) -> str | None:
        """The region that contains the memory and the ridge point of the chip."""
        if self.bytes is None or self.ridge is None or not self.nest.per_point:
            return None
        return self.regions.at(sympy.Rational(self.bytes), sympy.Rational(self.ridge))

    @cached_property
    def scale(self) -> Fraction | None:
        """The largest scale of the tile that fits, to within a millionth."""
        if self.bytes is None or self.tile is None or not self.tile.loops:
            return None
        low, high = Fraction(0), Fraction(self.bytes) + 1
        form = sympy.Poly(self.tile.footprint(self.tile.g), self.tile.g)

        def fits(g: Fraction) -> bool:
            return bool(form.eval(sympy.Rational(g)) <= sympy.Rational(self.bytes))

        while high - low > Fraction(1, FINEST):
            middle = (low + high) / 2
            low, high = (middle, high) if fits(middle) else (low, middle)
        return low

    @cached_property
    def integer_sides(self) -> dict[sympy.Expr, int] | None:
        """Integer sides that fit, no longer than the loops at the given sizes, or None if there are none."""
        sides = self._sides
        return None if sides is None else {self.nest.lengths[i]: n for i, n in sides.items()}

    @cached_property
    def _sides(self) -> dict[int, int] | None:
        if self.tile is None or self.bytes is None:
            return None
        found = dict[int, int]()
        for i in self.tile.loops:
            assert self.scale is not None
            side = int(sympy.floor(self.tile.side(i, sympy.Rational(self.scale + Fraction(1, FINEST)))))
            length = self.value(self.nest.lengths[i])
            found[i] = max(1, min(side, int(length)) if length is not None else side)
        while found and self.tile.fits(found) > self.bytes:
            i = max(found, key=lambda i: found[i])
            if found[i] == 1:
                return None
            found[i] -= 1
        return found if self.tile.fits(found) <= self.bytes else None

    def value(self, expr: sympy.Expr) -> sympy.Expr | None:
        """Return an expression at the given memory and sizes, or None if it has other symbols."""
        put: dict[str, object] = dict(self.at or {})
        if self.bytes is not None:
            put[self.memory.name] = sympy.Rational(self.bytes)
        found = substitute(expr, put)
        return None if found.free_symbols else found

    @cached_property
    def least(self) -> sympy.Expr | None:
        """The lower bound on the bytes moved, at the given memory and sizes."""
        every = [self.value(e) for e in (self.nest.compulsory, *(b.value for b in self.lower))]
        return None if any(e is None for e in every) else sympy.Max(*every)

    @cached_property
    def reached(self) -> sympy.Expr | None:
        """The bytes that the tile with integer sides moves, at the given memory and sizes."""
        if self.tile is None or self._sides is None or self.lengths is None:
            return None
        return sympy.Rational(self.tile.moved_by(self._sides, self.lengths))

    @cached_property
    def lengths(self) -> tuple[int, ...] | None:
        """The lengths of the loops at the given sizes, or None if a size is missing."""
        found = [n for each in self.nest.lengths if (n := self.value(each)) is not None]
        return tuple(map(int, found)) if len(found) == len(self.nest.lengths) else None

    @cached_property
    def derivation(self) -> Derivation:
        """All statements of the answer with their warrants."""
        every = [compulsory(self.nest), *(b.known for b in self.lower)]
        if self.tile is not None and self.tile.known is not None:
            every.append(self.tile.known)
        if self.nest.per_point:
            every += self.regions.known
        if self.region == TILE and self.scale and self.ridge is not None:
            every += self.regions.streaming(sympy.Rational(self.scale), sympy.Rational(self.ridge))
        return Derivation(tuple(every))


def bound(
    op: Operation,
    memory: Fraction | int | None = None,
    chip: Chip | None = None,
    level: str | None = None,
    at: Mapping[str, int] | None = None,
    relax: bool = False,
) -> Bound:
    """Return the bounds of an operation for a memory size in bytes, a memory level of a chip, or any memory.

    >>> from roofproof.ops import parse_operation
    >>> found = bound(parse_operation("matmul"), 2048, at={"B": 256, "D": 256, "F": 256})
    >>> found.least, found.reached                              # sides of 31: 9 blocks each way
    (2093056, 2490368)
    >>> bound(parse_operation("matmul"), 4)
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: a memory of 4 bytes cannot hold one element of each tensor of matmul; \
give it at least 6 bytes

    With `relax`, an index such as P + R - 1 of a convolution is reduced to its loop P, which still gives bounds.

    >>> found = bound(parse_operation("convolution"), relax=True)
    >>> found.relaxed, found.tile, found.lower[-1].value
    (('P + R - 1 of x as P', 'Q + S - 1 of x as Q'), None, 4*sqrt(2)*C*K*N*P*Q*sqrt(R)*sqrt(S)/sqrt(M) - 2*M)

    Raises RoofproofError for anything but one product, for a memory that is too small, and for a level without a
    capacity.
    """
    op, taken = relaxed(op) if relax else (op, ())
    nest = nest_of(op)
    if memory is not None and level is not None:
        raise RoofproofError("use only one of --memory and --level")
    if level is not None and chip is None:
        raise RoofproofError("a memory level belongs to a chip; name the chip, too, as in --chip h100-sxm")
    if memory is None and chip is not None:
        level = level or _largest_on_chip(chip)
        memory = chip.capacity(level).value
    size = None if memory is None else Fraction(memory)
    room = sum((a.width for a in nest.arrays), Fraction(0))
    if size is not None and size < room:
        raise RoofproofError(
            "a memory of <memory> bytes cannot hold one element of each tensor of <op>; give it at least <room> bytes",
            memory=decimal(size), op=op.name, room=decimal(room),
        )  # fmt: skip
    engine = next(iter(op.compute), "")
    return Bound(nest, memory_symbol(nest), size, chip, level or "", engine, dict(at or {}), taken)


def _largest_on_chip(chip: Chip) -> str:
    """Return the memory level of a chip with the largest capacity, apart from the main memory."""
    held = [c for c in chip.capacities if c.resource not in MAIN_MEMORIES]
    if not held:
        said = "chip <chip> has no capacity of an on-chip memory; give one in bytes, as --memory 228KiB"
        raise RoofproofError(said, chip=repr(chip.name))
    return max(held, key=lambda c: c.value).resource
