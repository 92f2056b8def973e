"""Operations: what they demand of compute, memory and links, as exact symbolic expressions.

operation  what an operation demands of compute, of memory and of links
tensor     a named tensor: shape, number format, the bytes it takes and moves
resources  names of the resources an operation demands
notation/  every way to write an operation, and the grammars behind them
algebra/   new operations from old
library/   the operations known by name, a family a file
models/    configurations of language models, and what they keep in memory
network/   chips joined by links: topologies, collectives, sharding, parallel strategies
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofproof._lazy import attach

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
    from roofproof.ops.library import Entry as Entry
    from roofproof.ops.library import entries as entries
    from roofproof.ops.models import Model as Model
    from roofproof.ops.models import model as model
    from roofproof.ops.models import model_names as model_names
    from roofproof.ops.models.footprints import serving_footprint as serving_footprint
    from roofproof.ops.models.footprints import training_footprint as training_footprint
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
    from roofproof.ops.notation.expression import parse_expression as parse_expression
    from roofproof.ops.notation.parse import parse_operation as parse_operation
    from roofproof.ops.notation.typed_einsum import Einsum as Einsum
    from roofproof.ops.notation.typed_einsum import einsum as einsum
    from roofproof.ops.operation import Operation as Operation
    from roofproof.ops.tensor import Tensor as Tensor

__getattr__, __all__ = attach(
    __name__,
    {
        "algebra.at": "at",
        "algebra.backward": "backward",
        "algebra.fuse": "fuse",
        "algebra.over": "over",
        "algebra.repeat": "repeat",
        "algebra.shard": "shard",
        "algebra.then": "then",
        "algebra.tile": "tile",
        "algebra.with_formats": "with_formats",
        "library": "Entry entries",
        "models": "Model model model_names",
        "models.footprints": "serving_footprint training_footprint",
        "network": (
            "BidirectionalRing Collective ExpertParallel Footprint FullMesh Hierarchical Line Mesh Pipeline "
            "Ring ShardedEinsum Strategy Switch Torus all_gather all_reduce all_to_all data_parallel "
            "expert_parallel footprint fsdp fsdp_tensor_parallel mesh pipeline point_to_point reduce_scatter "
            "sharded_einsum tensor_parallel"
        ),
        "notation.expression": "parse_expression",
        "notation.parse": "parse_operation",
        "notation.typed_einsum": "Einsum einsum",
        "operation": "Operation",
        "tensor": "Tensor",
    },
)
