"""A JAX function as an operation: traced with sizes that are symbols, nothing is computed.

The function is called once with arrays that have a shape and a format and no values, as `jax.make_jaxpr` does it; what
it does besides (printing, reading files) is done as well.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.errors import RoofproofError, quoted, unknown
from roofproof.formats import canonical
from roofproof.ops.tensor import is_positive
from roofproof.trace.addresses import without_addresses
from roofproof.trace.jaxpr.arguments import checked, filled, nested
from roofproof.trace.jaxpr.contractions import orders_noted
from roofproof.trace.jaxpr.handlers import HANDLERS
from roofproof.trace.jaxpr.pallas import dynamic_blocks
from roofproof.trace.jaxpr.problems import definition, told_in_one_line
from roofproof.trace.jaxpr.rules import names_in
from roofproof.trace.jaxpr.sizes import Sizes
from roofproof.trace.jaxpr.walk import Walk, format_of
from roofproof.trace.operation import Traced, operation_of
from roofproof.trace.program import Array, Buffer, Program
from roofproof.trace.shapes import Given, read
from roofproof.trace.traffic import MODELS
from roofproof.trace.updates import alive, update_in_place

DTYPES = {
    "fp64": "float64", "fp32": "float32", "f32": "float32", "fp16": "float16", "f16": "float16", "bf16": "bfloat16",
    "fp8": "float8_e4m3fn", "e4m3": "float8_e4m3fn", "e5m2": "float8_e5m2", "f64": "float64", "fp4": "float4_e2m1fn",
    "u8": "uint8", "i8": "int8", "s8": "int8", "i32": "int32", "i64": "int64", "u32": "uint32", "bool": "bool",
}  # fmt: skip
PLAIN = names_in("""
    float64 float32 float16 bfloat16 int64 int32 int16 int8 int4 int2 uint64 uint32 uint16 uint8 uint4 uint2
    complex64 complex128
