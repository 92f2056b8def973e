"""Operations: what they demand of compute, memory and links, as exact symbolic expressions."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from roofproof.ops.algebra.at import at as at
    from roofproof.ops.algebra.backward import backward as backward
    from roofproof.ops.algebra.fuse import fuse as fuse
    from roofproof.ops.algebra.over import over as over
    from roofproof.ops.algebra.repeat import repeat as repeat
    from roofproof.ops.algebra.shard import shard as shard
    from roofproof.ops.algebra.then import then as then
    from roofproof.ops.algebra.tile import tile as tile
    from roofproof.ops.algebra.with_formats import with_formats as with_formats
    from roofproof.ops.expression import parse_expression as parse_expression
    from roofproof.ops.library import Entry as Entry
    from roofproof.ops.library import entries as entries
    from roofproof.ops.model_footprints import serving_footprint as serving_footprint
    from roofproof.ops.model_footprints import training_footprint as training_footprint
    from roofproof.ops.models import Model as Model
    from roofproof.ops.models import model as model
    from roofproof.ops.models import model_names as model_names
    from roofproof.ops.network import BidirectionalRing as BidirectionalRing
    from roofproof.ops.network import Collective as Collective
    from roofproof.ops.network import ExpertParallel as ExpertParallel
    from roofproof.ops.network import Footprint as Footprint
    from roofproof.ops.network import FullMesh as FullMesh
    from roofproof.ops.network import Hierarchical as Hierarchical
    from roofproof.ops.network import Line as Line
    from roofproof.ops.network import Mesh as Mesh
    from roofproof.ops.network import Pipeline as Pipeline
    from roofproof.ops.network import Ring as Ring
    from roofproof.ops.network import ShardedEinsum as ShardedEinsum
    from roofproof.ops.network import Strategy as Strategy
    from roofproof.ops.network import Switch as Switch
    from roofproof.ops.network import Torus as Torus
    from roofproof.ops.network import all_gather as all_gather
    from roofproof.ops.network import all_reduce as all_reduce
    from roofproof.ops.network import all_to_all as all_to_all
    from roofproof.ops.network import data_parallel as data_parallel
    from roofproof.ops.network import expert_parallel as expert_parallel
    from roofproof.ops.network import footprint as footprint
    from roofproof.ops.network import fsdp as fsdp
    from roofproof.ops.network import fsdp_tensor_parallel as fsdp_tensor_parallel
    from roofproof.ops.network import mesh as mesh
    from roofproof.ops.network import pipeline as pipeline
    from roofproof.ops.network import point_to_point as point_to_point
    from roofproof.ops.network import reduce_scatter as reduce_scatter
    from roofproof.ops.network import sharded_einsum as sharded_einsum
    from roofproof.ops.network import tensor_parallel as tensor_parallel
    from roofproof.ops.notation import Einsum as Einsum
    from roofproof.ops.notation import einsum as einsum
    from roofproof.ops.operation import Operation as Operation
    from roofproof.ops.parse import parse_operation as parse_operation
    from roofproof.ops.tensor import Tensor as Tensor

_HOME = {
    "Einsum": "notation",
    "Entry": "library",
    "Model": "models",
    "Operation": "operation",
    "Tensor": "tensor",
    "einsum": "notation",
    "entries": "library",
    "at": "algebra",
    "backward": "algebra",
    "fuse": "algebra",
    "model": "models",
    "model_names": "models",
    "over": "algebra",
    "repeat": "algebra",
    "shard": "algebra",
    "then": "algebra",
    "tile": "algebra",
    "with_formats": "algebra",
    "parse_expression": "expression",
    "parse_operation": "parse",
    "BidirectionalRing": "network",
    "Collective": "network",
    "ExpertParallel": "network",
    "Footprint": "network",
    "FullMesh": "network",
    "Hierarchical": "network",
    "Line": "network",
    "Mesh": "network",
    "Pipeline": "network",
    "Ring": "network",
    "ShardedEinsum": "network",
    "Strategy": "network",
    "Switch": "network",
    "Torus": "network",
    "all_gather": "network",
    "all_reduce": "network",
    "all_to_all": "network",
    "data_parallel": "network",
    "expert_parallel": "network",
    "footprint": "network",
    "fsdp": "network",
    "fsdp_tensor_parallel": "network",
    "mesh": "network",
    "pipeline": "network",
    "point_to_point": "network",
    "reduce_scatter": "network",
    "serving_footprint": "model_footprints",
    "sharded_einsum": "network",
    "tensor_parallel": "network",
    "training_footprint": "model_footprints",
}
__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
