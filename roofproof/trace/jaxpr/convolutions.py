"""Convolutions of JAX: their sizes, padding and spreading."""

from __future__ import annotations

from sympy import Expr

from roofproof.ops.notation.typed_einsum import common_format
from roofproof.trace.convolutions import Taps, Window, pairs
from roofproof.trace.counting import Counted
from roofproof.trace.registry import Step


def convolution(step: Step) -> Counted:
    """Return the FLOPs of a convolution, 2 for each pair of a weight and an element of the input that it meets."""
    x, w = step.inputs[:2]
    made, params = step.outputs[0], step.params
    numbers = params["dimension_numbers"]
    channels = w.shape[numbers.rhs_spec[1]]
    holds: list[Expr] = []
    windows: list[Window] = []
    tapped: list[Taps] = []
    total = made.shape[numbers.out_spec[0]] * made.shape[numbers.out_spec[1]] * channels
    for k in range(len(numbers.rhs_spec) - 2):
        size, taps = x.shape[numbers.lhs_spec[k + 2]], w.shape[numbers.rhs_spec[k + 2]]
        before, after = params["padding"][k]
        stride, spread, apart = (params[p][k] for p in ("window_strides", "lhs_dilation", "rhs_dilation"))
        total *= pairs(size, taps, made.shape[numbers.out_spec[k + 2]], before, after, stride, spread, apart, holds)
        tapped.append(Taps(taps, made.shape[numbers.out_spec[k + 2]], size, before, after, stride, apart, spread))
        if spread == 1:
            axis, many = numbers.lhs_spec[k + 2], made.shape[numbers.out_spec[k + 2]]
            windows.append(Window(axis, many, taps, before, stride, apart))
    work = {common_format([x.format, w.format]): 2 * total}
    return Counted(work, "alone", holds=tuple(holds), windows={0: windows}, taps={1: tapped})
