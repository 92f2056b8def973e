"""Pipeline parallel: layers in stages on chips in a row, the batch cut in microbatches that follow one another."""

from dataclasses import dataclass

import sympy
from sympy import Eq, Expr, Mod

from roofproof.ops.combine import Size, positive
from roofproof.ops.network.collectives import Amount, Collective, point_to_point
from roofproof.ops.network.topology import Topology
from roofproof.ops.operation import Operation, one_kernel
from roofproof.ops.tensor import Tensor
from roofproof.symbols import dimension

HUANG = "Huang et al., GPipe (2019), section 2.3"


@dataclass(frozen=True, slots=True)
class Pipeline:
    """p stages and m microbatches, each stage taking one unit of time a microbatch.

    >>> line = pipeline(p=4, m=12)
    >>> line.slots, line.bubble, line.overhead                 # 4 - 1 + 12 slots, 12 of them busy: 3/15 and 3/12
    (15, 1/5, 1/4)
    """

    stages: Expr
    microbatches: Expr

    @property
    def slots(self) -> Expr:
        """The units of time from the first microbatch in to the last one out: m + p - 1."""
        return self.microbatches + self.stages - 1

    @property
    def bubble(self) -> Expr:
        """The share of the time in which a stage idles: (p - 1)/(m + p - 1)."""
        return sympy.factor_terms((self.slots - self.microbatches) / self.slots)

    @property
    def overhead(self) -> Expr:
        """The idle time relative to the busy time: (p - 1)/m, the other usual meaning of bubble."""
        return (self.slots - self.microbatches) / self.microbatches

    @property
    def slowdown(self) -> Expr:
        """The time relative to stages that never idle: (m + p - 1)/m."""
        return self.slots / self.microbatches

    def operation(self, over: Topology | None = None, dtype: str = "bf16") -> Operation:
        """Return the forward pass of N feed-forward layers as an operation of one chip, without the main memory.

        >>> stage = pipeline(p=4).operation()
        >>> stage.flops, stage.bytes("ici")                    # N/4 layers of 4BDF; the B tokens of width D sent once
        (B*D*F*N, 2*B*D)

        While microbatches fill the pipeline and leave it a chip idles: the time is `slowdown` times as long.
        """
        B, D, F, N = map(dimension, "BDFN")
        sent = self.transfer(Tensor("tokens", (B, D), dtype).bytes, over)
        return one_kernel(
            "pipeline-parallel forward",
            work={dtype: 4 * B * D * F * N / self.stages},
            links={link: sympy.expand(moved * self.microbatches) for link, moved in sent.demand.items()},
            source=HUANG,
            convention="2 FLOPs per multiply-add; per chip; bytes per direction of a link; the bubble is not counted",
            conditions=tuple(c for c in (Eq(Mod(N, self.stages), 0), Eq(Mod(B, self.microbatches), 0)) if c != True),  # noqa: E712
            dims=(B, D, F, N),
        )

    def transfer(self, V: Amount = "V", over: Topology | None = None) -> Collective:
        """Return the sending of one microbatch from a stage to the next, V bytes being the whole batch's activations.

        >>> pipeline(p=4, m=8).transfer().demand               # an eighth of the batch at a time
        {'ici': V/8}
        """
        whole = point_to_point(V, 1, over)
        return point_to_point(whole.size / self.microbatches, 1, whole.over)


def pipeline(p: Size = "p", m: Size = "m") -> Pipeline:
    """Return the pipeline of p stages and m microbatches.

    >>> pipeline().bubble
    (p - 1)/(m + p - 1)

    The same for a forward pass, and for a forward and a backward pass one after the other (GPipe). Raises
    RoofproofError for counts that are no positive integers. Source: Huang et al., GPipe (2019), section 2.3.
    """
    return Pipeline(positive(p, "stages"), positive(m, "microbatches"))
