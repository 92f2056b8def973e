"""Estimates: FLOPs and bytes of each row of a table of times, its estimated time, and the fit of achievable rates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from json import dumps
from typing import Any, Final

import numpy as np
import sympy
from numpy.typing import NDArray

from roofproof.derive.roofline.keeping import calibrated
from roofproof.derive.sweeps import by_engine, evaluate, rate_of
from roofproof.errors import MissingExtra, RoofproofError
from roofproof.formula.magnitudes import decimal
from roofproof.hardware.calibration import CORNERS, Calibration, Fitted, calibration_toml
from roofproof.hardware.chips import Chip
from roofproof.hardware.resources import is_compute, named
from roofproof.ops import Operation, parse_operation
from roofproof.ops.operation import one_kernel
from roofproof.ops.resources import MEMORY
from roofproof.sentences import Sentence
from roofproof.symbols import dimension
from roofproof.times.tables import Times

PRODUCT: Final = "fp16[m,k], fp16[k,n] -> fp16[m,n]"  # the operation of a table with columns m, n and k
LEAST: Final = 20  # minimum number of times: enough for three constants and held-out parts
PARTS: Final = 5  # parts of the table, each held out once
DIGITS: Final = 3  # significant digits of a fitted value
SLOWEST: Final = 0.001  # lower bound of a fitted share of a spec
FIT: Final = "least squares of log(estimate/time), Cauchy loss beyond 5 %"
Numbers = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Demands:
    """An operation at arrays of sizes: the FLOPs and bytes of each row of a table.

    Each of `engines` lists the formats that share a compute unit, because their times add up.

    >>> from roofproof.hardware import chip
    >>> from roofproof.times.tables import read_times
    >>> table = read_times("examples/measured/gemm_fp16.tsv").on(chip("h100-sxm"))
    >>> table.sizes["m"][0], table.sizes["n"][0], table.sizes["k"][0], int(demands(table, chip("h100-sxm")).flops[0])
    (1, 1536, 4096, 12582912)
    """

    op: Operation
    chip: Chip
    said: str
    engines: tuple[tuple[str, ...], ...]
    sizes: Mapping[str, Numbers]
    rows: int

    def at_rows(self, amount: sympy.Expr) -> Numbers:
        """Return an amount at each row. A counted amount may be zero."""
        if amount.is_Symbol:
            return self.sizes[amount.name]
        return np.broadcast_to(evaluate(amount, {s.name: self.sizes[s.name] for s in amount.free_symbols}), self.rows)

    @property
    def flops(self) -> Numbers:
        """FLOPs of all compute units."""
        return self._sum(map(self.at_rows, self.op.compute.values()))

    @property
    def moved(self) -> Numbers:
        """Bytes moved over the main memory."""
        return self._sum([self.at_rows(self.op.demands[MEMORY])] if MEMORY in self.op.demands else [])

    @property
    def compute(self) -> Numbers:
        """Seconds of the slowest compute unit at its peak."""
        longest: Numbers = np.max([np.zeros(self.rows), *map(self._seconds, self.engines)], axis=0)
        return longest

    @property
    def memory(self) -> Numbers:
        """Seconds to move all bytes over the main memory at its bandwidth."""
        return self._seconds([MEMORY] if MEMORY in self.op.demands else [])

    def estimate(self, rates: Calibration | str) -> Numbers:
        """Return the seconds of each row by fitted rates, or at full specs with times combined by max, sum or root."""
        if isinstance(rates, Calibration):
            shares = (float(share.value) for share in (rates.compute, rates.memory, rates.start))  # float: numbers
            return joined_times(self.compute, self.memory, rates.corner, *shares)
        times = np.stack([*map(self._seconds, self.engines), self.memory])
        joined: Mapping[str, Numbers] = {"max": times.max(axis=0), "sum": times.sum(axis=0)}
        return joined.get(rates, np.sqrt((times**2).sum(axis=0)))

    def _seconds(self, together: Sequence[str]) -> Numbers:
        rates = {name: float(rate_of(self.chip, name)) for name in together}  # float: numbers
        return self._sum(self.at_rows(self.op.demands[name]) / rate for name, rate in rates.items())

    def _sum(self, parts: Iterable[Numbers]) -> Numbers:
        total: Numbers = np.sum([np.zeros(self.rows), *parts], axis=0)
        return total


def joined_times(compute: Numbers, memory: Numbers, corner: str, e: float, d: float, start: float) -> Numbers:
    """Return `start + corner(compute/e, memory/d)` in seconds.

    >>> joined_times(np.array([3.0]), np.array([4.0]), "root", 1.0, 1.0, 0.5)        # 0.5 + sqrt(3^2 + 4^2)
    array([5.5])
    """
    a, b = compute / e, memory / d
    return start + (np.maximum(a, b) if corner == "max" else a + b if corner == "sum" else np.hypot(a, b))


def demands(table: Times, chip: Chip, op: Operation | None = None) -> Demands:
    """Return the FLOPs and bytes of each row of a table on a chip.

    >>> from roofproof.hardware import chip_from_text
    >>> from roofproof.times.tables import times_from_text
    >>> table = times_from_text("m,n,k,ms\\n1,2,3,5\\n", "t.csv")
    >>> found = demands(table, chip_from_text("fp16=24 FLOP/s, hbm=1 B/s"))
    >>> found.moved, found.compute                                # 2 (3 + 6 + 2); 2*1*2*3/24
    (array([22.]), array([0.5]))

    Without an operation, the columns determine it. Raises RoofproofError for missing sizes in the table and missing
    specs of the chip.
    """
    op, said = operation_of(table) if op is None else (op, op.name)
    table.refuse_missing([s.name for s in op.dims], op.name)
    sizes = {s.name: np.array(table.whole(s.name), np.int64) for s in op.dims}
    together = by_engine(op, [name for name in op.demands if name != MEMORY], [chip])
    return Demands(op, chip, said, tuple(map(tuple, together)), sizes, len(table))


def operation_of(table: Times) -> tuple[Operation, str]:
    """Return the operation that the columns of a table determine, and a description of it.

    >>> from roofproof.times.tables import times_from_text
    >>> operation_of(times_from_text("m,n,k,ms\\n1,2,3,5\\n", "t.csv"))[0].flops
    2*k*m*n

    Columns m, n and k mean fp16 products [m,k] x [k,n]. A column `bytes` (and `flops`) has counted amounts. Raises
    RoofproofError for any other columns.
    """
    if {"m", "n", "k"} <= {*table.sizes, *table.labels}:
        for name in "mnk":
            table.whole(name)
        return parse_operation(PRODUCT), Sentence("products <product>, from the columns m, n and k", product=PRODUCT)
    engines = {name: name.removeprefix("flops_").replace("_", "-") for name in table.sizes if name[:6] == "flops_"}
    engines |= {"flops": "fp16"} if "flops" in table.sizes else {}
    if "bytes" not in table.sizes and not (engines and table.said):
        has = ", ".join(table.sizes) or "no sizes"
        raise RoofproofError(
            "<file>: which operation was timed? name it with --op; the table has <has>", file=table.file, has=has
        )
    compute = {named(engine)[0]: dimension(name) for name, engine in engines.items()}
    op = one_kernel("counted", compute, links={MEMORY: dimension("bytes")} if "bytes" in table.sizes else {})
    said = "from the columns: bytes and FLOPs of <engines>" if engines else "from the columns: bytes"
    return op, table.said or Sentence(said, engines=", ".join(engines.values()))


def rates_for(chip: Chip, found: Demands) -> tuple[Calibration | None, str]:
    """Return the fitted rates for the operation of a table, and the source if they are from another format or chip.

    Returns (None, "") if there are none.
    """
    match [name for together in found.engines for name in together]:
        case [alone]:
            return next(calibrated(chip, alone), (None, ""))
    return None, ""


def fit(table: Times, found: Demands, source: str, corner: str | None = None) -> Calibration:
    """Return the rates for which the estimates of a table fit its times best.

    The three constants come from a fit to the whole table. Their intervals come from fits that each hold out a fifth of
    the shapes, and the error is the median on the held-out shapes. `corner` is max, sum or root (default: the one with
    the smallest error).

    >>> from roofproof.hardware import chip
    >>> from roofproof.times.tables import read_times
    >>> table = read_times("examples/measured/gemm_fp16.tsv").on(chip("h100-sxm"))
    >>> fit(table, demands(table, chip("h100-sxm")), "gemm_fp16.tsv", "root").points
    1116

    Raises RoofproofError if the table does not determine the constants.
    """
    compute, memory = found.compute, found.memory
    seconds = np.array([float(t) for t in table.seconds])  # float: numbers
    _refuse(table, found, seconds)
    every = np.arange(len(table))
    chosen = []
    for shape in CORNERS if corner is None else (corner,):
        whole = _constants(compute, memory, seconds, shape)
        left_out, errors = [], []
        for part in _parts(table):
            kept = np.setdiff1d(every, part)
            constants = _constants(compute[kept], memory[kept], seconds[kept], shape)
            left_out.append(constants)
            errors.append(np.abs(joined_times(compute[part], memory[part], shape, *constants) / seconds[part] - 1))
        chosen.append((float(np.median(np.concatenate(errors))), shape, whole, np.array(left_out)))  # float: numbers
    error, shape, whole, without = min(chosen, key=lambda each: each[0])
    if min(whole[:2]) < 1.01 * SLOWEST:
        raise RoofproofError(
            "<file>: these times reach <share> of a spec or less; check chip, operation and unit",
            file=table.file,
            share=f"{SLOWEST:.1%}",
        )
    columns = [np.append(without[:, k], whole[k]) for k in range(3)]
    e, d, start = (_fitted(value, column) for value, column in zip(whole, columns, strict=True))
    ((engine,),) = found.engines
    return Calibration(engine, found.chip.memory, e, d, start, shape, len(table), _digits(error), FIT, source)


def _refuse(table: Times, found: Demands, seconds: Numbers) -> None:
    """Raise RoofproofError for a table that cannot determine three constants, or with most times below the minimum."""
    compute, memory = found.compute, found.memory
    if len(table) < LEAST:
        raise RoofproofError(
            "<file>: <count> times; a fit of three constants takes at least <least>",
            file=table.file,
            count=len(table),
            least=LEAST,
        )
    if [len(together) for together in found.engines] != [1] or not is_compute(found.engines[0][0]):
        raise RoofproofError(
            "<file>: a fit needs FLOPs of one compute unit and bytes of the main memory", file=table.file
        )
    if (below := int(np.sum(seconds < compute))) > len(table) / 2:
        raise RoofproofError(
            "<file>: <below> of <count> times are below the minimum; check chip, operation and unit",
            file=table.file,
            below=below,
            count=len(table),
        )
    if (sizes := len(set(zip(compute.tolist(), memory.tolist(), strict=True)))) < PARTS:
        raise RoofproofError(
            "<file>: times of <sizes> sizes; a fit takes at least <parts>", file=table.file, sizes=sizes, parts=PARTS
        )
    if not (np.any(compute > memory) and np.any(compute < memory)):
        side = "compute-bound" if np.all(compute > memory) else "memory-bound"
        raise RoofproofError(
            "<file>: all times are <side>, which does not determine the other rate; add sizes beyond the ridge point",
            file=table.file,
            side=side,
        )


def _constants(compute: Numbers, memory: Numbers, seconds: Numbers, corner: str) -> tuple[float, float, float]:
    """Return the shares of peak and bandwidth (at most 1) and the startup time in seconds, by a fit robust to outliers.

    The Cauchy loss has several minima, so the fit starts from the solution for a convex loss.
    """
    try:
        from scipy.optimize import least_squares
    except ImportError:
        raise MissingExtra("scipy", "fit") from None

    def off(at: Numbers) -> Numbers:
        return np.log(joined_times(compute, memory, corner, *np.exp(at)) / seconds)

    least = float(np.min(seconds))  # float: numbers
    bounds = np.log([SLOWEST, SLOWEST, least / 1e6]), np.log([1.0, 1.0, 1e3 * least])
    at = np.log([0.8, 0.8, least / 2])
    for loss in ("soft_l1", "cauchy"):
        at = np.clip(least_squares(off, at, bounds=bounds, loss=loss, f_scale=0.05).x, *bounds)
    e, d, start = (float(each) for each in np.exp(at))  # float: numbers
    return e, d, start


def _parts(table: Times) -> list[list[int]]:
    """Return the rows of a table in five parts. Rows that differ only in the most varied size stay together.

    If that gives fewer than five groups, only rows of equal size stay together. The order of rows and columns does not
    matter.

    >>> from roofproof.times.tables import times_from_text
    >>> _parts(times_from_text("n,ms\\n1,9\\n2,9\\n1,9\\n3,9\\n4,9\\n5,9\\n", "t.csv"))           # 1 was timed twice
    [[0, 2], [1], [3], [4], [5]]
    """
    names = sorted(table.sizes, reverse=True)
    varied = max(names, key=lambda name: len(set(table.sizes[name])))
    shapes = _together(table, [name for name in names if name != varied])
    groups = shapes if len(shapes) >= PARTS else _together(table, names)
    return [sorted(row for group in groups[k::PARTS] for row in group) for k in range(PARTS)]


def _together(table: Times, names: Sequence[str]) -> list[list[int]]:
    rows: dict[tuple[int, ...], list[int]] = {}
    for row in range(len(table)):
        rows.setdefault(tuple(table.sizes[name][row] for name in names), []).append(row)
    return [rows[key] for key in sorted(rows)]


def _digits(value: float) -> Fraction:
    return Fraction(f"{value:.{DIGITS - 1}e}")


def _fitted(value: float, column: Numbers) -> Fitted:
    middle = _digits(value)
    return Fitted(middle, min(middle, _digits(float(column.min()))), max(middle, _digits(float(column.max()))))


def chip_file(chip: Chip, found: Calibration) -> str:
    """Return a chip file with the chip that the rates were fitted to, its current specs, and the fitted rates.

    >>> from roofproof.hardware import chip_from_text
    >>> from roofproof.hardware.reading import chip_from_toml
    >>> one = chip_from_text("fp16=24 TFLOP/s, hbm=1 TB/s, l2=2 MiB")
    >>> share = Fitted(*[Fraction(3, 4)] * 3)
    >>> made = Calibration("fp16", "hbm", share, share, share, "root", 20, Fraction(1, 20), "a fit", "t.csv")
    >>> read = chip_from_toml("mine", chip_file(one, made).encode(), "mine.toml")
    >>> read.supplies == one.supplies, read.calibration().source, read.base
    (True, 't.csv', '')
    """
    lines = [f"title = {dumps(chip.title or chip.name, ensure_ascii=False)}"]
    base = chip.base or (chip.name.partition("@")[0] if chip.vendor else "")
    lines += [f"base = {dumps(base)}"] if base else []
    lines += [f"vendor = {dumps(chip.vendor, ensure_ascii=False)}"] if chip.vendor else []
    for figure in chip.supplies:
        kind = figure.label.partition(" ")[2]
        head = f"{figure.label.partition(' ')[0]}.{kind}" if kind else figure.resource
        said = {"convention": figure.convention, "status": figure.status, "source": figure.source}
        ends = {"low": figure.low, "high": figure.high}
        said |= {key: f"{decimal(end)} {figure.unit}" for key, end in ends.items() if end is not None}
        rest = "".join(f", {key} = {dumps(text, ensure_ascii=False)}" for key, text in said.items())
        lines += ["", f"[{head}]", f'default = {{ value = "{decimal(figure.value)} {figure.unit}"{rest} }}']
    kept = [calibration_toml(each) for each in chip.calibrations if each.engine != found.engine]
    return "\n".join([*lines, "", *kept, calibration_toml(found)])
