"""Compare judging the five books with an earlier version of this repository, each with the books as they were then.

    python -m benchmarks.earlier --against FOLDER [--repeats 5] [--picture benchmarks/earlier] [--json FILE]

FOLDER is a checkout of the earlier version; without one, this version is compared with itself. All claims of the five
books are judged, as the command does it (a process a core) and by one process; the versions take turns, and what counts
is the ratio of the medians.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.report import alternating, keep, options, show, table

HERE = Path(__file__).resolve().parent.parent
AGAINST = argparse.ArgumentParser(add_help=False)
AGAINST.add_argument("--against", type=Path, default=HERE)


def books(folder: Path) -> list[str]:
    """Return the books of a version, wherever it keeps them."""
    return sorted(str(p.relative_to(folder)) for p in folder.glob("roofproof/*/textbooks/*.toml"))


def verify(folder: Path, chosen: Sequence[str], how: Sequence[str] = ()) -> None:
    words = [sys.executable, "-m", "roofproof", "verify", *how, "--json", *chosen]
    done = subprocess.run(words, cwd=folder, stdout=subprocess.DEVNULL, check=False)
    if done.returncode > 1:  # 1: not all are as expected, which is no matter here
        raise SystemExit(f"{folder}: the books cannot be judged")


def main(argv: Sequence[str] | None = None) -> None:
    mine, rest = AGAINST.parse_known_args(argv)
    asked = options(__doc__, rest, 5)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # what users start is compiled once, not each time
    few = -1 if asked.quick else 0
    jobs = {
        name + told: partial(verify, folder, books(folder)[few:], how)
        for told, how in (("", ()), (", one process", ("--workers", "1")))
        for name, folder in (("earlier", mine.against.resolve()), ("now", HERE))
    }
    for job in jobs.values():
        job()  # so that bytecode is written and files are in memory
    found = alternating(jobs, 1 if asked.quick else asked.repeats)
    rows: list[list[Any]] = [[name, times.cpu, times.wall] for name, times in found.items()]
    for told in ("", ", one process"):
        now, before = found["now" + told], found["earlier" + told]
        rows.append(["ratio" + told, now.cpu / before.cpu, now.wall / before.wall])
    show("The five books", table(["version", "CPU s", "wall s"], rows))

    def draw(axes: Any) -> None:
        axes.barh(list(found), [times.cpu for times in found.values()], height=0.5)
        axes.set(xlabel="seconds of processor time")

    keep(asked, {name: vars(times) for name, times in found.items()}, draw)


if __name__ == "__main__":
    main()
