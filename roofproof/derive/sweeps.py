"""Sweeps: formulas evaluated over arrays of sizes and chips with SymPy's `lambdify` and NumPy, block by block.

A sweep gives numbers, not proofs. Values are 64-bit floats, accurate to a few units in the last place unless terms
cancel.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
import sympy
from numpy.typing import ArrayLike, NDArray
from sympy import Expr, Symbol
from sympy.logic.boolalg import Boolean

from roofproof.answer import Answer
from roofproof.derive.algebra.text import plain
from roofproof.derive.roofline.engines import compute_unit, unit_used
from roofproof.derive.roofline.intensities import intensity
from roofproof.derive.roofline.memory_fit import check_requirements, compared
from roofproof.derive.roofline.ridges import supply
from roofproof.errors import RoofproofError, quoted, unknown
from roofproof.formula.logarithm import exp2, log2
from roofproof.hardware import Chip
from roofproof.ops import Operation
from roofproof.ops.resources import MAIN_MEMORY, MEMORY
from roofproof.parallel import parallel_map, workers_from
from roofproof.proofs.derivation import Derivation
from roofproof.symbols import quantity as positive_symbol

QUANTITIES = ("flops", "bytes", "intensity", "attainable", "lower", "upper")
BLOCK = 2**16  # values at a time: few enough for the cache of a core
SLAB = 2**18  # points in one task of a worker, 2 MiB a column
LITERAL = 2**31  # integers below this stay in the code, any other number is an argument
MAX_POWER = 64
BEYOND = "a value is beyond the range of floats (1.8e308), or not defined at these sizes"
RAISING: Any = {"over": "raise", "divide": "raise", "invalid": "raise", "under": "ignore"}

SIGNS = {
    sympy.Le: np.less_equal, sympy.Lt: np.less, sympy.Ge: np.greater_equal, sympy.Gt: np.greater,
    sympy.Ne: np.not_equal, sympy.Eq: np.equal,
}  # fmt: skip
Numbers = NDArray[Any]
Columns = dict[str, Numbers]

# The functions that the code calls. SymPy would print its own as functions of one library or another.
maximum, minimum, power = (sympy.Function(name) for name in ("maximum", "minimum", "power"))
_ONE = {name: sympy.Function(name) for name in ("floor", "ceil", "sqrt", "log2", "absolute", "real_power")}
_LEAVES: dict[type, str] = {sympy.floor: "floor", sympy.ceiling: "ceil", log2: "log2", sympy.Abs: "absolute"}


@dataclass(frozen=True, slots=True)
class Compiled:
    """A formula as a function of its symbols and the numbers in it, in the order of `names` and `numbers`.

    >>> B, D = sympy.symbols("B D", positive=True)
    >>> found = compiled(2*B*D + sympy.Rational(1, 3))
    >>> found.names, found.numbers
    (('B', 'D'), (Fraction(1, 3),))
    >>> round(found(np.array([4.0]), np.array([5.0]), 1/3).item(), 6)              # float: 2*4*5 + 1/3
    40.333333
    """

    names: tuple[str, ...]
    numbers: tuple[Fraction, ...]
    function: Callable[..., Any]

    def __call__(self, *values: Any) -> Any:
        return self.function(*values)


def evaluate(
    what: Operation | Expr,
    sizes: Mapping[str, ArrayLike],
    quantity: str | None = None,
    chips: Chip | Sequence[Chip] | None = None,
) -> Numbers:
    """Evaluate a formula, or a quantity of an operation, for arrays of sizes and for one or several chips.

    >>> from roofproof import chip, op
    >>> evaluate(op("matmul"), {"B": [1, 1024], "D": 1024, "F": 1024}, "intensity").round(2)   # 1/(1/B + 1/D + 1/F)
    array([  1.  , 341.33])
    >>> v5e = chip("bf16=1.97e14 FLOP/s, hbm=8.2e11 B/s")
    >>> evaluate(op("matmul"), {"B": [1024, 4096], "D": 4096, "F": 4096}, "attainable", v5e)   # both compute-bound
    array([1.97e+14, 1.97e+14])

    `sizes` maps names to numbers or arrays, which are broadcast. The result has their common shape, with one more
    leading axis for a sequence of chips. `quantity` is one of `flops`, `bytes` (of the main memory) and `intensity`
    (FLOP/B). On chips it may also be `lower` and `upper` (s, with full or no overlap), `attainable` (FLOP/s, the
    FLOPs over `lower`) and `time:RESOURCE` (s), such as `time:memory`.

    Besides the input and output arrays, it uses memory for at most `BLOCK` values per size and per step of the formula.
    Raises RoofproofError for unknown names, invalid sizes, and results out of range.
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
        raise RoofproofError("no size for <missing>; give a number or an array for each", missing=", ".join(missing))
    given = {name: _array(name, values) for name, values in sizes.items()}
    shape = _shape(given)
    if isinstance(what, Operation):
        _check_existing(what, chips, given)
    every = _chips(chips, rates)
    out = np.empty((len(every), *shape))
    for one, part in zip(every, out, strict=True):
        fixed = {rate: np.asarray(rate_of(one, rate), np.float64) for rate in rates} if one else {}
        _fill(found, {**given, **fixed}, part if shape else out)
    return out if isinstance(chips, Sequence) else out[0, ...]


