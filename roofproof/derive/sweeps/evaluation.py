"""Sweeps: a formula over arrays of sizes and chips, compiled once and evaluated block by block.

A sweep is numbers, not a proof: a value is a 64-bit float, right to a few units in its last place unless terms cancel.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import sympy
from numpy.typing import ArrayLike, NDArray
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.text import plain
from roofproof.derive.roofline.engines import engine, engine_of
from roofproof.derive.roofline.intensities import intensity
from roofproof.derive.roofline.memory_fit import compared
from roofproof.derive.roofline.ridges import supply
from roofproof.derive.sweeps.compiled import Compiled, compiled, maximum
from roofproof.derive.sweeps.steps import SweepProgram, recorded
from roofproof.derive.sweeps.value_bounds import Bounds
from roofproof.errors import RoofproofError, quoted, unknown
from roofproof.hardware import Chip
from roofproof.ops.operation import Operation
from roofproof.ops.resources import MAIN_MEMORY, MEMORY
from roofproof.parallel import processors
from roofproof.symbols import quantity as positive_symbol

QUANTITIES = ("flops", "bytes", "intensity", "attainable", "lower", "upper")

MANY, THREADS = 2**20, 4  # values from which threads are worth their start, and how many are used at most
BLOCK = 2**17  # values at a time: few enough for the cache of a core, enough that threads seldom wait for one another
TOLD: Any = {"over": "raise", "divide": "raise", "invalid": "raise", "under": "ignore"}

SIGNS = {
    sympy.Le: np.less_equal, sympy.Lt: np.less, sympy.Ge: np.greater_equal, sympy.Gt: np.greater,
    sympy.Ne: np.not_equal, sympy.Eq: np.equal,
}  # fmt: skip
Numbers = NDArray[Any]


def evaluate(
    what: Operation | sympy.Expr,
    sizes: Mapping[str, ArrayLike],
    quantity: str | None = None,
    chips: Chip | Sequence[Chip] | None = None,
    *,
    exact: bool = False,
) -> Numbers:
    """Return a formula, or a quantity of an operation, for arrays of sizes and for one chip or several.

    >>> from roofproof import chip, op
    >>> evaluate(op("matmul"), {"B": [1, 1024], "D": 1024, "F": 1024}, "intensity").round(2)   # 1/(1/B + 1/D + 1/F)
    array([  1.  , 341.33])
    >>> v5e = chip("bf16=1.97e14 FLOP/s, hbm=8.2e11 B/s")
    >>> evaluate(op("matmul"), {"B": [1024, 4096], "D": 4096, "F": 4096}, "attainable", v5e)   # both compute-bound
    array([1.97e+14, 1.97e+14])
    >>> evaluate(op("matmul"), {"B": [1, 2], "D": 3, "F": 4}, "flops", exact=True)             # 2*1*3*4, 2*2*3*4
    array([24, 48])

    `sizes` maps names to numbers or arrays, which are broadcast; the result has their common shape, and with a
    sequence of chips one more axis, the first. `quantity` is one of `flops`, `bytes` (of the main memory),
    `intensity` (FLOP/B), and, on chips, `lower` and `upper` (s, the bounds of the time), `attainable` (FLOP/s, the
    FLOPs over `lower`) and `time:RESOURCE` (s), such as `time:memory`.

    The result is float64. With `exact=True` it is int64, for formulas that add and multiply whole numbers, and
    only where exact bounds on every step show that 64 bits hold it. Beyond the arrays given and returned, memory is
    at most `BLOCK` values for each size and each step of the formula, in each of at most `THREADS` threads. Raises
    RoofproofError for names and sizes that do not fit, and for results out of range.
    """
    if isinstance(what, Operation):
        on = [chips] if isinstance(chips, Chip) else chips or ()
        expr, rates = formula(what, quantity or ("flops" if chips is None else "attainable"), on)
        allowed = {s.name for s in what.dims}
    elif quantity is not None or chips is not None:
        raise RoofproofError("a quantity and chips go with an operation; an expression is evaluated as it is")
    else:
        expr, rates, allowed = what, (), {s.name for s in what.free_symbols}
    for name in sizes:
        if name not in allowed:
            raise unknown("size", name, allowed)
    found = compiled(expr)
    missing = [name for name in found.names if name not in {*sizes, *rates}]
    if missing:
        raise RoofproofError(f"no size for {', '.join(missing)}; give a number or an array for each")
    given = {name: _array(name, values) for name, values in sizes.items()}
    for name, array in given.items():
        if not array.ndim or name not in found.names:
            _check_positive(name, array)
    shape = _shape(given)
    if isinstance(what, Operation):
        _check_existing(what, chips, given)
    threads = min(THREADS, processors()) if math.prod(shape) >= MANY else 1
    if exact:
        _refuse_inexact(found, given, expr)
        return _filled(found, given, np.empty(shape, np.int64), threads)
    every = _chips(chips, rates)
    out = np.empty((len(every), *shape))
    for k, one in enumerate(every):
        fixed = {rate: np.asarray(rate_of(one, rate), np.float64) for rate in rates} if one else {}
        _filled(found, {**given, **fixed}, out[k, ...], threads)
    return out if isinstance(chips, Sequence) else out[0, ...]


def holding(conditions: Iterable[Boolean], sizes: Mapping[str, ArrayLike]) -> Any:
    """Tell at which sizes comparisons hold.

    >>> from roofproof.symbols import dimension
    >>> holding([dimension("W") <= dimension("L")], {"W": np.array([1, 2, 3]), "L": 2}).tolist()
    [True, True, False]
    """

    def side(expr: sympy.Expr) -> Numbers:
        return evaluate(expr, {s.name: sizes[s.name] for s in expr.free_symbols})

    return np.logical_and.reduce(np.broadcast_arrays(True, *(SIGNS[type(c)](*map(side, c.args)) for c in conditions)))


def _check_existing(op: Operation, chips: Chip | Sequence[Chip] | None, given: Mapping[str, Numbers]) -> None:
    """Refuse sizes at which the operation does not exist."""
    for condition in compared(op, [chips] if isinstance(chips, Chip) else chips or ()):
        names = [s.name for s in condition.free_symbols]
        if {*names} <= given.keys() and not (there := holding([condition], given)).all():
            first = np.unravel_index(np.argmin(there), there.shape)
            point = ", ".join(f"{n}={np.broadcast_to(given[n], there.shape)[first]}" for n in sorted(names))
            raise RoofproofError(f"at {point}: {op.name} assumes that {plain(condition)}, which is false")


def formula(op: Operation, quantity: str, chips: Sequence[Chip] = ()) -> tuple[sympy.Expr, tuple[str, ...]]:
    """Return a quantity of an operation as one formula, and the resources whose rates it has, as symbols.

    >>> from roofproof.ops import parse_operation
    >>> formula(parse_operation("flops bf16 = 6 N; bytes hbm = 4 N"), "upper")     # FLOPs/rate + bytes/rate
    (4*N/rate of memory + 6*N/rate of bf16, ('rate of bf16', 'rate of memory'))
    >>> formula(parse_operation("flops bf16 = 6 N; flops int8 = 4 N; bytes hbm = N"), "lower")[0]    # on one engine
    maximum(4*N/rate of int8 + 6*N/rate of bf16, N/rate of memory)

    Raises RoofproofError for a quantity that is not one, or that the operation does not have, and for chips on which
    other formats share an engine.
    """
    if quantity == "flops":
        return op.flops, ()
    if quantity == "bytes":
        return op.bytes(), ()
    if quantity in ("intensity", "attainable") and len(by_engine(op, op.compute, chips)) > 1:
        said = "<quantity> is that of one compute unit, and <op> has FLOPs of <units>; sweep lower, or <time>"
        units, first = ", ".join(op.compute), next(iter(op.compute))
        raise RoofproofError(said, quantity=quantity, op=op.name, units=units, time=f"time:{first}")
    if quantity == "intensity":
        return intensity(op).value, ()
    demands = op.demands
    if quantity.startswith("time:"):
        resource = quantity.removeprefix("time:")
        resource = MEMORY if resource in MAIN_MEMORY else resource
        if resource not in demands:
            raise unknown(f"resource of {op.name}", resource, demands)
        demands = {resource: demands[resource]}
    elif quantity not in QUANTITIES:
        raise unknown("quantity", quantity, (*QUANTITIES, *(f"time:{r}" for r in demands)))
    rates = {resource: positive_symbol(f"rate of {resource}") for resource in demands}
    names = tuple(rate.name for rate in rates.values())
    times = [
        sympy.Add(*(demands[resource] / rates[resource] for resource in together))
        for together in by_engine(op, demands, chips)
    ]
    if quantity == "upper":
        return sympy.Add(*times), names
    low = times[0] if len(times) == 1 else maximum(*times)
    return (op.flops / low if quantity == "attainable" else low), names


def by_engine(op: Operation, resources: Iterable[str], chips: Sequence[Chip] = ()) -> list[list[str]]:
    """Return the resources whose times add up, as formats on one engine do, and each of the others by itself.

    >>> from roofproof.ops import parse_operation
    >>> both = parse_operation("flops bf16 = 6; flops exp = 2; flops int8 = 8; bytes hbm = 4")
    >>> by_engine(both, both.demands)
    [['bf16', 'int8'], ['exp'], ['memory']]
    """
    every = tuple(resources)
    first, *others = (_by_engine(op, every, chip) for chip in chips or (None,))
    if any(other != first for other in others):
        told = "formats of <name> share an engine on some of these chips and not on others; ask for them one at a time"
        raise RoofproofError(told, name=quoted(op.name))
    return first


def _by_engine(op: Operation, resources: Iterable[str], chip: Chip | None) -> list[list[str]]:
    found: dict[str, list[str]] = {}
    for resource in resources:
        unit = resource
        if resource in op.compute:
            unit = f"flops {engine(resource) if chip is None else engine_of(chip, resource)}"
        found.setdefault(unit, []).append(resource)
    return list(found.values())


def _chips(chips: Chip | Sequence[Chip] | None, rates: Sequence[str]) -> Sequence[Chip | None]:
    if chips is None:
        if rates:
            raise RoofproofError("this quantity is one of a chip; name one, or ask for flops, bytes or intensity")
        return [None]
    every = chips if isinstance(chips, Sequence) else [chips]
    if not every:
        raise RoofproofError("no chips: expected at least one")
    return every


def rate_of(chip: Chip, rate: str) -> Fraction:
    """Return the figure of a chip that a symbol of `formula` stands for.

    >>> from roofproof import chip
    >>> rate_of(chip("bf16=2 FLOP/s, hbm=4 B/s"), "rate of memory")
    Fraction(4, 1)
    """
    return supply(chip, rate.removeprefix("rate of ")).value


def _array(name: str, values: ArrayLike) -> Numbers:
    try:
        array = np.asarray(values)
    except (ValueError, TypeError):  # rows of different lengths
        raise RoofproofError(f"sizes of {name}: expected an array of numbers") from None
    if array.dtype == object and all(type(v) is int for v in array.flat):
        return array  # whole numbers beyond 64 bits
    if array.dtype.kind not in "iuf":
        raise RoofproofError(f"sizes of {name}: expected an array of numbers, not of {array.dtype}")
    return array


def _check_positive(name: str, array: Numbers) -> None:
    if array.size and not array.min() > 0:
        raise RoofproofError(f"sizes of {name}: expected positive numbers, got {array.min():g}")


def _glance(name: str, array: Numbers) -> None:
    """Refuse sizes that are not positive; what is no number is left to what comes of it, which is faster."""
    if not np.fmin.reduce(array) > 0:
        _check_positive(name, array)


def _shape(given: Mapping[str, Numbers]) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(*(a.shape for a in given.values()))
    except ValueError:
        shapes = ", ".join(f"{name} {a.shape}" for name, a in given.items())
        raise RoofproofError(f"sizes that do not fit together: {shapes}") from None


def _refuse_inexact(found: Compiled, given: Mapping[str, Numbers], expr: sympy.Expr) -> None:
    """Refuse what is no sum of products of whole numbers, and what 64 bits may not hold at some step."""
    if not found.whole:
        raise RoofproofError(f"exact=True is for sums and products of whole numbers, not {quoted(expr)}")
    for name, array in given.items():
        if array.dtype.kind == "f":
            raise RoofproofError(f"sizes of {name}: exact=True needs whole numbers, not {array.dtype}")
    ends = [(a.min(), a.max()) if (a := given[name]).size else (1, 1) for name in found.names]
    bounds = [Bounds(int(low), int(high)) for low, high in ends]
    found(*bounds, *(int(n) for n in found.numbers))


def _filled(found: Compiled, given: Mapping[str, Numbers], out: Numbers, threads: int) -> Numbers:
    """Evaluate into `out`, a part a thread; what is one number is not made an array."""
    dtype, whole = out.dtype, out.dtype == np.int64
    values: list[Any] = [given[name] for name in found.names]
    for i, array in enumerate(values):
        if not array.ndim:
            values[i] = array.astype(dtype)[()]  # a NumPy scalar, whose overflow is told as that of arrays
        elif array.dtype == object or array.dtype.itemsize > 8:
            values[i] = array.astype(dtype)
    looks: dict[int, Any] = {}
    for i, array in enumerate(values):
        if np.ndim(array):
            looks[i] = partial(_glance, found.names[i])
            if array.size < out.size:  # broadcast: once is enough
                _check_positive(found.names[i], array)
                looks[i] = None
    try:
        with np.errstate(**TOLD):
            numbers = [int(n) if whole else np.float64(float(n)) for n in found.numbers]  # float: numbers of a sweep
            if not looks:
                out[...] = found(*values, *numbers)
                if not np.isfinite(out).all():
                    raise FloatingPointError
                return out
            kinds = {i: (values[i].dtype, look) for i, look in looks.items()}
            steps = recorded(found.function, [*values, *numbers], kinds, dtype)
        arrays = [np.broadcast_to(values[i], out.shape) for i in looks]
        sure = steps.telling and all(
            array.dtype.kind in "iu" if np.ndim(array) else np.isfinite(array) for array in values
        )
        names = [found.names[i] for i in looks]
        check = None if sure else partial(_check_finite, positive=found.positive)
        starts: Any = np.linspace(0, len(out), threads + 1, dtype=int)

        def part(k: int) -> None:
            here = slice(starts[k], starts[k + 1])
            _blocks(steps, [array[here] for array in arrays], out[here], check, names)

        with ThreadPoolExecutor(threads) as pool:  # its threads start with their work; the first part is done here
            others = [pool.submit(part, k) for k in range(1, threads)]
            part(0)
            for other in others:
                other.result()
    except (FloatingPointError, OverflowError):
        raise RoofproofError("a value is beyond the range of floats (1.8e308), or not defined at these sizes") from None
    return out


def _blocks(
    steps: SweepProgram,
    arrays: Sequence[Numbers],
    out: Numbers,
    check: Callable[[Numbers], None] | None,
    names: Sequence[str],
) -> None:
    """Evaluate block by block; a block is never longer than what is evaluated."""
    spare = np.empty((steps.spare, min(BLOCK, out.size)), out.dtype)
    with np.errstate(**TOLD):
        for *some, result in _cut([*arrays, out]):
            try:
                steps.run(result, some, list(spare[:, : len(result)]))
                if check:
                    check(result)
            except FloatingPointError:
                for name, block in zip(names, some, strict=True):
                    _check_positive(name, block)  # a size that is not positive is told as such
                raise


def _cut(arrays: Sequence[Numbers]) -> Iterator[Sequence[Numbers]]:
    """Yield blocks of arrays of one shape, the last to be written; slices where the arrays lie in one piece."""
    if all(array.flags.c_contiguous for array in arrays):
        flat = [array.reshape(-1) for array in arrays]
        for start in range(0, flat[-1].size, BLOCK):
            yield [array[start : start + BLOCK] for array in flat]
        return
    how: dict[str, Any] = {
        "flags": ["buffered", "external_loop", "zerosize_ok", "delay_bufalloc"],
        "op_flags": [*(["readonly"] for _ in arrays[1:]), ["writeonly"]],
    }
    with np.nditer(list(arrays), buffersize=BLOCK, **how) as blocks:
        blocks.reset()
        yield from blocks


def _check_finite(result: Numbers, positive: bool) -> None:
    """Refuse what no step tells of: values from sizes that are not finite."""
    if not (result.max() < math.inf and (positive or result.min() > -math.inf)):
        raise FloatingPointError
