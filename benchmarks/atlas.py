"""Measure the atlas: solved and proved once with a symbolic ridge point, against solving anew for every chip.

    python -m benchmarks.atlas [--repeats 3] [--picture benchmarks/atlas] [--json FILE]

Every operation of the library, for each dimension, in every number format, on every chip that has the figures.
Processor time. The first threshold of a formula is solved and proved; for one more chip the kernel puts its ridge
point in.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Sequence
from statistics import median
from typing import Any

import sympy

from benchmarks.report import keep, options, show, table
from benchmarks.running import NoAnswer, cpu_seconds, limit_of
from roofproof import RoofproofError, chip, op, threshold
from roofproof.atlas import atlas
from roofproof.atlas import rows as atlas_rows
from roofproof.atlas.rows import library
from roofproof.atlas.tables import parts
from roofproof.hardware import chip_names
from roofproof.ops import entries

SECONDS = 5  # for one formula
SHARED = ("softmax", "layer-norm", "matmul", "batched-matmul", "attention-core", "gated-ffn", "spmv")


def whole(names: Sequence[str]) -> tuple[list[float], list[float], Counter[str], dict[str, str]]:
    """Return the seconds of first and of further thresholds, how they are proved, and what is left out."""
    chips = [chip(n) for n in chip_names()]
    first, further, trust, left = [], [], Counter[str](), {}
    atlas_rows._solved.cache_clear()
    sympy.core.cache.clear_cache()
    for name in names:
        for written in library(chips, [name]):
            for x in written.dims:
                if f"{name} for {x}" in left:
                    continue  # another format will not change it
                before = atlas_rows._solved.cache_info().misses
                start = cpu_seconds()
                try:
                    with limit_of(SECONDS):
                        for row in atlas([written], chips, [x.name]):
                            taken = cpu_seconds() - start
                            solved = atlas_rows._solved.cache_info().misses
                            (first if solved > before else further).append(taken)
                            trust[row.derivation.trust] += 1
                            before, start = solved, cpu_seconds()
                except (RoofproofError, NoAnswer) as problem:
                    left[f"{name} for {x}"] = str(problem)
    return first, further, trust, left


def reuse(repeats: int) -> list[tuple[int, float, float]]:
    """Return, for more and more chips, the seconds a threshold of matmul takes from the atlas, and solved anew."""
    chips = [c for c in map(chip, chip_names()) if c.has("bf16") and {"hbm", "dram"} & set(c.resources)]
    out = []
    for n in (1, 2, 4, 8, 16, 32, len(chips)):
        cost: dict[str, list[float]] = {"atlas": [], "anew": []}
        for _ in range(repeats):
            for way in cost:
                atlas_rows._solved.cache_clear()
                sympy.core.cache.clear_cache()
                start = cpu_seconds()
                if way == "atlas":
                    list(atlas([op("matmul")], chips[:n], ["B"]))
                else:
                    for one in chips[:n]:
                        threshold(op("matmul"), one, "B")
                cost[way].append((cpu_seconds() - start) / n)
        out.append((n, median(cost["atlas"]), median(cost["anew"])))
    return out


def side_by_side(names: Sequence[str]) -> dict[str, float]:
    """Return the seconds by the clock that one process and two take for a part of the atlas, their start included."""
    found = {}
    for workers in (1, 2):
        atlas_rows._solved.cache_clear()
        start = time.perf_counter()
        total = sum(len(p.lines) for p in parts(names, list(chip_names()), workers=workers))
        found[f"{workers} of {total}"] = time.perf_counter() - start
    return found


def main(argv: Sequence[str] | None = None) -> None:
    asked = options(__doc__, argv, 3)
    quick = ["matmul", "softmax", "fft"]
    names = quick if asked.quick else list(entries())
    first, further, trust, left = whole(names)
    every = sorted(further)
    rows = [
        ["first of a formula, solved and proved", len(first), 1000 * median(first), 1000 * max(first)],
        [
            "further, instantiated by the kernel",
            len(further),
            1000 * median(further),
            1000 * every[-1 - len(every) // 100],
        ],
        ["all", len(first) + len(further), 1000 * (sum(first) + sum(further)) / (len(first) + len(further)), ""],
    ]
    head = ["thresholds", "count", "median ms (all: mean)", "slowest ms (further: 99 of 100)"]
    shown = ", ".join(f"{n} by {'the kernel' if t == 'kernel' else t}" for t, n in trust.items())
    reasons = Counter(re.sub("operation '.*?' ", "", text).partition(";")[0] for text in left.values())
    show(f"Atlas: {len(names)} operations, {len(list(chip_names()))} chips; proved: {shown}", table(head, rows))
    print("left out:")
    for reason, count in reasons.most_common():
        told = "" if "no FLOPs" in reason else f": {', '.join(k for k, v in left.items() if reason in v)}"
        print(f"  {count} x {reason}{told}")
    curve = reuse(1 if asked.quick else asked.repeats)
    lines = [[n, 1000 * a, 1000 * b, b / a] for n, a, b in curve]
    show("\nReuse: matmul for B on more and more chips", table(
        ["chips", "ms a threshold, atlas", "ms, solved anew", "ratio"], lines))  # fmt: skip
    clock = side_by_side(quick if asked.quick else SHARED)
    one, _ = clock.values()
    show("Processes, wall time, their start included", table(["processes of thresholds", "s", "ratio"], [
        [k, t, one / t] for k, t in clock.items()]))  # fmt: skip

    def draw(axes: Any) -> None:
        axes.plot([n for n, _, _ in curve], [1000 * b for _, _, b in curve], "o-", label="solved anew for each chip")
        axes.plot([n for n, _, _ in curve], [1000 * a for _, a, _ in curve], "o-", label="solved once, instantiated")
        axes.axhline(1, color="black", linewidth=0.8, linestyle=":")
        axes.set(xscale="log", yscale="log", xlabel="chips", ylabel="processor time a threshold (ms)")

    results = {
        "first": first, "further": further, "trust": trust, "left": left, "reuse": curve, "processes": clock,
    }  # fmt: skip
    keep(asked, results, draw)


if __name__ == "__main__":
    main()
