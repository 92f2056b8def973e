"""Measured rates of this machine: a matrix product and a copy, by numpy on the CPU or by PyTorch on a GPU.

Each kernel runs until the best five rounds agree within 3 %, for at most forty rounds. The result is the best rate. The
interval around it starts 3 % below the slowest of these five, or below the median of all rounds if they did not settle.
"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from fractions import Fraction
from json import dumps
from pathlib import Path
from statistics import median
from typing import Any, Final

import numpy as np

from roofproof.errors import MissingExtra, RoofproofError

ROUNDS: Final = 5  # best rounds that have to agree
LONGEST: Final = 40  # most rounds of one kernel, on a busy machine
AGREE: Final = 0.03  # tolerance, relative to the best
SECONDS: Final = 0.02  # minimum duration of a round
FORMATS: Final = {
    "bf16": "bfloat16", "fp16": "float16", "tf32": "float32", "fp32": "float32", "fp64": "float64",
    "fp8": "float8_e4m3fn", "int8": "int8",
}  # fmt: skip
"""Number formats and their PyTorch names."""

Kernel = Callable[[], object]
Clock = Callable[[Kernel, int], float]  # seconds for a number of runs


@dataclass(frozen=True, slots=True)
class MeasuredRate:
    """The best rate of a kernel, in FLOP/s or B/s. Another measurement may lie between `low` and `high`."""

    kernel: str
    unit: str
    rate: float
    low: float
    runs: int
    steady: bool

    @property
    def high(self) -> float:
        """The upper end of the interval, as far above the best as `low` is below it."""
        return 2 * self.rate - self.low


@dataclass(frozen=True, slots=True)
class Machine:
    """The measured rates of a machine, with notes and capacities (bytes)."""

    title: str
    rates: dict[str, MeasuredRate]
    notes: tuple[str, ...] = ()
    capacities: dict[str, int] = field(default_factory=dict)

    def to_dict(self) -> dict[str, object]:
        """Return the machine as `calibrate --this-machine --json` prints it."""
        figures = [
            {"figure": name, "unit": one.unit, "kernel": one.kernel, "best": one.rate, "low": one.low,
             "high": one.high, "runs": one.runs, "steady": one.steady}
            for name, one in self.rates.items()
        ]  # fmt: skip
        return {"machine": self.title, "figures": figures, "notes": list(self.notes)}


def measure(device: str = "cpu", quick: bool = False, told: Callable[[str], object] = lambda _: None) -> Machine:
    """Measure a matrix product in each number format and a copy through main memory. `told` gets progress messages.

    Raises RoofproofError if PyTorch is not installed or finds no GPU (`device="cuda"` only).
    """
    return _gpu(quick, told) if device == "cuda" else _processors(quick, told)


def best_rate(name: str, unit: str, work: int, kernel: Kernel, clock: Clock, quick: bool = False) -> MeasuredRate:
    """Run a kernel until its best rounds agree, and return its rate. `work` is the FLOPs or bytes of one run.

    >>> found = best_rate("copy", "B/s", 8, lambda: None, lambda kernel, times: 2.0 * times)
    >>> found.rate, found.low, found.runs, found.steady
    (4.0, 3.88, 5, True)
    """
    kernel()  # warm-up: touches its arrays
    times = 1
    while clock(kernel, times) < SECONDS / (10 if quick else 1) and times < 2**30:
        times *= 2
    rounds, most = (2, 2) if quick else (ROUNDS, LONGEST)
    rates: list[float] = []
    steady = False
    while len(rates) < rounds or (not steady and len(rates) < most):
        rates.append(times * work / clock(kernel, times))
        top = sorted(rates)[-rounds:]
        steady = len(top) == rounds and top[0] > (1 - AGREE) * top[-1]
    least = top[0] if steady else min(top[0], median(rates))
    return MeasuredRate(name, unit, max(rates), (1 - AGREE) * least, len(rates), steady)


def by_the_host(kernel: Kernel, times: int) -> float:
    """Return the seconds for a number of consecutive runs."""
    start = time.perf_counter()
    for _ in range(times):
        kernel()
    return time.perf_counter() - start


def _processors(quick: bool, told: Callable[[str], object]) -> Machine:
    """Measure with numpy, whose BLAS uses the CPU cores as configured."""
    size, elements = (256, 2**18) if quick else (2048, 2**26)
    rates = {}
    for name, kind in (("fp64", np.float64), ("fp32", np.float32)):
        told(f"product of {name}")
        a, b, out = np.full((size, size), 0.5, kind), np.full((size, size), 0.5, kind), np.empty((size, size), kind)
        product = _bound(np.matmul, a, b, out=out)
        rates[name] = best_rate(
            f"product of {size} rows by {_blas()}", "FLOP/s", 2 * size**3, product, by_the_host, quick
        )
    told("copy")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    sources, targets = ([np.full(elements // cores, value) for _ in range(cores)] for value in (1.0, 0.0))
    with ThreadPoolExecutor(cores) as pool:
        moved = 16 * cores * (elements // cores)
        copy = _bound(lambda: list(pool.map(np.copyto, targets, sources)))
        rates["dram"] = best_rate(f"copy by numpy on {cores} threads", "B/s", moved, copy, by_the_host, quick)
    return Machine(_title(), rates, tuple(_unsettled(rates)))


def _gpu(quick: bool, told: Callable[[str], object]) -> Machine:
    """Measure with PyTorch, timed by device events. A format that it cannot multiply is noted with the reason."""
    try:
        import torch
    except ImportError:
        raise MissingExtra("PyTorch", "torch") from None
    if not torch.cuda.is_available():
        raise RoofproofError("--device cuda: PyTorch sees no GPU; expected one with its driver")
    seen = torch.cuda.get_device_properties(0)
    notes = [f"PyTorch {torch.__version__}, timed by events on the device"]
    rates: dict[str, MeasuredRate] = {}
    for name in FORMATS:
        told(f"product of {name}")
        size = 1024 if quick else 8192
        try:
            product = torch_product(torch, name, size)
            product()
        except (RuntimeError, ValueError, NotImplementedError, TypeError, AttributeError, AssertionError) as problem:
            notes.append(f"{name}: not measured: {' '.join(str(problem).split())[:120]}")
            continue
        kernel = f"product of {size} rows by torch"
        rates[name] = best_rate(kernel, "FLOP/s", 2 * size**3, product, by_events, quick)
    told("copy")
    elements = min(2**20 if quick else 2**29, int(seen.total_memory) // 64)
    source, target = (torch.ones(elements, device="cuda") for _ in range(2))
    rates["hbm"] = best_rate("copy by torch", "B/s", 8 * elements, _bound(target.copy_, source), by_events, quick)
    cache = int(getattr(seen, "L2_cache_size", 0))
    capacities = {"hbm": int(seen.total_memory), **({"l2": cache} if cache else {})}
    return Machine(str(seen.name), rates, (*notes, *_unsettled(rates)), capacities)


def torch_product(torch: Any, name: str, size: int, device: str = "cuda") -> Kernel:
    """Return a product of two random square matrices in a number format as a kernel. Passes on PyTorch's exceptions."""
    kind = getattr(torch, FORMATS[name])

    def random() -> Any:
        if name == "int8":
            return torch.randint(-8, 8, (size, size), device=device, dtype=kind)
        return torch.randn(size, size, device=device).to(kind)

    a, b = random(), random().t()
    if name == "fp8":
        one = torch.ones((), device=device)
        return _bound(torch._scaled_mm, a, b, scale_a=one, scale_b=one, out_dtype=torch.bfloat16)
    if name in ("tf32", "fp32"):
        torch.set_float32_matmul_precision("high" if name == "tf32" else "highest")
    return _bound(torch._int_mm if name == "int8" else torch.matmul, a, b)


