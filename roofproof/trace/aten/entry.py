"""Tracing of a PyTorch module or function with symbolic sizes, to an operation. Nothing is computed.

The module is called once, as by `torch.export`, with tensors that have a shape and a format but no values. Side effects
such as printing or reading files do happen. Backward passes and optimizer steps are traced like any other code.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import Any

from roofproof import arguments
from roofproof.errors import MissingExtra, RoofproofError, refuse_unknown
from roofproof.trace.addresses import drop_index_arithmetic
from roofproof.trace.arguments import call, checked, filled, nested
from roofproof.trace.dead import alive, trim_loops
from roofproof.trace.dtypes import dtype_of
from roofproof.trace.layers import of_layers
from roofproof.trace.operation import Traced
from roofproof.trace.problems import definition, user_errors
from roofproof.trace.program import Array, Buffer, Equation, Place
from roofproof.trace.result import Trace, name_results, read_arguments
from roofproof.trace.shapes import Read
from roofproof.trace.traffic import MODELS

PLAIN = (
    "float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "complex64", "complex128",
)  # fmt: skip


@arguments.checked
def trace_module(
    module: Callable[..., Any],
    shapes: str | Mapping[str, str] | Read = "",
    /,
    *,
    where: str = "",
    traffic: str = "fused",
    unrolled: str = "",
    **named: str | float | None,
) -> Traced:
    """Trace the work and traffic of a PyTorch module, module class or function, with symbolic sizes.

    >>> import torch
    >>> op = trace_module(torch.nn.Linear, "in_features=D, out_features=F, input:bf16[B,D]")
    >>> dict(op.compute), op.bytes()                           # 2 B D F on the matrix unit, and a bias
    ({'bf16': 2*B*D*F, 'fp32-vector': B*F}, 2*B*D + 2*B*F + 2*D*F + 2*F)

    `shapes` is text as in `roofproof.trace.shapes`. Alternatively, give the shape of each parameter by name, as in
    `x="bf16[B,D]"`. A class is instantiated first, from the numbers and symbols given for its parameters, in the format
    of the first floating-point tensor. An existing module (on `meta`, or with values) keeps its own sizes. `where`
    holds conditions on the sizes (`"k even; h = g*r"`), and `traffic` is a model of `roofproof.trace.traffic`.
    `unrolled` is the size that counts the layers that Python unrolls, as in `roofproof.trace.layers`. Raises a one-line
    RoofproofError if the module fails or calls an operator without a rule.
    """
    refuse_unknown("traffic model", traffic, MODELS)
    if unrolled:
        return of_layers(lambda at: traced(module, at), read_arguments(shapes, named, where), unrolled, traffic)
    return traced(module, shapes, where=where, **named).operation(traffic)


def traced(
    module: Callable[..., Any],
    shapes: str | Mapping[str, str] | Read = "",
    /,
    *,
    where: str = "",
    **named: str | float | None,
) -> Trace:
    """Return the trace of a module before its traffic is counted. The arguments are those of `trace_module`.

    >>> import torch
    >>> found = traced(lambda x: torch.relu(x + 1), x="bf16[N]")
    >>> [e.primitive for e in found.program.equations]
    ['add', 'relu']
    """
    torch = _torch()
    from torch._dispatch.python import enable_python_dispatcher
    from torch.utils._pytree import tree_flatten_with_path

    from roofproof.trace.aten.attention import AttentionMode
    from roofproof.trace.aten.modules import (
        Shapes,
        arguments_of,
        formats_as_there,
        gradients,
        is_class,
        names_of,
        scopes,
        symbolic,
    )
    from roofproof.trace.aten.record import Recorder
    from roofproof.trace.aten.sizes import TorchSizes

    if isinstance(module, torch.jit.ScriptModule | torch.jit.ScriptFunction):
        raise RoofproofError("a scripted module is not traced; give the module it was made from")
    found, conditions = read_arguments(shapes, named, where)
    to_make, for_call, signature = arguments_of(module, found, conditions)
    checked(module, [str(one.path[0]) for one in to_make]) if is_class(module) else None
    tree = nested(for_call)
    function = getattr(module, "forward", module)
    signature = checked(function, tree, signature)
    found = (*to_make, *for_call)
    arrays = [one for one in for_call if one.format]
    dtypes = {one.path: dtype_of(one, torch, PLAIN, "PyTorch", "tensors") for one in arrays}
    symbols = {s for one in found for size in one.sizes for s in size.free_symbols}
    called = getattr(module, "__name__", type(module).__name__)
    sizes = TorchSizes(symbols, conditions)
    with user_errors(function, lambda: sizes.words), ExitStack() as stack:
        stack.callback(logging.disable, logging.root.manager.disable)
        logging.disable(logging.CRITICAL)  # PyTorch would also log each error
        stack.enter_context(torch.backends.mkldnn.flags(enabled=False))
        stack.enter_context(torch.backends.nnpack.flags(enabled=False))
        fast = torch.backends.mha.get_fastpath_enabled()
        stack.callback(torch.backends.mha.set_fastpath_enabled, fast)
        torch.backends.mha.set_fastpath_enabled(False)
        order = torch.backends.opt_einsum.enabled
        stack.callback(setattr, torch.backends.opt_einsum, "enabled", order)
        torch.backends.opt_einsum.enabled = False  # contract from left to right, even if opt_einsum is installed
        warnings.filterwarnings("error", ".*autograd kernel was not registered.*")
        mode = Shapes(shape_env=sizes.environment, allow_non_fake_inputs=True)
        mode.size = sizes.size
        mode.cache_enabled = False  # its keys would compare sizes
        stack.enter_context(mode)
        stack.enter_context(symbolic())
        device = "cpu"
        if is_class(module):
            first = next((d for d in dtypes.values() if d.is_floating_point), torch.get_default_dtype())
            stack.callback(torch.set_default_dtype, torch.get_default_dtype())
            torch.set_default_dtype(first)
            values = filled(nested(to_make), module, lambda one: sizes.value(one.value))
            module = module(**values)
        names = names_of(module)
        if any(t.device.type == "meta" for _, t in names.values()):
            device = "meta"
        else:  # under it, autograd has no rules for `meta`
            stack.enter_context(enable_python_dispatcher())
        stack.enter_context(torch.device(device))
        record = Recorder(sizes, mode, {k: n for k, (n, _) in names.items()}, definition(function))
        leaves = {
            one.path: torch.empty(tuple(map(sizes.size, one.shape)), dtype=dtypes[one.path], device=device)
            for one in arrays
        }
        for one in arrays:
            record.enter(leaves[one.path], one.name).values = one.values
        kept = gradients(names)
        values = filled(tree, function, lambda one: leaves[one.path] if one.format else sizes.value(one.value))
        stack.enter_context(scopes(record))
        stack.enter_context(formats_as_there(device))
        with record, AttentionMode(record):
            result = call(module, signature, values)
        place = definition(function)
        paths = [(path, v) for path, v in tree_flatten_with_path(result)[0] if isinstance(v, torch.Tensor)]
        record.program.outputs = [_written(record, record.array(v), place) for _, v in paths]
        name_results(record.program, paths, {b.name for b in record.given.values()})
        held = [*((n, t) for n, t in names.values()), *((one.name, leaves[one.path]) for one in arrays)]
        for name, tensor in held:
            if tensor.is_leaf and tensor.grad is not None:
                array = _written(record, record.array(tensor.grad), place)
                if array.buffer is not None and not array.buffer.name:
                    array.buffer.name = f"{name}.grad"
                record.program.outputs.append(array)
        for k, (_, tensor) in names.items():
            if k in kept:
                tensor.grad = kept[k]
    overwritten = _updated(record)
    program = record.program
    turns = trim_loops(program, sizes)
    dropped = dict.fromkeys(f"{e.primitive} at {e.place}" for e in alive(program))
    if dropped:
        record.notes.append(f"left out, as nobody needs the result: {', '.join(dropped)}")
    record.notes += turns
    drop_index_arithmetic(program)
    by = f"traced by torch {torch.__version__}"
    return Trace(called, program, tuple(sizes.conditions), overwritten, by, tuple(dict.fromkeys(record.notes)))


def _written(record: Any, array: Array, place: Place) -> Array:
    """Return a result as an array in memory, adding a copy if needed.

    Values that depend only on sizes are copied, and so is a part of an intermediate buffer. A part of an argument, even
    of one that was updated in place, is returned without a copy.
    """
    buffer = root = array.buffer
    while root is not None and root.updated is not None:
        root = root.updated
    if buffer is not None and root is not None and (root.given or array.part is None):
        return array
    copy = Buffer(array.shape, array.format)
    along = (tuple(range(len(array.shape))),)
    record.program.equations.append(Equation("copy", (array,), (copy,), place=place, along=along))
    return Array(copy.shape, copy.format, copy)


def _updated(record: Any) -> tuple[str, ...]:
    """Add the arguments that were updated in place to the outputs, and return their names."""
    found: list[str] = []
    for key, first in record.given.items():
        last = record.held[key].buffer
        if last is not None and last is not first:
            found.append(first.name)
            if last.updated is None:
                last.name = first.name
            record.program.outputs.append(Array(last.shape, last.format, last))
    return tuple(found)


def _torch() -> Any:
    try:
        import torch
    except ImportError:
        raise MissingExtra("PyTorch", "torch") from None
    return torch
