"""The roofs of this machine, measured: peaks by several kernels, bandwidths by level from sweeps of the working set."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from pathlib import Path
from threading import Barrier, Thread
from typing import Any, Final

import numpy as np

from roofproof.errors import RoofproofError
from roofproof.measured.kernels import BANDWIDTH_KERNELS, DEPTH, Kernels, kernels

ROUNDS: Final = 5  # whose best runs have to agree
AGREE: Final = 0.03  # within this share of the best
LONGEST: Final = 40  # rounds, on a machine that is busy
RUNS: Final = 5  # a round
SECONDS: Final = 0.01  # one run takes at least
BUSY: Final = 0.5  # load a core from which a machine is called busy
CACHES: Final = Path("/sys/devices/system/cpu")
GEMM: Final = 1536
MOST: Final = 2**30  # bytes that a working set takes at most


@dataclass(frozen=True, slots=True)
class Reading:
    """The best rate of a kernel, in FLOP/s, B/s or starts a second; from `low` on another measurement may lie.

    `low` is 3 % below the least of the last rounds, as two rounds that differ by so much are said to agree. `threads`
    counts what worked on it: threads of a processor, multiprocessors of an accelerator."""

    kernel: str
    rate: float
    low: float
    runs: int
    threads: int
    steady: bool

    @property
    def high(self) -> float:
        """As far above the best as `low` is below: up to where another measurement may lie."""
        return 2 * self.rate - self.low


@dataclass(frozen=True, slots=True)
class Level:
    """A memory level: its name, its bytes over all cores, those of one where each has its own, and its readings."""

    name: str
    total: int
    each: int
    footprint: int
    readings: tuple[Reading, ...]


@dataclass(frozen=True, slots=True)
class Machine:
    """What was measured of this machine, and what has to be said of it."""

    title: str
    threads: int
    peaks: dict[str, tuple[Reading, ...]]
    levels: tuple[Level, ...]
    sweep: dict[str, tuple[tuple[int, float], ...]]
    notes: tuple[str, ...]
    workers: str = "threads"
    source: str = "sysfs"
    starts: dict[str, Reading] = field(default_factory=dict)


Run = Callable[[int], object]  # does a kernel so many times
Span = Callable[[Sequence[Run], int], float]  # seconds of runs side by side


@dataclass(slots=True)
class Settings:
    """How long a run and how many rounds; `span` tells the seconds of a run, those of threads if it is None."""

    quick: bool
    cores: Sequence[int]
    seconds: float
    rounds: int
    notes: list[str] = field(default_factory=list)
    span: Span | None = None


def processors() -> list[int]:
    """Return the cores that this process may use."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(os.cpu_count() or 1))


def measure(quick: bool = False, told: Callable[[str], object] = lambda _: None) -> Machine:
    """Measure peaks and bandwidths of the processors that this process may use.

    A run lasts a hundredth of a second; rounds of five go on until the best of five rounds agree within 3 %, longer on
    a busy machine, which is told. `quick` takes what three short rounds give. `told` hears what is measured next.
    Raises RoofproofError where the kernels cannot be compiled.
    """
    compiled = kernels()
    cores = processors()
    settings = Settings(quick, cores, SECONDS / (5 if quick else 1), 3 if quick else ROUNDS)
    if not hasattr(os, "sched_setaffinity"):
        settings.notes.append("this system does not pin threads to cores")
    if len(cores) == 1:
        settings.notes.append("one core: bandwidths are those of one core, which may be less than the memory's")
    load = os.getloadavg()[0] / (os.cpu_count() or 1) if hasattr(os, "getloadavg") else 0.0
    if load > BUSY:
        settings.notes.append(
            f"the machine was busy before ({load:.1f} processes a core): the best of more runs was taken"
        )
    peaks: dict[str, tuple[Reading, ...]] = {}
    for name, kind in (("fp64", np.float64), ("fp32", np.float32)):
        told(f"peak of {name}")
        peaks[name] = tuple(sorted(_peaks(kind, compiled, settings), key=lambda r: -r.rate))
    sizes = _caches(cores)
    if not sizes:
        settings.notes.append("the system tells no caches: no level but the memory is measured")
    levels = []
    for name, total, each, footprint in footprints(sizes, len(cores)):
        told(f"bandwidth of {name}")
        readings = tuple(_bandwidth(kernel, footprint, compiled, settings) for kernel in BANDWIDTH_KERNELS)
        levels.append(Level(name, total, each, footprint, tuple(sorted(readings, key=lambda r: -r.rate))))
    told("working sets")
    sweep = {} if quick else _sweep(levels, compiled, settings)
    settings.notes += unsettled(peaks, levels)
    return Machine(_title(), len(cores), peaks, tuple(levels), sweep, tuple(settings.notes))


