"""The integers at which a formula holds: by interval bounds on blocks, and one by one if the bounds are too wide."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from roofproof.proofs.kernel.terms import Formula
from roofproof.proofs.oracles.intervals import enclosed, possible_signs, truth
from roofproof.proofs.oracles.points import holds, truth_at
from roofproof.proofs.oracles.ratios import Inexact

BITS: Final = 80  # precision of the bounds
SEEN: Final = 1_024  # largest integer tried to find from where a formula holds
BLOCKS: Final = 40_000  # most blocks bounded, and single integers tried
BLOCKS_OF_RUNS: Final = 5_000  # the same for the search for runs, beyond which integers stay undecided
RUNS: Final = 24  # most runs of integers that are listed
Block = tuple[int, int]


def failure_reason(formula: Formula, name: str, first: int, last: int) -> str:
    """Return why a formula is not known to hold at every integer from `first` to `last`, or '' if it is.

    >>> from roofproof.proofs.kernel.terms import Term
    >>> n = Term("v", "n")
    >>> tiles = Term("ceil", Term("/", n, Term("q", 128, 1)))
    >>> failure_reason(Formula(">", Term("*", Term("q", 256, 1), tiles), n), "n", 1, 2**40)               # at least 2 n
    ''
    >>> failure_reason(Formula(">", tiles, Term("q", 1, 1)), "n", 128, 200)
    'it does not hold at n = 128'
    """
    return fails_at(formula, name, first, last)[0]


def fails_at(formula: Formula, name: str, first: int, last: int) -> tuple[str, int | None]:
    """Return the text of `failure_reason`, and the first integer at which the formula fails, if one is found.

    >>> from roofproof.proofs.kernel.terms import Term
    >>> n = Term("v", "n")
    >>> fails_at(Formula(">", Term("power", Term("q", 2, 1), n), Term("*", n, n)), "n", 1, 2**30)           # 2^2 = 2 2
    ('it does not hold at n = 2', 2)
    """
    for low, _, held in _blocks(formula, name, [(first, last)], BLOCKS):
        if held is None:
            return f"it is not known at {name} = {low}", None
        if not held:
            return f"it does not hold at {name} = {low}", low
    return "", None


def runs(formula: Formula, name: str, last: int) -> tuple[list[Block], int]:
    """Return the runs of integers from 1 at which a formula holds, and the last integer up to which they are known.

    >>> from roofproof.proofs.kernel.terms import Term
    >>> n = Term("v", "n")
    >>> tiles = Term("ceil", Term("/", n, Term("q", 128, 1)))
    >>> runs(Formula(">", n, Term("*", Term("q", 100, 1), tiles)), "n", 2**30)          # 100 < n, 200 < n, ...
    ([(101, 128), (201, 256), (301, 384), (401, 1073741824)], 1073741824)
    """
    found, known = list[Block](), 0
    parts = [(2**k, min(2 ** (k + 1) - 1, last)) for k in range(last.bit_length())]
    for low, high, held in _blocks(formula, name, parts, BLOCKS_OF_RUNS):
        follows = bool(found) and found[-1][1] == known
        if held is None or (held and not follows and len(found) == RUNS):
            break
        if held:
            found[-1:] = [(found[-1][0], high)] if follows else [*found[-1:], (low, high)]
        known = high
    return found, known


def holds_from(formula: Formula, name: str) -> int | None:
    """Return the integer from which a formula holds up to 1024, or None if that is 1 or in the upper half.

    >>> from roofproof.proofs.kernel.terms import Term
    >>> n = Term("v", "n")
    >>> tiles = Term("ceil", Term("/", n, Term("q", 132, 1)))
    >>> holds_from(Formula(">", Term("*", Term("q", 2, 1), n), Term("*", Term("q", 132, 1), tiles)), "n")  # 134 > 132
    67
    """
    for n in range(SEEN, 0, -1):
        try:
            if not holds(formula, {name: Fraction(n)}):
                return n + 1 if 2 * n < SEEN else None
        except Inexact:
            return None
    return None


def _blocks(formula: Formula, name: str, parts: list[Block], most: int) -> Iterator[tuple[int, int, bool | None]]:
    """Yield blocks of integers in order, with True if a formula holds at all of them, False if at none, None if open.

    A block is halved if bounds do not decide it. After `most` blocks the rest is open.
    """
    todo = parts[::-1]
    for _ in range(most):
        if not todo:
            return
        low, high = todo.pop()
        held = _on_block(formula, name, low, high)
        if held is None and low < high:
            middle = _middle(low, high)
            todo += [(middle + 1, high), (low, middle)]
        else:
            yield low, high, held
    if todo:
        yield *todo[-1], None


def _middle(low: int, high: int) -> int:
    """Return where to cut a block: near the geometric mean of its ends if they differ a lot, else in the middle."""
    return (1 << (low.bit_length() + high.bit_length()) // 2) - 1 if 4 * low < high else (low + high) // 2


def _on_block(formula: Formula, name: str, low: int, high: int) -> bool | None:
    """Return True if a formula holds at all integers of a block, False if at none, or None if that is not known.

    >>> from roofproof.proofs.kernel.terms import Term
    >>> n = Term("v", "n")
    >>> [_on_block(Formula(">", n, Term("q", 9, 1)), "n", *ends) for ends in ((10, 99), (1, 9), (9, 10))]
    [True, False, None]
    """
    between = {name: (Fraction(low), Fraction(high))}
    held = truth(formula, lambda a, b: possible_signs(*(enclosed(t, between, BITS) for t in (a, b))))
    if held is None and low == high:
        try:
            return truth_at(formula, {name: Fraction(low)})
        except Inexact:
            return None
    return held
