"""Measure how cost grows with depth: layers, operations in sequence, parameters of a threshold.

    python -m benchmarks.depth [--repeats 5] [--picture benchmarks/depth] [--json FILE]

Processor time, SymPy's memory of earlier results cleared before each run. The exponent p of cost ~ size^p is fitted
to the upper half of the sizes: 1 is linear, 0 does not grow at all.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import reduce
from itertools import pairwise
from statistics import median
from typing import Any

import sympy

from benchmarks.report import keep, options, show, slope, table
from benchmarks.running import cpu_seconds
from roofproof import chip, lower, op, threshold
from roofproof.ops import Operation, einsum, from_expressions, repeat, then

WIDTHS = "DF"


def layers(n: int) -> list[Operation]:
    """Return n layers of a network, from width D to F and back; every tensor is one of its own."""
    return [
        einsum(f"x{i}:bf16[B,{WIDTHS[i % 2]}], w{i}:bf16[D,F] -> x{i + 1}:bf16[B,{WIDTHS[1 - i % 2]}]", f"layer {i}")
        for i in range(n)
    ]  # fmt: skip


def network(k: int) -> Operation:
    """Return fully connected layers between k widths as one kernel: k parameters beside B and the ridge point."""
    widths = [f"D{i}" for i in range(k)]
    weights = [f"{a} {b}" for a, b in pairwise(widths)]
    flops = " + ".join(f"2 B {w}" for w in weights)
    moved = " + ".join([f"2 B {widths[0]}", *(f"2 {w}" for w in weights), f"2 B {widths[-1]}"])
    return from_expressions("network", {"bf16": flops}, {"hbm": moved})


def solved(operation: Operation, unknown: str) -> Callable[[], object]:
    return lambda: threshold(operation, None, unknown)


def prepared() -> Prepared:
    """Return what is measured: what the size counts, the sizes, and what gives the job for a size."""
    v5e, layer = chip("tpu-v5e"), op("transformer-layer")
    made = layers(1000)
    tokens = (1, 10, 100, 1_000, 10_000, 100_000)
    return {
        "model of L layers, threshold": ("layers", tokens, lambda n: lambda: threshold(repeat(layer, n), v5e, "L")),
        "model of L layers, times": ("layers", tokens, lambda n: lambda: lower(repeat(layer, n), v5e)),
        "sequence written": ("operations", (10, 30, 100, 300, 1000), lambda n: lambda: layers(n)),
        "sequence put together": ("operations", (10, 30, 100, 300, 1000), lambda n: lambda: then(*made[:n])),
        "sequence, threshold": ("operations", (10, 30, 100, 300, 1000), lambda n: solved(then(*made[:n]), "B")),
        "sequence, one by one": ("operations", (10, 30, 100, 300, 1000), lambda n: lambda: reduce(then, made[:n])),
        "threshold of k parameters": ("parameters", (3, 4, 6, 8, 10, 12), lambda n: solved(network(n), "B")),
    }


def measure(job: Callable[[], object], repeats: int) -> float:
    spent = []
    for _ in range(repeats):
        sympy.core.cache.clear_cache()
        start = cpu_seconds()
        job()
        spent.append(cpu_seconds() - start)
    return median(spent)


HEAD = ["", "ms at first", "ms at last", "times the size", "times the cost", "exponent"]
Prepared = dict[str, tuple[str, tuple[int, ...], Callable[[int], Callable[[], object]]]]
Curves = dict[str, list[tuple[int, float]]]


def grown(jobs: Prepared, asked: argparse.Namespace) -> tuple[list[list[Any]], Curves]:
    """Return a row for each job with its exponent, and its processor time over its sizes."""
    rows: list[list[Any]] = []
    curves: Curves = {}
    for name, (what, sizes, job) in jobs.items():
        taken = sizes[:3] if asked.quick else sizes
        job(taken[0])()  # what is imported for it is no part of its cost
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
    asked = options(__doc__, argv, 5)
    rows, curves = grown(prepared(), asked)
    one, symbol = (measure(solved(repeat(op("transformer-layer"), n), "L"), asked.repeats) for n in (1, "N"))
    name = "model of N layers, N a symbol, against one layer, threshold"
    rows.append([name, f"{1000 * one:.1f}", f"{1000 * symbol:.1f}", "any", symbol / one, ""])
    show(f"Depth, medians of {asked.repeats} runs", table(HEAD, rows))
    keep(asked, curves, lambda axes: draw(curves, axes, "layers, operations, parameters"))


if __name__ == "__main__":
    main()
