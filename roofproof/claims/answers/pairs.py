"""Two slips together: an edit of the operation, and one more of it, of the chip or of the result."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from roofproof.claims.answers.edits import Edit, Result, of_chip, of_operation, of_result
from roofproof.claims.answers.question import Question

MOST = 100  # pairs that are worked out
FEWEST_DIGITS = 3
_FIRST = ("multiply-add-once", "bytes-per-element", "dropped-tensor")  # what is forgotten, the likeliest first
_SECOND = (*_FIRST, "other-figure", "one-direction", "per-chip-total", "reciprocal", "prefix", "bits",
           "seconds-milliseconds", "forward-for-training")  # fmt: skip


def pairs(asked: Question) -> Iterator[Edit]:
    """Yield two slips made together, the likeliest first, MOST of them.

    >>> from roofproof import op
    >>> found = {e.slip: e for e in pairs(Question(op("matmul"), asks="bytes"))}
    >>> found["bytes-per-element+dropped-tensor:z"].key().value           # B F of the result is left out
    B*D + D*F
    """
    if asked.asks != "bound":
        yield from islice(_pairs(asked), MOST)


def tried(digits: int | None) -> int:
    """Return how many pairs an answer of so many digits is held to, so that one in a hundred fits by chance at most.

    >>> tried(2), tried(3), tried(4)                                      # 10^3 / 100 of three digits
    (0, 10, 100)
    >>> tried(None)                                                       # a formula fits none by chance
    100
    """
    return MOST if digits is None else 0 if digits < FEWEST_DIGITS else min(MOST, 10**digits // 100)


def _pairs(asked: Question) -> Iterator[Edit]:
    counted = sorted((e for e in of_operation(asked) if e.slip in _FIRST), key=lambda e: _FIRST.index(e.slip))
    for place, first in enumerate(counted, 1):
        later = {e.whole for e in counted[place:]} - {first.whole}
        for second in of_operation(first.asked):
            if second.whole in later or (second.slip in _SECOND and second.slip not in _FIRST):
                yield _together(first, second)
    for further in (of_result, of_chip):
        for first in counted:
            yield from (_together(first, second) for second in further(first.asked) if second.slip in _SECOND)


def _together(first: Edit, second: Edit) -> Edit:
    return replace(second, slip=f"{first.whole}+{second.whole}", about="", result=_after(first.result, second.result))


def _after(first: Result | None, second: Result | None) -> Result | None:
    if first is None or second is None:
        return first or second
    return lambda value: second(first(value))
