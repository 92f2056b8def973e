"""A limit on the steps of an answer, so that hard input stops with a message instead of running on.

Steps are counted where work is done (terms multiplied, points tried, questions to a solver), never read off a clock.
The same question takes the same steps on any machine, under any load, in any order. A step is about a microsecond
of an idle core.
"""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache, wraps
from typing import Any, ParamSpec, TypeVar

from roofproof.errors import RoofproofError, Stopped
from roofproof.sentences import Sentence

P = ParamSpec("P")
T = TypeVar("T")
MILLION = 10**6
PROOF_STEPS = 6 * MILLION  # the default limit on the search for a proof


class _Meter(threading.local):
    """The step counter of one thread, which ignores the other threads."""

    taken = 0
    last = sys.maxsize  # the step after which the program stops


_meter = _Meter()


def spend(steps: int) -> None:
    """Count steps of work.

    >>> budget = Budget(100)
    >>> spend(30)
    >>> budget.left                                                             # 100 - 30
    70

    Raises Stopped if there are more than `at_most` allows.
    """
    _meter.taken += steps
    if _meter.taken > _meter.last:
        raise Stopped(Sentence("stopped: the step limit was reached"))


@contextmanager
def at_most(steps: int | None) -> Iterator[None]:
    """Raise Stopped if the block takes more steps, at the same place on any machine.

    >>> with at_most(100):
    ...     spend(101)
    Traceback (most recent call last):
    roofproof.errors.Stopped: stopped: the step limit was reached
    """
    before = _meter.last
    if steps is not None:
        _meter.last = min(before, _meter.taken + steps)
    try:
        yield
    finally:
        _meter.last = before


def taken() -> int:
    """Return all the steps that this thread has taken.

    >>> before = taken()
    >>> spend(7)
    >>> taken() - before
    7
    """
    return _meter.taken


def remembered(maxsize: int) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Cache the results of a function with their steps, which count again on each hit, so that order has no effect.

    >>> @remembered(10)
    ... def square(n: int) -> int:
    ...     spend(5)
    ...     return n * n
    >>> budget = Budget(100)
    >>> square(3), square(3), budget.left                                       # 100 - 5 - 5
    (9, 9, 90)
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        @lru_cache(maxsize=maxsize)
        def known(*args: Any, **kwargs: Any) -> tuple[T, int]:
            before = taken()
            return function(*args, **kwargs), taken() - before

        @wraps(function)
        def replayed(*args: P.args, **kwargs: P.kwargs) -> T:
            before = taken()
            found, steps = known(*args, **kwargs)  # type: ignore[arg-type]
            _meter.taken = before
            spend(steps)
            return found

        replayed.cache_clear = known.cache_clear  # type: ignore[attr-defined]
        return replayed

    return decorate


@dataclass(frozen=True, slots=True)
class Budget:
    """A number of steps, counted from the creation of the budget.

    >>> Budget(5_000).left, Budget(0).left
    (5000, 0)
    >>> Budget(0).check("cases")
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: gave up after 0 steps while finding cases; fix some of the sizes
    """

    steps: int
    start: int = field(default_factory=taken)

    @property
    def left(self) -> int:
        """Steps that are left, at least 0."""
        return max(0, self.steps - (taken() - self.start))

    def check(self, what: str) -> None:
        """Raise RoofproofError, which names the unfinished work `what`, if no steps are left."""
        if not self.left:
            raise RoofproofError(
                "gave up after <steps> while finding <what>; fix some of the sizes",
                what=what,
                steps=in_words(self.steps),
            )


def in_words(steps: int) -> str:
    """Return a number of steps as text.

    >>> in_words(6_000_000), in_words(500)
    ('6 million steps', '500 steps')
    """
    return f"{steps // MILLION} million steps" if steps and steps % MILLION == 0 else f"{steps} steps"
