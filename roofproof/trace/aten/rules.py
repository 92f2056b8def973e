"""What each operator of PyTorch (ATen) computes and moves: one line an operator, or a list of those that are alike.

The conventions are those of `trace.counting`. An operator that stands nowhere here is counted by PyTorch's own
decomposition, where it has one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sympy import Expr, Integer, Mul, Rational, sympify

from roofproof.errors import RoofproofError
from roofproof.trace import alike, masks
from roofproof.trace.aten.products import convolution, convolution_gradients
from roofproof.trace.convolutions import Window
from roofproof.trace.counting import (
    INTEGERS,
    Counted,
    Counting,
    absolute,
    each,
    names_in,
    numbers,
    one_format,
    sums_of,
    vector,
)
from roofproof.trace.program import Array
from roofproof.trace.registry import Step
from roofproof.trace.sizes import KnownSizes

# --- one FLOP an element, or as many as are said -----------------------------------------------------------

CHEAP = dict.fromkeys(names_in("""
    add sub rsub mul div neg abs sign sgn floor ceil round trunc maximum minimum fmax fmin clamp_min clamp_max relu
    logical_and logical_or logical_xor logical_not bitwise_and bitwise_or bitwise_xor bitwise_not bitwise_left_shift
    bitwise_right_shift __and__ __or__ __xor__ __lshift__ __rshift__ where masked_fill remainder fmod floor_divide
    reciprocal square copysign conj_physical tril triu true_divide
"""), 1) | {"clamp": 2}  # fmt: skip
COMPARISONS = names_in("eq ne lt le gt ge isnan isinf isfinite signbit")
SPECIAL = names_in("""
    exp exp2 log log2 log10 log1p expm1 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh sigmoid erf erfc
    erfinv erf_inv rsqrt sqrt atan2 lgamma digamma
""")
COMPLEX = {
    "div": 11,
    "reciprocal": 6,
    "add": 2,
    "sub": 2,
    "neg": 2,
    "mul": 6,
    "conj_physical": 1,
    "where": 1,
    "masked_fill": 1,
}
FREE = names_in("""
    nonzero repeat repeat_interleave
    upsample_nearest1d upsample_nearest2d upsample_nearest3d complex view_copy as_strided_scatter detach_copy
    permute_copy transpose_copy expand_copy squeeze_copy unsqueeze_copy slice_copy select_copy copy_to copy_strided
    clone_strided broadcast_in_dim
""")
LAID = names_in("_to_copy clone cat stack copy convert_element_type contiguous")
REDUCTIONS = names_in("sum amax amin max min prod any all argmax argmin nansum aminmax")
SCANS = names_in("cumsum cumprod cummax cummin")
SORTS = names_in("sort topk argsort kthvalue median")
GATHERS = names_in("embedding index_select gather index take _unsafe_index")
RANDOM = names_in("""
    rand randn randint rand_like randn_like randint_like bernoulli uniform normal exponential random randperm
    log_normal cauchy geometric
""")
FRESH = names_in("""
    empty zeros ones full arange eye linspace scalar_tensor tril_indices triu_indices empty_like zeros_like ones_like
    full_like new_empty new_zeros new_ones new_full new_empty_strided empty_strided empty_permuted lift_fresh fill
    zero iota _efficientzerotensor
