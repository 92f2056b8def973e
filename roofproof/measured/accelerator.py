"""The roofs of an accelerator through PyTorch or JAX: products of each number format, bandwidths by working set."""

from __future__ import annotations

import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from roofproof.errors import MissingExtra, RoofproofError
from roofproof.measured.bursts import Run
from roofproof.measured.machine import AGREE, ROUNDS, SECONDS, Level, Machine, MeasuredRate, Settings, best, unsettled

MEMORY: Final = 2**32  # bytes that the working set of the main memory takes at most
DEPTH: Final = 512  # multiply-adds for each element of the FMA loop
MOVES: Final = {"read": (1, 1), "update": (1, 2), "copy": (2, 2), "triad": (3, 3)}
"""Arrays of a kernel, and how often it moves the bytes of one."""
PRODUCTS: Final = {
    "bf16": 8192, "fp16": 8192, "tf32": 8192, "fp32": 4096, "fp64": 4096, "fp8": 8192, "int8": 8192,
}  # fmt: skip
"""Rows of the square matrices that are multiplied, by number format."""
AHEAD: Final = 200_000  # cycles that a GPU waits, some 100 us, while the host records what comes next
WATCHED: Final = {"clocks.sm": "MHz", "clocks.mem": "MHz", "temperature.gpu": "C", "power.draw": "W"}


class Unsupported(Exception):
    """A kernel that the device or its library does not have, and why."""


@dataclass(slots=True)
class Device(ABC):
    """What kernels are run by, and what is known of it; the host times them unless a device does.

    `units` work side by side; `cache` and `memory` are bytes, and `timed` says by what.
    """

    title: str
    library: str
    units: int
    cache: int
    memory: int
    timed: str

    @abstractmethod
    def product(self, form: str, size: int, rows: int | None = None) -> Run:
        """Return the product of a matrix of so many rows and a square one, of random numbers."""

    @abstractmethod
    def moves(self, kernel: str, elements: int) -> Run:
        """Return a pass over arrays of fp32, of one of MOVES."""

    @abstractmethod
    def fma(self, elements: int, depth: int = DEPTH) -> Run:
        """Return a loop of multiply-adds over an array of fp32."""

    @abstractmethod
    def nothing(self) -> Run:
        """Return a kernel that does next to nothing."""

    def span(self, each: Sequence[Run], times: int) -> float:
        """Return the seconds of `times` runs in a row."""
        start = time.perf_counter()
        each[0](times)
        return time.perf_counter() - start

    def alone(self, each: Sequence[Run], times: int) -> float:
        """Return the seconds of `times` runs, the device idle before each."""
        return sum(self.span(each, 1) for _ in range(times))


def device(name: str) -> Device:
    """Return a device by the library that runs its kernels: `cuda` that of PyTorch, `jax` the first of JAX.

    Raises RoofproofError where the library is not installed or sees no such device.
    """
    return _torch_device() if name == "cuda" else _jax_device()


