"""The kinds of verdict, from verified to refuted and not checkable."""

from collections.abc import Callable, Iterable
from typing import TypeVar

Asked = TypeVar("Asked")
Found = TypeVar("Found")

VERIFIED = "verified"
ROUNDED = "rounded"
APPROXIMATE = "approximate"
CONDITIONAL = "conditional"
UNDECIDED = "undecided"
REFUTED = "refuted"
NOT_CHECKABLE = "not-checkable"
UNUSABLE = "unusable"  # the claim has an error: no verdict
STOPPED = "stopped"  # the time limit was reached: no verdict

KINDS = (VERIFIED, ROUNDED, APPROXIMATE, CONDITIONAL, UNDECIDED, REFUTED, NOT_CHECKABLE)
"""The order matters: a conjunction gets the last kind among its parts."""

HOLDING = (VERIFIED, ROUNDED, APPROXIMATE)
SILENT = (UNDECIDED, NOT_CHECKABLE, UNUSABLE, STOPPED)  # these say nothing about the claim, so they need no proof


def first_known(readings: Iterable[Callable[[Asked], Found | None]], asked: Asked) -> Found | None:
    """Return the first result of `readings` that is not None, each called with `asked`, or None if there is none.

    >>> first_known([lambda n: "even" if n % 2 == 0 else None, lambda n: "odd"], 3)
    'odd'
    """
    return next((found for reading in readings if (found := reading(asked)) is not None), None)
