"""LSTM, GRU and plain recurrent layers. Each direction of a layer is one step, so its length may be a symbol.

Besides its products and biases, a time step takes, for each of the H numbers of a state:

            gates  exp  forward  backward
lstm          4     5      8        21       i, f, o = sigmoid, g = tanh; c = f c + i g; h = o tanh(c)
gru           3     3      7        15       r, z = sigmoid, n = tanh(. + r .); h = (h - n) z + n
rnn_tanh      1     1      1         3       h = tanh(.)
rnn_relu      1     0      2         2       h = relu(.)

Backward, a sigmoid and a tanh take three each and a relu two. Gradients that arrive on two paths are added. The
gradient of the weights is one product over all time steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from sympy import Expr, Integer, Mul

from roofproof.trace.aten.record import Recorder, unseen
from roofproof.trace.dtypes import format_of
from roofproof.trace.program import Iterations
from roofproof.trace.work import one_format, vector


@dataclass(frozen=True)
class Cell:
    """The cost of a time step for each number of its state. `ways` counts the paths from a state to the next."""

    name: str
    gates: int
    special: int
    forward: int
    backward: int
    ways: int = 1

    @property
    def states(self) -> int:
        return 2 if self.name == "lstm" else 1


CELLS = {
    getattr(torch, cell.name): cell
    for cell in (
        Cell("lstm", 4, 5, 8, 21), Cell("gru", 3, 3, 7, 15, ways=2), Cell("rnn_tanh", 1, 1, 1, 3),
        Cell("rnn_relu", 1, 0, 2, 2),
    )
}  # fmt: skip


def cell_of(function: Any, args: tuple[Any, ...]) -> Cell | None:
    """Return the cell that a PyTorch function repeats, or None for other functions and for packed sequences.

    >>> cell_of(torch.gru, (None, None, [], *[True] * 6)).gates, cell_of(torch.exp, ()) is None
    (3, True)
    """
    cell = CELLS.get(function)
    return cell if cell is not None and len(args) == 9 and isinstance(args[3], bool) else None  # has_biases


def recurrence(
    record: Recorder, cell: Cell, x: Any, states: Any, weights: Any, biased: bool, layers: int, dropout: float,
    training: bool, bidirectional: bool, batch_first: bool,
) -> Any:  # fmt: skip
    """Return PyTorch's result: all states of the last layer, and the final states of each layer."""
    states = states if cell.states > 1 else (states,)
    directions = 2 if bidirectional else 1
    each = len(weights) // (layers * directions)
    x = x.transpose(0, 1) if batch_first else x
    last: list[Any] = []
    for layer in range(layers):
        made = []
        for k in range(layer * directions, (layer + 1) * directions):
            of_it = weights[k * each : (k + 1) * each]
            backwards = k % directions == 1
            out, *end = _Layer.apply(record, cell, biased, backwards, x, *(s[k] for s in states), *of_it)
            made.append(out)
            last.append(end)
        x = made[0] if len(made) == 1 else torch.cat(made, -1)
        if dropout and layer < layers - 1:
            x = torch.nn.functional.dropout(x, dropout, training)
    return x.transpose(0, 1) if batch_first else x, *(torch.stack(list(side)) for side in zip(*last, strict=True))


class _Layer(torch.autograd.Function):  # type: ignore[misc]
    """One direction of a layer, and its gradient."""

    @staticmethod
    def forward(ctx: Any, record: Recorder, cell: Cell, biased: bool, backwards: bool, x: Any, *others: Any) -> Any:
        states = others[: cell.states]
        with unseen(record):
            made = [x.new_empty((x.shape[0], *states[0].shape)), *(torch.empty_like(s) for s in states)]
        turns, rows, taken, given, wide = _sizes(record, cell, x, others)
        gates, each = cell.gates * wide, 2 * turns * rows
        products = each * gates * (taken + given) + (each * wide * given if _narrowed(cell, biased, others) else 0)
        work = {
            _engine(record, cell, x, others[cell.states]): products,
            "exp": turns * rows * wide * cell.special,
            vector(format_of(x.dtype)): turns * rows * (wide * cell.forward + (2 * gates if biased else 0)),
        }
        record.own(cell.name, [x, *others], made, work, Iterations(turns, backwards))
        ctx.record, ctx.cell, ctx.biased = record, cell, biased
        ctx.save_for_backward(x, *others, made[0])
        return tuple(made)

    @staticmethod
    def backward(ctx: Any, *given_back: Any) -> Any:
        x, *others, out = ctx.saved_tensors
        record, cell, biased = ctx.record, ctx.cell, ctx.biased
        needed = ctx.needs_input_grad[4:]
        first = others[cell.states]
        with unseen(record):
            made = [torch.empty_like(t) if need else None for t, need in zip((x, *others), needed, strict=True)]
            of_gates = x.new_empty((*x.shape[:-1], first.shape[0]))
        turns, rows, taken, given, wide = _sizes(record, cell, x, others)
        gates, each = cell.gates * wide, 2 * turns * rows
        engine, narrowed = (
            _engine(record, cell, x, first),
            each * wide * given if _narrowed(cell, biased, others) else 0,
        )
        back = turns if needed[1] else turns - 1
        alone = turns * rows * wide * cell.backward
        alone += (turns - 1) * rows * (given * cell.ways + (wide if cell.states > 1 else 0))
        if cell.states > 1 and not needed[2]:  # the gradient of c is not requested
            alone -= rows * wide
        # One step for each kind of gradient, so that unused ones can be dropped.
        name, of_states = f"{cell.name}_backward", [t for t in made[1 : 1 + cell.states] if t is not None]
        back_from = [x, *others, out, *(t for t in given_back if t is not None)]
        work = {engine: 2 * back * rows * gates * given + narrowed, vector(format_of(x.dtype)): alone}
        record.own(name, back_from, [of_gates, *of_states], work)
        if made[0] is not None:
            record.own(name, [of_gates, first], made[:1], {engine: each * gates * taken})
        if of_weights := [t for t in made[1 + cell.states :] if t is not None]:
            work = {engine: each * gates * (taken + given) + narrowed}
            work[vector(format_of(x.dtype))] = 2 * gates * (turns * rows - 1) if biased else Integer(0)
            record.own(name, [x, others[0], out, of_gates], of_weights, work)
        return None, None, None, None, *made


def _sizes(record: Recorder, cell: Cell, x: Any, others: Any) -> tuple[Expr, Expr, Expr, Expr, Expr]:
    """Return the time steps, the rows, and the sizes of an input, of a state passed on, and of a cell."""
    turns, *rows, taken = record.shape(x)
    return turns, Mul(*rows), taken, record.shape(others[0])[-1], record.shape(others[cell.states])[0] / cell.gates


def _narrowed(cell: Cell, biased: bool, others: Any) -> bool:
    """Return whether a projection (`proj_size`) narrows a state before it is passed on."""
    return len(others) - cell.states > (4 if biased else 2)


def _engine(record: Recorder, cell: Cell, x: Any, weight: Any) -> str:
    return one_format(cell.name, record.array(x), record.array(weight))
