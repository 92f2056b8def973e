"""Convolutions: how often a weight meets an element of the input. What padding or spreading adds is not multiplied."""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer

from roofproof.ops.tensor import is_positive

MOST = 10**6  # pairs that are counted one by one


def pairs(
    size: Expr, taps: Expr, results: Expr, before: Any, after: Any, stride: int = 1, spread: int = 1, apart: int = 1
) -> Expr:
    """Return in how many of its places along an axis a weight meets an element, over all weights.

    >>> five, three = Integer(5), Integer(3)
    >>> pairs(five, three, three, 0, 0), pairs(five, three, five, 1, 1)      # valid; same: 15 less one on each side
    (9, 13)
    >>> pairs(five, three, Integer(7), 2, 2)                                # full: each weight meets each element
    15
    >>> from roofproof.symbols import dimension
    >>> H, R = dimension("H"), dimension("R")
    >>> pairs(H, R, H + R - 1, R - 1, R - 1).expand()
    H*R

    `before` and `after` are the padding. Where symbols leave it open, padding is counted as if it were multiplied.
    """
    before, after = (Integer(n) if isinstance(n, int) else n for n in (before, after))
    plain = stride == spread == apart == 1
    if not before and not after and spread == 1:
        return taps * results
    known = all(n.is_Integer for n in (size, taps, results, before, after))
    if known and taps * results <= MOST:
        last = (int(size) - 1) * spread
        at = (o * stride + r * apart - int(before) for o in range(int(results)) for r in range(int(taps)))
        return Integer(sum(1 for i in at if 0 <= i <= last and i % spread == 0))
    if plain and all((n - 0).is_nonnegative and is_positive(taps - n) for n in (before, after)):
        return taps * results - before * (before + 1) / 2 - after * (after + 1) / 2
    if spread != 1 and stride == 1 and apart == 1:
        return size * taps
    return taps * results