def by_events(kernel: Kernel, times: int) -> float:
    """Return the seconds for a number of consecutive runs on a GPU."""
    import torch

    first, last = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    first.record()
    for _ in range(times):
        kernel()
    last.record()
    last.synchronize()
    return float(first.elapsed_time(last)) / 1000  # float: a measurement


def _bound(function: Callable[..., object], *values: Any, **named: Any) -> Kernel:
    return lambda: function(*values, **named)


def _unsettled(rates: dict[str, MeasuredRate]) -> Iterator[str]:
    """Yield a warning if some rates did not settle."""
    if names := [name for name, one in rates.items() if not one.steady]:
        yield f"did not settle within {AGREE:.0%}: {', '.join(names)}; other work, or a changing clock"


def _blas() -> str:
    """Return the name of the BLAS that numpy was built with."""
    config: dict[str, Any] = np.show_config(mode="dicts") or {}  # type: ignore[assignment]
    return str(config.get("Build Dependencies", {}).get("blas", {}).get("name", "")) or "numpy"


def _title() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    found = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    return found or platform.processor() or platform.machine()


def chip_text(found: Machine) -> str:
    """Return a chip file with the measured rates.

    >>> one = MeasuredRate("copy", "B/s", 2e10, 1.9e10, 5, True)
    >>> print(chip_text(Machine("A processor", {"dram": one}, ("one core",))))
    title = "A processor"
    # one core
    <BLANKLINE>
    [dram.bandwidth]
    default = { value = "20000000000 B/s", low = "19000000000 B/s", high = "21000000000 B/s", \
convention = "copy; best of 5 rounds", status = "measured", source = "roofproof calibrate --this-machine" }
    <BLANKLINE>
    """
    lines = [f"title = {dumps(found.title)}", *(f"# {note}" for note in found.notes)]
    for name, one in found.rates.items():
        parts = {"value": one.rate, "low": one.low, "high": one.high}
        ends = ", ".join(f'{key} = "{Fraction(f"{value:.3e}")} {one.unit}"' for key, value in parts.items())
        said = dumps(f"{one.kernel}; best of {one.runs} rounds")
        rest = f'convention = {said}, status = "measured", source = "roofproof calibrate --this-machine"'
        lines += ["", f"[{name}.bandwidth]" if one.unit == "B/s" else f"[{name}]", f"default = {{ {ends}, {rest} }}"]
    for level, size in found.capacities.items():
        rest = 'convention = "as the driver tells", status = "measured", source = "roofproof calibrate --this-machine"'
        lines += ["", f"[{level}.capacity]", f'default = {{ value = "{size} B", {rest} }}']
    return "\n".join(lines) + "\n"
