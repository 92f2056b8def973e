"""Measure the rows of "Size and time" on the evidence page: starts, claims files, answers, thresholds, times, sweeps.

    python -m benchmarks.clock [--repeats 7] [--json FILE]

All times are processor time, the minimum of the runs. Compared commands run in turn.
"""

from __future__ import annotations

import json
import os
import sys
import time
import tomllib
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stdout, suppress
from functools import partial
from importlib.resources import files
from io import StringIO
from pathlib import Path
from statistics import median
from subprocess import DEVNULL
from subprocess import run as call

import numpy as np

from benchmarks.report import alternating, keep, options, show, table
from benchmarks.running import cpu_seconds
from benchmarks.scale import claims, floored, summed_kernel
from roofproof import RoofproofError, evaluate, op, threshold
from roofproof.claims import grade
from roofproof.cli import main as roofproof
from roofproof.commands.bulk import questions_of
from roofproof.ops import entries

CORPUS = Path(__file__).resolve().parent.parent / "tests" / "claims" / "answers" / "answers.toml"
KEYS = ("id", "op", "chip", "for", "regime", "at", "asks", "tolerance")
Row = tuple[str, str, str]  # measure, result, aim


def least(job: Callable[[], object], repeats: int) -> float:
    """Return the minimum processor time of a job and its child processes, in seconds."""
    spent = []
    for _ in range(repeats):
        start = cpu_seconds()
        job()
        spent.append(cpu_seconds() - start)
    return min(spent)


def ms(seconds: float) -> str:
    return f"{1000 * seconds:.3g} ms"


def command(words: Sequence[str]) -> list[str]:
    """Return the command line that starts `roofproof`: the installed script, or the package if there is none."""
    script = Path(sys.executable).with_name("roofproof")
    return [str(script), *words] if script.exists() else [sys.executable, "-m", "roofproof", *words]


def quietly(words: Sequence[str]) -> Callable[[], object]:
    return partial(call, words, stdout=DEVNULL, stderr=DEVNULL)


def starts(repeats: int, quick: bool) -> Iterator[Row]:
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # users run compiled files
    for words, base, aim in (("derive matmul --for B", "import sympy", "1.15"), ("--help", "pass", "2")):
        jobs = {"ours": quietly(command(words.split())), "base": quietly([sys.executable, "-c", base])}
        alternating(jobs, 1)  # compiles, and loads files into memory
        found = alternating(jobs, repeats)
        yield f'`roofproof {words}` / `python -c "{base}"`', f"{found['ours'].cpu / found['base'].cpu:.2f}", aim


def claims_files(repeats: int, quick: bool) -> Iterator[Row]:
    home = Path(str(files("roofproof.claims"))) / "textbooks"
    paths = sorted(map(str, home.glob("*.toml")), key=os.path.getsize)[: 1 if quick else None]
    spent = least(quietly(command(["verify", *paths, "--workers", "1"])), min(repeats, 3))
    yield f"`roofproof verify`, {len(paths)} claims files, cold", f"{spent:.1f} s", "3 s"


def answers(repeats: int, quick: bool) -> Iterator[Row]:
    asked = tomllib.loads(CORPUS.read_text("utf-8"))["question"]
    lines = (["[[question]]", *(f"{key} = {json.dumps(e[key])}" for key in KEYS if e.get(key))] for e in asked)
    questions = questions_of("\n".join(line for each in lines for line in each), CORPUS.name)
    spent: dict[bool, list[float]] = {True: [], False: []}
    for entry in asked[: 5 if quick else None]:
        for answer in entry["answers"]:
            question = questions[entry["id"]]
            grade(question, answer["text"])  # the first answer to a question reads its chip
            start = time.process_time()
            passed = grade(question, answer["text"]).passed
            spent[passed].append(time.process_time() - start)
    for right, name in ((True, "right"), (False, "wrong, its mistake searched")):
        each = spent[right]
        yield f"`grade`, an answer that is {name}: median, slowest", f"{ms(median(each))}, {ms(max(each))}", "3 ms"


def library(repeats: int, quick: bool) -> Iterator[Row]:
    spent = []
    for name in list(entries())[: 5 if quick else None]:
        for size in op(name).dims:
            start = time.process_time()
            with suppress(RoofproofError):  # no threshold in this size
                threshold(name, None, size.name)
                spent.append(time.process_time() - start)
    yield f"`threshold`, {len(spent)} of the library: median", ms(median(spent)), "10 ms"
    with redirect_stdout(StringIO()):
        roofproof(["derive", "dot", "--for", "N", "--as", "table", "--chip", "all"])  # reads every chip
        words = ["derive", "matmul", "--for", "B", "--as", "table", "--chip", "all"]
        spent_on_table = least(lambda: roofproof(words), 1)
    yield f"`{' '.join(words)}`, without the start", ms(spent_on_table), "500 ms"


def growth(repeats: int, quick: bool) -> Iterator[Row]:
    least(floored(10), 1)
    rows = 100 if quick else 1000
    yield "`time`, one row of measured times", ms(least(floored(rows), 1) / rows), "0.5 ms"
    for what, job, sizes in (
        ("one claim of a file of", claims, (50, 100) if quick else (500, 5000)),
        ("one term of the threshold of an operation with", summed_kernel, (10, 20) if quick else (100, 200)),
    ):
        least(job(5), 1)
        found = [least(job(n), 1) / n for n in sizes]
        yield f"{what} {sizes[0]}, {sizes[1]}", ", ".join(map(ms, found)), "equal"


def sweeps(repeats: int, quick: bool) -> Iterator[Row]:
    n = 10**6 if quick else 10**8
    sizes = {name: np.random.default_rng(k).integers(1, 10**5, n) for k, name in enumerate("BDF")}
    copied = least(sizes["B"].copy, 3)  # moves 16 bytes per point, a sweep 32
    spent = least(lambda: evaluate(op("matmul"), sizes), 2)
    yield f"`evaluate`, FLOPs of matmul at {n:,} points / the speed of memory", f"{spent / (2 * copied):.1f}", "3"


ROWS = (starts, claims_files, answers, library, growth, sweeps)


def main(argv: Sequence[str] | None = None) -> None:
    asked = options(__doc__, argv, 7)
    found = [row for measure in ROWS for row in measure(2 if asked.quick else asked.repeats, asked.quick)]
    show("Clock, processor time", table(["measure", "found", "aim"], found))
    keep(asked, found, lambda axes: None)


if __name__ == "__main__":
    main()
