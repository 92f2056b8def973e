"""Compare the time of a trace with symbolic sizes with the time of framework tools at one set of numbers.

    python -m benchmarks.tracing [--repeats 7] [--picture benchmarks/tracing] [--json FILE]

Everything runs in one process, in turn. For JAX: `jax.make_jaxpr`, lowering with XLA's count, and compiling with it.
For PyTorch: `torch.export` with dynamic sizes, and `FlopCounterMode` on `meta`. The benchmark reports each framework
that is not installed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from typing import Any

from benchmarks.report import alternating, keep, options, show, table
from roofproof import trace
from roofproof.symbols import dimension
from roofproof.trace.shapes import read

Jobs = dict[str, Callable[[], object]]
OURS = "trace"
SIZES = {"B": 8, "L": 256, "D": 512, "F": 1024, "h": 8, "k": 64, "N": 12}
GATED = "x:bf16[B,D], w_gate:bf16[D,F], w_up:bf16[D,F], w_down:bf16[F,D]"
HEADS = "x:bf16[B,L,D], wq:bf16[D,h,k], wk:bf16[D,h,k], wv:bf16[D,h,k], wo:bf16[h,k,D], "
NAMES = ("gated network", "its gradient", "transformer block", "N blocks in a scan")


def jax_functions() -> Iterator[tuple[str, Callable[..., Any], str]]:
    """Yield a name, a function and its shapes."""
    import jax
    import jax.numpy as jnp

    from examples.gated import gated

    def norm(x: Any) -> Any:
        return x * jax.lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6)

    def block(x: Any, wq: Any, wk: Any, wv: Any, wo: Any, *network: Any) -> Any:
        y = norm(x)
        q, k, v = (jnp.einsum("bld,dhk->blhk", y, w) for w in (wq, wk, wv))
        p = jax.nn.softmax(jnp.einsum("blhk,bshk->bhls", q, k), -1)
        x = x + jnp.einsum("blhk,hkd->bld", jnp.einsum("bhls,bshk->blhk", p, v), wo)
        return x + gated(norm(x), *network)

    def blocks(x: Any, *weights: Any) -> Any:
        return jax.lax.scan(lambda h, w: (block(h, *w), None), x, weights)[0]

    def loss(*given: Any) -> Any:
        return jnp.sum(gated(*given))

    shapes = HEADS + GATED.partition(", ")[2]
    many = shapes.replace("[", "[N,").replace("x:bf16[N,", "x:bf16[")
    functions = (gated, jax.grad(loss, argnums=(0, 1, 2, 3)), block, blocks)
    yield from zip(NAMES, functions, (GATED, GATED, shapes, many), strict=True)


def numbers(shapes: str) -> list[tuple[int, ...]]:
    at = {dimension(name): n for name, n in SIZES.items()}
    return [tuple(int(size.subs(at)) for size in one.shape) for one in read(shapes)[0] if one.format]


def jax_jobs(function: Callable[..., Any], shapes: str) -> Jobs:
    """Return the jobs to compare. Each run traces a new function, because JAX caches traces."""
    import jax

    given = [jax.ShapeDtypeStruct(shape, "bfloat16") for shape in numbers(shapes)]

    def fresh() -> Callable[..., Any]:
        return lambda *arrays: function(*arrays)

    return {
        OURS: lambda: trace.jax(function, shapes),
        "jax.make_jaxpr": lambda: jax.make_jaxpr(fresh())(*given),
        "lower().cost_analysis()": lambda: jax.jit(fresh()).lower(*given).cost_analysis(),
        "compile().cost_analysis()": lambda: jax.jit(fresh()).lower(*given).compile().cost_analysis(),
    }


def torch_jobs() -> Jobs:
    """Return the jobs to compare for a gated network in PyTorch with a symbolic number of rows."""
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    from examples.gated_module import Gated

    with torch.device("meta"):
        module = Gated(SIZES["D"], SIZES["F"]).bfloat16()
        x = torch.empty(SIZES["B"], SIZES["D"], dtype=torch.bfloat16)

    def counter() -> None:
        with torch.no_grad(), FlopCounterMode(display=False):
            module(x)

    return {
        OURS: lambda: trace.torch(module, f"x:bf16[B,{SIZES['D']}]"),
        "torch.export": lambda: torch.export.export(module, (x,), dynamic_shapes={"x": {0: torch.export.Dim("B")}}),
        "FlopCounterMode": counter,
    }


def main(argv: Sequence[str] | None = None) -> None:
    asked = options(__doc__, argv, 7)
    compared: dict[str, Jobs] = {}
    for name in ("jax", "torch"):
        if not find_spec(name):
            print(f"left out: {name} is not installed; cure: pip install 'roofproof[{name}]'")
    if find_spec("jax"):
        compared |= {f"JAX: {name}": jax_jobs(function, shapes) for name, function, shapes in jax_functions()}
    if find_spec("torch"):
        compared["PyTorch: gated network"] = torch_jobs()
    rows: list[list[Any]] = []
    results: dict[str, Any] = {}
    for name, jobs in compared.items():
        for job in jobs.values():
            job()  # load modules first
        found = alternating(jobs, 2 if asked.quick else asked.repeats)
        results[name] = {job: vars(times) for job, times in found.items()}
        mine = found[OURS].cpu
        rows += [
            [name, job, f"{1000 * mine:.0f}", f"{1000 * theirs.cpu:.0f}", mine / theirs.cpu]
            for job, theirs in found.items()
            if job != OURS
        ]
    head = ["function", "against", "CPU ms", "its CPU ms", "ratio, CPU"]
    show(f"A trace, medians of {asked.repeats} alternating runs", table(head, rows))

    def draw(axes: Any) -> None:
        names = [f"{row[0]}, {row[1]}" for row in rows]
        axes.barh(names, [row[4] for row in rows], height=0.5)
        axes.set(xlabel="times as long", xscale="log")
        axes.tick_params(axis="y", labelsize=6)
        axes.invert_yaxis()

    keep(asked, results, draw)


if __name__ == "__main__":
    main()
