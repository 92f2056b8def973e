from roofproof.ops.algebra import at as at, backward as backward, beside as beside, fuse as fuse
from roofproof.ops.algebra import over as over, repeat as repeat, shard as shard, then as then, tile as tile
from roofproof.ops.algebra import with_formats as with_formats
from roofproof.ops.library import Entry as Entry, entries as entries
from roofproof.ops.models import Model as Model, model as model, model_names as model_names
from roofproof.ops.network import BidirectionalRing as BidirectionalRing, Collective as Collective
from roofproof.ops.network import ExpertParallel as ExpertParallel, Footprint as Footprint, FullMesh as FullMesh
from roofproof.ops.network import Hierarchical as Hierarchical, Line as Line, Mesh as Mesh, Pipeline as Pipeline
from roofproof.ops.network import Ring as Ring, ShardedEinsum as ShardedEinsum, Strategy as Strategy, Switch as Switch
from roofproof.ops.network import Torus as Torus, all_gather as all_gather, all_reduce as all_reduce
from roofproof.ops.network import all_to_all as all_to_all, data_parallel as data_parallel
from roofproof.ops.network import expert_parallel as expert_parallel, footprint as footprint, fsdp as fsdp
from roofproof.ops.network import fsdp_tensor_parallel as fsdp_tensor_parallel, mesh as mesh, pipeline as pipeline
from roofproof.ops.network import point_to_point as point_to_point, reduce_scatter as reduce_scatter
from roofproof.ops.network import sharded_einsum as sharded_einsum, tensor_parallel as tensor_parallel
from roofproof.formula.to_sympy import parse_expression as parse_expression
from roofproof.ops.notation.demands import from_expressions as from_expressions
from roofproof.ops.notation.parse import parse_operation as parse_operation
from roofproof.ops.notation.typed_einsum import Einsum as Einsum, einsum as einsum
from roofproof.ops.operation import Operation as Operation
from roofproof.ops.tensor import Tensor as Tensor