""")  # what sizes alone determine
BLIND = RANDOM | names_in("copy fill zero")  # what changes a tensor in place and does not read it
ALIASES = names_in("_unsafe_view lift_fresh_copy")  # views that do not say so

# Philox-4x32 makes four words of 32 bits: 10 rounds of two wide products (a low and a high half each) and four xors,
# and between them nine times two additions to the key.
# Source: Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3 (SC 2011), section 3.3
PHILOX = Rational(10 * (4 + 4) + 9 * 2, 4)


def called(schema: str) -> str:
    """Return the name of an operator in the rules: without its library, where that is PyTorch, and what says in place.

    >>> called("aten::add_"), called("aten::__and__"), called("mine::scan")
    ('add', '__and__', 'mine::scan')
    """
    library, _, name = schema.rpartition("::")
    name = name if name.endswith("__") else name.rstrip("_")
    return name if library in ("aten", "prims") else f"{library}::{name}"


def overwrites(name: str) -> bool:
    """Tell whether an operator in place does not read what it changes.

    >>> overwrites("copy"), overwrites("add")
    (True, False)
    """
    return name in BLIND


def counting(name: str) -> Counting | None:
    """Return the rule of an operator, None where there is none.

    >>> counting("addmm") is not None, counting("_linalg_eigh")
    (True, None)
    """
    return RULES.get(name)


def _cheap(step: Step) -> Counted:
    made, times = step.outputs[0], CHEAP[step.primitive]
    if step.primitive == "abs" and step.inputs[0].format.startswith("complex"):
        return Counted(absolute(step), along=each(step))
    if made.format.startswith("complex"):
        if step.primitive not in COMPLEX:
            raise RoofproofError(f"{step.primitive} of complex numbers has no rule")
        times = COMPLEX[step.primitive]
        if step.primitive == "div" and not _is_complex(step.params.get("other")):
            times = 2
    if step.params.get("alpha", 1) not in (1, -1):
        times += 1
    if step.primitive in ("tril", "triu"):
        return Counted(
            {numbers(made.format)[0]: made.elements},
            along=each(step),
            least={0: masks.triangle(step)},
            spared={},
            leaves=masks.left(None) if step.inputs[0].fixed else (masks.ZEROS,),  # as of -inf above a diagonal
        )
    if step.primitive in ("where", "masked_fill"):
        mask = step.params["mask" if step.primitive == "masked_fill" else "condition"]
        others = [step.params.get(name) for name in ("value", "self", "other")]
        return masks.masked(step, times, mask, [value for value in others if value is not None])
    if step.primitive == "clamp" and (step.params.get("min") is None or step.params.get("max") is None):
        times = 1
    return Counted({numbers(made.format)[0]: times * made.elements}, along=each(step))


def _is_complex(value: Any) -> bool:
    return value.format.startswith("complex") if isinstance(value, Array) else isinstance(value, complex)


def _comparison(step: Step) -> Counted:
    return Counted({vector(step.inputs[0].format): step.outputs[0].elements}, along=each(step))


def _power(step: Step) -> Counted:
    power, made = step.params.get("exponent"), step.outputs[0]
    if not isinstance(power, int | float) or power != power // 1 or isinstance(step.params.get("self"), int | float):
        return Counted({"exp": made.elements}, along=each(step))
    return Counted(
        {vector(made.format): alike.products(power) * made.elements}, along=each(step), least=alike.one(power)
    )


def _scattered(step: Step) -> Counted:
    """A slice, a row or a diagonal put over what is there."""
    return Counted(least={0: step.params["self"].elements - step.params["src"].elements})


def _flip(step: Step) -> Counted:
    rank = len(step.inputs[0].shape)
    turned = {axis % rank for axis in step.params["dims"]}
    return Counted(along=(tuple(~k if k in turned else k for k in range(rank)),))


def _pad(step: Step) -> Counted:
    """Each axis begins after what stands before it; what is cut off does not come out."""
    pad = step.params["pad"]
    before = [pad[2 * k] for k in range(len(pad) // 2)]
    shape = step.inputs[0].shape
    if any(sympify(n, strict=True).is_negative for n in pad):
        return Counted()
    shift = (*(0,) * (len(shape) - len(before)), *reversed(before))
    return Counted(along=(tuple(range(len(shape))),), shift=tuple(sympify(n, strict=True) for n in shift))


def _roll(step: Step) -> Counted:
    """Two parts, the last one first, where one axis turns."""
    taken, by, axes = step.inputs[0], step.params["shifts"], step.params.get("dims", ())
    if len(by) != 1 or len(axes) != 1:
        return Counted()
    axis, n, cut = axes[0] % len(taken.shape), taken.shape[axes[0]], -sympify(by[0], strict=True)
    if not n.is_Integer or not cut.is_Integer:
        return Counted()
    cut %= n

    def part(start: Expr, count: Expr) -> Array | None:
        shape = tuple(count if k == axis else m for k, m in enumerate(taken.shape))
        starts = [start if k == axis else Integer(0) for k in range(len(shape))]
        return taken.sliced(shape, starts, [Integer(1)] * len(shape), KnownSizes(()))

    first, last = part(cut, n - cut), part(Integer(0), cut)
    if cut == 0:
        return Counted(along=each(step))
    return Counted() if first is None or last is None else Counted(axis=axis, pieces=(first, last))


def _mean(step: Step) -> Counted:
    return Counted(sums_of(step, step.inputs[0].elements), along=alike.kept(step))


def _variance(step: Step) -> Counted:
    """The mean, the differences, their squares and the mean of these: 4 n for n numbers."""
    taken, made = step.inputs[0], step.outputs[0]
    root = {"exp": made.elements} if step.primitive.startswith("std") else {}
    return Counted({vector(taken.format): 4 * taken.elements, **root})


def _vector_norm(step: Step) -> Counted:
    taken, made = step.inputs[0], step.outputs[0]
    if step.params.get("ord", 2) != 2:
        raise RoofproofError("linalg_vector_norm of an order other than 2 has no rule")
    return Counted({vector(taken.format): 2 * taken.elements - made.elements, "exp": made.elements})


def _histogram(step: Step) -> Counted:
    """A difference and a product that say in which bin an element lies, and one more in that bin."""
    taken = step.inputs[0]
    return Counted({vector(taken.format): 3 * taken.elements}, "alone")


def _random(step: Step) -> Counted:
    return Counted({INTEGERS: PHILOX * step.outputs[0].elements})


def _dropout(step: Step) -> Counted:
    """A number drawn and compared for each element, which is scaled; what is kept in the mean has to be there."""
    dropped = Rational(str(step.params["p"]))
    if step.params.get("train") is False or not dropped:
        return Counted()
    n = step.outputs[0].elements
    work = {INTEGERS: PHILOX * n, vector(step.outputs[0].format): 3 * n}
    return Counted(work, along=each(step), least={0: (1 - dropped) * n})


def _embedding_bag(step: Step) -> Counted:
    """Rows that are added up, each by its weight if there are any, or averaged, by bags."""
    table, indices = step.inputs[:2]
    made = step.outputs[0].elements
    taken = indices.elements * table.shape[-1]
    more = made if step.params.get("mode") == 1 else taken if step.params.get("per_sample_weights") is not None else 0
    address = frozenset(range(1, len(step.inputs)))
    work = {vector(table.format): taken - made + more}
    least = _left_out(step)
    return Counted(work, gathered={0: taken}, repeats={0: indices.elements}, address=address, least=least)


def _embedding_gradient(step: Step) -> Counted:
    work = {vector(step.inputs[0].format): step.inputs[0].elements}
    return Counted(work, "alone", address=frozenset({1}), least=_left_out(step))


def _left_out(step: Step) -> dict[int, Expr]:
    """Return the least reads of a table: none where all indices may be the padding index."""
    left_out = step.params.get("padding_idx", -1)
    return {0: Integer(0)} if isinstance(left_out, int) and left_out >= 0 else {}


def _scatter(step: Step) -> Counted:
    """Elements put, or added, where an index says: as many as the index or the source has."""
    source = step.params.get("src", step.params.get("source"))
    index = step.params["index"]
    if step.primitive.startswith("index_"):  # rows along an axis
        taken, axis = step.inputs[0], step.params["dim"]
        changed = taken.elements / taken.shape[axis] * index.elements if taken.shape else Integer(1)
        same = {0: index.elements}
    else:
        changed = index.elements
        same = {0: index.shape[step.params["dim"]] if index.shape else Integer(1)}
    address = frozenset(k for k, a in enumerate(step.inputs) if a is index)
    least = {k: changed / same[0] for k, a in enumerate(step.inputs) if a is source}
    if step.params.get("reduce") == "mean":
        raise RoofproofError("scatter_reduce by a mean has no rule")
    if step.primitive not in ("scatter_add", "index_add", "scatter_reduce") and not step.params.get("reduce"):
        return Counted(update=changed, repeats=same, address=address, least=least)
    engine, each = numbers((source if source is not None else step.inputs[0]).format)
    again = step.params.get("include_self") is not False
    return Counted({engine: each * changed}, update=changed, repeats=same, again=again, address=address)


def _index_put(step: Step) -> Counted:
    """Elements put where lists of indices say: as many as these name, times the axes that they leave."""
    taken, indices = step.inputs[0], step.params["indices"]
    named = [i for i in indices if i is not None]
    if any(i.format == "int8" for i in named):  # masks
        return Counted(
            update=taken.elements, least=dict.fromkeys([0, len(step.inputs) - 1], Integer(0)), leaves=masks.left(None)
        )
    places = masks.places(named)
    left = [n for k, n in enumerate(taken.shape) if k >= len(indices) or indices[k] is None]
    changed = places * Mul(*left)
    address = frozenset(k for k, a in enumerate(step.inputs) if any(a is i for i in named))
    same = {0: places}
    if not step.params.get("accumulate"):
        least = {k: changed / places for k, a in enumerate(step.inputs) if k and k not in address}
        return Counted(update=changed, repeats=same, address=address, least=least)
    engine, each = numbers(taken.format)
    return Counted({engine: each * changed}, update=changed, repeats=same, again=True, address=address)


def _product(step: Step) -> Counted:
    """A matrix product, with what is added to it."""
    added = step.primitive in ("addmm", "baddbmm", "addmv")
    x, y = step.inputs[1:3] if added else step.inputs[:2]
    made = step.outputs[0]
    engine = one_format(step.primitive, x, y, *step.inputs[: int(added)])
    work: dict[str, Expr] = {engine: 2 * made.elements * x.shape[-1]}
    if x.format.startswith("complex"):  # 4 products and 4 additions
        work = {"fp32" if x.format == "complex64" else "fp64": 8 * made.elements * x.shape[-1]}
    beta, alpha = (step.params.get(name, 1) if added else 1 for name in ("beta", "alpha"))
    added = added and beta != 0  # with a factor of zero what would be added is not read
    if scaled := (beta not in (0, 1)) + (alpha != 1) + added:
        engine, times = numbers(made.format)
        if times != 1 and scaled != added:
            raise RoofproofError(f"{step.primitive} of complex numbers with a factor has no rule")
        work[engine] = times * made.elements * scaled
    rank, rows = len(made.shape), range(len(x.shape) - 1)
    columns = (None,) if len(y.shape) == 1 else (*range(len(y.shape) - 2), None, rank - 1)
    along = (*(each(step)[:1] if added else ()), (*rows, None), columns)
    return Counted(work, "alone", along=along, pieces=() if beta else (x, y))


def _grouped(step: Step) -> Counted:
    """Rows in groups, each with a matrix of its own: every row meets one; or, of two matrices, columns in groups."""
    x, y = step.inputs[:2]
    made = step.outputs[0]
    each = Mul(*made.shape[-2:]) if len(x.shape) == len(y.shape) == 2 else made.elements
    least = {1: y.elements / y.shape[0]} if len(y.shape) == 3 else {}  # all rows may be of one group
    return Counted({one_format(step.primitive, x, y): 2 * each * x.shape[-1]}, "alone", least=least)


def _layer_norm(step: Step) -> Counted:
    """Of n numbers: mean n, differences n, their mean square 2 n, one sum, n by the root, n each weight and bias."""
    taken = step.inputs[0]
    n = Mul(*step.params["normalized_shape"]) if "normalized_shape" in step.params else None
    rows = taken.elements / n if n is not None else step.params["N"] * step.params["group"]
    given = sum(step.params.get(name) is not None for name in ("weight", "bias"))
    row = len(taken.shape) - 1 if len(step.params.get("normalized_shape", ())) == 1 else None
    return Counted({vector(taken.format): (5 + given) * taken.elements + rows, "exp": rows}, row=row)


def _nll(step: Step) -> Counted:
    """One element of a row, negated, by the weight of its class if there are any; their mean, by the sum of these."""
    taken, target = step.inputs[:2]
    n = target.elements
    how = step.params.get("reduction", 1)
    work = n + (n - 1 if how else 0) + (1 if how == 1 else 0)
    gathered = {0: n}
    known = target.buffer.values if target.buffer is not None else None
    ignored = known is None or step.params.get("ignore_index", -100) in known  # each target may be the one
    if step.params.get("weight") is not None:
        work += n + (n - 1 if how == 1 else 0)
        gathered[2] = n
    return Counted(
        {vector(taken.format): work},
        gathered=gathered,
        repeats={2: n},
        address=frozenset({1}),
        least=dict.fromkeys(gathered, Integer(0)) if ignored else {},
        spared={} if ignored else None,
        row=len(taken.shape) - 1 if len(taken.shape) < 3 else 1,
    )


def _nll_gradient(step: Step) -> Counted:
    n, gathered = step.params["target"].elements, {1: Integer(0)}
    weighted = step.params.get("weight") is not None
    if weighted:
        gathered[3] = n
    return Counted(
        {vector(step.inputs[0].format): n * (1 + weighted) + 1},
        gathered=gathered,
        repeats={3: n},
        address=frozenset({2}),
        least=dict.fromkeys({0, *gathered}, Integer(0)),
        spared={},
        leaves=(masks.ZEROS,),
    )


def _window(step: Step) -> Counted:
    """k - 1 comparisons, or additions and a division, for a window of k."""
    sizes = step.params["kernel_size"]
    dims = int(step.primitive.split("pool")[1][0])
    k = Mul(*sizes) if len(sizes) == dims else Mul(*([sizes[0]] * dims))
    if step.primitive.endswith("backward"):
        each, results = (Integer(1) if "max" in step.primitive else k), step.inputs[0]
        return Counted({vector(results.format): each * results.elements})
    each = k - 1 if "max" in step.primitive else k
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
    return Counted({vector(step.inputs[0].format): each * made.elements}, windows={0: windows})


def _fft(step: Step) -> Counted:
    return alike.fft(step, step.params["dim"])


RULES: dict[str, Counting] = {
    **dict.fromkeys(CHEAP, _cheap),
    **dict.fromkeys(COMPARISONS, _comparison),
    **dict.fromkeys(SPECIAL, alike.special),
    **dict.fromkeys(FREE, alike.free),
    **dict.fromkeys(LAID, alike.laid),
    **dict.fromkeys(FRESH, alike.free),
    **dict.fromkeys(REDUCTIONS, alike.reduction),
    **dict.fromkeys(SCANS, alike.scan),
    **dict.fromkeys(SORTS, alike.sort),
    "searchsorted": lambda _: Counted(kind="alone", least={0: Integer(1)}),  # halving goes on where it began
    "bucketize": lambda _: Counted(kind="alone", least={1: Integer(1)}),
    **dict.fromkeys(GATHERS, masks.gather),
    **dict.fromkeys(RANDOM, _random),
    **dict.fromkeys(names_in("mm bmm mv dot vdot addmm baddbmm addmv _int_mm _scaled_mm"), _product),
    **dict.fromkeys(names_in("_grouped_mm _scaled_grouped_mm"), _grouped),
    **dict.fromkeys(names_in("native_layer_norm native_group_norm"), _layer_norm),
    **dict.fromkeys(names_in("scatter scatter_add scatter_reduce index_add index_copy index_fill"), _scatter),
    **dict.fromkeys(names_in("index_put _index_put_impl _unsafe_index_put"), _index_put),
    **dict.fromkeys(names_in("var std var_mean std_mean"), _variance),
    **dict.fromkeys(names_in("nll_loss_forward nll_loss2d_forward"), _nll),
    **dict.fromkeys(names_in("nll_loss_backward nll_loss2d_backward"), _nll_gradient),
    **dict.fromkeys(names_in("_fft_c2c _fft_r2c _fft_c2r"), _fft),
    "convolution": convolution,
    "convolution_backward": convolution_gradients,
    "pow": _power,
    "histc": _histogram,
    "_embedding_bag": _embedding_bag,
    "_embedding_bag_forward_only": _embedding_bag,
    "mean": _mean,
    "flip": _flip,
    "constant_pad_nd": _pad,
    "roll": _roll,
    "native_dropout": _dropout,
    **dict.fromkeys(names_in("slice_scatter select_scatter diagonal_scatter"), _scattered),
    "linalg_vector_norm": _vector_norm,
    "embedding_dense_backward": _embedding_gradient,
    "max_pool2d_with_indices": _window,
    "max_pool2d_with_indices_backward": _window,
    "max_pool3d_with_indices": _window,
    "avg_pool2d": _window,
    "avg_pool2d_backward": _window,
    "avg_pool3d": _window,
    "linalg_cholesky_ex": alike.cholesky,
    "linalg_solve_triangular": alike.triangular,
}
