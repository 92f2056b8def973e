"""The three regions (no schedule is compute-bound, the tile is, open between), solved for the memory and for R.

A byte takes as long as R FLOPs, so a run is compute-bound if its FLOPs exceed R times the bytes moved. The regions are
for sizes that tend to infinity: they ignore one phase of M/(sigma - 1) bytes, and the bytes moved once. The theorem
about all schedules includes that phase, so it holds at any sizes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import sympy

from roofproof.bounds.lower import LowerBound, lower_bounds
from roofproof.bounds.nests import Nest
from roofproof.bounds.tile import Tile
from roofproof.bounds.tiles import best_tile
from roofproof.derive.inequalities.cases import Above, Always, Cases
from roofproof.derive.solve import solve
from roofproof.errors import Undecided
from roofproof.proofs.derivation import Derivation
from roofproof.proofs.provers.thresholds import certify
from roofproof.symbols import quantity

NEVER, OPEN, TILE = "no schedule", "open", "this tile"


@dataclass(frozen=True)
class Regions:
    """The three regions of a bound and a tile against a ridge point R.

    >>> from roofproof import op
    >>> from roofproof.bounds.nests import nest_of
    >>> found = regions_of(nest_of(op("matmul")))
    >>> found.never_below, found.reached_at                    # b = 2 R: 2 ((2 R)^2 + 2 (2 R)) bytes
    (8*R**2, 8*R**2 + 8*R)
    >>> found.known.trust, found.limit
    ('kernel', 1)
    >>> dot = regions_of(nest_of(op("dot")))
    >>> dot.never_below, dot.at(sympy.Integer(10**6), sympy.Rational(1, 2))        # 2 FLOPs for 4 bytes
    (None, 'no schedule')
    """

    nest: Nest
    bound: LowerBound | None
    tile: Tile | None

    @property
    def ridge(self) -> sympy.Symbol:
        """The symbol of the ridge point: R, unless a size has that name."""
        taken = {s.name for s in self.nest.points.free_symbols}
        return quantity("R" if "R" not in taken else "ridge")

    @property
    def per_product(self) -> int:
        """FLOPs per product."""
        return self.nest.per_point

    @property
    def full(self) -> sympy.Rational:
        """The bytes per product that no memory saves: those of tensors whose elements are used once."""
        every = frozenset(range(len(self.nest.lengths)))
        return sympy.Rational(sum((a.width for a in self.nest.arrays if a.loops == every), Fraction(0)))

    @property
    def never_beyond(self) -> sympy.Expr | None:
        """The ridge point from which no schedule is compute-bound with any memory, or None if there is none."""
        return self.per_product / self.full if self.full else None

    @cached_property
    def never_below(self) -> sympy.Expr | None:
        """The bytes of memory up to which no schedule is compute-bound, or None if no bound decreases with memory."""
        if self.bound is None:
            return None
        power = sympy.Rational(self.bound.power)
        return sympy.powdenest((self.ridge * self.bound.factor / self.per_product) ** (1 / power), force=True)

    def never_from(self, memory: sympy.Expr) -> sympy.Expr | None:
        """Return the ridge point from which no schedule is compute-bound with a memory, ignoring bytes moved once."""
        if self.bound is None:
            return None
        return self.per_product * memory ** sympy.Rational(self.bound.power) / self.bound.factor

    @cached_property
    def scales(self) -> Cases | None:
        """The scales of the tile at which it is compute-bound, or None if they have no closed form."""
        return None if self._solved is None else self._solved[0]

    @cached_property
    def _solved(self) -> tuple[Cases, Derivation] | None:
        """The condition on the scale, solved, with its proof."""
        if self.tile is None or not self.tile.loops:
            return None
        try:
            cases = solve(self._condition, self.tile.g)
            return cases, certify(self._condition, cases)
        except Undecided:
            return None

    @property
    def _condition(self) -> sympy.Expr:
        assert self.tile is not None
        g = self.tile.g
        return sympy.Gt(self.per_product * self.tile.block(g), self.ridge * self.tile.stream(g))

    @cached_property
    def reached_at(self) -> sympy.Expr | None:
        """The bytes of memory beyond which the tile is compute-bound, or None if it never is, or if that is open."""
        bounds = [c.threshold for c in self.scales or () if isinstance(c.threshold, Above)]
        if self.tile is None or not bounds:
            return None
        return sympy.expand(self.tile.footprint(bounds[0].at))

    def reached_below(self, scale: sympy.Expr) -> sympy.Expr:
        """Return the ridge point below which the tile is compute-bound at a scale."""
        assert self.tile is not None
        return self.per_product * self.tile.block(scale) / self.tile.stream(scale)

    def never_from_points(self, memory: sympy.Expr, ridge: sympy.Expr) -> sympy.Expr | None:
        """Return the number of products from which no schedule is compute-bound in a memory below `never_below`.

        From there on R (leading term - phase) is at least the FLOPs, which implies `R moved >= FLOPs`.
        """
        if self.bound is None:
            return None
        power = sympy.Rational(self.bound.power)
        rest = ridge * self.bound.factor / memory**power - self.per_product
        return ridge * memory / power / rest if rest.is_positive else None

    def streamed_from(self, scale: sympy.Expr, ridge: sympy.Expr) -> Cases:
        """Return the length of the streamed loop from which the tile is compute-bound, counting bytes moved once."""
        assert self.tile is not None
        return solve(self._streamed(scale, ridge), self._length)

    def streaming(self, scale: sympy.Expr, ridge: sympy.Expr) -> Derivation:
        """Return the proof of that length."""
        return certify(self._streamed(scale, ridge), self.streamed_from(scale, ridge))

    @property
    def _length(self) -> sympy.Symbol:
        return quantity("length")

    def _streamed(self, scale: sympy.Expr, ridge: sympy.Expr) -> sympy.Expr:
        assert self.tile is not None
        tile, n = self.tile, self._length
        return sympy.Gt(self.per_product * n * tile.block(scale), ridge * (n * tile.stream(scale) + tile.kept(scale)))

    def at(self, memory: sympy.Expr, ridge: sympy.Expr) -> str:
        """Return the region that contains a memory size and a ridge point."""
        beyond, below = self.never_beyond, self.never_below
        if (beyond is not None and ridge >= beyond) or (below is not None and memory <= below.subs(self.ridge, ridge)):
            return NEVER
        if self.tile is not None and self.scales is not None:
            found = self.scales.at({self.ridge.name: ridge})
            if isinstance(found, Always) or (isinstance(found, Above) and memory > self.tile.footprint(found.at)):
                return TILE
        return OPEN

    @cached_property
    def ratio(self) -> sympy.Expr | None:
        """The tile's traffic over the lower bound, in the scale of the tile, for sizes that tend to infinity."""
        if self.tile is None or not self.tile.loops:
            return None
        g = self.tile.g
        moved = self.tile.stream(g) / self.tile.block(g)
        if self.full:
            return sympy.factor(moved / self.full)
        assert self.bound is not None
        least = self.bound.factor * self.tile.footprint(g) ** -sympy.Rational(self.bound.power)
        return moved / least

    @cached_property
    def root(self) -> int:
        """The power that turns the ratio into a fraction."""
        return 1 if self.full or self.bound is None else self.bound.weights.denominator

    @cached_property
    def limit(self) -> sympy.Expr | None:
        """The limit of the ratio as the memory grows, or None if there is no tile to compare."""
        if self.ratio is None or self.tile is None:
            return None
        top, below = sympy.fraction(sympy.cancel(sympy.expand(self.ratio**self.root)))
        one, two = (sympy.Poly(p, self.tile.g) for p in (top, below))
        if one.degree() > two.degree():
            return sympy.oo
        found = one.LC() / two.LC() if one.degree() == two.degree() else sympy.Integer(0)
        return found ** sympy.Rational(1, self.root)

    @cached_property
    def known(self) -> Derivation:
        """The proofs of the regions: no schedule is compute-bound, the scales at which the tile is, and the limit."""
        from roofproof.bounds.region_proofs import at_sizes, in_no_memory, limit, no_schedule

        found = (in_no_memory(self), no_schedule(self), at_sizes(self), limit(self))
        solved = () if self._solved is None else tuple(self._solved[1])
        return Derivation((*(known for known in found if known is not None), *solved))


def regions_of(nest: Nest, memory: sympy.Symbol | None = None) -> Regions:
    """Return the regions from the largest bound for large sizes and the tile whose traffic tends to it.

    >>> from roofproof import op
    >>> from roofproof.bounds.nests import nest_of
    >>> regions_of(nest_of(op("int8[i,j,k], int8[j,r], int8[k,r] -> int8[i,r]"))).tile is None      # none tends to it
    True
    """
    long = [bound for bound in lower_bounds(nest, memory) if not bound.short]
    found = Regions(nest, min(long, key=lambda bound: bound.power, default=None), best_tile(nest, memory))
    return found if found.limit in (None, 1) else replace(found, tile=None)
