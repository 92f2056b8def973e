"""Calibrated ceilings from a table of measured times, with the error on times held out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from roofproof.errors import MissingExtra, RoofproofError
from roofproof.hardware.calibration import CORNERS, Calibration, Fitted, Moving
from roofproof.hardware.chips import Chip
from roofproof.measured.amounts import Demands, joined_times, moved_times
from roofproof.measured.times import Times

LEAST: Final = 20  # points: three constants, and parts held out
PARTS: Final = 5  # of the table, each left out once
DIGITS: Final = 3  # kept of a fitted value
SLOWEST: Final = 0.001  # the least share of a figure that a fit may say is reached
FIT: Final = "least squares of log(estimate/time), Cauchy loss beyond 5 %"
Numbers = NDArray[Any]


def fit(table: Times, found: Demands, source: str, corner: str | None = None) -> Calibration:
    """Return the ceilings under which the estimates of a table come nearest to its times.

    Each constant is that of a fit to the whole table; its interval is where it lies when a fifth of the shapes is
    left out, and the error is the median on those left out. Of the three corners that with the least error is
    taken, unless one is asked for.

    >>> from roofproof.hardware import chip
    >>> from roofproof.measured.amounts import demands
    >>> from roofproof.measured.times import read_times
    >>> table = read_times("examples/measured/gemm_fp16.tsv").on(chip("h100-sxm"))
    >>> fit(table, demands(table, chip("h100-sxm")), "gemm_fp16.tsv", "root").points
    1116

    Raises RoofproofError where the table cannot tell the constants apart.
    """
    _enough(table, found)
    compute, memory = found.compute, found.memory
    if len(found.engines) != 1 or len(found.engines[0]) != 1:
        raise RoofproofError(
            f"{table.file}: a fit is of one engine and the main memory; the operation uses several or none"
        )
    _several(table, compute, memory)
    ridge = compute / np.maximum(memory, np.finfo(float).tiny)  # float: numbers
    if not (np.any(ridge > 1) and np.any(ridge < 1)):
        side = "compute-bound" if np.all(ridge > 1) else "memory-bound"
        raise RoofproofError(
            f"{table.file}: all times are {side}, which does not tell the other ceiling; add sizes beyond "
            f"the ridge point"
        )
    seconds = np.array([float(t) for t in table.seconds])  # float: numbers
    parts = _parts(table)
    chosen = []
    for shape in CORNERS if corner is None else (corner,):
        whole = _constants(compute, memory, seconds, shape)
        left_out, errors = [], []
        for part in parts:
            kept = np.ones(len(seconds), bool)
            kept[part] = False
            constants = _constants(compute[kept], memory[kept], seconds[kept], shape)
            left_out.append(constants)
            errors.append(np.abs(joined_times(compute[part], memory[part], shape, *constants) / seconds[part] - 1))
        chosen.append((float(np.median(np.concatenate(errors))), shape, whole, np.array(left_out)))  # float: numbers
    error, shape, whole, without = min(chosen, key=lambda each: each[0])
    _plausible(table, whole[:2])
    columns = [np.append(without[:, k], whole[k]) for k in range(3)]
    e, d, start = (_fitted(value, column) for value, column in zip(whole, columns, strict=True))
    ((engine,),) = found.engines
    level = found.chip.memory
    return Calibration(engine, level, e, d, start, shape, len(table), _digits(error), FIT, source)


def fit_moving(table: Times, found: Demands, source: str, kind: str) -> Moving:
    """Return the ceilings of a kind of operation that moves bytes alone; over several numbers of chips, a step of each.

    >>> from roofproof.hardware import chip
    >>> from roofproof.measured.amounts import demands
    >>> from roofproof.measured.times import read_times
    >>> table = read_times("examples/measured/elementwise_fp16.tsv").on(chip("h100-sxm")).only(operation="swiglu")
    >>> made = fit_moving(table, demands(table, chip("h100-sxm")), "elementwise_fp16.tsv", "swiglu")
    >>> made.channel, made.points, made.step is None
    ('hbm', 86, True)

    Raises RoofproofError where the table cannot tell the constants apart.
    """
    _enough(table, found)
    channel, moved = found.carried()
    _several(table, moved)
    seconds = np.array([float(t) for t in table.seconds])  # float: numbers
    chips = np.array(table.sizes["n"]) if "n" in found.sizes else np.ones(len(table))
    several = len(set(chips.tolist())) > 1

    def made(rows: Numbers) -> Numbers:
        return _least(lambda at: np.log(moved_times(moved[rows], chips[rows], *at) / seconds[rows]), seconds, several)

    whole = made(np.arange(len(table)))
    _plausible(table, whole[:1].tolist())
    left_out, errors = [], []
    for part in _parts(table):
        constants = made(np.setdiff1d(np.arange(len(table)), part))
        left_out.append(constants)
        errors.append(np.abs(moved_times(moved[part], chips[part], *constants) / seconds[part] - 1))
    columns = np.append(np.array(left_out), [whole], axis=0)
    share, start, *step = (_fitted(value, column) for value, column in zip(whole, columns.T, strict=True))
    error = float(np.median(np.concatenate(errors)))  # float: numbers
    return Moving(kind, channel, share, start, step[0] if step else None, len(table), _digits(error), FIT, source)


def _least(off: Callable[[Numbers], Numbers], seconds: Numbers, several: bool) -> Numbers:
    """Return the share, at most 1, the start, and the step over several numbers of chips, that are least off."""
    least = float(np.min(seconds))  # float: numbers
    start, low, high = [0.8, least / 2], [SLOWEST, least / 1e6], [1.0, 1e3 * least]
    if several:
        start, low, high = [*start, least / 20], [*low, least / 1e6], [*high, 1e3 * least]
    return _solved(lambda at: off(np.exp(at)), start, low, high)


def _solved(off: Callable[[Numbers], Numbers], start: list[float], low: list[float], high: list[float]) -> Numbers:
    """Return the constants whose logarithms make what is off least, for most times: some kernels are not the model.

    The loss of Cauchy has more than one valley; it is entered from the constants of one that has not.
    """
    try:
        from scipy.optimize import least_squares
    except ImportError:
        raise MissingExtra("scipy", "fit") from None
    bounds = (np.log(low), np.log(high))
    at = np.log(start)
    for loss in ("soft_l1", "cauchy"):
        at = np.clip(least_squares(off, at, bounds=bounds, loss=loss, f_scale=0.05).x, *bounds)
    constants: Numbers = np.exp(at)
    return constants


def _enough(table: Times, found: Demands) -> None:
    """Refuse too few times, and those of which most lie below the floor."""
    if len(table) < LEAST:
        raise RoofproofError(f"{table.file}: {len(table)} times; a fit of three constants takes at least {LEAST}")
    seconds = np.array([float(t) for t in table.seconds])  # float: numbers
    if (below := int(np.sum(seconds < found.floor))) > len(table) / 2:
        raise RoofproofError(
            f"{table.file}: {below} of {len(table)} times lie below the floor, which no run can; is it another chip, "
            f"operation or unit of the times?"
        )


def _plausible(table: Times, shares: Sequence[float]) -> None:
    """Refuse what comes to the least share that a fit looks for: the times are of something else."""
    if min(shares) < 1.01 * SLOWEST:
        raise RoofproofError(
            f"{table.file}: by these times {SLOWEST:.1%} of a figure or less is reached; is it another chip, operation "
            f"or unit of the times?"
        )


def _several(table: Times, *amounts: Numbers) -> None:
    sizes = len(set(zip(*(each.tolist() for each in amounts), strict=True)))
    if sizes < PARTS:
        raise RoofproofError(f"{table.file}: times of {sizes} size{'s' * (sizes > 1)}; a fit takes at least {PARTS}")


def _constants(compute: Numbers, memory: Numbers, seconds: Numbers, corner: str) -> tuple[float, float, float]:
    """Return shares of peak and bandwidth, at most 1, and the start in seconds."""

    def off(at: Numbers) -> Numbers:
        return np.log(joined_times(compute, memory, corner, *np.exp(at)) / seconds)

    least = float(np.min(seconds))  # float: numbers
    found = _solved(off, [0.8, 0.8, least / 2], [SLOWEST, SLOWEST, least / 1e6], [1.0, 1.0, 1e3 * least])
    return (float(found[0]), float(found[1]), float(found[2]))  # float: numbers


def _parts(table: Times) -> list[list[int]]:
    """Return the rows of a table in five parts; those that differ only in the size that varies most stay together.

    Of fewer shapes than parts those of one size stay together. The order of rows and columns does not matter.

    >>> from roofproof.measured.times import times_from_text
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


