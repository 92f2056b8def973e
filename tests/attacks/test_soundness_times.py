"""Times of operations and sequences agree with a chunk-by-chunk simulation in exact fractions.

A resource serves one chunk at a time, in order. A part of an operation is split into equal chunks, and a chunk is
computed after it has been moved. No formula of the package is used here.
"""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
import sympy

from roofproof.derive import lower, upper
from roofproof.derive.roofline.times import sequential, time
from roofproof.hardware import chip_from_text
from roofproof.ops import Operation, parse_operation, then

ON = chip_from_text("bf16=7 FLOP/s, hbm=3 B/s, ici=2 B/s, fp32-vector=5 FLOP/s")
SPEED = {"memory": 3, "bf16": 7, "fp32-vector": 5}
ORDER = tuple(SPEED)  # resources in the order a chunk uses them


def part(random: Random) -> Operation:
    moved, matrix, vector = (random.randint(1, 60) for _ in range(3))
    return parse_operation(f"flops bf16 = {matrix}; flops fp32-vector = {vector}; bytes memory = {moved}")


def fraction(value: sympy.Expr) -> Fraction:
    return Fraction(int(value.p), int(value.q))


def works(op: Operation) -> dict[str, Fraction]:
    return {r: Fraction(int(op.demands[r])) / SPEED[r] for r in ORDER}


def played(parts: list[Operation], chunks: int, ahead: bool) -> Fraction:
    """Return the time at which the last chunk is done. With `ahead`, a part may begin before the previous one ends."""
    free = dict.fromkeys(ORDER, Fraction(0))
    end = Fraction(0)
    for one in parts:
        work, start = works(one), Fraction(0) if ahead else end
        for _ in range(chunks):
            ready = start
            for r in ORDER:
                ready = free[r] = max(free[r], ready) + work[r] / chunks
            end = max(end, ready)
    return end


@pytest.mark.parametrize("seed", range(8))
def test_one_operation_in_chunks_lies_between_its_bounds(seed: int) -> None:
    """An operation in n equal chunks takes exactly upper/n + (n - 1)/n lower."""
    op = part(Random(seed))
    low, high = fraction(lower(op, ON)), fraction(upper(op, ON))
    assert {r: fraction(t) for r, t in time(op, ON).items()} == works(op)
    assert played([op], 1, ahead=False) == high
    for n in (2, 3, 10, 1000):
        assert played([op], n, ahead=False) == high / n + (n - 1) * low / n
    assert low <= high <= len(ORDER) * low


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(8))
def test_a_sequence_in_chunks(seed: int) -> None:
    """Parts in sequence tend to the sum of maxima. With reading ahead, the maximum of sums is a lower bound."""
    random = Random(seed)
    parts = [part(random) for _ in range(random.randint(2, 5))]
    whole = then(*parts)
    low, middle, high = (fraction(f(whole, ON)) for f in (lower, sequential, upper))
    assert low <= middle <= high
    assert played(parts, 1, ahead=False) == high
    for n in (2, 7, 500):
        apart, together = played(parts, n, ahead=False), played(parts, n, ahead=True)
        assert apart == middle + (high - middle) / n
        assert low <= together <= apart
    largest = max(max(works(p).values()) for p in parts)
    assert played(parts, 500, ahead=True) <= middle + len(parts) * len(ORDER) * largest / 500


def test_reading_ahead_can_reach_the_maximum_of_sums() -> None:
    """A part that mostly computes and a part that mostly reads together reach the maximum of sums."""
    compute = parse_operation("flops bf16 = 70; flops fp32-vector = 1; bytes memory = 3")
    move = parse_operation("flops bf16 = 7; flops fp32-vector = 1; bytes memory = 30")
    whole = then(compute, move)
    low, middle = fraction(lower(whole, ON)), fraction(sequential(whole, ON))
    assert (low, middle) == (11, 20)  # 10 + 1 computing, 1 + 10 reading; 10 + 10 in sequence
    assert low <= played([compute, move], 1000, ahead=True) < low + Fraction(2)