def _fill(found: Compiled, given: Mapping[str, Numbers], out: Numbers) -> None:
    """Evaluate into an array, block by block."""
    arrays = [given[name] for name in found.names]
    flags: Any = [*(["readonly"] for _ in arrays), ["writeonly"]]
    how: Any = ["buffered", "external_loop", "zerosize_ok", "delay_bufalloc"]
    try:
        with np.errstate(**RAISING):
            numbers = [np.float64(float(n)) for n in found.numbers]  # float: numbers of a sweep
            kinds = [np.float64] * (len(arrays) + 1)
            with np.nditer(
                [*arrays, out], flags=how, op_flags=flags, op_dtypes=kinds, casting="unsafe", buffersize=BLOCK
            ) as blocks:
                blocks.reset()
                for *some, result in blocks if arrays else [[out]]:
                    result[...] = found(*some, *numbers)
                    if not np.isfinite(result).all():
                        raise FloatingPointError
    except (FloatingPointError, OverflowError):
        raise RoofproofError(BEYOND) from None


def holding(conditions: Iterable[Boolean], sizes: Mapping[str, ArrayLike]) -> Any:
    """Return an array that says at which sizes all comparisons hold.

    >>> from roofproof.symbols import dimension
    >>> holding([dimension("W") <= dimension("L")], {"W": np.array([1, 2, 3]), "L": 2}).tolist()
    [True, True, False]
    """

    def side(expr: sympy.Expr) -> Numbers:
        return evaluate(expr, {s.name: sizes[s.name] for s in expr.free_symbols})

    return np.logical_and.reduce(np.broadcast_arrays(True, *(SIGNS[type(c)](*map(side, c.args)) for c in conditions)))


def _check_existing(op: Operation, chips: Chip | Sequence[Chip] | None, given: Mapping[str, Numbers]) -> None:
    """Raise RoofproofError for sizes at which the operation is not defined."""
    for condition in compared(op, [chips] if isinstance(chips, Chip) else chips or ()):
        names = [s.name for s in condition.free_symbols]
        if {*names} <= given.keys() and not (there := holding([condition], given)).all():
            first = np.unravel_index(np.argmin(there), there.shape)
            point = ", ".join(f"{n}={np.broadcast_to(given[n], there.shape)[first]}" for n in sorted(names))
            raise RoofproofError(
                "at <point>: <name> assumes that <plain>, which is false",
                point=point,
                name=op.name,
                plain=plain(condition),
            )


