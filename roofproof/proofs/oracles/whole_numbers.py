"""A formula at every whole number between two: by bounds on blocks of them, and one by one where these do not tell."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from roofproof.proofs.kernel.terms import Formula
from roofproof.proofs.oracles.enclosure import enclosed, possible_signs, truth
from roofproof.proofs.oracles.points import holds
from roofproof.proofs.oracles.ratios import Inexact

BITS: Final = 80  # of the bounds
SEEN: Final = 1_024  # numbers at which it is seen from which on a formula holds
BLOCKS: Final = 40_000  # of which bounds are taken, and numbers looked at


def not_at_every(formula: Formula, name: str, first: int, last: int) -> str:
    """Return why it is not known that a formula holds at every whole number between two; nothing where it is.

    >>> from roofproof.proofs.kernel.terms import Term
    >>> n = Term("v", "n")
    >>> tiles = Term("ceil", Term("/", n, Term("q", 128, 1)))
    >>> not_at_every(Formula(">", Term("*", Term("q", 256, 1), tiles), n), "n", 1, 2**40)                # at least 2 n
    ''
    >>> not_at_every(Formula(">", tiles, Term("q", 1, 1)), "n", 128, 200)
    'it does not hold at n = 128'
    """
    return fails_at(formula, name, first, last)[0]


def fails_at(formula: Formula, name: str, first: int, last: int) -> tuple[str, int | None]:
    """Return also the first number at which it does not hold, where one is found.

    >>> from roofproof.proofs.kernel.terms import Term
    >>> n = Term("v", "n")
    >>> fails_at(Formula(">", Term("power", Term("q", 2, 1), n), Term("*", n, n)), "n", 1, 2**30)           # 2^2 = 2 2
    ('it does not hold at n = 2', 2)
    """
    todo = [(first, last)]
    for _ in range(BLOCKS):
        if not todo:
            return "", None
        low, high = todo.pop()
        held: bool | None = on_block(formula, name, low, high)
        if held is None and low == high:
            try:
                held = holds(formula, {name: Fraction(low)})
            except Inexact as problem:
                return f"it is not known at {name} = {low}: {problem}", None
        if held is False:
            return f"it does not hold at {name} = {low}", low
        if held is None:
            middle = _middle(low, high)
            todo += [(middle + 1, high), (low, middle)]
    return (f"it is not known at {name} = {todo[-1][0]}" if todo else ""), None


def holds_from(formula: Formula, name: str) -> int | None:
    """Return the whole number from which on a formula is seen to hold, None where it always does, or not that soon.

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


def _middle(low: int, high: int) -> int:
    """Return the cut of a block: at half of its digits while it is long, so that its ends are of one size."""
    return (1 << (low.bit_length() + high.bit_length()) // 2) - 1 if 4 * low < high else (low + high) // 2


def on_block(formula: Formula, name: str, low: int, high: int) -> bool | None:
    """Tell whether a formula holds on a whole block of numbers, or nowhere there; None where bounds do not tell.

    >>> from roofproof.proofs.kernel.terms import Term
    >>> n = Term("v", "n")
    >>> [on_block(Formula(">", n, Term("q", 9, 1)), "n", *ends) for ends in ((10, 99), (1, 9), (9, 10))]
    [True, False, None]
    """
    between = {name: (Fraction(low), Fraction(high))}
    return truth(formula, lambda a, b: possible_signs(*(enclosed(t, between, BITS) for t in (a, b))))
