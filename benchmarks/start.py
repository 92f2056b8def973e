"""Compare the start of the command with the start of Python and of the libraries that it needs.

    python -m benchmarks.start [--repeats 21] [--picture benchmarks/start] [--json FILE]

Each command is a process of its own; the runs alternate, and what counts is the ratio of the medians.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.report import alternating, keep, options, show, table

# name: arguments of roofproof, the baseline, how many times as long it may take
COMMANDS = {
    "derive matmul --for B": ("import sympy", 1.15),
    "derive matmul --chip tpu-v5e --for B": ("import sympy", 1.25),
    "--help": ("pass", 2.0),
    "show chips": ("pass", 3.0),
}


def command(words: Sequence[str]) -> list[str]:
    """Return how `roofproof` is started: the installed script, or the package where there is none."""
    script = Path(sys.executable).with_name("roofproof")
    return [str(script), *words] if script.exists() else [sys.executable, "-m", "roofproof", *words]


def run(words: list[str]) -> None:
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)


def main(argv: Sequence[str] | None = None) -> None:
    asked = options(__doc__, argv, 21)
    jobs: dict[str, Callable[[], object]] = {}
    for base in dict.fromkeys(base for base, _ in COMMANDS.values()):
        jobs[f'python -c "{base}"'] = partial(run, [sys.executable, "-c", base])
    for words in COMMANDS:
        jobs[f"roofproof {words}"] = partial(run, command(words.split()))
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # what users start is compiled once, not each time
    for job in jobs.values():
        job()  # so that bytecode is written and files are in memory
    found = alternating(jobs, 3 if asked.quick else asked.repeats)
    rows: list[list[Any]] = []
    for words, (base, aim) in COMMANDS.items():
        mine, theirs = found[f"roofproof {words}"], found[f'python -c "{base}"']
        rows.append([
            f"`roofproof {words}`", f'`python -c "{base}"`', f"{1000 * mine.cpu:.0f}", f"{1000 * theirs.cpu:.0f}",
            mine.cpu / theirs.cpu, mine.wall / theirs.wall, aim,
        ])  # fmt: skip
    head = ["command", "against", "CPU ms", "its CPU ms", "ratio, CPU", "ratio, wall", "aim"]
    show(f"Start, medians of {asked.repeats} alternating runs", table(head, rows))

    def draw(axes: Any) -> None:
        names = [row[0].strip("`") for row in rows]
        axes.barh(names, [row[4] for row in rows], height=0.5, label="ratio of CPU time")
        axes.plot([row[6] for row in rows], names, "k|", markersize=30, label="aim")
        axes.set(xlabel="times as long as the baseline")
        axes.invert_yaxis()

    keep(asked, {name: vars(times) for name, times in found.items()}, draw)


if __name__ == "__main__":
    main()