def unsettled(peaks: Mapping[str, Sequence[Reading]], levels: Sequence[Level]) -> list[str]:
    """Return the warnings on figures that did not settle."""
    every = [r for rs in peaks.values() for r in rs] + [r for level in levels for r in level.readings]
    count = sum(not r.steady for r in every)
    said = f"{count} of {len(every)} figures did not settle within {AGREE:.0%}: other work, or a changing clock"
    return [said] if count else []


def _peaks(kind: Any, compiled: Kernels, settings: Settings) -> Iterator[Reading]:
    values = [np.full(2048, 0.5, kind) for _ in settings.cores]
    work = 2 * DEPTH * 2048
    yield best("fma-loop", work, settings, [partial(compiled.fma(DEPTH), v, kind(0.25)) for v in values])
    size = GEMM // (2 if settings.quick else 1)
    square, out = np.full((size, size), 0.5, kind), np.empty((size, size), kind)

    def gemm(times: int) -> None:
        for _ in range(times):
            np.matmul(square, square, out=out)

    yield best(f"gemm-{_blas()}", 2 * size**3, settings, [gemm], threads=len(settings.cores))


def _bandwidth(kernel: str, footprint: int, compiled: Kernels, settings: Settings) -> Reading:
    """Return the rate of a kernel over arrays that take `footprint` bytes in all, those of each core its own."""
    arrays, moved = BANDWIDTH_KERNELS[kernel]
    length = max(footprint // len(settings.cores) // arrays // 8, 8)
    run = getattr(compiled, kernel)

    def own(_: int) -> Run:
        parts = [np.ones(length) for _ in range(arrays)]
        return partial(run, *parts)

    return best(kernel, 8 * moved * length, settings, [own(core) for core in settings.cores])


def best(kernel: str, work: int, settings: Settings, each: Sequence[Run], threads: int | None = None) -> Reading:
    """Run a kernel side by side, one function a core, until the best of the last rounds agree."""
    for function in each:
        function(1)  # compiles it, and touches its arrays
    times = 1
    while min(_side_by_side(each, times, settings) for _ in range(3)) < settings.seconds and times < 2**40:
        times *= 2
    bests: list[float] = []
    steady = False
    most = settings.rounds if settings.quick else LONGEST
    while len(bests) < most and not steady:
        bests.append(max(work * times * len(each) / _side_by_side(each, times, settings) for _ in range(RUNS)))
        last = bests[-settings.rounds :]
        steady = len(last) == settings.rounds and min(last) > (1 - AGREE) * max(bests)
    low = (1 - AGREE) * min(sorted(bests)[-settings.rounds :])
    return Reading(kernel, max(bests), low, len(bests) * RUNS, threads or len(each), steady)


def _side_by_side(each: Sequence[Run], times: int, settings: Settings) -> float:
    """Return the seconds from the first start to the last end of functions that run at once, each on its core."""
    if settings.span is not None:
        return settings.span(each, times)
    if len(each) == 1:
        start = time.perf_counter()
        each[0](times)
        return time.perf_counter() - start
    spans: list[tuple[float, float]] = []
    ready = Barrier(len(each))

    def work(function: Callable[[int], object], core: int) -> None:
        if hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, {core})  # of this thread alone
        ready.wait()
        start = time.perf_counter()
        function(times)
        spans.append((start, time.perf_counter()))

    running = [Thread(target=work, args=pair) for pair in zip(each, settings.cores, strict=True)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    if len(spans) != len(each):
        raise RoofproofError("a kernel failed in one of its threads; there is nothing to measure by")
    return max(end for _, end in spans) - min(start for start, _ in spans)


def _caches(cores: Sequence[int]) -> dict[int, tuple[int, int]]:
    """Return, by level, the bytes of all data caches that the cores use, and those of one."""
    found: dict[int, dict[str, int]] = {}
    for core in cores:
        for index in sorted(CACHES.glob(f"cpu{core}/cache/index*")):
            try:
                level, kind, size, shared = (
                    (index / name).read_text().strip() for name in ("level", "type", "size", "shared_cpu_list")
                )
            except OSError:
                continue
            if kind != "Instruction" and size.endswith("K") and size[:-1].isdigit() and level.isdigit():
                found.setdefault(int(level), {})[shared] = int(size[:-1]) * 1024
    return {level: (sum(each.values()), max(each.values())) for level, each in sorted(found.items())}


def footprints(sizes: dict[int, tuple[int, int]], cores: int) -> Iterator[tuple[str, int, int, int]]:
    """Yield each level with a working set that it holds and the one before does not."""
    before = 0
    for level, (total, each) in sizes.items():
        if level <= 3 and total // 2 > before:
            yield f"l{level}", total, each, max(total // 2, before)
        before = max(before, total)
    footprint = min(max(4 * before, 2**26), MOST)
    if footprint > before:
        yield "dram", 0, 0, footprint


def _sweep(levels: Sequence[Level], compiled: Kernels, settings: Settings) -> dict[str, tuple[tuple[int, float], ...]]:
    """Return the rate of each kernel over working sets from 8 KiB a core to that of the memory, doubled each time."""
    few = Settings(True, settings.cores, SECONDS / 5, 2)
    last = max((level.footprint for level in levels), default=2**26)
    sets = [2**k for k in range(13, 41) if 2**13 * len(settings.cores) <= 2**k <= last]
    return {kernel: tuple((s, _bandwidth(kernel, s, compiled, few).rate) for s in sets) for kernel in BANDWIDTH_KERNELS}


def _blas() -> str:
    """Return the name of the BLAS that numpy was built with."""
    config: dict[str, Any] = np.show_config(mode="dicts") or {}  # type: ignore[assignment]
    name = str(config.get("Build Dependencies", {}).get("blas", {}).get("name", "")) or "numpy"
    return "".join(c if c.isalnum() else "-" for c in name.lower()).strip("-")[:20]


def _title() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
        found = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    except OSError:
        found = ""
    return found or platform.processor() or platform.machine()


def chip_text(found: Machine) -> str:
    """Return a chip file of what was measured: of each figure the best kernel, the others as its variants."""
    from json import dumps

    lines = [f"title = {dumps(found.title)}", *(f"# {note}" for note in found.notes)]

    def figure(head: str, readings: Sequence[Reading], unit: str) -> None:
        lines.extend(["", f"[{head}]"])
        for place, r in enumerate(readings):
            said = f"{r.kernel}; best of {r.runs} runs, {r.threads} {found.workers}"
            parts = {"value": r.rate, "low": r.low, "high": r.high}
            rates = ", ".join(f'{key} = "{Fraction(f"{v:.3e}")} {unit}"' for key, v in parts.items())
            name = r.kernel if place else "default"
            rest = f'convention = {dumps(said)}, status = "measured", source = "roofproof measure"'
            lines.append(f"{name} = {{ {rates}, {rest} }}")

    for name, readings in found.peaks.items():
        figure(name, readings, "FLOP/s")
    for level in found.levels:
        figure(f"{level.name}.bandwidth", level.readings, "B/s")
        if level.each:
            for part, size in (("capacity", level.each), ("total", level.total)):
                said = f'convention = "as the system tells", status = "measured", source = {dumps(found.source)}'
                lines += ["", f"[{level.name}.{part}]", f'default = {{ value = "{size} B", {said} }}']
    return "\n".join(lines) + "\n"
