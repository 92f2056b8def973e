"""Judge the five books by one, two and four processes, and by more of them in a simulation.

    python -m benchmarks.workers [--repeats 3] [--picture benchmarks/workers] [--json FILE]

*Simulated* is the wall time of workers of which each takes the next part of the work when it is done with one: the
start of the command, then the parts, by the processor time that each took in one process. It leaves out what workers
take from each other: cores, memory, and parts to be sent.
"""

from __future__ import annotations

import heapq
import os
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from subprocess import DEVNULL
from subprocess import run as call
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.books import books
from benchmarks.report import alternating, keep, options, show, table
from benchmarks.start import command

MEASURED = (1, 2, 4)
SIMULATED = (1, 2, 4, 8, 16, 32, 64)


def makespan(parts: Iterable[float], workers: int) -> float:
    """Return when the last of the parts is done, each taken in order by the first worker that is free.

    >>> makespan([3, 1, 1, 1], 2), makespan([3, 1, 1, 1], 4)               # one has 3, the other 1 + 1 + 1
    (3.0, 3.0)
    """
    free = [0.0] * workers
    for seconds in parts:
        heapq.heapreplace(free, free[0] + seconds)
    return max(free)


def seconds_of_parts(paths: Sequence[str]) -> list[float]:
    """Return the processor time of each part of the work, judged in this process."""
    from time import process_time

    from roofproof.claims import verifying

    verifying.read(paths[0])  # imports are part of the start
    each, before = [], process_time()
    for _ in verifying.verify(paths, workers=1):
        each.append((now := process_time()) - before)
        before = now
    size = verifying.CHUNK
    return [sum(each[k : k + size]) for k in range(0, len(each), size)]


def main(argv: Sequence[str] | None = None) -> None:
    asked = options(__doc__, argv, 3)
    paths = books(asked.quick)
    with TemporaryDirectory() as home:
        os.environ["XDG_STATE_HOME"] = home
        jobs: dict[str, Callable[[], object]] = {
            str(n): partial(call, command(["verify", *paths, "--workers", str(n)]), stdout=DEVNULL, stderr=DEVNULL)
            for n in MEASURED
        }
        found = alternating(jobs, 1 if asked.quick else asked.repeats)
    parts = seconds_of_parts(paths)
    start = max(0.0, found["1"].cpu - sum(parts))
    wall = {n: start + makespan(parts, n) for n in SIMULATED}
    rows: list[list[Any]] = []
    for n in SIMULATED:
        real = found.get(str(n))
        measured = (
            ["", "", ""] if real is None else [f"{real.wall:.2f}", f"{real.cpu:.2f}", found["1"].wall / real.wall]
        )
        rows.append([n, *measured, f"{wall[n]:.2f}", wall[1] / wall[n]])
    head = ["workers", "s, wall", "s, CPU", "times as fast", "s, simulated", "times as fast, simulated"]
    title = f"{len(parts)} parts on {os.cpu_count()} cores, medians of {asked.repeats} alternating runs"
    show(title, table(head, rows))

    def draw(axes: Any) -> None:
        axes.loglog(SIMULATED, [wall[1] / wall[n] for n in SIMULATED], "o-", label="simulated")
        axes.loglog(MEASURED, [found["1"].wall / found[str(n)].wall for n in MEASURED], "s", label="measured")
        axes.set(xlabel="workers", ylabel="times as fast")
        axes.legend()

    keep(asked, {"measured": {n: vars(t) for n, t in found.items()}, "parts": parts, "simulated": wall}, draw)


if __name__ == "__main__":
    main()