def measure_device(device: Device, quick: bool = False, told: Callable[[str], object] = lambda _: None) -> Machine:
    """Measure an accelerator by the kernels of a library: rounds of five runs until the best of five rounds agree."""
    settings = Settings(quick, [0], SECONDS / (5 if quick else 1), 3 if quick else ROUNDS, [], device.span)
    settings.notes.append(f"{device.library}; timed by {device.timed}")
    before = _watched()
    measured = partial(best, settings=settings, threads=device.units)
    peaks: dict[str, tuple[MeasuredRate, ...]] = {}
    missing: dict[str, str] = {}
    for form, rows in 2 * [*PRODUCTS.items()]:  # again when warm: clocks follow power and temperature
        told(f"peak of {form}")
        size = rows // (8 if quick else 1)
        try:
            found = measured(f"gemm-{size}", 2 * size**3, each=[device.product(form, size)])
            peaks[form] = (_both(found, *peaks.get(form, ())),)
        except Unsupported as why:
            missing[form] = f"{form}: not measured: {why}"
    settings.notes += missing.values()
    told("peak of an FMA loop")
    elements = 2 ** (18 if quick else 26)
    try:
        peaks["fp32-vector"] = (measured("fma-loop", 2 * DEPTH * elements, each=[device.fma(elements)]),)
    except Unsupported as why:
        settings.notes.append(f"fp32-vector: not measured: {why}")
    if not peaks:
        raise RoofproofError(f"{device.title}: no kernel ran; {settings.notes[-1]}")
    busy = _watched()
    most = min(MEMORY // (64 if quick else 1), device.memory // 8)
    levels = []
    for level, total, footprint in _levels(device, most):
        told(f"bandwidth of {level}")
        readings = [_bandwidth(device, kernel, footprint, settings) for kernel in _moves(device)]
        levels.append(Level(level, total, total, footprint, tuple(sorted(readings, key=lambda r: -r.rate))))
    if not device.cache:
        settings.notes.append(f"{device.library} tells no cache: no level but the memory is measured")
    told("working sets")
    few = Settings(True, [0], SECONDS / 5, 2, [], device.span)
    sets = [2**k for k in range(18, 41) if 2**k <= most]
    sweep = {} if quick else {k: tuple((s, _bandwidth(device, k, s, few).rate) for s in sets) for k in _moves(device)}
    told("start of a kernel")
    starts = {"in a row": measured("start", 1, each=[device.nothing()])}
    settings.span = device.alone
    starts["alone"] = measured("start", 1, each=[device.nothing()])
    settings.notes += [*_clocks(before, busy, _watched()), *unsettled(peaks, levels)]
    return Machine(
        device.title, device.units, peaks, tuple(levels), sweep, tuple(settings.notes), "multiprocessors",
        device.library, starts,
    )  # fmt: skip


def _both(later: MeasuredRate, first: MeasuredRate | None = None) -> MeasuredRate:
    """Return the better of two readings of a kernel, with an interval that has both in it.

    >>> _both(MeasuredRate("k", 9.0, 8.5, 25, 1, True), MeasuredRate("k", 8.0, 7.5, 25, 1, True))
    MeasuredRate(kernel='k', rate=9.0, low=7.5, runs=50, threads=1, steady=False)
    """
    if first is None:
        return later
    rate, least = max(later.rate, first.rate), min(later.rate, first.rate)
    steady = later.steady and first.steady and least > (1 - AGREE) * rate
    return MeasuredRate(later.kernel, rate, min(later.low, first.low), later.runs + first.runs, later.threads, steady)


def _levels(device: Device, most: int) -> Iterator[tuple[str, int, int]]:
    if 2**20 <= device.cache // 2 < most:
        yield "l2", device.cache, device.cache // 2
    yield "hbm", device.memory, most


def _moves(device: Device) -> Iterator[str]:
    """Yield the kernels of bandwidth that a device has."""
    for kernel in MOVES:
        try:
            device.moves(kernel, 1024)
        except Unsupported:
            continue
        yield kernel


def _bandwidth(device: Device, kernel: str, footprint: int, settings: Settings) -> MeasuredRate:
    arrays, moved = MOVES[kernel]
    elements = max(footprint // arrays // 4 // 1024 * 1024, 1024)
    return best(kernel, 4 * moved * elements, settings, [device.moves(kernel, elements)], threads=device.units)


def _watched() -> dict[str, float]:
    """Return clocks, temperature and power as nvidia-smi tells them now; nothing where it does not."""
    command = ["nvidia-smi", f"--query-gpu={','.join(WATCHED)}", "--format=csv,noheader,nounits", "--id=0"]
    try:
        said = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True).stdout
        values = [float(cell) for cell in said.splitlines()[0].split(",")]  # float: what a sensor reads
    except (OSError, subprocess.SubprocessError, ValueError, IndexError):
        return {}
    return dict(zip(WATCHED, values, strict=True)) if len(values) == len(WATCHED) else {}


def _clocks(*seen: dict[str, float]) -> list[str]:
    """Return the readings of clocks and temperature in words: before, after the products, and at the end.

    >>> _clocks({"clocks.sm": 345.0}, {"clocks.sm": 1980.0}, {"clocks.sm": 1755.0})
    ['clocks.sm: 345 MHz before, 1980 MHz after the products, 1755 MHz at the end']
    >>> _clocks({}, {}, {})
    ['clock and temperature are not told']
    """
    if not all(seen):
        return ["clock and temperature are not told"]
    when = ("before", "after the products", "at the end")
    return [
        f"{name}: " + ", ".join(f"{each[name]:g} {unit} {said}" for each, said in zip(seen, when, strict=True))
        for name, unit in WATCHED.items()
        if all(name in each for each in seen)
    ]


@dataclass(slots=True)
class TorchDevice(Device):
    """Kernels of PyTorch on a device of it; `cuda` is timed by events, anything else by the host."""

    device: str

    def product(self, form: str, size: int, rows: int | None = None) -> Run:
        import torch

        def random(kind: Any, rows: int) -> Any:
            if kind is torch.int8:
                return torch.randint(-8, 8, (rows, size), device=self.device, dtype=kind)
            return torch.randn(rows, size, device=self.device).to(kind)

        kinds = {"bf16": "bfloat16", "fp16": "float16", "fp64": "float64", "fp8": "float8_e4m3fn", "int8": "int8"}
        kind = getattr(torch, kinds.get(form, "float32"), None)
        if kind is None:
            raise Unsupported(f"{self.library} has no such format")
        a, b = random(kind, rows or size), random(kind, size).t()
        if form == "fp8":
            one = torch.ones((), device=self.device)
            multiply = partial(torch._scaled_mm, a, b, scale_a=one, scale_b=one, out_dtype=torch.bfloat16)
        elif form == "int8":
            multiply = partial(torch._int_mm, a, b)
        else:
            multiply = partial(torch.matmul, a, b)
        if form in ("tf32", "fp32"):
            torch.set_float32_matmul_precision("high" if form == "tf32" else "highest")
        return self._recorded(multiply)

    def moves(self, kernel: str, elements: int) -> Run:
        """Return a pass over arrays: a sum, `a = -a`, `a = -b`, or `a = b + c/2`."""
        import torch

        a, b, c = (torch.ones(elements if k < MOVES[kernel][0] else 1, device=self.device) for k in range(3))
        passes = {
            "read": partial(torch.sum, a), "update": a.neg_, "copy": partial(torch.neg, b, out=a),
            "triad": partial(torch.add, b, c, alpha=0.5, out=a),
        }  # fmt: skip
        return self._recorded(passes[kernel])

    def fma(self, elements: int, depth: int = DEPTH) -> Run:
        """Return a loop of multiply-adds in registers over an array of fp32, compiled for the device."""
        import torch

        return self._recorded(partial(fma_kernel(depth), torch.full((elements,), 0.5, device=self.device)))

    def nothing(self) -> Run:
        import torch

        return self._recorded(torch.zeros(1, device=self.device).zero_)

    def span(self, each: Sequence[Run], times: int) -> float:
        if self.device != "cuda":
            return Device.span(self, each, times)
        import torch

        first, last = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        first.record()
        each[0](times)
        last.record()
        last.synchronize()
        return float(first.elapsed_time(last)) / 1000  # float: a measurement

    def alone(self, each: Sequence[Run], times: int) -> float:
        """Return the seconds of `times` runs, each alone between two events, the host far ahead of the device."""
        if self.device != "cuda":
            return Device.alone(self, each, times)
        import torch

        ends = []
        for _ in range(times):
            torch.cuda._sleep(AHEAD)
            first, last = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            first.record()
            each[0](1)
            last.record()
            ends.append((first, last))
        torch.cuda.synchronize()
        return float(sum(first.elapsed_time(last) for first, last in ends)) / 1000  # float: a measurement

    def _recorded(self, kernel: Callable[[], object]) -> Run:
        """Return a kernel as a run; a GPU replays recorded launches, so that the host is not what is timed."""
        import torch

        try:
            kernel()
        except (RuntimeError, ValueError, NotImplementedError, TypeError, AttributeError, AssertionError) as problem:
            raise Unsupported(" ".join(str(problem).split())[:120]) from None
        if self.device != "cuda":
            return lambda times: [kernel() for _ in range(times)]
        torch.cuda.synchronize()
        graphs = {}
        for launches in (64, 1):
            graphs[launches] = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graphs[launches]):
                for _ in range(launches):
                    kernel()

        def run(times: int) -> None:
            for launches, graph in graphs.items():
                for _ in range(times // launches):
                    graph.replay()
                times %= launches

        return run


def fma_kernel(depth: int) -> Callable[[Any], Any]:
    """Return a kernel of PyTorch that does `depth` multiply-adds for each element that it reads and writes."""
    from torch.cuda.jiterator import _create_jit_fn

    loop = f"for (int k = 0; k < {depth}; ++k) y = y * x + x;"
    kernel: Callable[[Any], Any] = _create_jit_fn(
        f"template <typename T> T fma_loop_{depth}(T x) {{ T y = x;\n#pragma unroll 16\n{loop}\nreturn y; }}"
    )
    return kernel


def _torch_device() -> Device:
    try:
        import torch
    except ImportError:
        raise MissingExtra("PyTorch", "torch") from None
    if not torch.cuda.is_available():
        raise RoofproofError("--device cuda: PyTorch sees no GPU; expected one with its driver")
    seen = torch.cuda.get_device_properties(0)
    return TorchDevice(
        str(seen.name), f"PyTorch {torch.__version__}", int(seen.multi_processor_count),
        int(getattr(seen, "L2_cache_size", 0)), int(seen.total_memory), "events on the device", "cuda",
    )  # fmt: skip


@dataclass(slots=True)
class JaxDevice(Device):
    """Kernels of JAX on its first device, timed by the host until the last of them is done."""

    def product(self, form: str, size: int, rows: int | None = None) -> Run:
        import jax
        import jax.numpy as jnp

        kinds = {"bf16": "bfloat16", "fp16": "float16", "tf32": "float32", "fp32": "float32"}
        if form not in kinds:
            raise Unsupported("not tried through JAX")
        precision = jax.lax.Precision.HIGHEST if form == "fp32" else jax.lax.Precision.DEFAULT
        keys = zip(jax.random.split(jax.random.key(0)), (rows or size, size), strict=True)
        a, b = (jax.random.normal(key, (each, size)).astype(kinds[form]) for key, each in keys)
        return self._run(lambda a, b: jnp.matmul(a, b, precision=precision), a, b)

    def moves(self, kernel: str, elements: int) -> Run:
        """Return a pass over arrays of fp32: a sum, `-b`, or `b + c/2`."""
        import jax.numpy as jnp

        if kernel == "update":
            raise Unsupported("arrays of JAX do not change")

        b, c = jnp.ones(elements), jnp.ones(elements)
        if kernel == "triad":
            return self._run(lambda b, c: b + 0.5 * c, b, c)
        return self._run(jnp.sum if kernel == "read" else jnp.negative, b)

    def fma(self, elements: int, depth: int = DEPTH) -> Run:
        import jax
        import jax.numpy as jnp

        def loop(x: Any) -> Any:
            return jax.lax.fori_loop(0, depth, lambda _, y: y * x + 0.25, x, unroll=True)

        return self._run(loop, jnp.full(elements, 0.5))

    def nothing(self) -> Run:
        import jax.numpy as jnp

        return self._run(jnp.negative, jnp.zeros(1))

    def _run(self, kernel: Callable[..., Any], *arrays: Any) -> Run:
        import jax

        try:
            compiled = jax.jit(kernel).lower(*arrays).compile()
            compiled(*arrays).block_until_ready()
        except (RuntimeError, ValueError, TypeError, NotImplementedError) as problem:
            raise Unsupported(" ".join(str(problem).split())[:120]) from None

        def run(times: int) -> None:
            for _ in range(times - 1):
                compiled(*arrays)
            compiled(*arrays).block_until_ready()  # the last of a queue

        return run


def _jax_device() -> Device:
    try:
        import jax
    except ImportError:
        raise MissingExtra("JAX", "jax") from None
    try:
        seen = jax.devices()[0]
    except RuntimeError as problem:
        raise RoofproofError(f"--device jax: JAX has no device: {' '.join(str(problem).split())[:120]}") from None
    if seen.platform == "cpu":
        raise RoofproofError("--device jax: JAX sees the processor alone; measure it without --device")
    memory = int((seen.memory_stats() or {}).get("bytes_limit", 2**33))
    units = int(getattr(seen, "core_count", 1) or 1)
    return JaxDevice(
        str(seen.device_kind), f"JAX {jax.__version__}", units, 0, memory, "the host, until the device is done"
    )
