"""The work and traffic of each primitive, in one table for both frameworks, by the names of `trace.names`.

The conventions are those of `trace.work`. A rule reads the parameters of either framework.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from sympy import Add, Expr, Mul, Rational, sympify

from roofproof.errors import RoofproofError
from roofproof.formula.logarithm import log2
from roofproof.ops.notation.typed_einsum import common_format
from roofproof.trace.choices import (
    dropout,
    embedding_bag,
    embedding_gradient,
    index_put,
    leaves,
    nll,
    nll_gradient,
    put_over,
    put_slices,
    scatter,
    take_slices,
    taken,
    triangle,
    update_slice,
    where,
)  # fmt: skip
from roofproof.trace.convolutions import Sides, Window, multiplied
from roofproof.trace.dtypes import Truth
from roofproof.trace.names import OF_JAX, OF_TORCH, canonical, names_in
from roofproof.trace.parts import Along, Axis, Grouped, Upto, Windowed
from roofproof.trace.program import ONE, ZERO, Array
from roofproof.trace.registry import Step
from roofproof.trace.sizes import KnownSizes
from roofproof.trace.work import (
    INTEGERS,
    PHILOX,
    THREEFRY,
    Work,
    elementwise_axes,
    numbers,
    of_complex,
    one_format,
    products,
    vector,
)  # fmt: skip

# --- one FLOP per element, unless stated otherwise (see COMPLEX for complex numbers) ------------------------

CHEAP = names_in("""
    add sub mul div neg abs sign floor ceil round trunc maximum minimum relu logical_and logical_or logical_xor
    logical_not bitwise_and bitwise_or bitwise_xor bitwise_not bitwise_left_shift bitwise_right_shift __and__ __or__
    __xor__ __lshift__ __rshift__ shift_left shift_right_logical shift_right_arithmetic remainder fmod floor_divide
    reciprocal square copysign conj_physical nextafter population_count clz reduce_precision mul_high
""")
COMPARISONS = names_in("eq ne lt le gt ge isnan isinf isfinite signbit")
SPECIAL = names_in("""
    exp exp2 log log2 log10 log1p expm1 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh sigmoid erf erfc
    erfinv rsqrt sqrt cbrt power atan2 lgamma digamma
""")
FREE = names_in("""
    free nonzero repeat repeat_interleave upsample_nearest1d upsample_nearest2d upsample_nearest3d complex view_copy
    as_strided_scatter detach_copy permute_copy transpose_copy expand_copy squeeze_copy unsqueeze_copy slice_copy
    select_copy copy_to copy_strided clone_strided broadcast_in_dim
""")
REDUCTIONS = names_in("sum amax amin prod any all argmax argmin aminmax")
SCANS = names_in("cumsum cumprod cummax cummin")
RANDOM = names_in("""
    rand randn randint rand_like randn_like randint_like bernoulli uniform normal exponential random randperm
    log_normal cauchy geometric
""")
FRESH = names_in("""
    empty zeros ones full arange eye linspace scalar_tensor tril_indices triu_indices empty_like zeros_like ones_like
    full_like new_empty new_zeros new_ones new_full new_empty_strided empty_strided empty_permuted lift_fresh fill
    zero iota _efficientzerotensor
