"""What each primitive of JAX computes and moves: one line a primitive, or a list of those that are alike.

The conventions are those of `trace.counting`.
"""

from __future__ import annotations

from sympy import Expr, Mul, Rational, sympify

from roofproof.errors import RoofproofError
from roofproof.ops.notation.typed_einsum import common_format
from roofproof.trace import alike, masks
from roofproof.trace.convolutions import Window
from roofproof.trace.counting import INTEGERS, Counted, Counting, absolute, each, names_in, numbers, vector
from roofproof.trace.jaxpr.convolutions import convolution
from roofproof.trace.program import ZERO, Along, Array
from roofproof.trace.registry import Step

# --- views: nothing is computed, nothing moves until it is used ------------------------------------------

SAME = names_in("""
    reshape squeeze expand_dims stop_gradient optimization_barrier pvary pcast sharding_constraint mesh_cast reshard
    layout_constraint name
""")
VIEWS = names_in("broadcast_in_dim transpose slice rev split bitcast_convert_type real imag")

# --- one FLOP an element, or as many as are said -----------------------------------------------------------

CHEAP = dict.fromkeys(names_in("""
    add add_any sub mul div max min neg abs sign floor ceil round select_n eq ne lt le gt ge eq_to lt_to le_to rem
    square nextafter is_finite and or xor not shift_left shift_right_logical shift_right_arithmetic population_count
    clz conj reduce_precision mul_high
"""), 1) | {"clamp": 2}  # fmt: skip
SPECIAL = names_in("""
    exp exp2 log log1p expm1 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh logistic erf erfc erf_inv
    rsqrt sqrt cbrt pow atan2 lgamma digamma
""")
COMPLEX = {"div": 11, "add": 2, "add_any": 2, "sub": 2, "neg": 2, "mul": 6, "conj": 1, "select_n": 1}
FREE = names_in("""
    stack complex random_wrap random_unwrap random_seed random_clone
""")
LAID = names_in("convert_element_type concatenate copy copy_p")
REDUCTIONS = names_in("reduce_sum reduce_max reduce_min reduce_prod reduce_and reduce_or reduce_xor argmax argmin")
SCANS = names_in("cumsum cumprod cummax cummin")
SORTS = names_in("sort top_k approx_top_k")
SCATTERS = names_in("scatter scatter-add scatter-sub scatter-mul scatter-min scatter-max")
WINDOWS = {"reduce_window_sum": 1, "reduce_window_max": 1, "reduce_window_min": 1, "select_and_scatter_add": 2}

# Threefry-2x32 makes two words of 32 bits: 20 rounds of an addition, a rotation (two shifts and an or) and an xor, two
# additions of the key before and three after each of five groups of rounds.
# Source: Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3 (SC 2011), section 3.3
THREEFRY = 20 * (1 + 3 + 1) + 2 + 5 * 3


def counting(primitive: str) -> Counting | None:
    """Return the rule of a primitive, None where there is none.

    >>> counting("dot_general") is not None, counting("eigh")
    (True, None)
    """
    return RULES.get(primitive)


def _cheap(step: Step) -> Counted:
    operand, times = _operand(step), CHEAP[step.primitive]
    if operand.format.startswith("complex"):
        if step.primitive == "abs":
            return Counted(absolute(step), along=each(step))
        if step.primitive not in COMPLEX:
            raise RoofproofError(f"{step.primitive} of complex numbers has no rule")
        times = COMPLEX[step.primitive]
        if step.primitive == "div" and not step.inputs[1].format.startswith("complex"):  # a number in the code
            times = 2
    if step.primitive == "select_n":
        return masks.masked(step, times, step.inputs[0], step.inputs[1:])
    return Counted({numbers(operand.format)[0]: times * step.outputs[0].elements}, along=each(step))


def _operand(step: Step) -> Array:
    """Return the operand whose format decides: of a selection not the predicate."""
    return step.inputs[1 if step.primitive in ("select_n", "clamp") else 0]


def _power(step: Step) -> Counted:
    made = alike.products(step.params["y"]) * step.outputs[0].elements
    return Counted({vector(step.inputs[0].format): made}, along=each(step), least=alike.one(step.params["y"]))


def _window(step: Step) -> Counted:
    each = Mul(*step.params["window_dimensions"])
    results = step.inputs[0] if step.primitive.startswith("select") else step.outputs[0]
    work = WINDOWS[step.primitive] * (each - 1) if WINDOWS[step.primitive] == 1 else each
    windows = [
        Window(k, results.shape[k], taps, before, stride, apart)
        for k, (taps, (before, _), stride, spread, apart) in enumerate(
            zip(*(step.params[name] for name in ("window_dimensions", "padding", "window_strides", "base_dilation",
                                                 "window_dilation")), strict=True)
        )
        if spread == 1
    ] if WINDOWS[step.primitive] == 1 else []  # fmt: skip
    return Counted({vector(step.inputs[0].format): work * results.elements}, windows={0: windows})


def _pad(step: Step) -> Counted:
    """Each axis begins after what stands before it; what is cut off does not come out."""
    sides = step.params["padding_config"]
    if any(inside != 0 or any(sympify(n, strict=True).is_negative for n in ends) for *ends, inside in sides):
        return Counted()
    shift = tuple(sympify(before, strict=True) for before, _, _ in sides)
    return Counted(along=(tuple(range(len(sides))), ()), shift=shift)


