"""Compare sweeps with hand-written NumPy formulas, with numexpr, with SymPy's lambdify, and with substitution.

    python -m benchmarks.sweeps [--repeats 7] [--picture benchmarks/sweeps] [--json FILE]

Each sweep has ten million points of random integer sizes. Unlike the hand-written formulas, `evaluate` checks that
sizes are positive and that nothing overflows. Memory is NumPy's peak, beyond the sizes and the result.
"""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import sympy

from benchmarks.report import alternating, keep, options, show, table
from roofproof import chip, evaluate, op
from roofproof.derive import lower, sweep
from roofproof.derive.inequalities.cases import substitute
from roofproof.export.sweep_files import write_sweep

CHIP = "tpu-v5e"
PEAK, BANDWIDTH = (float(chip(CHIP).rate(name).value) for name in ("bf16", "hbm"))
Numbers = Any


def flops(B: Numbers, D: Numbers, F: Numbers) -> Numbers:
    return 2.0 * B * D * F


def checked_flops(B: Numbers, D: Numbers, F: Numbers) -> Numbers:
    """Return the FLOPs with the checks that `evaluate` does: positive sizes, finite results."""
    if not min(B.min(), D.min(), F.min()) > 0:
        raise ValueError("sizes")
    found = 2.0 * B * D * F
    if not np.isfinite(found).all():
        raise ValueError("results")
    return found


def attainable(B: Numbers, D: Numbers, F: Numbers) -> Numbers:
    return np.minimum(PEAK, 2.0 * B * D * F / (2.0 * B * D + 2.0 * D * F + 2.0 * B * F) * BANDWIDTH)


def attainable_numexpr(B: Numbers, D: Numbers, F: Numbers) -> Numbers:
    import numexpr

    text = "minimum(p, 2.0*B*D*F/(2.0*B*D + 2.0*D*F + 2.0*B*F)*w)"
    return numexpr.evaluate(text, {"B": B, "D": D, "F": F, "p": PEAK, "w": BANDWIDTH}, {})


def attention_lower(h: Numbers, L: Numbers, k: Numbers) -> Numbers:
    """Return the minimum time of scores, softmax and weighted values as separate kernels, with 2 bytes per number."""
    return np.maximum(4.0 * h * L**2 * k / PEAK, 2.0 * (4.0 * h * L * k + 4.0 * h * L**2) / BANDWIDTH)


def transformer_lower(L: Numbers, d: Numbers, h: Numbers) -> Numbers:
    return np.maximum(_FLOPS(L, d, h) / PEAK, _BYTES(L, d, h) / BANDWIDTH)


def _plain(expr: sympy.Expr) -> Callable[..., Numbers]:
    """Return a NumPy function of an expression. The formula of a layer is too long to write by hand."""
    return sympy.lambdify(
        sympy.symbols("L d h"), expr.subs({s: sympy.Symbol(s.name) for s in expr.free_symbols}), "numpy"
    )


_LAYER = op("transformer-layer")
_FLOPS, _BYTES = _plain(_LAYER.flops), _plain(_LAYER.bytes())

# name: operation, quantity, the formula by hand
FORMULAS: dict[str, tuple[str, str, Callable[..., Numbers]]] = {
    "matmul, FLOPs": ("matmul", "flops", flops),
    "matmul, FLOPs, checked by hand too": ("matmul", "flops", checked_flops),
    "matmul, attainable FLOP/s": ("matmul", "attainable", attainable),
    "attention core, time": ("attention-core", "lower", attention_lower),
    "transformer layer, time": ("transformer-layer", "lower", transformer_lower),
}


def peak_memory(job: Callable[[], Numbers]) -> int:
    tracemalloc.start()
    try:
        result = job()
        return tracemalloc.get_traced_memory()[1] - result.nbytes
    finally:
        tracemalloc.stop()


def by_substitution(name: str, quantity: str, sizes: dict[str, Numbers], points: int) -> float:
    """Return the seconds per point of substituting sizes into the exact formula."""
    operation = op(name)
    expr = {
        "flops": operation.flops, "attainable": operation.flops / lower(operation, chip(CHIP)),
        "lower": lower(operation, chip(CHIP)),
    }[quantity]  # fmt: skip
    start = time.process_time()
    for i in range(points):
        float(substitute(expr, {n: int(a[i]) for n, a in sizes.items()}))
    return (time.process_time() - start) / points


