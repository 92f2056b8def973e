"""The only module that reads the clock, to measure time and to enforce time limits. No answer depends on it.

Searches stop after a number of steps (`roofproof.derive.algebra.budget`), so that an answer is a function of its input.
"""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import TypeVar

from roofproof.errors import Stopped
from roofproof.sentences import Sentence

T = TypeVar("T")


def timed(function: Callable[[], T]) -> tuple[T, float]:
    """Call a function and return its result with the seconds that it took.

    >>> value, seconds = timed(lambda: 2 + 3)
    >>> value, seconds >= 0
    (5, True)
    """
    start = perf_counter()
    value = function()
    return value, round(perf_counter() - start, 6)


@contextmanager
def within(seconds: int | None, *, busy: bool = False) -> Iterator[None]:
    """Raise Stopped after `seconds`, if the system has alarms and this is the main thread.

    With `busy`, only the CPU time of this process counts, so that other programs on the machine have no effect.

    >>> with within(5):
    ...     print(2 + 3)
    5
    """
    if seconds is None or not hasattr(signal, "setitimer"):
        yield
        return

    def stop(*_: object) -> None:
        raise Stopped(Sentence("stopped: no answer in <seconds> s", seconds=seconds))

    alarm, timer = (signal.SIGPROF, signal.ITIMER_PROF) if busy else (signal.SIGALRM, signal.ITIMER_REAL)
    try:
        before = signal.signal(alarm, stop)
    except ValueError:  # not the main thread
        yield
        return
    # Repeat every second: Python drops an exception that is raised while a destructor runs.
    signal.setitimer(timer, seconds, 1)
    try:
        yield
    finally:
        signal.setitimer(timer, 0)
        signal.signal(alarm, before)