""")  # depend only on sizes


def rule_for(name: str, names: Mapping[str, str]) -> Callable[[Step], Work] | None:
    """Return the rule for a primitive of a framework, or None if there is none.

    >>> rule_for("addmm", OF_TORCH) is rule_for("mm", OF_TORCH), rule_for("eigh", OF_JAX)
    (True, None)
    """
    return RULES.get(canonical(name, names))


def _cheap(step: Step) -> Work:
    name, made, times = (OF_TORCH | OF_JAX).get(step.primitive, step.primitive), step.outputs[0], 1
    if name == "abs" and step.inputs[0].format.startswith("complex"):  # two squares, their sum, and its root
        return Work(
            {numbers(step.inputs[0].format)[0]: 3 * made.elements, "exp": made.elements}, along=elementwise_axes(step)
        )
    if made.format.startswith("complex"):
        times = of_complex(step, name)
    times += step.params.get("alpha", 1) not in (1, -1)
    return Work({numbers(made.format)[0]: times * made.elements}, along=elementwise_axes(step))


def _clamp(step: Step) -> Work:
    """Count a comparison with each end that is given."""
    made = step.outputs[0]
    ends = 1 if "min" in step.params and None in (step.params.get("min"), step.params.get("max")) else 2
    return Work({vector(made.format): ends * made.elements}, along=elementwise_axes(step))


def _comparison(step: Step) -> Work:
    return Work({vector(step.inputs[0].format): step.outputs[0].elements}, along=elementwise_axes(step))


def _special(step: Step) -> Work:
    """Count one operation of the special-function unit per element."""
    if step.inputs[0].format.startswith("complex"):
        raise RoofproofError(f"{step.primitive} of complex numbers has no rule")
    return Work({"exp": step.outputs[0].elements}, along=elementwise_axes(step))


def _power(step: Step) -> Work:
    """Count repeated squaring: one product for each exponent bit after the first, and one for each further bit set."""
    power, made = step.params.get("exponent", step.params.get("y")), step.outputs[0]
    if not isinstance(power, int | float) or power != power // 1 or isinstance(step.params.get("self"), int | float):
        return Work({"exp": made.elements}, along=elementwise_axes(step))
    n = abs(int(power))
    times = max(n.bit_length() - 1, 0) + max(n.bit_count() - 1, 0) + (power < 0)
    return Work(
        {vector(made.format): times * made.elements}, along=elementwise_axes(step), least={} if power else {0: ZERO}
    )


# --- reductions, rearrangements, searches ------------------------------------------------------------------


def _sums(step: Step, sums: Expr) -> dict[str, Expr]:
    """Count additions or comparisons of a step's elements."""
    if step.inputs[0].elements == 0:
        return {}
    engine, times = numbers(step.inputs[0].format)
    if times != 1 and "sum" not in step.primitive and step.primitive != "mean":
        raise RoofproofError(f"{step.primitive} of complex numbers has no rule")
    return {engine: times * sums}


def _reduction(step: Step) -> Work:
    """Count the additions or comparisons of a reduction. For truth values, one element may decide."""
    both = 2 if step.primitive == "aminmax" else 1
    work = _sums(step, (step.inputs[0].elements - step.outputs[0].elements) * both)
    truths = isinstance(step.inputs[0].format, Truth) and "sum" not in step.primitive
    if truths or step.primitive in ("any", "all", "reduce_or", "reduce_and"):
        return Work(work, least={0: step.outputs[0].elements}, least_compute={})
    return Work(work, along=_kept_axes(step) if len(step.inputs) == len(step.outputs) == 1 else None)


def _kept_axes(step: Step) -> Along | None:
    """Return the result axis of each axis of a reduced operand, or None if the axes are not given."""
    shape = step.inputs[0].shape
    axes = step.params.get("axes", step.params.get("dim"))
    if axes is None or axes == ():
        return None
    gone = {axis % len(shape) for axis in (axes if isinstance(axes, tuple) else (axes,))}
    stays = len(step.outputs[0].shape) == len(shape)
    left = iter(range(len(shape)))
    return (tuple(None if (k in gone) else (k if stays else next(left)) for k in range(len(shape))),)


def _mean(step: Step) -> Work:
    return Work(_sums(step, step.inputs[0].elements), along=_kept_axes(step))


def _variance(step: Step) -> Work:
    """Count the mean, the differences, their squares and the mean of these: 4 n for n numbers."""
    taken, made = step.inputs[0], step.outputs[0]
    root = {"exp": made.elements} if step.primitive.startswith("std") else {}
    return Work({vector(taken.format): 4 * taken.elements, **root})


def _vector_norm(step: Step) -> Work:
    taken, made = step.inputs[0], step.outputs[0]
    if step.params.get("ord", 2) != 2:
        raise RoofproofError("linalg_vector_norm of an order other than 2 has no rule")
    return Work({vector(taken.format): 2 * taken.elements - made.elements, "exp": made.elements})


