"""Ways to spread a feed-forward layer over chips, each written as the sharded products it is.

B tokens, D model width, F hidden width, axis X for the batch, axis Y for the model, as in the source. The layer is
In[B, D] W_in[D, F] W_out[F, D]; which collectives a strategy needs, and their bytes, come out of the notation.
A gathered tensor that a later product uses again is written gathered there, so it is counted once; activations
that the forward pass gathered are kept for the backward pass.

Source: Austin et al., How to Scale Your Model (2025), ch. 5, "How to parallelize a Transformer for training";
FSDP is ZeRO-3: Rajbhandari et al., ZeRO (2020); tensor parallel: Shoeybi et al., Megatron-LM (2019).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from sympy import Add, Expr

from roofproof.errors import unknown
from roofproof.ops.algebra._common import Size, added
from roofproof.ops.network.collectives import Collective
from roofproof.ops.network.meshes import Mesh, mesh
from roofproof.ops.network.sharded import Communication, ShardedEinsum, sharded_einsum
from roofproof.ops.network.topology import Topology
from roofproof.ops.operation import Operation

TRAINING = "Austin et al., How to Scale Your Model (2025), ch. 5"

Over = Topology | Mapping[str, Topology] | None

# For each strategy the products of the forward pass, then those of the backward pass.
PRODUCTS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = MappingProxyType({
    "data-parallel": (
        ("In[B_X, D] * W_in[D, F] -> Tmp[B_X, F]", "Tmp[B_X, F] * W_out[F, D] -> Out[B_X, D]"),
        (
            "Tmp[B_X, F] * dOut[B_X, D] -> dW_out[F, D]", "dOut[B_X, D] * W_out[F, D] -> dTmp[B_X, F]",
            "In[B_X, D] * dTmp[B_X, F] -> dW_in[D, F]", "dTmp[B_X, F] * W_in[D, F] -> dIn[B_X, D]",
        ),
    ),
    "fsdp": (
        ("In[B_X, D] * W_in[D_X, F] -> Tmp[B_X, F]", "Tmp[B_X, F] * W_out[F, D_X] -> Out[B_X, D]"),
        (
            "Tmp[B_X, F] * dOut[B_X, D] -> dW_out[F, D_X]", "dOut[B_X, D] * W_out[F, D_X] -> dTmp[B_X, F]",
            "In[B_X, D] * dTmp[B_X, F] -> dW_in[D_X, F]", "dTmp[B_X, F] * W_in[D_X, F] -> dIn[B_X, D]",
        ),
    ),
    "tensor-parallel": (
        ("In[B, D_Y] * W_in[D, F_Y] -> Tmp[B, F_Y]", "Tmp[B, F_Y] * W_out[F_Y, D] -> Out[B, D_Y]"),
        (
            "dOut[B, D_Y] * W_out[F_Y, D] -> dTmp[B, F_Y]", "Tmp[B, F_Y] * dOut[B, D] -> dW_out[F_Y, D]",
            "In[B, D] * dTmp[B, F_Y] -> dW_in[D, F_Y]", "dTmp[B, F_Y] * W_in[D, F_Y] -> dIn[B, D_Y]",
        ),
    ),
    "fsdp-tensor-parallel": (
        ("In[B_X, D_Y] * W_in[D_X, F_Y] -> Tmp[B_X, F_Y]", "Tmp[B_X, F_Y] * W_out[F_Y, D_X] -> Out[B_X, D_Y]"),
        (
            "dOut[B_X, D_Y] * W_out[F_Y, D_X] -> dTmp[B_X, F_Y]",
            "Tmp[B_X, F_Y] * dOut[B_X, D] -> dW_out[F_Y, D_X]",
            "In[B_X, D] * dTmp[B_X, F_Y] -> dW_in[D_X, F_Y]",
            "dTmp[B_X, F_Y] * W_in[D_X, F_Y] -> dIn[B_X, D_Y]",
        ),
    ),
})  # fmt: skip


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
        return Operation(
            self.name,
            compute={compute: self.flops},
            traffic=self.demand,
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
    parts = {"forward": slice(0, 1), "backward": slice(1, 2), "step": slice(0, 2)}
    if part not in parts:
        raise unknown("part of a step", part, parts)
    cut = mesh(over, **sizes)
    texts = (text for passes in PRODUCTS[name][parts[part]] for text in passes)
    return Strategy(f"{name} {part}", tuple(sharded_einsum(text, cut) for text in texts), cut)