def formula(op: Operation, quantity: str, chips: Sequence[Chip] = ()) -> tuple[sympy.Expr, tuple[str, ...]]:
    """Return a quantity of an operation as one formula, and the names of the rates in it.

    >>> from roofproof.ops import parse_operation
    >>> formula(parse_operation("flops bf16 = 6 N; bytes hbm = 4 N"), "upper")     # FLOPs/rate + bytes/rate
    (4*N/rate of memory + 6*N/rate of bf16, ('rate of bf16', 'rate of memory'))
    >>> formula(parse_operation("flops bf16 = 6 N; flops int8 = 4 N; bytes hbm = N"), "lower")[0]    # on one unit
    maximum(4*N/rate of int8 + 6*N/rate of bf16, N/rate of memory)

    Raises RoofproofError for an unknown quantity, for one that the operation does not have, and for chips on which
    different formats share a compute unit.
    """
    if quantity in ("flops", "intensity", "attainable") and len(op.units) > 1:
        said = "<quantity> is that of one compute unit, and <op> has FLOPs of <units>; sweep lower, or <time>"
        units, first = ", ".join(op.units), op.units[0]
        raise RoofproofError(said, quantity=quantity, op=op.name, units=units, time=f"time:{first}")
    if quantity == "flops":
        return op.flops, ()
    if quantity == "bytes":
        return op.bytes(), ()
    if quantity == "intensity":
        return intensity(op).value, ()
    demands = op.demands
    if quantity.startswith("time:"):
        resource = quantity.removeprefix("time:")
        resource = MEMORY if resource in MAIN_MEMORY else resource
        if resource not in demands:
            raise unknown("resource", resource, demands, of=op.name)
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
    """Group the resources whose times add up, such as formats on one compute unit, with each of the others by itself.

    >>> from roofproof.ops import parse_operation
    >>> both = parse_operation("flops bf16 = 6; flops exp = 2; flops int8 = 8; bytes hbm = 4")
    >>> by_engine(both, both.demands)
    [['bf16', 'int8'], ['exp'], ['memory']]
    """
    every = tuple(resources)
    first, *others = (_by_engine(op, every, chip) for chip in chips or (None,))
    if any(other != first for other in others):
        told = (
            "formats of <name> share a compute unit on some of these chips and not on others; give one chip at a time"
        )
        raise RoofproofError(told, name=quoted(op.name))
    return first


def _by_engine(op: Operation, resources: Iterable[str], chip: Chip | None) -> list[list[str]]:
    found: dict[str, list[str]] = {}
    for resource in resources:
        unit = resource
        if resource in op.compute:
            unit = f"flops {compute_unit(resource) if chip is None else unit_used(chip, resource)}"
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
    """Return the value on a chip of a rate symbol of `formula`.

    >>> from roofproof import chip
    >>> rate_of(chip("bf16=2 FLOP/s, hbm=4 B/s"), "rate of memory")
    Fraction(4, 1)
    """
    return supply(chip, rate.removeprefix("rate of ")).value


def _array(name: str, values: ArrayLike) -> Numbers:
    """Return sizes as an array of positive numbers of at most 64 bits, or raise RoofproofError."""
    try:
        array = np.asarray(values)
    except (ValueError, TypeError):  # rows of different lengths
        raise RoofproofError("sizes of <name>: expected an array of numbers", name=name) from None
    if array.dtype == object and all(type(v) is int for v in array.flat):
        array = array.astype(np.float64)  # integers beyond 64 bits
    if array.dtype.kind not in "iuf":
        raise RoofproofError(
            "sizes of <name>: expected an array of numbers, not of <dtype>", name=name, dtype=array.dtype
        )
    if array.size and not array.min() > 0:
        least = f"{array.min():g}"
        raise RoofproofError("sizes of <name>: expected positive numbers, got <value>", name=name, value=least)
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise RoofproofError(BEYOND)
    return array if array.dtype.itemsize <= 8 else array.astype(np.float64)


def _shape(given: Mapping[str, Numbers]) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(*(a.shape for a in given.values()))
    except ValueError:
        shapes = ", ".join(f"{name} {a.shape}" for name, a in given.items())
        raise RoofproofError("sizes that do not fit together: <shapes>", shapes=shapes) from None


