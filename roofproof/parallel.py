"""How many processes or threads can work side by side, and such processes."""

from __future__ import annotations

import gc
import os
import signal
import sys
from time import sleep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import ProcessPoolExecutor

ALONE = ("emscripten", "wasi")  # systems that start no process and no thread: a browser, say
THREADS = {"jax", "torch"}  # libraries whose threads a copy of a process would stop in the middle of their work


def processors() -> int:
    """Return how many processors there are to work side by side, one where no process can be started.

    >>> processors() >= 1
    True
    """
    return 1 if sys.platform in ALONE else os.cpu_count() or 1


def side_by_side(count: int, begin: Callable[..., object] | None = None, *given: object) -> ProcessPoolExecutor:
    """Return so many processes to work side by side, each after `begin(*given)`; they end when this one is killed.

    >>> with side_by_side(2) as pool:
    ...     list(pool.map(abs, [-2, 3]))
    [2, 3]

    They are copies of this process, which know all that was read so far, where the system has copies and no other
    thread runs here; elsewhere they start anew.
    """
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context
    from threading import active_count

    copied = sys.platform == "linux" and active_count() == 1 and not THREADS & sys.modules.keys()
    context = get_context("fork" if copied else "spawn")
    return ProcessPoolExecutor(count, context, initializer=_begin, initargs=(os.getpid(), begin, given))


def _begin(parent: int, begin: Callable[..., object] | None, given: tuple[object, ...]) -> None:
    from threading import Thread

    gc.freeze()  # what was copied stays shared with the process it comes from: no cycles are looked for in it
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches every process; one says so
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    Thread(target=_watch, args=(parent,), daemon=True).start()
    if begin is not None:
        begin(*given)


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        sleep(1)
    os._exit(1)
