"""The only clock: it measures, and it stops the program; no answer depends on it.

Searches stop after a number of steps (`roofproof.derive.algebra.budget`), so that an answer is a function of its input.
"""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import TypeVar

from roofproof.errors import Stopped

T = TypeVar("T")


def timed(function: Callable[[], T]) -> tuple[T, float]:
    """Return what a function returns, and the seconds that it took.

    >>> value, seconds = timed(lambda: 2 + 3)
    >>> value, seconds >= 0
    (5, True)
    """
    start = perf_counter()
    value = function()
    return value, round(perf_counter() - start, 6)


@contextmanager
def within(seconds: int | None) -> Iterator[None]:
    """Raise Stopped after so many seconds, where the system has alarms and this is the main thread.

    >>> with within(5):
    ...     print(2 + 3)
    5
    """
    if seconds is None or not hasattr(signal, "alarm"):
        yield
        return

    def stop(*_: object) -> None:
        raise Stopped(f"stopped: no answer in {seconds} s")

    try:
        before = signal.signal(signal.SIGALRM, stop)
    except ValueError:  # not the main thread
        yield
        return
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
