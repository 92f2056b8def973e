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
from roofproof.derive.atlas import parts
from roofproof.derive.on_chips import thresholds
from roofproof.derive.roofline.own_format import forms
from roofproof.hardware import chip_names
from roofproof.ops import entries

SECONDS = 5  # for one formula
SHARED = ("softmax", "layer-norm", "matmul", "batched-matmul", "attention-core", "gated-ffn", "spmv")


def whole(names: Sequence[str]) -> tuple[list[float], list[float], Counter[str], dict[str, str]]:
    """Return the seconds of thresholds on one chip and on all others, how they are proved, and what is left out."""
    chips = [chip(n) for n in chip_names()]
    first, further, trust, left = [], [], Counter[str](), {}
    sympy.core.cache.clear_cache()
    for name in names:
        for written in forms(chips, name).values():
            for x in written.dims:
                if f"{name} for {x}" in left:
                    continue  # another format will not change it
                try:
                    with limit_of(SECONDS):
                        start = cpu_seconds()
                        thresholds(written, x.name, chips[:1])
                        middle = cpu_seconds()
                        found = thresholds(written, x.name, chips)
                        rows = [each.trust_on(row) for each in found for row in each.rows if row.able]
                        first.append(middle - start)
                        further += [(cpu_seconds() - middle) / max(1, len(rows))] * len(rows)
                        trust.update(rows)
                except (RoofproofError, NoAnswer) as problem:
                    left[f"{name} for {x}"] = str(problem)
    return first, further, trust, left


def reuse(repeats: int) -> list[tuple[int, float, float]]:
    """Return, for more and more chips, the seconds a threshold of matmul takes from one proof, and solved anew."""
    chips = [c for c in map(chip, chip_names()) if c.has("bf16") and {"hbm", "dram"} & set(c.resources)]
    out = []
    for n in (1, 2, 4, 8, 16, 32, len(chips)):
        cost: dict[str, list[float]] = {"atlas": [], "anew": []}
        for _ in range(repeats):
            for way in cost:
                sympy.core.cache.clear_cache()
                start = cpu_seconds()
                if way == "atlas":
                    thresholds(op("matmul"), "B", chips[:n])
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
        ["on the first chip, solved and proved", len(first), 1000 * median(first), 1000 * max(first)],
        [
            "on all chips, one proof for them",
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
