"""A tile in closed form of every product: sides are monomials in a scale g that are best as the memory grows.

A side M^x_i fits where sum of x_i over the loops of each tensor <= 1, and sum of x_i is most: the dual of the programme
whose vertices are the weights s_j of the lower bound (Dinh and Demmel 2020). With a loop streamed along which x is not
zero, blocks that come and go take less than what is held. Their constants come from geometric programming: at its
optimum w_j block_j = s_j F for what comes and goes, and s_j H/(sigma - 1) for what is held. Then F/T is the leading
term of the bound. Where that asks for roots, fractions near them stand for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import gcd, lcm

import sympy
from flint import fmpq, fmpq_mat

from roofproof.bounds.nests import Nest
from roofproof.bounds.tile import Tile
from roofproof.bounds.weights import amid, vertices

PARTS = 8  # the largest denominator of a fraction that stands for a root
FINE = 1 << 40


@dataclass(frozen=True)
class LeadingTile(Tile):
    """A tile whose sides are fractions times powers of its scale.

    >>> from roofproof import op
    >>> from roofproof.bounds.nests import nest_of
    >>> nest = nest_of(op("int8[i,j,k], int8[j,r], int8[k,r] -> int8[i,r]"))
    >>> tile = leading_tiles(nest, sympy.Symbol("M"))[1]
    >>> tile.nest.lengths[tile.streamed], tile.sides           # of k and r, and of i and r, blocks of g^3/2 are held
    (j, {i: g, k: g, r: g**2/2})
    >>> tile.footprint(tile.g), tile.stream(tile.g)            # of i and k a block of g^2 comes, of r one of g^2/2
    (g**3 + 3*g**2/2, 3*g**2/2)
    """

    shape: tuple[tuple[Fraction, int], ...] = ()  # of each loop of the nest: a number and a power

    def side(self, i: int, g: sympy.Expr) -> sympy.Expr:
        """A side at a scale."""
        factor, power = self.shape[i]
        return sympy.Rational(factor) * g**power

    @cached_property
    def least_scale(self) -> int:
        """The least whole scale at which no side is below 1."""
        scale = 1
        while any(self.shape[i][0] * scale ** self.shape[i][1] < 1 for i in self.loops):
            scale += 1
        return scale


def leading_tiles(nest: Nest, memory: sympy.Symbol) -> list[LeadingTile]:
    """Return a tile for each loop that can be streamed so that it moves, but for a number, what the bound has."""
    own = [i for i in range(len(nest.lengths)) if i not in nest.everywhere]
    if not own:
        return []
    powers, weights = _powers(nest, own), _weights(nest)
    return [LeadingTile(nest, r, memory, _shape(nest, r, powers, weights)) for r in own if powers[r]]


def _powers(nest: Nest, own: Sequence[int]) -> dict[int, Fraction]:
    """Return the centre of the optima of a linear program: the largest sum of x >= 0, at most 1 on each tensor."""
    rows = [([fmpq(i == k) for k in own], fmpq(0)) for i in own]
    rows += [([fmpq(i in a.loops) for i in own], fmpq(1)) for a in nest.arrays if a.loops & {*own}]
    found = set[tuple[Fraction, ...]]()
    for chosen in combinations(rows, len(own)):
        try:
            made = fmpq_mat([row for row, _ in chosen]).solve(fmpq_mat([[right] for _, right in chosen]))
        except ZeroDivisionError:
            continue
        x = made.entries()
        if min(x) >= 0 and all(sum(u * v for u, v in zip(row, x, strict=True)) <= 1 for row, right in rows if right):
            found.add(tuple(Fraction(int(v.p), int(v.q)) for v in x))
    most = max(map(sum, found))
    best = [x for x in found if sum(x) == most]
    return {i: sum(column, Fraction(0)) / len(best) for i, column in zip(own, zip(*best, strict=True), strict=True)}


def _weights(nest: Nest) -> tuple[Fraction, ...]:
    """Return the centre of the weights of tensors whose sum is least."""
    long = [v for v in vertices(nest) if not any(v.loops)]
    least = min(v.total for v in long)
    return amid(nest, [v.arrays for v in long if v.total == least])[0]


def _shape(
    nest: Nest, r: int, powers: dict[int, Fraction], weights: tuple[Fraction, ...]
) -> tuple[tuple[Fraction, int], ...]:
    """Return the number and the power of each side."""
    q = lcm(*(x.denominator for x in powers.values()))
    whole = {i: int(x * q) for i, x in powers.items() if i != r and x}
    common = gcd(*whole.values()) or 1
    sides = [(i, whole[i] // common) for i in sorted(whole)]
    factors = _factors(Tile(nest, r, sympy.Symbol("M")), sides, weights)
    found = {i: (factor, power) for (i, power), factor in zip(sides, factors, strict=True)}
    return tuple(found.get(i, (Fraction(1), 0)) for i in range(len(nest.lengths)))


def _factors(tile: Tile, sides: Sequence[tuple[int, int]], weights: Sequence[Fraction]) -> list[Fraction]:
    """Return the numbers of the sides: blocks as large as their weights, by least squares if these clash."""
    above = sum(weights) - 1
    if not above or not sides:  # F/T tends to the bytes of what is used once, whatever the numbers are
        return [Fraction(1)] * len(sides)
    rows, shares, targets = list[list[int]](), list[Fraction](), list[Fraction]()
    for a, s in ((a, s) for a, s in zip(tile.nest.arrays, weights, strict=True) if s):
        moves = a in tile.moving
        rows.append([*(int(i in a.loops) for i, _ in sides), -int(moves)])  # the last is the logarithm of F
        shares.append(s)
        targets.append(s / tile.charge(a) if moves else s / above / a.width)
    weighed = fmpq_mat([[fmpq(row[k]) * fmpq(s.numerator, s.denominator) for row, s in zip(rows, shares, strict=True)]
                        for k in range(len(sides) + 1)])  # fmt: skip
    square = (weighed * fmpq_mat([[fmpq(n) for n in row] for row in rows])).tolist()
    reduced, _ = fmpq_mat([[*left, *right] for left, right in zip(square, weighed.tolist(), strict=True)]).rref()
    primes = sorted({p for t in targets for p in sympy.factorint(t.numerator * t.denominator)})
    powers = [[Fraction(0)] * len(primes) for _ in sides]
    for row in reduced.tolist():
        first = next((k for k, n in enumerate(row) if n), len(sides))
        if first < len(sides):  # one that no block tells apart from the others is 1
            parts = [Fraction(int(n.p), int(n.q)) for n in row[len(sides) + 1 :]]
            powers[first] = [sum((c * _times(p, t) for c, t in zip(parts, targets, strict=True)), Fraction(0))
                             for p in primes]  # fmt: skip
    return _scaled(powers, primes, [power for _, power in sides])


def _times(prime: int, value: Fraction) -> int:
    """Return the exponent of a prime in a fraction.

    >>> _times(2, Fraction(3, 8))
    -3
    """
    return int(sympy.multiplicity(prime, value.numerator)) - int(sympy.multiplicity(prime, value.denominator))


def _scaled(powers: list[list[Fraction]], primes: list[int], of_scale: list[int]) -> list[Fraction]:
    """Return the sides' numbers for a scale that makes one of them 1: fractions where some scale does, else near."""
    made = list[list[list[Fraction]]]()
    for k, e in enumerate(of_scale):
        made.append([[a - f * b / e for a, b in zip(row, powers[k], strict=True)]
                     for row, f in zip(powers, of_scale, strict=True)])  # fmt: skip
    best = min(made, key=lambda rows: lcm(*(a.denominator for row in rows for a in row)))
    return [_near(row, primes) for row in best]


def _near(powers: Sequence[Fraction], primes: Sequence[int]) -> Fraction:
    """Return a product of powers of primes, or a fraction near it.

    >>> _near([Fraction(-1)], [2]), _near([Fraction(1, 2)], [2])                 # 1/2, and 7/5 for the root of 2
    (Fraction(1, 2), Fraction(7, 5))
    """
    n = lcm(*(a.denominator for a in powers))
    value = Fraction(1)
    for a, p in zip(powers, primes, strict=True):
        value *= Fraction(p) ** int(a * n)
    if n == 1:
        return value
    if value < 1:
        return 1 / _near([-a for a in powers], primes)
    root, _ = sympy.integer_nthroot(value.numerator * FINE**n // value.denominator, n)
    return Fraction(int(root), FINE).limit_denominator(PARTS)
