"""The roofs of this machine, measured: peaks by several kernels, bandwidths by level from sweeps of the working set."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from itertools import cycle
from math import ceil
from pathlib import Path
from statistics import median
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from roofproof.measured.bursts import PIECE, Run, calls_a_second
from roofproof.measured.kernels import BANDWIDTH_KERNELS, DEPTH, Kernels, kernels

ROUNDS: Final = 5  # the best of which have to agree
AGREE: Final = 0.03  # within this share of the best
LONGEST: Final = 40  # rounds of one kernel, on a machine that is busy
MOST_ROUNDS: Final = 12  # over all kernels in turn
SHORT: Final = 8.0  # seconds after which a quick measurement begins no second round, which takes as long again
LONG: Final = 240.0  # seconds after which no round is begun that is not needed
RUNS: Final = 5  # a round, of a device that times itself
BURSTS: Final = 16  # a round
SECONDS: Final = 0.01  # one run of a device takes at least
BUSY: Final = 0.5  # load a core from which a machine is called busy
CACHES: Final = Path("/sys/devices/system/cpu")
PRODUCT: Final = 256  # rows of the matrices that a core multiplies: a fraction of a window
MOST: Final = 2**30  # bytes that a working set takes at most
SLICE: Final = 2**20  # bytes that a call goes through at most
KINDS: Final[dict[str, Any]] = {"fp64": np.float64, "fp32": np.float32}


@dataclass(frozen=True, slots=True)
class MeasuredRate:
    """The best rate of a kernel, in FLOP/s, B/s or starts a second; from `low` on another measurement may lie.

    `low` is 3 % below the least of the best five rounds, as rounds that differ by so much are said to agree; where they
    did not settle, 3 % below the middle one of all if that is less. `threads` counts what worked on it: threads of a
    processor, multiprocessors of an accelerator."""

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
    readings: tuple[MeasuredRate, ...]


@dataclass(frozen=True, slots=True)
class Machine:
    """What was measured of this machine, and what has to be said of it."""

    title: str
    threads: int
    peaks: dict[str, tuple[MeasuredRate, ...]]
    levels: tuple[Level, ...]
    sweep: dict[str, tuple[tuple[int, float], ...]]
    notes: tuple[str, ...]
    workers: str = "threads"
    source: str = "sysfs"
    starts: dict[str, MeasuredRate] = field(default_factory=dict)


Span = Callable[[Sequence[Run], int], float]  # seconds of runs side by side


@dataclass(slots=True)
class Settings:
    """How long a run and how many rounds; `span` tells the seconds of a run, bursts of threads if it is None."""

    quick: bool
    cores: Sequence[int]
    seconds: float
    rounds: int
    notes: list[str] = field(default_factory=list)
    span: Span | None = None
    runs: int = BURSTS


OWN_LOOPS = "no BLAS: numpy names none, and products are loops of its own"
THREADS_OF_BLAS = "products run on the threads of numpy's BLAS; threadpoolctl would give each core its own"


def processors() -> list[int]:
    """Return the cores that this process may use."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(os.cpu_count() or 1))


def measure(quick: bool = False, told: Callable[[str], object] = lambda _: None) -> Machine:
    """Measure peaks and bandwidths of the processors that this process may use.

    All kernels are run in turn, in rounds that lie apart in time, until the best five rounds of each agree within 3 %;
    on a busy machine that takes more of them, which is told. `quick` takes two short rounds. `told` hears what is
    measured next. Raises RoofproofError where the kernels cannot be compiled.
    """
    compiled, cores, begun = kernels(), processors(), time.perf_counter()
    settings = Settings(quick, cores, PIECE, 2 if quick else ROUNDS, runs=4 if quick else BURSTS)
    if not hasattr(os, "sched_setaffinity"):
        settings.notes.append("this system does not pin threads to cores")
    if len(cores) == 1:
        settings.notes.append("one core: bandwidths are those of one core, which may be less than the memory's")
    load = os.getloadavg()[0] / (os.cpu_count() or 1) if hasattr(os, "getloadavg") else 0.0
    sizes = _caches(cores)
    if not sizes:
        settings.notes.append("the system tells no caches: no level but the memory is measured")
    found = [*footprints(sizes)]
    arrays = Arrays(max(footprint for *_, footprint in found), compiled, settings)
    moving = {name: tuple(arrays.gauge(k, footprint) for k in BANDWIDTH_KERNELS) for name, *_, footprint in found}
    with one_thread_products() as alone:
        if not alone:
            settings.notes.append(OWN_LOOPS if _blas() == "numpy" else THREADS_OF_BLAS)
        peaks = {name: tuple(_peaks(kind, compiled, settings, alone)) for name, kind in KINDS.items()}
        every = {**peaks, **moving}
        rounds = in_rounds(every, settings, told)
    read = {name: tuple(sorted((g.reading for g in each), key=lambda r: -r.rate)) for name, each in every.items()}
    levels = [Level(name, total, each, footprint, read[name]) for name, total, each, footprint in found]
    told("working sets")
    sweep = {} if quick else _sweep(levels, arrays)
    if load > BUSY:
        took = f"{rounds} rounds in {time.perf_counter() - begun:.0f} s"
        settings.notes.append(f"the machine was busy before ({load:.1f} processes a core): {took}")
    computed = {name: read[name] for name in peaks}
    settings.notes += unsettled(computed, levels)
    return Machine(_title(), len(cores), computed, tuple(levels), sweep, tuple(settings.notes))


