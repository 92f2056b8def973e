"""A slip: a mistake that people make, and what it does to a calculation."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

Change = Callable[..., Iterable[Any]]


@dataclass(frozen=True, slots=True)
class Slip:
    """One mistake.

    `acts_on` is "operation" (the change yields operations), "chip" (it yields chips), "value" (it yields what the
    right value turns into) or "claim" (it yields propositions that the author may have meant). `made_by` is a claim
    whose author makes it; a test holds that it is found there.

    >>> from roofproof.claims.slips import CATALOGUE
    >>> CATALOGUE["write-back"].says
    'the result that is written back to memory was not counted'
    >>> CATALOGUE["multiply-add"].made_by                         # it is 2 B D F
    'flops(matmul) == B D F'
    """

    name: str
    says: str
    acts_on: str
    change: Change
    made_by: str