def main(argv: Sequence[str] | None = None) -> None:
    asked = options(__doc__, argv, 7)
    n = 10**6 if asked.quick else 10**7
    rows, results = [], {}
    random = np.random.default_rng(0)
    for title, (name, quantity, hand) in FORMULAS.items():
        operation = op(name)
        sizes = {s.name: random.integers(1, 10**5, n) for s in operation.dims}
        floats = {s: a.astype(float) for s, a in sizes.items()}
        on = None if quantity == "flops" else chip(CHIP)
        jobs: dict[str, Callable[[], Numbers]] = {
            "hand": partial(hand, **sizes),
            "evaluate": partial(evaluate, operation, sizes, quantity, on),
            "processor": partial(evaluate, operation, sizes, quantity, on),
            "hand, floats": partial(hand, **floats),
            "evaluate, floats": partial(evaluate, operation, floats, quantity, on),
            "processor, floats": partial(evaluate, operation, floats, quantity, on),
        }
        if title == "matmul, attainable FLOP/s":
            try:
                attainable_numexpr(**{s: a[:10] for s, a in floats.items()})
                jobs["numexpr, floats"] = partial(attainable_numexpr, **floats)
            except ImportError:
                pass
        assert np.allclose(jobs["hand"](), jobs["evaluate"](), rtol=1e-12)
        found = alternating(jobs, asked.repeats)
        point = by_substitution(name, quantity, sizes, 100)
        memory = {job: peak_memory(jobs[job]) for job in ("hand", "evaluate")}
        results[title] = {
            "points": n, "times": {job: vars(t) for job, t in found.items()}, "substitution_s": point, "memory": memory,
        }  # fmt: skip
        ours, ours_floats = found["evaluate"], found["evaluate, floats"]
        alone, alone_floats = found["processor"], found["processor, floats"]
        rows.append([
            title, found["hand"].wall / ours.wall, found["hand, floats"].wall / ours_floats.wall,
            found["hand"].cpu / alone.cpu, found["hand, floats"].cpu / alone_floats.cpu,
            f"{point * n / alone.cpu:,.0f}", f"{memory['hand'] / 2**20:.1f}", f"{memory['evaluate'] / 2**20:.1f}",
            f"{1e9 * alone.cpu / n:.1f}",
        ])  # fmt: skip
        if "numexpr, floats" in found:
            numexpr = found["numexpr, floats"]
            rows.append([
                "  numexpr instead of `evaluate`", "", found["hand, floats"].wall / numexpr.wall,
                "", found["hand, floats"].cpu / numexpr.cpu, "", "", "", f"{1e9 * numexpr.cpu / n:.1f}",
            ])  # fmt: skip
    head = [
        "times as fast as by hand", "wall, integers", "wall, floats", "processor, integers",
        "processor, floats", "as substitution", "MiB by hand", "MiB", "ns a point",
    ]  # fmt: skip
    show(f"Sweeps of {n:,} points, medians of {asked.repeats} alternating runs", table(head, rows))
    results["workers"] = workers(asked.quick)

    def draw(axes: Any) -> None:
        titles = list(FORMULAS)
        for i, way in enumerate(("", ", floats")):
            ratios = [
                results[t]["times"][f"hand{way}"]["wall"] / results[t]["times"][f"evaluate{way}"]["wall"]
                for t in titles
            ]
            places = [k + 0.3 * i for k in range(len(titles))]
            axes.barh(places, ratios, height=0.28, label=f"evaluate{way or ', integers'}")
        axes.axvline(1, color="black", linewidth=0.8)
        axes.set_yticks([k + 0.15 for k in range(len(titles))], titles)
        axes.set(xlabel="times as fast as the formula written by hand (wall time)")
        axes.invert_yaxis()

    keep(asked, results, draw)


def workers(quick: bool) -> dict[str, float]:
    """Compare one process with Dask workers on a table written as CSV, which takes longer than the computation."""
    try:
        import distributed  # noqa: F401
    except ImportError:
        print("workers: Dask is not installed\n")
        return {}
    grid = sweep(
        op("matmul"), {"B": range(1, 2001), "D": range(1, 101 if quick else 2501)}, [chip(CHIP)], at={"F": 4096}
    )
    found = {}
    with TemporaryDirectory() as home:
        for name, number in (("one process", None), ("1 worker", 1), ("2 workers", 2)):
            start = time.perf_counter()
            write_sweep(f"{home}/{name}.csv", grid, number)
            found[name] = time.perf_counter() - start
        assert len({Path(f"{home}/{name}.csv").stat().st_size for name in found}) == 1
    rows = [[name, found["one process"] / t] for name, t in found.items()]
    show(f"Table of {len(grid):,} points written as CSV", table(["", "times as fast, start included"], rows))
    return found


if __name__ == "__main__":
    main()