def in_rounds(every: Mapping[str, Sequence[Gauge]], settings: Settings, told: Callable[[str], object]) -> int:
    """Run all kernels in turn until each has rounds that agree; return how many rounds that took."""
    rounds, begun = 0, time.perf_counter()
    most = settings.rounds if settings.quick else MOST_ROUNDS
    while rounds < settings.rounds or (
        rounds < most and time.perf_counter() - begun < LONG and any(not g.steady for gs in every.values() for g in gs)
    ):
        if settings.quick and rounds and time.perf_counter() - begun > SHORT:
            break
        rounds += 1
        for name, gauges in every.items():
            told(f"round {rounds}, {name}")
            for gauge in gauges:
                gauge.again()
    return rounds


def unsettled(peaks: Mapping[str, Sequence[MeasuredRate]], levels: Sequence[Level]) -> list[str]:
    """Return the warnings on figures that did not settle."""
    every = [r for rs in peaks.values() for r in rs] + [r for level in levels for r in level.readings]
    count = sum(not r.steady for r in every)
    said = f"{count} of {len(every)} figures did not settle within {AGREE:.0%}: other work, or a changing clock"
    return [said] if count else []


def _peaks(kind: Any, compiled: Kernels, settings: Settings, alone: bool) -> Iterator[Gauge]:
    cores = len(settings.cores)
    values = [np.full(2048, 0.5, kind) for _ in settings.cores]
    loops = [partial(compiled.fma(DEPTH), v, kind(0.25)) for v in values]
    yield Gauge("fma-loop", 2 * DEPTH * 2048, loops, settings, cores)
    size = PRODUCT if alone else PRODUCT * ceil(2 * cores**0.5)  # of as much work a core on any number of them

    def product() -> Run:
        square, out = np.full((size, size), 0.5, kind), np.empty((size, size), kind)
        return lambda times: [np.matmul(square, square, out=out) for _ in range(times)]

    products = [product() for _ in range(cores if alone else 1)]
    yield Gauge(f"gemm-{_blas()}", 2 * size**3, products, settings, cores)


@contextmanager
def one_thread_products() -> Iterator[bool]:
    """Keep numpy's products to one thread each meanwhile, so that each core can be given its own; tell whether so."""
    try:
        from threadpoolctl import threadpool_info, threadpool_limits
    except ImportError:
        yield False
        return
    with threadpool_limits(1, "blas"):
        yield any(pool["user_api"] == "blas" for pool in threadpool_info())


