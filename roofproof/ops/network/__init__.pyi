from roofproof.ops.models.footprints import Footprint as Footprint, footprint as footprint
from roofproof.ops.network.collectives import Collective as Collective, all_gather as all_gather
from roofproof.ops.network.collectives import all_reduce as all_reduce, all_to_all as all_to_all
from roofproof.ops.network.collectives import point_to_point as point_to_point, reduce_scatter as reduce_scatter
from roofproof.ops.network.sharded import ExpertParallel as ExpertParallel, expert_parallel as expert_parallel
from roofproof.ops.network.collectives import Hierarchical as Hierarchical
from roofproof.ops.notation.layout import Mesh as Mesh, mesh as mesh
from roofproof.ops.network.sharded import Pipeline as Pipeline, pipeline as pipeline
from roofproof.ops.network.sharded import Communication as Communication, ShardedEinsum as ShardedEinsum
from roofproof.ops.network.sharded import sharded_einsum as sharded_einsum
from roofproof.ops.network.sharded import Strategy as Strategy, data_parallel as data_parallel, fsdp as fsdp
from roofproof.ops.network.sharded import fsdp_tensor_parallel as fsdp_tensor_parallel
from roofproof.ops.network.sharded import tensor_parallel as tensor_parallel
from roofproof.ops.network.collectives import BidirectionalRing as BidirectionalRing, FullMesh as FullMesh, Line as Line
from roofproof.ops.network.collectives import Load as Load, Ring as Ring, Switch as Switch, Topology as Topology
from roofproof.ops.network.collectives import Torus as Torus
from roofproof.ops.notation.layout import Layout as Layout