""")
WIDE = ("float64", "int64", "uint64", "complex128")  # which JAX has only where it is told so


def trace(
    function: Callable[..., Any],
    shapes: str | Mapping[str, str] = "",
    /,
    *,
    where: str = "",
    traffic: str = "fused",
    links: Mapping[str, str] | None = None,
    **named: str | int,
) -> Traced:
    """Return what a JAX function computes and moves, as an operation with symbolic sizes.

    >>> import jax.numpy as jnp
    >>> op = trace(lambda x, w: jnp.tanh(x @ w), "x:bf16[B,D], w:bf16[D,F]")
    >>> dict(op.compute), op.bytes()                           # 2 B D F on the matrix unit, a tanh an element
    ({'bf16': 2*B*D*F, 'exp': B*F}, 2*B*D + 2*B*F + 2*D*F)

    `shapes` is text as in `roofproof.trace.shapes`, or each parameter has its own, `x="bf16[B,D]"`. `where` are
    conditions on the sizes (`"k even; h = g*r"`), `traffic` is a model of `roofproof.trace.traffic`, and `links` binds
    axes of a mesh to links (`{"data": "dcn"}`), `ici` where nothing is said. Raises RoofproofError in one line where
    the function fails, or does what no rule is for.
    """
    if traffic not in MODELS:
        raise unknown("traffic model", traffic, MODELS)
    found = traced(function, shapes, where=where, links=links, **named)
    said = "; ".join((_convention(traffic, found.overwritten), *found.notes, found.by))
    return operation_of(found.program, traffic, found.name, found.conditions, said, found.by)


@dataclass(frozen=True)
class Trace:
    """What a trace comes to, before its traffic is counted; `overwritten` are arguments that are updated in place.

    `notes` are what was assumed besides: the orders of einsums.
    """

    name: str
    program: Program
    conditions: tuple[Boolean, ...]
    overwritten: tuple[str, ...]
    by: str
    notes: tuple[str, ...] = ()


def traced(
    function: Callable[..., Any],
    shapes: str | Mapping[str, str] = "",
    /,
    *,
    where: str = "",
    links: Mapping[str, str] | None = None,
    **named: str | int,
) -> Trace:
    """Return the program that a JAX function is; the arguments are those of `trace`.

    >>> found = traced(lambda x: x + 1, x="bf16[N]")
    >>> [e.primitive for e in found.program.equations]
    ['add']
    """
    pairs = {} if isinstance(shapes, str) else shapes
    written = [shapes] if isinstance(shapes, str) and shapes.strip() else []
    written += [
        f"{name}={text}" if isinstance(text, int) else f"{name}:{text}" for name, text in ({**pairs, **named}).items()
    ]
    given, conditions = read(", ".join(written), where) if written else ((), ())
    jax = _jax()
    tree = nested(given)
    signature = checked(function, tree)
    symbols = {s for one in given for size in one.shape for s in size.free_symbols}
    symbols |= {s for c in conditions for s in c.free_symbols}
    wide = any(str(_dtype(one, jax)) in WIDE for one in given if one.format)
    notes: list[str] = []
    with told_in_one_line(function), jax.enable_x64(True) if wide else nullcontext():
        sizes = Sizes(symbols, conditions)
        arrays = [one for one in given if one.format]
        for size in (size for one in arrays for size in one.shape if not is_positive(size)):
            sizes.assume(sympy.Ge(size, 1, evaluate=False))
        structs = [jax.ShapeDtypeStruct(tuple(map(sizes.to_jax, one.shape)), _dtype(one, jax)) for one in arrays]

        def flat(*leaves: Any) -> Any:
            by_path = dict(zip((one.path for one in arrays), leaves, strict=True))
            found = filled(tree, function, lambda one: by_path[one.path] if one.format else sizes.to_jax(one.shape[0]))
            by_place = [
                n for n, p in signature.parameters.items() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
            ]
            first = list(takewhile(found.__contains__, by_place))  # wrappers often take no names
            if all(p.kind is not p.VAR_KEYWORD for p in signature.parameters.values()):
                first += [name for name in found if name not in signature.parameters]  # of `*operands`
            return function(*[found.pop(name) for name in first], **found)

        with orders_noted(sizes, notes), dynamic_blocks():
            closed, result = jax.make_jaxpr(flat, return_shape=True)(*structs)
        closed = _alive(closed)
    walk = Walk(sizes, HANDLERS, links or {}, names=_named_arrays(function))
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
    alive(program)
    without_addresses(program)
    overwritten = [b.name for b in update_in_place(program, set(buffers))]
    _name_results(program, jax.tree_util.tree_flatten_with_path(result)[0], {b.name for b in buffers})
    name = getattr(function, "__name__", type(function).__name__)
    return Trace(
        name, program, tuple(sizes.conditions), tuple(overwritten), f"traced by jax {jax.__version__}", tuple(notes)
    )


def _jax() -> Any:
    os.environ.setdefault("JAX_PLATFORMS", "cpu")  # nothing is computed: no accelerator is woken
    try:
        import jax
        from jax import export  # noqa: F401
    except ImportError:
        raise RoofproofError("JAX is not installed; cure: pip install 'roofproof[jax]'") from None
    return jax


def _dtype(one: Given, jax: Any) -> Any:
    name = DTYPES.get(one.format, one.format)
    if name not in (*PLAIN, *DTYPES.values()):
        canonical(one.format)  # with near matches, where it is none at all
        raise RoofproofError(f"{one.name}: JAX has no arrays in {quoted(one.format)}; scales are arrays of their own")
    return jax.numpy.dtype(name)


def _alive(closed: Any) -> Any:
    """Drop what no result needs, in bodies of loops and calls as well."""
    from jax._src.interpreters import partial_eval

    jaxpr, _ = partial_eval.dce_jaxpr(closed.jaxpr, [True] * len(closed.jaxpr.outvars), instantiate=True)
    return closed.replace(jaxpr=jaxpr)


def _name_results(program: Program, paths: list[Any], taken: set[str]) -> None:
    for (path, _), array in zip(paths, program.outputs, strict=True):
        buffer = array.buffer
        if buffer is None or buffer.given or buffer.name:
            continue
        root = buffer
        while root.updated is not None:
            root = root.updated
        steps = "".join(
            f"[{s.idx}]" if hasattr(s, "idx") else f".{getattr(s, 'key', getattr(s, 'name', s))}" for s in path
        )
        name = "result" + steps
        while name in taken:
            name += "_"
        buffer.name = root.name if root.given and root is not buffer else name
        taken.add(name)


def _convention(model: str, overwritten: tuple[str, ...]) -> str:
    says = {
        "fused": "each input read once, each result written once, nothing between",
        "kernels": "each kernel reads what it takes once and writes what others use",
        "unfused": "each step reads what it takes and writes what it makes",
    }[model]
    told = f"2 FLOPs per multiply-add; traffic {model}: {says}"
    if overwritten:
        told += f"; updated in place: {', '.join(dict.fromkeys(overwritten))}"
    return told


def _named_arrays(function: Any) -> dict[int, str]:
    """Return the names of the arrays that a function captures, by identity."""
    function = getattr(function, "__wrapped__", function)
    code, cells = getattr(function, "__code__", None), getattr(function, "__closure__", None) or ()
    found = {id(v): k for k, v in getattr(function, "__globals__", {}).items() if hasattr(v, "shape")}
    for name, cell in zip(code.co_freevars if code else (), cells, strict=True):
        try:
            found[id(cell.cell_contents)] = name
        except ValueError:  # not assigned yet
            continue
    return found
