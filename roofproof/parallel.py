"""A parallel map over tasks, with processes on this machine or with the workers of a Dask cluster.

The results and their order are the same as with one process. If a worker ends, another one repeats its part.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from contextlib import contextmanager, suppress
from threading import Lock
from time import sleep

from roofproof.errors import MissingExtra, RoofproofError, quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from multiprocessing.connection import Connection
    from typing import Any, TypeVar

    S = TypeVar("S")
    T = TypeVar("T")
    R = TypeVar("R")

ALONE = ("emscripten", "wasi")  # systems without processes and threads, such as a browser
THREADS = {"jax", "torch"}  # libraries with threads, which a fork would stop in the middle of their work
MOST = 256  # processes on this machine
AHEAD = 8  # parts per worker ahead of the consumer, so that the queue of results stays bounded
TRIES = 3  # processes that a part may crash before it is lost
WAIT = 10  # seconds for a cluster to answer
ENDED = "a part of the work ended <count> processes, one after another"


def processors() -> int:
    """Return the number of processors, or 1 on systems that cannot start processes.

    >>> processors() >= 1
    True
    """
    return 1 if sys.platform in ALONE else os.cpu_count() or 1


def workers_from(text: str | int) -> int | str:
    """Parse `--workers`: a number of processes on this machine, `threads:N`, or the address of a Dask scheduler.

    >>> workers_from("2"), workers_from("threads:2"), workers_from("tcp://10.0.0.7:8786")
    (2, 'threads:2', 'tcp://10.0.0.7:8786')
    """
    number = str(text).removeprefix("threads:")
    if "://" in number:
        return str(text)
    if not (number.isascii() and number.isdigit() and len(number) < 4 and 0 < int(number) <= MOST):
        due = "workers <text>: expected 1 to <most> processes, threads:N or tcp://HOST:PORT"
        raise RoofproofError(due, text=quoted(str(text)), most=MOST)
    return int(number) if number == str(text) else str(text)


def parallel_map(
    act: Callable[[S, T], R],
    shared: S,
    tasks: Sequence[T],
    workers: int | str = 1,
    chunk: int = 1,
    threads: bool = False,
    lost: Callable[[T, Exception], R] | None = None,
) -> Iterator[R]:
    """Yield `act(shared, task)` for each task, in order. A worker gets `chunk` tasks at a time, called a part.

    >>> list(parallel_map(pow, 2, [3, 5, 10], workers=2))                     # 2^3, 2^5, 2^10
    [8, 32, 1024]

    On Linux, processes are forked and share everything read so far, unless this process has other threads. Otherwise
    they are spawned, and `act`, `shared` and the tasks are pickled, as on a cluster. They end when this process is
    killed. With `threads`, several threads of a Dask worker may run `act` at once. Raises the exceptions of `act`, and
    RoofproofError if the workers are unavailable or a part crashes one process after another. With `lost`, a task of
    a failed part yields `lost(task, error)`, and the other parts are unaffected.
    """
    parts = range(0, len(tasks), chunk)
    if isinstance(workers, int) and (workers < 2 or len(parts) < 2):
        for task in tasks:
            yield from _found(*_acted(act, shared, [task]), [task], lost)
        return
    given = (tasks[start : start + chunk] for start in parts)
    if isinstance(workers, int):
        made = _by_processes(min(workers, MOST, len(parts)), act, shared, given)
    else:
        made = _on_dask(workers, act, shared, given, threads)
    for fine, value, part in made:
        yield from _found(fine, value, part, lost)


def _acted(act: Callable[[S, T], R], shared: S, part: Sequence[T]) -> tuple[bool, Any]:
    """Return True and the result of each task in a part, or False and the error."""
    try:
        return True, [act(shared, task) for task in part]
    except BaseException as problem:
        return False, problem


def _found(fine: bool, value: Any, part: Sequence[T], lost: Callable[[T, Exception], R] | None) -> Sequence[R]:
    if not fine:
        if lost is None or not isinstance(value, Exception):
            raise value
        return [lost(task, value) for task in part]
    found: Sequence[R] = value
    return found


class _Process:
    """A process that does one part after another, with its current part."""

    def __init__(self, context: Any, act: Callable[..., object], shared: object) -> None:
        self.pipe: Connection
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_work, args=(theirs, os.getpid(), act, shared))
        self.process.start()
        theirs.close()
        self.part: tuple[int, Sequence[Any]] | None = None

    def begin(self, part: tuple[int, Sequence[Any]]) -> None:
        self.part = part
        with suppress(OSError):  # if the process has ended, `wait` reports it
            self.pipe.send(part[1])

    def result(self) -> tuple[bool, Any] | None:
        """Return whether the part succeeded and its results or error, or None if the process has ended."""
        try:
            return self.pipe.recv() if self.pipe.poll() else None
        except (EOFError, OSError):  # the pipe broke
            return None
        except Exception as problem:  # the result cannot be unpickled
            return False, _unsent(problem)

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()


def _by_processes(
    count: int, act: Callable[[S, T], R], shared: S, parts: Iterator[Sequence[T]]
) -> Iterator[tuple[bool, Any, Sequence[T]]]:
    from collections import Counter
    from multiprocessing import get_context
    from multiprocessing.connection import wait
    from threading import active_count

    copied = sys.platform == "linux" and active_count() == 1 and not THREADS & sys.modules.keys()
    context = get_context("fork" if copied else "spawn")
    given = enumerate(parts)
    again: list[tuple[int, Sequence[T]]] = []
    ended: Counter[int] = Counter()
    done: dict[int, tuple[bool, Any, Sequence[T]]] = {}
    place, begun = 0, 0
    team: list[_Process] = []
    try:
        team += [_Process(context, act, shared) for _ in range(count)]
        while True:
            while place in done:
                yield done.pop(place)
                place += 1
            for one in (one for one in team if one.part is None):
                if again or begun < place + AHEAD * count:
                    part = again.pop() if again else next(given, None)
                    if part is not None:
                        begun = max(begun, part[0] + 1)
                        one.begin(part)
            busy = [one for one in team if one.part is not None]
            if not busy:
                return
            seen = wait([end for one in busy for end in (one.pipe, one.process.sentinel)])
            for one in busy:
                if one.pipe not in seen and one.process.sentinel not in seen:
                    continue
                assert one.part is not None
                (k, tasks), found = one.part, one.result()
                if found is None:
                    ended[k] += 1
                    if ended[k] < TRIES:
                        again.append(one.part)
                    else:
                        done[k] = False, RoofproofError(ENDED, count=TRIES), tasks
                    one.end()
                    team[team.index(one)] = _Process(context, act, shared)
                    continue
                one.part, done[k] = None, (*found, tasks)
    finally:
        for one in team:
            one.end()


def _work(pipe: Connection, parent: int, act: Callable[[Any, Any], object], shared: object) -> None:
    """Do the parts that arrive through a pipe, as the main loop of a worker process."""
    from threading import Thread

    gc.freeze()  # keep memory shared with the parent: the garbage collector must not touch it
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches every process, but only the parent reports it
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    Thread(target=_watch, args=(parent,), daemon=True).start()
    with suppress(EOFError, OSError):  # the parent has ended
        while True:
            found = _acted(act, shared, pipe.recv())
            try:
                pipe.send(found)
            except OSError:
                raise
            except Exception as problem:  # the result cannot be pickled
                pipe.send((False, _unsent(problem)))


def _unsent(problem: Exception) -> TypeError:
    return TypeError(f"{type(problem).__name__}: {problem}")


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        sleep(1)
    os._exit(1)


def _on_dask(
    workers: str, act: Callable[[S, T], R], shared: S, parts: Iterator[Sequence[T]], threads: bool
) -> Iterator[tuple[bool, Any, Sequence[T]]]:
    from collections import deque

    do = _by_threads if threads else _one_by_one
    with _client(workers) as client:
        here = client.submit(_same, shared, pure=False)  # not scattered: Dask recomputes it if its worker is lost
        room = AHEAD * max(1, sum(client.nthreads().values()))
        waiting: deque[tuple[Any, Sequence[T], str]] = deque()
        for part in parts:
            waiting.append((client.submit(do, _version(), act, here, part, pure=False), part, workers))
            if len(waiting) >= room:
                yield _result(*waiting.popleft())
        while waiting:
            yield _result(*waiting.popleft())


def _result(future: Any, part: Sequence[T], workers: str) -> tuple[bool, Any, Sequence[T]]:
    from concurrent.futures import CancelledError

    from distributed import KilledWorker
    from distributed.comm import CommClosedError

    try:
        return (*future.result(), part)
    except KilledWorker:
        return False, RoofproofError(ENDED, count="several"), part
    except (CancelledError, CommClosedError):
        raise RoofproofError("the Dask scheduler <where> is gone", where=quoted(workers)) from None
    except ImportError as problem:
        said = "the workers of <where> lack this package: <why>"
        raise RoofproofError(said, where=quoted(workers), why=problem) from None
    except RoofproofError:
        raise
    except Exception as problem:  # something cannot be pickled
        return False, _unsent(problem), part


def _version() -> str:
    return str(sys.modules["roofproof"].__version__)


def _same(shared: S) -> S:
    return shared


_ALONE = Lock()


def _one_by_one(version: str, act: Callable[[S, T], R], shared: S, part: Sequence[T]) -> tuple[bool, Any]:
    """Do a part on a Dask worker, one thread at a time."""
    with _ALONE:
        return _by_threads(version, act, shared, part)


def _by_threads(version: str, act: Callable[[S, T], R], shared: S, part: Sequence[T]) -> tuple[bool, Any]:
    if version != _version():
        raise RoofproofError("a worker has roofproof <its>, and this is <ours>", its=_version(), ours=version)
    return _acted(act, shared, part)


@contextmanager
def _client(workers: str) -> Iterator[Any]:
    """Connect to Dask workers: threads that run only within the context, or the workers of a running cluster."""
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise MissingExtra("Dask", "dask") from None
    if workers.startswith("threads:"):
        size = {"n_workers": 1, "threads_per_worker": int(workers.removeprefix("threads:"))}
        kind = {"processes": False, "dashboard_address": "127.0.0.1:0", "memory_limit": 0}
        with LocalCluster(**size, **kind) as cluster, Client(cluster) as client:
            yield client
        return
    try:
        client = Client(workers, timeout=WAIT)
    except (OSError, ValueError) as problem:
        said = str(problem).partition(" after ")[0] or type(problem).__name__
        raise RoofproofError("no Dask scheduler at <where>: <why>", where=quoted(workers), why=said) from None
    with client:
        try:
            client.wait_for_workers(1, timeout=WAIT)
        except TimeoutError:
            raise RoofproofError("the Dask scheduler <where> has no workers", where=quoted(workers)) from None
        yield client
