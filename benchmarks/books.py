"""Judge every claim of the books that come along: searched for on all cores, and proved again from a store.

    python -m benchmarks.books [--repeats 5] [--picture benchmarks/books] [--json FILE]

Each command is a process of its own, start and imports included; the runs alternate. *In the process* is what is left
of one on one core when everything is imported: what the entries of the claims say proved again.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from importlib.resources import files
from pathlib import Path
from subprocess import DEVNULL
from subprocess import run as call
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.report import alternating, keep, options, show, table
from benchmarks.start import command

AIMS = {"cold": 4.0, "from the store": 1.5}
IMPORTS = 'python -c "import sympy, z3"'


def books(quick: bool = False) -> list[str]:
    """Return the paths of the books that come along; of the smallest alone to see that it works.

    >>> len(books()), [Path(path).name for path in books(quick=True)]
    (5, ['roofline-notes.toml'])
    """
    found = sorted(Path(str(files("roofproof.claims"))).joinpath("textbooks").glob("*.toml"), key=os.path.getsize)
    return [str(path) for path in (found[:1] if quick else found)]


def judging(paths: Sequence[str], store: str) -> tuple[int, float]:
    """Return how many claims there are, and the seconds of wall time in which they are proved again out of a store.

    >>> with TemporaryDirectory() as home:
    ...     judging(books(quick=True), home)[0]
    20
    """
    from roofproof.claims.verifying import verify

    claims = len(list(verify(paths, workers=1, store=store)))  # imports, and fills what is not there
    start = time.perf_counter()
    assert len(list(verify(paths, workers=1, store=store))) == claims
    return claims, time.perf_counter() - start


def main(argv: Sequence[str] | None = None) -> None:
    asked = options(__doc__, argv, 5)
    paths = books(asked.quick)
    with TemporaryDirectory() as home:
        os.environ["XDG_STATE_HOME"] = home  # where the key of the store is made
        stored = ["--store", f"{home}/store"]
        jobs: dict[str, Callable[[], object]] = {IMPORTS: partial(call, [sys.executable, "-c", "import sympy, z3"])}
        for name, more in (("cold", []), ("from the store", stored)):
            jobs[name] = partial(call, command(["verify", *paths, *more]), stdout=DEVNULL, stderr=DEVNULL)
        jobs["from the store"]()
        found = alternating(jobs, 1 if asked.quick else asked.repeats)
        claims, seconds = judging(paths, f"{home}/store")
    base = found[IMPORTS]
    rows: list[list[Any]] = [
        [f"`verify`, {name}", f"{found[name].wall:.2f}", f"{found[name].cpu:.2f}", found[name].wall / base.wall, aim]
        for name, aim in AIMS.items()
    ]
    rows.append(["in the process, from the store", f"{seconds:.2f}", "", seconds / base.wall, AIMS["from the store"]])
    head = [f"{claims} claims", "s, wall", "s, CPU", f"times as long as `{IMPORTS}`", "aim, s"]
    show(f"Books, medians of {asked.repeats} alternating runs", table(head, rows))

    def draw(axes: Any) -> None:
        axes.barh([row[0].replace("`", "") for row in rows], [float(row[1]) for row in rows], height=0.5)  # float: axis
        axes.set(xlabel="seconds")

    keep(asked, {name: vars(times) for name, times in found.items()} | {"in the process": seconds}, draw)


if __name__ == "__main__":
    main()
