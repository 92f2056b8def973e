"""The kinds of verdict, from what holds as it stands to what does not, and how one is come to."""

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
UNUSABLE = "unusable"  # a claim that cannot be judged: no verdict at all
STOPPED = "stopped"  # by a limit of time: none either

KINDS = (VERIFIED, ROUNDED, APPROXIMATE, CONDITIONAL, UNDECIDED, REFUTED, NOT_CHECKABLE)
"""A conjunction gets the last of its parts' kinds."""

HOLDING = (VERIFIED, ROUNDED, APPROXIMATE)
SILENT = (UNDECIDED, NOT_CHECKABLE, UNUSABLE, STOPPED)  # they say nothing about the claim, and so rest on nothing


def first_known(readings: Iterable[Callable[[Asked], Found | None]], asked: Asked) -> Found | None:
    """Return what the first of some readings says of what is asked; None where none of them says anything.

    >>> first_known([lambda n: "even" if n % 2 == 0 else None, lambda n: "odd"], 3)
    'odd'
    """
    return next((found for reading in readings if (found := reading(asked)) is not None), None)
