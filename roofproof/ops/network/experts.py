"""Expert parallel: experts spread over chips, tokens sent to the experts that the router chose, and back."""

from dataclasses import dataclass

from sympy import Expr, Integer

from roofproof.formats import canonical
from roofproof.ops.combine import Size, added, positive
from roofproof.ops.network.collectives import Collective, all_to_all
from roofproof.ops.network.topology import Ring, Topology
from roofproof.ops.operation import Operation, one_kernel
from roofproof.ops.tensor import Tensor
from roofproof.symbols import dimension

LEPIKHIN = "Lepikhin et al., GShard (2020), section 3; Austin et al., How to Scale Your Model (2025), ch. 5"


@dataclass(frozen=True, slots=True)
class ExpertParallel:
    """Two all-to-alls, `dispatch` and `combine`, around the experts' products, per chip, with balanced routing.

    >>> expert_parallel(Z=4, k=2).dispatch.size                # 2 bytes for each of B D, sent to 2 experts
    4*B*D
    """

    flops: Expr
    dispatch: Collective
    combine: Collective
    compute: str

    def operation(self) -> Operation:
        """Return it as an operation of one chip: its FLOPs against its links, without the main memory."""
        return one_kernel(
            "expert-parallel forward",
            work={self.compute: self.flops},
            links=added((self.dispatch.demand, self.combine.demand)),
            source=LEPIKHIN,
            convention="balanced routing; 2 FLOPs per multiply-add; per chip; bytes per direction of a link",
            conditions=self.dispatch.conditions,
        )


def expert_parallel(
    Z: Size = "Z", k: Size = "k", over: Topology | None = None, dtype: str = "bf16", matrices: int = 2
) -> ExpertParallel:
    """Return the forward pass of B tokens, each sent to k experts, over Z chips that share the experts.

    >>> op = expert_parallel().operation()
    >>> op.flops                                               # 2 matrices, 2 FLOPs: 4 k B D F over Z chips
    4*B*D*F*k/Z
    >>> op.bytes("ici")                                        # 2 k B D bytes there and back, (Z - 1)/(2 Z) of each
    2*B*D*k*(Z - 1)/Z

    The number of experts does not enter: it decides the weights, not what a token costs. `matrices` is 3 for
    gated experts. Raises RoofproofError for sizes that are no positive integers.
    """
    chips = positive(Z, "chips")
    B, D, F, chosen = dimension("B"), dimension("D"), dimension("F"), positive(k, "experts of a token")
    sent = chosen * Tensor("tokens", (B, D), dtype).bytes
    network = Ring() if over is None else over
    flops = Integer(2) * positive(matrices, "matrices") * chosen * B * D * F / chips
    there = all_to_all(chips, sent, network)
    return ExpertParallel(flops, there, all_to_all(chips, sent, network), canonical(dtype))
