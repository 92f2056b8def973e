"""Compare grading one answer with the start of `derive`; time answers warm, and a thousand of them in bulk.

    python -m benchmarks.grading [--repeats 11] [--picture benchmarks/grading] [--json FILE]

The answers are those of tests/claims/answers/answers.toml. *First*: in the order of the file, each question met for the
first time; *again*: the same answers once more in the same process (no grade is remembered, what mistakes give is).
"""

from __future__ import annotations

import csv
import json
import sys
import time
import tomllib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from subprocess import DEVNULL
from subprocess import run as call
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.report import alternating, keep, options, show, table
from benchmarks.start import command
from roofproof.claims import Question, grade
from roofproof.commands.bulk import questions_of

CORPUS = Path(__file__).resolve().parent.parent / "tests" / "claims" / "answers" / "answers.toml"
KEYS = ("id", "op", "chip", "for", "regime", "at", "asks", "tolerance")
ASKED = ("matmul", "--chip", "tpu-v5e", "--for", "B", "--regime", "D, F >> B", "--at", "D=4096,F=4096")
ANSWERS = {"a right answer": "B > 272.6", "a wrong one, its mistake named": "B > 128",
           "a wrong one, none fits": "B > 100"}  # fmt: skip
AIM = 1.3
DERIVE = "derive"


def answers() -> tuple[str, list[tuple[str, str]]]:
    """Return the questions of the corpus as TOML, and its answers as (question, answer).

    >>> book, given = answers()
    >>> len(questions_of(book, "book.toml")) == len({question for question, _ in given})
    True
    """
    entries = tomllib.loads(CORPUS.read_text(encoding="utf-8"))["question"]
    book = "".join(
        "[[question]]\n" + "".join(f"{key} = {json.dumps(e[key])}\n" for key in KEYS if e.get(key)) for e in entries
    )
    return book, [(e["id"], a["text"]) for e in entries for a in e["answers"]]


def cold(repeats: int) -> list[list[Any]]:
    """Return the start of `check` against that of `derive`, each run a process of its own."""
    derive = command(["derive", *ASKED])
    jobs: dict[str, Callable[[], object]] = {DERIVE: partial(call, derive, stdout=DEVNULL, check=True)}
    for name, answer in ANSWERS.items():
        words = command(["check", "--op", *ASKED, "--answer", answer])
        jobs[name] = partial(call, words, stdout=DEVNULL, check=False)
    for job in jobs.values():
        job()  # so that bytecode is written and files are in memory
    found = alternating(jobs, repeats)
    base = found[DERIVE]
    ours = {name: t for name, t in found.items() if name != DERIVE}
    return [
        [f"`check` of {name}", round(1000 * t.cpu), round(1000 * base.cpu), t.cpu / base.cpu, t.wall / base.wall, AIM]
        for name, t in ours.items()
    ]


def times(questions: dict[str, Question], given: Sequence[tuple[str, str]]) -> Iterator[float]:
    """Yield the seconds of processor time for each answer."""
    for question, answer in given:
        start = time.process_time()
        grade(questions[question], answer)
        yield time.process_time() - start


def bulk(book: str, given: Sequence[tuple[str, str]], count: int, jobs: int) -> float:
    """Return the seconds of wall time that `grade --answers` takes for so many answers, its start included."""
    with TemporaryDirectory() as home:
        Path(home, "book.toml").write_text(book, encoding="utf-8")
        with open(Path(home, "answers.csv"), "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([("question", "answer"), *islice(cycle(given), count)])
        words = ["check", "--answers", "answers.csv", "--exercises", "book.toml", "-o", "grades.csv"]
        start = time.perf_counter()
        call(command([*words, "--workers", str(jobs)]), cwd=home, check=True, stdout=DEVNULL)
        return time.perf_counter() - start


def main(argv: Sequence[str] | None = None) -> None:
    asked = options(__doc__, argv, 11)
    book, given = answers()
    if asked.quick:
        given = given[:20]
    starts = cold(1 if asked.quick else asked.repeats)
    head = ["command", "CPU ms", "`derive`, CPU ms", "ratio, CPU", "ratio, wall", "aim"]
    show(f"One answer cold, medians of {asked.repeats} alternating runs", table(head, starts))
    questions = questions_of(book, str(CORPUS))
    found = {name: [*times(questions, given)] for name in ("first", "again")}
    rows = [[name, len(each), 1000 * median(each), 1000 * max(each)] for name, each in found.items()]
    show("`grade`, processor time", table(["answers", "count", "median ms", "slowest ms"], rows))
    slowest = max(zip(found["first"], given, strict=True))
    print(f"slowest at first: {slowest[1]}\n")
    count = 30 if asked.quick else 1000
    whole = [[f"{count} answers, --workers {jobs}", bulk(book, given, count, jobs)] for jobs in (1, 2)]
    show("In bulk, start included", table(["command", "seconds, wall"], whole))

    def draw(axes: Any) -> None:
        for name, each in found.items():
            axes.plot(sorted(1000 * t for t in each), [100 * (i + 1) / len(each) for i in range(len(each))], label=name)
        axes.set(xscale="log", xlabel="ms of processor time", ylabel="% of the answers graded within")

    keep(asked, {"cold": starts, "warm": found, "bulk": whole}, draw)


if __name__ == "__main__":
    sys.exit(main())