def _scan(step: Step) -> Work:
    """Count the additions or comparisons of a running reduction along an axis."""
    taken = step.inputs[0]
    axis = step.params["axis" if "axis" in step.params else "dim"] % max(len(taken.shape), 1)
    work = _sums(step, taken.elements - taken.elements / taken.shape[axis])
    upto = Upto(axis, bool(step.params.get("reverse")))
    return Work(work, "alone", along=(tuple(upto if k == axis else k for k in range(len(taken.shape))),), whole=True)


def _histogram(step: Step) -> Work:
    """Count a difference and a product to find the bin of each element, and an addition in that bin."""
    taken = step.inputs[0]
    return Work({vector(taken.format): 3 * taken.elements}, "alone")


def _sort(_: Step) -> Work:
    return Work(kind="alone")


def _search(step: Step) -> Work:
    """Count a search in a sorted list for each value. It may read only one element of the list."""
    return Work(kind="alone", least={int(step.primitive == "bucketize"): ONE})


def _free(_: Step) -> Work:
    return Work()


def _laid(step: Step) -> Work:
    """Count a step that concatenates its operands along an axis, or copies the only one."""
    shape = step.outputs[0].shape
    if step.primitive in ("concatenate", "cat", "stack"):
        return Work(axis=step.params.get("dimension", step.params.get("dim", 0)) % len(shape))
    return Work(along=elementwise_axes(step) if len(step.inputs) == 1 else None)


def _flip(step: Step) -> Work:
    rank = len(step.inputs[0].shape)
    turned = {axis % rank for axis in step.params["dims"]}
    return Work(along=(tuple(~k if k in turned else k for k in range(rank)),))


