"""Communication between chips. Under `shard_map`, sizes are per chip, and each collective sends bytes over a link.

Each axis of the mesh is a ring, as in `ops.network`. As there, the additions of a reduction are not counted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sympy import Expr, Integer, Rational

from roofproof.errors import RoofproofError, unknown
from roofproof.formats import bytes_per_element
from roofproof.ops.network import Collective, Ring, Topology, all_gather, all_reduce, all_to_all, reduce_scatter
from roofproof.trace.jaxpr.walk import Walk, opened
from roofproof.trace.program import Array, Place
from roofproof.trace.work import Work, unruled

# The collective of each primitive, and the full array that it handles: the output, the input, or the input times n.
Made = Callable[[int, Expr, Topology], Collective]
COLLECTIVES: dict[str, tuple[Made, str] | None] = {
    "psum": (all_reduce, "in"),
    "psum_invariant": (all_reduce, "in"),
    "pmax": (all_reduce, "in"),
    "pmin": (all_reduce, "in"),
    "all_gather": (all_gather, "out"),
    "all_gather_invariant": (all_gather, "out"),
    "reduce_scatter": (reduce_scatter, "in"),
    "all_to_all": (all_to_all, "spread"),
    "ppermute": None,  # each chip sends its data once
}


def mapped(walk: Walk, eqn: Any, inputs: list[Array], place: Place, scope: str) -> list[Array]:
    """Add the work of one chip for a function mapped over a mesh, on its share of each operand."""
    if walk.axes or walk.program.equations or walk.mapped:
        raise RoofproofError(f"{place}: expected one shard_map around all the work, since roofproof traces one chip")
    params = eqn.params
    walk.axes = {str(axis): int(size) for axis, size in params["mesh"].shape.items()}
    for axis in walk.links.keys() - walk.axes.keys():
        raise RoofproofError(f"{place}: links: {unknown('axis of the mesh', axis, walk.axes)}")
    local = [_local(walk, a, v, place) for a, v in zip(inputs, opened(params["jaxpr"])[0].invars, strict=True)]
    ends = walk.inside(params["jaxpr"], local, place, scope)
    walk.axes, walk.mapped = {}, True
    return ends


def _local(walk: Walk, array: Array, variable: Any, place: Place) -> Array:
    """Return the share of one chip, and set its buffer to this size."""
    shape = tuple(map(walk.sizes.of_jax, variable.aval.shape))
    buffer = array.buffer
    if buffer is not None and shape != buffer.shape:
        if not array.same or array.shape not in (buffer.shape, shape):
            raise RoofproofError(f"{place}: an operand of shard_map is a part of an argument; map over the whole of it")
        if not buffer.name or buffer.name.endswith(" of a chip"):
            raise RoofproofError(f"{place}: one argument is split in two ways by shard_map; give it twice")
        buffer.shape = shape
    return replace(array, shape=shape)


NO_LINK = (
    "<place>: the link of axis <axis> of the mesh is missing; name it, such as --links <axis>=ici, or "
    "links={'<axis>': 'ici'} in Python"
)


def collective(walk: Walk, eqn: Any, inputs: list[Array], place: Place, scope: str) -> list[Array]:
    """Add a collective over one axis of the mesh, or over several axes as one ring after another."""
    name, params = eqn.primitive.name, eqn.params
    named = params.get("axes", params.get("axis_name"))
    axes = [a for a in (named if isinstance(named, tuple | list) else (named,)) if a in walk.axes]
    listed = len(named) if isinstance(named, tuple | list) else 1
    if (
        len(axes) < listed
        or params.get("axis_index_groups") is not None
        or (listed > 1 and "reduce" not in str(COLLECTIVES[name]))
    ):
        raise unruled(name, place, f"{name!r} over {named!r}: expected one whole axis of the mesh")
    links: dict[str, Expr] = {}
    outputs = walk.buffers(eqn)
    for taken, made in zip(inputs, outputs, strict=True):
        each = Rational(bytes_per_element(taken.format))
        for axis in axes:
            n, link = walk.axes[axis], walk.links.get(axis)
            if n == 1:
                continue
            if link is None:
                raise RoofproofError(NO_LINK, place=str(place), axis=axis)
            sent = _sent(name, taken.elements * each, made.elements * each, n, link)
            links[link] = links.get(link, Integer(0)) + sent
    found = walk.add(name, inputs, outputs, Work(kind="alone"), place, scope)
    walk.program.equations[-1].links = {link: sent for link, sent in links.items() if sent != 0}
    return found


def _sent(name: str, here: Expr, there: Expr, n: int, link: str) -> Expr:
    """Return the bytes over the busiest link in one direction."""
    kind = COLLECTIVES[name]
    if kind is None:
        return here
    make, about = kind
    whole = {"in": here, "out": there, "spread": n * here}[about]
    return make(n, whole, Ring(link)).demand[link]