@dataclass(frozen=True, slots=True)
class Sweep(Answer):
    """Quantities of an operation over a grid of sizes and chips, evaluated only when slabs are requested.

    They are floats, not theorems, so `known` is empty. Sweeps can be pickled for other processes.

    >>> from roofproof import chip, op
    >>> v5e = chip("bf16=1.97e14 FLOP/s, hbm=8.2e11 B/s")
    >>> found = sweep(op("matmul"), {"B": range(1, 4), "D": range(64, 129, 64)}, [v5e], ["flops"], {"F": 2})
    >>> found.shape, len(found)                                # 1 chip, 3 values of B, 2 of D
    ((1, 3, 2), 6)
    >>> next(found.slabs())["flops"]                           # 2*B*D*2
    array([ 256.,  512.,  512., 1024.,  768., 1536.])
    """

    words = "roofproof.export.explain.sweeps"
    axes: Mapping[str, range | NDArray[Any]]
    fixed: Mapping[str, int]
    chips: tuple[Chip, ...]
    formulas: Mapping[str, tuple[Any, tuple[str, ...]]]
    compared: tuple[tuple[Boolean, ...], ...] = ((),)

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of chips, if there are any, then the number of sizes along each axis."""
        return (*([len(self.chips)] if self.chips else []), *(len(axis) for axis in self.axes.values()))

    def __len__(self) -> int:
        return math.prod(self.shape)

    def __reduce__(self) -> tuple[Any, ...]:
        return Sweep, (self.axes, self.fixed, self.chips, self.formulas, self.compared)

    @property
    def derivation(self) -> Derivation:
        return Derivation(())

    @property
    def expressions(self) -> Mapping[str, sympy.Expr]:
        """The formula of each quantity, with `rate_bf16` for the rate of a resource of the chip."""
        return {
            name: expr.replace(maximum, sympy.Max).xreplace(
                {s: sympy.Symbol(s.name.replace("rate of ", "rate_"), positive=True) for s in expr.free_symbols}
            )
            for name, (expr, _) in self.formulas.items()
        }

    def __repr__(self) -> str:
        return f"Sweep({', '.join(self.columns)}: {len(self)} points)"

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of a slab: `chip` if there are any, the axes, the quantities."""
        return (*(["chip"] if self.chips else []), *self.axes, *self.formulas)

    def slabs(
        self, workers: int | str | None = None, each: Callable[[Columns], Any] | None = None, slab: int = SLAB
    ) -> Iterator[Any]:
        """Yield the columns, a slab of points at a time, in order: the last axis varies fastest, the chip slowest.

        `workers` is a number of processes on this machine, `threads:N`, or the address of a Dask scheduler
        (`tcp://host:8786`) whose workers have this package. The workers apply `each` to every slab, and its results
        are yielded instead of the columns. Raises RoofproofError for workers that are not available.
        """
        starts = range(0, len(self), slab)
        yield from parallel_map(_made, (self, slab, each), starts, workers_from(workers or 1), threads=True)

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
    """Return a sweep of an operation over every combination of the sizes in `over`, on each chip.

    >>> from roofproof import op
    >>> found = sweep(op("dot"), {"N": range(1, 4)})
    >>> for name, column in next(found.slabs()).items():        # 2N - 1 FLOPs, 4N + 2 bytes
    ...     print(name, column.round(3))
    N [1 2 3]
    flops [1. 3. 5.]
    bytes [ 6. 10. 14.]
    intensity [0.167 0.3   0.357]

    `quantities` are those of `evaluate`, by default the FLOPs, the bytes and the intensity, and on chips the intensity
    and the attainable FLOP/s. `at` gives the fixed sizes. Raises RoofproofError for an unknown dimension, for one
    without a size, and for fixed sizes that violate an assumption of the operation. Sizes in `over` may lie between
    those for which its formulas are exact, and values are nan where its comparisons of sizes are false.

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
        raise RoofproofError("<both> is swept and has a size; leave out one of the two", both=both[0])
    if missing:
        raise RoofproofError("no size for <missing>; give it a range or a size", missing=", ".join(missing))
    for one in chips or (None,):
        check_requirements(op, one, at)
    wanted = quantities or (("intensity", "attainable") if chips else ("flops", "bytes", "intensity"))
    formulas = {}
    for name in over:
        if name in ("chip", *wanted):
            raise RoofproofError("dimension <name> has the name of a column; rename it", name=name)
    for name in wanted:
        expr, rates = formula(op, name, chips)
        if rates and not chips:
            raise RoofproofError("<name> is a quantity of a chip; name one", name=name)
        for one in chips:
            for rate in rates:
                rate_of(one, rate)  # raises for a spec that the chip lacks
        formulas[name] = (expr, rates)
    axes = {name: axis if isinstance(axis, range) else np.asarray(axis) for name, axis in over.items()}
    for name, axis in axes.items():
        if not isinstance(axis, range) and axis.ndim != 1:
            raise RoofproofError("sizes of <name>: expected a range or a list of numbers", name=name)
        if not len(axis):
            raise RoofproofError("no sizes of <name>; give at least one", name=name)
    asked = tuple(compared(op, [one]) for one in chips) or (compared(op),)
    return Sweep(axes, dict(at), tuple(chips), formulas, asked)


def _taken(axis: range | NDArray[Any], indices: NDArray[Any]) -> NDArray[Any]:
    return axis.start + axis.step * indices if isinstance(axis, range) else axis[indices]


def _made(shared: tuple[Sweep, int, Callable[[Columns], Any] | None], start: int) -> Any:
    """Return the columns of a slab, or the result of `each` on them."""
    found, slab, each = shared
    columns = found.at(start, start + slab)
    return columns if each is None else each(columns)


@lru_cache(maxsize=256)
def compiled(expr: Expr) -> Compiled:
    """Compile a formula, with its symbols in the order of their names.

    Raises RoofproofError for expressions that cannot be evaluated on arrays, such as an unknown function, and for
    two different symbols with the same name.
    """
    symbols = sorted(expr.free_symbols, key=lambda s: s.name)
    names = tuple(s.name for s in symbols)
    if len(set(names)) < len(names):
        raise RoofproofError("<expr> has two different symbols of one name", expr=quoted(expr))
    numbers: dict[Fraction, Symbol] = {}
    rewritten = _rewritten(expr, numbers)
    # Every symbol gets a new name (`dummify`), and every function is one of ours: no text from outside is run.
    function = sympy.lambdify(
        [*symbols, *numbers.values()], rewritten, modules=[dict(FUNCTIONS)], cse=True, dummify=True
    )
    return Compiled(names, tuple(numbers), function)


def _rewritten(expr: Expr, numbers: dict[Fraction, Symbol]) -> Expr:
    """Rewrite an expression with sums, products, reciprocals and the functions above, and with its numbers named."""
    if expr.is_Symbol:
        return expr
    if expr.is_Rational:
        if expr.is_Integer and abs(expr) < LITERAL:
            return expr
        value = Fraction(int(expr.p), int(expr.q))
        return numbers.setdefault(value, sympy.Dummy(f"number{len(numbers)}"))
    if isinstance(expr, sympy.Pow):
        base, exponent = expr.args
        if exponent == sympy.S.Half or exponent == -sympy.S.Half:
            root = _ONE["sqrt"](_rewritten(base, numbers))
            return root if exponent.is_positive else 1 / root
        if exponent.is_Integer and abs(exponent) <= MAX_POWER:
            under = _rewritten(base, numbers)
            raised = under if abs(exponent) == 1 else power(under, abs(exponent))
            return 1 / raised if exponent.is_negative else raised
        if base.is_Rational and base <= 0:
            raise RoofproofError("a sweep takes powers of what is positive, not <expr>", expr=quoted(expr))
        return _ONE["real_power"](*(_rewritten(each, numbers) for each in (base, exponent)))
    if isinstance(expr, exp2):
        return _ONE["real_power"](2, _rewritten(expr.args[0], numbers))
    args = [_rewritten(a, numbers) for a in expr.args]
    if isinstance(expr, sympy.Add | sympy.Mul | sympy.Mod):
        return expr.func(*args)
    if isinstance(expr, sympy.Max | sympy.Min | maximum | minimum):
        joined, *rest = args
        for arg in rest:
            joined = (maximum if isinstance(expr, sympy.Max | maximum) else minimum)(joined, arg)
        return joined
    if type(expr) in _LEAVES:
        return _ONE[_LEAVES[type(expr)]](*args)
    raise RoofproofError("a sweep cannot evaluate <expr>: no formula of sizes and numbers", expr=quoted(expr))


def raised(base: Any, exponent: int) -> Any:
    """Return an integer power by squaring: exact for integers, and several times faster than `**` for arrays.

    >>> raised(3, 5)                                           # 3 * (3*3)*(3*3)
    243
    """
    out = None
    while exponent:
        if exponent & 1:
            out = base if out is None else out * base
        exponent >>= 1
        base = base * base if exponent else base
    return out


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "maximum": np.maximum, "minimum": np.minimum, "power": raised,
    "floor": np.floor, "ceil": np.ceil, "sqrt": np.sqrt, "log2": np.log2, "absolute": np.abs,
    "real_power": np.power,
}  # fmt: skip
