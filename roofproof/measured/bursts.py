"""How much functions finish side by side, seen through short windows: other work spoils most of them, and not all."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from threading import Barrier, BrokenBarrierError, Thread
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from roofproof.errors import RoofproofError

WINDOW: Final = 1e-3  # seconds: shorter than what a busy scheduler gives a thread in one piece
PIECE: Final = WINDOW / 8  # of a call: a window counts those that begin and end in it
CALLS: Final = 4  # of several functions, that a window takes at least: it cuts the first and the last of them
BURST: Final = 4 * WINDOW
PAUSE: Final = 2e-3  # seconds between bursts, so that threads that waited are run at once
Run = Callable[[int], object]  # does a kernel so many times
Stamps = NDArray[Any]


def calls_a_second(each: Sequence[Run], times: int, cores: Sequence[int], bursts: int) -> float:
    """Return the highest rate, in calls a second, at which kernels ran side by side, each on its core.

    Of each burst only calls that begin and end within a window of a millisecond are counted, over the time of the
    window, so that what other work takes away is never added. Raises RoofproofError where a function fails.
    """
    stamps: list[list[Stamps]] = [[] for _ in each]
    failed: list[Exception] = []
    ready = Barrier(len(each))
    calls = CALLS if len(each) > 1 else 1

    def work(place: int) -> None:
        try:
            if len(each) > 1 and hasattr(os, "sched_setaffinity"):
                os.sched_setaffinity(0, {cores[place]})  # of this thread alone
            for _ in range(bursts):
                ready.wait()
                seen = [time.perf_counter()]
                while seen[-1] - seen[0] < BURST or len(seen) <= 2 * calls:
                    each[place](times)
                    seen.append(time.perf_counter())
                stamps[place].append(np.array(seen))
                time.sleep(PAUSE)
        except BrokenBarrierError:
            return
        except Exception as problem:  # told by the caller: a thread has nobody to raise to
            failed.append(problem)
            ready.abort()

    running = [Thread(target=work, args=(place,)) for place in range(len(each))]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    if failed:
        said = " ".join(str(failed[0]).split())[:120]
        raise RoofproofError(f"a kernel failed in its thread, and there is nothing to measure by: {said}")
    return times * max(most_in_a_window(burst) for burst in zip(*stamps, strict=True))


def most_in_a_window(burst: Sequence[Stamps]) -> float:
    """Return the calls a second of all threads in the best window, from when each began and ended its calls.

    >>> always, broken_off = np.linspace(0, 2e-3, 9), np.array([0, 2e-3])   # calls of 0.25 ms, and one of 2 ms
    >>> float(most_in_a_window([always, always])), float(most_in_a_window([always, broken_off]))
    (8000.0, 4500.0)
    """
    most = 0.0
    shortest = min(float(np.diff(own).min()) for own in burst)  # float: a measurement
    window = (1 - 1e-6) * max(WINDOW, (CALLS if len(burst) > 1 else 1) * shortest)
    for own in burst:
        last = np.searchsorted(own, own + window)
        begin, end = own[last < len(own)], own[last[last < len(own)]]
        if not len(begin):
            continue
        inside = sum(
            np.maximum(np.searchsorted(one, end, "right") - np.searchsorted(one, begin, "left") - 1, 0) for one in burst
        )
        most = max(most, float(np.max(inside / (end - begin))))  # float: a measurement
    return most
