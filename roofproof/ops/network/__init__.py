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
from roofproof.ops.network.experts import ExpertParallel, expert_parallel
from roofproof.ops.network.footprints import Footprint, footprint
from roofproof.ops.network.hierarchy import Hierarchical
from roofproof.ops.network.meshes import Mesh, mesh
from roofproof.ops.network.pipelines import Pipeline, pipeline
from roofproof.ops.network.sharded import Communication, ShardedEinsum, sharded_einsum
from roofproof.ops.network.strategies import Strategy, data_parallel, fsdp, fsdp_tensor_parallel, tensor_parallel
from roofproof.ops.network.topology import BidirectionalRing, FullMesh, Line, Load, Ring, Switch, Topology
from roofproof.ops.network.torus import Torus
from roofproof.ops.notation.layout import Layout

__all__ = [
    "BidirectionalRing",
    "Collective",
    "Communication",
    "ExpertParallel",
    "Footprint",
    "FullMesh",
    "Hierarchical",
    "Layout",
    "Line",
    "Load",
    "Mesh",
    "Pipeline",
    "Ring",
    "ShardedEinsum",
    "Strategy",
    "Switch",
    "Topology",
    "Torus",
    "all_gather",
    "all_reduce",
    "all_to_all",
    "data_parallel",
    "expert_parallel",
    "footprint",
    "fsdp",
    "fsdp_tensor_parallel",
    "mesh",
    "pipeline",
    "point_to_point",
    "reduce_scatter",
    "sharded_einsum",
    "tensor_parallel",
]  # fmt: skip
