"""Built-in collectives, sharded products and strategies: `sharded-matmul:n=4`, `all-reduce:n=8`, `fsdp:X=16`.

A size is a number or a name. If omitted, it is the symbol of the formula. `link` is the name of the link. Each axis is
a ring over it in one direction.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from sympy import Eq, Integer, Mod

from roofproof.errors import RoofproofError, refuse_unknown
from roofproof.ops.combine import positive
from roofproof.ops.library._entry import Entry, Format, sized
from roofproof.ops.network import collectives, sharded
from roofproof.ops.network.collectives import (
    PATARASUK,
    SCALING,
    THAKUR,
    BidirectionalRing,
    Collective,
    FullMesh,
    Hierarchical,
    Line,
    Ring,
    Switch,
    Topology,
    Torus,
)
from roofproof.ops.network.sharded import HUANG, LEPIKHIN, TRAINING, expert_parallel, pipeline, sharded_einsum
from roofproof.ops.notation.layout import mesh
from roofproof.ops.operation import Operation, one_kernel
from roofproof.ops.tensor import Tensor
from roofproof.symbols import dimension

LIU = "Liu, Zaharia, Abbeel, Ring Attention with Blockwise Transformers (2023), section 3"


def sharded_matmul(x: Format = "bf16", n: str | int = "n", link: str = "ici") -> Operation:
    """Matmul with D split over n chips, per chip: partial sums, all-reduced over a ring.

    >>> op = sharded_matmul(n=2)
    >>> op.flops, op.bytes("ici")                              # half of 2BDF; 2 (2 - 1)/2 of 2BF bytes
    (B*D*F, 2*B*F)
    """
    text = f"x:{x}[B, D_n] * w:{x}[D_n, F] -> z:{x}[B, F]"
    return sharded_einsum(text, mesh(Ring(link), n=sized(n, "n"))).operation("sharded-matmul")


def gathered_matmul(x: Format = "bf16", n: str | int = "n", link: str = "ici") -> Operation:
    """Matmul with the batch and F split over n chips: x is gathered over a ring while its parts are multiplied.

    >>> op = gathered_matmul(n=4)
    >>> op.flops, op.bytes("ici")                              # a quarter of 2BDF; (4 - 1)/4 of 2BD bytes
    (B*D*F/2, 3*B*D/2)
    """
    text = f"x:{x}[B_n, D] * w:{x}[D, F_n] -> z:{x}[B, F_n]"
    return sharded_einsum(text, mesh(Ring(link), n=sized(n, "n"))).operation("gathered-matmul")


def ring_attention(x: Format = "bf16", n: str | int = "n", link: str = "ici") -> Operation:
    """Attention over L tokens in n parts: keys and values circulate in a ring of n chips, each attending as they pass.

    >>> op = ring_attention(n=4)
    >>> op.flops                                               # L/4 queries and L keys: 4 k per pair and head
    L**2*h*k
    >>> op.bytes("ici")                                        # 3 times the 4 L/4 h k bytes of keys and values
    3*L*h*k
    """
    h, L, k = map(dimension, "hLk")
    chips = positive(sized(n, "n"), "n")
    part = (h, L / chips, k)
    q, o = Tensor("q", part, x), Tensor("o", part, x)
    keys, values = (Tensor(name, part, x, chips) for name in ("keys", "values"))
    return one_kernel(
        "ring-attention",
        work={x: 4 * h * L**2 * k / chips},
        reads=(q, keys, values),
        writes=(o,),
        links={link: (chips - 1) * 2 * q.bytes},
        source=LIU,
        convention="2 FLOPs per multiply-add; per chip; bytes per direction of a link; keys and values once a step",
        conditions=() if chips == 1 else (Eq(Mod(L, chips), 0),),
        dims=(h, L, k),
    )


SHAPES: dict[str, Callable[[str], Topology]] = {
    "ring": Ring,
    "direct": Switch,
    "recursive": partial(Switch, algorithm="recursive"),
}
"""The topologies for the algorithms that every collective supports."""

KINDS: dict[str, Callable[[str], Topology]] = {
    "ring": BidirectionalRing,
    "line": Line,
    "full-mesh": FullMesh,
    "switch": Switch,
}
"""The topologies of the option `topology`. Every link is used in both directions."""

DEFAULT_TOPOLOGY: dict[str, Callable[[str], Topology]] = {
    "ici": BidirectionalRing,
    "nvlink": Switch,
    "xgmi": Switch,
    "xgmi-link": FullMesh,
}
"""The usual topology of each link: an axis of a torus, a switch, or a full mesh."""

REDUCED: dict[str, Callable[..., Collective]] = {
    "tree": collectives.tree_all_reduce,
    "two-trees": partial(collectives.tree_all_reduce, halves=True),
    "one-shot": collectives.one_shot_all_reduce,
}
"""The algorithms that only all-reduces support."""


def joined_as(text: str, link: str) -> Topology:
    """Return the topology for a text: a ring, a line, a full mesh, a switch, or a torus given by the sizes of its axes.

    >>> str(joined_as("4x4", "ici")), str(joined_as("switch", "nvlink"))
    ('torus of 4 x 4 over ici', 'switch over nvlink')
    """
    if re.fullmatch(r"[1-9][0-9]{0,5}(x[1-9][0-9]{0,5})+", text):
        return Torus(link, sizes=tuple(Integer(size) for size in text.split("x")))
    refuse_unknown("topology", text, (*KINDS, "4x4"))
    return KINDS[text](link)


def _collective(make: Callable[..., Collective], source: str) -> Entry:
    def operation(
        n: str | int = "n", V: str | int = "V", link: str = "ici", algorithm: str = "ring", node: str | int = 8,
        outer: str = "dcn", topology: str = "",
    ) -> Operation:  # fmt: skip
        chips, amount = sized(n, "n"), sized(V, "V")
        if topology:
            if algorithm != "ring":
                raise RoofproofError("use only one of topology and algorithm")
            joined = joined_as(topology, link)
            return make(None if joined.kind == "torus" and chips == "n" else chips, amount, joined).operation()
        own = REDUCED if make is collectives.all_reduce else {}
        refuse_unknown("algorithm", algorithm, (*SHAPES, *own, "two-level"))
        if algorithm in own:
            return own[algorithm](chips, amount, link).operation()
        if algorithm == "two-level":
            inside = positive(sized(node, "node"), "chips of a node")
            found = make(chips, amount, Hierarchical(inner=Ring(link), outer=Ring(outer), node=inside))
            return replace(found, name=f"{found.name} on two levels ({inside} a node)", least={}).operation()
        found = make(chips, amount, SHAPES[algorithm](link))
        if algorithm == "ring":  # any chips can form a ring, however they are joined
            found = replace(
                found, least=make(chips, amount, DEFAULT_TOPOLOGY[link](link)).least if link in DEFAULT_TOPOLOGY else {}
            )
        return found.operation()

    name = make().name
    operation.__doc__ = f"{name.capitalize()} of V bytes over a ring of n chips, by another algorithm, or topology."
    return Entry(name, operation, f"{name} over a ring", source, sizes="V: message, n: chips")


def _data_parallel(X: str | int = "X", part: str = "step", link: str = "ici") -> Operation:
    """Feed-forward layer with the batch split over X chips, each with all weights."""
    return sharded.data_parallel(sized(X, "X"), Ring(link), part).operation()


def _fsdp(X: str | int = "X", part: str = "forward", link: str = "ici") -> Operation:
    """Feed-forward layer with the batch and the weights split over X chips."""
    return sharded.fsdp(sized(X, "X"), Ring(link), part).operation()


def _tensor_parallel(Y: str | int = "Y", part: str = "forward", link: str = "ici") -> Operation:
    """Feed-forward layer with the hidden width split over Y chips."""
    return sharded.tensor_parallel(sized(Y, "Y"), Ring(link), part).operation()


def _mixed(X: str | int = "X", Y: str | int = "Y", part: str = "forward", link: str = "ici") -> Operation:
    """Feed-forward layer with FSDP over X chips and tensor parallelism over Y, on two rings used in turn."""
    over = dict.fromkeys("XY", Ring(link))
    return sharded.fsdp_tensor_parallel(sized(X, "X"), sized(Y, "Y"), over, part).operation()


def _pipeline(p: str | int = "p", m: str | int = "m", link: str = "ici") -> Operation:
    """N feed-forward layers in p stages, the forward pass of one chip: m microbatches, each sent to the next stage."""
    return pipeline(sized(p, "p"), sized(m, "m")).operation(Ring(link))


def _point_to_point(V: str | int = "V", hops: str | int = 1, link: str = "ici") -> Operation:
    """V bytes sent to another chip, `hops` hops away."""
    found = collectives.point_to_point(sized(V, "V"), sized(hops, "hops"), Ring(link))
    least = (
        collectives.point_to_point(sized(V, "V"), 1, DEFAULT_TOPOLOGY[link](link)).least
        if link in DEFAULT_TOPOLOGY
        else {}
    )
    return replace(found, least=least).operation()


def _expert_parallel(Z: str | int = "Z", k: str | int = "k", link: str = "ici") -> Operation:
    """Experts split over Z chips, with each of B tokens sent to k experts and back."""
    return expert_parallel(sized(Z, "Z"), sized(k, "k"), Ring(link)).operation()


ENTRIES = (
    Entry(
        "sharded-matmul",
        sharded_matmul,
        "matmul with D cut over n chips, all-reduced over a ring",
        SCALING,
        sizes="B: batch, D: width, F: width, n: chips",
    ),
    Entry(
        "gathered-matmul",
        gathered_matmul,
        "matmul that gathers its input over a ring meanwhile",
        SCALING,
        sizes="B: batch, D: width, F: width, n: chips",
    ),
    Entry(
        "ring-attention",
        ring_attention,
        "attention with keys and values going round a ring",
        LIU,
        sizes="h: heads, L: sequence, k: head width, n: chips",
    ),
    _collective(collectives.all_gather, THAKUR),
    _collective(collectives.reduce_scatter, THAKUR),
    _collective(collectives.all_reduce, PATARASUK),
    _collective(collectives.all_to_all, SCALING),
    Entry(
        "point-to-point", _point_to_point, "bytes from one chip to another", SCALING, sizes="V: message, hops: chips"
    ),
    Entry(
        "data-parallel",
        _data_parallel,
        "feed-forward layer, batch cut, gradients all-reduced",
        TRAINING,
        sizes="B: batch, D: width, F: width, X: chips",
    ),
    Entry(
        "fsdp",
        _fsdp,
        "feed-forward layer, batch and weights cut (ZeRO-3)",
        TRAINING,
        sizes="B: batch, D: width, F: width, X: chips",
    ),
    Entry(
        "tensor-parallel",
        _tensor_parallel,
        "feed-forward layer, hidden width cut",
        TRAINING,
        sizes="B: batch, D: width, F: width, Y: chips",
    ),
    Entry(
        "fsdp-tensor-parallel",
        _mixed,
        "feed-forward layer, FSDP over X, tensor parallel over Y",
        TRAINING,
        sizes="B: batch, D: width, F: width, X: chips, Y: chips",
    ),
    Entry(
        "pipeline-parallel",
        _pipeline,
        "feed-forward layers in stages, the batch in microbatches",
        HUANG,
        sizes="B: batch, D: width, F: width, N: layers, p: chips",
    ),
    Entry(
        "expert-parallel",
        _expert_parallel,
        "experts over chips, tokens sent and returned",
        LEPIKHIN,
        sizes="B: batch, D: width, F: width, Z: chips, k: experts a token",
    ),
)
