"""The rules of `trace.rules` for selections, gathers and scatters.

Values (masks, indices or targets) choose what these steps read. Some rules also state the values that a mask leaves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sympy import Expr, Mul, Rational, sympify

from roofproof.errors import RoofproofError
from roofproof.trace.parts import Axis, Box, Chosen, Kept
from roofproof.trace.program import ONE, ZERO, Array
from roofproof.trace.regions import Digit
from roofproof.trace.registry import Step
from roofproof.trace.work import INTEGERS, PHILOX, Work, elementwise_axes, numbers, of_complex, vector

LITTLE = 1  # a value below -1 may be low enough that its exp is zero


def where(step: Step) -> Work:
    """Count a selection, which may hide either side everywhere, unless sizes fix one choice for all elements."""
    made, params = step.outputs[0], step.params
    masked = step.primitive == "masked_fill"
    mask = params["mask"] if masked else params.get("condition", step.inputs[0])
    times = of_complex(step, "where") if made.format.startswith("complex") else 1
    work = {numbers(made.format)[0]: times * made.elements}
    if mask.buffer is None and (mask.elements == 1 or (mask.form is not None and "iota" not in str(mask.form))):
        return Work(work, along=elementwise_axes(step))
    hidden = {k: ZERO for k, a in enumerate(step.inputs) if a is not mask}
    values = [params[name] for name in ("value", "self", "other") if params.get(name) is not None]
    values = values if "condition" in params or masked else list(step.inputs[1:])
    kinds = [leaves(value) for value in values if not (isinstance(value, Array) and value.buffer is not None)]
    return Work(
        work, along=elementwise_axes(step), least=hidden, least_compute={}, mask_residue=frozenset().union(*kinds)
    )


def leaves(value: object) -> frozenset[str]:
    """Return the values that a mask may leave by writing a value over others: zeros, low values, either or none.

    >>> sorted(leaves(0.0)), sorted(leaves(float("-inf"))), sorted(leaves(1)), sorted(leaves(None))
    (['zeros'], ['low'], [], ['low', 'zeros'])
    """
    if isinstance(value, Array):
        parts = _parts(value.form)
        value = parts[0] if value.known is None and len(parts) == 1 else value.known
    if isinstance(value, int | float | Expr) and getattr(value, "is_number", True):
        low = bool(value < -LITTLE)
        return frozenset({"zeros"} if value == 0 else {"low"} if low else ())
    return frozenset({"zeros", "low"})


def _parts(form: Any) -> Sequence[Any]:
    """Return the operands in the form of an array that depends only on sizes."""
    return form[2] if isinstance(form, tuple) and len(form) > 2 else ()


def triangle(step: Step) -> Work:
    """Count one triangle of a matrix: n (n + 1)/2 elements of a square one, with the main diagonal."""
    *others, n, m = step.inputs[0].shape
    left = Mul(*others) * n * (n + 1) / 2 if n == m and step.params.get("diagonal", 0) == 0 else ZERO
    made = step.outputs[0]
    kinds = leaves(None if step.inputs[0].fixed else 0)  # a fixed operand may be all -inf
    return Work(
        {numbers(made.format)[0]: made.elements}, along=elementwise_axes(step), least={0: left}, least_compute={},
        mask_residue=kinds, certain_boxes=_steps(others, n, step.primitive == "tril") if left != 0 else (),
    )  # fmt: skip


def _steps(others: Sequence[Expr], n: Expr, lower: bool) -> tuple[Box, ...]:
    """Return boxes that lie in a triangle: a staircase of eight steps."""
    steps = 8 if (n / 8).is_Integer else 1
    every = [Digit(ZERO, m) for m in others]
    starts = [n * k / steps for k in range(steps)]
    boxes = [(Digit(start, n - start), Digit(ZERO, start + 1)) for start in starts]
    boxes = boxes if lower else [(columns, rows) for rows, columns in boxes]
    ends = Digit(n - 1, ONE), Digit(ZERO, n)
    return *((*every, *box) for box in boxes), (*every, *(ends if lower else ends[::-1]))


def take_slices(step: Step) -> Work:
    """Count a JAX gather: slices of its first operand at the given indices."""
    params, table = step.params, step.inputs[0]
    address = frozenset(range(1, len(step.inputs)))
    drops, fill = _drops(step), params.get("fill_value")
    return Work(
        gathered={0: step.outputs[0].elements}, address=address, along=(_slices(step, table.shape),),
        least={0: ZERO} if drops else {}, mask_residue=leaves(fill) if drops and fill is not None else frozenset(),
    )  # fmt: skip


def _slices(step: Step, shape: Sequence[Expr]) -> tuple[Axis, ...]:
    """Return the result axis of each operand axis of a JAX gather."""
    found: list[Axis] = []
    if step.primitive == "dynamic_slice":
        return tuple(k if n == shape[k] else Chosen(n) for k, n in enumerate(step.outputs[0].shape))
    numbers = step.params["dimension_numbers"]
    others = [k for k in range(len(step.outputs[0].shape)) if k not in numbers.offset_dims]
    offsets = iter(numbers.offset_dims)
    for k, size in enumerate(step.params["slice_sizes"]):
        if k in numbers.operand_batching_dims:
            place = numbers.start_indices_batching_dims[numbers.operand_batching_dims.index(k)]
            found.append(others[place])
        elif k in numbers.collapsed_slice_dims:
            found.append(Chosen())
        else:
            at = next(offsets)
            found.append(at if size == shape[k] else Chosen(sympify(size, strict=True)))
    return tuple(found)


def _drops(step: Step) -> bool:
    """Return whether JAX drops indices out of bounds, so that they neither read nor change the operand."""
    return "FILL" in str(step.params.get("mode"))


def taken(step: Step) -> Work:
    """Count a PyTorch gather: elements, or rows along an axis, at the given indices."""
    made, table = step.outputs[0], step.inputs[0]
    rank, params = len(table.shape), step.params
    along: list[Axis] = [*range(rank)]
    if step.primitive in ("index", "_unsafe_index"):
        along = _indexed(table, params["indices"], made.shape)
    elif step.primitive == "embedding":
        along = [Chosen(), len(made.shape) - 1]
    elif step.primitive == "take":
        along = [Chosen()] * rank
    elif rank:
        along[params["dim"]] = Chosen()
    address = frozenset(range(1, len(step.inputs)))
    return Work(gathered={0: made.elements}, address=address, along=(tuple(along),))


def _indexed(table: Array, indices: Sequence[Array | None], made: Sequence[Expr]) -> list[Axis]:
    """Return the result axis of each axis of a tensor that is indexed by index tensors and whole axes."""
    named = [k for k, i in enumerate(indices) if i is not None]
    wide = len(_broadcast([i for i in indices if i is not None]))
    apart = named != list(range(named[0], named[-1] + 1))
    found: list[Axis] = []
    at = wide if apart or not named or named[0] == 0 else 0
    for k in range(len(table.shape)):
        if k in named:
            found.append(Chosen())
            at += wide if not apart and named[0] and k == named[0] else 0
        else:
            found.append(at)
            at += 1
    return found if at == len(made) else [Chosen()] * len(table.shape)


def _broadcast(indices: Sequence[Array]) -> list[Expr]:
    """Return the shape that indices are broadcast to."""
    ranks = range(max((len(i.shape) for i in indices), default=0), 0, -1)
    return [max((i.shape[-k] for i in indices if len(i.shape) >= k), key=lambda n: n != 1) for k in ranks]


def put_over(step: Step) -> Work:
    """Count a copy of a tensor with a slice, a row or a diagonal replaced."""
    return Work(least={0: step.params["self"].elements - step.params["src"].elements})


def update_slice(step: Step) -> Work:
    return Work(update=step.inputs[1].elements, address=frozenset(range(2, len(step.inputs))))


def put_slices(step: Step) -> Work:
    """Count a JAX scatter: slices written or added at the given indices."""
    changed = step.inputs[2].elements
    same = Mul(*step.inputs[1].shape[:-1])
    dropped = dict.fromkeys([0, 2], ZERO) if _drops(step) else {}
    if step.primitive == "scatter":
        least = dropped or {2: changed / same}
        return Work(update=changed, repeats=same, address=frozenset({1}), least=least)
    engine, times = numbers(step.inputs[0].format)
    if times != 1 and step.primitive not in ("scatter-add", "scatter-sub"):
        raise RoofproofError(f"{step.primitive} of complex numbers has no rule")
    least_compute: dict[str, Expr] | None = {} if dropped else None
    return Work(
        {engine: times * changed}, update=changed, repeats=same, reads_updated=True, address=frozenset({1}),
        least=dropped, least_compute=least_compute,
    )  # fmt: skip


def scatter(step: Step) -> Work:
    """Count a PyTorch scatter: as many elements written or added as the index or the source has."""
    source = step.params.get("src", step.params.get("source"))
    index = step.params["index"]
    if step.primitive.startswith("index_"):  # rows along an axis
        taken, axis = step.inputs[0], step.params["dim"]
        changed = taken.elements / taken.shape[axis] * index.elements if taken.shape else ONE
        same = index.elements
    else:
        changed = index.elements
        same = index.shape[step.params["dim"]] if index.shape else ONE
    address = frozenset(k for k, a in enumerate(step.inputs) if a is index)
    least = {k: changed / same for k, a in enumerate(step.inputs) if a is source}
    if step.params.get("reduce") == "mean":
        raise RoofproofError("scatter_reduce by a mean has no rule")
    if step.primitive not in ("scatter_add", "index_add", "scatter_reduce") and not step.params.get("reduce"):
        return Work(update=changed, repeats=same, address=address, least=least)
    engine, times = numbers((source if source is not None else step.inputs[0]).format)
    reads_updated = step.params.get("include_self") is not False
    return Work({engine: times * changed}, update=changed, repeats=same, reads_updated=reads_updated, address=address)


def index_put(step: Step) -> Work:
    """Count the elements written at index tensors: one per index, times the axes that are not indexed."""
    taken, indices = step.inputs[0], step.params["indices"]
    named = [i for i in indices if i is not None]
    if any(i.format == "int8" for i in named):  # masks
        return Work(
            update=taken.elements, least=dict.fromkeys([0, len(step.inputs) - 1], ZERO), mask_residue=leaves(None)
        )
    places = Mul(*_broadcast(named))
    left = [n for k, n in enumerate(taken.shape) if k >= len(indices) or indices[k] is None]
    changed = places * Mul(*left)
    address = frozenset(k for k, a in enumerate(step.inputs) if any(a is i for i in named))
    if not step.params.get("accumulate"):
        least = {k: changed / places for k, a in enumerate(step.inputs) if k and k not in address}
        return Work(update=changed, repeats=places, address=address, least=least)
    engine, times = numbers(taken.format)
    return Work({engine: times * changed}, update=changed, repeats=places, reads_updated=True, address=address)


def embedding_bag(step: Step) -> Work:
    """Count the rows that are summed or averaged per bag, each with its weight if there are any."""
    table, indices = step.inputs[:2]
    made = step.outputs[0].elements
    taken = indices.elements * table.shape[-1]
    more = made if step.params.get("mode") == 1 else taken if step.params.get("per_sample_weights") is not None else 0
    address = frozenset(range(1, len(step.inputs)))
    work = {vector(table.format): taken - made + more}
    along = ((Chosen(), len(step.outputs[0].shape) - 1),)
    return Work(work, gathered={0: taken}, address=address, along=along, **_padding_bounds(step))


def embedding_gradient(step: Step) -> Work:
    work = {vector(step.inputs[0].format): step.inputs[0].elements}
    return Work(work, "alone", address=frozenset({1}), **_padding_bounds(step))


def _padding_bounds(step: Step) -> dict[str, Any]:
    """Return the bounds for a table of which nothing may be read, since every index may be the padding index."""
    left_out = step.params.get("padding_idx", -1)
    return {"least": {0: ZERO}, "mask_residue": leaves(0)} if isinstance(left_out, int) and left_out >= 0 else {}


def nll(step: Step) -> Work:
    """Count one negated element per row, times the weight of its class if there are any, and their sum or mean."""
    taken, target = step.inputs[:2]
    n = target.elements
    how = step.params.get("reduction", 1)
    work = n + (n - 1 if how else 0) + (1 if how == 1 else 0)
    gathered = {0: n}
    known = target.buffer.values if target.buffer is not None else None
    ignored = known is None or step.params.get("ignore_index", -100) in known  # any target may be this index
    if step.params.get("weight") is not None:
        work += n + (n - 1 if how == 1 else 0)
        gathered[2] = n
    classes = 0 if len(taken.shape) == 1 else 1
    rows: list[Axis] = [None if how else k - (k > classes) for k in range(len(taken.shape))]
    targets = tuple(axis for k, axis in enumerate(rows) if k != classes)
    rows[classes] = Chosen()
    return Work(
        {vector(taken.format): work}, gathered=gathered, address=frozenset({1}),
        along=(tuple(rows), targets, (Chosen(),)), least=dict.fromkeys(gathered, ZERO) if ignored else {},
        least_compute={} if ignored else None,
    )  # fmt: skip


def nll_gradient(step: Step) -> Work:
    n, gathered = step.params["target"].elements, {1: ZERO}
    weighted = step.params.get("weight") is not None
    if weighted:
        gathered[3] = n
    return Work(
        {vector(step.inputs[0].format): n * (1 + weighted) + 1}, gathered=gathered, address=frozenset({2}),
        least=dict.fromkeys({0, *gathered}, ZERO), least_compute={}, mask_residue=leaves(0),
    )  # fmt: skip


def dropout(step: Step) -> Work:
    """Count a random number and three FLOPs per element. The share that is kept on average must be read."""
    dropped = Rational(str(step.params["p"]))
    if step.params.get("train") is False or not dropped:
        return Work(along=elementwise_axes(step))
    made = step.outputs[0]
    work = {INTEGERS: PHILOX * made.elements, vector(made.format): 3 * made.elements}
    rank = len(made.shape)
    return Work(work, along=((*range(rank - 1), Kept(rank - 1, 1 - dropped)),) if rank else None, whole=True)
