"""Random thresholds with several compute units and links, maxima and conditions, compared with every size up to 40."""

from __future__ import annotations

import random
from fractions import Fraction
from math import prod

import pytest
import sympy

from roofproof import RoofproofError
from roofproof.derive import threshold
from roofproof.hardware import chip_from_text
from roofproof.ops import parse_operation
from roofproof.ops.notation.where import with_conditions

SIZES = ("x", "a", "b")
LAST = 40  # the largest size tried
PEAKS = {"bf16": 7, "exp": 2, "memory": 4, "ici": 3}
CHIP = ", ".join(f"{name}={n} {'B' if name in ('memory', 'ici') else 'FLOP'}/s" for name, n in PEAKS.items())
USUAL, ALL = 10, 2_000

Product = tuple[int, dict[str, int]]  # a coefficient, and the power of each size


class Amount:
    """A sum of products and quotients of sizes, sometimes with a maximum of two of them."""

    def __init__(self, draw: random.Random) -> None:
        self.products = [self._product(draw) for _ in range(draw.randint(1, 3))]
        self.larger = [self._product(draw) for _ in range(2)] if draw.random() < 0.1 else []

    def _product(self, draw: random.Random) -> Product:
        powers = {"x": draw.choice((0, 0, 1, 1, 1, 2)), "a": draw.choice((0, 1, -1)), "b": draw.choice((0, 0, 1))}
        return draw.randint(1, 5), powers

    @property
    def text(self) -> str:
        parts = [_text(p) for p in self.products]
        return " + ".join([*parts, *([f"max({', '.join(map(_text, self.larger))})"] if self.larger else [])])

    def at(self, sizes: dict[str, int]) -> Fraction:
        """Return the value at sizes."""
        more = [max(_value(p, sizes) for p in self.larger)] if self.larger else []
        return sum([_value(p, sizes) for p in self.products] + more, Fraction(0))


def _text(product: Product) -> str:
    number, powers = product
    above = " ".join([str(number), *(f"{s}^{n}" for s, n in powers.items() if n > 0)])
    return above + "".join(f"/{s}" for s, n in powers.items() if n < 0)


def _value(product: Product, sizes: dict[str, int]) -> Fraction:
    number, powers = product
    return number * prod((Fraction(sizes[s]) ** n for s, n in powers.items()), start=Fraction(1))


CONDITIONS = {
    "": lambda x, a, b: True,
    "2 divides x": lambda x, a, b: x % 2 == 0,
    "x divides a": lambda x, a, b: a % x == 0,
    "x <= a": lambda x, a, b: x <= a,
    "x > b": lambda x, a, b: x > b,
    "x <= 2 a; 3 divides x": lambda x, a, b: x <= 2 * a and x % 3 == 0,
}


def check(seed: int) -> bool:
    """Compare one random threshold with every size from 1 to LAST, and return whether the threshold exists."""
    draw = random.Random(seed)
    flops = {name: Amount(draw) for name in draw.choice((("bf16",), ("bf16", "exp")))}
    moved = {name: Amount(draw) for name in draw.choice((("memory",), ("memory", "ici")))}
    said, where = draw.choice([("", CONDITIONS[""])] * 4 + list(CONDITIONS.items()))
    lines = [*(f"flops {n} = {f.text}" for n, f in flops.items()), *(f"bytes {n} = {m.text}" for n, m in moved.items())]
    others = {"a": draw.choice((1, 2, 3, 6, 12)), "b": draw.randint(1, 9)}
    try:
        operation = parse_operation("; ".join(lines))
        operation = with_conditions(operation, said) if said else operation
        point = {s.name: others[s.name] for s in operation.dims if s.name != "x"}
        found = threshold(operation, chip_from_text(CHIP), "x", point)
    except RoofproofError as problem:
        assert "x" not in "".join(lines) or "dimension" not in str(problem), problem
        return False

    def holds(x: int) -> bool:
        sizes = {"x": x, **others}
        slowest = max(f.at(sizes) / PEAKS[name] for name, f in flops.items())
        return all(slowest > m.at(sizes) / PEAKS[name] for name, m in moved.items())

    allowed = [x for x in range(1, LAST + 1) if where(x, **others)]
    there = found.at_point
    assert there is not None
    about = (seed, lines, said, point)
    for x in allowed:
        assert bool(there.holds(sympy.Integer(x))) == holds(x), (*about, x)
    good, answer, down = [x for x in allowed if holds(x)], found.integer, there.kind == "below"
    if answer is None:
        assert down or not good, about
    elif answer <= LAST:
        assert answer in good and (down or answer == good[0]), about
        assert not down or answer == good[-1], about
    else:
        assert down or not good, about
    return True


@pytest.mark.parametrize("part", [0, *(pytest.param(k, marks=pytest.mark.long) for k in range(1, ALL // USUAL))])
def test_a_threshold_says_what_holds_at_each_size(part: int) -> None:
    assert sum(check(seed) for seed in range(part * USUAL, (part + 1) * USUAL)) > USUAL / 2


def test_where_a_root_is_not_real_another_part_of_the_condition_decides() -> None:
    assert check(7_101_952)
