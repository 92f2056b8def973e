"""Tracing of a JAX function with symbolic sizes, to an operation. Nothing is computed.

The function is called once, as by `jax.make_jaxpr`, with arrays that have a shape and a format but no values. Side
effects such as printing or reading files do happen.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import Any

import sympy

from roofproof import arguments
from roofproof.errors import MissingExtra, RoofproofError, refuse_unknown
from roofproof.ops.tensor import is_positive
from roofproof.trace.addresses import drop_index_arithmetic
from roofproof.trace.arguments import call, checked, filled, nested, typed
from roofproof.trace.dead import alive, trim_loops
from roofproof.trace.dtypes import dtype_of, format_of
from roofproof.trace.jaxpr.contractions import orders_noted
from roofproof.trace.jaxpr.handlers import HANDLERS
from roofproof.trace.jaxpr.pallas import with_blocks
from roofproof.trace.jaxpr.sizes import JaxSizes
from roofproof.trace.jaxpr.walk import Walk
from roofproof.trace.layers import of_layers
from roofproof.trace.names import names_in
from roofproof.trace.operation import Traced
from roofproof.trace.problems import definition, user_errors
from roofproof.trace.program import Array, Buffer
from roofproof.trace.result import Trace, captured, name_results, read_arguments
from roofproof.trace.shapes import Read
from roofproof.trace.traffic import MODELS
from roofproof.trace.updates import update_in_place

PLAIN = names_in("""
    float64 float32 float16 bfloat16 int64 int32 int16 int8 int4 int2 uint64 uint32 uint16 uint8 uint4 uint2
    complex64 complex128
""")
WIDE = frozenset(("float64", "int64", "uint64", "complex128"))  # JAX needs enable_x64 for these


@arguments.checked
def trace(
    function: Callable[..., Any],
    shapes: str | Mapping[str, str] = "",
    /,
    *,
    where: str = "",
    traffic: str = "fused",
    unrolled: str = "",
    links: Mapping[str, str] | None = None,
    **named: str | float | None,
) -> Traced:
    """Trace the work and traffic of a JAX function, as an operation with symbolic sizes.

    >>> import jax.numpy as jnp
    >>> op = trace(lambda x, w: jnp.tanh(x @ w), "x:bf16[B,D], w:bf16[D,F]")
    >>> dict(op.compute), op.bytes()                           # 2 B D F on the matrix unit, one tanh per element
    ({'bf16': 2*B*D*F, 'exp': B*F}, 2*B*D + 2*B*F + 2*D*F)

    `shapes` is text as in `roofproof.trace.shapes`. Alternatively, give the shape of each parameter by name, as in
    `x="bf16[B,D]"`. `where` holds conditions on the sizes (`"k even; h = g*r"`), and `traffic` is a model of
    `roofproof.trace.traffic`. `links` binds axes of a mesh to links (`{"data": "dcn"}`). `unrolled` is the size that
    counts the layers that Python unrolls, as in `roofproof.trace.layers`. Raises a one-line RoofproofError if the
    function fails or uses a primitive without a rule.
    """
    refuse_unknown("traffic model", traffic, MODELS)
    if unrolled:
        return of_layers(
            lambda at: traced(function, at, links=links), read_arguments(shapes, named, where), unrolled, traffic
        )
    return traced(function, shapes, where=where, links=links, **named).operation(traffic)


def traced(
    function: Callable[..., Any],
    shapes: str | Mapping[str, str] | Read = "",
    /,
    *,
    where: str = "",
    links: Mapping[str, str] | None = None,
    **named: str | float | None,
) -> Trace:
    """Return the trace of a JAX function before its traffic is counted. The arguments are those of `trace`.

    >>> found = traced(lambda x: x + 1, x="bf16[N]")
    >>> [e.primitive for e in found.program.equations]
    ['add']
    """
    found, conditions = read_arguments(shapes, named, where)
    jax = _jax()
    signature = checked(function, nested(found))
    found = typed(found, conditions, function)
    tree = nested(found)
    symbols = {s for one in found for size in one.sizes for s in size.free_symbols}
    arrays = [one for one in found if one.format]
    dtypes = [jax.numpy.dtype(dtype_of(one, jax.numpy, PLAIN, "JAX", "arrays")) for one in arrays]
    notes: list[str] = []
    with user_errors(function), jax.enable_x64(True) if WIDE.intersection(map(str, dtypes)) else nullcontext():
        sizes = JaxSizes(symbols, conditions)
        for size in (size for one in arrays for size in one.shape if not is_positive(size)):
            sizes.assume(sympy.Ge(size, 1, evaluate=False))
        structs = [
            jax.ShapeDtypeStruct(tuple(map(sizes.size, one.shape)), dtype)
            for one, dtype in zip(arrays, dtypes, strict=True)
        ]

        def flat(*leaves: Any) -> Any:
            by_path = dict(zip((one.path for one in arrays), leaves, strict=True))
            values = filled(tree, function, lambda one: by_path[one.path] if one.format else sizes.value(one.value))
            return call(function, signature, values)

        with orders_noted(sizes, notes):
            closed, result = with_blocks(lambda: jax.make_jaxpr(flat, return_shape=True)(*structs))
        closed = _alive(closed)
    names = {id(v): name for name, v in captured(function).items() if hasattr(v, "shape")}
    walk = Walk(sizes, HANDLERS, links or {}, names=names)
    buffers = [
        Buffer(one.shape, format_of(s.dtype), one.name, given=True) for one, s in zip(arrays, structs, strict=True)
    ]
    place = definition(function)
    start = [Array(b.shape, b.format, b) for b in buffers]
    ends = walk.run(closed.jaxpr, [walk.constant(c) for c in closed.consts], start, place, "")
    if links and not walk.mapped:
        raise RoofproofError(f"{place}: links bind the axes of a mesh, and there is no shard_map over one")
    program = walk.program
    program.outputs = [walk.materialized(end, place) for end in ends]
    notes += trim_loops(program, sizes)
    alive(program)
    drop_index_arithmetic(program)
    overwritten = [b.name for b in update_in_place(program, set(buffers))]
    name_results(program, jax.tree_util.tree_flatten_with_path(result)[0], {b.name for b in buffers})
    name = getattr(function, "__name__", type(function).__name__)
    return Trace(
        name, program, tuple(sizes.conditions), tuple(overwritten), f"traced by jax {jax.__version__}", tuple(notes)
    )


def _jax() -> Any:
    os.environ.setdefault("JAX_PLATFORMS", "cpu")  # nothing is computed, so no accelerator is needed
    try:
        import jax
        from jax import export  # noqa: F401
    except ImportError:
        raise MissingExtra("JAX", "jax") from None
    return jax


def _alive(closed: Any) -> Any:
    """Drop equations that no result needs, also in bodies of loops and calls."""
    from jax._src.interpreters import partial_eval

    jaxpr, _ = partial_eval.dce_jaxpr(closed.jaxpr, [True] * len(closed.jaxpr.outvars), instantiate=True)
    return closed.replace(jaxpr=jaxpr)
