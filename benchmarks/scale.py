"""Measure how cost grows with the number of claims, answers, times, symbols, operands, layers and compute units.

    python -m benchmarks.scale [--repeats 3] [--picture benchmarks/scale] [--json FILE]

Costs are processor time, with SymPy's caches cleared before each run. The exponent p of cost ~ size^p is fitted to the
upper half of the sizes: 1 is linear, 0 does not grow.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from itertools import pairwise
from statistics import median
from typing import Any

import sympy

from benchmarks.report import keep, options, show, slope, table
from benchmarks.running import cpu_seconds
from roofproof import chip, lower, op, threshold
from roofproof.claims.answers.grade import grade
from roofproof.claims.answers.question import Question
from roofproof.claims.language.book import book_from_text
from roofproof.claims.verifying import judged_claim
from roofproof.hardware import chip_from_text
from roofproof.ops import Operation, einsum, from_expressions, repeat, then
from roofproof.times.problems import Problem
from roofproof.times.records import minimum_time_records
from roofproof.times.tables import times_from_text
from roofproof.times.validation import validate

LETTERS = "abcdefghi"
ENGINES, LEVELS = ("bf16", "fp32-vector"), ("hbm", "l2", "smem")
WIDTHS = "DF"
HEAD = ["", "ms at first", "ms at last", "times the size", "times the cost", "exponent"]
Prepared = dict[str, tuple[str, tuple[int, ...], Callable[[int], Callable[[], object]]]]
Curves = dict[str, list[tuple[int, float]]]


def layers(n: int) -> list[Operation]:
    """Return n layers of a network, from width D to F and back, each with its own tensors."""
    return [
        einsum(f"x{i}:bf16[B,{WIDTHS[i % 2]}], w{i}:bf16[D,F] -> x{i + 1}:bf16[B,{WIDTHS[1 - i % 2]}]", f"layer {i}")
        for i in range(n)
    ]  # fmt: skip


def network(k: int) -> Operation:
    """Return fully connected layers between k widths as one kernel, with k parameters besides B and the ridge point."""
    widths = [f"D{i}" for i in range(k)]
    weights = [f"{a} {b}" for a, b in pairwise(widths)]
    flops = " + ".join(f"2 B {w}" for w in weights)
    moved = " + ".join([f"2 B {widths[0]}", *(f"2 {w}" for w in weights), f"2 B {widths[-1]}"])
    return from_expressions("network", {"bf16": flops}, {"hbm": moved})


def solved(operation: Operation, unknown: str) -> Callable[[], object]:
    return lambda: threshold(operation, None, unknown)


def summed_kernel(n: int) -> Callable[[], object]:
    """Return a job that solves the threshold of an operation whose FLOPs have n terms."""
    made = op(
        f"flops bf16 = {' + '.join(f'{2 * k + 2} B D F^{k % 3} H{k}' for k in range(n))}; bytes hbm = 2 B D + 2 D F"
    )
    return lambda: threshold(made, None, "B")


def judged(text: str) -> Callable[[], object]:
    def work() -> None:
        book = book_from_text(text)
        for k in range(len(book.claims)):
            judged_claim(book, k)

    return work


def claims(n: int) -> Callable[[], object]:
    says = (f"{i} a + {i + 1} b <= {i + 1} (a + b)" for i in range(n))
    return judged("".join(f"[[claim]]\nid = 'c{i}'\nsays = '{text}'\n" for i, text in enumerate(says)))


def squared(n: int) -> Callable[[], object]:
    names = [f"x{i}" for i in range(n)]
    return judged(f"[[claim]]\nid = 'a'\nsays = '({' + '.join(names)})^2 >= {' + '.join(f'{x}^2' for x in names)}'")


def summed(n: int) -> Callable[[], object]:
    names = [f"x{i}" for i in range(n)]
    return judged(f"[[claim]]\nid = 'a'\nsays = '{' + '.join(names)} >= {' + '.join(names[::2])}'")


def chained(k: int) -> Callable[[], object]:
    factors = ", ".join(f"bf16[{a},{b}]" for a, b in pairwise(LETTERS[: k + 1]))
    made = einsum(f"{factors} -> bf16[a,{LETTERS[k]}]")
    return lambda: threshold(made, chip("tpu-v5e"), "a")


def bound_by(n: int) -> Callable[[], object]:
    """Return a job for a threshold with n pairs of a compute unit and a memory level, for at most two units."""
    engines = ENGINES[:n]
    levels = LEVELS[: n // len(engines)]
    flops = (f"flops {name} = {2 ** (5 - 2 * k)} M N^{3 - k}" for k, name in enumerate(engines))
    moved = (f"bytes {name} = {6 + k} N^2 + {k + 1} M N" for k, name in enumerate(levels))
    on = chip_from_text("bf16=96 TFLOP/s, fp32-vector=3 TFLOP/s, hbm=1 TB/s, l2=2 TB/s, smem=8 TB/s")
    made = op("; ".join((*flops, *moved)))
    return lambda: threshold(made, on, "N")


def answers(n: int) -> Callable[[], object]:
    asked = Question(op("matmul"), chip("tpu-v5e"), "B", asks="threshold", at={"D": 4096, "F": 4096})
    return lambda: [grade(asked, f"B > {k}") for k in range(240, 240 + n)]


def times(n: int) -> str:
    return "m,n,k,seconds\n" + "".join(f"{64 + i % 997},{128 + i // 997},{i % 7 * 64 + 64},1\n" for i in range(n))


def floored(n: int) -> Callable[[], object]:
    product, read = op("fp16[m,k], fp16[k,n] -> fp16[m,n]"), times_from_text(times(n), "t.csv")
    return lambda: list(minimum_time_records([Problem("product", product)], chip("h100-sxm"), times=read))


def validated(n: int) -> Callable[[], object]:
    read = times_from_text(times(n), "t.csv")
    return lambda: validate(read, chip("h100-sxm"))


def prepared() -> Prepared:
    """Return, for each measurement, the name of its size, the sizes, and a function that makes the job for a size."""
    v5e, layer, many = chip("tpu-v5e"), op("transformer-layer"), (1, 100, 10_000, 100_000)
    return {
        "claims file, read and judged": ("claims", (100, 1000, 5000), claims),
        "sum of n symbols, a part of it": ("symbols", (20, 50, 100, 200), summed),
        "square of a sum of n symbols": ("symbols", (10, 20, 50, 100), squared),
        "operation of n terms, threshold": ("terms", (20, 50, 100, 200), summed_kernel),
        "einsum of k operands, threshold": ("operands", (2, 3, 5, 8), chained),
        "network of k widths, threshold": ("widths", (3, 4, 6, 8, 10, 12), lambda n: solved(network(n), "B")),
        "sequence of k layers, threshold": ("layers", (1, 10, 100, 1000), lambda k: solved(then(*layers(k)), "B")),
        "model of L layers, threshold": ("layers", many, lambda n: lambda: threshold(repeat(layer, n), v5e, "L")),
        "model of L layers, time": ("layers", many, lambda n: lambda: lower(repeat(layer, n), v5e)),
        "compute units by levels, threshold": ("pairs", (1, 2, 4, 6), bound_by),
        "wrong answers graded": ("answers", (30, 100, 300, 1000), answers),
        "times compared with minimum times": ("times", (100, 1000, 10_000), floored),
        "times compared with estimates": ("times", (1000, 3000, 10_000), validated),
    }


def measure(job: Callable[[], object], repeats: int) -> float:
    spent = []
    for _ in range(repeats):
        sympy.core.cache.clear_cache()
        start = cpu_seconds()
        job()
        spent.append(cpu_seconds() - start)
    return median(spent)


def grown(jobs: Prepared, asked: argparse.Namespace) -> tuple[list[list[Any]], Curves]:
    """Return a row for each job with its exponent, and the processor times over its sizes."""
    rows: list[list[Any]] = []
    curves: Curves = {}
    for name, (what, sizes, job) in jobs.items():
        taken = sizes[:3] if asked.quick else sizes
        job(taken[0])()  # imports do not count
        points = [(n, measure(job(n), 1 if asked.quick else asked.repeats)) for n in taken]
        curves[name] = points
        (low, first), (high, last) = points[0], points[-1]
        rows.append([
            f"{name}, {low:,} to {high:,} {what}", f"{1000 * first:.1f}", f"{1000 * last:.1f}",
            f"{high / low:,.0f}", last / first, slope(points[-(len(points) + 1) // 2 :]),
        ])  # fmt: skip
    return rows, curves


def draw(curves: Curves, axes: Any, sizes: str) -> None:
    for name, points in curves.items():
        axes.plot([n for n, _ in points], [1000 * t for _, t in points], "o-", markersize=3, label=name)
    axes.set(xscale="log", yscale="log", xlabel=sizes, ylabel="processor time (ms)")


def main(argv: Sequence[str] | None = None) -> None:
    asked = options(__doc__, argv, 3)
    rows, curves = grown(prepared(), asked)
    show(f"Scale, medians of {asked.repeats} runs", table(HEAD, rows))
    keep(asked, curves, lambda axes: draw(curves, axes, "claims, symbols, terms, layers, answers, times"))


if __name__ == "__main__":
    main()