def _pad(step: Step) -> Work:
    """Count padding, which shifts each axis. Interior and negative padding leave the places unknown."""
    rank = len(step.inputs[0].shape)
    if "pad" in step.params:  # PyTorch gives pairs, last axis first
        pad = step.params["pad"]
        sides = [(pad[2 * k], pad[2 * k + 1], 0) for k in reversed(range(len(pad) // 2))]
        sides = [(0, 0, 0)] * (rank - len(sides)) + sides
    else:
        sides = step.params["padding_config"]
    if any(inside != 0 or any(sympify(n, strict=True).is_negative for n in ends) for *ends, inside in sides):
        return Work()
    shift = tuple(sympify(before, strict=True) for before, _, _ in sides)
    return Work(along=(tuple(range(rank)), ())[: len(step.inputs)], shift=shift)


def _roll(step: Step) -> Work:
    """Count a roll along one axis as a concatenation of two parts, the last one first."""
    taken, by, axes = step.inputs[0], step.params["shifts"], step.params.get("dims", ())
    if len(by) != 1 or len(axes) != 1:
        return Work()
    axis, n, cut = axes[0] % len(taken.shape), taken.shape[axes[0]], -sympify(by[0], strict=True)
    if not n.is_Integer or not cut.is_Integer:
        return Work()
    cut %= n

    def part(start: Expr, count: Expr) -> Array | None:
        shape = tuple(count if k == axis else m for k, m in enumerate(taken.shape))
        starts = [start if k == axis else ZERO for k in range(len(shape))]
        return taken.sliced(shape, starts, [ONE] * len(shape), KnownSizes(()))

    first, last = part(cut, n - cut), part(ZERO, cut)
    if cut == 0:
        return Work(along=elementwise_axes(step))
    return Work() if first is None or last is None else Work(axis=axis, pieces=(first, last))


def _random(step: Step) -> Work:
    left = leaves(0 if step.primitive == "bernoulli" else 1)
    return Work({INTEGERS: PHILOX * step.outputs[0].elements}, mask_residue=left)


def _random_bits(step: Step) -> Work:
    words = step.outputs[0].elements * Rational(step.params.get("bit_width", 32), 32)
    return Work({INTEGERS: Rational(THREEFRY, 2) * words})


def _threefry(step: Step) -> Work:
    return Work({INTEGERS: THREEFRY * step.outputs[0].elements})


# --- norms, windows, products, transforms ------------------------------------------------------------------


def _norm(step: Step) -> Work:
    """Count a norm of n numbers: mean n, differences n, mean square 2 n, one sum, scale n, weight n, bias n."""
    taken, normed = step.inputs[0], step.params.get("normalized_shape")
    n = Mul(*normed) if normed is not None else None
    rows = taken.elements / n if n is not None else step.params["N"] * step.params["group"]
    given = sum(step.params.get(name) is not None for name in ("weight", "bias"))
    work = {vector(taken.format): (5 + given) * taken.elements + rows, "exp": rows}
    if normed is None:
        return Work(work)
    rank, last = len(taken.shape), len(normed)
    weights = tuple(Grouped(k, ZERO) for k in range(rank - last, rank))
    along = ((*range(rank - last), *[None] * last), *[weights] * given)
    return Work(work, along=along, whole=True, by_rows=True)


def _window(step: Step) -> Work:
    """Count k - 1 comparisons, or k - 1 additions and a division, for each window of k."""
    if "kernel_size" not in step.params:
        return _window_of_jax(step)
    sizes = step.params["kernel_size"]
    dims = int(step.primitive.split("pool")[1][0])
    k = Mul(*sizes) if len(sizes) == dims else Mul(*([sizes[0]] * dims))
    if step.primitive.endswith("backward"):
        times, results = (ONE if "max" in step.primitive else k), step.inputs[0]
        return Work({vector(results.format): times * results.elements})
    times = k - 1 if "max" in step.primitive else k
    made, rank = step.outputs[0], len(step.inputs[0].shape)

    def along(name: str, usual: Sequence[Any]) -> list[Any]:
        given = list(step.params.get(name) or usual)
        return given if len(given) == dims else given * dims

    taps, padding, apart = along("kernel_size", ()), along("padding", (0,)), along("dilation", (1,))
    strides = along("stride", taps)
    windows = [
        Window(rank - dims + i, made.shape[rank - dims + i], taps[i], padding[i], strides[i], apart[i])
        for i in range(dims)
    ]
    return _of_windows(step, times * made.elements, windows)


def _window_of_jax(step: Step) -> Work:
    taps = Mul(*step.params["window_dimensions"])
    if step.primitive == "select_and_scatter_add":
        return Work({vector(step.inputs[0].format): taps * step.inputs[0].elements})
    made = step.outputs[0]
    names = names_in("window_dimensions padding window_strides base_dilation window_dilation")
    windows = [
        Window(k, made.shape[k], many, before, stride, apart)
        for k, (many, (before, _), stride, spread, apart) in enumerate(
            zip(*(step.params[name] for name in names), strict=True)
        )
        if spread == 1
    ]
    return _of_windows(step, (taps - 1) * made.elements, windows)


def _of_windows(step: Step, work: Expr, windows: Sequence[Window]) -> Work:
    by_axis: dict[int, Axis] = {
        w.axis: Windowed(w.axis, ONE * w.taps, ONE * w.before, int(w.stride), int(w.apart)) for w in windows
        if isinstance(w.stride, int) or w.stride.is_Integer
    }  # fmt: skip
    along = (tuple(by_axis.get(k, k if n == step.outputs[0].shape[k] else Grouped(k))
                   for k, n in enumerate(step.inputs[0].shape)),)  # fmt: skip
    return Work({vector(step.inputs[0].format): work}, windows=windows, along=along, whole=True)


def _product(step: Step) -> Work:
    """Count a matrix product, and the addition to it, if any."""
    added = step.primitive in ("addmm", "baddbmm", "addmv")
    x, y = step.inputs[1:3] if added else step.inputs[:2]
    made = step.outputs[0]
    format = one_format(step.primitive, x, y, *step.inputs[: int(added)])
    work = products(x.format if x.format.startswith("complex") else format, made.elements * x.shape[-1])
    beta, alpha = (step.params.get(name, 1) if added else 1 for name in ("beta", "alpha"))
    added = added and beta != 0  # with a factor of zero, the addend is not read
    if scaled := (beta not in (0, 1)) + (alpha != 1) + added:
        engine, times = numbers(made.format)
        if times != 1 and scaled != added:
            raise RoofproofError(f"{step.primitive} of complex numbers with a factor has no rule")
        work[engine] = times * made.elements * scaled
    rank, rows = len(made.shape), range(len(x.shape) - 1)
    columns = (None,) if len(y.shape) == 1 else (*range(len(y.shape) - 2), None, rank - 1)
    along = (*(elementwise_axes(step)[:1] if added else ()), (*rows, None), columns)
    return Work(work, "alone", along=along, pieces=() if beta else (x, y))


def _contract(step: Step) -> Work:
    """Count a product of two tensors, which is on the vector unit if no index is contracted."""
    x, y = step.inputs[:2]
    contracted, batch = step.params["dimension_numbers"]
    free = iter(range(len(batch[0]), len(step.outputs[0].shape)))  # batch, free of the first, free of the second
    along = tuple(
        tuple(b.index(k) if k in b else None if k in s else next(free) for k in range(len(array.shape)))
        for array, s, b in zip(step.inputs[:2], contracted, batch, strict=True)
    )
    made = step.outputs[0].elements
    format = common_format([x.format, y.format]) if not x.format.startswith("complex") else x.format
    if not contracted[0]:
        return Work({numbers(format)[0]: (6 if format.startswith("complex") else 1) * made}, along=along)
    return Work(products(format, Mul(*(x.shape[i] for i in contracted[0])) * made), "alone", along=along)


def _grouped(step: Step) -> Work:
    """Count a product of grouped rows with one matrix per group or, for two matrices, of grouped columns."""
    x, y = step.inputs[:2]
    made = step.outputs[0]
    layout = step.params.get("ragged_dot_dimension_numbers")
    if layout is not None and tuple(map(tuple, layout.dot_dimension_numbers)) != (((1,), (1,)), ((), ())):
        raise RoofproofError("ragged_dot of this layout has no rule")
    of_jax = "ragged" in step.primitive
    many = Mul(*made.shape[-2:]) if len(x.shape) == len(y.shape) == 2 and not of_jax else made.elements
    format = common_format([x.format, y.format]) if of_jax else one_format(step.primitive, x, y)
    least = {1: y.elements / y.shape[0]} if len(y.shape) == 3 else {}  # all rows may be in one group
    return Work({format: 2 * many * x.shape[-1]}, "alone", least=least)


def _convolution(step: Step) -> Work:
    """Count 2 FLOPs for each pair of a weight and an input element that it meets, and the addition of the bias."""
    sides = Sides.of_jax(step) if "dimension_numbers" in step.params else Sides.of_torch(step)
    holds: list[Expr] = []
    work = products(_multiplied(step, sides.x, sides.w), multiplied(sides, holds))
    if step.params.get("bias") is not None:
        work[vector(sides.x.format)] = step.outputs[0].elements
    format = next(iter(work))
    most = {format: products(sides.x.format, sides.fan_in)[format]} if format in products(sides.x.format, ONE) else {}
    taps, windows, cut = sides.taps(), sides.windows(), sides.cut()
    return Work(
        work, "alone", holds=tuple(holds), windows=windows, taps={1: taps}, along=(*sides.along(), (sides.made[1],)),
        whole=True, most=most, least={0: ZERO} if cut else {},
    )  # fmt: skip


def _multiplied(step: Step, x: Array, w: Array) -> str:
    """Return the format of the products: PyTorch requires a common one, and JAX takes the wider."""
    if x.format.startswith("complex"):
        return x.format
    of_jax = "dimension_numbers" in step.params
    return common_format([x.format, w.format]) if of_jax else one_format(step.primitive, x, w)


def _convolution_gradients(step: Step) -> Work:
    """Count the requested gradients: those of the input and of the weight each take as many FLOPs as forward."""
    given = step.params["grad_output"]
    of_x, of_w, of_bias = step.params["output_mask"]
    holds: list[Expr] = []
    sides = Sides.of_torch(step, given)
    each_one = multiplied(sides, holds)
    work = products(_multiplied(step, sides.x, sides.w), each_one * (int(of_x) + int(of_w)))
    if of_bias:
        work[vector(given.format)] = given.elements - given.shape[1]
    return Work(work, "alone", holds=tuple(holds))


def _fft(step: Step) -> Work:
    """Count 5 N log2 N for N complex numbers, or half of it if one side is real (radix 2)."""
    axes: Iterable[int] = step.params["dim"] if "dim" in step.params else range(-len(step.params["fft_lengths"]), 0)
    taken, made = step.inputs[0], step.outputs[0]
    real = next((side for side in (taken, made) if not side.format.startswith("complex")), None)
    side = real or made
    flops = 5 * side.elements * Add(*(log2(side.shape[axis]) for axis in axes))
    return Work({numbers(side.format)[0]: flops / 2 if real is not None else flops}, "alone")


def _cholesky(step: Step) -> Work:
    """Count n^3/3 for a matrix of order n, of which one triangle is read."""
    taken = step.inputs[0]
    n = taken.shape[-1]
    return Work({taken.format: taken.elements * n / 3}, "alone", least={0: taken.elements * (n + 1) / (2 * n)})


def _triangular(step: Step) -> Work:
    """Count n^2 for each right-hand side of a triangular matrix of order n."""
    matrix, right = step.inputs[:2]
    n = matrix.shape[-1]
    ones = step.params.get("unitriangular", step.params.get("unit_diagonal", False))
    read = matrix.elements * (n - 1 if ones else n + 1) / (2 * n)
    format = one_format(step.primitive, matrix, right)
    return Work({format: right.elements * n}, "alone", least={0: read})


def _lu(step: Step) -> Work:
    """Count 2 n^3/3 for a square matrix of order n: step k takes (n - k)^2 multiply-adds."""
    taken = step.inputs[0]
    if taken.shape[-1] != taken.shape[-2]:
        raise RoofproofError("lu of a matrix that is not square has no rule")
    return Work({taken.format: 2 * taken.elements * taken.shape[-1] / 3}, "alone")


RULES: dict[str, Callable[[Step], Work]] = {
    name: rule
    for rule, names in (
        (_cheap, CHEAP), (_comparison, COMPARISONS), (_special, SPECIAL), (_free, [*FREE, *FRESH]),
        (_sort, ["sort", "topk"]),
        (_laid, ["cat", "copy", "stack"]), (_reduction, REDUCTIONS), (_scan, SCANS), (_random, RANDOM),
        (_clamp, ["clamp"]), (_power, ["pow"]), (where, ["where", "masked_fill"]), (triangle, ["tril", "triu"]),
        (take_slices, ["take_slices"]), (taken, ["embedding", "index_select", "gather", "index", "take"]),
        (put_over, ["put_over"]), (update_slice, ["dynamic_update_slice"]), (put_slices, ["put_slices"]),
        (scatter, ["scatter"]), (index_put, ["index_put"]), (embedding_bag, ["embedding_bag"]),
        (embedding_gradient, ["embedding_dense_backward"]), (nll, ["nll"]), (nll_gradient, ["nll_gradient"]),
        (dropout, ["native_dropout"]), (_mean, ["mean"]), (_variance, ["var"]), (_vector_norm, ["linalg_vector_norm"]),
        (_histogram, ["histc"]), (_search, ["searchsorted"]), (_flip, ["flip"]), (_pad, ["pad"]), (_roll, ["roll"]),
        (_random_bits, ["random_bits"]), (_threefry, ["threefry"]), (_norm, ["normed"]), (_window, ["window"]),
        (_product, ["product"]), (_contract, ["contract"]), (_grouped, ["grouped"]), (_convolution, ["convolution"]),
        (_convolution_gradients, ["convolution_backward"]), (_fft, ["fft"]), (_cholesky, ["cholesky"]),
        (_triangular, ["triangular"]), (_lu, ["lu"]),
    )
    for name in names
}  # fmt: skip
