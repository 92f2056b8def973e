"""Ways to spread a feed-forward layer over chips, each written as the sharded products it is.

B tokens, D model width, F hidden width, axis X for the batch, axis Y for the model, as in the source. The layer is
In[B, D] W_in[D, F] W_out[F, D], and strategies.toml has the products of each strategy; which collectives it needs,
and their bytes, come out of the notation.

Source: Austin et al., How to Scale Your Model (2025), ch. 5, "How to parallelize a Transformer for training";
FSDP is ZeRO-3: Rajbhandari et al., ZeRO (2020); tensor parallel: Shoeybi et al., Megatron-LM (2019).
"""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from sympy import Add, Expr

from roofproof.errors import refuse_unknown
from roofproof.ops.combine import Size, added
from roofproof.ops.network.collectives import Collective
from roofproof.ops.network.meshes import Mesh, mesh
from roofproof.ops.network.sharded import Communication, ShardedEinsum, sharded_einsum
from roofproof.ops.network.topology import Topology
from roofproof.ops.operation import Operation, one_kernel

TRAINING = "Austin et al., How to Scale Your Model (2025), ch. 5"

Over = Topology | Mapping[str, Topology] | None


@dataclass(frozen=True, slots=True)
class Strategy:
    """Sharded products in sequence, and through them what a chip computes and sends.

    >>> layer = fsdp()
    >>> layer.flops, layer.demand                              # 4BDF/X; both weights gathered: (X - 1)/X of 4DF
    (4*B*D*F/X, {'ici': 4*D*F*(X - 1)/X})
    """

    name: str
    products: tuple[ShardedEinsum, ...]
    mesh: Mesh

    @property
    def flops(self) -> Expr:
        """FLOPs of one chip."""
        return Add(*(product.flops for product in self.products))

    @property
    def communications(self) -> tuple[Communication, ...]:
        """Every collective with its tensor, in order."""
        return tuple(c for product in self.products for c in product.communications)

    @property
    def collectives(self) -> tuple[Collective, ...]:
        """Every collective with its load, in order."""
        return tuple(c for product in self.products for c in product.collectives)

    def along(self, axis: str) -> dict[str, Expr]:
        """Return the bytes over each link that the collectives along one axis of the mesh move.

        Raises RoofproofError with the axes there are.
        """
        self.mesh.size(axis)
        pairs = zip(self.communications, self.collectives, strict=True)
        return added(collective.demand for c, collective in pairs if c.axis == axis)

    @property
    def demand(self) -> dict[str, Expr]:
        """The bytes over each link, all axes together."""
        return added(collective.demand for collective in self.collectives)

    def operation(self) -> Operation:
        """Return the strategy as an operation of one chip: its FLOPs against its links, without the main memory."""
        [compute] = {product.einsum.compute for product in self.products}
        conditions = dict.fromkeys(c for product in self.products for c in product.conditions)
        return one_kernel(
            self.name,
            work={compute: self.flops},
            links=self.demand,
            source=TRAINING,
            convention="2 FLOPs per multiply-add; per chip; bytes per direction of a link; main memory left out",
            conditions=tuple(conditions),
            dims=tuple(d for product in self.products for d in product.loops),
        )


def data_parallel(X: Size = "X", over: Over = None, part: str = "step") -> Strategy:
    """The batch cut over X chips, weights whole on each: gradients are all-reduced in the backward pass.

    >>> data_parallel(part="forward").demand, data_parallel(part="backward").demand   # 2 (X-1)/X of 2DF, twice
    ({}, {'ici': 8*D*F*(X - 1)/X})

    `part` is "forward", "backward" or "step" (both); `over` the topology of the mesh. Raises RoofproofError for
    another part, or more chips than the topology joins.
    """
    return _strategy("data-parallel", part, over, X=X)


def fsdp(X: Size = "X", over: Over = None, part: str = "forward") -> Strategy:
    """The batch and the weights cut over X chips: weights are gathered when used, gradients reduce-scattered.

    >>> fsdp(part="step").demand == data_parallel(part="step").demand      # no: the forward gathers come on top
    False

    Arguments and errors as for `data_parallel`.
    """
    return _strategy("fsdp", part, over, X=X)


def tensor_parallel(Y: Size = "Y", over: Over = None, part: str = "forward") -> Strategy:
    """The hidden width cut over Y chips: activations are gathered before and reduce-scattered after.

    >>> tensor_parallel().demand                               # (Y - 1)/Y of 2BD, twice
    {'ici': 4*B*D*(Y - 1)/Y}

    Arguments and errors as for `data_parallel`.
    """
    return _strategy("tensor-parallel", part, over, Y=Y)


def fsdp_tensor_parallel(X: Size = "X", Y: Size = "Y", over: Over = None, part: str = "forward") -> Strategy:
    """FSDP over X and tensor parallel over Y: each moves what the other has already cut.

    >>> mixed = fsdp_tensor_parallel()
    >>> mixed.along("X"), mixed.along("Y")                     # weights 4DF/Y, activations 4BD/X
    ({'ici': 4*D*F*(X - 1)/(X*Y)}, {'ici': 4*B*D*(Y - 1)/(X*Y)})

    Arguments and errors as for `data_parallel`.
    """
    return _strategy("fsdp-tensor-parallel", part, over, X=X, Y=Y)


def _strategy(name: str, part: str, over: Over, **sizes: Size) -> Strategy:
    parts = {"forward": ("forward",), "backward": ("backward",), "step": ("forward", "backward")}
    refuse_unknown("part of a step", part, parts)
    cut = mesh(over, **sizes)
    products = tuple(sharded_einsum(text, cut) for one in parts[part] for text in _products()[name][one])
    return Strategy(f"{name} {part}", products, cut)


@cache
def _products() -> dict[str, dict[str, list[str]]]:
    with open(os.path.join(os.path.dirname(__file__), "strategies.toml"), "rb") as file:
        return tomllib.load(file)
