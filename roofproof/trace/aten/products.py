"""Convolutions of PyTorch, transposed ones and gradients: 2 FLOPs for each pair of a weight and an element it meets."""

from __future__ import annotations

from sympy import Expr, Integer

from roofproof.trace.convolutions import Taps, Window, pairs
from roofproof.trace.counting import Counted, one_format, vector
from roofproof.trace.ordering import at_most
from roofproof.trace.program import Array, Buffer
from roofproof.trace.registry import Step


def convolution(step: Step) -> Counted:
    """Return the FLOPs of a convolution, and of the bias that is added."""
    x, w = step.params["input"], step.params["weight"]
    engine, total, holds, windows, taps = _multiplied(step, x, w, step.outputs[0])
    work = {engine: total}
    if step.params.get("bias") is not None:
        work[vector(x.format)] = step.outputs[0].elements
    if not step.params["transposed"]:
        return Counted(work, "alone", holds=holds, windows={0: windows}, taps={1: taps})
    cut = any(at_most(t.before, (t.many - 1) * t.apart) != t.before for t in taps)  # some elements, where taps are few
    return Counted(work, "alone", holds=holds, taps={1: taps}, least={0: Integer(0)} if cut else {})


def convolution_gradients(step: Step) -> Counted:
    """Return the FLOPs of the gradients that are asked for: of the input and of the weight each as many as forward."""
    given, x, w = (step.params[name] for name in ("grad_output", "input", "weight"))
    of_x, of_w, of_bias = step.params["output_mask"]
    engine, each, holds, *_ = _multiplied(step, x, w, given)
    work: dict[str, Expr] = {engine: each * (int(of_x) + int(of_w))}
    if of_bias:
        work[vector(given.format)] = given.elements - given.shape[1]
    return Counted(work, "alone", holds=holds)


def _multiplied(
    step: Step, x: Array, w: Array, made: Array | Buffer
) -> tuple[str, Expr, tuple[Expr, ...], list[Window], list[Taps]]:
    params, axes = step.params, len(w.shape) - 2
    given = (params[p] for p in ("stride", "padding", "dilation"))
    stride, padding, dilation = (v if len(v) == axes else v * axes for v in given)
    # A transposed convolution is the one that leads back, from its result to its input.
    large, small = (made, x) if params["transposed"] else (x, made)
    total = small.shape[0] * small.shape[1] * w.shape[1]
    holds: list[Expr] = []
    for k in range(axes):
        total *= pairs(
            large.shape[k + 2], w.shape[k + 2], small.shape[k + 2], padding[k], padding[k], stride[k], 1, dilation[k],
            holds,
        )  # fmt: skip
    windows = [
        Window(k + 2, made.shape[k + 2], w.shape[k + 2], padding[k], stride[k], dilation[k]) for k in range(axes)
    ]
    taps = [
        Taps(
            w.shape[k + 2], small.shape[k + 2], large.shape[k + 2], padding[k], padding[k], stride[k], dilation[k]
        )
        for k in range(axes)
    ]  # fmt: skip
    return one_format(step.primitive, x, w), 2 * total + Integer(0), tuple(holds), windows, taps
