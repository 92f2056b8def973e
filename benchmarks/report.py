"""Helpers for the benchmarks: options, alternating measurements, tables, and files for results and plots."""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from benchmarks.running import cpu_seconds


@dataclass(frozen=True)
class Times:
    """Medians of repeated runs, in seconds."""

    wall: float
    cpu: float


def options(doc: str, argv: Sequence[str] | None, repeats: int) -> argparse.Namespace:
    """Parse the options that every benchmark has."""
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=repeats, help="runs of each, one after the other in turn")
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it works")
    parser.add_argument("--picture", help="path without ending; needs matplotlib")
    parser.add_argument("--json", help="file for the results")
    return parser.parse_args(argv)


def alternating(jobs: Mapping[str, Callable[[], object]], repeats: int) -> dict[str, Times]:
    """Run all jobs in turn, `repeats` times, so that other load on the machine affects all alike.

    >>> found = alternating({"nothing": lambda: None, "more": lambda: sum(range(100_000))}, 3)
    >>> found["nothing"].cpu <= found["more"].cpu
    True
    """
    walls: dict[str, list[float]] = {name: [] for name in jobs}
    cpus: dict[str, list[float]] = {name: [] for name in jobs}
    for _ in range(repeats):
        for name, job in jobs.items():
            wall, cpu = time.perf_counter(), cpu_seconds()
            job()
            cpus[name].append(cpu_seconds() - cpu)
            walls[name].append(time.perf_counter() - wall)
    return {name: Times(median(walls[name]), median(cpus[name])) for name in jobs}


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return rows as a Markdown table with a left-aligned first column.

    >>> print(table(["what", "ratio"], [["derive", 1.5]]))
    | what | ratio |
    |---|---:|
    | derive | 1.50 |
    """
    shown = [[f"{cell:.2f}" if isinstance(cell, float) else str(cell) for cell in row] for row in rows]
    lines = [head, ["---", *("---:" for _ in head[1:])], *shown]
    return "\n".join(f"| {' | '.join(row)} |" if i != 1 else f"|{'|'.join(row)}|" for i, row in enumerate(lines))


def slope(points: Sequence[tuple[float, float]]) -> float:
    """Return the exponent p of the best fit y ~ x^p, by least squares of the logarithms.

    >>> round(slope([(1, 3), (10, 300), (100, 30_000)]), 6)
    2.0
    """
    from math import log

    logs = [(log(x), log(y)) for x, y in points]
    x_mean, y_mean = (sum(c) / len(logs) for c in zip(*logs, strict=True))
    return sum((x - x_mean) * (y - y_mean) for x, y in logs) / sum((x - x_mean) ** 2 for x, _ in logs)


def show(title: str, text: str) -> None:
    """Print a table with a description of the machine."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    machine = f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores, load {load:.1f}"
    print(f"{title}\n{machine}\n\n{text}\n")


def keep(asked: argparse.Namespace, results: Any, draw: Callable[[Any], None]) -> None:
    """Write the requested results and plot. `draw` fills matplotlib axes."""
    if asked.json:
        with open(asked.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
    if asked.picture:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot

        figure, axes = pyplot.subplots(figsize=(7.5, 4.5))
        draw(axes)
        axes.grid(alpha=0.3)
        if lines := len(axes.get_legend_handles_labels()[0]):
            beside: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1, 1)} if lines > 6 else {}
            axes.legend(frameon=False, fontsize=8, **beside)
        figure.tight_layout()
        for kind in ("svg", "png"):
            figure.savefig(f"{asked.picture}.{kind}", dpi=150)
        pyplot.close(figure)