class Arrays:
    """Arrays of each core, that kernels of bandwidth take their working sets from."""

    def __init__(self, most: int, compiled: Kernels, settings: Settings) -> None:
        self.compiled, self.settings = compiled, settings
        self.own = [np.ones(max(most // len(settings.cores) // 8, 32)) for _ in settings.cores]

    def gauge(self, kernel: str, footprint: int) -> Gauge:
        """Return a kernel over arrays that take `footprint` bytes in all, those of each core its own."""
        count, moved = BANDWIDTH_KERNELS[kernel]
        length = max(footprint // len(self.own) // count // 8, 8)
        slices = ceil(8 * count * length / SLICE)  # gone through in turn: none is a run of its own for long
        piece = length // slices
        parts = [[a[k * length :][:length] for k in range(count)] for a in self.own]
        each = [in_turn(getattr(self.compiled, kernel), part, piece, slices) for part in parts]
        return Gauge(kernel, 8 * moved * piece, each, self.settings, len(self.own))


def in_turn(kernel: Callable[..., object], arrays: Sequence[NDArray[Any]], piece: int, slices: int) -> Run:
    """Return runs of a kernel over slices of arrays, the next at each time."""
    if slices == 1:
        return partial(kernel, *arrays)
    following = cycle([tuple(a[k * piece : (k + 1) * piece] for a in arrays) for k in range(slices)])

    def run(times: int) -> None:
        for _ in range(times):
            kernel(*next(following), 1)

    return run


@dataclass(slots=True)
class Gauge:
    """A kernel that runs side by side, one function a core, and its best rate of each round so far."""

    kernel: str
    work: int
    each: Sequence[Run]
    settings: Settings
    threads: int
    times: int = 0
    bests: list[float] = field(default_factory=list)

    def again(self) -> None:
        """Run another round; the first finds how often a run repeats the kernel, to last long enough."""
        if not self.times:
            for function in self.each:
                function(1)  # compiles it, and touches its arrays
            self.times = 1
            while min(self._seconds() for _ in range(3)) < self.settings.seconds and self.times < 2**40:
                self.times *= 2
        if self.settings.span is None:
            rate = calls_a_second(self.each, self.times, self.settings.cores, self.settings.runs)
        else:
            rate = max(self.times * len(self.each) / self._seconds() for _ in range(RUNS))
        self.bests.append(self.work * rate)

    def _seconds(self) -> float:
        if self.settings.span is not None:
            return self.settings.span(self.each, self.times)
        start = time.perf_counter()
        self.each[0](self.times)
        return time.perf_counter() - start

    @property
    def steady(self) -> bool:
        """Whether the best rounds agree."""
        top = sorted(self.bests)[-self.settings.rounds :]
        return len(top) == self.settings.rounds and top[0] > (1 - AGREE) * top[-1]

    @property
    def reading(self) -> MeasuredRate:
        """The best rate, with where another measurement may lie."""
        least = min(sorted(self.bests)[-self.settings.rounds :])
        low = (1 - AGREE) * (least if self.steady else min(least, median(self.bests)))
        runs = len(self.bests) * (RUNS if self.settings.span else self.settings.runs)
        return MeasuredRate(self.kernel, max(self.bests), low, runs, self.threads, self.steady)


def best(kernel: str, work: int, settings: Settings, each: Sequence[Run], threads: int | None = None) -> MeasuredRate:
    """Run a kernel side by side, one function a core, until its best rounds agree."""
    gauge = Gauge(kernel, work, each, settings, threads or len(each))
    most = settings.rounds if settings.quick else LONGEST
    while len(gauge.bests) < most and not gauge.steady:
        gauge.again()
    return gauge.reading


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


def footprints(sizes: dict[int, tuple[int, int]]) -> Iterator[tuple[str, int, int, int]]:
    """Yield each level with a working set that it holds and the one before does not."""
    before = 0
    for level, (total, each) in sizes.items():
        if level <= 3 and total // 2 > before:
            yield f"l{level}", total, each, max(total // 2, before)
        before = max(before, total)
    footprint = min(max(4 * before, 2**26), MOST)
    if footprint > before:
        yield "dram", 0, 0, footprint


def _sweep(levels: Sequence[Level], arrays: Arrays) -> dict[str, tuple[tuple[int, float], ...]]:
    """Return the rate of each kernel over working sets from 8 KiB a core to that of the memory, doubled each time."""
    cores = arrays.settings.cores
    arrays.settings = Settings(True, cores, PIECE, 2, runs=4)
    last = max(level.footprint for level in levels)
    sets = [2**k for k in range(13, 41) if 2**13 * len(cores) <= 2**k <= last]

    def rate(kernel: str, size: int) -> float:
        gauge = arrays.gauge(kernel, size)
        gauge.again()
        gauge.again()
        return gauge.reading.rate

    return {kernel: tuple((size, rate(kernel, size)) for size in sets) for kernel in BANDWIDTH_KERNELS}


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

    def figure(head: str, readings: Sequence[MeasuredRate], unit: str) -> None:
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