def _update_slice(step: Step) -> Counted:
    return Counted(update=step.inputs[1].elements, address=frozenset(range(2, len(step.inputs))))


def _scatter(step: Step) -> Counted:
    changed = step.inputs[2].elements
    same = {0: Mul(*step.inputs[1].shape[:-1])}
    dropped = dict.fromkeys([0, 2], ZERO) if masks.drops(step) else {}
    if step.primitive == "scatter":
        least = dropped or {2: changed / same[0]}
        return Counted(update=changed, repeats=same, address=frozenset({1}), least=least)
    engine, each = numbers(step.inputs[0].format)
    if each != 1 and step.primitive not in ("scatter-add", "scatter-sub"):
        raise RoofproofError(f"{step.primitive} of complex numbers has no rule")
    work = {engine: each * changed}
    spared: dict[str, Expr] | None = {} if dropped else None
    return Counted(work, update=changed, repeats=same, again=True, address=frozenset({1}), least=dropped, spared=spared)


def _dot(step: Step) -> Counted:
    """A product of two tensors: batch, contracted and free indices; where nothing is contracted on the vector unit."""
    x, y = step.inputs[:2]
    along = _placed(step)
    (left, _), _ = step.params["dimension_numbers"]
    summed, made = Mul(*(x.shape[i] for i in left)), step.outputs[0].elements
    format = common_format([x.format, y.format]) if not x.format.startswith("complex") else x.format
    if format.startswith("complex"):  # 4 products and 4 additions; 2 additions where nothing is summed
        if not left:
            return Counted({numbers(format)[0]: 6 * made}, along=along)
        return Counted({"fp32" if format == "complex64" else "fp64": 8 * summed * made}, "alone", along=along)
    if not left:
        return Counted({vector(format): made}, along=along)
    return Counted({format: 2 * summed * made}, "alone", along=along)


def _placed(step: Step) -> Along:
    """Return where axes of two tensors stand in their product: those of the batch, those of the first, the others."""
    summed, batch = step.params["dimension_numbers"]
    free = iter(range(len(batch[0]), len(step.outputs[0].shape)))
    return tuple(
        tuple(b.index(k) if k in b else None if k in s else next(free) for k in range(len(array.shape)))
        for array, s, b in zip(step.inputs[:2], summed, batch, strict=True)
    )


def _ragged_dot(step: Step) -> Counted:
    """Rows in groups, each group with a matrix of its own: every row meets one matrix."""
    x, w = step.inputs[:2]
    numbers = step.params.get("ragged_dot_dimension_numbers")
    if numbers is not None and tuple(map(tuple, numbers.dot_dimension_numbers)) != (((1,), (1,)), ((), ())):
        raise RoofproofError("ragged_dot of this layout has no rule")
    least = {1: w.elements / w.shape[0]} if len(w.shape) == 3 else {}  # all rows may be of one group
    return Counted(
        {common_format([x.format, w.format]): 2 * step.outputs[0].elements * x.shape[-1]}, "alone", least=least
    )


def _random_bits(step: Step) -> Counted:
    words = step.outputs[0].elements * Rational(step.params.get("bit_width", 32), 32)
    return Counted({INTEGERS: Rational(THREEFRY, 2) * words})


def _threefry(step: Step) -> Counted:
    return Counted({INTEGERS: THREEFRY * step.outputs[0].elements})


def _fft(step: Step) -> Counted:
    return alike.fft(step, range(-len(step.params["fft_lengths"]), 0))


def _lu(step: Step) -> Counted:
    """Of a square matrix of order n: n^2 multiply-adds less in each of n steps, 2 n^3/3 in all."""
    taken = step.inputs[0]
    if taken.shape[-1] != taken.shape[-2]:
        raise RoofproofError("lu of a matrix that is not square has no rule")
    return Counted({taken.format: 2 * taken.elements * taken.shape[-1] / 3}, "alone")


RULES: dict[str, Counting] = {
    **dict.fromkeys(CHEAP, _cheap),
    **dict.fromkeys(SPECIAL, alike.special),
    **dict.fromkeys(FREE, alike.free),
    **dict.fromkeys(LAID, alike.laid),
    **dict.fromkeys(REDUCTIONS, alike.reduction),
    **dict.fromkeys(SCANS, alike.scan),
    **dict.fromkeys(SORTS, alike.sort),
    **dict.fromkeys(WINDOWS, _window),
    **dict.fromkeys(SCATTERS, _scatter),
    "integer_pow": _power,
    "pad": _pad,
    "gather": masks.gather,
    "dynamic_slice": masks.gather,
    "dynamic_update_slice": _update_slice,
    "dot_general": _dot,
    "ragged_dot": _ragged_dot,
    "ragged_dot_general": _ragged_dot,
    "conv_general_dilated": convolution,
    "random_bits": _random_bits,
    "threefry2x32": _threefry,
    "random_split": _threefry,
    "random_fold_in": _threefry,
    "fft": _fft,
    "cholesky": alike.cholesky,
    "lu": _lu,
    "triangular_solve": alike.triangular,
}
