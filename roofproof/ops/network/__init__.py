"""Chips joined by links: topologies, collectives, sharding, and the ways to train or serve in parallel.

Everything here speaks of links by name and of their bandwidth as W; no chip is known.
"""

from roofproof.ops.network.collectives import (
    Collective,
    all_gather,
    all_reduce,
    all_to_all,
    point_to_point,
    reduce_scatter,
)
from roofproof.ops.network.hierarchy import Hierarchical
from roofproof.ops.network.mesh import Mesh, mesh
from roofproof.ops.network.topology import BidirectionalRing, FullMesh, Line, Load, Ring, Switch, Topology
from roofproof.ops.network.torus import Torus

__all__ = [
    "BidirectionalRing", "Collective", "FullMesh", "Hierarchical", "Line", "Load", "Mesh", "Ring", "Switch",
    "Topology", "Torus", "all_gather", "all_reduce", "all_to_all", "mesh", "point_to_point", "reduce_scatter",
]  # fmt: skip
