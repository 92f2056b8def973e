"""Sweeps over a grid of sizes, in slabs: one after another here, or side by side by workers."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sympy.logic.boolalg import Boolean

from roofproof.derive.roofline.memory_fit import check_requirements, compared
from roofproof.derive.sweeps.evaluation import evaluate, formula, holding, rate_of
from roofproof.errors import RoofproofError, unknown
from roofproof.hardware import Chip
from roofproof.ops import Operation
from roofproof.parallel import in_order, workers_from

SLAB = 2**18  # points at a time, 2 MiB a column

Columns = dict[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Sweep:
    """Quantities of an operation over a grid of sizes and chips; nothing is evaluated until slabs are asked for.

    >>> from roofproof import chip, op
    >>> v5e = chip("bf16=1.97e14 FLOP/s, hbm=8.2e11 B/s")
    >>> found = sweep(op("matmul"), {"B": range(1, 4), "D": range(64, 129, 64)}, [v5e], ["flops"], {"F": 2})
    >>> found.shape, len(found)                                # 1 chip, 3 values of B, 2 of D
    ((1, 3, 2), 6)
    >>> next(found.slabs())["flops"]                           # 2*B*D*2
    array([ 256.,  512.,  512., 1024.,  768., 1536.])
    """

    axes: Mapping[str, range | NDArray[Any]]
    fixed: Mapping[str, int]
    chips: tuple[Chip, ...]
    formulas: Mapping[str, tuple[Any, tuple[str, ...]]]
    compared: tuple[tuple[Boolean, ...], ...] = ((),)

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of chips, where some are named, then of sizes along each axis."""
        return (*([len(self.chips)] if self.chips else []), *(len(axis) for axis in self.axes.values()))

    def __len__(self) -> int:
        return math.prod(self.shape)

    def __repr__(self) -> str:
        return f"Sweep({', '.join(self.columns)}: {len(self)} points)"

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of a slab: `chip` where there are some, the axes, the quantities."""
        return (*(["chip"] if self.chips else []), *self.axes, *self.formulas)

    def slabs(
        self, workers: int | str | None = None, each: Callable[[Columns], Any] | None = None, slab: int = SLAB
    ) -> Iterator[Any]:
        """Yield the columns, a slab of points at a time, in order: the last axis varies fastest, the chip slowest.

        `workers` is a number of processes on this machine, `threads:N`, or the address of a Dask scheduler
        (`tcp://host:8786`) whose workers have this package. `each` is what workers make of a slab, to yield it in
        the place of the columns. Raises RoofproofError for workers that cannot be had.
        """
        starts = range(0, len(self), slab)
        yield from in_order(_made, (self, slab, each), starts, workers_from(workers or 1), threads=True)

    def at(self, start: int, stop: int) -> Columns:
        """Return the columns of the points from `start` up to `stop`, in the order of the slabs."""
        indices = np.unravel_index(np.arange(start, min(stop, len(self))), self.shape)
        points = dict(zip(self.axes, indices[len(self.shape) - len(self.axes) :], strict=True))
        sizes = {name: _taken(axis, points[name]) for name, axis in self.axes.items()}
        columns: Columns = {}
        if self.chips:
            columns["chip"] = np.array([c.name for c in self.chips])[indices[0]]
        columns |= sizes
        gone = np.zeros(len(indices[0]), bool)
        for n, asked in enumerate(self.compared):
            if asked:
                gone |= ~holding(asked, {**self.fixed, **sizes}) & (indices[0] == n if self.chips else True)
        for quantity, (expr, rates) in self.formulas.items():
            supplied: dict[str, Any] = {}
            for rate in rates:
                every = np.array([rate_of(c, rate) for c in self.chips], np.float64)
                supplied[rate] = every[0] if len(every) == 1 else every[indices[0]]
            needed = {s.name for s in expr.free_symbols}
            given = {name: v for name, v in {**self.fixed, **sizes, **supplied}.items() if name in needed}
            columns[quantity] = np.broadcast_to(evaluate(expr, given), len(indices[0]))
            if gone.any():
                columns[quantity] = np.where(gone, np.nan, columns[quantity])
        return columns


def sweep(
    op: Operation,
    over: Mapping[str, range | Sequence[int] | NDArray[Any]],
    chips: Sequence[Chip] = (),
    quantities: Sequence[str] | None = None,
    at: Mapping[str, int] | None = None,
) -> Sweep:
    """Return a sweep of an operation over every combination of the sizes in `over`, on each of some chips.

    >>> from roofproof import op
    >>> found = sweep(op("dot"), {"N": range(1, 4)})
    >>> for name, column in next(found.slabs()).items():        # 2N - 1 FLOPs, 4N + 2 bytes
    ...     print(name, column.round(3))
    N [1 2 3]
    flops [1. 3. 5.]
    bytes [ 6. 10. 14.]
    intensity [0.167 0.3   0.357]

    `quantities` are those of `evaluate`; without them the FLOPs, the bytes and the intensity, and on chips the
    intensity and the attainable FLOP/s. `at` gives the sizes that stay. Raises RoofproofError for a dimension that
    the operation does not have, or one without a size, and for sizes that stay and break what the operation assumes;
    those in `over` may lie between the sizes for which its formulas are exact, and values are nan where it compares
    sizes otherwise.

    >>> windows = sweep(op("sliding-window-attention"), {"L": range(2, 9, 2)}, at={"W": 4, "h": 1, "k": 1})
    >>> next(windows.slabs())["flops"]                         # W (2 L + 1 - W) pairs, 2 FLOPs each, for 4 <= L
    array([ nan,  40.,  72., 104.])
    """
    at = at or {}
    dims = [s.name for s in op.dims]
    for name in (*over, *at):
        if name not in dims:
            raise unknown("dimension", name, dims)
    both = [name for name in over if name in at]
    missing = [name for name in dims if name not in over and name not in at]
    if both:
        raise RoofproofError(f"{both[0]} is swept and has a size; leave out one of the two")
    if missing:
        raise RoofproofError(f"no size for {', '.join(missing)}; give it a range or a size")
    for one in chips or (None,):
        check_requirements(op, one, at)
    wanted = quantities or (("intensity", "attainable") if chips else ("flops", "bytes", "intensity"))
    formulas = {}
    for name in over:
        if name in ("chip", *wanted):
            raise RoofproofError(f"dimension {name} has the name of a column; rename it")
    for name in wanted:
        expr, rates = formula(op, name, chips)
        if rates and not chips:
            raise RoofproofError(f"{name} is a quantity of a chip; name one")
        for one in chips:
            for rate in rates:
                rate_of(one, rate)  # raises for a figure that the chip lacks
        formulas[name] = (expr, rates)
    axes = {name: axis if isinstance(axis, range) else np.asarray(axis) for name, axis in over.items()}
    for name, axis in axes.items():
        if not isinstance(axis, range) and axis.ndim != 1:
            raise RoofproofError(f"sizes of {name}: expected a range or a list of numbers")
        if not len(axis):
            raise RoofproofError(f"no sizes of {name}; give at least one")
    asked = tuple(compared(op, [one]) for one in chips) or (compared(op),)
    return Sweep(axes, dict(at), tuple(chips), formulas, asked)


def _taken(axis: range | NDArray[Any], indices: NDArray[Any]) -> NDArray[Any]:
    return axis.start + axis.step * indices if isinstance(axis, range) else axis[indices]


def _made(shared: tuple[Sweep, int, Callable[[Columns], Any] | None], start: int) -> Any:
    """Return the columns of a slab, or what is made of them."""
    found, slab, each = shared
    columns = found.at(start, start + slab)
    return columns if each is None else each(columns)