def chip_file(chip: Chip, found: Calibration | Moving) -> str:
    """Return a chip file: the figures of a chip that are in force, and calibrated ceilings found for it.

    >>> from roofproof.hardware import chip_from_text
    >>> from roofproof.hardware.calibration import Fitted
    >>> from roofproof.hardware.reading import chip_from_toml
    >>> one = chip_from_text("fp16=24 TFLOP/s, hbm=1 TB/s, l2=2 MiB")
    >>> share = Fitted(*[Fraction(3, 4)] * 3)
    >>> made = Calibration("fp16", "hbm", share, share, share, "root", 20, Fraction(1, 20), "a fit", "t.csv")
    >>> read = chip_from_toml("mine", chip_file(one, made).encode(), "mine.toml")
    >>> read.supplies == one.supplies, read.calibration().source
    (True, 't.csv')
    """
    from json import dumps

    from roofproof.formula.magnitudes import decimal
    from roofproof.hardware.calibration import written

    lines = [f"title = {dumps(chip.title or chip.name, ensure_ascii=False)}"]
    lines += [f"vendor = {dumps(chip.vendor, ensure_ascii=False)}"] if chip.vendor else []
    for figure in chip.supplies:
        kind = figure.label.partition(" ")[2]
        head = f"{figure.label.partition(' ')[0]}.{kind}" if kind else figure.resource
        said = {"convention": figure.convention, "status": figure.status, "source": figure.source}
        ends = {"low": figure.low, "high": figure.high}
        said |= {key: f"{decimal(end)} {figure.unit}" for key, end in ends.items() if end is not None}
        rest = "".join(f", {key} = {dumps(text, ensure_ascii=False)}" for key, text in said.items())
        lines += ["", f"[{head}]", f'default = {{ value = "{decimal(figure.value)} {figure.unit}"{rest} }}']
    known: list[Calibration | Moving] = [*chip.calibrations, *chip.movings]
    kept = [written(c) for c in known if _of(c) != _of(found)]
    return "\n".join([*lines, "", *kept, written(found)])


def _of(found: Calibration | Moving) -> tuple[str, str]:
    return ("moving", found.kind) if isinstance(found, Moving) else ("engine", found.engine)
